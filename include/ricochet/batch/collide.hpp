#pragma once
/// Collisions by the million, docs/batch.md: the answers of `collide` (law/law.hpp) for columns of contacts. In double
/// every number has the bits that `collide` gives, whatever the number of threads and lanes.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ricochet/batch/law_columns.hpp"
#include "ricochet/law/outcome.hpp"

namespace ricochet {

/// Vector registers of the processor. Laws that are written for packs (docs/batch.md) use them; the others do not.
enum class PackWidth : std::uint8_t { sse2, avx2, avx512 };
/// "SSE2, 2 doubles" and so on.
[[nodiscard]] std::string_view name(PackWidth width);
/// The widest that this processor has.
[[nodiscard]] PackWidth widest_packs();
/// Whether the law of this name is written for packs.
[[nodiscard]] bool runs_in_packs(std::string_view law);

/// The name of the CUDA device, or why there is none.
[[nodiscard]] Expected<std::string> cuda_device();

struct BatchOptions {
  unsigned threads = 0;  ///< 0: as many as there are processors; 1 where oneTBB was absent (batch/threads.hpp)
  std::optional<PackWidth> width = {};  ///< the widest, unless given; it must not be wider than that
  /// On the CUDA device (`cuda_device`), for laws that run in packs. Columns may lie in its memory.
  bool device = false;
};

struct BatchSummary {
  std::size_t refused = 0;                   ///< collisions without an answer
  std::optional<std::size_t> first_refused;  ///< `collide_at` says why
};

/// Fails where the law or its parameters are wrong for all collisions: an unknown name, a parameter that is missing or
/// out of range. What is wrong with one collision is its status.
template <class T>
[[nodiscard]] Expected<BatchSummary> collide_batch(const LawColumns<T>& law, const ContactColumns<T>& contacts,
                                                   const OutcomeColumns<T>& outcomes, const BatchOptions& options = {});

/// The outcome of collision i alone, with its path, or why there is none. Floats are taken as doubles.
template <class T>
[[nodiscard]] Expected<Outcome> collide_at(const LawColumns<T>& law, const ContactColumns<T>& contacts, std::size_t i);

extern template Expected<BatchSummary> collide_batch(const LawColumns<double>&, const ContactColumns<double>&,
                                                     const OutcomeColumns<double>&, const BatchOptions&);
extern template Expected<BatchSummary> collide_batch(const LawColumns<float>&, const ContactColumns<float>&,
                                                     const OutcomeColumns<float>&, const BatchOptions&);
extern template Expected<Outcome> collide_at(const LawColumns<double>&, const ContactColumns<double>&, std::size_t);
extern template Expected<Outcome> collide_at(const LawColumns<float>&, const ContactColumns<float>&, std::size_t);

}  // namespace ricochet
