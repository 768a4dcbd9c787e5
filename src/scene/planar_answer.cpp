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
    return {info.name, tl::unexpected(fine.error())};
  return {info.name, collide(law, problem)};
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
