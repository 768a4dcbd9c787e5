#pragma once
/// Options for many contacts at once, shared by `simultaneous`, `report` and `impact`.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ricochet/simultaneous/ensemble.hpp"
#include "terminal/command_line.hpp"

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

/// --ties, --seed, --ensemble and what else goes with many contacts of any kind.
void add_sequence_options(const CommandLine& command, SceneOptions& options);
/// Those, --hinges, and the uncertainties of the contacts of a scene.
void add_scene_options(const CommandLine& command, SceneOptions& options);

/// The options for sequences, and for ensembles.
[[nodiscard]] std::span<const std::string_view> sequence_option_names();
[[nodiscard]] std::span<const std::string_view> ensemble_option_names();

[[nodiscard]] SequenceOptions sequence_options(const SceneOptions& options);
[[nodiscard]] EnsembleOptions ensemble_options(const SceneOptions& options);

/// The sampled uncertainties of the contacts, ", e by 0.1"; empty if none.
[[nodiscard]] std::string contacts_moved(const ContactUncertainty& uncertainty);

/// The option to which an error refers, "--tolerance"; empty if none.
[[nodiscard]] std::string_view option_of(const Error& error);

}  // namespace ricochet::app
