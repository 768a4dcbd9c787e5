#pragma once
/// A toss predicted from its first row, by events, and how far the prediction misses (docs/fitting.md, Tosses).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ricochet/fit/toss.hpp"
#include "ricochet/law/law_parameters.hpp"

namespace ricochet {

struct TossModel {
  TossBody body;
  std::string law = "routh";
  LawParameters settings;
  bool from_flight = false;  ///< start from all rows before the first contact, not from the first row alone
};

struct TossPose {
  Vec3 position = Vec3::Zero();  ///< of the middle
  Quaternion orientation = Quaternion::Identity();
};

struct TossPrediction {
  std::vector<TossPose> poses;  ///< at the times of the rows
  std::uint64_t events = 0;
  bool stepped = false;  ///< events came to no end, and equal time steps were taken
};

/// The state of the middle at the time of the first row (FT13).
[[nodiscard]] TossRow start_of(const Toss& toss, const TossModel& model);

/// Fails for a law or body that is not accepted, and where neither events nor time steps reach the last row.
[[nodiscard]] Expected<TossPrediction> predict(const Toss& toss, const TossModel& model);

/// Means over the rows (FT14).
struct TossError {
  double position = 0;  ///< per cent of the side
  double angle = 0;     ///< degrees
};
[[nodiscard]] TossError error_of(const Toss& toss, std::span<const TossPose> poses, double side);

}  // namespace ricochet
