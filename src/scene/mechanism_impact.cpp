#include "ricochet/scene/mechanism_impact.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>

#include "ricochet/base/read_number.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/scene/bundled_systems.hpp"

namespace ricochet {
namespace {

/// The selected contact: a number from the list, a pair of names or, by default, the only approaching one.
Expected<std::size_t> choose(const std::vector<CandidateContact>& found, const std::string& wanted) {
  std::vector<std::size_t> fitting;
  if (wanted.empty()) {
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].approach() > 0) fitting.push_back(i);
    if (fitting.empty())
      return fail(ErrorCode::missing, "contact", "",
                  "none that closes is within reach; see --reach, --list and --contact");
  } else if (const auto number = read_number(wanted)) {
    const double i = *number;
    if (!(i >= 1 && i <= static_cast<double>(found.size())) || i != std::floor(i))
      return fail(ErrorCode::out_of_range, "contact", wanted,
                  fmt::format("must be from 1 to {}, the contacts within reach", found.size()));
    return static_cast<std::size_t>(i) - 1;
  } else {
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i].pair() == wanted || fmt::format("{}:{}", found[i].at.second, found[i].at.first) == wanted)
        fitting.push_back(i);
    if (fitting.empty())
      return fail(ErrorCode::unknown_name, "contact", wanted,
                  "is not among the contacts within reach; see --list and --reach");
  }
  if (fitting.size() == 1) return fitting[0];
  std::string names;
  for (const std::size_t i : fitting)
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", i + 1, found[i].pair());
  return fail(ErrorCode::conflict, "contact", wanted,
              fmt::format("several fit: {}; choose one by its number with --contact", names));
}

std::string no_such_system(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Bundled& system : bundled_systems()) names.push_back(system.name);
  const std::string_view near = closest(name, names);
  return near.empty() ? "is neither a file nor a bundled system; see impact --systems"
                      : fmt::format("is neither a file nor a bundled system; did you mean {}?", near);
}

bool is_robot_file(std::string_view name) {
  return name.ends_with(".xml") || name.ends_with(".mjcf") || name.ends_with(".urdf");
}

}  // namespace

std::string CandidateContact::pair() const { return fmt::format("{}:{}", at.first, at.second); }

bool is_mechanism(std::string_view name) { return find_bundled(name) != nullptr || is_robot_file(name); }

Expected<std::unique_ptr<Machine>> open_machine(const std::string& name, const std::vector<NamedNumbers>& sizes) {
  if (const Bundled* bundled = find_bundled(name)) return make_bundled(*bundled, sizes);
  if (!sizes.empty())
    return fail(ErrorCode::conflict, "size", "", "only a bundled system has sizes; see impact --systems");
  if (name.find_first_of("./") == std::string::npos && !std::ifstream(name))
    return fail(ErrorCode::unknown_name, "model", "", no_such_system(name));
  return open_robot(name);
}

std::vector<PlanarAnswer> MechanismImpact::ask_planar_laws() const {
  std::vector<PlanarAnswer> out;
  if (const auto problem = in_its_plane(response))
    for (const LawInfo& form : planar_closed_forms()) out.push_back(ask_planar(form, collision.settings, *problem));
  return out;
}

Expected<void> place(MechanismImpact& impact, VecX q, VecX u, bool assemble) {
  if (assemble) {
    const auto closed = impact.machine->close_loops(q);
    if (!closed) return tl::unexpected(closed.error());
    q = *closed;
    const auto admissible = impact.machine->admissible_speeds(q, u);
    if (!admissible) return tl::unexpected(admissible.error());
    u = *admissible;
  }
  if (const auto fine = impact.machine->place(q, u); !fine) return fine;
  impact.q = std::move(q);
  impact.u = std::move(u);
  return {};
}

Expected<void> find_contacts(MechanismImpact& impact, double reach) {
  const auto contacts = impact.machine->contacts(reach);
  if (!contacts) return tl::unexpected(contacts.error());
  impact.contacts.clear();
  for (const ContactPoint& at : *contacts) impact.contacts.push_back({at, at.J * impact.u});
  return {};
}

Expected<void> find_contacts(MechanismImpact& impact, const StatedContact& stated) {
  auto at = impact.machine->contact_point(stated);
  if (!at) return tl::unexpected(at.error());
  impact.contacts = {{*at, at->J * impact.u}};
  return {};
}

Expected<void> strike(MechanismImpact& impact, const std::string& wanted) {
  const auto chosen = choose(impact.contacts, wanted);
  if (!chosen) return tl::unexpected(chosen.error());
  const CandidateContact& hit = impact.contacts[*chosen];
  if (!(hit.approach() > 0))
    return fail(ErrorCode::invalid, "contact", hit.pair(),
                fmt::format("must close, but its approach speed is {} m/s", to_text(hit.approach())));
  auto response = respond(impact.machine->solver(), hit.at, impact.u);
  if (!response) return tl::unexpected(response.error());
  impact.chosen = *chosen;
  impact.response = *std::move(response);
  impact.collision.contact = impact.response.contact;
  impact.collision.body_a = hit.at.first;
  impact.collision.body_b = hit.at.second;
  return {};
}

}  // namespace ricochet
