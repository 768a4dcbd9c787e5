#include "ricochet/io/mechanism_csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ricochet/base/printable.hpp"
#include "ricochet/io/csv_field.hpp"
#include "ricochet/io/text.hpp"

namespace ricochet {
namespace {

constexpr std::string_view heading =
    "law,kind,number,name,before,after,P_x,P_y,P_z,V_before_x,V_before_y,V_before_z,V_x,V_y,V_z,permissible,violated,"
    "error_code,error_path,error_message\n";

class ImpactRows {
 public:
  explicit ImpactRows(const MechanismImpact& impact) : impact_(impact) { append(out_, heading); }

  void contact(std::string_view law, std::size_t i, const Vec3& P, const Vec3& V, const Certificate& certificate) {
    begin(law, "contact", i, impact_.contacts[i].pair());
    append(out_, ",,");
    for (const Vec3& v : {P, impact_.contacts[i].V, V})
      for (const double x : v) fmt::format_to(fmt::appender(out_), ",{}", x);
    fmt::format_to(fmt::appender(out_), ",{},{},,,\n", certificate.permissible,
                   fmt::join(condition_names(certificate.violated), " "));
  }
  void speeds(std::string_view law, const VecX& after) {
    for (const Coordinate& c : impact_.machine->coordinates())
      for (int i = 0; i < c.speeds; ++i) {
        const int k = c.speed + i;
        begin(law, "speed", static_cast<std::size_t>(k), c.speeds == 1 ? c.name : fmt::format("{}[{}]", c.name, i));
        fmt::format_to(fmt::appender(out_), ",{},{},,,,,,,,,,,,,,\n", impact_.u(k), after(k));
      }
  }
  void error(std::string_view law, const Error& error) {
    fmt::format_to(fmt::appender(out_), "{},error,,,,,,,,,,,,,,,,{},", law, name(error.code));
    append_csv_field(out_, printable(error.path));
    append(out_, ",");
    append_csv_field(out_, error.message());
    append(out_, "\n");
  }
  [[nodiscard]] std::string text() const { return fmt::to_string(out_); }

 private:
  void begin(std::string_view law, std::string_view kind, std::size_t number, const std::string& name) {
    fmt::format_to(fmt::appender(out_), "{},{},{},", law, kind, number + 1);
    append_csv_field(out_, printable(name));
  }

  const MechanismImpact& impact_;
  fmt::memory_buffer out_;
};

}  // namespace

std::string write_csv(const MechanismImpact& impact, std::span<const Answer> answers,
                      std::span<const PlanarAnswer> planar) {
  ImpactRows rows(impact);
  for (const Answer& a : answers) {
    if (!a.outcome) {
      rows.error(a.law, a.outcome.error());
      continue;
    }
    rows.contact(a.law, impact.chosen, a.outcome->P, a.outcome->V, a.outcome->certificate);
    rows.speeds(a.law, impact.response.after(a.outcome->P));
  }
  for (const PlanarAnswer& a : planar) {
    if (!a.outcome) {
      rows.error(a.law, a.outcome.error());
      continue;
    }
    rows.contact(a.law, impact.chosen, a.outcome->P, a.V, a.certificate);
    rows.speeds(a.law, a.outcome->u);
  }
  return rows.text();
}

std::string write_csv(const MechanismImpact& impact, const Together& together) {
  ImpactRows rows(impact);
  for (const TogetherAnswer& a : together.answers) {
    if (!a.result) {
      rows.error(a.law, a.result.error());
      continue;
    }
    const Resolution& r = a.result->resolution;
    if (!a.result->settled()) {
      rows.error(a.law, {ErrorCode::not_converged, "", "", a.result->verdict()});
      continue;
    }
    for (std::size_t k = 0; k < together.struck.size(); ++k)
      rows.contact(a.law, together.struck[k], r.G[k], r.V[k], r.certificate.contacts[k]);
    rows.speeds(a.law, r.u);
  }
  return rows.text();
}

}  // namespace ricochet
