#!/usr/bin/env bash
# A laptop whose user has logged in with `gcloud auth application-default login` and chosen project and zone with `gcloud config set`.
# Rollcall needs no more: sign_in/gcloud is gcloud's folder as it is then. Everything of Google's is simulated: `--ca` and
# $ROLLCALL_SIM_GOOGLE point to it; without them the same commands ask Google.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'kill "${ROLLCALL_SIM_PID:-}" 2>/dev/null; rm -rf "$work"' EXIT
lines=$(rollcall sim sign_in.json --background --quiet --ca-out "$work/ca.pem")
eval "$(grep ROLLCALL_SIM_ <<<"$lines")" # of the other variables none is set on a laptop
(umask 077 && cp -r sign_in "$work") # secrets must not be readable for other users
cd "$work"
export CLOUDSDK_CONFIG=sign_in/gcloud

rollcall doctor tpu:trainer --ca ca.pem $ROLLCALL_SIM_GOOGLE
rollcall spec tpu:trainer --ca ca.pem $ROLLCALL_SIM_GOOGLE
