#include "urdf_source.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "ricochet/base/suggest.hpp"
#include "xml_error.hpp"

namespace ricochet {
namespace {

using tinyxml2::XMLElement;
using Names = std::set<std::string, std::less<>>;

constexpr std::array<std::string_view, 6> joint_types{"revolute", "continuous", "prismatic",
                                                      "floating", "planar",     "fixed"};

tl::unexpected<Error> refuse(const tinyxml2::XMLNode& at, std::string value, std::string allowed) {
  return fail(ErrorCode::malformed, fmt::format("line {}", at.GetLineNum()), std::move(value), std::move(allowed));
}

std::string text_of(const XMLElement& at, const char* attribute) {
  const char* value = at.Attribute(attribute);
  return value == nullptr ? "" : value;
}

class Check {
 public:
  explicit Check(XMLElement& robot) : robot_(robot) {}

  Expected<void> run() {
    for (const XMLElement* link = robot_.FirstChildElement("link"); link != nullptr;
         link = link->NextSiblingElement("link"))
      if (const auto fine = check_name(*link, links_); !fine) return fine;
    if (links_.empty()) return refuse(robot_, "robot", "must have at least one <link>");
    for (const XMLElement* joint = robot_.FirstChildElement("joint"); joint != nullptr;
         joint = joint->NextSiblingElement("joint"))
      if (const auto fine = check_name(*joint, joints_); !fine) return fine;
    for (XMLElement* joint = robot_.FirstChildElement("joint"); joint != nullptr;
         joint = joint->NextSiblingElement("joint"))
      if (const auto fine = check_joint(*joint); !fine) return fine;
    return check_tree();
  }

 private:
  /// Every link hangs from one root, and none from itself: urdfdom holds what goes round for ever.
  Expected<void> check_tree() {
    for (const XMLElement* joint = robot_.FirstChildElement("joint"); joint != nullptr;
         joint = joint->NextSiblingElement("joint")) {
      const std::string child = text_of(*joint->FirstChildElement("child"), "link");
      if (!parent_.emplace(child, text_of(*joint->FirstChildElement("parent"), "link")).second)
        return refuse(*joint, child, "is the child of two joints; the links of a URDF robot form a tree");
    }
    std::string roots;
    for (const std::string& link : links_)
      if (!parent_.contains(link)) roots += (roots.empty() ? "" : ", ") + link;
    if (roots.empty() || roots.find(", ") != std::string::npos)
      return refuse(robot_, roots.empty() ? "no link" : roots.substr(0, 200),
                    "there must be one root, a link that is the child of no joint");
    for (const std::string& link : links_) {
      std::size_t steps = 0;
      for (auto at = parent_.find(link); at != parent_.end(); at = parent_.find(at->second))
        if (++steps > links_.size())
          return refuse(robot_, link, "hangs from itself; the links of a URDF robot form a tree");
    }
    return {};
  }

  static Expected<void> check_name(const XMLElement& at, Names& names) {
    const std::string name = text_of(at, "name");
    if (name.empty()) return refuse(at, at.Name(), "must have a name");
    if (!names.insert(name).second)
      return refuse(at, name, fmt::format("there is another <{}> of this name", at.Name()));
    return {};
  }

  static std::string near(std::string_view word, const Names& names) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string_view found = closest(word, views);
    return found.empty() ? "" : fmt::format("; did you mean {}?", found);
  }

  Expected<void> check_link(const XMLElement& joint, const char* which) const {
    const XMLElement* at = joint.FirstChildElement(which);
    if (at == nullptr) return refuse(joint, text_of(joint, "name"), fmt::format("must have a <{}>", which));
    const std::string link = text_of(*at, "link");
    if (!links_.contains(link))
      return refuse(*at, link, fmt::format("must be a link of this robot{}", near(link, links_)));
    return {};
  }

  Expected<void> check_joint(XMLElement& joint) const {
    const std::string type = text_of(joint, "type");
    if (std::find(joint_types.begin(), joint_types.end(), type) == joint_types.end()) {
      const std::vector<std::string_view> views(joint_types.begin(), joint_types.end());
      const std::string_view found = closest(type, views);
      return refuse(joint, fmt::format("{} {}", text_of(joint, "name"), type),
                    fmt::format("the type of a joint must be one of {}{}", fmt::join(joint_types, ", "),
                                found.empty() ? "" : fmt::format("; did you mean {}?", found)));
    }
    for (const char* which : {"parent", "child"})
      if (const auto fine = check_link(joint, which); !fine) return fine;
    if (const XMLElement* mimic = joint.FirstChildElement("mimic")) {
      const std::string of = text_of(*mimic, "joint");
      if (!joints_.contains(of) || of == text_of(joint, "name"))
        return refuse(*mimic, of, fmt::format("must be another joint of this robot{}", near(of, joints_)));
    }
    return {};
  }

  XMLElement& robot_;
  Names links_, joints_;
  std::map<std::string, std::string, std::less<>> parent_;  ///< of each link that is a joint's child
};

const XMLElement* first_macro(const XMLElement& at) {
  if (std::string_view(at.Name()).starts_with("xacro:")) return &at;
  for (const XMLElement* child = at.FirstChildElement(); child != nullptr; child = child->NextSiblingElement())
    if (const XMLElement* found = first_macro(*child)) return found;
  return nullptr;
}

/// Deletes what has no part in dynamics and geometry, and counts it.
int remove(XMLElement& at, const char* name) {
  int count = 0;
  while (XMLElement* child = at.FirstChildElement(name)) {
    at.DeleteChild(child);
    ++count;
  }
  return count;
}

}  // namespace

Expected<UrdfSource> prepare_urdf(std::string_view text) {
  tinyxml2::XMLDocument document;
  if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) return xml_error(document);
  XMLElement* robot = document.RootElement();
  if (robot == nullptr || std::string_view(robot->Name()) != "robot")
    return fail(ErrorCode::malformed, "model", robot == nullptr ? "" : robot->Name(), "must be <robot> for URDF");
  if (const XMLElement* macro = first_macro(*robot))
    return refuse(*macro, macro->Name(), "is a macro; run the file through xacro first: xacro FILE > robot.urdf");
  if (robot->Attribute("name") == nullptr) robot->SetAttribute("name", "robot");
  if (const auto fine = Check(*robot).run(); !fine) return tl::unexpected(fine.error());

  UrdfSource out;
  bool any_collision = false;
  for (const XMLElement* link = robot->FirstChildElement("link"); link != nullptr;
       link = link->NextSiblingElement("link"))
    any_collision = any_collision || link->FirstChildElement("collision") != nullptr;
  int visuals = 0;
  for (XMLElement* link = robot->FirstChildElement("link"); link != nullptr; link = link->NextSiblingElement("link")) {
    if (any_collision) {
      visuals += remove(*link, "visual");
      continue;
    }
    for (XMLElement* visual = link->FirstChildElement("visual"); visual != nullptr;
         visual = visual->NextSiblingElement("visual")) {
      remove(*visual, "material");
      visual->SetName("collision");
      ++visuals;
    }
    for (XMLElement* made = link->FirstChildElement("collision"); made != nullptr;
         made = made->NextSiblingElement("collision"))
      remove(*made, "material");
  }
  if (visuals > 0)
    out.left_out.push_back(any_collision
                               ? fmt::format("visual shapes ({})", visuals)
                               : fmt::format("nothing of {} visual shapes: there are no others to collide", visuals));
  for (const auto& [name, words] : {std::pair("material", "materials"), std::pair("transmission", "transmissions"),
                                    std::pair("gazebo", "extensions for Gazebo"), std::pair("sensor", "sensors")})
    if (const int count = remove(*robot, name); count > 0) out.left_out.push_back(fmt::format("{} ({})", words, count));
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  out.xml = printer.CStr();
  return out;
}

}  // namespace ricochet
