#include "ricochet/batch/contract.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>
#include <vector>

#include "device.hpp"
#include "packs.hpp"
#include "ricochet/batch/collide.hpp"
#include "ricochet/batch/draw_collision.hpp"
#include "ricochet/batch/threads.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/law/make_law.hpp"
#include "ricochet/law/parameter_slots.hpp"
#include "ricochet/space/certificate.hpp"

namespace ricochet {

std::string_view name(Promise promise) {
  switch (promise) {
    case Promise::energy: return "energy";
    case Promise::separation: return "separation";
    case Promise::compression: return "compression";
    case Promise::friction: return "friction";
    case Promise::finite: return "finite";
    case Promise::equation: return "equation";
    case Promise::work: return "work";
  }
  return "unknown";
}

void PromiseRecord::add(const PromiseRecord& other) {
  checked += other.checked;
  violated += other.violated;
  if (other.first_violated && (!first_violated || *other.first_violated < *first_violated))
    first_violated = other.first_violated;
  if (other.worst < worst || (other.worst == worst && other.worst_at < worst_at)) {
    worst = other.worst;
    worst_at = other.worst_at;
  }
}

PromiseRecord one_answer(std::uint64_t index, double margin, bool kept) {
  PromiseRecord one;
  one.checked = 1;
  one.violated = kept ? 0 : 1;
  if (!kept) one.first_violated = index;
  one.worst = margin;
  one.worst_at = index;
  return one;
}

std::uint64_t ContractReport::violations() const {
  std::uint64_t sum = 0;
  for (const PromiseRecord& p : promise) sum += p.violated;
  return sum;
}

void ContractReport::add(const ContractReport& other) {
  drawn += other.drawn;
  answered += other.answered;
  for (std::size_t i = 0; i < refused.size(); ++i) refused[i] += other.refused[i];
  for (std::size_t i = 0; i < promises; ++i) promise[i].add(other.promise[i]);
}

namespace {

void refuse(ContractReport& report, ErrorCode code) {
  ++report.drawn;
  ++report.refused[static_cast<std::size_t>(code)];
}

Expected<Contact> contact_of(const DrawnCollision& drawn) {
  return drawn.mass_given ? contact_from_mass(drawn.A, drawn.V, drawn.n)
                          : contact_from_mobility(drawn.A, drawn.V, drawn.n);
}

/// Laws one by one, through `collide`.
void check_singly(const LawInfo& info, std::uint64_t seed, std::uint64_t begin, std::uint64_t end,
                  ContractReport& report) {
  for (std::uint64_t i = begin; i < end; ++i) {
    const DrawnCollision drawn = draw_collision(info, seed, i);
    const Expected<Law> law = make_law(info.name, drawn.parameters);
    const Expected<Contact> contact = contact_of(drawn);
    if (!law || !contact) {
      refuse(report, law ? contact.error().code : law.error().code);
      continue;
    }
    const Expected<Outcome> o = collide(*law, *contact);
    if (!o) {
      refuse(report, o.error().code);
      continue;
    }
    AnswerNumbers numbers{o->P, o->V, o->energy_change, o->normal_work, o->friction_work, o->certificate.margins, 0};
    for (const Condition c : conditions)
      if (o->certificate.violated.contains(c)) numbers.violated |= 1U << static_cast<unsigned>(c);
    check_answer(report, i, drawn, *law, numbers);
  }
}

/// All together, as columns. Indices from begin to end are given alike.
void check_together(const LawInfo& info, std::uint64_t seed, std::uint64_t begin, std::uint64_t end,
                    ContractReport& report) {
  const auto count = static_cast<std::size_t>(end - begin);
  std::vector<DrawnCollision> drawn;
  drawn.reserve(count);
  for (std::uint64_t i = begin; i < end; ++i) drawn.push_back(draw_collision(info, seed, i));

  const std::size_t parameters = info.parameters.size();
  std::vector<std::vector<double>> columns(25 + parameters, std::vector<double>(count));
  std::vector<std::uint8_t> violated(count), status(count);
  const auto input = [&](std::size_t k) { return Column<const double>{columns[k].data(), 1}; };
  const auto output = [&](std::size_t k) { return Column<double>{columns[k].data(), 1}; };
  ContactColumns<double> contacts;
  contacts.count = count;
  contacts.mass_given = drawn.front().mass_given;
  contacts.by_six_entries({input(0), input(1), input(2), input(3), input(4), input(5)});
  contacts.V = {input(6), input(7), input(8)};
  contacts.n = {input(9), input(10), input(11)};
  OutcomeColumns<double> outcomes;
  outcomes.P = {output(12), output(13), output(14)};
  outcomes.V = {output(15), output(16), output(17)};
  outcomes.energy_change = output(18);
  outcomes.normal_work = output(19);
  outcomes.friction_work = output(20);
  outcomes.margins = {output(21), output(22), output(23), output(24)};
  outcomes.violated = {violated.data(), 1};
  outcomes.status = {status.data(), 1};
  LawColumns<double> law;
  law.law = info.name;
  for (std::size_t k = 0; k < parameters; ++k) law.numbers.push_back({info.parameters[k].name, input(25 + k)});
  std::vector<Law> laws;
  laws.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const DrawnCollision& d = drawn[i];
    std::size_t k = 0;
    for (int r = 0; r < 3; ++r)
      for (int c = r; c < 3; ++c) columns[k++][i] = d.A(r, c);
    for (std::size_t r = 0; r < 3; ++r) {
      columns[6 + r][i] = d.V(static_cast<Eigen::Index>(r));
      columns[9 + r][i] = d.n(static_cast<Eigen::Index>(r));
    }
    const Law one = make_law(info.name, d.parameters).value();
    for (const auto& [name, value] : parameters_of(one)) {
      for (std::size_t p = 0; p < parameters; ++p)
        if (info.parameters[p].name == name) columns[25 + p][i] = std::get<double>(value);
    }
    laws.push_back(one);
  }
  (void)collide_batch(law, contacts, outcomes, {.threads = 1, .width = std::nullopt}).value();
  for (std::size_t i = 0; i < count; ++i) {
    if (status[i] != 0) {
      refuse(report, static_cast<ErrorCode>(status[i] - 1));
      continue;
    }
    const auto at = [&](std::size_t k) { return columns[k][i]; };
    const AnswerNumbers numbers{{at(12), at(13), at(14)},
                                {at(15), at(16), at(17)},
                                at(18),
                                at(19),
                                at(20),
                                {at(21), at(22), at(23), at(24)},
                                violated[i]};
    check_answer(report, begin + i, drawn[i], laws[i], numbers);
  }
}

}  // namespace

void check_answer(ContractReport& report, std::uint64_t index, const DrawnCollision& drawn, const Law& law,
                  const AnswerNumbers& o) {
  ++report.drawn;
  ++report.answered;
  const Expected<Contact> contact = contact_of(drawn);
  const Guarantees promised = guarantees(law);
  const PromiseVerdicts verdicts =
      judge_promises(contact ? contact->W : Mat3::Constant(std::nan("")), drawn.V, o,
                     {promised.energy, promised.separation, promised.friction}, cone_friction(law));
  for (std::size_t i = 0; i < promises; ++i)
    if (verdicts.checked[i]) report.promise[i].add(one_answer(index, verdicts.margin[i], verdicts.kept[i]));
}

namespace {

/// What the device leaves open is drawn and checked here.
Expected<ContractReport> check_on_device(const LawInfo& info, batch_detail::PackLaw law, const ContractSpec& spec) {
  ContractReport report;
  std::vector<std::uint64_t> open;
  for (std::uint64_t first = spec.first; first < spec.first + spec.count;) {
    const std::uint64_t count = std::min<std::uint64_t>(batch_detail::contract_piece, spec.first + spec.count - first);
    open.clear();
    const Expected<ContractReport> part =
        batch_detail::contract_on_device(law, draw_kind(info), spec.seed, first, count, open);
    if (!part) return part;
    report.add(*part);
    std::mutex mutex;
    in_ranges(open.size(), 256, spec.threads, [&](std::size_t begin, std::size_t end) {
      ContractReport some;
      for (std::size_t k = begin; k < end; ++k) check_singly(info, spec.seed, open[k], open[k] + 1, some);
      const std::lock_guard lock(mutex);
      report.add(some);
    });
    first += count;
  }
  return report;
}

}  // namespace

Expected<ContractReport> check_contract(const ContractSpec& spec) {
  const LawInfo* info = find_law(spec.law);
  if (info == nullptr) return tl::unexpected(unknown_law(spec.law));
  if (info->domain != LawDomain::contact)
    return fail(ErrorCode::invalid, "law", spec.law, "must be a law of contacts, not of a planar mechanism");
  const std::optional<batch_detail::PackLaw> packs = batch_detail::pack_law(spec.law);
  if (spec.device && packs) return check_on_device(*info, *packs, spec);
  ContractReport report;
  std::mutex mutex;
  const std::uint64_t last = spec.first + spec.count;
  const auto check = packs ? check_together : check_singly;
  // Ranges that are given alike begin at multiples of drawn_alike.
  const std::uint64_t grain = packs ? drawn_alike : 64, start = spec.first / grain;
  const std::size_t ranges = spec.count == 0 ? 0 : static_cast<std::size_t>((last - 1) / grain - start + 1);
  in_ranges(ranges, 1, spec.threads, [&](std::size_t i, std::size_t) {
    ContractReport part;
    const std::uint64_t begin = (start + i) * grain;
    check(*info, spec.seed, std::max(begin, spec.first), std::min(begin + grain, last), part);
    const std::lock_guard lock(mutex);
    report.add(part);
  });
  return report;
}

}  // namespace ricochet
