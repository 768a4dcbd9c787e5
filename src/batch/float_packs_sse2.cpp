#include "pack_loop.hpp"

namespace ricochet::batch_detail {

const PackLoops<float>& float_loops_sse2() { return all_pack_loops<float, 4>(); }

}  // namespace ricochet::batch_detail
