#pragma once
/// What every method that resolves many contacts returns.

#include <vector>

#include "ricochet/simultaneous/certificate.hpp"

namespace ricochet {

struct SystemImpact {
  VecX u_before;                  ///< the problem's speeds, or others that were given in their place
  VecX u;                         ///< after; where a sequence does not settle, merely where it was left
  std::vector<Vec3> G;            ///< impulse of each contact, on its second body, world axes [N s]
  std::vector<Vec3> V;            ///< relative velocity of each contact after [m/s]
  double energy_change = 0;       ///< (Q2) [J]
  double remaining = 0;           ///< largest remaining approach speed [m/s]
  SystemCertificate certificate;  ///< not permissible, and without margins, where there is no answer
};

}  // namespace ricochet
