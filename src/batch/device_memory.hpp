#pragma once
/// Memory of a CUDA device and what CUDA complains of. For files that nvcc compiles.

#include <cuda_runtime.h>

#include <memory>
#include <optional>
#include <string>

#include "ricochet/base/error.hpp"

namespace ricochet::batch_detail {

/// The first thing that CUDA complained of.
class Complaint {
 public:
  /// Whether all went well so far.
  bool operator()(cudaError_t code, const char* what) {
    if (!error_ && code != cudaSuccess)
      error_ = fail(ErrorCode::unavailable, "device", what, std::string(cudaGetErrorString(code))).value();
    return !error_;
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<Error> error_;
};

struct FreeOnDevice {
  void operator()(void* p) const { (void)cudaFree(p); }
};
using DeviceMemory = std::unique_ptr<void, FreeOnDevice>;

}  // namespace ricochet::batch_detail
