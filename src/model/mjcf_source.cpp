#include "mjcf_source.hpp"

#include <fmt/format.h>
#include <mujoco/mujoco.h>
#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "mjcf_document.hpp"
#include "mjcf_expansion.hpp"
#include "mjcf_frames.hpp"
#include "mjcf_schema.hpp"
#include "ricochet/base/suggest.hpp"

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

class Preparation {
 public:
  explicit Preparation(std::string file) : file_(std::move(file)) {}

  Expected<MjcfSource> run(std::string_view text) {
    if (const auto fine = parse_xml(document_, text, ""); !fine) return tl::unexpected(fine.error());
    XMLElement* top = document_.RootElement();
    if (top == nullptr || std::string_view(top->Name()) != "mujoco")
      return refuse(top, top == nullptr ? "" : top->Name(), "must be <mujoco> for MJCF, or <robot> for URDF");
    if (const auto fine = insert_includes(*top, fs::path(file_).parent_path(), origins_); !fine)
      return tl::unexpected(fine.error());
    if (const auto fine = expand_mjcf(document_, file_, origins_, left_out_); !fine)
      return tl::unexpected(fine.error());
    if (const auto fine = dissolve_frames(*top, left_out_); !fine) return tl::unexpected(fine.error());
    read_compiler(*top);
    defaults_ = MjcfDefaults(*top);
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
  [[nodiscard]] static tl::unexpected<Error> refuse(const tinyxml2::XMLNode* at, std::string value,
                                                    std::string allowed) {
    return refuse_element(at, std::move(value), std::move(allowed));
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
      if (key == "springlength" &&
          numbers_of(at.Attribute("springlength")).value_or(std::vector<double>{}).size() == 2) {
        at.DeleteAttribute("springlength");  // a spring is a force, which does nothing in no time
        count("dead bands of springs of tendons");
        continue;
      }
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
        names.reserve(known.children.size());
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
    folders_ = take_folders(top, fs::path(file_).parent_path());
    for (XMLElement* compiler = top.FirstChildElement("compiler"); compiler != nullptr;
         compiler = compiler->NextSiblingElement("compiler")) {
      if (const char* x = compiler->Attribute("inertiafromgeom")) from_shapes_ = std::string_view(x) == "true";
    }
  }

  [[nodiscard]] std::string value(const XMLElement& geom, const char* attribute, const std::string& childclass) const {
    return defaults_.value(geom, attribute, childclass);
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
  MjcfFolders folders_;
  MjcfOrigins origins_;
  tinyxml2::XMLDocument document_;
  MjcfDefaults defaults_;
  bool from_shapes_ = false;
  std::map<std::string, std::string, std::less<>> sites_;  ///< name of the body of each
  std::vector<SiteConnection> joined_;
  std::vector<MjcfFile> files_;
  int unnamed_ = 0;
  Names named_;   ///< shapes that pairs and tendons name
  Names meshes_;  ///< that a shape uses
  MjcfRemarks left_out_;
};

}  // namespace

Expected<MjcfSource> prepare_mjcf(std::string_view text, const std::string& file) {
  return Preparation(file).run(text);
}

}  // namespace ricochet
