#include "command/arguments/environment_table.hpp"

namespace rollcall::command {
namespace {

constexpr VariableRow variable_table[] = {
    {"ROLLCALL_TARGET", "the target of commands that take targets and are given none"},
    {"ROLLCALL_TRUST_TARGETS",
     "command-line: targets of files, of ROLLCALL_TARGET and of a session's requests may name no file and no server that tokens are sent "
     "to; "
     "all, or not set: they may"},
    {"ROLLCALL_ACCESS_TOKEN",
     "an access token of Google's, before all other credentials but --token-file; it must be renewed from outside. Programs that are "
     "started do "
     "not get it"},
    {"GOOGLE_APPLICATION_CREDENTIALS",
     "the credential file; without it gcloud's files are read, and without those the metadata server is asked: see docs/sign-in.md"},
    {"ROLLCALL_SERVER",
     "https://HOST[:PORT], several joined by commas: servers that follow clusters for many, asked instead of the clouds"},
    {"ROLLCALL_SERVER_TOKEN_FILE, ROLLCALL_SERVER_CA", "the file of the token for those servers, and the PEM file of their trust anchors"},
    {"ROLLCALL_SECRET_FILE",
     "the file of the secret that tasks share, which --barrier and a preflight of a cluster prove, when --secret-file names none"},
    {"ROLLCALL_MAX_AGE", "nothing is ready by what such a server saw longer ago; default: 30s"},
    {"ROLLCALL_SERVER_FALLBACK",
     "while no such server answers: auto (default), the cloud is asked directly, late and rarely, so that all who do so stay within its "
     "quota; now, at once; never"},
    {"TPU_NAME", "the TPU when the target is tpu: alone"},
    {"GOOGLE_CLOUD_PROJECT, GCLOUD_PROJECT, CLOUDSDK_CORE_PROJECT",
     "the first that is set is the project when neither the target nor an option says it"},
    {"CLOUDSDK_COMPUTE_ZONE", "the zone when neither the target nor an option says it"},
    {"CLOUDSDK_CONFIG", "gcloud's folder; without it ~/.config/gcloud"},
    {"CLOUDSDK_ACTIVE_CONFIG_NAME, CLOUDSDK_CORE_ACCOUNT",
     "which of gcloud's configurations is read, and the account instead of the one that it names"},
    {"GOOGLE_CLOUD_QUOTA_PROJECT", "the project that requests count against, instead of the credential file's"},
    {"GOOGLE_CLOUD_UNIVERSE_DOMAIN", "the universe of the services when the credentials do not name it; without it googleapis.com"},
    {"CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU, CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE", "where that API is, instead of Google's address"},
    {"GCE_METADATA_HOST, GCE_METADATA_ROOT, GCE_METADATA_IP", "the first that is set is where the metadata server is"},
    {"GCE_METADATA_TIMEOUT, GCE_METADATA_DETECT_RETRIES",
     "how many seconds one attempt for the metadata server's answer takes at first, and how often a server is tried that may not be there; "
     "without them 3 and 3"},
    {"TPU_SKIP_MDS_QUERY, NO_GCE_CHECK=true", "neither auto: nor the watch for preemption notices asks the metadata server"},
    {"KUBECONFIG", "the files of kubernetes: targets, separated by colons; without it ~/.kube/config"},
    {"ROLLCALL_EXEC_PLUGINS", "never: no program is run for the credentials of a kubeconfig; always, or not set: those that it names are"},
    {"DISABLE_HTTP2", "when not empty: HTTP/2 is not offered to Kubernetes API servers"},
    {"TF_CONFIG", "the cluster of tfconfig: targets"},
    {"SLURM_PROCID, SLURM_STEP_NODELIST, SLURM_STEP_TASKS_PER_NODE, SLURM_STEP_NUM_TASKS", "the cluster of slurm: targets"},
    {"SLURM_JWT", "the token for slurmrestd, where a slurm:job target names no other"},
    {"SM_HOSTS, SM_CURRENT_HOST", "the cluster of sagemaker: targets"},
    {"HTTPS_PROXY, ALL_PROXY, NO_PROXY",
     "the proxy for https: http://, https://, socks5:// or socks5h://[USER:PASSWORD@]HOST[:PORT]; and the hosts that are reached without "
     "it. In lower "
     "case, too, which comes first"},
    {"SSL_CERT_FILE, SSL_CERT_DIR", "trust anchors instead of the system's, when --ca names none"},
    {"NO_COLOR", "when not empty: no colours"},
};

}  // namespace

std::span<const VariableRow> environment_variables() noexcept { return variable_table; }

}  // namespace rollcall::command
