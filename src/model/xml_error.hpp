#pragma once
/// What is wrong with XML, in words.

#include <fmt/format.h>
#include <tinyxml2.h>

#include <cctype>
#include <string>
#include <string_view>

#include "ricochet/base/error.hpp"

namespace ricochet {

/// "XML_ERROR_MISMATCHED_ELEMENT" as "mismatched element", with its line.
inline tl::unexpected<Error> xml_error(const tinyxml2::XMLDocument& document, const std::string& file = "") {
  std::string_view name = document.ErrorName();
  for (const std::string_view prefix : {"XML_ERROR_", "XML_"})
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  std::string words;
  for (const char c : name) words += c == '_' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return fail(ErrorCode::malformed, fmt::format("{}line {}", file.empty() ? "" : file + " ", document.ErrorLineNum()),
              "", fmt::format("must be XML: {}", words));
}

}  // namespace ricochet
