#pragma once
/// A problem of many contacts in its own contact axes, docs/complementarity.md:
///   U⁺ = U + W G,  with (n, t, b) of each contact in turn.                                                    (LC1)

#include "ricochet/simultaneous/block_mobility.hpp"

namespace ricochet {

struct ContactSpace {
  std::vector<std::uint32_t> contacts;  ///< of the problem, except inert ones
  std::vector<Mat3> axes;               ///< columns n, t, b in world axes, n × t = b
  BlockMatrix W;                        ///< between `contacts`, in their axes
  VecX U;                               ///< before, 3 for each

  [[nodiscard]] std::size_t size() const { return contacts.size(); }
};

/// Rejects hinges: they must be intact, and thereby part of W.
[[nodiscard]] Expected<ContactSpace> contact_space(const Problem& problem);

/// Rotates the tangents of contact i; t, b are given in its present tangents.
void turn(ContactSpace& space, std::size_t i, const Mat2& tangents);

/// W as a dense matrix. Fails for more than `most` contacts, naming the method.
[[nodiscard]] Expected<MatX> dense(const ContactSpace& space, std::size_t most, std::string_view method);

/// W G.
[[nodiscard]] VecX times(const BlockMatrix& W, const VecX& G);

/// Whether some impulses cause no motion; nothing if W is too large to examine.
[[nodiscard]] std::optional<bool> singular(const Problem& problem, const ContactSpace& space);

/// The parameters that a method takes from the law of each contact.
struct ContactParameters {
  double e = 0;    ///< restitution: e or e_k of the law
  double e_t = 0;  ///< tangential restitution, 0 where the law has none
  double nu = 0;   ///< reversible share, of pfeiffer-glocker only
  double mu = 0;   ///< friction, 0 where the law has none
};

/// Laws without a coefficient of restitution, and values out of range, are errors ("contact 3 law").
[[nodiscard]] Expected<std::vector<ContactParameters>> parameters(const Problem& problem, const ContactSpace& space);

}  // namespace ricochet
