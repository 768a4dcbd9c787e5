#!/usr/bin/env bash
# Compiles every law kernel as CUDA device code, and runs it where there is a device. Exit code 77: nvcc is not installed.
#   device_kernels_test.sh SOURCE_DIR EIGEN_INCLUDE_DIR OTHER_INCLUDE_DIRS...
set -euo pipefail
source_dir=$1 eigen=$2
shift 2
nvcc=$(command -v nvcc || true)
for place in "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" /usr/lib/cuda/bin/nvcc; do
  [[ -n $nvcc ]] || { [[ -x $place ]] && nvcc=$place; } || true
done
if [[ -z $nvcc ]]; then
  echo "SKIPPED: nvcc is not installed, so the kernels are not compiled as device code"
  exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
includes=(-I "$source_dir/include" -isystem "$eigen")
for dir in "$@"; do [[ -z $dir || $dir == /usr/include ]] || includes+=(-isystem "$dir"); done
arch=${RICOCHET_CUDA_ARCH:-native}
command -v nvidia-smi >/dev/null && nvidia-smi >/dev/null 2>&1 || arch=${RICOCHET_CUDA_ARCH:-sm_80}
# A call from device code to a host function would only be a warning, and fail at run time. Device code is not optimised
# (-G), which takes minutes and proves no more.
"$nvcc" --expt-relaxed-constexpr -std=c++20 -O0 -G -arch="$arch" -Werror cross-execution-space-call \
  -diag-suppress 20012,20208 "${includes[@]}" "$source_dir/tests/law/device_kernels.cu" -o "$work/device_kernels"
"$work/device_kernels"
