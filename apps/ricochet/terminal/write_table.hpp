#pragma once
/// Answers as a table for display, beside the formats of the library.

#include "ricochet/io/writer.hpp"

namespace ricochet::app {

enum class Format { table, json, jsonl, csv };

[[nodiscard]] std::unique_ptr<Writer> make_writer(Format format, const Source& source);

}  // namespace ricochet::app
