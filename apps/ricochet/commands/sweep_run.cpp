#include "commands/sweep_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "commands/hand_out.hpp"
#include "commands/ranks.hpp"
#include "commands/run_folder.hpp"
#include "commands/sweep_table.hpp"
#include "ricochet/base/error_path.hpp"
#include "ricochet/base/printable.hpp"
#include "ricochet/base/read_number.hpp"
#include "ricochet/batch/threads.hpp"
#include "ricochet/io/input.hpp"
#include "ricochet/sweep/column_file.hpp"
#include "ricochet/sweep/spec_toml.hpp"
#include "ricochet/sweep/sweep_json.hpp"
#include "terminal/count_progress.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"

namespace ricochet::app {
namespace {

using sweep::ColumnFormat;
using sweep::Sweep;
using sweep::Tree;

constexpr std::size_t spec_limit = 1 << 20;
constexpr std::size_t shard_limit = std::size_t{1} << 30U;
constexpr const char *whole_name = "statistics.json", *shard_name = "shard.json", *rows_name = "columns.bin";

struct Shard {
  std::uint64_t part = 1, of = 1;
};

Expected<Shard> read_shard(const std::string& text) {
  if (text.empty()) return Shard{};
  const std::size_t slash = text.find('/');
  std::optional<double> part, of;
  if (slash != std::string::npos) {
    part = read_number(text.substr(0, slash));
    of = read_number(text.substr(slash + 1));
  }
  const auto whole = [](double x) { return x >= 1 && x <= 1e6 && x == static_cast<double>(static_cast<long>(x)); };
  if (!part || !of || !whole(*part) || !whole(*of) || *part > *of)
    return fail(ErrorCode::out_of_range, "", text, "must be I/N, two integers, 1 <= I <= N <= 1000000");
  return Shard{static_cast<std::uint64_t>(*part), static_cast<std::uint64_t>(*of)};
}

/// What determines the numbers of a run, key by key.
Json identity_of(const sweep::SweepSpec& spec, const std::string& shard) {
  Json out{{"ricochet", RICOCHET_VERSION}};
  out.update(to_json(spec));
  if (!shard.empty()) out["shard"] = shard;
  return out;
}

RunFiles files_of(const sweep::SweepSpec& spec, bool shard) {
  RunFiles out{
      "sweep", {}, {"columns.csv", "columns.h5", shard ? whole_name : shard_name}, shard ? shard_name : whole_name};
  if (spec.columns == ColumnFormat::none) {
    out.others.emplace_back(rows_name);
  } else {
    out.growing.emplace_back(rows_name);
  }
  return out;
}

const char* columns_name(ColumnFormat format) { return format == ColumnFormat::csv ? "columns.csv" : "columns.h5"; }

std::string statistics_text(const Sweep& sweep, const sweep::Statistics& total, const std::string& format) {
  if (format == "table") return sweep_table(sweep, total);
  Json json{{"run", identity_of(sweep.spec(), "")}};
  json.update(to_json(sweep, total));
  return pretty(json) + "\n";
}

/// The file of columns, of rows in files of plain numbers, and then the statistics, with which the folder is complete.
Expected<void> finish_whole(RunFolder& folder, const Sweep& sweep, const sweep::Statistics& total,
                            const std::vector<std::string>& parts) {
  if (const ColumnFormat format = sweep.spec().columns; format != ColumnFormat::none) {
    const std::string target = folder.path_of(columns_name(format)), partial = target + ".partial";
    if (const auto written = write_columns(partial, format, sweep.column_names(), parts); !written) return written;
    std::error_code problem;
    std::filesystem::rename(partial, target, problem);
    if (problem) return fail(ErrorCode::file_access, "", "", target + ": cannot be written: " + problem.message());
  }
  if (const auto finished = folder.finish(to_json(sweep, total)); !finished) return finished;
  std::error_code problem;
  std::filesystem::remove(folder.path_of(rows_name), problem);
  return {};
}

/// On every rank but the first: computes the pieces that it is given until there are no more.
int work_for(const Ranks& ranks, const SweepRunOptions& options) {
  const std::string text = ranks.broadcast("");
  if (text.empty()) return 0;
  Read<sweep::SweepSpec> spec = sweep::read_sweep_toml(text);
  const auto here = fmt::format("rank {}", ranks.rank());
  if (!spec) return refuse(here, spec.error().line, spec.error().error);  // another build than that of rank 0
  const Expected<Sweep> sweep = Sweep::make(*std::move(spec));
  if (!sweep) return refuse(here, sweep.error());
  work_on_pieces(ranks, [&](const Piece& piece) {
    Tree tree;
    std::string rows;
    std::uint64_t block = piece.first;
    for (sweep::BlockResult& result :
         sweep->evaluate(piece.first, piece.last, options.threads == 0 ? 1U : static_cast<unsigned>(options.threads))) {
      tree.add(block++, std::move(result.statistics));
      rows.append(reinterpret_cast<const char*>(result.rows.data()), result.rows.size() * sizeof(double));
    }
    return fmt::format("{}\n{}", tree_json(tree).dump(), rows);
  });
  return 0;
}

class SpecRun {
 public:
  SpecRun(const SweepRunOptions& options, const Ranks& ranks) : options_(options), ranks_(ranks) {}

  /// On rank 0, or where there is no other.
  int run() {
    const int status = begin();
    // The other ranks have nothing to do where there is nothing to compute.
    (void)ranks_.broadcast(status == 0 && !done_ ? text_ : "");
    if (status != 0 || done_) return status;
    if (const auto computed = compute_somewhere(); !computed) return refuse_output(computed.error());
    if (shard_.of > 1) {
      Json kept{{"first", first_}, {"last", last_}, {"spec", text_}, {"nodes", tree_json(tree_)}};
      if (const auto finished = folder_->finish(std::move(kept)); !finished) return refuse_output(finished.error());
      return print_out(fmt::format("{}: shard {} of {}, samples {} to {}\n", printable(options_.out), shard_.part,
                                   shard_.of, first_ * Sweep::block_size,
                                   std::min(sweep_->spec().count, last_ * Sweep::block_size)));
    }
    const sweep::Statistics total = tree_.total(sweep_->nothing());
    if (folder_)
      if (const auto finished = finish_whole(*folder_, *sweep_, total, {folder_->path_of(rows_name)}); !finished)
        return refuse_output(finished.error());
    return write_out(options_.file, statistics_text(*sweep_, total, options_.format));
  }

 private:
  int begin() {
    if (const int status = read(); status != 0) return status;
    if (!options_.out.empty()) return look();
    next_ = first_;
    return 0;
  }

  int read() {
    const auto shard = read_shard(options_.shard);
    if (!shard) return refuse("--shard", shard.error());
    shard_ = *shard;
    const auto needs_folder = [&](const char* option) {
      return refuse(option, Error{ErrorCode::conflict, "", "", "needs --out DIR"});
    };
    if (options_.out.empty() && options_.resume) return needs_folder("--resume");
    if (options_.out.empty() && options_.force) return needs_folder("--force");
    if (options_.out.empty() && !options_.shard.empty()) return needs_folder("--shard");
    if (options_.resume && options_.force)
      return refuse("--resume", Error{ErrorCode::conflict, "", "", "excludes --force"});
    Expected<Input> input = Input::open(options_.spec);
    if (!input) return refuse(options_.spec, input.error());
    Expected<std::string> text = input->rest(spec_limit);
    if (!text) return refuse(input->name(), text.error());
    text_ = *std::move(text);
    Read<sweep::SweepSpec> spec = sweep::read_sweep_toml(text_);
    if (!spec) return refuse(input->name(), spec.error().line, spec.error().error);
    if (spec->columns != ColumnFormat::none && options_.out.empty())
      return refuse(input->name(), Error{ErrorCode::conflict, "sweep.columns", std::string(name(spec->columns)),
                                         "needs --out DIR, where columns are written to"});
    const Collision base = spec->base;
    Expected<Sweep> sweep = Sweep::make(*std::move(spec));
    if (!sweep) {
      const long long line = base.line_of(sweep.error().path);
      return refuse(input->name(), line, line == 0 ? sweep.error() : under("base", sweep.error()));
    }
    sweep_.emplace(*std::move(sweep));
    const std::uint64_t blocks = sweep_->blocks();
    if (shard_.of > blocks)
      return refuse("--shard", Error{ErrorCode::out_of_range, "", options_.shard,
                                     fmt::format("this sweep has {} block{} of {} samples, and at most as many shards",
                                                 blocks, blocks == 1 ? "" : "s", Sweep::block_size)});
    // Shares of equal size, without blocks · of, which may exceed 64 bits.
    const auto bound = [&](std::uint64_t k) { return blocks / shard_.of * k + blocks % shard_.of * k / shard_.of; };
    first_ = bound(shard_.part - 1);
    last_ = bound(shard_.part);
    return 0;
  }

  /// Whether the folder can be written, and what is in it.
  int look() {
    auto folder = RunFolder::look(files_of(sweep_->spec(), shard_.of > 1), options_.out,
                                  identity_of(sweep_->spec(), shard_.of > 1 ? options_.shard : ""), options_.force);
    if (!folder) return refuse(options_.out, folder.error());
    folder_.emplace(*std::move(folder));
    next_ = first_;
    const auto occupied = [&](const char* why) {
      return refuse(options_.out, Error{ErrorCode::conflict, "", "", why});
    };
    if (!options_.force) switch (folder_->state()) {
        case RunFolder::State::empty: break;
        case RunFolder::State::occupied:
          return occupied("has other files; name a new or empty folder, or write into it with --force");
        case RunFolder::State::unfinished:
          if (!options_.resume)
            return occupied("holds a sweep that is not finished; --resume continues it, --force replaces it");
          return resume();
        case RunFolder::State::finished:
          if (!options_.resume) return occupied("holds a finished sweep; --force replaces it");
          if (const auto same = folder_->same_run(); !same) return refuse(options_.out, same.error());
          done_ = true;
          if (shard_.of == 1) {
            // Its removal comes last, and may not have come about.
            std::error_code problem;
            std::filesystem::remove(folder_->path_of(rows_name), problem);
          }
          fmt::print(stderr, "{}: this sweep is finished already\n", printable(options_.out));
          return 0;
      }
    if (const auto opened = folder_->begin(checkpoint()); !opened) return refuse_output(opened.error());
    return 0;
  }

  int resume() {
    if (const auto same = folder_->same_run(); !same) return refuse(options_.out, same.error());
    const auto tree = tree_from_json(*sweep_, Json::parse(folder_->checkpoint(), nullptr, false));
    if (!tree) return refuse(options_.out, tree.error());
    next_ = folder_->pieces();
    if (next_ < first_ || next_ > last_ || !tree->covers(first_, next_))
      return refuse(options_.out, Error{ErrorCode::malformed, "", "", "its checkpoint is not one of this sweep"});
    tree_ = *tree;
    if (const auto opened = folder_->resume(); !opened) return refuse_output(opened.error());
    return 0;
  }

  [[nodiscard]] std::string checkpoint() const { return tree_json(tree_).dump(); }

  /// Results of blocks that follow those that were taken.
  Expected<void> take(std::vector<sweep::BlockResult> results) {
    for (sweep::BlockResult& result : results) {
      tree_.add(next_++, std::move(result.statistics));
      if (!result.rows.empty())
        folder_->append(0, {reinterpret_cast<const char*>(result.rows.data()), result.rows.size() * sizeof(double)});
    }
    return save();
  }

  Expected<void> save() {
    if (!folder_) return {};
    const auto now = Clock::now();
    if (std::chrono::duration<double>(now - saved_).count() < options_.save_every) return folder_->flush();
    saved_ = now;
    return folder_->save(next_, checkpoint());
  }

  /// In the blocks before this one.
  [[nodiscard]] std::uint64_t samples(std::uint64_t block) const {
    return std::min(sweep_->spec().count, block * Sweep::block_size);
  }
  /// Blocks whose results fit in 64 MiB.
  [[nodiscard]] std::uint64_t most_blocks() const {
    const std::size_t columns = sweep_->spec().columns == ColumnFormat::none ? 0 : sweep_->column_names().size();
    return (std::size_t{1} << 26U) / (Sweep::block_size * sweep_->collisions_of_sample() * columns * sizeof(double) +
                                      sweep_->spec().laws.size() * 20'000);
  }

  Expected<void> compute_somewhere() {
    if (ranks_.count() > 1) {
      if (options_.device) fmt::print(stderr, "ricochet: ranks of MPI compute on the processor, not on the device\n");
      return divide();
    }
    if (!options_.device) return compute();
    if (const auto serves = sweep_->check_device(); !serves) {
      fmt::print(stderr, "ricochet: {}; the processor takes its place\n", serves.error().message());
      return compute();
    }
    return compute_on_device();
  }

  /// In pieces as large as their place in the tree of results admits.
  Expected<void> compute_on_device() {
    CountProgress progress("samples", samples(last_) - samples(first_), samples(next_) - samples(first_));
    constexpr unsigned least = 6;  // a smaller piece is not worth the way
    while (next_ < last_) {
      unsigned level = std::min(Sweep::device_level, static_cast<unsigned>(std::bit_width(last_ - next_)) - 1);
      if (next_ > 0) level = std::min(level, static_cast<unsigned>(std::countr_zero(next_)));
      const std::uint64_t before = next_, end = next_ + (std::uint64_t{1} << level);
      if (level < least) {
        if (const auto taken = take(sweep_->evaluate(before, end, 0)); !taken) return taken;
      } else {
        auto result = sweep_->evaluate_on_device(before, level);
        if (!result) return tl::unexpected(std::move(result.error()));
        tree_.add(before, Tree::Node{level, *std::move(result)});
        next_ = end;
        if (const auto saved = save(); !saved) return saved;
      }
      progress.step(samples(end) - samples(before));
    }
    return {};
  }

  Expected<void> compute() {
    CountProgress progress("samples", samples(last_) - samples(first_), samples(next_) - samples(first_));
    const auto threads = static_cast<unsigned>(options_.threads);
    const std::uint64_t all = threads == 0 ? default_threads() : threads;
    // A round is long enough that threads seldom wait for its end.
    const std::uint64_t most = std::max(all, most_blocks());
    std::uint64_t round = all;
    while (next_ < last_) {
      const auto begin = Clock::now();
      const std::uint64_t end = std::min(last_, next_ + round), before = next_;
      if (const auto taken = take(sweep_->evaluate(before, end, threads)); !taken) return taken;
      progress.step(samples(end) - samples(before));
      if (Clock::now() - begin < std::chrono::milliseconds(100)) round = std::min(most, 2 * round);
    }
    return {};
  }

  /// Blocks go to whichever rank is free.
  Expected<void> divide() {
    CountProgress progress("samples", samples(last_) - samples(first_), samples(next_) - samples(first_));
    const auto workers = static_cast<std::uint64_t>(ranks_.count() - 1);
    // Results that wait for one that comes late are bounded.
    const std::uint64_t ahead = std::max(workers, std::min(most_blocks(), 256 * workers));
    return hand_out(ranks_, next_, last_, ahead, [&](const std::string& text) {
      const std::uint64_t before = next_;
      const Expected<void> taken = take(text);
      progress.step(samples(next_) - samples(before));
      return taken;
    });
  }

  /// The result of a piece, as `work_for` sends it.
  Expected<void> take(const std::string& text) {
    const Piece piece = piece_of(text);
    const std::size_t line = text.find('\n'), end = text.find('\n', line + 1);
    const auto part =
        tree_from_json(*sweep_, Json::parse(text.begin() + static_cast<std::ptrdiff_t>(line) + 1,
                                            text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false));
    if (!part) return tl::unexpected(part.error());
    for (const auto& [first, node] : part->nodes()) tree_.add(first, node);
    if (end + 1 < text.size()) folder_->append(0, std::string_view(text).substr(end + 1));
    next_ = piece.last;
    return save();
  }

  using Clock = std::chrono::steady_clock;
  const SweepRunOptions& options_;
  const Ranks& ranks_;
  std::string text_;
  Shard shard_;
  std::optional<Sweep> sweep_;
  std::optional<RunFolder> folder_;
  Tree tree_;
  std::uint64_t first_ = 0, last_ = 0, next_ = 0;  ///< blocks
  bool done_ = false;
  Clock::time_point saved_ = Clock::now();
};

struct ShardFile {
  std::string folder;
  std::uint64_t first = 0, last = 0;
  Json json;
};

Expected<ShardFile> open_shard(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / shard_name).string();
  Expected<Input> input = Input::open(path);
  if (!input)
    return fail(ErrorCode::file_access, "", "",
                fmt::format("{} {}; merge takes folders of finished shards", shard_name, input.error().allowed));
  const Expected<std::string> text = input->rest(shard_limit);
  if (!text) return tl::unexpected(text.error());
  ShardFile out{folder, 0, 0, Json::parse(*text, nullptr, false)};
  const Json& json = out.json;
  const auto has = [&](const char* key) { return json.is_object() && json.contains(key); };
  if (!has("run") || !has("first") || !has("last") || !has("spec") || !has("nodes") ||
      !json["first"].is_number_unsigned() || !json["last"].is_number_unsigned() || !json["spec"].is_string() ||
      !json["run"].is_object())
    return fail(ErrorCode::malformed, "", "", "shard.json is not that of a shard of a sweep");
  out.first = json["first"].get<std::uint64_t>();
  out.last = json["last"].get<std::uint64_t>();
  return out;
}

}  // namespace

int run_sweep_spec(const SweepRunOptions& options) {
  const Expected<Ranks> ranks = Ranks::start();
  if (!ranks) return refuse("mpirun", ranks.error());
  return ranks->rank() == 0 ? SpecRun(options, *ranks).run() : work_for(*ranks, options);
}

int merge_sweep(const SweepRunOptions& options) {
  if (options.folders.empty())
    return refuse("DIR", Error{ErrorCode::missing, "", "", "missing; merge needs the folders of all shards"});
  if (options.out.empty())
    return refuse("--out", Error{ErrorCode::missing, "", "", "missing; merge needs the folder to write to"});
  std::vector<ShardFile> shards;
  for (const std::string& folder : options.folders) {
    Expected<ShardFile> shard = open_shard(folder);
    if (!shard) return refuse(folder, shard.error());
    shards.push_back(*std::move(shard));
  }
  std::sort(shards.begin(), shards.end(), [](const ShardFile& a, const ShardFile& b) { return a.first < b.first; });
  const auto wrong = [](const ShardFile& shard, std::string why) {
    return refuse(shard.folder, Error{ErrorCode::conflict, "", "", std::move(why)});
  };
  Read<sweep::SweepSpec> spec = sweep::read_sweep_toml(shards[0].json["spec"].get<std::string>());
  if (!spec) return refuse(shards[0].folder, spec.error().line, spec.error().error);
  const Expected<Sweep> sweep = Sweep::make(*std::move(spec));
  if (!sweep) return refuse(shards[0].folder, sweep.error());
  const Json identity = identity_of(sweep->spec(), "");
  Tree tree;
  std::uint64_t next = 0;
  std::vector<std::string> rows;
  for (const ShardFile& shard : shards) {
    Json run = shard.json["run"];
    run.erase("shard");
    for (const auto& [key, value] : identity.items())
      if (!run.contains(key) || run[key] != value)
        return wrong(shard, fmt::format("is a shard of another sweep than {}: {} differs", shards[0].folder, key));
    if (shard.first < next)
      return wrong(shard,
                   fmt::format("has samples that another folder has too, from {} on", shard.first * Sweep::block_size));
    if (shard.first > next)
      return wrong(shard, fmt::format("begins with sample {}, and no folder has those from {} on",
                                      shard.first * Sweep::block_size, next * Sweep::block_size));
    next = shard.last;
    const auto part = tree_from_json(*sweep, shard.json["nodes"]);
    if (!part) return refuse(shard.folder, part.error());
    if (!part->covers(shard.first, shard.last)) return wrong(shard, "shard.json lacks some of its samples");
    for (const auto& [first, node] : part->nodes()) tree.add(first, node);
    rows.push_back((std::filesystem::path(shard.folder) / rows_name).string());
  }
  if (next != sweep->blocks())
    return wrong(shards.back(),
                 fmt::format("ends before sample {}, and no folder has those from there on", next * Sweep::block_size));
  auto folder = RunFolder::look(files_of(sweep->spec(), false), options.out, identity, options.force);
  if (!folder) return refuse(options.out, folder.error());
  if (!options.force && folder->state() != RunFolder::State::empty)
    return refuse(options.out, Error{ErrorCode::conflict, "", "",
                                     "has other files; name a new or empty folder, or write into it with --force"});
  const sweep::Statistics total = tree.total(sweep->nothing());
  const auto written = folder->begin("").and_then([&] { return finish_whole(*folder, *sweep, total, rows); });
  if (!written) return refuse_output(written.error());
  return write_out(options.file, statistics_text(*sweep, total, options.format));
}

}  // namespace ricochet::app
