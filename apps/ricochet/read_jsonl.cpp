#include "read_jsonl.hpp"

#include <fmt/format.h>

#include <array>
#include <bitset>
#include <nlohmann/json.hpp>

#include "ricochet/base/suggest.hpp"
#include "text.hpp"

namespace ricochet::app {
namespace {

constexpr std::array<std::string_view, 6> own_fields{"M", "W", "V", "n", "law", "id"};

/// Everything that may stand in a line.
const std::vector<std::string_view>& fields() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> out(own_fields.begin(), own_fields.end());
    out.insert(out.end(), parameter_names().begin(), parameter_names().end());
    return out;
  }();
  return all;
}

/// Events of the JSON parser go straight into the collision: no document is built, duplicate keys are seen, and depth
/// costs nothing because the third level is refused where it opens.
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
      const std::string_view guess = closest(name, all);
      fault_ = Error{name, "",
                     guess.empty() ? fmt::format("unknown key; one of {}", fmt::join(all, ", "))
                                   : fmt::format("unknown key; did you mean {}?", guess)};
      return false;
    }
    field_ = all[place];
    own_ = place < own_fields.size();
    if (seen_.test(place)) return refuse("", "given twice; a key may stand once in a line");
    seen_.set(place);
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
    // The library's text begins with its own name and a position in the line, which is said better here.
    std::string_view what = problem.what();
    if (const auto end = what.find("] "); end != std::string_view::npos) what.remove_prefix(end + 2);
    if (what.starts_with("parse error"))
      if (const auto colon = what.find(": "); colon != std::string_view::npos) what.remove_prefix(colon + 2);
    fault_ =
        Error{waiting_ ? std::string(field_) : "", "",
              fmt::format("not valid JSON at column {}: {} (each line must hold one whole object)", position, what)};
    return false;
  }

 private:
  [[nodiscard]] std::string shape() const {
    if (field_ == "M" || field_ == "W") return "must be 3 rows of 3 numbers";
    if (field_ == "V" || field_ == "n" || field_ == "wish") return "must be three numbers";
    if (field_ == "law" || field_ == "restitution" || field_ == "first" || field_ == "second")
      return "must be a string";
    if (field_ == "id") return "must be a string or a number";
    return "must be a number, or \"inf\"";
  }
  bool refuse(std::string value, std::string allowed) {
    fault_ = Error{std::string(field_), std::move(value), std::move(allowed)};
    return false;
  }
  bool not_an_object() {
    fault_ = Error{"", "", "each line must be one JSON object, {\"M\": ..., \"V\": ..., \"n\": ...}"};
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
    // As it stands in the line, so that "0.3" is not taken for the number.
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
    if (field_ == "V" || field_ == "n") {
      if (!flat_ || count_ != 3) return refuse(numbers_text(), shape());
      (field_ == "V" ? given_.V : given_.n) = vector();
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
  if (!parsed) return fail("", "", "not valid JSON");
  Expected<Contact> contact = make_contact(handler.given());
  if (!contact) return tl::unexpected(contact.error());
  collision.contact = *std::move(contact);
  return {};
}

}  // namespace ricochet::app
