#pragma once
/// Equal spheres in a periodic box that collide by a law, event by event: docs/granular.md.

#include <array>
#include <cstdint>
#include <vector>

#include "ricochet/base/indexed_heap.hpp"
#include "ricochet/law/law.hpp"

namespace ricochet {

struct GasSpec {
  std::uint32_t spheres = 1000;
  double fraction = 0.1;       ///< of the volume of the box, φ
  double radius = 0.5;         ///< [m]
  double mass = 1;             ///< [kg]
  double inertia_ratio = 0.4;  ///< q = I/(m r²)
  double speed = 1;            ///< root of the mean square of each component of velocity [m/s]
  double spin = 0;             ///< the same of angular velocity [rad/s]
  double settle = 10;          ///< elastic, smooth collisions of each sphere before the law applies
  std::uint64_t seed = 1;
};

/// What the spheres have in common at one time.
struct GasState {
  double time = 0;                       ///< [s], since the law applies
  std::uint64_t collisions = 0;          ///< since the law applies
  double translational_temperature = 0;  ///< T = m⟨v²⟩/3 [J]
  double rotational_temperature = 0;     ///< T_r = I⟨ω²⟩/3 [J]
  Vec3 momentum = Vec3::Zero();          ///< [kg m/s]
  double energy = 0;                     ///< kinetic [J]
  double work = 0;                       ///< sum of the energy changes that the law reported [J]
  std::uint64_t not_permissible = 0;     ///< collisions whose certificate failed
};

class Gas {
 public:
  [[nodiscard]] static Expected<Gas> make(const GasSpec& spec, const Law& law);

  /// Until `collisions` more have happened, or with an error, after which the gas is at the last collision before it.
  [[nodiscard]] Expected<void> advance(std::uint64_t collisions);

  [[nodiscard]] GasState state() const;
  [[nodiscard]] double edge() const { return edge_; }  ///< of the box [m]
  [[nodiscard]] const GasSpec& spec() const { return spec_; }
  /// At the time of `state`, in the box.
  [[nodiscard]] Vec3 position(std::uint32_t sphere) const;
  [[nodiscard]] Vec3 velocity(std::uint32_t sphere) const { return spheres_[sphere].v; }
  [[nodiscard]] Vec3 angular_velocity(std::uint32_t sphere) const { return omega_[sphere]; }

 private:
  /// A position at the sphere's own time. One cache line.
  struct Sphere {
    Vec3 x, v;
    double clock = 0;
    std::int32_t cell = 0;
    std::int32_t next = -1;  ///< in the same cell
  };
  /// The partner of a collision, or one of these.
  static constexpr std::int32_t look_again = -1, leave = -2;  ///< leave − direction, 0 to 5: −x, +x, −y, …

  Gas(const GasSpec& spec, const Law& law);
  void place();
  void insert(std::uint32_t i);
  void remove(std::uint32_t i);
  void predict(std::uint32_t i);
  void predict_all();
  void cross(std::uint32_t i, int direction);
  [[nodiscard]] Expected<void> collide_pair(std::uint32_t a, std::uint32_t b);
  void move_to_now(std::uint32_t i);

  GasSpec spec_;
  Law law_;
  double edge_ = 0, cell_edge_ = 0, now_ = 0, began_ = 0, work_ = 0;
  std::int32_t cells_ = 0;  ///< in each direction
  std::uint64_t collisions_ = 0, not_permissible_ = 0, without_time_ = 0;
  std::vector<Sphere> spheres_;
  std::vector<Vec3> omega_;
  std::vector<std::int32_t> first_;    ///< of each cell
  std::vector<std::int32_t> partner_;  ///< of the next event of each sphere
  IndexedHeap queue_;
};

}  // namespace ricochet
