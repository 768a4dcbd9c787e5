#include "pack_loop.hpp"

namespace ricochet::batch_detail {

const PackLoops<float>& float_loops_avx2() { return all_pack_loops<float, 8>(); }

}  // namespace ricochet::batch_detail
