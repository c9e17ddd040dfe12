#!/usr/bin/env bash
# A CI job that has no key of Google's: its own provider has given it a token (sign_in/ci/token), which is exchanged for one of a service
# account. sign_in/ci/credentials.json is what `gcloud iam workload-identity-pools create-cred-config` writes. Everything of Google's is
# simulated: `--ca` and $ROLLCALL_SIM_GOOGLE point to it; without them the same commands ask Google.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'kill "${ROLLCALL_SIM_PID:-}" 2>/dev/null; rm -rf "$work"' EXIT
lines=$(rollcall sim sign_in.json --background --quiet --ca-out "$work/ca.pem")
eval "$(grep ROLLCALL_SIM_ <<<"$lines")" # of the other variables none is set in a CI job
(umask 077 && cp -r sign_in "$work") # secrets must not be readable for other users
cd "$work"
export GOOGLE_APPLICATION_CREDENTIALS=sign_in/ci/credentials.json GOOGLE_CLOUD_PROJECT=example-proj CLOUDSDK_COMPUTE_ZONE=us-central2-b

rollcall doctor tpu:trainer --ca ca.pem $ROLLCALL_SIM_GOOGLE
rollcall spec tpu:trainer --ca ca.pem $ROLLCALL_SIM_GOOGLE

echo "Without impersonation the job has no permission:"
grep -v service_account_impersonation sign_in/ci/credentials.json >federated.json
GOOGLE_APPLICATION_CREDENTIALS=federated.json rollcall spec tpu:trainer --ca ca.pem $ROLLCALL_SIM_GOOGLE || echo "exit code $?"
