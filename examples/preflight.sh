#!/usr/bin/env bash
# Rehearses the verdict of a preflight: seven members are simulated, with the faults of preflight.json, and the first one is this process.
set -euo pipefail
cd "$(dirname "$0")"

rollcall sim preflight.json --quiet -- sh -c 'rollcall preflight "$ROLLCALL_SIM_MEMBERS" --task worker:0 --checks kernel --timeout 2s --quiet' ||
  echo "exit code $?"
