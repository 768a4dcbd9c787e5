#include "figure/write_pdf.hpp"

#ifndef RICOCHET_HAVE_CAIRO

namespace ricochet::app {

Expected<std::string> to_pdf(const Drawing&) {
  return fail(ErrorCode::unavailable, "", "",
              "this program was built without Cairo (libcairo2-dev), which writes PDF; SVG needs nothing");
}

}  // namespace ricochet::app

#else

#include <cairo-pdf.h>
#include <cairo.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <numbers>

namespace ricochet::app {
namespace {

struct Destroy {
  void operator()(cairo_t* c) const { cairo_destroy(c); }
  void operator()(cairo_surface_t* s) const { cairo_surface_destroy(s); }
};

void colour(cairo_t* c, const std::string& text, double opacity = 1) {
  const unsigned long rgb = std::strtoul(text.c_str() + 1, nullptr, 16);
  cairo_set_source_rgba(c, double(rgb >> 16U & 255U) / 255, double(rgb >> 8U & 255U) / 255, double(rgb & 255U) / 255,
                        opacity);
}

void trace(cairo_t* c, const std::vector<Vec2>& points, bool closed) {
  cairo_new_path(c);
  for (const Vec2& p : points) cairo_line_to(c, p.x(), p.y());
  if (closed) cairo_close_path(c);
}

void put(cairo_t* c, const Drawing& drawing, const Line& line) {
  if (line.points.empty()) return;
  cairo_save(c);
  if (line.clipped) {
    const Vec2 size = drawing.clip_high - drawing.clip_low;
    cairo_new_path(c);
    cairo_rectangle(c, drawing.clip_low.x(), drawing.clip_low.y(), size.x(), size.y());
    cairo_clip(c);
  }
  trace(c, line.points, line.closed);
  if (!line.fill.empty()) {
    colour(c, line.fill, line.opacity);
    cairo_fill_preserve(c);
  }
  if (!line.stroke.colour.empty()) {
    colour(c, line.stroke.colour);
    cairo_set_line_width(c, line.stroke.width);
    cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
    cairo_set_dash(c, line.stroke.dash.data(), static_cast<int>(line.stroke.dash.size()), 0);
    cairo_stroke_preserve(c);
  }
  if (line.arrow && !line.stroke.colour.empty()) {
    trace(c, arrow_head(line), true);
    colour(c, line.stroke.colour);
    cairo_fill(c);
  }
  cairo_new_path(c);  // save and restore keep the path, which would join the next clip
  cairo_restore(c);
}

void put(cairo_t* c, const Drawing&, const Dot& dot) {
  const double x = dot.at.x(), y = dot.at.y(), r = dot.radius;
  cairo_save(c);
  cairo_new_path(c);
  colour(c, dot.colour);
  switch (dot.form) {
    case Dot::Form::disc:
      cairo_arc(c, x, y, r, 0, 2 * std::numbers::pi);
      if (dot.edge.empty()) {
        cairo_fill(c);
      } else {
        cairo_fill_preserve(c);
        colour(c, dot.edge);
        cairo_set_line_width(c, 1);
        cairo_stroke(c);
      }
      break;
    case Dot::Form::ring:
      cairo_arc(c, x, y, r, 0, 2 * std::numbers::pi);
      colour(c, "#ffffff");
      cairo_fill_preserve(c);
      colour(c, dot.colour);
      cairo_set_line_width(c, 1.2);
      cairo_stroke(c);
      break;
    case Dot::Form::square:
      cairo_rectangle(c, x - r, y - r, 2 * r, 2 * r);
      cairo_fill(c);
      break;
    case Dot::Form::diamond:
      trace(c, {{x, y - 1.3 * r}, {x + 1.3 * r, y}, {x, y + 1.3 * r}, {x - 1.3 * r, y}}, true);
      cairo_fill(c);
      break;
    case Dot::Form::cross:
      cairo_move_to(c, x - r, y - r);
      cairo_line_to(c, x + r, y + r);
      cairo_move_to(c, x - r, y + r);
      cairo_line_to(c, x + r, y - r);
      cairo_set_line_width(c, 1.4);
      cairo_stroke(c);
      break;
  }
  cairo_restore(c);
}

void put(cairo_t* c, const Drawing&, const Text& text) {
  const std::vector<TextRun> runs = text_runs(text.text);
  const auto font = [&](const TextRun& run) {
    cairo_select_font_face(c, "Helvetica", run.italic ? CAIRO_FONT_SLANT_ITALIC : CAIRO_FONT_SLANT_NORMAL,
                           text.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(c, text.size * (run.level == 0 ? 1 : script_scale));
  };
  const auto advance = [&](const TextRun& run) {
    cairo_text_extents_t extents;
    cairo_text_extents(c, run.text.c_str(), &extents);
    return extents.x_advance;
  };
  double width = 0;
  for (const TextRun& run : runs) {
    font(run);
    width += advance(run);
  }
  cairo_save(c);
  cairo_translate(c, text.at.x(), text.at.y());
  cairo_rotate(c, text.turn * std::numbers::pi / 180);
  const double left = text.anchor == Text::Anchor::start ? 0 : text.anchor == Text::Anchor::end ? -width : -width / 2;
  const auto lay = [&](auto&& show) {
    double x = left;
    for (const TextRun& run : runs) {
      font(run);
      const double lift = run.level == 0 ? 0 : run.level < 0 ? script_drop : -script_rise;
      cairo_move_to(c, x, lift * text.size);
      show(run.text.c_str());
      x += advance(run);
    }
  };
  if (text.clear) {
    cairo_new_path(c);
    lay([&](const char* letters) { cairo_text_path(c, letters); });
    colour(c, "#ffffff");
    cairo_set_line_width(c, 2 * clearance);
    cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke(c);
  }
  colour(c, text.colour);
  lay([&](const char* letters) { cairo_show_text(c, letters); });
  cairo_restore(c);
}

cairo_status_t collect(void* bytes, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(bytes)->append(data, data + length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

Expected<std::string> to_pdf(const Drawing& drawing) {
  std::string bytes;
  const std::unique_ptr<cairo_surface_t, Destroy> surface(
      cairo_pdf_surface_create_for_stream(collect, &bytes, drawing.width, drawing.height));
  cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_TITLE, plain_text(drawing.title).c_str());
  const std::unique_ptr<cairo_t, Destroy> c(cairo_create(surface.get()));
  for (const DrawingElement& shape : drawing.elements)
    std::visit([&](const auto& s) { put(c.get(), drawing, s); }, shape);
  cairo_show_page(c.get());
  cairo_surface_finish(surface.get());
  if (const cairo_status_t status = cairo_surface_status(surface.get()); status != CAIRO_STATUS_SUCCESS)
    return fail(ErrorCode::file_access, "", "",
                std::string("Cairo could not write the PDF: ") + cairo_status_to_string(status));
  return bytes;
}

}  // namespace ricochet::app

#endif
