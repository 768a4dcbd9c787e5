#include <fmt/format.h>

#include <algorithm>

#include "report/motion_viewer.hpp"
#include "ricochet/report/drawing.hpp"
#include "ricochet/report/motion_document.hpp"

namespace ricochet {
namespace {

/// JSON that may stand in a script element: no tag can begin in it.
std::string script_safe(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t from = 0; from < json.size();) {
    const std::size_t at = std::min(json.find('<', from), json.size());
    out += json.substr(from, at - from);
    if (at < json.size()) out += "\\u003c";
    from = at + 1;
  }
  return out;
}

// Nothing is loaded from anywhere.
constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; "
    "form-action 'none'";

}  // namespace

std::string motion_page(const MotionDocument& document) { return motion_page(document.title, write_json(document)); }

std::string motion_page(const std::string& title, std::string_view document) {
  const std::string heading = escape_xml(title.empty() ? "motion" : title);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n<title>{} · ricochet</title>\n"
      "<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n<body>\n"
      "<header><h1>{}</h1><span>ricochet motion</span>"
      "<button type=\"button\" id=\"theme\" aria-label=\"change between light and dark\">◐</button></header>\n"
      "<main id=\"viewer\"><p>Reading the motion…</p></main>\n"
      "<noscript><p>This page plays a motion and needs JavaScript.</p></noscript>\n"
      "<script type=\"application/json\" id=\"motion\">{}</script>\n<script type=\"module\">\n{}</script>\n</body>\n"
      "</html>\n",
      content_policy, heading, motion_style(), heading, script_safe(document), fmt::join(motion_modules(), ""));
}

}  // namespace ricochet
