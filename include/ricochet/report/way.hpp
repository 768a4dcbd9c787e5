#pragma once
/// The way of an impact through impulse space, fine enough to draw. A law's outcome holds the places where something
/// happens; between two of them the impulse goes straight, unless slip swerves: then it follows (R1) and (R2) of
/// docs/laws/routh.md, here step by step in the regular form (R3), which must arrive where the law did.

#include <string>
#include <vector>

#include "ricochet/law/outcome.hpp"

namespace ricochet {

struct WayPoint {
  Vec3 P = Vec3::Zero();  ///< impulse so far, input coordinates [N s]
  Vec3 V = Vec3::Zero();  ///< velocity of the contact point [m/s]
  double normal_work = 0, friction_work = 0;
};

struct WayPiece {
  enum class Form {
    straight,  ///< dP has one direction: the two ends say all
    swerving,  ///< by points in between
    unknown,   ///< neither, as far as the law says: only its ends are known
  };
  std::vector<WayPoint> points;  ///< both ends included
  Form form = Form::straight;
};

struct WayMark {
  std::string name;
  WayPoint at;
};

struct Way {
  std::vector<WayPiece> pieces;
  std::vector<WayMark> marks;  ///< start, end, and what happened in between

  [[nodiscard]] std::vector<Vec3> impulses() const;  ///< all points in order
};

/// `mu` is what slides between the events of the outcome, 0 to ∞.
[[nodiscard]] Way way_of(const Contact& contact, const Outcome& outcome, double mu);

/// At the share s of a straight piece, 0 to 1: V goes linearly with P, and the works are what that makes of them.
[[nodiscard]] WayPoint along(const Vec3& n, const WayPoint& from, const WayPoint& to, double s);

}  // namespace ricochet
