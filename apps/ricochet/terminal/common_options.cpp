#include "terminal/common_options.hpp"

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

void add_angles_option(const CommandLine& command, std::vector<double>& angles, const std::string& help) {
  command.add_option("--angles", angles, help).type_name("FROM TO").expected(2);
}

}  // namespace ricochet::app
