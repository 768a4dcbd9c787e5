/// Collisions in columns: one by one, in packs of every width that the processor has, from cache and from memory, and a
/// STREAM triad to hold the latter against.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "problems.hpp"
#include "ricochet/batch/collide.hpp"
#include "ricochet/batch/threads.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/law/make_law.hpp"

namespace ricochet::bench {
namespace {

/// From cache: all columns of 1024 collisions take a quarter of a megabyte.
constexpr std::size_t in_cache = count;
/// From memory: 2^19 of them take 120 MB.
constexpr std::size_t in_memory = std::size_t{1} << 19;

const std::vector<Problem>& problems_for(std::string_view law) {
  return law == "bilinear" ? diagonal() : law == "pfeiffer-glocker" ? planar() : typical();
}

double value_of(std::string_view parameter, const Problem& p) {
  if (parameter == "mu") return p.mu;
  if (parameter == "e" || parameter == "e_k") return p.e;
  if (parameter == "mu_2") return 0.1 * p.e_t;
  if (parameter == "mu_3") return 0.1 * p.mu;
  if (parameter == "e_t") return p.e_t;
  return 0;
}

/// Everything in columns: six entries of M, V, n, e and mu; the other parameters are the same for all.
template <class T>
struct Columns {
  std::vector<std::vector<T>> numbers;
  std::vector<std::vector<std::uint8_t>> bytes;
  LawColumns<T> law;
  ContactColumns<T> contacts;
  OutcomeColumns<T> outcomes;
  double bytes_moved = 0;  ///< for one collision

  Columns(std::string_view name, std::size_t size) {
    const std::vector<Problem>& problems = problems_for(name);
    const auto input = [&](auto number_of) {
      std::vector<T> column(size);
      for (std::size_t i = 0; i < size; ++i) column[i] = static_cast<T>(number_of(problems[i % count]));
      numbers.push_back(std::move(column));
      return Column<const T>{numbers.back().data(), 1};
    };
    const auto output = [&] {
      numbers.emplace_back(size);
      return Column<T>{numbers.back().data(), 1};
    };
    std::array<Column<const T>, 6> entries;
    std::size_t k = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) entries[k++] = input([=](const Problem& p) { return p.contact.M(i, j); });
    contacts.count = size;
    contacts.by_six_entries(entries);
    for (int i = 0; i < 3; ++i) {
      contacts.V[std::size_t(i)] = input([=](const Problem& p) { return p.contact.V(i); });
      contacts.n[std::size_t(i)] = input([=](const Problem& p) { return p.contact.n(i); });
    }
    law.law = name;
    for (const ParameterInfo& info : find_law(name)->parameters) {
      const bool column = info.name == "e" || info.name == "e_k" || info.name == "mu";
      if (column)
        law.numbers.push_back({info.name, input([&](const Problem& p) { return value_of(info.name, p); })});
      else
        (void)set(law.parameters, info.name, Value(std::abs(value_of(info.name, problems.front()))));
    }
    for (auto* group : {&outcomes.P, &outcomes.V})
      for (auto& column : *group) column = output();
    outcomes.energy_change = output();
    for (auto& column : outcomes.margins) column = output();
    for (auto* column : {&outcomes.permissible, &outcomes.status}) {
      bytes.emplace_back(size);
      *column = {bytes.back().data(), 1};
    }
    bytes_moved = double(numbers.size() * sizeof(T) + bytes.size());
  }
};

/// One set of columns for all repetitions of a benchmark.
template <class T>
Columns<T>& columns_of(const std::string& law, std::size_t size) {
  static std::map<std::pair<std::string, std::size_t>, std::unique_ptr<Columns<T>>> kept;
  if (size == in_memory && !kept.contains({law, size}))
    std::erase_if(kept, [&](const auto& item) { return item.first.second == in_memory; });
  auto& place = kept[{law, size}];
  if (!place) place = std::make_unique<Columns<T>>(law, size);
  return *place;
}

template <class T>
void in_packs(benchmark::State& state, const std::string& law, PackWidth width, std::size_t size, unsigned threads) {
  Columns<T>& c = columns_of<T>(law, size);
  std::size_t refused = 0;
  for (auto _ : state) {
    const auto done = collide_batch(c.law, c.contacts, c.outcomes, {.threads = threads, .width = width});
    if (!done) throw std::logic_error(done.error().message());
    refused = done->refused;
    benchmark::ClobberMemory();
  }
  state.counters["refused"] = double(refused);
  state.counters["collisions"] = double(size);
  state.counters["bytes"] = c.bytes_moved;
}

/// The same numbers through contact_from_mass and collide, laws made before.
void one_by_one(benchmark::State& state, const std::string& name) {
  const Columns<double>& c = columns_of<double>(name, in_cache);
  std::vector<Law> laws;
  for (std::size_t i = 0; i < in_cache; ++i) {
    LawParameters parameters = c.law.parameters;
    for (const auto& number : c.law.numbers) (void)set(parameters, number.name, Value(number.values[i]));
    laws.push_back(make_law(name, parameters).value());
  }
  const std::vector<Problem>& problems = problems_for(name);
  for (auto _ : state) {
    for (std::size_t i = 0; i < in_cache; ++i) {
      const Contact& given = problems[i].contact;
      const Expected<Contact> contact = contact_from_mass(given.M, given.V, given.n);
      const Expected<Outcome> outcome = collide(laws[i], *contact);
      benchmark::DoNotOptimize(outcome);
    }
  }
  state.counters["collisions"] = double(in_cache);
}

/// a = b + s c, which moves three numbers for two operations.
void triad(benchmark::State& state, unsigned threads) {
  static std::vector<double> a(in_memory * 10), b(in_memory * 10, 1.0), c(in_memory * 10, 2.0);
  for (auto _ : state) {
    in_ranges(a.size(), std::size_t{1} << 16, threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) a[i] = b[i] + 3.0 * c[i];
    });
    benchmark::ClobberMemory();
  }
  state.counters["bytes"] = 3.0 * sizeof(double);
  state.counters["collisions"] = double(a.size());
}

}  // namespace

void register_batch() {
  const std::vector<std::pair<PackWidth, std::string>> widths{
      {PackWidth::sse2, "SSE2"}, {PackWidth::avx2, "AVX2"}, {PackWidth::avx512, "AVX-512"}};
  const auto add = [](const std::string& name, auto function, auto... arguments) {
    return benchmark::RegisterBenchmark(("batch/" + name).c_str(), function, arguments...);
  };
  for (const LawInfo& info : laws()) {
    if (!runs_in_packs(info.name)) continue;
    const std::string law(info.name);
    add(law + "/one by one", one_by_one, law);
    for (const auto& [width, name] : widths)
      if (width <= widest_packs()) add(law + "/" + name, in_packs<double>, law, width, in_cache, 1U);
    add(law + "/float", in_packs<float>, law, widest_packs(), in_cache, 1U);
    add(law + "/memory", in_packs<double>, law, widest_packs(), in_memory, 1U);
    if (has_threads()) add(law + "/threads", in_packs<double>, law, widest_packs(), in_memory, 0U)->UseRealTime();
  }
  add("triad/memory", triad, 1U);
  if (has_threads()) add("triad/threads", triad, 0U)->UseRealTime();
}

}  // namespace ricochet::bench
