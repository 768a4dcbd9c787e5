#pragma once
/// Contacts and laws of a call, one for each collision.

#include "batch.hpp"
#include "raise.hpp"
#include "ricochet/base/text.hpp"
#include "ricochet/contact/contact.hpp"
#include "ricochet/law/parameter_slots.hpp"
#include "ricochet/law/registry.hpp"

namespace ricochet::python {

struct GivenContacts {
  Leading leading;
  bool mass = true;  ///< M is given, not W
  Entries matrix, V, n;
  std::optional<Entries> spin;

  GivenContacts(const py::array& matrix_array, bool mass_given, const py::array& V_array, const py::array& n_array,
                const std::vector<py::ssize_t>& shape, const std::optional<py::array>& spin_array = std::nullopt)
      : leading{shape, 1}, mass(mass_given) {
    for (const py::ssize_t size : shape) leading.count *= size;
    matrix = Entries(matrix_array, leading, false);
    V = Entries(V_array, leading, false);
    n = Entries(n_array, leading, false);
    if (spin_array) spin = Entries(*spin_array, leading, false);
  }

  [[nodiscard]] Expected<Contact> contact(py::ssize_t i) const {
    auto out = mass ? contact_from_mass(matrix.matrix(leading, i), V.vector(leading, i), n.vector(leading, i))
                    : contact_from_mobility(matrix.matrix(leading, i), V.vector(leading, i), n.vector(leading, i));
    if (!out || !spin) return out;
    out->spin = spin->vector(leading, i);
    if (!out->spin.allFinite())
      return fail(ErrorCode::out_of_range, "spin", to_text(out->spin), "every component must be finite");
    return out;
  }
};

/// The law of each collision. It is made again only where a parameter differs from the one before.
class LawOfEach {
 public:
  /// `fixed`: parameters that are the same for all; `numbers` and `vectors`: arrays of the others.
  LawOfEach(std::string law, const py::dict& fixed, const py::dict& numbers, const py::dict& vectors,
            const Leading& leading)
      : name_(std::move(law)), leading_(&leading), settings_(parameters_from(fixed)) {
    for (const auto& [key, array] : numbers)
      numbers_.emplace_back(number_slot(key.cast<std::string>()), Entries(array.cast<py::array>(), leading, false));
    for (const auto& [key, array] : vectors)
      vectors_.emplace_back(slot_of(vector_slots, parameter_name(key.cast<std::string>())),
                            Entries(array.cast<py::array>(), leading, false));
  }

  [[nodiscard]] const Expected<Law>& at(py::ssize_t i) {
    bool changed = !law_;
    for (auto& [member, entries] : numbers_) {
      const double value = entries.number(*leading_, i);
      std::optional<double>& slot = settings_.*member;
      if (slot && *slot == value) continue;
      slot = value;
      changed = true;
    }
    for (auto& [member, entries] : vectors_) {
      const Vec3 value = entries.vector(*leading_, i);
      std::optional<Vec3>& slot = settings_.*member;
      if (slot && *slot == value) continue;
      slot = value;
      changed = true;
    }
    if (changed) law_ = make_law(name_, settings_);
    return *law_;
  }

 private:
  static std::optional<double> LawParameters::*number_slot(const std::string& name) {
    return slot_of(number_slots, parameter_name(name));
  }
  std::string name_;
  const Leading* leading_;
  LawParameters settings_;
  std::vector<std::pair<std::optional<double> LawParameters::*, Entries>> numbers_;
  std::vector<std::pair<std::optional<Vec3> LawParameters::*, Entries>> vectors_;
  std::optional<Expected<Law>> law_;
};

}  // namespace ricochet::python
