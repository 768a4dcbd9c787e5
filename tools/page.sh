# shellcheck shell=bash disable=SC2154
# Sourced after setup.sh by whoever needs the explorer's page built. Speaks on stderr only.

page_packages=(emscripten libboost-dev)
# Node may be there from elsewhere, with its own npm, beside which Debian's cannot be installed.
command -v npm >/dev/null || page_packages+=(nodejs npm)

# build_module: the laws and the simulation as WebAssembly, build/wasm/bin/{explorer,simulator}.{mjs,wasm}.
build_module() {
  # Debian's emscripten finds its JavaScript parts only so.
  NODE_PATH=/usr/share/nodejs${NODE_PATH:+:$NODE_PATH} configure wasm &&
    NODE_PATH=/usr/share/nodejs${NODE_PATH:+:$NODE_PATH} cmake --build "$root/build/wasm" -j "${JOBS:-$(nproc)}"
}

# fetch_modules: what web/package-lock.json names, unless it is there already.
fetch_modules() {
  local installed=$root/web/node_modules/.package-lock.json
  [[ -f $installed && ! $root/web/package-lock.json -nt $installed ]] || npm --prefix "$root/web" ci --no-fund --no-audit
}

# build_page FOLDER: the static files.
build_page() {
  build_module && fetch_modules &&
    (cd "$root/web" && RICOCHET_PAGE=$1 npm run --silent build)
}
