#pragma once
/// Uncertain inputs: contacts sampled at random within stated bounds. docs/simultaneous.md (Q8).

#include <functional>
#include <optional>

#include "ricochet/simultaneous/body_scene.hpp"
#include "ricochet/simultaneous/ties.hpp"

namespace ricochet {

/// Half widths of uniform distributions. Initial speeds have theirs in SequenceOptions.
struct ContactUncertainty {
  double e = 0;       ///< of e or e_k of each law that has it; 0 to 1
  double mu = 0;      ///< of μ of each law that has it; μ_s moves along, an infinite μ stays
  double normal = 0;  ///< of the tilt of n about each of two tangents [rad]; 0 to 0.5
  double point = 0;   ///< of each coordinate of a contact point [m]

  [[nodiscard]] bool none() const { return e == 0 && mu == 0 && normal == 0 && point == 0; }
};

/// Fields: "uncertainty e", "uncertainty mu", "uncertainty normal", "uncertainty point".
[[nodiscard]] Expected<void> check(const ContactUncertainty& uncertainty);

/// A law within its uncertainties of e and mu, by two numbers of [−1, 1).
void sample_law(Law& law, const ContactUncertainty& uncertainty, double of_e, double of_mu);

/// Each contact with its own draws; hinges and bodies as they are. Samples of e and μ are restricted to the range of
/// the law. Normals and points stay in the plane that `across` is across, if any.
[[nodiscard]] BodyScene sample_contacts(const BodyScene& arrangement, const ContactUncertainty& uncertainty,
                                        const std::optional<Vec3>& across, Random& random);
/// The same with numbers of [−1, 1) from anywhere, seven for each contact.
[[nodiscard]] BodyScene sample_contacts(const BodyScene& arrangement, const ContactUncertainty& uncertainty,
                                        const std::optional<Vec3>& across, const std::function<double()>& symmetric);

}  // namespace ricochet
