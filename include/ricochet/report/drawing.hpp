#pragma once
/// A picture as a value: elements in points (1/72 inch), x to the right, y down, the first one at the back. This module
/// only writes the drawing; its contents are decided elsewhere.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ricochet/base/linear.hpp"

namespace ricochet {

/// Colours have CSS's #rrggbb form; an empty colour draws nothing.
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
  std::string title = {};  ///< tooltip
  std::string law = {};    ///< whose answer it shows; not written to SVG
};

struct Dot {
  enum class Form { disc, ring, square, diamond, cross };
  Vec2 at;
  double radius = 2.5;
  std::string colour = "#000000";
  Form form = Form::disc;
  std::string edge = {};   ///< colour of a line around a disc; empty: none
  std::string title = {};  ///< tooltip
  std::string law = {};    ///< whose answer it shows; not written to SVG
};

/// `text` may contain $mathematics$ in italics, with subscripts _x, _{xy} and superscripts ^x, ^{xy}.
struct Text {
  enum class Anchor { start, middle, end };
  Vec2 at;  ///< on the base line
  std::string text;
  double size = 10;
  Anchor anchor = Anchor::start;
  std::string colour = "#000000";
  double turn = 0;  ///< degrees, clockwise on the page
  bool bold = false;
  bool clear = false;       ///< the background under and around the letters is painted over
  double letter_width = 1;  ///< of the typeface in which it will be shown, relative to Helvetica; for box_of
};

using DrawingElement = std::variant<Line, Dot, Text>;

struct Drawing {
  double width = 0, height = 0;
  Vec2 clip_low = Vec2::Zero(), clip_high = Vec2::Zero();  ///< of the lines that are clipped
  std::string id = "figure";                               ///< unique among the drawings of one page
  std::string title = {};                                  ///< alternative text; may contain $mathematics$
  std::string description = {};
  std::vector<DrawingElement> elements = {};
};

/// A run of letters with the same height and slant.
struct TextRun {
  std::string text;
  bool italic = false;
  int level = 0;  ///< 0 base line, −1 subscript, +1 superscript
};
[[nodiscard]] std::vector<TextRun> text_runs(const std::string& text);

/// The letters without formatting.
[[nodiscard]] std::string plain_text(const std::string& text);

/// Width of a text in Helvetica and in typefaces with the same metrics.
[[nodiscard]] double text_width(const std::string& text, double size);

struct Box {
  Vec2 low, high;  ///< low is the upper left corner
};
[[nodiscard]] bool overlap(const Box& a, const Box& b);

/// Axis-aligned bounding box of the letters, also of rotated ones.
[[nodiscard]] Box box_of(const Text& text);

/// Width of the painted margin around a text with cleared background.
constexpr double clearance = 1.8;

/// Size of subscripts and superscripts relative to their text.
constexpr double script_scale = 0.72, script_drop = 0.24, script_rise = 0.38;

/// The triangle of an arrow's head at the end of a line; empty where the line has no length.
[[nodiscard]] std::vector<Vec2> arrow_head(const Line& line);

/// Text escaped for XML and HTML: & < > ".
[[nodiscard]] std::string escape_xml(std::string_view text);

/// A whole SVG document. `standalone` adds the XML declaration, which a document inside HTML must not have.
[[nodiscard]] std::string to_svg(const Drawing& drawing, bool standalone = true);

}  // namespace ricochet
