#pragma once
/// Planar impacts as ways through velocity space: the two generalised speeds of M11's figures, or normal and tangential
/// speed of the contact point for any planar impact.

#include "ricochet/mechanism/planar_impact.hpp"
#include "ricochet/report/plot.hpp"
#include "ricochet/report/way.hpp"

namespace ricochet {

/// How much of the construction is shown: M11 Figs. 2.2 to 2.5 and 2.7 tell it step by step.
enum class VelocityStep { direction, pauses, bend, recomputed, whole };

/// Axes u₁, u₂; lines v_n = 0 and v_t = 0 (through the origin: J u = 0). Fails on a problem with other than two speeds,
/// and where a line has no direction. `J_n` and `J_t` are those of the problem.
[[nodiscard]] Expected<Plot> generalised_speeds(const PlanarProblem& problem, const Eigen::RowVectorXd& J_n,
                                                const Eigen::RowVectorXd& J_t, const PlanarOutcome& outcome,
                                                VelocityStep step);

/// Axes v_t, v_n of the contact point.
[[nodiscard]] Plot contact_speeds(const PlanarOutcome& outcome);

/// The same along the way of any law: slip along the initial slip's direction, and normal speed. A piece of which only
/// the ends are known is drawn straight and dashed.
[[nodiscard]] Plot contact_speeds(const Contact& contact, const Way& way);

}  // namespace ricochet
