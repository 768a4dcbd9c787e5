# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by ./run and ./test. Everything here speaks on stderr only, so that a program's own output stays clean.
# Expects $root, the top of the source tree.

core_packages=(g++ cmake ninja-build libeigen3-dev libexpected-dev libfmt-dev libcli11-dev nlohmann-json3-dev
  libtomlplusplus-dev python3)

note() { printf 'ricochet: %s\n' "$*" >&2; }

# installed PACKAGE...: those of them that are, a line each.
installed() {
  (($#)) || return 0
  # dpkg-query fails when it has never heard of one of them, which is no failure here.
  { dpkg-query -W -f='${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true; } | sed -n 's/^installed //p'
}

# install_missing PACKAGE...: asks apt for those that are absent, and for nothing else.
install_missing() {
  if ! command -v dpkg-query >/dev/null; then
    note "not a Debian system, so nothing is installed; needed are (by their Debian names): $*"
    return 0
  fi
  local missing=() package
  local present
  present=$(installed "$@")
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$present" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      note "these packages are missing and only root can install them:"
      note "  apt-get install ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
  fi
  note "first use, installing ${missing[*]}"
  local log="$root/build/install.log"
  mkdir -p "$root/build"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300)
  local get=("${apt[@]}" install --no-install-recommends "${missing[@]}")
  # Package lists may be absent (containers) or stale; fetch them only when a first try shows that.
  "${get[@]}" >"$log" 2>&1 || { "${apt[@]}" update && "${get[@]}"; } >>"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    note "could not install ${missing[*]} (whole log: build/install.log)"
    return 1
  }
}

# configure PRESET [CMAKE ARGUMENT...]: a build folder that was made elsewhere (the tree was moved or copied) is made anew.
configure() {
  local preset=$1 cache="$root/build/$1/CMakeCache.txt" fresh=()
  shift
  if [[ -f $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then fresh=(--fresh); fi
  (cd "$root" && cmake --preset "$preset" "${fresh[@]}" "$@")
}
