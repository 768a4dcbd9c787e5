#pragma once
/// Which loop over packs serves a law on this processor.

#include <optional>
#include <string_view>

#include "pack_job.hpp"
#include "ricochet/batch/collide.hpp"

namespace ricochet::batch_detail {

/// The law's place in the loops; nothing for a law that is not written for packs.
[[nodiscard]] std::optional<PackLaw> pack_law(std::string_view name);

template <class T>
[[nodiscard]] PackLoop<T> loop_of(PackLaw law, PackWidth width);
template <>
[[nodiscard]] PackLoop<double> loop_of<double>(PackLaw law, PackWidth width);
template <>
[[nodiscard]] PackLoop<float> loop_of<float>(PackLaw law, PackWidth width);

}  // namespace ricochet::batch_detail
