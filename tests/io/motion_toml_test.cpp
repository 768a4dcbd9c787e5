#include "ricochet/io/motion_toml.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>

#include "ricochet/io/named_scene.hpp"
#include "ricochet/io/open_scene.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/scene/bundled_scenes.hpp"

namespace ricochet {
namespace {

constexpr std::string_view two_balls = R"(title = "two balls on a floor"
gravity = [0, 1, -5]
[law]
name = "routh"
e = 0.5
mu = 0.3
mu_s = 0.4
[[body]]
name = "floor"
shape = "plane"
fixed = true
material = "stone"
[[body]]
name = "a"
shape = "sphere"
radius = 0.1
mass = 2
position = [0, 0, 1]
material = "steel"
[[body]]
name = "b"
shape = "sphere"
radius = 0.1
mass = 2
position = [1, 0, 1]
material = "steel"
)";

MotionScene read(const std::string& text) {
  auto scene = read_motion_scene(text);
  EXPECT_TRUE(scene.has_value()) << (scene ? "" : scene.error().error.message());
  return scene ? *scene : MotionScene{};
}

motion::World world_of(MotionScene scene) {
  (void)assume_missing(scene);
  auto world = make_world(scene);
  EXPECT_TRUE(world.has_value()) << (world ? "" : world.error().message());
  return world ? *world : motion::World{};
}

void expect_refused(const std::string& text, ErrorCode code, std::string_view path, long long line) {
  const auto scene = read_motion_scene(text);
  ASSERT_FALSE(scene.has_value()) << text;
  EXPECT_EQ(scene.error().error.code, code) << scene.error().error.message();
  EXPECT_EQ(scene.error().error.path, path) << scene.error().error.message();
  EXPECT_EQ(scene.error().line, line) << scene.error().error.message();
}

TEST(MotionToml, SceneWithoutContacts_BecomesAWorld) {
  const motion::World world = world_of(read(std::string(two_balls)));
  ASSERT_EQ(world.bodies.size(), 3U);
  EXPECT_EQ(world.gravity, Vec3(0, 1, -5));
  EXPECT_EQ(world.bodies[0].shapes.at(0).core, ConvexShape::Core::half_space);
  EXPECT_EQ(world.bodies[1].shapes.at(0).margin, 0.1);
  EXPECT_EQ(world.bodies[1].shapes.at(0).position, Vec3::Zero());  // in body axes
  EXPECT_EQ(world.bodies[1].body.position, Vec3(0, 0, 1));
  EXPECT_DOUBLE_EQ(world.bodies[1].body.inertia(0, 0), 0.4 * 2 * 0.01);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(info_of(world.law(i, j).law).name, "routh");
      EXPECT_EQ(world.law(i, j).mu, 0.3);
      EXPECT_EQ(world.law(i, j).mu_s, 0.4);
    }
}

TEST(MotionToml, WithoutLaw_ItIsAssumedAndSaid) {
  MotionScene scene = read("[[body]]\nmass = 1\nshape = \"sphere\"\nradius = 1\n");
  EXPECT_EQ(scene.gravity, Vec3(0, 0, -9.81));
  EXPECT_EQ(assume_missing(scene), "law chatterjee-ruina, e = 0.5, mu = 0.5");
  EXPECT_EQ(assume_missing(scene), "");
  const motion::World world = world_of(scene);
  const auto* law = std::get_if<ChatterjeeRuina>(&world.laws.at(0).law);
  ASSERT_NE(law, nullptr);
  EXPECT_EQ(law->e, 0.5);
  EXPECT_EQ(law->mu, 0.5);
  MotionScene named = read("[law]\nname = \"frictionless\"\n[[body]]\nmass = 1\nshape = \"sphere\"\nradius = 1\n");
  EXPECT_EQ(assume_missing(named), "e = 0.5");
}

TEST(MotionToml, FrictionOfLastingContact_ComesFromTheLaw) {
  const auto friction = [](const std::string& law) {
    const motion::World world =
        world_of(read("[law]\n" + law + "[[body]]\nmass = 1\nshape = \"sphere\"\nradius = 1\n"));
    return std::pair(world.laws.at(0).mu, world.laws.at(0).mu_s);
  };
  EXPECT_EQ(friction("name = \"frictionless\"\ne = 1\nmu = 0.7\n"), std::pair(0.0, 0.0));
  EXPECT_EQ(friction("name = \"chatterjee-ruina\"\ne = 1\nmu = 0.7\n"), std::pair(0.7, 0.7));
  EXPECT_EQ(friction("name = \"chatterjee-ruina\"\ne = 1\nmu = 0.7\nmu_s = 0.9\n"), std::pair(0.7, 0.9));
  EXPECT_EQ(friction("name = \"routh\"\ne = 1\nmu = 0.7\n"), std::pair(0.7, 0.7));
  expect_refused("[law]\ne = 1\nmu = 0.7\nmu_s = 0.6\n[[body]]\nmass = 1\nshape = \"sphere\"\nradius = 1\n",
                 ErrorCode::out_of_range, "law.mu_s", 4);
}

TEST(MotionToml, PairsOfBodiesGoBeforeMaterials) {
  const std::string pairs = R"([[pair]]
bodies = ["b", "a"]
e = 0.9
[[pair]]
materials = ["steel", "steel"]
law = "frictionless"
[[pair]]
materials = ["stone", "steel"]
law = "chatterjee-ruina"
mu = 0.05
)";
  const motion::World world = world_of(read(std::string(two_balls) + pairs));
  const auto* ab = std::get_if<Routh>(&world.law(1, 2).law);
  ASSERT_NE(ab, nullptr);
  EXPECT_EQ(ab->e, 0.9);
  EXPECT_EQ(&world.law(1, 2), &world.law(2, 1));
  const auto* floor = std::get_if<ChatterjeeRuina>(&world.law(0, 2).law);
  ASSERT_NE(floor, nullptr);
  EXPECT_EQ(floor->e, 0.5);  // from [law]
  EXPECT_EQ(floor->mu, 0.05);
  EXPECT_EQ(world.law(0, 1).mu_s, 0.4);
  const std::string scene(two_balls);
  expect_refused(scene + "[[pair]]\nbodies = [\"a\", \"c\"]\n", ErrorCode::unknown_name, "pair[1].bodies", 28);
  expect_refused(scene + "[[pair]]\nbodies = [\"a\", \"a\"]\n", ErrorCode::conflict, "pair[1].bodies", 28);
  expect_refused(scene + "[[pair]]\nmaterials = [\"steel\", \"wood\"]\n", ErrorCode::unknown_name, "pair[1].materials",
                 28);
  expect_refused(scene + "[[pair]]\nbodies = [\"a\", \"b\"]\n[[pair]]\nbodies = [\"b\", \"a\"]\n", ErrorCode::conflict,
                 "pair[2].bodies", 30);
  expect_refused(scene + "[[pair]]\nbodies = [\"a\", \"b\"]\ne = 1.5\n", ErrorCode::out_of_range, "pair[1].e", 29);
  expect_refused(scene + "[[pair]]\nbodies = [\"a\", \"b\"]\nlaw = \"ruth\"\n", ErrorCode::unknown_name, "pair[1].law",
                 29);
  expect_refused(scene + "[[pair]]\ne = 0.5\n", ErrorCode::missing, "pair[1].bodies", 27);
}

TEST(MotionToml, LawAndParametersOfEveryPair_CanBeReplaced) {
  MotionScene scene = read(std::string(two_balls) + "[[pair]]\nbodies = [\"a\", \"b\"]\nlaw = \"smith\"\ne = 0.9\n");
  use_law(scene, "bilinear");
  ASSERT_TRUE(set_parameter(scene, "e", 0.25));
  const motion::World world = world_of(scene);
  for (const motion::PairLaw& pair : world.laws) {
    const auto* law = std::get_if<Bilinear>(&pair.law);
    ASSERT_NE(law, nullptr);
    EXPECT_EQ(law->e, 0.25);
  }
}

TEST(MotionToml, ForcesAreConstantOrTabulated) {
  const std::string scene(two_balls);
  const MotionScene both = read(scene + R"([[force]]
body = "a"
force = [1, 2, 3]
[[force]]
body = "b"
times = [0, 1, 2.5]
torques = [[0, 0, 0], [0, 0, 1], [0, 0, 0]]
)");
  ASSERT_EQ(both.forces.size(), 2U);
  EXPECT_EQ(both.forces[0].body, 1U);
  EXPECT_TRUE(both.forces[0].times.empty());
  EXPECT_EQ(both.forces[0].forces.at(0), Vec3(1, 2, 3));
  EXPECT_EQ(both.forces[0].torques.at(0), Vec3::Zero());
  EXPECT_EQ(both.forces[1].times, (std::vector<double>{0, 1, 2.5}));
  EXPECT_EQ(both.forces[1].torques.at(1), Vec3(0, 0, 1));
  EXPECT_EQ(both.forces[1].forces.size(), 3U);
  const std::string force = scene + "[[force]]\nbody = \"a\"\n";
  expect_refused(scene + "[[force]]\nforce = [0, 0, 1]\n", ErrorCode::missing, "force[1].body", 27);
  expect_refused(scene + "[[force]]\nbody = \"c\"\nforce = [0, 0, 1]\n", ErrorCode::unknown_name, "force[1].body", 28);
  expect_refused(scene + "[[force]]\nbody = \"floor\"\nforce = [0, 0, 1]\n", ErrorCode::conflict, "force[1].body", 28);
  expect_refused(force, ErrorCode::missing, "force[1].force", 27);
  expect_refused(force + "force = [0, nan, 1]\n", ErrorCode::out_of_range, "force[1].force", 29);
  expect_refused(force + "times = [0, 1]\nforce = [0, 0, 1]\n", ErrorCode::conflict, "force[1].force", 30);
  expect_refused(force + "forces = [[0, 0, 1]]\n", ErrorCode::missing, "force[1].times", 29);
  expect_refused(force + "times = [0, 0]\nforces = [[0, 0, 1], [0, 0, 1]]\n", ErrorCode::out_of_range, "force[1].times",
                 29);
  expect_refused(force + "times = [0, 1]\nforces = [[0, 0, 1]]\n", ErrorCode::wrong_type, "force[1].forces", 30);
  expect_refused(force + "forse = 1\n", ErrorCode::unknown_name, "force[1].forse", 29);
}

TEST(MotionToml, WrongBodies_AreRefusedAtTheirLine) {
  const auto body = [](const std::string& rest) {
    return "[[body]]\nname = \"a\"\nshape = \"sphere\"\nradius = 1\n" + rest;
  };
  expect_refused(body("mass = 0\n"), ErrorCode::out_of_range, "body[1].mass", 5);
  expect_refused(body("mass = -1\n"), ErrorCode::out_of_range, "body[1].mass", 5);
  expect_refused(body("mass = nan\n"), ErrorCode::out_of_range, "body[1].mass", 5);
  expect_refused(body(""), ErrorCode::missing, "body[1].mass", 1);
  expect_refused(body("mass = 1\nposition = [0, inf, 0]\n"), ErrorCode::out_of_range, "body[1].position", 6);
  expect_refused(body("mass = 1\nvelocity = [0, nan, 0]\n"), ErrorCode::out_of_range, "body[1].velocity", 6);
  expect_refused(body("mass = 1\nmaterail = \"x\"\n"), ErrorCode::unknown_name, "body[1].materail", 6);
  expect_refused(body("mass = 1\n") + body("mass = 1\n"), ErrorCode::conflict, "body[2].name", 7);
  expect_refused("gravity = [0, 0, nan]\n" + body("mass = 1\n"), ErrorCode::out_of_range, "gravity", 1);
  expect_refused("gravitty = [0, 0, 1]\n" + body("mass = 1\n"), ErrorCode::unknown_name, "gravitty", 1);
  expect_refused("[[body]]\nshape = \"plane\"\nmass = 1\ninertia = [1, 1, 1]\n", ErrorCode::conflict, "body[1].shape",
                 2);
  expect_refused("title = \"none\"\n", ErrorCode::missing, "body", 0);
  expect_refused(" \n", ErrorCode::missing, "", 0);
  expect_refused(body("mass = 1\n") + "[[robot]]\nfile = \"a.xml\"\n", ErrorCode::conflict, "robot[1].name", 6);
}

TEST(MotionToml, ShapesNeedTheirSizes) {
  const auto body = [](const std::string& rest) { return "[[body]]\nmass = 2\n" + rest; };
  expect_refused(body("shape = \"cone\"\n"), ErrorCode::out_of_range, "body[1].shape", 3);
  expect_refused(body("shape = \"capsule\"\nlength = 1\n"), ErrorCode::missing, "body[1].radius", 1);
  expect_refused(body("shape = \"cylinder\"\nradius = 1\n"), ErrorCode::missing, "body[1].length", 1);
  expect_refused(body("shape = \"ellipsoid\"\n"), ErrorCode::missing, "body[1].size", 1);
  expect_refused(body("shape = \"mesh\"\n"), ErrorCode::missing, "body[1].file", 1);
  expect_refused(body("shape = \"mesh\"\nfile = \"a.stl\"\n"), ErrorCode::conflict, "body[1].shape", 3);
  expect_refused(body("shape = \"sphere\"\nradius = 1\nfile = \"a.stl\"\n"), ErrorCode::conflict, "body[1].file", 5);
  expect_refused(body("shape = \"mesh\"\npoints = [[0, 0, 0], [1, 0, 0]]\n"), ErrorCode::wrong_type, "body[1].points",
                 4);
  const motion::World world = world_of(read(body("shape = \"cylinder\"\nradius = 0.3\nlength = 0.1\n")));
  EXPECT_DOUBLE_EQ(world.bodies[0].body.inertia(0, 0), 0.5 * 2 * 0.09);
  EXPECT_EQ(world.bodies[0].shapes[0].core, ConvexShape::Core::cylinder);
}

#ifdef RICOCHET_TEST_MESHES
TEST(MotionToml, MeshIsTheHullOfItsFile) {
  const auto folder = std::filesystem::temp_directory_path() / "ricochet_motion_toml_test";
  std::filesystem::create_directories(folder);
  // A cube of edge 2 whose centre is at (1, 1, 1), and a point inside.
  std::ofstream(folder / "cube.obj") << "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nv 2 2 0\nv 2 0 2\nv 0 2 2\nv 2 2 2\n"
                                        "v 1 1 1\nf 1 2 5\nf 3 4 6\nf 7 8 9\n";
  std::ofstream(folder / "scene.toml") << "[[body]]\nmass = 3\nshape = \"mesh\"\nfile = \"cube.obj\"\nscale = 0.5\n";
  const auto scene = open_motion_scene((folder / "scene.toml").string());
  ASSERT_TRUE(scene.has_value()) << scene.error().error.message();
  const SceneBody& body = scene->bodies[0];
  ASSERT_NE(body.shape.hull, nullptr);
  EXPECT_EQ(body.shape.hull->vertices.size(), 8U);
  // Of edge 1 about its centroid: the inertia of a cube, m/6.
  EXPECT_LE((body.body.inertia - 0.5 * Mat3::Identity()).norm(), 1e-12);
  EXPECT_NEAR(radius_of(*body.shape.hull), 0.5 * std::numbers::sqrt3, 1e-12);
  std::ofstream(folder / "absent.toml") << "[[body]]\nmass = 3\nshape = \"mesh\"\nfile = \"none.obj\"\n";
  const auto absent = open_motion_scene((folder / "absent.toml").string());
  ASSERT_FALSE(absent.has_value());
  EXPECT_EQ(absent.error().error.code, ErrorCode::file_access);
  EXPECT_EQ(absent.error().error.path, "body[1].file");
  EXPECT_EQ(absent.error().line, 4);
  std::filesystem::remove_all(folder);
}

TEST(MotionToml, MeshOfPoints_IsCentredUnlessItsInertiaIsGiven) {
  const std::string points = "points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]\n";
  const MotionScene homogeneous = read("[[body]]\nmass = 1\nshape = \"mesh\"\n" + points);
  const MotionScene stated = read("[[body]]\nmass = 1\nshape = \"mesh\"\ninertia = [1, 1, 1]\n" + points);
  const auto top = [](const MotionScene& scene) { return farthest_vertex(*scene.bodies[0].shape.hull, Vec3::UnitZ()); };
  EXPECT_LE((top(homogeneous) - Vec3(-0.25, -0.25, 0.75)).norm(), 1e-15);
  EXPECT_EQ(top(stated), Vec3(0, 0, 1));
  expect_refused("[[body]]\nmass = 1\nshape = \"mesh\"\npoints = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]\n",
                 ErrorCode::invalid, "body[1].points", 4);
}
#endif

TEST(MotionToml, BundledMotions_AreRead) {
  EXPECT_GE(bundled_motions().size(), 9U);
  for (const BundledScene& motion : bundled_motions()) {
    const auto scene = open_motion_scene(std::string(motion.name));
    ASSERT_TRUE(scene.has_value()) << motion.name << ": " << scene.error().error.message();
    EXPECT_FALSE(scene->title.empty()) << motion.name;
    EXPECT_FALSE(scene->states_contacts) << motion.name;
    MotionScene copy = *scene;
    EXPECT_EQ(assume_missing(copy), "") << motion.name;
  }
}

TEST(MotionToml, BundledScenesOfManyContacts_KeepTheirLaw) {
  for (const NamedScene& known : named_scenes()) {
    const std::string name(known.name);
    const auto stated = named_scene(known.name);
    ASSERT_TRUE(stated && *stated) << name;
    for (std::size_t i = 0; i < (*stated)->laws.size(); ++i) EXPECT_EQ((*stated)->laws[i], (*stated)->laws[0]) << name;
    if (name == "rocking-block") continue;  // there is a motion of this name
    const auto scene = open_motion_scene(name);
    ASSERT_TRUE(scene.has_value()) << name << ": " << scene.error().error.message();
    EXPECT_TRUE(scene->states_contacts) << name;
    EXPECT_EQ(scene->law, (*stated)->laws[0]) << name;
    EXPECT_EQ(scene->bodies.size(), (*stated)->names.size()) << name;
    EXPECT_EQ(scene->joints.size(), (*stated)->arrangement.hinges.size()) << name;
    EXPECT_TRUE(make_world(*scene).has_value()) << name;
  }
}

}  // namespace
}  // namespace ricochet
