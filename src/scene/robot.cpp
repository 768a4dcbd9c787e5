#include <fmt/format.h>

#include "ricochet/scene/machine.hpp"
#include "robot_text.hpp"
#ifdef RICOCHET_HAVE_URDF
#include "urdf_robot.hpp"
#endif
#ifdef RICOCHET_HAVE_MODELS
#include "ricochet/model/mujoco_model.hpp"
#endif

namespace ricochet {

#ifdef RICOCHET_HAVE_MODELS
namespace {

class Robot : public Machine {
 public:
  explicit Robot(MujocoModel model) : model_(std::move(model)) {
    for (const ModelJoint& j : model_.joints())
      coordinates_.push_back({j.name, j.position, position_count(j.type), j.speed, speed_count(j.type)});
  }

  [[nodiscard]] const std::vector<Coordinate>& coordinates() const override { return coordinates_; }
  [[nodiscard]] VecX default_q() const override { return model_.reference(); }
  [[nodiscard]] VecX default_u() const override { return VecX::Zero(model_.speed_count()); }
  [[nodiscard]] Expected<VecX> close_loops(const VecX& q, const std::vector<bool>& held) const override {
    return model_.close_loops(q, held);
  }
  [[nodiscard]] Expected<VecX> admissible_speeds(const VecX& q, const VecX& u,
                                                 const std::vector<bool>& held) const override {
    return model_.admissible_speeds(q, u, held);
  }

  [[nodiscard]] Expected<void> place(const VecX& q, const VecX& u) override {
    auto state = model_.at(q, u);
    if (!state) {
      Error error = state.error();
      if (error.code == ErrorCode::open_loop) error.allowed += "; --assemble closes loops";
      return tl::unexpected(error);
    }
    state_ = *std::move(state);
    return {};
  }

  [[nodiscard]] Expected<FoundContacts> contacts(double reach, bool moving_only) const override {
    return state_.contacts(reach, moving_only);
  }
  [[nodiscard]] Expected<ContactPoint> contact_point(const StatedContact& stated) const override {
    return state_.contact_point(stated.first, stated.second, stated.point, stated.n);
  }
  [[nodiscard]] MassSolver solver() const override { return state_.solver(); }
  [[nodiscard]] std::vector<IndependentSystem> systems() const override {
    std::vector<IndependentSystem> out;
    const MassSolver whole = solver();
    for (const auto& [first, count] : model_.independent_speeds())
      out.push_back({first, count, [whole, at = first, rows = count, all = model_.speed_count()](const MatX& X) {
                       MatX wide = MatX::Zero(all, X.cols());
                       wide.middleRows(at, rows) = X;
                       return MatX(whole(wide).middleRows(at, rows));
                     }});
    return out;
  }
  [[nodiscard]] MatX mass_matrix() const override { return state_.mass_matrix(); }
  [[nodiscard]] const RobotDescription* description() const override { return &model_.description(); }
  [[nodiscard]] Expected<Keyframe> keyframe(std::string_view name) const override { return model_.keyframe(name); }
  [[nodiscard]] Vec3 gravity() const override { return model_.gravity(); }
  [[nodiscard]] std::vector<FloatingRoot> floating_roots() const override { return model_.floating_roots(); }
  [[nodiscard]] std::vector<LinkShape> link_shapes() const override { return state_.link_shapes(); }
  [[nodiscard]] bool may_touch(const LinkShape& a, const LinkShape& b) const override {
    return model_.may_collide(a.shape_id, b.shape_id);
  }
  [[nodiscard]] Expected<DrivenTree> driven_tree() const override { return model_.driven_tree(); }
  [[nodiscard]] VecX tree_position(const VecX& q) const override { return model_.tree_position(q); }
  [[nodiscard]] MatX jacobian(int link, const Vec3& point) const override { return state_.jacobian(link, point); }
  [[nodiscard]] std::vector<MachinePart> parts() const override {
    std::vector<MachinePart> out;
    for (ModelShape& s : state_.shapes())
      out.push_back(
          {s.name, {s.name, s.body}, std::move(s.corners), s.radius, s.fixed, s.bone, s.centre, std::move(s.J)});
    return out;
  }

 private:
  MujocoModel model_;
  ModelState state_;
  std::vector<Coordinate> coordinates_;
};

}  // namespace
#endif

namespace {

Expected<std::unique_ptr<Machine>> by_mujoco([[maybe_unused]] const std::string& file) {
#ifdef RICOCHET_HAVE_MODELS
  auto model = MujocoModel::load(file);
  if (!model) {
    Error error = model.error();
    if (error.value == file) error.value.clear();
    return tl::unexpected(error);
  }
  return std::make_unique<Robot>(*std::move(model));
#else
  return fail(ErrorCode::unavailable, "model", "",
              "this program was built without MuJoCo, which reads MJCF; install libmujoco-dev and libtinyxml2-dev and "
              "build again, or choose one of impact --systems");
#endif
}

Expected<std::unique_ptr<Machine>> by_urdfdom([[maybe_unused]] const RobotText& robot,
                                              [[maybe_unused]] const RobotOptions& options) {
#ifdef RICOCHET_HAVE_URDF
  UrdfOptions urdf{.packages = options.packages};
  if (options.free_base) urdf.base = *options.free_base ? UrdfBase::free : UrdfBase::fixed;
  auto model = read_urdf(robot.text, robot.file, urdf);
  if (!model) return tl::unexpected(model.error());
  return make_urdf_robot(*std::move(model));
#else
  return fail(ErrorCode::unavailable, "model", "",
              "this program was built without urdfdom, Assimp and Qhull, which read URDF; install liburdfdom-dev, "
              "libassimp-dev, libqhull-dev and libtinyxml2-dev and build again, or choose one of impact --systems");
#endif
}

}  // namespace

Expected<std::unique_ptr<Machine>> open_robot(const std::string& file, const RobotOptions& options) {
  const auto robot = read_robot_text(file);
  if (!robot) return tl::unexpected(robot.error());
  if (robot->urdf) return by_urdfdom(*robot, options);
  if (!options.packages.empty() || options.free_base)
    return fail(ErrorCode::conflict, options.free_base ? "base" : "package", "", "goes with URDF, and this is MJCF");
  return by_mujoco(file);
}

}  // namespace ricochet
