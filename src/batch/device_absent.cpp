#include "device.hpp"
#include "ricochet/batch/collide.hpp"

#if !defined(RICOCHET_HAVE_CUDA)

namespace ricochet {

Expected<std::string> cuda_device() {
  return fail(ErrorCode::unavailable, "device", "cuda", "the library was built without CUDA (RICOCHET_CUDA)");
}

namespace batch_detail {

template <class T>
Expected<Refusals> run_on_device(PackLaw /*law*/, const PackJob<T>& /*job*/) {
  return tl::unexpected(cuda_device().error());
}
template Expected<Refusals> run_on_device(PackLaw law, const PackJob<double>& job);
template Expected<Refusals> run_on_device(PackLaw law, const PackJob<float>& job);

Expected<ContractReport> contract_on_device(PackLaw /*law*/, DrawKind /*kind*/, std::uint64_t /*seed*/,
                                            std::uint64_t /*first*/, std::uint64_t /*count*/,
                                            std::vector<std::uint64_t>& /*open*/) {
  return tl::unexpected(cuda_device().error());
}

}  // namespace batch_detail
}  // namespace ricochet

#endif
