#include "ricochet/report/plot_labels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace ricochet {
namespace {

constexpr double text_size = 10, line_text_size = 9;
constexpr double dot_size = 3.5;     // half the size of a dot
constexpr double same_place = 3;     // closer points count as one
constexpr double crowded = 1e6;      // cost of covering a name or a dot, larger than any other
constexpr double per_ring = 14;      // crossing cost equivalent to moving a name farther away
constexpr double per_degree = 0.03;  // likewise, rather than a name turned from its own angle

Box around(const Vec2& at, double half) { return {at - Vec2::Constant(half), at + Vec2::Constant(half)}; }

double shared_area(const Box& a, const Box& b) {
  const Vec2 size = a.high.cwiseMin(b.high) - a.low.cwiseMax(b.low);
  return (size.array() > 0).all() ? size.prod() : 0;
}

bool inside(const Box& frame, const Box& box) {
  return (box.low.array() >= frame.low.array() + 1).all() && (box.high.array() <= frame.high.array() - 1).all();
}

/// Length of all lines in a box.
double crossed(const Box& box, const std::vector<std::vector<Vec2>>& lines) {
  double out = 0;
  for (const std::vector<Vec2>& line : lines) {
    for (std::size_t i = 1; i < line.size(); ++i) {
      const Vec2 least = line[i - 1].cwiseMin(line[i]), most = line[i - 1].cwiseMax(line[i]);
      if ((least.array() > box.high.array()).any() || (most.array() < box.low.array()).any()) continue;
      const auto [from, to] = clip_to(box, line[i - 1], line[i]);
      if (from < to) out += (to - from) * (line[i] - line[i - 1]).norm();
    }
  }
  return out;
}

struct Candidate {
  Text text;
  double cost = 0;
  double apart = 1;  ///< 1 at the point itself
};

/// Candidate positions beside a point: at its preferred angle first, then around it, then farther away.
std::vector<Candidate> around_point(const PointName& name, double scale, double letter_width) {
  std::vector<Candidate> out;
  double ring = 0;
  for (const double apart : {1.0, 1.7, 2.6, 3.8, 5.5, 8.0, 11.0}) {
    for (const double turn : {0.0, 45.0, -45.0, 90.0, -90.0, 135.0, -135.0, 180.0}) {
      const double a = (name.angle + turn) * std::numbers::pi / 180;
      const double c = std::cos(a);
      const Text text{.at = name.at + scale * (apart * Vec2(7 * c, -10.5 * std::sin(a)) + Vec2(0, 0.35 * text_size)),
                      .text = name.text,
                      .size = scale * text_size,
                      .anchor = c > 0.3    ? Text::Anchor::start
                                : c < -0.3 ? Text::Anchor::end
                                           : Text::Anchor::middle,
                      .colour = name.colour,
                      .clear = true,
                      .letter_width = letter_width};
      out.push_back({text, ring * per_ring + std::abs(turn) * per_degree, apart});
    }
    ++ring;
  }
  return out;
}

/// Candidate positions on a line, as on contours of a map: near its ends first.
std::vector<Candidate> on_line(const LineName& name, double scale, double letter_width) {
  const bool forward = name.to.x() >= name.from.x();
  const Vec2 left = forward ? name.from : name.to, right = forward ? name.to : name.from;
  const double length = (right - left).norm();
  const double size = scale * line_text_size;
  const double half = letter_width * text_width(name.text, size) / 2 + 8 * scale;
  std::vector<Candidate> out;
  if (!(length > 2 * half)) return out;
  const Vec2 d = (right - left) / length;
  constexpr int places = 24;
  for (int i = 0; i <= places; ++i) {
    // Alternating from both ends to the middle.
    const double far = half + (length - 2 * half) * (i % 2 == 0 ? i : 2 * places - i + 1) / (2.0 * places);
    // The letters are centred on the line vertically.
    const Text text{.at = right - far * d + 0.35 * size * Vec2(-d.y(), d.x()),
                    .text = name.text,
                    .size = size,
                    .anchor = Text::Anchor::middle,
                    .colour = name.colour,
                    .turn = std::atan2(d.y(), d.x()) * 180 / std::numbers::pi,
                    .clear = true,
                    .letter_width = letter_width};
    out.push_back({text, 0.5 * i});
  }
  return out;
}

Line leader(const Vec2& at, const Box& box, double scale) {
  const Vec2 end = at.cwiseMax(box.low).cwiseMin(box.high);
  const Vec2 d = (end - at).normalized();
  return {.points = {at + scale * dot_size * d, end}, .stroke = {.colour = "#8a8a8a", .width = 0.6}};
}

class Placing {
 public:
  explicit Placing(const LabelObstacles& obstacles) : around_(obstacles) {
    for (const Vec2& dot : obstacles.dots) taken_.push_back(around(dot, obstacles.scale * dot_size));
  }

  void name_point(const PointName& name) {
    std::vector<Candidate> all = around_point(shortened(name), around_.scale, around_.letter_width);
    for (std::size_t i = 0, count = all.size(); i < count; ++i)
      if (const auto moved = brought_inside(all[i])) all.push_back(*moved);
    const Candidate* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const Candidate& one : all) {
      // The distance is a lower bound of the cost: most names are near their points, and the rest is not evaluated.
      if (one.cost >= least) continue;
      const double cost = cost_of(one, around_.lines);
      if (cost >= least) continue;
      least = cost;
      best = &one;
    }
    if (best == nullptr) return;
    const Box box = box_of(best->text);
    if (best->apart > 2) out.leaders.push_back(leader(name.at, box, around_.scale));
    put(*best, box);
  }

  void name_line(const LineName& name) {
    // Its own line does not count as an obstacle.
    std::vector<std::vector<Vec2>> others;
    for (const std::vector<Vec2>& line : around_.lines)
      if (!same(line, name)) others.push_back(line);
    std::optional<Candidate> best;
    double least = crowded;
    for (const Candidate& one : on_line(name, around_.scale, around_.letter_width)) {
      if (one.cost >= least) continue;
      const double cost = cost_of(one, others);
      if (cost >= least) continue;
      least = cost;
      best = one;
    }
    if (best) put(*best, box_of(best->text));
  }

  PlacedNames out;

 private:
  /// Names of one place that are together wider than the frame: the first ones, and a sign that there are more.
  [[nodiscard]] PointName shortened(const PointName& name) const {
    const double room = around_.frame.high.x() - around_.frame.low.x() - 4 * around_.scale;
    const auto fits = [&](const std::string& text) {
      return around_.letter_width * text_width(text, around_.scale * text_size) <= room;
    };
    PointName made = name;
    std::string kept = name.text;
    while (!fits(made.text)) {
      const std::size_t comma = kept.rfind(", ");
      if (comma == std::string::npos) break;
      kept.resize(comma);
      made.text = kept + ", …";
    }
    return made;
  }

  /// The same height, but moved sideways until it is in the frame; nothing where it is there already.
  [[nodiscard]] std::optional<Candidate> brought_inside(const Candidate& one) const {
    const Box box = box_of(one.text);
    const double right = std::max(0.0, around_.frame.low.x() + 2 - box.low.x());
    const double left = std::max(0.0, box.high.x() + 2 - around_.frame.high.x());
    if (right == left) return std::nullopt;
    Candidate made = one;
    made.text.at.x() += right - left;
    made.cost += per_ring;
    return made;
  }

  [[nodiscard]] double cost_of(const Candidate& one, const std::vector<std::vector<Vec2>>& lines) const {
    const Box box = box_of(one.text);
    double cost = one.cost + crossed(box, lines);
    if (!inside(around_.frame, box)) cost += 2 * crowded;
    for (const Box& other : taken_)
      if (overlap(other, box)) cost += crowded * (1 + shared_area(other, box));
    return cost;
  }
  static bool same(const std::vector<Vec2>& line, const LineName& name) {
    if (line.size() != 2) return false;
    const Vec2 d = (line[1] - line[0]).normalized();
    const auto off = [&](const Vec2& p) { return std::abs(d.x() * (p - line[0]).y() - d.y() * (p - line[0]).x()); };
    return off(name.from) < 0.01 && off(name.to) < 0.01;
  }
  void put(const Candidate& one, const Box& box) {
    taken_.push_back({box.low - Vec2::Constant(1), box.high + Vec2::Constant(1)});
    out.texts.push_back(one.text);
  }

  const LabelObstacles& around_;
  std::vector<Box> taken_;
};

}  // namespace

std::pair<double, double> clip_to(const Box& box, const Vec2& from, const Vec2& to) {
  double first = 0, last = 1;
  const Vec2 d = to - from;
  for (int i = 0; i < 2; ++i) {
    if (d(i) == 0) {
      if (from(i) < box.low(i) || from(i) > box.high(i)) return {1, 0};
      continue;
    }
    const double a = (box.low(i) - from(i)) / d(i), b = (box.high(i) - from(i)) / d(i);
    first = std::max(first, std::min(a, b));
    last = std::min(last, std::max(a, b));
  }
  return {first, last};
}

PlacedNames place_names(const std::vector<PointName>& points, const std::vector<LineName>& lines,
                        const LabelObstacles& obstacles) {
  std::vector<PointName> merged;
  for (const PointName& point : points) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const PointName& other) {
      return (other.at - point.at).norm() < obstacles.scale * same_place;
    });
    if (same == merged.end()) {
      merged.push_back(point);
    } else {
      same->text += ", " + point.text;
    }
  }
  Placing placing(obstacles);
  for (const PointName& point : merged) placing.name_point(point);
  for (const LineName& line : lines) placing.name_line(line);
  return placing.out;
}

}  // namespace ricochet
