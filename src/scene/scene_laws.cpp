#include "ricochet/scene/scene_laws.hpp"

#include "ricochet/base/error_path.hpp"

namespace ricochet {

Expected<BodyScene> by_law(const Scene& scene, std::string_view law) {
  BodyScene out = scene.arrangement;
  for (std::size_t i = 0; i < out.contacts.size(); ++i) {
    auto made = make_law(law, scene.settings[i]);
    if (!made) return tl::unexpected(under(entry_path("contact", i), made.error()));
    out.contacts[i].law = *std::move(made);
  }
  return out;
}

Expected<void> set_parameters(Scene& scene, std::span<const std::pair<std::string, Value>> assignments) {
  if (assignments.empty()) return {};
  for (std::size_t i = 0; i < scene.arrangement.contacts.size(); ++i) {
    for (const auto& [name, value] : assignments)
      if (auto fine = set(scene.settings[i], name, value); !fine) return fine;
    auto made = make_law(scene.laws[i], scene.settings[i]);
    if (!made) return tl::unexpected(made.error());
    scene.arrangement.contacts[i].law = *std::move(made);
  }
  return {};
}

}  // namespace ricochet
