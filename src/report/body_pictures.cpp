#include "ricochet/report/body_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/body/realize.hpp"
#include "ricochet/io/text.hpp"

namespace ricochet {

Expected<BodyPictures> body_pictures(const Collision& collision, const Answer& answer) {
  BodyPictures out;
  BodyPicture before{.bodies = {}, .n = collision.contact.n, .right = slip_direction(collision.contact)};
  if (collision.bodies) {
    before.bodies = *collision.bodies;
    before.point = collision.point;
    before.name_A = printable(collision.body_a);
    before.name_B = printable(collision.body_b);
  } else {
    if (collision.contact.immovable)
      return fail(ErrorCode::invalid, "W", "",
                  "is singular: no two free bodies have it, only bodies on hinges or guides");
    const auto real = realize(collision.contact.M);
    if (!real) return tl::unexpected(real.error());
    out.realized = true;
    before.bodies = {real->A, real->B};
    before.bodies.B.velocity = collision.contact.V;
    before.point = real->point;
    before.name_A = "first body";
    before.name_B = "second body";
  }
  before.title = "before";
  auto moved = apply_impulse(before.bodies.A, before.bodies.B, before.point, answer.outcome->P);
  if (!moved) return tl::unexpected(moved.error());
  BodyPicture after = before;
  after.bodies = *std::move(moved);
  after.title = fmt::format("after, by {}", answer.law);
  before.longest = after.longest = std::max(fastest(before), fastest(after));
  auto first = draw_bodies(before), second = draw_bodies(after);
  if (!first || !second) return tl::unexpected(first ? second.error() : first.error());
  out.before = *std::move(first);
  out.after = *std::move(second);
  share_range(out.before, out.after);
  return out;
}

}  // namespace ricochet
