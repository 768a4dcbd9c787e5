#!/usr/bin/env bash
# setup_test.sh ROOT: tools/setup.sh asks apt for the packages that are absent, and for no others, under the same shell
# options as ./run. A stand-in dpkg-query knows one package and, as the real one does, fails over the other.
set -euo pipefail
root=$(mktemp -d)
trap 'rm -rf -- "$root"' EXIT
mkdir "$root/bin"
cat >"$root/bin/dpkg-query" <<'TEXT'
#!/bin/sh
echo "installed present-dev"
echo "dpkg-query: no packages found matching absent-dev" >&2
exit 1
TEXT
cat >"$root/bin/apt-get" <<TEXT
#!/bin/sh
echo "\$@" >>"$root/asked"
TEXT
cp "$root/bin/apt-get" "$root/bin/sudo"
chmod +x "$root"/bin/*
PATH=$root/bin:$PATH

# shellcheck source=tools/setup.sh
source "$1/tools/setup.sh"
install_missing present-dev 2>/dev/null
if [[ -e $root/asked ]]; then
  echo "asked apt although nothing was absent: $(<"$root/asked")"
  exit 1
fi
install_missing present-dev absent-dev 2>/dev/null
grep -q ' install .*absent-dev' "$root/asked" || { echo "did not ask for absent-dev: $(<"$root/asked")" && exit 1; }
! grep -q 'present-dev' "$root/asked" || { echo "asked for what was there: $(<"$root/asked")" && exit 1; }
