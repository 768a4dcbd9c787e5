#include "ricochet/scene/landmarks.hpp"

namespace ricochet {
Expected<Landmarks> landmarks_of(const Collision& collision) {
  if (!collision.settings.mu) return fail(ErrorCode::missing, "mu", "", "needed by inspect, at least 0, or inf");
  const double mu = *collision.settings.mu;
  const Contact& contact = collision.contact;
  const Expected<ImpulseSpace> space = impulse_space(contact, mu);
  if (!space) return tl::unexpected(space.error());
  return Landmarks{*space, certify(contact, space->P_I, mu), certify(contact, space->P_II, mu)};
}

Extremes extremes_of(const Landmarks& landmarks) {
  const ImpulseSpace& s = landmarks.space;
  return {highest_rebound(s.contact, s.mu), centroid(s.contact, s.mu)};
}

}  // namespace ricochet
