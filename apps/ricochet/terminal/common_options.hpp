#pragma once
/// Options that many commands have, declared once.

#include <cstdint>
#include <string>
#include <vector>

#include "terminal/command_line.hpp"

namespace ricochet::app {

/// --set KEY=VALUE, as often as wanted.
void add_set_option(const CommandLine& command, std::vector<std::string>& sets, const std::string& help);

/// --format with these words.
void add_format_option(const CommandLine& command, std::string& format, std::vector<std::string> words,
                       const std::string& help = "table by default");

/// -o FILE; "-" and nothing are standard output.
void add_output_option(const CommandLine& command, std::string& path);

/// --seed N, from 0 to 2^64 − 1.
void add_seed_option(const CommandLine& command, std::uint64_t& seed, const std::string& help);

/// --angles FROM TO.
void add_angles_option(const CommandLine& command, std::vector<double>& angles, const std::string& help);

}  // namespace ricochet::app
