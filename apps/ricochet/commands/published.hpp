#pragma once
/// What the papers print, typed from them: the numbers as text, because their digits are the precision that they claim.
/// Short names of papers are those of docs/bibliography.md.

#include <array>
#include <string_view>

namespace ricochet::app::published {

/// A number as printed; a loss of energy has a minus sign here and the word "Decrease" there.
struct Number {
  std::string_view text;
  std::string_view holds = {};  ///< where the print is wrong: what it should be, to the same digits
  std::string_view why = {};    ///< and what is wrong with it
};

/// ST98 example 1 (Kane & Levinson's problem 14.6): rods of 2 m and 3 kg, 20° and 30° from hanging.
struct Puzzle {
  double length = 2, mass = 3;
  std::array<double, 2> degrees{20, 30};
  std::array<double, 2> speeds{-0.1, -0.2};  ///< [rad/s]
};
inline constexpr Puzzle st98_example1;

struct PuzzleRow {
  double e, mu_s, mu;
  std::string_view slipping;    ///< Tables 1 and 2: slips at the end; Table 3: slips / slip reverses; Table 4: reverses
  Number energy;                ///< [J]
  std::string_view label = {};  ///< column "Case"
  Number F_star = {}, F_end = {};
};

inline constexpr std::array<PuzzleRow, 4> st98_table1{{
    {0.5, 0.25, 0.2, "yes", {"-0.03"}},
    {0.5, 0.5, 0.4, "no", {"0.16"}},
    {0.3, 0.5, 0.4, "no", {"-0.12"}},
    {0.7, 0.51, 0.5, "yes", {"0.49"}},
}};

inline constexpr std::array<PuzzleRow, 4> st98_table2{{
    {0.5, 0.25, 0.2, "yes", {"-0.1034", "-0.1033", "last digit"}},
    {0.5, 0.5, 0.4, "no", {"0.16"}},
    {0.3, 0.5, 0.4, "no", {"-0.12"}},
    {0.7, 0.51, 0.5, "yes", {"-0.1011"}},
}};

inline constexpr std::array<PuzzleRow, 4> st98_table3{{
    {0.5, 0.25, 0.2, "yes/yes", {"-0.11"}, "iii"},
    {0.5, 0.5, 0.4, "yes/yes", {"-0.12"}, "iii"},
    {0.3, 0.5, 0.4, "yes/yes", {"-0.13"}, "iii"},
    {0.7, 0.51, 0.5, "yes/yes", {"-0.12"}, "iii"},
}};

inline constexpr std::array<PuzzleRow, 2> st98_table4{{
    {0.5, 0, 0, "yes", {"-0.08"}, "iii", {"1.0537"}, {"1.1964"}},
    {0.2, 0.5, 0.4, "no", {"-0.13"}, "iii", {"0.6419"}, {"0.5971", "0.5972", "last digit"}},
}};

/// End of ST98 section 6.1: the case that sticks, by their method and by the conventional one.
inline constexpr PuzzleRow st98_sticking{0.7, 0.63, 0.5, "sticks", {"-0.12"}};
inline constexpr Number st98_sticking_conventional{"0.59"};
inline constexpr Number st98_critical_ratio{"0.6234"};

/// ST98 example 2, two equal spheres: mass 1, e = 0.8, mu = 0.3; ball 1 at 30 cm/s, 60° from the line of centres i,
/// with spin −11 k; ball 2 at rest. Results belong to a radius of 4 cm.
struct Spheres {
  double mass = 1, radius = 4, e = 0.8, mu = 0.3, speed = 30, degrees = 60, spin = -11;
};
inline constexpr Spheres st98_example2;

struct SpheresState {
  std::string_view when;
  Number v1_i, v1_j, v2_i, v2_j, omega1, omega2, F;
};

inline constexpr std::array<SpheresState, 3> st98_example2_states{{
    {"end of compression", {"7.5"}, {"28.2308"}, {"7.5"}, {"-2.25"}, {"-9.5938"}, {"1.4062"}, {"7.5"}},
    {"slip stops", {"6.4194"}, {"28.555"}, {"8.5806"}, {"-2.5742"}, {"-9.391"}, {"1.6089"}, {"8.5806"}},
    {"end", {"1.5"}, {"28.555"}, {"13.5"}, {"-2.5742"}, {"-9.391"}, {"1.6089"}, {"13.5"}},
}};
inline constexpr Number st98_example2_tau{"2.5742"};
inline constexpr Number st98_example2_u_n{"-2.1612"};  ///< of ball 1 against ball 2, when slip stops
inline constexpr Number st98_example2_F_res{"4.9194"};
inline constexpr std::string_view st98_example2_case = "iii";

/// Faults of the text that no single number shows.
struct Erratum {
  std::string_view where, printed, holds;
};
inline constexpr std::array<Erratum, 6> errata{{
    {"M11 Eq. 3.1", "m = J_t L_n / J_t L_t", "m = −J_t L_n / J_t L_t: only then does L_n + m L_t leave v_t at zero"},
    {"M11 section 2.2.3", "no stopping value of E_n",
     "E_n(stop) = (1 − e²) E_n(v_n = 0), from the energetic coefficient of restitution"},
    {"ST98 case (i)(c)", "slipping if |τ_res/F_res| < mu_s", "slipping if |τ_res/F_res| > mu_s"},
    {"ST98 Eq. 30", "τ_r = −F_r", "τ_r = −mu F_r"},
    {"ST98 section 6.2", "balls 4 units in diameter", "radius 4: only that gives the results printed"},
    {"CR98 section 4.2.2", "V_f·n = −(1 + e) V_i·n", "V_f·n = −e V_i·n; the change is −(1 + e) V_i·n"},
}};

}  // namespace ricochet::app::published
