#pragma once
/// A mechanism defined by a few functions of its configuration, docs/mechanisms.md:
///   𝓜(q) u̇ = f(q, u) + J(q)ᵀ F                                                         M11 Eq. 2.1 (G2)
/// with configuration q, generalised speeds u (q̇, or linear in it), applied and velocity-dependent forces f, and the
/// force F at a contact. World axes; planar systems lie in the x–z plane, z up, angles from x to z.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/mechanism/response.hpp"

namespace ricochet {

/// A material point of one of the bodies.
struct SystemPoint {
  std::string name;
  std::function<Vec3(const VecX& q)> position;  ///< world [m]
  std::function<MatX(const VecX& q)> jacobian;  ///< 3 × dof: velocity of the point = jacobian u
};

/// Two points that may touch, or a point and the fixed world ("world").
struct SystemContact {
  std::string name;
  std::string first = "world";                    ///< name of a point, or "world"
  std::string second;                             ///< as above
  std::function<Vec3(const VecX& q)> normal;      ///< unit, from first to second
  std::function<double(const VecX& q)> gap = {};  ///< absent: n·(x₂ − x₁), and zero against the world
};

struct Lagrangian {
  std::string name;
  int coordinates = 0;                                           ///< entries of q
  int dof = 0;                                                   ///< entries of u
  std::function<MatX(const VecX& q)> mass;                       ///< 𝓜, dof × dof
  std::function<VecX(const VecX& q, const VecX& u)> force = {};  ///< f; absent: none
  std::vector<SystemPoint> points;
  std::vector<SystemContact> contacts;
  std::function<Expected<void>(const VecX& q)> admits = {};  ///< rejects an invalid q; absent: every q is valid
};

/// 𝓜(q), checked: right size, finite, symmetric, positive definite.
[[nodiscard]] Expected<MatX> mass_matrix(const Lagrangian& system, const VecX& q);

/// X ↦ 𝓜⁻¹ X by a Cholesky factor. Fails if 𝓜 is not symmetric positive definite.
[[nodiscard]] Expected<MassSolver> dense_solver(const MatX& mass);

/// One of the system's contacts at this configuration, by name.
[[nodiscard]] Expected<ContactPoint> contact_at(const Lagrangian& system, std::string_view contact, const VecX& q);

/// The local contact problem and the response of u to an impulse there (G1).
[[nodiscard]] Expected<Response> respond(const Lagrangian& system, std::string_view contact, const VecX& q,
                                         const VecX& u);

/// ½ uᵀ𝓜u [J].
[[nodiscard]] Expected<double> kinetic_energy(const Lagrangian& system, const VecX& q, const VecX& u);

/// u̇ by (G2), with the force F of `contact` on its second body, and −F on its first; no contact name: free motion.
[[nodiscard]] Expected<VecX> acceleration(const Lagrangian& system, const VecX& q, const VecX& u,
                                          std::string_view contact = "", const Vec3& F = Vec3::Zero());

/// Two systems side by side (ST98 section 2.2: only the contact couples them): q and u are those of the first followed
/// by those of the second, 𝓜 is block diagonal. The names given here prefix those of points and contacts: "A." and
/// "B.". Contacts between the two are added to `contacts` afterwards.
[[nodiscard]] Expected<Lagrangian> join(std::string_view name_A, const Lagrangian& A, std::string_view name_B,
                                        const Lagrangian& B);

}  // namespace ricochet
