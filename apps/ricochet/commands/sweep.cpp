#include <memory>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "commands/sweep_contract.hpp"
#include "commands/sweep_run.hpp"
#include "ricochet/base/read_number.hpp"
#include "terminal/common_options.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

struct SweepOptions {
  std::string what;
  ContractOptions contract;
  SweepRunOptions run;
};

int refuse_option(const char* option, const char* why) {
  return refuse(option, Error{ErrorCode::conflict, "", "", why});
}

int run_sweep(const CommandLine& command, SweepOptions& options) {
  const bool contract = options.what == "contract", merge = options.what == "merge";
  if (!contract)
    for (const char* option : {"--law", "--count", "--first", "--seed"})
      if (command.count(option) > 0) return refuse_option(option, "belongs to `sweep contract`; a spec has its own");
  if (contract)
    for (const char* option : {"--out", "--resume", "--force", "--shard", "--save-every"})
      if (command.count(option) > 0) return refuse_option(option, "belongs to a sweep of a spec");
  if (!merge && !options.run.folders.empty())
    return refuse("DIR", Error{ErrorCode::conflict, "", options.run.folders.front(), "belongs to `sweep merge`"});
  if (contract) return run_contract(options.contract);
  options.run.format = options.contract.format;
  options.run.file = options.contract.out;
  options.run.threads = options.contract.threads;
  options.run.device = options.contract.device;
  if (merge) {
    for (const char* option : {"--resume", "--shard", "--save-every", "--device"})
      if (command.count(option) > 0) return refuse_option(option, "does not belong to `sweep merge`");
    return merge_sweep(options.run);
  }
  options.run.spec = options.what;
  return run_sweep_spec(options.run);
}

}  // namespace

void add_sweep(Program& program, int& status) {
  const CommandLine command = add_command(program, "sweep");
  auto options = std::make_shared<SweepOptions>();
  SweepRunOptions& run = options->run;
  ContractOptions& contract = options->contract;
  command.add_option("WHAT", options->what, "a spec in TOML; or contract, or merge").required().type_name("SPEC");
  command.add_option("DIR", run.folders, "of merge: folders of all shards").type_name("DIR...");
  command.add_option("--out", run.out, "writes statistics.json, columns and checkpoints to this folder")
      .type_name("DIR");
  command.add_flag("--resume", run.resume, "continue the sweep in DIR, or begin it where there is none");
  command.add_flag("--force", run.force, "replace the sweep in DIR");
  command.add_option("--shard", run.shard, "compute part I of N, for `sweep merge`").type_name("I/N");
  command.add_option("--save-every", run.save_every, "seconds of computing between checkpoints, 1 by default")
      .check([](const std::string& text) {
        const auto x = read_number(text);
        return x && *x >= 0 ? std::string() : text + ": must be a number, at least 0";
      })
      .type_name("S");
  command.add_option("--threads", contract.threads, "all processors by default").between(0, 1024).type_name("N");
  add_format_option(command, contract.format, {"table", "json"});
  add_output_option(command, contract.out);
  command.add_option("--law", contract.laws, "contract: laws, by default all").type_name("NAME...");
  command.add_option("--count", contract.count, "contract: collisions for each law, 100000 by default")
      .between(std::size_t{1}, std::size_t{1} << 50U)
      .type_name("N");
  command
      .add_option("--first", contract.first,
                  "contract: index of the first, 0 by default; parts of a range add up to the whole")
      .type_name("N");
  command.add_option("--seed", contract.seed, "contract: 1 by default").type_name("N");
  command.add_flag("--device", contract.device, "on the CUDA device, for laws with a closed form");
  command.footer(
      "Examples:\n"
      "  ricochet sweep examples/sweep.toml\n"
      "  ricochet sweep examples/sweep.toml --out study --resume\n"
      "  ricochet sweep examples/sweep.toml --out part2 --shard 2/3\n"
      "  ricochet sweep merge part1 part2 part3 --out study\n"
      "  ricochet sweep contract --law chatterjee-ruina --law brach --count 1000000000 --format json\n\n"
      "`sweep contract` exits with 1 if an answer violates a guarantee.\n\n"
      "P acts on body B, towards which n points.");
  command.callback([options, command, &status] { status = run_sweep(command, *options); });
}

}  // namespace ricochet::app
