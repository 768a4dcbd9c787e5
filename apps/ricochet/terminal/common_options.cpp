#include "terminal/common_options.hpp"

#include <charconv>
#include <utility>

namespace ricochet::app {

void add_set_option(const CommandLine& command, std::vector<std::string>& sets, const std::string& help) {
  command.add_option("--set", sets, help).type_name("KEY=VALUE").repeated();
}

void add_format_option(const CommandLine& command, std::string& format, std::vector<std::string> words,
                       const std::string& help) {
  command.add_option("--format", format, help).among(std::move(words)).type_name("FORMAT");
}

void add_output_option(const CommandLine& command, std::string& path) {
  command
      .add_option("-o,--output", path,
                  "file to write, which appears only when complete; - is standard output, the default")
      .type_name("FILE");
}

// CLI11 would read -1 and 2^64 as the largest seed.
void add_seed_option(const CommandLine& command, std::uint64_t& seed, const std::string& help) {
  command.add_option("--seed", seed, help)
      .check([](const std::string& text) {
        std::uint64_t read = 0;
        const char* end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, read);
        return error == std::errc{} && rest == end ? std::string{}
                                                   : text + ": must be a whole number from 0 to 2^64 - 1";
      })
      .type_name("N");
}

void add_angles_option(const CommandLine& command, std::vector<double>& angles, const std::string& help) {
  command.add_option("--angles", angles, help).type_name("FROM TO").expected(2);
}

}  // namespace ricochet::app
