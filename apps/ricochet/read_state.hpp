#pragma once
/// The state of a mechanism as TOML, docs/command-line.md: where its joints are, how fast they move, and what is asked.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "read_toml.hpp"

namespace ricochet::app {

/// The numbers of one joint or size, or with no name those of all joints in a row.
struct NamedNumbers {
  std::string name;
  std::vector<double> values;
  long long line = 0;
};

/// A contact that the file states itself.
struct StatedContact {
  std::string first, second;
  Vec3 point = Vec3::Zero();
  Vec3 n = Vec3::UnitZ();
  long long line = 0;
};

struct GivenState {
  std::string title;
  std::vector<NamedNumbers> q, u;
  std::vector<NamedNumbers> sizes;  ///< of a bundled system
  std::optional<StatedContact> contact;
  std::optional<std::string> law;
  Settings settings;
  std::vector<std::pair<std::string, long long>> lines;  ///< where each parameter stands
};

[[nodiscard]] tl::expected<GivenState, Fault> read_state(std::string_view text);

/// "FIRST:SECOND@x,y,z/nx,ny,nz"; n may have any length but zero.
[[nodiscard]] Expected<StatedContact> read_contact(std::string_view text);

}  // namespace ricochet::app
