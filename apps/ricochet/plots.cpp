#include "plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "answer.hpp"
#include "body_pictures.hpp"
#include "ricochet/compliant/process.hpp"
#include "ricochet/report/energy_over_impulse.hpp"
#include "ricochet/report/force_over_time.hpp"
#include "ricochet/report/impact_process.hpp"
#include "ricochet/report/impulse_plane.hpp"
#include "ricochet/report/impulse_solid.hpp"
#include "ricochet/report/velocity_plane.hpp"
#include "ricochet/report/way.hpp"

namespace ricochet::app {
namespace {

constexpr std::array<std::string_view, 8> kinds{"impulse-plane", "impulse-solid", "energy", "velocity",
                                                "process",       "forces",        "before", "after"};

Expected<Section> section_of(const Collision& collision) {
  if (!collision.settings.mu) return fail("mu", "", "needed for a figure of impulse space");
  return section(collision.contact, *collision.settings.mu);
}

/// Restitution and friction of the file, for all models alike; spring-sledge and routh are the laws that it shows.
Expected<Plot> process_of(const Collision& collision) {
  if (!collision.settings.mu) return fail("mu", "", "needed for a process diagram");
  if (!collision.settings.e) return fail("e", "", "needed for a process diagram");
  ImpactProcessOptions options{.e = *collision.settings.e, .mu = *collision.settings.mu};
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

/// The way of spring-sledge is that of its process; of any other law, what its outcome tells.
Way way_of(const Collision& collision, const Answer& answer) {
  if (answer.law == "spring-sledge") {
    if (const auto process = compliant_process(collision)) {
      WayPiece piece{.points = {}, .form = WayPiece::Form::swerving};
      // What a spring holds, and what was lost in it, is what the impulse along it has done.
      for (const compliant::ProcessPoint& p : process->points)
        piece.points.push_back(
            {p.P, p.V, -(p.stored_normal + p.lost_normal), -(p.stored_tangential + p.lost_friction)});
      if (!piece.points.empty())
        return {.pieces = {piece},
                .marks = {{std::string(name(Event::start)), piece.points.front()},
                          {std::string(name(Event::end)), piece.points.back()}}};
    }
  }
  return ricochet::way_of(collision.contact, *answer.outcome, collision.settings.mu.value_or(0));
}

Expected<Plot> solid_of(const Collision& collision, const std::vector<Answer>& answers) {
  if (!collision.settings.mu) return fail("mu", "", "needed for a figure of impulse space");
  const auto space = impulse_space(collision.contact, *collision.settings.mu);
  if (!space) return tl::unexpected(space.error());
  ImpulseSolidOptions options;
  for (const Answer& a : answers)
    if (a.outcome) options.answers.emplace_back(std::string(a.law), a.outcome->P);
  return impulse_solid(*space, options);
}

Expected<Plot> of_one_law(const Collision& collision, std::string_view kind, const Answer& answer) {
  if (kind == "energy") return energy_over_impulse(collision.contact, way_of(collision, answer));
  if (kind == "velocity") return contact_speeds(collision.contact, way_of(collision, answer));
  const auto pictures = body_pictures(collision, answer);
  if (!pictures) return tl::unexpected(pictures.error());
  return kind == "before" ? pictures->before : pictures->after;
}

}  // namespace

std::span<const std::string_view> plot_kinds() { return kinds; }

std::vector<Vec3> path_of(const Collision& collision, const Answer& answer) {
  std::vector<Vec3> out = way_of(collision, answer).impulses();
  if (out.empty()) out = {Vec3::Zero(), answer.outcome->P};
  return out;
}

Expected<Plot> impulse_plane_of(const Collision& collision, std::span<const std::string_view> reaching,
                                std::span<const std::string_view> answering) {
  const auto cut = section_of(collision);
  if (!cut) return tl::unexpected(cut.error());
  ImpulsePlaneOptions options;
  for (const std::string_view law : reaching) {
    auto r = reach(collision.contact, law, collision.settings);
    if (!r) return tl::unexpected(r.error());
    options.reaches.push_back(*std::move(r));
  }
  for (const std::string_view law : answering) {
    const Answer answer = ask(law, collision);
    if (answer.outcome) options.answers.push_back(on_section(*cut, std::string(law), path_of(collision, answer)));
  }
  return impulse_plane(*cut, options);
}

Expected<Plot> plot_of(const Collision& collision, std::string_view kind, std::span<const std::string_view> laws) {
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    return fail("kind", std::string(kind), fmt::format("must be one of {}", fmt::join(kinds, ", ")));
  std::string title = collision.title.empty() ? "Collision" : collision.title;
  const auto titled = [&](Plot plot) {
    plot.id = kind;
    plot.title = std::move(title);
    return plot;
  };
  if (kind == "process" || kind == "forces") {
    if (!laws.empty())
      return fail("law", std::string(laws.front()),
                  kind == "process" ? "a process diagram shows spring-sledge and routh together; leave the law out"
                                    : "only spring-sledge has forces over time; leave the law out");
    return kind == "process" ? process_of(collision).map(titled)
                             : compliant_process(collision).map(force_over_time).map(titled);
  }
  std::vector<Answer> answers;
  if (laws.empty()) {
    answers = ask_all(collision);
  } else {
    for (const std::string_view law : laws) answers.push_back(ask(law, collision));
    if (laws.size() == 1 && !answers.front().outcome) return tl::unexpected(answers.front().outcome.error());
  }
  if (kind == "impulse-plane") {
    std::vector<std::string_view> names;
    names.reserve(answers.size());
    for (const Answer& a : answers) names.push_back(a.law);
    return impulse_plane_of(collision, {}, names).map(titled);
  }
  if (kind == "impulse-solid") return solid_of(collision, answers).map(titled);
  const Answer* chosen = nullptr;
  for (const Answer& a : answers)
    if (a.outcome && (chosen == nullptr || (laws.empty() && a.law == "routh"))) chosen = &a;
  if (chosen == nullptr) return fail("law", "", "no law has an answer for this collision");
  if (kind == "energy" || kind == "velocity") title += fmt::format(", {}", chosen->law);
  return of_one_law(collision, kind, *chosen).map(titled);
}

}  // namespace ricochet::app
