#!/bin/sh
# run.sh BUILD_DIR SCRATCH_DIR COMPILER…: installs the build, then builds and runs a consumer of the package with each compiler.
set -eu
build=$1 scratch=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
passed=0 failed=0 skipped=0
judge() { # WHAT COMMAND…: a test that prints what was wrong
  what=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "not so: $what"; fi
}
for compiler in "$@"; do
  if ! command -v "$compiler" >/dev/null; then
    skipped=$((skipped + 1))
    continue
  fi
  out=$scratch/$(basename "$compiler")
  if cmake -S "$here" -B "$out" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_BUILD_TYPE=Debug &&
    cmake --build "$out" && "$out/consumer" && "$out/core_consumer" && "$out/sim_consumer"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
done
# Another version of Asio: the installed headers refuse it, and code that was compiled without that check does not link.
refused() { # NAME WORDS INCLUDES…: the consumer must not build, and the output must contain the reason
  name=$1 words=$2
  shift 2
  if CXXFLAGS="$*" cmake -S "$here" -B "$scratch/$name" -G Ninja -DCMAKE_CXX_COMPILER="$first" -DCMAKE_PREFIX_PATH="$scratch/prefix" \
    -DCMAKE_BUILD_TYPE=Debug >"$scratch/$name.log" 2>&1 && ! cmake --build "$scratch/$name" --target consumer >>"$scratch/$name.log" 2>&1 &&
    grep -q "$words" "$scratch/$name.log"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "a consumer with another Asio ($name) was not refused with '$words':"
    tail -n 20 "$scratch/$name.log"
  fi
}
first=$1
version=$(sed -n 's/^#define ROLLCALL_ASIO_VERSION \([0-9]*\)$/\1/p' "$scratch/prefix/include/rollcall/asio_version.hpp")
asio=$(printf '#include <asio/version.hpp>\n' | "$first" -x c++ -E - | sed -n 's/^# 1 "\(.*\)\/asio\/version.hpp".*/\1/p' | head -n 1)
mkdir "$scratch/other"
cp -R "$asio/asio" "$asio/asio.hpp" "$scratch/other"
sed -i "s/^#define ASIO_VERSION .*/#define ASIO_VERSION 109900/" "$scratch/other/asio/version.hpp"
refused other_asio "compiled with another version of Asio, ASIO_VERSION $version" "-I$scratch/other"
refused other_asio_unnoticed "undefined reference to .*needs_asio_109900" "-I$here/../../include -I$scratch/other"
refused tracked_asio "Rollcall needs Asio without handler tracking" -DASIO_ENABLE_HANDLER_TRACKING
# Without CMake, from a prefix that was moved.
by_pkg_config() {
  mv "$scratch/prefix" "$scratch/moved"
  pc=$(find "$scratch/moved" -name rollcall.pc)
  flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs rollcall) && "$first" -std=c++20 "$here/consumer.cpp" -o "$scratch/by_pkg_config" $flags &&
    "$scratch/by_pkg_config"
}
judge "a consumer builds by pkg-config" by_pkg_config
if [ -x "$scratch/moved/bin/rollcall" ]; then
  judge "the command starts" "$scratch/moved/bin/rollcall" --version
  judge "it is kubectl's plug-in, too" "$scratch/moved/bin/kubectl-rollcall" --version
  judge "the plug-in has its completion" test -x "$scratch/moved/bin/kubectl_complete-rollcall"
  for file in man/man1/rollcall.1 bash-completion/completions/rollcall fish/vendor_completions.d/rollcall.fish; do
    judge "share/$file is there" test -s "$scratch/moved/share/$file"
  done
  judge "zsh's completion is there" test -s "$(find "$scratch/moved/share/zsh" -name _rollcall)"
fi
# A build that is not for installation reports that, and does not end as if it had installed something.
cmake -S "$here/../.." -B "$scratch/none" -G Ninja -DCMAKE_CXX_COMPILER="$first" -DROLLCALL_INSTALL=OFF -DROLLCALL_TESTS=OFF -DROLLCALL_FUZZ=OFF >"$scratch/none.log"
judge "a build without install rules refuses to install" sh -c "! cmake --install '$scratch/none' --prefix '$scratch/nothing' >>'$scratch/none.log' 2>&1"
judge "it says why" grep -q "This build installs nothing (ROLLCALL_INSTALL is off" "$scratch/none.log"
judge "one component can be had alone" sh -c "cmake --install '$build' --prefix '$scratch/dev_alone' --component dev >/dev/null && ! test -e '$scratch/dev_alone/bin'"
# As a part of somebody else's project it configures, and adds nothing to what that project installs. Compiling it there takes minutes.
fetched() {
  cmake -S "$here/../../examples/fetched" -B "$scratch/fetched" -G Ninja -DCMAKE_CXX_COMPILER="$first" -DFETCHCONTENT_SOURCE_DIR_ROLLCALL="$here/../.." >"$scratch/fetched.log" &&
    ninja -C "$scratch/fetched" -t commands hello | grep -q 'librollcall\.a' && cmake --install "$scratch/fetched" --prefix "$scratch/of_fetched" >/dev/null && ! test -e "$scratch/of_fetched"
}
judge "the project can be fetched into another" fetched
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
