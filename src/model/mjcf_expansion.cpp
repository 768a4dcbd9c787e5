#include "mjcf_expansion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>
#include <set>
#include <utility>

#include "mjcf_frames.hpp"
#include "mjcf_schema.hpp"
#include "ricochet/base/suggest.hpp"

namespace ricochet {
namespace {

namespace fs = std::filesystem;
using tinyxml2::XMLElement;

/// A file must not become an endless one.
constexpr int most_elements = 200000;

/// What a name is the name of; names of different kinds may be equal.
using Named = std::pair<std::string, std::string>;
using NamedSet = std::set<Named>;

/// The kind of thing that an element of the bodies' tree is; empty where its name is of no use.
std::string kind_of(std::string_view element) {
  if (element == "freejoint") return "joint";
  for (const std::string_view kind : {"body", "joint", "geom", "site", "frame", "camera", "light"})
    if (element == kind) return std::string(kind);
  return "";
}

/// The kind of thing that an attribute refers to; empty where it refers to none.
std::string reference(std::string_view attribute) {
  if (attribute == "sidesite") return "site";
  for (const std::string_view kind : {"body", "joint", "geom", "site", "tendon"})
    if (attribute == kind || (attribute.size() == kind.size() + 1 && attribute.starts_with(kind) &&
                              (attribute.back() == '1' || attribute.back() == '2')))
      return std::string(kind);
  for (const std::string_view kind : {"mesh", "hfield", "material", "texture"})
    if (attribute == kind) return std::string(kind);
  return "";
}

/// Sections whose elements refer to those of the bodies' tree; tendons first, which equalities refer to.
constexpr std::initializer_list<const char*> referring{"tendon", "equality", "contact"};

template <class Visit>
void for_each_element(XMLElement& at, const Visit& visit) {
  visit(at);
  for (XMLElement* child = at.FirstChildElement(); child != nullptr; child = child->NextSiblingElement())
    for_each_element(*child, visit);
}

template <class Visit>
void for_each_reference(XMLElement& at, const Visit& visit) {
  for_each_element(at, [&](XMLElement& one) {
    std::vector<std::pair<std::string, Named>> found;
    for (const auto* a = one.FirstAttribute(); a != nullptr; a = a->Next())
      if (const std::string kind = reference(a->Name()); !kind.empty())
        found.push_back({a->Name(), {kind, a->Value()}});
    for (const auto& [attribute, name] : found) visit(one, attribute.c_str(), name);
  });
}

int count_elements(XMLElement& at) {
  int count = 0;
  for_each_element(at, [&](XMLElement&) { ++count; });
  return count;
}

NamedSet names_in(XMLElement& at) {
  NamedSet out;
  for_each_element(at, [&](XMLElement& one) {
    const std::string kind = kind_of(one.Name());
    if (const char* name = one.Attribute("name"); name != nullptr && !kind.empty()) out.emplace(kind, name);
  });
  return out;
}

XMLElement* find_named(XMLElement& at, std::string_view kind, std::string_view name) {
  for (XMLElement* child = at.FirstChildElement(); child != nullptr; child = child->NextSiblingElement()) {
    const char* own = child->Attribute("name");
    if (child->Name() == kind && own != nullptr && own == name) return child;
    if (XMLElement* found = find_named(*child, kind, name)) return found;
  }
  return nullptr;
}

bool any_element(XMLElement& top, const char* name) {
  bool found = false;
  for_each_child(top, "worldbody", [&](XMLElement& world) {
    for_each_element(world, [&](XMLElement& one) { found = found || std::string_view(one.Name()) == name; });
  });
  return found;
}

/// Refuses attributes that are not among the known ones.
Expected<void> only(const XMLElement& at, std::initializer_list<std::string_view> known) {
  for (const auto* a = at.FirstAttribute(); a != nullptr; a = a->Next()) {
    if (std::find(known.begin(), known.end(), a->Name()) != known.end()) continue;
    const std::string_view near = closest(a->Name(), std::vector<std::string_view>(known));
    return refuse_element(&at, fmt::format("{} {}", at.Name(), a->Name()),
                          near.empty() ? fmt::format("is not known in <{}>", at.Name())
                                       : fmt::format("is not known in <{}>; did you mean {}?", at.Name(), near));
  }
  return {};
}

Expected<Vec3> three_numbers(const XMLElement& at, const char* attribute) {
  const char* text = at.Attribute(attribute);
  if (text == nullptr) return Vec3(Vec3::Zero());
  const auto x = numbers_of(text);
  if (!x || x->size() != 3)
    return refuse_element(&at, fmt::format("{} {} = {}", at.Name(), attribute, text), "must be 3 numbers");
  return Vec3((*x)[0], (*x)[1], (*x)[2]);
}

// --- one model

/// Whether the outermost defaults say anything of elements that have no class.
bool has_own_defaults(const XMLElement& top) {
  bool any = false;
  for_each_child(top, "default", [&](const XMLElement& at) {
    for_each_child(at, nullptr, [&](const XMLElement& one) { any = any || std::string_view(one.Name()) != "default"; });
  });
  return any;
}

/// Gives the elements of a section that have no class this one, where they may have one.
void give_class(XMLElement& at, const MjcfElement& known, const char* name) {
  for_each_child(at, nullptr, [&](XMLElement& child) {
    const std::string_view kind = child.Name();
    if (kind == "body" || kind == "frame" || kind == "replicate") {
      if (child.Attribute("childclass") == nullptr) child.SetAttribute("childclass", name);
      return;
    }
    const MjcfElement* inner = known.child(kind);
    if (inner != nullptr && inner->has("class") && child.Attribute("class") == nullptr)
      child.SetAttribute("class", name);
  });
}

/// The outermost default class becomes one among others, so that those of several models stand side by side: it is
/// called `own`, and all classes get the prefix.
void set_classes_apart(XMLElement& top, const std::string& prefix, const std::string& own) {
  std::string outermost = "main";
  if (top.FirstChildElement("default") == nullptr) top.InsertEndChild(top.GetDocument()->NewElement("default"));
  for_each_child(top, "default", [&](XMLElement& at) {
    if (const char* name = at.Attribute("class")) outermost = name;
    at.SetAttribute("class", outermost.c_str());
  });
  const auto renamed = [&](const char* name) { return name == outermost ? own : prefix + name; };
  for_each_element(top, [&](XMLElement& one) {
    for (const char* key : {"class", "childclass"})
      if (const char* name = one.Attribute(key)) one.SetAttribute(key, renamed(name).c_str());
  });
  for_each_child(top, nullptr, [&](XMLElement& section) {
    if (std::string_view(section.Name()) == "default") return;
    if (const MjcfElement* known = mjcf_schema().child(section.Name())) give_class(section, *known, own.c_str());
  });
  XMLElement* main = top.GetDocument()->NewElement("default");
  main->SetAttribute("class", "main");
  for (XMLElement* at = top.FirstChildElement("default"); at != nullptr; at = top.FirstChildElement("default"))
    main->InsertEndChild(at);
  top.InsertEndChild(main);
}

/// Meshes and height fields have names, and files that need no folder.
void name_assets(XMLElement& top, const fs::path& folder) {
  const MjcfFolders folders = take_folders(top, folder);
  for_each_child(top, "asset", [&](XMLElement& asset) {
    for_each_child(asset, nullptr, [&](XMLElement& one) {
      const std::string_view kind = one.Name();
      const char* file = one.Attribute("file");
      if (file == nullptr || (kind != "mesh" && kind != "hfield")) return;
      if (one.Attribute("name") == nullptr) one.SetAttribute("name", fs::path(file).stem().string().c_str());
      one.SetAttribute("file", fs::absolute(folders.resolve(file)).lexically_normal().string().c_str());
    });
  });
}

/// Angles in radians, and no Euler angles.
Expected<void> normalise_angles(XMLElement& top) {
  const auto angles = angles_of(top);
  if (!angles) return tl::unexpected(angles.error());
  const MjcfDefaults defaults(top);
  Expected<void> fine;
  const auto turn = [&](XMLElement& one) {
    const std::string_view kind = one.Name();
    if (kind == "replicate") {
      const auto euler = three_numbers(one, "euler");
      if (!euler) fine = tl::unexpected(euler.error());
      if (!euler || one.Attribute("euler") == nullptr) return;
      const Vec3 scaled = angles->unit * *euler;
      one.SetAttribute("euler", text_of(scaled.data(), 3).c_str());
      return;
    }
    if (one.Attribute("euler") == nullptr && one.Attribute("axisangle") == nullptr) return;
    const auto own = [&](const char* name) {
      return std::string(one.Attribute(name) == nullptr ? "" : one.Attribute(name));
    };
    const auto pose = pose_of(one, own, *angles);
    if (!pose) {
      fine = tl::unexpected(pose.error());
      return;
    }
    const std::string position = own("pos");
    set_pose(one, *pose);
    if (position.empty()) {
      one.DeleteAttribute("pos");
    } else {
      one.SetAttribute("pos", position.c_str());
    }
  };
  const std::function<void(XMLElement&, std::string)> joints = [&](XMLElement& body, std::string childclass) {
    if (const char* own = body.Attribute("childclass")) childclass = own;
    for_each_child(body, nullptr, [&](XMLElement& child) {
      if (std::string_view(child.Name()) != "joint") return joints(child, childclass);
      const std::string type = defaults.value(child, "type", childclass);
      const bool turns = type.empty() || type == "hinge" || type == "ball";
      for (const char* key : {"range", "ref", "springref"}) {
        const auto found = numbers_of(defaults.value(child, key, childclass));
        if (!found || found->empty()) continue;
        std::vector<double> values = *found;
        for (double& x : values) x *= turns ? angles->unit : 1;
        child.SetAttribute(key, text_of(values.data(), values.size()).c_str());
      }
    });
  };
  for_each_child(top, "default", [&](XMLElement& at) { for_each_element(at, turn); });
  for_each_child(top, "worldbody", [&](XMLElement& world) {
    for_each_element(world, turn);
    if (angles->unit != 1) joints(world, "");
  });
  for_each_child(top, "compiler", [&](XMLElement& compiler) { compiler.DeleteAttribute("angle"); });
  XMLElement* compiler = top.GetDocument()->NewElement("compiler");
  compiler->SetAttribute("angle", "radian");
  top.InsertEndChild(compiler);
  return fine;
}

/// Settings of the compiler that change masses or shapes.
std::map<std::string, std::string> decisive_settings(const XMLElement& top) {
  std::map<std::string, std::string> out;
  for_each_child(top, "compiler", [&](const XMLElement& compiler) {
    for (const char* key : {"inertiafromgeom", "inertiagrouprange", "balanceinertia", "boundmass", "boundinertia",
                            "settotalmass", "coordinate", "fusestatic", "exactmeshinertia", "convexhull"})
      if (const char* value = compiler.Attribute(key)) out[key] = value;
  });
  return out;
}

/// A model that others attach, ready for it.
struct Submodel {
  fs::path file;
  std::unique_ptr<tinyxml2::XMLDocument> document;
};

// --- all of them

class Expansion {
 public:
  Expansion(tinyxml2::XMLDocument& document, fs::path file, MjcfOrigins& origins, MjcfRemarks& remarks, int& made,
            std::vector<fs::path> within)
      : document_(document),
        top_(*document.RootElement()),
        file_(std::move(file)),
        origins_(origins),
        remarks_(remarks),
        made_(made),
        within_(std::move(within)) {}

  Expected<void> run() {
    if (const auto fine = take_submodels(); !fine) return fine;
    const bool attaches = any_element(top_, "attach");
    if (!attaches && !any_element(top_, "replicate")) return {};
    if (attaches && !submodels_.empty()) {
      name_assets(top_, file_.parent_path());
      if (const auto fine = normalise_angles(top_); !fine) return fine;
      if (has_own_defaults(top_)) set_classes_apart(top_, "", "main of this file");
    }
    auto angles = angles_of(top_);
    if (!angles) return tl::unexpected(angles.error());
    angles_ = *std::move(angles);
    for (XMLElement* world = top_.FirstChildElement("worldbody"); world != nullptr;
         world = world->NextSiblingElement("worldbody"))
      if (const auto fine = walk(*world); !fine) return fine;
    take_keyframes();
    return {};
  }

 private:
  [[nodiscard]] std::string origin() const { return within_.size() < 2 ? "" : file_.string(); }

  XMLElement* copy(const XMLElement& original) { return copy_of(original, document_, origins_, origin()); }

  Expected<void> allow(const XMLElement& at, long elements) {
    if (elements > most_elements || made_ + elements > most_elements)
      return refuse_element(&at, fmt::format("<{}>", at.Name()),
                            fmt::format("makes more than {} elements", most_elements));
    made_ += static_cast<int>(elements);
    return {};
  }

  /// In the order of the file, what is inside before what is about it.
  Expected<void> walk(XMLElement& at) {
    for (XMLElement* child = at.FirstChildElement(); child != nullptr;) {
      XMLElement* next = child->NextSiblingElement();
      const std::string_view kind = child->Name();
      Expected<void> fine;
      if (kind == "attach") {
        fine = attach(at, *child);
      } else if (kind == "body" || kind == "frame" || kind == "replicate") {
        fine = walk(*child);
        if (fine && kind == "replicate") fine = replicate(at, *child);
      }
      if (!fine) return fine;
      child = next;
    }
    return {};
  }

  // --- replicate

  Expected<void> replicate(XMLElement& parent, XMLElement& at) {
    if (const auto fine = only(at, {"count", "sep", "offset", "euler", "childclass"}); !fine) return fine;
    int count = 0;
    const char* text = at.Attribute("count");
    if (at.QueryIntAttribute("count", &count) != tinyxml2::XML_SUCCESS || count < 1)
      return refuse_element(&at, fmt::format("replicate count = {}", text == nullptr ? "" : text),
                            "must be a whole number, 1 or more");
    const auto offset = three_numbers(at, "offset");
    if (!offset) return tl::unexpected(offset.error());
    const auto euler = three_numbers(at, "euler");
    if (!euler) return tl::unexpected(euler.error());
    if (const auto fine = allow(at, static_cast<long>(count) * count_elements(at)); !fine) return fine;
    const NamedSet names = names_in(at);
    const std::string separator = at.Attribute("sep") == nullptr ? "" : at.Attribute("sep");
    const std::size_t digits = std::to_string(count).size();
    std::vector<std::string> suffixes;
    MjcfPose pose;
    tinyxml2::XMLNode* after = &at;
    for (int i = 0; i < count; ++i) {
      pose.rotation = turn_of(angles_, static_cast<double>(i) * *euler);
      XMLElement* frame = copy(at);
      frame->SetName("frame");
      for (const char* key : {"count", "sep", "offset", "euler"}) frame->DeleteAttribute(key);
      set_pose(*frame, pose);
      pose.position += pose.rotation * *offset;
      suffixes.push_back(fmt::format("{}{:0{}}", separator, i, digits));
      rename(*frame, names, "", suffixes.back());
      after = parent.InsertAfterChild(after, frame);
    }
    if (const auto fine = repeat_references(at, names, "", suffixes, true); !fine) return fine;
    parent.DeleteChild(&at);
    return {};
  }

  static void rename(XMLElement& at, const NamedSet& names, const std::string& prefix, const std::string& suffix) {
    for_each_element(at, [&](XMLElement& one) {
      const char* name = one.Attribute("name");
      if (name == nullptr || kind_of(one.Name()).empty()) return;
      one.SetAttribute("name", (prefix + name + suffix).c_str());
    });
    for_each_reference(at, [&](XMLElement& one, const char* attribute, const Named& name) {
      if (names.contains(name)) one.SetAttribute(attribute, (prefix + name.second + suffix).c_str());
    });
  }

  /// What refers to one of the names is repeated for each of the suffixes; the original goes where `replace` is set.
  Expected<void> repeat_references(const XMLElement& cause, NamedSet names, const std::string& prefix,
                                   const std::vector<std::string>& suffixes, bool replace) {
    for (const char* section_name : referring) {
      for (XMLElement* section = top_.FirstChildElement(section_name); section != nullptr;
           section = section->NextSiblingElement(section_name)) {
        for (XMLElement* one = section->FirstChildElement(); one != nullptr;) {
          XMLElement* next = one->NextSiblingElement();
          bool refers = false;
          for_each_reference(
              *one, [&](XMLElement&, const char*, const Named& name) { refers = refers || names.contains(name); });
          if (refers) {
            if (const auto fine = allow(cause, static_cast<long>(suffixes.size()) * count_elements(*one)); !fine)
              return fine;
            tinyxml2::XMLNode* after = one;
            const char* own = one->Attribute("name");
            for (const std::string& suffix : suffixes) {
              XMLElement* repeated = copy(*one);
              rename(*repeated, names, prefix, suffix);
              if (own != nullptr) repeated->SetAttribute("name", fmt::format("{}{}{}", prefix, own, suffix).c_str());
              after = section->InsertAfterChild(after, repeated);
            }
            if (own != nullptr && std::string_view(section_name) == "tendon") names.emplace("tendon", own);
            if (replace) section->DeleteChild(one);
          }
          one = next;
        }
      }
    }
    return {};
  }

  // --- attach

  /// Models are no assets of the installed version.
  Expected<void> take_submodels() {
    for (XMLElement* asset = top_.FirstChildElement("asset"); asset != nullptr;
         asset = asset->NextSiblingElement("asset")) {
      for (XMLElement* model = asset->FirstChildElement("model"); model != nullptr;) {
        XMLElement* next = model->NextSiblingElement("model");
        if (const auto fine = only(*model, {"name", "file", "content_type"}); !fine) return fine;
        const char* file = model->Attribute("file");
        if (file == nullptr) return refuse_element(model, "model", "must have an attribute file");
        auto submodel = load(*model, file);
        if (!submodel) return tl::unexpected(submodel.error());
        const char* name = model->Attribute("name");
        if (name == nullptr) name = submodel->document->RootElement()->Attribute("model");
        submodels_[name == nullptr ? "" : name] = *std::move(submodel);
        asset->DeleteChild(model);
        model = next;
      }
    }
    return {};
  }

  Expected<Submodel> load(const XMLElement& asked, const char* name) {
    Submodel out;
    out.file = file_.parent_path() / name;
    const auto* from = static_cast<const MjcfOrigin*>(asked.GetUserData());
    std::error_code error;
    if (from != nullptr && !fs::exists(out.file, error)) out.file = fs::path(from->file).parent_path() / name;
    const auto text = read_text(out.file);
    if (!text)
      return refuse_element(&asked, name, fmt::format("cannot be opened; it is looked for at {}", out.file.string()));
    const fs::path self = fs::weakly_canonical(out.file, error);
    if (std::find(within_.begin(), within_.end(), self) != within_.end())
      return refuse_element(&asked, name, "must not attach itself");
    out.document = std::make_unique<tinyxml2::XMLDocument>();
    if (const auto fine = parse_xml(*out.document, *text, out.file.string()); !fine)
      return tl::unexpected(fine.error());
    XMLElement* top = out.document->RootElement();
    if (top == nullptr || std::string_view(top->Name()) != "mujoco")
      return refuse_element(&asked, name, "must hold <mujoco>: only MJCF can be attached");
    for_each_element(*top, [&](XMLElement& one) {
      one.SetUserData(&origins_.emplace_back(MjcfOrigin{.file = out.file.string(), .line = one.GetLineNum()}));
    });
    if (const auto fine = insert_includes(*top, out.file.parent_path(), origins_); !fine)
      return tl::unexpected(fine.error());
    std::vector<fs::path> within = within_;
    within.push_back(self);
    if (const auto fine = Expansion(*out.document, out.file, origins_, remarks_, made_, std::move(within)).run(); !fine)
      return tl::unexpected(fine.error());
    name_assets(*top, out.file.parent_path());
    if (const auto fine = normalise_angles(*top); !fine) return tl::unexpected(fine.error());
    return out;
  }

  Expected<void> attach(XMLElement& parent, XMLElement& at) {
    if (const auto fine = only(at, {"model", "body", "frame", "prefix"}); !fine) return fine;
    const char* prefix = at.Attribute("prefix");
    if (prefix == nullptr) return refuse_element(&at, "attach", "must have an attribute prefix");
    const char* body = at.Attribute("body");
    const char* frame = at.Attribute("frame");
    if (body != nullptr && frame != nullptr)
      return refuse_element(&at, "attach", "must have one of body and frame, not both");
    XMLElement* held = document_.NewElement("frame");
    held->SetUserData(at.GetUserData() != nullptr
                          ? at.GetUserData()
                          : &origins_.emplace_back(MjcfOrigin{.file = origin(), .line = at.GetLineNum()}));
    parent.InsertAfterChild(&at, held);
    const std::string_view kind = body != nullptr ? "body" : "frame";
    const char* name = body != nullptr ? body : frame;
    auto fine = at.Attribute("model") == nullptr ? attach_own(at, *held, prefix, kind, name)
                                                 : attach_model(at, *held, prefix, kind, name);
    if (fine) parent.DeleteChild(&at);
    return fine;
  }

  /// A copy elsewhere has the class that the original has from the bodies about it, or else the outermost.
  static void keep_class(const XMLElement& original, XMLElement& copy) {
    const XMLElement* top = nullptr;
    for (const tinyxml2::XMLNode* about = &original; about != nullptr && about->ToElement() != nullptr;
         about = about->Parent()) {
      top = about->ToElement();
      if (const char* name = top->Attribute("childclass")) {
        copy.SetAttribute("childclass", name);
        return;
      }
    }
    const XMLElement* outermost = top == nullptr ? nullptr : top->FirstChildElement("default");
    if (outermost == nullptr) return;
    const char* name = outermost->Attribute("class");
    copy.SetAttribute("childclass", name == nullptr ? "main" : name);
  }

  /// A part of this model again.
  Expected<void> attach_own(XMLElement& at, XMLElement& held, const std::string& prefix, std::string_view kind,
                            const char* name) {
    if (name == nullptr) return refuse_element(&at, "attach", "must have an attribute model, body or frame");
    XMLElement* source = nullptr;
    for (XMLElement* world = top_.FirstChildElement("worldbody"); world != nullptr && source == nullptr;
         world = world->NextSiblingElement("worldbody"))
      source = find_named(*world, kind, name);
    if (source == nullptr) return refuse_element(&at, name, fmt::format("must name a {} of the model", kind));
    for (const tinyxml2::XMLNode* about = &at; about != nullptr; about = about->Parent())
      if (about == source) return refuse_element(&at, name, "must not be attached to itself");
    if (const auto fine = allow(at, count_elements(*source)); !fine) return fine;
    const NamedSet names = names_in(*source);
    XMLElement* again = copy(*source);
    rename(*again, names, prefix, "");
    keep_class(*source, *again);
    held.InsertEndChild(again);
    return repeat_references(at, names, prefix, {""}, false);
  }

  Expected<void> attach_model(XMLElement& at, XMLElement& held, const std::string& prefix, std::string_view kind,
                              const char* name) {
    const auto found = submodels_.find(std::string_view(at.Attribute("model")));
    if (found == submodels_.end()) {
      std::vector<std::string_view> names;
      names.reserve(submodels_.size());
      for (const auto& [known, submodel] : submodels_) names.emplace_back(known);
      const std::string_view near = closest(at.Attribute("model"), names);
      return refuse_element(&at, at.Attribute("model"),
                            fmt::format("must name a <model> of the assets{}",
                                        near.empty() ? "" : fmt::format("; did you mean {}?", near)));
    }
    const Submodel& submodel = found->second;
    if (const auto fine = check_settings(at, submodel); !fine) return fine;
    // All of it gets its names; then what is wanted is taken.
    tinyxml2::XMLDocument whole;
    XMLElement& model =
        *whole.InsertEndChild(copy_of(*submodel.document->RootElement(), whole, origins_, submodel.file.string()))
             ->ToElement();
    if (const auto fine = allow(at, count_elements(model)); !fine) return fine;
    put_prefix(model, prefix);
    if (const auto fine = take_tree(at, model, held, kind, name == nullptr ? "" : prefix + name); !fine) return fine;
    take_rest(model, held);
    return {};
  }

  static void put_prefix(XMLElement& model, const std::string& prefix) {
    set_classes_apart(model, prefix, prefix + "main");
    for_each_child(model, nullptr, [&](XMLElement& section) {
      for_each_element(section, [&](XMLElement& one) {
        const bool is_key = std::string_view(one.Name()) == "key";
        if (const char* own = one.Attribute("name")) one.SetAttribute("name", (prefix + own).c_str());
        if (is_key) return;
        for_each_own_reference(one, [&](const char* attribute, const Named& name) {
          if (name == Named{"body", "world"}) return;
          one.SetAttribute(attribute, (prefix + name.second).c_str());
        });
      });
    });
  }

  template <class Visit>
  static void for_each_own_reference(XMLElement& one, const Visit& visit) {
    std::vector<std::pair<std::string, Named>> found;
    for (const auto* a = one.FirstAttribute(); a != nullptr; a = a->Next())
      if (const std::string kind = reference(a->Name()); !kind.empty())
        found.push_back({a->Name(), {kind, a->Value()}});
    for (const auto& [attribute, name] : found) visit(attribute.c_str(), name);
  }

  Expected<void> check_settings(const XMLElement& at, const Submodel& submodel) const {
    const auto ours = decisive_settings(top_);
    const auto theirs = decisive_settings(*submodel.document->RootElement());
    for (const auto& settings : {ours, theirs}) {
      for (const auto& [key, value] : settings) {
        const auto a = ours.find(key);
        const auto b = theirs.find(key);
        if (a != ours.end() && b != theirs.end() && a->second == b->second) continue;
        return refuse_element(
            &at, fmt::format("compiler {} = {}", key, value),
            fmt::format("must be the same here and in {}, which is attached", submodel.file.string()));
      }
    }
    return {};
  }

  /// Bodies, or a part of them, into the frame that holds them.
  Expected<void> take_tree(const XMLElement& at, XMLElement& model, XMLElement& held, std::string_view kind,
                           const std::string& name) {
    if (name.empty()) {
      for_each_child(model, "worldbody", [&](XMLElement& world) {
        for_each_child(world, nullptr, [&](XMLElement& one) { held.InsertEndChild(copy(one)); });
      });
      return {};
    }
    XMLElement* source = nullptr;
    for (XMLElement* world = model.FirstChildElement("worldbody"); world != nullptr && source == nullptr;
         world = world->NextSiblingElement("worldbody"))
      source = find_named(*world, kind, name);
    if (source == nullptr)
      return refuse_element(&at, at.Attribute(std::string(kind).c_str()),
                            fmt::format("must name a {} of the model that is attached", kind));
    XMLElement* taken = copy(*source);
    keep_class(*source, *taken);
    held.InsertEndChild(taken);
    return {};
  }

  /// Classes, assets, and what refers to bodies that were taken.
  void take_rest(XMLElement& model, XMLElement& held) {
    static const std::set<std::string_view> idle{"compiler",  "option",    "size",    "visual",
                                                 "statistic", "custom",    "sensor",  "actuator",
                                                 "extension", "worldbody", "keyframe"};
    if (model.FirstChildElement("option") != nullptr) ++remarks_["options of attached models"];
    NamedSet names = names_in(held);
    for (const char* first : referring) take_section(model, first, names);
    for (XMLElement* section = model.FirstChildElement(); section != nullptr; section = section->NextSiblingElement()) {
      const std::string_view kind = section->Name();
      if (idle.contains(kind) || std::find(referring.begin(), referring.end(), kind) != referring.end()) continue;
      if (kind != "default") {
        top_.InsertEndChild(copy(*section));
        continue;
      }
      XMLElement* main = top_.FirstChildElement("default");
      if (main == nullptr) main = top_.InsertEndChild(document_.NewElement("default"))->ToElement();
      for_each_child(*section, nullptr, [&](XMLElement& one) { main->InsertEndChild(copy(one)); });
    }
    for_each_child(model, "keyframe", [&](XMLElement& keyframe) { keyframes_.push_back(copy(keyframe)); });
  }

  void take_section(XMLElement& model, const char* name, NamedSet& names) {
    for_each_child(model, name, [&](XMLElement& section) {
      XMLElement* taken = document_.NewElement(name);
      for_each_child(section, nullptr, [&](XMLElement& one) {
        bool all_here = true;
        for_each_reference(one, [&](XMLElement&, const char*, const Named& to) {
          const bool of_tree = to.first == "body" || to.first == "joint" || to.first == "geom" || to.first == "site" ||
                               to.first == "tendon";
          all_here = all_here && (!of_tree || names.contains(to));
        });
        if (!all_here) {
          ++remarks_[fmt::format("{} elements of attached models that refer to what is not attached", name)];
          return;
        }
        const char* own = one.Attribute("name");
        if (own != nullptr && std::string_view(name) == "tendon") names.emplace("tendon", own);
        taken->InsertEndChild(copy(one));
      });
      top_.InsertEndChild(taken);
    });
  }

  /// The keyframes of a model that is attached are those of the whole where no other joint is in it.
  void take_keyframes() {
    if (keyframes_.empty()) return;
    int joints = 0;
    for_each_child(top_, "worldbody", [&](XMLElement& world) {
      for_each_element(world, [&](XMLElement& one) { joints += kind_of(one.Name()) == "joint" ? 1 : 0; });
    });
    int theirs = 0;
    if (submodels_.size() == 1)
      for_each_child(*submodels_.begin()->second.document->RootElement(), "worldbody", [&](XMLElement& world) {
        for_each_element(world, [&](XMLElement& one) { theirs += kind_of(one.Name()) == "joint" ? 1 : 0; });
      });
    for (XMLElement* keyframe : keyframes_) {
      if (joints == theirs) {
        top_.InsertEndChild(keyframe);
      } else {
        ++remarks_["keyframes of attached models"];
        document_.DeleteNode(keyframe);
      }
    }
  }

  tinyxml2::XMLDocument& document_;
  XMLElement& top_;
  fs::path file_;
  MjcfOrigins& origins_;
  MjcfRemarks& remarks_;
  int& made_;
  std::vector<fs::path> within_;  ///< the files that this one is attached to, and itself
  MjcfAngles angles_;
  std::map<std::string, Submodel, std::less<>> submodels_;
  std::vector<XMLElement*> keyframes_;
};

}  // namespace

Expected<void> expand_mjcf(tinyxml2::XMLDocument& document, const fs::path& file, MjcfOrigins& origins,
                           MjcfRemarks& remarks) {
  int made = 0;
  std::error_code error;
  return Expansion(document, file, origins, remarks, made, {fs::weakly_canonical(file, error)}).run();
}

}  // namespace ricochet
