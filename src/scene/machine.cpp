#include "ricochet/scene/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/suggest.hpp"

namespace ricochet {
namespace {

std::string not_there(std::string_view word, const std::vector<Coordinate>& coordinates) {
  std::vector<std::string_view> names;
  std::string list;
  for (const Coordinate& c : coordinates) {
    names.push_back(c.name);
    if (list.size() > 300) continue;
    list += (list.empty() ? "" : ", ") + c.name;
    if (list.size() > 300) list += " and others";
  }
  const std::string_view near = closest(word, names);
  return near.empty() ? fmt::format("is not in the model; it has {}", list)
                      : fmt::format("is not in the model; did you mean {}?", near);
}

}  // namespace

Expected<Keyframe> Machine::keyframe(std::string_view name) const {
  return fail(ErrorCode::unknown_name, "key", std::string(name), "is not there: only robot files have keyframes");
}

std::vector<LinkShape> Machine::striking_shapes() const {
  std::vector<LinkShape> out = link_shapes();
  const auto moves_and_collides = [](const LinkShape& s) { return s.collides && !s.fixed; };
  if (std::any_of(out.begin(), out.end(), moves_and_collides))
    std::erase_if(out, [](const LinkShape& s) { return !s.collides; });
  return out;
}

std::vector<IndependentSystem> Machine::systems() const {
  return {{0, static_cast<int>(default_u().size()), solver()}};
}

MassSolver block_solver(std::vector<IndependentSystem> systems) {
  return [systems = std::move(systems)](const MatX& X) {
    MatX out(X.rows(), X.cols());
    for (const IndependentSystem& s : systems)
      out.middleRows(s.first, s.count) = s.solve(X.middleRows(s.first, s.count));
    return out;
  };
}

Expected<DrivenTree> Machine::driven_tree() const {
  return fail(ErrorCode::unavailable, "model", "", "has no motion: robot files have");
}

MatX Machine::jacobian(int, const Vec3&) const { return MatX::Zero(3, default_u().size()); }

namespace {

/// Quaternions that have unit length to three digits, as people write them, get it exactly; others stay, to be refused.
void mend_quaternions(const Machine& machine, VecX& q) {
  for (const Coordinate& c : machine.coordinates()) {
    if (c.positions != c.speeds + 1 || (c.positions != 4 && c.positions != 7)) continue;
    auto r = q.segment<4>(c.position + c.positions - 4);
    const double length = r.norm();
    if (std::abs(length - 1) > 4 * std::numeric_limits<double>::epsilon() && std::abs(length - 1) <= 1e-3) r /= length;
  }
}

}  // namespace

Expected<void> put(const Machine& machine, const NamedNumbers& given, bool position, VecX& x) {
  if (given.name.empty()) {
    if (static_cast<Eigen::Index>(given.values.size()) != x.size())
      return fail(ErrorCode::wrong_type, position ? "q" : "u", fmt::format("{} numbers", given.values.size()),
                  fmt::format("must have {} for this model", x.size()));
    x = Eigen::Map<const VecX>(given.values.data(), x.size());
    if (position) mend_quaternions(machine, x);
    return {};
  }
  for (const Coordinate& c : machine.coordinates()) {
    if (c.name != given.name) continue;
    const int count = position ? c.positions : c.speeds;
    if (static_cast<int>(given.values.size()) != count)
      return fail(ErrorCode::wrong_type, join_path(position ? "q" : "u", c.name),
                  fmt::format("{} numbers", given.values.size()),
                  fmt::format("must have {} {}", count, position ? "of position" : "of speed"));
    x.segment(position ? c.position : c.speed, count) = Eigen::Map<const VecX>(given.values.data(), count);
    if (position) mend_quaternions(machine, x);
    return {};
  }
  return fail(ErrorCode::unknown_name, "joint", given.name, not_there(given.name, machine.coordinates()));
}

}  // namespace ricochet
