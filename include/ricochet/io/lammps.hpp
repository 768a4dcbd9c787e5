#pragma once
/// A contact as LAMMPS input, for grains of `atom_style sphere`: the arguments of `pair_coeff` under `pair_style
/// granular` and of `fix wall/gran granular`, and an input script for one oblique impact; docs/equivalents.md (EQ13,
/// EQ14).

#include <string>

#include "ricochet/compliant/material.hpp"

namespace ricochet {

/// "hooke K_N GAMMA damping velocity tangential linear_history K_T 0 MU limit_damping": linear springs and the damper
/// without tension.
[[nodiscard]] std::string lammps_linear(const compliant::LinearContact& contact, double mu);

/// "hertz K_N 0 damping velocity tangential mindlin K_T 0 MU": Hertz and Mindlin themselves, K_N = 4/3 E*, K_T = 8 G*,
/// without damper.
[[nodiscard]] std::string lammps_hertz(const compliant::HertzImpact& impact, double mu);

/// Sphere B hits A, which is at rest at the origin (or the wall z < 0), with V = (slip, 0, −speed) along −z, without
/// spin. The script has two variables: `contact` (the arguments above) and `steps`, time steps a contact time, which
/// `lmp -var` overrides. It prints one line "REBOUND vx vy vz wx wy wz" of B, in full precision, after the spheres have
/// separated.
struct LammpsBounce {
  compliant::ElasticSphere A, B;
  double speed = 1, slip = 0;  ///< [m/s]
  std::string contact;         ///< of lammps_linear or lammps_hertz
  double contact_time = 0;     ///< [s]
};
[[nodiscard]] std::string lammps_script(const LammpsBounce& bounce);

}  // namespace ricochet
