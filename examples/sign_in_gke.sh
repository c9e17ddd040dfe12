#!/usr/bin/env bash
# A GKE cluster as kubectl reaches it: sign_in/gke/kubeconfig.yaml names a program that makes a token of gcloud's login, here a small script
# in the place of gke-gcloud-auth-plugin. The cluster and Google's token service are simulated.
set -euo pipefail
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'kill "${ROLLCALL_SIM_PID:-}" 2>/dev/null; rm -rf "$work"' EXIT
lines=$(rollcall sim sign_in.json --background --quiet --ca-out "$work/ca.pem")
eval "$(grep -e ROLLCALL_SIM_ -e KUBECONFIG <<<"$lines")"
(umask 077 && cp -r sign_in "$work") # secrets must not be readable for other users
cd "$work"
export SIMULATED_CA=ca.pem CLOUDSDK_CONFIG=sign_in/gcloud
export KUBECONFIG=sign_in/gke/kubeconfig.yaml:$KUBECONFIG

target=kubernetes:train,job.worker=jobset.sigs.k8s.io/jobset-name=trainer
rollcall doctor "$target"
rollcall spec "$target"
