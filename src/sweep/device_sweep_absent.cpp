#include "device_sweep.hpp"
#include "ricochet/batch/collide.hpp"

#if !defined(RICOCHET_HAVE_CUDA)

namespace ricochet::sweep {

struct DeviceNode::Memory {};

Expected<DeviceNode> DeviceNode::compute(const DeviceSpec& /*spec*/, std::uint64_t /*first_block*/,
                                         unsigned /*level*/) {
  return tl::unexpected(cuda_device().error());
}
Expected<void> DeviceNode::replace(std::uint64_t /*block*/, const std::vector<Moments>& /*moments*/) {
  return tl::unexpected(cuda_device().error());
}
Expected<std::vector<Moments>> DeviceNode::merge() { return tl::unexpected(cuda_device().error()); }

}  // namespace ricochet::sweep

#endif
