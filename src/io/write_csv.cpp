#include "ricochet/io/csv_field.hpp"
#include "ricochet/io/text.hpp"
#include "ricochet/io/writer.hpp"

namespace ricochet {
namespace {

class CsvWriter : public Writer {
 public:
  void begin(fmt::memory_buffer& out) override {
    append(
        out,
        "line,id,law,P_x,P_y,P_z,V_x,V_y,V_z,energy_change,normal_work,friction_work,mode,permissible,margin_energy,"
        "margin_separation,margin_compression,margin_friction,why,evaluations,error_code,error_path,error_message\n");
  }

  void collision(fmt::memory_buffer& out, long long line, const Collision& collision,
                 std::span<const Answer> answers) override {
    for (const Answer& answer : answers) {
      row_start(out, line, collision, answer.law);
      if (!answer.outcome) {
        error_cells(out, answer.outcome.error());
        continue;
      }
      const Outcome& o = *answer.outcome;
      const Margins& m = o.certificate.margins;
      const auto number = [&](double x) { fmt::format_to(fmt::appender(out), ",{}", x); };
      for (const double x :
           {o.P.x(), o.P.y(), o.P.z(), o.V.x(), o.V.y(), o.V.z(), o.energy_change, o.normal_work, o.friction_work})
        number(x);
      fmt::format_to(fmt::appender(out), ",{},{}", name(o.mode), o.certificate.permissible);
      for (const double x : {m.energy, m.separation, m.compression, m.friction}) number(x);
      fmt::format_to(fmt::appender(out), ",{},{},,,\n", describe(o.termination), o.evaluations);
    }
  }

  void fault(fmt::memory_buffer& out, long long line, const Collision& collision, const Error& error) override {
    row_start(out, line, collision, collision.law ? printable(*collision.law) : "");
    error_cells(out, error);
  }

 private:
  static void row_start(fmt::memory_buffer& out, long long line, const Collision& collision, std::string_view law) {
    fmt::format_to(fmt::appender(out), "{},", line);
    append_csv_field(out, collision.id);
    out.push_back(',');
    append_csv_field(out, law);
  }
  static void error_cells(fmt::memory_buffer& out, const Error& error) {
    append(out, ",,,,,,,,,,,,,,,,,,");
    append(out, name(error.code));
    out.push_back(',');
    append_csv_field(out, printable(error.path));
    out.push_back(',');
    append_csv_field(out, error.message());
    out.push_back('\n');
  }
};

}  // namespace

std::unique_ptr<Writer> make_csv_writer(const Source&) { return std::make_unique<CsvWriter>(); }

}  // namespace ricochet
