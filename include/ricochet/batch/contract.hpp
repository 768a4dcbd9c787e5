#pragma once
/// What a law promises, checked in bulk on collisions that are drawn by index (docs/batch.md).

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "ricochet/base/error.hpp"
#include "ricochet/batch/draw_collision.hpp"
#include "ricochet/batch/promise_kernel.hpp"

namespace ricochet {

[[nodiscard]] std::string_view name(Promise promise);

/// One promise over all collisions.
struct PromiseRecord {
  std::uint64_t checked = 0;
  std::uint64_t violated = 0;
  std::optional<std::uint64_t> first_violated;  ///< index
  /// The smallest margin relative to the magnitude of its terms; negative by rounding only where nothing is violated.
  double worst = std::numeric_limits<double>::infinity();
  std::uint64_t worst_at = 0;

  void add(const PromiseRecord& other);
};
[[nodiscard]] PromiseRecord one_answer(std::uint64_t index, double margin, bool kept);

struct ContractSpec {
  std::string law;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;  ///< index
  std::uint64_t count = 0;
  unsigned threads = 0;  ///< 0: as many as there are processors
  bool device = false;   ///< on the CUDA device, for laws that run in packs
};

struct ContractReport {
  std::uint64_t drawn = 0, answered = 0;
  std::array<std::uint64_t, 16> refused{};  ///< by ErrorCode
  std::array<PromiseRecord, promises> promise;

  [[nodiscard]] const PromiseRecord& operator[](Promise p) const { return promise[static_cast<std::size_t>(p)]; }
  [[nodiscard]] std::uint64_t violations() const;
  /// Of two parts of a range the whole, whatever the order.
  void add(const ContractReport& other);
};

/// Adds one answer to the report. W is that of the collision's contact, found here from its numbers.
void check_answer(ContractReport& report, std::uint64_t index, const DrawnCollision& drawn, const Law& law,
                  const AnswerNumbers& o);

/// Fails on an unknown law, or one that is not of contacts, only.
[[nodiscard]] Expected<ContractReport> check_contract(const ContractSpec& spec);

}  // namespace ricochet
