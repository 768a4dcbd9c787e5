#include <pybind11/stl.h>

#include <limits>

#include "given_contacts.hpp"
#include "module.hpp"
#include "ricochet/space/impulse_space.hpp"

namespace ricochet::python {
namespace {

/// P_I, P_II, energy; with extremes the highest rebound and the centroid and volume of the permissible region, too.
void impulse_space_into(const py::array& matrix, bool mass, const py::array& V, const py::array& n,
                        const std::vector<py::ssize_t>& shape, const py::array& mu_array, const py::dict& outputs,
                        unsigned threads) {
  const GivenContacts contacts(matrix, mass, V, n, shape);
  const Leading& leading = contacts.leading;
  const Entries mu(mu_array, leading, false);
  const Entries P_I = output<double>(outputs, "P_I", leading), P_II = output<double>(outputs, "P_II", leading),
                energy = output<double>(outputs, "energy", leading),
                highest_e = output<double>(outputs, "highest_e", leading),
                highest_P = output<double>(outputs, "highest_P", leading),
                centroid_P = output<double>(outputs, "centroid", leading),
                volume = output<double>(outputs, "volume", leading);
  std::optional<IndexedError> failed;
  {
    const py::gil_scoped_release unlocked;
    failed = in_shares(leading.count, threads, [&](py::ssize_t begin, py::ssize_t end) -> std::optional<IndexedError> {
      for (py::ssize_t i = begin; i < end; ++i) {
        const Expected<Contact> contact = contacts.contact(i);
        if (!contact) return IndexedError{i, contact.error()};
        const auto space = impulse_space(*contact, mu.number(leading, i));
        if (!space) return IndexedError{i, space.error()};
        P_I.put_vector(leading, i, space->P_I);
        P_II.put_vector(leading, i, space->P_II);
        energy.put_number(leading, i, space->energy);
        if (highest_e.present() || highest_P.present()) {
          const auto highest = highest_rebound(*contact, space->mu);
          if (!highest) return IndexedError{i, highest.error()};
          highest_e.put_number(leading, i, highest->e);
          highest_P.put_vector(leading, i, highest->P);
        }
        if (centroid_P.present() || volume.present()) {
          const auto centre = centroid(*contact, space->mu);
          if (!centre) return IndexedError{i, centre.error()};
          centroid_P.put_vector(leading, i, centre->P);
          volume.put_number(leading, i, centre->volume);
        }
      }
      return std::nullopt;
    });
  }
  if (failed) raise(failed->error, shape.empty() ? -1 : failed->index);
}

/// The four margins of an impulse and whether it is permissible.
void certify_into(const py::array& matrix, bool mass, const py::array& V, const py::array& n,
                  const std::vector<py::ssize_t>& shape, const py::array& P_array, const py::array& mu_array,
                  const py::dict& outputs, unsigned threads) {
  const GivenContacts contacts(matrix, mass, V, n, shape);
  const Leading& leading = contacts.leading;
  const Entries mu(mu_array, leading, false), P(P_array, leading, false);
  const Entries margins = output<double>(outputs, "margins", leading),
                permissible = output<bool>(outputs, "permissible", leading);
  std::optional<IndexedError> failed;
  {
    const py::gil_scoped_release unlocked;
    failed = in_shares(leading.count, threads, [&](py::ssize_t begin, py::ssize_t end) -> std::optional<IndexedError> {
      for (py::ssize_t i = begin; i < end; ++i) {
        const Expected<Contact> contact = contacts.contact(i);
        if (!contact) return IndexedError{i, contact.error()};
        const Certificate c = certify(*contact, P.vector(leading, i), mu.number(leading, i));
        char* place = margins.at(leading, i);
        margins.put(place, c.margins.energy, 0);
        margins.put(place, c.margins.separation, 1);
        margins.put(place, c.margins.compression, 2);
        margins.put(place, c.margins.friction, 3);
        permissible.put_number(leading, i, c.permissible);
      }
      return std::nullopt;
    });
  }
  if (failed) raise(failed->error, shape.empty() ? -1 : failed->index);
}

}  // namespace

void bind_space(py::module_& m) {
  m.def("impulse_space_into", &impulse_space_into);
  m.def("certify_into", &certify_into);
  py::list names;
  for (const Condition condition : conditions) names.append(std::string(name(condition)));
  m.attr("conditions") = names;
}

}  // namespace ricochet::python
