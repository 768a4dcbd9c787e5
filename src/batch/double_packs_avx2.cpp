#include "pack_loop.hpp"

namespace ricochet::batch_detail {

const PackLoops<double>& double_loops_avx2() { return all_pack_loops<double, 4>(); }

}  // namespace ricochet::batch_detail
