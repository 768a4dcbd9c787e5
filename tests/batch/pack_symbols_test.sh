#!/usr/bin/env bash
# pack_symbols_test.sh LIBRARY: the loops over packs are compiled with instructions that not every processor has. A function
# that they share by name with other code would be linked from either, so they may define nothing but what carries their own
# number of lanes in its name.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf -- "$place"' EXIT
(cd "$place" && ar x "$1")
declare -A lanes=([double_sse2]=2 [double_avx2]=4 [double_avx512]=8 [float_sse2]=4 [float_avx2]=8 [float_avx512]=16)
found=0
for file in "$place"/*_packs_*.o; do
  name=$(basename -- "$file")
  number=${name%%_*}
  width=${name#*_packs_}
  width=${width%%.*}
  allowed="<$number, ${lanes[${number}_$width]}>|, $number, ${lanes[${number}_$width]}>|${number}_loops_$width\\(\\)"
  others=$(nm -C --defined-only "$file" | awk '$2 ~ /^[TWVuB]$/' | grep -vE "$allowed" || true)
  if [[ -n $others ]]; then
    printf '%s shares these with other code:\n%s\n' "$name" "$others" >&2
    exit 1
  fi
  found=$((found + 1))
done
if ((found != 6)); then
  printf 'expected 6 files of loops over packs, found %d\n' "$found" >&2
  exit 1
fi
printf 'the loops over packs share no function with other code\n'
