#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "ricochet/model/mujoco_model.hpp"

namespace ricochet {
namespace {

namespace fs = std::filesystem;

/// Files that go away again.
class Files {
 public:
  Files() : path_(fs::temp_directory_path() / ("ricochet_attach_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  ~Files() { fs::remove_all(path_); }

  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  fs::path path_;
};

MujocoModel accepted(const Expected<MujocoModel>& model) {
  if (!model) throw std::runtime_error(model.error().message());
  return *model;
}

/// Both files describe the same robot: names, joints, shapes, masses and what may collide, in any state.
void expect_same_robot(const MujocoModel& ours, const MujocoModel& plain) {
  const RobotDescription& a = ours.description();
  const RobotDescription& b = plain.description();
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    EXPECT_EQ(a.bodies[i].name, b.bodies[i].name);
    EXPECT_EQ(a.bodies[i].parent, b.bodies[i].parent);
    EXPECT_NEAR(a.bodies[i].mass, b.bodies[i].mass, 1e-12 * (1 + b.bodies[i].mass));
  }
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    EXPECT_EQ(a.joints[i].name, b.joints[i].name);
    EXPECT_EQ(a.joints[i].type, b.joints[i].type);
    ASSERT_EQ(a.joints[i].range.has_value(), b.joints[i].range.has_value()) << a.joints[i].name;
    if (a.joints[i].range) {
      EXPECT_NEAR(a.joints[i].range->first, b.joints[i].range->first, 1e-12);
      EXPECT_NEAR(a.joints[i].range->second, b.joints[i].range->second, 1e-12);
    }
  }
  ASSERT_EQ(a.loops.size(), b.loops.size());
  for (std::size_t i = 0; i < a.loops.size(); ++i) EXPECT_EQ(a.loops[i].name, b.loops[i].name);
  ASSERT_EQ(ours.speed_count(), plain.speed_count());
  EXPECT_LT((ours.reference() - plain.reference()).norm(), 1e-12);
  const ModelState here = ours.at(ours.reference(), VecX::Zero(ours.speed_count())).value();
  const ModelState there = plain.at(plain.reference(), VecX::Zero(plain.speed_count())).value();
  EXPECT_LT((here.mass_matrix() - there.mass_matrix()).norm(), 1e-12 * there.mass_matrix().norm());
  const auto shapes = here.link_shapes();
  const auto expected = there.link_shapes();
  ASSERT_EQ(shapes.size(), expected.size());
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    EXPECT_EQ(shapes[i].name, expected[i].name);
    EXPECT_EQ(shapes[i].body, expected[i].body);
    EXPECT_EQ(shapes[i].shape.core, expected[i].shape.core);
    EXPECT_LT((shapes[i].shape.size - expected[i].shape.size).norm(), 1e-12);
    EXPECT_NEAR(shapes[i].shape.margin, expected[i].shape.margin, 1e-12);
    EXPECT_LT((shapes[i].shape.position - expected[i].shape.position).norm(), 1e-12) << shapes[i].name;
    EXPECT_LT((shapes[i].shape.rotation - expected[i].shape.rotation).norm(), 1e-12) << shapes[i].name;
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_EQ(ours.may_collide(shapes[i].shape_id, shapes[j].shape_id),
                plain.may_collide(expected[i].shape_id, expected[j].shape_id))
          << shapes[i].name << " " << shapes[j].name;
  }
}

TEST(Replicate, FourBallsOnACircle_AreThoseWrittenByHand) {
  const auto ours = accepted(MujocoModel::parse(R"(<mujoco><worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <replicate count="4" sep="-" euler="0 0 90">
      <body name="ball" pos="2 0 1"><freejoint name="free"/><geom name="hull" type="ellipsoid" size=".1 .2 .3" pos=".1 0 0"/>
        <body name="pin"><joint name="turn" axis="1 0 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".05"/></body></body>
    </replicate></worldbody>
    <contact><exclude body1="world" body2="pin"/></contact>
    <equality><joint name="lock" joint1="turn"/></equality></mujoco>)"));
  std::string bodies;
  std::string excludes;
  std::string locks;
  const char* places[] = {"2 0 1", "0 2 1", "-2 0 1", "0 -2 1"};
  for (int i = 0; i < 4; ++i) {
    const std::string n = "-" + std::to_string(i) + "'";
    bodies += "<body name='ball" + n + " pos='" + places[i] + "' euler='0 0 " + std::to_string(90 * i) +
              "'><freejoint name='free" + n + "/><geom name='hull" + n +
              " type='ellipsoid' size='.1 .2 .3' pos='.1 0 0'/><body name='pin" + n + "><joint name='turn" + n +
              " axis='1 0 0'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.05'/></body></body>";
    excludes += "<exclude body1='world' body2='pin" + n + "/>";
    locks += "<joint name='lock" + n + " joint1='turn" + n + "/>";
  }
  expect_same_robot(
      ours, accepted(MujocoModel::parse("<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/>" + bodies +
                                        "</worldbody><contact>" + excludes + "</contact><equality>" + locks +
                                        "</equality></mujoco>")));
}

TEST(Replicate, InsideReplicate_AppendsTheInnerNumberFirst) {
  // The example of MuJoCo's XML reference, with the poses that it states.
  const auto ours = accepted(MujocoModel::parse(R"(<mujoco><worldbody>
    <replicate count="2" offset="0 1 0" euler="90 0 0"><replicate count="2" sep="-" offset="1 0 0" euler="0 90 0">
      <geom name="Alice" size=".1 .2 .3" type="box"/></replicate></replicate>
    <body><freejoint/><geom size="1"/></body></worldbody></mujoco>)"));
  const auto plain = accepted(MujocoModel::parse(R"(<mujoco><worldbody>
    <geom name="Alice-00" type="box" size=".1 .2 .3"/>
    <geom name="Alice-10" type="box" size=".1 .2 .3" pos="1 0 0" quat="1 0 1 0"/>
    <geom name="Alice-01" type="box" size=".1 .2 .3" pos="0 1 0" quat="1 1 0 0"/>
    <geom name="Alice-11" type="box" size=".1 .2 .3" pos="1 1 0" quat="0.5 0.5 0.5 0.5"/>
    <body><freejoint/><geom size="1"/></body></worldbody></mujoco>)"));
  expect_same_robot(ours, plain);
}

TEST(Replicate, Offsets_AreInTheAxesOfTheReplicaBefore) {
  // Steps of length 1 that turn by 60°: a regular hexagon.
  const auto model = accepted(MujocoModel::parse(R"(<mujoco><worldbody>
    <replicate count="10" offset="1 0 0" euler="0 0 60"><geom name="g" size=".1"/></replicate>
    <body><freejoint/><geom name="own" size="1"/></body></worldbody></mujoco>)"));
  const ModelState state = model.at(model.reference(), VecX::Zero(6)).value();
  Vec3 at = Vec3::Zero();
  int seen = 0;
  for (const LinkShape& shape : state.link_shapes()) {
    if (shape.name == "own") continue;
    EXPECT_EQ(shape.name, "g0" + std::to_string(seen));  // two digits, as ten needs
    EXPECT_LT((shape.shape.position - at).norm(), 1e-12);
    const double angle = seen * std::numbers::pi / 3;
    at += Vec3(std::cos(angle), std::sin(angle), 0);
    ++seen;
  }
  EXPECT_EQ(seen, 10);
}

TEST(Frames, MoveAndTurnWhatTheyHold) {
  const auto ours = accepted(MujocoModel::parse(R"(<mujoco><compiler eulerseq="zyx"/>
    <default class="main"><default class="low"><geom pos="0 0 -.1" rgba="1 0 0 1"/><joint axis="0 1 0"/></default></default><worldbody>
    <frame pos="0 0 1" euler="90 0 0"><body name="a" pos="1 0 0"><freejoint/>
      <inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
      <frame pos=".5 0 0" axisangle="0 0 1 90" childclass="low">
        <geom name="box" type="box" size=".1 .2 .3" mass="5"/><geom name="rod" class="main" type="capsule" fromto="0 0 0 1 0 0" size=".05"/>
        <frame xyaxes="0 1 0 -1 0 0"><geom name="half" type="box" size=".1 .2 .3" pos="1 0 0" zaxis="1 0 0"/></frame>
        <body name="b"><joint name="hinge" pos="0 0 .1"/><geom name="ball" size=".1"/></body>
      </frame>
      <body name="c" pos="0 0 .4"><frame pos="0 0 .1" euler="90 0 0"><joint name="slide" type="slide" class="low"/></frame>
        <geom name="end" size=".2"/></body>
      </body></frame></worldbody></mujoco>)"));
  const auto plain = accepted(MujocoModel::parse(R"(<mujoco><worldbody>
    <body name="a" pos="0 1 1" euler="0 0 90"><freejoint/>
      <inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
      <geom name="box" type="box" size=".1 .2 .3" mass="5" pos=".5 0 -.1" euler="0 0 90"/>
      <geom name="rod" type="capsule" fromto=".5 0 0 .5 1 0" size=".05"/>
      <geom name="half" type="box" size=".1 .2 .3" pos="-.5 0 0" euler="0 -90 180"/>
      <body name="b" pos=".5 0 0" euler="0 0 90"><joint name="hinge" pos="0 0 .1" axis="0 1 0"/><geom name="ball" size=".1" pos="0 0 -.1"/></body>
      <body name="c" pos="0 0 .4"><joint name="slide" type="slide" pos="0 0 .1" axis="-1 0 0"/><geom name="end" size=".2"/></body>
    </body></worldbody></mujoco>)"));
  const auto shapes = ours.at(ours.reference(), VecX::Zero(8)).value().link_shapes();
  ASSERT_EQ(shapes.size(), 5U);
  // The box of the inner frame: turned by 90° twice about z, then its z axis along x.
  const Mat3 outer = Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()).toRotationMatrix();
  const Mat3 z_to_x = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), Vec3::UnitX()).toRotationMatrix();
  for (const LinkShape& shape : shapes) {
    if (shape.name != "half") continue;
    EXPECT_LT((shape.shape.rotation - outer * outer * outer * z_to_x).norm(), 1e-12);
    EXPECT_LT(
        (shape.shape.position - (Vec3(0, 1, 1) + outer * (Vec3(0.5, 0, 0) + outer * outer * Vec3(1, 0, 0)))).norm(),
        1e-12);
  }
  const auto others = plain.at(plain.reference(), VecX::Zero(8)).value().link_shapes();
  for (const LinkShape& shape : shapes)
    for (const LinkShape& other : others) {
      if (shape.name != other.name || shape.name == "half") continue;
      EXPECT_LT((shape.shape.position - other.shape.position).norm(), 1e-12) << shape.name;
      EXPECT_LT((shape.shape.rotation - other.shape.rotation).norm(), 1e-12) << shape.name;
    }
  const ModelState here = ours.at(ours.reference(), VecX::Zero(8)).value();
  const ModelState there = plain.at(plain.reference(), VecX::Zero(8)).value();
  EXPECT_LT((here.mass_matrix() - there.mass_matrix()).norm(), 1e-12);
}

/// An arm of two links with a mimic, in degrees and with classes; its mesh is a tetrahedron beside it.
constexpr const char* arm = R"(<mujoco model="arm">
  <compiler angle="degree" meshdir="parts"/>
  <option gravity="0 0 -1"/>
  <default><geom density="500"/><joint armature=".01"/>
    <default class="link"><geom type="capsule" size=".05"/><joint axis="0 1 0" range="-90 45"/></default></default>
  <asset><mesh file="tip.stl"/></asset>
  <worldbody>
    <body name="upper" pos="0 0 1" euler="0 30 0" childclass="link">
      <joint name="shoulder" ref="10"/><geom name="u" fromto="0 0 0 .5 0 0"/>
      <body name="lower" pos=".5 0 0"><joint name="elbow"/><geom name="l" fromto="0 0 0 .4 0 0"/>
        <joint name="out" type="slide" axis="1 0 0" range="0 .3"/>
        <geom name="tip" class="main" type="mesh" mesh="tip" pos=".4 0 0"/></body></body>
    <body name="stray" pos="3 0 1"><joint name="idle" axis="0 0 1"/><geom size=".1"/></body>
  </worldbody>
  <contact><exclude body1="upper" body2="lower"/></contact>
  <equality><joint name="mimic" joint1="shoulder" joint2="elbow"/><joint name="other" joint1="idle"/></equality>
  <keyframe><key name="home" qpos=".27453292519943295 .1 .2 0"/></keyframe></mujoco>)";

/// The same by hand, in radians, of one prefix. `place` goes to the frame that holds it.
std::string arm_by_hand(const std::string& p) {
  return "<body name='" + p + "upper' pos='0 0 1' euler='0 0.5235987755982988 0'><joint name='" + p +
         "shoulder' axis='0 1 0' range='-1.5707963267948966 0.7853981633974483' ref='0.17453292519943295' "
         "armature='.01'/>"
         "<geom name='" +
         p +
         "u' density='500' type='capsule' size='.05' fromto='0 0 0 .5 0 0'/>"
         "<body name='" +
         p + "lower' pos='.5 0 0'><joint name='" + p +
         "elbow' axis='0 1 0' range='-1.5707963267948966 0.7853981633974483' armature='.01'/>"
         "<joint name='" +
         p +
         "out' type='slide' axis='1 0 0' range='0 .3' armature='.01'/>"
         "<geom name='" +
         p +
         "l' density='500' type='capsule' size='.05' fromto='0 0 0 .4 0 0'/>"
         "<geom name='" +
         p + "tip' density='500' type='mesh' mesh='tip' pos='.4 0 0'/></body></body>";
}

/// A binary STL.
std::string tetrahedron() {
  const std::vector<std::array<float, 3>> v{{0, 0, 0}, {0.1F, 0, 0}, {0, 0.2F, 0}, {0, 0, 0.3F}};
  const std::vector<std::array<int, 3>> faces{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::string out(80, ' ');
  const auto append = [&](const auto& x) { out.append(reinterpret_cast<const char*>(&x), sizeof x); };
  append(static_cast<std::uint32_t>(faces.size()));
  for (const auto& face : faces) {
    append(std::array<float, 3>{});
    for (const int k : face) append(v[static_cast<std::size_t>(k)]);
    append(std::uint16_t{0});
  }
  return out;
}

TEST(Attach, PartOfAnotherModel_IsThatWrittenByHand) {
  const Files files;
  files.write("arms/arm.xml", arm);
  const std::string mesh = files.write("arms/parts/tip.stl", tetrahedron());
  // The scene has units and defaults of its own.
  const auto ours =
      accepted(MujocoModel::load(files.write("scene.xml", R"(<mujoco><compiler angle="radian" autolimits="true"/>
    <default><geom type="box" size=".3 .3 .3" density="10"/><joint damping="3"/></default>
    <asset><model name="robot" file="arms/arm.xml"/></asset>
    <worldbody><geom name="table"/>
      <body name="cart" pos="0 0 2"><freejoint/><geom name="cart"/>
        <frame pos="0 0 .3" euler="0 0 1.5707963267948966"><attach model="robot" body="upper" prefix="left_"/></frame>
        <attach model="robot" body="upper" prefix="right_"/></body></worldbody></mujoco>)")));
  const auto excludes = [](const std::string& p) { return "<exclude body1='" + p + "upper' body2='" + p + "lower'/>"; };
  const auto mimics = [](const std::string& p) {
    return "<joint name='" + p + "mimic' joint1='" + p + "shoulder' joint2='" + p + "elbow'/>";
  };
  std::string turned = arm_by_hand("left_");
  // Through the frame: 0.3 higher, and turned by 90° about z first.
  const std::string was = "pos='0 0 1' euler='0 0.5235987755982988 0'";
  const Eigen::Quaterniond turn = Eigen::Quaterniond(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ())) *
                                  Eigen::Quaterniond(Eigen::AngleAxisd(std::numbers::pi / 6, Vec3::UnitY()));
  char quat[200];
  std::snprintf(quat, sizeof quat, "pos='0 0 1.3' quat='%.17g %.17g %.17g %.17g'", turn.w(), turn.x(), turn.y(),
                turn.z());
  turned.replace(turned.find(was), was.size(), quat);
  const std::string hand =
      "<mujoco><compiler angle='radian' autolimits='true'/><asset><mesh name='tip' file='" + mesh +
      "'/></asset><worldbody><geom name='table' type='box' size='.3 .3 .3'/><body name='cart' pos='0 0 2'><freejoint/>"
      "<geom name='cart' type='box' size='.3 .3 .3' density='10'/>" +
      turned + arm_by_hand("right_") + "</body></worldbody><contact>" + excludes("left_") + excludes("right_") +
      "</contact><equality>" + mimics("left_") + mimics("right_") + "</equality></mujoco>";
  expect_same_robot(ours, accepted(MujocoModel::load(files.write("hand.xml", hand))));
  EXPECT_LT((ours.gravity() - Vec3(0, 0, -9.81)).norm(), 1e-12);  // that of the scene
  std::string left_out;
  for (const std::string& phrase : ours.description().left_out) left_out += phrase + "; ";
  for (const std::string part : {"keyframes of attached models", "options of attached models", "what is not attached"})
    EXPECT_NE(left_out.find(part), std::string::npos) << part << " in " << left_out;
}

TEST(Attach, WholeModel_KeepsItsKeyframes) {
  const Files files;
  files.write("arm.xml", arm);
  files.write("parts/tip.stl", tetrahedron());
  const auto model = accepted(MujocoModel::load(files.write(
      "scene.xml",
      "<mujoco><asset><model file='arm.xml'/></asset><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
      "<attach model='arm' prefix='my_'/></worldbody></mujoco>")));
  EXPECT_EQ(model.description().keyframes, std::vector<std::string>{"my_home"});
  const auto alone = accepted(MujocoModel::load(files.write("alone.xml", arm)));
  ASSERT_EQ(model.speed_count(), alone.speed_count());
  const VecX q = alone.keyframe("home").value().q;
  EXPECT_EQ(model.keyframe("my_home").value().q, q);
  const VecX rest = VecX::Zero(alone.speed_count());
  EXPECT_LT((model.at(q, rest).value().mass_matrix() - alone.at(q, rest).value().mass_matrix()).norm(), 1e-13);
  EXPECT_EQ(model.description().loops.size(), 2U);
}

TEST(Attach, ModelWithoutDefaults_TakesNoneOfTheScene) {
  const Files files;
  files.write("ball.xml",
              "<mujoco model='ball'><worldbody><frame name='f' pos='0 0 1'><body name='b'><freejoint/>"
              "<geom name='g' size='.1'/></body></frame></worldbody></mujoco>");
  const auto ours = accepted(MujocoModel::load(
      files.write("scene.xml",
                  "<mujoco><default><geom density='1'/></default><asset><model file='ball.xml'/></asset><worldbody>"
                  "<frame pos='1 0 0'><attach model='ball' frame='f' prefix='a_'/></frame>"
                  "<attach model='ball' prefix='b_'/></worldbody></mujoco>")));
  expect_same_robot(
      ours, accepted(MujocoModel::parse(
                "<mujoco><worldbody><body name='a_b' pos='1 0 1'><freejoint/><geom name='a_g' size='.1'/></body>"
                "<body name='b_b' pos='0 0 1'><freejoint/><geom name='b_g' size='.1'/></body></worldbody></mujoco>")));
}

TEST(Attach, PartOfItself_IsAnotherOfTheSame) {
  const auto ours = accepted(MujocoModel::parse(R"(<mujoco><default><geom density="100"/></default><worldbody>
    <body name="leg" pos="1 0 1"><joint name="hip" axis="0 1 0"/><geom name="leg" size=".1"/></body>
    <frame pos="0 2 0"><attach body="leg" prefix="other "/></frame></worldbody>
    <equality><joint name="lock" joint1="hip"/></equality></mujoco>)"));
  const auto plain = accepted(MujocoModel::parse(R"(<mujoco><default><geom density="100"/></default><worldbody>
    <body name="leg" pos="1 0 1"><joint name="hip" axis="0 1 0"/><geom name="leg" size=".1"/></body>
    <body name="other leg" pos="1 2 1"><joint name="other hip" axis="0 1 0"/><geom name="other leg" size=".1"/></body></worldbody>
    <equality><joint name="lock" joint1="hip"/><joint name="other lock" joint1="other hip"/></equality></mujoco>)"));
  expect_same_robot(ours, plain);

  // Wherever it is attached, it keeps its class.
  const auto classes = accepted(MujocoModel::parse(R"(<mujoco><default><geom density="100"/>
    <default class="thin"><geom type="capsule" size=".05 .3"/></default><default class="heavy"><geom density="900"/></default></default>
    <worldbody><body name="a" childclass="thin"><freejoint/><geom/><body name="rod"><geom name="rod"/></body></body>
    <body name="b" pos="0 0 3"><freejoint/><geom name="b" size=".1"/><frame childclass="heavy"><attach body="rod" prefix="heavy "/></frame>
      <body name="plain"><geom name="plain" size=".2"/></body></body>
    <body name="c" pos="0 0 6" childclass="heavy"><freejoint/><geom name="c" size=".1"/><attach body="plain" prefix="c "/></body>
    </worldbody></mujoco>)"));
  for (const auto& body : classes.description().bodies) {
    const double ball = 4.0 / 3 * std::numbers::pi * 0.008;
    const double rod = std::numbers::pi * 0.0025 * (0.6 + 4.0 / 3 * 0.05);
    if (body.name == "rod" || body.name == "heavy rod") {
      EXPECT_NEAR(body.mass, 100 * rod, 1e-12);
    }
    if (body.name == "plain" || body.name == "c plain") {
      EXPECT_NEAR(body.mass, 100 * ball, 1e-12);
    }
  }
}

TEST(Attach, WhatCannotBeAttached_IsRefusedWithFileAndLine) {
  const Files files;
  files.write("arm.xml", arm);
  files.write("parts/tip.stl", tetrahedron());
  files.write(
      "bad.xml",
      "<mujoco model='bad'><worldbody>\n<body><joint/>\n<geom size='.1' colour='1'/></body></worldbody></mujoco>");
  files.write("loop.xml", "<mujoco model='loop'><asset><model file='loop.xml'/></asset><worldbody/></mujoco>");
  const auto refusal = [&](const std::string& asset, const std::string& attach, const std::string& more = "") {
    const auto model =
        MujocoModel::load(files.write("scene.xml", "<mujoco>" + more + "<asset>" + asset + "</asset>\n<worldbody>\n" +
                                                       attach + "</worldbody></mujoco>"));
    return model ? std::string("accepted") : model.error().message();
  };
  const std::string robot = "<model name='robot' file='arm.xml'/>";
  for (const auto& [found, parts] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {refusal(robot, "<attach model='robt' prefix='a'/>"), {"line 3", "robt", "did you mean robot?"}},
           {refusal(robot, "<attach model='robot' body='uper' prefix='a'/>"), {"line 3", "uper", "must name a body"}},
           {refusal("<model file='gone.xml'/>", ""), {"line 1", "gone.xml", "cannot be opened"}},
           {refusal("<model file='parts'/>", ""), {"line 1", "parts", "cannot be opened"}},
           {refusal("<model file='loop.xml'/>", ""), {"loop.xml line 1", "must not attach itself"}},
           {refusal("<model file='bad.xml'/>", "<attach model='bad' prefix='a'/>"), {"bad.xml line 3", "geom colour"}},
           {refusal(robot, "<attach model='robot' prefix='a'/>", "<compiler settotalmass='3'/>"),
            {"line 3", "compiler settotalmass", "arm.xml"}}})
    for (const std::string& part : parts) EXPECT_NE(found.find(part), std::string::npos) << part << " in " << found;
}

}  // namespace
}  // namespace ricochet
