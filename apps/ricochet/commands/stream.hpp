#pragma once
/// Many collisions, line by line, in constant memory; an invalid line does not stop the others.

#include <string>

#include "ricochet/io/assignments.hpp"
#include "ricochet/io/input.hpp"
#include "ricochet/io/writer.hpp"
#include "terminal/output_file.hpp"

namespace ricochet::app {

/// Options for every collision.
struct Question {
  std::string law;  ///< from the command line; empty: from the file
  Assignments assignments;
  DerivativeRequest request = {};
};

struct StreamResult {
  int status = 0;         ///< exit code
  bool complete = false;  ///< every line has its answer or its error, and the output is complete
};

/// Answers every line of `input`; does not commit the output.
[[nodiscard]] StreamResult run_stream(Input& input, const Question& question, Writer& writer, OutputFile& output);

}  // namespace ricochet::app
