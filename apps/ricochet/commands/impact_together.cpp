#include "commands/impact_together.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ricochet/base/counted.hpp"
#include "ricochet/base/printable.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

double normal_impulse(const MechanismImpact& impact, const Together& together, const Resolution& r) {
  double sum = 0;
  for (std::size_t k = 0; k < together.struck.size(); ++k) sum += impact.contacts[together.struck[k]].at.n.dot(r.G[k]);
  return sum;
}

std::string law_rows(const MechanismImpact& impact, const Together& together) {
  const double before = impact.energy(impact.u);
  std::vector<std::vector<std::string>> table{
      {"law", "dE [J]", "of the energy", "sum of P_n [N s]", "collisions", "ties", "permissible"}};
  std::vector<std::string> refusals;
  for (const TogetherAnswer& a : together.answers) {
    if (!a.result) {
      refusals.push_back(fmt::format("{}: {}", a.law, a.result.error().message()));
      continue;
    }
    const Resolution& r = a.result->resolution;
    if (!a.result->settled()) {
      refusals.push_back(fmt::format("{}: {}", a.law, a.result->verdict()));
      continue;
    }
    table.push_back({std::string(a.law), fmt::format("{:.5g}", r.energy_change),
                     fmt::format("{:.3g} %", 100 * r.energy_change / before),
                     fmt::format("{:.5g}", normal_impulse(impact, together, r)),
                     a.result->joint ? "all at once" : fmt::format("{}", r.collisions), fmt::format("{}", r.ties),
                     a.result->permissible()});
  }
  std::string out = rows(table, 1);
  if (!refusals.empty()) out += "\n";
  for (const std::string& refusal : refusals) out += refusal + "\n";
  return out;
}

std::string contact_rows(const MechanismImpact& impact, const Together& together, const Resolution& r) {
  std::vector<std::vector<std::string>> table{
      {"", "pair", "V_n before", "after [m/s]", "slip before", "after [m/s]", "P_n [N s]", "|P_t| [N s]"}};
  for (std::size_t k = 0; k < together.struck.size(); ++k) {
    const CandidateContact& c = impact.contacts[together.struck[k]];
    const auto slip = [&](const Vec3& V) { return fmt::format("{:.4g}", (V - c.at.n.dot(V) * c.at.n).norm()); };
    const double P_n = 0 + c.at.n.dot(r.G[k]);  // 0, not −0
    table.push_back({fmt::format("{}", together.struck[k] + 1), printable(c.pair()),
                     fmt::format("{:.4g}", 0 - c.approach()), fmt::format("{:.4g}", c.at.n.dot(r.V[k])), slip(c.V),
                     slip(r.V[k]), fmt::format("{:.5g}", P_n), fmt::format("{:.5g}", (r.G[k] - P_n * c.at.n).norm())});
  }
  return rows(table, 2);
}

std::string ensemble_text(const Ensemble& e) {
  std::string out = fmt::format("\nensemble of {}: {}\nenergy change {:.5g} J, from {:.5g} to {:.5g}\n", e.members,
                                e.verdict(), e.energy_change.mean, e.energy_change.low, e.energy_change.high);
  std::size_t shown = 0;
  for (const DistinctOutcome& o : e.outcomes) {
    if (++shown > 5) break;
    out += fmt::format("  {:>5.1f} %  energy change {:.5g} J{}\n", 100 * o.weight, o.energy_change,
                       e.branches.size() > 1 && o.branch ? fmt::format(", branch {}", *o.branch + 1) : "");
  }
  return out;
}

}  // namespace

std::string together_table(const MechanismImpact& impact, const Together& together) {
  const std::size_t all = together.struck.size();
  const std::size_t close = closing(impact).size();
  std::string out = fmt::format("\n{} and are resolved together, {}.\n\n",
                                all == close ? fmt::format("{} close", counted(all, "contact"))
                                             : fmt::format("{} touch, of which {} {},", counted(all, "contact"), close,
                                                           close == 1 ? "closes" : "close"),
                                together.method == "sequence" ? "as a sequence of single impacts, the fastest first"
                                                              : fmt::format("all at once by {}", together.method));
  if (together.answers.size() != 1) {
    out += law_rows(impact, together);
    for (const TogetherAnswer& a : together.answers)
      if (a.result && a.result->resolution.first_tie) {
        out +=
            "\nTies were broken: another order of the same impacts may lead elsewhere; --law NAME --ensemble 100 shows "
            "where.\n";
        break;
      }
    return out;
  }
  const ProblemAnswer& a = *together.answers[0].result;
  const Resolution& r = a.resolution;
  out += fmt::format("{}: {}\n", together.answers[0].law, a.verdict());
  if (r.first_tie)
    out += fmt::format("{} broken, the first at collision {}: contact {} before contact {}, equally fast{}\n",
                       counted(r.ties, "tie"), r.first_tie->collision, together.struck[r.first_tie->chosen] + 1,
                       together.struck[r.first_tie->other] + 1,
                       together.ensemble ? "" : "; --ensemble 100 shows what else could happen");
  if (a.settled())
    out += fmt::format("energy change {:.6g} J, largest remaining approach {:.2g} m/s; permissible: {}\n",
                       r.energy_change, r.remaining, a.permissible());
  out += "\n" + contact_rows(impact, together, r);
  if (together.ensemble) out += ensemble_text(*together.ensemble);
  return out;
}

}  // namespace ricochet::app
