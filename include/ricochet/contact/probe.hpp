#pragma once
/// W from any simulator, by four of its ordinary acceleration calculations (CR98 appendix A.1, docs/bodies.md).

#include <cmath>
#include <utility>

#include "ricochet/contact/contact.hpp"

namespace ricochet {

struct ProbeOptions {
  /// Size of the test force [N]. The response must exceed the rounding of the acceleration without it: W is accurate to
  /// about log₁₀(W·force / (ε·‖a₀‖)) digits.
  double force = 1;
  /// How far Wᵢⱼ and Wⱼᵢ may differ, relative to the largest entry. Up to that they are averaged; beyond it, which is
  /// an error, the accelerations are not those of a frictionless mechanism under equal and opposite forces.
  double asymmetry = 1e-6;
};

/// `acceleration(F)`: of B's contact point relative to A's when F acts on B and −F on A besides everything else, as if
/// the two were not touching:
///   W eₖ = (a(f eₖ) − a(0)) / f                                                                        (B5)
template <class Acceleration>
[[nodiscard]] Expected<Mat3> probe_mobility(Acceleration&& acceleration, const ProbeOptions& options = {}) {
  if (!(options.force > 0) || !std::isfinite(options.force))
    return fail(ErrorCode::out_of_range, "force", to_text(options.force), "must be positive and finite");
  if (!(options.asymmetry >= 0))
    return fail(ErrorCode::out_of_range, "asymmetry", to_text(options.asymmetry), "must not be negative");
  const Vec3 reference = acceleration(Vec3(Vec3::Zero()));
  Mat3 W;
  for (int k = 0; k < 3; ++k)
    W.col(k) = (acceleration(Vec3(options.force * Vec3::Unit(k))) - reference) / options.force;
  if (!W.allFinite()) return fail(ErrorCode::out_of_range, "acceleration", "", "must be finite for every test force");
  const double difference = (W - W.transpose()).cwiseAbs().maxCoeff();
  const double size = W.cwiseAbs().maxCoeff();
  if (difference > options.asymmetry * size)
    return fail(ErrorCode::invalid, "acceleration", "",
                "gives an asymmetric W, whose entries differ from their transposes by " + to_text(difference / size) +
                    " of the largest; allowed is " + to_text(options.asymmetry) +
                    ". Either the forces are not equal and opposite, or the response is lost in rounding: try a larger "
                    "force");
  return Mat3(0.5 * (W + W.transpose()));
}

template <class Acceleration>
[[nodiscard]] Expected<Contact> probe_contact(Acceleration&& acceleration, const Vec3& V, const Vec3& n,
                                              const ProbeOptions& options = {}) {
  return probe_mobility(std::forward<Acceleration>(acceleration), options).and_then([&](const Mat3& W) {
    return contact_from_mobility(W, V, n);
  });
}

}  // namespace ricochet
