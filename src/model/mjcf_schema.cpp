#include "mjcf_schema.hpp"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <sstream>

namespace ricochet {
namespace {

constexpr std::size_t step = 3;     ///< of indentation, for a level
constexpr std::size_t column = 30;  ///< where attributes begin

MjcfElement read_schema() {
  std::string text(1 << 16, '\0');
  const int length = mj_printSchema(nullptr, text.data(), static_cast<int>(text.size()), 0, 0);
  text.resize(static_cast<std::size_t>(std::max(0, length)));
  MjcfElement top;
  std::vector<MjcfElement*> open{&top};
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) continue;
    if (indent < column) {
      const std::size_t level = indent / step;
      auto element = std::make_unique<MjcfElement>();
      element->name = line.substr(indent, line.find(" (", indent + 1) - indent);
      if (element->name == "(world)body") element->name = "body";
      open.resize(std::min(open.size(), level + 1));
      open.back()->children.push_back(std::move(element));
      open.push_back(open.back()->children.back().get());
    }
    if (line.size() <= column) continue;
    std::istringstream words(line.substr(column));
    for (std::string word; words >> word;) open.back()->attributes.push_back(word);
  }
  return std::move(*top.children.at(0));
}

}  // namespace

const MjcfElement* MjcfElement::child(std::string_view wanted) const {
  if (wanted == "worldbody") wanted = "body";
  if ((name == "body" || name == "default") && wanted == name) return this;
  for (const auto& one : children)
    if (one->name == wanted) return one.get();
  return nullptr;
}

bool MjcfElement::has(std::string_view attribute) const {
  return std::find(attributes.begin(), attributes.end(), attribute) != attributes.end();
}

const MjcfElement& mjcf_schema() {
  static const MjcfElement schema = read_schema();
  return schema;
}

}  // namespace ricochet
