#pragma once
/// MJCF as a tree of elements, each of which knows where it was written: files that include others become one.

#include <tinyxml2.h>

#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ricochet/base/error.hpp"

namespace ricochet {

/// Where an element that was copied was written; no file: the main one.
struct MjcfOrigin {
  std::string file;
  int line = 0;
};
using MjcfOrigins = std::deque<MjcfOrigin>;

/// Words for elements that are left out or changed, with the number of times.
using MjcfRemarks = std::map<std::string, int>;

/// "line 7", or "leg.xml line 7" of another file; "model" without an element.
[[nodiscard]] std::string place_of(const tinyxml2::XMLNode* at);
[[nodiscard]] tl::unexpected<Error> refuse_element(const tinyxml2::XMLNode* at, std::string value, std::string allowed);

/// A copy that knows where the original was written. `file` is that of an original that does not know its own.
[[nodiscard]] tinyxml2::XMLElement* copy_of(const tinyxml2::XMLElement& original, tinyxml2::XMLDocument& into,
                                            MjcfOrigins& origins, const std::string& file);

/// `file` is named in errors; empty: the main one.
[[nodiscard]] Expected<void> parse_xml(tinyxml2::XMLDocument& document, std::string_view text, const std::string& file);
[[nodiscard]] Expected<std::string> read_text(const std::filesystem::path& file);

/// Replaces each <include> by what its file holds. Paths start at `folder`, that of the main file, or at that of the
/// file that includes.
[[nodiscard]] Expected<void> insert_includes(tinyxml2::XMLElement& top, const std::filesystem::path& folder,
                                             MjcfOrigins& origins);

/// The numbers of an attribute, which are all that it holds; none where they are not.
[[nodiscard]] std::optional<std::vector<double>> numbers_of(std::string_view text);
/// So that they are read as they are.
[[nodiscard]] std::string text_of(const double* values, std::size_t count);

/// Paths in MJCF start at the folder of the main file, joined with one of the compiler's folders.
struct MjcfFolders {
  std::filesystem::path main;
  std::string meshes, assets;
  bool strip = false;

  [[nodiscard]] std::string resolve(const char* file) const;
};
/// Takes the folders off the compiler's attributes.
[[nodiscard]] MjcfFolders take_folders(tinyxml2::XMLElement& top, const std::filesystem::path& main);

/// What elements get from the defaults of their class.
class MjcfDefaults {
 public:
  MjcfDefaults() = default;
  explicit MjcfDefaults(const tinyxml2::XMLElement& top);

  /// The attribute that the class of the element gives; empty where there is none. `childclass` is that of the bodies
  /// about it.
  [[nodiscard]] std::string inherited(const tinyxml2::XMLElement& at, const char* attribute,
                                      std::string_view childclass) const;
  /// Its own, or else that.
  [[nodiscard]] std::string value(const tinyxml2::XMLElement& at, const char* attribute,
                                  std::string_view childclass) const;

 private:
  using Attributes = std::map<std::string, std::string, std::less<>>;
  using Elements = std::map<std::string, Attributes, std::less<>>;
  void read(const tinyxml2::XMLElement& at, const Elements& parent, bool outermost);

  std::map<std::string, Elements, std::less<>> classes_;
};

/// Calls `visit` with each child element of this name; an empty name: with all. They may be changed, not deleted.
template <class Element, class Visit>
void for_each_child(Element& at, const char* name, const Visit& visit) {
  for (auto* child = at.FirstChildElement(name); child != nullptr; child = child->NextSiblingElement(name))
    visit(*child);
}

}  // namespace ricochet
