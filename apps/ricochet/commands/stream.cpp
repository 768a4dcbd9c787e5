#include "commands/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "ricochet/io/collision_json.hpp"
#include "ricochet/io/text.hpp"
#include "terminal/progress.hpp"
#include "terminal/refusals.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

constexpr std::size_t flush_at = 1 << 16;

}  // namespace

StreamResult run_stream(Input& input, const Question& question, Writer& writer, OutputFile& output) {
  const bool every_law = question.law == "all";
  fmt::memory_buffer buffer;
  Progress progress(input.size());
  long long number = 0;
  long long collisions = 0;
  Refusals refusals;

  const auto complain = [&](long long line, const Error& error) {
    if (refusals.add(error)) {
      progress.clear();
      (void)refuse(input.name(), line, error);
    }
  };
  const auto flush = [&] {
    const Expected<void> fine = output.write({buffer.data(), buffer.size()});
    buffer.clear();
    if (!fine) {
      progress.clear();
      (void)refuse_output(fine.error());
    }
    return fine.has_value();
  };
  const auto answer = [&](const Input::Line& line) {
    Collision collision;
    const Expected<void> fine = line.too_long ? fail(ErrorCode::malformed, "", std::string(line.text),
                                                     "the line is longer than 1 MiB, too much for a collision")
                                              : read_json_line(line.text, collision);
    if (!fine) {
      complain(number, fine.error());
      writer.fault(buffer, number, collision, fine.error());
      return;
    }
    override_parameters(question.assignments, collision);
    if (every_law) {
      const std::vector<Answer> answers = ask_all(collision, question.request);
      if (const auto refusal = refusal_of(answers)) {
        complain(number, *refusal);
        writer.fault(buffer, number, collision, *refusal);
      } else {
        writer.collision(buffer, number, collision, answers);
      }
      return;
    }
    if (question.law.empty() && !collision.law) {
      const Error missing{ErrorCode::missing, "law", "",
                          "missing; name one in the line or with --law (ricochet laws lists them)"};
      complain(number, missing);
      writer.fault(buffer, number, collision, missing);
      return;
    }
    if (question.law.empty() && *collision.law == "all") {
      const Error hint{ErrorCode::conflict, "law", "\"all\"",
                       "is for the command line, --law all; a line must name one law"};
      complain(number, hint);
      writer.fault(buffer, number, collision, hint);
      return;
    }
    const Answer one = ask(question.law.empty() ? *collision.law : question.law, collision, question.request);
    if (!one.outcome) complain(number, one.outcome.error());
    writer.collision(buffer, number, collision, std::span(&one, 1));
  };

  // A client that sends one line and waits must receive its answer while the input stays open.
  bool written = true;
  const auto before_waiting = [&] {
    if (collisions > 0) written = flush();
  };

  writer.begin(buffer);
  while (true) {
    const auto line = input.next_line(before_waiting);
    if (!written) return {failed_to_write, false};
    if (!line) {
      complain(0, line.error());
      return {bad_input, false};
    }
    if (!*line) break;
    ++number;
    if ((*line)->text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    ++collisions;
    answer(**line);
    if (buffer.size() >= flush_at && !flush()) return {failed_to_write, false};
    progress.update(number, input.consumed());
  }
  if (collisions == 0) {
    complain(0, Error{ErrorCode::missing, "", "", "is empty; at least one collision is needed"});
    return {bad_input, false};
  }
  writer.end(buffer);
  if (!flush()) return {failed_to_write, false};
  if (const std::string summary = refusals.summary(); !summary.empty()) {
    progress.clear();
    fmt::print(stderr, "{}: {}\n", printable(input.name()), summary);
  }
  return {refusals.count() > 0 ? bad_input : 0, true};
}

}  // namespace ricochet::app
