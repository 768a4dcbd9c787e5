#pragma once
/// Ensembles of motions: one scene many times, each member from a start and with laws drawn within stated
/// uncertainties (docs/simulation.md (MO47), (MO48)).

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/motion/chosen_motion.hpp"
#include "ricochet/simultaneous/ties.hpp"

namespace ricochet::motion {

/// Half widths of uniform distributions.
struct MotionUncertainty {
  double speed = 1e-9;     ///< of velocities at the start, relative to the reference speed
  double e = 0;            ///< of e or e_k of each law that has it; 0 to 1
  double mu = 0;           ///< of μ of each law that has it; μ_s moves along, an infinite μ stays
  double position = 0;     ///< of each coordinate of a freely moving body [m]
  double orientation = 0;  ///< of the angle about each axis of a freely moving body [rad]; 0 to π
};

struct MotionEnsembleOptions {
  std::uint64_t seed = 0;
  MotionUncertainty uncertainty;
  double until = 0;  ///< [s]
  MotionMethod method;
};

/// One motion of an ensemble.
struct MotionMember {
  std::string end;     ///< "time", "max-events", "overlap" at the start, or the code of its error
  std::string reason;  ///< the error as a sentence; empty where there is none
  double time = 0;     ///< reached [s]
  std::uint64_t events = 0, impacts = 0;
  double kinetic = 0, potential = 0, elastic = 0, lost_to_impact = 0, lost_to_friction = 0;  ///< at that time [J]
  std::vector<double> state;  ///< at that time: the 13 numbers of a Pose for every body that is not fixed; NaN where
                              ///< there was no start

  [[nodiscard]] bool reached() const { return end == "time"; }
  [[nodiscard]] double energy() const { return kinetic + potential + elastic; }
};

struct Distribution {
  double mean = 0, deviation = 0, low = 0, median = 0, high = 0;
};

struct BodyStatistics {
  std::size_t at_rest = 0;  ///< members in which the body is at rest at the end
  std::array<Distribution, 13> state;
};

/// Of the members that reached the end of time, unless stated otherwise.
struct MotionStatistics {
  std::size_t members = 0, reached = 0;
  std::vector<std::pair<std::string, std::size_t>> ends;  ///< of all members, the most frequent first
  std::size_t at_rest = 0;                                ///< members in which every body is
  Distribution impacts, energy;                           ///< the latter [J]
  std::vector<BodyStatistics> bodies;                     ///< those that are not fixed
  std::vector<std::size_t> stopped;                       ///< the first few members that did not reach it
};

class MotionEnsemble {
 public:
  /// Refuses what the method refuses, and uncertainties of what the world does not have. Paths: "uncertainty",
  /// "uncertainty.e" and so on.
  [[nodiscard]] static Expected<MotionEnsemble> make(World world, const MotionEnsembleOptions& options);

  /// Member `number` follows from it, the seed and the world.
  [[nodiscard]] MotionMember member(std::size_t number) const;
  /// Those from `first` to before `last`, by several threads.
  [[nodiscard]] std::vector<MotionMember> members(std::size_t first, std::size_t last, unsigned threads) const;
  [[nodiscard]] MotionStatistics statistics(const std::vector<MotionMember>& members) const;

  /// The largest speed at the start, (MO47) [m/s].
  [[nodiscard]] double reference_speed() const { return reference_speed_; }
  [[nodiscard]] bool starts_at_rest() const { return starts_at_rest_; }
  /// Bodies that are not fixed, in the order of their numbers in a member's state.
  [[nodiscard]] const std::vector<std::size_t>& moving() const { return moving_; }
  [[nodiscard]] const World& world() const { return world_; }

 private:
  MotionEnsemble(World world, const MotionEnsembleOptions& options) : world_(std::move(world)), options_(options) {}
  [[nodiscard]] Expected<void> check_uncertainty() const;
  void measure(const std::vector<Pose>& poses);
  void draw_laws(World& world, Random& random) const;
  void draw_speeds(World& world, Random& random) const;
  void draw_poses(World& world, Random& random) const;
  [[nodiscard]] bool moves_poses() const {
    return options_.uncertainty.position > 0 || options_.uncertainty.orientation > 0;
  }

  World world_;
  MotionEnsembleOptions options_;
  std::vector<std::size_t> moving_;     ///< not fixed
  std::vector<std::size_t> own_;        ///< of these, no links of a mechanism
  std::vector<std::size_t> free_;       ///< of these, held by no joint
  std::vector<double> size_;            ///< ℓ of each body [m]; 0 for fixed ones
  std::vector<double> mechanism_size_;  ///< [m]
  MatX hold_speeds_;                    ///< projects speeds of own_, six each, on those that keep ball joints; or empty
  std::vector<MatX> hold_constraints_;  ///< the same for the constraints of each mechanism; empty where it has none
  double reference_speed_ = 0;
  bool starts_at_rest_ = false;
};

}  // namespace ricochet::motion
