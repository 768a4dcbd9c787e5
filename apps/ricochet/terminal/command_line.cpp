#include "terminal/command_line.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <sstream>
#include <utility>

#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {

Option Option::type_name(const std::string& name) const { return Option(option_->type_name(name)); }

Option Option::required() const { return Option(option_->required()); }

Option Option::excludes(const Option& other) const { return Option(option_->excludes(other.option_)); }

Option Option::expected(int count) const { return Option(option_->expected(count)); }

Option Option::repeated() const {
  return Option(option_->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->allow_extra_args(false));
}

Option Option::among(std::vector<std::string> words) const {
  return Option(option_->check(CLI::IsMember(std::move(words))));
}

Option Option::between(int least, int greatest) const { return Option(option_->check(CLI::Range(least, greatest))); }

Option Option::between(std::size_t least, std::size_t greatest) const {
  return Option(option_->check(CLI::Range(least, greatest)));
}

Option Option::check(std::function<std::string(const std::string&)> fault) const {
  return Option(option_->check(std::move(fault)));
}

Option CommandLine::add_option(const std::string& names, std::string& value, const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option CommandLine::add_option(const std::string& names, double& value, const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option CommandLine::add_option(const std::string& names, int& value, const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option CommandLine::add_option(const std::string& names, unsigned& value, const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option CommandLine::add_option(const std::string& names, std::size_t& value, const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option CommandLine::add_option(const std::string& names, std::optional<double>& value, const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option CommandLine::add_option(const std::string& names, std::optional<int>& value, const std::string& help) const {
  return Option(app_->add_option(names, value, help));
}

Option CommandLine::add_option(const std::string& names, std::vector<std::string>& values,
                               const std::string& help) const {
  return Option(app_->add_option(names, values, help));
}

Option CommandLine::add_option(const std::string& names, std::vector<double>& values, const std::string& help) const {
  return Option(app_->add_option(names, values, help));
}

Option CommandLine::add_flag(const std::string& names, bool& value, const std::string& help) const {
  return Option(app_->add_flag(names, value, help));
}

std::size_t CommandLine::count(const std::string& name) const { return app_->count(name); }

void CommandLine::group(const std::string& name, const std::string& heading) const {
  app_->get_option(name)->group(heading);
}

void CommandLine::footer(const std::string& text) const { app_->footer(text); }

void CommandLine::callback(std::function<void()> run) const { app_->callback(std::move(run)); }

Program::Program(const std::string& description) : app_(std::make_unique<CLI::App>(description)) {
  app_->name("ricochet");
}

Program::~Program() = default;

void Program::version(const std::string& text) { app_->set_version_flag("--version", text); }

void Program::require_command(bool required) { app_->require_subcommand(required ? 1 : 0, 1); }

void Program::footer(const std::string& text) { app_->footer(text); }

CommandLine Program::add_command(const std::string& name, const std::string& help) {
  return CommandLine(app_->add_subcommand(name, help));
}

int Program::parse(int argc, char** argv, const int& status) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    // Help and version are output like any other: a full device must not pass for success.
    std::ostringstream out;
    return app_->exit(problem, out, std::cerr) == 0 ? print_out(out.str()) : bad_input;
  }
  return status;
}

}  // namespace ricochet::app
