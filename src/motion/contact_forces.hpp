#pragma once
/// Forces of lasting contacts at one instant: Coulomb friction at the level of accelerations (docs/simulation.md (MO15)
/// to (MO19)).

#include <cstdint>
#include <vector>

#include "ricochet/mechanism/response.hpp"

namespace ricochet::motion {

enum class ContactMode : std::uint8_t { open, slide, stick };

/// A contact in its axes (n, t₁, t₂).
struct ForceContact {
  double mu = 0, mu_s = 0;
  bool slides = false;                          ///< its speed of slip is not zero
  Eigen::Vector2d s = Eigen::Vector2d::Zero();  ///< direction of slip, where it slides
  bool released = false;                        ///< open wherever it does not close
};

/// A single row: the stop of a joint, a ≥ 0, F ≥ 0, a F = 0; or dry friction of a joint at rest, |F| ≤ limit, and F at
/// its limit against a where a is not zero (docs/simulation.md (MO41)).
struct ForceRow {
  bool stop = true;
  double limit = 0;
  bool released = false;  ///< a stop that is open wherever it does not close
};

/// Accelerations a = W F + b of all contacts, three rows each, then of the joints, three rows each, then single rows.
struct ForceProblem {
  MatX W;
  VecX b;
  std::vector<ForceContact> contacts;
  std::vector<ForceRow> rows;
  VecX guess;  ///< of F, or empty
};

struct ForceAnswer {
  enum class Status : std::uint8_t {
    solved,
    jammed,  ///< a sliding contact has no force that keeps it from closing (Painlevé), alone or with stops that F
             ///< presses
    not_converged,
  };
  Status status = Status::solved;
  std::size_t jammed_contact = 0;
  std::vector<ContactMode> modes;
  std::vector<bool> ambiguous;         ///< an open contact that slides, and would also have a force (Painlevé)
  std::vector<Eigen::Vector2d> s;      ///< direction of slip of contacts that slide
  std::vector<ContactMode> row_modes;  ///< of a stop open or stick, of dry friction stick or slide
  VecX F, a;
};

[[nodiscard]] ForceAnswer contact_forces(const ForceProblem& problem);

}  // namespace ricochet::motion
