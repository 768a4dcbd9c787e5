#pragma once
/// Jobs of the laws with a closed form on a CUDA device. A library that was built without CUDA has these functions too,
/// and they say so.

#include <cstdint>
#include <string>
#include <vector>

#include "pack_job.hpp"
#include "ricochet/base/error.hpp"
#include "ricochet/batch/contract.hpp"

namespace ricochet::batch_detail {

/// Columns lie in the memory of the processor or in that of the device.
template <class T>
[[nodiscard]] Expected<Refusals> run_on_device(PackLaw law, const PackJob<T>& job);
extern template Expected<Refusals> run_on_device(PackLaw law, const PackJob<double>& job);
extern template Expected<Refusals> run_on_device(PackLaw law, const PackJob<float>& job);

/// The most collisions of one call of `contract_on_device`.
inline constexpr std::uint64_t contract_piece = std::uint64_t{1} << 24;
/// Draws, answers and judges collisions first to first + count on the device. The indices of those that the processor
/// is to decide are added to `open`; the report does not have them.
[[nodiscard]] Expected<ContractReport> contract_on_device(PackLaw law, DrawKind kind, std::uint64_t seed,
                                                          std::uint64_t first, std::uint64_t count,
                                                          std::vector<std::uint64_t>& open);

}  // namespace ricochet::batch_detail
