#pragma once
/// Many collisions, line by line: constant memory, a bad line does not stop the others.

#include <string>

#include "assignments.hpp"
#include "input.hpp"
#include "output_file.hpp"
#include "writer.hpp"

namespace ricochet::app {

/// What is asked of every collision.
struct Question {
  std::string law;  ///< of the command line; empty: the file's own
  Assignments assignments;
};

struct StreamResult {
  int status = 0;         ///< exit code
  bool complete = false;  ///< every line has its answer or its error, and the output may be kept
};

/// Answers every line of `input`; the output is not committed yet.
[[nodiscard]] StreamResult run_stream(Input& input, const Question& question, Writer& writer, OutputFile& output);

}  // namespace ricochet::app
