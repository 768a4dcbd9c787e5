#include "ricochet/body/realize.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "command_table.hpp"
#include "commands/commands.hpp"
#include "ricochet/base/read_number.hpp"
#include "ricochet/contact/between.hpp"
#include "ricochet/io/assignments.hpp"
#include "ricochet/io/json.hpp"
#include "ricochet/io/open_collision.hpp"
#include "ricochet/io/text.hpp"
#include "terminal/common_options.hpp"
#include "terminal/output_file.hpp"
#include "terminal/refuse.hpp"
#include "terminal/table.hpp"

namespace ricochet::app {
namespace {

struct RealizeOptions {
  std::string file, M;
  std::string format = "table", out;
};

/// "4 0 0; 0 3 0.5; 0 0.5 2" or [[4,0,0],[0,3,0.5],[0,0.5,2]]: nine numbers, row by row.
Expected<Mat3> read_matrix(const std::string& text) {
  Mat3 M;
  int count = 0;
  std::size_t at = 0;
  constexpr const char* between = " \t,;[]\n";
  while ((at = text.find_first_not_of(between, at)) != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    const std::optional<double> x = read_number(std::string_view(text).substr(at, end - at));
    if (!x) return fail(ErrorCode::wrong_type, "M", text.substr(at, end - at), "must be nine numbers, row by row");
    if (count < 9) M(count / 3, count % 3) = *x;
    ++count;
    at = end;
  }
  if (count != 9)
    return fail(ErrorCode::wrong_type, "M", text,
                fmt::format("must be nine numbers, row by row, but there are {}", count));
  return M;
}

/// How far the pair's local mass matrix is from M, relative. Read in the common axes of the bodies, in which it is
/// diagonal, so that the residual measures the bodies and not an inversion.
Expected<double> residual(const Realization& pair, const Mat3& M) {
  const Mat3 R = pair.A.orientation.toRotationMatrix();
  const auto turned = [&](RigidBody body) {
    body.orientation = Quaternion::Identity();
    body.position = R.transpose() * body.position;
    return body;
  };
  const Expected<Mat3> W_A = mobility(turned(pair.A), R.transpose() * pair.point);
  const Expected<Mat3> W_B = mobility(turned(pair.B), R.transpose() * pair.point);
  if (!W_A) return tl::unexpected(W_A.error());
  if (!W_B) return tl::unexpected(W_B.error());
  const Vec3 mass = (*W_A + *W_B).diagonal().cwiseInverse();
  return (R * mass.asDiagonal() * R.transpose() - M).norm() / M.norm();
}

Json body_json(const RigidBody& body, const Vec3& point) {
  const auto& q = body.orientation;
  return {{"mass", body.mass},
          {"inertia", to_json(body.inertia)},
          {"orientation", {q.w(), q.x(), q.y(), q.z()}},
          {"position", to_json(body.position)},
          {"arm", to_json(Vec3(point - body.position))}};
}

std::string body_text(std::string_view name, const RigidBody& body, const Vec3& point) {
  const auto& q = body.orientation;
  return fmt::format(
      "{}\n"
      "  mass         {} kg\n"
      "  inertia      {} kg m², principal, in body axes\n"
      "  orientation  ({:.6g}, {:.6g}, {:.6g}, {:.6g}), quaternion w x y z\n"
      "  position     {} m\n"
      "  contact arm  {} m\n",
      name, body.mass, brief(body.inertia.diagonal(), 6), q.w(), q.x(), q.y(), q.z(), brief(body.position, 6),
      brief(point - body.position, 6));
}

int run_realize(const RealizeOptions& options) {
  Mat3 M;
  std::string where = "--M";
  if (!options.M.empty()) {
    const Expected<Mat3> read = read_matrix(options.M);
    if (!read) return refuse(where, read.error());
    M = *read;
  } else {
    const Read<Collision> collision = open_collision(options.file);
    if (!collision) return refuse(collision.error());
    where = options.file.empty() ? std::string(default_scene_name) : options.file;
    if (collision->contact.immovable)
      return refuse(where, Error{ErrorCode::invalid, "W", "",
                                 "is singular: no two free bodies have it, only bodies on hinges or guides"});
    M = collision->contact.M;
  }
  const Expected<Realization> pair = realize(M);
  if (!pair) return refuse(where, pair.error());
  const Expected<double> off = residual(*pair, M);
  if (!off) return refuse(where, off.error());
  if (options.format == "json") {
    const Json out{{"M", to_json(M)},
                   {"point", to_json(pair->point)},
                   {"bodies", {body_json(pair->A, pair->point), body_json(pair->B, pair->point)}},
                   {"residual", *off}};
    return write_out(options.out, pretty(out) + "\n");
  }
  return write_out(
      options.out,
      fmt::format("Two free bodies that touch at {} m and have the local mass matrix\n"
                  "  M = [{}, {}, {}] kg\n\n{}\n{}\nrelative residual of their mass matrix: {:.2g}\n",
                  brief(pair->point), brief(M.row(0), 6), brief(M.row(1), 6), brief(M.row(2), 6),
                  body_text("body A", pair->A, pair->point), body_text("body B", pair->B, pair->point), *off));
}

}  // namespace

void add_realize(Program& program, int& status) {
  const CommandLine command = add_command(program, "realize");
  auto options = std::make_shared<RealizeOptions>();
  const Option file =
      command.add_option("FILE", options->file, "a collision, whose M is taken; without it the built-in one");
  command.add_option("--M", options->M, "the matrix itself, nine numbers row by row [kg]")
      .type_name("NUMBERS")
      .excludes(file);
  add_format_option(command, options->format, {"table", "json"});
  add_output_option(command, options->out);
  command.footer("Example:\n  ricochet realize --M \"4 0 0; 0 3 0.5; 0 0.5 2\"");
  command.callback([options, &status] { status = run_realize(*options); });
}

}  // namespace ricochet::app
