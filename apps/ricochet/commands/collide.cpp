#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "commands/stream.hpp"
#include "ricochet/io/collision_toml.hpp"
#include "ricochet/io/open_collision.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/law/registry.hpp"
#include "terminal/common_options.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"
#include "terminal/write_table.hpp"

namespace ricochet::app {
namespace {

struct CollideOptions {
  std::string file, law, out;
  std::vector<std::string> sets;
  std::string format;
};

Format chosen(const std::string& word, Format otherwise) {
  static const std::map<std::string, Format> words{
      {"table", Format::table}, {"json", Format::json}, {"jsonl", Format::jsonl}, {"csv", Format::csv}};
  const auto found = words.find(word);
  return found == words.end() ? otherwise : found->second;
}

int one_collision(Collision collision, const std::string& name, const CollideOptions& options,
                  const Question& question) {
  override_parameters(question.assignments, collision);
  const std::string law = !question.law.empty() ? question.law : collision.law.value_or("all");
  Source source{.name = name, .many = false, .every_law = law == "all", .colour = colour_wanted(options.out)};
  std::vector<Answer> answers;
  if (source.every_law) {
    answers = ask_all(collision);
  } else {
    answers.push_back(ask(law, collision));
    if (!answers[0].outcome)
      return report_parameter_error(name, collision, question.assignments, answers[0].outcome.error());
  }
  if (const auto refusal = refusal_of(answers))
    return report_parameter_error(name, collision, question.assignments, *refusal);
  const auto writer = make_writer(chosen(options.format, Format::table), source);
  fmt::memory_buffer buffer;
  writer->begin(buffer);
  writer->collision(buffer, 1, collision, answers);
  writer->end(buffer);
  return write_out(options.out, {buffer.data(), buffer.size()});
}

int stream(Input& input, const CollideOptions& options, const Question& question) {
  Expected<OutputFile> output = OutputFile::open(options.out);
  if (!output) return refuse_output(output.error());
  const Source source{
      .name = input.name(), .many = true, .every_law = question.law == "all", .colour = colour_wanted(options.out)};
  const auto writer = make_writer(chosen(options.format, Format::jsonl), source);
  const StreamResult result = run_stream(input, question, *writer, *output);
  if (!result.complete) return result.status;
  if (const Expected<void> fine = output->commit(); !fine) return refuse_output(fine.error());
  return result.status;
}

int run_collide(const CollideOptions& options) {
  Question question{.law = options.law, .assignments = {}};
  if (!question.law.empty() && question.law != "all" && find_law(question.law) == nullptr)
    return refuse("--law", 0, unknown_law(question.law));
  auto assignments = read_assignments(options.sets);
  if (!assignments) return refuse("--set", 0, assignments.error());
  question.assignments = *std::move(assignments);

  std::string text(default_scene);
  std::string name(default_scene_name);
  if (!options.file.empty()) {
    Expected<Input> input = Input::open(options.file);
    if (!input) return refuse(options.file, 0, input.error());
    name = input->name();
    const Expected<FileKind> kind = kind_of(options.file, *input);
    if (!kind) return refuse(name, 0, kind.error());
    if (*kind == FileKind::json_lines) return stream(*input, options, question);
    Expected<std::string> all = input->rest(toml_limit);
    if (!all) return refuse(name, 0, all.error());
    text = *std::move(all);
  }
  auto read = read_toml(text);
  if (!read) return refuse(name, read.error().line, read.error().error);
  return one_collision(*std::move(read), name, options, question);
}

}  // namespace

void add_collide(Program& program, int& status) {
  const CommandLine command = add_command(program, "collide");
  auto options = std::make_shared<CollideOptions>();
  command.add_option("FILE", options->file,
                     "TOML (one collision) or JSON Lines (many); - is standard input; without it, a built-in scene");
  command.add_option("--law", options->law, "a law by name, or all; overrides the file").type_name("NAME|all");
  add_set_option(command, options->sets, "a law parameter, overrides the file; may be repeated");
  add_format_option(command, options->format, {"table", "json", "jsonl", "csv"},
                    "default: table for TOML, jsonl for JSON Lines");
  add_output_option(command, options->out);
  command.footer(
      "Examples:\n"
      "  ricochet collide                                  every law on the built-in collision\n"
      "  ricochet collide scenes/rod.toml --law routh --set mu=0.5 --format json\n"
      "  ricochet collide many.jsonl -o answers.jsonl\n"
      "Exit code 2 means that some of the input was bad; each fault is one line on stderr,\n"
      "of a stream the first 5 and a count; the output has them all.");
  command.callback([options, &status] { status = run_collide(*options); });
}

}  // namespace ricochet::app
