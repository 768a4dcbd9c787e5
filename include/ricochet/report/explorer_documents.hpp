#pragma once
/// The documents that the explorer page draws (docs/explorer.md): text in, JSON out. Any binding can serve them; the
/// page's is web/wasm/explorer.cpp.

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ricochet/io/fault.hpp"
#include "ricochet/report/plot.hpp"
#include "ricochet/scene/answers.hpp"
#include "ricochet/space/region_surface.hpp"

namespace ricochet {

/// One picture of the page asks many things about the same text: it is read once, and each law answers once. `text` is
/// a collision, TOML, or one JSON object when it begins with a brace. A refusal is a document too:
/// {"error": {"code", "path", "value", "allowed", "message", "line"}}.
class ExplorerDocuments {
 public:
  /// The laws of a contact, as `ricochet laws --format json` prints them.
  [[nodiscard]] static std::string laws();
  /// The bundled collisions; scenes of many contacts are left out.
  [[nodiscard]] static std::string scenes();
  /// Round numbers for an axis, as on plots (plot.hpp).
  [[nodiscard]] static std::string ticks(double low, double high, int wanted);

  [[nodiscard]] std::string read(const std::string& text);
  /// What every law answers.
  [[nodiscard]] std::string collide(const std::string& text);
  /// The same as a file, exactly as `ricochet collide --format json` writes it: JSON that went through JavaScript has
  /// lost the sign of −0.
  [[nodiscard]] std::string answers_file(const std::string& text);
  [[nodiscard]] std::string inspect(const std::string& text);
  [[nodiscard]] std::string realize(const std::string& text);
  [[nodiscard]] std::string axes(const std::string& text);
  [[nodiscard]] std::string reach(const std::string& text, const std::string& law);
  [[nodiscard]] std::string path(const std::string& text, const std::string& law);
  /// The impact by one law step by step, with its events (impact_course.hpp).
  [[nodiscard]] std::string course(const std::string& text, const std::string& law);
  /// The bodies when the impulse (x, y, z) has acted, at the scales of the plots "before" and "after".
  [[nodiscard]] std::string during(const std::string& text, const std::string& law, double x, double y, double z,
                                   const std::string& pane);
  /// `laws` and `reaches` are names with commas between; `pane` is read by read_pane (plot_document.hpp).
  [[nodiscard]] std::string plot(const std::string& text, const std::string& kind, const std::string& laws,
                                 const std::string& reaches, const std::string& pane);
  [[nodiscard]] std::string figure(const std::string& text, const std::string& kind, const std::string& laws);
  /// The inputs that a drag asks for which began at the collision of `text`, took hold of `handle` ("e", "mu" on the
  /// section, "V" on the velocity plane), and is now at (x, y) of the plot. Empty where nothing can be asked there.
  [[nodiscard]] std::string drag(const std::string& text, const std::string& handle, double x, double y);

  /// The surface of the permissible region as numbers, thousands of them; the refusal as a document.
  [[nodiscard]] tl::expected<RegionSurface, std::string> region(const std::string& text);

 private:
  struct Question {
    std::string text;
    Read<Collision> read;
    std::unique_ptr<Answers> answers;             ///< null where the text could not be read
    std::map<std::string, Expected<Plot>> plots;  ///< zooming draws the same plot again
  };
  Question& question(const std::string& text);
  template <class Function>
  std::string with(const std::string& text, Function function);

  Question last_;
};

}  // namespace ricochet
