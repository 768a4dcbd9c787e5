#include "ricochet/sweep/spec_toml.hpp"

#include <array>
#include <string>
#include <utility>

#include "io/collision_table.hpp"
#include "io/toml_reader.hpp"
#include "ricochet/sweep/column_file.hpp"
#include "ricochet/sweep/outputs.hpp"

namespace ricochet::sweep {
namespace {

class Reader : TomlReader {
 public:
  Read<SweepSpec> read(const toml::table& root) {
    constexpr std::array<std::string_view, 5> keys{"title", "sweep", "base", "axis", "histogram"};
    for (const auto& [key, node] : root)
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) unknown("", key.str(), node, keys);
    if (const toml::node* node = root.get("title")) spec_.title = string("title", *node);
    sweep(root);
    base(root);
    for_tables(root, "axis", [&](const std::string& path, const toml::table& table) { axis(path, table); });
    if (!fault_) histograms(root);
    if (!fault_) {
      if (const auto fine = check(spec_); !fine) refuse(fine.error(), line_of(root, fine.error().path));
    }
    if (fault_) return tl::unexpected(*std::move(fault_));
    return std::move(spec_);
  }

 private:
  static bool one_of(std::string_view word, std::span<const std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  }
  /// A word among `words`; its place.
  std::size_t word(const std::string& path, const toml::node& node, std::span<const std::string_view> words) {
    const std::string given = string(path, node);
    const auto found = std::find(words.begin(), words.end(), given);
    if (!fault_ && found == words.end()) refuse(ErrorCode::out_of_range, path, node, "must be " + either(words));
    return fault_ ? 0 : static_cast<std::size_t>(found - words.begin());
  }
  std::uint64_t integer(const std::string& path, const toml::node& node, std::uint64_t least, std::uint64_t greatest) {
    const auto* i = node.as_integer();
    if (i != nullptr && i->get() >= 0 && static_cast<std::uint64_t>(i->get()) >= least &&
        static_cast<std::uint64_t>(i->get()) <= greatest)
      return static_cast<std::uint64_t>(i->get());
    refuse(i == nullptr ? ErrorCode::wrong_type : ErrorCode::out_of_range, path, node,
           fmt::format("must be an integer, {} to {}", least, greatest));
    return least;
  }
  double finite(const std::string& path, const toml::node& node) {
    const double x = number(path, node);
    if (!fault_ && !std::isfinite(x)) refuse(ErrorCode::out_of_range, path, node, "must be finite");
    return x;
  }
  std::pair<double, double> range(const std::string& path, const toml::node& node) {
    const auto ends = numbers<2>(path, node, "must be two numbers, the lower one first");
    if (!fault_ && !(std::isfinite(ends(0)) && std::isfinite(ends(1)) && ends(0) < ends(1)))
      refuse(ErrorCode::out_of_range, path, node, "must be two finite numbers, the lower one first");
    return {ends(0), ends(1)};
  }
  std::size_t output(const std::string& path, const toml::node& node) {
    const std::string given = string(path, node);
    const auto found = std::find(output_names.begin(), output_names.end(), given);
    if (!fault_ && found == output_names.end())
      refuse(ErrorCode::unknown_name, path, node, not_among("output", given, output_names));
    return fault_ ? 0 : static_cast<std::size_t>(found - output_names.begin());
  }

  template <class Take>
  void for_tables(const toml::table& root, const char* key, const Take& take) {
    const toml::node* node = root.get(key);
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr || !array->is_array_of_tables())
      return refuse(ErrorCode::wrong_type, key, *node, fmt::format("must be tables, [[{}]]", key));
    for (std::size_t k = 0; k < array->size(); ++k) take(entry_path(key, k), *array->get(k)->as_table());
  }

  void sweep(const toml::table& root) {
    const toml::node* node = root.get("sweep");
    const toml::table* table = node == nullptr ? nullptr : node->as_table();
    if (table == nullptr)
      return refuse(ErrorCode::missing, "sweep", "", "missing; a sweep needs a table [sweep] with sampling and count",
                    node == nullptr ? 0 : line_of(*node));
    constexpr std::array<std::string_view, 8> keys{"law",     "sampling", "count",   "seed",
                                                   "indices", "outputs",  "columns", "bins"};
    for (const auto& [key, value] : *table) {
      const std::string path = join_path("sweep", key.str());
      if (key == "law") {
        laws(path, value);
      } else if (key == "sampling") {
        constexpr std::array<std::string_view, 3> words{"grid", "random", "sobol"};
        spec_.sampling = static_cast<Sampling>(word(path, value, words));
      } else if (key == "count") {
        spec_.count = integer(path, value, 1, most_samples);
      } else if (key == "seed") {
        spec_.seed = integer(path, value, 0, std::uint64_t{1} << 62U);
      } else if (key == "indices") {
        spec_.indices = boolean(path, value);
      } else if (key == "bins") {
        bins_ = static_cast<std::uint32_t>(integer(path, value, 1, most_bins));
      } else if (key == "columns") {
        constexpr std::array<std::string_view, 3> words{"none", "csv", "hdf5"};
        spec_.columns = static_cast<ColumnFormat>(word(path, value, words));
        if (!fault_ && spec_.columns == ColumnFormat::hdf5 && !have_hdf5())
          refuse(ErrorCode::unavailable, path, value, "this program was built without libhdf5-dev; csv is there");
      } else if (key == "outputs") {
        outputs(path, value);
      } else {
        unknown("sweep", key.str(), value, keys);
      }
    }
    const bool grid = spec_.sampling == Sampling::grid;
    const toml::node* count = table->get("count");
    if (grid && count != nullptr)
      refuse(ErrorCode::conflict, "sweep.count", *count, "follows from the points of a grid, and must not be given");
    if (!grid && count == nullptr)
      refuse(ErrorCode::missing, "sweep.count", "", "missing; random and sobol need the number of samples",
             line_of(*table));
  }

  void laws(const std::string& path, const toml::node& node) {
    if (const toml::array* array = node.as_array()) {
      for (const toml::node& item : *array) spec_.laws.push_back(string(path, item));
    } else {
      spec_.laws = {string(path, node)};
    }
  }

  void outputs(const std::string& path, const toml::node& node) {
    const toml::array* array = node.as_array();
    if (array == nullptr || array->empty())
      return refuse(ErrorCode::wrong_type, path, node, "must be a list of names: " + either(output_names));
    for (const toml::node& item : *array) {
      const std::size_t place = output(path, item);
      if (std::find(spec_.outputs.begin(), spec_.outputs.end(), place) != spec_.outputs.end())
        refuse(ErrorCode::conflict, path, item, "given twice");
      spec_.outputs.push_back(place);
    }
  }

  void base(const toml::table& root) {
    const toml::node* node = root.get("base");
    const toml::table* table = node == nullptr ? nullptr : node->as_table();
    if (table == nullptr)
      return refuse(ErrorCode::missing, "base", "",
                    "missing; a sweep needs a table [base], the collision whose numbers it varies",
                    node == nullptr ? 0 : line_of(*node));
    Read<Collision> collision = read_collision_table(*table);
    if (collision) {
      spec_.base = *std::move(collision);
      return;
    }
    refuse(under("base", collision.error().error),
           collision.error().line != 0 ? collision.error().line : line_of(*table));
  }

  void axis(const std::string& path, const toml::table& table) {
    constexpr std::array<std::string_view, 7> keys{"field", "range",     "values", "distribution",
                                                   "mean",  "deviation", "points"};
    Axis out;
    Distribution& d = out.distribution;
    std::optional<DistributionKind> kind;
    for (const auto& [key, value] : table) {
      const std::string at = join_path(path, key.str());
      if (key == "field") {
        out.field = string(at, value);
      } else if (key == "range") {
        std::tie(d.low, d.high) = range(at, value);
      } else if (key == "values") {
        const toml::array* array = value.as_array();
        if (array == nullptr || array->empty()) {
          refuse(ErrorCode::wrong_type, at, value, "must be a list of numbers");
          continue;
        }
        for (const toml::node& item : *array) d.values.push_back(number(at, item));
      } else if (key == "distribution") {
        constexpr std::array<std::string_view, 3> words{"uniform", "log-uniform", "normal"};
        kind = static_cast<DistributionKind>(word(at, value, words));
      } else if (key == "mean") {
        d.mean = finite(at, value);
      } else if (key == "deviation") {
        d.deviation = finite(at, value);
        if (!fault_ && !(d.deviation > 0)) refuse(ErrorCode::out_of_range, at, value, "must be above 0, finite");
      } else if (key == "points") {
        out.points = integer(at, value, 2, most_samples);
      } else {
        unknown(path, key.str(), value, keys);
      }
    }
    d.kind = kind.value_or(table.contains("values") ? DistributionKind::values : DistributionKind::uniform);
    shape(path, table, out, kind.has_value());
    spec_.axes.push_back(std::move(out));
  }

  /// Which keys belong together.
  void shape(const std::string& path, const toml::table& table, Axis& axis, bool named) {
    const auto need = [&](const char* key, const char* why) {
      if (!table.contains(key))
        refuse(ErrorCode::missing, join_path(path, key), "", std::string("missing; ") + why, line_of(table));
    };
    const auto exclude = [&](std::string_view key, const std::string& why) {
      if (const toml::node* node = table.get(key)) refuse(ErrorCode::conflict, join_path(path, key), *node, why);
    };
    need("field", "the input that varies, as e, V[1] or body[2].mass");
    const Distribution& d = axis.distribution;
    if (table.contains("values") && named)
      return exclude("values", "excludes a distribution; each value is as likely as the others");
    switch (d.kind) {
      case DistributionKind::values:
        for (const char* key : {"range", "mean", "deviation", "points"})
          exclude(key, "must not be given beside values");
        axis.points = d.values.size();
        break;
      case DistributionKind::normal:
        need("mean", "a normal distribution needs mean and deviation");
        need("deviation", "a normal distribution needs mean and deviation");
        exclude("range", "a normal distribution has mean and deviation, and no range");
        break;
      case DistributionKind::uniform:
      case DistributionKind::log_uniform:
        need("range", "an axis needs range, values, or distribution = \"normal\" with mean and deviation");
        for (const char* key : {"mean", "deviation"}) exclude(key, "belongs to distribution = \"normal\"");
        if (!fault_ && d.kind == DistributionKind::log_uniform && !(d.low > 0))
          refuse(ErrorCode::out_of_range, join_path(path, "range"), *table.get("range"),
                 "a log-uniform range must begin above 0");
        break;
    }
    if (spec_.sampling != Sampling::grid) exclude("points", "belongs to sampling = \"grid\"");
  }

  void histograms(const toml::table& root) {
    if (spec_.outputs.empty())
      for (std::size_t k = 0; k < all_outputs; ++k) spec_.outputs.push_back(k);
    for (const std::size_t k : spec_.outputs) spec_.histograms.push_back({k, std::nullopt, bins_});
    std::vector<std::size_t> seen;
    for_tables(root, "histogram", [&](const std::string& path, const toml::table& table) {
      constexpr std::array<std::string_view, 3> keys{"output", "range", "bins"};
      HistogramSpec out{all_outputs, std::nullopt, bins_};
      for (const auto& [key, value] : table) {
        const std::string at = join_path(path, key.str());
        if (key == "output") {
          out.output = output(at, value);
        } else if (key == "range") {
          out.range = range(at, value);
        } else if (key == "bins") {
          out.bins = static_cast<std::uint32_t>(integer(at, value, 1, most_bins));
        } else {
          unknown(path, key.str(), value, keys);
        }
      }
      if (out.output == all_outputs)
        return refuse(ErrorCode::missing, join_path(path, "output"), "", "missing; one of " + either(output_names),
                      line_of(table));
      if (std::find(seen.begin(), seen.end(), out.output) != seen.end())
        return refuse(ErrorCode::conflict, join_path(path, "output"), std::string(output_names[out.output]),
                      "has a histogram already", line_of(table));
      seen.push_back(out.output);
      const auto place = std::find(spec_.outputs.begin(), spec_.outputs.end(), out.output);
      if (place == spec_.outputs.end())
        return refuse(ErrorCode::conflict, join_path(path, "output"), std::string(output_names[out.output]),
                      "is not among sweep.outputs", line_of(table));
      spec_.histograms[static_cast<std::size_t>(place - spec_.outputs.begin())] = out;
    });
  }

  SweepSpec spec_;
  std::uint32_t bins_ = 50;
};

}  // namespace

Read<SweepSpec> read_sweep_toml(std::string_view text) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return tl::unexpected(
        Fault{Error{ErrorCode::missing, "", "", "is empty; a sweep needs [sweep], [base] and [[axis]]"}, 0});
  const auto root = parse_toml(text);
  if (!root) return tl::unexpected(root.error());
  return Reader().read(*root);
}

}  // namespace ricochet::sweep
