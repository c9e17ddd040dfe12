#!/bin/sh
# surroundings.sh PROGRAM…: each test program must pass in every environment: an unusual time zone and language, proxy variables
# that lead nowhere, Google's own variables, and no environment at all.
set -u
passed=0 failed=0
attempt() {
  name=$1
  shift
  if output=$("$@" 2>&1); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s\nFAILED with %s: %s\n' "$output" "$name" "$*"
  fi
}
dead=http://127.0.0.1:9
for program in "$@"; do
  attempt "odd surroundings" env TZ=Pacific/Chatham LANG=tr_TR.UTF-8 LC_ALL=tr_TR.UTF-8 \
    HTTP_PROXY=$dead http_proxy=$dead HTTPS_PROXY=$dead https_proxy=$dead ALL_PROXY=$dead all_proxy=$dead \
    TPU_NAME=wrong TPU_CONFIG=wrong TF_CONFIG=wrong KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS=wrong GOOGLE_CLOUD_PROJECT=wrong \
    CLOUDSDK_CORE_PROJECT=wrong CLOUDSDK_COMPUTE_ZONE=wrong GCE_METADATA_HOST=127.0.0.1:9 TPU_API_DISCOVERY_URL=wrong \
    ROLLCALL_ACCESS_TOKEN=wrong "$program"
  attempt "no environment" env -i "$program"
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
