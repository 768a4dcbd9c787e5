#pragma once
/// The systems of ricochet/mechanism/systems.hpp by name, each with adjustable sizes and an initial
/// state.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ricochet/mechanism/lagrangian.hpp"
#include "ricochet/scene/machine.hpp"

namespace ricochet {

struct SizeInfo {
  std::string_view name;
  std::optional<double> default_value;  ///< absent: optional
  std::string_view meaning;
};

/// Chosen sizes by name.
class Sizes {
 public:
  explicit Sizes(std::vector<std::pair<std::string_view, std::optional<double>>> values) : values_(std::move(values)) {}
  /// A size that has a default.
  [[nodiscard]] double operator[](std::string_view name) const { return optional(name).value(); }
  [[nodiscard]] std::optional<double> optional(std::string_view name) const;

 private:
  std::vector<std::pair<std::string_view, std::optional<double>>> values_;
};

struct BundledCoordinate {
  std::string_view name;
  int positions, speeds;
  std::string_view meaning;
};

/// A link by the points of the system that are its corners; "" is the origin, the pivot of pendulums.
struct BundledLink {
  std::string name;
  std::vector<std::string> points;
  double radius = 0;
  std::vector<std::string> touches = {};  ///< contact points that are not corners
};

struct Bundled {
  std::string_view name;
  std::string_view what;
  std::span<const SizeInfo> sizes;
  std::span<const BundledCoordinate> coordinates;
  Lagrangian (*make)(const Sizes&);
  VecX (*q)(const Sizes&);  ///< to begin with
  VecX (*u)();
  std::vector<BundledLink> (*links)(const Sizes&);
  std::string_view example;  ///< options for it
};

[[nodiscard]] std::span<const Bundled> bundled_systems();
[[nodiscard]] const Bundled* find_bundled(std::string_view name);

/// Fails on unknown and on invalid sizes.
[[nodiscard]] Expected<std::unique_ptr<Machine>> make_bundled(const Bundled& system,
                                                              const std::vector<NamedNumbers>& sizes);

}  // namespace ricochet
