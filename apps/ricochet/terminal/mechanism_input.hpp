#pragma once
/// A mechanism's impact from the command line: the options of `impact` and `report`, and what they lead to.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/io/assignments.hpp"
#include "ricochet/scene/landing.hpp"
#include "ricochet/scene/mechanism_impact.hpp"
#include "ricochet/scene/strike_together.hpp"
#include "terminal/command_line.hpp"

namespace ricochet::app {

struct MechanismOptions {
  std::string model, state, contact, law, key, floor, base;
  std::vector<std::string> q, u, sizes, sets, packages;
  double reach = 1e-3;
  std::optional<double> drop, height;
  bool assemble = false;
  bool everything = false;                       ///< also contacts of bodies that move as one piece
  std::shared_ptr<const RobotScene> scene = {};  ///< of the file `model`, where it has been read
};

/// --state, --q, --u, --size, --contact, --reach, --assemble and those of a landing.
void add_mechanism_options(const CommandLine& command, MechanismOptions& options);

/// Reads the files and values named by the options. Every step reports errors with their option or line and returns the
/// exit code, 0 on success.
class MechanismInput {
 public:
  explicit MechanismInput(const MechanismOptions& options) : options_(options) {}

  /// The mechanism alone.
  [[nodiscard]] int read_model();
  /// The mechanism, its state, and the contacts within reach.
  [[nodiscard]] int read();
  /// The selected contact and its law parameters.
  [[nodiscard]] int strike();

  /// All contacts that close are struck, with the law parameters; at least one must.
  [[nodiscard]] int strike_all();

  [[nodiscard]] const MechanismImpact& impact() const { return impact_; }
  /// How a robot was set on the floor, if it was.
  [[nodiscard]] const std::optional<Landing>& landing() const { return landing_; }
  /// The pose of a robot, for people; empty where a state file gives it.
  [[nodiscard]] const std::string& pose() const { return pose_; }
  /// Law parameters that were not given and are assumed for a landing, "e = 0.5, mu = 0.5".
  [[nodiscard]] const std::string& assumed() const { return assumed_; }
  [[nodiscard]] bool contact_stated() const { return stated_; }
  /// The law of a contact that has its own does not count.
  [[nodiscard]] AskedLaw asked(std::string_view law) const { return {law, !options_.law.empty()}; }
  /// A law of the table or of the plane; "all" where none is given.
  [[nodiscard]] const std::string& law() const { return law_; }

  /// Lays an error of a parameter to where the parameter was given, and returns 2.
  [[nodiscard]] int report_parameter_error(const Error& error) const;

 private:
  int read_state_file();
  int read_scene_file();
  [[nodiscard]] int refuse_scene(const Error& error) const;
  int open();
  int start(VecX& q, VecX& u);
  int place();
  int land(VecX q, VecX u, std::vector<bool> given_q, std::vector<bool> given_u);
  int find();
  void set_parameters();

  const MechanismOptions& options_;
  MechanismState state_;
  std::shared_ptr<const RobotScene> scene_;
  Assignments assignments_;
  std::string law_;
  bool stated_ = false;  ///< the contact was stated, and is the only one in the list
  MechanismImpact impact_;
  std::optional<Landing> landing_;
  std::string pose_, assumed_;
};

}  // namespace ricochet::app
