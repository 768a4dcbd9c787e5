#pragma once
/// Kinematics and dynamics of trees for any scalar type: docs/mechanisms.md (G9), (G13) to (G15). `articulated.hpp` and
/// `tree_dynamics.hpp` have them for plain numbers.

#include <Eigen/Geometry>
#include <span>
#include <vector>

#include "ricochet/mechanism/tree_dynamics.hpp"

namespace ricochet::tree_kernel {

template <class T>
using V3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using M3 = Eigen::Matrix<T, 3, 3>;
template <class T>
using V6 = Eigen::Matrix<T, 6, 1>;
template <class T>
using VX = Eigen::Matrix<T, Eigen::Dynamic, 1>;
template <class T>
using MX = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// A link whose parent has its place already. `q`: its positions, quaternions of any length; `first`: of its speeds.
template <class T>
[[nodiscard]] LinkPlace<T> place(const Link& link, const LinkPlace<T>* parent, const T* q, int first) {
  const auto turn = [](const T* r) {
    return M3<T>(Eigen::Quaternion<T>(r[0], r[1], r[2], r[3]).normalized().toRotationMatrix());
  };
  M3<T> R = link.rotation.template cast<T>();
  V3<T> origin = link.position.template cast<T>();
  if (parent != nullptr) {
    origin = parent->origin + parent->R * origin;
    R = parent->R * R;
  }
  LinkPlace<T> at;
  at.first = first;
  at.S.setZero(6, speed_count(link.joint));
  switch (link.joint) {
    case JointType::fixed: break;
    case JointType::revolute: {
      const V3<T> axis = link.axis.normalized().template cast<T>();
      at.S.col(0).template head<3>() = R * axis;
      R = R * Eigen::AngleAxis<T>(q[0], axis);
      break;
    }
    case JointType::prismatic: {
      const V3<T> axis = R * V3<T>(link.axis.normalized().template cast<T>());
      at.S.col(0).template tail<3>() = axis;
      origin += q[0] * axis;
      break;
    }
    case JointType::ball: {
      R = R * turn(q);
      at.S.template topRows<3>() = R;
      break;
    }
    case JointType::free: {
      origin += R * V3<T>(q[0], q[1], q[2]);
      at.S.template bottomLeftCorner<3, 3>() = R;
      R = R * turn(q + 3);
      at.S.template topRightCorner<3, 3>() = R;
      break;
    }
  }
  at.R = R;
  at.origin = origin;
  at.centre = origin + R * V3<T>(link.centre.template cast<T>());
  return at;
}

template <class T>
[[nodiscard]] std::vector<LinkMotionOf<T>> link_motions(const Tree& tree, std::span<const LinkPlace<T>> places,
                                                        const VX<T>& u, const VX<T>* rates = nullptr) {
  /// Of the link's origin.
  struct Origin {
    V3<T> v = V3<T>::Zero(), w = V3<T>::Zero(), a = V3<T>::Zero(), alpha = V3<T>::Zero();
  };
  std::vector<Origin> origins(tree.links.size());
  std::vector<LinkMotionOf<T>> out;
  out.reserve(tree.links.size());
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const LinkPlace<T>& at = places[i];
    const int parent = tree.links[i].parent;
    const Origin before = parent >= 0 ? origins[static_cast<std::size_t>(parent)] : Origin{};
    const V3<T> arm =
        parent >= 0 ? V3<T>(at.origin - places[static_cast<std::size_t>(parent)].origin) : V3<T>(V3<T>::Zero());
    V3<T> w = V3<T>::Zero(), v = V3<T>::Zero();  // relative to the parent
    V6<T> change = V6<T>::Zero();
    if (at.S.cols() > 0) {
      const V6<T> twist = at.S * u.segment(at.first, at.S.cols());
      w = twist.template head<3>();
      v = twist.template tail<3>();
      if (rates != nullptr) change = at.S * rates->segment(at.first, at.S.cols());
    }
    Origin& here = origins[i];
    here.w = before.w + w;
    here.alpha = before.alpha + before.w.cross(w) + change.template head<3>();
    here.v = before.v + v;
    here.a = before.a + T(2) * before.w.cross(v) + change.template tail<3>();
    if (parent >= 0) {
      here.v += before.w.cross(arm);
      const V3<T> turning = before.w.cross(arm);
      here.a += before.alpha.cross(arm) + before.w.cross(turning);
    }
    const V3<T> c = at.centre - at.origin, turning = here.w.cross(c);
    out.push_back({here.v + turning, here.w, here.a + here.alpha.cross(c) + here.w.cross(turning), here.alpha});
  }
  return out;
}

/// One force for each link, at its centre of mass.
template <class T>
[[nodiscard]] VX<T> generalised_force(const Tree& tree, std::span<const LinkPlace<T>> places, int dof,
                                      std::span<const LinkForceOf<T>> forces) {
  // Force and moment about the link's origin of what it carries.
  std::vector<LinkForceOf<T>> carried(tree.links.size());
  VX<T> out = VX<T>::Zero(dof);
  for (std::size_t i = tree.links.size(); i-- > 0;) {
    const LinkPlace<T>& at = places[i];
    LinkForceOf<T>& own = carried[i];
    own.force += forces[i].force;
    own.torque += forces[i].torque + (at.centre - at.origin).cross(forces[i].force);
    if (at.S.cols() > 0) {
      V6<T> wrench;
      wrench << own.torque, own.force;
      out.segment(at.first, at.S.cols()) = at.S.transpose() * wrench;
    }
    const int parent = tree.links[i].parent;
    if (parent < 0) continue;
    LinkForceOf<T>& below = carried[static_cast<std::size_t>(parent)];
    below.force += own.force;
    below.torque += own.torque + (at.origin - places[static_cast<std::size_t>(parent)].origin).cross(own.force);
  }
  return out;
}

template <class T>
[[nodiscard]] MX<T> link_jacobian(const Tree& tree, std::span<const LinkPlace<T>> places, int dof, int link) {
  MX<T> out = MX<T>::Zero(6, dof);
  if (link < 0) return out;
  const V3<T> centre = places[static_cast<std::size_t>(link)].centre;
  for (int i = link; i >= 0; i = tree.links[static_cast<std::size_t>(i)].parent) {
    const LinkPlace<T>& at = places[static_cast<std::size_t>(i)];
    for (Eigen::Index k = 0; k < at.S.cols(); ++k) {
      const V3<T> w = at.S.col(k).template head<3>(), v = at.S.col(k).template tail<3>();
      out.col(at.first + k) << v + w.cross(V3<T>(centre - at.origin)), w;
    }
  }
  return out;
}

/// q̇ at speeds u.
template <class T>
[[nodiscard]] VX<T> position_rates(const Tree& tree, const VX<T>& q, const VX<T>& u) {
  VX<T> out(q.size());
  Eigen::Index at = 0, speed = 0;
  const auto turn = [&](Eigen::Index position, Eigen::Index first) {
    const Eigen::Quaternion<T> r(q(position), q(position + 1), q(position + 2), q(position + 3));
    const Eigen::Quaternion<T> rate = r * Eigen::Quaternion<T>(T(0), u(first), u(first + 1), u(first + 2));
    out.template segment<4>(position) << T(0.5) * rate.w(), T(0.5) * rate.x(), T(0.5) * rate.y(), T(0.5) * rate.z();
  };
  for (const Link& link : tree.links) {
    switch (link.joint) {
      case JointType::fixed: break;
      case JointType::revolute:
      case JointType::prismatic: out(at) = u(speed); break;
      case JointType::ball: turn(at, speed); break;
      case JointType::free:
        out.template segment<3>(at) = u.template segment<3>(speed);
        turn(at + 3, speed + 3);
        break;
    }
    at += position_count(link.joint);
    speed += speed_count(link.joint);
  }
  return out;
}

}  // namespace ricochet::tree_kernel
