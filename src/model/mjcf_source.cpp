#include "mjcf_source.hpp"

#include <fmt/format.h>
#include <mujoco/mujoco.h>
#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "mjcf_schema.hpp"
#include "ricochet/base/suggest.hpp"
#include "xml_error.hpp"

namespace ricochet {
namespace {

namespace fs = std::filesystem;
using tinyxml2::XMLElement;
using Names = std::set<std::string, std::less<>>;

/// Sections that have no part in an impact, with the words for them. Actuators are forces, which do nothing in no time.
const std::map<std::string, std::string, std::less<>>& idle_sections() {
  static const std::map<std::string, std::string, std::less<>> sections{
      {"visual", "visual settings"}, {"statistic", "statistics"},  {"sensor", "sensors"},
      {"actuator", "actuators"},     {"size", "sizes of buffers"}, {"custom", "custom data"},
      {"extension", "extensions"},
  };
  return sections;
}

/// Elements of other sections that have none either.
const std::map<std::string, std::string, std::less<>>& idle_elements() {
  static const std::map<std::string, std::string, std::less<>> elements{
      {"texture", "textures"},   {"material", "materials"},    {"skin", "skins"},        {"camera", "cameras"},
      {"light", "lights"},       {"general", "actuators"},     {"motor", "actuators"},   {"position", "actuators"},
      {"velocity", "actuators"}, {"intvelocity", "actuators"}, {"damper", "actuators"},  {"cylinder", "actuators"},
      {"muscle", "actuators"},   {"adhesion", "actuators"},    {"dcmotor", "actuators"}, {"lengthrange", "actuators"},
  };
  return elements;
}

/// Attributes that have none: pictures, MuJoCo's own integrator and solver, forces, and data of users.
bool idle_attribute(std::string_view element, std::string_view attribute) {
  static const Names anywhere{"material", "texture", "user", "texcoord", "content_type", "rgba"};
  static const std::map<std::string, Names, std::less<>> of{
      {"compiler", {"saveinertial", "usethread", "fitaabb", "discardvisual", "alignfree", "conflict"}},
      {"option",
       {"integrator",
        "solver",
        "cone",
        "jacobian",
        "iterations",
        "noslip_iterations",
        "mpr_iterations",
        "tolerance",
        "noslip_tolerance",
        "mpr_tolerance",
        "sdf_iterations",
        "sdf_initpoints",
        "ccd_iterations",
        "ccd_tolerance",
        "ls_iterations",
        "ls_tolerance",
        "actuatorgroupdisable",
        "apirate",
        "o_friction",
        "o_margin",
        "o_solref",
        "o_solimp",
        "impratio",
        "timestep",
        "sleep_tolerance"}},
      {"joint", {"actuatorfrcrange", "actuatorfrclimited", "actuatorgravcomp"}},
      {"freejoint", {"align"}},
      {"body", {"gravcomp", "sleep"}},
      {"worldbody", {"gravcomp", "sleep"}},
      {"mesh", {"maxhullvert", "smoothnormal", "octree_maxdepth"}},
      {"pair", {"solreffriction"}},
      {"spatial", {"actuatorfrcrange", "actuatorfrclimited", "width"}},
      {"fixed", {"actuatorfrcrange", "actuatorfrclimited"}},
      {"tendon", {"actuatorfrcrange", "actuatorfrclimited"}},
      {"key", {"ctrl", "act", "mpos", "mquat"}},
  };
  const bool geometry = element == "hfield" || element == "mesh";
  if (anywhere.contains(attribute) && !(geometry && attribute == "texture")) return true;
  const auto found = of.find(element);
  return found != of.end() && found->second.contains(attribute);
}

/// Paths in MJCF start at the folder of the main file, joined with one of the compiler's folders.
struct Folders {
  fs::path main;
  std::string meshes, assets;
  bool strip = false;

  [[nodiscard]] std::string resolve(const char* file) const {
    fs::path path(file);
    if (strip) path = path.filename();
    if (path.is_absolute()) return path.string();
    const std::string& folder = !meshes.empty() ? meshes : assets;
    return (main / folder / path).lexically_normal().string();
  }
};

Expected<std::string> read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(ErrorCode::file_access, "file", file.string(), "cannot be opened");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Where an element of an included file was written.
struct Origin {
  std::string file;
  int line = 0;
};

class Preparation {
 public:
  explicit Preparation(std::string file) : file_(std::move(file)) { folders_.main = fs::path(file_).parent_path(); }

  Expected<MjcfSource> run(std::string_view text) {
    if (const auto fine = parse(document_, text, file_); !fine) return tl::unexpected(fine.error());
    XMLElement* top = document_.RootElement();
    if (top == nullptr || std::string_view(top->Name()) != "mujoco")
      return refuse(top, top == nullptr ? "" : top->Name(), "must be <mujoco> for MJCF, or <robot> for URDF");
    if (const auto fine = insert_files(*top, 0); !fine) return tl::unexpected(fine.error());
    if (const auto fine = insert_frames(*top); !fine) return tl::unexpected(fine.error());
    read_compiler(*top);
    read_defaults(*top);
    leave_out_pictures(*top);
    if (const auto fine = join_sites(*top); !fine) return tl::unexpected(fine.error());
    if (const auto fine = strip(*top, mjcf_schema()); !fine) return tl::unexpected(fine.error());
    if (const auto fine = resolve_files(*top); !fine) return tl::unexpected(fine.error());
    XMLElement* compiler = document_.NewElement("compiler");
    compiler->SetAttribute("autolimits", "true");
    top->InsertEndChild(compiler);
    tinyxml2::XMLPrinter printer;
    document_.Print(&printer);
    MjcfSource out;
    out.xml = printer.CStr();
    out.files = std::move(files_);
    out.joined = std::move(joined_);
    for (const auto& [what, count] : left_out_)
      out.left_out.push_back(count > 1 ? fmt::format("{} ({})", what, count) : what);
    return out;
  }

 private:
  /// Where an element was written: a line of the main file, or of an included one.
  [[nodiscard]] static std::string place_of(const tinyxml2::XMLNode* at) {
    if (at == nullptr) return "model";
    if (const auto* origin = static_cast<const Origin*>(at->GetUserData()))
      return fmt::format("{} line {}", origin->file, origin->line);
    return fmt::format("line {}", at->GetLineNum());
  }

  [[nodiscard]] tl::unexpected<Error> refuse(const tinyxml2::XMLNode* at, std::string value,
                                             std::string allowed) const {
    const std::string path = place_of(at);
    return fail(ErrorCode::malformed, path, std::move(value), std::move(allowed));
  }

  [[nodiscard]] Expected<void> parse(tinyxml2::XMLDocument& document, std::string_view text,
                                     const std::string& file) const {
    if (document.Parse(text.data(), text.size()) == tinyxml2::XML_SUCCESS) return {};
    return xml_error(document, file == file_ ? "" : file);
  }

  // --- includes

  Expected<void> insert_files(XMLElement& at, int depth) {
    for (XMLElement* child = at.FirstChildElement(); child != nullptr;) {
      XMLElement* next = child->NextSiblingElement();
      if (std::string_view(child->Name()) == "include") {
        if (const auto fine = insert_file(at, *child, depth); !fine) return fine;
      } else if (const auto fine = insert_files(*child, depth); !fine) {
        return fine;
      }
      child = next;
    }
    return {};
  }

  Expected<void> insert_file(XMLElement& at, XMLElement& include, int depth) {
    const char* name = include.Attribute("file");
    if (name == nullptr) return refuse(&include, "include", "must have an attribute file");
    if (depth > 20) return refuse(&include, name, "includes itself, or is nested more than 20 deep");
    // Paths start at the folder of the main file, or at that of the file that includes.
    fs::path file = folders_.main / name;
    const auto* from = static_cast<const Origin*>(include.GetUserData());
    std::error_code error;
    if (from != nullptr && !fs::exists(file, error)) file = fs::path(from->file).parent_path() / name;
    const auto text = read_text(file);
    if (!text) return refuse(&include, name, fmt::format("cannot be opened; it is looked for at {}", file.string()));
    tinyxml2::XMLDocument inner;
    if (const auto fine = parse(inner, *text, file.string()); !fine) return fine;
    tinyxml2::XMLNode* after = &include;
    for (XMLElement* child = inner.RootElement() == nullptr ? nullptr : inner.RootElement()->FirstChildElement();
         child != nullptr; child = child->NextSiblingElement()) {
      tinyxml2::XMLNode* copy = child->DeepClone(&document_);
      remember(*copy, *child, file.string());
      after = at.InsertAfterChild(after, copy);
    }
    XMLElement* first = include.NextSiblingElement();
    at.DeleteChild(&include);
    // Included files may include others.
    for (XMLElement* child = first; child != nullptr;) {
      XMLElement* next = child->NextSiblingElement();
      const bool last = child == after;
      if (std::string_view(child->Name()) == "include") {
        if (const auto fine = insert_file(at, *child, depth + 1); !fine) return fine;
      } else if (const auto fine = insert_files(*child, depth + 1); !fine) {
        return fine;
      }
      if (last) break;
      child = next;
    }
    return {};
  }

  /// A copy does not know its line.
  void remember(tinyxml2::XMLNode& copy, const tinyxml2::XMLNode& original, const std::string& file) {
    if (original.ToElement() != nullptr)
      copy.SetUserData(&origins_.emplace_back(Origin{.file = file, .line = original.GetLineNum()}));
    const tinyxml2::XMLNode* from = original.FirstChild();
    for (tinyxml2::XMLNode* to = copy.FirstChild(); to != nullptr && from != nullptr;
         to = to->NextSibling(), from = from->NextSibling())
      remember(*to, *from, file);
  }

  // --- frames

  /// A frame moves all that it holds. A body without joints does the same, where it holds shapes, sites and bodies.
  Expected<void> insert_frames(XMLElement& at) {
    for (XMLElement* child = at.FirstChildElement(); child != nullptr; child = child->NextSiblingElement()) {
      if (std::string_view(child->Name()) == "frame") {
        for (const XMLElement* held = child->FirstChildElement(); held != nullptr; held = held->NextSiblingElement()) {
          const std::string_view name = held->Name();
          if (name == "joint" || name == "freejoint" || name == "inertial")
            return refuse(held, fmt::format("<{}> in a <frame>", name), newer("cannot be read by"));
          if (name == "body" && held->FirstChildElement("freejoint") != nullptr)
            return refuse(held, "a floating <body> in a <frame>", newer("cannot be read by"));
        }
        child->SetName("body");
        child->DeleteAttribute("name");
        count("frames, read as bodies without joints");
      }
      if (const auto fine = insert_frames(*child); !fine) return fine;
    }
    return {};
  }

  [[nodiscard]] static std::string newer(std::string_view words) {
    return fmt::format("{} MuJoCo {}, which is installed; a newer MuJoCo reads it", words, mj_versionString());
  }

  // --- what is left out

  void count(const std::string& what, int times = 1) { left_out_[what] += times; }

  Expected<void> strip(XMLElement& at, const MjcfElement& known) {
    const std::string name = at.Name();
    for (const tinyxml2::XMLAttribute* attribute = at.FirstAttribute(); attribute != nullptr;) {
      const std::string key = attribute->Name();
      tidy(at, *attribute);
      attribute = attribute->Next();
      if (idle_attribute(name, key)) {
        at.DeleteAttribute(key.c_str());
        if (!known.has(key)) count(fmt::format("{} {}", name, key));
        continue;
      }
      if (known.has(key)) continue;
      if (name == "mesh" && key == "inertia") {
        if (std::string_view(at.Attribute("inertia")) != "shell")
          count("mesh inertia (the inertia of a mesh is that of its volume)");
        at.DeleteAttribute("inertia");
        continue;
      }
      if (name == "compiler" && key == "assetdir") continue;  // resolved below
      if (name == "hfield" && key == "elevation") {
        if (const auto fine = store_heights(at); !fine) return fine;
        continue;
      }
      return refuse(&at, fmt::format("{} {}", name, key), unknown(key, known.attributes));
    }
    for (XMLElement* child = at.FirstChildElement(); child != nullptr;) {
      XMLElement* next = child->NextSiblingElement();
      const std::string_view kind = child->Name();
      const auto section = name == "mujoco" ? idle_sections().find(kind) : idle_sections().end();
      const auto element = name != "mujoco" ? idle_elements().find(kind) : idle_elements().end();
      if (section != idle_sections().end()) {
        int times = 0;
        for (const XMLElement* one = child->FirstChildElement(); one != nullptr; one = one->NextSiblingElement())
          ++times;
        count(section->second, std::max(1, times));
        at.DeleteChild(child);
      } else if (element != idle_elements().end()) {
        if (name != "default") count(element->second);
        at.DeleteChild(child);
      } else if (name == "option" && kind == "flag") {
        keep_known(*child, known.child("flag"));
      } else if (const MjcfElement* inner = known.child(kind)) {
        if (const auto fine = strip(*child, *inner); !fine) return fine;
      } else {
        std::vector<std::string> names;
        for (const auto& one : known.children) names.push_back(one->name);
        return refuse(child, fmt::format("<{}> in <{}>", kind, name), unknown(kind, names));
      }
      child = next;
    }
    return {};
  }

  /// Older versions count blanks at the end of a list of numbers as one more.
  static void tidy(XMLElement& at, const tinyxml2::XMLAttribute& attribute) {
    std::istringstream words(attribute.Value());
    std::string tidied;
    for (std::string word; words >> word;) tidied += (tidied.empty() ? "" : " ") + word;
    if (tidied != attribute.Value()) at.SetAttribute(std::string(attribute.Name()).c_str(), tidied.c_str());
  }

  // --- what newer versions say otherwise

  /// Heights that are written in the XML, from the row of greatest y, become a file of MuJoCo's own format, from the
  /// row of least y.
  Expected<void> store_heights(XMLElement& field) {
    const std::int32_t rows = field.IntAttribute("nrow");
    const std::int32_t columns = field.IntAttribute("ncol");
    std::vector<float> heights;
    std::istringstream words(field.Attribute("elevation"));
    for (float height = 0; words >> height;) heights.push_back(height);
    const auto count = static_cast<std::size_t>(std::max(0, rows)) * static_cast<std::size_t>(std::max(0, columns));
    if (!words.eof() || heights.size() != count || count == 0)
      return refuse(&field, "hfield elevation",
                    fmt::format("must be {} numbers, for nrow = {} and ncol = {}", count, rows, columns));
    const auto width = static_cast<std::size_t>(columns);
    MjcfFile file{.name = fmt::format("elevation{}.hfield", files_.size()), .data = {}};
    const auto append = [&](const void* data, std::size_t size) {
      file.data.append(static_cast<const char*>(data), size);
    };
    append(&rows, sizeof rows);
    append(&columns, sizeof columns);
    for (std::size_t r = heights.size() / width; r-- > 0;) append(&heights[r * width], width * sizeof(float));
    for (const char* attribute : {"elevation", "nrow", "ncol"}) field.DeleteAttribute(attribute);
    field.SetAttribute("file", file.name.c_str());
    files_.push_back(std::move(file));
    return {};
  }

  static bool connects_sites(const XMLElement& top) {
    for (const XMLElement* equality = top.FirstChildElement("equality"); equality != nullptr;
         equality = equality->NextSiblingElement("equality"))
      for (const XMLElement* connect = equality->FirstChildElement("connect"); connect != nullptr;
           connect = connect->NextSiblingElement("connect"))
        if (connect->Attribute("site1") != nullptr) return true;
    return false;
  }

  /// A connection of two sites is one of their bodies; where its two points are is set when the model is read.
  Expected<void> join_sites(XMLElement& top) {
    if (!connects_sites(top)) return {};
    for (XMLElement* world = top.FirstChildElement("worldbody"); world != nullptr;
         world = world->NextSiblingElement("worldbody"))
      gather_sites(*world);
    for (XMLElement* equality = top.FirstChildElement("equality"); equality != nullptr;
         equality = equality->NextSiblingElement("equality")) {
      for (XMLElement* connect = equality->FirstChildElement("connect"); connect != nullptr;
           connect = connect->NextSiblingElement("connect")) {
        if (connect->Attribute("site1") == nullptr) continue;
        SiteConnection joined;
        for (int k = 0; k < 2; ++k) {
          const char* site = connect->Attribute(k == 0 ? "site1" : "site2");
          const auto found = sites_.find(site == nullptr ? "" : site);
          if (found == sites_.end())
            return refuse(connect, site == nullptr ? "" : site, "must name a site of the model");
          joined.sites[static_cast<std::size_t>(k)] = site;
          connect->SetAttribute(k == 0 ? "body1" : "body2", found->second.c_str());
        }
        if (connect->Attribute("name") == nullptr)
          connect->SetAttribute("name", fmt::format("{} to {}", joined.sites[0], joined.sites[1]).c_str());
        joined.name = connect->Attribute("name");
        connect->SetAttribute("anchor", "0 0 0");
        connect->DeleteAttribute("site1");
        connect->DeleteAttribute("site2");
        joined_.push_back(std::move(joined));
      }
    }
    return {};
  }

  void gather_sites(XMLElement& body) {
    const bool world = std::string_view(body.Name()) == "worldbody";
    if (!world && body.Attribute("name") == nullptr)
      body.SetAttribute("name", fmt::format("unnamed body {}", ++unnamed_).c_str());
    for (XMLElement* child = body.FirstChildElement(); child != nullptr; child = child->NextSiblingElement()) {
      const std::string_view kind = child->Name();
      if (kind == "body") gather_sites(*child);
      if (kind == "site" && child->Attribute("name") != nullptr)
        sites_[child->Attribute("name")] = world ? "world" : body.Attribute("name");
    }
  }

  static std::string unknown(std::string_view word, const std::vector<std::string>& names) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string_view near = closest(word, views);
    return near.empty() ? newer("is not known to")
                        : fmt::format("{}; did you mean {}?", newer("is not known to"), near);
  }

  void keep_known(XMLElement& flags, const MjcfElement* known) {
    for (const tinyxml2::XMLAttribute* attribute = flags.FirstAttribute(); attribute != nullptr;) {
      const std::string key = attribute->Name();
      attribute = attribute->Next();
      if (known != nullptr && known->has(key)) continue;
      flags.DeleteAttribute(key.c_str());
      count("flag " + key);
    }
  }

  // --- shapes for pictures only

  void read_compiler(XMLElement& top) {
    for (XMLElement* compiler = top.FirstChildElement("compiler"); compiler != nullptr;
         compiler = compiler->NextSiblingElement("compiler")) {
      if (const char* x = compiler->Attribute("assetdir")) folders_.assets = x;
      if (const char* x = compiler->Attribute("meshdir")) folders_.meshes = x;
      if (const char* x = compiler->Attribute("strippath")) folders_.strip = std::string_view(x) == "true";
      if (const char* x = compiler->Attribute("inertiafromgeom")) from_shapes_ = std::string_view(x) == "true";
      for (const char* path : {"assetdir", "meshdir", "texturedir", "strippath"}) compiler->DeleteAttribute(path);
    }
  }

  struct Defaults {
    std::map<std::string, std::string, std::less<>> geom;
  };

  void read_defaults(XMLElement& top) {
    for (const XMLElement* at = top.FirstChildElement("default"); at != nullptr; at = at->NextSiblingElement("default"))
      read_default(*at, classes_[""], true);
  }

  void read_default(const XMLElement& at, const Defaults& parent, bool outermost) {
    Defaults own = parent;
    if (const XMLElement* geom = at.FirstChildElement("geom"))
      for (const auto* a = geom->FirstAttribute(); a != nullptr; a = a->Next()) own.geom[a->Name()] = a->Value();
    const char* name = at.Attribute("class");
    if (outermost) classes_[""] = own;
    if (name != nullptr) classes_[name] = own;
    for (const XMLElement* child = at.FirstChildElement("default"); child != nullptr;
         child = child->NextSiblingElement("default"))
      read_default(*child, own, false);
  }

  [[nodiscard]] std::string value(const XMLElement& geom, const char* attribute, const std::string& childclass) const {
    if (const char* own = geom.Attribute(attribute)) return own;
    const char* name = geom.Attribute("class");
    const auto found = classes_.find(name != nullptr ? std::string_view(name) : std::string_view(childclass));
    if (found == classes_.end()) return "";
    const auto it = found->second.geom.find(attribute);
    return it == found->second.geom.end() ? "" : it->second;
  }

  /// Shells are a property of shapes here, of meshes in newer versions.
  void mark_shells(XMLElement& body, std::string childclass, const Names& shells) {
    if (const char* own = body.Attribute("childclass")) childclass = own;
    for (XMLElement* child = body.FirstChildElement(); child != nullptr; child = child->NextSiblingElement()) {
      const std::string_view kind = child->Name();
      if (kind == "body") mark_shells(*child, childclass, shells);
      if (kind == "geom" && shells.contains(value(*child, "mesh", childclass)))
        child->SetAttribute("shellinertia", "true");
    }
  }

  /// Shapes that collide with nothing, where they do not make the mass of their body, and the meshes of no shape.
  void leave_out_pictures(XMLElement& top) {
    for (const XMLElement* contact = top.FirstChildElement("contact"); contact != nullptr;
         contact = contact->NextSiblingElement("contact"))
      for (const XMLElement* pair = contact->FirstChildElement("pair"); pair != nullptr;
           pair = pair->NextSiblingElement("pair"))
        for (const char* key : {"geom1", "geom2"})
          if (const char* name = pair->Attribute(key)) named_.insert(name);
    for (const XMLElement* tendon = top.FirstChildElement("tendon"); tendon != nullptr;
         tendon = tendon->NextSiblingElement("tendon"))
      gather(*tendon, "geom", named_);
    bool collides = false;
    for (const XMLElement* world = top.FirstChildElement("worldbody"); world != nullptr;
         world = world->NextSiblingElement("worldbody"))
      collides = collides || anything_collides(*world, "");
    for (XMLElement* world = top.FirstChildElement("worldbody"); collides && world != nullptr;
         world = world->NextSiblingElement("worldbody"))
      leave_out_pictures(*world, "");
    for (XMLElement* world = top.FirstChildElement("worldbody"); world != nullptr;
         world = world->NextSiblingElement("worldbody"))
      gather_meshes(*world, "");
    Names shells;
    for (XMLElement* asset = top.FirstChildElement("asset"); asset != nullptr;
         asset = asset->NextSiblingElement("asset")) {
      for (XMLElement* mesh = asset->FirstChildElement("mesh"); mesh != nullptr;) {
        XMLElement* next = mesh->NextSiblingElement("mesh");
        const char* name = mesh->Attribute("name");
        const char* file = mesh->Attribute("file");
        const std::string called = name != nullptr ? name : file != nullptr ? fs::path(file).stem().string() : "";
        const char* inertia = mesh->Attribute("inertia");
        if (inertia != nullptr && std::string_view(inertia) == "shell") shells.insert(called);
        if (!meshes_.contains(called)) asset->DeleteChild(mesh);
        mesh = next;
      }
    }
    for (XMLElement* world = top.FirstChildElement("worldbody"); world != nullptr;
         world = world->NextSiblingElement("worldbody"))
      mark_shells(*world, "", shells);
  }

  static void gather(const XMLElement& at, const char* attribute, Names& out) {
    if (const char* x = at.Attribute(attribute)) out.insert(x);
    for (const XMLElement* child = at.FirstChildElement(); child != nullptr; child = child->NextSiblingElement())
      gather(*child, attribute, out);
  }

  /// Whether a shape of a body that may move collides.
  [[nodiscard]] bool anything_collides(const XMLElement& body, std::string childclass) const {
    if (const char* own = body.Attribute("childclass")) childclass = own;
    const bool world = std::string_view(body.Name()) == "worldbody";
    for (const XMLElement* child = body.FirstChildElement(); child != nullptr; child = child->NextSiblingElement()) {
      const std::string_view kind = child->Name();
      if (kind == "body" && anything_collides(*child, childclass)) return true;
      if (kind == "geom" && !world && !is_picture(*child, childclass, true)) return true;
    }
    return false;
  }

  void leave_out_pictures(XMLElement& body, std::string childclass) {
    if (const char* own = body.Attribute("childclass")) childclass = own;
    const bool world = std::string_view(body.Name()) == "worldbody";
    const bool mass_given = world || (body.FirstChildElement("inertial") != nullptr && !from_shapes_);
    for (XMLElement* child = body.FirstChildElement(); child != nullptr;) {
      XMLElement* next = child->NextSiblingElement();
      const std::string_view kind = child->Name();
      if (kind == "body") leave_out_pictures(*child, childclass);
      if (kind == "geom" && is_picture(*child, childclass, mass_given)) {
        count("shapes that collide with nothing");
        body.DeleteChild(child);
      }
      child = next;
    }
  }

  [[nodiscard]] bool is_picture(const XMLElement& geom, const std::string& childclass, bool mass_given) const {
    const char* name = geom.Attribute("name");
    if (name != nullptr && named_.contains(name)) return false;
    if (value(geom, "contype", childclass) != "0" || value(geom, "conaffinity", childclass) != "0") return false;
    return mass_given || value(geom, "mass", childclass) == "0" || value(geom, "density", childclass) == "0";
  }

  void gather_meshes(const XMLElement& body, std::string childclass) {
    if (const char* own = body.Attribute("childclass")) childclass = own;
    for (const XMLElement* child = body.FirstChildElement(); child != nullptr; child = child->NextSiblingElement()) {
      const std::string_view kind = child->Name();
      if (kind == "body") gather_meshes(*child, childclass);
      if (kind == "geom") meshes_.insert(value(*child, "mesh", childclass));
    }
  }

  // --- files

  Expected<void> resolve_files(XMLElement& top) {
    for (XMLElement* asset = top.FirstChildElement("asset"); asset != nullptr;
         asset = asset->NextSiblingElement("asset")) {
      for (XMLElement* one = asset->FirstChildElement(); one != nullptr; one = one->NextSiblingElement()) {
        const char* file = one->Attribute("file");
        if (file == nullptr) continue;
        if (one->Attribute("name") == nullptr) one->SetAttribute("name", fs::path(file).stem().string().c_str());
        const auto here = [&](const MjcfFile& f) { return f.name == file; };
        if (std::any_of(files_.begin(), files_.end(), here)) continue;
        const std::string path = folders_.resolve(file);
        std::error_code error;
        if (!fs::is_regular_file(path, error))
          return refuse(one, file, fmt::format("is not there; it is looked for at {}", path));
        one->SetAttribute("file", path.c_str());
      }
    }
    return {};
  }

  std::string file_;
  Folders folders_;
  std::deque<Origin> origins_;
  tinyxml2::XMLDocument document_;
  std::map<std::string, Defaults, std::less<>> classes_;
  bool from_shapes_ = false;
  std::map<std::string, std::string, std::less<>> sites_;  ///< name of the body of each
  std::vector<SiteConnection> joined_;
  std::vector<MjcfFile> files_;
  int unnamed_ = 0;
  Names named_;   ///< shapes that pairs and tendons name
  Names meshes_;  ///< that a shape uses
  std::map<std::string, int> left_out_;
};

}  // namespace

Expected<MjcfSource> prepare_mjcf(std::string_view text, const std::string& file) {
  return Preparation(file).run(text);
}

}  // namespace ricochet
