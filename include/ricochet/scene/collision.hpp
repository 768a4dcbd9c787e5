#pragma once
/// One collision as read from a file: a validated contact, the law and its parameters.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ricochet/contact/between.hpp"
#include "ricochet/contact/contact.hpp"
#include "ricochet/law/registry.hpp"

namespace ricochet {

struct Collision {
  Contact contact;
  LawParameters settings;
  std::optional<std::string> law;
  std::string id;      ///< JSON text of the id to echo; empty: none
  std::string title;   ///< the title of this collision
  std::string body_a;  ///< names of the bodies; n points from A to B
  std::string body_b;
  std::optional<BodyPair> bodies;                        ///< if the file gives bodies
  Vec3 point = Vec3::Zero();                             ///< their contact point
  std::vector<std::pair<std::string, long long>> lines;  ///< line of each parameter in the file, if known

  [[nodiscard]] long long line_of(std::string_view field) const {
    for (const auto& [name, line] : lines)
      if (name == field) return line;
    return 0;
  }
};

/// A contact as numbers from a file, not yet checked.
struct Given {
  std::optional<Mat3> M, W;
  std::optional<Vec3> V, n, spin;
};

/// Checks that V, n and exactly one of M and W are given, and makes the contact.
[[nodiscard]] Expected<Contact> make_contact(const Given& given);

}  // namespace ricochet
