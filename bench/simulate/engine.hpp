#pragma once
/// What the comparison asks of an engine: to be set up, to move, and to say where bodies are. One program an engine.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scene.hpp"

namespace ricochet::simulate {

/// Mean over the steps of the squared error before each of them.
class Recorder {
 public:
  Recorder(const Scene& scene, double dt);
  /// The states before step `i`, that is at the time i dt.
  void see(long i, const std::vector<State>& states);
  [[nodiscard]] double error() const { return sum_ / static_cast<double>(seen_); }
  [[nodiscard]] long seen() const { return seen_; }

 private:
  const Scene& scene_;
  double dt_, start_;
  double sum_ = 0;
  long seen_ = 0;
};

/// A run may not last longer, in CPU time of the process [s].
class Deadline {
 public:
  explicit Deadline(double seconds);
  [[nodiscard]] bool over() const;
  [[nodiscard]] double elapsed() const;

 private:
  double begin_, seconds_;
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  virtual void setup(const Scene& scene, double dt) = 0;
  /// Moves by `steps` steps and shows the recorder, where there is one, the states before each of them. False where the
  /// deadline came first.
  virtual bool run(long steps, Recorder* recorder, const Deadline& deadline) = 0;
  virtual void states(std::vector<State>& out) const = 0;
};

/// An engine that moves by steps.
class Stepper : public Engine {
 public:
  bool run(long steps, Recorder* recorder, const Deadline& deadline) final;

 protected:
  virtual void step() = 0;
};

/// One way to use an engine on a scene.
struct Variant {
  std::string name;      ///< as in the table
  std::string settings;  ///< in words
  std::function<std::unique_ptr<Engine>()> make;
};

struct Peer {
  std::string name, version;
  std::function<std::vector<Variant>(const Scene&)> variants;
  double overlap = 2e-5;    ///< at the start of `rolling`, as the source has it [m]
  bool takes_steps = true;  ///< its time depends on dt
};

/// Whole program: `--check` shows that the engine has the scenes as they are meant; FILE [SECONDS [SCENE]] measures and
/// writes JSON. Returns the exit status, 1 where a scene is another one.
int run(const Peer& peer, int argc, char** argv);

}  // namespace ricochet::simulate
