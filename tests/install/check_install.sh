#!/usr/bin/env bash
# check_install.sh BUILD: installs BUILD into a fresh folder, moves it, and uses it from outside, once through CMake and
# once through pkg-config. The moved tree shows that nothing refers to where it was built or first installed.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
build=$(cd -- "$1" && pwd -P)
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT

cmake --install "$build" --prefix "$place/first" >/dev/null
mv "$place/first" "$place/prefix"
expected=$'P 0 0 9\nV 0 0 1.5\nM'

# check HOW PROGRAM [EXPECTED]
check() {
  local got wanted=${3:-$expected}
  got=$("$2")
  if [[ $got != "$wanted" ]]; then
    printf '%s: expected\n%s\ngot\n%s\n' "$1" "$wanted" "$got" >&2
    exit 1
  fi
  printf '%s: as expected\n' "$1"
}

cmake -S "$here" -B "$place/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$place/prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$place/cmake"
check "find_package" "$place/cmake/consumer"

# Robot files: a component that is there where it was built, and says so where it was not.
models=(cmake -S "$here" -B "$place/models" -G Ninja -DCMAKE_PREFIX_PATH="$place/prefix" -DCMAKE_BUILD_TYPE=Release
  -DWITH_MODELS=ON)
if [[ -n $(find "$place/prefix" -name 'libricochet_models.*') ]]; then
  "${models[@]}" >/dev/null
  cmake --build "$place/models"
  check "find_package with models" "$place/models/models" "u 1.5"
else
  if "${models[@]}" >/dev/null 2>"$place/models.log"; then
    printf 'the component models was found, but not installed\n' >&2
    exit 1
  fi
  grep -q 'built without MuJoCo' "$place/models.log"
  printf 'without models: the package says so\n'
fi

pc=$(find "$place/prefix" -name ricochet.pc)
export PKG_CONFIG_PATH=${pc%/*}
flags=$(pkg-config --cflags ricochet)
libs=$(pkg-config --static --libs ricochet)
# shellcheck disable=SC2086
"${CXX:-g++}" -std=c++20 $flags "$here/consumer.cpp" -o "$place/by_pkg_config" $libs
check "pkg-config" "$place/by_pkg_config"

# A public header must be enough by itself.
alone() {
  # shellcheck disable=SC2086
  "${CXX:-g++}" -std=c++20 -fsyntax-only $flags -include "$1" -x c++ /dev/null && return
  printf '%s cannot be included alone\n' "$1" >&2
  return 1
}
export -f alone
export flags
(cd "$place/prefix/include" && find ricochet -name '*.hpp') | LC_ALL=C sort | xargs -P "$(nproc)" -I{} bash -c 'alone {}'
printf 'every header can be included alone\n'

if [[ -x $place/prefix/bin/ricochet ]]; then
  "$place/prefix/bin/ricochet" --version
fi
