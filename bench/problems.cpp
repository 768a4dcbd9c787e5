#include "problems.hpp"

#include <stdexcept>

#include "random_contact.hpp"

namespace ricochet::bench {
namespace {

using testing::Rng;
using testing::uniform;

Vec3 approach(Rng& rng, const Vec3& n) {
  for (;;) {
    Vec3 V = testing::random_unit(rng);
    const double normal = n.dot(V);
    if (std::abs(normal) < 0.01 || std::abs(normal) > 0.9999) continue;
    if (normal > 0) V = -V;
    return testing::log_uniform(rng, -1, 1) * V;
  }
}

template <class Mass>
std::vector<Problem> problems(std::uint64_t seed, Mass mass) {
  Rng rng(seed);
  std::vector<Problem> out;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 n = testing::random_unit(rng);
    const Vec3 V = approach(rng, n);
    const auto contact = contact_from_mass(mass(rng, n, V), V, n);
    if (!contact) throw std::logic_error("a benchmark contact was refused: " + contact.error().message());
    const double mu = uniform(rng, 0.1, 1);
    const double e = uniform(rng, 0, 1);
    const double e_t = uniform(rng, -1, 1);
    out.push_back({*contact, localize<double>(*contact), mu, e, e_t});
  }
  return out;
}

std::vector<Problem> general(std::uint64_t seed, double log10_cond) {
  return problems(seed, [=](Rng& rng, const Vec3&, const Vec3&) { return testing::random_mass(rng, log10_cond); });
}

/// A mass matrix given in the contact frame, turned into input axes.
Mat3 turned(const Mat3& A, const Vec3& n, const Vec3& V) {
  Mat3 R;
  R.col(0) = n;
  R.col(1) = -(V - n.dot(V) * n).normalized();
  R.col(2) = n.cross(Vec3(R.col(1)));
  const Mat3 B = R * A * R.transpose();
  return 0.5 * (B + B.transpose());
}

}  // namespace

const std::vector<Problem>& typical() {
  static const std::vector<Problem> set = general(1, 1);
  return set;
}

const std::vector<Problem>& hard() {
  static const std::vector<Problem> set = general(2, 4);
  return set;
}

const std::vector<Problem>& planar() {
  static const std::vector<Problem> set = problems(
      3, [](Rng& rng, const Vec3& n, const Vec3& V) { return turned(testing::random_planar_contact(rng, 1).M, n, V); });
  return set;
}

const std::vector<Problem>& diagonal() {
  static const std::vector<Problem> set = problems(4, [](Rng& rng, const Vec3& n, const Vec3& V) {
    const Vec3 m(testing::log_uniform(rng, 0, 1), testing::log_uniform(rng, 0, 1), testing::log_uniform(rng, 0, 1));
    return turned(m.asDiagonal(), n, V);
  });
  return set;
}

}  // namespace ricochet::bench
