#include "pack_loop.hpp"

namespace ricochet::batch_detail {

const PackLoops<double>& double_loops_avx512() { return all_pack_loops<double, 8>(); }

}  // namespace ricochet::batch_detail
