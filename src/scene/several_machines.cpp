#include "several_machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/base/text.hpp"
#include "shape_pairs.hpp"

namespace ricochet {
namespace {

/// Links of all machines are numbered in one row: this many for each, the first for its world, −1.
constexpr int stride = 1 << 20;

class Several : public Machine {
 public:
  Several(std::vector<PlacedMachine> machines, const Vec3& gravity) : all_(std::move(machines)), gravity_(gravity) {
    description_.format = "scene";
    for (const PlacedMachine& m : all_) {
      starts_.push_back({positions_, speeds_});
      for (Coordinate c : m.machine->coordinates()) {
        c.name = called(m, c.name);
        c.position += positions_;
        c.speed += speeds_;
        coordinates_.push_back(std::move(c));
      }
      describe(m);
      positions_ += static_cast<int>(m.q.size());
      speeds_ += static_cast<int>(m.u.size());
    }
  }

  [[nodiscard]] const std::vector<Coordinate>& coordinates() const override { return coordinates_; }
  [[nodiscard]] VecX default_q() const override {
    VecX out(positions_);
    for (std::size_t i = 0; i < all_.size(); ++i) out.segment(starts_[i].position, all_[i].q.size()) = all_[i].q;
    return out;
  }
  [[nodiscard]] VecX default_u() const override {
    VecX out(speeds_);
    for (std::size_t i = 0; i < all_.size(); ++i) out.segment(starts_[i].speed, all_[i].u.size()) = all_[i].u;
    return out;
  }

  [[nodiscard]] Expected<VecX> close_loops(const VecX& q, const std::vector<bool>& held) const override {
    VecX out = q;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const auto closed = all_[i].machine->close_loops(q_of(i, q), held_of(held, i));
      if (!closed) return tl::unexpected(at(i, closed.error()));
      out.segment(starts_[i].position, all_[i].q.size()) = *closed;
    }
    return out;
  }
  [[nodiscard]] Expected<VecX> admissible_speeds(const VecX& q, const VecX& u,
                                                 const std::vector<bool>& held) const override {
    VecX out = u;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const auto admissible = all_[i].machine->admissible_speeds(q_of(i, q), u_of(i, u), held_of(held, i));
      if (!admissible) return tl::unexpected(at(i, admissible.error()));
      out.segment(starts_[i].speed, all_[i].u.size()) = *admissible;
    }
    return out;
  }

  [[nodiscard]] Expected<void> place(const VecX& q, const VecX& u) override {
    if (q.size() != positions_ || u.size() != speeds_)
      return fail(ErrorCode::wrong_type, q.size() != positions_ ? "q" : "u", "",
                  fmt::format("must have {} positions and {} speeds", positions_, speeds_));
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (const auto fine = all_[i].machine->place(q_of(i, q), u_of(i, u)); !fine)
        return tl::unexpected(at(i, fine.error()));
    return {};
  }

  [[nodiscard]] Expected<FoundContacts> contacts(double reach, bool moving_only) const override {
    if (!(reach >= 0) || !std::isfinite(reach))
      return fail(ErrorCode::out_of_range, "reach", to_text(reach), "must be finite and not negative");
    FoundContacts out;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      auto own = all_[i].machine->contacts(reach, moving_only);
      if (!own) return tl::unexpected(at(i, own.error()));
      for (ContactPoint& c : own->points) out.points.push_back(placed(i, std::move(c)));
      for (Error& pair : own->uncertain) out.uncertain.push_back(at(i, std::move(pair)));
    }
    // Shapes of different machines.
    const std::vector<LinkShape> shapes = striking_shapes();
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      for (std::size_t j = i + 1; j < shapes.size(); ++j) {
        const LinkShape &a = shapes[i], &b = shapes[j];
        if (a.link / stride == b.link / stride || !may_touch(a, b)) continue;
        FoundContacts found;
        const auto fine = add_contacts({a, b}, reach, found, [&](ContactPoint& c) -> Expected<void> {
          c.J = jacobian(b.link, c.point) - jacobian(a.link, c.point);
          return {};
        });
        if (!fine) return tl::unexpected(fine.error());
        for (ContactPoint& c : found.points)
          if (!(a.fixed || b.fixed) || !is_repeated(c, a.fixed, out.points)) out.points.push_back(std::move(c));
        for (Error& pair : found.uncertain) out.uncertain.push_back(std::move(pair));
      }
    }
    return out;
  }

  [[nodiscard]] Expected<ContactPoint> contact_point(const StatedContact& stated) const override {
    const auto first = side("first", stated.first, stated);
    if (!first) return tl::unexpected(first.error());
    const auto second = side("second", stated.second, stated);
    if (!second) return tl::unexpected(second.error());
    ContactPoint out;
    out.first = out.first_body = stated.first;
    out.second = out.second_body = stated.second;
    out.point = out.on_first = out.on_second = stated.point;
    out.n = stated.n;
    out.J = *second - *first;
    return out;
  }

  [[nodiscard]] MassSolver solver() const override { return block_solver(systems()); }
  [[nodiscard]] std::vector<IndependentSystem> systems() const override {
    std::vector<IndependentSystem> out;
    for (std::size_t i = 0; i < all_.size(); ++i)
      for (IndependentSystem one : all_[i].machine->systems()) {
        one.first += starts_[i].speed;
        out.push_back(std::move(one));
      }
    return out;
  }
  [[nodiscard]] MatX mass_matrix() const override {
    MatX M = MatX::Zero(speeds_, speeds_);
    for (std::size_t i = 0; i < all_.size(); ++i)
      M.block(starts_[i].speed, starts_[i].speed, all_[i].u.size(), all_[i].u.size()) = all_[i].machine->mass_matrix();
    return M;
  }

  [[nodiscard]] std::vector<MachinePart> parts() const override {
    std::vector<MachinePart> out;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      for (MachinePart part : all_[i].machine->parts()) {
        part.name = called(all_[i], part.name);
        for (std::string& name : part.contacts) name = called(all_[i], name);
        for (Vec3& corner : part.corners) corner = world(i, corner);
        part.centre = world(i, part.centre);
        part.J = wide(i, part.J);
        out.push_back(std::move(part));
      }
    }
    return out;
  }

  [[nodiscard]] const RobotDescription* description() const override { return &description_; }
  [[nodiscard]] Expected<Keyframe> keyframe(std::string_view name) const override {
    return fail(ErrorCode::unknown_name, "key", std::string(name), "is not there: a [[robot]] has its own key");
  }
  [[nodiscard]] Vec3 gravity() const override { return gravity_; }

  [[nodiscard]] std::vector<FloatingRoot> floating_roots() const override {
    std::vector<FloatingRoot> out;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      for (FloatingRoot root : all_[i].machine->floating_roots()) {
        root.name = called(all_[i], root.name);
        root.position += starts_[i].position;
        root.speed += starts_[i].speed;
        root.axis = all_[i].rotation * root.axis;
        root.axes = all_[i].rotation * root.axes;
        out.push_back(std::move(root));
      }
    }
    return out;
  }

  [[nodiscard]] std::vector<LinkShape> link_shapes() const override {
    std::vector<LinkShape> out;
    for (std::size_t i = 0; i < all_.size(); ++i) add_shapes(i, all_[i].machine->link_shapes(), out);
    return out;
  }
  [[nodiscard]] std::vector<LinkShape> striking_shapes() const override {
    std::vector<LinkShape> out;
    for (std::size_t i = 0; i < all_.size(); ++i) add_shapes(i, all_[i].machine->striking_shapes(), out);
    return out;
  }
  [[nodiscard]] bool may_touch(const LinkShape& a, const LinkShape& b) const override {
    const int i = a.link / stride;
    if (i != b.link / stride) return !(a.fixed && b.fixed);
    LinkShape first = a, second = b;
    for (LinkShape* s : {&first, &second}) {
      s->link -= i * stride + 1;
      s->shape_id -= i * stride;
    }
    return all_[static_cast<std::size_t>(i)].machine->may_touch(first, second);
  }
  [[nodiscard]] MatX jacobian(int link, const Vec3& point) const override {
    const auto i = static_cast<std::size_t>(link / stride);
    const Vec3 inside = all_[i].rotation.transpose() * (point - all_[i].position);
    return wide(i, all_[i].machine->jacobian(link % stride - 1, inside));
  }

 private:
  /// Whether a shape that moves, of two of which the other is fixed, already has this contact: with the same normal, at
  /// the same point. Files bring floors that coincide.
  static bool is_repeated(const ContactPoint& c, bool first_fixed, const std::vector<ContactPoint>& known) {
    const std::string& moving = first_fixed ? c.second : c.first;
    const Vec3 n = first_fixed ? c.n : Vec3(-c.n);
    return std::any_of(known.begin(), known.end(), [&](const ContactPoint& other) {
      const bool second = other.second == moving;
      if (!second && other.first != moving) return false;
      return (other.point - c.point).norm() <= 1e-9 && ((second ? other.n : Vec3(-other.n)) - n).norm() <= 1e-9;
    });
  }

  struct Start {
    int position = 0, speed = 0;
  };

  /// The world is everybody's.
  static std::string called(const PlacedMachine& m, const std::string& name) {
    return m.name.empty() || name.empty() || name == "world" ? name : m.name + "/" + name;
  }

  [[nodiscard]] VecX q_of(std::size_t i, const VecX& q) const {
    return q.segment(starts_[i].position, all_[i].q.size());
  }
  [[nodiscard]] VecX u_of(std::size_t i, const VecX& u) const { return u.segment(starts_[i].speed, all_[i].u.size()); }
  [[nodiscard]] std::vector<bool> held_of(const std::vector<bool>& held, std::size_t i) const {
    if (held.empty()) return {};
    const auto from = held.begin() + starts_[i].speed;
    return {from, from + all_[i].u.size()};
  }
  [[nodiscard]] Error at(std::size_t i, Error error) const {
    return all_[i].name.empty() ? error : under(key_step(all_[i].name), std::move(error));
  }
  [[nodiscard]] Vec3 world(std::size_t i, const Vec3& x) const { return all_[i].position + all_[i].rotation * x; }
  /// R J, in the columns of the machine.
  [[nodiscard]] MatX wide(std::size_t i, const MatX& J) const {
    MatX out = MatX::Zero(3, speeds_);
    out.middleCols(starts_[i].speed, all_[i].u.size()) = all_[i].rotation * J;
    return out;
  }
  void add_shapes(std::size_t i, std::vector<LinkShape> shapes, std::vector<LinkShape>& out) const {
    for (LinkShape& s : shapes) {
      s.name = called(all_[i], s.name);
      s.body = called(all_[i], s.body);
      s.link += static_cast<int>(i) * stride + 1;
      s.shape_id += static_cast<int>(i) * stride;
      s.shape.position = world(i, s.shape.position);
      s.shape.rotation = all_[i].rotation * s.shape.rotation;
      out.push_back(std::move(s));
    }
  }
  [[nodiscard]] ContactPoint placed(std::size_t i, ContactPoint c) const {
    for (std::string* name : {&c.first, &c.second, &c.first_body, &c.second_body}) *name = called(all_[i], *name);
    for (Vec3* x : {&c.point, &c.on_first, &c.on_second}) *x = world(i, *x);
    c.n = all_[i].rotation * c.n;
    c.J = wide(i, c.J);
    return c;
  }

  /// J of a named body, in the columns of its machine.
  [[nodiscard]] Expected<MatX> side(std::string_view field, const std::string& name,
                                    const StatedContact& stated) const {
    if (name == "world") return MatX(MatX::Zero(3, speeds_));
    Expected<MatX> last = fail(ErrorCode::unknown_name, std::string(field), name,
                               "is no body of the scene; a link of a robot is called ROBOT/LINK");
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::string& before = all_[i].name;
      if (!before.empty() && !name.starts_with(before + "/")) continue;
      const Vec3 point = all_[i].rotation.transpose() * (stated.point - all_[i].position);
      const std::string own = before.empty() ? name : name.substr(before.size() + 1);
      const auto found = all_[i].machine->contact_point(
          {.first = "world", .second = own, .point = point, .n = all_[i].rotation.transpose() * stated.n});
      if (found) return wide(i, found->J);
      Error error = found.error();
      if (error.path == "second") error.path = field;
      if (!before.empty() || error.code != ErrorCode::unknown_name) return tl::unexpected(error);
      last = tl::unexpected(error);
    }
    return last;
  }

  void describe(const PlacedMachine& m) {
    const RobotDescription* own = m.machine->description();
    if (own == nullptr) return;
    for (RobotDescription::Body b : own->bodies) {
      b.name = called(m, b.name);
      b.parent = called(m, b.parent);
      description_.bodies.push_back(std::move(b));
    }
    for (RobotDescription::Joint j : own->joints) {
      j.name = called(m, j.name);
      j.body = called(m, j.body);
      j.position += positions_;
      j.speed += speeds_;
      description_.joints.push_back(std::move(j));
    }
    for (RobotDescription::ShapeName s : own->shapes) {
      s.name = called(m, s.name);
      s.body = called(m, s.body);
      description_.shapes.push_back(std::move(s));
    }
    for (RobotDescription::Loop l : own->loops) {
      l.name = called(m, l.name);
      description_.loops.push_back(std::move(l));
    }
    for (const auto& [from, to] :
         {std::pair(&own->honoured, &description_.honoured), std::pair(&own->ignored, &description_.ignored),
          std::pair(&own->left_out, &description_.left_out)})
      for (const std::string& word : *from)
        if (std::find(to->begin(), to->end(), word) == to->end()) to->push_back(word);
  }

  std::vector<PlacedMachine> all_;
  std::vector<Start> starts_;
  int positions_ = 0, speeds_ = 0;
  std::vector<Coordinate> coordinates_;
  RobotDescription description_;
  Vec3 gravity_;
};

}  // namespace

std::unique_ptr<Machine> make_several(std::vector<PlacedMachine> machines, const Vec3& gravity) {
  return std::make_unique<Several>(std::move(machines), gravity);
}

}  // namespace ricochet
