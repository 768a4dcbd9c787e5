#include "ricochet/io/motion_ensemble_text.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>

#include "ricochet/io/csv_field.hpp"
#include "ricochet/io/motion_csv.hpp"
#include "ricochet/io/text.hpp"

namespace ricochet {
namespace {

constexpr std::array<const char*, numbers_of_pose> state_names{"px", "py", "pz", "qw", "qx", "qy", "qz",
                                                               "vx", "vy", "vz", "wx", "wy", "wz"};

/// The fields of one row, one after the other.
class MemberRow {
 public:
  explicit MemberRow(const char* text) : at_(text), end_(text + std::strcspn(text, "\n")) {}

  /// A number, after which a comma follows.
  template <class Number>
  [[nodiscard]] bool number(Number& x) {
    const auto [rest, error] = std::from_chars(at_, end_, x);
    if (error != std::errc{} || rest == end_ || *rest != ',') return false;
    at_ = rest + 1;
    return true;
  }
  [[nodiscard]] bool word(std::string& out) {
    const std::size_t length = std::strcspn(at_, ",\n");
    out.assign(at_, length);
    if (at_[length] != ',') return false;
    at_ += length + 1;
    return true;
  }
  /// The last field. Sentences of errors have no line breaks.
  [[nodiscard]] bool sentence(std::string& out) {
    if (at_ == end_ || *at_ != '"') {
      out.assign(at_, end_);
      return *end_ == '\n';
    }
    for (++at_; at_ + 1 < end_; ++at_) {
      if (*at_ == '"') ++at_;
      out += *at_;
    }
    return at_ < end_ && *at_ == '"' && *end_ == '\n';
  }
  [[nodiscard]] const char* after() const { return end_ + 1; }

 private:
  const char *at_, *end_;
};

Json distribution_json(const motion::Distribution& d) {
  return {{"mean", to_json(d.mean)},
          {"deviation", to_json(d.deviation)},
          {"low", to_json(d.low)},
          {"median", to_json(d.median)},
          {"high", to_json(d.high)}};
}

}  // namespace

std::string motion_members_csv_header(std::span<const std::string> moving) {
  fmt::memory_buffer out;
  append(out, "member,end,time,events,impacts,kinetic,potential,elastic,lost_to_impact,lost_to_friction");
  for (const std::string& name : moving)
    for (const char* part : state_names) {
      out.push_back(',');
      append_csv_field(out, fmt::format("{}.{}", name, part));
    }
  append(out, ",reason\n");
  return fmt::to_string(out);
}

std::string motion_member_row(std::size_t number, const motion::MotionMember& member) {
  fmt::memory_buffer out;
  fmt::format_to(fmt::appender(out), "{},{},{},{},{}", number, member.end, member.time, member.events, member.impacts);
  for (const double x :
       {member.kinetic, member.potential, member.elastic, member.lost_to_impact, member.lost_to_friction})
    fmt::format_to(fmt::appender(out), ",{}", x);
  for (const double x : member.state) fmt::format_to(fmt::appender(out), ",{}", x);
  out.push_back(',');
  append_csv_field(out, member.reason);
  out.push_back('\n');
  return fmt::to_string(out);
}

std::optional<motion::MotionMember> read_motion_member(const char*& text, std::size_t bodies) {
  MemberRow row(text);
  motion::MotionMember m;
  std::size_t number = 0;
  bool fine = row.number(number) && row.word(m.end) && row.number(m.time) && row.number(m.events) &&
              row.number(m.impacts) && row.number(m.kinetic) && row.number(m.potential) && row.number(m.elastic) &&
              row.number(m.lost_to_impact) && row.number(m.lost_to_friction);
  m.state.resize(numbers_of_pose * bodies);
  for (double& x : m.state) fine = fine && row.number(x);
  if (!fine || !row.sentence(m.reason)) return std::nullopt;
  text = row.after();
  return m;
}

Json to_json(const motion::MotionStatistics& statistics, std::span<const std::string> moving,
             std::span<const motion::MotionMember> members) {
  Json ends = Json::object(), stopped = Json::array();
  for (const auto& [end, count] : statistics.ends) ends[end] = count;
  for (const std::size_t k : statistics.stopped)
    stopped.push_back(
        {{"member", k}, {"end", members[k].end}, {"time", members[k].time}, {"reason", members[k].reason}});
  Json out{{"members", statistics.members},
           {"reached", statistics.reached},
           {"ends", std::move(ends)},
           {"stopped", std::move(stopped)}};
  if (statistics.reached == 0) return out;
  const auto share = [&](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(statistics.reached);
  };
  out["at_rest"] = share(statistics.at_rest);
  out["impacts"] = distribution_json(statistics.impacts);
  out["energy"] = distribution_json(statistics.energy);
  Json bodies = Json::array();
  for (std::size_t k = 0; k < moving.size(); ++k) {
    Json body{{"name", moving[k]}, {"at_rest", share(statistics.bodies[k].at_rest)}};
    for (std::size_t c = 0; c < numbers_of_pose; ++c)
      body[state_names[c]] = distribution_json(statistics.bodies[k].state[c]);
    bodies.push_back(std::move(body));
  }
  out["bodies"] = std::move(bodies);
  return out;
}

}  // namespace ricochet
