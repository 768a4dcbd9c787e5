#pragma once
/// The shapes of a body: convex ones, then the triangles of its height fields.

#include <vector>

#include "motion/field_contact.hpp"
#include "ricochet/motion/world.hpp"

namespace ricochet::motion {

struct BodyShapes {
  std::vector<ShapePart> parts;
  std::vector<FieldPart> fields;
  double radius = 0;  ///< of a ball about the centre of mass; infinite with a half space or a height field

  BodyShapes() = default;
  explicit BodyShapes(const WorldBody& body);

  [[nodiscard]] bool empty() const { return parts.empty() && fields.empty(); }
  /// Whether a feature may name this number, and what it names.
  [[nodiscard]] bool has(std::uint32_t k) const;
  [[nodiscard]] const ShapePart& part(std::uint32_t k) const;
  /// A field with the number of its first triangle.
  [[nodiscard]] BodyField field(std::size_t f, std::uint32_t body, const Pose& at) const;
};

/// A body with its shapes, somewhere.
struct ShapedBody {
  std::uint32_t body = 0;
  const BodyShapes* shapes = nullptr;
  Pose pose;
};

/// Calls use(field, its number among the shapes, a convex shape) for every field of one body and convex shape of the
/// other.
template <class Use>
void each_field_pair(const ShapedBody& i, const ShapedBody& j, const Use& use) {
  for (const bool swapped : {false, true}) {
    const ShapedBody &a = swapped ? j : i, &b = swapped ? i : j;
    for (std::size_t f = 0; f < a.shapes->fields.size(); ++f)
      for (std::uint32_t l = 0; l < b.shapes->parts.size(); ++l)
        use(a.shapes->field(f, a.body, a.pose), static_cast<std::uint32_t>(a.shapes->parts.size() + f),
            BodyShape{b.body, l, &b.shapes->parts[l], b.pose});
  }
}

}  // namespace ricochet::motion
