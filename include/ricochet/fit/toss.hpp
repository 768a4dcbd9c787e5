#pragma once
/// Measured tosses of a cube onto level ground, from their files (docs/fitting.md, Tosses).

#include <string>
#include <string_view>
#include <vector>

#include "ricochet/body/rigid_body.hpp"
#include "ricochet/io/fault.hpp"

namespace ricochet {

/// Of the middle of the cube, which need not be its centre of mass; world axes.
struct TossRow {
  double time = 0;  ///< [s]
  Vec3 position = Vec3::Zero();
  Quaternion orientation = Quaternion::Identity();
  Vec3 velocity = Vec3::Zero(), angular_velocity = Vec3::Zero();
};

struct Toss {
  long number = 0;
  std::vector<TossRow> rows;  ///< at least two, in the order of time
};

/// The cube and where it falls. The defaults are those of the published cube (docs/experiments.md).
struct TossBody {
  double side = 0.1048;           ///< [m]; errors are in per cent of it
  double mass = 0.37;             ///< [kg]
  double inertia = 0.00081;       ///< about every axis [kg m²]
  Vec3 centre = {0, 0, 0.00535};  ///< of mass, from the middle, body axes [m]
  double corner_radius = 0.005;   ///< [m]
  double gravity = 9.6;           ///< in the lengths of the file [m/s²]
  double ground = -0.0018;        ///< height [m]
  double mu_lasting = 0.2;        ///< friction of contact that lasts
  double velocity_lag = 0.5;      ///< by how many rows a velocity lies before its row: ½ for backward differences
};

/// `path` is a CSV file, or a folder that has one called trajectories.csv. An error has the line of the file, and path
/// "row 12, column qw".
[[nodiscard]] Read<std::vector<Toss>> read_tosses(const std::string& path);

/// Keys are the members of TossBody; one that is absent keeps its default.
[[nodiscard]] Read<TossBody> read_toss_body(std::string_view text);

}  // namespace ricochet
