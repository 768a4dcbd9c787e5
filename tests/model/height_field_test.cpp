#include "ricochet/geometry/height_field.hpp"

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "ricochet/model/mujoco_model.hpp"

namespace ricochet {
namespace {

namespace fs = std::filesystem;

/// A file in MuJoCo's own format, which goes away again.
class HeightFile {
 public:
  HeightFile(std::int32_t rows, std::int32_t columns, const std::vector<float>& heights)
      : path_(fs::temp_directory_path() / ("ricochet_field_" + std::to_string(::getpid()) + ".bin")) {
    std::ofstream out(path_, std::ios::binary);
    const auto write = [&](const auto* data, std::size_t count) {
      out.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(count * sizeof *data));
    };
    write(&rows, 1);
    write(&columns, 1);
    write(heights.data(), heights.size());
  }
  HeightFile(const HeightFile&) = delete;
  HeightFile& operator=(const HeightFile&) = delete;
  ~HeightFile() { fs::remove(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

/// A ball above a field that a file gives.
std::string ball_above(const std::string& asset, const std::string& where = "") {
  return "<mujoco><asset><hfield name='h' " + asset +
         "/></asset><worldbody><geom name='ground' type='hfield' hfield='h' " + where +
         "/><body name='ball' pos='0 0 3'><freejoint/><geom name='ball' size='.1'/></body></worldbody></mujoco>";
}

LinkShape ground_of(const MujocoModel& model) {
  const ModelState state = model.at(model.reference(), VecX::Zero(model.speed_count())).value();
  for (const LinkShape& shape : state.link_shapes())
    if (shape.name == "ground") return shape;
  throw std::runtime_error("no ground");
}

TEST(HeightFieldOfAFile, HasTheSurfaceThatMujocosRaysMeet) {
  std::vector<float> heights;
  for (int i = 0; i < 4 * 6; ++i) heights.push_back(static_cast<float>(std::sin(1.7 * i) + 0.3 * std::cos(5.1 * i)));
  const HeightFile file(4, 6, heights);
  const std::string xml = ball_above("file='" + file.path() + "' size='1.5 .8 .4 .2'");
  const auto model = MujocoModel::parse(xml);
  ASSERT_TRUE(model) << model.error().message();
  const LinkShape ground = ground_of(*model);
  ASSERT_TRUE(ground.field);
  EXPECT_EQ(ground.field->rows, 4);
  EXPECT_EQ(ground.field->columns, 6);
  EXPECT_EQ(ground.field->base, 0.2);

  const fs::path own = fs::temp_directory_path() / ("ricochet_field_" + std::to_string(::getpid()) + ".xml");
  std::ofstream(own) << xml;
  std::array<char, 500> why{};
  mjModel* m = mj_loadXML(own.c_str(), nullptr, why.data(), static_cast<int>(why.size()));
  fs::remove(own);
  ASSERT_NE(m, nullptr) << why.data();
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  const int geom = mj_name2id(m, mjOBJ_GEOM, "ground");
  for (int i = 0; i < 400; ++i) {
    const double x = 1.49 * std::sin(0.37 * i);
    const double y = 0.79 * std::cos(0.91 * i);
    const std::array<mjtNum, 3> from{x, y, 2};
    const std::array<mjtNum, 3> down{0, 0, -1};
    const double height = 2 - mj_rayHfield(m, d, geom, from.data(), down.data());
    EXPECT_TRUE(holds(*ground.field, {x, y, height - 1e-9})) << x << " " << y;
    EXPECT_FALSE(holds(*ground.field, {x, y, height + 1e-9})) << x << " " << y;
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

TEST(HeightFieldOfAFile, HeightsInTheFile_AreRowsFromGreatestYToLeast) {
  const auto model = MujocoModel::parse(ball_above("nrow='2' ncol='3' elevation='5 6 7  1 2 3' size='1 1 .6 .1'"));
  ASSERT_TRUE(model) << model.error().message();
  const LinkShape ground = ground_of(*model);
  ASSERT_TRUE(ground.field);
  // From 1 to 7 scaled to 0 to 1, times 0.6.
  const std::vector<double> expected{0, 0.1, 0.2, 0.4, 0.5, 0.6};
  ASSERT_EQ(ground.field->heights.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(ground.field->heights[i], expected[i], 1e-7);
  for (const std::string wrong : {"nrow='2' ncol='3' elevation='5 6 7 1 2' size='1 1 1 1'",
                                  "nrow='2' ncol='3' elevation='5 6 7 1 2 x' size='1 1 1 1'",
                                  "nrow='-2' ncol='3' elevation='1' size='1 1 1 1'"}) {
    const auto bad = MujocoModel::parse(ball_above(wrong));
    ASSERT_FALSE(bad);
    EXPECT_NE(bad.error().message().find("elevation"), std::string::npos) << bad.error().message();
    EXPECT_NE(bad.error().message().find("line 1"), std::string::npos) << bad.error().message();
  }
}

TEST(HeightFieldOfAFile, BallInAGroove_HasTwoContacts) {
  // A groove along y of slope 0.5, tilted about its own line by a body of the world.
  const std::string asset = "nrow='3' ncol='3' elevation='1 0 1 1 0 1 1 0 1' size='2 2 1 .5'";
  const auto model = MujocoModel::parse(ball_above(asset, "pos='.3 .1 -.2' euler='0 10 0'"));
  ASSERT_TRUE(model) << model.error().message();
  const double tilt = 10 * std::numbers::pi / 180;
  const double distance = 0.1 + 4e-4;
  const double h = distance * std::sqrt(1 + 0.25);
  VecX q = model->reference();
  q.head<3>() = Vec3(0.3 + h * std::sin(tilt), 0.4, -0.2 + h * std::cos(tilt));
  const auto found = model->at(q, VecX::Zero(6)).value().contacts(1e-3).value();
  EXPECT_TRUE(found.uncertain.empty());
  ASSERT_EQ(found.points.size(), 2U);
  for (const ContactPoint& at : found.points) {
    EXPECT_EQ(at.first, "ground");
    EXPECT_EQ(at.second, "ball");
    EXPECT_NEAR(at.gap, 4e-4, 1e-9);  // heights are single precision
    const double side = at.n.dot(Vec3(std::cos(tilt), 0, -std::sin(tilt))) < 0 ? 1 : -1;
    const double angle = tilt - side * std::atan(0.5);
    EXPECT_LT((at.n - Vec3(std::sin(angle), 0, std::cos(angle))).norm(), 1e-9);
  }
  EXPECT_GT((found.points[0].n - found.points[1].n).norm(), 0.5);
}

}  // namespace
}  // namespace ricochet
