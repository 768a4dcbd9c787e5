#pragma once
/// What is known of the first time at which a gap becomes negative (docs/motion.md (EV1)).

#include <cstdint>

namespace ricochet::motion {

enum class CrossingKind : std::uint8_t {
  none,             ///< the gap is nowhere negative in [0, T]
  crosses,          ///< the gap is nonnegative up to a first crossing inside [0, T), then negative
  starts_negative,  ///< the gap is negative at 0
  undecided,        ///< the exact arithmetic would need more digits than there is room for (EV8)
  invalid,          ///< a coefficient is not finite, or T is negative or not a number
};

struct FirstCrossing {
  CrossingKind kind = CrossingKind::none;
  double time = 0;       ///< the first crossing rounded down to a double (EV2); 0 where there is none
  int start_order = 0;   ///< multiplicity of the zero at 0; 0: the gap is open or negative at the start
  bool touches = false;  ///< on request: the gap is zero without crossing in (0, T), before the first crossing
  double touch = 0;      ///< the first such time, rounded down
  int subdivisions = 0;  ///< intervals that were halved
  bool exact = false;    ///< rounding left a sign open, and exact arithmetic decided
};

enum class Touches : bool { ignore, report };

}  // namespace ricochet::motion
