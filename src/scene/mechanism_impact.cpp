#include "ricochet/scene/mechanism_impact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/read_number.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/mechanism/touching.hpp"
#include "ricochet/scene/bundled_systems.hpp"

namespace ricochet {
namespace {

/// Whether the words name the two bodies of a contact, by their shapes or by themselves, in either order.
bool names(const ContactPoint& at, std::string_view a, std::string_view b) {
  const auto is = [](std::string_view word, const std::string& shape, const std::string& body) {
    return word == shape || (!body.empty() && word == body);
  };
  return (is(a, at.first, at.first_body) && is(b, at.second, at.second_body)) ||
         (is(b, at.first, at.first_body) && is(a, at.second, at.second_body));
}

/// Names may have colons: every one of `wanted` may be the one between the two.
bool named(const ContactPoint& at, std::string_view wanted) {
  for (std::size_t i = wanted.find(':'); i != std::string_view::npos; i = wanted.find(':', i + 1))
    if (names(at, wanted.substr(0, i), wanted.substr(i + 1))) return true;
  return false;
}

/// The selected contact: a number from the list, a pair of names or, by default, the only approaching one.
Expected<std::size_t> choose(const MechanismImpact& impact, const std::string& wanted) {
  const std::vector<CandidateContact>& found = impact.contacts;
  std::vector<std::size_t> fitting;
  if (wanted.empty()) {
    fitting = closing(impact);
    if (fitting.empty()) return tl::unexpected(nothing_closes(impact));
  } else if (const auto number = read_number(wanted)) {
    const double i = *number;
    if (!(i >= 1 && i <= static_cast<double>(found.size())) || i != std::floor(i))
      return fail(ErrorCode::out_of_range, "contact", wanted,
                  fmt::format("must be from 1 to {}, the contacts within reach", found.size()));
    return static_cast<std::size_t>(i) - 1;
  } else {
    for (std::size_t i = 0; i < found.size(); ++i)
      if (named(found[i].at, wanted)) fitting.push_back(i);
    if (fitting.empty())
      return fail(ErrorCode::unknown_name, "contact", wanted,
                  "is not among the contacts within reach; see --list and --reach");
    // Of several points of one pair those that close are meant.
    if (fitting.size() > 1) {
      std::vector<std::size_t> fast;
      for (const std::size_t i : fitting)
        if (found[i].closes()) fast.push_back(i);
      if (!fast.empty()) fitting = std::move(fast);
    }
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
  return name.ends_with(".xml") || name.ends_with(".mjcf") || name.ends_with(".urdf") || name.ends_with(".xacro");
}

/// V is a sum of terms J u: what is below their rounding is none.
CandidateContact candidate(ContactPoint at, const VecX& u) {
  CandidateContact out;
  out.V = at.J * u;
  const Vec3 terms = at.J.cwiseAbs() * u.cwiseAbs();
  out.rounding = 16 * std::numeric_limits<double>::epsilon() * at.n.cwiseAbs().dot(terms);
  out.at = std::move(at);
  return out;
}

void add_floor_contacts(const MechanismImpact& impact, double reach, std::vector<ContactPoint>& out) {
  for (const LinkShape& solid : impact.machine->striking_shapes()) {
    if (solid.fixed) continue;
    for (const Touch& touch : half_space_contacts(*impact.floor, solid.shape, reach)) {
      ContactPoint at = touching(touch);
      at.first = at.first_body = "floor";
      at.second = solid.name;
      at.second_body = solid.body;
      at.J = impact.machine->jacobian(solid.link, at.point);
      out.push_back(std::move(at));
    }
  }
}

}  // namespace

std::string CandidateContact::pair() const { return fmt::format("{}:{}", at.first, at.second); }

std::vector<std::size_t> closing(const MechanismImpact& impact) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < impact.contacts.size(); ++i)
    if (impact.contacts[i].closes()) out.push_back(i);
  return out;
}

std::vector<std::size_t> taking_part(const MechanismImpact& impact) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < impact.contacts.size(); ++i)
    if (impact.contacts[i].closes() || !impact.contacts[i].at.within) out.push_back(i);
  return out;
}

bool several_take_part(const MechanismImpact& impact) {
  const auto close = closing(impact).size();
  const auto at_rest = std::count_if(impact.contacts.begin(), impact.contacts.end(), [](const CandidateContact& c) {
    return !c.closes() && !c.separates() && !c.at.within;
  });
  return close > 1 || (close == 1 && at_rest > 0);
}

Error nothing_closes(const MechanismImpact& impact) {
  Error error{ErrorCode::missing, "contact", "", ""};
  if (impact.contacts.empty()) {
    error.allowed =
        "none is within reach, so nothing can be struck; --reach widens it, --drop sets a robot on the floor";
    return error;
  }
  const CandidateContact* nearest = &impact.contacts[0];
  for (const CandidateContact& c : impact.contacts)
    if (c.approach() > nearest->approach()) nearest = &c;
  error.value = nearest->pair();
  error.allowed = impact.u.isZero(0)
                      ? "none closes, because everything is at rest; --u JOINT=SPEED gives speeds, --drop "
                        "SPEED lets a robot fall"
                  : std::abs(nearest->approach()) <= nearest->rounding
                      ? "none closes: the nearest to it only slides; --u JOINT=SPEED changes speeds"
                      : fmt::format("none closes: even this one separates at {} m/s; --u JOINT=SPEED changes speeds",
                                    to_text(-nearest->approach()));
  return error;
}

bool is_mechanism(std::string_view name) { return find_bundled(name) != nullptr || is_robot_file(name); }

Expected<std::unique_ptr<Machine>> open_machine(const std::string& name, const std::vector<NamedNumbers>& sizes,
                                                const RobotOptions& options) {
  if (const Bundled* bundled = find_bundled(name)) return make_bundled(*bundled, sizes);
  if (!sizes.empty())
    return fail(ErrorCode::conflict, "size", "", "only a bundled system has sizes; see impact --systems");
  if (name.find_first_of("./") == std::string::npos && !std::ifstream(name))
    return fail(ErrorCode::unknown_name, "model", "", no_such_system(name));
  return open_robot(name, options);
}

std::vector<PlanarAnswer> MechanismImpact::ask_planar_laws() const {
  std::vector<PlanarAnswer> out;
  if (const auto problem = in_its_plane(response))
    for (const LawInfo& form : planar_closed_forms()) out.push_back(ask_planar(form, collision.settings, *problem));
  return out;
}

Expected<void> place(MechanismImpact& impact, VecX q, VecX u, bool assemble, const HeldJoints& held) {
  if (assemble) {
    const auto closed = impact.machine->close_loops(q, held.q);
    if (!closed) return tl::unexpected(closed.error());
    q = *closed;
    const auto admissible = impact.machine->admissible_speeds(q, u, held.u);
    if (!admissible) return tl::unexpected(admissible.error());
    u = *admissible;
  }
  if (const auto fine = impact.machine->place(q, u); !fine) return fine;
  impact.q = std::move(q);
  impact.u = std::move(u);
  return {};
}

Expected<void> find_contacts(MechanismImpact& impact, double reach, bool moving_only) {
  if (impact.tap) {
    impact.contacts = {candidate(*impact.tap, impact.u)};
    impact.uncertain.clear();
    return {};
  }
  auto contacts = impact.machine->contacts(reach, moving_only);
  if (!contacts) return tl::unexpected(contacts.error());
  if (impact.floor) add_floor_contacts(impact, reach, contacts->points);
  impact.contacts.clear();
  impact.uncertain = std::move(contacts->uncertain);
  for (ContactPoint& at : contacts->points) impact.contacts.push_back(candidate(std::move(at), impact.u));
  return {};
}

Expected<void> find_contacts(MechanismImpact& impact, const StatedContact& stated) {
  auto at = impact.machine->contact_point(stated);
  if (!at) return tl::unexpected(at.error());
  impact.contacts = {candidate(*std::move(at), impact.u)};
  impact.uncertain.clear();
  return {};
}

Expected<void> find_contacts(MechanismImpact& impact, std::span<const SceneContact> stated) {
  impact.contacts.clear();
  impact.uncertain.clear();
  for (std::size_t i = 0; i < stated.size(); ++i) {
    auto at = impact.machine->contact_point(stated[i].at);
    if (!at) return tl::unexpected(under(entry_path("contact", i), at.error()));
    CandidateContact contact = candidate(*std::move(at), impact.u);
    contact.law = stated[i].law;
    contact.settings = stated[i].settings;
    impact.contacts.push_back(std::move(contact));
  }
  return {};
}

LawParameters parameters_of(const MechanismImpact& impact, std::size_t contact) {
  LawParameters out = impact.collision.settings;
  for (const std::string_view name : parameter_names())
    if (const auto own = get(impact.contacts[contact].settings, name)) (void)set(out, name, *own);
  return out;
}

Expected<void> strike(MechanismImpact& impact, const std::string& wanted) {
  const auto chosen = choose(impact, wanted);
  if (!chosen) return tl::unexpected(chosen.error());
  const CandidateContact& hit = impact.contacts[*chosen];
  if (!hit.closes())
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
