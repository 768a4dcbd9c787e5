#pragma once
/// A motion as the viewer plays it: one JSON document, or a page that holds it (docs/motion-document.md).

#include <string>
#include <string_view>
#include <vector>

#include "ricochet/motion/simulation.hpp"

namespace ricochet {

/// Every body has a pose in every sample; the time of every event is that of a sample.
struct MotionDocument {
  struct Sample {
    double time = 0;                  ///< not before the sample before [s]
    std::vector<motion::Pose> poses;  ///< one for each body; after the events of this time
    motion::EnergyLedger energy;
  };
  std::string title;
  Vec3 gravity = Vec3::Zero();            ///< [m/s²]; says which way is up
  std::vector<motion::WorldBody> bodies;  ///< names, masses, shapes
  std::vector<Sample> samples;            ///< at least one
  std::vector<motion::Event> events;
};

/// Names the first thing that the viewer would refuse: "samples", "samples[3].time", "samples[3].poses",
/// "events[2].time", "events[2].bodies", numbers that are not finite.
[[nodiscard]] Expected<void> check(const MotionDocument& document);

/// Of several samples at one time the last is written. The document must pass `check`.
[[nodiscard]] std::string write_json(const MotionDocument& document);

/// The viewer with the document in one HTML file, which needs no other file and no network.
[[nodiscard]] std::string motion_page(const MotionDocument& document);
/// The same for a document that has been written, JSON.
[[nodiscard]] std::string motion_page(const std::string& title, std::string_view document);

}  // namespace ricochet
