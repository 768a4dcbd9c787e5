/// Writes motion.json and motion.html of a ball that bounces, from its closed form, into a folder: what the tests in
/// the browser open. Between impacts z(t) = z0 + v0 t − g t²/2; each impact returns e of the speed.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "ricochet/report/motion_document.hpp"
#include "ricochet/report/page.hpp"

namespace {

using namespace ricochet;

constexpr double g = 9.81, e = 0.8, radius = 0.1, drop = 1, mass = 0.5, forward = 0.4, spin = 6;
constexpr double bounces = 12;

struct Flight {
  double start, height, speed;  ///< of the lowest point above the floor, upwards
};

MotionDocument bouncing_ball() {
  MotionDocument document;
  document.title = "ball that bounces </script>";
  document.gravity = {0, 0, -g};
  motion::WorldBody ball{.name = "ball", .body = {}, .shapes = {ConvexShape{.margin = radius, .hull = nullptr}}};
  ball.body.mass = mass;
  motion::WorldBody floor{
      .name = "floor", .body = {}, .shapes = {ConvexShape{.core = ConvexShape::Core::half_space, .hull = nullptr}}};
  floor.body.fixed = true;
  document.bodies = {floor, ball};
  const double moment = 0.4 * mass * radius * radius, turning = 0.5 * moment * spin * spin;

  const auto sample = [&](const Flight& flight, double time, double lost) {
    const double s = time - flight.start, speed = flight.speed - g * s;
    const double z = radius + flight.height + flight.speed * s - g * s * s / 2;
    motion::Pose still{Vec3::Zero(), Quaternion::Identity(), Vec3::Zero(), Vec3::Zero()};
    motion::Pose pose{{forward * time, 0, z},
                      Quaternion(Eigen::AngleAxisd(spin * time, Vec3::UnitY())),
                      {forward, 0, speed},
                      {0, spin, 0}};
    motion::EnergyLedger energy;
    energy.kinetic = mass * (speed * speed + forward * forward) / 2 + turning;
    energy.potential = mass * g * z;
    energy.lost_to_impact = lost;
    document.samples.push_back({time, {still, pose}, energy});
  };

  Flight flight{0, drop, 0};
  double lost = 0;
  sample(flight, 0, 0);
  for (int k = 0; k < bounces; ++k) {
    const double arrival = std::sqrt(flight.speed * flight.speed + 2 * g * flight.height);
    const double end = flight.start + (flight.speed + arrival) / g;
    // Two samples between impacts, which lie far apart for the eye.
    for (int i = 1; i < 3; ++i) sample(flight, flight.start + (end - flight.start) * i / 3, lost);
    motion::Event event;
    event.time = end;
    event.body_a = 0;
    event.body_b = 1;
    event.point = {forward * end, 0, 0};
    event.P = {0, 0, mass * (1 + e) * arrival};
    event.energy_change = -mass * (1 - e * e) * arrival * arrival / 2;
    lost -= event.energy_change;
    document.events.push_back(event);
    flight = {end, 0, e * arrival};
    sample(flight, end, lost);
  }
  return document;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::filesystem::path folder = arguments[1];
  const MotionDocument document = bouncing_ball();
  if (const auto fine = check(document); !fine) {
    fmt::print(stderr, "{}\n", fine.error().path);
    return 1;
  }
  std::ofstream(folder / "motion.json") << write_json(document);
  const std::string page = motion_page(document);
  std::ofstream(folder / "motion.html") << page;
  PageSection section{.id = "motion", .title = "Motion"};
  section.frame = page;
  std::ofstream(folder / "report.html") << to_html(Page{.title = "report", .sections = {section}});
  return EXIT_SUCCESS;
}
