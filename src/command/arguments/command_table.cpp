#include "command/arguments/command_table.hpp"

#include "command/arguments/option_stores.hpp"

namespace rollcall::tools {
namespace {

// clang-format off: a row a line
// What several commands take.
constexpr OptionRow project_row{"--project", 'p', "ID", "the project of targets that name none", {}, false, false, Completes::nothing, store_text<&Arguments::project>};
constexpr OptionRow zone_row{"--zone", 'z', "ZONE", "the zone of targets that name none", {}, false, false, Completes::nothing, store_text<&Arguments::zone>};
constexpr OptionRow api_row{"--api", 0, "VERSION", "the TPU API's version for tpu: targets that name none (default v2)", apis, false, false, Completes::choice, store_text<&Arguments::api>};
constexpr OptionRow timeout_row{"--timeout", 't', "DURATION", "for the whole call, retries and waits included (default 30s)", {}, false, false, Completes::nothing, store_duration<&Arguments::timeout>};
constexpr OptionRow retries_row{"--retries", 0, "N", "how often a request may be repeated (default 10)", {}, false, false, Completes::nothing, store_retries};
constexpr OptionRow format_row{"--format", 'f', "FORM", "how the answer is printed (default text)", formats, false, false, Completes::choice, store_format};
constexpr OptionRow token_file_row{"--token-file", 0, "FILE", "the file whose first line is the access token", {}, false, false, Completes::file, store_readable<&Arguments::token_file>};
constexpr OptionRow ca_row{"--ca", 0, "FILE", "PEM file of trust anchors, instead of the system's", {}, false, false, Completes::file, store_ca};
constexpr OptionRow connect_to_row{"--connect-to", 0, "HOST1:PORT1:HOST2:PORT2", "reach HOST1:PORT1 at HOST2:PORT2; its name and certificate are still checked", {}, true, false, Completes::nothing, store_connect_to};
constexpr OptionRow dns_server_row{"--dns-server", 0, "IP[:PORT]", "ask this name server", {}, true, true, Completes::nothing, append_text<&Arguments::dns_servers>};
constexpr OptionRow verbose_row{"--verbose", 'v', "", "one line on standard error for every attempt, status, wait and retry", {}, false, false, Completes::nothing, store_flag<&Arguments::is_verbose>};
constexpr OptionRow log_row{"--log", 0, "FORM", "every event as a line of JSON on standard error", log_forms, false, false, Completes::choice, store_log};
constexpr OptionRow trace_row{"--trace", 0, "FILE", "write the call's timeline; open it at ui.perfetto.dev", {}, false, false, Completes::file, store_text<&Arguments::trace_file>};
constexpr OptionRow metrics_row{"--metrics", 0, "FILE", "write counters and durations of requests in Prometheus' text format", {}, false, false, Completes::file, store_text<&Arguments::metrics_file>};
constexpr OptionRow targets_from_row{"--targets-from", 0, "FILE", "more targets, one a line, # comments; - is standard input", {}, true, false, Completes::file, append_text<&Arguments::target_files>};

constexpr OptionRow spec_options[] = {
    project_row, zone_row, api_row, timeout_row, retries_row, format_row, targets_from_row,
    {"--partial", 0, "", "ask each target on its own: bad ones are listed, the rest is printed, exit code 6", {}, false, false, Completes::nothing, store_flag<&Arguments::is_partial>},
    {"--lookup", 0, "HOW", "ask for each TPU, or for one list per project and zone (default each)", lookups, false, false, Completes::choice, store_lookup},
    token_file_row, ca_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow until_row{"--until", 'u', "WHAT", "what must be so, joined by commas: state, health (what the API says), endpoints (as many addresses as the topology asks for), reachable (every port takes a connection), devices (every runtime answers); default state,health,endpoints", {}, false, false, Completes::nothing, store_until};
constexpr OptionRow wait_timeout_row{"--timeout", 't', "DURATION", "for the whole wait (default 30m)", {}, false, false, Completes::nothing, store_duration<&Arguments::timeout>};
constexpr OptionRow queue_timeout_row{"--queue-timeout", 0, "DURATION", "how long it may be queued for capacity", {}, false, false, Completes::nothing, store_duration<&Arguments::queue_timeout>};
constexpr OptionRow provision_timeout_row{"--provision-timeout", 0, "DURATION", "how long it may take once capacity is granted", {}, false, false, Completes::nothing, store_duration<&Arguments::provision_timeout>};
constexpr OptionRow members_row{"--members", 'n', "N", "how many members there must be at least (default: as many as the topology says)", {}, false, false, Completes::nothing, store_members};
constexpr OptionRow for_existence_row{"--for-existence", 0, "", "wait for what does not exist yet, too", {}, false, false, Completes::nothing, store_flag<&Arguments::is_for_existence>};
constexpr OptionRow for_start_row{"--for-start", 0, "", "wait for what is stopped, too: somebody will start it", {}, false, false, Completes::nothing, store_flag<&Arguments::is_for_start>};
constexpr OptionRow unschedulable_row{"--fail-if-unschedulable", 0, "", "do not wait for room for a pod", {}, false, false, Completes::nothing, store_flag<&Arguments::fails_if_unschedulable>};

constexpr OptionRow progress_row{"--progress", 0, "FORM", "how the wait is shown on standard error (default: a table on a terminal, elsewhere a line for every change)", progress_forms, false, false, Completes::choice, store_progress};

constexpr OptionRow wait_options_table[] = {
    until_row, wait_timeout_row, queue_timeout_row, provision_timeout_row, members_row, for_existence_row, for_start_row, unschedulable_row, progress_row,
    project_row, zone_row, api_row, retries_row, format_row, targets_from_row, token_file_row, ca_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow exec_options[] = {
    until_row, wait_timeout_row, queue_timeout_row, provision_timeout_row, members_row, for_existence_row, for_start_row, unschedulable_row,
    {"--task", 0, "JOB:INDEX", "which task the program is, as worker:3 (default: what the target tells, or whose address this machine has)", {}, false, false, Completes::nothing, store_task},
    {"--on-preempt", 0, "SIGNAL", "stay the program's parent, and send it SIGNAL when a preemption or maintenance is announced or members are lost", {}, false, false, Completes::nothing, store_on_preempt},
    progress_row, project_row, zone_row, api_row, retries_row, targets_from_row, token_file_row, ca_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow watch_options_table[] = {
    {"--exec", 'x', "CMD", "run CMD by sh -c for every change, one after the other; the variables ROLLCALL_CHANGE, ROLLCALL_TEXT, ROLLCALL_CLUSTER, ROLLCALL_JOB, ROLLCALL_INDEX, ROLLCALL_ADDRESS, ROLLCALL_MEMBER say which", {}, false, false, Completes::nothing, store_text<&Arguments::hook>},
    {"--exec-timeout", 0, "DURATION", "end CMD when it takes longer (default 1m)", {}, false, false, Completes::nothing, store_duration<&Arguments::hook_timeout>},
    until_row, members_row,
    project_row, zone_row, api_row, retries_row, format_row, targets_from_row, token_file_row, ca_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow devices_options[] = {
    {"--source", 's', "WHERE", "where the numbers come from: the cluster's own runtime, or the TPU's accelerator type; auto (the default) takes the type where no runtime listens", sources, false, false, Completes::choice, store_source},
    {"--ask", 0, "WHOM", "ask the master, and the workers when it is late (the default), or all workers from the start", device_queries, false, false, Completes::choice, store_device_query},
    project_row, zone_row, api_row, timeout_row, retries_row, format_row, targets_from_row,
    {"--partial", 0, "", "print what was found although some targets failed, exit code 6", {}, false, false, Completes::nothing, store_flag<&Arguments::is_partial>},
    token_file_row, ca_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow topology_options[] = {
    format_row,
    {"--svg", 0, "FILE", "draw the hosts as a picture too; - is standard output, then nothing else is printed", {}, false, false, Completes::file, store_text<&Arguments::svg_file>},
    project_row, zone_row, api_row, timeout_row, retries_row, token_file_row, ca_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow discover_options[] = {
    {"--project", 'p', "ID[,ID]", "search these projects (default: the environment's, or the metadata server's)", {}, true, false, Completes::nothing, append_list<&Arguments::projects>},
    {"--zone", 'z', "ZONE[,ZONE]", "search these zones (default: all, by one request for each kind)", {}, true, false, Completes::nothing, append_list<&Arguments::zones>},
    {"--namespace", 'n', "NS[,NS]", "search these Kubernetes namespaces for jobs: '.' is the kubeconfig's own, - all of them", {}, true, false, Completes::nothing, append_list<&Arguments::namespaces>},
    {"--context", 0, "NAME", "of the kubeconfig (default: its current one)", {}, false, false, Completes::nothing, store_text<&Arguments::context>},
    {"--kind", 'k', "KIND", "search for this kind only", found_kinds, true, false, Completes::choice, append_kind},
    {"--filter", 0, "KEY=PATTERN", "show what matches: kind, name, project, zone, namespace, state, health, type, queued_resource; KEY!=PATTERN what does not; * is any text, + joins patterns", {}, true, false, Completes::nothing, append_text<&Arguments::filters>},
    {"--columns", 'c', "NAME[,NAME]", "of the table: kind, name, project, zone, namespace, state, health, type, members, addresses, queued_resource, target", {}, false, false, Completes::nothing, store_text<&Arguments::columns>},
    {"--sort", 0, "NAME[,NAME]", "by these columns, -NAME from the end; printed when all is found", {}, false, false, Completes::nothing, store_text<&Arguments::sort>},
    {"--format", 'f', "FORM", "how finds are printed (default text on a terminal, else json: a line each)", formats, false, false, Completes::choice, store_format},
    targets_from_row,
    {"--partial", 0, "", "exit code 6 when something is missing but something was found", {}, false, false, Completes::nothing, store_flag<&Arguments::is_partial>},
    api_row, timeout_row, retries_row, token_file_row, ca_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow sim_options[] = {
    {"--port", 0, "N", "the port for http (default 0: any free one)", {}, false, false, Completes::nothing, store_port<&Arguments::port>},
    {"--https-port", 0, "N", "the port for https (default 0: any free one)", {}, false, false, Completes::nothing, store_port<&Arguments::https_port>},
    {"--ca-out", 0, "FILE", "write the authority's certificate to FILE (for --ca) and point clients at https", {}, false, false, Completes::file, store_text<&Arguments::ca_out>},
    {"--kubeconfig-out", 0, "FILE", "write the kubeconfig for a simulated Kubernetes cluster to FILE, and keep it", {}, false, false, Completes::file, store_text<&Arguments::kubeconfig_out>},
    {"--background", 'b', "", "return as soon as it listens; $ROLLCALL_SIM_PID is its process", {}, false, false, Completes::nothing, store_flag<&Arguments::is_background>},
    {"--quiet", 'q', "", "no request counts on exit", {}, false, false, Completes::nothing, store_flag<&Arguments::is_quiet>},
};

constexpr Example spec_examples[] = {
    {"rollcall spec tpu:trainer --project my-project --zone us-central2-b", "the workers of one TPU"},
    {"rollcall spec tpu:a,zone=us-east1-d tpu:b,zone=us-central2-b", "two TPUs as one cluster"},
    {"rollcall spec --targets-from tpus.txt --partial --timeout 2m --format json", "many, whatever becomes of some"},
    {"rollcall spec tpu:trainer --verbose --trace trace.json", "see what happens on the way"},
};
constexpr Example wait_examples[] = {
    {"rollcall wait tpu:trainer --zone us-central2-b --timeout 1h", "until the API says that all of it is ready"},
    {"rollcall wait tpu:trainer --until state,reachable", "and every worker's port takes connections"},
    {"rollcall wait kubernetes:train,job.worker=app=x --members 32 --progress json", "32 pods, progress for a program"},
};
constexpr Example exec_examples[] = {
    {"rollcall exec tpu:trainer --until state,reachable -- python3 train.py", "start when every worker's port takes connections"},
    {"rollcall exec auto: --on-preempt TERM -- ./train --checkpoint-on-term", "warn the program before its machine is taken away"},
    {"rollcall exec simple:job.worker=a:1+b:1 --task worker:1 -- sh -c 'echo $TF_CONFIG'", "see what it is told"},
};
constexpr Example watch_examples[] = {
    {"rollcall watch tpu:trainer --zone us-central2-b", "a line for every change, until Ctrl-C"},
    {"rollcall watch kubernetes:train,job.worker=app=x --format json", "for a program"},
    {"rollcall watch tpu:trainer --exec './on-change.sh'", "react"},
};
constexpr Example devices_examples[] = {
    {"rollcall devices tpu:trainer --zone us-central2-b", "hosts and TPU cores, and where the numbers come from"},
    {"rollcall devices tpu:grpc://10.0.0.1:8470,grpc://10.0.0.2:8470", "what these workers list"},
    {"rollcall devices tpu:trainer --source devices --format json", "only what the runtime itself says, for a program"},
};
constexpr Example topology_examples[] = {
    {"rollcall topology v5litepod-256", "what this accelerator type is made of"},
    {"rollcall topology v4-4x4x8 --svg slice.svg", "a shape of your own, also as a picture"},
    {"rollcall topology tpu:trainer --zone us-central2-b", "the hosts of a TPU, with their addresses"},
};
constexpr Example discover_examples[] = {
    {"rollcall discover --project my-project", "everything in all zones"},
    {"rollcall discover --zone us-central2-b,us-west4-a --filter state!=READY --sort zone,name", "what is not ready in two zones"},
    {"rollcall discover --namespace train,eval", "the jobs of two Kubernetes namespaces, of whatever kind"},
    {"rollcall discover --kind tpu --format json | jq -r .target | rollcall spec --targets-from - --partial", "the workers of all TPUs"},
};
constexpr Example sim_examples[] = {
    {"eval \"$(rollcall sim cloud.json --background)\"", "start a cloud and point this shell at it"},
    {"rollcall spec tpu:trainer", "ask it"},
    {"kill \"$ROLLCALL_SIM_PID\"", "stop it"},
};
constexpr Example top_examples[] = {
    {"rollcall spec tpu:trainer --zone us-central2-b", "which machines form this TPU"},
    {"rollcall spec tpu:trainer --format json", "the same for a program"},
    {"eval \"$(rollcall sim cloud.json --background)\"", "try it without a cloud"},
};

constexpr CommandRow command_table[] = {
    {"spec", "TARGET...", "find a cluster and print its jobs and addresses",
     "Asks for the cluster that the targets name and prints it, one task a line: job, index, address. Several targets are "
     "asked at the same time and printed as one cluster. Standard output carries the cluster and nothing else.",
     spec_options, spec_examples, false, true},
    {"wait", "TARGET...", "wait until a cluster is ready",
     "Waits until the cluster that the targets name is ready, and prints it as spec does. Meanwhile standard error tells who is missing, and "
     "why. What can never become ready ends the wait at once. At the deadline (exit code 3) every missing member is named with its last "
     "state. The API is asked every 2 s, less often the longer nothing changes; Kubernetes tells of changes itself.",
     wait_options_table, wait_examples, false, true, std::chrono::minutes(30)},
    {"exec", "TARGET... -- CMD [ARG]...", "wait until a cluster is ready, then become a program in it",
     "Waits as rollcall wait does, and then becomes CMD. CMD finds TF_CONFIG, ROLLCALL_CLUSTER, ROLLCALL_NUM_TASKS and ROLLCALL_ADDRESSES in its environment, and "
     "where it is known which task it is ROLLCALL_JOB_NAME, ROLLCALL_TASK_INDEX and ROLLCALL_ADDRESS. With --on-preempt rollcall stays its parent, passes "
     "signals on, reaps (as PID 1 too) and ends with its exit status, 128 + n when signal n ended it.",
     exec_options, exec_examples, false, true, std::chrono::minutes(30), true},
    {"watch", "TARGET...", "follow a cluster: who joins, leaves and changes",
     "Prints a line for every change of the cluster that the targets name: members that join, leave and change, the cluster becoming ready and "
     "breaking, preemption and maintenance announced for this machine. It goes on until Ctrl-C, or until the service refuses for good. Kubernetes "
     "tells of changes itself; other clusters are asked every 2 to 30 s.",
     watch_options_table, watch_examples, false, true},
    {"devices", "TARGET...", "count the accelerators of a cluster",
     "Asks the cluster's own runtime for its devices over gRPC, and prints how many each host has. Where no runtime listens, as on TPU "
     "VMs, a TPU is counted by its accelerator type; the first line says where the numbers come from. Workers that do not answer are "
     "named.",
     devices_options, devices_examples, false, true},
    {"topology", "TYPE_OR_TARGET", "show the chips, cores and hosts of an accelerator",
     "Prints what an accelerator type is made of and draws its hosts as a grid. A tpu: target stands for the type that the Cloud TPU "
     "API gives for it; its workers' addresses are printed too. A type alone asks nobody.",
     topology_options, topology_examples, false, true},
    {"discover", "", "find the TPUs, queued resources and instance groups of projects, and Kubernetes jobs",
     "Searches projects and zones by the services' lists, a request for a thousand finds, and with --namespace or --kind job the pods of "
     "Kubernetes namespaces; prints each find as it comes: a table on a "
     "terminal, a line of JSON each in a pipe. Every find has the target that the other commands take. What could not be searched is "
     "told on standard error, and the rest is printed. Targets of --targets-from are looked up beside it; they are all there is when "
     "nothing else says where to search.",
     discover_options, discover_examples, false, false},
    {"sim", "FILE", "serve a simulated cloud on this machine",
     "Serves the metadata server, the token endpoint and the Cloud TPU API that FILE describes on loopback addresses, and prints "
     "the variables that point a client at them. Runs until Ctrl-C or SIGTERM; then the requests are counted on standard error.",
     sim_options, sim_examples, false, false},
    {"completion",
     "bash|zsh|fish",
     "print a shell's completion script",
     "Prints a completion script: source <(rollcall completion bash)",
     {},
     {},
     true,
     false},
    {"man", "", "print the manual page", "Prints the manual page in troff form: rollcall man | man -l -", {}, {}, true, false},
};
// clang-format on

}  // namespace

std::span<const CommandRow> commands() noexcept { return command_table; }

const CommandRow* find_command(std::string_view name) noexcept {
  for (const CommandRow& row : command_table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

std::span<const Example> program_examples() noexcept { return top_examples; }

}  // namespace rollcall::tools
