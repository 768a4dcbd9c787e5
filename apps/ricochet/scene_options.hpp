#pragma once
/// How a scene of many contacts is to be resolved, from the command line: `simultaneous` and `report` share it.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ricochet/simultaneous/ensemble.hpp"

namespace CLI {
class App;
}

namespace ricochet::app {

struct SceneOptions {
  std::string ties = "direction", hinges;
  std::uint64_t seed = 0;
  std::size_t ensemble = 0, max_collisions = 0;
  unsigned threads = 0;
  double uncertainty = 1e-9, tolerance = 1e-12, resolution = 1e-4;
  ContactUncertainty contacts;
  bool no_extrapolation = false;
};

void add_scene_options(CLI::App& command, SceneOptions& options);

/// Those of them that speak of sequences, and of ensembles.
[[nodiscard]] std::span<const std::string_view> sequence_option_names();
[[nodiscard]] std::span<const std::string_view> ensemble_option_names();

[[nodiscard]] SequenceOptions sequence_options(const SceneOptions& options);
[[nodiscard]] EnsembleOptions ensemble_options(const SceneOptions& options);

/// What of the contacts an ensemble draws at random, ", e by 0.1": empty where nothing.
[[nodiscard]] std::string contacts_moved(const ContactUncertainty& uncertainty);

/// The option that a fault of these numbers is to be laid to, "--tolerance"; empty where it is none of them.
[[nodiscard]] std::string option_of(const Error& error);

}  // namespace ricochet::app
