#!/usr/bin/env bash
# One cluster in the forms of several frameworks: `spec --format` prints them, `exec --as` passes them to a program.
set -euo pipefail
cd "$(dirname "$0")"
eval "$(rollcall sim quickstart.json --background --quiet)"
work=$(mktemp -d)
trap 'kill "$ROLLCALL_SIM_PID" 2>/dev/null; rm -rf "$work"' EXIT

echo "For TensorFlow:"
rollcall spec tpu:trainer --format tf-config --task worker:1
rollcall spec tpu:trainer --format cluster-def-text
rollcall spec tpu:trainer --format cluster-def >"$work/cluster.pb" # the same, serialized
rollcall exec tpu:trainer --task worker:1 --as tf-config -- sh -c 'echo "TF_CONFIG has ${#TF_CONFIG} characters"'

echo "For PyTorch:"
rollcall exec tpu:trainer --task worker:1 --as torchrun -- sh -c 'echo "torchrun: node $PET_NODE_RANK of $PET_NNODES, $PET_NPROC_PER_NODE processes"'
rollcall exec tpu:trainer --task worker:1 --as torch-env -- sh -c 'echo "rank $RANK of $WORLD_SIZE, first $MASTER_ADDR:$MASTER_PORT"'
(
  set -a # variables from here on are for programs
  eval "$(rollcall spec tpu:trainer --format torch-env --task worker:0 --coordinator-port derived --job-id run-7)"
  echo "rank $RANK of $WORLD_SIZE, first $MASTER_ADDR:$MASTER_PORT"
)

echo "For a shell:"
rollcall spec tpu:trainer --format plain | while read -r address; do echo "- $address"; done

echo "A rank is not guessed:"
rollcall spec tpu:trainer --format torchrun 2>/dev/null || echo "exit code $?, and the candidates on standard error"
