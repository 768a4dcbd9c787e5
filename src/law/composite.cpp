#include "ricochet/law/composite.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "ricochet/law/collide.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/space/impulse_space.hpp"

namespace ricochet {
namespace {

struct Part {
  Vec3 P;  // local axes
  Mode mode;
  int evaluations;
  bool jammed;
};

Expected<Part> part(const char* field, const BaseLaw& law, const Contact& contact, const Local<double>& local,
                    double mu) {
  const std::string_view who = info_of(law).name;
  const auto outcome = std::visit([&](const auto& l) { return collide(l, contact); }, law);
  if (!outcome) {
    Error error = outcome.error();
    error.path = fmt::format("{} ({}): {}", field, who, error.path);
    return tl::unexpected(error);
  }
  const Certificate certificate = certify(contact, outcome->P, mu);
  if (!certificate.permissible) {
    const Margins& m = certificate.margins;
    return fail(ErrorCode::invalid, field, std::string(who),
                fmt::format("must answer with a permissible impulse for mu = {}; its margins are energy {:.6g} J, "
                            "separation {:.6g} m/s, compression {:.6g} N s, friction {:.6g} N s",
                            to_text(mu), m.energy, m.separation, m.compression, m.friction));
  }
  return Part{local.R.transpose() * outcome->P, outcome->mode, outcome->evaluations, outcome->jammed};
}

}  // namespace

Expected<Outcome> collide(const Composite& law, const Contact& contact) {
  const Expected<void> fine = check_parameters(law);
  if (!fine) return tl::unexpected(fine.error());
  const Local<double> local = localize<double>(contact);
  if (!(local.V(0) < 0)) return no_collision(contact);
  const auto first = part("first", law.first, contact, local, law.mu);
  if (!first) return tl::unexpected(first.error());
  const auto second = part("second", law.second, contact, local, law.mu);
  if (!second) return tl::unexpected(second.error());

  const Vec3 P = law.sigma * first->P + (1 - law.sigma) * second->P;
  // If the paths of the two laws differ, the sum has no path of its own. It is treated as the answer of an algebraic
  // law: slip on the cone, stick inside it.
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
  Outcome outcome;
  finish<double>(local, solution, {}, law.mu, outcome);
  return outcome;
}

}  // namespace ricochet
