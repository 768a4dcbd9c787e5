#include "commands/rank_tosses.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <thread>

#include "ricochet/base/counted.hpp"
#include "ricochet/fit/rank_tosses.hpp"
#include "ricochet/io/assignments.hpp"
#include "ricochet/io/input.hpp"
#include "ricochet/io/json.hpp"
#include "terminal/count_progress.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

int read_body(const std::string& file, TossBody& out) {
  if (file.empty()) return 0;
  auto input = Input::open(file);
  if (!input) return refuse(file, 0, input.error());
  const auto text = input->rest(std::size_t{1} << 20U);
  if (!text) return refuse(file, 0, text.error());
  const auto body = read_toss_body(*text);
  if (!body) return refuse(file, body.error().line, body.error().error);
  out = *body;
  return 0;
}

int take_settings(const std::vector<std::string>& sets, LawParameters& settings) {
  const auto assignments = read_assignments(sets);
  if (!assignments) return refuse("--set", 0, assignments.error());
  for (const auto& [name, value] : *assignments)
    if (const auto fine = set(settings, name, value); !fine) return refuse("--set", 0, fine.error());
  return 0;
}

std::string trajectory_csv(const Toss& toss, const TossPrediction& prediction) {
  std::string out = "t,px,py,pz,qw,qx,qy,qz\n";
  for (std::size_t i = 0; i < toss.rows.size(); ++i) {
    const TossPose& pose = prediction.poses[i];
    const Quaternion& q = pose.orientation;
    out += fmt::format("{},{},{},{},{},{},{},{}\n", to_text(toss.rows[i].time), to_text(pose.position.x()),
                       to_text(pose.position.y()), to_text(pose.position.z()), to_text(q.w()), to_text(q.x()),
                       to_text(q.y()), to_text(q.z()));
  }
  return out;
}

int write_predictions(const std::string& folder, const std::vector<Toss>& tosses, const TossRanking& ranking) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return refuse_output(Error{ErrorCode::file_access, "", folder, error.message()});
  for (std::size_t i = 0; i < tosses.size(); ++i) {
    if (!ranking.tosses[i].prediction) continue;
    const auto path = std::filesystem::path(folder) / fmt::format("toss_{}.csv", tosses[i].number);
    if (const int status = write_out(path.string(), trajectory_csv(tosses[i], *ranking.tosses[i].prediction));
        status != 0)
      return status;
  }
  return 0;
}

std::string numbers_text(const TossFit& fit) {
  std::string out;
  for (const NamedNumber& n : fit.numbers) out += fmt::format("{}{} {:.4g}", out.empty() ? "" : ", ", n.name, n.value);
  return out.empty() ? "nothing fitted" : out;
}

std::string division_text(const TossCommandOptions& options, const TossRanking& ranking) {
  if (!options.test.empty()) return fmt::format("fitted to {}", options.tosses);
  return fmt::format("{} folds of tosses drawn with seed {}, each predicted by what was fitted to {} of the others",
                     options.folds, options.seed, counted(ranking.fits[0].tosses, "toss", "tosses"));
}

std::string tosses_table(const TossCommandOptions& options, const TossModel& model, const TossRanking& ranking) {
  std::string out = fmt::format("{} predicted from {} by {}; {}\n\n", counted(ranking.tosses.size(), "toss", "tosses"),
                                options.flight ? "the rows before their first contact" : "their first row", model.law,
                                division_text(options, ranking));
  out += fmt::format("position  {:6.2f} ± {:.2f} % of the side\nrotation  {:6.2f} ± {:.2f}°\n", ranking.position.mean,
                     ranking.position.deviation, ranking.angle.mean, ranking.angle.deviation);
  out += fmt::format("mean over the rows of a toss; mean ± deviation over {}\n\n",
                     counted(ranking.tosses.size() - ranking.failed, "toss", "tosses"));
  std::vector<std::vector<std::string>> table{{"fold", "cost", "evaluations", "numbers"}};
  for (std::size_t i = 0; i < ranking.fits.size(); ++i) {
    const TossFit& fit = ranking.fits[i];
    table.push_back({std::to_string(i + 1), fmt::format("{:.2f}", fit.cost), std::to_string(fit.evaluations),
                     numbers_text(fit) + (fit.converged ? "" : " (search ended at its limit)")});
  }
  out += rows(table, 1);
  out += fmt::format("\n{} without a prediction, {} by time steps because events came to no end\n", ranking.failed,
                     ranking.stepped);
  for (const TossScore& score : ranking.tosses)
    if (score.failed) out += fmt::format("toss {}: {}\n", score.number, score.failed->message());
  return out + fmt::format("predictions: {}\n", options.out);
}

std::string tosses_csv(const TossRanking& ranking) {
  std::string out = "toss,fold,position_percent,rotation_degrees,events,method,failure\n";
  for (const TossScore& score : ranking.tosses)
    if (score.prediction)
      out += fmt::format("{},{},{},{},{},{},\n", score.number, score.fold + 1, to_text(score.error.position),
                         to_text(score.error.angle), score.prediction->events,
                         score.prediction->stepped ? "time-stepping" : "events");
    else
      out += fmt::format("{},{},,,,,\"{}\"\n", score.number, score.fold + 1, score.failed->message());
  return out;
}

Json tosses_json(const TossCommandOptions& options, const TossModel& model, const TossRanking& ranking) {
  Json out;
  out["source"] = options.tosses;
  if (!options.test.empty())
    out["test"] = options.test;
  else
    out["division"] = {{"by", "toss"}, {"folds", options.folds}, {"seed", options.seed}};
  out["law"] = model.law;
  out["start"] = options.flight ? "flight" : "first row";
  out["position_percent"] = {{"mean", ranking.position.mean}, {"deviation", ranking.position.deviation}};
  out["rotation_degrees"] = {{"mean", ranking.angle.mean}, {"deviation", ranking.angle.deviation}};
  out["predicted"] = ranking.tosses.size() - ranking.failed;
  out["failed"] = ranking.failed;
  out["time_stepped"] = ranking.stepped;
  out["fits"] = Json::array();
  for (const TossFit& fit : ranking.fits) {
    Json numbers = Json::object();
    for (const NamedNumber& n : fit.numbers) numbers[n.name] = n.value;
    out["fits"].push_back({{"parameters", numbers},
                           {"tosses", fit.tosses},
                           {"cost", fit.cost},
                           {"evaluations", fit.evaluations},
                           {"converged", fit.converged}});
  }
  out["tosses"] = Json::array();
  for (const TossScore& score : ranking.tosses) {
    Json one{{"toss", score.number}, {"fold", score.fold + 1}};
    if (score.prediction) {
      one["position_percent"] = score.error.position;
      one["rotation_degrees"] = score.error.angle;
      one["events"] = score.prediction->events;
      one["method"] = score.prediction->stepped ? "time-stepping" : "events";
    } else {
      one["failure"] = score.failed->message();
    }
    out["tosses"].push_back(std::move(one));
  }
  out["predictions"] = options.out;
  return out;
}

}  // namespace

int run_rank_tosses(const TossCommandOptions& options) {
  TossModel model;
  if (options.laws.size() > 1)
    return refuse("--law", 0, Error{ErrorCode::conflict, "", "", "must be one law with --tosses"});
  if (!options.laws.empty()) model.law = options.laws[0];
  if (options.format == "html")
    return refuse("--format", 0,
                  Error{ErrorCode::out_of_range, "", "html", "must be table, json or csv with --tosses"});
  model.from_flight = options.flight;
  if (const int status = read_body(options.body, model.body); status != 0) return status;
  if (const int status = take_settings(options.sets, model.settings); status != 0) return status;
  const auto training = read_tosses(options.tosses);
  if (!training) return refuse(training.error());
  std::vector<Toss> test;
  if (!options.test.empty()) {
    auto read = read_tosses(options.test);
    if (!read) return refuse(read.error());
    test = *std::move(read);
  }
  TossRankOptions how;
  how.folds = options.folds;
  how.seed = options.seed;
  how.fit_tosses = options.fit_tosses;
  how.threads = options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  if (options.fit.empty()) {
    auto names = default_toss_fit(model);
    if (!names) return refuse("--law", 0, names.error());
    how.fit = *std::move(names);
  } else if (!(options.fit.size() == 1 && options.fit[0] == "none")) {
    how.fit = options.fit;
  }
  Expected<TossRanking> ranking;
  {
    CountProgress progress("tosses", tosses_to_rank(training->size(), test.size(), how));
    how.progress = [&] { progress.step(); };
    ranking = rank_tosses(*training, test, model, how);
  }
  if (!ranking)
    return refuse(ranking.error().path == "folds" ? "--folds"
                  : ranking.error().path == "fit" ? "--fit"
                                                  : "--law",
                  0, ranking.error());
  if (const int status = write_predictions(options.out, test.empty() ? *training : test, *ranking); status != 0)
    return status;
  if (options.format == "csv") return write_out(options.output, tosses_csv(*ranking));
  if (options.format == "json") return write_out(options.output, pretty(tosses_json(options, model, *ranking)) + "\n");
  return write_out(options.output, tosses_table(options, model, *ranking));
}

}  // namespace ricochet::app
