#include "ricochet/law/make_law.hpp"

#include <algorithm>
#include <array>

#include "law_rows.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/law/fill_parameters.hpp"

namespace ricochet {
namespace {

Expected<BaseLaw> make_part(const ParameterInfo& info, std::string_view name, const LawParameters& settings) {
  if (std::find(info.choices.begin(), info.choices.end(), name) == info.choices.end())
    return fail(ErrorCode::unknown_name, std::string(info.name), std::string(name),
                not_among("law to combine", name, info.choices));
  return make_law(name, settings).map([](const Law& made) {
    return std::visit(
        []<class L>(const L& law) -> BaseLaw {
          if constexpr (std::is_same_v<L, Composite>) {
            return {};  // not among the choices
          } else {
            return law;
          }
        },
        made);
  });
}

template <class L>
Expected<Law> make(const LawParameters& given) {
  L law;
  const Expected<void> fine = fill_parameters<LawRow<L>>(
      law, given, LawRow<L>::info.name,
      [&](const ParameterInfo& info, std::string_view name) { return make_part(info, name, given); });
  if (!fine) return tl::unexpected(fine.error());
  return law;
}

}  // namespace

Expected<Law> make_law(std::string_view name, const LawParameters& settings) {
  const LawInfo* info = find_law(name);
  if (info == nullptr) return tl::unexpected(unknown_law(name));
  using Maker = Expected<Law> (*)(const LawParameters&);
  static constexpr auto makers = []<class... L>(const std::variant<L...>*) {
    return std::array<Maker, sizeof...(L)>{&make<L>...};
  }(static_cast<const Law*>(nullptr));
  return makers[static_cast<std::size_t>(info - laws().data())](settings);
}

}  // namespace ricochet
