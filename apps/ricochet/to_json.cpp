#include "to_json.hpp"

#include <cmath>

#include "text.hpp"

namespace ricochet::app {

Json to_json(double x) {
  if (std::isfinite(x)) return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

Json to_json(const Vec3& v) { return Json::array({to_json(v.x()), to_json(v.y()), to_json(v.z())}); }

Json to_json(const Mat3& A) {
  return Json::array({to_json(Vec3(A.row(0))), to_json(Vec3(A.row(1))), to_json(Vec3(A.row(2)))});
}

Json to_json(const Error& error) { return {{"field", printable(error.field)}, {"message", complaint(error)}}; }

std::string pretty(const Json& json, int indent) {
  const std::string inner(static_cast<std::size_t>(indent) + 2, ' ');
  const std::string outer(static_cast<std::size_t>(indent), ' ');
  const auto scalar = [](const Json& j) { return j.dump(-1, ' ', false, Json::error_handler_t::replace); };
  std::string out;
  if (json.is_object() && !json.empty()) {
    for (const auto& [key, value] : json.items())
      out += (out.empty() ? "{\n" : ",\n") + inner + scalar(key) + ": " + pretty(value, indent + 2);
    return out + "\n" + outer + "}";
  }
  if (json.is_array() && !json.empty()) {
    bool flat = true;
    for (const Json& item : json) flat = flat && !item.is_structured();
    for (const Json& item : json)
      out += out.empty() ? (flat ? "[" : "[\n" + inner) + pretty(item, indent + 2)
                         : (flat ? ", " : ",\n" + inner) + pretty(item, indent + 2);
    return out + (flat ? "]" : "\n" + outer + "]");
  }
  return scalar(json);
}

}  // namespace ricochet::app
