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

# component NAME LIBRARY EXPECTED: a component that is there where it was built, and says so where it was not.
component() {
  local ask=(cmake -S "$here" -B "$place/$1" -G Ninja -DCMAKE_PREFIX_PATH="$place/prefix" -DCMAKE_BUILD_TYPE=Release
    "-DWITH_${1^^}=ON")
  if [[ -n $(find "$place/prefix" -name "libricochet_$1.*") ]]; then
    "${ask[@]}" >/dev/null
    cmake --build "$place/$1"
    check "find_package with $1" "$place/$1/$1" "$3"
    return
  fi
  if "${ask[@]}" >/dev/null 2>"$place/$1.log"; then
    printf 'the component %s was found, but not installed\n' "$1" >&2
    exit 1
  fi
  grep -q "built without $2" "$place/$1.log"
  printf 'without %s: the package says so\n' "$1"
}
component batch oneTBB "V 1.5 0.75 0"
component models MuJoCo "u 1.5"
component complementarity Siconos "v 0.333333 0.333333 0.333333"

pc=$(find "$place/prefix" -name ricochet.pc)
export PKG_CONFIG_PATH=${pc%/*}
flags=$(pkg-config --cflags ricochet)
libs=$(pkg-config --static --libs ricochet)
# shellcheck disable=SC2086
"${CXX:-g++}" -std=c++20 $flags "$here/consumer.cpp" -o "$place/by_pkg_config" $libs
check "pkg-config" "$place/by_pkg_config"

# A public header must be enough by itself.
# shellcheck disable=SC2086
"$here/headers_alone.py" "$place/prefix/include" "${CXX:-g++}" $flags

if [[ -x $place/prefix/bin/ricochet ]]; then
  "$place/prefix/bin/ricochet" --version
fi
