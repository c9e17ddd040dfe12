#include "command/arguments/command_table.hpp"

#include "command/arguments/command_examples.hpp"
#include "command/arguments/option_rows.hpp"

namespace rollcall::command {
namespace {

// clang-format off: a row a line
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
    {.name = "status",
     .positional = "TARGET...",
     .summary = "show which members of a cluster are ready, or why not",
     .description = "Polls the cluster that the targets name once and prints its status: a line on the whole, then one for each member with its job, index, "
                    "address and state. The exit code is 0 if it is ready and 7 if it is not; other codes mean that it could not be polled. Members are not asked "
                    "themselves: rollcall wait --until reachable does that.",
     .options = status_options,
     .examples = status_examples,
     .takes_targets = true,
     .run = run_status},
    {.name = "why",
     .positional = "TARGET...",
     .summary = "say why members of a cluster are not ready",
     .description = "Looks at the cluster that the targets name once and prints, for each group of members, the chain of causes that holds them up: a line a layer, the "
                    "outermost first, with who says so, since when, and what would mend it. Of Kubernetes it reads the pods, what controls them, Kueue's queues, events, nodes, "
                    "claims and quotas, as far as the account may; what it may not read is named. Of other services it prints the state. The exit code is 0 if the "
                    "cluster is ready and 7 if it is not.",
     .options = status_options,
     .examples = why_examples,
     .takes_targets = true,
     .run = run_why},
    {.name = "wait",
     .positional = "TARGET...",
     .summary = "wait until a cluster is ready",
     .description = "Waits until the cluster that the targets name is ready, and prints it as spec does. Meanwhile standard error shows the missing members, and "
                    "why. What can never become ready ends the wait at once. At the deadline (exit code 3) every missing member is named with its last "
                    "state. The API is asked every 2 s, less often the longer nothing changes; Kubernetes reports changes itself.",
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
                    "signals on, reaps (as PID 1 too) and ends with its exit status, 128 + n when signal n ended it. With --restart-on it also restarts CMD with the new "
                    "cluster; ROLLCALL_RESTART_COUNT counts the restarts. CMD has ended for good when it ends with 0 by itself, or when rollcall gets a signal to end.",
     .options = exec_options,
     .examples = exec_examples,
     .takes_targets = true,
     .default_timeout = std::chrono::minutes(30),
     .takes_program = true,
     .ends_as_program = true,
     .run = run_exec},
    {.name = "stage",
     .positional = "NAME [-- CMD [ARG]...]",
     .summary = "say what this process does before a barrier",
     .description = "Notes that the stage NAME begins, runs CMD, notes how long it took and how it ended, and ends with CMD's exit status. Without CMD the stage lasts until the next one. The notes are "
                    "in a file of this session of processes; rollcall exec --barrier takes them along, so that the others see how long each stage took. With ROLLCALL_SERVER, and a cluster by --target or "
                    "ROLLCALL_TARGET, the service shows the stage at once: who waits at the barrier there reads which task is late, at which stage, and since when. Neither a file nor a service that fails "
                    "keeps CMD from running.",
     .options = stage_options,
     .examples = stage_examples,
     .takes_program = true,
     .ends_as_program = true,
     .run = run_stage},
    {.name = "hosts",
     .positional = "TARGET...",
     .summary = "list the hosts that are ready, each with its slots",
     .description = "Polls the cluster once and prints the hosts of the members that are ready, without ports, a line each, as host discovery scripts and hostfiles "
                    "have them. While no member is ready it prints nothing and ends with 0, and says on standard error why; a service that cannot be asked is an error, since "
                    "the ready members are unknown then.",
     .options = hosts_options,
     .examples = hosts_examples,
     .takes_targets = true,
     .run = run_hosts},
    {.name = "flags",
     .positional = "TARGET...",
     .summary = "print the flags of a launcher on this host",
     .description = "Prints one line of flags for accelerate launch, torchrun or deepspeed, quoted for a shell's eval: how many machines there are, which of them this is, and where "
                    "the first one waits. It must be known which task this host is: it is never guessed.",
     .options = flags_options,
     .examples = flags_examples,
     .takes_targets = true,
     .run = run_flags},
    {.name = "whoami",
     .positional = "[TARGET]",
     .summary = "say which task of a cluster this process is, and by which evidence",
     .description = "Prints a line for each launcher, scheduler, controller or service that says something about this process: its rank, what the rank counts, and the "
                    "variables that say so; then the task of TARGET (default: auto:) that this process is. Evidence that contradicts itself is an error that names both sides.",
     .options = whoami_options,
     .examples = whoami_examples,
     .takes_targets = true,
     .run = run_whoami},
    {.name = "watch",
     .positional = "TARGET...",
     .summary = "follow a cluster: members that join, leave and change",
     .description = "Prints a line for every change of the cluster that the targets name: members that join, leave and change, the cluster becoming ready and "
                    "breaking, preemption and maintenance announced for this machine. It goes on until Ctrl-C, or until the service refuses for good. Kubernetes "
                    "reports changes itself; other clusters are asked every 2 to 30 s.",
     .options = watch_options_table,
     .examples = watch_examples,
     .takes_targets = true,
     .run = run_watch},
    {.name = "devices",
     .positional = "TARGET...",
     .summary = "count the accelerators of a cluster",
     .description = "Asks the cluster's own runtime for its devices over gRPC, and prints how many each host has. Where no runtime listens, as on TPU "
                    "VMs, a TPU is counted by its accelerator type; the first line says where the numbers come from. Workers that do not answer are "
                    "named. The word local in place of the targets is this host: its accelerators are counted by PCI, its device files and NVIDIA's "
                    "library, and where these disagree it says so.",
     .options = devices_options,
     .examples = devices_examples,
     .takes_targets = true,
     .takes_this_host = true,
     .run = run_devices},
    {.name = "preflight",
     .positional = "[TARGET]",
     .summary = "check whether this host, or all of a cluster, can run a program",
     .description = "With TARGET, started on each of its hosts: all meet at the ports of their addresses, probe each other, compare versions, and end with one verdict that names "
                    "the host, the pair or the part of the cluster that is to blame; members that do not come are waited for until --timeout. Without TARGET (ROLLCALL_TARGET does "
                    "not count): checks this host before a job starts: its accelerators and their health, the processes that still use them, the clock, limits, shared memory, the interface of the "
                    "default route, RDMA ports, and versions; with --checks also folders, mounts and ports. NVIDIA's library and folders of users are asked in processes of their own, "
                    "so that none of them can hang it. Nothing is changed, and no privileges are needed. Each finding names the device, and what to do. The exit code is 118 "
                    "if a finding is a failure, and 0 if there are only warnings.",
     .options = preflight_options,
     .examples = preflight_examples,
     .takes_targets = true,
     .default_timeout = std::chrono::minutes(5),
     .run = run_preflight},
    {.name = "topology",
     .positional = "TYPE_OR_TARGET",
     .summary = "show the chips, cores and hosts of an accelerator",
     .description = "Prints what an accelerator type is made of and draws its hosts as a grid. A tpu: target stands for the type that the Cloud TPU "
                    "API gives for it; its workers' addresses are printed too. A type alone needs no request.",
     .options = topology_options,
     .examples = topology_examples,
     .is_seldom = true,
     .takes_targets = true,
     .run = run_topology},
    {.name = "doctor",
     .positional = "[TARGET]",
     .summary = "say what keeps a target from being found",
     .description = "Checks side by side: the proxy that is set, the credentials found and whose they are, the files that they lie in, whether a token can "
                    "be had, project and zone and where each comes from, the metadata server, the way to the service (name look-up, connection, TLS, "
                    "the machine's clock), whether it answers, and which permissions are missing. Each check says what was found, how long it took and what to do. No secret is "
                    "printed. Without TARGET the service is the Cloud TPU API.",
     .options = doctor_options,
     .examples = doctor_examples,
     .takes_targets = true,
     .run = run_doctor},
    {.name = "discover",
     .summary = "find TPUs, queued resources, instance groups, Kubernetes jobs",
     .description = "Searches projects and zones by the services' lists, a request for a thousand finds, and with --namespace or --kind job the pods of "
                    "Kubernetes namespaces; prints each find as it comes: a table on a "
                    "terminal, a line of JSON each in a pipe. Every find has the target that the other commands take. What could not be searched is "
                    "reported on standard error, and the rest is printed. Targets of --targets-from are looked up beside it; they are all there is when "
                    "nothing else says where to search.",
     .options = discover_options,
     .examples = discover_examples,
     .run = run_discover},
    {.name = "record",
     .positional = "TARGET...",
     .summary = "record what the services say about a cluster, to play it again",
     .description = "Asks for the status of the cluster that the targets name, and with --for follows it, and prints each request to a service over HTTP with its answer as a "
                    "simulation file: rollcall sim plays it. Credentials are never recorded, and values in answers that may be secrets are replaced. What a failed question was "
                    "answered is printed as well. gRPC and DNS are not recorded.",
     .options = record_options,
     .examples = record_examples,
     .is_seldom = true,
     .takes_targets = true,
     .run = run_record},
    {.name = "sim",
     .positional = "FILE [-- CMD [ARG]...]",
     .summary = "serve a simulated cloud on this machine",
     .description = "Serves the metadata server, the token endpoint and the Cloud TPU API that FILE describes on loopback addresses, and prints "
                    "the variables that point a client at them. Runs until Ctrl-C or SIGTERM; then the requests are counted on standard error. With CMD it "
                    "serves for as long as CMD runs, which has the variables, and ends with its exit status.",
     .options = sim_options,
     .examples = sim_examples,
     .takes_program = true,
     .run = run_sim},
    {.name = "serve",
     .summary = "follow clusters for many launchers; answer a program over pipes",
     .description = "A service for launchers that have ROLLCALL_SERVER in their environment: each target is asked for once, however many wait for it, and "
                    "all get every change over HTTP (docs/fleet.md). Ends by SIGTERM or Ctrl-C, a second one at once; SIGHUP reads the settings of "
                    "--config again. With --stdio it is a child "
                    "for one program: JSON-RPC 2.0, a message a line, on standard input and standard output, until standard input ends; the options are "
                    "the session's, which the client can set as well.",
     .options = serve_options,
     .examples = serve_examples,
     .run = run_serve},
    {.name = "fleet",
     .summary = "show what a service follows, and how each cluster stands",
     .description = "Asks the service that ROLLCALL_SERVER names for the clusters that it follows and prints a line for each, those with problems first: state, "
                    "how many of its members are ready, which are missing, its type and place, and how long ago the service polled it. The same is on the service's page, its "
                    "address in a browser. The cloud is not asked.",
     .options = fleet_options,
     .examples = fleet_examples,
     .run = run_fleet},
    {.name = "webhook",
     .summary = "put a wait in front of pods of Kubernetes that ask for it",
     .description = "A mutating webhook: it answers the reviews of API servers (POST /wait, over https). A pod with the annotation rollcall.dev/wait: TARGET gets an init container "
                    "in front of its others that runs rollcall wait TARGET, with rollcall.dev/wait-until, -members and -timeout as its options; without wait-until a "
                    "kubernetes: target is waited for until its endpoints are there. All other pods stay as they are. Ends by SIGTERM or Ctrl-C, a second one at once. See docs/kubernetes-install.md.",
     .options = webhook_options,
     .examples = webhook_examples,
     .is_seldom = true,
     .run = run_webhook},
    {.name = "copy",
     .positional = "FILE",
     .summary = "copy this command to a file or a folder",
     .description = "Replaces FILE, or the file rollcall in that folder, by this command, and makes it executable. For an init container, since an image of the command alone has "
                    "no cp: the pod's other containers start it from a volume that they share. Their image needs glibc 2.34 or later.",
     .is_seldom = true,
     .run = run_copy},
    {.name = "completion",
     .positional = "bash|zsh|fish",
     .summary = "print a shell's completion script",
     .description = "Prints a completion script for the shell: source <(rollcall completion bash). Packages install them.",
     .is_seldom = true,
     .run = run_completion},
    {.name = "complete",
     .positional = "[-- WORD...]",
     .summary = "print what can stand at the end of a command line",
     .description = "What completion scripts ask: the words behind the program's name, the last one being typed. A candidate a line, with a tab and its meaning behind it.",
     .is_hidden = true,
     .takes_program = true,
     .run = run_complete},
    {.name = nvml_report_word,
     .summary = "print what NVIDIA's library says",
     .description = "What rollcall devices local starts: it loads NVIDIA's management library, which may crash or block, and prints its answer as one line. GPUs that do not answer within --timeout are named.",
     .options = nvml_report_options,
     .is_hidden = true,
     .default_timeout = std::chrono::seconds(6),
     .run = run_nvml_report},
    {.name = host_report_word,
     .positional = "WORD...",
     .summary = "print what a folder, or this host's software, looks like",
     .description = "What rollcall preflight starts: folder PATH lists the folder, software lists packages and libraries; either may block. The answer is one line.",
     .is_hidden = true,
     .run = run_host_report},
    {.name = "man",
     .summary = "print the manual page",
     .description = "Prints the manual page in troff form: rollcall man | man -l -",
     .is_seldom = true,
     .run = run_man},
};
// clang-format on

}  // namespace

std::span<const CommandRow> commands() noexcept { return command_table; }

std::span<const OptionRow> session_option_rows() noexcept { return session_rows; }

const CommandRow* find_command(std::string_view name) noexcept {
  for (const CommandRow& row : command_table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace rollcall::command
