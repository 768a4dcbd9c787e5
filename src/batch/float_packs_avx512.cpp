#include "pack_loop.hpp"

namespace ricochet::batch_detail {

const PackLoops<float>& float_loops_avx512() { return all_pack_loops<float, 16>(); }

}  // namespace ricochet::batch_detail
