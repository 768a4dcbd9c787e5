#include "ricochet/model/urdf_model.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "mechanism/random_tree.hpp"
#include "ricochet/geometry/convex_hull.hpp"
#include "ricochet/model/mujoco_model.hpp"

namespace ricochet {
namespace {

namespace fs = std::filesystem;
using testing::random_vector;
using testing::Rng;
using testing::uniform;

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

constexpr std::string_view inertial =
    "<inertial><origin xyz='.1 0 .05' rpy='.1 .2 .3'/><mass value='2'/><inertia ixx='.3' iyy='.4' izz='.5' ixy='.01' "
    "ixz='.02' iyz='-.03'/></inertial>";

std::string link(const std::string& name, const std::string& inside = "") {
  return "<link name='" + name + "'>" + inside + "</link>";
}
std::string with_mass(const std::string& name, const std::string& inside = "") {
  return link(name, std::string(inertial) + inside);
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& inside = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child +
         "'/><origin xyz='.1 .2 .3' rpy='.3 -.2 .5'/><axis xyz='0 .6 .8'/><limit lower='-1' upper='1' effort='1' "
         "velocity='1'/>" +
         inside + "</joint>";
}
std::string robot(const std::string& inside) { return "<robot name='r'>" + inside + "</robot>"; }

std::string refusal(const std::string& xml, const std::string& file = "") {
  const auto model = read_urdf(xml, file);
  return model ? "accepted" : model.error().message();
}
bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

MatX mass_at(const UrdfModel& model, const VecX& q) {
  return mass_matrix(model.tree, forward_kinematics(model.tree, q).value());
}

TEST(Urdf, MassMatrixOfTheQuadruped_IsThatOfMujoco) {
  const std::string file = MODELS_DIR "/quadruped.urdf";
  const auto model = read_urdf(text_of(file), file);
  ASSERT_TRUE(model) << model.error().message();
  const MujocoModel other = MujocoModel::load(file).value();
  ASSERT_EQ(model->tree.speed_count(), other.speed_count());
  EXPECT_LT((model->reference() - other.reference()).norm(), 1e-12);
  Rng rng(3);
  for (int k = 0; k < 20; ++k) {
    VecX q = model->reference();
    for (const UrdfJoint& j : model->joints) {
      if (j.type == JointType::free) {
        q.segment<3>(j.position) += random_vector(rng, 1);
        q.segment<4>(j.position + 3) =
            Eigen::Vector4d(uniform(rng, 0.2, 1), uniform(rng, -1, 1), uniform(rng, -1, 1), 0.1).normalized();
      } else {
        EXPECT_EQ(other.joint(j.name)->position, j.position);
        q(j.position) = uniform(rng, -1, 1);
      }
    }
    const MatX M = mass_at(*model, q);
    const MatX theirs = other.at(q, VecX::Zero(other.speed_count())).value().mass_matrix();
    EXPECT_LT((M - theirs).norm(), 1e-12 * theirs.norm());
  }
}

TEST(Urdf, JointsOfEveryType) {
  const auto model = read_urdf(
      robot(with_mass("base") + with_mass("a") + with_mass("b") + with_mass("c") + with_mass("d") + with_mass("e") +
            with_mass("f") + joint("turns", "revolute", "base", "a") + joint("spins", "continuous", "a", "b") +
            joint("slides", "prismatic", "b", "c") + joint("flies", "floating", "c", "d") +
            joint("skates", "planar", "d", "e") + joint("holds", "fixed", "e", "f")),
      "");
  ASSERT_TRUE(model) << model.error().message();
  std::vector<std::string> names;
  for (const UrdfJoint& j : model->joints)
    names.push_back(j.name + " " + std::to_string(j.positions) + " " + std::to_string(j.speeds));
  EXPECT_EQ(names,
            (std::vector<std::string>{"base 7 6", "turns 1 1", "spins 1 1", "slides 1 1", "flies 7 6", "skates 3 3"}));
  const VecX q = model->reference();
  const Kinematics at = forward_kinematics(model->tree, q).value();
  // The total mass, and every link where the file draws it: a chain of equal placements.
  EXPECT_NEAR(mass_matrix(model->tree, at)(0, 0), 14, 1e-12);
  Eigen::Isometry3d expected = Eigen::Isometry3d::Identity();
  const Eigen::Isometry3d step = Eigen::Translation3d(0.1, 0.2, 0.3) * Eigen::AngleAxisd(0.5, Vec3::UnitZ()) *
                                 Eigen::AngleAxisd(-0.2, Vec3::UnitY()) * Eigen::AngleAxisd(0.3, Vec3::UnitX());
  for (const std::string name : {"base", "a", "b", "c", "d", "e", "f"}) {
    bool found = false;
    for (std::size_t i = 0; i < model->tree.links.size(); ++i) {
      if (model->tree.links[i].name != name) continue;
      found = true;
      EXPECT_LT((at.places[i].origin - expected.translation()).norm(), 1e-12) << name;
      EXPECT_LT((at.places[i].R - expected.linear()).norm(), 1e-12) << name;
    }
    EXPECT_TRUE(found) << name;
    expected = expected * step;
  }
  // A planar joint moves across its axis and turns about it.
  const UrdfJoint& planar = model->joints.back();
  const int e = planar.link;
  const auto i = static_cast<std::size_t>(e);
  const Vec3 axis = at.places[i].R * Vec3(0, 0.6, 0.8);
  const MatX J = point_jacobian(model->tree, at, e, at.places[i].origin);
  EXPECT_LT((axis.transpose() * J.middleCols(planar.speed, 2)).norm(), 1e-12);
  EXPECT_LT(J.col(planar.speed + 2).norm(), 1e-12);
  EXPECT_LT((J.middleCols(planar.speed, 2).transpose() * J.middleCols(planar.speed, 2) - Mat2::Identity()).norm(),
            1e-12);
}

TEST(Urdf, MimicFollows_AndJointsWithoutMassAreHeld) {
  const auto model = read_urdf(
      robot(with_mass("base") + with_mass("a") + with_mass("b") + link("c") + joint("leads", "revolute", "base", "a") +
            joint("follows", "revolute", "a", "b", "<mimic joint='leads' multiplier='-2' offset='.25'/>") +
            joint("idle", "revolute", "b", "c")),
      "");
  ASSERT_TRUE(model) << model.error().message();
  ASSERT_EQ(model->joints.size(), 3U);  // the root, leads, follows
  ASSERT_EQ(model->mimics.size(), 1U);
  const VecX q = model->reference();
  EXPECT_EQ(q(model->joints[2].position), 0.25);
  const MatX G = model->constraints();
  VecX u = VecX::Zero(8);
  u(6) = 1;
  u(7) = -2;
  EXPECT_EQ((G * u).norm(), 0);
  EXPECT_TRUE(contains(model->description.left_out.back(), "idle"));
}

TEST(Urdf, FixedLinks_AreOneBody) {
  // Whole, and cut in two: the same mass matrix.
  const std::string half =
      "<inertial><origin xyz='0 0 %'/><mass value='1'/><inertia ixx='.1' iyy='.2' izz='.05' ixy='0' "
      "ixz='0' iyz='0'/></inertial>";
  const auto at = [&](const std::string& z) {
    std::string out = half;
    return out.replace(out.find('%'), 1, z);
  };
  const std::string whole =
      "<inertial><origin xyz='0 0 .25'/><mass value='2'/><inertia ixx='.325' iyy='.525' izz='.1' "
      "ixy='0' ixz='0' iyz='0'/></inertial>";
  const auto one = read_urdf(robot(link("base", whole)), "").value();
  const auto two = read_urdf(robot(link("base", at("0")) + link("upper", at("0")) +
                                   "<joint name='j' type='fixed'><parent link='base'/><child link='upper'/>"
                                   "<origin xyz='0 0 .5'/></joint>"),
                             "")
                       .value();
  EXPECT_EQ(two.tree.speed_count(), 6);
  EXPECT_LT((mass_at(one, one.reference()) - mass_at(two, two.reference())).norm(), 1e-12);
}

TEST(Urdf, RootIsFreeByTheRule_OrAsTold) {
  const std::string arm = joint("j", "revolute", "base", "a");
  const auto dof = [](const std::string& xml, UrdfBase base = UrdfBase::by_rule) {
    return read_urdf(xml, "", {.packages = {}, .base = base}).value().tree.speed_count();
  };
  EXPECT_EQ(dof(robot(with_mass("base") + with_mass("a") + arm)), 7);
  EXPECT_EQ(dof(robot(link("base") + with_mass("a") + arm)), 1);
  EXPECT_EQ(dof(robot(with_mass("base") + with_mass("a") + arm), UrdfBase::fixed), 1);
  EXPECT_EQ(dof(robot(link("world") + with_mass("base") + with_mass("a") + joint("w", "fixed", "world", "base") + arm)),
            1);
  EXPECT_EQ(dof(robot(link("frame") + with_mass("base") + with_mass("a") + joint("w", "fixed", "frame", "base") + arm)),
            7);
}

// A joint that leaves all six motions free holds nothing together: a robot does not fall through the floor of its own
// file. Others keep what they connect from colliding, for they overlap there.
TEST(Urdf, FloatingJoint_LetsWhatItConnectsCollide) {
  const std::string ball = "<collision><geometry><sphere radius='.1'/></geometry></collision>";
  for (const std::string type : {"floating", "revolute", "planar"}) {
    const auto model =
        read_urdf(robot(link("world", ball) + with_mass("trunk", ball) + with_mass("leg", ball) +
                        joint("root", type, "world", "trunk") + joint("hip", "revolute", "trunk", "leg")),
                  "")
            .value();
    ASSERT_EQ(model.shapes.size(), 3U);
    EXPECT_EQ(model.may_collide(0, 1), type == "floating") << type;
    EXPECT_FALSE(model.may_collide(1, 2));
    EXPECT_TRUE(model.may_collide(0, 2));
  }
}

TEST(Urdf, Faults_NameTheLineAndWhatIsAllowed) {
  const std::string links = with_mass("base") + "\n" + with_mass("a") + "\n";
  const std::string typo = refusal(robot(links + joint("j", "revolut", "base", "a")));
  for (const std::string_view part :
       {"line 3", "j revolut", "revolute, continuous, prismatic, floating, planar, fixed", "did you mean revolute?"})
    EXPECT_TRUE(contains(typo, part)) << typo;
  EXPECT_TRUE(contains(refusal(robot(links + joint("j", "revolute", "bse", "a"))), "did you mean base?"));
  EXPECT_TRUE(contains(refusal(robot(links + with_mass("a"))), "another <link>"));
  EXPECT_TRUE(
      contains(refusal(robot(links + joint("j", "revolute", "base", "a", "<mimic joint='k'/>"))), "another joint"));
  EXPECT_TRUE(contains(refusal(robot("")), "<link>"));
  EXPECT_TRUE(contains(refusal("<robot><link"), "must be XML"));
  EXPECT_TRUE(contains(refusal(robot("<xacro:macro name='x'/>" + links)), "xacro"));
  EXPECT_TRUE(contains(refusal(robot(links)), "one root")) << refusal(robot(links));
  EXPECT_TRUE(
      contains(refusal(robot(links + with_mass("b") + joint("j", "fixed", "a", "b") + joint("k", "fixed", "b", "a"))),
               "hangs from itself"));
  EXPECT_TRUE(contains(refusal(robot(links + joint("j", "fixed", "base", "a") + joint("k", "fixed", "base", "a"))),
                       "child of two joints"));
  const std::string mesh = "<collision><geometry><mesh filename='package://nowhere/x.stl'/></geometry></collision>";
  const std::string lost = refusal(robot(with_mass("base", mesh)));
  for (const std::string_view part : {"package://nowhere/x.stl", "ROS_PACKAGE_PATH", "--package nowhere=FOLDER"})
    EXPECT_TRUE(contains(lost, part)) << lost;
}

TEST(Urdf, MeshIsItsHull_FoundInPackagesAndBesideTheFile) {
  const fs::path folder = fs::temp_directory_path() / ("ricochet_urdf_" + std::to_string(::getpid()));
  fs::create_directories(folder / "my_robot" / "meshes");
  fs::create_directories(folder / "my_robot" / "urdf");
  std::ofstream obj(folder / "my_robot" / "meshes" / "box.obj");
  // A box of edges 2, 4, 6 with a vertex inside.
  for (const int x : {-1, 1})
    for (const int y : {-2, 2})
      for (const int z : {-3, 3}) obj << "v " << x << " " << y << " " << z << "\n";
  obj << "v 0 0 0\nf 1 2 3\nf 2 3 4\nf 5 6 7\nf 6 7 8\nf 1 5 9\nf 2 6 9\n";
  obj.close();
  const std::string file = (folder / "my_robot" / "urdf" / "r.urdf").string();
  for (const std::string name : {"package://my_robot/meshes/box.obj", "../meshes/box.obj"}) {
    const auto model =
        read_urdf(robot(with_mass("base", "<collision name='c'><origin xyz='0 0 1'/><geometry><mesh filename='" + name +
                                              "' scale='.1 .1 .1'/></geometry></collision>")),
                  file);
    ASSERT_TRUE(model) << model.error().message();
    ASSERT_EQ(model->shapes.size(), 1U);
    const ConvexShape& shape = model->shapes[0].shape;
    ASSERT_EQ(shape.core, ConvexShape::Core::hull);
    EXPECT_EQ(shape.hull->vertices.size(), 8U);
    EXPECT_EQ(shape.hull->faces.size(), 12U);
    EXPECT_LT((core_support(shape, Vec3(1, 1, 1).normalized()) - Vec3(0.1, 0.2, 1.3)).norm(), 1e-7);
  }
  fs::remove_all(folder);
}

TEST(ConvexHull, OfRandomPoints_HoldsThemAll) {
  Rng rng(17);
  for (int k = 0; k < 20; ++k) {
    std::vector<Vec3> points;
    for (int i = 0; i < 200; ++i) points.push_back(random_vector(rng, 1));
    const Hull hull = convex_hull(points).value();
    EXPECT_EQ(hull.faces.size(), 2 * hull.vertices.size() - 4);  // Euler, for triangles
    for (const auto& face : hull.faces) {
      const auto v = [&](std::size_t i) { return hull.vertices[static_cast<std::size_t>(face[i])]; };
      const Vec3 n = (v(1) - v(0)).cross(v(2) - v(0)).normalized();
      double above = 0, below = 0;
      for (const Vec3& p : points) {
        above = std::max(above, n.dot(p - v(0)));
        below = std::min(below, n.dot(p - v(0)));
      }
      EXPECT_LT(std::min(above, -below), 1e-12);  // all on one side
    }
  }
  EXPECT_FALSE(convex_hull({Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(1, 1, 0)}));
  EXPECT_FALSE(convex_hull({Vec3(0, 0, 0), Vec3(1, 0, 0)}));
}

}  // namespace
}  // namespace ricochet
