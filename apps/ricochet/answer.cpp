#include "answer.hpp"

#include <array>
#include <cmath>

namespace ricochet::app {

Answer ask(std::string_view law, const Collision& collision) {
  // The name as the registry has it: what a file says may be anything.
  const LawInfo* info = find_law(law);
  const std::string_view known = info == nullptr ? "" : info->name;
  Expected<Law> made = make_law(law, collision.settings);
  if (!made) return {known, std::nullopt, tl::unexpected(made.error())};
  Expected<Outcome> outcome = collide(*made, collision.contact);
  return {known, *std::move(made), std::move(outcome)};
}

std::vector<Answer> ask_all(const Collision& collision) {
  std::vector<Answer> answers;
  for (const LawInfo& info : laws()) answers.push_back(ask(info.name, collision));
  return answers;
}

std::vector<std::string_view> broken(const Certificate& certificate, const Vec3& P, const Vec3& V, double work) {
  if (certificate.permissible) return {};
  const Margins& m = certificate.margins;
  struct Condition {
    std::string_view name;
    double margin, scale;
  };
  const std::array conditions{Condition{"energy", m.energy, work}, Condition{"separation", m.separation, V.norm()},
                              Condition{"compression", m.compression, P.norm()},
                              Condition{"friction", m.friction, P.norm()}};
  // The certificate knows that something is broken but not how much rounding each margin is due.
  std::vector<std::string_view> out;
  for (const double slack : {1e-11, 0.0}) {
    for (const Condition& c : conditions)
      if (c.margin < -slack * c.scale) out.push_back(c.name);
    if (!out.empty()) break;
  }
  return out;
}

std::vector<std::string_view> broken(const Outcome& o) {
  return broken(o.certificate, o.P, o.V, std::abs(o.normal_work) + std::abs(o.friction_work));
}

}  // namespace ricochet::app
