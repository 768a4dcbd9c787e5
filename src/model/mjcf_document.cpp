#include "mjcf_document.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "xml_error.hpp"

namespace ricochet {
namespace {

namespace fs = std::filesystem;
using tinyxml2::XMLElement;
using tinyxml2::XMLNode;

/// A copy does not know its line.
void remember(XMLNode& copy, const XMLNode& original, MjcfOrigins& origins, const std::string& file) {
  if (original.ToElement() != nullptr) {
    void* known = original.GetUserData();
    copy.SetUserData(known != nullptr ? known
                                      : &origins.emplace_back(MjcfOrigin{.file = file, .line = original.GetLineNum()}));
  }
  const XMLNode* from = original.FirstChild();
  for (XMLNode* to = copy.FirstChild(); to != nullptr && from != nullptr;
       to = to->NextSibling(), from = from->NextSibling())
    remember(*to, *from, origins, file);
}

class Includes {
 public:
  Includes(fs::path folder, MjcfOrigins& origins) : folder_(std::move(folder)), origins_(origins) {}

  Expected<void> insert_all(XMLElement& at, int depth) {
    for (XMLElement* child = at.FirstChildElement(); child != nullptr;) {
      XMLElement* next = child->NextSiblingElement();
      if (const auto fine = visit(at, *child, depth); !fine) return fine;
      child = next;
    }
    return {};
  }

 private:
  Expected<void> visit(XMLElement& at, XMLElement& child, int depth) {
    return std::string_view(child.Name()) == "include" ? insert(at, child, depth) : insert_all(child, depth);
  }

  Expected<void> insert(XMLElement& at, XMLElement& include, int depth) {
    const char* name = include.Attribute("file");
    if (name == nullptr) return refuse_element(&include, "include", "must have an attribute file");
    if (depth > 20) return refuse_element(&include, name, "includes itself, or is nested more than 20 deep");
    fs::path file = folder_ / name;
    const auto* from = static_cast<const MjcfOrigin*>(include.GetUserData());
    std::error_code error;
    if (from != nullptr && !fs::exists(file, error)) file = fs::path(from->file).parent_path() / name;
    const auto text = read_text(file);
    if (!text)
      return refuse_element(&include, name, fmt::format("cannot be opened; it is looked for at {}", file.string()));
    tinyxml2::XMLDocument inner;
    if (const auto fine = parse_xml(inner, *text, file.string()); !fine) return fine;
    XMLNode* after = &include;
    for (XMLElement* child = inner.RootElement() == nullptr ? nullptr : inner.RootElement()->FirstChildElement();
         child != nullptr; child = child->NextSiblingElement())
      after = at.InsertAfterChild(after, copy_of(*child, *at.GetDocument(), origins_, file.string()));
    const bool any = after != &include;
    XMLElement* first = include.NextSiblingElement();
    at.DeleteChild(&include);
    // Included files may include others.
    for (XMLElement* child = any ? first : nullptr; child != nullptr;) {
      XMLElement* next = child->NextSiblingElement();
      const bool last = child == after;
      if (const auto fine = visit(at, *child, depth + 1); !fine) return fine;
      if (last) break;
      child = next;
    }
    return {};
  }

  fs::path folder_;
  MjcfOrigins& origins_;
};

}  // namespace

std::string place_of(const XMLNode* at) {
  if (at == nullptr) return "model";
  const auto* origin = static_cast<const MjcfOrigin*>(at->GetUserData());
  if (origin == nullptr) return fmt::format("line {}", at->GetLineNum());
  return fmt::format("{}line {}", origin->file.empty() ? "" : origin->file + " ", origin->line);
}

tl::unexpected<Error> refuse_element(const XMLNode* at, std::string value, std::string allowed) {
  const std::string path = place_of(at);
  return fail(ErrorCode::malformed, path, std::move(value), std::move(allowed));
}

XMLElement* copy_of(const XMLElement& original, tinyxml2::XMLDocument& into, MjcfOrigins& origins,
                    const std::string& file) {
  XMLNode* copy = original.DeepClone(&into);
  remember(*copy, original, origins, file);
  return copy->ToElement();
}

Expected<void> parse_xml(tinyxml2::XMLDocument& document, std::string_view text, const std::string& file) {
  if (document.Parse(text.data(), text.size()) == tinyxml2::XML_SUCCESS) return {};
  return xml_error(document, file);
}

Expected<std::string> read_text(const fs::path& file) {
  std::error_code error;
  std::ifstream in(file, std::ios::binary);
  if (!in || !fs::is_regular_file(file, error))
    return fail(ErrorCode::file_access, "file", file.string(), "cannot be opened");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Expected<void> insert_includes(XMLElement& top, const fs::path& folder, MjcfOrigins& origins) {
  return Includes(folder, origins).insert_all(top, 0);
}

std::optional<std::vector<double>> numbers_of(std::string_view text) {
  std::vector<double> out;
  std::istringstream words{std::string(text)};
  for (double x = 0; words >> x;) out.push_back(x);
  if (!words.eof()) return std::nullopt;
  return out;
}

std::string text_of(const double* values, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += fmt::format("{}{}", i == 0 ? "" : " ", values[i]);
  return out;
}

std::string MjcfFolders::resolve(const char* file) const {
  fs::path path(file);
  if (strip) path = path.filename();
  if (path.is_absolute()) return path.string();
  const std::string& folder = !meshes.empty() ? meshes : assets;
  return (main / folder / path).lexically_normal().string();
}

MjcfFolders take_folders(XMLElement& top, const fs::path& main) {
  MjcfFolders out;
  out.main = main;
  for_each_child(top, "compiler", [&](XMLElement& compiler) {
    if (const char* x = compiler.Attribute("assetdir")) out.assets = x;
    if (const char* x = compiler.Attribute("meshdir")) out.meshes = x;
    if (const char* x = compiler.Attribute("strippath")) out.strip = std::string_view(x) == "true";
    for (const char* path : {"assetdir", "meshdir", "texturedir", "strippath"}) compiler.DeleteAttribute(path);
  });
  return out;
}

MjcfDefaults::MjcfDefaults(const XMLElement& top) {
  for_each_child(top, "default", [&](const XMLElement& at) { read(at, Elements(classes_[""]), true); });
}

void MjcfDefaults::read(const XMLElement& at, const Elements& parent, bool outermost) {
  Elements own = parent;
  for_each_child(at, nullptr, [&](const XMLElement& element) {
    if (std::string_view(element.Name()) == "default") return;
    Attributes& attributes = own[element.Name()];
    for (const auto* a = element.FirstAttribute(); a != nullptr; a = a->Next()) attributes[a->Name()] = a->Value();
  });
  const char* name = at.Attribute("class");
  if (outermost) classes_[""] = classes_["main"] = own;
  if (name != nullptr) classes_[name] = own;
  for_each_child(at, "default", [&](const XMLElement& child) { read(child, own, false); });
}

std::string MjcfDefaults::inherited(const XMLElement& at, const char* attribute, std::string_view childclass) const {
  const char* name = at.Attribute("class");
  const auto found = classes_.find(name != nullptr ? std::string_view(name) : childclass);
  if (found == classes_.end()) return "";
  const auto element = found->second.find(std::string_view(at.Name()));
  if (element == found->second.end()) return "";
  const auto it = element->second.find(std::string_view(attribute));
  return it == element->second.end() ? "" : it->second;
}

std::string MjcfDefaults::value(const XMLElement& at, const char* attribute, std::string_view childclass) const {
  if (const char* own = at.Attribute(attribute)) return own;
  return inherited(at, attribute, childclass);
}

}  // namespace ricochet
