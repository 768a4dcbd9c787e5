#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>

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
  bool derivatives = false, one_sided = false;
  std::string uncertain;
};

Format chosen(const std::string& word, Format otherwise) {
  static const std::map<std::string, Format> words{
      {"table", Format::table}, {"json", Format::json}, {"jsonl", Format::jsonl}, {"csv", Format::csv}};
  const auto found = words.find(word);
  return found == words.end() ? otherwise : found->second;
}

/// Outcomes with their standard deviations, of each law.
void append_uncertainty(fmt::memory_buffer& out, const std::vector<Answer>& answers) {
  const auto print = [&]<class... T>(fmt::format_string<T...> text, T&&... values) {
    fmt::format_to(fmt::appender(out), text, std::forward<T>(values)...);
  };
  for (const Answer& answer : answers) {
    if (answer.derivatives == nullptr || !answer.derivatives->uncertain) continue;
    const Expected<UncertainOutcome>& asked = *answer.derivatives->uncertain;
    print("\n{}: standard deviations\n", answer.law);
    if (!asked) {
      print("  no answer: {}\n", asked.error().message());
      continue;
    }
    const UncertainOutcome& u = *asked;
    print("  {:<14} {:>12} {:>12} {:>12} {:>12}\n", "", "outcome", "first order", "Monte Carlo", "its mean");
    static constexpr std::array<const char*, 7> names{"P_1 [N s]",  "P_2 [N s]",  "P_3 [N s]", "V_1+ [m/s]",
                                                      "V_2+ [m/s]", "V_3+ [m/s]", "ΔE [J]"};
    for (int i = 0; i < 7; ++i)
      print("  {:<14} {:>12.6g} {:>12} {:>12.5g} {:>12.6g}\n", names[static_cast<std::size_t>(i)],
            u.first_order.mean(i), u.kink.empty() ? fmt::format("{:.5g}", u.first_order.deviation(i)) : "none",
            u.sampled.deviation(i), u.sampled.mean(i));
    print("  {} samples, {} of them drawn again\n", u.samples, u.redrawn);
    if (!u.kink.empty()) print("  no first order: {}\n", u.kink);
    for (const NearbyChange& one : u.nearby)
      print("  the first order may not tell: {:.2g} standard deviations from a kink ({})\n", one.sigmas, one.what);
  }
}

int one_collision(Collision collision, const std::string& name, const CollideOptions& options,
                  const Question& question) {
  override_parameters(question.assignments, collision);
  const std::string law = !question.law.empty() ? question.law : collision.law.value_or("all");
  Source source{.name = name, .many = false, .every_law = law == "all", .colour = colour_wanted(options.out)};
  std::vector<Answer> answers;
  if (source.every_law) {
    answers = ask_all(collision, question.request);
  } else {
    answers.push_back(ask(law, collision, question.request));
    if (!answers[0].outcome)
      return report_parameter_error(name, collision, question.assignments, answers[0].outcome.error());
  }
  if (const auto refusal = refusal_of(answers))
    return report_parameter_error(name, collision, question.assignments, *refusal);
  const bool needs_json = question.request.derivatives || question.request.one_sided;
  const Format format = chosen(options.format, needs_json ? Format::json : Format::table);
  const auto writer = make_writer(format, source);
  fmt::memory_buffer buffer;
  writer->begin(buffer);
  writer->collision(buffer, 1, collision, answers);
  writer->end(buffer);
  if (format == Format::table) append_uncertainty(buffer, answers);
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
  question.request.derivatives = options.derivatives;
  question.request.one_sided = options.one_sided;
  if (!options.uncertain.empty()) {
    auto deviations = read_deviations(options.uncertain);
    if (!deviations) return refuse("--uncertain", 0, deviations.error());
    question.request.uncertain = *std::move(deviations);
  }
  if (question.request.any() &&
      (options.format == "csv" || (options.format == "table" && (options.derivatives || options.one_sided))))
    return refuse("--format", 0,
                  Error{ErrorCode::conflict, "", options.format,
                        "has no room for derivatives; --derivatives and --one-sided need json or jsonl, --uncertain "
                        "table, json or jsonl"});

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
  command.add_flag("--derivatives", options->derivatives,
                   "Jacobians of P, V+ and the energy change by M or W, V, n and parameters; json or jsonl");
  command.add_flag("--one-sided", options->one_sided, "derivatives on both sides of the nearest change of mode");
  command
      .add_option("--uncertain", options->uncertain,
                  "standard deviations of inputs, e=0.05,mu=0.1,V=0.01: to first order and by Monte Carlo")
      .type_name("NAME=SIGMA,...");
  command.footer(
      "Examples:\n"
      "  ricochet collide                                  every law on the built-in collision\n"
      "  ricochet collide scenes/rod.toml --law routh --set mu=0.5 --format json\n"
      "  ricochet collide many.jsonl -o answers.jsonl\n"
      "  ricochet collide --law routh --derivatives\n"
      "Exit code 2 means that some of the input was bad; each fault is one line on stderr,\n"
      "of a stream the first 5 and a count; the output has them all.\n\n"
      "P acts on body B, towards which n points.");
  command.callback([options, &status] { status = run_collide(*options); });
}

}  // namespace ricochet::app
