#include "ricochet/batch/draw_collision.hpp"

#include <array>

namespace ricochet {

DrawKind draw_kind(const LawInfo& law) {
  if (law.planar) return DrawKind::planar;
  return law.name == "bilinear" ? DrawKind::sphere : DrawKind::general;
}

DrawnCollision draw_collision(const LawInfo& law, std::uint64_t seed, std::uint64_t index) {
  static constexpr std::array<const char*, 3> restitutions{"poisson", "stronge", "newton"};
  const DrawnNumbers drawn = draw_numbers(draw_kind(law), seed, index);
  DrawnCollision c;
  c.A = drawn.A;
  c.mass_given = drawn.mass_given;
  c.V = drawn.V;
  c.n = drawn.n;
  LawParameters& p = c.parameters;
  p.e = drawn.e;
  p.e_t = drawn.e_t;
  p.mu = drawn.mu;
  if (drawn.mu_s_given) p.mu_s = drawn.mu_s;
  p.nu = drawn.nu;
  p.mu_2 = drawn.mu_2;
  p.mu_3 = drawn.mu_3;
  p.psi_1 = drawn.psi_1;
  p.psi_2 = drawn.psi_2;
  p.rho = drawn.rho;
  p.sigma = drawn.sigma;
  p.kappa = drawn.kappa;
  p.e_v = drawn.e_v;
  p.e_i = drawn.e_i;
  p.mu_v = drawn.mu_v;
  p.mu_i = drawn.mu_i;
  if (drawn.smooth > 0) p.smooth = drawn.smooth;
  p.target = drawn.target;
  // Parts of a composite must be permissible, which Newton's rule need not be.
  p.restitution = restitutions[law.name == "composite" ? 0 : drawn.restitution];
  return c;
}

}  // namespace ricochet
