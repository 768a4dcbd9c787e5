#pragma once
/// Answers as text, appended to a buffer that the caller writes to the output.

#include <fmt/format.h>

#include <memory>
#include <span>
#include <string>

#include "ricochet/scene/answer.hpp"

namespace ricochet {

struct Source {
  std::string name;        ///< file name for messages
  bool many = false;       ///< a stream of collisions, each on its line
  bool every_law = false;  ///< compares all laws
  bool colour = false;
};

class Writer {
 public:
  virtual ~Writer() = default;
  virtual void begin(fmt::memory_buffer&) {}
  virtual void collision(fmt::memory_buffer& out, long long line, const Collision& collision,
                         std::span<const Answer> answers) = 0;
  /// An invalid line of a stream.
  virtual void fault(fmt::memory_buffer& out, long long line, const Collision& collision, const Error& error) = 0;
  virtual void end(fmt::memory_buffer&) {}
};

[[nodiscard]] std::unique_ptr<Writer> make_jsonl_writer(const Source& source);
[[nodiscard]] std::unique_ptr<Writer> make_json_writer(const Source& source);
[[nodiscard]] std::unique_ptr<Writer> make_csv_writer(const Source& source);

}  // namespace ricochet
