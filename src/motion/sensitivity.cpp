#include "ricochet/motion/sensitivity.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "motion/dual_motion.hpp"
#include "motion/history.hpp"
#include "motion/jointed_rods.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/contact/contact.hpp"
#include "ricochet/law/derivatives.hpp"
#include "ricochet/law/law_table.hpp"

namespace ricochet::motion {
namespace {

using Row = Eigen::Index;
using Gradient = std::array<double, dual_width>;

constexpr double grazing_limit = 1e-6;   ///< of −n·V to the speed: less is grazing
constexpr double held_tolerance = 1e-6;  ///< of a held velocity's derivative to those that make it up

/// Of a law: its numbers by name, and what friction of lasting contact moves with them.
struct LawInput {
  std::string name;
  int law = -1;
  int component = 0;
};

/// The projector onto the directions in which W vanishes.
Mat3 immovable_part(const Mat3& W) {
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(W);
  Mat3 out = Mat3::Zero();
  for (int k = 0; k < 3; ++k)
    if (!(eigen.eigenvalues()(k) > 1e-12 * eigen.eigenvalues()(2))) {
      const Vec3 axis = eigen.eigenvectors().col(k);
      out += axis * axis.transpose();
    }
  return out;
}

double number_of_law(const Law& law, std::string_view name) {
  for (const auto& [key, value] : parameters_of(law))
    if (key == name)
      if (const double* x = std::get_if<double>(&value)) return *x;
  return std::numeric_limits<double>::quiet_NaN();
}

/// Names and widths of the parameters that a law has derivatives by.
std::vector<std::pair<std::string, int>> parameters_with_derivatives(const Law& law) {
  std::vector<std::pair<std::string, int>> out;
  const auto separating = contact_from_mobility(Mat3::Identity(), Vec3::UnitZ(), Vec3::UnitZ());
  const auto d = collide_with_derivatives(law, *separating);
  if (!d) return out;
  for (int k = 3; k < d->derivatives.inputs; ++k) {
    const DerivativeInput& input = d->derivatives.input[static_cast<std::size_t>(k)];
    out.emplace_back(std::string(input.name), input.count);
  }
  return out;
}

void add_inputs(const World& world, Sensitivity& out) {
  const auto add = [&](std::string name, int body, int law, int count, int mechanism = -1) {
    out.inputs.push_back({std::move(name), body, mechanism, law, out.columns, count});
    out.columns += count;
  };
  const auto is_part = [&](std::size_t i) {
    return std::any_of(world.mechanisms.begin(), world.mechanisms.end(), [&](const Mechanism& m) {
      return std::find(m.bodies.begin(), m.bodies.end(), i) != m.bodies.end();
    });
  };
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const RigidBody& body = world.bodies[i].body;
    if (body.fixed) continue;
    if (!is_part(i)) {
      out.bodies.push_back(i);
      for (const char* name : {"position", "rotation", "velocity", "angular_velocity"})
        add(name, static_cast<int>(i), -1, 3);
    }
    if (body.mass > 0) add("mass", static_cast<int>(i), -1, 1);
  }
  for (std::size_t m = 0; m < world.mechanisms.size(); ++m) {
    const Mechanism& mechanism = world.mechanisms[m];
    const int dof = static_cast<int>(mechanism.u.size());
    out.dofs.push_back(dof);
    const auto add_numbers = [&](const char* name) { add(name, -1, -1, dof, static_cast<int>(m)); };
    for (const char* name : {"q", "u", "force"}) add_numbers(name);
    if (mechanism.damping.size() > 0) add_numbers("damping");
    if (mechanism.stiffness.size() > 0) {
      add_numbers("stiffness");
      add_numbers("rest");
    }
  }
  add("gravity", -1, -1, 3);
  for (std::size_t l = 0; l < world.laws.size(); ++l) {
    const PairLaw& law = world.laws[l];
    const int at = static_cast<int>(l);
    bool has_mu = false, has_mu_s = false;
    for (const auto& [name, count] : parameters_with_derivatives(law.law)) {
      has_mu = has_mu || name == "mu";
      // A mu_s that equals mu moves with it.
      if (name == "mu_s" && number_of_law(law.law, "mu_s") == number_of_law(law.law, "mu")) continue;
      has_mu_s = has_mu_s || name == "mu_s";
      add(name, -1, at, count);
    }
    if (!has_mu && law.mu > 0) add("mu", -1, at, 1);
    if (!has_mu_s && law.mu_s > law.mu) add("mu_s", -1, at, 1);
  }
}

class Replay {
 public:
  Replay(const World& world, const History& history, Sensitivity& out, int first, double until)
      : world_(world), history_(history), out_(out), first_(first), until_(until), motion_(world, history) {
    count_ = std::min(dual_width, out.columns - first);
  }

  void run() {
    y_ = motion_.start();
    seed();
    double t = 0;
    std::size_t event = 0;
    for (const RecordedInstant& instant : history_.instants) {
      if (out_.kink && out_.kink->time < instant.time) return;
      if (matters(instant)) {
        if (!travel(t, instant.time, &instant)) return;
        t = instant.time;
        resolve(instant);
        if (stopped_) return;
      }
      // The end of bounces that were none (e = 0) is reported at their instant.
      const Gradient& shift = instant.time == shift_time_ ? shift_ : no_shift_;
      for (const Event& e : instant.events) note(event++, e, shift);
    }
    if (!travel(t, until_, nullptr)) return;
    check_end();
    if (!stopped_) write();
  }

 private:
  const World& world_;
  const History& history_;
  Sensitivity& out_;
  int first_, count_ = 0;
  double until_;
  DualMotion motion_;
  DualState y_;
  std::vector<std::map<std::string, std::array<Num, 3>>> law_parameters_;
  Gradient shift_{}, no_shift_{};
  double shift_time_ = -1;
  bool stopped_ = false;

  void stop(double t, std::string what) {
    stopped_ = true;
    if (!out_.kink || t < out_.kink->time) out_.kink = {t, std::move(what)};
  }

  /// The direction has no derivative from here.
  void lose(int k, double t, const std::string& what) {
    for (Num& x : y_) x.d[static_cast<std::size_t>(k)] = std::numeric_limits<double>::quiet_NaN();
    if (k < count_) out_.missing.push_back({first_ + k, {t, what}});
  }

  void seed() {
    law_parameters_.resize(world_.laws.size());
    for (std::size_t l = 0; l < world_.laws.size(); ++l)
      for (const auto& [name, value] : parameters_of(world_.laws[l].law))
        if (const double* x = std::get_if<double>(&value)) law_parameters_[l][std::string(name)][0] = Num(*x);
    for (const SensitivityInput& input : out_.inputs)
      for (int c = 0; c < input.count; ++c) {
        const int k = input.first + c - first_;
        if (k < 0 || k >= count_) continue;
        seed(input, c, static_cast<std::size_t>(k));
      }
  }
  void seed(const SensitivityInput& input, int component, std::size_t k) {
    const auto c = static_cast<std::size_t>(component);
    if (input.law >= 0) {
      const auto l = static_cast<std::size_t>(input.law);
      law_parameters_[l][input.name][c].d[k] = 1;
      const bool together = world_.laws[l].mu_s == world_.laws[l].mu;
      if (input.name == "mu") {
        motion_.mu[l].d[k] = 1;
        if (together) motion_.mu_s[l].d[k] = 1;
        const double mu_s = number_of_law(world_.laws[l].law, "mu_s");
        if (mu_s == number_of_law(world_.laws[l].law, "mu")) law_parameters_[l]["mu_s"][0].d[k] = 1;
      }
      if (input.name == "mu_s") motion_.mu_s[l].d[k] = 1;
      return;
    }
    if (input.name == "gravity") {
      motion_.gravity(component).d[k] = 1;
      return;
    }
    if (input.mechanism >= 0) {
      const auto m = static_cast<std::size_t>(input.mechanism);
      DualJoints& joints = motion_.joints[m];
      if (input.name == "force") joints.force(component).d[k] = 1;
      if (input.name == "damping") joints.damping(component).d[k] = 1;
      if (input.name == "stiffness") joints.stiffness(component).d[k] = 1;
      if (input.name == "rest") joints.rest(component).d[k] = 1;
      if (input.name == "q" || input.name == "u")
        move_speed(motion_.speeds_of_mechanism(m) + component, k, input.name == "u");
      return;
    }
    const auto i = static_cast<std::uint32_t>(input.body);
    if (input.name == "mass") {
      motion_.mass_ratio[i].d[k] = 1 / world_.bodies[i].body.mass;
      return;
    }
    const bool turns = input.name == "rotation" || input.name == "angular_velocity";
    move_speed(motion_.speeds_of_body(i) + (turns ? 3 : 0) + component, k,
               input.name == "velocity" || input.name == "angular_velocity");
  }
  void move_speed(Row speed, std::size_t k, bool speeds) {
    motion_.move(y_, k, VecX::Unit(motion_.speed_count(), speed), speeds);
  }

  /// Whether anything changes at the instant.
  [[nodiscard]] bool matters(const RecordedInstant& instant) const {
    if (instant.cause == InstantCause::start || !instant.kink.empty() || !instant.struck.empty()) return true;
    if (instant.members.empty()) return false;
    std::vector<const RecordedContact*> before;
    for (const DualContact& c : motion_.contacts)
      if (takes_part(instant, c.recorded.feature)) before.push_back(&c.recorded);
    if (before.size() != instant.lasting.size()) return true;
    return std::any_of(instant.lasting.begin(), instant.lasting.end(), [&](const RecordedContact& c) {
      return std::none_of(before.begin(), before.end(), [&](const RecordedContact* old) {
        return old->feature.same(c.feature) && old->mode == c.mode && !c.begins;
      });
    });
  }
  static bool takes_part(const RecordedInstant& instant, const Feature& f) {
    return std::any_of(instant.members.begin(), instant.members.end(),
                       [&](std::uint32_t i) { return i == f.a || i == f.b; });
  }

  /// From t to the instant, or to the end. Slip that begins or ends there has a direction that is held.
  bool travel(double t, double end, const RecordedInstant* instant) {
    if (!(end > t)) return true;
    std::vector<double> stops{end};
    const double window = 1e-6 * (end - t);
    const auto slides = [](const DualContact& c) { return c.recorded.mode == ContactMode::slide; };
    const bool begins = std::any_of(motion_.contacts.begin(), motion_.contacts.end(),
                                    [](const DualContact& c) { return c.recorded.begins; });
    std::vector<std::size_t> ending;
    if (instant != nullptr && instant->cause == InstantCause::slip_ends)
      for (std::size_t k = 0; k < motion_.contacts.size(); ++k) {
        const RecordedContact& c = motion_.contacts[k].recorded;
        if (!slides(motion_.contacts[k]) || !takes_part(*instant, c.feature)) continue;
        const bool goes_on =
            std::any_of(instant->lasting.begin(), instant->lasting.end(), [&](const RecordedContact& after) {
              return after.feature.same(c.feature) && after.mode == ContactMode::slide && !after.begins;
            });
        if (!goes_on) ending.push_back(k);
      }
    if (begins) stops.push_back(t + window);
    if (!ending.empty()) stops.push_back(end - window);
    const auto bends = [&](const std::vector<double>& times) {
      for (const double time : times)
        if (time > t && time < end) stops.push_back(time);
    };
    for (const AppliedForce& force : world_.forces) bends(force.times);
    for (const Mechanism& mechanism : world_.mechanisms)
      for (const JointForce& force : mechanism.forces) bends(force.times);
    std::sort(stops.begin(), stops.end());
    for (const double stop_at : stops) {
      if (stop_at > t && !motion_.advance(y_, t, stop_at)) {
        stop(t, "the motion changes faster than steps can follow");
        return false;
      }
      t = std::max(t, stop_at);
      if (begins && stop_at >= t) {
        for (DualContact& c : motion_.contacts) {
          if (c.recorded.begins) c.held = false;
          c.recorded.begins = false;
        }
      }
      if (!ending.empty() && t >= end - window && t < end)
        for (const std::size_t k : ending) {
          DualContact& c = motion_.contacts[k];
          const FrameOf<Num> f = motion_.frame(y_, c.recorded.feature);
          const Vec3D slip = f.V - f.n * f.n.dot(f.V);
          c.s = slip / slip.norm();
          c.held = true;
        }
    }
    return true;
  }

  [[nodiscard]] DualState values_alone() const {
    DualState out(y_.size());
    for (std::size_t i = 0; i < y_.size(); ++i) out[i] = Num(y_[i].v);
    return out;
  }

  /// State and time that carry their rates along the motion as the first direction.
  [[nodiscard]] DualState moving_state(double t) const {
    const DualState rate = motion_.rates(y_, Num(t));
    DualState out(y_.size());
    for (std::size_t i = 0; i < y_.size(); ++i) {
      out[i] = Num(y_[i].v);
      out[i].d[0] = rate[i].v;
    }
    return out;
  }

  /// A limit of a lasting contact, as a function of state and time.
  template <class Function>
  bool locate(double t, const Function& limit) {
    const Num now = limit(y_, Num(t));
    // Parameters may have the first direction, too: what they add is the same without motion.
    const double rate = limit(moving_state(t), Num::variable(t, 0)).d[0] - limit(values_alone(), Num(t)).d[0];
    if (!(std::abs(rate) > 0) || !std::isfinite(rate)) return false;
    for (std::size_t k = 0; k < dual_width; ++k) shift_[k] = -now.d[k] / rate;
    shift_time_ = t;
    return true;
  }

  /// The state at the shifted time of the event, or back.
  void shift(const DualState& rate, double sign) {
    for (std::size_t i = 0; i < y_.size(); ++i)
      for (std::size_t k = 0; k < dual_width; ++k) y_[i].d[k] += sign * rate[i].v * shift_[k];
  }

  void resolve(const RecordedInstant& instant) {
    const double t = instant.time;
    if (!instant.kink.empty()) return stop(t, instant.kink);
    if (instant.struck.size() > 1)
      return stop(t, std::to_string(instant.struck.size()) + " contacts strike at one instant");
    if (instant.cause == InstantCause::start) {
      if (!instant.struck.empty()) return stop(t, "bodies strike at the start");
      adopt(instant);
      if (!begin_slip(t) || !carries(t)) return;
      return project();
    }
    const bool follows = shift_time_ == t && last_members_meet(instant);
    if (follows && !instant.struck.empty()) return stop(t, "a body is struck twice at one instant");
    // A change that follows from the one before is at the same time for all neighbours.
    if (!follows && !find_shift(instant)) return;
    last_members_ = instant.members;
    const DualState before = motion_.rates(y_, Num(t));
    shift(before, 1);
    if (!instant.struck.empty() && !strike(instant)) return;
    adopt(instant);
    if (!begin_slip(t)) return;
    for (std::size_t m = 0; m < instant.members.size() && m < instant.after.size(); ++m)
      if (!take_values(instant.members[m], instant.after[m], t)) return;
    for (const RecordedMechanism& m : instant.mechanisms)
      if (!take_values(m, t)) return;
    if (!carries(t)) return;
    check_held(instant);
    const DualState after = motion_.rates(y_, Num(t));
    shift(after, -1);
  }
  std::vector<std::uint32_t> last_members_;
  [[nodiscard]] bool last_members_meet(const RecordedInstant& instant) const {
    return std::any_of(instant.members.begin(), instant.members.end(), [&](std::uint32_t i) {
      return std::find(last_members_.begin(), last_members_.end(), i) != last_members_.end();
    });
  }

  bool find_shift(const RecordedInstant& instant) {
    const double t = instant.time;
    if (!instant.struck.empty()) {
      const RecordedImpact& hit = instant.struck[0];
      if (!hit.has_feature) {
        stop(t, "an impact of shapes whose contact has no closed form");
        return false;
      }
      const FrameOf<Num> f = motion_.frame(y_, hit.feature);
      const double approach = -f.n.dot(f.V).v, speed = values_of(f.V).norm();
      if (!(approach > grazing_limit * speed)) {
        stop(t, "grazing");
        return false;
      }
      for (std::size_t k = 0; k < dual_width; ++k) shift_[k] = f.gap.d[k] / approach;
      shift_time_ = t;
      return true;
    }
    if (instant.cause == InstantCause::gap) {
      stop(t, "grazing");
      return false;
    }
    std::size_t k = 0;
    while (k < motion_.contacts.size() && !motion_.contacts[k].recorded.feature.same(instant.feature)) ++k;
    if (k == motion_.contacts.size()) {
      stop(t, "a change of contacts whose time has no closed form");
      return false;
    }
    const Feature feature = instant.feature;
    const RecordedContact& c = motion_.contacts[k].recorded;
    const auto after = std::find_if(instant.lasting.begin(), instant.lasting.end(),
                                    [&](const RecordedContact& o) { return o.feature.same(feature); });
    bool found = false;
    if (instant.cause == InstantCause::slip_ends) {
      const Vec3D s = values_of(motion_.contacts[k].s).cast<Num>();
      found = locate(t, [&](const DualState& y, const Num&) { return motion_.frame(y, feature).V.dot(s); });
    } else if (instant.cause == InstantCause::opens) {
      found = locate(t, [&](const DualState& y, const Num& time) {
        const DualForces f = motion_.forces(y, time);
        return f.force[k].dot(f.frames[k].n);
      });
    } else if (c.mode == ContactMode::stick && after != instant.lasting.end() && after->mode == ContactMode::slide) {
      found = begins_to_slip(t, k, *after);
    } else {
      stop(t, "a contact reaches the end of a face or of an edge");
      return false;
    }
    if (!found) stop(t, "a limit that is reached and not passed");
    return found;
  }

  /// Friction that sticking needs reaches mu_s N: then sliding with mu_s along s would not accelerate. Where forces are
  /// not unique this is still known.
  bool begins_to_slip(double t, std::size_t k, const RecordedContact& after) {
    if (motion_.contacts.size() == 1) {
      return locate(t, [&](const DualState& y, const Num& time) {
        const DualForces f = motion_.forces(y, time);
        const Num N = f.force[k].dot(f.frames[k].n);
        return motion_.mu_s[motion_.law_of(after.feature)] * N - Vec3D(f.force[k] - N * f.frames[k].n).norm();
      });
    }
    DualMotion sliding = motion_;
    for (std::size_t l = 0; l < sliding.mu.size(); ++l) sliding.mu[l] = sliding.mu_s[l];
    for (DualContact& c : sliding.contacts) {
      c.recorded.mode = ContactMode::slide;
      c.held = true;
      c.s = after.s.cast<Num>();
    }
    return locate(t, [&](const DualState& y, const Num& time) {
      const DualForces f = sliding.forces(y, time);
      return slip_acceleration(sliding, y, f, k).dot(Vec3D(after.s.cast<Num>()));
    });
  }

  /// Rate of V along the tangent plane.
  static Vec3D slip_acceleration(const DualMotion& motion, const DualState& y, const DualForces& f, std::size_t k) {
    const Feature& feature = motion.contacts[k].recorded.feature;
    const FrameOf<Num>& fr = f.frames[k];
    const DualPosture at = motion.at(y);
    const auto rate_of = [&](std::uint32_t body) -> Vec3D {
      const PoseOf<Num>& p = at.poses[body];
      const auto a = f.accelerations.segment<6>(6 * static_cast<Row>(body));
      const Vec3D first = a.head<3>(), turning = a.tail<3>();
      return first + turning.cross(Vec3D(fr.point - p.position)) +
             p.angular_velocity.cross(Vec3D(fr.point_rate - p.velocity));
    };
    const Vec3D rate = rate_of(feature.b) - rate_of(feature.a);
    return rate - fr.n * fr.n.dot(rate);
  }

  /// P by the law, with its derivatives by W, V, n and the parameters.
  bool strike(const RecordedInstant& instant) {
    const double t = instant.time;
    const Feature& feature = instant.struck[0].feature;
    const DualPosture at = motion_.at(y_);
    const FrameOf<Num> f = motion_.frame(at, feature);
    const MatD J = motion_.point_rows(at, feature, f.point);
    MatD L = motion_.mass_solve(at, J.transpose());
    if (motion_.joined(feature.a) || motion_.joined(feature.b)) {
      const MatD held = motion_.joint_rows(at), G = motion_.mass_solve(at, held.transpose());
      L -= G * solve_least(held * G, held * L);
    }
    const MatD W = J * L;
    const Vec3D spin = at.poses[feature.b].angular_velocity - at.poses[feature.a].angular_velocity;
    const std::size_t l = motion_.law_of(feature);
    const Mat3 W_value = values_of(W);
    auto contact = contact_from_mobility(0.5 * (W_value + W_value.transpose()), values_of(f.V), values_of(f.n));
    if (contact) contact->spin = values_of(spin);
    if (!contact) {
      stop(t, "an impact without derivatives: " + contact.error().message());
      return false;
    }
    const auto hit = collide_with_derivatives(world_.laws[l].law, *contact);
    if (!hit) {
      stop(t, "an impact without derivatives: " + hit.error().message());
      return false;
    }
    if (!hit->kink.empty()) {
      stop(t, "a kink of the impact: " + std::string(hit->kink));
      return false;
    }
    const Derivatives& d = hit->derivatives;
    Vec3D P = hit->outcome.P.cast<Num>();
    const Mat3 still = contact->immovable ? immovable_part(contact->W) : Mat3(Mat3::Zero());
    for (std::size_t k = 0; k < dual_width; ++k) {
      Mat3 dW;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) dW(i, j) = W(i, j).d[k];
      if (!((still * dW).norm() <= held_tolerance * (dW.norm() + contact->W.norm())))
        lose(static_cast<int>(k), t, "an impact where the direction in which the contact cannot move turns");
      Eigen::Matrix<double, 12, 1> change;
      int m = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) change(m++) = 0.5 * (W(i, j).d[k] + W(j, i).d[k]);
      for (int i = 0; i < 3; ++i) {
        change(6 + i) = f.V(i).d[k];
        change(9 + i) = f.n(i).d[k];
      }
      Vec3 dP = d.jacobian.topLeftCorner<3, 12>() * change;
      if (const DerivativeInput* by = d.find("spin")) dP += d.P(*by) * Vec3(spin(0).d[k], spin(1).d[k], spin(2).d[k]);
      for (int p = 3; p < d.inputs; ++p) {
        const DerivativeInput& input = d.input[static_cast<std::size_t>(p)];
        const auto seeds = law_parameters_[l].find(std::string(input.name));
        if (seeds == law_parameters_[l].end()) continue;
        for (int c = 0; c < input.count; ++c) {
          const double by = seeds->second[static_cast<std::size_t>(c)].d[k];
          if (by != 0) dP += by * Vec3(d.P(input).col(c));
        }
      }
      for (int i = 0; i < 3; ++i) P(i).d[k] = dP(i);
      if (!dP.allFinite() && change.allFinite()) lose(static_cast<int>(k), t, "a parameter at the end of its range");
    }
    motion_.add_speeds(y_, L * P);
    return true;
  }

  void adopt(const RecordedInstant& instant) {
    std::erase_if(motion_.contacts, [&](const DualContact& c) { return takes_part(instant, c.recorded.feature); });
    for (const RecordedContact& c : instant.lasting) {
      DualContact contact;
      contact.recorded = c;
      contact.s = c.s.cast<Num>();
      contact.held = c.begins;
      motion_.contacts.push_back(contact);
    }
  }

  /// Bodies that touch without a force part or press, whichever way they are changed.
  bool carries(double t) {
    if (motion_.contacts.empty()) return true;
    const DualForces f = motion_.forces(y_, Num(t));
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> force;
    double load = 0;
    for (const WorldBody& body : world_.bodies)
      if (!body.body.fixed) load += body.body.mass * world_.gravity.norm();
    for (std::size_t k = 0; k < motion_.contacts.size(); ++k) {
      const Feature& feature = motion_.contacts[k].recorded.feature;
      const double N = f.force[k].dot(f.frames[k].n).v;
      force[std::minmax(feature.a, feature.b)] += N;
      load += std::abs(N);
    }
    for (const auto& [pair, N] : force)
      if (!(N > 1e-9 * load)) {
        stop(t, world_.bodies[pair.first].name + " and " + world_.bodies[pair.second].name + " touch without a force");
        return false;
      }
    return true;
  }

  /// Directions of slip that begins: across s it does not accelerate, (DV17).
  bool begin_slip(double t) {
    std::vector<std::size_t> beginning;
    for (std::size_t k = 0; k < motion_.contacts.size(); ++k)
      if (motion_.contacts[k].recorded.begins) beginning.push_back(k);
    if (beginning.empty()) return true;
    const auto across = [&](const DualState& y) {
      const DualForces f = motion_.forces(y, Num(t));
      VecD out(static_cast<Row>(beginning.size()));
      for (std::size_t i = 0; i < beginning.size(); ++i) {
        const std::size_t k = beginning[i];
        const Vec3D side = f.frames[k].n.cross(f.direction[k]);
        out(static_cast<Row>(i)) = side.dot(slip_acceleration(motion_, y, f, k));
      }
      return out;
    };
    const DualForces forces = motion_.forces(y_, Num(t));
    for (const std::size_t k : beginning) {
      const Vec3 a = values_of(slip_acceleration(motion_, y_, forces, k)), s = values_of(forces.direction[k]);
      double most = 0;
      for (Row i = 0; i < forces.accelerations.size(); ++i) most = std::max(most, std::abs(forces.accelerations(i).v));
      if (!(a.dot(s) > 1e-3 * std::max(most, world_.gravity.norm()))) {
        stop(t, "slip that begins without an acceleration (mu_s = mu)");
        return false;
      }
    }
    const VecD here = across(y_);
    const auto n = static_cast<Row>(beginning.size());
    MatX by_turn(n, n);
    const DualState values = values_alone();
    const VecD unturned = across(values);
    std::vector<Vec3> side(beginning.size());
    for (std::size_t i = 0; i < beginning.size(); ++i) {
      DualContact& c = motion_.contacts[beginning[i]];
      const Vec3D kept = c.s;
      const FrameOf<Num> f = motion_.frame(values, c.recorded.feature);
      side[i] = values_of(f.n).cross(values_of(kept));
      for (int m = 0; m < 3; ++m) c.s(m).d[0] = side[i](m);
      const VecD moved = across(values);
      for (Row r = 0; r < n; ++r) by_turn(r, static_cast<Row>(i)) = moved(r).d[0] - unturned(r).d[0];
      c.s = kept;
    }
    const Eigen::FullPivLU<MatX> solver(by_turn);
    if (!solver.isInvertible()) {
      stop(t, "slip that begins in no direction of its own");
      return false;
    }
    for (std::size_t k = 0; k < dual_width; ++k) {
      VecX right(n);
      for (Row r = 0; r < n; ++r) right(r) = -here(r).d[k];
      const VecX turn = solver.solve(right);
      for (std::size_t i = 0; i < beginning.size(); ++i)
        for (int m = 0; m < 3; ++m) motion_.contacts[beginning[i]].s(m).d[k] = turn(static_cast<Row>(i)) * side[i](m);
    }
    return true;
  }

  /// The values of the simulation itself, so that rounding does not add up.
  bool take_values(std::uint32_t body, const Pose& at, double t) {
    const auto place = motion_.numbers_of_body(body);
    if (!place) return true;
    const Num* y = y_.data() + *place;
    const double sign = y[3].v * at.orientation.w() + y[4].v * at.orientation.x() + y[5].v * at.orientation.y() +
                                    y[6].v * at.orientation.z() <
                                0
                            ? -1
                            : 1;
    return take_values(
        *place,
        {at.position.x(), at.position.y(), at.position.z(), sign * at.orientation.w(), sign * at.orientation.x(),
         sign * at.orientation.y(), sign * at.orientation.z(), at.velocity.x(), at.velocity.y(), at.velocity.z(),
         at.angular_velocity.x(), at.angular_velocity.y(), at.angular_velocity.z()},
        t);
  }
  bool take_values(const RecordedMechanism& m, double t) {
    std::vector<double> values(m.q.begin(), m.q.end());
    values.insert(values.end(), m.u.begin(), m.u.end());
    return take_values(motion_.numbers_of_mechanism(m.mechanism), values, t);
  }
  bool take_values(std::size_t place, const std::vector<double>& values, double t) {
    Num* y = y_.data() + place;
    double largest = 1e-3, off = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      largest = std::max(largest, std::abs(values[i]));
      off = std::max(off, std::abs(values[i] - y[i].v));
    }
    if (!(off <= 1e-6 * largest)) {
      stop(t, "a change whose equations are not differentiated");
      return false;
    }
    for (std::size_t i = 0; i < values.size(); ++i) y[i].v = values[i];
    return true;
  }

  /// What lasts must last to first order, in every direction, from the time of the event on.
  void check_held(const RecordedInstant& instant) {
    if (motion_.contacts.empty()) return;
    const HeldRows gaps = motion_.held(y_, false), speeds = motion_.held(y_, true);
    for (int k = 0; k < count_; ++k) {
      const auto d = static_cast<std::size_t>(k);
      double size_x = 0, size_v = 0;
      bool number = true;
      for (std::size_t i = 0; i < y_.size(); ++i) {
        const double x = y_[i].d[d];
        const StateKind kind = motion_.kind(i);
        const bool position = kind == StateKind::place || kind == StateKind::turn || kind == StateKind::joint;
        number = number && std::isfinite(x);
        (position ? size_x : size_v) = std::max(position ? size_x : size_v, std::abs(x));
      }
      if (!number) continue;
      const auto open = [&](const VecD& values, double size) {
        for (Row r = 0; r < values.size(); ++r)
          if (!(std::abs(values(r).d[d]) <= held_tolerance * size + 1e-12)) return true;
        return false;
      };
      if (open(gaps.values, size_x + size_v) || open(speeds.values, size_x + size_v))
        lose(k, instant.time, "contacts that change together would change one after the other");
    }
  }

  /// Changes of the start that keep contacts and joints, (DV18).
  void project() {
    for (const bool velocities : {false, true}) {
      const HeldRows rows = motion_.held(y_, velocities);
      if (rows.values.size() == 0) return;
      const MatX J = values_of(rows.J), L = values_of(motion_.mass_solve(motion_.at(y_), rows.J.transpose()));
      Eigen::CompleteOrthogonalDecomposition<MatX> solver;
      solver.setThreshold(1e-11);
      solver.compute(J * L);
      for (std::size_t k = 0; k < dual_width; ++k) {
        VecX off(rows.values.size());
        for (Row r = 0; r < off.size(); ++r) off(r) = rows.values(r).d[k];
        if (off.isZero(0)) continue;
        const VecX move = L * solver.solve(-off);
        if (move.norm() > 1e-12) out_.projected = true;
        motion_.move(y_, k, move, velocities);
      }
    }
  }

  /// The motion that was followed is that of the simulation.
  void check_end() {
    for (std::uint32_t i = 0; i < world_.bodies.size(); ++i)
      if (!world_.bodies[i].body.fixed && !take_values(i, history_.end[i], until_)) return;
    for (const RecordedMechanism& m : history_.end_mechanisms)
      if (!take_values(m, until_)) return;
  }

  void note(std::size_t event, const Event& e, const Gradient& shift) {
    if (out_.events.size() <= event) {
      EventSensitivity entry;
      entry.event = e;
      entry.time = Eigen::RowVectorXd::Zero(out_.columns);
      out_.events.push_back(entry);
    }
    for (int k = 0; k < count_; ++k) out_.events[event].time(first_ + k) = shift[static_cast<std::size_t>(k)];
  }

  void write() {
    const Row rows = Sensitivity::rows_of_body * static_cast<Row>(out_.bodies.size());
    if (out_.state.size() == 0) {
      Row all = rows;
      for (const int dof : out_.dofs) all += 2 * dof;
      out_.state = MatX::Zero(all, out_.columns);
    }
    for (int k = 0; k < count_; ++k) {
      const VecX positions = motion_.way(y_, static_cast<std::size_t>(k), false),
                 speeds = motion_.way(y_, static_cast<std::size_t>(k), true);
      auto column = out_.state.col(first_ + k);
      for (std::size_t m = 0; m < out_.bodies.size(); ++m) {
        const Row at = motion_.speeds_of_body(static_cast<std::uint32_t>(out_.bodies[m]));
        column.segment<12>(Sensitivity::rows_of_body * static_cast<Row>(m)) << positions.segment<6>(at),
            speeds.segment<6>(at);
      }
      Row row = rows;
      for (std::size_t m = 0; m < out_.dofs.size(); ++m) {
        const Row at = motion_.speeds_of_mechanism(m), dof = out_.dofs[m];
        column.segment(row, dof) = positions.segment(at, dof);
        column.segment(row + dof, dof) = speeds.segment(at, dof);
        row += 2 * dof;
      }
    }
  }
};

}  // namespace

Expected<Sensitivity> simulate_with_sensitivity(const World& world, double until, const Options& options) {
  for (std::size_t m = 0; m < world.mechanisms.size(); ++m)
    if (world.mechanisms[m].dry_friction.size() > 0)
      return fail(ErrorCode::invalid, join_path(entry_path("robot", m), "dry_friction"), world.mechanisms[m].name,
                  "has dry friction in its joints, of which no sensitivities are known");
  for (const BallJoint& joint : world.joints)
    for (const std::size_t i : {joint.first, joint.second})
      if (i < world.bodies.size() && off_its_axis(world.bodies[i].body, joint.point))
        return fail(
            ErrorCode::unavailable, join_path(entry_path("body", i), "inertia"), world.bodies[i].name,
            "has no moment about an axis that its joint is off: it moves as a link, of which no sensitivities are "
            "known");
  auto history = record_history(world, until, options);
  if (!history) return tl::unexpected(history.error());
  for (const RecordedInstant& instant : history->instants)
    for (const RecordedContact& c : instant.lasting)
      if (!has_frame_kernel(c.feature.kind))
        return fail(ErrorCode::unavailable, "time", to_text(instant.time),
                    world.bodies[c.feature.a].name + " and " + world.bodies[c.feature.b].name +
                        " stay in contact by curved surfaces, of which no sensitivities are known");
  Sensitivity out;
  out.time = until;
  add_inputs(world, out);
  for (int first = 0; first < out.columns; first += dual_width) Replay(world, *history, out, first, until).run();
  if (out.kink) {
    out.time = out.kink->time;
    out.state.resize(0, 0);
    std::erase_if(out.events, [&](const EventSensitivity& e) { return !(e.event.time < out.kink->time); });
    std::erase_if(out.missing, [&](const Sensitivity::Missing& m) { return !(m.kink.time < out.kink->time); });
  }
  return out;
}

}  // namespace ricochet::motion
