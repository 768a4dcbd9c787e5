#pragma once
/// A mechanism's impact from the command line: the options of `impact` and `report`, and what they lead to.

#include <string>
#include <vector>

#include "ricochet/io/assignments.hpp"
#include "ricochet/scene/mechanism_impact.hpp"
#include "terminal/command_line.hpp"

namespace ricochet::app {

struct MechanismOptions {
  std::string model, state, contact, law;
  std::vector<std::string> q, u, sizes, sets;
  double reach = 1e-3;
  bool assemble = false;
};

/// --state, --q, --u, --size, --contact, --reach and --assemble.
void add_mechanism_options(const CommandLine& command, MechanismOptions& options);

/// Reads the files and values named by the options. Every step reports errors with their option or line and returns the
/// exit code, 0 on success.
class MechanismInput {
 public:
  explicit MechanismInput(const MechanismOptions& options) : options_(options) {}

  /// The mechanism, its state, and the contacts within reach.
  [[nodiscard]] int read();
  /// The selected contact and its law parameters.
  [[nodiscard]] int strike();

  [[nodiscard]] const MechanismImpact& impact() const { return impact_; }
  /// A law of the table or of the plane; "all" where none is given.
  [[nodiscard]] const std::string& law() const { return law_; }

  /// Lays an error of a parameter to where the parameter was given, and returns 2.
  [[nodiscard]] int report_parameter_error(const Error& error) const;

 private:
  int read_state_file();
  int open();
  int place();
  int find();

  const MechanismOptions& options_;
  MechanismState state_;
  Assignments assignments_;
  std::string law_;
  bool stated_ = false;  ///< the contact was stated, and is the only one in the list
  MechanismImpact impact_;
};

}  // namespace ricochet::app
