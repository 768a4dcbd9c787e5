#include "ricochet/report/collision_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ricochet/compliant/process.hpp"
#include "ricochet/report/body_pictures.hpp"
#include "ricochet/report/energy_over_impulse.hpp"
#include "ricochet/report/force_over_time.hpp"
#include "ricochet/report/impact_process.hpp"
#include "ricochet/report/impulse_plane.hpp"
#include "ricochet/report/impulse_solid.hpp"
#include "ricochet/report/velocity_plane.hpp"

namespace ricochet {
namespace {

constexpr std::array<std::string_view, 8> kinds{"impulse-plane", "impulse-solid", "energy", "velocity",
                                                "process",       "forces",        "before", "after"};

/// Restitution and friction of the file apply to all models shown, spring-sledge and routh.
Expected<Plot> process_of(const Collision& collision, bool short_names) {
  if (!collision.settings.mu) return fail(ErrorCode::missing, "mu", "", "needed for a process diagram");
  if (!collision.settings.e) return fail(ErrorCode::missing, "e", "", "needed for a process diagram");
  ImpactProcessOptions options{.e = *collision.settings.e, .mu = *collision.settings.mu, .short_names = short_names};
  if (const auto& kappa = collision.settings.kappa) {
    const auto same = [&](double k) { return std::abs(k - *kappa) <= 0.01 * k; };
    if (std::none_of(options.kappas.begin(), options.kappas.end(), same))
      options.kappas.insert(std::upper_bound(options.kappas.begin(), options.kappas.end(), *kappa), *kappa);
  }
  return impact_process(collision.contact, options);
}

Expected<compliant::Process> compliant_process(const Collision& collision) {
  const auto law = make_law("spring-sledge", collision.settings);
  if (!law) return tl::unexpected(law.error());
  return compliant::process(std::get<SpringSledge>(*law), collision.contact);
}

Expected<Plot> solid_of(const Collision& collision, const std::vector<const Answer*>& answers) {
  if (!collision.settings.mu) return fail(ErrorCode::missing, "mu", "", "needed for a figure of impulse space");
  const auto space = impulse_space(collision.contact, *collision.settings.mu);
  if (!space) return tl::unexpected(space.error());
  ImpulseSolidOptions options;
  for (const Answer* a : answers)
    if (a->outcome) options.answers.emplace_back(std::string(a->law), a->outcome->P);
  return impulse_solid(*space, options);
}

Expected<Plot> of_one_law(Answers& answers, std::string_view kind, std::string_view law) {
  const Collision& collision = answers.collision();
  if (kind == "energy") return energy_over_impulse(collision.contact, answers.way(law));
  if (kind == "velocity") return contact_speeds(collision.contact, answers.way(law));
  const auto pictures = body_pictures(collision, answers.of(law));
  if (!pictures) return tl::unexpected(pictures.error());
  return kind == "before" ? pictures->before : pictures->after;
}

}  // namespace

std::span<const std::string_view> plot_kinds() { return kinds; }

Expected<std::vector<Reach>> reaches_of(const Collision& collision, std::span<const std::string_view> laws) {
  std::vector<Reach> out;
  for (const std::string_view law : laws) {
    auto r = reach(collision.contact, law, collision.settings);
    if (!r) return tl::unexpected(r.error());
    out.push_back(*std::move(r));
  }
  return out;
}

Expected<Plot> impulse_plane_of(Answers& answers, PlaneExtras extras, std::span<const std::string_view> answering) {
  const Collision& collision = answers.collision();
  if (!collision.settings.mu) return fail(ErrorCode::missing, "mu", "", "needed for a figure of impulse space");
  SectionOptions lines;
  ImpulsePlaneOptions options{.reaches = std::move(extras.reaches), .short_names = extras.short_names};
  if (const auto& e = collision.settings.e; extras.own_e && e && std::isfinite(*e) && *e >= 0) {
    options.e = e;
    if (std::find(lines.e_lines.begin(), lines.e_lines.end(), *e) == lines.e_lines.end()) lines.e_lines.push_back(*e);
  }
  const auto cut = section(collision.contact, *collision.settings.mu, lines);
  if (!cut) return tl::unexpected(cut.error());
  for (const std::string_view law : answering)
    if (answers.of(law).outcome) options.answers.push_back(on_section(*cut, std::string(law), answers.path(law)));
  return impulse_plane(*cut, options);
}

Expected<Plot> plot_of(Answers& answers, std::string_view kind, std::span<const std::string_view> asked,
                       PlaneExtras extras) {
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    return fail(ErrorCode::out_of_range, "kind", std::string(kind),
                fmt::format("must be one of {}", fmt::join(kinds, ", ")));
  const Collision& collision = answers.collision();
  std::string title = collision.title.empty() ? "Collision" : collision.title;
  const auto titled = [&](Plot plot) {
    plot.id = kind;
    plot.title = std::move(title);
    return plot;
  };
  if (kind == "process" || kind == "forces") {
    if (!asked.empty())
      return fail(ErrorCode::conflict, "law", std::string(asked.front()),
                  kind == "process" ? "a process diagram shows spring-sledge and routh together; leave the law out"
                                    : "only spring-sledge has forces over time; leave the law out");
    return kind == "process" ? process_of(collision, extras.short_names).map(titled)
                             : compliant_process(collision).map(force_over_time).map(titled);
  }
  std::vector<std::string_view> names(asked.begin(), asked.end());
  const bool several = kind == "impulse-plane" || kind == "impulse-solid";
  if (asked.empty() && !(several && extras.only_asked))
    for (const LawInfo& info : laws()) names.push_back(info.name);
  std::vector<const Answer*> found;
  found.reserve(names.size());
  for (const std::string_view law : names) found.push_back(&answers.of(law));
  if (asked.size() == 1 && !found.front()->outcome) return tl::unexpected(found.front()->outcome.error());
  if (kind == "impulse-plane") return impulse_plane_of(answers, std::move(extras), names).map(titled);
  if (kind == "impulse-solid") return solid_of(collision, found).map(titled);
  const Answer* chosen = nullptr;
  for (const Answer* a : found)
    if (a->outcome && (chosen == nullptr || (asked.empty() && a->law == "routh"))) chosen = a;
  if (chosen == nullptr) return fail(ErrorCode::no_solution, "", "", "no law has an answer for this collision");
  if (kind == "energy" || kind == "velocity") title += fmt::format(", {}", chosen->law);
  return of_one_law(answers, kind, chosen->law).map(titled);
}

}  // namespace ricochet
