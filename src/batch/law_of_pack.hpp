#pragma once
/// Laws with a closed form, from their parameters: for a lane, a pack or a thread of a device.

#include <array>
#include <cstddef>

#include "pack_job.hpp"
#include "ricochet/law/bilinear_kernel.hpp"
#include "ricochet/law/brach_kernel.hpp"
#include "ricochet/law/chatterjee_ruina_kernel.hpp"
#include "ricochet/law/frictionless_kernel.hpp"
#include "ricochet/law/pfeiffer_glocker_kernel.hpp"

namespace ricochet::batch_detail {

/// A law whose parameters are numbers or packs P, and the friction of its cone. Parameters in the order of the law's
/// row in the table of laws.
template <PackLaw which, class P>
struct LawOfPack;
template <class P>
struct LawOfPack<PackLaw::frictionless, P> {
  static constexpr std::size_t parameters = 1;
  [[nodiscard]] RICOCHET_HD static FrictionlessT<P> make(const std::array<P, most_parameters>& p) {
    return {.e = p[0]};
  }
  [[nodiscard]] RICOCHET_HD static P cone(const FrictionlessT<P>&) { return P(0); }
};
template <class P>
struct LawOfPack<PackLaw::chatterjee_ruina, P> {
  static constexpr std::size_t parameters = 4;
  [[nodiscard]] RICOCHET_HD static ChatterjeeRuinaT<P> make(const std::array<P, most_parameters>& p) {
    return {.e = p[0], .e_t = p[2], .mu = p[1], .smooth = p[3]};
  }
  [[nodiscard]] RICOCHET_HD static P cone(const ChatterjeeRuinaT<P>& law) { return law.mu; }
};
template <class P>
struct LawOfPack<PackLaw::bilinear, P> {
  static constexpr std::size_t parameters = 3;
  [[nodiscard]] RICOCHET_HD static BilinearT<P> make(const std::array<P, most_parameters>& p) {
    return {.e = p[0], .e_t = p[2], .mu = p[1]};
  }
  [[nodiscard]] RICOCHET_HD static P cone(const BilinearT<P>& law) { return law.mu; }
};
template <class P>
struct LawOfPack<PackLaw::brach, P> {
  static constexpr std::size_t parameters = 4;
  [[nodiscard]] RICOCHET_HD static BrachT<P> make(const std::array<P, most_parameters>& p) {
    return {.e = p[0], .mu_2 = p[1], .mu_3 = p[2], .mu = p[3]};
  }
  [[nodiscard]] RICOCHET_HD static P cone(const BrachT<P>& law) { return law.mu; }
};
template <class P>
struct LawOfPack<PackLaw::pfeiffer_glocker, P> {
  static constexpr std::size_t parameters = 4;
  [[nodiscard]] RICOCHET_HD static PfeifferGlockerT<P> make(const std::array<P, most_parameters>& p) {
    return {.e_k = p[0], .nu = p[2], .e_t = p[3], .mu = p[1]};
  }
  [[nodiscard]] RICOCHET_HD static P cone(const PfeifferGlockerT<P>& law) { return law.mu; }
};

}  // namespace ricochet::batch_detail
