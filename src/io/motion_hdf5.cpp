#include "ricochet/io/motion_hdf5.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "ricochet/io/motion_csv.hpp"

#ifdef RICOCHET_HAVE_HDF5
#include <hdf5.h>
#endif

namespace ricochet {

#ifdef RICOCHET_HAVE_HDF5
namespace {

/// An identifier of HDF5, closed when it goes.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] bool good() const { return id_ >= 0; }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor)

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// A dataset that grows along its first dimension; rows are collected and written in blocks.
class Column {
 public:
  /// Every row has the dimensions `row`; an empty list makes it a number.
  Column(hid_t file, const char* name, std::vector<hsize_t> row) : row_(std::move(row)) {
    for (const hsize_t n : row_) width_ *= n;
    block_ = std::max<hsize_t>(1, 4096 / std::max<hsize_t>(1, width_));
    std::vector<hsize_t> size{0}, most{H5S_UNLIMITED}, chunk{block_};
    for (const hsize_t n : row_) {
      size.push_back(n);
      most.push_back(n);
      chunk.push_back(n);
    }
    const int rank = static_cast<int>(size.size());
    const Handle space(H5Screate_simple(rank, size.data(), most.data()), H5Sclose);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    good_ = space.good() && H5Pset_chunk(properties, rank, chunk.data()) >= 0 &&
            H5Pset_obj_track_times(properties, false) >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0;
    if (good_) set_.emplace(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, links, properties, H5P_DEFAULT), H5Dclose);
    good_ = good_ && set_->good();
  }

  void add(std::initializer_list<double> numbers) { add(std::span<const double>(numbers.begin(), numbers.size())); }
  void add(std::span<const double> numbers) {
    waiting_.insert(waiting_.end(), numbers.begin(), numbers.end());
    if (waiting_.size() >= block_ * width_) flush();
  }
  /// Whether everything was written.
  [[nodiscard]] bool finish() {
    flush();
    return good_;
  }

 private:
  void flush() {
    if (!good_ || waiting_.empty()) return;
    const hsize_t rows = waiting_.size() / width_;
    std::vector<hsize_t> from{written_}, count{rows}, size{written_ + rows};
    for (const hsize_t n : row_) {
      from.push_back(0);
      count.push_back(n);
      size.push_back(n);
    }
    good_ = H5Dset_extent(*set_, size.data()) >= 0;
    const Handle in_file(H5Dget_space(*set_), H5Sclose);
    const Handle in_memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
    good_ = good_ && H5Sselect_hyperslab(in_file, H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr) >= 0 &&
            H5Dwrite(*set_, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, waiting_.data()) >= 0;
    written_ += rows;
    waiting_.clear();
  }

  std::vector<hsize_t> row_;
  hsize_t width_ = 1, block_ = 1, written_ = 0;
  std::vector<double> waiting_;
  std::optional<Handle> set_;
  bool good_ = false;
};

/// A list of words, in UTF-8.
bool write_words(hid_t file, const char* name, const std::vector<std::string>& words) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  std::size_t longest = 1;
  for (const std::string& word : words) longest = std::max(longest, word.size() + 1);
  std::string text;
  for (const std::string& word : words) text += word + std::string(longest - word.size(), '\0');
  const hsize_t count = words.size();
  const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (H5Tset_size(type, longest) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0 ||
      H5Pset_obj_track_times(properties, false) < 0)
    return false;
  const Handle set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
  return set.good() && (words.empty() || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) >= 0);
}

}  // namespace

bool have_hdf5() { return true; }

Expected<void> write_motion_hdf5(const std::string& path, const MotionFiles& files) {
  const auto trouble = [&] { return fail(ErrorCode::file_access, "", "", path + ": cannot be written"); };
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // its errors are ours to report
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  if (!file.good()) return trouble();
  if (!write_words(file, "names", files.names)) return trouble();
  const hsize_t bodies = files.names.size();
  {
    Column time(file, "time", {}), position(file, "position", {bodies, 3}),
        orientation(file, "orientation", {bodies, 4}), velocity(file, "velocity", {bodies, 3}),
        angular_velocity(file, "angular_velocity", {bodies, 3});
    const auto read = read_trajectory_csv(files.trajectory, files.names.size(), [&](std::span<const double> row) {
      time.add(row.first(1));
      for (std::size_t i = 1; i + numbers_of_pose <= row.size(); i += numbers_of_pose) {
        position.add(row.subspan(i, 3));
        orientation.add(row.subspan(i + 3, 4));
        velocity.add(row.subspan(i + 7, 3));
        angular_velocity.add(row.subspan(i + 10, 3));
      }
    });
    if (!read) return read;
    for (Column* column : {&time, &position, &orientation, &velocity, &angular_velocity})
      if (!column->finish()) return trouble();
  }
  std::vector<std::string> kinds;
  {
    using motion::EventKind;
    for (const EventKind kind :
         {EventKind::impact, EventKind::stick, EventKind::slip, EventKind::roll, EventKind::lift_off, EventKind::rest})
      kinds.emplace_back(motion::name(kind));
  }
  Column time(file, "events/time", {}), kind(file, "events/kind", {}), body_a(file, "events/body_a", {}),
      body_b(file, "events/body_b", {}), point(file, "events/point", {3}), normal(file, "events/normal", {3}),
      impulse(file, "events/impulse", {3}), change(file, "events/energy_change", {}),
      approach(file, "events/approach", {}), slip(file, "events/slip", {}), together(file, "events/together", {});
  if (!write_words(file, "events/kinds", kinds)) return trouble();
  const auto read = read_events_csv(files.events, files.names, [&](const motion::Event& e) {
    const auto vector = [](Column& column, const Vec3& v) { column.add({v.x(), v.y(), v.z()}); };
    time.add({e.time});
    kind.add({static_cast<double>(e.kind)});
    body_a.add({static_cast<double>(e.body_a)});
    body_b.add({static_cast<double>(e.body_b)});
    vector(point, e.point);
    vector(normal, e.n);
    vector(impulse, e.P);
    change.add({e.energy_change});
    approach.add({e.approach});
    slip.add({e.slip});
    together.add({static_cast<double>(e.together)});
  });
  if (!read) return read;
  for (Column* column :
       {&time, &kind, &body_a, &body_b, &point, &normal, &impulse, &change, &approach, &slip, &together})
    if (!column->finish()) return trouble();
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) return trouble();
  return {};
}

#else

bool have_hdf5() { return false; }

Expected<void> write_motion_hdf5(const std::string& path, const MotionFiles&) {
  return fail(ErrorCode::unavailable, "", "", path + ": this program was built without libhdf5-dev");
}

#endif

}  // namespace ricochet
