#include "io/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace ricochet {
namespace {

bool is_bare(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

}  // namespace

std::string toml_value(double x) {
  // A whole number would be an integer to TOML, and −0 would lose its sign.
  std::string out = to_text(x);
  if (out.find_first_not_of("-0123456789") == std::string::npos) out += ".0";
  return out;
}

std::string toml_value(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string toml_value(const Vec3& v) {
  return fmt::format("[{}, {}, {}]", toml_value(v.x()), toml_value(v.y()), toml_value(v.z()));
}

std::string toml_value(const Mat3& A) {
  return fmt::format("[{}, {}, {}]", toml_value(Vec3(A.row(0))), toml_value(Vec3(A.row(1))),
                     toml_value(Vec3(A.row(2))));
}

std::string toml_line(std::string_view key, const std::string& value) {
  return fmt::format("{} = {}\n", is_bare(key) ? std::string(key) : toml_value(key), value);
}

std::string toml_lines(const RigidBody& body) {
  std::string out;
  if (body.fixed) {
    out += toml_line("fixed", "true");
  } else {
    out += toml_line("mass", toml_value(body.mass));
    out += toml_line("inertia", toml_value(body.inertia));
  }
  const Quaternion& q = body.orientation;
  out += toml_line("position", toml_value(body.position));
  out += toml_line("orientation", fmt::format("[{}, {}, {}, {}]", toml_value(q.w()), toml_value(q.x()),
                                              toml_value(q.y()), toml_value(q.z())));
  out += toml_line("velocity", toml_value(body.velocity));
  return out + toml_line("angular_velocity", toml_value(body.angular_velocity));
}

std::string toml_lines(const LawParameters& parameters) {
  std::string out;
  for (const std::string_view name : parameter_names()) {
    const std::optional<Value> value = get(parameters, name);
    if (!value) continue;
    if (const auto* x = std::get_if<double>(&*value)) out += toml_line(name, toml_value(*x));
    if (const auto* word = std::get_if<std::string>(&*value)) out += toml_line(name, toml_value(*word));
    if (const auto* list = std::get_if<std::vector<double>>(&*value)) {
      std::string all;
      for (const double x : *list) all += (all.empty() ? "" : ", ") + toml_value(x);
      out += toml_line(name, fmt::format("[{}]", all));
    }
  }
  return out;
}

}  // namespace ricochet
