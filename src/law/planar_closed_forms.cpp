#include "ricochet/law/planar_closed_forms.hpp"

namespace ricochet {
namespace {

/// Stands for the struct of any of the methods: only the description is needed here.
struct AnyMethod {
  double e, mu, mu_s;
};
constexpr auto& parameters = PlanarParameters<AnyMethod>::parameters;

constexpr std::array<LawInfo, 4> table{
    {{.name = "morgan",
      .title = "planar impact in closed form with energetic restitution",
      .source = "M11 chapter 2",
      .parameters = parameters,
      .cone = "mu_s",
      .guarantees = {true, true, true},
      .caveat = "requires a planar contact; the impulse is that of routh with restitution stronge",
      .planar = true,
      .domain = LawDomain::planar_mechanism},
     {.name = "shen-townsend",
      .title = "planar impact in closed form with Poisson's restitution",
      .source = "ST98 section 4",
      .parameters = parameters,
      .cone = "mu_s",
      .guarantees = {true, true, true},
      .caveat = "requires a planar contact; the impulse is that of routh with restitution poisson",
      .planar = true,
      .domain = LawDomain::planar_mechanism},
     {.name = "conventional",
      .title = "the whole impact at once with Newton's restitution, for comparison",
      .source = "ST98 Table 2",
      .parameters = parameters,
      .cone = "mu_s",
      .guarantees = {false, true, true},
      .caveat = "requires a planar contact; wrong where slip reverses, and can gain energy",
      .planar = true,
      .domain = LawDomain::planar_mechanism},
     {.name = "conventional-reversed",
      .title = "the same, with friction against the slip that a reversal would leave",
      .source = "ST98 Table 1; KL85",
      .parameters = parameters,
      .cone = "mu_s",
      .guarantees = {false, true, true},
      .caveat = "requires a planar contact; wrong where slip does not reverse, and can gain energy",
      .planar = true,
      .domain = LawDomain::planar_mechanism}}};

}  // namespace

std::span<const LawInfo> planar_closed_forms() { return table; }

const LawInfo* find_planar_closed_form(std::string_view name) {
  for (const LawInfo& info : table)
    if (info.name == name) return &info;
  return nullptr;
}

}  // namespace ricochet
