#include "terminal/write_table.hpp"

#include <array>
#include <cmath>

#include "ricochet/io/text.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

constexpr int width = 7;  ///< of a number
constexpr std::size_t number_columns = 7;

std::array<double, number_columns> row_numbers(const Outcome& o, const Vec3& n) {
  const double P_n = n.dot(o.P);
  const double V_n = n.dot(o.V);
  return {P_n, (o.P - P_n * n).norm(), V_n, (o.V - V_n * n).norm(), o.energy_change, o.normal_work, o.friction_work};
}

std::string verdict(const Outcome& o) {
  if (o.certificate.permissible) return "yes";
  return fmt::format("no: {}", fmt::join(condition_names(o.certificate.violated), ", "));
}

std::string reason(const Error& error) { return "no answer: " + error.message(); }

/// A single collision gets a heading, a table that is aligned as a whole and a key; in a stream every answer is an
/// independent row, so that nothing is buffered.
class TableWriter : public Writer {
 public:
  explicit TableWriter(const Source& source) : source_(source) {}

  void begin(fmt::memory_buffer& out) override {
    if (!source_.many) return;
    fmt::format_to(fmt::appender(out), "{:>7} {:<17}", "line", "law");
    titles(out);
  }

  void collision(fmt::memory_buffer& out, long long line, const Collision& collision,
                 std::span<const Answer> answers) override {
    if (source_.many) {
      for (const Answer& answer : answers) stream_row(out, line, collision, answer);
      return;
    }
    heading(out, collision);
    fmt::format_to(fmt::appender(out), "{:<17}", "law");
    titles(out);
    rows(out, collision, answers);
    key(out, collision);
  }

  void fault(fmt::memory_buffer& out, long long line, const Collision&, const Error& error) override {
    fmt::format_to(fmt::appender(out), "{:>7} {:<17} {}\n", line, "", reason(error));
  }

 private:
  void titles(fmt::memory_buffer& out) const {
    constexpr std::array<std::string_view, number_columns> names{"P_n", "P_t", "V_n+", "V_t+", "ΔE", "W_n", "W_t"};
    constexpr std::array<std::string_view, number_columns> units{"N s", "N s", "m/s", "m/s", "J", "J", "J"};
    for (const auto name : names) fmt::format_to(fmt::appender(out), " {:>{}}", name, width);
    fmt::format_to(fmt::appender(out), "  {:<13}  {:<17}", "mode", "permissible");
    if (!source_.many) append(out, "  guarantees");
    fmt::format_to(fmt::appender(out), "\n{:<{}}", "", source_.many ? 25 : 17);
    for (const auto unit : units) fmt::format_to(fmt::appender(out), " {:>{}}", unit, width);
    append(out, "\n");
  }

  void heading(fmt::memory_buffer& out, const Collision& collision) const {
    const Contact& c = collision.contact;
    std::string what = collision.title;
    if (what.empty() && !collision.body_a.empty()) what = fmt::format("{} hits {}", collision.body_b, collision.body_a);
    if (what.empty()) what = source_.name;
    const double V_n = c.n.dot(c.V);
    fmt::format_to(fmt::appender(out), "{}: {} at {:.4g} m/s, slips at {:.4g} m/s\n",
                   paint(printable(what), Colour::bold, source_.colour), V_n < 0 ? "closes" : "parts", std::abs(V_n),
                   (c.V - V_n * c.n).norm());
    fmt::format_to(fmt::appender(out), "V = {} m/s, n = {}", brief(c.V), brief(c.n));
    const LawParameters& s = collision.settings;
    const auto show = [&](std::string_view name, const std::optional<double>& x) {
      if (x) fmt::format_to(fmt::appender(out), ", {} = {:.4g}", name, *x);
    };
    show("e", s.e);
    show("mu", s.mu);
    show("mu_s", s.mu_s);
    show("e_t", s.e_t);
    append(out, "\n\n");
  }

  void rows(fmt::memory_buffer& out, const Collision& collision, std::span<const Answer> answers) const {
    std::array<std::vector<double>, number_columns> numbers;
    for (const Answer& answer : answers) {
      if (!answer.outcome) continue;
      const auto row = row_numbers(*answer.outcome, collision.contact.n);
      for (std::size_t i = 0; i < number_columns; ++i) numbers[i].push_back(row[i]);
    }
    std::array<std::vector<std::string>, number_columns> texts;
    for (std::size_t i = 0; i < number_columns; ++i) texts[i] = align(numbers[i], width);
    std::size_t place = 0;
    for (const Answer& answer : answers) {
      fmt::format_to(fmt::appender(out), "{:<17}", answer.law);
      if (!answer.outcome) {
        refusal(out, answer.outcome.error());
        continue;
      }
      for (const auto& column : texts) fmt::format_to(fmt::appender(out), " {:>{}}", column[place], width);
      ++place;
      ending(out, answer);
      fmt::format_to(fmt::appender(out), "  {}\n", guarantee_letters(guarantees(*answer.made)));
    }
  }

  /// Mode and certificate; the padding is outside the colour.
  void ending(fmt::memory_buffer& out, const Answer& answer) const {
    const Outcome& o = *answer.outcome;
    const std::string text = verdict(o);
    const bool fine = o.certificate.permissible;
    fmt::format_to(fmt::appender(out), "  {:<13}  {}{:<{}}", name(o.mode),
                   paint(text, fine ? Colour::good : Colour::bad, source_.colour), "",
                   columns(text) < 17 ? 17 - columns(text) : 0);
  }

  void refusal(fmt::memory_buffer& out, const Error& error) const {
    bool first = true;
    for (const std::string& line : wrap(reason(error), 100)) {
      if (!first) fmt::format_to(fmt::appender(out), "{:<17}", "");
      fmt::format_to(fmt::appender(out), "  {}\n", paint(line, Colour::dim, source_.colour));
      first = false;
    }
  }

  void stream_row(fmt::memory_buffer& out, long long line, const Collision& collision, const Answer& answer) const {
    fmt::format_to(fmt::appender(out), "{:>7} {:<17}", line, answer.law);
    if (!answer.outcome) {
      fmt::format_to(fmt::appender(out), " {}\n", paint(reason(answer.outcome.error()), Colour::dim, source_.colour));
      return;
    }
    for (const double x : row_numbers(*answer.outcome, collision.contact.n))
      fmt::format_to(fmt::appender(out), " {:>{}}", compact(x, width), width);
    ending(out, answer);
    append(out, "\n");
  }

  void key(fmt::memory_buffer& out, const Collision& collision) const {
    const std::string struck = collision.body_b.empty() ? "body B" : printable(collision.body_b, 40);
    fmt::format_to(
        fmt::appender(out),
        "\n"
        "P            impulse on {}: _n along the normal, _t its size along the surface\n"
        "V+           relative velocity after the impact, in the same components\n"
        "ΔE           change of kinetic energy = W_n (work of the normal impulse) + W_t (work of friction)\n"
        "permissible  no energy gain, separation (V_n+ ≥ 0), compressive impulse (P_n ≥ 0), P inside the friction "
        "cone;\n"
        "             otherwise the violated conditions\n"
        "guarantees   of the law with these parameters: E no energy gain, S separation, F friction cone\n",
        struck);
  }

  Source source_;
};

}  // namespace

std::string guarantee_letters(const Guarantees& g) {
  return fmt::format("{} {} {}", g.energy ? 'E' : '-', g.separation ? 'S' : '-', g.friction ? 'F' : '-');
}

std::unique_ptr<Writer> make_writer(Format format, const Source& source) {
  switch (format) {
    case Format::json: return make_json_writer(source);
    case Format::jsonl: return make_jsonl_writer(source);
    case Format::csv: return make_csv_writer(source);
    case Format::table: break;
  }
  return std::make_unique<TableWriter>(source);
}

}  // namespace ricochet::app
