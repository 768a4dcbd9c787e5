#include "terminal/scene_options.hpp"

#include <fmt/format.h>

#include <array>

#include "terminal/common_options.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

constexpr std::array<std::string_view, 13> sequence_names{
    "--ties",          "--seed",           "--ensemble",           "--uncertainty",
    "--uncertainty-e", "--uncertainty-mu", "--uncertainty-normal", "--uncertainty-point",
    "--resolution",    "--tolerance",      "--max-collisions",     "--no-extrapolation",
    "--threads"};
constexpr std::array<std::string_view, 4> ensemble_names{"--uncertainty-e", "--uncertainty-mu", "--uncertainty-normal",
                                                         "--uncertainty-point"};

}  // namespace

void add_sequence_options(const CommandLine& command, SceneOptions& options) {
  command
      .add_option("--ties", options.ties,
                  "how ties (equal approach speeds) are resolved: direction (default), random, or perturb")
      .among({"perturb", "direction", "random"})
      .type_name("RULE");
  add_seed_option(command, options.seed, "of random ties and perturbations, 0 by default");
  command.add_option("--ensemble", options.ensemble, "solve N perturbed members and show the spread of outcomes")
      .between(std::size_t{1}, std::size_t{10'000'000})
      .type_name("N");
  command
      .add_option("--uncertainty", options.uncertainty,
                  "of the initial speeds, relative to the largest, for perturb and ensembles; 1e-9 by default")
      .type_name("X");
  command
      .add_option(
          "--resolution", options.resolution,
          "outcomes of an ensemble closer than this, relative to the largest speed, count as one; 1e-4 by default")
      .type_name("X");
  command
      .add_option("--tolerance", options.tolerance,
                  "approach speed that counts as zero, relative to the largest speed; 1e-12 by default")
      .type_name("X");
  command
      .add_option("--max-collisions", options.max_collisions,
                  "limit on collisions; 1e7 + 100 for each contact by default")
      .between(std::size_t{1}, std::size_t{1'000'000'000'000})
      .type_name("N");
  command.add_flag("--no-extrapolation", options.no_extrapolation,
                   "resolve infinite sequences down to the tolerance instead");
  command.add_option("--threads", options.threads, "for ensembles; the result does not depend on it").type_name("N");
}

void add_scene_options(const CommandLine& command, SceneOptions& options) {
  add_sequence_options(command, options);
  command.add_option("--uncertainty-e", options.contacts.e, "of every restitution, for ensembles; 0 by default")
      .type_name("X");
  command
      .add_option("--uncertainty-mu", options.contacts.mu, "of every friction coefficient, for ensembles; 0 by default")
      .type_name("X");
  command
      .add_option("--uncertainty-normal", options.contacts.normal, "of every normal [rad], for ensembles; 0 by default")
      .type_name("X");
  command
      .add_option("--uncertainty-point", options.contacts.point,
                  "of every contact point [m], for ensembles; 0 by default")
      .type_name("X");
  command.add_option("--hinges", options.hinges, "sequence (default of sequences), intact, or both side by side")
      .among({"sequence", "intact", "both"})
      .type_name("WAY");
}

std::span<const std::string_view> sequence_option_names() { return sequence_names; }
std::span<const std::string_view> ensemble_option_names() { return ensemble_names; }

SequenceOptions sequence_options(const SceneOptions& options) {
  SequenceOptions o;
  o.ties = options.ties == "perturb" ? Ties::perturb : options.ties == "random" ? Ties::random : Ties::direction;
  o.seed = options.seed;
  o.uncertainty = options.uncertainty;
  o.tolerance = options.tolerance;
  o.extrapolate = !options.no_extrapolation;
  o.max_collisions = options.max_collisions;
  return o;
}

EnsembleOptions ensemble_options(const SceneOptions& options) {
  EnsembleOptions o;
  o.members = options.ensemble;
  o.sequence = sequence_options(options);
  o.resolution = options.resolution;
  o.threads = options.threads;
  return o;
}

std::string contacts_moved(const ContactUncertainty& uncertainty) {
  std::string out;
  if (uncertainty.e > 0) out += fmt::format(", e by {:.3g}", uncertainty.e);
  if (uncertainty.mu > 0) out += fmt::format(", mu by {:.3g}", uncertainty.mu);
  if (uncertainty.normal > 0) out += fmt::format(", normals by {:.3g} rad", uncertainty.normal);
  if (uncertainty.point > 0) out += fmt::format(", points by {:.3g} m", uncertainty.point);
  return out;
}

std::string_view option_of(const Error& error) {
  static constexpr std::array<OptionOf, 8> options_of{{{"uncertainty", "--uncertainty"},
                                                       {"uncertainty.e", "--uncertainty-e"},
                                                       {"uncertainty.mu", "--uncertainty-mu"},
                                                       {"uncertainty.normal", "--uncertainty-normal"},
                                                       {"uncertainty.point", "--uncertainty-point"},
                                                       {"tolerance", "--tolerance"},
                                                       {"resolution", "--resolution"},
                                                       {"members", "--ensemble"}}};
  return option_of(error, options_of);
}

}  // namespace ricochet::app
