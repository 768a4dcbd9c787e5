#include "hinged_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "body_jacobian.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/mechanism/loops.hpp"
#include "ricochet/simultaneous/assemble.hpp"

namespace ricochet {
namespace {

std::size_t root_of(std::vector<std::size_t>& parent, std::size_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

/// G u + drift = 0: the two bodies of each hinge have one velocity at its point.
struct HingeConstraints {
  std::vector<std::size_t> hinges;  ///< indices in the scene
  MatX G;
  VecX drift;        ///< from fixed bodies [m/s]
  double speed = 0;  ///< the largest term that these velocities are made of [m/s]
};

HingeConstraints constraints(const BodyScene& scene, const std::vector<Eigen::Index>& column, Eigen::Index dof) {
  HingeConstraints out;
  for (std::size_t h = 0; h < scene.hinges.size(); ++h)
    if (column[scene.hinges[h].first] >= 0 || column[scene.hinges[h].second] >= 0) out.hinges.push_back(h);
  out.G = MatX::Zero(static_cast<Eigen::Index>(3 * out.hinges.size()), dof);
  out.drift = VecX::Zero(out.G.rows());
  for (std::size_t k = 0; k < out.hinges.size(); ++k) {
    const Hinge& hinge = scene.hinges[out.hinges[k]];
    const auto row = static_cast<Eigen::Index>(3 * k);
    for (const auto& [i, sign] : {std::pair{hinge.first, -1.0}, std::pair{hinge.second, 1.0}}) {
      const RigidBody& body = scene.bodies[i];
      const Vec3 V = velocity_at(body, hinge.point);
      // The terms of V, not V itself, which is only their rounding at a hinge that does not move.
      out.speed = std::max({out.speed, body.velocity.norm(), (V - body.velocity).norm()});
      if (body.fixed) {
        out.drift.segment<3>(row) += sign * V;
      } else {
        out.G.block<3, 6>(row, column[i]) = sign * body_jacobian(hinge.point - body.position);
      }
    }
  }
  return out;
}

/// 𝓜⁻¹ of the bodies without their hinges.
MassSolver free_bodies(const BodyScene& scene, const std::vector<std::size_t>& members,
                       const std::vector<Mat3>& inverse) {
  std::vector<std::pair<double, Mat3>> inverse_masses;  // 1/m and J⁻¹ of each
  inverse_masses.reserve(members.size());
  for (const std::size_t i : members) inverse_masses.emplace_back(1 / scene.bodies[i].mass, inverse[i]);
  return [inverse_masses = std::move(inverse_masses)](const MatX& X) -> MatX {
    MatX Y(X.rows(), X.cols());
    if (Y.cols() == 0) return Y;  // Eigen may not form a block of an empty matrix
    Eigen::Index at = 0;
    for (const auto& [inverse_m, inverse_J] : inverse_masses) {
      Y.middleRows<3>(at) = inverse_m * X.middleRows<3>(at);
      Y.middleRows<3>(at + 3) = inverse_J.lazyProduct(X.middleRows<3>(at + 3));
      at += static_cast<Eigen::Index>(body_dof);
    }
    return Y;
  };
}

/// Where the (v, ω) of each member begins in u; −1 for other bodies.
std::vector<Eigen::Index> columns(const BodyScene& scene, const std::vector<std::size_t>& members) {
  std::vector<Eigen::Index> out(scene.bodies.size(), -1);
  for (std::size_t k = 0; k < members.size(); ++k) out[members[k]] = static_cast<Eigen::Index>(body_dof * k);
  return out;
}

}  // namespace

std::vector<std::vector<std::size_t>> connected_by_hinges(const BodyScene& scene) {
  std::vector<std::size_t> parent(scene.bodies.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  for (const Hinge& h : scene.hinges)
    if (!scene.bodies[h.first].fixed && !scene.bodies[h.second].fixed)
      parent[root_of(parent, h.first)] = root_of(parent, h.second);
  std::vector<std::vector<std::size_t>> by_root(scene.bodies.size());
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (!scene.bodies[i].fixed) by_root[root_of(parent, i)].push_back(i);
  std::erase_if(by_root, [](const auto& members) { return members.empty(); });
  return by_root;
}

Expected<HingedBodies> hinged_bodies(const BodyScene& scene, const std::vector<std::size_t>& members,
                                     const std::vector<Mat3>& inverse) {
  const auto dof = static_cast<Eigen::Index>(body_dof * members.size());
  VecX u(dof);
  for (std::size_t k = 0; k < members.size(); ++k) {
    const RigidBody& body = scene.bodies[members[k]];
    const auto at = static_cast<Eigen::Index>(body_dof * k);
    u.segment<3>(at) = body.velocity;
    u.segment<3>(at + 3) = body.angular_velocity;
  }
  const HingeConstraints c = constraints(scene, columns(scene, members), dof);
  const VecX gap = c.G.lazyProduct(u) + c.drift;
  // A group at rest in a scene that moves has the rounding of the scene.
  double speed = c.speed;
  for (const RigidBody& body : scene.bodies) speed = std::max(speed, body.velocity.norm());
  for (std::size_t k = 0; k < c.hinges.size(); ++k) {
    const Vec3 V = gap.segment<3>(static_cast<Eigen::Index>(3 * k));
    if (V.norm() > 1e-9 * speed)
      return fail(ErrorCode::open_loop, entry_path("hinge", c.hinges[k]), fmt::format("{} m/s", to_text(V.norm())),
                  "its two bodies move apart there before the impact; an intact mechanism cannot");
  }
  const auto closed = ClosedLoops::of(free_bodies(scene, members, inverse), c.G);
  if (!closed) return tl::unexpected(closed.error());
  return HingedBodies{closed->solver(), std::move(u)};
}

Expected<std::vector<Mat3>> inverse_inertias(const BodyScene& scene) {
  std::vector<Mat3> out(scene.bodies.size(), Mat3::Zero());
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].fixed) continue;
    const auto found = inverse_inertia(scene.bodies[i], entry_path("body", i));
    if (!found) return tl::unexpected(found.error());
    out[i] = *found;
  }
  return out;
}

Expected<std::vector<HingeImpulse>> hinge_impulses(const BodyScene& scene, std::span<const Vec3> contact_impulses) {
  const auto inverse = inverse_inertias(scene);
  if (!inverse) return tl::unexpected(inverse.error());
  std::vector<HingeImpulse> out(scene.hinges.size());
  for (const std::vector<std::size_t>& members : connected_by_hinges(scene)) {
    const std::vector<Eigen::Index> column = columns(scene, members);
    const auto dof = static_cast<Eigen::Index>(body_dof * members.size());
    const HingeConstraints c = constraints(scene, column, dof);
    if (c.hinges.empty()) continue;
    const auto closed = ClosedLoops::of(free_bodies(scene, members, *inverse), c.G);
    if (!closed) return tl::unexpected(closed.error());
    VecX f = VecX::Zero(dof);
    for (std::size_t k = 0; k < scene.contacts.size(); ++k) {
      const ContactSpec& contact = scene.contacts[k];
      for (const auto& [i, sign] : {std::pair{contact.first, -1.0}, std::pair{contact.second, 1.0}}) {
        if (column[i] < 0) continue;
        const Vec3 P = sign * contact_impulses[k];
        f.segment<3>(column[i]) += P;
        f.segment<3>(column[i] + 3) += (contact.point - scene.bodies[i].position).cross(P);
      }
    }
    const VecX lambda = closed->loads(f);
    for (std::size_t k = 0; k < c.hinges.size(); ++k) {
      const auto row = static_cast<Eigen::Index>(3 * k);
      out[c.hinges[k]] = {lambda.segment<3>(row), closed->unique(row, 3)};
    }
  }
  return out;
}

}  // namespace ricochet
