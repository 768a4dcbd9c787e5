#include "ricochet/model/mujoco_model.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "mechanism/random_tree.hpp"
#include "ricochet/contact/probe.hpp"
#include "ricochet/law/registry.hpp"
#include "ricochet/mechanism/loops.hpp"
#include "ricochet/mechanism/tree_dynamics.hpp"

namespace ricochet {
namespace {

using testing::random_speeds;
using testing::Rng;
using testing::uniform;

MujocoModel bundled(const std::string& file) {
  auto model = MujocoModel::load(std::string(MODELS_DIR "/") + file);
  if (!model) throw std::runtime_error(model.error().message());
  return *model;
}

double relative(const MatX& a, const MatX& b) { return (a - b).norm() / b.norm(); }

/// Bent legs, any place and attitude near upright.
VecX random_stance(Rng& rng, const MujocoModel& robot) {
  VecX q = robot.reference();
  for (const ModelJoint& joint : robot.joints()) {
    if (joint.type == JointType::free) {
      q.segment<3>(joint.position) += testing::random_vector(rng, 0.3);
      const Vec3 turn = testing::random_vector(rng, 0.5);
      const Eigen::Quaterniond r(Eigen::AngleAxisd(turn.norm(), turn.normalized()));
      q.segment<4>(joint.position + 3) << r.w(), r.x(), r.y(), r.z();
    } else {
      q(joint.position) = uniform(rng, -0.7, 0.7);
    }
  }
  return q;
}

TEST(DoublePendulum, MassMatrixAndJacobianAreThoseOfShenAndTownsend) {
  const MujocoModel model = bundled("double_pendulum.xml");
  Rng rng(1);
  Mat2 to_absolute;
  to_absolute << 1, 0, 1, 1;
  for (int i = 0; i < 100; ++i) {
    const double q1 = uniform(rng, -3, 3), q2 = uniform(rng, -3, 3);
    const VecX u = random_speeds(rng, 2);
    const ModelState state = model.at(Vec2(q1, q2 - q1), u).value();
    const double D = 1.0 / 3, C = 0.5 * std::cos(q2 - q1);
    Mat2 M;
    M << 4 * D, C, C, D;
    EXPECT_LT(relative(state.mass_matrix(), to_absolute.transpose() * M * to_absolute), 1e-12);

    const Vec3 tip(std::sin(q1) + std::sin(q2), 0, -std::cos(q1) - std::cos(q2));
    Eigen::Matrix<double, 3, 2> J;
    J << std::cos(q1), std::cos(q2), 0, 0, std::sin(q1), std::sin(q2);
    const ContactPoint at = state.contact_point("world", "lower", tip, Vec3::UnitZ()).value();
    EXPECT_LT((at.J - J * to_absolute).norm(), 1e-12);
    if ((at.J * u).z() > 0) continue;
    const Response response = respond(state.solver(), at, u).value();
    EXPECT_LT(relative(response.W, J * M.inverse() * J.transpose()), 1e-11);
  }
}

TEST(Quadruped, LinearTimeEqualsMuJoCosDenseAnswer) {
  for (const std::string file : {"quadruped.xml", "quadruped.urdf"}) {
    const MujocoModel robot = bundled(file);
    ASSERT_EQ(robot.speed_count(), 18) << file;
    const Tree tree = robot.tree();
    Rng rng(2);
    for (int i = 0; i < 100; ++i) {
      const VecX q = random_stance(rng, robot);
      const ModelState state = robot.at(q, random_speeds(rng, 18)).value();
      const Kinematics posture = forward_kinematics(tree, robot.tree_position(q)).value();
      EXPECT_LT(relative(mass_matrix(tree, posture), state.mass_matrix()), 1e-10) << file;
      const Vec3 point = testing::random_vector(rng, 0.3);
      const ContactPoint at = state.contact_point("shin_fl", "shin_rr", point, Vec3::UnitZ()).value();
      const auto link = [&](std::string_view name) {
        for (std::size_t k = 0; k < tree.links.size(); ++k)
          if (tree.links[k].name == name) return static_cast<int>(k);
        return -2;
      };
      const auto fast = Articulated::at(tree, posture).value();
      const auto answer = fast.propagate(link("shin_fl"), link("shin_rr"), point).value();
      const MatX L = state.mass_matrix().llt().solve(MatX(at.J.transpose()));
      EXPECT_LT(relative(answer.L, L), 1e-10) << file;
      EXPECT_LT(relative(answer.W, at.J * L), 1e-10) << file;
      EXPECT_LT(relative(state.solver()(at.J.transpose()), L), 1e-10) << file;
    }
  }
}

TEST(Quadruped, UrdfAndMjcfAreOneMachine) {
  const MujocoModel mjcf = bundled("quadruped.xml"), urdf = bundled("quadruped.urdf");
  Rng rng(3);
  for (int i = 0; i < 20; ++i) {
    const VecX q = random_stance(rng, mjcf);
    const VecX u = random_speeds(rng, 18);
    MatX M = mjcf.at(q, u).value().mass_matrix();
    const Tree tree = mjcf.tree();
    int k = 0;
    for (const Link& link : tree.links) {  // URDF has no rotors
      const int d = speed_count(link.joint);
      M.diagonal().segment(k, d).array() -= link.rotor;
      k += d;
    }
    EXPECT_LT(relative(urdf.at(q, u).value().mass_matrix(), M), 1e-10);
  }
}

TEST(Quadruped, FeetAboveTheFloor_GapIsTheirHeightAndItsRateIsTheApproach) {
  for (const std::string file : {"quadruped.xml", "quadruped.urdf"}) {
    const MujocoModel robot = bundled(file);
    VecX q = robot.reference();
    q(2) += 0.01;
    VecX u = VecX::Zero(18);
    u << 0.4, 0.1, -1, 0.1, 0.3, -0.2, VecX::Constant(12, 0.2);
    const ModelState state = robot.at(q, u).value();
    const auto contacts = state.contacts(0.05);
    ASSERT_TRUE(contacts) << contacts.error().message();
    ASSERT_EQ(contacts->points.size(), 4U) << file;
    const double h = 1e-6;
    const Tree tree = robot.tree();
    const auto gaps = [&](double dt) {
      const VecX moved = advance(tree, robot.tree_position(q), u, dt).value();
      return robot.at(moved, u).value().contacts(0.05).value().points;
    };
    const auto later = gaps(h), earlier = gaps(-h);
    for (std::size_t i = 0; i < 4; ++i) {
      const ContactPoint& at = contacts->points[i];
      EXPECT_LT((at.n - Vec3::UnitZ()).norm(), 1e-12) << file;
      EXPECT_NEAR(at.gap, 0.01, 1e-12) << file;
      EXPECT_NEAR((later[i].gap - earlier[i].gap) / (2 * h), at.n.dot(at.J * u), 1e-8) << file;
    }
  }
}

/// One foot strikes the floor.
struct Landing {
  ModelState state;
  ContactPoint at;
  Response response;
};

Landing random_landing(Rng& rng, const MujocoModel& robot) {
  for (;;) {
    VecX q = random_stance(rng, robot);
    const VecX u = 3 * random_speeds(rng, robot.speed_count());
    auto near = robot.at(q, u).value().contacts(2).value().points;
    const auto lowest = std::min_element(near.begin(), near.end(),
                                         [](const ContactPoint& a, const ContactPoint& b) { return a.gap < b.gap; });
    if (lowest == near.end() || lowest->second.rfind("foot", 0) != 0) continue;
    q(2) -= lowest->gap;
    const ModelState state = robot.at(q, u).value();
    const auto touching = state.contacts(1e-9).value().points;
    for (const ContactPoint& at : touching) {
      if (at.second != lowest->second || at.n.dot(at.J * u) > -0.1) continue;
      auto response = respond(state.solver(), at, u);
      if (response) return {state, at, *response};
    }
  }
}

TEST(Quadruped, FootImpact_EveryLawKeepsItsGuarantees) {
  const MujocoModel robot = bundled("quadruped.xml");
  Rng rng(4);
  std::size_t answered = 0;
  for (int i = 0; i < 50; ++i) {
    const Landing landing = random_landing(rng, robot);
    EXPECT_NEAR(landing.at.gap, 0, 1e-9);
    const Contact& contact = landing.response.contact;
    const MatX M = landing.state.mass_matrix();
    const VecX& u = landing.state.u();
    for (const LawInfo& info : laws()) {
      LawParameters settings;
      settings.e = uniform(rng, 0, 1);
      settings.e_t = uniform(rng, 0, 1);
      settings.mu = uniform(rng, 0, 1);
      settings.e_k = 1;
      settings.nu = 1;
      settings.mu_2 = 0.1;
      settings.mu_3 = 0.1;
      settings.psi_1 = 0.3;
      settings.psi_2 = 0.2;
      settings.rho = 0.4;
      settings.target = Vec3(contact.M * (-1.5 * contact.V));
      settings.restitution = "stronge";
      const auto law = make_law(info.name, settings);
      if (!law) continue;
      const auto outcome = collide(*law, contact);
      if (!outcome) continue;  // refused with a reason: not planar, not diagonal
      ++answered;
      const VecX after = landing.response.after(outcome->P);
      const double before_energy = 0.5 * u.dot(M * u);
      const double change = 0.5 * after.dot(M * after) - before_energy;
      EXPECT_NEAR(change, outcome->energy_change, 1e-10 * before_energy) << info.name;
      EXPECT_LT((landing.at.J * after - outcome->V).norm(), 1e-9 * (1 + outcome->V.norm())) << info.name;
      const Guarantees promised = guarantees(*law);
      if (promised.energy) {
        EXPECT_LE(change, 1e-10 * before_energy) << info.name;
      }
      if (promised.separation) {
        EXPECT_GE(landing.at.n.dot(landing.at.J * after), -1e-9 * (1 + contact.V.norm())) << info.name;
      }
      if (promised.energy && promised.separation && promised.friction) {
        EXPECT_TRUE(outcome->certificate.permissible) << info.name;
      }
    }
  }
  EXPECT_GT(answered, 50U * 8U);
}

TEST(Quadruped, ProbingByAccelerations_IsTheDirectMobility) {
  // CR98 A.1, through MuJoCo's accelerations under gravity and Coriolis forces.
  const MujocoModel robot = bundled("quadruped.xml");
  Rng rng(5);
  for (int i = 0; i < 50; ++i) {
    const Landing landing = random_landing(rng, robot);
    const MatX& J = landing.at.J;
    const auto W = probe_mobility(
        [&](const Vec3& F) -> Vec3 { return J * landing.state.smooth_acceleration(J.transpose() * F).value(); },
        {.force = 100});
    ASSERT_TRUE(W) << W.error().message();
    EXPECT_LT(relative(*W, landing.response.W), 1e-10);
  }
}

/// The crank and rocker by hand, one degree of freedom: crank angle f from upright towards +x.
struct FourBar {
  Vec2 B, C, dB, dC;  ///< pins (x, z), and their rates for unit crank speed
  double mass;        ///< reduced: T = ½ mass ḟ²

  explicit FourBar(double f) {
    const double a = 0.1, b = 0.3, c = 0.25;
    const Vec2 D(0.3, 0);
    B = a * Vec2(std::sin(f), std::cos(f));
    dB = a * Vec2(std::cos(f), -std::sin(f));
    const Vec2 BD = D - B;
    const double L = BD.norm();
    const double t = (b * b - c * c + L * L) / (2 * L);
    C = B + t * BD / L + std::sqrt(b * b - t * t) * Vec2(-BD.y(), BD.x()) / L;
    // Both rods keep their length: (C − B)·(dC − dB) = 0 and (C − D)·dC = 0.
    Mat2 A;
    A << (C - B).transpose(), (C - D).transpose();
    dC = A.inverse() * Vec2((C - B).dot(dB), 0);
    // 2T of a rod whose ends move at v1 and v2.
    const auto rod = [](double m, const Vec2& v1, const Vec2& v2) {
      return m * ((v1 + v2) / 2).squaredNorm() + m * (v2 - v1).squaredNorm() / 12;
    };
    mass = rod(0.2, Vec2::Zero(), dB) + rod(0.5, dB, dC) + rod(0.4, dC, Vec2::Zero());
  }
};

TEST(FourBarLoop, EqualsItsReducedModelOfOneDegree) {
  const MujocoModel model = bundled("four_bar.xml");
  ASSERT_EQ(model.speed_count(), 3);
  VecX q = model.reference();
  for (int i = 0; i < 60; ++i) {
    const double f = 0.1 * i;  // all the way round
    q(0) = f;
    // Newton may move the crank a little: hold the model to the angle that it ends at.
    const auto closed = model.close_loops(q);
    ASSERT_TRUE(closed) << closed.error().message() << " at " << f;
    q = *closed;
    const FourBar bar(q(0));
    const VecX u = model.admissible_speeds(q, Vec3(1, 0, 0)).value();
    ASSERT_GT(std::abs(u(0)), 1e-3);
    const ModelState state = model.at(q, u).value();
    EXPECT_EQ(
        ClosedLoops::of([&](const MatX& X) { return MatX(state.mass_matrix().llt().solve(X)); }, state.loop_jacobian())
            .value()
            .rank(),
        2);
    EXPECT_NEAR(state.kinetic_energy(), 0.5 * bar.mass * u(0) * u(0), 1e-10 * bar.mass) << f;

    // A blow at the middle of the coupler.
    const Vec2 P = (bar.B + bar.C) / 2, dP = (bar.dB + bar.dC) / 2;
    const Vec3 J(dP.x(), 0, dP.y());
    const ContactPoint at = state.contact_point("world", "coupler", Vec3(P.x(), 0, P.y()), Vec3::UnitZ()).value();
    EXPECT_LT((at.J * u - J * u(0)).norm(), 1e-9 * std::abs(u(0))) << f;
    const MatX L = state.solver()(at.J.transpose());
    const Mat3 W = at.J * L;
    EXPECT_LT((W - J * J.transpose() / bar.mass).norm(), 1e-9 * W.norm()) << f;
    EXPECT_LT((state.loop_jacobian() * L).norm(), 1e-9 * L.norm()) << "the loop opens at " << f;

    // And the impact itself, from either side.
    const VecX down = (at.J * u).z() > 0 ? VecX(-u) : u;
    if (std::abs((at.J * u).z()) < 1e-3) continue;
    const auto response = respond(model.at(q, down).value().solver(), at, down);
    ASSERT_TRUE(response) << response.error().message();
    const Outcome outcome = collide(ChatterjeeRuina{.e = 0.6, .e_t = 0, .mu = 0}, response->contact).value();
    EXPECT_NEAR(response->after(outcome.P)(0), -0.6 * down(0), 1e-8) << f;
  }
}

TEST(FourBarLoop, OpenLoopAndSpeedsThatBreakIt_AreRefused) {
  const MujocoModel model = bundled("four_bar.xml");
  VecX q = model.reference();
  q(0) += 0.2;
  const auto open = model.at(q, VecX::Zero(3));
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().path, "q");
  EXPECT_NE(open.error().allowed.find("pin"), std::string::npos);
  const auto broken = model.at(model.reference(), Vec3(1, 0, 0));
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().path, "u");
  q << 0, 3, -3;
  const auto far = model.close_loops(q);
  if (far) {  // wherever it converged to, the loop is closed there
    EXPECT_TRUE(model.at(*far, VecX::Zero(3)));
  }
}

TEST(Contacts, ExactPairs_GapsAreThoseOfTheGeometry) {
  const auto two = [](const std::string& a, const std::string& b) {
    return MujocoModel::parse("<mujoco><worldbody><body name='a'><freejoint/><geom name='ga' " + a +
                              "/></body><body name='b' pos='0 0 1'><freejoint/><geom name='gb' " + b +
                              "/></body></worldbody></mujoco>")
        .value();
  };
  const auto gap = [](const MujocoModel& model) {
    const auto found = model.at(model.reference(), VecX::Zero(model.speed_count())).value().contacts(2);
    if (!found) throw std::runtime_error(found.error().message());
    double least = 10;
    for (const ContactPoint& at : found->points) least = std::min(least, at.gap);
    return least;
  };
  const std::string sphere = "type='sphere' size='0.1'", capsule = "type='capsule' size='0.1 0.3'",
                    box = "type='box' size='0.2 0.2 0.2'";
  EXPECT_NEAR(gap(two(sphere, sphere)), 0.8, 1e-12);
  EXPECT_NEAR(gap(two(sphere, capsule)), 0.5, 1e-12);
  EXPECT_NEAR(gap(two(capsule, capsule)), 0.2, 1e-12);
  EXPECT_NEAR(gap(two(sphere, box)), 0.7, 1e-12);
}

TEST(Contacts, PairOfUnknownDistanceWithinReach_IsNamedNotGuessed) {
  // Box and cylinder without FCL.
  const auto model = MujocoModel::parse(R"(<mujoco><asset><hfield name="h" nrow="3" ncol="3" size="1 1 .1 .1"/></asset>
    <worldbody><geom name="ground" type="hfield" hfield="h" pos="0 0 -9"/>
      <body name="a"><freejoint/><geom name="crate" type="box" size=".1 .1 .1" contype="2" conaffinity="2"/></body>
      <body name="b" pos="0 0 1"><freejoint/><geom name="drum" type="cylinder" size=".1 .1" contype="2" conaffinity="2"/></body>
    </worldbody></mujoco>)")
                         .value();
  const ModelState state = model.at(model.reference(), VecX::Zero(12)).value();
  const FoundContacts far = state.contacts(0.5).value();  // certainly farther apart than that
  EXPECT_TRUE(far.points.empty());
  EXPECT_TRUE(far.uncertain.empty());
  const FoundContacts contacts = state.contacts(0.9).value();
  if (MujocoModel::has_every_distance()) {
    // Face on face: four points of the drum's rim, all above the crate.
    ASSERT_EQ(contacts.points.size(), 4U);
    EXPECT_TRUE(contacts.uncertain.empty());
    for (const ContactPoint& at : contacts.points) {
      EXPECT_NEAR(at.gap, 0.8, 1e-14);
      EXPECT_NEAR(at.point.head<2>().norm(), 0.1, 1e-12);
    }
  } else {
    EXPECT_TRUE(contacts.points.empty());
    ASSERT_EQ(contacts.uncertain.size(), 1U);
    for (const std::string_view word : {"crate", "drum", "libfcl-dev"})
      EXPECT_NE(contacts.uncertain[0].message().find(word), std::string::npos) << word;
  }
  EXPECT_FALSE(state.contacts(-1));
  EXPECT_FALSE(state.contacts(std::nan("")));

  // Ground far below says nothing.
  const auto hills = MujocoModel::parse(R"(<mujoco><asset><hfield name="h" nrow="3" ncol="3" size="1 1 .1 .1"/></asset>
    <worldbody><geom name="ground" type="hfield" hfield="h" pos="0 0 -9"/><geom name="floor" type="plane" size="1 1 1"/>
      <body name="a" pos="0 0 .1"><freejoint/><geom name="crate" type="box" size=".1 .1 .1"/></body></worldbody></mujoco>)")
                         .value();
  const FoundContacts found = hills.at(hills.reference(), VecX::Zero(6)).value().contacts(0.01).value();
  EXPECT_EQ(found.points.size(), 4U);
  EXPECT_TRUE(found.uncertain.empty());
}

/// Linear momentum, and angular momentum about the origin, of free bodies in the order of the file.
Eigen::Matrix<double, 6, 1> momentum(const Tree& tree, const Kinematics& posture, const VecX& u) {
  Eigen::Matrix<double, 6, 1> out = Eigen::Matrix<double, 6, 1>::Zero();
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree.links[i];
    const Kinematics::Place& at = posture.places[i];
    const Vec3 v = point_jacobian(tree, posture, static_cast<int>(i), at.centre) * u;
    const Vec3 w = at.R * u.segment<3>(at.first + 3);
    out.head<3>() += link.mass * v;
    out.tail<3>() += link.mass * at.centre.cross(v) + at.R * link.inertia * at.R.transpose() * w;
  }
  return out;
}

TEST(Contacts, GapOrOverlap_ChangesNeitherMomentumNorSlip) {
  for (const double apart : {0.0, 0.02, -0.02}) {
    const auto model = MujocoModel::parse(
        "<mujoco><worldbody><body name='a'><freejoint/><geom type='sphere' size='.1'/></body><body name='b' pos='" +
        std::to_string(0.12 + 0.6 * apart) + " 0 " + std::to_string(0.16 + 0.8 * apart) +
        "'><freejoint/><geom type='sphere' size='.1' density='400'/></body></worldbody></mujoco>");
    ASSERT_TRUE(model) << model.error().message();
    VecX u(12);
    u << 0.3, -0.2, 1.1, 2, -1, 3, -0.5, 0.4, -0.9, -2, 1, 0.5;
    const ModelState state = model->at(model->reference(), u).value();
    const auto found = state.contacts(0.03).value().points;
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0].gap, apart, 1e-6);
    EXPECT_LT((found[0].on_second - found[0].on_first - found[0].gap * found[0].n).norm(), 1e-12);
    const Response response = respond(state.solver(), found[0], u).value();
    const auto hit = collide(Routh{.e = 0.5, .mu = 0.4}, response.contact);
    ASSERT_TRUE(hit) << hit.error().message();
    const Tree tree = model->tree();
    const Kinematics posture = forward_kinematics(tree, model->tree_position(model->reference())).value();
    const auto before = momentum(tree, posture, u);
    const auto after = momentum(tree, posture, response.after(hit->P));
    EXPECT_LT((after - before).norm(), 1e-12 * before.norm()) << apart;

    // As one piece: a common rotation about any axis.
    VecX as_one(12);
    const Vec3 w(1, 2, -3);
    as_one << w.cross(posture.places[0].origin), w, w.cross(posture.places[1].origin), w;
    EXPECT_LT((found[0].J * as_one).norm(), 1e-12) << apart;
    EXPECT_TRUE(model->at(model->reference(), as_one).value().contacts(0.03, true).value().points.empty());
  }
}

TEST(Shapes, AreWhereTheFilePutsThem_AndMoveWithTheirBodies) {
  const auto model = MujocoModel::parse(R"(<mujoco><worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <geom name="post" type="cylinder" size="0.1 0.4" pos="2 0 0.4"/>
    <body name="trunk" pos="0 0 1"><freejoint name="root"/>
      <geom name="chest" type="box" size="0.1 0.2 0.3" pos="0.5 0 0"/>
      <body name="shin" pos="0.5 0 -0.3"><joint name="knee" type="hinge" axis="0 1 0"/>
        <geom name="foot" type="sphere" size="0.05" pos="0 0 -0.5"/></body></body></worldbody></mujoco>)");
  ASSERT_TRUE(model) << model.error().message();
  VecX q = model->reference();
  q(7) = 0.4;
  VecX u = VecX::Zero(7);
  u << 0.3, -0.2, 0.5, 0, 0, 0, 2;
  const auto shapes = model->at(q, u)->shapes();
  ASSERT_EQ(shapes.size(), 4U);  // a plane has no end
  EXPECT_EQ(shapes[0].name, "post");
  EXPECT_TRUE(shapes[0].fixed);
  EXPECT_EQ(shapes[0].J * u, Vec3::Zero());
  EXPECT_EQ(shapes[1].name, "chest");
  Vec3 low = shapes[1].corners[0], high = low;
  for (const Vec3& corner : shapes[1].corners) low = low.cwiseMin(corner), high = high.cwiseMax(corner);
  EXPECT_LT((low - Vec3(0.4, -0.2, 0.7)).norm(), 1e-12);
  EXPECT_LT((high - Vec3(0.6, 0.2, 1.3)).norm(), 1e-12);
  EXPECT_EQ(shapes[2].name, "foot");
  EXPECT_EQ(shapes[2].body, "shin");
  EXPECT_EQ(shapes[2].radius, 0.05);
  const Vec3 knee(0.5, 0, 0.7);
  const Vec3 foot = knee - 0.5 * Vec3(std::sin(0.4), 0, std::cos(0.4));
  EXPECT_LT((shapes[2].centre - foot).norm(), 1e-12);
  EXPECT_TRUE(shapes[3].bone);  // the shin has no other shape
  EXPECT_LT((shapes[3].corners[0] - knee).norm() + (shapes[3].corners[1] - foot).norm(), 1e-12);
  VecX later = q;
  const double h = 1e-6;
  later.head<3>() += h * u.head<3>();
  later(7) += h * u(6);
  const auto moved = model->at(later, u)->shapes();
  for (std::size_t i = 0; i < shapes.size(); ++i)
    EXPECT_LT(((moved[i].centre - shapes[i].centre) / h - shapes[i].J * u).norm(), 1e-5) << shapes[i].name;
}

TEST(ModelErrors, AreValuesThatQuoteMuJoCo) {
  const auto message = [](std::string_view xml) {
    const auto model = MujocoModel::parse(xml);
    return model ? std::string("accepted") : model.error().message();
  };
  const auto contains = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(contains(message("<mujoco><worldbody>"), "line 1: must be XML: mismatched element"));
  EXPECT_TRUE(contains(message("not xml at all"), "which is XML"));
  EXPECT_TRUE(contains(message(""), "empty"));
  EXPECT_TRUE(contains(message("<mujoco><worldbody/></mujoco>"), "at least one joint"));
  EXPECT_TRUE(contains(message("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody>"
                               "<equality><joint joint1='elbow'/></equality></mujoco>"),
                       "elbow"));
  EXPECT_TRUE(contains(message("<mujoco><asset><mesh file='nowhere.stl'/></asset><worldbody><body><freejoint/>"
                               "<geom type='mesh' mesh='nowhere'/></body></worldbody></mujoco>"),
                       "nowhere.stl"));
  EXPECT_TRUE(contains(message("<mujoco><worldbody><body><freejoint/></body></worldbody></mujoco>"), "mass"));
  const auto absent = MujocoModel::load("no/such/robot.urdf");
  ASSERT_FALSE(absent);
  EXPECT_TRUE(contains(absent.error().message(), "no/such/robot.urdf"));
}

TEST(ModelErrors, StatesAndNamesThatDoNotFit) {
  const MujocoModel robot = bundled("quadruped.xml");
  VecX q = robot.reference(), u = VecX::Zero(18);
  EXPECT_EQ(robot.at(VecX::Zero(18), u).error().path, "q");
  EXPECT_EQ(robot.at(q, VecX::Zero(19)).error().path, "u");
  EXPECT_EQ(robot.at(q, VecX::Constant(18, std::nan(""))).error().path, "u");
  VecX bent = q;
  bent(3) = 2;
  EXPECT_EQ(robot.at(bent, u).error().path, "root");
  const auto typo = robot.set_position(q, "knee_fll", {0.1});
  ASSERT_FALSE(typo);
  EXPECT_NE(typo.error().message().find("did you mean knee_fl?"), std::string::npos);
  EXPECT_EQ(robot.set_position(q, "knee_fl", {0.1, 0.2}).error().path, "knee_fl");
  EXPECT_TRUE(robot.set_position(q, "knee_fl", {0.1}));
  EXPECT_TRUE(robot.set_speed(u, "root", {1, 2, 3, 4, 5, 6}));
  EXPECT_FALSE(robot.set_speed(u, "root", {1}));
  const ModelState state = robot.at(q, u).value();
  EXPECT_EQ(state.contact_point("world", "shin", Vec3::Zero(), Vec3::UnitZ()).error().path, "second");
  EXPECT_EQ(state.contact_point("trunk", "trunk", Vec3::Zero(), Vec3::UnitZ()).error().path, "second");
  EXPECT_EQ(state.contact_point("world", "trunk", Vec3::Zero(), Vec3::Zero()).error().path, "n");
  EXPECT_EQ(state.smooth_acceleration(VecX::Zero(3)).error().path, "force");
}

TEST(ModelTree, SeveralJointsOnOneBody_OffsetsAndReferences_AreTheSameMechanism) {
  const MujocoModel model = MujocoModel::parse(R"(<mujoco><compiler angle="radian"/><worldbody>
      <body name="a" pos=".1 .2 .3" quat=".8 .6 0 0">
        <joint name="x" type="slide" axis="1 1 0" ref=".2"/>
        <joint name="h" type="hinge" axis="0 1 1" pos=".1 0 .2" ref=".4"/>
        <joint name="b" type="ball" pos="0 .1 0" armature=".01"/>
        <geom type="box" size=".1 .2 .3" pos=".05 0 0" euler=".3 .2 .1"/>
        <body name="rigid" pos="0 .3 0" quat=".6 0 .8 0"><geom type="sphere" size=".1"/>
          <body name="c" pos="0 0 .4" euler=".5 0 0"><joint name="k" axis="1 0 0" pos="0 0 -.1" armature=".02"/>
            <geom type="capsule" size=".05 .2"/></body></body>
      </body></worldbody></mujoco>)")
                                .value();
  const Tree tree = model.tree();
  ASSERT_EQ(tree.speed_count(), model.speed_count());
  ASSERT_EQ(tree.position_count(), model.position_count());
  Rng rng(6);
  for (int i = 0; i < 50; ++i) {
    const VecX q = testing::random_position(rng, tree);
    const ModelState state = model.at(q, VecX::Zero(tree.speed_count())).value();
    const Kinematics posture = forward_kinematics(tree, model.tree_position(q)).value();
    EXPECT_LT(relative(mass_matrix(tree, posture), state.mass_matrix()), 1e-11);
    const Vec3 point = testing::random_vector(rng, 1);
    const ContactPoint at = state.contact_point("world", "c", point, Vec3::UnitZ()).value();
    EXPECT_LT((point_jacobian(tree, posture, static_cast<int>(tree.links.size()) - 1, point) - at.J).norm(), 1e-11);
  }
}

// Our sweeps against MuJoCo's accelerations: gravity, Coriolis forces, rotors, springs and dampers.
TEST(MujocoModel, DrivenTree_AcceleratesAsInMujoco) {
  const auto compare = [](const MujocoModel& robot, const VecX& q, const VecX& u) {
    const DrivenTree driven = robot.driven_tree().value();
    const VecX at = robot.tree_position(q);
    const Kinematics posture = forward_kinematics(driven.tree, at).value();
    std::vector<LinkForce> weight(driven.tree.links.size());
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i].force = driven.tree.links[i].mass * robot.gravity();
    VecX force = generalised_force(driven.tree, posture, weight) -
                 bias_force(driven.tree, posture, link_motions(driven.tree, posture, u)) -
                 driven.damping.cwiseProduct(u);
    for (const ModelJoint& joint : robot.joints())
      if (speed_count(joint.type) == 1)
        force(joint.speed) -= driven.stiffness(joint.speed) * (at(joint.position) - driven.rest(joint.speed));
    const VecX ours = Articulated::at(driven.tree, posture).value().solve(force);
    const VecX theirs = robot.at(q, u).value().smooth_acceleration(VecX::Zero(u.size())).value();
    EXPECT_LT(relative(ours, theirs), 1e-10);
  };
  Rng rng(77);
  const MujocoModel quadruped = bundled("quadruped.xml");
  for (int round = 0; round < 20; ++round)
    compare(quadruped, random_stance(rng, quadruped), 5 * random_speeds(rng, quadruped.speed_count()));
  const MujocoModel arm = MujocoModel::parse(R"(<mujoco><worldbody><body pos="0 0 1">
    <joint name="a" axis="0 1 0" pos="0.1 0 0" ref="20" springref="40" stiffness="3" damping="0.2" armature="0.05"/>
    <geom type="box" size="0.2 0.05 0.05" pos="0.2 0 0" mass="1.3"/>
    <body pos="0.4 0 0.1"><joint name="b" type="slide" axis="1 0 1" stiffness="20" springref="0.1" damping="1"/>
    <joint name="c" axis="0 0 1" pos="0 0.1 0" damping="0.05"/>
    <geom type="capsule" size="0.03 0.2" euler="30 10 0" mass="0.4"/>
    <body pos="0 0 -0.3"><joint name="d" type="ball" damping="0.02"/>
    <geom type="ellipsoid" size="0.1 0.07 0.05" pos="0.02 0 -0.1" mass="0.2"/></body></body></body></worldbody></mujoco>)")
                              .value();
  for (int round = 0; round < 20; ++round) {
    VecX q = arm.reference();
    q.head<3>() += testing::random_vector(rng, 1);
    q.tail<4>() = Eigen::Vector4d::Random().normalized();
    compare(arm, q, 3 * random_speeds(rng, arm.speed_count()));
  }
}

}  // namespace
}  // namespace ricochet
