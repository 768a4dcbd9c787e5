#include "ricochet/io/collision_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <nlohmann/json.hpp>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/io/text.hpp"

namespace ricochet {
namespace {

constexpr std::array<std::string_view, 7> own_fields{"M", "W", "V", "n", "spin", "law", "id"};

/// All keys of a line.
const std::vector<std::string_view>& fields() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> out(own_fields.begin(), own_fields.end());
    out.insert(out.end(), parameter_names().begin(), parameter_names().end());
    for (const ParameterAlias& alias : parameter_aliases()) out.push_back(alias.alias);
    return out;
  }();
  return all;
}

/// Events of the JSON parser are written directly to the collision: no document is built, duplicate keys are detected,
/// and nesting is rejected at the third level.
class Handler {
 public:
  explicit Handler(Collision& collision) : collision_(collision) {}

  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }
  [[nodiscard]] const Given& given() const { return given_; }

  bool null() { return wrong_kind("null"); }
  bool boolean(bool value) { return wrong_kind(value ? "true" : "false"); }
  bool number_integer(std::int64_t x) {
    return number(static_cast<double>(x), [&] { return fmt::format("{}", x); });
  }
  bool number_unsigned(std::uint64_t x) {
    return number(static_cast<double>(x), [&] { return fmt::format("{}", x); });
  }
  bool number_float(double x, const std::string& text) {
    return number(x, [&] { return text; });
  }
  bool string(std::string& text) {
    if (depth_ == 0) return not_an_object();
    if (depth_ > 1) return refuse(fmt::format("\"{}\"", text), "must hold numbers only");
    waiting_ = false;
    if (field_ == "law") {
      collision_.law = text;
      return true;
    }
    if (field_ == "id") {
      fmt::memory_buffer quoted;
      append_json_string(quoted, text);
      collision_.id.assign(quoted.data(), quoted.size());
      return true;
    }
    if (own_) return refuse(fmt::format("\"{}\"", text), shape());
    return parameter(std::move(text));
  }
  bool binary(std::vector<std::uint8_t>&) { return wrong_kind("binary"); }

  bool start_object(std::size_t) {
    if (depth_ > 0) return refuse("{...}", shape());
    depth_ = 1;
    return true;
  }
  bool key(std::string& name) {
    const auto& all = fields();
    std::size_t place = 0;
    while (place < all.size() && all[place] != name) ++place;
    if (place == all.size()) {
      field_ = {};
      fault_ = Error{ErrorCode::unknown_name, key_step(name), "", with_suggestion("unknown key", name, all)};
      return false;
    }
    field_ = all[place];
    own_ = place < own_fields.size();
    const std::string_view of = own_ ? field_ : parameter_name(field_);
    const auto bit = static_cast<std::size_t>(std::find(all.begin(), all.end(), of) - all.begin());
    if (seen_.test(bit)) return given_twice(of);
    seen_.set(bit);
    waiting_ = true;
    return true;
  }
  bool end_object() {
    depth_ = 0;
    return true;
  }
  bool start_array(std::size_t) {
    if (depth_ == 0) return not_an_object();
    if (field_ == "law" || field_ == "id") return refuse("[...]", shape());
    if (depth_ == 1) {
      count_ = 0;
      rows_ = 0;
      flat_ = true;
    } else if (depth_ == 2) {
      if (count_ > 0 && flat_) return refuse("[...]", shape());
      if (rows_ == row_ends_.size()) return refuse(numbers_text(), shape());
      flat_ = false;
    } else {
      return refuse("[[[...]]]", shape());
    }
    ++depth_;
    return true;
  }
  bool end_array() {
    --depth_;
    if (depth_ == 2) {
      row_ends_[rows_++] = count_;
      return true;
    }
    waiting_ = false;
    return array_done();
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& problem) {
    // The library's message begins with its own name and a position, which are replaced here.
    std::string_view what = problem.what();
    if (const auto end = what.find("] "); end != std::string_view::npos) what.remove_prefix(end + 2);
    if (what.starts_with("parse error"))
      if (const auto colon = what.find(": "); colon != std::string_view::npos) what.remove_prefix(colon + 2);
    fault_ =
        Error{ErrorCode::malformed, waiting_ ? std::string(field_) : "", "",
              fmt::format("not valid JSON at column {}: {} (each line must hold one whole object)", position, what)};
    return false;
  }

 private:
  [[nodiscard]] std::string shape() const {
    if (field_ == "M" || field_ == "W") return "must be 3 rows of 3 numbers";
    if (field_ == "V" || field_ == "n" || field_ == "spin") return "must be three numbers";
    if (field_ == "law") return "must be a string";
    if (field_ == "id") return "must be a string or a number";
    switch (parameter_kind(field_).value_or(ParameterKind::number)) {
      case ParameterKind::number: return "must be a number, or \"inf\"";
      case ParameterKind::word: return "must be a string";
      case ParameterKind::vector: return "must be three numbers";
    }
    return "";
  }
  bool given_twice(std::string_view name) {
    fault_ = Error{ErrorCode::conflict, std::string(field_), "",
                   name == field_ ? "given twice; a key may occur once in a line"
                                  : fmt::format("given twice; {} is the older name of {}", field_, name)};
    return false;
  }
  bool refuse(std::string value, std::string allowed) {
    fault_ = Error{ErrorCode::wrong_type, std::string(field_), std::move(value), std::move(allowed)};
    return false;
  }
  bool not_an_object() {
    fault_ =
        Error{ErrorCode::wrong_type, "", "", "each line must be one JSON object, {\"M\": ..., \"V\": ..., \"n\": ...}"};
    return false;
  }
  bool wrong_kind(const char* text) {
    if (depth_ == 0) return not_an_object();
    return refuse(text, shape());
  }
  bool parameter(const Value& value) {
    const Expected<void> fine = set(collision_.settings, field_, value);
    if (fine) return true;
    fault_ = fine.error();
    // As written in the line, so that "0.3" is not mistaken for a number.
    if (std::holds_alternative<std::string>(value)) fault_->value = fmt::format("\"{}\"", fault_->value);
    return false;
  }
  template <class Text>
  bool number(double x, Text text) {
    if (depth_ == 0) return not_an_object();
    if (depth_ == 1) {
      waiting_ = false;
      if (field_ == "id") {
        collision_.id = text();
        return true;
      }
      if (own_) return refuse(text(), shape());
      return parameter(x);
    }
    if (depth_ == 2 && !flat_) return refuse(text(), shape());
    if (count_ == numbers_.size()) return refuse(numbers_text(), shape());
    numbers_[count_++] = x;
    return true;
  }
  bool array_done() {
    const auto vector = [&] { return Vec3(numbers_[0], numbers_[1], numbers_[2]); };
    if (field_ == "M" || field_ == "W") {
      if (flat_ || rows_ != 3 || row_ends_[0] != 3 || row_ends_[1] != 6 || row_ends_[2] != 9)
        return refuse(numbers_text(), shape());
      (field_ == "M" ? given_.M : given_.W) =
          Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(numbers_.data());
      return true;
    }
    if (field_ == "V" || field_ == "n" || field_ == "spin") {
      if (!flat_ || count_ != 3) return refuse(numbers_text(), shape());
      (field_ == "V" ? given_.V : field_ == "n" ? given_.n : given_.spin) = vector();
      return true;
    }
    if (!flat_) return refuse(numbers_text(), shape());
    return parameter(std::vector<double>(numbers_.begin(), numbers_.begin() + static_cast<std::ptrdiff_t>(count_)));
  }
  [[nodiscard]] std::string numbers_text() const {
    const bool full = count_ == numbers_.size();
    if (flat_)
      return fmt::format("[{}{}]", fmt::join(numbers_.data(), numbers_.data() + count_, ", "), full ? ", ..." : "");
    std::string out;
    std::size_t from = 0;
    for (std::size_t r = 0; r <= rows_; ++r) {
      const std::size_t to = r < rows_ ? row_ends_[r] : count_;
      if (r == rows_ && from == to) break;
      out +=
          fmt::format("{}[{}]", out.empty() ? "" : ", ", fmt::join(numbers_.data() + from, numbers_.data() + to, ", "));
      from = to;
    }
    return fmt::format("[{}{}]", out, full ? ", ..." : "");
  }

  Collision& collision_;
  Given given_;
  std::optional<Error> fault_;
  std::bitset<64> seen_;
  std::string_view field_;
  bool own_ = false;
  bool waiting_ = false;  ///< the value of field_ has not ended yet
  int depth_ = 0;

  std::array<double, 12> numbers_{};
  std::size_t count_ = 0;
  std::array<std::size_t, 4> row_ends_{};
  std::size_t rows_ = 0;
  bool flat_ = true;
};

}  // namespace

Expected<void> read_json_line(std::string_view line, Collision& collision) {
  Handler handler(collision);
  const bool parsed = nlohmann::json::sax_parse(line.begin(), line.end(), &handler);
  if (handler.fault()) return tl::unexpected(*handler.fault());
  if (!parsed) return fail(ErrorCode::malformed, "", "", "not valid JSON");
  Expected<Contact> contact = make_contact(handler.given());
  if (!contact) return tl::unexpected(contact.error());
  collision.contact = *std::move(contact);
  return {};
}

std::string write_json_line(const Collision& collision) {
  fmt::memory_buffer out;
  const auto key = [&](std::string_view name) {
    out.push_back(out.size() == 0 ? '{' : ',');
    append_json_string(out, name);
    out.push_back(':');
  };
  const auto list = [&](const double* x, std::size_t count) {
    out.push_back('[');
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out.push_back(',');
      append_json_number(out, x[i]);
    }
    out.push_back(']');
  };
  if (!collision.id.empty()) {
    key("id");
    append(out, collision.id);
  }
  const Contact& c = collision.contact;
  key(c.mass_given ? "M" : "W");
  const Mat3& A = c.mass_given ? c.M : c.W;
  out.push_back('[');
  for (int i = 0; i < 3; ++i) {
    if (i > 0) out.push_back(',');
    list(A.col(i).data(), 3);  // symmetric
  }
  out.push_back(']');
  key("V");
  list(c.V.data(), 3);
  key("n");
  list(c.n.data(), 3);
  if (!c.spin.isZero(0)) {
    key("spin");
    list(c.spin.data(), 3);
  }
  if (collision.law) {
    key("law");
    append_json_string(out, *collision.law);
  }
  for (const std::string_view name : parameter_names()) {
    const std::optional<Value> value = get(collision.settings, name);
    if (!value) continue;
    key(name);
    if (const auto* x = std::get_if<double>(&*value)) append_json_number(out, *x);
    if (const auto* word = std::get_if<std::string>(&*value)) append_json_string(out, *word);
    if (const auto* numbers = std::get_if<std::vector<double>>(&*value)) list(numbers->data(), numbers->size());
  }
  out.push_back('}');
  return {out.data(), out.size()};
}

}  // namespace ricochet
