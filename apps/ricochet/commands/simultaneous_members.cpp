#include "commands/simultaneous_members.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <optional>

namespace ricochet::app {
namespace {

/// A line of numbers, doubles to the last bit: settled, energy change, collisions, history, speeds before and after,
/// order.
std::string line_of(const EnsembleMember& m) {
  std::string out =
      fmt::format("{} {:a} {:a} {} {}", m.settled ? 1 : 0, m.energy_change, m.collisions, m.history, m.start.size());
  for (const double x : m.start) out += fmt::format(" {:a}", x);
  out += fmt::format(" {}", m.u.size());
  for (const double x : m.u) out += fmt::format(" {:a}", x);
  out += fmt::format(" {}", m.order.size());
  for (const std::uint32_t contact : m.order) out += fmt::format(" {}", contact);
  return out + "\n";
}

/// The next line of `text`, which is moved past it; nothing where it is no member.
std::optional<EnsembleMember> member_of(const char*& text) {
  const auto whole = [&] {
    char* end = nullptr;
    const std::uint64_t x = std::strtoull(text, &end, 10);
    text = end;
    return x;
  };
  const auto real = [&] {
    char* end = nullptr;
    const double x = std::strtod(text, &end);
    text = end;
    return x;
  };
  constexpr std::uint64_t most = 10'000'000;
  const auto speeds = [&](VecX& u) {
    const std::uint64_t size = whole();
    if (size > most) return false;
    u.resize(static_cast<Eigen::Index>(size));
    for (double& x : u) x = real();
    return true;
  };
  EnsembleMember m;
  m.settled = whole() == 1;
  m.energy_change = real();
  m.collisions = real();
  m.history = whole();
  if (!speeds(m.start) || !speeds(m.u)) return std::nullopt;
  const std::uint64_t contacts = whole();
  if (contacts > most) return std::nullopt;
  m.order.resize(contacts);
  for (std::uint32_t& contact : m.order) contact = static_cast<std::uint32_t>(whole());
  if (*text != '\n') return std::nullopt;
  ++text;
  return m;
}

}  // namespace

MemberFormat<EnsembleMember> sequence_member_format() {
  return {"simultaneous", "members.txt", "", [](std::size_t, const EnsembleMember& m) { return line_of(m); },
          member_of};
}

}  // namespace ricochet::app
