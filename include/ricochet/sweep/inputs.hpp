#pragma once
/// The numbers of a collision that a sweep varies, by their paths in its document.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/scene/collision.hpp"

namespace ricochet::sweep {

/// A collision before it is checked.
struct Inputs {
  bool mass_given = true;
  bool by_bodies = false;
  Mat3 A = Mat3::Identity();  ///< M or W
  Vec3 V = Vec3::Zero(), n = Vec3::UnitX(), spin = Vec3::Zero(), point = Vec3::Zero();
  std::array<RigidBody, 2> bodies;
  LawParameters parameters;

  explicit Inputs(const Collision& base);
  /// The same checks as those of a collision that is read.
  [[nodiscard]] Expected<Contact> contact() const;
};

/// One number of `Inputs`: "e", "target[2]", "V[1]", "M[1][2]", "body[2].velocity[3]", "body[1].mass".
class Field {
 public:
  /// Fails with a code, a value and what is allowed; the path is the caller's. `base` has bodies or a matrix, and what
  /// follows from them is no input.
  [[nodiscard]] static Expected<Field> find(std::string_view path, const Collision& base);
  void set(Inputs& inputs, double x) const;

  [[nodiscard]] bool is_parameter() const { return part_ == Part::number || part_ == Part::vector; }
  /// Of a parameter; empty of others.
  [[nodiscard]] std::string_view parameter() const { return name_; }
  /// Component of the vector parameter.
  [[nodiscard]] std::size_t component() const { return row_; }
  [[nodiscard]] bool is_vector_parameter() const { return part_ == Part::vector; }
  /// Two paths of the same number are equal: M[1][2] and M[2][1].
  friend bool operator==(const Field&, const Field&) = default;

 private:
  enum class Part : std::uint8_t {
    number,
    vector,
    matrix,
    V,
    n,
    spin,
    point,
    mass,
    inertia,
    position,
    orientation,
    velocity,
    angular_velocity
  };
  Part part_ = Part::number;
  std::size_t body_ = 0, row_ = 0, column_ = 0;
  std::string_view name_;
  std::optional<double> LawParameters::*number_ = nullptr;
  std::optional<Vec3> LawParameters::*vector_ = nullptr;
};

/// Paths that a sweep of this base may vary.
[[nodiscard]] std::vector<std::string> field_names(const Collision& base);

}  // namespace ricochet::sweep
