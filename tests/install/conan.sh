#!/bin/sh
# conan.sh SCRATCH_DIR [BUILD_DIR]: makes the Conan package, builds and runs a consumer of it, and checks what the recipe refuses. The
# package is made of BUILD_DIR's archives; without BUILD_DIR it is compiled as by a user, which takes minutes. Exit code 77: Conan 2 is not
# installed.
set -eu
scratch=$1 build=${2:-}
root=$(cd "$(dirname "$0")/../.." && pwd)
if ! conan --version 2>/dev/null | grep -q '^Conan version 2'; then
  echo "0 passed, 0 failed, 1 skipped"
  echo "skipped: the Conan package, since there is no Conan 2 (pip install conan)"
  exit 77
fi
rm -rf "$scratch"
mkdir -p "$scratch/made/build" "$scratch/bare"
scratch=$(cd "$scratch" && pwd)
export CONAN_HOME="$scratch/home" ROLLCALL_CONAN_SCRATCH="$scratch/consumer" PYTHONDONTWRITEBYTECODE=1
conan profile detect >"$scratch/profile.log" 2>&1
conan remote remove conancenter >>"$scratch/profile.log" 2>&1
[ -z "${ROLLCALL_JOBS:-}" ] || echo "tools.build:jobs=$ROLLCALL_JOBS" >>"$CONAN_HOME/global.conf"
passed=0 failed=0
judge() { # WHAT COMMAND…: a test that prints what was wrong
  what=$1
  shift
  if "$@" >"$scratch/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "not so: $what"
    tail -n 20 "$scratch/log"
  fi
}
settings="-s compiler.cppstd=20"
version=$(sed -n 's/^project(rollcall VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")

made() {
  if [ -z "$build" ]; then
    conan create "$root" $settings
  else
    type=$(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$build/CMakeCache.txt")
    settings="$settings -s build_type=$type"
    ln -s "$(cd "$build" && pwd)" "$scratch/made/build/conan"
    conan install "$root" $settings -of "$scratch/made" && conan export-pkg "$root" $settings -of "$scratch/made"
  fi
}
judge "the package is made, and a consumer finds it by CMake" made
cp "$scratch/log" "$scratch/made.log"
judge "the consumer says what it found" grep -q '^worker: 1$' "$scratch/made.log"
by_pkg_config() {
  conan install --requires "rollcall/$version" $settings -g PkgConfigDeps -of "$scratch/by_pkg_config" &&
    flags=$(PKG_CONFIG_PATH="$scratch/by_pkg_config" pkg-config --cflags --libs rollcall) &&
    c++ -std=c++20 "$root/examples/installed/hello.cpp" -o "$scratch/hello" $flags && "$scratch/hello" simple:job.worker=10.0.0.1:8470
}
judge "a consumer builds by pkg-config" by_pkg_config
sources_suffice() {
  sources=$(conan cache path "rollcall/$version" --folder export_source) &&
    cmake -S "$sources" -B "$scratch/sources" -G Ninja -DROLLCALL_COMMAND=OFF -DROLLCALL_TESTS=OFF -DROLLCALL_FUZZ=OFF && ninja -C "$scratch/sources" -n
}
judge "the recipe brings all sources" sources_suffice
refused() { # WORDS COMMAND…: must fail and print the reason
  words=$1
  shift
  ! "$@" >"$scratch/refused" 2>&1 || return 1
  cat "$scratch/refused"
  grep -q "$words" "$scratch/refused"
}
judge "C++17 is refused" refused "lower than the required C++ standard (20)" conan install "$root" -s compiler.cppstd=17 -of "$scratch/bare"
printf '#!/bin/sh\necho unknown\nexit 1\n' >"$scratch/bare/dpkg-query"
chmod +x "$scratch/bare/dpkg-query"
judge "system packages that are missing are named" refused "System requirements:.*libgrpc++-dev" env PATH="$scratch/bare:$PATH" conan install "$root" $settings -of "$scratch/bare"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
