#!/usr/bin/env bash
# run_test.sh ROOT: ./run builds a command again when a library that could not be had has come since, and only then. A
# stand-in cmake writes a program that says whether the library was there when it was built.
set -euo pipefail
source=$1
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
tree=$scratch/tree
mkdir -p "$scratch/bin" "$scratch/dpkg" "$tree/apps/ricochet" "$tree/src" "$tree/include" "$tree/cmake"
cp "$source/run" "$tree/run"
cp -r "$source/tools" "$tree/tools"
cp "$source/apps/ricochet/command_table.txt" "$tree/apps/ricochet/"
touch "$tree/CMakeLists.txt" "$tree/CMakePresets.json"

# Everything is installed but what the file `absent` names; apt cannot install anything.
echo libsiconos-numerics-dev >"$scratch/absent"
touch "$scratch/dpkg/status"
cat >"$scratch/bin/dpkg-query" <<TEXT
#!/bin/sh
for one; do case \$one in -*) ;; *) grep -qxF -- "\$one" "$scratch/absent" || echo "installed \$one" ;; esac; done
TEXT
cat >"$scratch/bin/apt-get" <<TEXT
#!/bin/sh
echo "\$@" >>"$scratch/asked"
exit 100
TEXT
printf '#!/bin/sh\nexec "$@"\n' >"$scratch/bin/sudo"
cat >"$scratch/bin/cmake" <<TEXT
#!/bin/sh
echo "\$@" >>"$scratch/built"
mkdir -p "$tree/build/release/bin"
[ "\$1" = --build ] || exit 0
[ -s "$scratch/absent" ] && there=without || there=with
[ ! -e "$scratch/comes" ] || : >"$scratch/absent" # the library comes while the build goes on
for program in ricochet ricochet-simultaneous; do
  printf '#!/bin/sh\necho %s\n' "\$there" >"$tree/build/release/bin/\$program"
  chmod +x "$tree/build/release/bin/\$program"
done
TEXT
chmod +x "$scratch"/bin/*
export PATH=$scratch/bin:$PATH DPKG_ADMINDIR=$scratch/dpkg

# expect WHAT SAYS BUILDS ASKS: what ./run prints, and how many builds and questions to apt there were until now.
expect() {
  local says builds=0 asks=0
  says=$("$tree/run" simultaneous cradle --method lcp 2>"$scratch/err") || { cat "$scratch/err" && exit 1; }
  builds=$(grep -c -e '^--build' "$scratch/built" || true)
  [[ ! -e $scratch/asked ]] || asks=$(grep -c ' install ' "$scratch/asked" || true)
  if [[ "$says $builds $asks" != "$2 $3 $4" ]]; then
    echo "$1: $says, $builds builds, asked apt $asks times; expected: $2, $3, $4"
    cat "$scratch/err"
    exit 1
  fi
}
# Times of files have a coarse step on some systems.
later() { touch -d "$(date -d '2 seconds' '+%F %T.%N')" "$1"; }

expect "first call" without 1 1
expect "nothing changed" without 1 1
later "$scratch/dpkg/status"
expect "another package came" without 1 1
sleep 2.1
: >"$scratch/absent"
later "$scratch/dpkg/status"
expect "the package came" with 2 1
grep -q "a library may have come since" "$scratch/err" || { echo "does not say why it builds: $(<"$scratch/err")" && exit 1; }
expect "it is there" with 2 1
# One that comes during the build is not taken for one that the build had.
rm -r "$tree/build" && echo libsiconos-numerics-dev >"$scratch/absent" && touch "$scratch/comes"
expect "it comes during the build" without 3 2
later "$scratch/dpkg/status"
expect "the next call has it" with 4 2
