#include "ricochet/motion/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "motion/dual_motion.hpp"
#include "motion/history.hpp"
#include "motion/jointed_rods.hpp"
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
  const auto add = [&](std::string name, int body, int law, int count) {
    out.inputs.push_back({std::move(name), body, law, out.columns, count});
    out.columns += count;
  };
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (world.bodies[i].body.fixed) continue;
    out.bodies.push_back(i);
    for (const char* name : {"position", "rotation", "velocity", "angular_velocity"})
      add(name, static_cast<int>(i), -1, 3);
    add("mass", static_cast<int>(i), -1, 1);
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
    const auto i = static_cast<std::size_t>(input.body);
    Num* at = y_.data() + numbers_of_pose * i;
    if (input.name == "mass") motion_.mass_ratio[i].d[k] = 1 / world_.bodies[i].body.mass;
    if (input.name == "position") at[c].d[k] = 1;
    if (input.name == "velocity") at[7 + c].d[k] = 1;
    if (input.name == "angular_velocity") at[10 + c].d[k] = 1;
    if (input.name == "rotation") {
      // δq = ½ (0, δθ) q.
      const Vec3 turn = Vec3::Unit(component), v(at[4].v, at[5].v, at[6].v);
      const Vec3 dv = 0.5 * (at[3].v * turn + turn.cross(v));
      at[3].d[k] = -0.5 * turn.dot(v);
      for (std::size_t m = 0; m < 3; ++m) at[4 + m].d[k] = dv(static_cast<Row>(m));
    }
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
    for (const AppliedForce& force : world_.forces)
      for (const double time : force.times)
        if (time > t && time < end) stops.push_back(time);
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
    const MatD J = motion.point_rows(y, feature, fr.point);
    const PoseOf<Num> a = motion.pose(y, feature.a), b = motion.pose(y, feature.b);
    const Vec3D gamma =
        b.angular_velocity.cross(fr.point_rate - b.velocity) - a.angular_velocity.cross(fr.point_rate - a.velocity);
    const VecD moved = J * f.accelerations;
    const Vec3D rate = Vec3D(moved(0), moved(1), moved(2)) + gamma;
    return rate - fr.n * fr.n.dot(rate);
  }

  /// P by the law, with its derivatives by W, V, n and the parameters.
  bool strike(const RecordedInstant& instant) {
    const double t = instant.time;
    const Feature& feature = instant.struck[0].feature;
    const FrameOf<Num> f = motion_.frame(y_, feature);
    const MatD J = motion_.point_rows(y_, feature, f.point);
    MatD L = motion_.mass_solve(y_, J.transpose());
    if (motion_.joined(feature.a) || motion_.joined(feature.b)) {
      const MatD held = motion_.joint_rows(y_), G = motion_.mass_solve(y_, held.transpose());
      L -= G * solve_least(held * G, held * L);
    }
    const MatD W = J * L;
    const Vec3D spin = motion_.pose(y_, feature.b).angular_velocity - motion_.pose(y_, feature.a).angular_velocity;
    const std::size_t l = motion_.law_of(feature);
    const Mat3 W_value = values_of(W);
    auto contact = contact_from_mobility(0.5 * (W_value + W_value.transpose()), values_of(f.V), values_of(f.n));
    if (contact) contact->spin = values_of(spin);
    if (!contact) {
      stop(t, "an impact without derivatives: " + contact.error().message());
      return false;
    }
    if (contact->immovable) {
      stop(t, "an impact without derivatives: W is singular, and changes of the state may leave what it permits");
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
    for (std::size_t k = 0; k < dual_width; ++k) {
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
    const VecD jump = L * P;
    for (std::size_t m = 0; m < motion_.moving().size(); ++m) {
      Num* at = y_.data() + numbers_of_pose * motion_.moving()[m] + 7;
      for (std::size_t i = 0; i < 6; ++i) at[i] += jump(static_cast<Row>(6 * m + i));
    }
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
    for (const std::uint32_t i : motion_.moving()) load += world_.bodies[i].body.mass * world_.gravity.norm();
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
    Num* y = y_.data() + numbers_of_pose * body;
    const double sign = y[3].v * at.orientation.w() + y[4].v * at.orientation.x() + y[5].v * at.orientation.y() +
                                    y[6].v * at.orientation.z() <
                                0
                            ? -1
                            : 1;
    const std::array<double, numbers_of_pose> value{
        at.position.x(),           at.position.y(),           at.position.z(),           sign * at.orientation.w(),
        sign * at.orientation.x(), sign * at.orientation.y(), sign * at.orientation.z(), at.velocity.x(),
        at.velocity.y(),           at.velocity.z(),           at.angular_velocity.x(),   at.angular_velocity.y(),
        at.angular_velocity.z()};
    double largest = 1e-3, off = 0;
    for (std::size_t i = 0; i < numbers_of_pose; ++i) {
      largest = std::max(largest, std::abs(value[i]));
      off = std::max(off, std::abs(value[i] - y[i].v));
    }
    if (!(off <= 1e-6 * largest)) {
      stop(t, "a change whose equations are not differentiated");
      return false;
    }
    for (std::size_t i = 0; i < numbers_of_pose; ++i) y[i].v = value[i];
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
      for (const std::uint32_t i : motion_.moving())
        for (std::size_t m = 0; m < numbers_of_pose; ++m) {
          const double x = y_[numbers_of_pose * i + m].d[d];
          number = number && std::isfinite(x);
          (m < 7 ? size_x : size_v) = std::max(m < 7 ? size_x : size_v, std::abs(x));
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
      const MatX J = values_of(rows.J), L = values_of(motion_.mass_solve(y_, rows.J.transpose()));
      Eigen::CompleteOrthogonalDecomposition<MatX> solver;
      solver.setThreshold(1e-11);
      solver.compute(J * L);
      for (std::size_t k = 0; k < dual_width; ++k) {
        VecX off(rows.values.size());
        for (Row r = 0; r < off.size(); ++r) off(r) = rows.values(r).d[k];
        if (off.isZero(0)) continue;
        const VecX move = L * solver.solve(-off);
        if (move.norm() > 1e-12) out_.projected = true;
        for (std::size_t m = 0; m < motion_.moving().size(); ++m) {
          Num* at = y_.data() + numbers_of_pose * motion_.moving()[m];
          const Vec3 first = move.segment<3>(static_cast<Row>(6 * m));
          const Vec3 turn = move.segment<3>(static_cast<Row>(6 * m + 3));
          const Vec3 v(at[4].v, at[5].v, at[6].v);
          const Vec3 dv = 0.5 * (at[3].v * turn + turn.cross(v));
          for (std::size_t i = 0; i < 3; ++i) {
            const auto r = static_cast<Row>(i);
            at[(velocities ? 7 : 0) + i].d[k] += first(r);
            if (velocities)
              at[10 + i].d[k] += turn(r);
            else
              at[4 + i].d[k] += dv(r);
          }
          if (!velocities) at[3].d[k] -= 0.5 * turn.dot(v);
        }
      }
    }
  }

  /// The motion that was followed is that of the simulation.
  void check_end() {
    for (const std::uint32_t i : motion_.moving())
      if (!take_values(i, history_.end[i], until_)) return;
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
    if (out_.state.size() == 0)
      out_.state = MatX::Zero(Sensitivity::rows_of_body * static_cast<Row>(out_.bodies.size()), out_.columns);
    for (std::size_t m = 0; m < out_.bodies.size(); ++m) {
      const Num* at = y_.data() + numbers_of_pose * out_.bodies[m];
      const Row row = Sensitivity::rows_of_body * static_cast<Row>(m);
      const double w = at[3].v;
      const Vec3 v(at[4].v, at[5].v, at[6].v);
      for (int k = 0; k < count_; ++k) {
        const auto d = static_cast<std::size_t>(k);
        const Vec3 dv(at[4].d[d], at[5].d[d], at[6].d[d]);
        const Vec3 turn = 2 * (w * dv - at[3].d[d] * v - dv.cross(v));  // 2 δq q*
        for (int i = 0; i < 3; ++i) {
          const auto c = static_cast<std::size_t>(i);
          out_.state(row + i, first_ + k) = at[c].d[d];
          out_.state(row + 3 + i, first_ + k) = turn(i);
          out_.state(row + 6 + i, first_ + k) = at[7 + c].d[d];
          out_.state(row + 9 + i, first_ + k) = at[10 + c].d[d];
        }
      }
    }
  }
};

}  // namespace

Expected<Sensitivity> simulate_with_sensitivity(const World& world, double until, const Options& options) {
  if (!world.mechanisms.empty())
    return fail(ErrorCode::invalid, "robot[1]", world.mechanisms[0].name,
                "has no sensitivities: they are known of free bodies, their contacts and ball joints");
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
