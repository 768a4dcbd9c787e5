#include "ricochet/io/landmarks_json.hpp"

namespace ricochet {
namespace {

Json certificate_json(const Certificate& c) {
  return {{"permissible", c.permissible},
          {"margins",
           {{"energy", to_json(c.margins.energy)},
            {"separation", to_json(c.margins.separation)},
            {"compression", to_json(c.margins.compression)},
            {"friction", to_json(c.margins.friction)}}}};
}

}  // namespace

Json to_json(const Landmarks& l) {
  const ImpulseSpace& s = l.space;
  Json axes = Json::array();
  for (const auto& axis : s.ellipsoid.half_axes)
    axes.push_back({{"direction", to_json(axis.direction)}, {"length", to_json(axis.length)}});
  Json sticking{{"point", to_json(s.sticking.point)}};
  if (s.sticking.direction) sticking["direction"] = to_json(*s.sticking.direction);
  if (s.sticking.null_count > 0) {
    Json null = Json::array();
    for (int i = 0; i < s.sticking.null_count; ++i)
      null.push_back(to_json(s.sticking.null[static_cast<std::size_t>(i)]));
    sticking["immovable"] = std::move(null);
  }
  Json out{{"M", to_json(s.contact.M)},
           {"W", to_json(s.contact.W)},
           {"V", to_json(s.contact.V)},
           {"n", to_json(s.contact.n)},
           {"mu", to_json(s.mu)},
           {"energy", s.energy},
           {"P_I", {{"P", to_json(s.P_I)}, {"certificate", certificate_json(l.P_I)}}},
           {"P_II", {{"P", to_json(s.P_II)}, {"certificate", certificate_json(l.P_II)}}},
           {"ellipsoid", {{"centre", to_json(s.ellipsoid.centre)}, {"half_axes", std::move(axes)}}},
           {"maximum_compression",
            {{"normal", to_json(s.maximum_compression.normal)}, {"offset", to_json(s.maximum_compression.offset)}}},
           {"sticking", std::move(sticking)},
           {"cone", {{"axis", to_json(s.cone.axis)}, {"half_angle", to_json(s.cone.half_angle)}}}};
  return out;
}

Json to_json(const Extremes& extremes) {
  Json out = Json::object();
  if (extremes.highest) {
    out["highest_e"] = {{"e", extremes.highest->e},
                        {"P", to_json(extremes.highest->P)},
                        {"boundary", name(extremes.highest->boundary)}};
  } else {
    out["highest_e"] = {{"error", to_json(extremes.highest.error())}};
  }
  if (extremes.centre) {
    out["centroid"] = {
        {"P", to_json(extremes.centre->P)}, {"volume", extremes.centre->volume}, {"error", extremes.centre->error}};
  } else {
    out["centroid"] = {{"error", to_json(extremes.centre.error())}};
  }
  return out;
}

}  // namespace ricochet
