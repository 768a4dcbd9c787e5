#include "ricochet/fit/toss.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <unordered_set>
#include <utility>

#include "fit/number_table.hpp"
#include "io/csv_records.hpp"
#include "io/toml_reader.hpp"

namespace ricochet {
namespace {

/// Measured quaternions are rounded; one that is not of unit length is none.
constexpr double unit_tolerance = 1e-3;
/// Degrees in place of radians would be more than any hand gives a cube.
constexpr double most_spin = 200;

constexpr std::array columns{"toss", "t",  "px", "py", "pz",      "qw",      "qx",     "qy",
                             "qz",   "vx", "vy", "vz", "wx_body", "wy_body", "wz_body"};

/// A row and the toss that it is of.
struct NumberedRow {
  long toss = 0;
  TossRow row;
};

Read<NumberedRow> row_of(const NumberTable& table) {
  std::array<double, columns.size()> x{};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto number = table.column(columns[i]);
    if (!number) return tl::unexpected(number.error());
    x[i] = *number;
  }
  NumberedRow out;
  if (x[0] != std::floor(x[0]) || std::abs(x[0]) > 1e9)
    return table.wrong(ErrorCode::wrong_type, "toss", to_text(x[0]), "must be a whole number");
  out.toss = static_cast<long>(x[0]);
  out.row.time = x[1];
  out.row.position = {x[2], x[3], x[4]};
  out.row.orientation = Quaternion(x[5], x[6], x[7], x[8]);
  const double norm = out.row.orientation.norm();
  if (!(std::abs(norm - 1) <= unit_tolerance))
    return table.wrong(ErrorCode::out_of_range, "qw", to_text(x[5]),
                       fmt::format("qw to qz must be of unit length, and have {}", to_text(norm)));
  out.row.orientation.normalize();
  out.row.velocity = {x[9], x[10], x[11]};
  for (std::size_t i = 12; i < columns.size(); ++i)
    if (std::abs(x[i]) > most_spin)
      return table.wrong(ErrorCode::out_of_range, columns[i], to_text(x[i]),
                         "must be radians per second, and looks like degrees");
  out.row.angular_velocity = out.row.orientation * Vec3(x[12], x[13], x[14]);
  return out;
}

constexpr std::array<std::string_view, 9> body_words{"mu_lasting",    "side",    "mass",   "inertia",     "centre",
                                                     "corner_radius", "gravity", "ground", "velocity_lag"};

class TossBodyReader : TomlReader {
 public:
  Read<TossBody> read(const toml::table& root) {
    TossBody out;
    for (const auto& [key, node] : root) {
      const std::string_view name = key.str();
      if (name == "centre")
        out.centre = vector(name, node);
      else if (double* place = number_of(out, name))
        *place = number(name, node);
      else
        unknown("", name, node, body_words);
    }
    require(root, "side", out.side > 0, "must be above 0");
    require(root, "mass", out.mass > 0, "must be above 0");
    require(root, "inertia", out.inertia > 0, "must be above 0");
    require(root, "corner_radius", out.corner_radius >= 0 && out.corner_radius < out.side / 2,
            "must be at least 0 and below half of the side");
    require(root, "gravity", out.gravity >= 0, "must be at least 0");
    require(root, "mu_lasting", out.mu_lasting >= 0, "must be at least 0");
    if (fault_) return tl::unexpected(*fault_);
    return out;
  }

 private:
  static double* number_of(TossBody& body, std::string_view name) {
    if (name == "side") return &body.side;
    if (name == "mass") return &body.mass;
    if (name == "inertia") return &body.inertia;
    if (name == "corner_radius") return &body.corner_radius;
    if (name == "gravity") return &body.gravity;
    if (name == "ground") return &body.ground;
    if (name == "mu_lasting") return &body.mu_lasting;
    if (name == "velocity_lag") return &body.velocity_lag;
    return nullptr;
  }
  void require(const toml::table& root, std::string_view name, bool fine, const char* allowed) {
    if (fine) return;
    if (const toml::node* node = root.get(name))
      refuse(ErrorCode::out_of_range, name, *node, allowed);
    else
      refuse(ErrorCode::out_of_range, std::string(name), "", allowed, 0);
  }
};

}  // namespace

Read<std::vector<Toss>> read_tosses(const std::string& path) {
  std::error_code ignored;
  const std::string file =
      std::filesystem::is_directory(path, ignored) ? (std::filesystem::path(path) / "trajectories.csv").string() : path;
  const auto in_file = [&](Error error) {
    error.path.clear();  // the file's, which is stated anyway
    return tl::unexpected(Fault{std::move(error), 0, file});
  };
  auto records = CsvRecords::open(file, true);
  if (!records) return in_file(records.error());
  NumberTable table(file);
  const auto head = records->next();
  if (!head) return in_file(head.error());
  if (!*head) return in_file(Error{ErrorCode::malformed, "", "", "is empty; the first line must name the columns"});
  if (const auto fine = table.header(**head); !fine) return tl::unexpected(fine.error());
  std::vector<Toss> out;
  std::unordered_set<long> seen;
  while (true) {
    const auto record = records->next();
    if (!record) return in_file(record.error());
    const bool ended = !record->has_value();
    if (!ended && (**record).size() == 1 && (**record)[0].empty()) continue;
    std::optional<NumberedRow> row;
    if (!ended) {
      if (const auto fine = table.next(**record); !fine) return tl::unexpected(fine.error());
      const auto read = row_of(table);
      if (!read) return tl::unexpected(read.error());
      row = *read;
    }
    const bool first = row && (out.empty() || out.back().number != row->toss);
    if ((ended || first) && !out.empty() && out.back().rows.size() < 2)
      return table.wrong(ErrorCode::missing, "toss", std::to_string(out.back().number), "must have at least two rows");
    if (ended) break;
    if (first) {
      if (!seen.insert(row->toss).second)
        return table.wrong(ErrorCode::conflict, "toss", std::to_string(row->toss),
                           "has rows further up; the rows of a toss must follow each other");
      out.push_back({row->toss, {}});
    } else if (!(row->row.time > out.back().rows.back().time)) {
      return table.wrong(ErrorCode::out_of_range, "t", to_text(row->row.time), "must increase within a toss");
    }
    out.back().rows.push_back(row->row);
  }
  if (out.empty()) return in_file(Error{ErrorCode::missing, "", "", "has no rows"});
  return out;
}

Read<TossBody> read_toss_body(std::string_view text) {
  const auto root = parse_toml(text);
  if (!root) return tl::unexpected(root.error());
  return TossBodyReader().read(*root);
}

}  // namespace ricochet
