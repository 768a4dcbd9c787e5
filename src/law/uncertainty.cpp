#include "ricochet/law/uncertainty.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <tuple>

#include "law_rows.hpp"
#include "ricochet/base/read_number.hpp"
#include "ricochet/base/suggest.hpp"
#include "ricochet/base/text.hpp"

namespace ricochet {
namespace {

/// Normal numbers, the same on every platform: the standard distributions are not specified to the last bit.
class Normal {
 public:
  explicit Normal(std::uint64_t seed) : bits_(seed) {}
  double operator()() {
    if (spare_) {
      spare_ = false;
      return next_;
    }
    const double u = uniform(), v = uniform();
    const double radius = std::sqrt(-2 * std::log(1 - u)), angle = 2 * std::numbers::pi * v;
    next_ = radius * std::sin(angle);
    spare_ = true;
    return radius * std::cos(angle);
  }

 private:
  double uniform() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }
  std::mt19937_64 bits_;
  bool spare_ = false;
  double next_ = 0;
};

/// A parameter of the law moved by `change`, which has its columns. One that takes its default from it and has the same
/// value, as a μ_s that is not given, moves along.
template <class L>
void move_parameter(L& law, std::string_view name, const double* change) {
  double before = std::numeric_limits<double>::quiet_NaN();
  const auto move = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    constexpr const ParameterInfo& info = LawRow<L>::parameters[I];
    auto& member = law.*std::get<I>(LawRow<L>::members);
    using Member = std::decay_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, double>) {
      const bool follows = info.default_value.kind == ParameterDefault::Kind::parameter &&
                           info.default_value.text == name && member == before;
      if (info.name == name) before = bound_number<LawRow<L>, I>(law);
      if (info.name == name) member = before + *change;
      if (follows) member = before + *change;
    } else if constexpr (std::is_same_v<Member, Vec3>) {
      if (info.name == name) member += Vec3(change[0], change[1], change[2]);
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) { (move(std::integral_constant<std::size_t, I>{}), ...); }
  (std::make_index_sequence<LawRow<L>::parameters.size()>{});
}

void move_parameter_of(Law& law, std::string_view name, const double* change) {
  std::visit(
      [&]<class L>(L& l) {
        move_parameter(l, name, change);
        if constexpr (std::is_same_v<L, Composite>)
          for (BaseLaw* part : {&l.first, &l.second})
            std::visit([&](auto& one) { move_parameter(one, name, change); }, *part);
      },
      law);
}

struct Spread {
  const DerivativeInput* input;
  std::array<double, 6> sigma;
};

Expected<std::vector<Spread>> spreads_of(const Derivatives& d, std::span<const InputDeviation> deviations) {
  std::vector<Spread> out;
  std::vector<std::string_view> names;
  names.reserve(static_cast<std::size_t>(d.inputs));
  for (int i = 0; i < d.inputs; ++i) names.push_back(d.input[static_cast<std::size_t>(i)].name);
  for (const InputDeviation& one : deviations) {
    const DerivativeInput* input = d.find(one.name);
    if (input == nullptr)
      return fail(ErrorCode::unknown_name, one.name, "",
                  fmt::format("is no input of this law; one of {}", fmt::join(names, ", ")));
    const auto count = static_cast<std::size_t>(input->count);
    if (one.sigma.size() != 1 && one.sigma.size() != count)
      return fail(ErrorCode::wrong_type, one.name, fmt::format("{} numbers", one.sigma.size()),
                  fmt::format("must be one standard deviation, or {}", count));
    Spread spread{input, {}};
    for (std::size_t k = 0; k < count; ++k) {
      spread.sigma[k] = one.sigma[one.sigma.size() == 1 ? 0 : k];
      if (!(spread.sigma[k] >= 0) || !std::isfinite(spread.sigma[k]))
        return fail(ErrorCode::out_of_range, one.name, to_text(spread.sigma[k]),
                    "must be a standard deviation, finite and not negative");
    }
    out.push_back(spread);
  }
  return out;
}

/// The contact moved; refused where it is none.
Expected<Contact> moved_contact(const Contact& contact, const std::vector<Spread>& spreads,
                                const Eigen::Matrix<double, 1, Derivatives::columns>& change) {
  Mat3 A = contact.mass_given ? contact.M : contact.W;
  Vec3 V = contact.V, n = contact.n, spin = contact.spin;
  for (const Spread& one : spreads) {
    const int at = one.input->first;
    if (one.input->name == "spin") spin += change.segment<3>(at).transpose();
    if (one.input->name == "V") V += change.segment<3>(at).transpose();
    if (one.input->name == "n") n += change.segment<3>(at).transpose();
    if (one.input->name == "M" || one.input->name == "W") {
      int k = at;
      for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j, ++k) {
          A(i, j) += change(k);
          if (i != j) A(j, i) = A(i, j);
        }
      }
    }
  }
  auto out = contact.mass_given ? contact_from_mass(A, V, n) : contact_from_mobility(A, V, n);
  if (out) out->spin = spin;
  return out;
}

}  // namespace

double OutcomeSpread::deviation(int row) const { return std::sqrt(covariance(row, row)); }

Expected<std::vector<InputDeviation>> read_deviations(std::string_view text) {
  std::vector<InputDeviation> out;
  while (!text.empty()) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos)
      return fail(ErrorCode::malformed, "", std::string(text),
                  "must be name=deviation, for example e=0.05,mu=0.1,V=[0.01,0,0]");
    InputDeviation one{std::string(trim(text.substr(0, equals))), {}};
    for (const InputDeviation& earlier : out)
      if (earlier.name == one.name) return fail(ErrorCode::conflict, one.name, "", "given twice");
    text.remove_prefix(equals + 1);
    const bool list = trim(text).starts_with('[');
    const auto end = std::min(text.find(list ? ']' : ','), text.size());
    std::string_view numbers = text.substr(0, end);
    const std::string shown(trim(text.substr(0, std::min(end + (list ? 1U : 0U), text.size()))));
    if (list) numbers.remove_prefix(numbers.find('[') + 1);
    while (true) {
      const auto comma = std::min(numbers.find(','), numbers.size());
      const auto x = read_number(trim(numbers.substr(0, comma)));
      if (!x || (list && end == text.size()))
        return fail(ErrorCode::wrong_type, one.name, shown, "must be a standard deviation, or a list of them in [ ]");
      if (!(*x >= 0) || !std::isfinite(*x))
        return fail(ErrorCode::out_of_range, one.name, shown, "must be a standard deviation, finite and not negative");
      one.sigma.push_back(*x);
      if (comma == numbers.size()) break;
      numbers.remove_prefix(comma + 1);
    }
    out.push_back(std::move(one));
    text.remove_prefix(end);
    if (list) text.remove_prefix(1);
    text = trim(text);
    if (text.empty()) break;
    if (!text.starts_with(','))
      return fail(ErrorCode::malformed, "", std::string(text), "must be separated by a comma");
    text.remove_prefix(1);
  }
  if (out.empty()) return fail(ErrorCode::missing, "", "", "names no input; for example e=0.05,mu=0.1,V=[0.01,0,0]");
  return out;
}

Expected<UncertainOutcome> propagate(const Law& law, const Contact& contact, std::span<const InputDeviation> deviations,
                                     const SamplingOptions& options) {
  if (options.samples < 2)
    return fail(ErrorCode::out_of_range, "samples", to_text(options.samples), "must be at least 2");
  const auto centre = collide_with_derivatives(law, contact);
  if (!centre) return tl::unexpected(centre.error());
  const Derivatives& d = centre->derivatives;
  const auto spreads = spreads_of(d, deviations);
  if (!spreads) return tl::unexpected(spreads.error());

  UncertainOutcome out;
  out.kink = centre->kink;
  Eigen::Matrix<double, 1, Derivatives::columns> sigma;
  sigma.setZero();
  for (const Spread& one : *spreads)
    for (int k = 0; k < one.input->count; ++k) sigma(one.input->first + k) = one.sigma[static_cast<std::size_t>(k)];
  if (centre->projected && !sigma.head<12>().isZero(0))
    return fail(ErrorCode::invalid, "W", "",
                "is singular: samples of W, V and n would leave what it permits; only parameters can be uncertain");
  using Seven = Eigen::Matrix<double, 7, 1>;
  out.first_order.mean << centre->outcome.P, centre->outcome.V, centre->outcome.energy_change;
  if (out.kink.empty()) {
    for (int k = 0; k < d.width; ++k) {
      if (sigma(k) == 0) continue;
      if (!d.jacobian.col(k).allFinite()) {
        out.kink = "a parameter at the end of its range";
        break;
      }
      const Seven column = sigma(k) * d.jacobian.col(k);
      out.first_order.covariance += column * column.transpose();
    }
  }
  if (!out.kink.empty()) out.first_order.covariance.setZero();
  for (int i = 0; i < d.changes; ++i) {
    const ModeChange& change = d.change[static_cast<std::size_t>(i)];
    const double spread = change.gradient.leftCols(d.width).cwiseProduct(sigma.leftCols(d.width)).norm();
    if (spread > 0 && std::abs(change.distance) <= 2 * spread)
      out.nearby.push_back({change.what, std::abs(change.distance) / spread});
  }

  Normal normal(options.seed);
  std::vector<Seven> samples;
  samples.reserve(static_cast<std::size_t>(options.samples));
  while (static_cast<int>(samples.size()) < options.samples) {
    Eigen::Matrix<double, 1, Derivatives::columns> change;
    change.setZero();
    for (int k = 0; k < d.width; ++k)
      if (sigma(k) > 0) change(k) = sigma(k) * normal();
    Law moved = law;
    for (const Spread& one : *spreads)
      if (one.input->first >= 12) move_parameter_of(moved, one.input->name, &change(one.input->first));
    const auto outcome =
        moved_contact(contact, *spreads, change).and_then([&](const Contact& other) { return collide(moved, other); });
    if (outcome) {
      Seven y;
      y << outcome->P, outcome->V, outcome->energy_change;
      samples.push_back(y);
    } else if (++out.redrawn > options.samples) {
      return fail(
          ErrorCode::invalid, "", "",
          fmt::format("more samples are refused than accepted, the last one with: {}", outcome.error().message()));
    }
  }
  out.samples = options.samples;
  for (const Seven& y : samples) out.sampled.mean += y;
  out.sampled.mean /= options.samples;
  for (const Seven& y : samples) {
    const Seven away = y - out.sampled.mean;
    out.sampled.covariance += away * away.transpose();
  }
  out.sampled.covariance /= options.samples - 1;
  return out;
}

}  // namespace ricochet
