# Shared by the scripts of this folder; to be sourced. Sets root, jobs; offers say, die, need_packages, date_of_commit, for_machine,
# configure_once, configure_tests, build, build_command.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
jobs=${ROLLCALL_JOBS:-$(nproc)}

say() { printf '\033[1m%s\033[0m\n' "$*" | if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then cat; else sed 's/\x1b\[[0-9;]*m//g'; fi; }
die() { printf '%s\n' "$*" >&2; exit 1; }

# need_packages SET…: checks that the packages of the next step are installed, or ends the script and lists the missing ones.
need_packages() { "$root/scripts/packages" "$@" || exit $?; }

# date_of_commit: sets SOURCE_DATE_EPOCH, unless it is set: what is packed has the date of the last commit, so that the same state of the project gives
# the same bytes.
date_of_commit() {
  [ -n "${SOURCE_DATE_EPOCH:-}" ] || SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || stat -c %Y "$root/CHANGELOG.md")
  export SOURCE_DATE_EPOCH
}

# for_machine [arm64]: sets preset, architecture and processor of what is packed: for this machine, or for 64-bit ARM on another one.
for_machine() {
  case ${1:-} in
    "") preset=package architecture=$(dpkg --print-architecture) processor=$(uname -m) ;;
    arm64) preset=package-arm64 architecture=arm64 processor=aarch64 ;;
    *) die "there are packages for this machine and, with --machine arm64, for 64-bit ARM, but not for $1" ;;
  esac
}

# configure_once PRESET [cmake arguments]: configures build/PRESET if it is not configured yet.
configure_once() {
  local preset=$1 log
  shift
  [ -f "$root/build/$preset/build.ninja" ] && return 0
  mkdir -p "$root/build/$preset"
  log=$root/build/$preset/configure.log
  (cd "$root" && cmake --preset "$preset" "$@") >"$log" 2>&1 || { cat "$log" >&2; die "configuring $preset failed"; }
}

# configure_tests [incremental]: configures build/dev with all tests. An existing build still compiles many files as one, or each alone, unless
# `incremental` asks for the latter.
configure_tests() {
  local one_time=ON
  is_configured() { grep -qsx "$1:BOOL=$2" "$root/build/dev/CMakeCache.txt"; }
  if [ -n "${1:-}" ] || is_configured ROLLCALL_ONE_TIME OFF; then one_time=OFF; fi
  # After scripts/demo there are no tests yet.
  if ! is_configured ROLLCALL_ONE_TIME $one_time || ! is_configured ROLLCALL_TESTS ON; then rm -f "$root/build/dev/build.ninja"; fi
  configure_once dev -DROLLCALL_ONE_TIME=$one_time -DROLLCALL_TESTS=ON -DROLLCALL_FUZZ=ON
}

# build PRESET [target…]: quiet unless something fails or there is much to build.
build() {
  local preset=$1
  shift
  local dir=$root/build/$preset started=$SECONDS
  if [ -t 1 ]; then
    ninja -C "$dir" -j "$jobs" "$@" || die "building $preset failed"
  else
    ninja -C "$dir" -j "$jobs" "$@" >"$dir/build.log" 2>&1 || { grep -vE '^\[[0-9]+/[0-9]+\] ' "$dir/build.log" | head -200 >&2; die "building $preset failed"; }
  fi
  [ $((SECONDS - started)) -lt 5 ] || say "built $preset in $((SECONDS - started)) s"
}

# build_command: build/dev/rollcall, without the tests unless they are configured. They are built in the same folder later, of the same libraries.
build_command() {
  configure_once dev -DROLLCALL_ONE_TIME=ON -DROLLCALL_TESTS=OFF -DROLLCALL_FUZZ=OFF -DROLLCALL_BENCH=OFF
  build dev rollcall_command
}
