#pragma once
/// Planar impacts as paths through velocity space: the two generalised speeds of M11's figures, or normal and
/// tangential speed of the contact point for any planar impact.

#include "ricochet/law/trajectory.hpp"
#include "ricochet/mechanism/planar_impact.hpp"
#include "ricochet/report/plot.hpp"

namespace ricochet {

/// The stages of the construction: M11 Figs. 2.2 to 2.5 and 2.7 show it step by step.
enum class VelocityStep { direction, pauses, bend, recomputed, whole };

/// Axes u₁, u₂; lines v_n = 0 and v_t = 0 (through the origin: J u = 0). Fails on a problem with other than two speeds,
/// and where a line has no direction. `J_n` and `J_t` are those of the problem.
[[nodiscard]] Expected<Plot> generalised_speeds(const PlanarProblem& problem, const Eigen::RowVectorXd& J_n,
                                                const Eigen::RowVectorXd& J_t, const PlanarOutcome& outcome,
                                                VelocityStep step);

/// Axes v_t, v_n of the contact point.
[[nodiscard]] Plot contact_speeds(const PlanarOutcome& outcome);

/// The same along the path of any law: slip along the initial slip direction, and normal speed. A piece with known end
/// points only is drawn straight and dashed.
[[nodiscard]] Plot contact_speeds(const Contact& contact, const Trajectory& way);

}  // namespace ricochet
