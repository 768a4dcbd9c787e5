#pragma once
/// The command line of a program, its commands and their options. CLI11, whose templates take seconds to compile, is
/// seen by command_line.cpp alone.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ricochet::app {

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option type_name(const std::string& name) const;
  Option required() const;
  Option excludes(const Option& other) const;
  /// As many values as that.
  Option expected(int count) const;
  /// May be given again; each time adds a value.
  Option repeated() const;
  Option among(std::vector<std::string> words) const;
  Option between(int least, int greatest) const;
  Option between(std::size_t least, std::size_t greatest) const;
  /// `fault` returns what is wrong with a value, or an empty text.
  Option check(std::function<std::string(const std::string&)> fault) const;

 private:
  CLI::Option* option_;
};

class CommandLine {
 public:
  explicit CommandLine(CLI::App* app) : app_(app) {}

  Option add_option(const std::string& names, std::string& value, const std::string& help) const;
  Option add_option(const std::string& names, double& value, const std::string& help) const;
  Option add_option(const std::string& names, int& value, const std::string& help) const;
  Option add_option(const std::string& names, unsigned& value, const std::string& help) const;
  Option add_option(const std::string& names, std::size_t& value, const std::string& help) const;
  Option add_option(const std::string& names, std::optional<double>& value, const std::string& help) const;
  Option add_option(const std::string& names, std::optional<int>& value, const std::string& help) const;
  Option add_option(const std::string& names, std::vector<std::string>& values, const std::string& help) const;
  Option add_option(const std::string& names, std::vector<double>& values, const std::string& help) const;
  Option add_flag(const std::string& names, bool& value, const std::string& help) const;

  /// How often an option was given.
  [[nodiscard]] std::size_t count(const std::string& name) const;
  /// Shows an option under a heading of its own.
  void group(const std::string& name, const std::string& heading) const;
  void footer(const std::string& text) const;
  /// Called when the command was chosen and its options are read.
  void callback(std::function<void()> run) const;

 private:
  CLI::App* app_;
};

class Program {
 public:
  explicit Program(const std::string& description);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void version(const std::string& text);
  /// Whether a command must be given.
  void require_command(bool required);
  void footer(const std::string& text);
  CommandLine add_command(const std::string& name, const std::string& help);
  /// The exit code after parsing, which runs the chosen command: `status`, or 2 for a wrong command line.
  int parse(int argc, char** argv, const int& status);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace ricochet::app
