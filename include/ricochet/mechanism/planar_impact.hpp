#pragma once
/// Planar impact of a mechanism in closed form, in its generalised speeds (docs/mechanisms.md). While the friction
/// ratio σ = dp_t/dp_n is constant, velocities change linearly and works quadratically with the normal impulse (M11
/// Eqs. 2.9, 2.21):
///   u = u₀ + (L_n + σ L_t) p,   v_n = v_n0 + k p,   v_t = v_t0 + g p,   k = w_nn + σ w_nt,   g = w_nt + σ w_tt,   (G5)
///   E_n = ∫ v_n dp_n,   E_t = ∫ σ v_t dp_n,   E_n + E_t = ½ uᵀ𝓜u − ½ u₀ᵀ𝓜u₀, (G6)
/// and σ changes at most once: where the slip stops. Nothing is iterated.

#include <cstdint>
#include <string_view>
#include <vector>

#include "ricochet/law/outcome.hpp"
#include "ricochet/mechanism/response.hpp"

namespace ricochet {

/// A contact whose impulse stays in the plane of n and t.
struct PlanarProblem {
  VecX u;                                     ///< before
  VecX L_n, L_t;                              ///< 𝓜⁻¹ J_nᵀ, 𝓜⁻¹ J_tᵀ
  double w_nn = 0, w_nt = 0, w_tt = 0;        ///< J 𝓜⁻¹ Jᵀ [1/kg]
  double v_n = 0, v_t = 0;                    ///< J_n u, J_t u [m/s]
  Vec3 n = Vec3::UnitZ(), t = Vec3::UnitX();  ///< world
};

/// From matrices alone. Fails on inconsistent sizes and on a mass matrix that is not symmetric positive
/// definite.
[[nodiscard]] Expected<PlanarProblem> planar_problem(const MatX& mass, const Eigen::RowVectorXd& J_n,
                                                     const Eigen::RowVectorXd& J_t, const VecX& u);

/// From a contact of any mechanism, along the unit tangent t. Fails where the impulse would leave the plane: where V
/// has an out-of-plane part, or W couples the out-of-plane direction to n or t, by more than 1e-9 relative.
[[nodiscard]] Expected<PlanarProblem> planar_problem(const Response& response, const Vec3& t);

/// Energetic restitution, M11 (chapter 2). E_n at the end is (1 − e²) times its value at the end of compression.
struct Morgan {
  double e = 0;      ///< 0 ≤ e ≤ 1
  double mu = 0;     ///< sliding friction, finite
  double mu_s = -1;  ///< sticking friction, μ ≤ μ_s ≤ ∞; negative: equal to μ
};

/// Poisson's restitution, ST98 (section 4): p_n at the end is (1 + e) times its value at the end of compression.
struct ShenTownsend {
  double e = 0;
  double mu = 0;
  double mu_s = -1;
};

/// The slip that friction opposes throughout in the conventional method.
enum class Opposes : std::uint8_t {
  initial_slip,   ///< ST98 Table 2
  reversed_slip,  ///< ST98 Table 1, KL85
};

/// For comparison only: the whole impact at once, with Newton's restitution. It sticks (v_t = 0 afterwards) whenever
/// |p_t/p_n| ≤ μ_s allows, otherwise slides with friction against a constant slip. Where the slip reverses this is
/// wrong, and energy may increase. Without initial slip, friction acts in the direction that sticking requires.
struct Conventional {
  double e = 0;
  double mu = 0;
  double mu_s = -1;
  Opposes opposes = Opposes::initial_slip;
};

/// The pauses of the velocity state (M11 section 2.3).
enum class Pause : std::uint8_t {
  start,
  normal,      ///< v_n = 0: compression ends
  tangential,  ///< v_t = 0: slip stops
  both,        ///< at once
  end,
};
[[nodiscard]] std::string_view name(Pause pause);

/// The case in the papers: the order of the pauses.
enum class PlanarCase : std::uint8_t {
  separating,              ///< no collision
  tangential_first,        ///< M11 a-b-e; ST98 (i): slip stops in compression, or there was none
  simultaneous,            ///< M11 a-b-e; ST98 (ii)
  normal_first,            ///< M11 a-c-e; ST98 (iii) with F* beyond the end: slip never stops
  normal_then_tangential,  ///< M11 a-c-d-e; ST98 (iii): slip stops in restitution
  at_once,                 ///< not defined for the conventional method
};
/// "a-b-e", "a-c-e", "a-c-d-e"; empty where M11 has no name for it.
[[nodiscard]] std::string_view morgan_path(PlanarCase c);
/// "i", "ii", "iii"; empty where ST98 has no name for it.
[[nodiscard]] std::string_view shen_townsend_case(PlanarCase c);

struct PlanarState {
  Pause pause = Pause::start;
  double p_n = 0, p_t = 0;  ///< impulse so far [N s]
  VecX u;
  double v_n = 0, v_t = 0;
  double E_n = 0, E_t = 0;  ///< work so far of the normal and of the friction impulse [J] (G6)
};

/// Between two states: constant rates (G5).
struct PlanarPiece {
  double sigma = 0, k = 0, g = 0;
};

struct PlanarOutcome {
  std::vector<PlanarState> states;  ///< from start to end
  std::vector<PlanarPiece> pieces;  ///< one fewer
  VecX u;                           ///< after
  double p_n = 0, p_t = 0;
  double energy_change = 0;  ///< = normal_work + friction_work
  double normal_work = 0, friction_work = 0;
  PlanarCase path = PlanarCase::separating;
  Mode mode = Mode::separating;
  double p_c = 0;         ///< normal impulse of compression, ST98's F_c
  double p_star = 0;      ///< normal impulse at which the first slip would stop, ST98's F*; inf: never
  double hold = 0;        ///< σ that sticking needs, −w_nt/w_tt (M11 Eq. 3.1 with its sign)
  bool jammed = false;    ///< the first slip drove the contact deeper, k < 0
  Vec3 P = Vec3::Zero();  ///< world, on the second body
};

/// Separating contacts have an outcome without impulse. Out-of-range parameters and results beyond double precision are
/// errors.
[[nodiscard]] Expected<PlanarOutcome> collide(const Morgan& law, const PlanarProblem& problem);
[[nodiscard]] Expected<PlanarOutcome> collide(const ShenTownsend& law, const PlanarProblem& problem);

/// Also fails where no compressive impulse with the assumed friction separates the bodies.
[[nodiscard]] Expected<PlanarOutcome> collide(const Conventional& law, const PlanarProblem& problem);

/// Intermediate velocities and works, exact, at `p_n` from 0 to the end (M11 Fig. 2.6). The pause is that of the state
/// before it.
[[nodiscard]] Expected<PlanarState> state_at(const PlanarOutcome& outcome, double p_n);

}  // namespace ricochet
