// The options of each command, a row each. Included by the command table only.
#pragma once

#include "command/arguments/check_stores.hpp"
#include "command/arguments/option_stores.hpp"

namespace rollcall::command {

// Choices that completions offer for lists.
inline constexpr std::string_view readiness_names[] = {"state", "health", "endpoints", "reachable", "devices"};
inline constexpr std::string_view status_readiness_names[] = {"state", "health", "endpoints"};
inline constexpr std::string_view passed_signals[] = {"TERM", "INT", "HUP", "USR1", "USR2", "QUIT"};
inline constexpr std::string_view column_names[] = {
    "kind",    "name",      "project",      "zone", "namespace", "state",           "health", "type",
    "members", "addresses", "accelerators", "user", "partition", "queued_resource", "target"};
inline constexpr std::string_view filter_keys[] = {
    "kind=", "name=", "project=", "zone=", "namespace=", "state=", "health=", "type=", "queued_resource=", "user=", "partition="};

inline constexpr std::string_view bad_annotation_names[] = {"refuse", "warn"};
inline constexpr std::string_view check_items[] = {
    "quick",      "full",      "clock",  "names",  "kernel", "os",      "driver",       "libraries", "packages",
    "memory",     "shm",       "limits", "nic",    "cpu",    "gpu",     "accelerators", "in_use",    "memory_speed",
    "disk_speed", "bandwidth", "disk:",  "mount:", "port:",  "expect:", "shm=",         "nofile=",   "memlock="};

// clang-format off: a row a line
// Options of several commands.
inline constexpr OptionRow project_row{.name = "--project", .letter = 'p', .value = "ID", .help = "the project of targets that name none", .apply = store_text<&Arguments::project>};
inline constexpr OptionRow zone_row{.name = "--zone", .letter = 'z', .value = "ZONE", .help = "the zone of targets that name none", .apply = store_text<&Arguments::zone>};
inline constexpr OptionRow api_row{.name = "--api", .value = "VERSION", .help = "the TPU API's version for tpu: targets that name none (default v2)", .choices = apis, .is_general = true, .completes = Completes::choice, .apply = store_api};
inline constexpr OptionRow timeout_row{.name = "--timeout", .letter = 't', .value = "DURATION", .help = "for the whole call, retries and waits included (default 30s)", .apply = store_duration<&Arguments::timeout>};
inline constexpr OptionRow retries_row{.name = "--retries", .value = "N", .help = "how often a request may be repeated (default 10)", .is_general = true, .apply = store_retries};
inline constexpr OptionRow format_row{.name = "--format", .letter = 'f', .also = 'o', .value = "FORM", .help = "how the answer is printed (default text)", .choices = formats, .completes = Completes::choice, .apply = store_format};
inline constexpr OptionRow token_file_row{.name = "--token-file", .value = "FILE", .help = "the file whose first line is the access token: Google's, or where all targets are kubernetes: that cluster's", .is_general = true, .completes = Completes::file, .apply = store_readable<&Arguments::token_file>};
inline constexpr OptionRow ca_row{.name = "--ca", .value = "FILE", .help = "PEM file of trust anchors, instead of the system's", .is_general = true, .completes = Completes::file, .apply = store_ca};
inline constexpr OptionRow client_certificate_row{.name = "--client-certificate", .value = "FILE", .help = "PEM file of a certificate and its chain, for servers that ask for one", .is_general = true, .completes = Completes::file, .apply = store_readable<&Arguments::client_certificate>};
inline constexpr OptionRow client_key_row{.name = "--client-key", .value = "FILE", .help = "PEM file of its key, without a passphrase (default: in the certificate's file)", .is_general = true, .completes = Completes::file, .apply = store_readable<&Arguments::client_key>};
inline constexpr OptionRow proxy_row{.name = "--proxy", .value = "URL", .help = "the proxy for https: http://HOST:PORT, https://, socks5:// or socks5h:// (default: HTTPS_PROXY, ALL_PROXY); NO_PROXY lists hosts without it", .is_general = true, .apply = store_proxy};
inline constexpr OptionRow connect_to_row{.name = "--connect-to", .value = "HOST1:PORT1:HOST2:PORT2", .help = "connect to HOST2:PORT2 instead of HOST1:PORT1; certificates are still checked for HOST1", .is_repeatable = true, .is_general = true, .apply = store_connect_to};
inline constexpr OptionRow http1_row{.name = "--http1.1", .help = "do not offer HTTP/2 to https servers", .is_general = true, .apply = store_flag<&Arguments::only_http1>};
inline constexpr OptionRow dns_server_row{.name = "--dns-server", .value = "IP[:PORT]", .help = "ask this name server", .is_repeatable = true, .is_hidden = true, .is_general = true, .apply = append_text<&Arguments::dns_servers>};
inline constexpr OptionRow quiet_row{.name = "--quiet", .letter = 'q', .help = "no progress and no notes on standard error: errors and warnings alone", .is_general = true, .apply = store_flag<&Arguments::is_quiet>};
inline constexpr OptionRow verbose_row{.name = "--verbose", .letter = 'v', .help = "one line on standard error for every attempt, status, wait and retry", .is_general = true, .apply = store_flag<&Arguments::is_verbose>};
inline constexpr OptionRow log_row{.name = "--log", .value = "FORM", .help = "every event as a line of JSON on standard error", .choices = log_forms, .is_general = true, .completes = Completes::choice, .apply = store_log};
inline constexpr OptionRow trace_row{.name = "--trace", .value = "FILE", .help = "write the call's timeline; open it at ui.perfetto.dev", .is_general = true, .completes = Completes::file, .apply = store_text<&Arguments::trace_file>};
inline constexpr OptionRow metrics_row{.name = "--metrics", .value = "FILE", .help = "write counters and durations of requests in Prometheus' text format", .is_general = true, .completes = Completes::file, .apply = store_text<&Arguments::metrics_file>};
inline constexpr OptionRow targets_from_row{.name = "--targets-from", .value = "FILE", .help = "more targets, one a line, # comments; - is standard input", .is_repeatable = true, .completes = Completes::file, .apply = append_text<&Arguments::target_files>};

// Options of launch contracts.
inline constexpr OptionRow cluster_format_row{.name = "--format", .letter = 'f', .also = 'o', .value = "FORM", .help = "how the cluster is printed: text (the default), json, or as a framework or launcher reads it: see docs/launch.md", .choices = cluster_formats, .completes = Completes::choice, .apply = store_cluster_format};
inline constexpr OptionRow task_row{.name = "--task", .value = "JOB:INDEX", .help = "which task this host is, such as worker:3 (default: as the target says, or the task with this machine's address)", .apply = store_task};
inline constexpr OptionRow job_row{.name = "--job", .value = "NAME[,NAME]", .help = "only these jobs take part in a launch, in this order (default: all, a chief or master first)", .is_repeatable = true, .is_general = true, .apply = append_job};
inline constexpr OptionRow coordinator_port_row{.name = "--coordinator-port", .value = "PORT", .help = "the port at which the first task waits for the others: a number, usual (the framework's own, the default), task (that of its address), or derived (from the cluster's addresses or --job-id)", .is_general = true, .apply = store_coordinator_port};
inline constexpr OptionRow job_id_row{.name = "--job-id", .value = "ID", .help = "names this run, the same on every host (default: made of the cluster's addresses)", .is_general = true, .apply = store_job_id};
inline constexpr OptionRow slots_row{.name = "--slots", .value = "N", .help = "processes or accelerators of each host (default: the target's accelerators, else its tasks)", .is_general = true, .apply = store_slots};
inline constexpr OptionRow accelerator_type_row{.name = "--accelerator-type", .value = "TYPE", .help = "of each slice, such as v5litepod-16 (default: as the target says)", .is_general = true, .apply = store_accelerator_type};

inline constexpr OptionRow probe_row{.name = "--probe", .help = "before a launch: check that the coordinator's port is free on its own host, and that the host is reachable from the others", .is_general = true, .apply = store_flag<&Arguments::probes_coordinator>};

inline constexpr OptionRow checks_row{.name = "--checks", .value = "CHECK[,CHECK]", .help = "what is checked: quick (the default) or full, names of checks, -NAME to leave one out; and what the job needs: disk:PATH=200G, mount:PATH, port:N, shm=8G, nofile=65536, memlock=unlimited, expect:NAME=VALUE; see docs/preflight.md", .items = check_items, .is_repeatable = true, .completes = Completes::list, .apply = append_checks};
inline constexpr OptionRow verdict_from_row{.name = "--verdict-from", .value = "CMD", .help = "run CMD by sh -c on this host, for 30s at most, and take its verdict over: 'dcgmi diag -r 1 -j', nhc, NVIDIA Health Validation, or its exit code; nagios:CMD has the exit codes of Nagios; nvhcd:unix:///PATH asks the daemon nvhcd at its socket; see docs/preflight.md", .is_repeatable = true, .is_general = true, .apply = append_verdict_source};
inline constexpr OptionRow preflight_row{.name = "--preflight", .help = "before the program starts check every host, and the network between them, as rollcall preflight does; start nothing if that fails (exit code 118)", .is_general = true, .apply = store_flag<&Arguments::preflights>};
inline constexpr OptionRow preflight_port_row{.name = "--preflight-port", .value = "PORT", .help = "the port at which the hosts of a preflight meet and are probed, free on every host and the same for all (default: that of each task's address)", .is_general = true, .apply = store_meeting_port<&Arguments::preflight_port>};
inline constexpr OptionRow barrier_row{.name = "--barrier", .help = "start the program only when every task of the cluster waits here, too; name those that are missing", .is_general = true, .apply = store_flag<&Arguments::waits_at_barrier>};
inline constexpr OptionRow barrier_port_row{.name = "--barrier-port", .value = "PORT", .help = "the port at which the tasks meet, free on every host and the same for all (default: that of each task's address)", .is_general = true, .apply = store_meeting_port<&Arguments::barrier_port>};
inline constexpr OptionRow secret_file_row{.name = "--secret-file", .value = "FILE", .help = "the file whose first line is a secret that all tasks share: those that do not prove it are no part of the meeting (default: ROLLCALL_SECRET_FILE)", .is_general = true, .completes = Completes::file, .apply = store_readable<&Arguments::secret_file>};

inline constexpr OptionRow spec_options[] = {
    project_row, zone_row, api_row, timeout_row, retries_row, cluster_format_row, targets_from_row, task_row, job_row, coordinator_port_row, job_id_row, slots_row, accelerator_type_row, probe_row,
    {.name = "--partial", .help = "ask each target separately: those that fail are listed, the others are printed; exit code 6", .apply = store_flag<&Arguments::is_partial>},
    {.name = "--lookup", .value = "HOW", .help = "ask for each TPU, or for a list per project and zone (default auto: a list where very many are wanted)", .choices = lookups, .is_general = true, .completes = Completes::choice, .apply = store_choice<&Arguments::lookup, TpuLookup, lookups>},
    token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow hosts_options[] = {
    {.name = "--format", .letter = 'f', .also = 'o', .value = "FORM", .help = "horovod (host:4), deepspeed and mpi (host slots=4), mpich (host:4), or lines (the default: hosts alone)", .choices = hosts_form_names, .completes = Completes::choice, .apply = store_choice<&Arguments::hosts_form, HostsForm, hosts_form_names>},
    {.name = "--output", .value = "FILE", .help = "replace FILE in one step instead of printing", .completes = Completes::file, .apply = store_text<&Arguments::output_file>},
    job_row, slots_row,
    {.name = "--for-existence", .help = "what does not exist yet is not ready, instead of an error", .apply = store_flag<&Arguments::is_for_existence>},
    project_row, zone_row, api_row, timeout_row, retries_row, targets_from_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow flags_options[] = {
    {.name = "--for", .value = "LAUNCHER", .help = "the launcher that gets the flags", .choices = flags_for_names, .completes = Completes::choice, .apply = store_choice<&Arguments::flags_for, FlagsFor, flags_for_names>},
    {.name = "--hostfile", .value = "FILE", .help = "with deepspeed, which needs one: replaced in one step, as rollcall hosts --format deepspeed --output does, and named in the flags", .completes = Completes::file, .apply = store_hostfile},
    task_row, job_row, coordinator_port_row, job_id_row, slots_row, probe_row,
    project_row, zone_row, api_row, timeout_row, retries_row, targets_from_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow until_row{.name = "--until", .letter = 'u', .value = "WHAT", .help = "what ready means, joined by commas: state, health (what the API says), endpoints (as many addresses as the topology asks for), reachable (every port takes a connection), devices (every runtime answers); default state,health,endpoints", .items = readiness_names, .completes = Completes::list, .apply = store_until};
inline constexpr OptionRow wait_timeout_row{.name = "--timeout", .letter = 't', .value = "DURATION", .help = "for the whole wait (default 30m)", .apply = store_duration<&Arguments::timeout>};
inline constexpr OptionRow queue_timeout_row{.name = "--queue-timeout", .value = "DURATION", .help = "how long it may be queued for capacity", .is_general = true, .apply = store_duration<&Arguments::queue_timeout>};
inline constexpr OptionRow provision_timeout_row{.name = "--provision-timeout", .value = "DURATION", .help = "how long it may take once capacity is granted", .is_general = true, .apply = store_duration<&Arguments::provision_timeout>};
inline constexpr OptionRow members_row{.name = "--members", .letter = 'n', .value = "N", .help = "how many members there must be at least (default: as many as the topology says)", .apply = store_members<&Arguments::members>};
inline constexpr OptionRow for_existence_row{.name = "--for-existence", .help = "also wait for what does not exist yet", .apply = store_flag<&Arguments::is_for_existence>};
inline constexpr OptionRow for_start_row{.name = "--for-start", .help = "also wait for what is stopped, until it is started", .is_general = true, .apply = store_flag<&Arguments::is_for_start>};
inline constexpr OptionRow for_return_row{.name = "--for-return", .help = "also wait for what is preempted, deleted or stopped, until it is recreated or started", .is_general = true, .apply = store_flag<&Arguments::is_for_return>};
inline constexpr OptionRow unschedulable_row{.name = "--fail-if-unschedulable", .help = "fail at once when no node has room for a pod", .is_general = true, .apply = store_flag<&Arguments::fails_if_unschedulable>};

inline constexpr OptionRow progress_row{.name = "--progress", .value = "FORM", .help = "how the wait is shown on standard error (default: a table on a terminal, elsewhere a line for every change)", .choices = progress_forms, .is_general = true, .completes = Completes::choice, .apply = store_choice<&Arguments::progress, ProgressForm, progress_forms>};

inline constexpr OptionRow wait_options_table[] = {
    until_row, wait_timeout_row, queue_timeout_row, provision_timeout_row, members_row, for_existence_row, for_start_row, for_return_row, unschedulable_row, progress_row,
    project_row, zone_row, api_row, retries_row, cluster_format_row, targets_from_row, task_row, job_row, coordinator_port_row, job_id_row, slots_row, accelerator_type_row, probe_row,
    token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow status_options[] = {
    {.name = "--until", .letter = 'u', .value = "WHAT", .help = "what ready means, joined by commas: state, health (what the API says), endpoints (as many addresses as the topology asks for); default all three", .items = status_readiness_names, .completes = Completes::list, .apply = store_until},
    members_row,
    project_row, zone_row, api_row, timeout_row, retries_row, format_row, targets_from_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow exec_options[] = {
    {.name = "--until", .letter = 'u', .value = "WHAT", .help = "what ready means, joined by commas: state, health (what the API says), endpoints (as many addresses as the topology asks for), reachable (every port takes a connection), devices (every runtime answers); default state,health,endpoints. With reachable or devices a task whose own port CMD opens waits for itself for ever", .items = readiness_names, .completes = Completes::list, .apply = store_until},
    wait_timeout_row, queue_timeout_row, provision_timeout_row, members_row, for_existence_row, for_start_row, for_return_row, unschedulable_row,
    {.name = "--as", .value = "FORM[,FORM]", .help = "describe the cluster to the program in these forms: tf-config (the default), jax, pjrt, megascale, torchrun, torch-env, torch-xla; see docs/launch.md", .items = launch_forms, .is_repeatable = true, .completes = Completes::list, .apply = append_launch_form},
    task_row,
    {.name = "--require-task", .help = "do not start the program unless it is known which task of the cluster this host is", .is_general = true, .apply = store_flag<&Arguments::requires_task>},
    job_row, coordinator_port_row, job_id_row, slots_row, accelerator_type_row, probe_row, preflight_row, checks_row, verdict_from_row, preflight_port_row, barrier_row, barrier_port_row, secret_file_row,
    {.name = "--on-preempt", .value = "SIGNAL", .help = "stay the program's parent and send it SIGNAL when a preemption or maintenance is announced, or members are lost", .items = passed_signals, .completes = Completes::list, .apply = store_on_preempt},
    {.name = "--restart-on", .value = "WHY[,WHY]", .help = "keep the program running: lost ends it when a member of the cluster is lost or about to be preempted, waits for the cluster and restarts it; failed restarts it when it ends with another status than 0", .items = restart_reasons, .completes = Completes::list, .apply = store_restart_on},
    {.name = "--max-restarts", .value = "N", .help = "how often it is restarted; counted from 0 again after a run of 10 minutes (default 3)", .is_general = true, .apply = store_max_restarts},
    {.name = "--grace", .value = "DURATION", .help = "between TERM, or the signal of --on-preempt, and KILL for it and all that it has started (default 30s)", .is_general = true, .apply = store_duration<&Arguments::grace>},
    {.name = "--min-members", .value = "N", .help = "for elastic jobs: start and restart it when at least N members are ready; those are numbered from 0, and one that joins later restarts it", .apply = store_members<&Arguments::min_members>},
    {.name = "--last-call", .value = "DURATION", .help = "with --min-members: how long to wait for another member when there are enough (default 30s)", .is_general = true, .apply = store_duration<&Arguments::last_call>},
    progress_row, project_row, zone_row, api_row, retries_row, targets_from_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow stage_options[] = {
    {.name = "--target", .value = "TARGET", .help = "the cluster whose barrier this process comes to (default: ROLLCALL_TARGET)", .apply = store_text<&Arguments::stage_target>},
    task_row, job_id_row,
    project_row, zone_row, api_row, timeout_row, retries_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow watch_options_table[] = {
    {.name = "--exec", .letter = 'x', .value = "CMD", .help = "run CMD by sh -c for every change, one after the other; the variables ROLLCALL_CHANGE, ROLLCALL_TEXT, ROLLCALL_CLUSTER, ROLLCALL_JOB, ROLLCALL_INDEX, ROLLCALL_ADDRESS, ROLLCALL_MEMBER say which", .apply = store_text<&Arguments::hook>},
    {.name = "--exec-timeout", .value = "DURATION", .help = "end CMD when it takes longer (default 1m)", .is_general = true, .apply = store_duration<&Arguments::hook_timeout>},
    until_row, members_row,
    project_row, zone_row, api_row, retries_row, format_row, targets_from_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow no_nvml_row{.name = "--no-nvml", .help = "do not load NVIDIA's library: GPUs are counted by their device files", .apply = store_flag<&Arguments::leaves_nvml>};
inline constexpr OptionRow machine_root_row{.name = "--machine-root", .value = "FOLDER", .help = "read this host's /dev, /proc and /sys below this folder", .is_hidden = true, .is_general = true, .completes = Completes::file, .apply = store_text<&Arguments::machine_root>};

inline constexpr OptionRow devices_options[] = {
    {.name = "--source", .letter = 's', .value = "WHERE", .help = "where the numbers come from: the cluster's own runtime, or the TPU's accelerator type; auto (the default) takes the type where no runtime listens", .choices = sources, .completes = Completes::choice, .apply = store_choice<&Arguments::count_from, CountFrom, sources>},
    {.name = "--ask", .value = "WHICH", .help = "ask the master, and the workers when it is late (the default), or all workers from the start", .choices = device_queries, .completes = Completes::choice, .apply = store_choice<&Arguments::device_query, DeviceQuery, device_queries>},
    no_nvml_row, machine_root_row,
    project_row, zone_row, api_row, timeout_row, retries_row, format_row, targets_from_row,
    {.name = "--partial", .help = "print what was found even if some targets failed; exit code 6", .apply = store_flag<&Arguments::is_partial>},
    token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow whoami_options[] = {
    format_row, project_row, zone_row, api_row, timeout_row, retries_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow nvml_report_options[] = {timeout_row};

inline constexpr OptionRow preflight_options[] = {
    checks_row, verdict_from_row,
    task_row, job_id_row, preflight_port_row, secret_file_row,
    {.name = "--save", .value = "FILE", .help = "where this member judges: keep what it judged by, for --judge", .completes = Completes::file, .apply = store_text<&Arguments::saved_evidence>},
    {.name = "--judge", .value = "FILE", .help = "judge what was saved again, and contact nothing", .completes = Completes::file, .apply = store_text<&Arguments::judged_evidence>},
    no_nvml_row, machine_root_row,
    {.name = "--timeout", .letter = 't', .value = "DURATION", .help = "how long members that are missing are waited for; of this host alone, for all of it (default 5m)", .apply = store_duration<&Arguments::timeout>},
    format_row, project_row, zone_row, api_row, retries_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow topology_options[] = {
    format_row,
    {.name = "--svg", .value = "FILE", .help = "draw the hosts as a picture too; - is standard output, then nothing else is printed", .completes = Completes::file, .apply = store_text<&Arguments::svg_file>},
    project_row, zone_row, api_row, timeout_row, retries_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow doctor_options[] = {
    format_row, project_row, zone_row, timeout_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow discover_options[] = {
    {.name = "--project", .letter = 'p', .value = "ID[,ID]", .help = "search these projects (default: the environment's, or the metadata server's)", .is_repeatable = true, .apply = append_list<&Arguments::projects>},
    {.name = "--zone", .letter = 'z', .value = "ZONE[,ZONE]", .help = "search these zones (default: all, by one request for each kind)", .is_repeatable = true, .apply = append_list<&Arguments::zones>},
    {.name = "--namespace", .letter = 'n', .value = "NS[,NS]", .help = "search these Kubernetes namespaces for jobs: '.' is the kubeconfig's own, - all of them", .is_repeatable = true, .apply = append_list<&Arguments::namespaces>},
    {.name = "--context", .value = "NAME", .help = "of the kubeconfig (default: its current one)", .apply = store_text<&Arguments::context>},
    {.name = "--slurm", .value = "KEYS", .help = "search Slurm's jobs, asked as KEYS of a slurm:job target say, such as restd=unix:/run/slurmrestd.socket (default: by its programs)", .apply = store_text<&Arguments::slurm>},
    {.name = "--kind", .letter = 'k', .value = "KIND", .help = "search for this kind only", .choices = found_kinds, .is_repeatable = true, .completes = Completes::choice, .apply = append_kind},
    {.name = "--filter", .value = "KEY=PATTERN", .help = "show what matches: kind, name, project, zone, namespace, state, health, type, queued_resource, user, partition; KEY!=PATTERN what does not; * is any text, + joins patterns", .items = filter_keys, .is_repeatable = true, .completes = Completes::list, .apply = append_text<&Arguments::filters>},
    {.name = "--columns", .letter = 'c', .value = "NAME[,NAME]", .help = "of the table: kind, name, project, zone, namespace, state, health, type, members, addresses, accelerators, user, partition, queued_resource, target", .items = column_names, .completes = Completes::list, .apply = store_text<&Arguments::columns>},
    {.name = "--sort", .value = "NAME[,NAME]", .help = "by these columns, -NAME in reverse; printed when the search is complete", .items = column_names, .completes = Completes::list, .apply = store_text<&Arguments::sort>},
    {.name = "--format", .letter = 'f', .also = 'o', .value = "FORM", .help = "how finds are printed (default text on a terminal, else json: a line each)", .choices = formats, .completes = Completes::choice, .apply = store_format},
    targets_from_row,
    {.name = "--partial", .help = "exit code 6 when something is missing but something was found", .apply = store_flag<&Arguments::is_partial>},
    api_row, timeout_row, retries_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow fleet_options[] = {
    {.name = "--watch", .letter = 'w', .help = "go on until Ctrl-C: the table is updated when something changes; in a pipe it is printed again", .apply = store_flag<&Arguments::is_watching>},
    {.name = "--format", .letter = 'f', .also = 'o', .value = "FORM", .help = "text, or json: all clusters as one line (default text)", .choices = formats, .completes = Completes::choice, .apply = store_format},
    timeout_row, retries_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow record_options[] = {
    {.name = "--for", .value = "DURATION", .help = "follow the cluster for so long, or until Ctrl-C, and record every change (default: ask once)", .apply = store_duration<&Arguments::record_time>},
    {.name = "--anonymize", .help = "replace names of namespaces, pods, machines, projects, images and addresses, each by the same one everywhere", .apply = store_flag<&Arguments::is_anonymous>},
    project_row, zone_row, api_row, timeout_row, retries_row, targets_from_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, quiet_row, verbose_row, log_row, trace_row, metrics_row,
};

inline constexpr OptionRow sim_options[] = {
    {.name = "--port", .value = "N", .help = "the port for http (default 0: any free one)", .apply = store_port<&Arguments::port>},
    {.name = "--https-port", .value = "N", .help = "the port for https (default 0: any free one)", .is_general = true, .apply = store_port<&Arguments::https_port>},
    {.name = "--ca-out", .value = "FILE", .help = "write the authority's certificate to FILE (for --ca) and point clients at https", .is_general = true, .completes = Completes::file, .apply = store_text<&Arguments::ca_out>},
    {.name = "--kubeconfig-out", .value = "FILE", .help = "write the kubeconfig for a simulated Kubernetes cluster to FILE, and keep it", .is_general = true, .completes = Completes::file, .apply = store_text<&Arguments::kubeconfig_out>},
    {.name = "--await-request", .help = "the cloud's time begins with the first request instead of at once", .apply = store_flag<&Arguments::awaits_request>},
    {.name = "--background", .letter = 'b', .help = "return as soon as it listens; $ROLLCALL_SIM_PID is its process", .apply = store_flag<&Arguments::is_background>},
    {.name = "--env-format", .value = "FORM", .help = "how the variables are printed (default shell; github: for $GITHUB_ENV)", .choices = environment_forms, .completes = Completes::choice, .apply = store_choice<&Arguments::environment_form, EnvironmentForm, environment_forms>},
    {.name = "--quiet", .letter = 'q', .help = "no request counts on exit", .apply = store_flag<&Arguments::is_quiet>},
};

// Options of a session by serve --stdio, whose client can set them as well.
inline constexpr OptionRow session_rows[] = {
    project_row, zone_row, api_row, retries_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row,
};

inline constexpr OptionRow serve_options[] = {
    {.name = "--stdio", .help = "take requests on standard input, answer on standard output", .apply = store_flag<&Arguments::is_stdio>},
    {.name = "--config", .value = "FILE", .help = "the service's settings (docs/fleet.md); read again at SIGHUP", .completes = Completes::file, .apply = store_text<&Arguments::config_file>},
    {.name = "--listen", .value = "IP:PORT", .help = "serve launchers over HTTP there (default 127.0.0.1:7070; port 0: any)", .is_repeatable = true, .apply = append_text<&Arguments::listen>},
    {.name = "--xds-listen", .value = "IP:PORT", .help = "serve gRPC clients and Envoy there by xDS (ADS); port 0: any", .is_repeatable = true, .is_general = true, .apply = append_text<&Arguments::xds_listen>},
    {.name = "--allow", .value = "PATTERN", .help = "accept only these targets from launchers, such as 'tpu:*,project=p', instead of those in the settings", .is_repeatable = true, .is_general = true, .apply = append_text<&Arguments::allow>},
    {.name = "--check", .help = "read the settings and the files that they name, say what the service would do, and end", .apply = store_flag<&Arguments::is_check>},
    {.name = "--drain", .value = "TIME", .help = "how long to wait at the end for launchers to leave (default 20s)", .is_general = true, .apply = store_duration<&Arguments::drain>},
    project_row, zone_row, api_row, retries_row, token_file_row, ca_row, client_certificate_row, client_key_row, proxy_row, connect_to_row, http1_row, dns_server_row, verbose_row, log_row,
};

inline constexpr OptionRow webhook_options[] = {
    {.name = "--image", .value = "IMAGE", .help = "of the init containers: one whose entry point is rollcall, such as registry.example/rollcall@sha256:…", .apply = store_text<&Arguments::webhook_image>},
    {.name = "--certificate", .value = "FILE", .help = "PEM file of the webhook's certificate and its chain, for NAME.NAMESPACE.svc of its Service; read again when it changes", .completes = Completes::file, .apply = store_readable<&Arguments::webhook_certificate>},
    {.name = "--key", .value = "FILE", .help = "PEM file of its key (default: in the certificate's file)", .completes = Completes::file, .apply = store_readable<&Arguments::webhook_key>},
    {.name = "--listen", .value = "IP:PORT", .help = "where API servers ask (default :8443, on all addresses; port 0: any)", .apply = store_text<&Arguments::webhook_listen>},
    {.name = "--bad-annotation", .value = "WHAT", .help = "refuse a pod whose annotations are wrong (the default), or warn and create it without a wait", .choices = bad_annotation_names, .completes = Completes::choice, .apply = store_bad_annotation},
    {.name = "--drain", .value = "TIME", .help = "how long to answer on after SIGTERM, until API servers ask elsewhere (default 5s)", .apply = store_duration<&Arguments::webhook_drain>},
    quiet_row, verbose_row, log_row,
};
// clang-format on

}  // namespace rollcall::command
