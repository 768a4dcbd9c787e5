#include "bundled_trees.hpp"

#include <Eigen/Geometry>
#include <array>

namespace ricochet {
namespace {

/// Angles turn x towards z.
const Vec3 planar_axis = -Vec3::UnitY();

Link hinged(std::string name, int parent, const Vec3& at) {
  Link out;
  out.name = std::move(name);
  out.parent = parent;
  out.joint = JointType::revolute;
  out.axis = planar_axis;
  out.position = at;
  return out;
}

/// A slender rod from the origin of the link to `end`, in its frame.
Link rod_link(std::string name, int parent, const Vec3& at, double mass, const Vec3& end) {
  Link out = hinged(std::move(name), parent, at);
  out.mass = mass;
  out.centre = 0.5 * end;
  out.inertia = mass / 12 * (end.squaredNorm() * Mat3::Identity() - end * end.transpose());
  return out;
}

BundledTree::Touching point_at(int link, const Vec3& at) {
  BundledTree::Touching out;
  out.link = link;
  out.shape.position = at;
  return out;
}

/// x, z and the angle of one body.
Tree planar_tree(std::string name, double mass, const Mat3& inertia) {
  Tree out;
  for (const bool along_x : {true, false}) {
    Link slide;
    slide.name = along_x ? "x" : "z";
    slide.parent = along_x ? -1 : 0;
    slide.joint = JointType::prismatic;
    slide.axis = along_x ? Vec3::UnitX() : Vec3::UnitZ();
    out.links.push_back(slide);
  }
  Link body = hinged(std::move(name), 1, Vec3::Zero());
  body.mass = mass;
  body.inertia = inertia;
  out.links.push_back(body);
  return out;
}

Link free_link(std::string name, double mass, const Vec3& moments) {
  Link out;
  out.name = std::move(name);
  out.joint = JointType::free;
  out.mass = mass;
  out.inertia = moments.asDiagonal();
  return out;
}

Vec3 box_moments(double mass, const Vec3& edges) {
  const Vec3 squares = edges.cwiseAbs2();
  return mass / 12 * (Vec3::Constant(squares.sum()) - squares);
}

/// Along −z, hanging, or along x.
BundledTree two_rod_tree(const Sizes& s, const Vec3& along) {
  BundledTree out;
  const Vec3 elbow = s["length_1"] * along, tip = s["length_2"] * along;
  out.tree.links = {rod_link("upper rod", -1, Vec3::Zero(), s["mass_1"], elbow),
                    rod_link("lower rod", 0, elbow, s["mass_2"], tip)};
  out.shapes.push_back(point_at(1, tip));
  return out;
}

}  // namespace

BundledTree bundled_tree(const Bundled& system, const Sizes& s) {
  BundledTree out;
  if (system.name == "double-pendulum") return two_rod_tree(s, -Vec3::UnitZ());
  if (system.name == "double-pendulum-relative") return two_rod_tree(s, Vec3::UnitX());
  if (system.name == "single-pendulum") {
    const Vec3 tip(0, 0, -s["length"]);
    out.tree.links = {rod_link("rod", -1, Vec3::Zero(), s["mass"], tip)};
    out.shapes.push_back(point_at(0, tip));
  } else if (system.name == "inclined-bar") {
    const double l = s["length"], J = s["mass"] * l * l / 12;
    out.tree = planar_tree("bar", s["mass"], Vec3(0, J, J).asDiagonal());
    BundledTree::Touching bar;
    bar.link = 2;
    bar.shape.core = ConvexShape::Core::segment;
    bar.shape.size = {0, 0, 0.5 * l};
    bar.shape.rotation << 0, 0, 1, 0, 1, 0, -1, 0, 0;  // along x
    out.shapes.push_back(bar);
  } else if (system.name == "planar-body") {
    const double w = s["width"], h = s["height"], m = s["mass"];
    out.tree = planar_tree("plate", m, box_moments(m, {w, 0, h}).asDiagonal());
    for (const auto& [x, z] : {std::pair{-1, -1}, std::pair{1, -1}, std::pair{1, 1}, std::pair{-1, 1}})
      out.shapes.push_back(point_at(2, {0.5 * w * x, 0, 0.5 * h * z}));
  } else if (system.name == "spatial-body") {
    const Vec3 edges(s["length"], s["width"], s["height"]);
    out.tree.links = {free_link("block", s["mass"], box_moments(s["mass"], edges))};
    BundledTree::Touching box;
    box.shape.core = ConvexShape::Core::box;
    box.shape.size = 0.5 * edges;
    out.shapes.push_back(box);
  } else if (system.name == "two-spheres") {
    out.floor = false;
    out.gravity.setZero();
    const std::array names{"first ball", "second ball"}, radii{"radius_1", "radius_2"}, masses{"mass_1", "mass_2"};
    for (int k = 0; k < 2; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const double r = s[radii[i]], m = s[masses[i]];
      out.tree.links.push_back(free_link(names[i], m, Vec3::Constant(0.4 * m * r * r)));
      out.shapes.push_back(point_at(k, Vec3::Zero()));
      out.shapes.back().shape.margin = r;
    }
  }
  return out;
}

VecX bundled_tree_position(const Bundled& system, const VecX& q) {
  VecX out = q;
  if (system.name == "double-pendulum") out(1) -= q(0);
  return out;
}

VecX bundled_tree_speeds(const Bundled& system, const VecX& q, const VecX& u) {
  VecX out = u;
  if (system.name == "double-pendulum") out(1) -= u(0);
  // Of free bodies the angular velocity is in the axes of the link.
  if (system.coordinates.front().positions == 7)
    for (Eigen::Index k = 0; 6 * k < u.size(); ++k) {
      const auto r = q.segment<4>(7 * k + 3);
      out.segment<3>(6 * k + 3) =
          Eigen::Quaterniond(r(0), r(1), r(2), r(3)).normalized().conjugate() * Vec3(u.segment<3>(6 * k + 3));
    }
  return out;
}

}  // namespace ricochet
