/// Collisions in columns that lie on a CUDA device, beside the bandwidth of a copy there. A program of its own: it has
/// a table of rates, and needs no other library.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ricochet/batch/collide.hpp"
#include "ricochet/batch/draw_collision.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/law/make_law.hpp"

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

/// Columns on the device: `drawn` collisions, repeated to `count`.
template <class T>
class Resident {
 public:
  Resident(const LawInfo& info, std::size_t count) : count_(count) {
    constexpr std::size_t drawn = 1 << 16;
    std::vector<DrawnCollision> collisions;
    for (std::uint64_t i = 0; collisions.size() < drawn; ++i)
      if (i / drawn_alike % 2 == 0) collisions.push_back(draw_collision(info, 1, i));
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
void measure(const LawInfo& info, double bandwidth, const char* number) {
  const std::size_t count = std::size_t{1} << 26;
  Resident<T> columns(info, count);
  std::size_t refused = 0;
  const double t = seconds([&] {
    const auto done = collide_batch(columns.law, columns.contacts, columns.outcomes, {.device = true});
    if (!done) {
      fmt::print(stderr, "bench_device: {}\n", done.error().message());
      std::exit(1);
    }
    refused = done->refused;
  });
  fmt::print("{:<18} {:<7} {:>8.2f} {:>10.0f} {:>8.2f} {:>7.0f} % {:>9}\n", info.name, number, double(count) / t * 1e-9,
             columns.moved(), columns.moved() * double(count) / t * 1e-12,
             100 * columns.moved() * double(count) / t / bandwidth, refused);
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
  fmt::print("{:<18} {:<7} {:>8} {:>10} {:>8} {:>9} {:>9}\n", "law", "number", "10^9/s", "bytes each", "TB/s",
             "of a copy", "refused");
  for (const LawInfo& info : laws()) {
    if (info.domain != LawDomain::contact || !runs_in_packs(info.name)) continue;
    measure<double>(info, bandwidth, "double");
    measure<float>(info, bandwidth, "float");
  }
}
