#include "motion/body_shapes.hpp"

#include <algorithm>
#include <limits>

namespace ricochet::motion {

BodyShapes::BodyShapes(const WorldBody& body) {
  for (const ConvexShape& shape : body.shapes) {
    parts.push_back(make_part(shape));
    radius = std::max(radius, parts.back().radius);
  }
  for (const PlacedField& field : body.fields) fields.emplace_back(field);
  if (!fields.empty()) radius = std::numeric_limits<double>::infinity();
}

bool BodyShapes::has(std::uint32_t k) const {
  std::size_t count = parts.size();
  for (const FieldPart& field : fields) count += field.triangle_count();
  return k < count;
}

const ShapePart& BodyShapes::part(std::uint32_t k) const {
  if (k < parts.size()) return parts[k];
  k -= static_cast<std::uint32_t>(parts.size());
  std::size_t f = 0;
  while (f + 1 < fields.size() && k >= fields[f].triangle_count()) k -= fields[f++].triangle_count();
  return fields[f].triangle(k).surface;
}

BodyField BodyShapes::field(std::size_t f, std::uint32_t body, const Pose& at) const {
  auto first = static_cast<std::uint32_t>(parts.size());
  for (std::size_t i = 0; i < f; ++i) first += fields[i].triangle_count();
  return {body, first, &fields[f], at};
}

}  // namespace ricochet::motion
