#include <fmt/format.h>

#include "ricochet/io/csv_field.hpp"
#include "ricochet/io/scene_result_text.hpp"
#include "ricochet/io/text.hpp"

namespace ricochet {
namespace {

constexpr std::string_view heading =
    "hinges,kind,number,name,v_before_x,v_before_y,v_before_z,omega_before_x,omega_before_y,omega_before_z,v_x,v_y,v_z,"
    "omega_x,omega_y,omega_z,law,P_x,P_y,P_z,separation_speed_before,separation_speed_after,permissible,violated\n";

class CsvRows {
 public:
  CsvRows(const SceneResult& result, const SceneAnswer& answer) : scene_(result.scene), a_(answer) {}

  void append_to(fmt::memory_buffer& out) const {
    for (std::size_t i = 0; i < scene_.names.size(); ++i) body(out, i);
    for (std::size_t i = 0; i < scene_.arrangement.contacts.size(); ++i) contact(out, i);
    for (std::size_t h = 0; h < a_.hinges.size(); ++h) hinge(out, h);
  }

 private:
  void begin(fmt::memory_buffer& out, std::string_view kind, std::size_t number, const std::string& name) const {
    const bool intact = a_.assembled.hinges == Hinges::intact;
    const std::string_view hinges = scene_.arrangement.hinges.empty() ? "" : intact ? "intact" : "in sequence";
    fmt::format_to(fmt::appender(out), "{},{},{},", hinges, kind, number + 1);
    append_csv_field(out, printable(name));
  }
  static void vector(fmt::memory_buffer& out, const Vec3& v, bool there = true) {
    for (const double x : v)
      there ? fmt::format_to(fmt::appender(out), ",{}", x) : fmt::format_to(fmt::appender(out), ",");
  }
  [[nodiscard]] std::string pair(std::size_t first, std::size_t second) const {
    return scene_.names[first] + " - " + scene_.names[second];
  }

  void body(fmt::memory_buffer& out, std::size_t i) const {
    begin(out, "body", i, scene_.names[i]);
    const RigidBody& before = scene_.arrangement.bodies[i];
    vector(out, before.velocity);
    vector(out, before.angular_velocity);
    vector(out, a_.bodies[i].velocity, a_.settled());
    vector(out, a_.bodies[i].angular_velocity, a_.settled());
    append(out, ",,,,,,,,\n");
  }
  void contact(fmt::memory_buffer& out, std::size_t i) const {
    const ContactSpec& spec = scene_.arrangement.contacts[i];
    const Resolution& r = a_.resolution;
    const Problem& problem = a_.assembled.problem;
    const Vec3& n = problem.contacts()[i].contact.n;
    begin(out, "contact", i, pair(spec.first, spec.second));
    append(out, ",,,,,,,,,,,,,");
    append(out, laws()[spec.law.index()].name);
    vector(out, r.G[i], a_.settled());
    fmt::format_to(fmt::appender(out), ",{},", n.dot(problem.velocity(i, r.u_before)) + 0.0);
    if (a_.settled()) {
      const Certificate& c = r.certificate.contacts[i];
      fmt::format_to(fmt::appender(out), "{},{},{}\n", n.dot(r.V[i]) + 0.0, c.permissible,
                     fmt::join(condition_names(c.violated), " "));
    } else {
      append(out, ",,\n");
    }
  }
  void hinge(fmt::memory_buffer& out, std::size_t h) const {
    const Hinge& one = scene_.arrangement.hinges[h];
    begin(out, "hinge", h, pair(one.first, one.second));
    append(out, ",,,,,,,,,,,,,");
    vector(out, a_.hinges[h].P, a_.settled());
    append(out, ",,,,\n");
  }

  const Scene& scene_;
  const SceneAnswer& a_;
};

}  // namespace

std::string write_csv(const SceneResult& result) {
  fmt::memory_buffer out;
  append(out, heading);
  for (const SceneAnswer& answer : result.answers) CsvRows(result, answer).append_to(out);
  return fmt::to_string(out);
}

}  // namespace ricochet
