#include "ricochet/report/body_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ricochet/io/text.hpp"

namespace ricochet {
namespace {

BodyPictures contact_pictures(const Contact& contact, const Answer& answer, const Vec3& P) {
  const Vec3 after = contact.V + contact.W * answer.outcome->P;
  const auto drawn = [&](const Vec3& impulse, std::string title) {
    return draw_contact({.V = contact.V + contact.W * impulse,
                         .P = impulse,
                         .n = contact.n,
                         .right = slip_direction(contact),
                         .title = std::move(title),
                         .longest = std::max(contact.V.norm(), after.norm()),
                         .largest_impulse = answer.outcome->P.norm()});
  };
  return {.before = drawn(Vec3::Zero(), "before"),
          .after = drawn(answer.outcome->P, fmt::format("after, by {}", answer.law)),
          .during = drawn(P, fmt::format("during, by {}", answer.law)),
          .contact_only = true};
}

}  // namespace

Expected<BodyPictures> body_pictures(const Collision& collision, const Answer& answer, const Vec3& P) {
  if (!collision.bodies) return contact_pictures(collision.contact, answer, P);
  BodyPicture before{.bodies = *collision.bodies,
                     .point = collision.point,
                     .n = collision.contact.n,
                     .right = slip_direction(collision.contact),
                     .name_A = printable(collision.body_a),
                     .name_B = printable(collision.body_b),
                     .title = "before"};
  const auto later = [&](const Vec3& impulse, std::string title) -> Expected<BodyPicture> {
    auto moved = apply_impulse(before.bodies.A, before.bodies.B, before.point, impulse);
    if (!moved) return tl::unexpected(moved.error());
    BodyPicture out = before;
    out.bodies = *std::move(moved);
    out.title = std::move(title);
    return out;
  };
  auto after = later(answer.outcome->P, fmt::format("after, by {}", answer.law));
  auto during = later(P, fmt::format("during, by {}", answer.law));
  if (!after || !during) return tl::unexpected(after ? during.error() : after.error());
  for (BodyPicture* picture : {&before, &*after, &*during}) {
    picture->longest = std::max(fastest(before), fastest(*after));
    picture->most_spin = std::max(fastest_spin(before), fastest_spin(*after));
  }
  auto first = draw_bodies(before), second = draw_bodies(*after), between = draw_bodies(*during);
  if (!first || !second || !between)
    return tl::unexpected(!first ? first.error() : !second ? second.error() : between.error());
  BodyPictures out{.before = *std::move(first), .after = *std::move(second), .during = *std::move(between)};
  share_range(out.before, out.after);
  out.during.low = out.after.low;
  out.during.high = out.after.high;
  return out;
}

}  // namespace ricochet
