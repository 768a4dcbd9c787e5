// A ball on a vertical slide drops on the floor at 3 m/s; without friction and with e = 0.5 it leaves at 1.5 m/s.
#include <cstdio>

#include "ricochet/law/frictionless.hpp"
#include "ricochet/model/mujoco_model.hpp"

int main() {
  using namespace ricochet;
  const auto model = MujocoModel::parse(R"(<mujoco><worldbody><geom type="plane" size="1 1 1"/>
    <body pos="0 0 0.1"><joint name="drop" type="slide" axis="0 0 1"/><geom type="sphere" size="0.1" mass="2"/></body>
    </worldbody></mujoco>)");
  if (!model) return std::puts(model.error().message().c_str()), 1;
  const auto state = model->at(model->reference(), VecX::Constant(1, -3));
  if (!state) return std::puts(state.error().message().c_str()), 1;
  const auto contacts = state->contacts(1e-6);
  if (!contacts || contacts->points.size() != 1) return 1;
  const auto response = respond(state->solver(), contacts->points.front(), state->u());
  if (!response) return std::puts(response.error().message().c_str()), 1;
  const auto hit = collide(Frictionless{.e = 0.5}, response->contact);
  if (!hit) return 1;
  std::printf("u %g\n", response->after(hit->P)(0));
  return 0;
}
