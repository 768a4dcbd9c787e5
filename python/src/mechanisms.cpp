#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "module.hpp"
#include "raise.hpp"
#include "ricochet/io/mechanism_json.hpp"
#include "ricochet/io/state_toml.hpp"
#include "ricochet/scene/bundled_systems.hpp"
#include "ricochet/scene/hints.hpp"
#include "ricochet/scene/landing.hpp"
#include "ricochet/scene/mechanism_impact.hpp"
#include "ricochet/scene/strike_together.hpp"

namespace ricochet::python {
namespace {

/// {"hip": 0.3, "root": [0, 0, 1, 1, 0, 0, 0]}, or all numbers in order.
std::vector<NamedNumbers> named_numbers(const py::object& given) {
  std::vector<NamedNumbers> out;
  if (given.is_none()) return out;
  const auto numbers = [](const py::handle& value) {
    return py::isinstance<py::float_>(value) || py::isinstance<py::int_>(value)
               ? std::vector<double>{value.cast<double>()}
               : value.cast<std::vector<double>>();
  };
  if (py::isinstance<py::dict>(given)) {
    for (const auto& [key, value] : given.cast<py::dict>()) out.push_back({key.cast<std::string>(), numbers(value), 0});
  } else {
    out.push_back({"", numbers(given), 0});
  }
  return out;
}

/// The entries of q or u that belong to the joint, or all of them without a name.
void mark(const Machine& machine, const std::string& name, bool position, std::vector<bool>& given) {
  for (const Coordinate& c : machine.coordinates()) {
    if (!name.empty() && c.name != name) continue;
    const auto first = static_cast<std::ptrdiff_t>(position ? c.position : c.speed);
    std::fill_n(given.begin() + first, position ? c.positions : c.speeds, true);
  }
}

/// A mechanism in a state, with the contacts within reach, as `ricochet impact` prepares it.
class Impact {
 public:
  Impact(const std::string& model, const py::object& q, const py::object& u, const py::object& size, bool assemble,
         double reach, const std::string& contact, const std::optional<double>& drop, const py::dict& parameters)
      : model_(model) {
    impact_.machine = value_or_raise(open_machine(model, named_numbers(size)));
    VecX positions = impact_.machine->default_q(), speeds = impact_.machine->default_u();
    std::vector<bool> given_q(static_cast<std::size_t>(positions.size())),
        given_u(static_cast<std::size_t>(speeds.size()));
    for (const NamedNumbers& numbers : named_numbers(q)) {
      check_or_raise(put(*impact_.machine, numbers, true, positions));
      mark(*impact_.machine, numbers.name, true, given_q);
    }
    for (const NamedNumbers& numbers : named_numbers(u)) {
      check_or_raise(put(*impact_.machine, numbers, false, speeds));
      mark(*impact_.machine, numbers.name, false, given_u);
    }
    impact_.collision.settings = parameters_from(parameters);
    const bool stated = contact.find('@') != std::string::npos;
    if (drop) {
      if (impact_.machine->description() == nullptr)
        raise(Error{ErrorCode::conflict, "drop", "", "goes with robot files"});
      LandingOptions landing;
      landing.speed = *drop;
      landing.given_q = given_q;
      landing.given_u = given_u;
      landing_ = value_or_raise(land(impact_, std::move(positions), std::move(speeds), landing));
    } else {
      check_or_raise(place(impact_, std::move(positions), std::move(speeds), assemble));
    }
    if (stated) {
      check_or_raise(find_contacts(impact_, value_or_raise(read_contact(contact))));
      wanted_ = "1";
    } else {
      check_or_raise(find_contacts(impact_, reach, landing_.has_value()));
      wanted_ = contact;
    }
  }

  [[nodiscard]] Json head() const {
    Json joints = Json::array();
    for (const Coordinate& c : impact_.machine->coordinates())
      joints.push_back({{"name", c.name}, {"q", c.position}, {"u", c.speed}, {"speeds", c.speeds}});
    Json out{{"model", model_},         {"joints", std::move(joints)},         {"q", to_json(impact_.q)},
             {"u", to_json(impact_.u)}, {"energy", impact_.energy(impact_.u)}, {"contacts", to_json(impact_.contacts)}};
    if (landing_) out["landing"] = to_json(*landing_);
    return out;
  }

  /// The answers of one law or of all, at one contact or, where several take part and none was picked, together.
  [[nodiscard]] Json answer(const std::string& law, const std::string& method) {
    if (law != "all" && find_law(law) == nullptr) raise(unknown_law(law));
    if (wanted_.empty() && (several_take_part(impact_) || method != "sequence")) return answer_together(law, method);
    check_or_raise(strike(impact_, wanted_));
    impact_.collision.settings = parameters_of(impact_, impact_.chosen);
    const std::vector<Answer> answers =
        law == "all" ? impact_.ask_laws() : std::vector<Answer>{ask(law, impact_.collision)};
    if (const auto refusal = refusal_of(answers)) raise(*refusal);
    Json out = head();
    out["chosen"] = impact_.chosen + 1;
    out["W"] = to_json(impact_.response.W);
    Json all = Json::array();
    for (const Answer& one : answers) {
      Json entry = to_json(one);
      if (one.outcome) {
        const VecX after = impact_.response.after(one.outcome->P);
        entry["u"] = to_json(after);
        entry["energy"] = impact_.energy(after);
      }
      all.push_back(std::move(entry));
    }
    out["answers"] = std::move(all);
    return out;
  }

 private:
  [[nodiscard]] Json answer_together(const std::string& law, const std::string& method) {
    if (closing(impact_).empty()) raise(nothing_closes(impact_));
    Together result;
    result.struck = taking_part(impact_);
    result.method = method;
    for (const LawInfo& info : laws())
      if (law == "all" || law == info.name)
        result.answers.push_back(
            strike_together(impact_, result.struck, AskedLaw{info.name, law != "all"}, method, SequenceOptions{}));
    if (const auto refusal = refusal_of(result.answers)) raise(*refusal);
    Json out = head();
    out.update(to_json(impact_, result));
    return out;
  }

  std::string model_, wanted_;
  MechanismImpact impact_;
  std::optional<Landing> landing_;
};

}  // namespace

void bind_mechanisms(py::module_& m) {
  m.def("impact", [](const std::string& model, const std::string& law, const py::object& q, const py::object& u,
                     const py::object& size, bool assemble, double reach, const std::string& contact,
                     const std::optional<double>& drop, const std::string& method, const py::dict& parameters) {
    Impact impact(model, q, u, size, assemble, reach, contact, drop, parameters);
    return to_python(law.empty() ? impact.head() : impact.answer(law, method));
  });
  m.def("systems", [] {
    py::dict out;
    for (const Bundled& system : bundled_systems()) out[py::str(std::string(system.name))] = std::string(system.what);
    return out;
  });
}

}  // namespace ricochet::python
