#include "ricochet/simultaneous/settling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace ricochet {
namespace {

constexpr std::size_t longest_history = std::size_t{1} << 14U;
constexpr std::size_t repeats = 3;     ///< periods that make a pattern
constexpr std::size_t most_sums = 24;  ///< then they are merged in pairs
constexpr std::size_t most_order = 8;  ///< degree of the minimal polynomial
constexpr std::size_t patience = 64;   ///< periods that must be equal in a cycle
constexpr double alike = 1e-12;        ///< periods of a cycle

double dot(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
  return sum;
}

void add(std::vector<Vec3>& a, const std::vector<Vec3>& b, double scale = 1) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += scale * b[i];
}

}  // namespace

Settling::Prediction Settling::note(std::uint32_t contact, Mode mode, const Vec3& P, const Vec3& n) {
  const std::uint64_t token = (std::uint64_t{contact} << 3U) | static_cast<std::uint64_t>(mode);
  if (history_.size() < longest_history) {
    history_.push_back(token);
  } else {
    history_[count_ % longest_history] = token;
  }
  ++count_;
  if (!pattern_.empty()) {
    if (token != pattern_[step_]) {
      pattern_.clear();
      next_look_ = std::max(next_look_, count_ + 24);
      return Prediction::none;
    }
    running_[step_] = P;
    normal_[step_] = n;
    if (++step_ < pattern_.size()) return Prediction::none;
    step_ = 0;
    return end_period();
  }
  if (count_ >= next_look_) {
    look_for_pattern();
    next_look_ = count_ + count_ / 2;
  }
  return Prediction::none;
}

/// Shortest period of what happened last, by the Z-function of the reversed history: z[p] is how far it agrees with
/// itself shifted by p.
void Settling::look_for_pattern() {
  const std::size_t size = history_.size();
  std::vector<std::uint64_t> r(size);
  for (std::size_t i = 0; i < size; ++i) r[i] = history_[(count_ - 1 - i) % longest_history];
  std::vector<std::size_t> z(size, 0);
  std::size_t left = 0;
  std::size_t right = 0;
  for (std::size_t p = 1; p < size; ++p) {
    if (p < right) z[p] = std::min(right - p, z[p - left]);
    while (p + z[p] < size && r[z[p]] == r[p + z[p]]) ++z[p];
    if (p + z[p] > right) {
      left = p;
      right = p + z[p];
    }
    if (z[p] < (repeats - 1) * p || p < 2) continue;
    pattern_.assign(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(p));
    std::reverse(pattern_.begin(), pattern_.end());
    break;
  }
  if (pattern_.empty()) return;
  contacts_.clear();
  slot_.clear();
  for (const std::uint64_t token : pattern_) {
    const auto contact = static_cast<std::uint32_t>(token >> 3U);
    const auto at = std::find(contacts_.begin(), contacts_.end(), contact);
    slot_.push_back(static_cast<std::uint32_t>(at - contacts_.begin()));
    if (at == contacts_.end()) contacts_.push_back(contact);
  }
  running_ = gathered_ = normal_ = Period(pattern_.size(), Vec3::Zero());
  sums_.clear();
  step_ = periods_ = open_ = 0;
  stride_ = 1;
  next_offer_ = 3;
}

Settling::Prediction Settling::end_period() {
  ++periods_;
  add(gathered_, running_);
  std::fill(running_.begin(), running_.end(), Vec3::Zero());
  if (++open_ < stride_) return Prediction::none;
  open_ = 0;
  sums_.push_back(gathered_);
  std::fill(gathered_.begin(), gathered_.end(), Vec3::Zero());
  if (periods_ >= patience) {
    const double size = std::sqrt(dot(sums_[0], sums_[0]));
    const bool same = std::all_of(sums_.begin(), sums_.end(), [&](const Period& g) {
      Period difference = g;
      add(difference, sums_[0], -1);
      return std::sqrt(dot(difference, difference)) <= alike * size;
    });
    if (same && sums_.size() > 3) return Prediction::cycle;
  }
  const bool limit = periods_ >= next_offer_ && extrapolate();
  if (sums_.size() == most_sums) {  // also after an offer, which may be declined
    for (std::size_t i = 0; 2 * i < most_sums; ++i) {
      Period merged = sums_[2 * i];
      add(merged, sums_[2 * i + 1]);
      sums_[i] = std::move(merged);
    }
    sums_.resize(most_sums / 2);
    stride_ *= 2;
  }
  return limit ? Prediction::limit : Prediction::none;
}

/// The recurrence that the order + 1 entries up to sums_[last] obey (Q4): least squares by modified Gram–Schmidt on
/// entries of unit length.
bool Settling::fit(std::size_t last, std::size_t order, Recurrence& c) const {
  const std::size_t first = last - order;
  std::array<Period, most_order> Q;
  std::array<std::array<double, most_order>, most_order> R{};
  std::array<double, most_order + 1> size{};
  for (std::size_t j = 0; j <= order; ++j) {
    size[j] = std::sqrt(dot(sums_[first + j], sums_[first + j]));
    if (!(size[j] > 0)) return false;
  }
  const auto unit = [&](std::size_t j) {
    Period g = sums_[first + j];
    for (Vec3& v : g) v /= size[j];
    return g;
  };
  for (std::size_t j = 0; j < order; ++j) {
    Q[j] = unit(j);
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t i = 0; i < j; ++i) {
        const double along = dot(Q[i], Q[j]);
        R[i][j] += along;
        add(Q[j], Q[i], -along);
      }
    R[j][j] = std::sqrt(dot(Q[j], Q[j]));
    if (!(R[j][j] > 1e-11)) return false;  // a lower order explains as much
    for (Vec3& v : Q[j]) v /= R[j][j];
  }
  Period target = unit(order);
  std::array<double, most_order> b{};
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t i = 0; i < order; ++i) {
      const double along = dot(Q[i], target);
      b[i] -= along;
      add(target, Q[i], -along);
    }
  c.assign(order + 1, 1);
  for (std::size_t i = order; i-- > 0;) {
    double x = b[i];
    for (std::size_t j = i + 1; j < order; ++j) x -= R[i][j] * c[j];
    c[i] = x / R[i][i];
  }
  for (std::size_t j = 0; j < order; ++j) c[j] *= size[order] / size[j];
  return true;
}

/// All that follows sums_[last]: Σ_j γ_j x_j less everything up to and with it; entry j is in x_{j+1} … x_d only.
bool Settling::sum_up(std::size_t last, const Recurrence& c, Period& tail) const {
  const std::size_t order = c.size() - 1;
  double sum = 0;
  for (const double x : c) sum += x;
  tail.assign(pattern_.size(), Vec3::Zero());
  double share = 0;  // γ_0 + … + γ_j
  for (std::size_t j = 0; j <= order; ++j) {
    share += c[j] / sum;
    add(tail, sums_[last - order + j], -share);
  }
  return std::all_of(tail.begin(), tail.end(), [](const Vec3& v) { return v.allFinite(); });
}

/// Follows the recurrence into the future. A period with a tensile impulse breaks the pattern, as oscillating terms
/// (complex roots) do; the check ends when only one decaying term is left.
bool Settling::keeps_pushing(const Recurrence& c) {
  const std::size_t order = c.size() - 1;
  std::vector<Period> g(sums_.end() - static_cast<std::ptrdiff_t>(order), sums_.end());
  double ratio = 0;
  ahead_.clear();
  // Beyond this the state is too close to its limit for the pattern to be distinguished from rounding.
  const auto visible = [whole = dot(sums_[0], sums_[0])](const Period& period) {
    return dot(period, period) > 1e-20 * whole;
  };
  Period so_far(pattern_.size(), Vec3::Zero());
  for (unsigned k = 0; k < 2000; ++k) {
    if (std::has_single_bit(k) && visible(g.back())) ahead_.push_back(by_contact(so_far));
    Period next(pattern_.size(), Vec3::Zero());
    for (std::size_t j = 0; j < order; ++j) add(next, g[j], -c[j]);
    const double size = std::sqrt(dot(next, next));
    for (std::size_t i = 0; i < next.size(); ++i)
      if (normal_[i].dot(next[i]) < -1e-12 * size) return false;
    const Period& last = g.back();
    const double before = dot(last, last);
    if (!(before > 0)) return true;
    // One term: the direction stays, and so does the ratio. A slow oscillation may keep the direction for long.
    const double ratio_now = dot(next, last) / before;
    Period across = next;
    add(across, last, -ratio_now);
    const bool one_term = ratio_now > 0 && ratio_now < 1 && dot(across, across) <= 1e-20 * before &&
                          std::abs(ratio_now - ratio) <= 1e-10 * (1 - ratio_now) + 1e-15;
    if (one_term && k >= order) {
      if (visible(last)) ahead_.push_back(by_contact(so_far));
      return true;
    }
    add(so_far, next);
    ratio = ratio_now;
    std::move(g.begin() + 1, g.end(), g.begin());
    g.back() = std::move(next);
  }
  return false;
}

std::vector<Vec3> Settling::by_contact(const Period& period) const {
  std::vector<Vec3> out(contacts_.size(), Vec3::Zero());
  for (std::size_t i = 0; i < period.size(); ++i) out[slot_[i]] += period[i];
  return out;
}

bool Settling::extrapolate() {
  const std::size_t count = sums_.size();
  Period all(pattern_.size(), Vec3::Zero());
  for (const Period& g : sums_) add(all, g);
  Period now;
  Period before;
  Recurrence c;
  for (std::size_t order = 1; order <= most_order && order + 2 <= count; ++order) {
    if (!fit(count - 2, order, c) || !sum_up(count - 2, c, before)) continue;
    if (!fit(count - 1, order, c) || !sum_up(count - 1, c, now)) continue;
    const double scale = std::sqrt(dot(now, now)) + std::sqrt(dot(all, all));
    add(before, sums_[count - 1], -1);
    add(before, now, -1);
    if (std::sqrt(dot(before, before)) > agreement * scale) continue;
    if (!keeps_pushing(c)) {
      next_offer_ = 2 * periods_;
      return false;
    }
    tail_ = by_contact(now);
    return true;
  }
  return false;
}

void Settling::decline() { next_offer_ = 2 * periods_; }

void Settling::restart() {
  pattern_.clear();
  history_.clear();
  count_ = 0;
  next_look_ = 24;
}

std::vector<std::uint32_t> Settling::pattern() const {
  std::vector<std::uint32_t> out;
  out.reserve(pattern_.size());
  for (const std::uint64_t token : pattern_) out.push_back(static_cast<std::uint32_t>(token >> 3U));
  return out;
}

}  // namespace ricochet
