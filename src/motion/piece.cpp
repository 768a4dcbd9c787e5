#include "motion/piece.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace ricochet::motion {
namespace {

using Vec4 = Eigen::Vector4d;

Vec4 numbers(const Quaternion& q) { return {q.w(), q.x(), q.y(), q.z()}; }
Quaternion quaternion(const Vec4& v) { return Quaternion(v(0), v(1), v(2), v(3)).normalized(); }

/// p ⊗ (0, w).
Vec4 times_vector(const Vec4& p, const Vec3& w) {
  const Vec3 v = p.tail<3>();
  Vec4 out;
  out(0) = -v.dot(w);
  out.tail<3>() = p(0) * w + v.cross(w);
  return out;
}

/// (0, w) ⊗ p.
Vec4 vector_times(const Vec3& w, const Vec4& p) {
  const Vec3 v = p.tail<3>();
  Vec4 out;
  out(0) = -w.dot(v);
  out.tail<3>() = p(0) * w + w.cross(v);
  return out;
}

template <class Vector>
Vector horner(const std::vector<Vector>& c, double s) {
  Vector out = c.back();
  for (std::size_t k = c.size() - 1; k-- > 0;) out = out * s + c[k];
  return out;
}

Quaternion turned(const Quaternion& q, const Vec3& w, double s) {
  const double rate = w.norm(), half = 0.5 * rate * s;
  if (!(rate > 0)) return q;
  const Vec3 axis = std::sin(half) * w / rate;
  return (Quaternion(std::cos(half), axis.x(), axis.y(), axis.z()) * q).normalized();
}

/// J⁻¹ without axes of zero moment, about which nothing turns the body.
Mat3 inverse_or_zero(const Mat3& J) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(J);
  Mat3 out = Mat3::Zero();
  const double most = eigen.eigenvalues().maxCoeff();
  for (int k = 0; k < 3; ++k)
    if (eigen.eigenvalues()(k) > 1e-14 * most)
      out += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).transpose() / eigen.eigenvalues()(k);
  return out;
}

/// Taylor series of torque-free rotation, (MO2), until its terms are below rounding.
void expand(const RigidBody& body, const Pose& at, Piece& piece) {
  constexpr std::size_t order = 24;
  const Mat3& J = body.inertia;
  const Mat3 inverse = inverse_or_zero(J);
  piece.q = {numbers(at.orientation)};
  piece.w = {at.orientation.conjugate() * at.angular_velocity};
  std::vector<Vec3> L = {J * piece.w[0]};
  for (std::size_t k = 0; k < order; ++k) {
    Vec3 torque = Vec3::Zero();
    Vec4 rate = Vec4::Zero();
    for (std::size_t i = 0; i <= k; ++i) {
      torque += L[i].cross(piece.w[k - i]);
      rate += times_vector(piece.q[i], piece.w[k - i]);
    }
    const double next = static_cast<double>(k + 1);
    piece.w.emplace_back(inverse * torque / next);
    L.emplace_back(J * piece.w.back());
    piece.q.emplace_back(0.5 * rate / next);
  }
  // Terms decay as (s/r)^k: the two last ones bound r.
  const double scale = piece.w[0].norm();
  // At most four radians, which the quaternion allows; of a very slow rotation the last terms are lost.
  double h = std::min(piece.end - piece.start, 4 / scale);
  for (const std::size_t k : {order - 1, order}) {
    const double exponent = 1 / static_cast<double>(k);
    const double tiny = 0x1p-56;
    if (const double last = piece.q[k].norm(); last > 0) h = std::min(h, std::pow(tiny / last, exponent));
    if (const double last = piece.w[k].norm(); last > 0) h = std::min(h, std::pow(tiny * scale / last, exponent));
  }
  piece.end = std::min(piece.end, piece.start + h);
  h = piece.end - piece.start;
  double power = 1;
  // Powers of a long h overflow where the terms vanish.
  for (std::size_t k = 0; k <= order; ++k) {
    if (const double term = piece.w[k].norm(); term > 0) piece.turning_speed += term * power;
    if (k < order)
      if (const double term = piece.w[k + 1].norm(); term > 0)
        piece.turning_acceleration += static_cast<double>(k + 1) * term * power;
    power *= h;
  }
}

/// The largest norm of a polynomial over [0, h], by its Bernstein coefficients.
template <class Vector>
double largest(const std::vector<Vector>& c, double h) {
  const std::size_t n = c.size() - 1;
  double most = 0;
  for (std::size_t j = 0; j <= n; ++j) {
    Vector b = c[0];
    double weight = 1, power = 1;
    for (std::size_t i = 1; i <= j; ++i) {
      weight *= static_cast<double>(j - i + 1) / static_cast<double>(n - i + 1);
      power *= h;
      b += weight * power * c[i];
    }
    most = std::max(most, b.norm());
  }
  return most;
}

template <class Vector>
std::vector<Vector> derivative(const std::vector<Vector>& c) {
  std::vector<Vector> out;
  for (std::size_t k = 1; k < c.size(); ++k) out.emplace_back(static_cast<double>(k) * c[k]);
  return out;
}

/// Degree 5 from value, first and second derivative at 0 and h.
template <class Vector>
std::vector<Vector> hermite(const std::array<Vector, 3>& a, const std::array<Vector, 3>& b, double h) {
  // In s = t/h; what the cubic part has to add to reach b.
  const Vector A1 = h * a[1], A2 = 0.5 * h * h * a[2];
  const Vector d0 = b[0] - a[0] - A1 - A2, d1 = h * b[1] - A1 - 2 * A2, d2 = h * h * b[2] - 2 * A2;
  const Vector c3 = 10 * d0 - 4 * d1 + 0.5 * d2, c4 = -15 * d0 + 7 * d1 - d2, c5 = 6 * d0 - 3 * d1 + 0.5 * d2;
  const double h3 = h * h * h;
  return {a[0], a[1], Vector(0.5 * a[2]), Vector(c3 / h3), Vector(c4 / (h3 * h)), Vector(c5 / (h3 * h * h))};
}

}  // namespace

Vec3 Piece::position(double t) const {
  const double s = t - start;
  Vec3 out = x[static_cast<std::size_t>(degree)];
  for (std::size_t k = static_cast<std::size_t>(degree); k-- > 0;) out = out * s + x[k];
  return out;
}

Vec3 Piece::velocity(double t) const {
  const double s = t - start;
  Vec3 out = degree * x[static_cast<std::size_t>(degree)];
  for (std::size_t k = static_cast<std::size_t>(degree); k-- > 1;) out = out * s + static_cast<double>(k) * x[k];
  return out;
}

Pose Piece::pose(double t) const {
  Pose out{position(t), orientation, velocity(t), angular_velocity};
  const double s = t - start;
  if (turning == Turning::uniform) {
    out.orientation = turned(orientation, angular_velocity, s);
  } else if (turning == Turning::series) {
    const Vec4 value = horner(q, s);
    out.orientation = quaternion(value);
    if (!w.empty()) {
      out.angular_velocity = out.orientation * horner(w, s);
    } else {
      // ω = 2 q̇ q*, of the normalised quaternion.
      const Vec4 rate = horner(derivative(q), s);
      const Vec3 imaginary =
          value(0) * rate.tail<3>() - rate(0) * value.tail<3>() - Vec3(rate.tail<3>()).cross(Vec3(value.tail<3>()));
      out.angular_velocity = 2 * imaginary / value.squaredNorm();
    }
  }
  return out;
}

Piece fly(const RigidBody& body, const Pose& at, const Vec3& acceleration, double t, double end) {
  Piece out;
  out.start = t;
  out.end = end;
  out.x[0] = at.position;
  out.x[1] = at.velocity;
  out.x[2] = 0.5 * acceleration;
  out.degree = acceleration.isZero(0) ? 1 : 2;
  out.orientation = at.orientation;
  out.angular_velocity = at.angular_velocity;
  out.acceleration = acceleration.norm();
  const double rate = at.angular_velocity.norm();
  if (rate > 0) {
    out.turning = Piece::Turning::uniform;
    out.turning_speed = rate;
    if (!body.fixed) {
      const Vec3 w = at.orientation.conjugate() * at.angular_velocity, L = body.inertia * w;
      // Round bodies, and rotation about a principal axis.
      if (w.cross(L).norm() > 4 * std::numeric_limits<double>::epsilon() * w.norm() * L.norm()) {
        out.turning = Piece::Turning::series;
        out.turning_speed = 0;
        if (!std::isfinite(end)) out.end = t + 1e3 / rate;
        expand(body, at, out);
      }
    }
  }
  out.speed = std::isfinite(out.end) ? std::max(out.x[1].norm(), out.velocity(out.end).norm()) : 0;
  return out;
}

std::array<double, Piece::terms> hermite_polynomial(const std::array<double, 3>& a, const std::array<double, 3>& b,
                                                    double h) {
  const std::vector<double> c = hermite<double>(a, b, h);
  std::array<double, Piece::terms> out{};
  std::copy(c.begin(), c.end(), out.begin());
  return out;
}

Piece interpolate(const PieceEnd& a, const PieceEnd& b, double t, double h) {
  Piece out;
  out.start = t;
  out.end = t + h;
  out.degree = 5;
  const auto x = hermite<Vec3>({a.pose.position, a.pose.velocity, a.acceleration},
                               {b.pose.position, b.pose.velocity, b.acceleration}, h);
  std::copy(x.begin(), x.end(), out.x.begin());
  out.speed = largest(derivative(x), h);
  out.acceleration = largest(derivative(derivative(x)), h);
  out.orientation = a.pose.orientation;
  out.angular_velocity = a.pose.angular_velocity;
  const auto derivatives = [](const PieceEnd& e, const Vec4& sign_of) {
    Vec4 q = numbers(e.pose.orientation);
    if (q.dot(sign_of) < 0) q = -q;
    const Vec4 rate = 0.5 * vector_times(e.pose.angular_velocity, q);
    const Vec4 second =
        0.5 * vector_times(e.angular_acceleration, q) + 0.5 * vector_times(e.pose.angular_velocity, rate);
    return std::array<Vec4, 3>{q, rate, second};
  };
  const Vec4 first = numbers(a.pose.orientation);
  const auto qa = derivatives(a, first), qb = derivatives(b, first);
  const bool still = a.pose.angular_velocity.isZero(0) && b.pose.angular_velocity.isZero(0) &&
                     a.angular_acceleration.isZero(0) && b.angular_acceleration.isZero(0);
  if (!still) {
    out.turning = Piece::Turning::series;
    out.q = hermite<Vec4>(qa, qb, h);
    const auto rate = derivative(out.q);
    const double most = largest(rate, h);
    out.turning_speed = 2.1 * most;
    out.turning_acceleration = 2.1 * largest(derivative(rate), h) + 4.2 * most * most;
  }
  return out;
}

}  // namespace ricochet::motion
