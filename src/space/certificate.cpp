#include "ricochet/space/certificate.hpp"

namespace ricochet {

std::string_view name(Condition condition) {
  switch (condition) {
    case Condition::energy: return "energy";
    case Condition::separation: return "separation";
    case Condition::compression: return "compression";
    case Condition::friction: return "friction";
  }
  return "unknown";
}

std::vector<std::string_view> condition_names(ConditionSet set) {
  std::vector<std::string_view> out;
  for (const Condition condition : conditions)
    if (set.contains(condition)) out.push_back(name(condition));
  return out;
}

}  // namespace ricochet
