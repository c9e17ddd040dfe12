#!/bin/sh
# run.sh BUILD_DIR SCRATCH_DIR COMPILER…: installs the build, then builds and runs a consumer of the package with each compiler.
set -eu
build=$1 scratch=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
passed=0 failed=0 skipped=0
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
if [ -x "$scratch/prefix/bin/rollcall" ]; then
  if "$scratch/prefix/bin/rollcall" --version; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
