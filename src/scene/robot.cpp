#include "ricochet/scene/machine.hpp"

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
  [[nodiscard]] Expected<VecX> close_loops(const VecX& q) const override { return model_.close_loops(q); }
  [[nodiscard]] Expected<VecX> admissible_speeds(const VecX& q, const VecX& u) const override {
    return model_.admissible_speeds(q, u);
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

  [[nodiscard]] Expected<std::vector<ContactPoint>> contacts(double reach) const override {
    return state_.contacts(reach);
  }
  [[nodiscard]] Expected<ContactPoint> contact_point(const StatedContact& stated) const override {
    return state_.contact_point(stated.first, stated.second, stated.point, stated.n);
  }
  [[nodiscard]] MassSolver solver() const override { return state_.solver(); }
  [[nodiscard]] MatX mass_matrix() const override { return state_.mass_matrix(); }
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

Expected<std::unique_ptr<Machine>> open_robot(const std::string& file) {
  auto model = MujocoModel::load(file);
  if (!model) {
    Error error = model.error();
    if (error.value == file) error.value.clear();
    return tl::unexpected(error);
  }
  return std::make_unique<Robot>(*std::move(model));
}

#else

Expected<std::unique_ptr<Machine>> open_robot(const std::string&) {
  return fail(
      ErrorCode::unavailable, "model", "",
      "this program was built without MuJoCo, which reads robot files; install libmujoco-dev and build again, or "
      "choose one of impact --systems");
}

#endif

}  // namespace ricochet
