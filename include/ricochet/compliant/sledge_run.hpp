#pragma once
/// What a run of the spring-sledge contact does in a plane and in space alike: phase after phase of sticking and
/// sliding, the change of the normal spring between its two lines, and the end.

#include <cstdint>

#include "ricochet/compliant/normal_spring.hpp"
#include "ricochet/compliant/sledge_stop.hpp"

namespace ricochet::compliant {

/// `Contact` derives from this, and has
///   bool sticks(), void stick(), void slide()   one phase, which ends in `change` or `finish`
///   void begin_phase(int)                       told the number of the phase, from 0
///   T& force(), T& normal_loss()                of the normal spring, now
///   void set_loading(bool), void line_changed() told of the change between lines
///   void release()                              the springs let go
///   void change_friction()                      from sticking to sliding or back
template <class T, class Contact>
class SledgeRun {
 protected:
  RICOCHET_HD SledgeRun(T e, Damper damper) : spring_(e, damper) {}

  RICOCHET_HD void run_phases(int most_phases, int most_evaluations, int& phases, const int& evaluations) {
    while (!done_) {
      ++phases;
      if (phases > most_phases || evaluations > most_evaluations) {
        finish(phases > most_phases ? Stop::rings : Stop::step_limit);
        break;
      }
      self().begin_phase(phases - 1);
      if (self().sticks()) {
        self().stick();
      } else {
        self().slide();
      }
    }
  }

  RICOCHET_HD void change(PhaseEnd end) {
    switch (end) {
      case PhaseEnd::friction: self().change_friction(); break;
      case PhaseEnd::turn: begin_unloading(); break;
      case PhaseEnd::release: self().release(); break;
      case PhaseEnd::reload: load_again(); break;
      case PhaseEnd::none: break;
    }
  }

  RICOCHET_HD void finish(Stop stop) {
    stop_ = stop;
    done_ = true;
  }

  NormalSpring<T> spring_;
  Stop stop_ = Stop::separated;
  bool done_ = false;

 private:
  RICOCHET_HD Contact& self() { return static_cast<Contact&>(*this); }

  RICOCHET_HD void begin_unloading() {
    self().set_loading(false);
    if (!spring_.hysteretic()) return;
    self().normal_loss() = spring_.unload(self().force());
    if (spring_.returns_nothing()) {
      self().release();
    } else {
      self().line_changed();
    }
  }

  RICOCHET_HD void load_again() {
    spring_.load();
    self().set_loading(true);
    self().normal_loss() = T(0);
    self().force() = spring_.peak();
    self().line_changed();
  }
};

}  // namespace ricochet::compliant
