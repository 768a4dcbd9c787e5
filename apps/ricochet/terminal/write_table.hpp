#pragma once
/// Answers as a table for display, beside the formats of the library.

#include <memory>
#include <string>

#include "ricochet/io/writer.hpp"

namespace ricochet::app {

enum class Format { table, json, jsonl, csv };

/// "E S F", with a dash for what is not guaranteed.
[[nodiscard]] std::string guarantee_letters(const Guarantees& g);

[[nodiscard]] std::unique_ptr<Writer> make_writer(Format format, const Source& source);

}  // namespace ricochet::app
