#include "ricochet/law/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "ricochet/base/direct_search.hpp"

namespace ricochet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// One parameter scaled to 0 to 1 for the search.
struct Axis {
  std::string_view name;
  double (*value)(double);
};

double same(double u) { return u; }
double whole(double u) { return 2 * u - 1; }
double odds(double u) { return u < 1 ? u / (1 - u) : infinity; }
double decades(double u) { return std::pow(10.0, 3 * u - 2); }
double viscous(double u) { return compliant::least_viscous_e + (1 - compliant::least_viscous_e) * u; }

Expected<void> check(std::span<const Bounce> bounces) {
  if (bounces.size() < 3)
    return fail(ErrorCode::out_of_range, "bounces", fmt::format("{}", bounces.size()),
                "must be at least three, the number of parameters");
  for (const Bounce& b : bounces) {
    if (!b.V.allFinite()) return fail(ErrorCode::out_of_range, "V", "", "must be finite after every bounce");
    if (!(b.contact.approach_speed() > 0))
      return fail(ErrorCode::invalid, "V", to_text(-b.contact.approach_speed()),
                  "must approach before every bounce: n·V < 0");
  }
  return {};
}

template <class Law, class Make>
Expected<Fit<Law>> fit(std::span<const Bounce> bounces, const std::array<Axis, 3>& axes, const SearchOptions& options,
                       const Make& make) {
  if (const auto fine = check(bounces); !fine) return tl::unexpected(fine.error());
  Fit<Law> out;
  // The square of the rms; infinite if the law has no answer to one of the rebounds.
  const auto loss = [&](const std::vector<double>& u) {
    const Law law = make(u);
    double sum = 0;
    for (const Bounce& b : bounces) {
      const auto hit = collide(law, b.contact);
      if (!hit) return infinity;
      sum += (hit->V - b.V).squaredNorm() / b.contact.V.squaredNorm();  // (EQ10)
    }
    return sum / double(bounces.size());
  };
  const SearchResult found = direct_search(loss, 3, options);
  if (!std::isfinite(found.f))
    return fail(ErrorCode::no_solution, "bounces", "", "the law has no answer to them with any parameters tried");
  out.law = make(found.x);
  out.rms = std::sqrt(found.f);
  out.agreeing = found.agreeing;
  out.converged = found.settled && found.agreeing > 1;
  out.evaluations = found.evaluations;
  for (const Bounce& b : bounces) {
    const auto hit = collide(out.law, b.contact);
    if (!hit) return tl::unexpected(hit.error());
    out.residuals.push_back((hit->V - b.V).norm() / b.contact.V.norm());
  }
  out.worst = *std::max_element(out.residuals.begin(), out.residuals.end());

  const double allowed = std::max(1.01 * out.rms, out.rms + 1e-6);
  const auto fits = [&](std::size_t i, double place) {
    std::vector<double> u = found.x;
    u[i] = place;
    ++out.evaluations;
    return loss(u) <= allowed * allowed;
  };
  // Outward in steps until the residual exceeds the limit, then bisection.
  const auto reach = [&](std::size_t i, double end) {
    double good = found.x[i];
    constexpr int steps = 40;
    for (int k = 1; k <= steps; ++k) {
      const double next = found.x[i] + (end - found.x[i]) * std::pow(2.0, 0.5 * (k - steps));
      if (fits(i, next)) {
        good = next;
        continue;
      }
      double bad = next;
      for (int j = 0; j < 30; ++j) {
        const double middle = (good + bad) / 2;
        (fits(i, middle) ? good : bad) = middle;
      }
      break;
    }
    return good;
  };
  for (std::size_t i = 0; i < axes.size(); ++i) {
    FittedParameter p{.name = axes[i].name, .value = axes[i].value(found.x[i])};
    p.low = axes[i].value(reach(i, 0));
    p.high = axes[i].value(reach(i, 1));
    p.at_bound = found.x[i] == 0 || found.x[i] == 1;
    out.parameters.push_back(p);
  }
  return out;
}

/// As given: the conversion to radians and back would change the last digits.
std::string in_degrees(double angle) { return fmt::format("{:.12g}", angle * 180 / std::numbers::pi); }

}  // namespace

Expected<std::vector<Contact>> incidences(const Contact& contact, double from, double to, int count) {
  constexpr double right_angle = std::numbers::pi / 2;
  const double speed = contact.V.norm();
  if (!(speed > 0))
    return fail(ErrorCode::invalid, "V", "0", "must not vanish: its size is the speed of every incidence");
  if (contact.immovable) return fail(ErrorCode::invalid, "W", "", "must be regular, so that every incidence can occur");
  if (!(from > -right_angle && from < right_angle))
    return fail(ErrorCode::out_of_range, "from", in_degrees(from),
                "must be between -90 and 90 degrees, the ends excluded");
  if (!(to > from && to < right_angle))
    return fail(ErrorCode::out_of_range, "to", in_degrees(to), "must be above from and below 90 degrees");
  if (count < 2 || count > 10000)
    return fail(ErrorCode::out_of_range, "count", fmt::format("{}", count), "must be between 2 and 10000");
  const Vec3& n = contact.n;
  const auto tangent = [&](const Vec3& x) -> Vec3 { return x - n.dot(x) * n; };
  Vec3 t = tangent(contact.V);
  if (!(t.norm() > 1e-12 * speed)) {
    const Vec3 coupling = tangent(contact.W * n);
    if (coupling.norm() > 1e-12 * (contact.W * n).norm())
      return fail(ErrorCode::invalid, "V", "", "must slip, in order to say in which plane the incidence varies");
    t = tangent(Vec3::Unit(std::abs(n.x()) < 0.6 ? 0 : 1));
  }
  t.normalize();
  std::vector<Contact> out(std::size_t(count), contact);
  for (int i = 0; i < count; ++i) {
    const double angle = from + (to - from) * i / (count - 1);
    out[std::size_t(i)].V = speed * (std::sin(angle) * t - std::cos(angle) * n);  // (EQ9)
  }
  return out;
}

Expected<Fit<ChatterjeeRuina>> fit_chatterjee_ruina(std::span<const Bounce> bounces) {
  constexpr std::array<Axis, 3> axes{{{"e", same}, {"e_t", whole}, {"mu", odds}}};
  return fit<ChatterjeeRuina>(bounces, axes, {}, [](const std::vector<double>& u) {
    return ChatterjeeRuina{.e = u[0], .e_t = whole(u[1]), .mu = odds(u[2])};
  });
}

Expected<Fit<SpringSledge>> fit_spring_sledge(std::span<const Bounce> bounces, compliant::Damper damper) {
  const bool hysteretic = damper == compliant::Damper::hysteretic;
  const std::array<Axis, 3> axes{{{"kappa", decades}, {"mu", odds}, {"e", hysteretic ? same : viscous}}};
  // A compliant contact costs a hundred times as much as an algebraic law.
  const SearchOptions options{.scan = 7, .starts = 3, .least_step = 1e-7, .budget = 20000};
  return fit<SpringSledge>(bounces, axes, options, [&](const std::vector<double>& u) {
    return SpringSledge{.kappa = decades(u[0]), .mu = odds(u[1]), .e = axes[2].value(u[2]), .damper = damper};
  });
}

}  // namespace ricochet
