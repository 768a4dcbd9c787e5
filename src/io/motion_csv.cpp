#include "ricochet/io/motion_csv.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

#include "io/csv_records.hpp"
#include "ricochet/io/csv_field.hpp"
#include "ricochet/io/text.hpp"

namespace ricochet {
namespace {

void append_numbers(fmt::memory_buffer& out, std::initializer_list<double> numbers) {
  for (const double x : numbers) fmt::format_to(fmt::appender(out), ",{}", x);
}

void append_vector(fmt::memory_buffer& out, const Vec3& v) { append_numbers(out, {v.x(), v.y(), v.z()}); }

bool read_csv_number(const std::string& text, double& x) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, x);
  return error == std::errc{} && rest == end;
}

std::optional<motion::EventKind> event_kind(std::string_view word) {
  using enum motion::EventKind;
  for (const motion::EventKind kind : {impact, stick, slip, roll, lift_off, rest})
    if (word == motion::name(kind)) return kind;
  return std::nullopt;
}

}  // namespace

std::string trajectory_csv_header(std::span<const std::string> names) {
  fmt::memory_buffer out;
  append(out, "time");
  for (const std::string& name : names)
    for (const char* part : {"px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"}) {
      out.push_back(',');
      append_csv_field(out, fmt::format("{}.{}", name, part));
    }
  out.push_back('\n');
  return fmt::to_string(out);
}

void append_trajectory_row(fmt::memory_buffer& out, double time, std::span<const motion::Pose> poses) {
  fmt::format_to(fmt::appender(out), "{}", time);
  for (const motion::Pose& pose : poses) {
    const auto& q = pose.orientation;
    append_vector(out, pose.position);
    append_numbers(out, {q.w(), q.x(), q.y(), q.z()});
    append_vector(out, pose.velocity);
    append_vector(out, pose.angular_velocity);
  }
  out.push_back('\n');
}

void append_event_row(fmt::memory_buffer& out, const motion::Event& event, std::span<const std::string> names) {
  fmt::format_to(fmt::appender(out), "{},{},", event.time, motion::name(event.kind));
  append_csv_field(out, names[event.body_a]);
  out.push_back(',');
  append_csv_field(out, names[event.body_b]);
  append_vector(out, event.point);
  append_vector(out, event.n);
  append_vector(out, event.P);
  append_numbers(out, {event.energy_change, event.approach, event.slip});
  fmt::format_to(fmt::appender(out), ",{}\n", event.together);
}

void append_ledger_row(fmt::memory_buffer& out, double time, const motion::EnergyLedger& ledger) {
  fmt::format_to(fmt::appender(out), "{}", time);
  append_numbers(out, {ledger.kinetic, ledger.potential, ledger.elastic, ledger.lost_to_impact, ledger.lost_to_friction,
                       ledger.applied_work, ledger.imbalance()});
  out.push_back('\n');
}

Expected<void> read_numbers_csv(const std::string& path, std::size_t columns,
                                const std::function<void(std::span<const double>)>& row) {
  auto records = CsvRecords::open(path);
  if (!records) return tl::unexpected(records.error());
  std::vector<double> numbers(columns);
  for (bool header = true;; header = false) {
    const auto fields = records->next();
    if (!fields) return tl::unexpected(fields.error());
    if (!*fields) return {};
    if ((*fields)->size() != numbers.size()) return records->wrong(fmt::format("must have {} numbers", numbers.size()));
    if (header) continue;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (!read_csv_number((**fields)[i], numbers[i])) return records->wrong("must be numbers");
    row(numbers);
  }
}

Expected<void> read_trajectory_csv(const std::string& path, std::size_t bodies,
                                   const std::function<void(std::span<const double>)>& row) {
  return read_numbers_csv(path, 1 + numbers_of_pose * bodies, row);
}

Expected<void> read_events_csv(const std::string& path, std::span<const std::string> names,
                               const std::function<void(const motion::Event&)>& event) {
  auto records = CsvRecords::open(path);
  if (!records) return tl::unexpected(records.error());
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < names.size(); ++i) index.emplace(names[i], i);
  constexpr std::size_t columns = 17;
  for (bool header = true;; header = false) {
    const auto fields = records->next();
    if (!fields) return tl::unexpected(fields.error());
    if (!*fields) return {};
    if ((*fields)->size() != columns) return records->wrong(fmt::format("must have {} fields", columns));
    if (header) continue;
    const auto& f = **fields;
    motion::Event e;
    const auto kind = event_kind(f[1]);
    const auto a = index.find(f[2]), b = index.find(f[3]);
    if (!kind || a == index.end() || b == index.end()) return records->wrong("must be an event of these bodies");
    e.kind = *kind;
    e.body_a = a->second;
    e.body_b = b->second;
    std::array<double, columns> x{};
    for (std::size_t i = 0; i < columns; ++i)
      if ((i == 0 || i > 3) && !read_csv_number(f[i], x[i])) return records->wrong("must be numbers");
    e.time = x[0];
    e.point = {x[4], x[5], x[6]};
    e.n = {x[7], x[8], x[9]};
    e.P = {x[10], x[11], x[12]};
    e.energy_change = x[13];
    e.approach = x[14];
    e.slip = x[15];
    e.together = static_cast<std::uint32_t>(x[16]);
    event(e);
  }
}

}  // namespace ricochet
