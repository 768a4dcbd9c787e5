#include "ricochet/scene/planar_answer.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "ricochet/law/fill_parameters.hpp"

namespace ricochet {
namespace {

template <class L>
PlanarAnswer ask_by(L law, const LawInfo& info, const LawParameters& settings, const PlanarProblem& problem) {
  if (const auto fine = fill_parameters<PlanarParameters<L>>(law, settings, info.name); !fine)
    return {.law = info.name, .outcome = tl::unexpected(fine.error())};
  PlanarAnswer out{.law = info.name, .outcome = collide(law, problem)};
  if (!out.outcome) return out;
  const PlanarOutcome& o = *out.outcome;
  const double v_n = problem.v_n + problem.w_nn * o.p_n + problem.w_nt * o.p_t;
  const double v_t = problem.v_t + problem.w_nt * o.p_n + problem.w_tt * o.p_t;
  out.V = v_n * problem.n + v_t * problem.t;
  const double mu = law.mu_s < 0 ? law.mu : law.mu_s;
  out.certificate.margins = {.energy = -o.energy_change,
                             .separation = v_n,
                             .compression = o.p_n,
                             .friction = friction_margin(mu, o.p_n, std::abs(o.p_t))};
  const double impulse = std::hypot(o.p_n, o.p_t);
  const double speed = std::hypot(problem.v_n, problem.v_t) +
                       (std::abs(problem.w_nn) + 2 * std::abs(problem.w_nt) + std::abs(problem.w_tt)) * impulse;
  out.certificate.violated = judge(out.certificate.margins, {impulse * speed, speed, impulse}, mu);
  out.certificate.permissible = out.certificate.violated.empty();
  return out;
}

}  // namespace

Expected<PlanarProblem> in_its_plane(const Response& response) {
  const Vec3& n = response.contact.n;
  Vec3 t = response.V - n.dot(response.V) * n;
  if (t.norm() <= 1e-12 * response.V.norm()) {
    // Without slip, the plane is the one in which the contact can move. If it can move in all directions, any plane
    // will do.
    const Mat3 across = Mat3::Identity() - n * n.transpose();
    const Mat3 W = across * response.W * across;
    Eigen::Index k = 0;
    W.colwise().norm().maxCoeff(&k);
    t = W.col(k);
    if (!(t.norm() > 0)) t = n.unitOrthogonal();
  }
  t.normalize();
  Eigen::Index largest = 0;
  t.cwiseAbs().maxCoeff(&largest);
  if (t(largest) < 0) t = -t;  // +x, not −x
  return planar_problem(response, t);
}

PlanarAnswer ask_planar(const LawInfo& info, const LawParameters& settings, const PlanarProblem& problem) {
  if (info.name == "morgan") return ask_by(Morgan{}, info, settings, problem);
  if (info.name == "shen-townsend") return ask_by(ShenTownsend{}, info, settings, problem);
  const Opposes opposes = info.name == "conventional" ? Opposes::initial_slip : Opposes::reversed_slip;
  return ask_by(Conventional{.opposes = opposes}, info, settings, problem);
}

}  // namespace ricochet
