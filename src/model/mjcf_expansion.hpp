#pragma once
/// <replicate>, <attach> and the models that are attached, written out for versions of MuJoCo that do not have them
/// (docs/robots.md).

#include <tinyxml2.h>

#include <filesystem>

#include "mjcf_document.hpp"

namespace ricochet {

/// `file` is where `document` was read from; its includes are inserted already. Frames remain.
[[nodiscard]] Expected<void> expand_mjcf(tinyxml2::XMLDocument& document, const std::filesystem::path& file,
                                         MjcfOrigins& origins, MjcfRemarks& remarks);

}  // namespace ricochet
