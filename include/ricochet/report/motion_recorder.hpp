#pragma once
/// A motion document made of what a simulation reports while it runs, or of what it has written
/// (docs/motion-document.md).

#include <cstdint>
#include <string>
#include <vector>

#include "ricochet/report/motion_document.hpp"

namespace ricochet {

/// A run is cut into this many pieces of equal simulated time, wherever it runs, so that the same motion comes out. A
/// power of two: the times of the cuts are exact.
constexpr std::uint64_t motion_pieces = 256;
/// The end of piece k, from 1.
[[nodiscard]] constexpr double piece_end(std::uint64_t k, double until) {
  return k == motion_pieces ? until : until * (static_cast<double>(k) / motion_pieces);
}

/// Of a trajectory that a page plays: about 50 MB.
constexpr std::size_t most_page_numbers = 3'000'000;

class MotionRecorder {
 public:
  MotionRecorder(std::string title, const motion::World& world);

  /// In the order of time; those of one instant after its events, or before them.
  void add_sample(double time, const std::vector<motion::Pose>& poses);
  void add_event(const motion::Event& event) { document_.events.push_back(event); }
  /// Between these times what friction has taken is interpolated.
  void add_losses(double time, double lost_to_friction) { losses_.push_back({time, lost_to_friction}); }

  /// Samples are dropped that would make it more than `most_page_numbers`.
  [[nodiscard]] bool overflows() const { return dropped_ > 0; }
  [[nodiscard]] std::size_t samples() const { return document_.samples.size() + dropped_; }

  /// The document with its energies; it may violate `check` where samples were dropped.
  [[nodiscard]] MotionDocument finish() &&;

 private:
  struct Losses {
    double time, lost_to_friction;
  };
  [[nodiscard]] double friction_until(double time) const;

  MotionDocument document_;
  std::vector<Losses> losses_;
  std::size_t numbers_ = 0, dropped_ = 0;
};

}  // namespace ricochet
