#include <pybind11/stl.h>

#include <limits>

#include "given_contacts.hpp"
#include "module.hpp"
#include "ricochet/law/derivatives.hpp"

namespace ricochet::python {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The arrays of a call's outcomes; those that are absent are not wanted.
struct Outcomes {
  const Leading* leading;
  Entries P, V, energy_change, normal_work, friction_work, margins, permissible, mode, termination, status;

  Outcomes(const py::dict& outputs, const Leading& of)
      : leading(&of),
        P(output<double>(outputs, "P", of)),
        V(output<double>(outputs, "V", of)),
        energy_change(output<double>(outputs, "energy_change", of)),
        normal_work(output<double>(outputs, "normal_work", of)),
        friction_work(output<double>(outputs, "friction_work", of)),
        margins(output<double>(outputs, "margins", of)),
        permissible(output<bool>(outputs, "permissible", of)),
        mode(output<std::uint8_t>(outputs, "mode", of)),
        termination(output<std::uint8_t>(outputs, "termination", of)),
        status(output<std::uint8_t>(outputs, "status", of)) {}

  void put(py::ssize_t i, const Outcome& outcome) const {
    P.put_vector(*leading, i, outcome.P);
    V.put_vector(*leading, i, outcome.V);
    energy_change.put_number(*leading, i, outcome.energy_change);
    normal_work.put_number(*leading, i, outcome.normal_work);
    friction_work.put_number(*leading, i, outcome.friction_work);
    put_margins(i, outcome.certificate.margins);
    permissible.put_number(*leading, i, outcome.certificate.permissible);
    mode.put_number(*leading, i, static_cast<std::uint8_t>(outcome.mode));
    termination.put_number(*leading, i, static_cast<std::uint8_t>(outcome.termination));
    status.put_number<std::uint8_t>(*leading, i, 0);
  }
  /// Without an answer: NaN, not permissible, and the code of the error.
  void put(py::ssize_t i, const Error& error) const {
    const Vec3 nothing = Vec3::Constant(nan);
    P.put_vector(*leading, i, nothing);
    V.put_vector(*leading, i, nothing);
    energy_change.put_number(*leading, i, nan);
    normal_work.put_number(*leading, i, nan);
    friction_work.put_number(*leading, i, nan);
    put_margins(i, Margins{nan, nan, nan, nan});
    permissible.put_number(*leading, i, false);
    mode.put_number(*leading, i, no_mode);
    termination.put_number(*leading, i, no_mode);
    status.put_number(*leading, i, static_cast<std::uint8_t>(static_cast<int>(error.code) + 1));
  }
  void put_margins(py::ssize_t i, const Margins& m) const {
    if (!margins.present()) return;
    char* place = margins.at(*leading, i);
    margins.put(place, m.energy, 0);
    margins.put(place, m.separation, 1);
    margins.put(place, m.compression, 2);
    margins.put(place, m.friction, 3);
  }

  static constexpr std::uint8_t no_mode = 255;
};

/// The law's parameters first: one that is wrong for all collisions is the same error for each of them.
Expected<Outcome> answer(LawOfEach& laws, const GivenContacts& contacts, py::ssize_t i) {
  const Expected<Law>& law = laws.at(i);
  if (!law) return tl::unexpected(law.error());
  const Expected<Contact> contact = contacts.contact(i);
  if (!contact) return tl::unexpected(contact.error());
  return collide(*law, *contact);
}

void collide_into(const std::string& law, const py::array& matrix, bool mass, const py::array& V, const py::array& n,
                  const std::vector<py::ssize_t>& shape, const std::optional<py::array>& spin, const py::dict& fixed,
                  const py::dict& numbers, const py::dict& vectors, const py::dict& outputs, unsigned threads,
                  bool raises) {
  const GivenContacts contacts(matrix, mass, V, n, shape, spin);
  const LawOfEach laws(law, fixed, numbers, vectors, contacts.leading);
  if (contacts.leading.count > 0 && find_law(law) == nullptr) raise(unknown_law(law));
  const Outcomes outcomes(outputs, contacts.leading);
  std::optional<IndexedError> failed;
  {
    const py::gil_scoped_release unlocked;
    failed = in_shares(contacts.leading.count, threads,
                       [&](py::ssize_t begin, py::ssize_t end) -> std::optional<IndexedError> {
                         LawOfEach own = laws;
                         for (py::ssize_t i = begin; i < end; ++i) {
                           const Expected<Outcome> outcome = answer(own, contacts, i);
                           if (outcome) {
                             outcomes.put(i, *outcome);
                           } else if (raises) {
                             return IndexedError{i, outcome.error()};
                           } else {
                             outcomes.put(i, outcome.error());
                           }
                         }
                         return std::nullopt;
                       });
  }
  if (failed) raise(failed->error, shape.empty() ? -1 : failed->index);
}

Expected<DifferentiatedOutcome> differentiated(LawOfEach& laws, const GivenContacts& contacts, py::ssize_t i) {
  const Expected<Law>& law = laws.at(i);
  if (!law) return tl::unexpected(law.error());
  const Expected<Contact> contact = contacts.contact(i);
  if (!contact) return tl::unexpected(contact.error());
  return collide_with_derivatives(*law, *contact);
}

/// The inputs that outcomes are differentiated by: a list of (name, first column, columns). From the first collision
/// that has derivatives.
py::list derivative_inputs(const std::string& law, const py::array& matrix, bool mass, const py::array& V,
                           const py::array& n, const std::vector<py::ssize_t>& shape,
                           const std::optional<py::array>& spin, const py::dict& fixed, const py::dict& numbers,
                           const py::dict& vectors) {
  const GivenContacts contacts(matrix, mass, V, n, shape, spin);
  LawOfEach laws(law, fixed, numbers, vectors, contacts.leading);
  std::optional<IndexedError> first_error;
  for (py::ssize_t i = 0; i < contacts.leading.count; ++i) {
    const auto outcome = differentiated(laws, contacts, i);
    if (!outcome && !first_error) first_error = IndexedError{i, outcome.error()};
    if (!outcome || outcome->derivatives.inputs == 0) continue;
    py::list out;
    for (int k = 0; k < outcome->derivatives.inputs; ++k) {
      const DerivativeInput& input = outcome->derivatives.input[static_cast<std::size_t>(k)];
      out.append(py::make_tuple(std::string(input.name), input.first, input.count));
    }
    return out;
  }
  if (first_error) raise(first_error->error, shape.empty() ? -1 : first_error->index);
  return py::list();
}

/// The jacobian has seven rows, P, V⁺ and ΔE, and the columns of derivative_inputs; NaN where there is none.
void derivatives_into(const std::string& law, const py::array& matrix, bool mass, const py::array& V,
                      const py::array& n, const std::vector<py::ssize_t>& shape, const std::optional<py::array>& spin,
                      const py::dict& fixed, const py::dict& numbers, const py::dict& vectors, const py::dict& outputs,
                      int width, unsigned threads, bool raises) {
  const GivenContacts contacts(matrix, mass, V, n, shape, spin);
  const Leading& leading = contacts.leading;
  const LawOfEach laws(law, fixed, numbers, vectors, leading);
  const Outcomes outcomes(outputs, leading);
  const Entries jacobian = output<double>(outputs, "jacobian", leading);
  const Entries kink = output<bool>(outputs, "kink", leading);
  std::optional<IndexedError> failed;
  {
    const py::gil_scoped_release unlocked;
    failed = in_shares(leading.count, threads, [&](py::ssize_t begin, py::ssize_t end) -> std::optional<IndexedError> {
      LawOfEach own = laws;
      for (py::ssize_t i = begin; i < end; ++i) {
        const auto outcome = differentiated(own, contacts, i);
        if (!outcome && raises) return IndexedError{i, outcome.error()};
        if (outcome) {
          outcomes.put(i, outcome->outcome);
        } else {
          outcomes.put(i, outcome.error());
        }
        kink.put_number(leading, i, outcome && !outcome->kink.empty());
        const bool known = outcome && outcome->kink.empty();
        char* place = jacobian.at(leading, i);
        for (int row = 0; row < 7; ++row)
          for (int column = 0; column < width; ++column)
            jacobian.put(place, known ? outcome->derivatives.jacobian(row, column) : nan, row, column);
      }
      return std::nullopt;
    });
  }
  if (failed) raise(failed->error, shape.empty() ? -1 : failed->index);
}

}  // namespace

void bind_collide(py::module_& m) {
  m.def("collide_into", &collide_into);
  m.def("derivative_inputs", &derivative_inputs);
  m.def("derivatives_into", &derivatives_into);
  m.def("laws", [] {
    py::list out;
    for (const LawInfo& info : laws()) out.append(to_python(to_json(info)));
    return out;
  });
  m.def("check_parameter", [](const std::string& key) {
    const auto kind = parameter_kind(key);
    if (!kind) {
      LawParameters unused;
      check_or_raise(set(unused, key, Value(0.0)));
    }
    return std::string(name(kind.value_or(ParameterKind::number)));
  });
  py::list modes, terminations, codes;
  for (int i = 0; i <= static_cast<int>(Mode::stick_slip); ++i) modes.append(std::string(name(static_cast<Mode>(i))));
  for (int i = 0; i <= static_cast<int>(Termination::rings); ++i)
    terminations.append(std::string(describe(static_cast<Termination>(i))));
  for (int i = 0; i <= static_cast<int>(ErrorCode::overflow); ++i)
    codes.append(std::string(name(static_cast<ErrorCode>(i))));
  m.attr("modes") = modes;
  m.attr("terminations") = terminations;
  m.attr("error_codes") = codes;
}

}  // namespace ricochet::python
