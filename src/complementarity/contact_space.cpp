#include "ricochet/complementarity/contact_space.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <cmath>

#include "ricochet/base/error_path.hpp"
#include "ricochet/base/parameter.hpp"

namespace ricochet {
namespace {

constexpr std::size_t examinable = 300;  ///< contacts: beyond, the rank of W is not computed

Mat3 axes_about(const Vec3& n) {
  Mat3 axes;
  axes.col(0) = n;
  axes.col(1) = n.unitOrthogonal();
  axes.col(2) = n.cross(axes.col(1));
  return axes;
}

MatX full(const BlockMatrix& W, std::size_t contacts) {
  const auto n = static_cast<Eigen::Index>(3 * contacts);
  MatX out = MatX::Zero(n, n);
  for (std::size_t i = 0; i < contacts; ++i)
    for (std::size_t b = W.start[i]; b < W.start[i + 1]; ++b)
      out.block<3, 3>(static_cast<Eigen::Index>(3 * i), 3 * static_cast<Eigen::Index>(W.column[b])) = W.block[b];
  return out;
}

}  // namespace

Expected<ContactSpace> contact_space(const Problem& problem) {
  ContactSpace space;
  const auto& all = problem.contacts();
  std::vector<std::uint32_t> place(all.size(), ~std::uint32_t{0});
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (all[i].hinge)
      return fail(ErrorCode::conflict, entry_path("hinge", 0), "in sequence", "must be kept intact for this method");
    if (all[i].inert) continue;
    place[i] = static_cast<std::uint32_t>(space.contacts.size());
    space.contacts.push_back(i);
    space.axes.push_back(axes_about(all[i].contact.n));
  }
  const BlockMatrix W = mobility(problem);
  space.W.start.push_back(0);
  space.U.resize(static_cast<Eigen::Index>(3 * space.size()));
  for (std::size_t k = 0; k < space.size(); ++k) {
    const std::uint32_t i = space.contacts[k];
    for (std::size_t b = W.start[i]; b < W.start[i + 1]; ++b) {
      const std::uint32_t l = place[W.column[b]];
      if (l == ~std::uint32_t{0}) continue;
      space.W.column.push_back(l);
      space.W.block.emplace_back(space.axes[k].transpose() * W.block[b] * space.axes[l]);
    }
    space.W.start.push_back(space.W.column.size());
    space.U.segment<3>(static_cast<Eigen::Index>(3 * k)) = space.axes[k].transpose() * all[i].contact.V;
  }
  return space;
}

void turn(ContactSpace& space, std::size_t i, const Mat2& tangents) {
  Mat3 R = Mat3::Identity();
  R.block<2, 2>(1, 1) = tangents;
  space.axes[i] = Mat3(space.axes[i] * R);
  const auto at = static_cast<Eigen::Index>(3 * i);
  space.U.segment<3>(at) = Vec3(R.transpose() * space.U.segment<3>(at));
  for (std::size_t k = 0; k < space.size(); ++k)
    for (std::size_t b = space.W.start[k]; b < space.W.start[k + 1]; ++b) {
      Mat3& block = space.W.block[b];
      if (k == i) block = Mat3(R.transpose() * block);
      if (space.W.column[b] == i) block = Mat3(block * R);
    }
}

Expected<MatX> dense(const ContactSpace& space, std::size_t most, std::string_view method) {
  if (space.size() > most)
    return fail(
        ErrorCode::out_of_range, "contacts", std::to_string(space.size()),
        fmt::format("{} works on a full matrix and takes at most {}; a sequence takes any number", method, most));
  return full(space.W, space.size());
}

VecX times(const BlockMatrix& W, const VecX& G) {
  VecX out = VecX::Zero(G.size());
  for (std::size_t i = 0; i + 1 < W.start.size(); ++i)
    for (std::size_t b = W.start[i]; b < W.start[i + 1]; ++b)
      out.segment<3>(static_cast<Eigen::Index>(3 * i)) +=
          W.block[b] * G.segment<3>(3 * static_cast<Eigen::Index>(W.column[b]));
  return out;
}

std::optional<bool> singular(const Problem& problem, const ContactSpace& space) {
  if (3 * space.size() > static_cast<std::size_t>(problem.u().size())) return true;
  if (space.size() > examinable) return std::nullopt;
  const MatX W = full(space.W, space.size());
  Eigen::ColPivHouseholderQR<MatX> qr(W);
  qr.setThreshold(1e-12);
  return qr.rank() < W.rows();
}

Expected<std::vector<ContactParameters>> parameters(const Problem& problem, const ContactSpace& space) {
  std::vector<ContactParameters> out;
  for (const std::uint32_t i : space.contacts) {
    const Law& law = problem.contacts()[i].law;
    const std::string path = entry_path("contact", i);
    ContactParameters p;
    const bool known = std::visit(
        [&p](const auto& l) {
          using L = std::decay_t<decltype(l)>;
          if constexpr (std::is_same_v<L, Brach>) return false;  // its friction is a ratio, not a cone
          if constexpr (requires { l.mu; }) p.mu = l.mu;         // one coefficient is all that these methods know
          if constexpr (requires { l.e_t; }) p.e_t = l.e_t;
          if constexpr (requires { l.nu; }) p.nu = l.nu;
          if constexpr (requires { l.e_k; }) {
            p.e = l.e_k;
            return true;
          } else if constexpr (requires { l.e; }) {
            p.e = l.e;
            return true;
          } else {
            return false;
          }
        },
        law);
    if (!known)
      return fail(ErrorCode::invalid, join_path(path, "law"), std::string(laws()[law.index()].name),
                  "must be one that has a coefficient of restitution and one of friction");
    const std::array<std::tuple<const char*, double, Interval>, 4> ranges{{{"e", p.e, between(0, 1)},
                                                                           {"e_t", p.e_t, between(-1, 1)},
                                                                           {"nu", p.nu, between(0, 1)},
                                                                           {"mu", p.mu, at_least(0)}}};
    for (const auto& [name, value, bounds] : ranges)
      if (const auto fine = in_range(name, value, bounds); !fine) return tl::unexpected(under(path, fine.error()));
    out.push_back(p);
  }
  return out;
}

}  // namespace ricochet
