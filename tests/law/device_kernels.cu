/// Every law kernel, and localisation before it, as CUDA device code. Compiling this is the test; where there is a
/// device, the program also holds its answers against those of the host.

#include <cmath>
#include <cstdio>
#include <vector>

#include "ricochet/contact/check_kernel.hpp"
#include "ricochet/contact/localize_kernel.hpp"
#include "ricochet/law/anitescu_potra_kernel.hpp"
#include "ricochet/law/bilinear_kernel.hpp"
#include "ricochet/law/brach_kernel.hpp"
#include "ricochet/law/chatterjee_ruina_kernel.hpp"
#include "ricochet/law/frictionless_kernel.hpp"
#include "ricochet/law/graded_region_kernel.hpp"
#include "ricochet/law/graded_sledge_kernel.hpp"
#include "ricochet/law/permissible_point_kernel.hpp"
#include "ricochet/law/pfeiffer_glocker_kernel.hpp"
#include "ricochet/law/projected_kernel.hpp"
#include "ricochet/law/routh_kernel.hpp"
#include "ricochet/law/smith_kernel.hpp"
#include "ricochet/law/spring_sledge_kernel.hpp"
#include "ricochet/law/whittaker_kernel.hpp"
#include "ricochet/space/certificate.hpp"

using namespace ricochet;

constexpr int laws = 15;

template <class T>
struct Case {
  T M[9], V[3], n[3];  ///< n = (1, 0, 0) and M without coupling across the plane where `planar`
};

template <class T>
struct Result {
  T P[3];
  int mode, termination, permissible, fault;
};

template <class T>
RICOCHET_HD Result<T> result_of(const Local<T>& c, const Solution<T>& s, double mu, ContactFault fault) {
  const Vec3T<T> P = times3<T>(c.R, s.P);
  return {{P(0), P(1), P(2)},
          int(s.mode),
          int(s.termination),
          certify<T>(c.W, c.V, s.P, mu).permissible ? 1 : 0,
          int(fault)};
}

/// The answer of law number `law`; one place for host and device.
template <class T>
RICOCHET_HD Result<T> ask(int law, const Case<T>& numbers) {
  Mat3T<T> M, W;
  Vec3T<T> V, n;
  for (int i = 0; i < 3; ++i) {
    V(i) = numbers.V[i];
    n(i) = numbers.n[i];
    for (int j = 0; j < 3; ++j) M(i, j) = numbers.M[3 * i + j];
  }
  const ContactFault fault = check_contact<T>(M, V, n);
  if (!invert_if_clear(M, W)) return {};
  const Local<T> c = localize<T>(M, W, V, n, false);
  const double e = 0.6, mu = 0.3;
  Routh routh;
  routh.e = e;
  routh.mu = mu;
  switch (law) {
    case 0: return result_of(c, solve(Frictionless{e}, c), mu, fault);
    case 1: return result_of(c, solve(ChatterjeeRuina{e, 0.2, mu, 0}, c), mu, fault);
    case 2: return result_of(c, solve(Bilinear{e, 0.2, mu, 1}, c), mu, fault);
    case 3: return result_of(c, solve(routh, c), mu, fault);
    case 4: routh.restitution = Restitution::stronge; return result_of(c, solve(routh, c), mu, fault);
    case 5: return result_of(c, solve(Whittaker{e, mu}, c), mu, fault);
    case 6: return result_of(c, solve(Smith{e, mu}, c), mu, fault);
    case 7: return result_of(c, solve(Brach{e, 0.1, 0.05, mu}, c), mu, fault);
    case 8: return result_of(c, solve(PfeifferGlocker{e, 0.3, 0.5, mu, 1}, c), mu, fault);
    case 9: return result_of(c, solve(AnitescuPotra{e, mu}, c), mu, fault);
    case 10: return result_of(c, solve(PermissiblePoint{1, 3, 0.5, mu}, c), mu, fault);
    case 11: {
      Projected projected;
      projected.mu = mu;
      return result_of(c, solve(projected, c), mu, fault);
    }
    case 12: {
      GradedSledge graded;
      graded.mu = mu;
      graded.mu_v = -0.04;
      graded.e = e;
      graded.e_i = 0.1;
      return result_of(c, solve(graded, c), double(grade(graded, c.V).mu), fault);
    }
    case 13: {
      GradedRegion region;
      region.e = e;
      region.e_v = -0.3;
      region.mu = mu;
      region.tau = 0.6;
      region.tau_m = -0.4;
      region.chi_m = -0.1;
      return result_of(c, solve(region, c, Vec3T<T>(T(3), T(-5), T(8))), mu, fault);
    }
    default: {
      SpringSledge sledge;
      sledge.mu = mu;
      sledge.e = e;
      return result_of(c, solve(sledge, c), mu, fault);
    }
  }
}

template <class T>
__global__ void ask_all(const Case<T>* cases, int count, Result<T>* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count * laws) out[i] = ask<T>(i % laws, cases[i / laws]);
}

template <class T>
int compare(const char* name, double tolerance) {
  std::vector<Case<T>> cases;
  unsigned long state = 1;
  const auto draw = [&] {
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return T(double(state >> 11) * 0x1p-53);
  };
  for (int k = 0; k < 64; ++k) {
    Case<T> c{};
    for (int i = 0; i < 3; ++i) {
      c.M[4 * i] = T(1) + draw();
      c.V[i] = draw() - T(0.5);
    }
    const bool planar = k % 2 == 0;
    c.M[1] = c.M[3] = T(0.6) * (draw() - T(0.5));
    if (!planar) {
      c.M[2] = c.M[6] = T(0.6) * (draw() - T(0.5));
      c.M[5] = c.M[7] = T(0.6) * (draw() - T(0.5));
    } else {
      c.V[2] = T(0);
    }
    c.V[0] = -T(0.2) - draw();
    c.n[0] = T(1);
    cases.push_back(c);
  }
  const int count = int(cases.size()), total = count * laws;
  Case<T>* on_device = nullptr;
  Result<T>* results = nullptr;
  cudaMalloc(&on_device, sizeof(Case<T>) * cases.size());
  cudaMalloc(&results, sizeof(Result<T>) * total);
  cudaMemcpy(on_device, cases.data(), sizeof(Case<T>) * cases.size(), cudaMemcpyHostToDevice);
  ask_all<T><<<(total + 31) / 32, 32>>>(on_device, count, results);
  std::vector<Result<T>> answers(total);
  const cudaError_t status = cudaMemcpy(answers.data(), results, sizeof(Result<T>) * total, cudaMemcpyDeviceToHost);
  cudaFree(on_device);
  cudaFree(results);
  if (status != cudaSuccess) {
    std::printf("%s: %s\n", name, cudaGetErrorString(status));
    return 1;
  }
  int wrong = 0;
  double worst = 0;
  for (int i = 0; i < total; ++i) {
    const Result<T> host = ask<T>(i % laws, cases[i / laws]), &device = answers[i];
    double off = 0, size = 0;
    for (int k = 0; k < 3; ++k) {
      off += std::abs(double(host.P[k]) - double(device.P[k]));
      size += std::abs(double(host.P[k]));
    }
    const bool same = host.mode == device.mode && host.termination == device.termination &&
                      host.permissible == device.permissible && host.fault == device.fault;
    if (size > 0) worst = std::fmax(worst, off / size);
    if (!(off <= tolerance * size) || !same) {
      ++wrong;
      std::printf("%s: law %d, case %d: off by %g of %g, mode %d and %d, end %d and %d\n", name, i % laws, i / laws,
                  off, size, host.mode, device.mode, host.termination, device.termination);
    }
  }
  std::printf("%s: %d answers, %d differ; worst %.1e\n", name, total, wrong, worst);
  return wrong;
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("compiled; no device to run on\n");
    return 0;
  }
  cudaDeviceSetLimit(cudaLimitStackSize, 128 * 1024);
  return compare<double>("double", 1e-9) == 0 ? 0 : 1;
}
