#include "ricochet/model/urdf_model.hpp"

#include <console_bridge/console.h>
#include <fmt/format.h>
#include <urdf_parser/urdf_parser.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "mesh_file.hpp"
#include "ricochet/base/counted.hpp"
#include "ricochet/geometry/convex_hull.hpp"
#include "urdf_source.hpp"

namespace ricochet {
namespace {

namespace fs = std::filesystem;

Vec3 vec3(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Mat3 turn(const urdf::Rotation& r) { return Eigen::Quaterniond(r.w, r.x, r.y, r.z).normalized().toRotationMatrix(); }

/// What urdfdom says goes here instead of to the terminal.
class Words : public console_bridge::OutputHandler {
 public:
  Words() { console_bridge::useOutputHandler(this); }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  ~Words() override { console_bridge::restorePreviousOutputHandler(); }

  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level == console_bridge::CONSOLE_BRIDGE_LOG_ERROR) last_ = text;
  }
  [[nodiscard]] const std::string& last() const { return last_; }

 private:
  std::string last_;
};

/// Where a mesh of a URDF file is.
class MeshPlaces {
 public:
  MeshPlaces(const std::string& file, const UrdfOptions& options)
      : folder_(fs::path(file).parent_path()), options_(options) {}

  [[nodiscard]] Expected<std::string> find(const std::string& name) const {
    std::string rest = name;
    for (const std::string_view scheme : {"package://", "model://"}) {
      if (!name.starts_with(scheme)) continue;
      rest = name.substr(std::min(name.find_first_not_of('/', scheme.size()), name.size()));
      const std::size_t slash = std::min(rest.find('/'), rest.size());
      return in_package(name, rest.substr(0, slash), rest.substr(std::min(slash + 1, rest.size())));
    }
    if (name.starts_with("file://")) rest = name.substr(7);
    const fs::path path = fs::path(rest).is_absolute() ? fs::path(rest) : folder_ / rest;
    if (there(path)) return path.string();
    return fail(ErrorCode::file_access, "mesh", name,
                fmt::format("is not there; it is looked for at {}", path.string()));
  }

 private:
  static bool there(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error);
  }

  static std::vector<std::string> folders_of(const char* variable) {
    std::vector<std::string> out;
    const char* value = std::getenv(variable);
    std::string_view list = value == nullptr ? "" : value;
    while (!list.empty()) {
      const std::size_t colon = std::min(list.find(':'), list.size());
      if (colon > 0) out.emplace_back(list.substr(0, colon));
      list.remove_prefix(std::min(colon + 1, list.size()));
    }
    return out;
  }

  /// Given folders, then ROS's own, then the folders above the file.
  [[nodiscard]] Expected<std::string> in_package(const std::string& name, const std::string& package,
                                                 const std::string& rest) const {
    std::vector<fs::path> candidates;
    if (const auto given = options_.packages.find(package); given != options_.packages.end())
      candidates.push_back(fs::path(given->second) / rest);
    for (const std::string& folder : folders_of("ROS_PACKAGE_PATH")) {
      candidates.push_back(fs::path(folder) / package / rest);
      if (fs::path(folder).filename() == package) candidates.push_back(fs::path(folder) / rest);
    }
    for (const std::string& folder : folders_of("AMENT_PREFIX_PATH"))
      candidates.push_back(fs::path(folder) / "share" / package / rest);
    std::error_code error;
    for (fs::path above = fs::absolute(folder_.empty() ? fs::path(".") : folder_, error).lexically_normal();;
         above = above.parent_path()) {
      if (above.filename() == package) candidates.push_back(above / rest);
      candidates.push_back(above / package / rest);
      // A package that was cloned under another name has its folders all the same.
      candidates.push_back(above / rest);
      if (above == above.root_path() || above.empty()) break;
    }
    for (const fs::path& path : candidates)
      if (there(path)) return path.string();
    return fail(
        ErrorCode::file_access, "mesh", name,
        fmt::format("is not there: the package {} is neither in ROS_PACKAGE_PATH nor in a folder above the file; "
                    "--package {}=FOLDER says where it is",
                    package, package));
  }

  fs::path folder_;
  const UrdfOptions& options_;
};

class Reading {
 public:
  Reading(const std::string& file, const UrdfOptions& options) : places_(file, options), options_(options) {}

  Expected<UrdfModel> run(const UrdfSource& source) {
    urdf::ModelInterfaceSharedPtr robot;
    std::string why;
    {
      const Words words;
      robot = urdf::parseURDF(source.xml);
      why = words.last();
    }
    if (!robot || !robot->getRoot())
      return fail(ErrorCode::malformed, "model", "",
                  why.empty() ? "is not URDF that urdfdom reads" : "urdfdom says: " + why);
    out_.description.format = "URDF";
    out_.description.left_out = source.left_out;
    const urdf::Link& root = *robot->getRoot();
    const bool floats = is_free(root);
    if (const auto fine = add_link(root, -1, floats ? JointType::free : JointType::fixed, nullptr); !fine)
      return tl::unexpected(fine.error());
    if (out_.joints.empty())
      return fail(ErrorCode::invalid, "model", "",
                  "must have at least one joint that moves, or a root that floats (--base free)");
    for (const auto& [name, joint] : robot->joints_)
      if (joint->mimic)
        if (const auto fine = add_mimic(*joint); !fine) return tl::unexpected(fine.error());
    describe(floats);
    return std::move(out_);
  }

 private:
  /// A root floats unless it is the world, or it and what is fixed to it have no mass.
  [[nodiscard]] bool is_free(const urdf::Link& root) const {
    if (options_.base != UrdfBase::by_rule) return options_.base == UrdfBase::free;
    return root.name != "world" && mass_of_piece(root) > 0;
  }

  static double mass_of_piece(const urdf::Link& link) {
    double mass = link.inertial ? link.inertial->mass : 0;
    for (const auto& joint : link.child_joints)
      if (joint->type == urdf::Joint::FIXED)
        for (const auto& child : link.child_links)
          if (child->name == joint->child_link_name) mass += mass_of_piece(*child);
    return mass;
  }

  static Link placed(const urdf::Joint* joint, int parent) {
    Link link;
    link.parent = parent;
    if (joint == nullptr) return link;
    link.position = vec3(joint->parent_to_joint_origin_transform.position);
    link.rotation = turn(joint->parent_to_joint_origin_transform.rotation);
    return link;
  }

  /// The link and all below it.
  Expected<void> add_link(const urdf::Link& from, int parent, JointType type, const urdf::Joint* joint) {
    Link link = placed(joint, parent);
    const int position = out_.tree.position_count();
    const int speed = out_.tree.speed_count();
    const bool planar = joint != nullptr && joint->type == urdf::Joint::PLANAR && type != JointType::fixed;
    const Link drawn = link;
    if (type == JointType::free) {  // measured from the parent, independent of where the file draws it
      link.position.setZero();
      link.rotation.setIdentity();
    }
    if (type == JointType::revolute || type == JointType::prismatic) {
      link.axis = vec3(joint->axis);
      if (!(link.axis.norm() > 0)) return fail(ErrorCode::invalid, "axis", joint->name, "must not be zero");
    }
    if (planar) {
      // In the plane across its axis: two ways, and a turn about the axis.
      const Vec3 n = link.axis.normalized();
      for (const Vec3& way : {n.unitOrthogonal(), Vec3(n.cross(n.unitOrthogonal()))}) {
        Link slide = link;
        slide.name = joint->name;
        slide.joint = JointType::prismatic;
        slide.axis = way;
        slide.parent = link.parent;
        out_.tree.links.push_back(slide);
        out_.rigid.push_back(static_cast<int>(out_.tree.links.size()) - 1);
        link = Link{};
        link.axis = n;
        link.parent = static_cast<int>(out_.tree.links.size()) - 1;
      }
    }
    link.joint = type;
    link.name = from.name;
    if (const auto fine = add_inertia(from, link); !fine) return fine;
    out_.tree.links.push_back(link);
    const int index = static_cast<int>(out_.tree.links.size()) - 1;
    if (type == JointType::fixed && parent >= 0) join_to_piece(static_cast<std::size_t>(index));
    const int above = out_.tree.links.back().parent;
    out_.rigid.push_back(type != JointType::fixed ? index
                         : above < 0              ? -1
                                                  : out_.rigid[static_cast<std::size_t>(above)]);
    if (type != JointType::fixed) {
      UrdfJoint moving{.name = joint == nullptr ? from.name : joint->name,
                       .type = type,
                       .link = index,
                       .position = position,
                       .positions = out_.tree.position_count() - position,
                       .speed = speed,
                       .speeds = out_.tree.speed_count() - speed};
      if (type == JointType::free) {
        moving.origin = drawn.position;
        moving.attitude = Eigen::Quaterniond(drawn.rotation);
      }
      out_.joints.push_back(moving);
      add_to_description(moving, joint, planar, from.name);
    }
    out_.description.bodies.push_back(
        {.name = from.name,
         .parent = parent < 0 ? "world" : out_.tree.links[static_cast<std::size_t>(parent)].name,
         .mass = from.inertial ? from.inertial->mass : 0});
    if (const auto fine = add_shapes(from, index); !fine) return fine;
    for (const auto& child_joint : from.child_joints)
      for (const auto& child : from.child_links)
        if (child->name == child_joint->child_link_name)
          if (const auto fine = add_child(*child, index, *child_joint); !fine) return fine;
    return {};
  }

  /// A joint that moves nothing with mass has no equation of motion: it is held.
  Expected<void> add_child(const urdf::Link& child, int parent, const urdf::Joint& joint) {
    const JointType type = type_of(joint);
    if (type == JointType::fixed || has_inertia(child)) return add_link(child, parent, type, &joint);
    held_.push_back(joint.name);
    return add_link(child, parent, JointType::fixed, &joint);
  }

  static JointType type_of(const urdf::Joint& joint) {
    switch (joint.type) {
      case urdf::Joint::PRISMATIC: return JointType::prismatic;
      case urdf::Joint::FLOATING: return JointType::free;
      case urdf::Joint::FIXED: return JointType::fixed;
      default: return JointType::revolute;
    }
  }

  static Expected<void> add_inertia(const urdf::Link& from, Link& link) {
    if (!from.inertial) return {};
    const urdf::Inertial& i = *from.inertial;
    const Mat3 axes = turn(i.origin.rotation);
    Mat3 inertia;
    inertia << i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz;
    link.mass = i.mass;
    link.centre = vec3(i.origin.position);
    link.inertia = axes * inertia * axes.transpose();
    link.inertia = Mat3(0.5 * (link.inertia + link.inertia.transpose()));
    // What files hold for zero.
    if (link.inertia.cwiseAbs().maxCoeff() < 1e-15) link.inertia.setZero();
    if (!(link.mass >= 0) || !link.inertia.allFinite() || !link.centre.allFinite())
      return fail(ErrorCode::invalid, "inertial", from.name,
                  "must have a mass that is not negative, and finite numbers");
    return {};
  }

  /// What is fixed to a link is one body with it: the sum is a body's even where a part, by itself, is none.
  static void join(Link& whole, const Link& part) {
    const Vec3 centre = part.position + part.rotation * part.centre;
    const double mass = whole.mass + part.mass;
    if (!(mass > 0)) {
      whole.inertia += part.rotation * part.inertia * part.rotation.transpose();
      return;
    }
    const Vec3 middle = (whole.mass * whole.centre + part.mass * centre) / mass;
    const auto about = [&](double m, const Vec3& c, const Mat3& I) {
      const Vec3 r = c - middle;
      return Mat3(I + m * (r.squaredNorm() * Mat3::Identity() - r * r.transpose()));
    };
    whole.inertia = about(whole.mass, whole.centre, whole.inertia) +
                    about(part.mass, centre, part.rotation * part.inertia * part.rotation.transpose());
    whole.inertia = Mat3(0.5 * (whole.inertia + whole.inertia.transpose()));
    whole.mass = mass;
    whole.centre = middle;
  }

  /// Gives what a fixed link has to the first link of its piece.
  void join_to_piece(std::size_t index) {
    Link part = out_.tree.links[index];
    while (part.parent >= 0) {
      const Link& above = out_.tree.links[static_cast<std::size_t>(part.parent)];
      if (above.joint != JointType::fixed || above.parent < 0) break;
      part.position = above.position + above.rotation * part.position;
      part.rotation = above.rotation * part.rotation;
      part.parent = above.parent;
    }
    if (part.parent < 0) return;
    join(out_.tree.links[static_cast<std::size_t>(part.parent)], part);
    Link& own = out_.tree.links[index];
    own.mass = 0;
    own.centre.setZero();
    own.inertia.setZero();
  }

  static bool has_inertia(const urdf::Link& link) {
    if (link.inertial &&
        (link.inertial->mass > 0 ||
         std::abs(link.inertial->ixx) + std::abs(link.inertial->iyy) + std::abs(link.inertial->izz) > 1e-15))
      return true;
    return std::any_of(link.child_links.begin(), link.child_links.end(),
                       [](const auto& child) { return has_inertia(*child); });
  }

  Expected<void> add_shapes(const urdf::Link& from, int index) {
    for (const auto& collision : from.collision_array) {
      if (!collision || !collision->geometry) continue;
      auto shape = shape_of(*collision->geometry);
      if (!shape) return tl::unexpected(shape.error());
      shape->position = vec3(collision->origin.position);
      shape->rotation = turn(collision->origin.rotation);
      const std::string name = collision->name.empty() ? from.name : collision->name;
      out_.description.shapes.push_back({.name = name, .body = from.name, .kind = kind_, .collides = true});
      out_.shapes.push_back({.name = name, .link = index, .shape = *std::move(shape)});
    }
    return {};
  }

  Expected<ConvexShape> shape_of(const urdf::Geometry& geometry) {
    using Core = ConvexShape::Core;
    ConvexShape out;
    switch (geometry.type) {
      case urdf::Geometry::SPHERE:
        kind_ = "sphere";
        out.margin = dynamic_cast<const urdf::Sphere&>(geometry).radius;
        break;
      case urdf::Geometry::BOX:
        kind_ = "box";
        out.core = Core::box;
        out.size = 0.5 * vec3(dynamic_cast<const urdf::Box&>(geometry).dim);
        break;
      case urdf::Geometry::CYLINDER: {
        kind_ = "cylinder";
        const auto& cylinder = dynamic_cast<const urdf::Cylinder&>(geometry);
        out.core = Core::cylinder;
        out.size = {cylinder.radius, cylinder.radius, 0.5 * cylinder.length};
        break;
      }
      case urdf::Geometry::MESH: {
        kind_ = "mesh";
        const auto& mesh = dynamic_cast<const urdf::Mesh&>(geometry);
        auto hull = hull_of(mesh.filename, vec3(mesh.scale));
        if (!hull) return tl::unexpected(hull.error());
        out.core = Core::hull;
        out.hull = *std::move(hull);
        break;
      }
    }
    if (kind_ != "mesh" && !((kind_ == "sphere" ? out.margin : out.size.minCoeff()) > 0))
      return fail(ErrorCode::out_of_range, "geometry", kind_, "must have positive sizes");
    return out;
  }

  /// Of the mesh, once for each file and scale.
  Expected<std::shared_ptr<const Hull>> hull_of(const std::string& name, const Vec3& scale) {
    const std::string key = fmt::format("{} {} {} {}", name, scale.x(), scale.y(), scale.z());
    if (const auto known = hulls_.find(key); known != hulls_.end()) return known->second;
    const auto file = places_.find(name);
    if (!file) return tl::unexpected(file.error());
    auto points = read_mesh(*file);
    if (!points) return tl::unexpected(points.error());
    for (Vec3& p : *points) p = p.cwiseProduct(scale);
    auto hull = convex_hull(*points);
    if (!hull) return fail(ErrorCode::invalid, "mesh", name, hull.error().allowed);
    return hulls_[key] = std::make_shared<const Hull>(*std::move(hull));
  }

  Expected<void> add_mimic(const urdf::Joint& joint) {
    const auto find = [&](const std::string& name) -> const UrdfJoint* {
      const auto at =
          std::find_if(out_.joints.begin(), out_.joints.end(), [&](const UrdfJoint& j) { return j.name == name; });
      return at == out_.joints.end() || at->speeds != 1 ? nullptr : &*at;
    };
    if (std::find(held_.begin(), held_.end(), joint.name) != held_.end()) return {};
    const UrdfJoint* own = find(joint.name);
    const UrdfJoint* of = find(joint.mimic->joint_name);
    if (own == nullptr) return {};  // fixed, whatever it follows
    out_.mimics.push_back({.position = own->position,
                           .speed = own->speed,
                           .position_of = of == nullptr ? -1 : of->position,
                           .speed_of = of == nullptr ? -1 : of->speed,
                           .multiplier = joint.mimic->multiplier,
                           .offset = joint.mimic->offset});
    return {};
  }

  void add_to_description(const UrdfJoint& moving, const urdf::Joint* joint, bool planar, const std::string& body) {
    RobotDescription::Joint out{.name = moving.name,
                                .type = planar ? "planar" : "floating",
                                .body = body,
                                .position = moving.position,
                                .positions = moving.positions,
                                .speed = moving.speed,
                                .speeds = moving.speeds,
                                .range = {}};
    if (joint != nullptr) {
      if (joint->type == urdf::Joint::REVOLUTE) out.type = "revolute";
      if (joint->type == urdf::Joint::CONTINUOUS) out.type = "continuous";
      if (joint->type == urdf::Joint::PRISMATIC) out.type = "prismatic";
      if (joint->limits && joint->type != urdf::Joint::CONTINUOUS) {
        out.range = std::pair(joint->limits->lower, joint->limits->upper);
        limits_ = true;
      }
      if (joint->dynamics) {
        damping_ = damping_ || joint->dynamics->damping != 0;
        dampers_.emplace_back(moving.speed, joint->dynamics->damping);
        friction_ = friction_ || joint->dynamics->friction != 0;
        frictions_.emplace_back(moving.speed, joint->dynamics->friction);
      }
    }
    out_.description.joints.push_back(std::move(out));
  }

  void describe(bool floats) {
    out_.damping = VecX::Zero(out_.tree.speed_count());
    for (const auto& [speed, damping] : dampers_) out_.damping(speed) = damping;
    out_.dry_friction = VecX::Zero(out_.tree.speed_count());
    for (const auto& [speed, friction] : frictions_) out_.dry_friction(speed) = std::abs(friction);
    RobotDescription& d = out_.description;
    if (!out_.mimics.empty()) d.honoured.push_back(counted(out_.mimics.size(), "mimic joint"));
    for (const UrdfMimic& mimic : out_.mimics)
      for (const UrdfJoint& joint : out_.joints)
        if (joint.speed == mimic.speed) d.loops.push_back({.name = joint.name, .kind = "mimic"});
    const bool free = std::any_of(out_.joints.begin(), out_.joints.end(),
                                  [](const UrdfJoint& j) { return j.type == JointType::free; });
    if (floats || !free) d.honoured.emplace_back(floats ? "a floating root" : "a root that is fixed to the world");
    if (!held_.empty())
      d.left_out.push_back(fmt::format("motion of joints that carry no mass ({})", fmt::join(held_, ", ")));
    if (limits_) d.ignored.emplace_back("joint limits");
    if (damping_) d.ignored.emplace_back("damping of joints");
    if (friction_) d.ignored.emplace_back("dry friction of joints");
  }

  MeshPlaces places_;
  const UrdfOptions& options_;
  UrdfModel out_;
  std::map<std::string, std::shared_ptr<const Hull>> hulls_;
  std::string kind_;
  std::vector<std::string> held_;
  std::vector<std::pair<int, double>> dampers_;    ///< speed and damping
  std::vector<std::pair<int, double>> frictions_;  ///< speed and dry friction
  bool limits_ = false, damping_ = false, friction_ = false;
};

}  // namespace

VecX UrdfModel::reference() const {
  VecX q = VecX::Zero(tree.position_count());
  for (const UrdfJoint& joint : joints)
    if (joint.type == JointType::free) {
      q.segment<3>(joint.position) = joint.origin;
      const Eigen::Quaterniond& a = joint.attitude;
      q.segment<4>(joint.position + 3) << a.w(), a.x(), a.y(), a.z();
    }
  return follow(std::move(q));
}

VecX UrdfModel::follow(VecX q) const {
  // A mimic may follow another: as often as there are mimics is enough.
  for (std::size_t i = 0; i < mimics.size(); ++i)
    for (const UrdfMimic& m : mimics)
      q(m.position) = (m.position_of < 0 ? 0 : m.multiplier * q(m.position_of)) + m.offset;
  return q;
}

VecX UrdfModel::follow_speeds(VecX u) const {
  for (std::size_t i = 0; i < mimics.size(); ++i)
    for (const UrdfMimic& m : mimics) u(m.speed) = m.speed_of < 0 ? 0 : m.multiplier * u(m.speed_of);
  return u;
}

MatX UrdfModel::constraints() const {
  MatX G = MatX::Zero(static_cast<Eigen::Index>(mimics.size()), tree.speed_count());
  for (std::size_t i = 0; i < mimics.size(); ++i) {
    G(static_cast<Eigen::Index>(i), mimics[i].speed) = 1;
    if (mimics[i].speed_of >= 0) G(static_cast<Eigen::Index>(i), mimics[i].speed_of) -= mimics[i].multiplier;
  }
  return G;
}

bool UrdfModel::may_collide(std::size_t shape_a, std::size_t shape_b) const {
  const auto piece = [&](std::size_t s) { return rigid[static_cast<std::size_t>(shapes[s].link)]; };
  const int a = piece(shape_a);
  const int b = piece(shape_b);
  if (a == b) return false;
  const auto above = [&](int p) {
    // A floating joint holds nothing: what it connects collides.
    if (p < 0 || tree.links[static_cast<std::size_t>(p)].joint == JointType::free) return -2;
    int parent = tree.links[static_cast<std::size_t>(p)].parent;
    // The links between the two of a planar joint belong to no piece.
    while (parent >= 0 && tree.links[static_cast<std::size_t>(parent)].mass == 0 &&
           tree.links[static_cast<std::size_t>(parent)].joint == JointType::prismatic &&
           rigid[static_cast<std::size_t>(parent)] == parent)
      parent = tree.links[static_cast<std::size_t>(parent)].parent;
    return parent < 0 ? -1 : rigid[static_cast<std::size_t>(parent)];
  };
  return above(a) != b && above(b) != a;
}

Expected<UrdfModel> read_urdf(std::string_view text, const std::string& file, const UrdfOptions& options) {
  const auto source = prepare_urdf(text);
  if (!source) return tl::unexpected(source.error());
  return Reading(file, options).run(*source);
}

}  // namespace ricochet
