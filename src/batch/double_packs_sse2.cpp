#include "pack_loop.hpp"

namespace ricochet::batch_detail {

const PackLoops<double>& double_loops_sse2() { return all_pack_loops<double, 2>(); }

}  // namespace ricochet::batch_detail
