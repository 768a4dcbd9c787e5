#pragma once
/// The given state of a mechanism: joint positions, speeds, law and parameters.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/law/registry.hpp"

namespace ricochet {

/// The numbers of one joint or size or, without a name, of all joints in order.
struct NamedNumbers {
  std::string name;
  std::vector<double> values;
  long long line = 0;  ///< in its file; 0 where there is none
};

/// A contact that the user states, between two bodies of the mechanism.
struct StatedContact {
  std::string first, second;
  Vec3 point = Vec3::Zero();  ///< world [m]
  Vec3 n = Vec3::UnitZ();     ///< unit, from first to second
  long long line = 0;
};

struct MechanismState {
  std::string title;
  std::vector<NamedNumbers> q, u;
  std::vector<NamedNumbers> sizes;  ///< of a bundled system
  std::optional<StatedContact> contact;
  std::optional<std::string> law;
  LawParameters settings;
  std::vector<std::pair<std::string, long long>> lines;  ///< line of each parameter
};

}  // namespace ricochet
