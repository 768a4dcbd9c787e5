#include "ricochet/fit/read_impacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

#include "fit/number_table.hpp"
#include "io/csv_records.hpp"
#include "io/toml.hpp"
#include "ricochet/base/parameter.hpp"
#include "ricochet/fit/fit_law.hpp"

namespace ricochet {
namespace {

struct NamedMapping {
  std::string_view name, toml;
};

/// Units, signs and rows follow the READMEs of the sets; docs/experiments.md says why.
constexpr std::array<NamedMapping, 5> datasets{{
    {"planar-ellipse", "dimension = 2\n[quantity]\nmass = 0.0364\ngyration = 0.0192\n"},
    {"planar-square", "dimension = 2\n[quantity]\nmass = 0.0485\ngyration = 0.0207\n[keep]\nflag = 0\n"},
    {"cube-impacts",
     "dimension = 3\n[quantity]\nmass = 0.37\ninertia = 0.00081\nr_x = \"rx\"\nr_y = \"ry\"\nr_z = \"rz\"\n"
     "vx_pre = \"cvx_pre\"\nvy_pre = \"cvy_pre\"\nvz_pre = \"cvz_pre\"\n"
     "vx_post = \"cvx_post\"\nvy_post = \"cvy_post\"\nvz_post = \"cvz_post\"\n[keep]\ncorner_gap = [0.03, inf]\n"},
    {"sphere",
     "dimension = 2\n[quantity]\nmass = 1\ninertia = 2.5e-6\nr_x = 0\nr_y = -0.0025\nvx_pre = \"vt_pre\"\n"
     "vy_pre = {column = \"vn_pre\", times = -1}\nomega_pre = 0\nvx_post = \"vt_post\"\n"
     "vy_post = {column = \"vn_pre\", times = 0.98}\n"
     "omega_post = {column = \"omega_post_from_momentum\", times = -1}\n"},
    {"table-tennis",
     "dimension = 3\nspin_after = false\n[quantity]\nmass = 0.0027\ninertia = 7.2e-7\nr_x = 0\nr_y = 0\nr_z = -0.02\n"
     "wx_pre = \"spin_x\"\nwy_pre = {column = \"spin_y\", times = -1}\nwz_pre = \"spin_z\"\n"
     "[keep]\nspin_x = [-500, 500]\nspin_y = [-500, 500]\nspin_z = [-500, 500]\n"},
}};

constexpr std::array planar_quantities{"r_x",       "r_y",     "vx_pre",  "vy_pre",
                                       "omega_pre", "vx_post", "vy_post", "omega_post"};
constexpr std::array spatial_quantities{"r_x",     "r_y",     "r_z",     "vx_pre",  "vy_pre",
                                        "vz_pre",  "wx_pre",  "wy_pre",  "wz_pre",  "vx_post",
                                        "vy_post", "vz_post", "wx_post", "wy_post", "wz_post"};
constexpr std::array body_quantities{"mass", "inertia", "gyration", "theta"};

bool is_quantity(std::string_view name, int dimension) {
  const auto among = [&](const auto& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
  return among(body_quantities) || (dimension == 2 ? among(planar_quantities) : among(spatial_quantities));
}

/// Angles in radians turn a few times at most; a body that turned more often is taken for one in degrees.
constexpr double most_angle = 8 * std::numbers::pi;

/// The first row whose spin was measured in degrees per second, if that is what balances the angular momentum.
const MeasuredImpact* with_spin_in_degrees(std::span<const MeasuredImpact> impacts) {
  constexpr double degree = std::numbers::pi / 180;
  const ReductionOptions usual;
  std::vector<double> stated, in_radians;
  const MeasuredImpact* first = nullptr;
  for (const MeasuredImpact& impact : impacts) {
    if (!impact.spin_measured) continue;
    MeasuredImpact turned = impact;
    turned.body.angular_velocity *= degree;
    turned.angular_velocity *= degree;
    const auto as_stated = reduce(impact), as_degrees = reduce(turned);
    if (!as_stated || !as_degrees) continue;
    stated.push_back(as_stated->best_error);
    in_radians.push_back(as_degrees->best_error);
    if (first == nullptr && as_stated->unbalanced) first = &impact;
  }
  constexpr std::size_t enough = 5;  // fewer rows may all be no impacts of a single point
  if (first == nullptr || stated.size() < enough) return nullptr;
  const double median = quantile(std::move(stated), 0.5);
  return median > usual.unbalanced && quantile(std::move(in_radians), 0.5) < median / 3 ? first : nullptr;
}

/// The quantities of a row.
class ImpactTable : public NumberTable {
 public:
  ImpactTable(const ImpactMapping& mapping, std::string file) : NumberTable(std::move(file)), mapping_(&mapping) {}

  [[nodiscard]] Read<double> quantity(std::string_view name) const {
    const auto found = mapping_->quantity.find(name);
    if (found == mapping_->quantity.end()) return column(std::string(name));
    if (found->second.column.empty()) return found->second.number;
    const auto number = column(found->second.column);
    if (!number) return number;
    return found->second.times * *number;
  }

 private:
  const ImpactMapping* mapping_;
};

/// The numbers of a row by quantity; keeps the first error.
class RowReader {
 public:
  explicit RowReader(const ImpactTable& table) : table_(&table) {}
  double operator()(std::string_view name) {
    if (fault_) return 0;
    const auto number = table_->quantity(name);
    if (number) return *number;
    fault_ = number.error();
    return 0;
  }
  [[nodiscard]] const std::optional<Fault>& fault() const { return fault_; }

 private:
  const ImpactTable* table_;
  std::optional<Fault> fault_;
};

Read<MeasuredImpact> impact_of(const ImpactTable& table, const ImpactMapping& mapping) {
  RowReader get(table);
  MeasuredImpact out;
  out.row = table.row();
  out.spin_measured = mapping.spin_after;
  out.body.mass = get("mass");
  const bool by_gyration =
      mapping.quantity.contains("gyration") || (!mapping.quantity.contains("inertia") && table.has("gyration"));
  const double k = by_gyration ? get("gyration") : 0;
  out.body.inertia = Mat3::Identity() * (by_gyration ? out.body.mass * k * k : get("inertia"));
  if (mapping.dimension == 2) {
    out.planar = true;
    out.n = Vec3::UnitY();
    out.arm = {get("r_x"), get("r_y"), 0};
    out.body.velocity = {get("vx_pre"), get("vy_pre"), 0};
    out.body.angular_velocity = {0, 0, get("omega_pre")};
    out.velocity = {get("vx_post"), get("vy_post"), 0};
    if (mapping.spin_after) out.angular_velocity = {0, 0, get("omega_post")};
  } else {
    out.arm = {get("r_x"), get("r_y"), get("r_z")};
    out.body.velocity = {get("vx_pre"), get("vy_pre"), get("vz_pre")};
    out.body.angular_velocity = {get("wx_pre"), get("wy_pre"), get("wz_pre")};
    out.velocity = {get("vx_post"), get("vy_post"), get("vz_post")};
    if (mapping.spin_after) out.angular_velocity = {get("wx_post"), get("wy_post"), get("wz_post")};
  }
  if (get.fault()) return tl::unexpected(*get.fault());
  for (const std::string name : {"mass", by_gyration ? "gyration" : "inertia"})
    if (const double value = *table.quantity(name); !(value > 0)) {
      const auto mapped = mapping.quantity.find(name);
      const bool other = mapped != mapping.quantity.end() && !mapped->second.column.empty();
      return table.wrong(ErrorCode::out_of_range, other ? mapped->second.column : name, to_text(value),
                         "must be positive");
    }
  const auto theta = mapping.quantity.find("theta");
  if (theta != mapping.quantity.end() || table.has("theta")) {
    const auto angle = table.quantity("theta");
    if (!angle) return tl::unexpected(angle.error());
    if (std::abs(*angle) > most_angle)
      return table.wrong(ErrorCode::out_of_range, theta != mapping.quantity.end() ? theta->second.column : "theta",
                         to_text(*angle), "must be radians, and looks like degrees");
  }
  if (!mapping.group.empty()) {
    const auto group = table.column(mapping.group);
    if (!group) return tl::unexpected(group.error());
    out.group = *group;
  }
  if (const auto fine = check(out.body, "body"); !fine)
    return table.wrong(fine.error().code, fine.error().path, fine.error().value, fine.error().allowed);
  return out;
}

}  // namespace

std::vector<std::string_view> impact_datasets() {
  std::vector<std::string_view> out;
  out.reserve(datasets.size());
  for (const NamedMapping& one : datasets) out.push_back(one.name);
  return out;
}

Expected<ImpactMapping> dataset_mapping(std::string_view name) {
  for (const NamedMapping& one : datasets) {
    if (one.name != name) continue;
    auto mapping = read_impact_mapping(one.toml);
    if (!mapping) return tl::unexpected(mapping.error().error);
    return *std::move(mapping);
  }
  const auto names = impact_datasets();
  return fail(ErrorCode::unknown_name, "dataset", std::string(name), "must be " + either(names));
}

Read<ImpactMapping> read_impact_mapping(std::string_view text) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed)
    return fault(ErrorCode::malformed, "", "", std::string(parsed.error().description()),
                 parsed.error().source().begin.line);
  const toml::table& root = parsed.table();
  ImpactMapping out;
  const auto line_of = [](const toml::node& node) { return static_cast<long long>(node.source().begin.line); };
  for (const auto& [key, node] : root) {
    const std::string name(key.str());
    if ((name == "quantity" || name == "keep") && !node.is_table())
      return fault(ErrorCode::wrong_type, name, "", "must be a table", line_of(node));
    if (name == "dimension") {
      const auto value = node.value<std::int64_t>().value_or(0);
      if (value != 2 && value != 3) return fault(ErrorCode::out_of_range, name, "", "must be 2 or 3", line_of(node));
      out.dimension = static_cast<int>(value);
    } else if (name == "spin_after") {
      if (!node.is_boolean()) return fault(ErrorCode::wrong_type, name, "", "must be true or false", line_of(node));
      out.spin_after = *node.value<bool>();
    } else if (name != "quantity" && name != "keep") {
      return fault(ErrorCode::unknown_name, name, "", "must be dimension, spin_after, quantity or keep", line_of(node));
    }
  }
  if (const toml::table* quantities = root["quantity"].as_table()) {
    for (const auto& [key, node] : *quantities) {
      const std::string name(key.str()), path = "quantity." + name;
      if (!is_quantity(name, out.dimension))
        return fault(ErrorCode::unknown_name, path, "", "no such quantity in this dimension", line_of(node));
      MappedQuantity quantity;
      if (node.is_string()) {
        quantity.column = *node.value<std::string>();
      } else if (node.is_number()) {
        quantity.number = *node.value<double>();
        if (!std::isfinite(quantity.number))
          return fault(ErrorCode::out_of_range, path, to_text(quantity.number), "must be finite", line_of(node));
      } else if (const toml::table* both = node.as_table()) {
        for (const auto& [word, value] : *both) {
          const std::string inner = path + "." + std::string(word.str());
          if (word == "column" && value.is_string()) {
            quantity.column = *value.value<std::string>();
          } else if (word == "times" && value.is_number()) {
            quantity.times = *value.value<double>();
          } else if (word == "column" || word == "times") {
            return fault(ErrorCode::wrong_type, inner, "", word == "times" ? "must be a number" : "must be a name",
                         line_of(value));
          } else {
            return fault(ErrorCode::unknown_name, inner, "", "must be column or times", line_of(value));
          }
        }
        if (quantity.column.empty()) return fault(ErrorCode::missing, path + ".column", "", "missing", line_of(node));
      } else {
        return fault(ErrorCode::wrong_type, path, "", "must be a number, the name of a column, or {column, times}",
                     line_of(node));
      }
      out.quantity.emplace(name, std::move(quantity));
    }
  }
  if (const toml::table* keep = root["keep"].as_table()) {
    for (const auto& [key, node] : *keep) {
      const toml::array* ends = node.as_array();
      if (node.is_number()) {
        out.keep.push_back({std::string(key.str()), *node.value<double>(), *node.value<double>()});
      } else if (ends != nullptr && ends->size() == 2 && (*ends)[0].is_number() && (*ends)[1].is_number()) {
        out.keep.push_back({std::string(key.str()), *(*ends)[0].value<double>(), *(*ends)[1].value<double>()});
      } else {
        return fault(ErrorCode::wrong_type, fmt::format("keep.{}", std::string(key.str())), "",
                     "must be a number or [low, high]", line_of(node));
      }
    }
  }
  return out;
}

Read<std::vector<MeasuredImpact>> read_impacts(const std::string& path, const ImpactMapping& mapping) {
  const auto in_file = [&](Error error) {
    error.path.clear();  // the file's, which is stated anyway
    return tl::unexpected(Fault{std::move(error), 0, path});
  };
  auto records = CsvRecords::open(path, true);
  if (!records) return in_file(records.error());
  ImpactTable table(mapping, path);
  const auto head = records->next();
  if (!head) return in_file(head.error());
  if (!*head) return in_file(Error{ErrorCode::malformed, "", "", "is empty; the first line must name the columns"});
  if (const auto fine = table.header(**head); !fine) return tl::unexpected(fine.error());
  std::vector<MeasuredImpact> out;
  while (true) {
    const auto record = records->next();
    if (!record) return in_file(record.error());
    if (!*record) break;
    const std::span<const std::string> fields = **record;
    if (fields.size() == 1 && fields[0].empty()) continue;
    if (const auto fine = table.next(fields); !fine) return tl::unexpected(fine.error());
    bool kept = true;
    for (const ImpactMapping::Range& range : mapping.keep) {
      const auto value = table.column(range.column);
      if (!value) return tl::unexpected(value.error());
      kept = kept && *value >= range.low && *value <= range.high;
    }
    auto impact = impact_of(table, mapping);
    if (!impact) return tl::unexpected(impact.error());
    if (kept) out.push_back(*std::move(impact));
  }
  if (out.empty()) return in_file(Error{ErrorCode::missing, "", "", "has no rows that are kept"});
  if (const MeasuredImpact* const wrong = with_spin_in_degrees(out)) {
    const std::string name = mapping.dimension == 2 ? "omega_post" : "wx_post";
    const auto mapped = mapping.quantity.find(name);
    const std::string column =
        mapped != mapping.quantity.end() && !mapped->second.column.empty() ? mapped->second.column : name;
    const double value = wrong->planar ? wrong->angular_velocity.z() : wrong->angular_velocity.x();
    return tl::unexpected(
        Fault{Error{ErrorCode::out_of_range, fmt::format("row {}, column {}", wrong->row, column), to_text(value),
                    "must be radians per second, and balances the angular momentum as degrees"},
              static_cast<long long>(wrong->row) + 1, path});
  }
  return out;
}

}  // namespace ricochet
