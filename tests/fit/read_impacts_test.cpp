#include "ricochet/fit/read_impacts.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <tuple>

namespace ricochet {
namespace {

constexpr std::string_view mapping_text =
    "dimension = 2\n[quantity]\nmass = 2\ngyration = 0.1\nvx_pre = {column = \"u\", times = -1}\n[keep]\nflag = 0\n";
constexpr std::string_view header = "theta,r_x,r_y,u,vy_pre,omega_pre,vx_post,vy_post,omega_post,flag\n";
constexpr std::string_view good = "0.1,0.01,-0.1,-1,-2,3,0.5,1,4,0\n";

class ImpactFile : public testing::Test {
 protected:
  Read<std::vector<MeasuredImpact>> read(const std::string& text) {
    std::ofstream(path_) << text;
    return read_impacts(path_, read_impact_mapping(mapping_text).value());
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_ = testing::TempDir() + "ricochet_impacts_" + std::to_string(::getpid()) + ".csv";
};

TEST_F(ImpactFile, ColumnsBecomeABodyAndRowsThatAreNotKeptAreLeftOut) {
  const auto impacts = read(std::string(header) + std::string(good) + "0,0,-0.1,-1,-2,3,0.5,1,4,2\n");
  ASSERT_TRUE(impacts) << impacts.error().error.message();
  ASSERT_EQ(impacts->size(), 1U);
  const MeasuredImpact& one = impacts->front();
  EXPECT_EQ(one.body.velocity, Vec3(1, -2, 0));
  EXPECT_EQ(one.velocity, Vec3(0.5, 1, 0));
  EXPECT_EQ(one.arm, Vec3(0.01, -0.1, 0));
  EXPECT_EQ(one.n, Vec3::UnitY());
  EXPECT_DOUBLE_EQ(one.body.inertia(2, 2), 2 * 0.01);
}

TEST_F(ImpactFile, LinesMayEndWithCarriageReturns) {
  std::string text = std::string(header) + std::string(good);
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2)) text.insert(at, "\r");
  const auto impacts = read(text);
  ASSERT_TRUE(impacts) << impacts.error().error.message();
  EXPECT_EQ(impacts->size(), 1U);
}

TEST_F(ImpactFile, AByteOrderMarkIsNoPartOfTheFirstName) {
  const auto impacts = read("\xEF\xBB\xBF" + std::string(header) + std::string(good));
  ASSERT_TRUE(impacts) << impacts.error().error.message();
  EXPECT_EQ(impacts->size(), 1U);
}

TEST_F(ImpactFile, TheLastLineMayEndWithTheFile) {
  std::string text = std::string(header) + std::string(good) + std::string(good);
  text.pop_back();
  const auto impacts = read(text);
  ASSERT_TRUE(impacts) << impacts.error().error.message();
  EXPECT_EQ(impacts->size(), 2U);
  // What stands there is read as anywhere else.
  const Fault fault = read(text.substr(0, text.size() - 2)).error();
  EXPECT_EQ(fault.error.path, "row 2, column 10");
  EXPECT_FALSE(read(text + "\"")) << "a quote is open";
}

TEST_F(ImpactFile, SpinsInDegreesAreToldByTheirMomentum) {
  // Impulses (0.3, 3) at the point; the spin that they give, in degrees per second.
  const auto file = [&](double unit) {
    std::string text(header);
    for (int i = 0; i < 6; ++i) {
      const double x = 0.02 * i - 0.05, before = 5.0 - 2 * i, after = before + (x * 3 + 0.1 * 0.3) / (2 * 0.01);
      text += "0.1," + std::to_string(x) + ",-0.1,-1,-1," + std::to_string(before * unit) + ",1.15,0.5," +
              std::to_string(after * unit) + ",0\n";
    }
    return text;
  };
  const auto impacts = read(file(1));
  ASSERT_TRUE(impacts) << impacts.error().error.message();
  const Fault fault = read(file(180 / M_PI)).error();
  EXPECT_EQ(fault.error.code, ErrorCode::out_of_range);
  EXPECT_NE(fault.error.path.find("row 1, column omega_post"), std::string::npos) << fault.error.path;
  EXPECT_NE(fault.error.allowed.find("degrees"), std::string::npos);
  EXPECT_EQ(fault.line, 2);
}

TEST_F(ImpactFile, TwoColumnsOfOneNameAreAConflict) {
  const auto impacts = read("u," + std::string(header) + "1," + std::string(good));
  ASSERT_FALSE(impacts);
  EXPECT_EQ(impacts.error().error.code, ErrorCode::conflict);
  EXPECT_NE(impacts.error().error.path.find("column u"), std::string::npos);
  EXPECT_EQ(impacts.error().line, 1);
}

TEST_F(ImpactFile, ABodyWithoutMassOrInertiaHasItsRowAndColumn) {
  for (const auto& [name, wrong, right] :
       {std::tuple("mass", "-1", "1"), std::tuple("inertia", "0", "1"), std::tuple("gyration", "0", "1")}) {
    const bool mass = std::string_view(name) == "mass";
    const std::string columns = mass ? "mass,inertia" : std::string("mass,") + name;
    const auto row = [&](const std::string& value) {
      return (mass ? value + ",1" : "1," + value) + ",0,-0.1,-1,-2,3,0.5,1,4\n";
    };
    std::ofstream(path_) << columns + ",r_x,r_y,vx_pre,vy_pre,omega_pre,vx_post,vy_post,omega_post\n" + row(right) +
                                row(wrong);
    const auto impacts = read_impacts(path_, {});
    ASSERT_FALSE(impacts) << name;
    EXPECT_EQ(impacts.error().error.path, std::string("row 2, column ") + name);
    EXPECT_EQ(impacts.error().error.value, wrong);
  }
}

TEST_F(ImpactFile, WhatIsWrongHasItsRowAndColumn) {
  const std::string two = std::string(header) + std::string(good);
  const auto fault_of = [&](const std::string& text) { return read(text).error(); };
  Fault fault = fault_of(two + "0,0,-0.1,fast,-2,3,0.5,1,4,0\n");
  EXPECT_EQ(fault.error.code, ErrorCode::wrong_type);
  EXPECT_EQ(fault.error.path, "row 2, column u");
  EXPECT_EQ(fault.error.value, "fast");
  EXPECT_EQ(fault.line, 3);
  fault = fault_of(two + "0,0,-0.1,-1,nan,3,0.5,1,4,0\n");
  EXPECT_EQ(fault.error.path, "row 2, column vy_pre");
  EXPECT_EQ(fault.error.code, ErrorCode::out_of_range);
  fault = fault_of(two + "170,0,-0.1,-1,-2,3,0.5,1,4,0\n");
  EXPECT_EQ(fault.error.path, "row 2, column theta");
  EXPECT_NE(fault.error.allowed.find("degrees"), std::string::npos);
  fault = fault_of("r_x,r_y,u\n1,2,3\n");
  EXPECT_EQ(fault.error.code, ErrorCode::missing);
  EXPECT_NE(fault.error.path.find("column flag"), std::string::npos);
  fault = fault_of(two + "0,0\n");
  EXPECT_EQ(fault.error.code, ErrorCode::malformed);
  EXPECT_EQ(fault.line, 3);
}

TEST(ImpactMapping, NamesOfQuantitiesAndDataSetsAreChecked) {
  EXPECT_EQ(read_impact_mapping("dimension = 4\n").error().error.path, "dimension");
  EXPECT_EQ(read_impact_mapping("[quantity]\nmas = 1\n").error().error.path, "quantity.mas");
  EXPECT_EQ(read_impact_mapping("[keep]\nflag = \"no\"\n").error().error.path, "keep.flag");
  EXPECT_EQ(read_impact_mapping("dimension = \n").error().error.code, ErrorCode::malformed);
  EXPECT_EQ(read_impact_mapping("quantity = 3\n").error().error.path, "quantity");
  EXPECT_EQ(read_impact_mapping("keep = 3\n").error().error.path, "keep");
  EXPECT_EQ(read_impact_mapping("[quantity]\nmass = inf\n").error().error.path, "quantity.mass");
  for (const char* const wrong : {"times = \"a\"", "tims = 2"}) {
    const auto fault = read_impact_mapping("[quantity]\nmass = {column = \"m\", " + std::string(wrong) + "}\n");
    ASSERT_FALSE(fault) << wrong;
    EXPECT_EQ(fault.error().error.path, "quantity.mass." + std::string(wrong).substr(0, std::string(wrong).find(' ')));
  }
  EXPECT_EQ(read_impact_mapping("[quantity]\nmass = {column = 2}\n").error().error.path, "quantity.mass.column");
  EXPECT_EQ(dataset_mapping("planar-elipse").error().code, ErrorCode::unknown_name);
  for (const std::string_view name : impact_datasets()) EXPECT_TRUE(dataset_mapping(name)) << name;
}

}  // namespace
}  // namespace ricochet
