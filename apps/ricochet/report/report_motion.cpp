#include <fmt/format.h>

#include <map>

#include "report/report.hpp"
#include "ricochet/base/counted.hpp"
#include "ricochet/base/printable.hpp"
#include "ricochet/io/input.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/report/motion_document.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

constexpr std::size_t longest_motion = std::size_t{1} << 28U;

/// "12 events (11 impact, 1 rest)"
std::string events_in(const Json& document) {
  std::map<std::string, std::size_t> kinds;
  std::size_t count = 0;
  if (const auto events = document.find("events"); events != document.end() && events->is_array())
    for (const Json& event : *events) {
      ++count;
      if (event.is_object() && event.contains("kind") && event["kind"].is_string())
        ++kinds[event["kind"].get<std::string>()];
    }
  std::string list;
  for (const auto& [kind, times] : kinds)
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", times, printable(kind, 30));
  return counted(count, "event") + (list.empty() ? "" : fmt::format(" ({})", list));
}

}  // namespace

int report_motion(const std::string& file, Page& page) {
  Expected<Input> input = Input::open(file);
  if (!input) return refuse(file, input.error());
  const Expected<std::string> text = input->rest(longest_motion);
  if (!text) return refuse(file, text.error());
  const Json document = Json::parse(*text, nullptr, false);
  if (!document.is_object() || !document.contains("ricochet") || document["ricochet"] != "motion")
    return refuse(file, Error{ErrorCode::invalid, "", "", "is not a motion document; simulate --motion writes one"});
  const auto times = document.find("times");
  if (times == document.end() || !times->is_array() || times->empty() || !times->back().is_number())
    return refuse(file, Error{ErrorCode::invalid, "times", "", "must be a list of numbers"});
  const auto said = document.find("title");
  const std::string title = said != document.end() && said->is_string() ? said->get<std::string>() : "";
  PageSection section{.id = "motion", .title = "Motion" + (title.empty() ? "" : ": " + printable(title))};
  section.text = fmt::format(
      "Simulated through its impacts until {:.6g} s: {}. Space plays it, Shift with an arrow key goes "
      "from event to event.",
      times->back().get<double>(), events_in(document));
  section.frame = motion_page(title, *text);
  page.sections.push_back(std::move(section));
  return 0;
}

}  // namespace ricochet::app
