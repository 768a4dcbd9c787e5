#include "ricochet/motion/ensemble.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <variant>

#include "ricochet/base/in_parallel.hpp"
#include "ricochet/base/parameter.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/simultaneous/uncertain.hpp"

namespace ricochet::motion {
namespace {

constexpr int most_starts = 100;        ///< that are drawn for a member until one is without overlap
constexpr double rest_speed = 1e-6;     ///< relative to the reference speed
constexpr std::size_t few_stopped = 4;  ///< members that statistics name
constexpr std::size_t numbers_of_body = 13;

/// From the centre of mass to the farthest point of the shapes (a bound), but no less than the root mean square
/// distance of the mass.
double size_of(const WorldBody& body) {
  double size = body.body.mass > 0 ? std::sqrt(std::max(0.0, body.body.inertia.trace() / (2 * body.body.mass))) : 0;
  for (const ConvexShape& shape : body.shapes) {
    const double reach = shape.position.norm() + core_radius(shape) + shape.margin;
    if (std::isfinite(reach)) size = std::max(size, reach);
  }
  return size;
}

double speed_of(const Pose& pose, double size) {
  return std::max(pose.velocity.norm(), size * pose.angular_velocity.norm());
}

/// The nearest motion, with weights 1/s, that satisfies G u = 0: (I − s² Gᵀ (G s² Gᵀ)⁺ G).
MatX projection(const MatX& G, const VecX& s) {
  const MatX scaled = G * s.asDiagonal();
  const MatX inverse = scaled.completeOrthogonalDecomposition().pseudoInverse();
  const MatX in_scale = MatX::Identity(s.size(), s.size()) - inverse * scaled;
  return s.asDiagonal() * in_scale * s.cwiseMax(1e-300).cwiseInverse().asDiagonal();
}

Mat3 cross_matrix(const Vec3& r) {
  Mat3 out;
  out << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
  return out;
}

std::optional<double> parameter(const Law& law, std::string_view wanted) {
  for (const auto& [name, value] : parameters_of(law))
    if (name == wanted)
      if (const auto* x = std::get_if<double>(&value)) return *x;
  return std::nullopt;
}

Vec3 symmetric_vector(Random& random) {
  const double x = random.symmetric();
  const double y = random.symmetric();
  const double z = random.symmetric();
  return {x, y, z};
}

Quaternion turned(const Quaternion& q, const Vec3& by) {
  const double angle = by.norm();
  if (angle == 0) return q;
  return Quaternion(Eigen::AngleAxisd(angle, by / angle)) * q;
}

/// `values` in any order; the second pass keeps a small deviation exact.
Distribution distribution_of(std::vector<double>& values) {
  Distribution out;
  if (values.empty()) return out;
  const auto count = static_cast<double>(values.size());
  for (const double x : values) out.mean += x;
  out.mean /= count;
  for (const double x : values) out.deviation += (x - out.mean) * (x - out.mean);
  out.deviation = std::sqrt(out.deviation / count);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  out.median = values.size() % 2 == 1 ? *middle : 0.5 * (*middle + *std::max_element(values.begin(), middle));
  out.low = *std::min_element(values.begin(), values.end());
  out.high = *std::max_element(values.begin(), values.end());
  return out;
}

}  // namespace

Expected<MotionEnsemble> MotionEnsemble::make(World world, const MotionEnsembleOptions& options) {
  MotionEnsemble out(std::move(world), options);
  auto nominal = ChosenMotion::make(out.world_, nullptr, options.method);
  if (!nominal) return tl::unexpected(nominal.error());
  out.measure(nominal->poses());
  if (const auto fine = out.check_uncertainty(); !fine) return tl::unexpected(fine.error());
  return out;
}

Expected<void> MotionEnsemble::check_uncertainty() const {
  const MotionUncertainty& by = options_.uncertainty;
  if (const auto fine = in_range("uncertainty", by.speed, finite_from(0)); !fine) return fine;
  if (const auto fine = in_range("uncertainty.e", by.e, 0, 1); !fine) return fine;
  if (const auto fine = in_range("uncertainty.mu", by.mu, finite_from(0)); !fine) return fine;
  if (const auto fine = in_range("uncertainty.position", by.position, finite_from(0)); !fine) return fine;
  if (const auto fine = in_range("uncertainty.orientation", by.orientation, 0, std::numbers::pi); !fine) return fine;
  const auto some_law_has = [&](std::string_view name) {
    return std::any_of(world_.laws.begin(), world_.laws.end(), [&](const PairLaw& pair) {
      const auto value = parameter(pair.law, name);
      return value && std::isfinite(*value);
    });
  };
  if (by.e > 0 && !some_law_has("e") && !some_law_has("e_k"))
    return fail(ErrorCode::conflict, "uncertainty.e", to_text(by.e), "no law of this scene has e");
  if (by.mu > 0 && !some_law_has("mu"))
    return fail(ErrorCode::conflict, "uncertainty.mu", to_text(by.mu), "no law of this scene has a finite mu");
  const bool floats = std::any_of(world_.mechanisms.begin(), world_.mechanisms.end(), [](const Mechanism& m) {
    return std::any_of(m.tree.links.begin(), m.tree.links.end(),
                       [](const Link& link) { return link.parent < 0 && link.joint == JointType::free; });
  });
  if (free_.empty() && !floats)
    for (const auto& [path, x] :
         {std::pair{"uncertainty.position", by.position}, std::pair{"uncertainty.orientation", by.orientation}})
      if (x > 0) return fail(ErrorCode::conflict, path, to_text(x), "no body of this scene moves freely");
  return {};
}

/// Sizes, speeds, and what holds them.
void MotionEnsemble::measure(const std::vector<Pose>& poses) {
  const std::size_t n = world_.bodies.size();
  std::vector<bool> link(n, false), held(n, false);
  for (const Mechanism& m : world_.mechanisms)
    for (const std::uint32_t body : m.bodies) link[body] = true;
  for (const BallJoint& joint : world_.joints) held[joint.first] = held[joint.second] = true;
  size_.assign(n, 0);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool fixed = world_.bodies[i].body.fixed;
    if (!fixed) {
      size_[i] = size_of(world_.bodies[i]);
      largest = std::max(largest, size_[i]);
      moving_.push_back(i);
      if (!link[i]) own_.push_back(i);
      if (!link[i] && !held[i]) free_.push_back(i);
    }
    reference_speed_ = std::max(reference_speed_, speed_of(poses[i], size_[i]));
  }
  starts_at_rest_ = reference_speed_ == 0;
  if (starts_at_rest_) reference_speed_ = std::sqrt(world_.gravity.norm() * largest);

  for (const Mechanism& m : world_.mechanisms) {
    Vec3 middle = Vec3::Zero();
    for (const std::uint32_t body : m.bodies) middle += poses[body].position / static_cast<double>(m.bodies.size());
    double size = 0;
    for (const std::uint32_t body : m.bodies)
      size = std::max(size, (poses[body].position - middle).norm() + size_[body]);
    mechanism_size_.push_back(size);
    hold_constraints_.push_back(m.constraints.rows() > 0 ? projection(m.constraints, VecX::Ones(m.constraints.cols()))
                                                         : MatX());
  }

  if (world_.joints.empty()) return;
  std::vector<Eigen::Index> first(n, -1);
  VecX scale(6 * static_cast<Eigen::Index>(own_.size()));
  for (std::size_t k = 0; k < own_.size(); ++k) {
    const Eigen::Index at = first[own_[k]] = 6 * static_cast<Eigen::Index>(k);
    scale.segment<3>(at).setOnes();
    scale.segment<3>(at + 3).setConstant(size_[own_[k]] > 0 ? 1 / size_[own_[k]] : 0);
  }
  MatX G = MatX::Zero(3 * static_cast<Eigen::Index>(world_.joints.size()), scale.size());
  for (std::size_t k = 0; k < world_.joints.size(); ++k) {
    const BallJoint& joint = world_.joints[k];
    for (const auto& [body, sign] : {std::pair{joint.first, -1.0}, std::pair{joint.second, 1.0}}) {
      if (first[body] < 0) continue;
      const auto row = 3 * static_cast<Eigen::Index>(k);
      G.block<3, 3>(row, first[body]) = sign * Mat3::Identity();
      G.block<3, 3>(row, first[body] + 3) = -sign * cross_matrix(joint.point - poses[body].position);
    }
  }
  hold_speeds_ = projection(G, scale);
}

void MotionEnsemble::draw_laws(World& world, Random& random) const {
  const ContactUncertainty by{.e = options_.uncertainty.e, .mu = options_.uncertainty.mu};
  if (by.none()) return;
  for (PairLaw& pair : world.laws) {
    const double of_e = random.symmetric();
    const double of_mu = random.symmetric();
    sample_law(pair.law, by, of_e, of_mu);
    if (!std::isnan(pair.e)) pair.e = parameter(pair.law, "e").value_or(pair.e);
    if (const auto mu = parameter(pair.law, "mu"); mu && std::isfinite(*mu)) {
      pair.mu_s += *mu - pair.mu;
      pair.mu = *mu;
      pair.mu_s = std::max(pair.mu_s, pair.mu);
    }
  }
}

void MotionEnsemble::draw_speeds(World& world, Random& random) const {
  const double size = options_.uncertainty.speed * reference_speed_;
  if (size == 0) return;
  VecX du(6 * static_cast<Eigen::Index>(own_.size()));
  for (std::size_t k = 0; k < own_.size(); ++k) {
    const auto at = 6 * static_cast<Eigen::Index>(k);
    const double length = size_[own_[k]];
    du.segment<3>(at) = size * symmetric_vector(random);
    du.segment<3>(at + 3) = (length > 0 ? size / length : 0) * symmetric_vector(random);
  }
  if (hold_speeds_.size() > 0) du = hold_speeds_ * du;
  for (std::size_t k = 0; k < own_.size(); ++k) {
    RigidBody& body = world.bodies[own_[k]].body;
    body.velocity += du.segment<3>(6 * static_cast<Eigen::Index>(k));
    body.angular_velocity += du.segment<3>(6 * static_cast<Eigen::Index>(k) + 3);
  }
  for (std::size_t m = 0; m < world.mechanisms.size(); ++m) {
    Mechanism& mechanism = world.mechanisms[m];
    VecX by(mechanism.u.size());
    const double turn = mechanism_size_[m] > 0 ? size / mechanism_size_[m] : 0;
    Eigen::Index at = 0;
    for (const Link& link : mechanism.tree.links)
      for (int k = 0; k < speed_count(link.joint); ++k) {
        const bool slides = link.joint == JointType::prismatic || (link.joint == JointType::free && k < 3);
        by(at++) = (slides ? size : turn) * random.symmetric();
      }
    mechanism.u += hold_constraints_[m].size() > 0 ? VecX(hold_constraints_[m] * by) : by;
  }
}

void MotionEnsemble::draw_poses(World& world, Random& random) const {
  const MotionUncertainty& by = options_.uncertainty;
  for (const std::size_t i : free_) {
    RigidBody& body = world.bodies[i].body;
    body.position = world_.bodies[i].body.position + by.position * symmetric_vector(random);
    body.orientation = turned(world_.bodies[i].body.orientation, by.orientation * symmetric_vector(random));
  }
  for (std::size_t m = 0; m < world.mechanisms.size(); ++m) {
    Eigen::Index at = 0;
    VecX& q = world.mechanisms[m].q;
    for (const Link& link : world.mechanisms[m].tree.links) {
      if (link.parent < 0 && link.joint == JointType::free) {
        const VecX& before = world_.mechanisms[m].q;
        q.segment<3>(at) = before.segment<3>(at) + by.position * symmetric_vector(random);
        const Quaternion turn = turned(Quaternion(before(at + 3), before(at + 4), before(at + 5), before(at + 6)),
                                       by.orientation * symmetric_vector(random));
        q.segment<4>(at + 3) << turn.w(), turn.x(), turn.y(), turn.z();
      }
      at += position_count(link.joint);
    }
  }
}

MotionMember MotionEnsemble::member(std::size_t number) const {
  MotionMember out;
  World world = world_;
  // One stream for each kind of draw, so that an uncertainty that is added leaves the others' draws as they were.
  Random laws(~options_.seed, number), speeds(options_.seed, number);
  Random poses(speeds.next(), number);
  draw_laws(world, laws);
  draw_speeds(world, speeds);
  std::optional<ChosenMotion> motion;
  std::optional<Error> stopped;
  for (int k = 0; k < (moves_poses() ? most_starts : 1) && !motion; ++k) {
    if (moves_poses()) draw_poses(world, poses);
    auto started = ChosenMotion::make(world, nullptr, options_.method);
    if (started) {
      motion.emplace(*std::move(started));
    } else {
      stopped = started.error();
    }
  }
  out.state.reserve(numbers_of_body * moving_.size());
  if (!motion) {
    out.end = moves_poses() ? "overlap" : std::string(name(stopped->code));
    out.reason = stopped->message();
    for (double* x : {&out.kinetic, &out.potential, &out.elastic, &out.lost_to_impact, &out.lost_to_friction})
      *x = std::numeric_limits<double>::quiet_NaN();
    out.state.assign(numbers_of_body * moving_.size(), std::numeric_limits<double>::quiet_NaN());
    return out;
  }
  stopped.reset();
  Observer observer;
  observer.event = [&](const Event& event) { out.impacts += event.kind == EventKind::impact ? 1 : 0; };
  if (const auto went = motion->run(options_.until, observer, 0); !went) stopped = went.error();
  out.time = motion->time();
  out.events = motion->events();
  const bool limited = options_.method.max_events > 0 && out.events >= options_.method.max_events;
  out.end = stopped ? std::string(name(stopped->code)) : limited && out.time < options_.until ? "max-events" : "time";
  if (stopped) out.reason = stopped->message();
  const EnergyLedger ledger = motion->ledger();
  out.kinetic = ledger.kinetic;
  out.potential = ledger.potential;
  out.elastic = ledger.elastic;
  out.lost_to_impact = ledger.lost_to_impact;
  out.lost_to_friction = ledger.lost_to_friction;
  const std::vector<Pose> last = motion->poses();
  for (const std::size_t i : moving_) {
    const Pose& pose = last[i];
    const auto& q = pose.orientation;
    out.state.insert(out.state.end(), pose.position.begin(), pose.position.end());
    out.state.insert(out.state.end(), {q.w(), q.x(), q.y(), q.z()});
    out.state.insert(out.state.end(), pose.velocity.begin(), pose.velocity.end());
    out.state.insert(out.state.end(), pose.angular_velocity.begin(), pose.angular_velocity.end());
  }
  return out;
}

std::vector<MotionMember> MotionEnsemble::members(std::size_t first, std::size_t last, unsigned threads) const {
  std::vector<MotionMember> out(last - first);
  in_parallel(out.size(), threads, [&](std::size_t i) { out[i] = member(first + i); });
  return out;
}

MotionStatistics MotionEnsemble::statistics(const std::vector<MotionMember>& members) const {
  MotionStatistics out;
  out.members = members.size();
  std::map<std::string, std::size_t> ends;
  std::vector<const MotionMember*> reached;
  for (std::size_t k = 0; k < members.size(); ++k) {
    ++ends[members[k].end];
    if (members[k].reached()) {
      reached.push_back(&members[k]);
    } else if (out.stopped.size() < few_stopped) {
      out.stopped.push_back(k);
    }
  }
  out.ends.assign(ends.begin(), ends.end());
  std::stable_sort(out.ends.begin(), out.ends.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  out.reached = reached.size();
  std::vector<double> values(reached.size());
  const auto spread = [&](auto value) {
    for (std::size_t k = 0; k < reached.size(); ++k) values[k] = value(*reached[k]);
    return distribution_of(values);
  };
  out.impacts = spread([](const MotionMember& m) { return static_cast<double>(m.impacts); });
  out.energy = spread([](const MotionMember& m) { return m.energy(); });
  const auto part = [](const MotionMember& m, std::size_t at) { return Eigen::Map<const Vec3>(&m.state[at]); };
  const auto rests = [&](const MotionMember& m, std::size_t k) {
    const double speed =
        std::max(part(m, numbers_of_body * k + 7).norm(), size_[moving_[k]] * part(m, numbers_of_body * k + 10).norm());
    return speed <= rest_speed * reference_speed_;
  };
  for (const MotionMember* m : reached) {
    bool all = true;
    for (std::size_t k = 0; k < moving_.size() && all; ++k) all = rests(*m, k);
    out.at_rest += all ? 1 : 0;
  }
  for (std::size_t k = 0; k < moving_.size(); ++k) {
    BodyStatistics& body = out.bodies.emplace_back();
    for (const MotionMember* m : reached) body.at_rest += rests(*m, k) ? 1 : 0;
    for (std::size_t c = 0; c < numbers_of_body; ++c) {
      const std::size_t at = numbers_of_body * k + c;
      body.state[c] = spread([&](const MotionMember& m) {
        if (c < 3 || c > 6) return m.state[at];
        // q and −q are one orientation: the one nearer to that of the first member.
        double along = 0;
        for (std::size_t i = 3; i < 7; ++i)
          along += m.state[numbers_of_body * k + i] * reached.front()->state[numbers_of_body * k + i];
        return along < 0 ? -m.state[at] : m.state[at];
      });
    }
  }
  return out;
}

}  // namespace ricochet::motion
