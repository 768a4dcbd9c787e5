#pragma once
/// Rigid bodies and mechanisms that move, meet and stay in contact: what a simulation is given (docs/simulation.md).

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ricochet/body/rigid_body.hpp"
#include "ricochet/geometry/convex_shape.hpp"
#include "ricochet/geometry/height_field.hpp"
#include "ricochet/law/law.hpp"
#include "ricochet/mechanism/articulated.hpp"

namespace ricochet::motion {

struct WorldBody {
  std::string name;
  RigidBody body;                        ///< at the start; a fixed one keeps its velocity
  std::vector<ConvexShape> shapes;       ///< in body axes about the centre of mass
  std::vector<PlacedField> fields = {};  ///< as above; their body must be fixed and at rest
};

/// What happens where two bodies touch.
struct PairLaw {
  Law law;          ///< of their impacts
  double mu = 0;    ///< of sliding in lasting contact
  double mu_s = 0;  ///< of sticking in lasting contact, at least mu
  /// Restitution of the law, where it has one: contacts that strike at one instant, equally fast, are resolved jointly
  /// with e and mu (docs/simulation.md (MO10)). Not a number: in sequence, by the law.
  double e = std::numeric_limits<double>::quiet_NaN();
};

/// A force at the centre of mass and a torque, world axes. With times, linear between them and constant outside.
struct AppliedForce {
  std::size_t body = 0;
  std::vector<double> times;  ///< increasing [s]; empty: constant
  std::vector<Vec3> forces;   ///< one for each time, or one [N]
  std::vector<Vec3> torques;  ///< as above [N m]
};

/// A ball joint that holds two points of bodies together.
struct BallJoint {
  std::size_t first = 0, second = 0;
  Vec3 point = Vec3::Zero();  ///< at the start, world [m]
};

/// A generalised force on one speed of a mechanism. With times, linear between them and constant outside.
struct JointForce {
  int speed = 0;
  std::vector<double> times;   ///< increasing [s]; empty: constant
  std::vector<double> values;  ///< one for each time, or one [N m] or [N]
};

/// Stops of a joint with one speed: lower ≤ q(position) ≤ upper.
struct JointLimit {
  int position = 0, speed = 0;
  double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
};

/// A tree of links that moves as one system under gravity, its joints' springs, dampers and forces (docs/simulation.md
/// (MO29)). Links with a shape or a mass are bodies of the world; the positions of these follow from q.
struct Mechanism {
  std::string name;
  Tree tree;
  VecX q, u;                          ///< at the start
  std::vector<std::uint32_t> bodies;  ///< those of its links that can move, in the world
  std::vector<int> links;             ///< the link of each of them
  VecX damping;                       ///< of each speed; empty: none [N m s] or [N s/m]
  VecX stiffness, rest;               ///< of each speed, and the position without force; empty: none [N m] or [N/m]
  MatX constraints;                   ///< G u = 0, constant: joints that follow others; no rows: none
  std::vector<JointForce> forces;
  std::vector<JointLimit> limits;  ///< (MO40)
  double stop_e = 0;               ///< restitution of the stops
  VecX dry_friction;               ///< of each speed, (MO41); empty: none [N m] or [N]
};

struct World {
  std::vector<WorldBody> bodies;
  Vec3 gravity = Vec3::Zero();  ///< [m/s²]
  std::vector<PairLaw> laws;
  std::vector<std::uint32_t> law_of_pair;  ///< index of the law of (i, j) at i·n + j and at j·n + i
  std::vector<AppliedForce> forces;
  std::vector<BallJoint> joints;
  std::vector<Mechanism> mechanisms;
  /// Pairs of bodies that do not collide, the smaller index first, in order. Bodies that a joint connects are none.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> apart;
  /// Pairs of shapes that do not collide though their bodies do: body, shape, body, shape, the smaller body first, in
  /// order. Height fields are numbered after the convex shapes of their body.
  std::vector<std::array<std::uint32_t, 4>> shapes_apart;

  [[nodiscard]] const PairLaw& law(std::size_t i, std::size_t j) const {
    return laws[law_of_pair.size() == 1 ? law_of_pair[0] : law_of_pair[i * bodies.size() + j]];
  }
};

/// Bodies that `ricochet::check` accepts, forces and joints of bodies that exist, finite numbers. Paths are
/// "body[2].mass", "force[1].times", "hinge[1].bodies", "gravity", "robot[1].q".
[[nodiscard]] Expected<void> check(const World& world);

}  // namespace ricochet::motion
