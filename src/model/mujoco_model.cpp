#include "ricochet/model/mujoco_model.hpp"

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "mujoco_description.hpp"
#include "mujoco_guard.hpp"
#include "mujoco_reader.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/base/text.hpp"
#include "ricochet/geometry/convex_shape.hpp"
#include "ricochet/geometry/field_contact.hpp"
#include "ricochet/geometry/shape_contact.hpp"
#include "ricochet/mechanism/loops.hpp"
#include "ricochet/mechanism/touching.hpp"

namespace ricochet {
namespace {

using mujoco::guarded;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using DataPointer = std::unique_ptr<mjData, decltype(&mj_deleteData)>;

Vec3 vec3(const mjtNum* x) { return {x[0], x[1], x[2]}; }

Mat3 rotation(const mjtNum* q) { return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix(); }

/// Whether MuJoCo's distance is exact at positive gaps, measured pair by pair; a ≤ b.
bool exact_distance(int a, int b) {
  if (a == mjGEOM_SPHERE) return b == mjGEOM_SPHERE || b == mjGEOM_CAPSULE || b == mjGEOM_BOX;
  return a == mjGEOM_CAPSULE && b == mjGEOM_CAPSULE;
}

/// Whether the file lets two shapes collide: MuJoCo's own rules.
bool may_collide(const mjModel* m, int g1, int g2) {
  const int b1 = m->geom_bodyid[g1];
  const int b2 = m->geom_bodyid[g2];
  for (int i = 0; i < m->npair; ++i) {
    if ((m->pair_geom1[i] == g1 && m->pair_geom2[i] == g2) || (m->pair_geom1[i] == g2 && m->pair_geom2[i] == g1))
      return m->opt.collision != mjCOL_DYNAMIC;
  }
  if (m->opt.collision == mjCOL_PAIR) return false;
  const int w1 = m->body_weldid[b1];
  const int w2 = m->body_weldid[b2];
  if (w1 == w2) return false;
  if (w1 != 0 && w2 != 0 && (m->opt.disableflags & mjDSBL_FILTERPARENT) == 0) {
    if (w1 == m->body_weldid[m->body_parentid[w2]] || w2 == m->body_weldid[m->body_parentid[w1]]) return false;
  }
  for (int i = 0; i < m->nexclude; ++i) {
    const int s = m->exclude_signature[i];
    if (s == ((b1 + 1) << 16) + b2 + 1 || s == ((b2 + 1) << 16) + b1 + 1) return false;
  }
  return (m->geom_contype[g1] & m->geom_conaffinity[g2]) != 0 || (m->geom_contype[g2] & m->geom_conaffinity[g1]) != 0;
}

/// The hull that MuJoCo made of a mesh, or the mere vertices where it made none.
std::shared_ptr<const Hull> hull_of(const mjModel* m, int mesh) {
  auto hull = std::make_shared<Hull>();
  const auto vertex = [&](int v) -> Vec3 {
    return Eigen::Map<const Eigen::Vector3f>(m->mesh_vert + 3 * static_cast<std::ptrdiff_t>(v)).cast<double>();
  };
  const int first = m->mesh_vertadr[mesh];
  if (m->mesh_graphadr[mesh] < 0) {
    for (int v = 0; v < m->mesh_vertnum[mesh]; ++v) hull->vertices.push_back(vertex(first + v));
    index_vertices(*hull);
    return hull;
  }
  // numvert, numface, edge addresses [numvert], global ids [numvert], edges [numvert + 3 numface], faces [3 numface]
  const int* graph = m->mesh_graph + m->mesh_graphadr[mesh];
  const int vertices = graph[0];
  const int faces = graph[1];
  const int* global = graph + 2 + vertices;
  const int* face = graph + 2 + 3 * vertices + 3 * faces;
  std::vector<int> local(static_cast<std::size_t>(m->mesh_vertnum[mesh]), 0);
  for (int v = 0; v < vertices; ++v) {
    local[static_cast<std::size_t>(global[v])] = v;
    hull->vertices.push_back(vertex(first + global[v]));
  }
  for (int f = 0; f < faces; ++f) {
    std::array<int, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) corners[k] = local[static_cast<std::size_t>(face[3 * f + static_cast<int>(k)])];
    hull->faces.push_back(corners);
  }
  index_vertices(*hull);
  return hull;
}

std::shared_ptr<const HeightField> field_of(const mjModel* m, int field) {
  auto out = std::make_shared<HeightField>();
  out->rows = m->hfield_nrow[field];
  out->columns = m->hfield_ncol[field];
  const mjtNum* size = m->hfield_size + 4 * static_cast<std::ptrdiff_t>(field);
  out->half_x = size[0];
  out->half_y = size[1];
  out->base = size[3];
  const float* data = m->hfield_data + m->hfield_adr[field];
  const auto count = static_cast<std::size_t>(out->rows) * static_cast<std::size_t>(out->columns);
  out->heights.reserve(count);
  for (std::size_t i = 0; i < count; ++i) out->heights.push_back(static_cast<double>(data[i]) * size[2]);
  return out;
}

/// Velocity of the point of a body.
MatX body_jacobian(const mjModel* m, const mjData* d, int body, const Vec3& point) {
  RowMajor J = RowMajor::Zero(3, m->nv);
  if (body > 0) mj_jac(m, d, J.data(), nullptr, point.data(), body);
  return J;
}

template <class Names>
std::string unknown(std::string_view word, const Names& names) {
  std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = closest(word, views);
  std::string list;
  for (const std::string_view n : views) {
    if (!list.empty()) list += ", ";
    if (list.size() > 300) {
      list += "and others";
      break;
    }
    list += n;
  }
  return near.empty() ? fmt::format("is not in the model; it has {}", list)
                      : fmt::format("is not in the model; did you mean {}?", near);
}

}  // namespace

struct MujocoModel::Impl {
  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> m{nullptr, &mj_deleteModel};
  std::vector<ModelJoint> joints;
  std::vector<std::shared_ptr<const Hull>> hulls;  ///< of each mesh
  std::vector<std::shared_ptr<const HeightField>> fields;
  std::vector<std::shared_ptr<const Hull>> field_hulls;
  RobotDescription description;
  std::string remark;

  /// Of a height field its convex hull; none of a shape that is not known.
  [[nodiscard]] std::optional<ConvexShape> shape(const mjData* d, int geom) const;
  /// Null where the shape is none.
  [[nodiscard]] std::shared_ptr<const HeightField> field(int geom) const {
    return m->geom_type[geom] == mjGEOM_HFIELD ? fields[static_cast<std::size_t>(m->geom_dataid[geom])] : nullptr;
  }
  [[nodiscard]] Expected<void> check_position(const VecX& q) const;
  [[nodiscard]] Expected<void> check_speeds(const VecX& u) const;
  /// Everything that follows from q and u.
  [[nodiscard]] Expected<DataPointer> forward(const VecX& q, const VecX& u) const;

  /// Takes the model over.
  [[nodiscard]] static Expected<MujocoModel> own(MujocoRead read);
};

struct ModelState::Impl {
  std::shared_ptr<const MujocoModel::Impl> model;
  DataPointer data{nullptr, &mj_deleteData};
  VecX q, u;
  MatX G;
  MassSolver solve;
};

namespace {

/// The equality rows of a forward position pass, with their residuals.
struct Loops {
  MatX G;
  VecX open;
  std::vector<int> id;
};

Loops loops(const mjModel* m, const mjData* d) {
  Loops out;
  for (int i = 0; i < d->nefc; ++i)
    if (d->efc_type[i] == mjCNSTR_EQUALITY) out.id.push_back(i);
  const auto rows = static_cast<Eigen::Index>(out.id.size());
  out.G.resize(rows, m->nv);
  out.open.resize(rows);
  for (Eigen::Index k = 0; k < rows; ++k) {
    int& i = out.id[static_cast<std::size_t>(k)];
    out.G.row(k) = Eigen::Map<const Eigen::RowVectorXd>(d->efc_J + static_cast<std::ptrdiff_t>(i) * m->nv, m->nv);
    out.open(k) = d->efc_pos[i];
    i = d->efc_id[i];
  }
  return out;
}

MassSolver open_solver(std::shared_ptr<const void> owner, const mjModel* m, mjData* d) {
  return [owner = std::move(owner), m, d](const MatX& X) {
    MatX out(X.rows(), X.cols());
    // Columns are contiguous, which is the order that mj_solveM takes several right sides in.
    mj_solveM(m, d, out.data(), X.data(), static_cast<int>(X.cols()));
    return out;
  };
}

}  // namespace

Expected<MujocoModel> MujocoModel::Impl::own(MujocoRead read) {
  auto impl = std::make_shared<Impl>();
  impl->m = std::move(read.model);
  impl->remark = std::move(read.remark);
  mjModel* m = impl->m.get();
  impl->description = describe(m);
  impl->description.format = std::move(read.format);
  impl->description.left_out = std::move(read.left_out);
  if (m->nv == 0) return fail(ErrorCode::invalid, "model", "", "must have at least one joint, or nothing can move");
  for (int i = 0; i < m->neq; ++i) {
    if (m->eq_type[i] == mjEQ_DISTANCE && m->eq_active[i] != 0)
      return fail(ErrorCode::invalid, "model", name_of(m, mjOBJ_EQUALITY, "equality", i),
                  "holds two shapes at a distance, which is not supported: connect, weld, joint and tendon are");
  }
  // Contacts are found by `contacts`, and limits and dry friction do not act in the smooth dynamics: the remaining
  // constraints of MuJoCo are the loops, as a dense matrix.
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
  m->opt.jacobian = mjJAC_DENSE;
  for (int j = 0; j < m->njnt; ++j)
    impl->joints.push_back({.name = name_of(m, mjOBJ_JOINT, "joint", j),
                            .type = joint_type(m->jnt_type[j]),
                            .position = m->jnt_qposadr[j],
                            .speed = m->jnt_dofadr[j]});
  for (int mesh = 0; mesh < m->nmesh; ++mesh) impl->hulls.push_back(hull_of(m, mesh));
  for (int field = 0; field < m->nhfield; ++field) {
    impl->fields.push_back(field_of(m, field));
    impl->field_hulls.push_back(std::make_shared<Hull>(hull_of(*impl->fields.back())));
  }
  MujocoModel model;
  model.impl_ = std::move(impl);
  return model;
}

std::optional<ConvexShape> MujocoModel::Impl::shape(const mjData* d, int geom) const {
  using Core = ConvexShape::Core;
  const Vec3 size = vec3(m->geom_size + 3 * static_cast<std::ptrdiff_t>(geom));
  ConvexShape out;
  out.position = vec3(d->geom_xpos + 3 * static_cast<std::ptrdiff_t>(geom));
  out.rotation = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(d->geom_xmat +
                                                                                9 * static_cast<std::ptrdiff_t>(geom));
  switch (m->geom_type[geom]) {
    case mjGEOM_PLANE: out.core = Core::half_space; return out;
    case mjGEOM_SPHERE: out.margin = size.x(); return out;
    case mjGEOM_CAPSULE:
      out.core = Core::segment;
      out.size = {0, 0, size.y()};
      out.margin = size.x();
      return out;
    case mjGEOM_ELLIPSOID:
      out.core = Core::ellipsoid;
      out.size = size;
      return out;
    case mjGEOM_CYLINDER:
      out.core = Core::cylinder;
      out.size = {size.x(), size.x(), size.y()};
      return out;
    case mjGEOM_BOX:
      out.core = Core::box;
      out.size = size;
      return out;
    case mjGEOM_MESH:
      out.core = Core::hull;
      out.hull = hulls[static_cast<std::size_t>(m->geom_dataid[geom])];
      return out;
    case mjGEOM_HFIELD:
      out.core = Core::hull;
      out.hull = field_hulls[static_cast<std::size_t>(m->geom_dataid[geom])];
      return out;
    default: return std::nullopt;
  }
}

Expected<void> MujocoModel::Impl::check_position(const VecX& q) const {
  if (q.size() != m->nq)
    return fail(ErrorCode::wrong_type, "q", fmt::format("{} numbers", q.size()),
                fmt::format("must have {} for this model", m->nq));
  if (!q.allFinite()) return fail(ErrorCode::out_of_range, "q", "", "every entry must be finite");
  for (const ModelJoint& joint : joints) {
    const int k = joint.position + (joint.type == JointType::free ? 3 : 0);
    if (joint.type != JointType::free && joint.type != JointType::ball) continue;
    const double length = q.segment<4>(k).norm();
    if (std::abs(length - 1) > 1e-6)
      return fail(ErrorCode::invalid, joint.name, fmt::format("a quaternion of length {}", to_text(length)),
                  "must have unit length");
  }
  return {};
}

Expected<void> MujocoModel::Impl::check_speeds(const VecX& u) const {
  if (u.size() != m->nv)
    return fail(ErrorCode::wrong_type, "u", fmt::format("{} numbers", u.size()),
                fmt::format("must have {} for this model", m->nv));
  if (!u.allFinite()) return fail(ErrorCode::out_of_range, "u", "", "every entry must be finite");
  return {};
}

Expected<DataPointer> MujocoModel::Impl::forward(const VecX& q, const VecX& u) const {
  if (auto fine = check_position(q); !fine) return tl::unexpected(fine.error());
  if (auto fine = check_speeds(u); !fine) return tl::unexpected(fine.error());
  mjData* raw = nullptr;
  const mjModel* model = m.get();
  const double* q_data = q.data();
  const double* u_data = u.data();
  if (auto fine = guarded([&] { raw = mj_makeData(model); }); !fine) return tl::unexpected(fine.error());
  DataPointer data(raw, &mj_deleteData);
  const auto fine = guarded([&] {
    mju_copy(raw->qpos, q_data, model->nq);
    mju_copy(raw->qvel, u_data, model->nv);
    mj_normalizeQuat(model, raw->qpos);
    mj_fwdPosition(model, raw);
    mj_fwdVelocity(model, raw);
  });
  if (!fine) return tl::unexpected(fine.error());
  if (const std::string warning = mujoco::take_warnings(); !warning.empty())
    return fail(ErrorCode::invalid, "model", "", "MuJoCo warns: " + warning);
  return data;
}

Expected<MujocoModel> MujocoModel::load(const std::string& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    return fail(ErrorCode::file_access, "model", file, "must be a file, but is a folder");
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(ErrorCode::file_access, "model", file, "cannot be opened");
  std::ostringstream text;
  text << in.rdbuf();
  return read_by_mujoco(text.str(), file).and_then([](MujocoRead&& read) { return Impl::own(std::move(read)); });
}

Expected<MujocoModel> MujocoModel::parse(std::string_view xml) {
  return read_by_mujoco(xml, "").and_then([](MujocoRead&& read) { return Impl::own(std::move(read)); });
}

int MujocoModel::position_count() const { return impl_->m->nq; }
int MujocoModel::speed_count() const { return impl_->m->nv; }
const std::vector<ModelJoint>& MujocoModel::joints() const { return impl_->joints; }
const std::string& MujocoModel::remark() const { return impl_->remark; }

std::vector<std::string> MujocoModel::bodies() const {
  std::vector<std::string> out;
  out.reserve(static_cast<std::size_t>(impl_->m->nbody));
  for (int b = 0; b < impl_->m->nbody; ++b) out.push_back(body_name(impl_->m.get(), b));
  return out;
}

VecX MujocoModel::reference() const { return Eigen::Map<const VecX>(impl_->m->qpos0, impl_->m->nq); }

const RobotDescription& MujocoModel::description() const { return impl_->description; }
Vec3 MujocoModel::gravity() const { return vec3(impl_->m->opt.gravity); }
std::vector<FloatingRoot> MujocoModel::floating_roots() const { return ricochet::floating_roots(impl_->m.get()); }
std::vector<std::pair<int, int>> MujocoModel::independent_speeds() const {
  const mjModel* m = impl_->m.get();
  if (m->neq > 0) return {{0, m->nv}};
  std::vector<std::pair<int, int>> out;
  int root = -1;
  for (int i = 0; i < m->nv; ++i) {
    // Speeds are in the order of bodies, and bodies in that of trees.
    const int own = m->body_rootid[m->dof_bodyid[i]];
    if (own != root) out.emplace_back(i, 0);
    root = own;
    ++out.back().second;
  }
  return out;
}

bool MujocoModel::may_collide(int shape_a, int shape_b) const {
  return ricochet::may_collide(impl_->m.get(), shape_a, shape_b);
}

Expected<Keyframe> MujocoModel::keyframe(std::string_view name) const {
  const mjModel* m = impl_->m.get();
  const std::vector<std::string>& names = impl_->description.keyframes;
  for (int k = 0; k < m->nkey; ++k) {
    const std::string& own = names[static_cast<std::size_t>(k)];
    if (own != name && std::to_string(k) != name) continue;
    return Keyframe{.name = own,
                    .q = Eigen::Map<const VecX>(m->key_qpos + static_cast<std::ptrdiff_t>(k) * m->nq, m->nq),
                    .u = Eigen::Map<const VecX>(m->key_qvel + static_cast<std::ptrdiff_t>(k) * m->nv, m->nv)};
  }
  return fail(ErrorCode::unknown_name, "key", std::string(name),
              names.empty() ? "is not in the model, which has no keyframes" : unknown(name, names));
}

Expected<ModelJoint> MujocoModel::joint(std::string_view name) const {
  std::vector<std::string> names;
  for (const ModelJoint& j : impl_->joints) {
    if (j.name == name) return j;
    names.push_back(j.name);
  }
  return fail(ErrorCode::unknown_name, "joint", std::string(name), unknown(name, names));
}

Expected<void> MujocoModel::set_position(VecX& q, std::string_view joint_name,
                                         const std::vector<double>& values) const {
  const auto j = joint(joint_name);
  if (!j) return tl::unexpected(j.error());
  const auto count = static_cast<std::size_t>(ricochet::position_count(j->type));
  if (values.size() != count)
    return fail(ErrorCode::wrong_type, j->name, fmt::format("{} numbers", values.size()),
                fmt::format("must have {} positions", count));
  if (q.size() != position_count())
    return fail(ErrorCode::wrong_type, "q", fmt::format("{} numbers", q.size()),
                fmt::format("must have {}", position_count()));
  for (std::size_t i = 0; i < count; ++i) q(j->position + static_cast<Eigen::Index>(i)) = values[i];
  return {};
}

Expected<void> MujocoModel::set_speed(VecX& u, std::string_view joint_name, const std::vector<double>& values) const {
  const auto j = joint(joint_name);
  if (!j) return tl::unexpected(j.error());
  const auto count = static_cast<std::size_t>(ricochet::speed_count(j->type));
  if (values.size() != count)
    return fail(ErrorCode::wrong_type, j->name, fmt::format("{} numbers", values.size()),
                fmt::format("must have {} speeds", count));
  if (u.size() != speed_count())
    return fail(ErrorCode::wrong_type, "u", fmt::format("{} numbers", u.size()),
                fmt::format("must have {}", speed_count()));
  for (std::size_t i = 0; i < count; ++i) u(j->speed + static_cast<Eigen::Index>(i)) = values[i];
  return {};
}

namespace {

bool any(const std::vector<bool>& held) { return std::find(held.begin(), held.end(), true) != held.end(); }

/// The least change of what is not held that G maps to `open`, and its threshold for dependent rows.
VecX least_change(MatX G, const VecX& open, const std::vector<bool>& held) {
  for (std::size_t k = 0; k < held.size(); ++k)
    if (held[k]) G.col(static_cast<Eigen::Index>(k)).setZero();
  Eigen::CompleteOrthogonalDecomposition<MatX> solve;
  solve.setThreshold(1e-9);
  solve.compute(G);
  return solve.solve(open);
}

}  // namespace

Expected<VecX> MujocoModel::close_loops(const VecX& q, const std::vector<bool>& held) const {
  const mjModel* m = impl_->m.get();
  VecX at = q;
  double open = 0;
  for (int i = 0; i < 100; ++i) {
    const auto data = impl_->forward(at, VecX::Zero(m->nv));
    if (!data) return tl::unexpected(data.error());
    const Loops found = loops(m, data->get());
    if (found.G.rows() == 0) return at;
    open = found.open.cwiseAbs().maxCoeff();
    if (open < 1e-13) return at;
    VecX step = -least_change(found.G, found.open, held);
    // A larger step leaves the range of validity of the linearization.
    const double largest = step.cwiseAbs().maxCoeff();
    if (largest > 0.3) step *= 0.3 / largest;
    if (largest < 1e-15) break;
    mj_integratePos(m, at.data(), step.data(), 1);
  }
  if (open < 1e-9) return at;
  return fail(ErrorCode::not_converged, "q", "",
              fmt::format("must be nearer to a closed position: the loops stay open by {}{}", to_text(open),
                          any(held) ? ", the joints that were given staying where they are" : ""));
}

Expected<VecX> MujocoModel::admissible_speeds(const VecX& q, const VecX& u, const std::vector<bool>& held) const {
  auto data = impl_->forward(q, u);
  if (!data) return tl::unexpected(data.error());
  const mjModel* m = impl_->m.get();
  if (any(held)) {
    const MatX G = loops(m, data->get()).G;
    const VecX out = u - least_change(G, G * u, held);
    if ((G * out).norm() <= 1e-9 * (G.cwiseAbs() * u.cwiseAbs()).norm()) return out;
    return fail(ErrorCode::open_loop, "u", "", "the speeds that were given open a loop, whatever the others are");
  }
  return ClosedLoops::of(open_solver(nullptr, m, data->get()), loops(m, data->get()).G)
      .map([&](const ClosedLoops& closed) { return closed.admissible(u); });
}

Expected<ModelState> MujocoModel::at(const VecX& q, const VecX& u) const {
  auto data = impl_->forward(q, u);
  if (!data) return tl::unexpected(data.error());
  const mjModel* m = impl_->m.get();
  auto state = std::make_shared<ModelState::Impl>();
  state->model = impl_;
  state->data = *std::move(data);
  state->q = q;
  state->u = u;
  Loops found = loops(m, state->data.get());
  for (Eigen::Index k = 0; k < found.G.rows(); ++k) {
    const std::string name = name_of(m, mjOBJ_EQUALITY, "equality", found.id[static_cast<std::size_t>(k)]);
    if (std::abs(found.open(k)) > 1e-6)
      return fail(ErrorCode::open_loop, "q", "",
                  fmt::format("must close the loop {}, which is open by {}", name, to_text(found.open(k))));
    const double speed = found.G.row(k).dot(u);
    if (std::abs(speed) > 1e-9 * (found.G.row(k).cwiseAbs().dot(u.cwiseAbs())) + 1e-12)
      return fail(ErrorCode::open_loop, "u", "",
                  fmt::format("must keep the loop {} closed, which opens at {}", name, to_text(speed)));
  }
  state->G = std::move(found.G);
  const MassSolver open = open_solver(impl_, m, state->data.get());
  if (state->G.rows() == 0) {
    state->solve = open;
  } else {
    const auto closed = ClosedLoops::of(open, state->G);
    if (!closed) return tl::unexpected(closed.error());
    state->solve = closed->solver();
  }
  ModelState out;
  out.impl_ = std::move(state);
  return out;
}

Tree MujocoModel::tree() const {
  const mjModel* m = impl_->m.get();
  Tree tree;
  std::vector<int> last(static_cast<std::size_t>(m->nbody), -1);               // the body's last link
  std::vector<Vec3> offset(static_cast<std::size_t>(m->nbody), Vec3::Zero());  // of the body's frame in that link's
  for (int b = 1; b < m->nbody; ++b) {
    const auto p = static_cast<std::size_t>(m->body_parentid[b]);
    Link link;
    link.parent = last[p];
    link.position = offset[p] + vec3(m->body_pos + 3 * b);
    link.rotation = rotation(m->body_quat + 4 * b);
    Vec3 anchor = Vec3::Zero();
    // Each joint moves the body's frame, rotated and translated by those before it: massless intermediate links.
    for (int i = 0; i < m->body_jntnum[b]; ++i) {
      const int j = m->body_jntadr[b] + i;
      const Vec3 next = vec3(m->jnt_pos + 3 * j);
      link.joint = joint_type(m->jnt_type[j]);
      if (link.joint == JointType::free) {  // measured from the world, independent of the file's initial position
        link.position.setZero();
        link.rotation.setIdentity();
      } else {
        link.position += link.rotation * (next - anchor);
        anchor = next;
      }
      link.axis = vec3(m->jnt_axis + 3 * j);
      link.rotor = m->dof_armature[m->jnt_dofadr[j]];
      link.name = impl_->joints[static_cast<std::size_t>(j)].name;
      if (i + 1 == m->body_jntnum[b]) break;
      tree.links.push_back(link);
      link = Link{};
      link.parent = static_cast<int>(tree.links.size()) - 1;
    }
    link.name = body_name(m, b);
    link.mass = m->body_mass[b];
    link.centre = vec3(m->body_ipos + 3 * b) - anchor;
    const Mat3 axes = rotation(m->body_iquat + 4 * b);
    link.inertia = axes * vec3(m->body_inertia + 3 * b).asDiagonal() * axes.transpose();
    link.inertia = Mat3(0.5 * (link.inertia + link.inertia.transpose()));
    tree.links.push_back(link);
    last[static_cast<std::size_t>(b)] = static_cast<int>(tree.links.size()) - 1;
    offset[static_cast<std::size_t>(b)] = -anchor;
  }
  return tree;
}

VecX MujocoModel::tree_position(const VecX& q) const {
  VecX out = q;
  for (const ModelJoint& j : impl_->joints)
    if (ricochet::position_count(j.type) == 1) out(j.position) -= impl_->m->qpos0[j.position];
  return out;
}

Expected<DrivenTree> MujocoModel::driven_tree() const {
  const mjModel* m = impl_->m.get();
  DrivenTree out;
  out.tree = tree();
  // A body's own link is the last of its joints'.
  out.link_of.assign(static_cast<std::size_t>(m->nbody), -1);
  int link = -1;
  for (int b = 1; b < m->nbody; ++b) {
    link += std::max(m->body_jntnum[b], 1);
    out.link_of[static_cast<std::size_t>(b)] = link;
  }
  out.damping = Eigen::Map<const VecX>(m->dof_damping, m->nv);
  out.stiffness = out.rest = VecX::Zero(m->nv);
  for (int j = 0; j < m->njnt; ++j) {
    if (m->jnt_stiffness[j] == 0) continue;
    if (ricochet::speed_count(joint_type(m->jnt_type[j])) != 1) {
      out.ignored.emplace_back("springs of ball joints");
      continue;
    }
    const int at = m->jnt_qposadr[j];
    out.stiffness(m->jnt_dofadr[j]) = m->jnt_stiffness[j];
    out.rest(m->jnt_dofadr[j]) = m->qpos_spring[at] - m->qpos0[at];
  }
  out.dry_friction = Eigen::Map<const VecX>(m->dof_frictionloss, m->nv);
  for (int j = 0; j < m->njnt; ++j) {
    if (m->jnt_limited[j] == 0) continue;
    if (ricochet::speed_count(joint_type(m->jnt_type[j])) != 1) {
      out.ignored.emplace_back("limits of ball joints");
      continue;
    }
    const int at = m->jnt_qposadr[j];
    out.limits.push_back(
        {at, m->jnt_dofadr[j], m->jnt_range[2 * j] - m->qpos0[at], m->jnt_range[2 * j + 1] - m->qpos0[at]});
  }
  std::vector<VecX> rows;
  for (int i = 0; i < m->neq; ++i) {
    if (m->eq_active[i] == 0) continue;
    const mjtNum* data = m->eq_data + static_cast<std::ptrdiff_t>(mjNEQDATA) * i;
    const int first = m->eq_obj1id[i], second = m->eq_obj2id[i];
    if (m->eq_type[i] == mjEQ_CONNECT) {
      // The anchor is in the body's frame, whose origin may be moved in that of its link.
      const int own = out.link_of[static_cast<std::size_t>(first)];
      Vec3 point = vec3(data);
      if (own >= 0)
        point += out.tree.links[static_cast<std::size_t>(own)].centre -
                 vec3(m->body_ipos + 3 * static_cast<std::ptrdiff_t>(first));
      out.connections.push_back({own, out.link_of[static_cast<std::size_t>(second)], point});
      continue;
    }
    const bool proportional = m->eq_type[i] == mjEQ_JOINT && data[2] == 0 && data[3] == 0 && data[4] == 0;
    if (!proportional)
      return fail(ErrorCode::unavailable, "model", name_of(m, mjOBJ_EQUALITY, "equality", i),
                  "is a loop that motion does not have: two points that are connected, and joints that follow another "
                  "in proportion, are kept");
    VecX row = VecX::Zero(m->nv);
    row(m->jnt_dofadr[first]) = 1;
    if (second >= 0) row(m->jnt_dofadr[second]) = -data[1];
    rows.push_back(row);
  }
  out.constraints.resize(static_cast<Eigen::Index>(rows.size()), m->nv);
  for (std::size_t k = 0; k < rows.size(); ++k) out.constraints.row(static_cast<Eigen::Index>(k)) = rows[k];
  for (const std::string& ignored : impl_->description.ignored)
    if (ignored != "damping of joints" && ignored != "springs of joints" && ignored != "joint limits" &&
        ignored != "dry friction of joints")
      out.ignored.push_back(ignored);
  if (m->nu > 0) out.ignored.emplace_back("actuators (give joints forces instead)");
  const auto any_of = [](const mjtNum* x, int n) { return std::any_of(x, x + n, [](mjtNum v) { return v != 0; }); };
  if (any_of(m->tendon_stiffness, m->ntendon) || any_of(m->tendon_damping, m->ntendon))
    out.ignored.emplace_back("springs and dampers of tendons");
  if (m->opt.density != 0 || m->opt.viscosity != 0) out.ignored.emplace_back("forces of the surrounding fluid");
  return out;
}

const VecX& ModelState::q() const { return impl_->q; }
const VecX& ModelState::u() const { return impl_->u; }
MatX ModelState::loop_jacobian() const { return impl_->G; }
MassSolver ModelState::solver() const {
  // The state must outlive the sweep that reads it.
  return [state = impl_](const MatX& X) { return state->solve(X); };
}

MatX ModelState::mass_matrix() const {
  const mjModel* m = impl_->model->m.get();
  MatX M(m->nv, m->nv);
  mj_fullM(m, M.data(), impl_->data->qM);
  return M;
}

double ModelState::kinetic_energy() const { return 0.5 * impl_->u.dot(mass_matrix() * impl_->u); }

namespace {

/// The two shapes, to be named in errors.
struct Pair {
  const mjModel* m;
  int first, second;

  [[nodiscard]] Error unknown(std::string_view why) const {
    return {
        ErrorCode::invalid, "contacts", fmt::format("{} and {}", geom_name(m, first), geom_name(m, second)),
        fmt::format("may be within reach, and the distance of a {} and a {} {}: specify this contact explicitly, or "
                    "exclude the pair from collision",
                    shape_name(m->geom_type[first]), shape_name(m->geom_type[second]), why)};
  }

  [[nodiscard]] ContactPoint contact(const mjData* d, const Touch& touch) const {
    const int a = m->geom_bodyid[first];
    const int b = m->geom_bodyid[second];
    ContactPoint at = touching(touch);
    at.first = geom_name(m, first);
    at.second = geom_name(m, second);
    at.first_body = body_name(m, a);
    at.second_body = body_name(m, b);
    at.J = body_jacobian(m, d, b, at.point) - body_jacobian(m, d, a, at.point);
    at.within = m->body_weldid[a] != 0 && m->body_weldid[b] != 0 && m->body_rootid[a] == m->body_rootid[b];
    return at;
  }
};

/// MuJoCo's contacts of two shapes whose distance it knows exactly.
Expected<std::vector<Touch>> by_mujoco(const Pair& pair, const mjData* d, double reach) {
  const mjModel* m = pair.m;
  // MuJoCo orders the two by shape; here they keep the order of the file, in which the world comes first.
  const bool swap = m->geom_type[pair.first] > m->geom_type[pair.second];
  const int a = swap ? pair.second : pair.first;
  const int b = swap ? pair.first : pair.second;
  std::array<mjContact, mjMAXCONPAIR> found;
  int count = 0;
  const auto fine =
      guarded([&] { count = mjCOLLISIONFUNC[m->geom_type[a]][m->geom_type[b]](m, d, found.data(), a, b, reach); });
  if (!fine) return tl::unexpected(fine.error());
  std::vector<Touch> out;
  for (int k = 0; k < count; ++k) {
    const mjContact& c = found[static_cast<std::size_t>(k)];
    const Vec3 n = (swap ? -1 : 1) * vec3(c.frame).normalized();
    // Each shape's own nearest point: half the gap to either side of the point in between.
    const Vec3 half = 0.5 * c.dist * n;
    out.push_back({.on_A = vec3(c.pos) - half, .on_B = vec3(c.pos) + half, .n = n, .gap = c.dist});
  }
  return out;
}

}  // namespace

bool MujocoModel::has_every_distance() { return have_every_distance(); }

namespace {

/// Of every body, (ω; velocity of the point of it that is at the world's origin).
std::vector<Eigen::Matrix<double, 6, 1>> twists(const mjModel* m, const mjData* d) {
  std::vector<Eigen::Matrix<double, 6, 1>> out(static_cast<std::size_t>(m->nbody));
  for (int b = 0; b < m->nbody; ++b) {
    auto& twist = out[static_cast<std::size_t>(b)];
    mj_objectVelocity(m, d, mjOBJ_XBODY, b, twist.data(), 0);
    const Vec3 w = twist.head<3>();
    twist.tail<3>() -= w.cross(vec3(d->xpos + 3 * static_cast<std::ptrdiff_t>(b)));
  }
  return out;
}

}  // namespace

Expected<FoundContacts> ModelState::contacts(double reach, bool moving_only) const {
  if (!(reach >= 0) || !std::isfinite(reach))
    return fail(ErrorCode::out_of_range, "reach", to_text(reach), "must be finite and not negative");
  const mjModel* m = impl_->model->m.get();
  const mjData* d = impl_->data.get();
  std::vector<std::optional<ConvexShape>> shapes;
  shapes.reserve(static_cast<std::size_t>(m->ngeom));
  for (int g = 0; g < m->ngeom; ++g) shapes.push_back(impl_->model->shape(d, g));
  const auto moving = twists(m, d);
  const auto as_one_piece = [&](int a, int b) {
    const auto& first = moving[static_cast<std::size_t>(a)];
    const auto& second = moving[static_cast<std::size_t>(b)];
    return (first - second).norm() <= 1e-12 * (first.norm() + second.norm());
  };
  FoundContacts out;
  for (int i = 0; i < m->ngeom; ++i) {
    for (int j = i + 1; j < m->ngeom; ++j) {
      if (!may_collide(m, i, j)) continue;
      if (moving_only && as_one_piece(m->geom_bodyid[i], m->geom_bodyid[j])) continue;
      const Pair pair{m, i, j};
      const auto& first = shapes[static_cast<std::size_t>(i)];
      const auto& second = shapes[static_cast<std::size_t>(j)];
      if (!first || !second) {
        out.uncertain.push_back(pair.unknown("is not known"));
        continue;
      }
      if (best_own_slab(*first, *second).width > reach) continue;
      const bool exact =
          exact_distance(std::min(m->geom_type[i], m->geom_type[j]), std::max(m->geom_type[i], m->geom_type[j]));
      const auto field_first = impl_->model->field(i);
      const auto field_second = impl_->model->field(j);
      const auto found =
          exact ? by_mujoco(pair, d, reach) : solid_contacts({*first, field_first}, {*second, field_second}, reach);
      if (!found) {
        out.uncertain.push_back(pair.unknown(fmt::format("is not known ({})", found.error().allowed)));
        continue;
      }
      for (const Touch& touch : *found) out.points.push_back(pair.contact(d, touch));
    }
  }
  return out;
}

std::vector<LinkShape> ModelState::link_shapes() const {
  const mjModel* m = impl_->model->m.get();
  std::vector<LinkShape> out;
  for (int g = 0; g < m->ngeom; ++g) {
    bool collides = m->geom_contype[g] != 0 || m->geom_conaffinity[g] != 0;
    for (int i = 0; i < m->npair; ++i) collides = collides || m->pair_geom1[i] == g || m->pair_geom2[i] == g;
    const auto shape = impl_->model->shape(impl_->data.get(), g);
    if (!shape) continue;
    const int body = m->geom_bodyid[g];
    out.push_back({.name = geom_name(m, g),
                   .body = body_name(m, body),
                   .shape_id = g,
                   .link = body,
                   .fixed = m->body_weldid[body] == 0,
                   .collides = collides,
                   .shape = *shape,
                   .field = impl_->model->field(g)});
  }
  return out;
}

MatX ModelState::jacobian(int body, const Vec3& point) const {
  return body_jacobian(impl_->model->m.get(), impl_->data.get(), body, point);
}

Expected<ContactPoint> ModelState::contact_point(std::string_view first, std::string_view second, const Vec3& point,
                                                 const Vec3& n) const {
  const mjModel* m = impl_->model->m.get();
  const auto body = [&](std::string_view field, std::string_view name) -> Expected<int> {
    std::vector<std::string> names;
    for (int b = 0; b < m->nbody; ++b) {
      names.push_back(body_name(m, b));
      if (names.back() == name) return b;
    }
    return fail(ErrorCode::unknown_name, std::string(field), std::string(name), unknown(name, names));
  };
  const auto a = body("first", first);
  if (!a) return tl::unexpected(a.error());
  const auto b = body("second", second);
  if (!b) return tl::unexpected(b.error());
  if (*a == *b) return fail(ErrorCode::conflict, "second", std::string(second), "must be another body than first");
  if (!point.allFinite()) return fail(ErrorCode::out_of_range, "point", to_text(point), "must be finite");
  if (!(std::abs(n.norm() - 1) <= 1e-9)) return fail(ErrorCode::invalid, "n", to_text(n), "must be a unit vector");
  ContactPoint at;
  at.first = at.first_body = first;
  at.second = at.second_body = second;
  at.point = at.on_first = at.on_second = point;
  at.n = n;
  at.J = body_jacobian(m, impl_->data.get(), *b, point) - body_jacobian(m, impl_->data.get(), *a, point);
  return at;
}

std::vector<ModelShape> ModelState::shapes() const {
  const mjModel* m = impl_->model->m.get();
  const mjData* d = impl_->data.get();
  std::vector<ModelShape> out;
  for (int g = 0; g < m->ngeom; ++g) {
    const auto shape = impl_->model->shape(d, g);
    if (!shape || shape->core == ConvexShape::Core::half_space || impl_->model->field(g)) continue;
    const int body = m->geom_bodyid[g];
    ModelShape one{.name = geom_name(m, g),
                   .body = body_name(m, body),
                   .corners = outline(*shape),
                   .radius = shape->margin,
                   .fixed = m->body_weldid[body] == 0,
                   .centre = shape->position,
                   .J = body_jacobian(m, d, body, shape->position)};
    out.push_back(std::move(one));
  }
  const auto origin = [&](int body) { return vec3(d->xpos + 3 * static_cast<std::ptrdiff_t>(body)); };
  for (int body = 1; body < m->nbody; ++body) {
    if (m->body_weldid[body] == 0) continue;
    std::vector<Vec3> ends;
    bool solid = false;
    for (int g = 0; g < m->ngeom; ++g) {
      if (m->geom_bodyid[g] != body) continue;
      solid = solid || m->geom_type[g] != mjGEOM_SPHERE;
      ends.push_back(vec3(d->geom_xpos + 3 * static_cast<std::ptrdiff_t>(g)));
    }
    if (solid) continue;
    for (int child = body + 1; child < m->nbody; ++child)
      if (m->body_parentid[child] == body) ends.push_back(origin(child));
    for (const Vec3& end : ends) {
      if ((end - origin(body)).norm() == 0) continue;
      const Vec3 centre = 0.5 * (origin(body) + end);
      ModelShape bone{.name = body_name(m, body),
                      .body = body_name(m, body),
                      .corners = {origin(body), end},
                      .bone = true,
                      .centre = centre,
                      .J = body_jacobian(m, d, body, centre)};
      out.push_back(std::move(bone));
    }
  }
  return out;
}

Expected<VecX> ModelState::smooth_acceleration(const VecX& force) const {
  const mjModel* m = impl_->model->m.get();
  if (force.size() != m->nv)
    return fail(ErrorCode::wrong_type, "force", fmt::format("{} numbers", force.size()),
                fmt::format("must have {}", m->nv));
  if (!force.allFinite()) return fail(ErrorCode::out_of_range, "force", "", "every entry must be finite");
  mjData* raw = nullptr;
  const mjData* source = impl_->data.get();
  const double* applied = force.data();
  if (auto fine = guarded([&] { raw = mj_copyData(nullptr, m, source); }); !fine) return tl::unexpected(fine.error());
  const DataPointer data(raw, &mj_deleteData);
  const auto fine = guarded([&] {
    mju_copy(raw->qfrc_applied, applied, m->nv);
    mj_fwdActuation(m, raw);
    mj_fwdAcceleration(m, raw);
  });
  if (!fine) return tl::unexpected(fine.error());
  return VecX(Eigen::Map<const VecX>(data->qacc_smooth, m->nv));
}

}  // namespace ricochet
