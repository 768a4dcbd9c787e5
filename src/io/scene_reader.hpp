#pragma once
/// What the readers of scenes share: bodies with shapes, the law of a scene, names of bodies.

#include <limits>
#include <map>
#include <unordered_map>

#include "io/toml_reader.hpp"
#include "ricochet/io/mesh_reader.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/scene/robot_scene.hpp"
#include "ricochet/scene/scene.hpp"

namespace ricochet {

class SceneReader : protected TomlReader {
 protected:
  /// Without a reader of meshes these are refused.
  explicit SceneReader(MeshReader mesh = {}) : mesh_(std::move(mesh)) {}

  std::string word(std::string_view field, const toml::node& node);
  Vec3 finite(std::string_view field, const toml::node& node);
  template <class Read>
  void each(const toml::table& root, std::string_view key, const char* written, Read read) {
    const toml::node* node = root.get(key);
    if (node == nullptr || fault_) return;
    const toml::array* array = node->as_array();
    if (array == nullptr || !array->is_array_of_tables())
      return refuse(ErrorCode::wrong_type, key, *node, fmt::format("must be tables {}", written));
    for (std::size_t i = 0; i < array->size() && !fault_; ++i) read(i, *array->get(i)->as_table());
  }

  void default_law(const toml::table& root);
  /// `own` are the other keys of the table.
  void parameter(std::string_view path, std::string_view key, const toml::node& node, LawParameters& settings,
                 const toml::table& table, std::span<const std::string_view> own);
  /// Adds a body to `scene_`, `materials_` and `index_`.
  void body(std::size_t i, const toml::table& table);

  /// A robot whose file is not opened; its name joins `index_`.
  std::optional<PlacedRobot> robot(std::size_t i, const toml::table& table);

  /// What `bodies` says, or another key that holds two words.
  std::optional<std::pair<std::string, std::string>> two_names(const std::string& what, const toml::table& table,
                                                               const char* key = "bodies");
  /// The body of this name, or an error at `node`.
  std::optional<std::size_t> find_body(const std::string& field, const std::string& name, const toml::node& node);
  bool pair(const std::string& what, const toml::table& table, std::size_t& first, std::size_t& second);
  Vec3 needed(const std::string& what, const toml::table& table, const char* key);

  static constexpr std::size_t a_robot = std::numeric_limits<std::size_t>::max();
  Scene scene_;
  std::vector<std::string> materials_;                  ///< of the bodies
  std::unordered_map<std::string, std::size_t> index_;  ///< of bodies by name
  std::string law_;
  LawParameters settings_;
  std::map<std::string, long long, std::less<>> lines_;  ///< of the parameters in [law], and of its name as "law"

 private:
  Shape::Kind kind(std::string_view field, const toml::node& node);
  double length(std::string_view field, const toml::node& node);
  void check_shape(const std::string& path, const toml::table& table, const Shape& shape);
  std::vector<Vec3> corners(const std::string& field, const toml::node& node);
  void read_hull(const std::string& path, const toml::table& table, Shape& shape);
  void read_field(const std::string& path, const toml::table& table, Shape& shape);

  void packages(std::string_view field, const toml::node& node, RobotOptions& options);
  void take_robot_name(const std::string& name, const std::string& path, long long line);

  MeshReader mesh_;
};

}  // namespace ricochet
