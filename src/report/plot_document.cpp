#include "ricochet/report/plot_document.hpp"

#include <array>
#include <cmath>

namespace ricochet {
namespace {

/// A hundredth of a pixel is more than a screen shows, and shorter to write than all digits.
Json page_number(double x) { return std::round(100 * x) / 100; }
Json page_pair(const Vec2& at) { return Json::array({page_number(at.x()), page_number(at.y())}); }
Json pair(const Vec2& at) { return Json::array({at.x(), at.y()}); }

Json pairs(const std::vector<Vec2>& points) {
  Json out = Json::array();
  for (const Vec2& at : points) out.push_back(page_pair(at));
  return out;
}

std::string_view name_of(PlotHandle handle) {
  constexpr std::array<std::string_view, 4> names{"", "e", "mu", "V"};
  return names.at(static_cast<std::size_t>(handle));
}

Json line_json(const Line& line) {
  return {{"points", pairs(line.points)},
          {"closed", line.closed},
          {"colour", line.stroke.colour},
          {"width", line.stroke.width},
          {"dash", line.stroke.dash},
          {"fill", line.fill},
          {"opacity", line.opacity},
          {"head", line.arrow ? pairs(arrow_head(line)) : Json::array()},
          {"law", line.law}};
}

Json curve_json(const Line& line, const PlotCurve& curve) {
  Json out = line_json(line);
  out["name"] = spelt_name(curve.name);
  out["handle"] = name_of(curve.handle);
  return out;
}

Json dot_json(const Dot& dot) {
  constexpr std::array<std::string_view, 5> forms{"disc", "ring", "square", "diamond", "cross"};
  return {{"at", page_pair(dot.at)},
          {"radius", dot.radius},
          {"colour", dot.colour},
          {"form", forms.at(static_cast<std::size_t>(dot.form))},
          {"law", dot.law}};
}

Json text_json(const Text& text) {
  constexpr std::array<std::string_view, 3> anchors{"start", "middle", "end"};
  return {{"at", page_pair(text.at)}, {"text", text.text},
          {"size", text.size},        {"anchor", anchors.at(static_cast<std::size_t>(text.anchor))},
          {"colour", text.colour},    {"turn", page_number(text.turn)},
          {"clear", text.clear}};
}

Expected<double> number_at(const Json& object, const char* key, double otherwise) {
  const auto at = object.find(key);
  if (at == object.end() || at->is_null()) return otherwise;
  if (!at->is_number()) return fail(ErrorCode::wrong_type, std::string("pane.") + key, "", "must be a number");
  return at->get<double>();
}

Expected<Vec2> pair_at(const Json& object, const char* key, const Vec2& otherwise) {
  const auto at = object.find(key);
  if (at == object.end() || at->is_null()) return otherwise;
  if (!at->is_array() || at->size() != 2 || !(*at)[0].is_number() || !(*at)[1].is_number())
    return fail(ErrorCode::wrong_type, std::string("pane.") + key, "", "must be two numbers");
  return Vec2((*at)[0].get<double>(), (*at)[1].get<double>());
}

}  // namespace

Expected<PlotPane> read_pane(std::string_view text) {
  const Json given = Json::parse(text, nullptr, false);
  if (!given.is_object()) return fail(ErrorCode::wrong_type, "pane", "", "must be a JSON object");
  PlotPane pane;
  for (const auto& [key, value] :
       {std::pair<const char*, double*>{"width", &pane.width}, {"height", &pane.height}, {"zoom", &pane.zoom}}) {
    const auto number = number_at(given, key, *value);
    if (!number) return tl::unexpected(number.error());
    *value = *number;
  }
  const double usual = text_width("abcdefghijklmnopqrstuvwxyz", 1);
  const auto alphabet = number_at(given, "alphabet", usual);
  if (!alphabet) return tl::unexpected(alphabet.error());
  pane.letter_width = *alphabet / usual;
  const auto shift = pair_at(given, "shift", pane.shift);
  if (!shift) return tl::unexpected(shift.error());
  pane.shift = *shift;
  if (const auto range = given.find("range"); range != given.end() && range->is_object()) {
    const auto low = pair_at(*range, "low", Vec2::Zero()), high = pair_at(*range, "high", Vec2::Zero());
    if (!low || !high) return tl::unexpected(low ? high.error() : low.error());
    pane.range = PlotRange{*low, *high};
  }
  return pane;
}

Expected<Json> plot_document(const Plot& plot, const PlotPane& pane) {
  const auto picture = draw_in(pane, plot);
  if (!picture) return tl::unexpected(picture.error());
  Json lines = Json::array(), curves = Json::array(), dots = Json::array(), texts = Json::array();
  std::size_t curve = 0;
  for (const DrawingElement& element : picture->drawing.elements) {
    if (const auto* line = std::get_if<Line>(&element)) {
      if (line->clipped) {
        curves.push_back(curve_json(*line, plot.curves.at(curve++)));
      } else {
        lines.push_back(line_json(*line));
      }
    }
    if (const auto* dot = std::get_if<Dot>(&element)) dots.push_back(dot_json(*dot));
    if (const auto* text = std::get_if<Text>(&element)) texts.push_back(text_json(*text));
  }
  Json points = Json::array();
  for (const PlotPoint& point : plot.points)
    points.push_back({{"name", point.law.empty() ? spelt_name(point.name) : point.name},
                      {"at", page_pair(picture->page(plot, point.at))},
                      {"value", pair(point.at)},
                      {"handle", name_of(point.handle)}});
  const auto axis = [&](const std::string& label, bool log, int i) {
    return Json{{"label", label}, {"log", log}, {"low", picture->shown.low(i)}, {"high", picture->shown.high(i)}};
  };
  return Json{{"title", plot.title},
              {"bare", plot.bare},
              {"frame", {{"low", page_pair(picture->frame.low)}, {"high", page_pair(picture->frame.high)}}},
              {"range", {{"low", pair(picture->range.low)}, {"high", pair(picture->range.high)}}},
              {"x", axis(plot.x_label, plot.x_log, 0)},
              {"y", axis(plot.y_label, plot.y_log, 1)},
              {"lines", std::move(lines)},
              {"curves", std::move(curves)},
              {"dots", std::move(dots)},
              {"texts", std::move(texts)},
              {"points", std::move(points)}};
}

}  // namespace ricochet
