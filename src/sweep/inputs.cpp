#include "ricochet/sweep/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ricochet/base/suggest.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/law/parameter_slots.hpp"

namespace ricochet::sweep {

Inputs::Inputs(const Collision& base)
    : mass_given(base.contact.mass_given),
      by_bodies(base.bodies.has_value()),
      A(base.contact.mass_given ? base.contact.M : base.contact.W),
      V(base.contact.V),
      n(base.contact.n),
      spin(base.contact.spin),
      point(base.point),
      parameters(base.settings) {
  if (base.bodies) bodies = {base.bodies->A, base.bodies->B};
}

Expected<Contact> Inputs::contact() const {
  if (!by_bodies) {
    Given given;
    (mass_given ? given.M : given.W) = A;
    given.V = V;
    given.n = n;
    given.spin = spin;
    return make_contact(given);
  }
  std::array<RigidBody, 2> both = bodies;
  for (RigidBody& body : both) {
    const double norm = body.orientation.norm();
    if (!(norm > 0 && std::isfinite(norm)))
      return fail(ErrorCode::out_of_range, "orientation", to_text(norm), "must have a length above 0, finite");
    // One of unit length is kept bit for bit, as by the reader of documents.
    if (std::abs(norm * norm - 1) > 4 * std::numeric_limits<double>::epsilon()) body.orientation.normalize();
  }
  return contact_between(both[0], both[1], point, n, {.A = "body[1]", .B = "body[2]"});
}

std::vector<std::string> field_names(const Collision& base) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& list, int count) {
    for (int k = 1; k <= count; ++k) out.push_back(fmt::format("{}[{}]", list, k));
  };
  const auto add_matrix = [&](const std::string& list) {
    for (int i = 1; i <= 3; ++i) add(fmt::format("{}[{}]", list, i), 3);
  };
  if (base.bodies) {
    add("point", 3);
    for (int k = 1; k <= 2; ++k) {
      const std::string body = fmt::format("body[{}].", k);
      if (!(k == 1 ? base.bodies->A : base.bodies->B).fixed) {
        out.push_back(body + "mass");
        add(body + "inertia", 3);
        add_matrix(body + "inertia");
      }
      for (const char* vector : {"position", "velocity", "angular_velocity"}) add(body + vector, 3);
      add(body + "orientation", 4);
    }
  } else {
    add_matrix(base.contact.mass_given ? "M" : "W");
    add("V", 3);
    add("spin", 3);
  }
  add("n", 3);
  for (const auto& slot : number_slots) out.emplace_back(slot.name);
  for (const auto& slot : vector_slots) add(std::string(slot.name), 3);
  return out;
}

Expected<Field> Field::find(std::string_view path, const Collision& base) {
  const std::vector<std::string> known = field_names(base);
  if (std::find(known.begin(), known.end(), path) == known.end()) {
    if (const auto kind = parameter_kind(path); kind == ParameterKind::word)
      return fail(ErrorCode::wrong_type, "", std::string(path), "is a word; a sweep varies numbers");
    // Long lists are named by their first entry, and parameters only where they are near.
    const std::vector<std::string_view> candidates(known.begin(), known.end());
    const std::string_view near = closest(path, candidates);
    const std::string shapes = base.bodies
                                   ? "point[1], n[1], body[2].mass, body[2].velocity[1] and so on, or a law parameter"
                                   : fmt::format("{}[1][1], V[1], n[1], spin[1] and so on, or a law parameter",
                                                 base.contact.mass_given ? "M" : "W");
    return fail(ErrorCode::unknown_name, "", std::string(path),
                near.empty() ? "no input of this collision; one of " + shapes
                             : fmt::format("no input of this collision; did you mean {}? one of {}", near, shapes));
  }
  Field out;
  if (path.starts_with("body[")) {
    out.body_ = path[5] == '1' ? 0 : 1;
    path.remove_prefix(path.find('.') + 1);
  }
  const std::string_view list = path.substr(0, path.find('['));
  std::vector<std::size_t> entries;
  for (std::size_t at = path.find('['); at != std::string_view::npos; at = path.find('[', at + 1))
    entries.push_back(static_cast<std::size_t>(path[at + 1] - '1'));
  if (!entries.empty()) out.row_ = entries.front();
  out.column_ = entries.size() > 1 ? entries[1] : out.row_;
  if (entries.size() > 1 && out.column_ < out.row_) std::swap(out.row_, out.column_);
  constexpr std::array<std::pair<std::string_view, Part>, 12> parts{{{"M", Part::matrix},
                                                                     {"W", Part::matrix},
                                                                     {"V", Part::V},
                                                                     {"n", Part::n},
                                                                     {"spin", Part::spin},
                                                                     {"point", Part::point},
                                                                     {"mass", Part::mass},
                                                                     {"inertia", Part::inertia},
                                                                     {"position", Part::position},
                                                                     {"orientation", Part::orientation},
                                                                     {"velocity", Part::velocity},
                                                                     {"angular_velocity", Part::angular_velocity}}};
  for (const auto& [key, part] : parts) {
    if (key != list) continue;
    out.part_ = part;
    return out;
  }
  out.name_ = parameter_name(list);
  out.number_ = slot_of(number_slots, out.name_);
  out.vector_ = slot_of(vector_slots, out.name_);
  out.part_ = out.number_ != nullptr ? Part::number : Part::vector;
  return out;
}

void Field::set(Inputs& inputs, double x) const {
  const auto i = static_cast<Eigen::Index>(row_), j = static_cast<Eigen::Index>(column_);
  RigidBody& body = inputs.bodies[body_];
  switch (part_) {
    case Part::number: inputs.parameters.*number_ = x; break;
    case Part::vector: {
      std::optional<Vec3>& vector = inputs.parameters.*vector_;
      if (!vector) vector = Vec3::Zero();
      (*vector)(i) = x;
      break;
    }
    case Part::matrix: inputs.A(i, j) = inputs.A(j, i) = x; break;
    case Part::V: inputs.V(i) = x; break;
    case Part::n: inputs.n(i) = x; break;
    case Part::spin: inputs.spin(i) = x; break;
    case Part::point: inputs.point(i) = x; break;
    case Part::mass: body.mass = x; break;
    case Part::inertia: body.inertia(i, j) = body.inertia(j, i) = x; break;
    case Part::position: body.position(i) = x; break;
    // Documents have w first, Eigen has it last.
    case Part::orientation: body.orientation.coeffs()((i + 3) % 4) = x; break;
    case Part::velocity: body.velocity(i) = x; break;
    case Part::angular_velocity: body.angular_velocity(i) = x; break;
  }
}

}  // namespace ricochet::sweep
