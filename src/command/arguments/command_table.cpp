#include "command/arguments/command_table.hpp"

#include "command/arguments/option_stores.hpp"

namespace rollcall::tools {
namespace {

// clang-format off: a row a line
// What several commands take.
constexpr OptionRow project_row{.name = "--project", .letter = 'p', .value = "ID", .help = "the project of targets that name none", .apply = store_text<&Arguments::project>};
constexpr OptionRow zone_row{.name = "--zone", .letter = 'z', .value = "ZONE", .help = "the zone of targets that name none", .apply = store_text<&Arguments::zone>};
constexpr OptionRow api_row{.name = "--api", .value = "VERSION", .help = "the TPU API's version for tpu: targets that name none (default v2)", .choices = apis, .completes = Completes::choice, .apply = store_api};
constexpr OptionRow timeout_row{.name = "--timeout", .letter = 't', .value = "DURATION", .help = "for the whole call, retries and waits included (default 30s)", .apply = store_duration<&Arguments::timeout>};
constexpr OptionRow retries_row{.name = "--retries", .value = "N", .help = "how often a request may be repeated (default 10)", .apply = store_retries};
constexpr OptionRow format_row{.name = "--format", .letter = 'f', .value = "FORM", .help = "how the answer is printed (default text)", .choices = formats, .completes = Completes::choice, .apply = store_format};
constexpr OptionRow token_file_row{.name = "--token-file", .value = "FILE", .help = "the file whose first line is the access token", .completes = Completes::file, .apply = store_readable<&Arguments::token_file>};
constexpr OptionRow ca_row{.name = "--ca", .value = "FILE", .help = "PEM file of trust anchors, instead of the system's", .completes = Completes::file, .apply = store_ca};
constexpr OptionRow client_certificate_row{.name = "--client-certificate", .value = "FILE", .help = "PEM file of a certificate and its chain, for servers that ask for one", .completes = Completes::file, .apply = store_readable<&Arguments::client_certificate>};
constexpr OptionRow client_key_row{.name = "--client-key", .value = "FILE", .help = "PEM file of its key, without a passphrase (default: in the certificate's file)", .completes = Completes::file, .apply = store_readable<&Arguments::client_key>};
constexpr OptionRow proxy_row{.name = "--proxy", .value = "URL", .help = "the proxy for https: http://HOST:PORT, https://, socks5:// or socks5h:// (default: HTTPS_PROXY, ALL_PROXY); but for NO_PROXY", .apply = store_proxy};
constexpr OptionRow connect_to_row{.name = "--connect-to", .value = "HOST1:PORT1:HOST2:PORT2", .help = "reach HOST1:PORT1 at HOST2:PORT2; its name and certificate are still checked", .is_repeatable = true, .apply = store_connect_to};
constexpr OptionRow dns_server_row{.name = "--dns-server", .value = "IP[:PORT]", .help = "ask this name server", .is_repeatable = true, .is_hidden = true, .apply = append_text<&Arguments::dns_servers>};
constexpr OptionRow verbose_row{.name = "--verbose", .letter = 'v', .help = "one line on standard error for every attempt, status, wait and retry", .apply = store_flag<&Arguments::is_verbose>};
constexpr OptionRow log_row{.name = "--log", .value = "FORM", .help = "every event as a line of JSON on standard error", .choices = log_forms, .completes = Completes::choice, .apply = store_log};
constexpr OptionRow trace_row{.name = "--trace", .value = "FILE", .help = "write the call's timeline; open it at ui.perfetto.dev", .completes = Completes::file, .apply = store_text<&Arguments::trace_file>};
constexpr OptionRow metrics_row{.name = "--metrics", .value = "FILE", .help = "write counters and durations of requests in Prometheus' text format", .completes = Completes::file, .apply = store_text<&Arguments::metrics_file>};
constexpr OptionRow targets_from_row{.name = "--targets-from", .value = "FILE", .help = "more targets, one a line, # comments; - is standard input", .is_repeatable = true, .completes = Completes::file, .apply = append_text<&Arguments::target_files>};

constexpr OptionRow spec_options[] = {
    project_row, zone_row, api_row, timeout_row, retries_row, format_row, targets_from_row,
    {.name = "--partial", .help = "ask each target on its own: bad ones are listed, the rest is printed, exit code 6", .apply = store_flag<&Arguments::is_partial>},
    {.name = "--lookup", .value = "HOW", .help = "ask for each TPU, or for one list per project and zone (default each)", .choices = lookups, .completes = Completes::choice, .apply = store_lookup},
    token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow until_row{.name = "--until", .letter = 'u', .value = "WHAT", .help = "what must be so, joined by commas: state, health (what the API says), endpoints (as many addresses as the topology asks for), reachable (every port takes a connection), devices (every runtime answers); default state,health,endpoints", .apply = store_until};
constexpr OptionRow wait_timeout_row{.name = "--timeout", .letter = 't', .value = "DURATION", .help = "for the whole wait (default 30m)", .apply = store_duration<&Arguments::timeout>};
constexpr OptionRow queue_timeout_row{.name = "--queue-timeout", .value = "DURATION", .help = "how long it may be queued for capacity", .apply = store_duration<&Arguments::queue_timeout>};
constexpr OptionRow provision_timeout_row{.name = "--provision-timeout", .value = "DURATION", .help = "how long it may take once capacity is granted", .apply = store_duration<&Arguments::provision_timeout>};
constexpr OptionRow members_row{.name = "--members", .letter = 'n', .value = "N", .help = "how many members there must be at least (default: as many as the topology says)", .apply = store_members<&Arguments::members>};
constexpr OptionRow for_existence_row{.name = "--for-existence", .help = "wait for what does not exist yet, too", .apply = store_flag<&Arguments::is_for_existence>};
constexpr OptionRow for_start_row{.name = "--for-start", .help = "wait for what is stopped, too: somebody will start it", .apply = store_flag<&Arguments::is_for_start>};
constexpr OptionRow unschedulable_row{.name = "--fail-if-unschedulable", .help = "do not wait for room for a pod", .apply = store_flag<&Arguments::fails_if_unschedulable>};
constexpr OptionRow progress_row{.name = "--progress", .value = "FORM", .help = "how the wait is shown on standard error (default: a table on a terminal, elsewhere a line for every change)", .choices = progress_forms, .completes = Completes::choice, .apply = store_progress};
constexpr OptionRow wait_options_table[] = {
    until_row, wait_timeout_row, queue_timeout_row, provision_timeout_row, members_row, for_existence_row, for_start_row, unschedulable_row, progress_row,
    project_row, zone_row, api_row, retries_row, format_row, targets_from_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow exec_options[] = {
    until_row, wait_timeout_row, queue_timeout_row, provision_timeout_row, members_row, for_existence_row, for_start_row, unschedulable_row,
    {.name = "--task", .value = "JOB:INDEX", .help = "which task the program is, as worker:3 (default: what the target tells, or whose address this machine has)", .apply = store_task},
    {.name = "--on-preempt", .value = "SIGNAL", .help = "stay the program's parent, and send it SIGNAL when a preemption or maintenance is announced or members are lost", .apply = store_on_preempt},
    {.name = "--restart-on", .value = "WHY[,WHY]", .help = "keep the program running: lost ends it when a member of the cluster is lost or about to be preempted, awaits the cluster again and starts it anew; failed does so when it ends with another status than 0", .apply = store_restart_on},
    {.name = "--max-restarts", .value = "N", .help = "how often it is started anew; counted from 0 again after a run of 10 minutes (default 3)", .apply = store_max_restarts},
    {.name = "--grace", .value = "DURATION", .help = "between TERM, or the signal of --on-preempt, and KILL for it and all that it has started (default 30s)", .apply = store_duration<&Arguments::grace>},
    {.name = "--min-members", .value = "N", .help = "for elastic jobs: start it, and start it anew, when at least N members are ready; the ready ones are numbered anew from 0, and one that joins later restarts it", .apply = store_members<&Arguments::min_members>},
    {.name = "--last-call", .value = "DURATION", .help = "with --min-members: how long the next member is waited for when there are enough (default 30s)", .apply = store_duration<&Arguments::last_call>},
    progress_row, project_row, zone_row, api_row, retries_row, targets_from_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow watch_options_table[] = {
    {.name = "--exec", .letter = 'x', .value = "CMD", .help = "run CMD by sh -c for every change, one after the other; the variables ROLLCALL_CHANGE, ROLLCALL_TEXT, ROLLCALL_CLUSTER, ROLLCALL_JOB, ROLLCALL_INDEX, ROLLCALL_ADDRESS, ROLLCALL_MEMBER say which", .apply = store_text<&Arguments::hook>},
    {.name = "--exec-timeout", .value = "DURATION", .help = "end CMD when it takes longer (default 1m)", .apply = store_duration<&Arguments::hook_timeout>},
    until_row, members_row,
    project_row, zone_row, api_row, retries_row, format_row, targets_from_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow devices_options[] = {
    {.name = "--source", .letter = 's', .value = "WHERE", .help = "where the numbers come from: the cluster's own runtime, or the TPU's accelerator type; auto (the default) takes the type where no runtime listens", .choices = sources, .completes = Completes::choice, .apply = store_source},
    {.name = "--ask", .value = "WHOM", .help = "ask the master, and the workers when it is late (the default), or all workers from the start", .choices = device_queries, .completes = Completes::choice, .apply = store_device_query},
    project_row, zone_row, api_row, timeout_row, retries_row, format_row, targets_from_row,
    {.name = "--partial", .help = "print what was found although some targets failed, exit code 6", .apply = store_flag<&Arguments::is_partial>},
    token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow topology_options[] = {
    format_row,
    {.name = "--svg", .value = "FILE", .help = "draw the hosts as a picture too; - is standard output, then nothing else is printed", .completes = Completes::file, .apply = store_text<&Arguments::svg_file>},
    project_row, zone_row, api_row, timeout_row, retries_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow doctor_options[] = {
    format_row, project_row, zone_row, timeout_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow discover_options[] = {
    {.name = "--project", .letter = 'p', .value = "ID[,ID]", .help = "search these projects (default: the environment's, or the metadata server's)", .is_repeatable = true, .apply = append_list<&Arguments::projects>},
    {.name = "--zone", .letter = 'z', .value = "ZONE[,ZONE]", .help = "search these zones (default: all, by one request for each kind)", .is_repeatable = true, .apply = append_list<&Arguments::zones>},
    {.name = "--namespace", .letter = 'n', .value = "NS[,NS]", .help = "search these Kubernetes namespaces for jobs: '.' is the kubeconfig's own, - all of them", .is_repeatable = true, .apply = append_list<&Arguments::namespaces>},
    {.name = "--context", .value = "NAME", .help = "of the kubeconfig (default: its current one)", .apply = store_text<&Arguments::context>},
    {.name = "--kind", .letter = 'k', .value = "KIND", .help = "search for this kind only", .choices = found_kinds, .is_repeatable = true, .completes = Completes::choice, .apply = append_kind},
    {.name = "--filter", .value = "KEY=PATTERN", .help = "show what matches: kind, name, project, zone, namespace, state, health, type, queued_resource; KEY!=PATTERN what does not; * is any text, + joins patterns", .is_repeatable = true, .apply = append_text<&Arguments::filters>},
    {.name = "--columns", .letter = 'c', .value = "NAME[,NAME]", .help = "of the table: kind, name, project, zone, namespace, state, health, type, members, addresses, queued_resource, target", .apply = store_text<&Arguments::columns>},
    {.name = "--sort", .value = "NAME[,NAME]", .help = "by these columns, -NAME from the end; printed when all is found", .apply = store_text<&Arguments::sort>},
    {.name = "--format", .letter = 'f', .value = "FORM", .help = "how finds are printed (default text on a terminal, else json: a line each)", .choices = formats, .completes = Completes::choice, .apply = store_format},
    targets_from_row,
    {.name = "--partial", .help = "exit code 6 when something is missing but something was found", .apply = store_flag<&Arguments::is_partial>},
    api_row, timeout_row, retries_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, dns_server_row, verbose_row, log_row, trace_row, metrics_row,
};

constexpr OptionRow sim_options[] = {
    {.name = "--port", .value = "N", .help = "the port for http (default 0: any free one)", .apply = store_port<&Arguments::port>},
    {.name = "--https-port", .value = "N", .help = "the port for https (default 0: any free one)", .apply = store_port<&Arguments::https_port>},
    {.name = "--ca-out", .value = "FILE", .help = "write the authority's certificate to FILE (for --ca) and point clients at https", .completes = Completes::file, .apply = store_text<&Arguments::ca_out>},
    {.name = "--kubeconfig-out", .value = "FILE", .help = "write the kubeconfig for a simulated Kubernetes cluster to FILE, and keep it", .completes = Completes::file, .apply = store_text<&Arguments::kubeconfig_out>},
    {.name = "--background", .letter = 'b', .help = "return as soon as it listens; $ROLLCALL_SIM_PID is its process", .apply = store_flag<&Arguments::is_background>},
    {.name = "--quiet", .letter = 'q', .help = "no request counts on exit", .apply = store_flag<&Arguments::is_quiet>},
};

constexpr OptionRow serve_options[] = {
    {.name = "--stdio", .help = "take requests on standard input, answer on standard output", .apply = store_flag<&Arguments::is_stdio>},
    project_row, zone_row, api_row, retries_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, dns_server_row,
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
    {"rollcall exec kubernetes:train,job.worker=app=x --restart-on lost,failed -- python3 train.py", "keep it running through lost workers"},
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
constexpr Example doctor_examples[] = {
    {"rollcall doctor", "this machine, its credentials, and the Cloud TPU API"},
    {"rollcall doctor tpu:trainer --project my-project --zone us-central2-b", "and what keeps this TPU from being found"},
    {"rollcall doctor kubernetes:train --format json", "for a program, or a report of trouble"},
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
constexpr Example serve_examples[] = {
    {"rollcall serve --stdio", "a child for a program, which speaks the protocol of docs/protocol.md"},
};
constexpr Example top_examples[] = {
    {"rollcall spec tpu:trainer --zone us-central2-b", "which machines form this TPU"},
    {"rollcall spec tpu:trainer --format json", "the same for a program"},
    {"eval \"$(rollcall sim cloud.json --background)\"", "try it without a cloud"},
};

constexpr CommandRow command_table[] = {
    {.name = "spec",
     .positional = "TARGET...",
     .summary = "find a cluster and print its jobs and addresses",
     .description = "Asks for the cluster that the targets name and prints it, one task a line: job, index, address. Several targets are "
                    "asked at the same time and printed as one cluster. Standard output carries the cluster and nothing else.",
     .options = spec_options,
     .examples = spec_examples,
     .takes_targets = true,
     .run = run_spec},
    {.name = "wait",
     .positional = "TARGET...",
     .summary = "wait until a cluster is ready",
     .description = "Waits until the cluster that the targets name is ready, and prints it as spec does. Meanwhile standard error tells who is missing, and "
                    "why. What can never become ready ends the wait at once. At the deadline (exit code 3) every missing member is named with its last "
                    "state. The API is asked every 2 s, less often the longer nothing changes; Kubernetes tells of changes itself.",
     .options = wait_options_table,
     .examples = wait_examples,
     .takes_targets = true,
     .default_timeout = std::chrono::minutes(30),
     .run = run_wait},
    {.name = "exec",
     .positional = "TARGET... -- CMD [ARG]...",
     .summary = "wait until a cluster is ready, then become a program in it",
     .description = "Waits as rollcall wait does, and then becomes CMD. CMD finds TF_CONFIG, ROLLCALL_CLUSTER, ROLLCALL_NUM_TASKS and ROLLCALL_ADDRESSES in its environment, and "
                    "where it is known which task it is ROLLCALL_JOB_NAME, ROLLCALL_TASK_INDEX and ROLLCALL_ADDRESS. With --on-preempt rollcall stays its parent, passes "
                    "signals on, reaps (as PID 1 too) and ends with its exit status, 128 + n when signal n ended it. With --restart-on it does so as well, and starts CMD anew with the new "
                    "cluster; ROLLCALL_RESTART_COUNT says how often it did. Then CMD has ended for good when it ends with 0 by itself, and when rollcall was told to end.",
     .options = exec_options,
     .examples = exec_examples,
     .takes_targets = true,
     .default_timeout = std::chrono::minutes(30),
     .takes_program = true,
     .run = run_exec},
    {.name = "watch",
     .positional = "TARGET...",
     .summary = "follow a cluster: who joins, leaves and changes",
     .description = "Prints a line for every change of the cluster that the targets name: members that join, leave and change, the cluster becoming ready and "
                    "breaking, preemption and maintenance announced for this machine. It goes on until Ctrl-C, or until the service refuses for good. Kubernetes "
                    "tells of changes itself; other clusters are asked every 2 to 30 s.",
     .options = watch_options_table,
     .examples = watch_examples,
     .takes_targets = true,
     .run = run_watch},
    {.name = "devices",
     .positional = "TARGET...",
     .summary = "count the accelerators of a cluster",
     .description = "Asks the cluster's own runtime for its devices over gRPC, and prints how many each host has. Where no runtime listens, as on TPU "
                    "VMs, a TPU is counted by its accelerator type; the first line says where the numbers come from. Workers that do not answer are "
                    "named.",
     .options = devices_options,
     .examples = devices_examples,
     .takes_targets = true,
     .run = run_devices},
    {.name = "topology",
     .positional = "TYPE_OR_TARGET",
     .summary = "show the chips, cores and hosts of an accelerator",
     .description = "Prints what an accelerator type is made of and draws its hosts as a grid. A tpu: target stands for the type that the Cloud TPU "
                    "API gives for it; its workers' addresses are printed too. A type alone asks nobody.",
     .options = topology_options,
     .examples = topology_examples,
     .takes_targets = true,
     .run = run_topology},
    {.name = "doctor",
     .positional = "[TARGET]",
     .summary = "say what keeps a target from being found: credentials, network, permissions",
     .description = "Checks side by side: the proxy that is set, the credentials found and whose they are, the files that they lie in, whether a token can "
                    "be had, project and zone and where each comes from, the metadata server, the way to the service (name look-up, connection, TLS, "
                    "the machine's clock), whether it answers, and which permissions are missing. Each check says what was found, how long it took and what to do. No secret is "
                    "printed. Without TARGET the service is the Cloud TPU API.",
     .options = doctor_options,
     .examples = doctor_examples,
     .takes_targets = true,
     .run = run_doctor},
    {.name = "discover",
     .summary = "find the TPUs, queued resources and instance groups of projects, and Kubernetes jobs",
     .description = "Searches projects and zones by the services' lists, a request for a thousand finds, and with --namespace or --kind job the pods of "
                    "Kubernetes namespaces; prints each find as it comes: a table on a "
                    "terminal, a line of JSON each in a pipe. Every find has the target that the other commands take. What could not be searched is "
                    "told on standard error, and the rest is printed. Targets of --targets-from are looked up beside it; they are all there is when "
                    "nothing else says where to search.",
     .options = discover_options,
     .examples = discover_examples,
     .run = run_discover},
    {.name = "sim",
     .positional = "FILE",
     .summary = "serve a simulated cloud on this machine",
     .description = "Serves the metadata server, the token endpoint and the Cloud TPU API that FILE describes on loopback addresses, and prints "
                    "the variables that point a client at them. Runs until Ctrl-C or SIGTERM; then the requests are counted on standard error.",
     .options = sim_options,
     .examples = sim_examples,
     .run = run_sim},
    {.name = "serve",
     .summary = "answer a program's questions over pipes, any number at a time",
     .description = "For programs that keep one child instead of starting a command for every question: JSON-RPC 2.0, a message a line, on standard input "
                    "and standard output. Ends when standard input ends. The options are the session's, which the client can set as well.",
     .options = serve_options,
     .examples = serve_examples,
     .run = run_serve},
    {.name = "completion",
     .positional = "bash|zsh|fish",
     .summary = "print a shell's completion script",
     .description = "Prints a completion script: source <(rollcall completion bash)",
     .is_hidden = true,
     .run = run_completion},
    {.name = "man",
     .summary = "print the manual page",
     .description = "Prints the manual page in troff form: rollcall man | man -l -",
     .is_hidden = true,
     .run = run_man},
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
