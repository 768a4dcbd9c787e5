#include "mjcf_frames.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>
#include <set>

namespace ricochet {
namespace {

using tinyxml2::XMLElement;

/// The attributes other than quat that turn an element.
constexpr std::array<const char*, 4> alternatives{"axisangle", "xyaxes", "zaxis", "euler"};

Expected<std::vector<double>> numbers(const XMLElement& at, const std::string& text, const char* attribute,
                                      std::size_t count) {
  auto out = numbers_of(text);
  if (!out || out->size() != count)
    return refuse_element(&at, fmt::format("{} {} = {}", at.Name(), attribute, text),
                          fmt::format("must be {} numbers", count));
  return *std::move(out);
}

Vec3 vector(const std::vector<double>& x, std::size_t first = 0) { return {x[first], x[first + 1], x[first + 2]}; }

Eigen::Quaterniond turn(const std::string& attribute, const std::vector<double>& x, const MjcfAngles& angles) {
  if (attribute == "quat") return Eigen::Quaterniond(x[0], x[1], x[2], x[3]).normalized();
  if (attribute == "axisangle")
    return Eigen::Quaterniond(Eigen::AngleAxisd(angles.unit * x[3], vector(x).normalized()));
  if (attribute == "zaxis") return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), vector(x));
  if (attribute == "euler") return turn_of(angles, vector(x));
  Mat3 axes;
  axes.col(0) = vector(x).normalized();
  axes.col(1) = (vector(x, 3) - vector(x, 3).dot(axes.col(0)) * axes.col(0)).normalized();
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return Eigen::Quaterniond(axes);
}

class Frames {
 public:
  Frames(XMLElement& top, MjcfAngles angles, MjcfRemarks& remarks)
      : defaults_(top), angles_(std::move(angles)), remarks_(remarks) {}

  Expected<void> dissolve(XMLElement& body, std::string childclass) {
    if (const char* own = body.Attribute("childclass")) childclass = own;
    for (XMLElement* child = body.FirstChildElement(); child != nullptr;) {
      const std::string_view kind = child->Name();
      if (kind == "body") {
        if (const auto fine = dissolve(*child, childclass); !fine) return fine;
      } else if (kind == "frame") {
        auto first = apply(body, *child, childclass);
        if (!first) return tl::unexpected(first.error());
        child = *first;
        continue;
      }
      child = child->NextSiblingElement();
    }
    return {};
  }

 private:
  /// Moves what the frame holds out of it. Returns what comes next.
  Expected<XMLElement*> apply(XMLElement& body, XMLElement& frame, const std::string& childclass) {
    static const std::set<std::string_view> known{"name",  "childclass", "pos",    "quat",
                                                  "euler", "axisangle",  "xyaxes", "zaxis"};
    for (const auto* a = frame.FirstAttribute(); a != nullptr; a = a->Next())
      if (!known.contains(a->Name()))
        return refuse_element(&frame, fmt::format("frame {}", a->Name()), "is not known in a <frame>");
    const auto pose = pose_of(
        frame, [&](const char* name) { return text(frame.Attribute(name)); }, angles_);
    if (!pose) return tl::unexpected(pose.error());
    const char* own_class = frame.Attribute("childclass");
    tinyxml2::XMLNode* after = &frame;
    for (XMLElement* held = frame.FirstChildElement(); held != nullptr; held = frame.FirstChildElement()) {
      const std::string_view kind = held->Name();
      const bool holds_others = kind == "body" || kind == "frame";
      const char* key = holds_others ? "childclass" : "class";
      const bool has_class = kind == "geom" || kind == "site" || kind == "joint";
      if (own_class != nullptr && (holds_others || has_class) && held->Attribute(key) == nullptr)
        held->SetAttribute(key, own_class);
      auto moved = move(*held, *pose, childclass);
      if (!moved) return moved;
      after = body.InsertAfterChild(after, *moved);
    }
    XMLElement* next = frame.NextSiblingElement();
    body.DeleteChild(&frame);
    return next;
  }

  static std::string text(const char* attribute) { return attribute == nullptr ? "" : attribute; }

  /// The element moved, or a body about it that does so.
  Expected<XMLElement*> move(XMLElement& at, const MjcfPose& pose, const std::string& childclass) {
    const std::string kind = at.Name();
    const auto find = [&](const char* name) { return defaults_.value(at, name, childclass); };
    if (kind == "inertial")
      return refuse_element(&at, "<inertial> in a <frame>", "must be in its <body>, outside of the frame");
    if (kind == "joint") {
      if (const auto fine = move_joint(at, pose, find); !fine) return tl::unexpected(fine.error());
    } else if (kind == "geom" || kind == "site") {
      for (const char* name : alternatives)
        if (!defaults_.inherited(at, name, childclass).empty()) return wrapped(at, pose);
      if (!find("fromto").empty()) {
        if (const auto fine = move_ends(at, pose, find("fromto")); !fine) return tl::unexpected(fine.error());
      } else if (const auto fine = move_pose(at, pose, find); !fine) {
        return tl::unexpected(fine.error());
      }
    } else if (kind == "body" || kind == "frame") {
      if (const auto fine = move_pose(at, pose, [&](const char* name) { return text(at.Attribute(name)); }); !fine)
        return tl::unexpected(fine.error());
    }
    return &at;  // others have no part in an impact, or are refused by name
  }

  /// An orientation of its class would be stronger than its own: a body without joints turns it instead.
  XMLElement* wrapped(XMLElement& at, const MjcfPose& pose) {
    XMLElement* body = at.GetDocument()->NewElement("body");
    body->SetUserData(at.GetUserData());
    set_pose(*body, pose);
    body->InsertEndChild(&at);
    ++remarks_["frames, read as bodies without joints"];
    return body;
  }

  Expected<void> move_pose(XMLElement& at, const MjcfPose& pose, const MjcfAttribute& find) {
    const auto own = pose_of(at, find, angles_);
    if (!own) return tl::unexpected(own.error());
    set_pose(at, pose.of(*own));
    return {};
  }

  static Expected<void> move_ends(XMLElement& at, const MjcfPose& pose, const std::string& ends) {
    const auto x = numbers(at, ends, "fromto", 6);
    if (!x) return tl::unexpected(x.error());
    Eigen::Matrix<double, 6, 1> moved;
    moved << pose.position + pose.rotation * vector(*x), pose.position + pose.rotation * vector(*x, 3);
    at.SetAttribute("fromto", text_of(moved.data(), 6).c_str());
    return {};
  }

  static Expected<void> move_joint(XMLElement& at, const MjcfPose& pose, const MjcfAttribute& find) {
    const auto or_else = [&](const char* name, const char* otherwise) {
      const std::string found = find(name);
      return numbers(at, found.empty() ? otherwise : found, name, 3);
    };
    if (find("type") == "free") return {};
    const auto position = or_else("pos", "0 0 0");
    if (!position) return tl::unexpected(position.error());
    const auto axis = or_else("axis", "0 0 1");
    if (!axis) return tl::unexpected(axis.error());
    const Vec3 moved = pose.position + pose.rotation * vector(*position);
    const Vec3 turned = pose.rotation * vector(*axis);
    at.SetAttribute("pos", text_of(moved.data(), 3).c_str());
    at.SetAttribute("axis", text_of(turned.data(), 3).c_str());
    return {};
  }

  MjcfDefaults defaults_;
  MjcfAngles angles_;
  MjcfRemarks& remarks_;
};

bool holds_frame(const XMLElement& at) {
  for (const XMLElement* child = at.FirstChildElement(); child != nullptr; child = child->NextSiblingElement())
    if (std::string_view(child->Name()) == "frame" || holds_frame(*child)) return true;
  return false;
}

}  // namespace

Expected<MjcfAngles> angles_of(const XMLElement& top) {
  MjcfAngles out;
  for (const XMLElement* compiler = top.FirstChildElement("compiler"); compiler != nullptr;
       compiler = compiler->NextSiblingElement("compiler")) {
    if (const char* x = compiler->Attribute("angle"))
      out.unit = std::string_view(x) == "radian" ? 1 : std::numbers::pi / 180;
    const char* x = compiler->Attribute("eulerseq");
    if (x == nullptr) continue;
    out.sequence = x;
    if (out.sequence.size() != 3 || out.sequence.find_first_not_of("xyzXYZ") != std::string::npos)
      return refuse_element(compiler, fmt::format("compiler eulerseq = {}", x),
                            "must be three of x, y, z (axes that turn) and X, Y, Z (axes that stay)");
  }
  return out;
}

Eigen::Quaterniond turn_of(const MjcfAngles& angles, const Vec3& euler) {
  Eigen::Quaterniond out = Eigen::Quaterniond::Identity();
  for (int k = 0; k < 3; ++k) {
    const char letter = angles.sequence[static_cast<std::size_t>(k)];
    const bool stays = letter < 'a';
    const Vec3 axis = Vec3::Unit(stays ? letter - 'X' : letter - 'x');
    const Eigen::Quaterniond one(Eigen::AngleAxisd(angles.unit * euler(k), axis));
    out = stays ? one * out : out * one;
  }
  return out;
}

Expected<MjcfPose> pose_of(const XMLElement& at, const MjcfAttribute& find, const MjcfAngles& angles) {
  MjcfPose out;
  if (const std::string position = find("pos"); !position.empty()) {
    const auto x = numbers(at, position, "pos", 3);
    if (!x) return tl::unexpected(x.error());
    out.position = vector(*x);
  }
  for (const char* name : {"quat", "axisangle", "xyaxes", "zaxis", "euler"}) {
    const std::string found = find(name);
    if (found.empty()) continue;
    const std::string_view kind = name;
    const auto x = numbers(at, found, name, kind == "xyaxes" ? 6 : kind == "zaxis" || kind == "euler" ? 3 : 4);
    if (!x) return tl::unexpected(x.error());
    out.rotation = turn(name, *x, angles);
    if (!out.rotation.coeffs().allFinite() || !(std::abs(out.rotation.norm() - 1) < 1e-9))
      return refuse_element(&at, fmt::format("{} {} = {}", at.Name(), name, found), "must be a rotation");
  }
  return out;
}

void set_pose(XMLElement& at, const MjcfPose& pose) {
  for (const char* name : alternatives) at.DeleteAttribute(name);
  const Eigen::Quaterniond& r = pose.rotation;
  const std::array<double, 4> quat{r.w(), r.x(), r.y(), r.z()};
  at.SetAttribute("pos", text_of(pose.position.data(), 3).c_str());
  at.SetAttribute("quat", text_of(quat.data(), 4).c_str());
}

Expected<void> dissolve_frames(XMLElement& top, MjcfRemarks& remarks) {
  for (XMLElement* world = top.FirstChildElement("worldbody"); world != nullptr;
       world = world->NextSiblingElement("worldbody")) {
    if (!holds_frame(*world)) continue;
    const auto angles = angles_of(top);
    if (!angles) return tl::unexpected(angles.error());
    if (const auto fine = Frames(top, *angles, remarks).dissolve(*world, ""); !fine) return fine;
  }
  return {};
}

}  // namespace ricochet
