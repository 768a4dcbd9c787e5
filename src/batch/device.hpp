#pragma once
/// Jobs of the laws with a closed form on a CUDA device. A library that was built without CUDA has these functions too,
/// and they say so.

#include <string>

#include "pack_job.hpp"
#include "ricochet/base/error.hpp"

namespace ricochet::batch_detail {

/// Columns lie in the memory of the processor or in that of the device.
template <class T>
[[nodiscard]] Expected<Refusals> run_on_device(PackLaw law, const PackJob<T>& job);
extern template Expected<Refusals> run_on_device(PackLaw law, const PackJob<double>& job);
extern template Expected<Refusals> run_on_device(PackLaw law, const PackJob<float>& job);

}  // namespace ricochet::batch_detail
