/// Motions in files: what is written is read back as the same numbers.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "ricochet/io/motion_csv.hpp"
#include "ricochet/io/motion_hdf5.hpp"

#ifdef RICOCHET_TEST_HDF5
#include <hdf5.h>
#endif

namespace ricochet {
namespace {

const std::vector<std::string> awkward_names{"floor", "\"quoted\", with commas", "two\nlines", "\"", ""};

class MotionFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() /
             (std::string("ricochet_motion_files_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder);
    std::mt19937_64 rng(3);
    std::normal_distribution<double> normal;
    const auto vector = [&] { return Vec3(normal(rng), normal(rng), normal(rng)); };
    for (int i = 0; i < 300; ++i) {
      times.push_back(i / 7.0);
      std::vector<motion::Pose> row;
      for (std::size_t k = 0; k < awkward_names.size(); ++k)
        row.push_back({vector(), Quaternion(normal(rng), normal(rng), normal(rng), normal(rng)), vector(), vector()});
      poses.push_back(row);
      motion::Event event;
      event.time = i / 3.0;
      event.kind = static_cast<motion::EventKind>(i % 6);
      event.body_a = static_cast<std::size_t>(i) % awkward_names.size();
      event.body_b = static_cast<std::size_t>(i + 1) % awkward_names.size();
      event.point = vector();
      event.n = vector();
      event.P = 1e-300 * vector();
      event.energy_change = normal(rng);
      event.approach = normal(rng);
      event.slip = normal(rng);
      event.together = static_cast<std::uint32_t>(i);
      events.push_back(event);
    }
    fmt::memory_buffer trajectory, list;
    for (std::size_t i = 0; i < times.size(); ++i) append_trajectory_row(trajectory, times[i], poses[i]);
    for (const motion::Event& event : events) append_event_row(list, event, awkward_names);
    std::ofstream(file("t.csv"), std::ios::binary)
        << trajectory_csv_header(awkward_names) << fmt::to_string(trajectory);
    std::ofstream(file("e.csv"), std::ios::binary) << events_csv_header << fmt::to_string(list);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  [[nodiscard]] std::string file(const char* name) const { return (folder / name).string(); }

  std::filesystem::path folder;
  std::vector<double> times;
  std::vector<std::vector<motion::Pose>> poses;
  std::vector<motion::Event> events;
};

TEST_F(MotionFilesTest, CsvReadsBackTheSameDoubles) {
  std::size_t i = 0;
  const auto rows = read_trajectory_csv(file("t.csv"), awkward_names.size(), [&](std::span<const double> row) {
    ASSERT_LT(i, times.size());
    EXPECT_EQ(row[0], times[i]);
    for (std::size_t k = 0; k < awkward_names.size(); ++k) {
      const double* x = row.data() + 1 + numbers_of_pose * k;
      const motion::Pose& pose = poses[i][k];
      EXPECT_EQ(Vec3(x[0], x[1], x[2]), pose.position);
      EXPECT_EQ(Quaternion(x[3], x[4], x[5], x[6]).coeffs(), pose.orientation.coeffs());
      EXPECT_EQ(Vec3(x[7], x[8], x[9]), pose.velocity);
      EXPECT_EQ(Vec3(x[10], x[11], x[12]), pose.angular_velocity);
    }
    ++i;
  });
  ASSERT_TRUE(rows.has_value()) << rows.error().message();
  EXPECT_EQ(i, times.size());
  i = 0;
  const auto list = read_events_csv(file("e.csv"), awkward_names, [&](const motion::Event& event) {
    ASSERT_LT(i, events.size());
    EXPECT_EQ(event.time, events[i].time);
    EXPECT_EQ(event.kind, events[i].kind);
    EXPECT_EQ(event.body_a, events[i].body_a);
    EXPECT_EQ(event.body_b, events[i].body_b);
    EXPECT_EQ(event.point, events[i].point);
    EXPECT_EQ(event.n, events[i].n);
    EXPECT_EQ(event.P, events[i].P);
    EXPECT_EQ(event.energy_change, events[i].energy_change);
    EXPECT_EQ(event.approach, events[i].approach);
    EXPECT_EQ(event.slip, events[i].slip);
    EXPECT_EQ(event.together, events[i].together);
    ++i;
  });
  ASSERT_TRUE(list.has_value()) << list.error().message();
  EXPECT_EQ(i, events.size());
}

TEST_F(MotionFilesTest, DamagedCsv_IsRefused) {
  const auto ignore_row = [](std::span<const double>) {};
  const auto ignore_event = [](const motion::Event&) {};
  EXPECT_FALSE(read_trajectory_csv(file("none.csv"), 1, ignore_row));
  EXPECT_FALSE(read_trajectory_csv(file("t.csv"), 1, ignore_row));
  std::ofstream(file("cut.csv")) << trajectory_csv_header(std::vector<std::string>{}) << "1\n2";
  EXPECT_FALSE(read_trajectory_csv(file("cut.csv"), 0, ignore_row));
  std::ofstream(file("word.csv")) << "time\none\n";
  EXPECT_FALSE(read_trajectory_csv(file("word.csv"), 0, ignore_row));
  EXPECT_FALSE(read_events_csv(file("e.csv"), std::vector<std::string>{"other"}, ignore_event));
}

#ifdef RICOCHET_TEST_HDF5
std::vector<double> dataset(hid_t h5, const char* name, std::size_t rows, std::size_t width) {
  const hid_t set = H5Dopen2(h5, name, H5P_DEFAULT), space = H5Dget_space(set);
  EXPECT_EQ(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), rows * width) << name;
  std::vector<double> out(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()), 0) << name;
  H5Sclose(space);
  H5Dclose(set);
  return out;
}

TEST_F(MotionFilesTest, Hdf5HoldsTheSameDoubles) {
  ASSERT_TRUE(have_hdf5());
  const auto written = write_motion_hdf5(file("m.h5"), {file("t.csv"), file("e.csv"), awkward_names});
  ASSERT_TRUE(written.has_value()) << written.error().message();
  const hid_t h5 = H5Fopen(file("m.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(h5, 0);
  const std::size_t n = awkward_names.size();
  EXPECT_EQ(dataset(h5, "time", times.size(), 1), times);
  const auto position = dataset(h5, "position", times.size(), 3 * n),
             angular = dataset(h5, "angular_velocity", times.size(), 3 * n);
  const auto orientation = dataset(h5, "orientation", times.size(), 4 * n);
  for (std::size_t i = 0; i < times.size(); ++i)
    for (std::size_t k = 0; k < n; ++k) {
      EXPECT_EQ(position[3 * (i * n + k) + 2], poses[i][k].position.z());
      EXPECT_EQ(angular[3 * (i * n + k)], poses[i][k].angular_velocity.x());
      EXPECT_EQ(orientation[4 * (i * n + k)], poses[i][k].orientation.w());
    }
  const auto time = dataset(h5, "events/time", events.size(), 1),
             impulse = dataset(h5, "events/impulse", events.size(), 3),
             body = dataset(h5, "events/body_b", events.size(), 1);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(time[i], events[i].time);
    EXPECT_EQ(impulse[3 * i + 1], events[i].P.y());
    EXPECT_EQ(body[i], static_cast<double>(events[i].body_b));
  }
  H5Fclose(h5);
  const auto again = write_motion_hdf5(file("n.h5"), {file("t.csv"), file("e.csv"), awkward_names});
  ASSERT_TRUE(again.has_value());
  const auto bytes = [&](const char* name) {
    std::ifstream in(file(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  EXPECT_FALSE(bytes("m.h5").empty());
  EXPECT_EQ(bytes("m.h5"), bytes("n.h5"));
}
#endif

}  // namespace
}  // namespace ricochet
