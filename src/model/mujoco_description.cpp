#include "mujoco_description.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "ricochet/base/counted.hpp"

namespace ricochet {

std::string name_of(const mjModel* m, int kind, std::string_view word, int id) {
  const char* name = mj_id2name(m, kind, id);
  return name != nullptr && *name != '\0' ? std::string(name) : fmt::format("{}{}", word, id);
}

std::string body_name(const mjModel* m, int body) {
  return body == 0 ? std::string("world") : name_of(m, mjOBJ_BODY, "body", body);
}

std::string geom_name(const mjModel* m, int geom) {
  const char* name = mj_id2name(m, mjOBJ_GEOM, geom);
  return name != nullptr && *name != '\0' ? std::string(name) : body_name(m, m->geom_bodyid[geom]);
}

std::string_view shape_name(int type) {
  switch (type) {
    case mjGEOM_PLANE: return "plane";
    case mjGEOM_HFIELD: return "height field";
    case mjGEOM_SPHERE: return "sphere";
    case mjGEOM_CAPSULE: return "capsule";
    case mjGEOM_ELLIPSOID: return "ellipsoid";
    case mjGEOM_CYLINDER: return "cylinder";
    case mjGEOM_BOX: return "box";
    case mjGEOM_MESH: return "mesh";
    default: return "shape";
  }
}

JointType joint_type(int type) {
  switch (type) {
    case mjJNT_FREE: return JointType::free;
    case mjJNT_BALL: return JointType::ball;
    case mjJNT_SLIDE: return JointType::prismatic;
    default: return JointType::revolute;
  }
}

namespace {

std::string_view joint_name(int type) {
  switch (type) {
    case mjJNT_FREE: return "free";
    case mjJNT_BALL: return "ball";
    case mjJNT_SLIDE: return "slide";
    default: return "hinge";
  }
}

std::string_view loop_kind(int type) {
  switch (type) {
    case mjEQ_CONNECT: return "connect";
    case mjEQ_WELD: return "weld";
    case mjEQ_JOINT: return "joint";
    case mjEQ_TENDON: return "tendon";
    default: return "distance";
  }
}

bool any(const mjtNum* values, int count) {
  return std::any_of(values, values + count, [](mjtNum x) { return x != 0; });
}

void add_dynamics(const mjModel* m, RobotDescription& out) {
  if (any(m->dof_armature, m->nv)) out.honoured.emplace_back("armature (inertia of rotors)");
  int loops = 0;
  for (int i = 0; i < m->neq; ++i) loops += m->eq_active[i] != 0 ? 1 : 0;
  if (loops > 0)
    out.honoured.push_back(counted(static_cast<std::size_t>(loops), "equality constraint") + " (closed loops)");
  if (std::any_of(m->jnt_limited, m->jnt_limited + m->njnt, [](mjtByte x) { return x != 0; }))
    out.ignored.emplace_back("joint limits");
  if (std::any_of(m->tendon_limited, m->tendon_limited + m->ntendon, [](mjtByte x) { return x != 0; }))
    out.ignored.emplace_back("tendon limits");
  if (any(m->dof_frictionloss, m->nv)) out.ignored.emplace_back("dry friction of joints");
  if (any(m->dof_damping, m->nv)) out.ignored.emplace_back("damping of joints");
  if (any(m->jnt_stiffness, m->njnt)) out.ignored.emplace_back("springs of joints");
}

}  // namespace

RobotDescription describe(const mjModel* m) {
  RobotDescription out;
  for (int b = 1; b < m->nbody; ++b)
    out.bodies.push_back(
        {.name = body_name(m, b), .parent = body_name(m, m->body_parentid[b]), .mass = m->body_mass[b]});
  for (int j = 0; j < m->njnt; ++j) {
    const JointType type = joint_type(m->jnt_type[j]);
    RobotDescription::Joint joint{.name = name_of(m, mjOBJ_JOINT, "joint", j),
                                  .type = std::string(joint_name(m->jnt_type[j])),
                                  .body = body_name(m, m->jnt_bodyid[j]),
                                  .position = m->jnt_qposadr[j],
                                  .positions = position_count(type),
                                  .speed = m->jnt_dofadr[j],
                                  .speeds = speed_count(type),
                                  .range = {}};
    if (m->jnt_limited[j] != 0) joint.range = std::pair(m->jnt_range[2 * j], m->jnt_range[2 * j + 1]);
    out.joints.push_back(std::move(joint));
  }
  for (int g = 0; g < m->ngeom; ++g) {
    const char* name = mj_id2name(m, mjOBJ_GEOM, g);
    out.shapes.push_back({.name = name != nullptr ? name : "",
                          .body = body_name(m, m->geom_bodyid[g]),
                          .kind = std::string(shape_name(m->geom_type[g])),
                          .collides = m->geom_contype[g] != 0 || m->geom_conaffinity[g] != 0});
  }
  for (int i = 0; i < m->neq; ++i)
    if (m->eq_active[i] != 0)
      out.loops.push_back(
          {.name = name_of(m, mjOBJ_EQUALITY, "equality", i), .kind = std::string(loop_kind(m->eq_type[i]))});
  for (int k = 0; k < m->nkey; ++k) out.keyframes.push_back(name_of(m, mjOBJ_KEY, "", k));
  add_dynamics(m, out);
  return out;
}

std::vector<FloatingRoot> floating_roots(const mjModel* m) {
  const Vec3 gravity(m->opt.gravity[0], m->opt.gravity[1], m->opt.gravity[2]);
  const Vec3 down = gravity.norm() > 0 ? Vec3(gravity.normalized()) : Vec3(-Vec3::UnitZ());
  std::vector<FloatingRoot> out;
  for (int j = 0; j < m->njnt; ++j) {
    const int body = m->jnt_bodyid[j];
    FloatingRoot root{.name = name_of(m, mjOBJ_JOINT, "joint", j),
                      .position = m->jnt_qposadr[j],
                      .speed = m->jnt_dofadr[j],
                      .free = m->jnt_type[j] == mjJNT_FREE};
    if (!root.free) {
      // A slide of a root: nothing but fixed bodies carries it, and no joint of its body that turns comes before it.
      if (m->jnt_type[j] != mjJNT_SLIDE || m->body_weldid[m->body_parentid[body]] != 0) continue;
      bool turned = false;
      for (int k = m->body_jntadr[body]; k < j; ++k) turned = turned || m->jnt_type[k] != mjJNT_SLIDE;
      if (turned) continue;
      Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
      for (int b = body; b > 0; b = m->body_parentid[b]) {
        const mjtNum* q = m->body_quat + 4 * b;
        rotation = Eigen::Quaterniond(q[0], q[1], q[2], q[3]) * rotation;
      }
      root.axis = rotation * Vec3(m->jnt_axis[3 * j], m->jnt_axis[3 * j + 1], m->jnt_axis[3 * j + 2]);
      if (std::abs(root.axis.dot(down)) < 1 - 1e-6) continue;
    }
    out.push_back(std::move(root));
  }
  return out;
}

}  // namespace ricochet
