/// First crossings of quartics with SUNDIALS CVODE and its root finding: the gap and its derivatives as an initial
/// value problem.

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "crossings.hpp"
#include "problems.hpp"

namespace ricochet::bench {
namespace {

using motion::testing::Gap;

class Flight {
 public:
  explicit Flight(const Gap& gap) : y_{gap.c[0], gap.c[1], 2 * gap.c[2], 6 * gap.c[3]}, last_(24 * gap.c[4]) {
    SUNContext_Create(nullptr, &context_);
    state_ = N_VMake_Serial(4, y_, context_);
    memory_ = CVodeCreate(CV_ADAMS, context_);
    solver_ = SUNNonlinSol_FixedPoint(state_, 0, context_);
    CVodeInit(memory_, rhs, 0, state_);
    CVodeSStolerances(memory_, 1e-10, 1e-12);
    CVodeSetUserData(memory_, this);
    CVodeSetNonlinearSolver(memory_, solver_);
    CVodeSetMaxNumSteps(memory_, 100'000);
    CVodeRootInit(memory_, 1, root);
    int falling = -1;
    CVodeSetRootDirection(memory_, &falling);
    CVodeSetNoInactiveRootWarn(memory_);
    CVodeSetErrFile(memory_, nullptr);
    CVodeSetStopTime(memory_, gap.T);
  }
  Flight(const Flight&) = delete;
  Flight& operator=(const Flight&) = delete;
  ~Flight() {
    SUNNonlinSolFree(solver_);
    CVodeFree(&memory_);
    N_VDestroy(state_);
    SUNContext_Free(&context_);
  }
  double run(double T) {
    double t = 0;
    const int flag = CVode(memory_, T, state_, &t, CV_NORMAL);
    if (flag < 0) return std::numeric_limits<double>::quiet_NaN();
    return flag == CV_ROOT_RETURN ? t : nothing;
  }

 private:
  static int rhs(double, N_Vector y, N_Vector dy, void* self) {
    const double* x = N_VGetArrayPointer(y);
    double* d = N_VGetArrayPointer(dy);
    for (int i = 0; i < 3; ++i) d[i] = x[i + 1];
    d[3] = static_cast<Flight*>(self)->last_;
    return 0;
  }
  static int root(double, N_Vector y, double* value, void*) {
    *value = N_VGetArrayPointer(y)[0];
    return 0;
  }

  double y_[4];
  double last_;
  SUNContext context_ = nullptr;
  N_Vector state_ = nullptr;
  void* memory_ = nullptr;
  SUNNonlinearSolver solver_ = nullptr;
};

double by_cvode(const Gap& gap) { return Flight(gap).run(gap.T); }

}  // namespace

void register_cvode_crossings() {
  for (const auto family : crossing_families)
    benchmark::RegisterBenchmark(crossing_row(family, "CVODE, tolerance 1e-10").c_str(),
                                 [family](benchmark::State& state) { run_crossings(state, family, 1e-6, by_cvode); });
}

}  // namespace ricochet::bench
