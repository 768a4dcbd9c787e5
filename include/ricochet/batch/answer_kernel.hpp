#pragma once
/// One collision of a batch, or a pack of them, from its numbers to its answer: check, invert, apply the law, certify.
/// A kernel: no allocation, no exception, no message; a lane of a vector register and a thread of a GPU run the same
/// code.

#include <cstdint>
#include <limits>

#include "ricochet/base/error.hpp"
#include "ricochet/batch/columns.hpp"
#include "ricochet/contact/check_kernel.hpp"
#include "ricochet/contact/contact_view.hpp"
#include "ricochet/law/certified.hpp"

namespace ricochet {

/// Why a collision has no answer: ErrorCode, shifted so that 0 says that it has one. `open` is for the caller to decide
/// by `collide_at`: it takes eigenvalues, which a kernel does not compute.
enum class BatchStatus : std::uint8_t { answered = 0, open = 254 };
[[nodiscard]] RICOCHET_HD constexpr BatchStatus status_of(ErrorCode code) {
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): the other values are those of ErrorCode
  return static_cast<BatchStatus>(static_cast<std::uint8_t>(code) + 1);
}

/// T is a number or a pack.
template <class T>
struct BatchAnswer {
  Certified<T> numbers;
  PerLane<T, Mode> mode;
  PerLane<T, Termination> termination;
  PerLane<T, BatchStatus> status;
};

namespace batch_detail {

template <class T>
[[nodiscard]] RICOCHET_HD PerLane<T, BatchStatus> status_of_faults(const PerLane<T, ContactFault>& fault,
                                                                   const MaskOf<T>& clear) {
  PerLane<T, BatchStatus> status = select(clear, BatchStatus::answered, BatchStatus::open);
  const MaskOf<T> infinite = fault == ContactFault::matrix_not_finite || fault == ContactFault::velocity_not_finite ||
                             fault == ContactFault::normal_not_finite;
  const MaskOf<T> invalid = fault == ContactFault::normal_zero || fault == ContactFault::not_symmetric;
  status = select(infinite, PerLane<T, BatchStatus>(status_of(ErrorCode::out_of_range)), status);
  return select(invalid, PerLane<T, BatchStatus>(status_of(ErrorCode::invalid)), status);
}

/// Replaces the answers of contacts that separate (`no_collision`, law/outcome.hpp).
template <class T>
RICOCHET_HD void leave_alone(const MaskOf<T>& separating, const ContactView<T>& c, BatchAnswer<T>& answer) {
  const auto put = [&](T& x, const T& value) { x = select(separating, value, x); };
  Certified<T>& a = answer.numbers;
  for (int i = 0; i < 3; ++i) {
    put(a.P(i), T(0));
    put(a.V(i), c.V(i));
  }
  put(a.normal_work, T(0));
  put(a.friction_work, T(0));
  put(a.energy_change, T(0));
  MarginsT<T>& m = a.judged.margins;
  put(m.energy, T(0));
  put(m.separation, c.V_n);
  put(m.compression, T(0));
  put(m.friction, T(0));
  Violations<T>& v = a.judged.violated;
  v.energy = v.energy && !separating;
  v.separation = v.separation && !separating;
  v.compression = v.compression && !separating;
  v.friction = v.friction && !separating;
  answer.mode = select(separating, PerLane<T, Mode>(Mode::separating), answer.mode);
  answer.termination = select(separating, PerLane<T, Termination>(Termination::separating), answer.termination);
}

}  // namespace batch_detail

/// The answer of a law to numbers that are checked: M and W inverse to each other, n of unit length, where `checked`
/// says so.
template <class I, class T>
[[nodiscard]] RICOCHET_HD BatchAnswer<T> answer_of_impulse(const I& impulse_of_law, const T& mu,
                                                           const CheckedNumbers<T>& checked, const ContactView<T>& c) {
  BatchAnswer<T> out{certified<T>(c, impulse_of_law, mu), impulse_of_law.mode, impulse_of_law.termination,
                     BatchStatus::answered};

  const MaskOf<T> approaches = c.V_n < T(0);
  const MaskOf<T> solved = impulse_of_law.termination == Termination::closed_form;
  const MaskOf<T> fits = finite(out.numbers);
  const MaskOf<T> checks = checked.clear && checked.fault == ContactFault::none;
  const MaskOf<T> plain = checks && approaches && impulse_of_law.served && solved && fits;
  if (!all(plain)) [[unlikely]] {
    // Of several reasons the one that `collide` would come upon first.
    const auto because = [&](const MaskOf<T>& bad, ErrorCode code) {
      out.status = select(bad, PerLane<T, BatchStatus>(status_of(code)), out.status);
    };
    because(!fits, ErrorCode::overflow);
    because(!solved, ErrorCode::no_solution);
    because(!impulse_of_law.served, ErrorCode::invalid);
    out.status = select(approaches, out.status, PerLane<T, BatchStatus>(BatchStatus::answered));
    batch_detail::leave_alone<T>(!approaches, c, out);
    out.status = select(checks, out.status, batch_detail::status_of_faults<T>(checked.fault, checked.clear));
  }
  return out;
}

template <class L, class T>
[[nodiscard]] RICOCHET_HD BatchAnswer<T> answer_of_checked(const L& law, const T& mu, const CheckedNumbers<T>& checked,
                                                           const Mat3T<T>& M, const Mat3T<T>& W, const Vec3T<T>& V,
                                                           const Vec3T<T>& n) {
  const ContactView<T> c(M, W, V, n);
  return answer_of_impulse(impulse(law, c), mu, checked, c);
}

/// A is M where `mass_given`, else W, `symmetric` where it is known to be; n of any length; `mu` the friction of the
/// certificate's cone. Parameters of the law are in range.
template <class Product, class L, class T>
[[nodiscard]] RICOCHET_HD BatchAnswer<T> batch_answer(const L& law, const T& mu, bool mass_given, bool symmetric,
                                                      Mat3T<T> A, const Vec3T<T>& V, Vec3T<T> n) {
  Mat3T<T> X;
  const CheckedNumbers<T> checked = check_and_invert<Product, T>(A, X, V, n, symmetric);
  Mat3T<T> M, W;
  if (mass_given) {
    M = A;
    W = X;
  } else {
    M = X;
    W = A;
  }
  return answer_of_checked<L, T>(law, mu, checked, M, W, V, n);
}

}  // namespace ricochet
