#include "stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "progress.hpp"
#include "read_jsonl.hpp"
#include "text.hpp"

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
  bool bad = false;

  const auto complain = [&](long long line, const Error& error) {
    bad = true;
    progress.clear();
    fmt::print(stderr, "{}\n", fault_line(input.name(), line, error));
  };
  const auto flush = [&] {
    const Expected<void> fine = output.write({buffer.data(), buffer.size()});
    buffer.clear();
    if (!fine) {
      progress.clear();
      fmt::print(stderr, "{}\n", complaint(fine.error()));
    }
    return fine.has_value();
  };
  const auto answer = [&](const Input::Line& line) {
    Collision collision;
    const Expected<void> fine =
        line.too_long ? fail("", std::string(line.text), "the line is longer than 1 MiB, too much for a collision")
                      : read_json_line(line.text, collision);
    if (!fine) {
      complain(number, fine.error());
      writer.fault(buffer, number, collision, fine.error());
      return;
    }
    apply(question.assignments, collision);
    if (every_law) {
      const std::vector<Answer> answers = ask_all(collision);
      const bool none =
          std::none_of(answers.begin(), answers.end(), [](const Answer& a) { return a.outcome.has_value(); });
      for (const Answer& a : answers) {
        if (!a.bad_value() && !(none && !a.outcome)) continue;
        complain(number, a.outcome.error());
        break;
      }
      writer.collision(buffer, number, collision, answers);
      return;
    }
    if (question.law.empty() && !collision.law) {
      const Error missing{"law", "", "missing; name one in the line or with --law (ricochet laws lists them)"};
      complain(number, missing);
      writer.fault(buffer, number, collision, missing);
      return;
    }
    if (question.law.empty() && *collision.law == "all") {
      const Error hint{"law", "\"all\"", "is for the command line, --law all; a line must name one law"};
      complain(number, hint);
      writer.fault(buffer, number, collision, hint);
      return;
    }
    const Answer one = ask(question.law.empty() ? *collision.law : question.law, collision);
    if (!one.outcome) complain(number, one.outcome.error());
    writer.collision(buffer, number, collision, std::span(&one, 1));
  };

  // Who sends one line and waits for its answer must get it while the input stays open.
  bool written = true;
  const auto before_waiting = [&] {
    if (collisions > 0) written = flush();
  };

  writer.begin(buffer);
  while (true) {
    const auto line = input.next_line(before_waiting);
    if (!written) return {1, false};
    if (!line) {
      complain(0, line.error());
      return {2, false};
    }
    if (!*line) break;
    ++number;
    if ((*line)->text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    ++collisions;
    answer(**line);
    if (buffer.size() >= flush_at && !flush()) return {1, false};
    progress.update(number, input.consumed());
  }
  if (collisions == 0) {
    complain(0, Error{"", "", "is empty; at least one collision is needed"});
    return {2, false};
  }
  writer.end(buffer);
  if (!flush()) return {1, false};
  return {bad ? 2 : 0, true};
}

}  // namespace ricochet::app
