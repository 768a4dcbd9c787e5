#include "ricochet/granular/gas.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "ricochet/base/text.hpp"

namespace ricochet {

namespace {

Expected<void> check(const GasSpec& spec) {
  const auto positive = [](std::string_view path, double x) -> Expected<void> {
    if (std::isfinite(x) && x > 0) return {};
    return fail(ErrorCode::out_of_range, std::string(path), to_text(x), "must be positive and finite");
  };
  const auto not_negative = [](std::string_view path, double x) -> Expected<void> {
    if (std::isfinite(x) && x >= 0) return {};
    return fail(ErrorCode::out_of_range, std::string(path), to_text(x), "must be finite and not negative");
  };
  if (spec.spheres < 2 || spec.spheres > 100'000'000)
    return fail(ErrorCode::out_of_range, "spheres", std::to_string(spec.spheres), "must be from 2 to 100000000");
  if (!(spec.fraction > 0 && spec.fraction <= 0.5))
    return fail(ErrorCode::out_of_range, "fraction", to_text(spec.fraction), "must be above 0 and at most 0.5");
  if (const auto fine = positive("radius", spec.radius); !fine) return fine;
  if (const auto fine = positive("mass", spec.mass); !fine) return fine;
  if (!(spec.inertia_ratio > 0 && spec.inertia_ratio <= 2.0 / 3))
    return fail(ErrorCode::out_of_range, "inertia_ratio", to_text(spec.inertia_ratio),
                "must be above 0 and at most 2/3, that of a shell");
  if (const auto fine = positive("speed", spec.speed); !fine) return fine;
  if (const auto fine = not_negative("spin", spec.spin); !fine) return fine;
  return not_negative("settle", spec.settle);
}

/// Of the cubic lattice on which the spheres start, in each direction.
std::uint32_t lattice_sites(std::uint32_t spheres) {
  return static_cast<std::uint32_t>(std::ceil(std::cbrt(static_cast<double>(spheres)) - 1e-9));
}

}  // namespace

Gas::Gas(const GasSpec& spec, const Law& law) : spec_(spec), law_(law), queue_(spec.spheres) {
  const double volume = spec.spheres * 4.0 / 3 * std::numbers::pi * spec.radius * spec.radius * spec.radius;
  edge_ = std::cbrt(volume / spec.fraction);
  // As small as a sphere allows, but not many more cells than spheres.
  const double most = std::cbrt(8.0 * spec.spheres);
  cells_ = static_cast<std::int32_t>(std::min(std::floor(edge_ / (2 * spec.radius)), std::max(3.0, std::floor(most))));
}

Expected<Gas> Gas::make(const GasSpec& spec, const Law& law) {
  if (const auto fine = check(spec); !fine) return tl::unexpected(fine.error());
  Gas gas(spec, law);
  if (gas.cells_ < 3)
    return fail(ErrorCode::out_of_range, "spheres", std::to_string(spec.spheres),
                "must be more: the box has to be at least three diameters wide");
  const double sites = lattice_sites(spec.spheres);
  if (gas.edge_ <= sites * 2 * spec.radius)
    return fail(ErrorCode::out_of_range, "fraction", to_text(spec.fraction),
                "must be below " + to_text(spec.spheres * std::numbers::pi / 6 / (sites * sites * sites)) +
                    ", so that this number of spheres fits on a cubic lattice");
  gas.place();
  gas.law_ = Frictionless{.e = 1};
  gas.predict_all();
  const auto mixed = gas.advance(static_cast<std::uint64_t>(std::llround(spec.settle * spec.spheres / 2)));
  if (!mixed) return tl::unexpected(mixed.error());
  gas.law_ = law;
  gas.began_ = gas.now_;
  gas.collisions_ = 0;
  gas.work_ = 0;
  gas.not_permissible_ = 0;
  return gas;
}

void Gas::place() {
  reserve_on_large_pages(spheres_, spec_.spheres);
  spheres_.resize(spec_.spheres);
  reserve_on_large_pages(omega_, spec_.spheres);
  omega_.resize(spec_.spheres);
  partner_.assign(spec_.spheres, look_again);
  cell_edge_ = edge_ / cells_;
  const auto in_row = static_cast<std::size_t>(cells_);
  reserve_on_large_pages(first_, in_row * in_row * in_row);
  first_.assign(in_row * in_row * in_row, -1);
  const std::uint32_t sites = lattice_sites(spec_.spheres);
  const std::uint64_t all = std::uint64_t{sites} * sites * sites;
  const double spacing = edge_ / sites;
  std::mt19937_64 random(spec_.seed);
  std::normal_distribution<double> normal;
  Vec3 mean = Vec3::Zero();
  for (std::uint32_t i = 0; i < spec_.spheres; ++i) {
    // The sites that stay empty are spread evenly.
    const std::uint64_t site = std::uint64_t{i} * all / spec_.spheres;
    const std::uint64_t row = site / sites, layer = row / sites;
    const Vec3 at(static_cast<double>(site % sites), static_cast<double>(row % sites), static_cast<double>(layer));
    Sphere& s = spheres_[i];
    s.x = spacing * (at + Vec3::Constant(0.5));
    for (int k = 0; k < 3; ++k) s.v(k) = normal(random);
    for (int k = 0; k < 3; ++k) omega_[i](k) = spec_.spin * normal(random);
    mean += s.v;
    insert(i);
  }
  mean /= spec_.spheres;
  double square = 0;
  for (Sphere& s : spheres_) {
    s.v -= mean;
    square += s.v.squaredNorm();
  }
  const double scale = spec_.speed / std::sqrt(square / (3.0 * spec_.spheres));
  for (Sphere& s : spheres_) s.v *= scale;
}

void Gas::insert(std::uint32_t i) {
  Sphere& s = spheres_[i];
  std::array<std::int32_t, 3> c{};
  for (int k = 0; k < 3; ++k)
    c[static_cast<std::size_t>(k)] = std::clamp(static_cast<std::int32_t>(s.x(k) / cell_edge_), 0, cells_ - 1);
  s.cell = (c[2] * cells_ + c[1]) * cells_ + c[0];
  s.next = first_[static_cast<std::size_t>(s.cell)];
  first_[static_cast<std::size_t>(s.cell)] = static_cast<std::int32_t>(i);
}

void Gas::remove(std::uint32_t i) {
  std::int32_t* link = &first_[static_cast<std::size_t>(spheres_[i].cell)];
  while (*link != static_cast<std::int32_t>(i)) link = &spheres_[static_cast<std::size_t>(*link)].next;
  *link = spheres_[i].next;
}

void Gas::predict_all() {
  for (std::uint32_t i = 0; i < spec_.spheres; ++i) predict(i);
}

void Gas::move_to_now(std::uint32_t i) {
  Sphere& s = spheres_[i];
  s.x += (now_ - s.clock) * s.v;
  s.clock = now_;
}

/// The next event of sphere i. It has none when this is called, and nobody's next event is a collision with it.
void Gas::predict(std::uint32_t i) {
  const Sphere& s = spheres_[i];
  const Vec3 here = s.x + (now_ - s.clock) * s.v;
  const std::int32_t n = cells_;
  const std::array<std::int32_t, 3> c{s.cell % n, s.cell / n % n, s.cell / n / n};

  double time = std::numeric_limits<double>::infinity();
  std::int32_t what = look_again;
  for (int k = 0; k < 3; ++k) {
    if (s.v(k) == 0) continue;
    const bool up = s.v(k) > 0;
    const double wall = cell_edge_ * (c[static_cast<std::size_t>(k)] + (up ? 1 : 0));
    const double at = now_ + std::max(0.0, (wall - here(k)) / s.v(k));
    if (at < time) {
      time = at;
      what = leave - (2 * k + (up ? 1 : 0));
    }
  }

  const double reach = 4 * spec_.radius * spec_.radius;
  // Neighbours across the face of the box are shifted by its edge.
  struct Along {
    std::int32_t cell;
    double shift;
  };
  std::array<std::array<Along, 3>, 3> along;
  for (std::size_t k = 0; k < 3; ++k)
    for (std::int32_t d = 0; d < 3; ++d) {
      Along& a = along[k][static_cast<std::size_t>(d)];
      a = {c[k] + d - 1, 0};
      if (a.cell < 0) a = {n - 1, -edge_};
      if (a.cell >= n) a = {0, edge_};
    }
  // Those that may be met, fetched before they are looked at: in a large gas every one is a line of memory far away.
  constexpr std::size_t room = 64;
  std::array<std::int32_t, room> near;
  std::size_t count = 0;
  std::array<Vec3, 27> shifts;
  std::array<std::uint8_t, room> shift_of;
  std::size_t cell = 0;
  for (const Along& z : along[2])
    for (const Along& y : along[1])
      for (const Along& x : along[0]) {
        shifts[cell] = Vec3(x.shift, y.shift, z.shift);
        const std::int32_t there = (z.cell * n + y.cell) * n + x.cell;
        const std::int32_t j = first_[static_cast<std::size_t>(there)];
        if (j >= 0) {
          __builtin_prefetch(&spheres_[static_cast<std::size_t>(j)]);
          near[count] = j;
          shift_of[count++] = static_cast<std::uint8_t>(cell);
        }
        ++cell;
      }
  const auto look_at = [&](std::int32_t j, const Vec3& shift) {
    if (j == static_cast<std::int32_t>(i)) return;
    const Sphere& o = spheres_[static_cast<std::size_t>(j)];
    const Vec3 apart = o.x + (now_ - o.clock) * o.v + shift - here;
    const Vec3 closing = o.v - s.v;
    const double b = apart.dot(closing);
    if (!(b < 0)) return;
    const double gap = apart.squaredNorm() - reach;
    double at = now_;
    if (gap > 0) {
      const double under = b * b - closing.squaredNorm() * gap;
      if (!(under > 0)) return;
      at += gap / (std::sqrt(under) - b);
    }
    if (at < time && at < queue_.time(static_cast<std::uint32_t>(j))) {
      time = at;
      what = j;
    }
  };
  for (std::size_t k = 0; k < count; ++k) {
    const std::int32_t j = near[k];
    const std::int32_t next = spheres_[static_cast<std::size_t>(j)].next;
    if (next >= 0) {
      __builtin_prefetch(&spheres_[static_cast<std::size_t>(next)]);
      if (count < room) {
        near[count] = next;
        shift_of[count++] = shift_of[k];
      } else {
        for (std::int32_t o = next; o >= 0; o = spheres_[static_cast<std::size_t>(o)].next)
          look_at(o, shifts[shift_of[k]]);
      }
    }
    look_at(j, shifts[shift_of[k]]);
  }

  if (what >= 0) {
    const auto j = static_cast<std::uint32_t>(what);
    if (partner_[j] >= 0) partner_[static_cast<std::size_t>(partner_[j])] = look_again;
    partner_[j] = static_cast<std::int32_t>(i);
    queue_.change(j, time);
  }
  partner_[i] = what;
  queue_.change(i, time);
}

void Gas::cross(std::uint32_t i, int direction) {
  remove(i);
  Sphere& s = spheres_[i];
  const std::int32_t n = cells_;
  std::array<std::int32_t, 3> c{s.cell % n, s.cell / n % n, s.cell / n / n};
  const int k = direction / 2;
  std::int32_t& along = c[static_cast<std::size_t>(k)];
  along += direction % 2 == 1 ? 1 : -1;
  if (along < 0) {
    along = n - 1;
    s.x(k) += edge_;
  } else if (along >= n) {
    along = 0;
    s.x(k) -= edge_;
  }
  s.cell = (c[2] * n + c[1]) * n + c[0];
  s.next = first_[static_cast<std::size_t>(s.cell)];
  first_[static_cast<std::size_t>(s.cell)] = static_cast<std::int32_t>(i);
}

Expected<void> Gas::collide_pair(std::uint32_t a, std::uint32_t b) {
  move_to_now(a);
  move_to_now(b);
  Sphere &A = spheres_[a], &B = spheres_[b];
  Vec3 apart = B.x - A.x;
  for (int k = 0; k < 3; ++k) apart(k) -= edge_ * std::round(apart(k) / edge_);
  const double m = spec_.mass, q = spec_.inertia_ratio, r = spec_.radius;
  const double along = 2 / m, across = 2 / m * (1 + q) / q;
  Contact contact;
  contact.n = apart.normalized();
  const Vec3& n = contact.n;
  contact.W = across * Mat3::Identity() + (along - across) * n * n.transpose();
  contact.M = 1 / across * Mat3::Identity() + (1 / along - 1 / across) * n * n.transpose();
  contact.mass_given = false;
  contact.V = B.v - A.v - r * (omega_[a] + omega_[b]).cross(n);
  const Expected<Outcome> outcome = collide(law_, contact);
  if (!outcome) return tl::unexpected(outcome.error());
  const Vec3& P = outcome->P;
  A.v -= P / m;
  B.v += P / m;
  const Vec3 turn = n.cross(P) / (q * m * r);
  omega_[a] -= turn;
  omega_[b] -= turn;
  work_ += outcome->energy_change;
  if (!outcome->certificate.permissible) ++not_permissible_;
  return {};
}

Expected<void> Gas::advance(std::uint64_t collisions) {
  const std::uint64_t end = collisions_ + collisions;
  while (collisions_ < end) {
    const std::uint32_t i = queue_.first();
    const double time = queue_.time(i);
    if (!std::isfinite(time)) return fail(ErrorCode::no_solution, "", "", "all spheres are at rest");
    queue_.visit_next([&](std::uint32_t k) { __builtin_prefetch(&spheres_[k]); });
    const std::int32_t what = partner_[i];
    const bool stands = !(time > now_);
    now_ = time;
    if (what >= 0) {
      const auto j = static_cast<std::uint32_t>(what);
      without_time_ = stands ? without_time_ + 1 : 0;
      if (without_time_ >= 1000)
        return fail(ErrorCode::not_converged, "", "",
                    "inelastic collapse at " + to_text(now_ - began_) + " s, after " + std::to_string(collisions_) +
                        " collisions: 1000 of them at the same time");
      if (const auto done = collide_pair(i, j); !done) return done;
      ++collisions_;
      constexpr double never = std::numeric_limits<double>::infinity();
      partner_[i] = partner_[j] = look_again;
      queue_.change(i, never);
      queue_.change(j, never);
      predict(i);
      // The first of the two may have taken the other at once, as its next partner.
      if (partner_[j] == look_again) predict(j);
      continue;
    }
    if (what <= leave) cross(i, leave - what);
    partner_[i] = look_again;
    queue_.change(i, std::numeric_limits<double>::infinity());
    predict(i);
  }
  return {};
}

Vec3 Gas::position(std::uint32_t sphere) const {
  const Sphere& s = spheres_[sphere];
  Vec3 x = s.x + (now_ - s.clock) * s.v;
  for (int k = 0; k < 3; ++k) x(k) -= edge_ * std::floor(x(k) / edge_);
  return x;
}

GasState Gas::state() const {
  GasState out;
  out.time = now_ - began_;
  out.collisions = collisions_;
  double v = 0, w = 0;
  for (std::uint32_t i = 0; i < spec_.spheres; ++i) {
    v += spheres_[i].v.squaredNorm();
    w += omega_[i].squaredNorm();
    out.momentum += spec_.mass * spheres_[i].v;
  }
  const double I = spec_.inertia_ratio * spec_.mass * spec_.radius * spec_.radius;
  out.translational_temperature = spec_.mass * v / (3.0 * spec_.spheres);
  out.rotational_temperature = I * w / (3.0 * spec_.spheres);
  out.energy = 0.5 * (spec_.mass * v + I * w);
  out.work = work_;
  out.not_permissible = not_permissible_;
  return out;
}

}  // namespace ricochet
