/// Runs every piece whose instructions are counted once under callgrind, each with a dump of its own
/// (instructions_test.py).

#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include "batch/columns_of.hpp"

namespace {

using namespace ricochet;
using namespace ricochet::testing;

constexpr std::size_t count = 512;

/// The first run meets cold code: addresses of functions are looked up in it.
template <class F>
void counted(const std::string& name, const F& run) {
  run();
  CALLGRIND_ZERO_STATS;
  run();
  CALLGRIND_DUMP_STATS_AT(name.c_str());
}

/// Returns whether both ways answer the same collisions.
bool count_law(const LawInfo& info) {
  Batch<double> batch(info, 1, count, true);
  std::vector<Law> laws;
  std::vector<Contact> contacts;
  std::vector<Mat3> M(count);
  std::vector<Vec3> V, n;
  for (std::size_t i = 0; i < count; ++i) {
    LawParameters parameters = batch.law.parameters;
    for (const auto& number : batch.law.numbers) (void)set(parameters, number.name, Value(number.values[i]));
    laws.push_back(make_law(info.name, parameters).value());
    for (int k = 0; k < 9; ++k) M[i](k / 3, k % 3) = batch.matrix[static_cast<std::size_t>(k)][i];
    V.emplace_back(batch.V[0][i], batch.V[1][i], batch.V[2][i]);
    n.emplace_back(batch.n[0][i], batch.n[1][i], batch.n[2][i]);
  }
  std::size_t answered = 0;
  bool alike = true;
  counted(fmt::format("{}/one by one", info.name), [&] {
    answered = 0;
    for (std::size_t i = 0; i < count; ++i) answered += collide(laws[i], *contact_from_mass(M[i], V[i], n[i])) ? 1 : 0;
  });
  ColumnsOf<double> room(count);
  const OutcomeColumns<double> outcomes = room.outcomes();
  for (const auto& [width, name] : {std::pair(PackWidth::sse2, "SSE2"), std::pair(PackWidth::avx2, "AVX2")}) {
    if (width > widest_packs()) continue;
    counted(fmt::format("{}/{}", info.name, name), [&, width = width] {
      const auto done = collide_batch(batch.law, batch.contacts, outcomes, {.threads = 1, .width = width});
      alike = alike && done && count - done->refused == answered;
    });
  }
  if (!alike) fmt::print("{}: other collisions are answered in a batch\n", info.name);
  return alike;
}

}  // namespace

int main() {
  bool alike = true;
  for (const LawInfo& info : laws())
    if (runs_in_packs(info.name)) alike = count_law(info) && alike;
  return alike ? 0 : 1;
}
