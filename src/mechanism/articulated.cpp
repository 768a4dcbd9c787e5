#include "ricochet/mechanism/articulated.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <memory>
#include <type_traits>

#include "ricochet/base/constants.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/base/symmetric_eigen.hpp"
#include "ricochet/base/text.hpp"
#include "ricochet/mechanism/tree_kernel.hpp"
#include "small_product.hpp"

namespace ricochet {
namespace {

using Mat6 = Eigen::Matrix<double, 6, 6>;
using Eigen::Index;

std::string field_of(const Link& link, std::size_t i, std::string_view what) {
  return join_path(link.name.empty() ? entry_path("links", i) : link.name, what);
}

/// Sylvester's minors, with room for their rounding. False where it takes eigenvalues to tell.
bool clearly_positive(const Mat3& I) {
  const double trace = I.trace();
  return I(0, 0) > 0 && I(0, 0) * I(1, 1) - I(0, 1) * I(0, 1) > 1e-12 * trace * trace &&
         I.determinant() > 1e-12 * trace * trace * trace;
}

Expected<void> check(const Tree& tree) {
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& l = tree.links[i];
    const auto field = [&](std::string_view what) { return field_of(l, i, what); };
    if (l.parent < -1 || l.parent >= static_cast<int>(i))
      return fail(ErrorCode::out_of_range, field("parent"), std::to_string(l.parent),
                  "must be an earlier link, or -1 for the world");
    if ((l.joint == JointType::revolute || l.joint == JointType::prismatic) &&
        (!l.axis.allFinite() || !(l.axis.norm() > 0)))
      return fail(ErrorCode::out_of_range, field("axis"), to_text(l.axis), "must be finite and not zero");
    if (!l.position.allFinite())
      return fail(ErrorCode::out_of_range, field("position"), to_text(l.position), "must be finite");
    // Written so that NaN fails too.
    if (!((l.rotation.transpose() * l.rotation - Mat3::Identity()).norm() <= 1e-9) || !(l.rotation.determinant() > 0))
      return fail(ErrorCode::invalid, field("rotation"), to_text(l.rotation), "must be a rotation");
    if (!(l.mass >= 0) || !std::isfinite(l.mass))
      return fail(ErrorCode::out_of_range, field("mass"), to_text(l.mass), "must be finite and not negative");
    if (!l.centre.allFinite())
      return fail(ErrorCode::out_of_range, field("centre"), to_text(l.centre), "must be finite");
    if (!l.inertia.allFinite() || (l.inertia - l.inertia.transpose()).norm() > 1e-9 * l.inertia.norm())
      return fail(ErrorCode::invalid, field("inertia"), to_text(l.inertia), "must be finite and symmetric");
    if (!clearly_positive(l.inertia)) {
      const Vec3 moments = symmetric_eigenvalues(l.inertia);
      if (moments(0) < -1e-12 * moments(2) || moments(2) < 0)
        return fail(ErrorCode::invalid, field("inertia"), to_text(l.inertia), "must be positive semidefinite");
    }
    if (!(l.rotor >= 0) || !std::isfinite(l.rotor))
      return fail(ErrorCode::out_of_range, field("rotor"), to_text(l.rotor), "must be finite and not negative");
  }
  return {};
}

Expected<void> check_length(std::string_view field, const VecX& x, int count) {
  if (x.size() != count)
    return fail(ErrorCode::wrong_type, std::string(field), fmt::format("{} numbers", x.size()),
                fmt::format("must have {}", count));
  if (!x.allFinite()) return fail(ErrorCode::out_of_range, std::string(field), "", "every entry must be finite");
  return {};
}

Expected<Eigen::Quaterniond> quaternion(const VecX& q, int k) {
  const Eigen::Quaterniond r(q(k), q(k + 1), q(k + 2), q(k + 3));
  if (std::abs(r.norm() - 1) > 1e-6)
    return fail(ErrorCode::invalid, entry_path("q", static_cast<std::size_t>(k)),
                fmt::format("a quaternion of length {}", to_text(r.norm())), "must have unit length");
  return r.normalized();
}

/// [A B; Bᵀ D], of A the lower triangle only, so that the result is symmetric where rounding has left A unsymmetric.
Mat6 symmetric_blocks(const Mat3& A, const Mat3& B, const Mat3& D) {
  Mat6 out;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      out(i, j) = i < j ? A(j, i) : A(i, j);
      out(i, 3 + j) = B(i, j);
      out(3 + j, i) = B(i, j);
      out(3 + i, 3 + j) = D(i, j);
    }
  return out;
}

/// Xᵀ I X for symmetric I, with X the shift of a twist by r (ω stays, v + ω × r), without the products by its zeros and
/// ones.
Mat6 shifted(const Mat6& I, const Vec3& r) {
  const Mat3 C = cross_matrix(r);
  const Mat3 B = I.topRightCorner<3, 3>(), D = I.bottomRightCorner<3, 3>();
  const Mat3 CD = C * D, BC = B * C;
  const Mat3 A = Mat3(I.topLeftCorner<3, 3>()) - BC - BC.transpose() - CD * C;
  return symmetric_blocks(A, B + CD, D);
}

/// f with the number of a joint's speeds as a constant, which makes its small matrices ones of fixed size.
template <class F>
auto with_speeds(Index d, F&& f) {
  switch (d) {
    case 0: return f(std::integral_constant<int, 0>{});
    case 1: return f(std::integral_constant<int, 1>{});
    case 3: return f(std::integral_constant<int, 3>{});
    default: return f(std::integral_constant<int, 6>{});
  }
}

/// Momentum (about the origin; linear) = I (ω; v at the origin). Exactly symmetric, and so is what follows from it.
Mat6 spatial_inertia(const Link& link, const Kinematics::Place& at) {
  const Vec3 c = at.centre - at.origin;
  Mat3 A = at.R * link.inertia * at.R.transpose();
  A += link.mass * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
  return symmetric_blocks(A, link.mass * cross_matrix(c), link.mass * Mat3::Identity());
}

/// Moments of a link and its descendants about its origin: an upper bound on the inertia at any joint there.
struct Carried {
  double mass = 0;
  Vec3 first = Vec3::Zero();
  double second = 0;  ///< Σ m x² + ½ tr J, which no moment of inertia exceeds

  void add(const Carried& child, const Vec3& arm) {
    mass += child.mass;
    first += child.first + child.mass * arm;
    second += child.second + 2 * child.first.dot(arm) + child.mass * arm.squaredNorm();
  }
};

Carried carried(const Link& link, const Kinematics::Place& at) {
  const Vec3 c = at.centre - at.origin;
  return {link.mass, link.mass * c, link.mass * c.squaredNorm() + 0.5 * link.inertia.trace()};
}

Vec3 arm(const Tree& tree, const Kinematics& posture, std::size_t i) {
  const int parent = tree.links[i].parent;
  return parent < 0 ? Vec3(Vec3::Zero())
                    : Vec3(posture.places[i].origin - posture.places[static_cast<std::size_t>(parent)].origin);
}

Expected<void> check_link(std::string_view field, int link, std::size_t count) {
  if (link < -1 || link >= static_cast<int>(count))
    return fail(ErrorCode::out_of_range, std::string(field), std::to_string(link),
                fmt::format("must be -1 (the world) or below the number of links, {}", count));
  return {};
}

}  // namespace

int position_count(JointType type) {
  switch (type) {
    case JointType::revolute:
    case JointType::prismatic: return 1;
    case JointType::ball: return 4;
    case JointType::free: return 7;
    case JointType::fixed: break;
  }
  return 0;
}

int speed_count(JointType type) {
  switch (type) {
    case JointType::revolute:
    case JointType::prismatic: return 1;
    case JointType::ball: return 3;
    case JointType::free: return 6;
    case JointType::fixed: break;
  }
  return 0;
}

int Tree::position_count() const {
  int n = 0;
  for (const Link& link : links) n += ricochet::position_count(link.joint);
  return n;
}

int Tree::speed_count() const {
  int n = 0;
  for (const Link& link : links) n += ricochet::speed_count(link.joint);
  return n;
}

Expected<Kinematics> forward_kinematics(const Tree& tree, const VecX& q) {
  if (auto fine = check(tree); !fine) return tl::unexpected(fine.error());
  if (auto fine = check_length("q", q, tree.position_count()); !fine) return tl::unexpected(fine.error());
  Kinematics posture;
  posture.places.reserve(tree.links.size());
  int k = 0;
  for (const Link& link : tree.links) {
    if (link.joint == JointType::ball || link.joint == JointType::free)
      if (const auto turn = quaternion(q, link.joint == JointType::ball ? k : k + 3); !turn)
        return tl::unexpected(turn.error());
    const Kinematics::Place* parent =
        link.parent >= 0 ? &posture.places[static_cast<std::size_t>(link.parent)] : nullptr;
    posture.places.push_back(tree_kernel::place<double>(link, parent, q.data() + k, posture.dof));
    k += position_count(link.joint);
    posture.dof += speed_count(link.joint);
  }
  return posture;
}

Expected<VecX> advance(const Tree& tree, const VecX& q, const VecX& u, double dt) {
  if (auto fine = check_length("q", q, tree.position_count()); !fine) return tl::unexpected(fine.error());
  if (auto fine = check_length("u", u, tree.speed_count()); !fine) return tl::unexpected(fine.error());
  VecX out = q;
  const auto turn = [&](int k, const Vec3& w) -> Expected<void> {
    const auto r = quaternion(q, k);
    if (!r) return tl::unexpected(r.error());
    const double angle = w.norm() * dt;
    // (w, x, y, z); the direction is arbitrary without rotation.
    const Vec3 axis = w.norm() > 0 ? Vec3(w.normalized()) : Vec3(Vec3::UnitX());
    const Eigen::Quaterniond next = (*r * Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis))).normalized();
    out.segment<4>(k) << next.w(), next.x(), next.y(), next.z();
    return {};
  };
  int k = 0;
  int j = 0;
  for (const Link& link : tree.links) {
    Expected<void> fine;
    switch (link.joint) {
      case JointType::fixed: break;
      case JointType::revolute:
      case JointType::prismatic: out(k) += dt * u(j); break;
      case JointType::ball: fine = turn(k, u.segment<3>(j)); break;
      case JointType::free:
        out.segment<3>(k) += dt * u.segment<3>(j);
        fine = turn(k + 3, u.segment<3>(j + 3));
        break;
    }
    if (!fine) return tl::unexpected(fine.error());
    k += position_count(link.joint);
    j += speed_count(link.joint);
  }
  return out;
}

MatX point_jacobian(const Tree& tree, const Kinematics& posture, int link, const Vec3& point) {
  MatX J = MatX::Zero(3, posture.dof);
  for (int i = link; i >= 0; i = tree.links[static_cast<std::size_t>(i)].parent) {
    const Kinematics::Place& at = posture.places[static_cast<std::size_t>(i)];
    const Vec3 r = point - at.origin;
    for (Index k = 0; k < at.S.cols(); ++k)
      J.col(at.first + k) = Vec3(at.S.col(k).tail<3>()) - r.cross(Vec3(at.S.col(k).head<3>()));
  }
  return J;
}

Expected<ContactPoint> contact_point(const Tree& tree, const Kinematics& posture, int first, int second,
                                     const Vec3& point, const Vec3& n, double gap) {
  if (auto fine = check_link("first", first, tree.links.size()); !fine) return tl::unexpected(fine.error());
  if (auto fine = check_link("second", second, tree.links.size()); !fine) return tl::unexpected(fine.error());
  if (first == second)
    return fail(ErrorCode::conflict, "second", std::to_string(second), "must be another link than first");
  if (!point.allFinite()) return fail(ErrorCode::out_of_range, "point", to_text(point), "must be finite");
  if (!(std::abs(n.norm() - 1) <= 1e-9)) return fail(ErrorCode::invalid, "n", to_text(n), "must be a unit vector");
  const auto name = [&](int link) {
    return link < 0 ? std::string("world") : tree.links[static_cast<std::size_t>(link)].name;
  };
  ContactPoint at;
  at.first = name(first);
  at.second = name(second);
  at.point = point;
  at.n = n;
  at.gap = gap;
  at.on_first = point - 0.5 * gap * n;
  at.on_second = point + 0.5 * gap * n;
  at.J = point_jacobian(tree, posture, second, point) - point_jacobian(tree, posture, first, point);
  return at;
}

MatX mass_matrix(const Tree& tree, const Kinematics& posture) {
  const std::size_t count = tree.links.size();
  std::vector<Mat6, Eigen::aligned_allocator<Mat6>> composite(count);
  for (std::size_t i = 0; i < count; ++i) composite[i] = spatial_inertia(tree.links[i], posture.places[i]);
  MatX M = MatX::Zero(posture.dof, posture.dof);
  for (std::size_t i = count; i-- > 0;) {
    const Kinematics::Place& at = posture.places[i];
    const int parent = tree.links[i].parent;
    if (parent >= 0) composite[static_cast<std::size_t>(parent)] += shifted(composite[i], arm(tree, posture, i));
    with_speeds(at.S.cols(), [&](auto speeds) {
      constexpr int d = speeds;
      if constexpr (d > 0) {
        // The momentum of all descendants due to this joint's speeds, projected on each joint towards the root.
        double F[6 * d], own[d * d];
        multiply<6, 6, d>(composite[i].data(), at.S.data(), F);
        transposed_multiply<d, d>(at.S.data(), F, own);
        for (int c = 0; c < d; ++c)
          for (int r = 0; r < d; ++r)
            M(at.first + r, at.first + c) = r == c ? own[r + d * c] + tree.links[i].rotor : own[r + d * c];
        std::size_t below = i;
        while (tree.links[below].parent >= 0) {
          const Vec3 to_parent = arm(tree, posture, below);
          for (int c = 0; c < d; ++c) add_moment(to_parent.data(), F + 6 * c);
          below = static_cast<std::size_t>(tree.links[below].parent);
          const Kinematics::Place& b = posture.places[below];
          for (Index o = 0; o < b.S.cols(); ++o) {
            double coupling[d];
            transposed_multiply<d, 1>(F, b.S.data() + 6 * o, coupling);
            for (int r = 0; r < d; ++r) M(at.first + r, b.first + o) = coupling[r];
          }
        }
      }
    });
  }
  // A joint's row was filled up to the diagonal: those below it in the tree come first.
  return M.selfadjointView<Eigen::Lower>();
}

Expected<Articulated> Articulated::at(const Tree& tree, const Kinematics& posture) {
  const std::size_t count = tree.links.size();
  if (posture.places.size() != count)
    return fail(ErrorCode::wrong_type, "posture", fmt::format("{} places", posture.places.size()),
                fmt::format("must be one of this tree, with {}", count));
  Articulated a;
  a.dof_ = posture.dof;
  a.nodes_.resize(count);
  a.origins_.resize(count);
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Kinematics::Place& at = posture.places[i];
    const auto d = static_cast<std::size_t>(at.S.cols());
    a.nodes_[i] = {tree.links[i].parent, at.first, static_cast<int>(d), size};
    a.origins_[i] = at.origin;
    size += 3 + 12 * d + d * d;
  }
  a.numbers_.resize(size);
  std::vector<Mat6, Eigen::aligned_allocator<Mat6>> inertia(count);
  std::vector<Carried> whole(count);
  for (std::size_t i = 0; i < count; ++i) {
    inertia[i] = spatial_inertia(tree.links[i], posture.places[i]);
    whole[i] = carried(tree.links[i], posture.places[i]);
  }
  for (std::size_t i = count; i-- > 0;) {
    const Node& node = a.nodes_[i];
    const Kinematics::Place& at = posture.places[i];
    const Parts<double> part = parts(node, a.numbers_.data());
    const Vec3 to_parent = arm(tree, posture, i);
    std::copy_n(to_parent.data(), 3, part.arm);
    std::copy_n(at.S.data(), at.S.size(), part.S);
    Mat6 left = inertia[i];
    const bool fine = with_speeds(at.S.cols(), [&](auto speeds) {
      constexpr int d = speeds;
      if constexpr (d > 0) {
        const double* const S = part.S;
        double* const U = part.U;
        double* const inverse = part.D_inverse;
        Eigen::Matrix<double, d, d> D;
        multiply<6, 6, d>(inertia[i].data(), S, U);
        transposed_multiply<d, d>(S, U, D.data());
        for (int k = 0; k < d; ++k) D(k, k) += tree.links[i].rotor;
        // An articulated inertia results from subtractions; below this fraction of the carried inertia it is rounding
        // noise. Columns of S either turn or shift.
        double turn = 0, shift = 0;
        for (int k = 0; k < d; ++k) {
          turn = std::max(turn, Vec3(at.S.col(k).template head<3>()).squaredNorm());
          shift = std::max(shift, Vec3(at.S.col(k).template tail<3>()).squaredNorm());
        }
        const double floor = 1e-14 * (std::max(turn * whole[i].second, shift * whole[i].mass) + tree.links[i].rotor);
        if constexpr (d == 1) {
          if (!std::isfinite(D(0)) || !(D(0) > floor)) return false;
          inverse[0] = 1 / D(0);
          double share[6];
          for (int k = 0; k < 6; ++k) share[k] = U[k] * std::sqrt(inverse[0]);
          for (int c = 0; c < 6; ++c)
            for (int r = 0; r < 6; ++r) left(r, c) -= share[r] * share[c];
        } else {
          symmetrize<d>(D.data());
          if (!D.allFinite()) return false;
          // The least eigenvalue is at least 1 / tr D⁻¹; where that does not settle it, it is worth computing.
          Eigen::Map<Eigen::Matrix<double, d, d>> D_inverse(inverse);
          if (!invert_positive<d>(D.data(), inverse) || !(1 / D_inverse.trace() > floor)) {
            const auto eigen = symmetric_eigen(MatX(D));
            if (!(eigen.values(0) > floor)) return false;
            D_inverse = eigen.vectors * eigen.values.cwiseInverse().asDiagonal() * eigen.vectors.transpose();
          }
          double UD[6 * d];
          multiply<6, d, d>(U, inverse, UD);
          subtract_outer<d>(UD, U, left.data());
          symmetrize<6>(left.data());
        }
      }
      return true;
    });
    if (!fine)
      return fail(ErrorCode::invalid, field_of(tree.links[i], i, "mass"), to_text(tree.links[i].mass),
                  "must be larger: the joint can move without moving any inertia");
    if (node.parent >= 0) {
      const auto below = static_cast<std::size_t>(node.parent);
      whole[below].add(whole[i], to_parent);
      inertia[below] += shifted(left, to_parent);
    }
  }
  return a;
}

/// What a sweep works on: loads on the joints and on the links, for several columns at once.
struct Articulated::Load {
  double* y;     ///< dof × columns: loads on the joints, which become jumps in the speeds
  double* bias;  ///< 6 × columns for each link: −(wrench about its origin), which becomes the jump in its twist
  unsigned char* bent;  ///< of each link: whether its bias is not zero
  std::size_t links;    ///< no link from here on has a load
};

template <int columns>
void Articulated::sweep(const Load& load) const {
  // Down: what each joint does not yield to is passed on to its parent. y holds τ − Sᵀ bias meanwhile. Where there is
  // no load, there is nothing to pass on.
  for (std::size_t i = load.links; i-- > 0;) {
    const Node& node = nodes_[i];
    const Parts<const double> part = parts(node);
    double* const bias = load.bias + 6 * columns * i;
    double* const y = load.y + node.first;
    double pass[6 * columns];
    const bool passes = with_speeds(node.speeds, [&](auto speeds) {
      constexpr int d = speeds;
      bool loaded = load.bent[i] != 0;
      if constexpr (d > 0) {
        double rest[d * columns];
        for (int c = 0; c < columns; ++c)
          for (int k = 0; k < d; ++k) {
            rest[k + d * c] = y[k + dof_ * c];
            loaded = loaded || rest[k + d * c] != 0;
          }
        if (!loaded) return false;
        std::copy_n(bias, 6 * columns, pass);
        double taken[d * columns], rate[d * columns];
        transposed_multiply<d, columns>(part.S, bias, taken);
        for (int c = 0; c < columns; ++c)
          for (int k = 0; k < d; ++k) y[k + dof_ * c] = rest[k + d * c] -= taken[k + d * c];
        multiply<d, d, columns>(part.D_inverse, rest, rate);
        multiply_add<6, d, columns>(part.U, rate, pass);
      } else {
        std::copy_n(bias, 6 * columns, pass);
      }
      return loaded;
    });
    if (!passes || node.parent < 0) continue;
    const auto below = static_cast<std::size_t>(node.parent);
    double* const to = load.bias + 6 * columns * below;
    for (int c = 0; c < columns; ++c) add_moment(part.arm, pass + 6 * c);
    for (int k = 0; k < 6 * columns; ++k) to[k] += pass[k];
    load.bent[below] = 1;
  }
  // Up: `bias` becomes the jump in each link's twist.
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    const Parts<const double> part = parts(node);
    double twist[6 * columns] = {};
    if (node.parent >= 0) {
      std::copy_n(load.bias + 6 * columns * static_cast<std::size_t>(node.parent), 6 * columns, twist);
      for (int c = 0; c < columns; ++c) subtract_velocity(part.arm, twist + 6 * c);
    }
    with_speeds(node.speeds, [&](auto speeds) {
      constexpr int d = speeds;
      if constexpr (d > 0) {
        double* const y = load.y + node.first;
        double taken[d * columns], jump[d * columns];
        transposed_multiply<d, columns>(part.U, twist, taken);
        for (int c = 0; c < columns; ++c)
          for (int k = 0; k < d; ++k) taken[k + d * c] = y[k + dof_ * c] - taken[k + d * c];
        multiply<d, d, columns>(part.D_inverse, taken, jump);
        for (int c = 0; c < columns; ++c)
          for (int k = 0; k < d; ++k) y[k + dof_ * c] = jump[k + d * c];
        multiply_add<6, d, columns>(part.S, jump, twist);
      }
    });
    std::copy_n(twist, 6 * columns, load.bias + 6 * columns * i);
  }
}

MatX Articulated::solve(const MatX& X) const {
  MatX out = X;
  const std::size_t count = nodes_.size();
  std::vector<double> bias;
  std::vector<unsigned char> bent;
  for (Index c = 0; c < out.cols();) {
    bias.assign(18 * count, 0);
    bent.assign(count, 0);
    const Load load{out.data() + c * out.rows(), bias.data(), bent.data(), count};
    if (c + 3 <= out.cols()) {  // a contact has three
      sweep<3>(load);
      c += 3;
    } else {
      sweep<1>(load);
      c += 1;
    }
  }
  return out;
}

MassSolver Articulated::solver() const& { return Articulated(*this).solver(); }

MassSolver Articulated::solver() && {
  return [self = std::make_shared<const Articulated>(std::move(*this))](const MatX& X) { return self->solve(X); };
}

Expected<Articulated::Propagated> Articulated::propagate(int first, int second, const Vec3& point) const {
  if (auto fine = check_link("first", first, nodes_.size()); !fine) return tl::unexpected(fine.error());
  if (auto fine = check_link("second", second, nodes_.size()); !fine) return tl::unexpected(fine.error());
  if (!point.allFinite()) return fail(ErrorCode::out_of_range, "point", to_text(point), "must be finite");
  using Mat63 = Eigen::Matrix<double, 6, 3>;
  const std::size_t count = nodes_.size();
  // For the three unit impulses at once.
  std::vector<double> bias(18 * count);
  std::vector<unsigned char> bent(count);
  const auto of = [&](std::size_t i) { return Eigen::Map<Mat63>(bias.data() + 18 * i); };
  const auto strike = [&](int link, double sign) {
    if (link < 0) return;
    const auto i = static_cast<std::size_t>(link);
    of(i).topRows<3>() -= sign * cross_matrix(Vec3(point - origins_[i]));
    of(i).bottomRows<3>() -= sign * Mat3::Identity();
    bent[i] = 1;
  };
  strike(first, -1);
  strike(second, 1);
  Propagated out;
  out.L.setZero(dof_, 3);
  sweep<3>({out.L.data(), bias.data(), bent.data(), static_cast<std::size_t>(std::max(first, second) + 1)});
  out.W.setZero();
  const auto velocity = [&](int link) -> Mat3 {
    if (link < 0) return Mat3::Zero();
    const auto i = static_cast<std::size_t>(link);
    return of(i).bottomRows<3>() - cross_matrix(Vec3(point - origins_[i])) * of(i).topRows<3>();
  };
  out.W = velocity(second) - velocity(first);
  out.W = Mat3(0.5 * (out.W + out.W.transpose()));
  return out;
}

}  // namespace ricochet
