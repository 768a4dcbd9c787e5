#include "ricochet/scene/landing.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/base/text.hpp"
#include "ricochet/geometry/field_contact.hpp"
#include "ricochet/geometry/shape_contact.hpp"

namespace ricochet {
namespace {

/// Down, of unit length; −z where the file has no gravity.
Vec3 down_of(const Machine& machine) {
  const Vec3 gravity = machine.gravity();
  return gravity.norm() > 0 ? Vec3(gravity.normalized()) : Vec3(-Vec3::UnitZ());
}

ConvexShape floor_at(double height, const Vec3& down) {
  ConvexShape floor;
  floor.core = ConvexShape::Core::half_space;
  floor.position = -height * down;
  floor.rotation = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), -down).toRotationMatrix();
  floor.rotation.col(2) = -down;
  return floor;
}

class Lander {
 public:
  Lander(MechanismImpact& impact, VecX q, VecX u, const LandingOptions& options)
      : impact_(impact), options_(options), down_(down_of(*impact.machine)), q_(std::move(q)), u_(std::move(u)) {}

  Expected<Landing> run() {
    impact_.floor.reset();
    impact_.tap.reset();
    if (options_.floor) add_floor(*options_.floor);
    if (const auto fine = take_pose(); !fine) return tl::unexpected(fine.error());
    const std::vector<FloatingRoot> roots = machine().floating_roots();
    const auto fine = roots.empty() ? swing() : fall(roots);
    if (!fine) return tl::unexpected(fine.error());
    return out_;
  }

 private:
  [[nodiscard]] Machine& machine() const { return *impact_.machine; }

  void add_floor(double height) {
    impact_.floor = floor_at(height, down_);
    out_.floor_added = height;
  }

  /// Loops that the pose leaves open are closed.
  Expected<void> take_pose() {
    const VecX at_rest = VecX::Zero(u_.size());
    const auto placed = ricochet::place(impact_, q_, at_rest, false);
    if (placed || placed.error().code != ErrorCode::open_loop) return placed;
    out_.loops_closed = true;
    if (const auto closed = ricochet::place(impact_, q_, at_rest, true); !closed) return closed;
    q_ = impact_.q;
    return {};
  }

  Expected<void> fall(const std::vector<FloatingRoot>& roots) {
    VecX falling = VecX::Zero(u_.size());
    for (const FloatingRoot& root : roots) add(root, falling, root.speed, 1, {});
    auto way = way_down(falling);
    if (!way) return tl::unexpected(way.error());
    if (!std::isfinite(*way)) {
      if (!options_.may_add_floor)
        return fail(ErrorCode::missing, "floor", "",
                    "nothing is below the robot; leave out --floor none to add a floor");
      add_floor(0);
      way = way_down(falling);
      if (!way) return tl::unexpected(way.error());
      if (!std::isfinite(*way))
        return fail(ErrorCode::missing, "model", "", "has no shape that may collide: give its links collision shapes");
    }
    const double before = depth(roots[0], q_, roots[0].position);
    for (const FloatingRoot& root : roots) {
      out_.floating.push_back(root.name);
      add(root, q_, root.position, *way, options_.given_q);
      add(root, u_, root.speed, options_.speed, options_.given_u);
    }
    const double lowered = depth(roots[0], q_, roots[0].position) - before;
    out_.lowered = std::abs(lowered) < 1e-12 ? 0 : lowered;
    out_.speed = depth(roots[0], u_, roots[0].speed);
    return finish();
  }

  /// How far down the entries of the root in q are, or how fast those in u.
  [[nodiscard]] double depth(const FloatingRoot& root, const VecX& x, int first) const {
    return root.free ? down_.dot(root.axes * x.segment<3>(first)) : root.axis.dot(down_) * x(first);
  }

  /// Adds so much downwards to the entries of the root in x, but not to those that were given.
  void add(const FloatingRoot& root, VecX& x, int first, double amount, const std::vector<bool>& given) const {
    const Vec3 down = root.axes.transpose() * down_;
    for (int k = 0; k < (root.free ? 3 : 1); ++k) {
      const auto i = static_cast<std::size_t>(first) + static_cast<std::size_t>(k);
      if (i < given.size() && given[i]) continue;
      x(first + k) += amount * (root.free ? down(k) : root.axis.dot(down_));
    }
  }

  /// The way of all that falls to the first thing that does not.
  [[nodiscard]] Expected<double> way_down(const VecX& falling) const {
    double way = std::numeric_limits<double>::infinity();
    const std::vector<LinkShape> solids = machine().striking_shapes();
    std::vector<bool> falls;
    falls.reserve(solids.size());
    for (const LinkShape& solid : solids)
      falls.push_back(!solid.fixed &&
                      (machine().jacobian(solid.link, solid.shape.position) * falling - down_).norm() < 1e-6);
    for (std::size_t i = 0; i < solids.size(); ++i) {
      if (!falls[i]) continue;
      if (impact_.floor) {
        const auto found = way_to_touch(solids[i].shape, *impact_.floor, down_);
        if (!found) return found;
        way = std::min(way, *found);
      }
      for (std::size_t j = 0; j < solids.size(); ++j) {
        if (falls[j] || !machine().may_touch(solids[i], solids[j])) continue;
        const auto found = way_between(solids[i].solid(), solids[j].solid(), down_);
        if (!found) continue;  // such a pair is named among the contacts if it is near
        way = std::min(way, *found);
      }
    }
    return way;
  }

  /// A point of a link, and the way on which it taps.
  struct Tap {
    const LinkShape* shape = nullptr;
    Vec3 way = Vec3::Zero(), point = Vec3::Zero();
    MatX J;
    VecX along;           ///< 𝓜⁻¹ Jᵀ way
    double mobility = 0;  ///< way·W way
  };

  /// The point of the shape that is farthest along the way, and how easily it moves along it.
  [[nodiscard]] Tap tap_of(const LinkShape& shape, const Vec3& way) const {
    Tap tap;
    tap.shape = &shape;
    tap.way = way;
    tap.point = core_support(shape.shape, way) + shape.shape.margin * way;
    tap.J = machine().jacobian(shape.link, tap.point);
    tap.along = machine().solver()(tap.J.transpose() * way);
    tap.mobility = (tap.J * tap.along).dot(way);
    return tap;
  }

  /// The way on which the middle of the shape moves most easily.
  [[nodiscard]] Vec3 easiest_way(const LinkShape& shape) const {
    const MatX J = machine().jacobian(shape.link, shape.shape.position);
    const Mat3 W = J * machine().solver()(J.transpose());
    return Eigen::SelfAdjointEigenSolver<Mat3>(0.5 * (W + W.transpose())).eigenvectors().col(2);
  }

  /// (LD5): down with the most mobile of its links, or sideways where none can move down.
  Expected<void> swing() {
    const std::vector<LinkShape> shapes = machine().striking_shapes();
    Tap best;
    for (const bool down : {true, false}) {
      if (best.shape != nullptr && best.mobility > 1e-9) break;
      for (const LinkShape& shape : shapes) {
        if (shape.fixed || shape.shape.core == ConvexShape::Core::half_space) continue;
        Tap tap = tap_of(shape, down ? down_ : easiest_way(shape));
        if (tap.mobility > best.mobility * (1 + 1e-9) && tap.mobility > 1e-9) best = std::move(tap);
      }
    }
    if (best.shape == nullptr)
      return fail(ErrorCode::missing, "model", "",
                  "has no link with a shape that can move, so it cannot land; give its links shapes, or a state with "
                  "--state and a contact with --contact");
    if (u_.isZero(0) && !options_.floor && options_.may_add_floor) {
      u_ = options_.speed / best.mobility * best.along;
      out_.swings = true;
      out_.speed = options_.speed;
      ContactPoint at;
      at.first = at.first_body = "floor";
      at.second = best.shape->name;
      at.second_body = best.shape->body;
      at.point = at.on_first = at.on_second = best.point;
      at.n = -best.way;
      at.J = best.J;
      impact_.tap = at;
      out_.floor_added = -down_.dot(at.point);
    }
    return finish();
  }

  Expected<void> finish() { return ricochet::place(impact_, std::move(q_), std::move(u_), false); }

  MechanismImpact& impact_;
  const LandingOptions& options_;
  Vec3 down_;
  VecX q_, u_;
  Landing out_;
};

}  // namespace

double speed_of_fall(const Machine& machine, double height) { return std::sqrt(2 * machine.gravity().norm() * height); }

Expected<Landing> land(MechanismImpact& impact, VecX q, VecX u, const LandingOptions& options) {
  return Lander(impact, std::move(q), std::move(u), options).run();
}

}  // namespace ricochet
