#pragma once
/// A drawing as a PDF page, by Cairo.

#include <string>

#include "ricochet/base/error.hpp"
#include "ricochet/report/drawing.hpp"

namespace ricochet::app {

/// The bytes of the document. Fails if the program was built without Cairo.
[[nodiscard]] Expected<std::string> to_pdf(const Drawing& drawing);

}  // namespace ricochet::app
