/// What is written is read back as the same value, bit for bit.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "ricochet/io/collision_json.hpp"
#include "ricochet/io/collision_toml.hpp"
#include "ricochet/io/named_scene.hpp"
#include "ricochet/io/scene_json.hpp"
#include "ricochet/io/scene_toml.hpp"
#include "ricochet/io/state_toml.hpp"
#include "ricochet/scene/bundled_scenes.hpp"

namespace ricochet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool same_bits(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

template <class A, class B>
bool same_bits(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index j = 0; j < a.cols(); ++j)
      if (!same_bits(a(i, j), b(i, j))) return false;
  return true;
}

void expect_same(const LawParameters& a, const LawParameters& b) {
  for (const std::string_view name : parameter_names()) EXPECT_EQ(get(a, name), get(b, name)) << name;
}

void expect_same(const RigidBody& a, const RigidBody& b) {
  EXPECT_EQ(a.fixed, b.fixed);
  if (!a.fixed) {
    EXPECT_TRUE(same_bits(a.mass, b.mass));
    EXPECT_TRUE(same_bits(a.inertia, b.inertia));
  }
  EXPECT_TRUE(same_bits(a.orientation.coeffs(), b.orientation.coeffs()));
  EXPECT_TRUE(same_bits(a.position, b.position));
  EXPECT_TRUE(same_bits(a.velocity, b.velocity));
  EXPECT_TRUE(same_bits(a.angular_velocity, b.angular_velocity));
}

void expect_same(const Contact& a, const Contact& b) {
  EXPECT_TRUE(same_bits(a.M, b.M));
  EXPECT_TRUE(same_bits(a.W, b.W));
  EXPECT_TRUE(same_bits(a.V, b.V));
  EXPECT_TRUE(same_bits(a.n, b.n));
  EXPECT_TRUE(same_bits(a.spin, b.spin));
  EXPECT_EQ(a.mass_given, b.mass_given);
  EXPECT_EQ(a.immovable, b.immovable);
}

void expect_same(const Scene& a, const Scene& b) {
  EXPECT_EQ(a.title, b.title);
  ASSERT_EQ(a.names, b.names);
  ASSERT_EQ(a.arrangement.contacts.size(), b.arrangement.contacts.size());
  ASSERT_EQ(a.arrangement.hinges.size(), b.arrangement.hinges.size());
  EXPECT_EQ(a.laws, b.laws);
  for (std::size_t i = 0; i < a.names.size(); ++i) {
    SCOPED_TRACE(a.names[i]);
    expect_same(a.arrangement.bodies[i], b.arrangement.bodies[i]);
    EXPECT_EQ(a.shapes[i].kind, b.shapes[i].kind);
    EXPECT_EQ(a.shapes[i].radius, b.shapes[i].radius);
    EXPECT_EQ(a.shapes[i].length, b.shapes[i].length);
    EXPECT_EQ(a.shapes[i].size, b.shapes[i].size);
  }
  for (std::size_t i = 0; i < a.laws.size(); ++i) {
    SCOPED_TRACE(i);
    expect_same(a.settings[i], b.settings[i]);
    EXPECT_EQ(a.arrangement.contacts[i].first, b.arrangement.contacts[i].first);
    EXPECT_EQ(a.arrangement.contacts[i].second, b.arrangement.contacts[i].second);
    EXPECT_TRUE(same_bits(a.arrangement.contacts[i].point, b.arrangement.contacts[i].point));
    EXPECT_TRUE(same_bits(a.arrangement.contacts[i].n, b.arrangement.contacts[i].n));
  }
  for (std::size_t i = 0; i < a.arrangement.hinges.size(); ++i) {
    EXPECT_EQ(a.arrangement.hinges[i].first, b.arrangement.hinges[i].first);
    EXPECT_EQ(a.arrangement.hinges[i].second, b.arrangement.hinges[i].second);
    EXPECT_TRUE(same_bits(a.arrangement.hinges[i].point, b.arrangement.hinges[i].point));
  }
}

TEST(RoundTrip, EveryBundledCollision_AsTomlAndAsALineOfJson) {
  int collisions = 0;
  for (const BundledScene& file : bundled_scenes()) {
    const auto one = read_toml(file.text);
    if (!one) continue;  // a scene of many contacts
    SCOPED_TRACE(file.name);
    ++collisions;
    const auto again = read_toml(write_toml(*one));
    ASSERT_TRUE(again) << again.error().error.message();
    EXPECT_EQ(one->title, again->title);
    EXPECT_EQ(one->law, again->law);
    EXPECT_EQ(one->body_a, again->body_a);
    EXPECT_EQ(one->body_b, again->body_b);
    expect_same(one->contact, again->contact);
    expect_same(one->settings, again->settings);
    ASSERT_EQ(one->bodies.has_value(), again->bodies.has_value());
    if (one->bodies) {
      expect_same(one->bodies->A, again->bodies->A);
      expect_same(one->bodies->B, again->bodies->B);
      EXPECT_TRUE(same_bits(one->point, again->point));
    }
    Collision line;
    const auto fine = read_json_line(write_json_line(*one), line);
    ASSERT_TRUE(fine) << fine.error().message();
    expect_same(one->contact, line.contact);
    expect_same(one->settings, line.settings);
  }
  EXPECT_GE(collisions, 10);
}

TEST(RoundTrip, RandomCollisions_AwkwardNumbersIncluded) {
  std::mt19937 rng(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 500; ++i) {
    Mat3 A;
    for (double& x : A.reshaped()) x = unit(rng) * std::pow(10.0, 3 * unit(rng));
    const Mat3 S = A * A.transpose() + Mat3::Identity();
    Vec3 V(unit(rng), -0.0, unit(rng) * 1e-300);
    const Vec3 n = Vec3(unit(rng), unit(rng), 1).normalized();
    V -= (n.dot(V) + 1) * n;
    Collision one;
    const auto contact = i % 2 == 0 ? contact_from_mass(S, V, n) : contact_from_mobility(S, V, n);
    ASSERT_TRUE(contact);
    one.contact = *contact;
    if (i % 5 > 0) one.contact.spin = Vec3(unit(rng) * 1e3, -0.0, unit(rng));
    one.title = "a \"title\" with \\ and a tab\t, a \x7F, and µ";
    one.law = "projected";
    one.settings.mu = i % 3 == 0 ? infinity : std::abs(unit(rng));
    one.settings.e = 1e-310;
    one.settings.e_t = -0.0;
    one.settings.psi_1 = 3;
    one.settings.restitution = "stronge";
    const auto again = read_toml(write_toml(one));
    ASSERT_TRUE(again) << again.error().error.message();
    EXPECT_EQ(one.title, again->title);
    expect_same(one.contact, again->contact);
    expect_same(one.settings, again->settings);
    EXPECT_TRUE(std::signbit(*again->settings.e_t));
    Collision line;
    ASSERT_TRUE(read_json_line(write_json_line(one), line));
    expect_same(one.contact, line.contact);
    expect_same(one.settings, line.settings);
    EXPECT_TRUE(std::signbit(*line.settings.e_t));
  }
}

TEST(RoundTrip, EveryNamedScene_AsTomlAndAsJson) {
  for (const NamedScene& known : named_scenes()) {
    const std::string name = known.name == "crystal" ? "crystal:3" : std::string(known.name);
    SCOPED_TRACE(name);
    const auto found = named_scene(name);
    ASSERT_TRUE(found && *found);
    const Scene& scene = **found;
    const auto toml = read_scene(write_toml(scene));
    ASSERT_TRUE(toml) << toml.error().error.message();
    expect_same(scene, *toml);
    const auto json = read_scene_json(write_json(scene));
    ASSERT_TRUE(json) << json.error().error.message();
    expect_same(scene, *json);
  }
}

TEST(RoundTrip, AScene_WithATurnedBodyAndInfiniteFriction) {
  const char* text = R"(
    title = "turned"
    [law]
    name = "routh"
    e = 0.5
    mu = inf
    [[body]]
    name = "floor"
    fixed = true
    shape = "plane"
    [[body]]
    name = "plank \"A\""
    mass = 0.7
    shape = "box"
    size = [0.3, 0.1, 0.05]
    position = [0.1, 0.2, 0.3]
    orientation = [0.8, 0.1, -0.5, 0.316]
    velocity = [0, 0, -1]
    angular_velocity = [1, -2, 3]
    [[contact]]
    bodies = ["floor", "plank \"A\""]
    point = [0.1, 0.2, 0.25]
    normal = [0, 0, 1]
  )";
  const auto scene = read_scene(text);
  ASSERT_TRUE(scene) << scene.error().error.message();
  const auto toml = read_scene(write_toml(*scene));
  ASSERT_TRUE(toml) << toml.error().error.message();
  expect_same(*scene, *toml);
  const auto json = read_scene_json(write_json(*scene));
  ASSERT_TRUE(json) << json.error().error.message();
  expect_same(*scene, *json);
}

TEST(RoundTrip, TheStateOfAMechanism) {
  MechanismState state;
  state.title = "landing";
  state.law = "smith";
  state.q = {{"root", {0, 0.1, 0.5, 1, 0, 0, 0}}, {"left knee", {-0.25}}};
  state.u = {{"", {1, 2, 3}}};
  state.contact = StatedContact{.first = "world", .second = "foot", .point = {1, 2, 3}, .n = Vec3::UnitX()};
  state.settings.mu = infinity;
  state.settings.e = 0.25;
  const auto again = read_state(write_toml(state));
  ASSERT_TRUE(again) << again.error().error.message();
  EXPECT_EQ(again->title, state.title);
  EXPECT_EQ(again->law, state.law);
  ASSERT_EQ(again->q.size(), 2U);
  for (const NamedNumbers& given : state.q) {
    const auto at = std::find_if(again->q.begin(), again->q.end(), [&](const auto& x) { return x.name == given.name; });
    ASSERT_NE(at, again->q.end()) << given.name;
    EXPECT_EQ(at->values, given.values);
  }
  ASSERT_EQ(again->u.size(), 1U);
  EXPECT_EQ(again->u[0].values, state.u[0].values);
  ASSERT_TRUE(again->contact);
  EXPECT_EQ(again->contact->second, "foot");
  EXPECT_EQ(again->contact->n, Vec3::UnitX());
  expect_same(again->settings, state.settings);
}

TEST(SceneJson, Refusals_NameThePath) {
  const auto code = [](std::string_view text) {
    const auto scene = read_scene_json(text);
    return scene ? std::string("read") : scene.error().error.path + " " + std::string(name(scene.error().error.code));
  };
  EXPECT_EQ(code("{"), " malformed");
  EXPECT_EQ(code("[1]"), " wrong-type");
  EXPECT_EQ(code("{\"bodies\": []}"), "bodies unknown-name");
  EXPECT_EQ(code("{\"body\": [{\"mass\": -1, \"inertia\": [1, 1, 1]}]}"), "body[1].mass out-of-range");
  EXPECT_EQ(code("{\"body\": [{\"mass\": null, \"inertia\": [1, 1, 1]}]}"), "body[1].mass missing");
}

}  // namespace
}  // namespace ricochet
