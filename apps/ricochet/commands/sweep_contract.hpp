#pragma once
/// `ricochet sweep contract`: what each law promises, checked in bulk.

#include <cstddef>
#include <string>
#include <vector>

namespace ricochet::app {

struct ContractOptions {
  std::string format = "table", out;
  std::vector<std::string> laws;
  std::size_t count = 100'000, first = 0, seed = 1;
  int threads = 0;
  bool device = false;
};

[[nodiscard]] int run_contract(const ContractOptions& options);

}  // namespace ricochet::app
