/// Routh's law with SUNDIALS CVODE (Adams, functional iteration, its own root finding) at the accuracy that the law
/// itself has, in the variable in which the right-hand side is smooth.

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "routh_by_library.hpp"

namespace ricochet::bench {
namespace {

/// The loosest that keep the largest error near 1e-12.
constexpr double tolerance = 1e-14;
constexpr double remainder = 1e-11;

class SlipByCvode : SlipPhases<Form::regular> {
 public:
  SlipByCvode(const Routh& law, const Local<double>& c) : SlipPhases(law, c) {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VMake_Serial(static_cast<sunindextype>(x_.size()), x_.data(), context_);
    memory_ = CVodeCreate(CV_ADAMS, context_);
    solver_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
    CVodeInit(memory_, rhs, 0, y_);
    CVodeSStolerances(memory_, tolerance, tolerance * std::abs(c.V(0)));
    CVodeSetUserData(memory_, this);
    CVodeSetNonlinearSolver(memory_, solver_);
    CVodeSetMaxNumSteps(memory_, 100'000);
    CVodeRootInit(memory_, 1, root);
    CVodeSetErrFile(memory_, nullptr);
  }
  SlipByCvode(const SlipByCvode&) = delete;
  SlipByCvode& operator=(const SlipByCvode&) = delete;
  ~SlipByCvode() {
    SUNNonlinSolFree(solver_);
    CVodeFree(&memory_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }

  Impulse run() {
    const double start = slip(x_);
    double t = 0;
    for (int count = 0; count < 100'000; ++count) {
      const int flag = CVode(memory_, t + 1 / c_.W(0, 0), y_, &t, CV_ONE_STEP);
      if (flag < 0) return {};
      if (flag == CV_ROOT_RETURN) {
        if (ends()) return {Vec3(x_[3], x_[4], x_[5]), true};
        if (CVodeReInit(memory_, t, y_) < 0) return {};
        continue;
      }
      if (slip(x_) < remainder * start) return after_slip();
    }
    return {};
  }

 private:
  static State read(N_Vector y) {
    State x;
    std::copy_n(N_VGetArrayPointer(y), x.size(), x.begin());
    return x;
  }
  static int rhs(double, N_Vector y, N_Vector dy, void* self) {
    State d;
    static_cast<SlipByCvode*>(self)->slope(read(y), d);
    std::copy(d.begin(), d.end(), N_VGetArrayPointer(dy));
    return 0;
  }
  static int root(double, N_Vector y, double* value, void* self) {
    *value = static_cast<SlipByCvode*>(self)->measure(read(y));
    return 0;
  }

  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  void* memory_ = nullptr;
  SUNNonlinearSolver solver_ = nullptr;
};

Impulse by_cvode(const Routh& law, const Local<double>& local) { return SlipByCvode(law, local).run(); }

}  // namespace

void register_cvode() {
  for (const auto& [restitution, name] :
       {std::pair{Restitution::poisson, "poisson"}, std::pair{Restitution::stronge, "stronge"}})
    benchmark::RegisterBenchmark((std::string("routh/") + name + "/CVODE, regular form").c_str(), run<by_cvode>,
                                 restitution);
}

}  // namespace ricochet::bench
