#pragma once
/// Values of the library as JSON documents.

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "ricochet/base/error.hpp"
#include "ricochet/base/linear.hpp"
#include "ricochet/scene/answer.hpp"

namespace ricochet {

using Json = nlohmann::ordered_json;

/// JSON has no infinity; it is written as the strings "inf" and "-inf".
[[nodiscard]] Json to_json(double x);
[[nodiscard]] Json to_json(const Vec3& v);
[[nodiscard]] Json to_json(const Mat3& A);
[[nodiscard]] Json to_json(const Error& error);
/// Infinity as the word that `set` reads.
[[nodiscard]] Json to_json(const Value& value);
[[nodiscard]] Json to_json(const ParameterInfo& info);
[[nodiscard]] Json to_json(const LawInfo& info);
[[nodiscard]] Json to_json(const RigidBody& body);
[[nodiscard]] Json to_json(const Contact& contact);
[[nodiscard]] Json to_json(const Margins& margins);
/// The outcome with its certificate, promises and path, or the error in its place.
[[nodiscard]] Json to_json(const Answer& answer);
[[nodiscard]] Json to_json(const Collision& collision, std::span<const Answer> answers);

/// Indented, with the rows of vectors and matrices on one line.
[[nodiscard]] std::string pretty(const Json& json, int indent = 0);

}  // namespace ricochet
