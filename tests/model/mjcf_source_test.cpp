#include "model/mjcf_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "ricochet/model/mujoco_model.hpp"

namespace ricochet {
namespace {

namespace fs = std::filesystem;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string refusal(std::string_view xml) {
  const auto model = MujocoModel::parse(xml);
  return model ? "accepted" : model.error().message();
}

/// A folder that goes away again.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("ricochet_mjcf_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  fs::path path_;
};

constexpr std::string_view newer = R"(<mujoco model="of today">
  <compiler angle="radian" autolimits="true" alignfree="true"/>
  <option integrator="implicitfast" ccd_iterations="50"><flag nativeccd="enable" eulerdamp="disable"/></option>
  <default><joint actuatorfrcrange="-5 5"/><position kp="3" dampratio="1"/>
    <default class="seen"><geom contype="0" conaffinity="0"/></default></default>
  <worldbody><geom name="floor" type="plane" size="1 1 1"/>
    <body name="trunk" pos="0 0 1" gravcomp="1"><freejoint name="root" align="false"/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
      <geom name="picture" class="seen" size=".3" material="paint"/>
      <geom name="hip" size=".1" rgba="1 0 0"/>
      <frame pos="0 0 -.5"><geom name="foot" size=".05" mass="0"/></frame>
      <body name="leg" pos="0 0 -.2"><joint name="knee" axis="0 1 0" range="-1 1" armature=".1"/>
        <geom name="shin" type="capsule" size=".02 .1" mass=".5"/></body></body></worldbody>
  <actuator><position joint="knee" dampratio="1"/></actuator>
  <sensor><clock/></sensor>
  <keyframe><key name="home" qpos="0 0 2  1 0 0 0
     0.3 " ctrl="0.3"/></keyframe></mujoco>)";

TEST(MjcfSource, NewerThanTheInstalledVersion_IsReadWithoutWhatDoesNotMatter) {
  const auto model = MujocoModel::parse(newer);
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model->speed_count(), 7);
  const RobotDescription& d = model->description();
  std::vector<std::string> shapes;
  for (const auto& s : d.shapes) shapes.push_back(s.name);
  EXPECT_EQ(std::count(shapes.begin(), shapes.end(), "picture"), 0);
  for (const std::string name : {"floor", "hip", "foot", "shin"})
    EXPECT_EQ(std::count(shapes.begin(), shapes.end(), name), 1) << name;
  std::string left_out;
  for (const std::string& phrase : d.left_out) left_out += phrase + "; ";
  for (const std::string_view part :
       {"actuators", "sensors", "flag nativeccd", "freejoint align", "body gravcomp", "joint actuatorfrcrange",
        "option ccd_iterations", "compiler alignfree", "shapes that collide with nothing"})
    EXPECT_TRUE(contains(left_out, part)) << part << " in " << left_out;
  ASSERT_EQ(d.keyframes, std::vector<std::string>{"home"});
  const auto home = model->keyframe("home");
  ASSERT_TRUE(home) << home.error().message();
  EXPECT_EQ(home->q(2), 2);
  EXPECT_EQ(home->q(7), 0.3);
  EXPECT_TRUE(contains(model->keyframe("hme").error().message(), "did you mean home?"));
  // The frame carries its shape: half a metre below the trunk.
  const ModelState state = model->at(model->reference(), VecX::Zero(7)).value();
  for (const LinkShape& s : state.link_shapes())
    if (s.name == "foot") {
      EXPECT_LT((s.shape.position - Vec3(0, 0, 0.5)).norm(), 1e-12);
    }
  // The dynamics is that of the same file written for the older version.
  const auto plain = MujocoModel::parse(R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="trunk" pos="0 0 1"><freejoint name="root"/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
      <body name="leg" pos="0 0 -.2"><joint name="knee" axis="0 1 0" armature=".1"/>
        <geom name="shin" type="capsule" size=".02 .1" mass=".5"/></body></body></worldbody></mujoco>)");
  ASSERT_TRUE(plain) << plain.error().message();
  const ModelState same = plain->at(model->reference(), VecX::Zero(7)).value();
  EXPECT_LT((same.mass_matrix() - state.mass_matrix()).norm(), 1e-14);
}

TEST(MjcfSource, WhatMattersAndCannotBeRead_IsRefusedByName) {
  const std::string_view head = "<mujoco><worldbody><body><freejoint/><geom size='.1'/>";
  const auto robot = [&](const std::string& inside, const std::string& after = "") {
    return std::string(head) + inside + "</body></worldbody>" + after + "</mujoco>";
  };
  EXPECT_EQ(refusal(robot("")), "accepted");
  for (const auto& [xml, parts] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {robot("<replicate count='0'><geom size='.1'/></replicate>"),
            {"replicate count = 0", "line 1", "1 or more"}},
           {robot("<replicate cuont='3'/>"), {"replicate cuont", "line 1", "did you mean count?"}},
           {robot("<replicate count='2' offset='1 2'/>"), {"replicate offset = 1 2", "must be 3 numbers"}},
           {robot("<replicate count='9999'><replicate count='9999'><geom size='.1'/></replicate></replicate>"),
            {"<replicate>", "makes more than"}},
           {robot("<attach model='arm' prefix='a'/>"), {"arm", "line 1", "must name a <model>"}},
           {robot("<attach body='arm' prefix='a'/>"), {"arm", "line 1", "must name a body"}},
           {robot("<attach model='arm'/>"), {"attach", "prefix"}},
           {robot("<composite type='cable'/>"), {"composite"}},
           {robot("<geom size='.1' colour='1'/>"), {"geom colour", "line 1"}},
           {robot("<joint nmae='x'/>"), {"joint nmae", "did you mean name?"}},
           {robot("<frame><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></frame>"), {"<inertial> in a <frame>"}},
           {robot("<frame pso='0 0 1'/>"), {"frame pso", "line 1"}},
           {robot("<frame pos='0 1'/>"), {"frame pos = 0 1", "must be 3 numbers"}},
           {robot("", "<deformable/>"), {"<deformable> in <mujoco>"}},
           {robot("", "<equality><weld site1='a' site2='b'/></equality>"), {"weld site1"}},
           {robot("", "<equality><connect site1='a' site2='b'/></equality>"), {"a", "must name a site"}}})
    for (const std::string& part : parts) EXPECT_TRUE(contains(refusal(xml), part)) << part << " in " << refusal(xml);
}

TEST(MjcfSource, IncludedFiles_AreInsertedAndNamedInErrors) {
  const Folder folder;
  folder.write("parts/leg.xml",
               "<mujoco><body name='leg' pos='0 0 -.2'>\n<joint name='knee' axis='0 1 0'/>\n"
               "<geom name='shin' size='.1'/></body></mujoco>");
  folder.write("parts/again.xml", "<mujoco><include file='leg.xml'/></mujoco>");
  const std::string robot =
      "<mujoco><worldbody><body name='trunk'><freejoint/><geom size='.1'/><include file='parts/again.xml'/>"
      "</body></worldbody></mujoco>";
  const auto model = MujocoModel::load(folder.write("robot.xml", robot));
  ASSERT_TRUE(model) << model.error().message();
  EXPECT_EQ(model->speed_count(), 7);
  folder.write("parts/leg.xml", "<mujoco><body name='leg'>\n<joint name='knee' axs='0 1 0'/>\n</body></mujoco>");
  const auto bad = MujocoModel::load(folder.write("robot.xml", robot));
  ASSERT_FALSE(bad);
  for (const std::string_view part : {"leg.xml line 2", "joint axs", "did you mean axis?"})
    EXPECT_TRUE(contains(bad.error().message(), part)) << bad.error().message();
  const auto itself = MujocoModel::load(folder.write("loop.xml", "<mujoco><include file='loop.xml'/></mujoco>"));
  ASSERT_FALSE(itself);
  EXPECT_TRUE(contains(itself.error().message(), "includes itself"));
  const auto lost = MujocoModel::load(folder.write("lost.xml", "<mujoco><include file='gone.xml'/></mujoco>"));
  ASSERT_FALSE(lost);
  EXPECT_TRUE(contains(lost.error().message(), "gone.xml"));
}

TEST(MjcfSource, SitesThatAreConnected_AreALoopOfTheirBodies) {
  const std::string bodies =
      "<worldbody><body name='a'><freejoint/><geom size='.1'/><site name='sa' pos='.1 .2 .3'/></body>"
      "<body name='b' pos='1 0 0'><freejoint/><geom size='.1'/><site name='sb' pos='-.4 .1 0'/></body></worldbody>";
  const auto model =
      MujocoModel::parse("<mujoco>" + bodies + "<equality><connect site1='sa' site2='sb'/></equality></mujoco>");
  ASSERT_TRUE(model) << model.error().message();
  VecX q = model->reference();
  // Closed where the two sites coincide, whatever the file draws.
  q.segment<3>(7) = Vec3(0.1, 0.2, 0.3) - Vec3(-0.4, 0.1, 0);
  EXPECT_TRUE(model->at(q, VecX::Zero(12)));
  q(8) += 1e-3;
  EXPECT_FALSE(model->at(q, VecX::Zero(12)));
}

TEST(Reader, FileThatEndsMujoco_IsAnError) {
  // A joint type that MuJoCo's URDF reader does not know ends it in a segmentation fault.
  const Folder folder;
  const std::string file = folder.write(
      "typo.urdf",
      "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' type='revolut'><parent link='a'/>"
      "<child link='b'/></joint></robot>");
  const auto model = MujocoModel::load(file);
  ASSERT_FALSE(model);
  EXPECT_FALSE(model.error().message().empty());
  EXPECT_FALSE(MujocoModel::load(fs::temp_directory_path().string()));
}

}  // namespace
}  // namespace ricochet
