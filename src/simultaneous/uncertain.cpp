#include "ricochet/simultaneous/uncertain.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "ricochet/law/collide.hpp"
#include "ricochet/simultaneous/plane.hpp"

namespace ricochet {
namespace {

/// Uniform on [x − width, x + width] within [0, most], by one number of [−1, 1).
double draw(double x, double width, double most, double symmetric) {
  const double low = std::max(0.0, x - width);
  const double high = std::min(std::max(most, x), x + width);
  return 0.5 * (low + high) + 0.5 * (high - low) * symmetric;
}

/// One sample for each contact, shared by the two parts of a composite law.
struct Draws {
  double e, mu;
};

template <class Law>
void vary(Law& law, const ContactUncertainty& by, const Draws& draws) {
  if constexpr (requires { law.first; }) {
    std::visit([&](auto& part) { vary(part, by, draws); }, law.first);
    std::visit([&](auto& part) { vary(part, by, draws); }, law.second);
  }
  if (by.e > 0) {
    if constexpr (requires { law.e; }) law.e = draw(law.e, by.e, 1, draws.e);
    if constexpr (requires { law.e_k; }) law.e_k = draw(law.e_k, by.e, 1, draws.e);
  }
  if (by.mu > 0) {
    if constexpr (requires { law.mu; }) {
      if (!std::isfinite(law.mu)) return;
      const double before = law.mu;
      law.mu = draw(law.mu, by.mu, std::numeric_limits<double>::infinity(), draws.mu);
      if constexpr (requires { law.mu_s; })
        if (law.mu_s >= 0) law.mu_s += law.mu - before;
    }
  }
}

}  // namespace

Expected<void> check(const ContactUncertainty& uncertainty) {
  if (const auto fine = in_range("uncertainty.e", uncertainty.e, 0, 1); !fine) return fine;
  if (const auto fine = in_range("uncertainty.normal", uncertainty.normal, 0, 0.5); !fine) return fine;
  if (const auto fine = in_range("uncertainty.mu", uncertainty.mu, finite_from(0)); !fine) return fine;
  return in_range("uncertainty.point", uncertainty.point, finite_from(0));
}

void sample_law(Law& law, const ContactUncertainty& uncertainty, double of_e, double of_mu) {
  const Draws draws{of_e, of_mu};
  std::visit([&](auto& one) { vary(one, uncertainty, draws); }, law);
}

BodyScene sample_contacts(const BodyScene& arrangement, const ContactUncertainty& uncertainty,
                          const std::optional<Vec3>& across, Random& random) {
  return sample_contacts(arrangement, uncertainty, across, [&random] { return random.symmetric(); });
}

BodyScene sample_contacts(const BodyScene& arrangement, const ContactUncertainty& uncertainty,
                          const std::optional<Vec3>& across, const std::function<double()>& symmetric) {
  BodyScene out = arrangement;
  for (ContactSpec& touch : out.contacts) {
    const double of_e = symmetric();
    const double of_mu = symmetric();
    sample_law(touch.law, uncertainty, of_e, of_mu);
    const Vec3 t = touch.n.unitOrthogonal();
    const Vec3 s = touch.n.normalized().cross(t);
    const double about_t = symmetric();
    const double about_s = symmetric();
    if (uncertainty.normal > 0)
      touch.n +=
          touch.n.norm() *
          in_plane(std::tan(uncertainty.normal * about_t) * s - std::tan(uncertainty.normal * about_s) * t, across);
    Vec3 moved;
    for (double& x : moved) x = symmetric();
    touch.point += uncertainty.point * in_plane(moved, across);
  }
  return out;
}

}  // namespace ricochet
