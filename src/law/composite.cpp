#include "ricochet/law/composite.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "ricochet/law/collide.hpp"
#include "ricochet/space/impulse_space.hpp"

namespace ricochet {
namespace {

// The names of the registry, which lies above this file.
struct NameOf {
  std::string_view operator()(const Frictionless&) const { return "frictionless"; }
  std::string_view operator()(const ChatterjeeRuina&) const { return "chatterjee-ruina"; }
  std::string_view operator()(const Bilinear&) const { return "bilinear"; }
  std::string_view operator()(const Routh&) const { return "routh"; }
  std::string_view operator()(const Whittaker&) const { return "whittaker"; }
  std::string_view operator()(const Smith&) const { return "smith"; }
  std::string_view operator()(const Brach&) const { return "brach"; }
  std::string_view operator()(const PfeifferGlocker&) const { return "pfeiffer-glocker"; }
  std::string_view operator()(const AnitescuPotra&) const { return "anitescu-potra"; }
  std::string_view operator()(const PermissiblePoint&) const { return "permissible-point"; }
  std::string_view operator()(const Projected&) const { return "projected"; }
  std::string_view operator()(const SpringSledge&) const { return "spring-sledge"; }
};

struct Part {
  Vec3 P;  // local axes
  Mode mode;
  int evaluations;
  bool jammed;
};

Expected<Part> part(const char* field, const BaseLaw& law, const Contact& contact, const Local<double>& local,
                    double mu) {
  const std::string_view who = std::visit(NameOf{}, law);
  const auto outcome = std::visit([&](const auto& l) { return collide(l, contact); }, law);
  if (!outcome) {
    Error error = outcome.error();
    error.field = fmt::format("{} ({}): {}", field, who, error.field);
    return tl::unexpected(error);
  }
  const Certificate certificate = certify(contact, outcome->P, mu);
  if (!certificate.permissible) {
    const Margins& m = certificate.margins;
    return fail(field, std::string(who),
                fmt::format("must answer with a permissible impulse for mu = {}; its margins are energy {:.6g} J, "
                            "separation {:.6g} m/s, compression {:.6g} N s, friction {:.6g} N s",
                            to_text(mu), m.energy, m.separation, m.compression, m.friction));
  }
  return Part{local.R.transpose() * outcome->P, outcome->mode, outcome->evaluations, outcome->jammed};
}

}  // namespace

Expected<Outcome> collide(const Composite& law, const Contact& contact) {
  const auto fine = in_range("sigma", law.sigma, 0, 1).and_then([&] {
    return in_range("mu", law.mu, 0, std::numeric_limits<double>::infinity());
  });
  if (!fine) return tl::unexpected(fine.error());
  const Local<double> local = localize<double>(contact);
  if (!(local.V(0) < 0)) return no_collision(contact);
  const auto first = part("first", law.first, contact, local, law.mu);
  if (!first) return tl::unexpected(first.error());
  const auto second = part("second", law.second, contact, local, law.mu);
  if (!second) return tl::unexpected(second.error());

  const Vec3 P = law.sigma * first->P + (1 - law.sigma) * second->P;
  // Two laws that took different ways leave no way that is the sum's own. Then the sum is read as the answer of an
  // algebraic law: slip where it lies on the cone, stick where the cone did not limit it.
  Mode mode = first->mode;
  if (law.sigma == 0) {
    mode = second->mode;
  } else if (law.sigma < 1 && first->mode != second->mode) {
    const double P_t = std::hypot(P(1), P(2));
    const bool inside = law.mu == std::numeric_limits<double>::infinity() || P_t < law.mu * P(0) * (1 - 1e-12);
    mode = inside ? Mode::stick : Mode::slip;
  }
  Solution<double> solution = straight<double>(local, P, mode);
  solution.jammed = first->jammed || second->jammed;
  solution.evaluations = first->evaluations + second->evaluations;
  Outcome outcome = finish(local, solution, law.mu);
  // The parts came back through input coordinates; so must the verdict, or rounding of the rotation counts as friction.
  outcome.certificate = certify(contact, outcome.P, law.mu);
  return outcome;
}

}  // namespace ricochet
