#include "ricochet/batch/collide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "device.hpp"
#include "packs.hpp"
#include "ricochet/batch/answer_kernel.hpp"
#include "ricochet/batch/threads.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/law/make_law.hpp"
#include "ricochet/law/parameter_slots.hpp"

namespace ricochet {

namespace batch_detail {
namespace {

/// The law of each collision. It is made again only where a parameter differs from the one before.
template <class T>
class LawOfEach {
 public:
  explicit LawOfEach(const LawColumns<T>& law) : name_(law.law), settings_(law.parameters) {
    for (const auto& [name, values] : law.numbers)
      numbers_.push_back({slot_of(number_slots, parameter_name(name)), values});
    for (const auto& [name, values] : law.vectors)
      vectors_.push_back({slot_of(vector_slots, parameter_name(name)), values});
  }

  [[nodiscard]] const Expected<Law>& at(std::size_t i) {
    bool changed = !law_;
    for (const auto& [member, values] : numbers_) {
      const auto value = static_cast<double>(values[i]);
      std::optional<double>& slot = settings_.*member;
      if (slot && *slot == value) continue;
      slot = value;
      changed = true;
    }
    for (const auto& [member, values] : vectors_) {
      const Vec3 value(values[0][i], values[1][i], values[2][i]);
      std::optional<Vec3>& slot = settings_.*member;
      if (slot && *slot == value) continue;
      slot = value;
      changed = true;
    }
    if (changed) law_ = make_law(name_, settings_);
    return *law_;
  }

 private:
  struct Number {
    std::optional<double> LawParameters::*member;
    Column<const T> values;
  };
  struct Vector {
    std::optional<Vec3> LawParameters::*member;
    std::array<Column<const T>, 3> values;
  };
  std::string name_;
  LawParameters settings_;
  std::vector<Number> numbers_;
  std::vector<Vector> vectors_;
  std::optional<Expected<Law>> law_;
};

template <class T>
Expected<Outcome> outcome_of(const Expected<Law>& law, const ContactColumns<T>& contacts, std::size_t i) {
  if (!law) return tl::unexpected(law.error());
  Mat3 A;
  for (std::size_t k = 0; k < 9; ++k) A(static_cast<int>(k / 3), static_cast<int>(k % 3)) = contacts.matrix[k][i];
  const Vec3 V(contacts.V[0][i], contacts.V[1][i], contacts.V[2][i]);
  const Vec3 n(contacts.n[0][i], contacts.n[1][i], contacts.n[2][i]);
  const Expected<Contact> contact = contacts.mass_given ? contact_from_mass(A, V, n) : contact_from_mobility(A, V, n);
  if (!contact) return tl::unexpected(contact.error());
  return collide(*law, *contact);
}

template <class T>
void put(const Column<T>& column, std::size_t i, double x) {
  if (column.present()) column[i] = static_cast<T>(x);
}
void put_byte(const Column<std::uint8_t>& column, std::size_t i, unsigned x) {
  if (column.present()) column[i] = static_cast<std::uint8_t>(x);
}

/// Returns whether there is an answer.
template <class T>
bool write(const Expected<Outcome>& outcome, const OutcomeColumns<T>& to, std::size_t i) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const bool fine = outcome.has_value();
  for (std::size_t k = 0; k < 3; ++k) {
    put(to.P[k], i, fine ? outcome->P(static_cast<int>(k)) : nan);
    put(to.V[k], i, fine ? outcome->V(static_cast<int>(k)) : nan);
  }
  put(to.energy_change, i, fine ? outcome->energy_change : nan);
  put(to.normal_work, i, fine ? outcome->normal_work : nan);
  put(to.friction_work, i, fine ? outcome->friction_work : nan);
  const Margins m = fine ? outcome->certificate.margins : Margins{nan, nan, nan, nan};
  put(to.margins[0], i, m.energy);
  put(to.margins[1], i, m.separation);
  put(to.margins[2], i, m.compression);
  put(to.margins[3], i, m.friction);
  unsigned violated = 0;
  if (fine)
    for (const Condition c : conditions)
      if (outcome->certificate.violated.contains(c)) violated |= 1U << static_cast<unsigned>(c);
  put_byte(to.permissible, i, fine && outcome->certificate.permissible ? 1 : 0);
  put_byte(to.violated, i, violated);
  put_byte(to.mode, i, fine ? static_cast<unsigned>(outcome->mode) : no_answer);
  put_byte(to.termination, i, fine ? static_cast<unsigned>(outcome->termination) : no_answer);
  put_byte(to.status, i, fine ? 0 : static_cast<unsigned>(status_of(outcome.error().code)));
  return fine;
}

/// What a name of a column must be.
template <class T>
Expected<void> check_columns(const LawColumns<T>& law) {
  const auto check = [](std::string_view name, ParameterKind kind) -> Expected<void> {
    const std::optional<ParameterKind> known = parameter_kind(name);
    if (!known) {
      LawParameters unused;
      return set(unused, name, Value(0.0));  // says which names there are
    }
    if (*known != kind)
      return fail(ErrorCode::wrong_type, std::string(name), "", fmt::format("must be a {}", ricochet::name(*known)));
    return {};
  };
  for (const auto& number : law.numbers)
    if (const auto fine = check(number.name, ParameterKind::number); !fine) return fine;
  for (const auto& vector : law.vectors)
    if (const auto fine = check(vector.name, ParameterKind::vector); !fine) return fine;
  return {};
}

/// The law whose columns are replaced by numbers that fit, which fails where it would for every collision.
template <class T>
Expected<Law> law_for_all(const LawColumns<T>& law, const LawInfo& info) {
  LawParameters settings = law.parameters;
  for (const auto& [given, values] : law.numbers) {
    const std::string_view name = parameter_name(given);
    double fitting = 0;
    for (const ParameterInfo& p : info.parameters)
      if (p.name == name && !p.bounds.contains(0)) fitting = p.bounds.low_open ? p.bounds.low + 1 : p.bounds.low;
    settings.*slot_of(number_slots, name) = fitting;
  }
  for (const auto& vector : law.vectors) settings.*slot_of(vector_slots, parameter_name(vector.name)) = Vec3::Zero();
  return make_law(law.law, settings);
}

template <class T>
struct Context {
  const LawColumns<T>* law;
  const ContactColumns<T>* contacts;
  const OutcomeColumns<T>* outcomes;
};

template <class T>
bool decide(const void* context, std::size_t i) {
  const auto& c = *static_cast<const Context<T>*>(context);
  return write(collide_at(*c.law, *c.contacts, i), *c.outcomes, i);
}

/// Where the numbers of a parameter come from: its column, the number that is the same for all, or its default.
/// `constants` keeps the latter two.
template <class T>
PackParameter<T> source_of(const ParameterInfo& info, const LawColumns<T>& law, T& constant) {
  const auto given = [&](std::string_view name) -> std::optional<Column<const T>> {
    for (const auto& number : law.numbers)
      if (parameter_name(number.name) == name) return number.values;
    if (const std::optional<double>& same = law.parameters.*slot_of(number_slots, name)) {
      constant = static_cast<T>(*same);
      return Column<const T>{&constant, 0};
    }
    return std::nullopt;
  };
  if (const auto column = given(info.name)) return {*column, info.bounds};
  if (info.default_value.kind == ParameterDefault::Kind::parameter)
    if (const auto column = given(info.default_value.text)) return {*column, info.bounds};
  constant = static_cast<T>(info.default_value.number);
  return {{&constant, 0}, info.bounds};
}

BatchSummary summary_of(const Refusals& refused) {
  BatchSummary summary;
  summary.refused = refused.count;
  if (refused.count > 0) summary.first_refused = refused.first;
  return summary;
}

}  // namespace
}  // namespace batch_detail

template <class T>
Expected<Outcome> collide_at(const LawColumns<T>& law, const ContactColumns<T>& contacts, std::size_t i) {
  batch_detail::LawOfEach<T> laws(law);
  return batch_detail::outcome_of(laws.at(i), contacts, i);
}

template <class T>
Expected<BatchSummary> collide_batch(const LawColumns<T>& law, const ContactColumns<T>& contacts,
                                     const OutcomeColumns<T>& outcomes, const BatchOptions& options) {
  using namespace batch_detail;
  const LawInfo* info = find_law(law.law);
  if (info == nullptr) return tl::unexpected(unknown_law(law.law));
  if (const auto fine = check_columns(law); !fine) return tl::unexpected(fine.error());
  if (const auto fine = law_for_all(law, *info); !fine) return tl::unexpected(fine.error());
  const PackWidth width = options.width.value_or(widest_packs());
  if (width > widest_packs())
    return fail(ErrorCode::unavailable, "width", std::string(name(width)), "this processor has no such registers");

  if (options.device && !pack_law(law.law))
    return fail(ErrorCode::unavailable, "device", law.law, "must be a law that runs in packs");

  Refusals refused;
  std::mutex mutex;
  const auto finish = [&](const Refusals& part) {
    const std::lock_guard lock(mutex);
    refused.add(part);
  };
  if (const std::optional<PackLaw> packs = pack_law(law.law)) {
    const Context<T> context{&law, &contacts, &outcomes};
    std::array<T, most_parameters> constants{};
    PackJob<T> job{contacts, outcomes, {}, &context, &decide<T>};
    for (std::size_t k = 0; k < info->parameters.size(); ++k)
      job.parameters[k] = source_of(info->parameters[k], law, constants[k]);
    if (options.device) {
      const Expected<Refusals> done = run_on_device<T>(*packs, job);
      if (!done) return tl::unexpected(done.error());
      return summary_of(*done);
    }
    const PackLoop<T> loop = loop_of<T>(*packs, width);
    // A range is a multiple of every pack and takes some tens of microseconds.
    in_ranges(contacts.count, 4096, options.threads,
              [&](std::size_t begin, std::size_t end) { finish(loop(job, begin, end)); });
  } else {
    in_ranges(contacts.count, 64, options.threads, [&](std::size_t begin, std::size_t end) {
      LawOfEach<T> laws(law);
      Refusals part;
      for (std::size_t i = begin; i < end; ++i)
        if (!write(outcome_of(laws.at(i), contacts, i), outcomes, i)) part.add(i);
      finish(part);
    });
  }
  return summary_of(refused);
}

template Expected<BatchSummary> collide_batch(const LawColumns<double>&, const ContactColumns<double>&,
                                              const OutcomeColumns<double>&, const BatchOptions&);
template Expected<BatchSummary> collide_batch(const LawColumns<float>&, const ContactColumns<float>&,
                                              const OutcomeColumns<float>&, const BatchOptions&);
template Expected<Outcome> collide_at(const LawColumns<double>&, const ContactColumns<double>&, std::size_t);
template Expected<Outcome> collide_at(const LawColumns<float>&, const ContactColumns<float>&, std::size_t);

}  // namespace ricochet
