#pragma once
/// Motion with spring-sledge contacts in place of rigid laws: forces over time (docs/compliant-motion.md).

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/base/error.hpp"
#include "ricochet/motion/simulation.hpp"

namespace ricochet::motion {

struct CompliantOptions {
  double stiffness = 0;          ///< c of the normal spring of every contact [N/m], above 0
  double tolerance = 1e-12;      ///< of one step, relative
  std::uint64_t max_events = 0;  ///< 0: no limit
};

/// The laws of the pairs are read as elements: `spring-sledge` with all its parameters, any other law with its e and
/// mu, and the default of kappa.
class CompliantMotion {
 public:
  /// Refuses what `check` refuses, bodies that overlap at the start, joints, and laws without e.
  [[nodiscard]] static Expected<CompliantMotion> start(World world, const CompliantOptions& options);
  /// From what `checkpoint` wrote of the same world with the same stiffness.
  [[nodiscard]] static Expected<CompliantMotion> resume(World world, std::string_view checkpoint,
                                                        const CompliantOptions& options);
  CompliantMotion(CompliantMotion&&) noexcept;
  CompliantMotion& operator=(CompliantMotion&&) noexcept;
  ~CompliantMotion();

  /// As `Simulation::run`. A contact that has ended is reported as an impact, with its impulse, at the time of its end.
  [[nodiscard]] Expected<void> run(double until, const Observer& observer = {}, double sample_interval = 0);

  [[nodiscard]] double time() const;
  [[nodiscard]] std::uint64_t events() const;  ///< so far
  [[nodiscard]] std::uint64_t steps() const;   ///< so far
  [[nodiscard]] std::vector<Pose> poses() const;
  [[nodiscard]] EnergyLedger ledger() const;
  [[nodiscard]] const World& world() const;
  [[nodiscard]] std::string checkpoint() const;

 private:
  struct Engine;
  explicit CompliantMotion(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace ricochet::motion
