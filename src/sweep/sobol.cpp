#include "ricochet/sweep/sobol.hpp"

#include <string>

#ifdef RICOCHET_HAVE_BOOST
#include <boost/random/sobol.hpp>
#endif

namespace ricochet::sweep {

#ifdef RICOCHET_HAVE_BOOST

Expected<Sobol> Sobol::make(std::size_t dimensions) {
  constexpr std::size_t most = boost::random::default_sobol_table::max_dimension;
  if (dimensions > most)
    return fail(ErrorCode::out_of_range, "sweep.sampling", "sobol",
                "has at most " + std::to_string(most) + " dimensions, and here are " + std::to_string(dimensions));
  Sobol out;
  out.directions_.resize(dimensions);
  boost::random::sobol engine(dimensions);
  // Boost leaves out point 0. Point 2^(b+1) − 1 has the Gray code 2^b, and is v_b.
  for (std::size_t b = 0; b < digits; ++b) {
    engine.seed((std::uint64_t{1} << (b + 1)) - 2);
    for (std::size_t d = 0; d < dimensions; ++d) out.directions_[d][b] = engine();
  }
  return out;
}

#else

Expected<Sobol> Sobol::make(std::size_t) {
  return fail(ErrorCode::unavailable, "sweep.sampling", "sobol", "this program was built without libboost-dev");
}

#endif

}  // namespace ricochet::sweep
