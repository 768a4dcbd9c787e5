#pragma once
/// A picture as a value: shapes in points (1/72 inch), x to the right, y down, first shape at the back. What is drawn
/// is decided before and elsewhere; here is only how it is written.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ricochet/base/linear.hpp"

namespace ricochet {

/// Colours are words of CSS's #rrggbb form; an empty colour draws nothing.
struct Stroke {
  std::string colour = "#000000";
  double width = 1;
  std::vector<double> dash = {};  ///< lengths on, off, …; empty for a whole line
};

struct Line {
  std::vector<Vec2> points;
  bool closed = false;
  Stroke stroke = {};
  std::string fill = {};
  double opacity = 1;      ///< of the filling
  bool arrow = false;      ///< a head at the last point
  bool clipped = false;    ///< to the drawing's clip frame
  std::string title = {};  ///< what it is, for who points at it
};

struct Dot {
  enum class Form { disc, ring, square, diamond, cross };
  Vec2 at;
  double radius = 2.5;
  std::string colour = "#000000";
  Form form = Form::disc;
  std::string edge = {};   ///< colour of a line around a disc; empty: none
  std::string title = {};  ///< what it is, for who points at it
};

/// `text` may hold $mathematics$: its letters lean, and _x, _{xy}, ^x, ^{xy} lower and raise.
struct Text {
  enum class Anchor { start, middle, end };
  Vec2 at;  ///< on the base line
  std::string text;
  double size = 10;
  Anchor anchor = Anchor::start;
  std::string colour = "#000000";
  double turn = 0;  ///< degrees, clockwise on the page
  bool bold = false;
  bool clear = false;  ///< what lies under the letters and close around them is painted over
};

using Shape = std::variant<Line, Dot, Text>;

struct Drawing {
  double width = 0, height = 0;
  Vec2 clip_low = Vec2::Zero(), clip_high = Vec2::Zero();  ///< of the lines that are clipped
  std::string id = "figure";                               ///< its own among the drawings of one page
  std::string title = {};                                  ///< for who cannot see it; may hold $mathematics$
  std::string description = {};
  std::vector<Shape> shapes = {};
};

/// One run of letters in the same height and slant.
struct TextRun {
  std::string text;
  bool italic = false;
  int level = 0;  ///< 0 on the line, −1 lowered, +1 raised
};
[[nodiscard]] std::vector<TextRun> text_runs(const std::string& text);

/// The letters alone, where nothing can lean or be lowered.
[[nodiscard]] std::string plain_text(const std::string& text);

/// What a text takes in width, in Helvetica and in typefaces of the same widths.
[[nodiscard]] double text_width(const std::string& text, double size);

struct Box {
  Vec2 low, high;  ///< low is the upper left corner
};
[[nodiscard]] bool overlap(const Box& a, const Box& b);

/// Upright around the letters, turned ones too.
[[nodiscard]] Box box_of(const Text& text);

/// How wide the edge is that a clear text paints over, on each side of its strokes.
constexpr double clearance = 1.8;

/// Lowered and raised letters, relative to the size of their text.
constexpr double script_scale = 0.72, script_drop = 0.24, script_rise = 0.38;

/// The triangle of an arrow's head at the end of a line; empty where the line has no length.
[[nodiscard]] std::vector<Vec2> arrow_head(const Line& line);

/// Text as XML and HTML take it: & < > " spelt out.
[[nodiscard]] std::string escape_xml(std::string_view text);

/// A whole SVG document. `standalone` adds the XML declaration, which a document inside HTML must not have.
[[nodiscard]] std::string to_svg(const Drawing& drawing, bool standalone = true);

}  // namespace ricochet
