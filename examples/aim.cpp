// Aims a ball through two bounces: thrown against a floor and a wall, it passes the target at the given time. Newton's
// iteration on its velocity takes the derivatives of the motion through both impacts.
#include <Eigen/LU>
#include <cstdio>
#include <utility>

#include "ricochet/motion/sensitivity.hpp"

int main() {
  using namespace ricochet;
  using namespace ricochet::motion;
  constexpr double T = 0.9, r = 0.05;
  const Vec3 target(0.6, 0.25, 0.45);

  const auto half_space = [](const char* name, const Vec3& point, const Vec3& normal) {
    WorldBody out;
    out.name = name;
    out.body.fixed = true;
    out.body.position = point;
    out.body.orientation = Quaternion::FromTwoVectors(Vec3(Vec3::UnitZ()), normal);
    out.shapes.emplace_back().core = ConvexShape::Core::half_space;
    return out;
  };
  WorldBody ball;
  ball.name = "ball";
  ball.body.mass = 0.2;
  ball.body.inertia = 0.4 * 0.2 * r * r * Mat3::Identity();
  ball.body.position = {0, 0, 1};
  ball.shapes.emplace_back().margin = r;

  World world;
  world.bodies = {half_space("floor", Vec3::Zero(), Vec3::UnitZ()), half_space("wall", Vec3::UnitX(), -Vec3::UnitX()),
                  ball};
  world.gravity = {0, 0, -9.81};
  ChatterjeeRuina law;
  law.e = 0.8;
  law.e_t = 0.5;
  law.mu = 1;
  world.laws.push_back({law, law.mu, law.mu, law.e});
  world.law_of_pair = {0};

  // Where the ball is at T, and after how many bounces.
  const auto throw_ball = [&](const Vec3& velocity) {
    world.bodies[2].body.velocity = velocity;
    return Simulation::start(world).and_then([&](Simulation simulation) -> Expected<std::pair<Vec3, std::uint64_t>> {
      if (const auto ran = simulation.run(T); !ran) return tl::unexpected(ran.error());
      return std::pair(Vec3(simulation.poses()[2].position), simulation.events());
    });
  };
  const auto give_up = [](const Error& error) {
    std::fprintf(stderr, "%s\n", error.message().c_str());
    return 1;
  };

  Vec3 v(2.5, 0, 0);
  auto end = throw_ball(v);
  for (int step = 0; step < 20; ++step) {
    if (!end) return give_up(end.error());
    const Vec3 miss = end->first - target;
    std::printf("step %d  velocity (%8.5f, %8.5f, %8.5f) m/s  bounces %d  misses by %.2e m\n", step, v.x(), v.y(),
                v.z(), static_cast<int>(end->second), miss.norm());
    if (miss.norm() < 1e-12) return 0;
    const auto found = simulate_with_sensitivity(world, T);
    if (!found) return give_up(found.error());
    if (found->kink) return give_up(Error{ErrorCode::no_solution, "derivative", "", found->kink->what});
    int column = 0;
    for (const SensitivityInput& input : found->inputs)
      if (input.name == "velocity") column = input.first;
    Vec3 change = -found->state.block<3, 3>(0, column).partialPivLu().solve(miss);
    // As far as the ball still bounces twice and misses by less.
    for (int half = 0; half < 30; ++half, change /= 2) {
      end = throw_ball(v + change);
      if (end && end->second == 2 && (end->first - target).norm() < miss.norm()) break;
    }
    v += change;
  }
  std::fprintf(stderr, "not hit\n");
  return 1;
}
