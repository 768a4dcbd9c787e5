#include "ricochet/law/registry.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "ricochet/base/suggest.hpp"
#include "ricochet/law/collide.hpp"

namespace ricochet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();

constexpr ParameterInfo needed_e{"e", "0 to 1", "", "kinematic restitution: rebound speed over approach speed"};
constexpr ParameterInfo needed_mu{"mu", "0 to inf", "", "friction coefficient"};
constexpr ParameterInfo needed_e_k{"e_k", "0 to 1", "e",
                                   "kinetic (Poisson) restitution: impulse of restitution over that of compression"};

constexpr std::array frictionless_parameters{needed_e};
constexpr std::array chatterjee_ruina_parameters{
    needed_e, needed_mu, ParameterInfo{"e_t", "-1 to 1", "0", "tangential restitution"},
    ParameterInfo{"smooth", "0 to 1", "0", "width of the stick-slip transition; 0 is sharp, as published"}};
constexpr std::array bilinear_parameters{needed_e, needed_mu,
                                         ParameterInfo{"e_t", "-1 to 1", "0", "tangential restitution"}};
constexpr std::array routh_parameters{ParameterInfo{"e", "0 to 1", "", "restitution, in the sense of `restitution`"},
                                      ParameterInfo{"mu", "0 to inf", "", "sliding friction coefficient"},
                                      ParameterInfo{"mu_s", "mu to inf", "mu", "sticking friction coefficient"},
                                      ParameterInfo{"restitution", "poisson, stronge or newton", "poisson",
                                                    "what e compares: impulses, works or speeds"}};
constexpr std::array e_mu_parameters{needed_e, needed_mu};
constexpr std::array brach_parameters{
    ParameterInfo{"e", "0 or more, finite", "", "kinematic restitution; may exceed 1, the certificate tells"},
    ParameterInfo{"mu_2", "any finite", "", "impulse ratio P_2 / P_n against the initial slip"},
    ParameterInfo{"mu_3", "any finite", "", "impulse ratio P_3 / P_n across it"},
    ParameterInfo{"mu", "0 to inf", "inf", "friction that the certificate holds the ratios to"}};
constexpr std::array pfeiffer_glocker_parameters{
    needed_e_k, needed_mu,
    ParameterInfo{"nu", "0 to 1", "0", "reversible share of the tangential impulse of compression"},
    ParameterInfo{"e_t", "0 to 1", "0", "tangential restitution of that share"}};
constexpr std::array anitescu_potra_parameters{needed_e_k, needed_mu};
constexpr std::array permissible_point_parameters{
    ParameterInfo{"psi_1", "0 to pi", "", "polar angle from n about the centroid [rad]"},
    ParameterInfo{"psi_2", "0 to 2 pi", "", "azimuth from the direction against the initial slip [rad]"},
    ParameterInfo{"rho", "0 to 1", "", "fraction of the way from the centroid to the boundary"}, needed_mu};
constexpr std::array projected_parameters{
    ParameterInfo{"wish", "three finite numbers", "", "the impulse wished for, in input coordinates [N s]"}, needed_mu};
constexpr std::array spring_sledge_parameters{
    ParameterInfo{"kappa", "above 0, finite", "14/17", "tangential over normal stiffness"}, needed_mu,
    ParameterInfo{"e", "0 to 1", "", "restitution of the normal spring; 1e-4 to 1 with a viscous damper"},
    ParameterInfo{"damper", "hysteretic, linear or hunt-crossley", "hysteretic", "how the normal spring loses energy"}};
constexpr std::array composite_parameters{
    ParameterInfo{"sigma", "0 to 1", "", "weight of the first law; 1 - sigma is that of the second"}, needed_mu,
    ParameterInfo{"first", "a law but composite", "chatterjee-ruina", "first law, with its own parameters"},
    ParameterInfo{"second", "a law but composite", "routh", "second law, with its own parameters"}};

constexpr Guarantees all{true, true, true};

constexpr std::array<LawInfo, std::variant_size_v<Law>> table{{
    {"frictionless", "frictionless impact with Newton's restitution", "CR98 Eq. 3", frictionless_parameters, all, "",
     false},
    {"chatterjee-ruina", "two-parameter algebraic law of Chatterjee and Ruina", "CR98 section 5",
     chatterjee_ruina_parameters, all, "", false},
    {"bilinear", "bilinear law for spheres and disks", "CR98 Eq. 9", bilinear_parameters, all,
     "refuses an M that is not diagonal in the contact frame", false},
    {"routh",
     "Routh's incremental law",
     "CR98 4.2.1; M11 chapters 2 to 5; ST98",
     routh_parameters,
     {false, true, true},
     "energy is promised with restitution poisson and stronge, not with newton",
     false},
    {"whittaker",
     "law of Whittaker, Kane and Levinson",
     "CR98 4.2.2",
     e_mu_parameters,
     {false, true, true},
     "can gain energy without bound",
     false},
    {"smith", "Smith's law", "CR98 Eq. 8", e_mu_parameters, all, "", false},
    {"brach",
     "Brach's law of impulse ratios",
     "CR98 4.1",
     brach_parameters,
     {false, true, false},
     "friction is promised where hypot(mu_2, mu_3) is at most mu; refuses ratios with which no push ends the approach",
     false},
    {"pfeiffer-glocker", "planar complementarity law of Pfeiffer and Glocker", "Glocker & Pfeiffer 1995; CR98 4.2.4",
     pfeiffer_glocker_parameters, all, "refuses contacts that are not planar", true},
    {"anitescu-potra", "two-phase complementarity law of Anitescu and Potra", "CR98 4.2.4", anitescu_potra_parameters,
     all, "", false},
    {"permissible-point", "any permissible impulse, by angles and a fraction about the centroid", "CR98 4.1 (1)",
     permissible_point_parameters, all, "", false},
    {"projected", "a wished impulse pulled back to the permissible region", "CR98 4.1 (2)", projected_parameters, all,
     "", false},
    {"spring-sledge", "compliant contact: springs and a sledge, followed through time", "REG", spring_sledge_parameters,
     all, "has no outcome where a contact with an immovable direction wedges itself for ever", false},
    {"composite", "weighted sum of two permissible answers", "CR98 5.3", composite_parameters, all,
     "refuses where one of the two answers is not permissible", false},
}};

constexpr auto names = [] {
  std::array<std::string_view, table.size()> out{};
  for (std::size_t i = 0; i < table.size(); ++i) out[i] = table[i].name;
  return out;
}();

struct Number {
  std::string_view name;
  std::optional<double> Settings::*slot;
};
struct Word {
  std::string_view name;
  std::optional<std::string> Settings::*slot;
};

constexpr std::array numbers{
    Number{"e", &Settings::e},           Number{"e_t", &Settings::e_t},    Number{"mu", &Settings::mu},
    Number{"mu_s", &Settings::mu_s},     Number{"e_k", &Settings::e_k},    Number{"nu", &Settings::nu},
    Number{"mu_2", &Settings::mu_2},     Number{"mu_3", &Settings::mu_3},  Number{"psi_1", &Settings::psi_1},
    Number{"psi_2", &Settings::psi_2},   Number{"rho", &Settings::rho},    Number{"sigma", &Settings::sigma},
    Number{"smooth", &Settings::smooth}, Number{"kappa", &Settings::kappa}};
constexpr std::array words{Word{"restitution", &Settings::restitution}, Word{"first", &Settings::first},
                           Word{"second", &Settings::second}, Word{"damper", &Settings::damper}};

constexpr auto known_parameters = [] {
  std::array<std::string_view, numbers.size() + words.size() + 1> out{};
  std::size_t i = 0;
  for (const Number& number : numbers) out[i++] = number.name;
  for (const Word& word : words) out[i++] = word.name;
  out[i] = "wish";
  return out;
}();

std::string text(const Value& value) {
  if (const auto* x = std::get_if<double>(&value)) return to_text(*x);
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  std::string out = "[";
  for (const double x : std::get<std::vector<double>>(value)) {
    if (out.size() > 1) out += ", ";
    if (out.size() > 60) return out + "...]";
    out += to_text(x);
  }
  return out + "]";
}

/// A name that is not in the list, with the nearest one that is.
std::string not_among(std::string_view what, std::string_view word, std::span<const std::string_view> known) {
  const std::string_view guess = closest(word, known);
  std::string out = fmt::format("unknown {}", what);
  if (!guess.empty()) out += fmt::format("; did you mean {}?", guess);
  return out + fmt::format("{} one of {}", guess.empty() ? ";" : "", fmt::join(known, ", "));
}

Expected<void> any_finite(const char* field, double value) {
  if (std::isfinite(value)) return {};
  return fail(field, to_text(value), "must be finite");
}

/// Gathers the parameters of one law; the first fault is kept and later calls do nothing.
class Taker {
 public:
  Taker(std::string_view law, const Settings& settings) : law_(law), settings_(settings) {}

  double number(const char* field, const std::optional<double>& given, double low, double high, const char* allowed) {
    if (!given) {
      miss(field, allowed);
      return 0;
    }
    check(in_range(field, *given, low, high));
    return *given;
  }
  double number_or(const char* field, const std::optional<double>& given, double fallback, double low, double high) {
    if (!given) return fallback;
    check(in_range(field, *given, low, high));
    return *given;
  }
  double finite(const char* field, const std::optional<double>& given) {
    if (!given) {
      miss(field, "any finite number");
      return 0;
    }
    check(any_finite(field, *given));
    return *given;
  }
  double e() { return number("e", settings_.e, 0, 1, "between 0 and 1"); }
  double mu() { return number("mu", settings_.mu, 0, infinity, "at least 0, or inf"); }
  double e_t(double low) { return number_or("e_t", settings_.e_t, 0, low, 1); }
  double e_k() {
    if (settings_.e_k) return number("e_k", settings_.e_k, 0, 1, "");
    if (!settings_.e) {
      miss("e_k", "between 0 and 1 (e is taken where only that is given)");
      return 0;
    }
    return e();
  }

  void miss(const char* field, std::string_view allowed) {
    check(fail(field, "", fmt::format("needed by {}, {}", law_, allowed)));
  }
  void check(const Expected<void>& fine) {
    if (!fine && !fault_) fault_ = fine.error();
  }
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }

 private:
  std::string_view law_;
  const Settings& settings_;
  std::optional<Error> fault_;
};

Expected<BaseLaw> make_base(const char* field, const std::string& name, const Settings& settings) {
  const LawInfo* info = find_law(name);
  if (info == nullptr || info->name == "composite")
    return fail(field, name, not_among("law to combine", name, std::span(names).first(names.size() - 1)));
  Expected<Law> made = make_law(name, settings);
  if (!made) return tl::unexpected(made.error());
  return std::visit(
      [&](auto& law) -> Expected<BaseLaw> {
        if constexpr (std::is_same_v<std::decay_t<decltype(law)>, Composite>) {
          return fail(field, name, "must be another law than composite");
        } else {
          return BaseLaw(law);
        }
      },
      *made);
}

void fill(Frictionless& law, Taker& take, const Settings&) { law.e = take.e(); }

void fill(ChatterjeeRuina& law, Taker& take, const Settings& given) {
  law.e = take.e();
  law.mu = take.mu();
  law.e_t = take.e_t(-1);
  law.smooth = take.number_or("smooth", given.smooth, 0, 0, 1);
}

void fill(Bilinear& law, Taker& take, const Settings&) {
  law.e = take.e();
  law.mu = take.mu();
  law.e_t = take.e_t(-1);
}

void fill(Routh& law, Taker& take, const Settings& given) {
  law.e = take.e();
  law.mu = take.mu();
  law.mu_s = given.mu_s.value_or(law.mu);
  if (!(law.mu_s >= law.mu))
    take.check(fail("mu_s", to_text(law.mu_s), fmt::format("must be at least mu, which is {}, or inf", law.mu)));
  const std::string word = given.restitution.value_or("poisson");
  if (word == "poisson") {
    law.restitution = Restitution::poisson;
  } else if (word == "stronge") {
    law.restitution = Restitution::stronge;
  } else if (word == "newton") {
    law.restitution = Restitution::newton;
  } else {
    take.check(fail("restitution", word, "must be poisson, stronge or newton"));
  }
}

void fill(Whittaker& law, Taker& take, const Settings&) {
  law.e = take.e();
  law.mu = take.mu();
}

void fill(Smith& law, Taker& take, const Settings&) {
  law.e = take.e();
  law.mu = take.mu();
}

void fill(Brach& law, Taker& take, const Settings& given) {
  law.e = take.number("e", given.e, 0, largest, "finite and at least 0");
  law.mu_2 = take.finite("mu_2", given.mu_2);
  law.mu_3 = take.finite("mu_3", given.mu_3);
  law.mu = take.number_or("mu", given.mu, infinity, 0, infinity);
}

void fill(PfeifferGlocker& law, Taker& take, const Settings& given) {
  law.e_k = take.e_k();
  law.mu = take.mu();
  law.nu = take.number_or("nu", given.nu, 0, 0, 1);
  law.e_t = take.e_t(0);
}

void fill(AnitescuPotra& law, Taker& take, const Settings&) {
  law.e_k = take.e_k();
  law.mu = take.mu();
}

void fill(PermissiblePoint& law, Taker& take, const Settings& given) {
  law.psi_1 = take.number("psi_1", given.psi_1, 0, std::numbers::pi, "between 0 and pi");
  law.psi_2 = take.number("psi_2", given.psi_2, 0, 2 * std::numbers::pi, "between 0 and 2 pi");
  law.rho = take.number("rho", given.rho, 0, 1, "between 0 and 1");
  law.mu = take.mu();
}

void fill(Projected& law, Taker& take, const Settings& given) {
  if (given.wish) {
    law.wish = *given.wish;
  } else {
    take.miss("wish", "three finite numbers");
  }
  law.mu = take.mu();
}

void fill(SpringSledge& law, Taker& take, const Settings& given) {
  law.kappa = given.kappa.value_or(law.kappa);
  law.mu = take.mu();
  law.e = take.e();
  const std::string word = given.damper.value_or("hysteretic");
  if (word == "hysteretic") {
    law.damper = compliant::Damper::hysteretic;
  } else if (word == "linear") {
    law.damper = compliant::Damper::linear;
  } else if (word == "hunt-crossley") {
    law.damper = compliant::Damper::hunt_crossley;
  } else {
    take.check(fail("damper", word, "must be hysteretic, linear or hunt-crossley"));
  }
  take.check(check(law));
}

void fill(Composite& law, Taker& take, const Settings& given) {
  law.sigma = take.number("sigma", given.sigma, 0, 1, "between 0 and 1");
  law.mu = take.mu();
  const auto part = [&](const char* field, const std::string& name, BaseLaw& slot) {
    Expected<BaseLaw> made = make_base(field, name, given);
    if (made) {
      slot = *std::move(made);
    } else {
      take.check(tl::unexpected(made.error()));
    }
  };
  part("first", given.first.value_or("chatterjee-ruina"), law.first);
  part("second", given.second.value_or("routh"), law.second);
}

/// The law at this place of the table, parameters unset. Table and variant have one order, so neither repeats names.
template <std::size_t... I>
Law blank(std::size_t place, std::index_sequence<I...>) {
  Law law;
  (void)((I == place && (law.emplace<I>(), true)) || ...);
  return law;
}

}  // namespace

Expected<Outcome> collide(const Law& law, const Contact& contact) {
  return std::visit([&](const auto& l) { return collide(l, contact); }, law);
}

Guarantees guarantees(const Law& law) {
  Guarantees promised = table[law.index()].guarantees;
  if (const auto* routh = std::get_if<Routh>(&law)) promised.energy = routh->restitution != Restitution::newton;
  if (const auto* brach = std::get_if<Brach>(&law))
    promised.friction = std::hypot(brach->mu_2, brach->mu_3) <= brach->mu;
  return promised;
}

std::span<const LawInfo> laws() { return table; }

const LawInfo* find_law(std::string_view name) {
  for (const LawInfo& info : table)
    if (info.name == name) return &info;
  return nullptr;
}

std::span<const std::string_view> parameter_names() { return known_parameters; }

Expected<void> set(Settings& settings, std::string_view name, const Value& value) {
  for (const Number& number : numbers) {
    if (number.name != name) continue;
    std::optional<double>& slot = settings.*number.slot;
    if (const auto* x = std::get_if<double>(&value)) {
      if (std::isnan(*x)) return fail(std::string(name), "nan", "must be a number");
      slot = *x;
      return {};
    }
    // JSON has no way to write infinity, so the word stands for it.
    if (const auto* s = std::get_if<std::string>(&value); s != nullptr && *s == "inf") {
      slot = infinity;
      return {};
    }
    return fail(std::string(name), text(value), "must be a number, or \"inf\"");
  }
  for (const Word& word : words) {
    if (word.name != name) continue;
    if (const auto* s = std::get_if<std::string>(&value)) {
      settings.*word.slot = *s;
      return {};
    }
    return fail(std::string(name), text(value), "must be a string");
  }
  if (name == "wish") {
    const auto* xs = std::get_if<std::vector<double>>(&value);
    if (xs == nullptr || xs->size() != 3) return fail("wish", text(value), "must be three numbers");
    const Vec3 wish((*xs)[0], (*xs)[1], (*xs)[2]);
    if (!wish.allFinite()) return fail("wish", text(value), "every component must be finite");
    settings.wish = wish;
    return {};
  }
  return fail(std::string(name), "", not_among("parameter", name, known_parameters));
}

std::optional<Value> get(const Settings& settings, std::string_view name) {
  for (const Number& number : numbers)
    if (number.name == name && settings.*number.slot) return *(settings.*number.slot);
  for (const Word& word : words)
    if (word.name == name && settings.*word.slot) return *(settings.*word.slot);
  if (name == "wish" && settings.wish)
    return std::vector<double>{settings.wish->x(), settings.wish->y(), settings.wish->z()};
  return std::nullopt;
}

Expected<Law> make_law(std::string_view name, const Settings& settings) {
  const LawInfo* info = find_law(name);
  if (info == nullptr) return fail("law", std::string(name), not_among("law", name, names));
  Law law = blank(static_cast<std::size_t>(info - table.data()), std::make_index_sequence<table.size()>{});
  Taker take(info->name, settings);
  std::visit([&](auto& l) { fill(l, take, settings); }, law);
  if (std::optional<Error> fault = take.fault()) return tl::unexpected(*std::move(fault));
  return law;
}

}  // namespace ricochet
