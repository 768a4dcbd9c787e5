#pragma once
/// What `simulate` is asked: its options, and the scene that they make.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ricochet/io/json.hpp"
#include "ricochet/motion/ensemble.hpp"
#include "ricochet/scene/motion_scene.hpp"

namespace ricochet::app {

struct SimulateOptions {
  std::string scene, law, method = "events", out, motion, format = "table", output;
  std::vector<std::string> sets;
  double until = 10, save_every = 1;
  std::optional<double> sample, height, step, stiffness;
  std::size_t max_events = 0;
  bool resume = false, force = false, sensitivity = false;

  std::size_t ensemble = 0;
  std::uint64_t seed = 0;
  motion::MotionUncertainty uncertainty;
  bool speed_given = false;
  unsigned threads = 0;
  std::string ensemble_only;  ///< an option that was given and goes with ensembles only
  std::string alone_only;     ///< an option that was given and goes with a single motion only
  std::string folder_only;    ///< an option that was given and goes with --out only
};

class SimulateInput {
 public:
  explicit SimulateInput(const SimulateOptions& options) : options_(options) {}

  /// The exit status; what is wrong has been said.
  [[nodiscard]] int check() const;
  [[nodiscard]] int read();
  [[nodiscard]] int refuse_scene(const Error& error) const;

  [[nodiscard]] const MotionScene& scene() const { return scene_; }
  [[nodiscard]] motion::World& world() { return world_; }
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] double sample() const { return options_.sample.value_or(options_.until / 1000); }
  [[nodiscard]] double step() const;
  [[nodiscard]] motion::MotionMethod method() const;

  /// What determines the motion, and where its trajectory is sampled.
  [[nodiscard]] Json identity(std::optional<double> sample) const;

 private:
  void note_method();
  [[nodiscard]] std::string robot_texts() const;

  const SimulateOptions& options_;
  MotionScene scene_;
  motion::World world_;
  std::vector<std::string> notes_;
};

}  // namespace ricochet::app
