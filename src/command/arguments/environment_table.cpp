#include "command/arguments/environment_table.hpp"

namespace rollcall::tools {
namespace {

constexpr VariableRow variable_table[] = {
    {"ROLLCALL_TARGET", "the target of commands that take targets and are given none"},
    {"ROLLCALL_ACCESS_TOKEN", "the access token; without it the metadata server is asked for one. Programs that are started do not get it"},
    {"ROLLCALL_SERVER",
     "https://HOST[:PORT], several joined by commas: servers that follow clusters for many, asked instead of the clouds"},
    {"ROLLCALL_SERVER_TOKEN_FILE, ROLLCALL_SERVER_CA", "the file of the token for those servers, and the PEM file of their trust anchors"},
    {"ROLLCALL_MAX_AGE", "nothing is ready by what such a server saw longer ago; default: 30s"},
    {"ROLLCALL_SERVER_FALLBACK",
     "while no such server answers: auto (default), the cloud is asked directly, late and rarely, so that all who do so stay within its "
     "quota; now, at once; never"},
    {"TPU_NAME", "the TPU when the target is tpu: alone"},
    {"GOOGLE_CLOUD_PROJECT, CLOUDSDK_COMPUTE_ZONE", "the project and the zone when neither the target nor an option says them"},
    {"GCE_METADATA_HOST", "where the metadata server is"},
    {"KUBECONFIG", "the files of kubernetes: targets, separated by colons; without it ~/.kube/config"},
    {"ROLLCALL_EXEC_PLUGINS", "never: no program is run for the credentials of a kubeconfig; always, or not set: those that it names are"},
    {"TF_CONFIG", "the cluster of tfconfig: targets"},
    {"SLURM_PROCID, SLURM_STEP_NODELIST, SLURM_STEP_TASKS_PER_NODE, SLURM_STEP_NUM_TASKS", "the cluster of slurm: targets"},
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

}  // namespace rollcall::tools
