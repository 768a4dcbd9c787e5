#include "ricochet/io/motion_hdf5.hpp"

#include <span>

#include "ricochet/io/motion_csv.hpp"

#ifdef RICOCHET_HAVE_HDF5
#include "io/hdf5_column.hpp"
#endif

namespace ricochet {

#ifdef RICOCHET_HAVE_HDF5
namespace {

using hdf5::Column;
using hdf5::Handle;
using hdf5::write_words;

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
