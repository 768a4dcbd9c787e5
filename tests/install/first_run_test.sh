#!/usr/bin/env bash
# first_run_test.sh ROOT: ./run without arguments prints the table before it builds anything else, then simulates and writes
# the report with the motion; where Boost cannot be had it says so, writes the report without, and asks once only. Stand-ins
# for cmake and the programs write what they were asked.
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
touch "$scratch/dpkg/status" "$scratch/absent" "$scratch/log"

cat >"$scratch/bin/dpkg-query" <<TEXT
#!/bin/sh
for one; do case \$one in -*) ;; *) grep -qxF -- "\$one" "$scratch/absent" || echo "installed \$one" ;; esac; done
TEXT
printf '#!/bin/sh\necho "apt asked" >>"%s"\nexit 100\n' "$scratch/log" >"$scratch/bin/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$scratch/bin/sudo"
# CMake leaves the simulation out where Boost is absent.
cat >"$scratch/bin/cmake" <<TEXT
#!/bin/bash
programs=(ricochet ricochet-report)
[ -s "$scratch/absent" ] || programs+=(ricochet-simulate)
mkdir -p "$tree/build/release/bin"
if [[ \$1 != --build ]]; then
  printf 'build bin/%s: link\n' "\${programs[@]}" >"$tree/build/release/build.ninja"
  exit
fi
program=\${4#bin/}
echo "builds \$program" >>"$scratch/log"
cat >"$tree/build/release/bin/\$program" <<PROGRAM
#!/bin/sh
echo "runs \\\$*" >>"$scratch/log"
echo "says \\\$1"
PROGRAM
chmod +x "$tree/build/release/bin/\$program"
TEXT
chmod +x "$scratch"/bin/*
export PATH=$scratch/bin:$PATH DPKG_ADMINDIR=$scratch/dpkg
later() { touch -d "$(date -d '2 seconds' '+%F %T.%N')" "$1"; }

# expect WHAT LINE...: what happened, in order, since the last call.
expect() {
  local what=$1 wanted
  shift
  : >"$scratch/log"
  "$tree/run" >"$scratch/out" 2>"$scratch/err" || { cat "$scratch/err" && echo "$what: failed" && exit 1; }
  wanted=$(printf '%s\n' "$@")
  if [[ $(<"$scratch/log") != "$wanted" ]]; then
    printf '%s: expected\n%s\nfound\n%s\n' "$what" "$wanted" "$(<"$scratch/log")"
    cat "$scratch/err"
    exit 1
  fi
}
simulation="runs simulate double-pendulum --until 4 --motion build/motion.json -o build/motion.txt"
with="runs report --motion build/motion.json -o build/report.html"
without="runs report -o build/report.html"

echo libboost-dev >"$scratch/absent"
# Package lists are fetched, and the package asked for again, before apt is given up.
expect "without Boost" "builds ricochet" "runs collide" "builds ricochet-report" "$without" "apt asked" "apt asked"
grep -q "no ricochet simulate without libboost-dev" "$scratch/err" || { cat "$scratch/err" && exit 1; }
grep -q "the report is without the motion" "$scratch/err" || { cat "$scratch/err" && exit 1; }
[[ $(<"$scratch/out") == $'says collide\n\nsays report' ]] || { cat "$scratch/out" && exit 1; }
expect "again without Boost" "runs collide" "$without"
grep -q "no ricochet simulate without libboost-dev" "$scratch/err" || { cat "$scratch/err" && exit 1; }
sleep 2.1
: >"$scratch/absent"
later "$scratch/dpkg/status"
expect "Boost has come" "runs collide" "$without" "builds ricochet-simulate" "$simulation" "$with"
expect "nothing changed" "runs collide" "$simulation" "$with"
[[ ! -s $scratch/err ]] || { cat "$scratch/err" && exit 1; }
rm -r "$tree/build"
expect "a fresh tree with Boost" "builds ricochet" "runs collide" "builds ricochet-report" "$without" \
  "builds ricochet-simulate" "$simulation" "$with"
