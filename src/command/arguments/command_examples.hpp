// The examples of each command, as help and the manual page show them.
#pragma once

#include "command/arguments/command_table.hpp"

namespace rollcall::command {

// clang-format off: a row a line
inline constexpr Example spec_examples[] = {
    {"rollcall spec tpu:trainer --project my-project --zone us-central2-b", "the workers of one TPU"},
    {"rollcall spec tpu:a,zone=us-east1-d tpu:b,zone=us-central2-b", "two TPUs as one cluster"},
    {"rollcall spec --targets-from tpus.txt --partial --timeout 2m --format json", "many, even if some fail"},
    {"rollcall spec tpu:trainer --verbose --trace trace.json", "see each request"},
};
inline constexpr Example wait_examples[] = {
    {"rollcall wait tpu:trainer --zone us-central2-b --timeout 1h", "until the API says that all of it is ready"},
    {"rollcall wait tpu:trainer --until state,reachable", "and every worker's port takes connections"},
    {"rollcall wait kubernetes:train,job.worker=app=x --members 32 --progress json", "32 pods, progress for a program"},
};
inline constexpr Example status_examples[] = {
    {"rollcall status tpu:trainer --zone us-central2-b", "the members that are ready, and why others are not"},
    {"rollcall status tpu:trainer --quiet >/dev/null && ./start", "go on only if all of it is ready"},
    {"rollcall status kubernetes:train,job.worker=app=x --format json | jq -r '.members[] | select(.health != \"ready\") | .name'", "for a program"},
};
inline constexpr Example why_examples[] = {
    {"rollcall why kubernetes:train,job.worker=app=x", "what holds each member up, and what would mend it"},
    {"rollcall why kubernetes:train,job.worker=app=x --format json | jq -r '.groups[] | .members + \": \" + .why'", "for a program"},
};
inline constexpr Example exec_examples[] = {
    {"rollcall exec tpu:trainer --as jax -- python3 train.py", "start when the API says that all of it is ready"},
    {"rollcall exec auto: --on-preempt TERM -- ./train --checkpoint-on-term", "warn the program before its machine is taken away"},
    {"rollcall exec kubernetes:train,job.worker=app=x --restart-on lost,failed -- python3 train.py", "keep it running through lost workers"},
    {"rollcall exec simple:job.worker=a:1+b:1 --task worker:1 -- sh -c 'echo $TF_CONFIG'", "see its environment"},
};
inline constexpr Example hosts_examples[] = {
    {"rollcall hosts kubernetes:train,job.worker=app=x --slots 4 --format horovod", "a host discovery script, once this line is in one"},
    {"rollcall hosts tpu:trainer --format deepspeed --output hostfile", "a hostfile, whole at every moment"},
};
inline constexpr Example flags_examples[] = {
    {"eval \"torchrun $(rollcall flags tpu:trainer --for torchrun) train.py\"", "start on each host, with its own rank"},
    {"rollcall flags tpu:trainer --for accelerate --task worker:1 --probe", "see them, once the first host is reachable"},
    {"eval \"deepspeed $(rollcall flags tpu:trainer --for deepspeed --hostfile hosts.txt) train.py\"", "without ssh"},
};
inline constexpr Example whoami_examples[] = {
    {"srun rollcall whoami", "what Slurm, and a launcher within it, say about each task"},
    {"rollcall whoami kubernetes:train,job.worker=app=x", "which of these pods this is"},
    {"rollcall whoami --format json", "for a program"},
};
inline constexpr Example stage_examples[] = {
    {"rollcall stage sync -- uv sync", "how long that takes is known at the barrier that follows"},
    {"rollcall stage download --target slurm: -- ./fetch-data.sh", "with ROLLCALL_SERVER the others see it at once"},
};
inline constexpr Example watch_examples[] = {
    {"rollcall watch tpu:trainer --zone us-central2-b", "a line for every change, until Ctrl-C"},
    {"rollcall watch kubernetes:train,job.worker=app=x --format json", "for a program"},
    {"rollcall watch tpu:trainer --exec './on-change.sh'", "react"},
};
inline constexpr Example devices_examples[] = {
    {"rollcall devices tpu:trainer --zone us-central2-b", "hosts and TPU cores, and where the numbers come from"},
    {"rollcall devices local", "the accelerators of this host"},
    {"rollcall devices tpu:grpc://10.0.0.1:8470,grpc://10.0.0.2:8470", "what these workers list"},
    {"rollcall devices tpu:trainer --source devices --format json", "only what the runtime itself says, for a program"},
};
inline constexpr Example preflight_examples[] = {
    {"srun rollcall preflight slurm:", "all hosts of a Slurm step, and the network between them"},
    {"rollcall preflight", "this host: its accelerators, clock, limits, interface and versions"},
    {"rollcall preflight --checks quick,disk:/scratch=200G,mount:/data,shm=8G,expect:accelerators=8", "and what the job needs"},
    {"rollcall preflight --checks gpu --format json | jq -r '.findings[] | .device + \": \" + .text'", "for a program"},
};
inline constexpr Example topology_examples[] = {
    {"rollcall topology v5litepod-256", "what this accelerator type is made of"},
    {"rollcall topology v4-4x4x8 --svg slice.svg", "a shape of your own, also as a picture"},
    {"rollcall topology tpu:trainer --zone us-central2-b", "the hosts of a TPU, with their addresses"},
};
inline constexpr Example doctor_examples[] = {
    {"rollcall doctor", "this machine, its credentials, and the Cloud TPU API"},
    {"rollcall doctor tpu:trainer --project my-project --zone us-central2-b", "and what keeps this TPU from being found"},
    {"rollcall doctor kubernetes:train --format json", "for a program, or a report of trouble"},
};
inline constexpr Example discover_examples[] = {
    {"rollcall discover --project my-project", "everything in all zones"},
    {"rollcall discover --zone us-central2-b,us-west4-a --filter state!=READY --sort zone,name", "clusters that are not ready in two zones"},
    {"rollcall discover --namespace train,eval", "the jobs of two Kubernetes namespaces, of every kind"},
    {"rollcall discover --kind tpu --format json | jq -r .target | rollcall spec --targets-from - --partial", "the workers of all TPUs"},
};
inline constexpr Example record_examples[] = {
    {"rollcall record kubernetes:train,job.worker=app=x > incident.json", "what the API says now, without secrets"},
    {"rollcall record tpu:trainer --for 10m --anonymize > incident.json", "ten minutes of changes, with other names"},
    {"rollcall sim incident.json -- rollcall status", "play it: the target is in the file"},
};
inline constexpr Example sim_examples[] = {
    {"rollcall sim cloud.json -- ./tests.sh", "run a program against a cloud that ends with it"},
    {"eval \"$(rollcall sim cloud.json --background)\"", "start a cloud and point this shell at it"},
    {"rollcall spec tpu:trainer", "ask it"},
    {"kill \"$ROLLCALL_SIM_PID\"", "stop it; this shell keeps its variables, which lead nowhere then: go on in a new one"},
};
inline constexpr Example serve_examples[] = {
    {"rollcall serve", "ask the clouds once for all launchers of this machine"},
    {"export ROLLCALL_SERVER=http://127.0.0.1:7070; rollcall wait tpu:trainer", "wait through it"},
    {"rollcall serve --config /etc/rollcall/fleet.yaml --check", "the faults of the settings, or what the service would do"},
    {"rollcall serve --stdio", "a child for a program, which speaks the protocol of docs/protocol.md"},
};
inline constexpr Example webhook_examples[] = {
    {"rollcall webhook --image registry.example/rollcall:0.1.0 --certificate tls.crt --key tls.key", "what a Deployment of the chart runs"},
    {"kubectl annotate --local -f pod.yaml rollcall.dev/wait=kubernetes:./job/trainer -o yaml", "a pod that waits"},
};
inline constexpr Example fleet_examples[] = {
    {"ROLLCALL_SERVER=http://127.0.0.1:7070 rollcall fleet", "what the service on this machine follows"},
    {"rollcall fleet --watch", "a table that stays up to date"},
    {"rollcall fleet --format json | jq -r '.clusters[] | select(.standing != \"ready\") | .target'", "clusters that are not ready"},
};
// clang-format on

}  // namespace rollcall::command
