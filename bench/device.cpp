/// Collisions in columns that lie on a CUDA device, beside the bandwidth of a copy there. A program of its own: it has
/// a table of rates, and needs no other library.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ricochet/batch/collide.hpp"
#include "ricochet/batch/draw_collision.hpp"
#include "ricochet/batch/draw_kernel.hpp"
#include "ricochet/batch/indexed_random.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/law/make_law.hpp"
#include "ricochet/sweep/spec_toml.hpp"
#include "ricochet/sweep/sweep.hpp"

using namespace ricochet;

namespace {

void must(cudaError_t code) {
  if (code == cudaSuccess) return;
  fmt::print(stderr, "bench_device: {}\n", cudaGetErrorString(code));
  std::exit(1);
}

template <class T>
T* on_device(std::size_t count) {
  void* p = nullptr;
  must(cudaMalloc(&p, count * sizeof(T)));
  return static_cast<T*>(p);
}

/// Seconds of one run: the shortest of several, after one that is not counted.
template <class F>
double seconds(F run) {
  double best = 1e9;
  for (int k = 0; k < 6; ++k) {
    must(cudaDeviceSynchronize());
    const auto start = std::chrono::steady_clock::now();
    run();
    must(cudaDeviceSynchronize());
    const double t = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (k > 0) best = std::min(best, t);
  }
  return best;
}

/// Bytes read and written a second.
double copy_bandwidth() {
  const std::size_t bytes = std::size_t{4} << 30;
  auto *from = on_device<char>(bytes), *to = on_device<char>(bytes);
  const double t = seconds([&] { must(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice)); });
  must(cudaFree(from));
  must(cudaFree(to));
  return 2.0 * double(bytes) / t;
}

/// Collisions of ordinary bodies and surfaces: condition numbers up to 30, not grazing, e and μ from 0 to 1.
DrawnCollision ordinary(const LawInfo& info, std::uint64_t i) {
  DrawnCollision c = draw_collision(info, 1, i / drawn_alike * 2 * drawn_alike + i % drawn_alike);
  IndexedRandom random(2, i);
  const auto eigenvalue = [&] { return random.uniform(0.1, 3); };
  const Vec3 t = c.n.unitOrthogonal(), b = c.n.cross(t);
  Mat3 axes;
  axes << c.n, t, b;
  if (info.planar) {  // n and V stay in the plane of axes 1 and 2
    axes = Eigen::AngleAxisd(random.uniform(0, 3), Vec3::UnitZ()).toRotationMatrix();
  } else if (info.name != "bilinear") {
    axes = Eigen::Quaterniond(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), 1.1)
               .normalized()
               .toRotationMatrix();
  }
  Vec3 lambda(eigenvalue(), eigenvalue(), eigenvalue());
  if (info.name == "bilinear") lambda(2) = lambda(1);
  c.A = axes * lambda.asDiagonal() * axes.transpose();
  c.A = (0.5 * (c.A + c.A.transpose())).eval();
  const double turn = random.uniform(0, 6.28), angle = random.uniform(0.1, 1.5);
  const Vec3 slip = info.planar ? Vec3(-c.n.y(), c.n.x(), 0) : Vec3(std::cos(turn) * t + std::sin(turn) * b);
  c.V = random.uniform(0.1, 10) * (std::cos(angle) * slip - std::sin(angle) * c.n);
  c.parameters.e = random.uniform(0, 1);
  c.parameters.mu = random.uniform(0, 1);
  return c;
}

/// Columns on the device: `drawn` collisions, repeated to `count`.
template <class T>
class Resident {
 public:
  Resident(const LawInfo& info, std::size_t count, bool extreme) : count_(count) {
    constexpr std::size_t drawn = 1 << 16;
    std::vector<DrawnCollision> collisions;
    for (std::uint64_t i = 0; collisions.size() < drawn; ++i) {
      if (!extreme)
        collisions.push_back(ordinary(info, i));
      else if (i / drawn_alike % 2 == 0)
        collisions.push_back(draw_collision(info, 1, i));
    }
    const auto input = [&](auto number_of) {
      std::vector<T> column(drawn);
      for (std::size_t i = 0; i < drawn; ++i) column[i] = static_cast<T>(number_of(collisions[i]));
      T* p = room();
      must(cudaMemcpy(p, column.data(), drawn * sizeof(T), cudaMemcpyHostToDevice));
      for (std::size_t done = drawn; done < count; done *= 2)
        must(cudaMemcpy(p + done, p, done * sizeof(T), cudaMemcpyDeviceToDevice));
      return Column<const T>{p, 1};
    };
    std::array<Column<const T>, 6> entries;
    std::size_t k = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = i; j < 3; ++j) entries[k++] = input([=](const DrawnCollision& c) { return c.A(i, j); });
    contacts.count = count;
    contacts.by_six_entries(entries);
    for (int i = 0; i < 3; ++i) {
      contacts.V[std::size_t(i)] = input([=](const DrawnCollision& c) { return c.V(i); });
      contacts.n[std::size_t(i)] = input([=](const DrawnCollision& c) { return c.n(i); });
    }
    law.law = info.name;
    for (const ParameterInfo& p : info.parameters) {
      if (p.name == "smooth") {
        law.parameters.smooth = 0;
        continue;
      }
      law.numbers.push_back({p.name, input([&](const DrawnCollision& c) {
                               const Law one = make_law(info.name, c.parameters).value();
                               for (const auto& [name, value] : parameters_of(one))
                                 if (name == p.name) return std::get<double>(value);
                               return 0.0;
                             })});
    }
    for (auto* group : {&outcomes.P, &outcomes.V})
      for (auto& column : *group) column = {room(), 1};
    outcomes.energy_change = {room(), 1};
    for (auto& column : outcomes.margins) column = {room(), 1};
    for (auto* column : {&outcomes.permissible, &outcomes.status}) {
      bytes_.push_back(on_device<std::uint8_t>(count));
      *column = {bytes_.back(), 1};
    }
  }
  Resident(const Resident&) = delete;
  Resident& operator=(const Resident&) = delete;
  ~Resident() {
    for (T* p : numbers_) (void)cudaFree(p);
    for (std::uint8_t* p : bytes_) (void)cudaFree(p);
  }
  /// Read and written for one collision.
  [[nodiscard]] double moved() const { return double(numbers_.size() * sizeof(T) + bytes_.size()); }

  LawColumns<T> law;
  ContactColumns<T> contacts;
  OutcomeColumns<T> outcomes;

 private:
  T* room() {
    numbers_.push_back(on_device<T>(count_));
    return numbers_.back();
  }
  std::size_t count_;
  std::vector<T*> numbers_;
  std::vector<std::uint8_t*> bytes_;
};

template <class T>
void measure(const LawInfo& info, double bandwidth, const char* number, bool extreme) {
  const std::size_t count = std::size_t{1} << 26;
  Resident<T> columns(info, count, extreme);
  std::size_t refused = 0;
  const double t = seconds([&] {
    const auto done = collide_batch(columns.law, columns.contacts, columns.outcomes, {.device = true});
    if (!done) {
      fmt::print(stderr, "bench_device: {}\n", done.error().message());
      std::exit(1);
    }
    refused = done->refused;
  });
  fmt::print("{:<18} {:<7} {:<9} {:>8.2f} {:>10.0f} {:>8.2f} {:>7.0f} % {:>9}\n", info.name, number,
             extreme ? "extreme" : "ordinary", double(count) / t * 1e-9, columns.moved(),
             columns.moved() * double(count) / t * 1e-12, 100 * columns.moved() * double(count) / t / bandwidth,
             refused);
  std::fflush(stdout);
}

/// Samples of a sweep, of which nothing but statistics is kept.
void measure_sweep(const LawInfo& info, const char* what, const std::string& sampling, bool matrix, bool all) {
  const bool coupled = info.name != "bilinear" && !info.planar;
  const char* third = info.name == "frictionless" ? "V[2]" : info.name == "brach" ? "mu_2" : "mu";
  const std::string outputs = all ? "" : "outputs = [\"V_n\", \"energy_change\"]\n";
  const std::string text = fmt::format(
      "[sweep]\nlaw = \"{}\"\nsampling = \"{}\"\ncount = 1073741824\n{}[base]\nM = {}\nV = [-1, -1.4, {}]\n"
      "n = [1, 0, 0]\n{} = 0.5\nmu = 0.3\ne_t = 0.2\nnu = 0.2\nmu_2 = 0.1\nmu_3 = 0.05\n"
      "[[axis]]\nfield = \"{}\"\nrange = [0, 1]\n[[axis]]\nfield = \"V[1]\"\nrange = [-2, -0.5]\n"
      "[[axis]]\nfield = \"{}\"\nrange = [0, 0.5]\n{}",
      info.name, sampling, outputs,
      coupled ? "[[2, 0.7, 0.2], [0.7, 1.5, -0.3], [0.2, -0.3, 1.1]]" : "[[2, 0, 0], [0, 1.5, 0], [0, 0, 1.5]]",
      info.planar ? "0" : "0.3", info.parameters.front().name, info.parameters.front().name, third,
      matrix ? "[[axis]]\nfield = \"M[2][2]\"\nrange = [1, 2]\n[[axis]]\nfield = \"M[1][1]\"\nrange = [1.5, 3]\n" : "");
  auto spec = sweep::read_sweep_toml(text);
  if (!spec) return fmt::print(stderr, "bench_device: {}\n", spec.error().error.message());
  const auto swept = sweep::Sweep::make(*std::move(spec));
  if (!swept) return fmt::print(stderr, "bench_device: {}\n", swept.error().message());
  const double t = seconds([&] { (void)swept->evaluate_on_device(0, sweep::Sweep::device_level).value(); });
  fmt::print("{:<18} {:<34} {:>8.2f}\n", info.name, what, double(std::uint64_t{1} << 30) / t * 1e-9);
  std::fflush(stdout);
}

}  // namespace

int main() {
  const auto device = cuda_device();
  if (!device) {
    fmt::print("bench_device: {}\n", device.error().message());
    return 77;
  }
  const double bandwidth = copy_bandwidth();
  fmt::print("{}: a copy moves {:.2f} TB/s, read and written\n\n", *device, bandwidth * 1e-12);
  fmt::print("{:<18} {:<7} {:<9} {:>8} {:>10} {:>8} {:>9} {:>9}\n", "law", "number", "draws", "10^9/s", "bytes each",
             "TB/s", "of a copy", "refused");
  for (const LawInfo& info : laws()) {
    if (info.domain != LawDomain::contact || !runs_in_packs(info.name)) continue;
    for (const bool extreme : {false, true}) {
      measure<double>(info, bandwidth, "double", extreme);
      measure<float>(info, bandwidth, "float", extreme);
    }
  }
  fmt::print("\n{:<18} {:<34} {:>8}\n", "law", "sweep", "10^9/s");
  for (const LawInfo& info : laws()) {
    if (info.domain != LawDomain::contact || !runs_in_packs(info.name)) continue;
    measure_sweep(info, "contact fixed, 3 axes, 2 outputs", "random", false, false);
    measure_sweep(info, "the same, Sobol", "sobol", false, false);
    if (info.name != "bilinear") measure_sweep(info, "matrix swept, 5 axes, 2 outputs", "random", true, false);
    measure_sweep(info, "contact fixed, 3 axes, 17 outputs", "random", false, true);
  }
}
