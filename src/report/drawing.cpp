#include "ricochet/report/drawing.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace ricochet {
namespace {

/// A letter with the bytes that continue it.
std::size_t letter_length(std::string_view text) {
  std::size_t n = 1;
  while (n < text.size() && (static_cast<std::uint8_t>(text[n]) & 0xC0U) == 0x80U) ++n;
  return n;
}

bool is_letter(std::string_view text) {
  const auto c = static_cast<std::uint8_t>(text.front());
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == 0xCE || c == 0xCF;  // Latin and Greek
}

void append(std::vector<TextRun>& runs, std::string_view text, bool italic, int level) {
  if (!runs.empty() && runs.back().italic == italic && runs.back().level == level) {
    runs.back().text += text;
  } else {
    runs.push_back({std::string(text), italic, level});
  }
}

/// Closes an element, with its tooltip if there is one.
std::string end_of(std::string_view element, const std::string& title) {
  return title.empty() ? std::string("/>\n") : fmt::format("><title>{}</title></{}>\n", escape_xml(title), element);
}

void write_line(std::string& out, const Line& line, const std::string& id) {
  if (line.points.empty()) return;
  out += "<path d=\"";
  for (std::size_t i = 0; i < line.points.size(); ++i)
    out += fmt::format("{}{:.2f} {:.2f}", i == 0 ? "M" : "L", line.points[i].x(), line.points[i].y());
  if (line.closed) out += "Z";
  out += "\"";
  out += line.fill.empty() ? std::string(" fill=\"none\"")
                           : fmt::format(" fill=\"{}\" fill-opacity=\"{:.3g}\"", line.fill, line.opacity);
  if (!line.stroke.colour.empty()) {
    out += fmt::format(" stroke=\"{}\" stroke-width=\"{:.3g}\" stroke-linejoin=\"round\"", line.stroke.colour,
                       line.stroke.width);
    if (!line.stroke.dash.empty()) out += fmt::format(" stroke-dasharray=\"{:.3g}\"", fmt::join(line.stroke.dash, " "));
  }
  if (line.clipped) out += fmt::format(" clip-path=\"url(#{}-frame)\"", id);
  out += end_of("path", line.title);
  if (line.arrow)
    write_line(out,
               {.points = arrow_head(line),
                .closed = true,
                .stroke = {.colour = ""},
                .fill = line.stroke.colour,
                .clipped = line.clipped},
               id);
}

void write_dot(std::string& out, const Dot& dot) {
  const double x = dot.at.x(), y = dot.at.y(), r = dot.radius;
  switch (dot.form) {
    case Dot::Form::disc:
      out += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.3g}\" fill=\"{}\"", x, y, r, dot.colour);
      if (!dot.edge.empty()) out += fmt::format(" stroke=\"{}\"", dot.edge);
      out += end_of("circle", dot.title);
      break;
    case Dot::Form::ring:
      out += fmt::format(
          "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.3g}\" fill=\"#ffffff\" stroke=\"{}\" stroke-width=\"1.2\"/>\n", x,
          y, r, dot.colour);
      break;
    case Dot::Form::square:
      out += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.3g}\" height=\"{:.3g}\" fill=\"{}\"/>\n", x - r,
                         y - r, 2 * r, 2 * r, dot.colour);
      break;
    case Dot::Form::diamond:
      out += fmt::format("<path d=\"M{:.2f} {:.2f}l{:.3g} {:.3g}l{:.3g} {:.3g}l{:.3g} {:.3g}Z\" fill=\"{}\"/>\n", x,
                         y - r * 1.3, r * 1.3, r * 1.3, -r * 1.3, r * 1.3, -r * 1.3, -r * 1.3, dot.colour);
      break;
    case Dot::Form::cross:
      out += fmt::format(
          "<path d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}M{:.2f} {:.2f}L{:.2f} {:.2f}\" stroke=\"{}\" "
          "stroke-width=\"1.4\"/>\n",
          x - r, y - r, x + r, y + r, x - r, y + r, x + r, y - r, dot.colour);
      break;
  }
}

void write_runs(std::string& out, const Text& text) {
  double height = 0;
  for (const TextRun& run : text_runs(text.text)) {
    const double wanted = run.level == 0 ? 0 : run.level < 0 ? script_drop * text.size : -script_rise * text.size;
    if (!run.italic && run.level == 0 && height == 0) {
      out += escape_xml(run.text);
      continue;
    }
    out += "<tspan";
    if (wanted != height) out += fmt::format(" dy=\"{:.2f}\"", wanted - height);
    if (run.level != 0) out += fmt::format(" font-size=\"{:.3g}\"", script_scale * text.size);
    if (run.italic) out += " font-style=\"italic\"";
    out += fmt::format(">{}</tspan>", escape_xml(run.text));
    height = wanted;
  }
}

void write_text(std::string& out, const Text& text) {
  static constexpr std::array<std::string_view, 3> anchors{"start", "middle", "end"};
  const auto open = [&](const std::string& paint) {
    out += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:.3g}\" text-anchor=\"{}\" {}", text.at.x(),
                       text.at.y(), text.size, anchors[static_cast<std::size_t>(text.anchor)], paint);
    if (text.bold) out += " font-weight=\"bold\"";
    if (text.turn != 0)
      out += fmt::format(" transform=\"rotate({:.3g} {:.2f} {:.2f})\"", text.turn, text.at.x(), text.at.y());
    out += ">";
  };
  // The margin is a separate text element: not every program supports paint-order.
  if (text.clear) {
    open(
        fmt::format("fill=\"#ffffff\" stroke=\"#ffffff\" stroke-width=\"{:.3g}\" stroke-linejoin=\"round\" "
                    "aria-hidden=\"true\"",
                    2 * clearance));
    write_runs(out, text);
    out += "</text>\n";
  }
  open(fmt::format("fill=\"{}\"", text.colour));
  write_runs(out, text);
  out += "</text>\n";
}

/// Widths of the letters of Helvetica, in thousandths of the size, from the space to the tilde.
constexpr std::array<int, 95> widths{278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
                                     556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
                                     1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
                                     667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
                                     333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
                                     556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};
constexpr int other_width = 584;  ///< symbols; letters of other alphabets are not wider

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::vector<TextRun> text_runs(const std::string& text) {
  std::vector<TextRun> runs;
  bool mathematics = false;
  std::string_view rest = text;
  while (!rest.empty()) {
    if (rest.front() == '$') {
      mathematics = !mathematics;
      rest.remove_prefix(1);
      continue;
    }
    if (mathematics && (rest.front() == '_' || rest.front() == '^') && rest.size() > 1) {
      const int level = rest.front() == '_' ? -1 : 1;
      rest.remove_prefix(1);
      const bool braces = rest.front() == '{' && rest.find('}') != std::string_view::npos;
      std::string_view script = braces ? rest.substr(1, rest.find('}') - 1) : rest.substr(0, letter_length(rest));
      rest.remove_prefix(script.size() + (braces ? 2 : 0));
      for (; !script.empty(); script.remove_prefix(letter_length(script)))
        append(runs, script.substr(0, letter_length(script)), is_letter(script), level);
      continue;
    }
    const std::string_view letter = rest.substr(0, letter_length(rest));
    append(runs, letter, mathematics && is_letter(letter), 0);
    rest.remove_prefix(letter.size());
  }
  return runs;
}

std::string plain_text(const std::string& text) {
  std::string out;
  for (const TextRun& run : text_runs(text)) out += run.text;
  return out;
}

double text_width(const std::string& text, double size) {
  double width = 0;
  for (const TextRun& run : text_runs(text)) {
    int letters = 0;
    for (std::string_view rest = run.text; !rest.empty(); rest.remove_prefix(letter_length(rest))) {
      const char c = rest.front();
      letters += c >= ' ' && c <= '~' ? widths[static_cast<std::size_t>(c - ' ')] : other_width;
    }
    width += letters * (run.level == 0 ? 1 : script_scale);
  }
  return width * size / 1000;
}

bool overlap(const Box& a, const Box& b) {
  return (a.low.array() < b.high.array()).all() && (b.low.array() < a.high.array()).all();
}

Box box_of(const Text& text) {
  const double width = text.letter_width * text_width(text.text, text.size);
  const double left = text.anchor == Text::Anchor::start ? 0 : text.anchor == Text::Anchor::end ? -width : -width / 2;
  const double turn = text.turn * std::numbers::pi / 180;
  const Vec2 right(std::cos(turn), std::sin(turn)), down(-std::sin(turn), std::cos(turn));
  Box out{Vec2::Constant(1e300), Vec2::Constant(-1e300)};
  // From the top of the capitals to the bottom of descenders and subscripts.
  for (const double x : {left, left + width}) {
    for (const double y : {-0.74 * text.size, 0.26 * text.size}) {
      const Vec2 corner = text.at + x * right + y * down;
      out.low = out.low.cwiseMin(corner);
      out.high = out.high.cwiseMax(corner);
    }
  }
  return out;
}

std::vector<Vec2> arrow_head(const Line& line) {
  if (line.points.size() < 2) return {};
  const Vec2 tip = line.points.back();
  const double length = 4 + 2.5 * line.stroke.width;
  // From the last point far enough back to define a direction.
  for (auto from = line.points.rbegin() + 1; from != line.points.rend(); ++from) {
    const Vec2 along = tip - *from;
    const double distance = along.norm();
    if (distance < 0.5 * length && from + 1 != line.points.rend()) continue;
    if (distance < 1e-9) return {};
    const Vec2 d = along / distance;
    const Vec2 across(-d.y(), d.x());
    return {tip, tip - length * d + 0.38 * length * across, tip - length * d - 0.38 * length * across};
  }
  return {};
}

std::string to_svg(const Drawing& drawing, bool standalone) {
  std::string out = standalone ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" : "";
  out += fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\" role=\"img\">\n",
      drawing.width, drawing.height);
  out += fmt::format("<title>{}</title>\n", escape_xml(plain_text(drawing.title)));
  if (!drawing.description.empty()) out += fmt::format("<desc>{}</desc>\n", escape_xml(drawing.description));
  const Vec2 size = drawing.clip_high - drawing.clip_low;
  out += fmt::format(
      "<clipPath id=\"{}-frame\"><rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/></clipPath>\n",
      drawing.id, drawing.clip_low.x(), drawing.clip_low.y(), size.x(), size.y());
  for (const DrawingElement& shape : drawing.elements) {
    if (const auto* line = std::get_if<Line>(&shape)) write_line(out, *line, drawing.id);
    if (const auto* dot = std::get_if<Dot>(&shape)) write_dot(out, *dot);
    if (const auto* text = std::get_if<Text>(&shape)) write_text(out, *text);
  }
  out += "</svg>\n";
  return out;
}

}  // namespace ricochet
