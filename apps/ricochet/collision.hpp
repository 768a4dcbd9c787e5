#pragma once
/// One collision as read from a file: a checked contact, and what is asked of it.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ricochet/contact/between.hpp"
#include "ricochet/contact/contact.hpp"
#include "ricochet/law/registry.hpp"

namespace ricochet::app {

struct Collision {
  Contact contact;
  Settings settings;
  std::optional<std::string> law;
  std::string id;      ///< JSON text of the id to echo; empty: none
  std::string title;   ///< what this collision is
  std::string body_a;  ///< names of the bodies; n points from A to B
  std::string body_b;
  std::optional<BodyPair> bodies;                        ///< where the file gives bodies
  Vec3 point = Vec3::Zero();                             ///< where these touch
  std::vector<std::pair<std::string, long long>> lines;  ///< where in the file each parameter stands, if known

  [[nodiscard]] long long line_of(std::string_view field) const {
    for (const auto& [name, line] : lines)
      if (name == field) return line;
    return 0;
  }
};

/// A contact as numbers from a file, not yet checked.
struct Given {
  std::optional<Mat3> M, W;
  std::optional<Vec3> V, n;
};

/// Checks that exactly one of M and W, and V and n, are there, and makes the contact of them.
[[nodiscard]] Expected<Contact> make_contact(const Given& given);

}  // namespace ricochet::app
