#pragma once
/// Answers as text. Everything is appended to one buffer, which the caller empties into the output.

#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>

#include "answer.hpp"

namespace ricochet::app {

enum class Format { table, json, jsonl, csv };

struct Source {
  std::string name;        ///< file, as messages call it
  bool many = false;       ///< a stream of collisions, each on its line
  bool every_law = false;  ///< answers of all laws side by side
  bool colour = false;
};

class Writer {
 public:
  virtual ~Writer() = default;
  virtual void begin(fmt::memory_buffer&) {}
  virtual void collision(fmt::memory_buffer& out, long long line, const Collision& collision,
                         std::span<const Answer> answers) = 0;
  /// A line of a stream that is no collision.
  virtual void fault(fmt::memory_buffer& out, long long line, const Collision& collision, const Error& error) = 0;
  virtual void end(fmt::memory_buffer&) {}
};

[[nodiscard]] std::unique_ptr<Writer> make_writer(Format format, const Source& source);
[[nodiscard]] std::unique_ptr<Writer> make_jsonl_writer(const Source& source);
[[nodiscard]] std::unique_ptr<Writer> make_json_writer(const Source& source);
[[nodiscard]] std::unique_ptr<Writer> make_csv_writer(const Source& source);
[[nodiscard]] std::unique_ptr<Writer> make_table_writer(const Source& source);

}  // namespace ricochet::app
