#pragma once
/// Any law as a value. C++ users who know which law they want may call `collide(ChatterjeeRuina{...}, contact)`.

#include <variant>

#include "ricochet/law/base_law.hpp"
#include "ricochet/law/composite.hpp"

namespace ricochet {

namespace detail {
template <class Variant, class Last>
struct Extended;
template <class... Laws, class Last>
struct Extended<std::variant<Laws...>, Last> {
  using type = std::variant<Laws..., Last>;
};
}  // namespace detail

using Law = detail::Extended<BaseLaw, Composite>::type;

[[nodiscard]] Expected<Outcome> collide(const Law& law, const Contact& contact);

}  // namespace ricochet
