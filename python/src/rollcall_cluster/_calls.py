"""The questions: the arguments of each, the request that is sent, and the type of its answer. Both clients have each of them as a method.

The docstrings here are those of the methods and of the package's functions.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ._errors import InvalidArgument
from ._progress import OnBarrierProgress, OnProgress, barrier_reporter, reporter
from ._question import Call, Stream, Texts, checked_seconds, checked_targets, checked_task, params_of, texts_of
from ._session import decoded
from ._values import ClusterSpec, Failure, Json, Task

if TYPE_CHECKING:  # imported together with the first answer of such a type: a third of the import time of a `resolve`, which has none of them
    from ._inventory import Devices, Diagnosis, Found, Topology
    from ._preflight import Verdict
    from ._states import Barrier, Change, Status, Why

_TIME_OF_CHECKS = 240.0  # seconds that the command gives a preflight once everyone is there, or is waited for no longer


def resolve(*targets: str, timeout: float | None = 30.0, partial: bool = False, list: bool | None = None) -> Call[ClusterSpec]:
    """Finds a cluster: the addresses of its tasks, by job and index.

    Args:
        targets: the targets to find, as on the command line; several are one cluster.
        timeout: seconds for the whole call, retries and waits included; None: no limit.
        partial: ask each target on its own; those without an answer are in `failures` of the result.
        list: True: ask for one list per project and zone; False: for each TPU; None: for each, but for a list where all questions of the client together ask for more TPUs than
            the service accepts at once (64).

    Returns: a ClusterSpec.
    Raises: RollcallError, by the kind of failure; TypeError for a target that is not a text.
    When it is cancelled, its work has ended before CancelledError is raised.
    """
    seconds = checked_seconds("timeout", timeout)
    params = params_of(targets=checked_targets(targets), timeout=seconds, partial=partial or None, list=list)
    return Call("resolve", params, _spec, seconds)


def status(*targets: str, timeout: float | None = 30.0) -> Call[Status]:
    """Polls a cluster once: its members, and the state of each.

    Args:
        targets: the targets to poll; several are one cluster.
        timeout: seconds for the whole call; None: no limit.

    Returns: a Status; a cluster that is not ready is an answer, not an error.
    Raises: RollcallError, by the kind of failure.
    """
    seconds = checked_seconds("timeout", timeout)
    return Call("status", params_of(targets=checked_targets(targets), timeout=seconds), _status, seconds)


def why(*targets: str, timeout: float | None = 30.0, until: Texts = None, members: int | None = None) -> Call[Why]:
    """Polls a cluster once and says why members are not ready: of Kubernetes with what stands around the pods.

    Args:
        targets: the targets to poll; several are one cluster.
        timeout: seconds for the whole call; None: no limit.
        until: what ready means, as texts or joined by commas: `state`, `health`, `endpoints`; default all three.
        members: the minimum of members; default: as many as the topology has.

    Returns: a Why; a cluster that is not ready is an answer, not an error.
    Raises: RollcallError, by the kind of failure.
    """
    seconds = checked_seconds("timeout", timeout)
    params = params_of(
        targets=checked_targets(targets), timeout=seconds, until=",".join(texts_of("until", until) or ()) or None, members=_checked_members(members)
    )
    return Call("why", params, _why, seconds)


def wait(
    *targets: str,
    timeout: float | None = 1800.0,
    until: Texts = None,
    members: int | None = None,
    queue_timeout: float | None = None,
    provision_timeout: float | None = None,
    for_existence: bool = False,
    for_start: bool = False,
    fail_if_unschedulable: bool = False,
    on_progress: OnProgress | str | None = "log",
) -> Call[Status]:
    """Waits until a cluster is ready, and reports meanwhile which members are missing and why.

    Args:
        targets: the targets to wait for; several are one cluster.
        timeout: seconds for the whole wait; None: no limit.
        until: what ready means, as texts or joined by commas: `state`, `health`, `endpoints`, `reachable`, `devices`; default the first three.
        members: the minimum of members; default: as many as the topology has.
        queue_timeout: seconds for which it may be queued for capacity.
        provision_timeout: seconds that it may take once capacity is granted.
        for_existence: also wait for a target that does not exist yet.
        for_start: also wait for a target that is stopped.
        fail_if_unschedulable: do not wait for room for a pod.
        on_progress: a function of a Progress, called on this thread; or `auto`, `table`, `rich`, `tqdm`, `log` (records of level INFO); None: nothing.

    Returns: the Status that was ready.
    Raises: NotReady when it can never be ready; DeadlineExceeded, whose `missing` lists all missing members; other RollcallErrors. An exception of `on_progress` ends the wait
        and is raised here.
    When it is cancelled, its work has ended before CancelledError is raised.
    """
    seconds = checked_seconds("timeout", timeout)
    params = params_of(
        targets=checked_targets(targets),
        timeout=seconds,
        until=",".join(texts_of("until", until) or ()) or None,
        members=_checked_members(members),
        queue_timeout=None if queue_timeout is None else checked_seconds("queue_timeout", queue_timeout),
        provision_timeout=None if provision_timeout is None else checked_seconds("provision_timeout", provision_timeout),
        for_existence=for_existence or None,
        for_start=for_start or None,
        fail_if_unschedulable=fail_if_unschedulable or None,
    )
    show, end = reporter(on_progress)
    params["progress"] = show is not None
    return Call("wait", params, _status, seconds, _progress_event(show), end)


def devices(*targets: str, timeout: float | None = 30.0, partial: bool = False, source: str | None = None, ask: str | None = None) -> Call[Devices]:
    """Lists the accelerators of each target, from its own runtime or from its type.

    Args:
        targets: the targets to ask, each on its own; or `local` alone: this host.
        timeout: seconds for the whole call; None: no limit.
        partial: targets without an answer are in `failures` of the result.
        source: `auto` (default), `devices` or `accelerator-type`.
        ask: `master` (default) or `workers`.

    Returns: Devices.
    Raises: RollcallError, by the kind of failure.
    """
    seconds = checked_seconds("timeout", timeout)
    return Call("devices", params_of(targets=checked_targets(targets), timeout=seconds, partial=partial or None, source=source, ask=ask), _devices, seconds)


def accelerators(*targets: str, timeout: float | None = 30.0, source: str | None = None, ask: str | None = None) -> Call[dict[str, int]]:
    """Counts the accelerators of one host by type: `{"TPU": 4}`.

    Args:
        targets: the targets to ask; several are one cluster.
        timeout: seconds for the whole call; None: no limit.
        source, ask: as for `devices`.

    Returns: a dict of numbers by type.
    Raises: RollcallError, by the kind of failure.
    """
    seconds = checked_seconds("timeout", timeout)
    return Call("accelerators", params_of(targets=checked_targets(targets), timeout=seconds, source=source, ask=ask), lambda data: dict(data["counts"]), seconds)


def whoami(*targets: str, timeout: float | None = 30.0) -> Call[Task]:
    """Finds which task of the cluster this process is: from the targets, else launchers' variables, else this machine's addresses and names. Never guessed.

    Args:
        targets: the cluster, such as `auto:`.
        timeout: seconds for the whole call; None: no limit.

    Returns: a Task, whose address may be empty, and whose `evidence` says how it is known.
    Raises: RollcallError, by the kind of failure; FailedPrecondition or NotFound where no source has it, Conflict where two sources contradict each other, InvalidArgument where
    a variable is not a number or not a task's.
    """
    seconds = checked_seconds("timeout", timeout)
    return Call("whoami", params_of(targets=checked_targets(targets), timeout=seconds), Task.of, seconds)


def topology(type_or_target: str, *, timeout: float | None = 30.0) -> Call[Topology]:
    """Describes an accelerator: its parts, and the grid of its hosts.

    Args:
        type_or_target: a type such as `v4-32`, which needs no request, or a target that is a TPU (a word with a colon).
        timeout: seconds for the whole call; None: no limit.

    Returns: a Topology, which a notebook draws.
    Raises: RollcallError, by the kind of failure.
    """
    (text,) = checked_targets((type_or_target,))
    seconds = checked_seconds("timeout", timeout)
    return Call("topology", params_of(timeout=seconds, **{"target" if ":" in text else "accelerator_type": text}), _topology, seconds)


def doctor(target: str | None = None, *, timeout: float | None = 30.0) -> Call[Diagnosis]:
    """Checks everything that a target needs and reports what keeps it from being found.

    Args:
        target: default: only the Cloud TPU API.
        timeout: seconds for the whole call; None: no limit.

    Returns: a Diagnosis, which contains failed checks; they are not raised.
    Raises: RollcallError when the question itself is wrong.
    """
    seconds = checked_seconds("timeout", timeout)
    text = None if target is None else checked_targets((target,))[0]
    return Call("doctor", params_of(target=text, timeout=seconds), _diagnosis, seconds)


def barrier(
    *targets: str,
    task: str | tuple[str, int] | Task | None = None,
    timeout: float | None = 1800.0,
    job_id: str | None = None,
    port: int | None = None,
    generation: int | None = None,
    on_progress: OnBarrierProgress | str | None = "log",
) -> Call[Barrier]:
    """Waits until every task of a cluster waits here, too: all of them start together, or none does.

    Args:
        targets: the cluster, the same for all tasks; several targets are one cluster.
        task: the task that this process is, as `worker:3` or a pair; default: found as `whoami` does, never guessed.
        timeout: seconds for which the others are waited for; None: no limit.
        job_id: names this run, the same for all tasks; default: Slurm's step, where there is one.
        port: where the tasks meet, the same for all; default: the port of each task's address, or the service of ROLLCALL_SERVER.
        generation: the least number that the start may have; default 1.
        on_progress: a function of a BarrierProgress, called on this thread; or `log` (records of level INFO); None: nothing.

    Returns: a Barrier: the cluster, this process's task and rank, and the number of the start.
    Raises: DeadlineExceeded, whose text names the tasks that are late, and whose `progress` is the last BarrierProgress; FailedPrecondition where the port is in use; Conflict
        where another process is there as the same task; other RollcallErrors. An exception of `on_progress` ends the wait and is raised here.
    When it is cancelled, this task has left the barrier before CancelledError is raised.
    """
    seconds = checked_seconds("timeout", timeout)
    params = params_of(targets=checked_targets(targets), task=None if task is None else checked_task(task), timeout=seconds, job_id=job_id, port=port, generation=generation)
    show = barrier_reporter(on_progress)
    params["progress"] = show is not None
    return Call("barrier", params, _barrier, seconds, _barrier_event(show))


def preflight(
    *targets: str,
    checks: str | Iterable[str] | None = None,
    verdict_from: str | Iterable[str] | None = None,
    task: str | tuple[str, int] | Task | None = None,
    timeout: float | None = 300.0,
    job_id: str | None = None,
    port: int | None = None,
    secret_file: str | None = None,
    on_progress: OnBarrierProgress | str | None = "log",
) -> Call[Verdict]:
    """Checks whether this host can run a program; with targets, asked on each host of the cluster, whether all of them and the network between them can.

    Args:
        targets: the cluster, the same for all; several targets are one cluster. None: this host alone, and the next arguments but `timeout` are of no use.
        checks: what is checked, a text or several, such as `quick,-packages` or `expect:driver=580.159.04`; default `quick`.
        verdict_from: commands, run by `sh -c` on this host, whose verdicts count, such as `dcgmi diag -r 1 -j`, or `nvhcd:unix:///PATH`; one, or several.
        task: the task that this process is, as `worker:3` or a pair; default: found as `whoami` does, never guessed.
        timeout: seconds for which the others are waited for; None: no limit. The checks themselves take up to four minutes more.
        job_id: names this run, the same for all; default: Slurm's step, where there is one.
        port: where the hosts meet and are probed, the same for all; default: the port of each task's address.
        secret_file: a file whose first line is a secret that all share and prove to each other; default: the one that ROLLCALL_SECRET_FILE names.
        on_progress: a function of a BarrierProgress, called on this thread; or `log` (records of level INFO); None: nothing.

    Returns: a Verdict, passed or not; `raise_for_failure()` raises where it has not passed.
    Raises: InvalidArgument where an argument is wrong; other RollcallErrors. An exception of `on_progress` ends the preflight and is raised here.
    When it is cancelled, the port is free before CancelledError is raised.
    """
    seconds = checked_seconds("timeout", timeout)
    words = None if checks is None else [word.strip() for text in texts_of("checks", checks) or () for word in text.split(",")]
    params = params_of(
        targets=checked_targets(targets) if targets else None,
        checks=words,
        verdict_from=texts_of("verdict_from", verdict_from),
        task=None if task is None else checked_task(task),
        timeout=seconds,
        job_id=job_id,
        port=port,
        secret_file=secret_file,
    )
    show = barrier_reporter(on_progress)
    params["progress"] = show is not None
    return Call("preflight", params, _verdict, 2 * seconds + _TIME_OF_CHECKS, _barrier_event(show))


def watch(*targets: str, until: Texts = None, members: int | None = None, notices: bool = True) -> Stream[Change]:
    """Follows a cluster: yields every change, first a join of each member, until the context is left or the service refuses for good.

    Use it as a context: `with` or `async with` it, then iterate. A slow reader delays no other question: the changes that happen meanwhile are merged.

    Args:
        targets: the targets to follow; several are one cluster.
        until: what ready means, as for `wait`.
        members: the minimum of members.
        notices: also yield notices of preemption and maintenance for the machine of this process.

    Yields: Changes.
    Raises: RollcallError, while it is iterated.
    """
    texts = ",".join(texts_of("until", until) or ()) or None
    return Stream("watch", params_of(targets=checked_targets(targets), until=texts, members=members, notices=notices), _change, math.inf)


def discover(
    *,
    project: Texts = None,
    zone: Texts = None,
    namespace: Texts = None,
    context: str | None = None,
    slurm: str | None = None,
    kind: Texts = None,
    filter: Texts = None,
    timeout: float | None = 30.0,
    partial: bool = False,
) -> Stream[Found]:
    """Searches projects, zones and namespaces for clusters. Finds are yielded as they arrive.

    Args:
        project, zone: texts or lists of them; default: the environment's project and all zones.
        namespace, context: Kubernetes namespaces (`.` the kubeconfig's own, `-` all) and the context of the kubeconfig.
        slurm: keys of a `slurm:job` target, `restd=unix:/run/slurmrestd.socket`: search Slurm's jobs, asked so.
        kind: `tpu`, `queued-resource`, `instance-group`, `job`, `slurm-job`.
        filter: `KEY=PATTERN` or `KEY!=PATTERN`, all of which must hold.
        timeout: seconds for the whole search; None: no limit.
        partial: parts that could not be searched are in `failures` of the stream; without it the first is raised after all finds were yielded.

    Yields: Found.
    Raises: RollcallError, while it is iterated.
    """
    seconds = checked_seconds("timeout", timeout)
    params = params_of(
        projects=texts_of("project", project),
        zones=texts_of("zone", zone),
        namespaces=texts_of("namespace", namespace),
        context=context,
        slurm_keys=slurm,
        kinds=texts_of("kind", kind),
        filters=texts_of("filter", filter),
        timeout=seconds,
    )
    return Stream("discover", params, _found, seconds, raises_missing=not partial)


def _progress_event(show: OnProgress | None) -> Callable[[str, Json], None] | None:
    if show is None:
        return None

    from ._states import Progress

    def event(name: str, params: Json) -> None:
        if name == "progress":
            show(decoded("progress", Progress.of, params["progress"]))

    return event


def _barrier_event(show: OnBarrierProgress | None) -> Callable[[str, Json], None] | None:
    if show is None:
        return None

    from ._states import BarrierProgress

    def event(name: str, params: Json) -> None:
        if name == "progress":
            show(decoded("progress", BarrierProgress.of, params["progress"]))

    return event


def _barrier(data: Json) -> Barrier:
    from ._states import Barrier

    return Barrier.of(data)


def _verdict(data: Json) -> Verdict:
    from ._preflight import Verdict

    return Verdict.of(data)


def _spec(data: Json) -> ClusterSpec:
    return ClusterSpec(data["cluster"], tuple(map(Failure.of, data.get("failures", ()))))


def _change(name: str, params: Json) -> Change | None:
    from ._states import Change

    return Change.of(params["change"], params.get("cluster")) if name == "change" else None


def _status(data: Json) -> Status:
    from ._states import Status

    return Status.of(data["status"])


def _why(data: Json) -> Why:
    from ._states import Why

    return Why.of(data)


def _checked_members(members: int | None) -> int | None:
    if members is not None and (isinstance(members, bool) or not isinstance(members, int) or members < 1):
        raise InvalidArgument(f"members is {members!r}, not a number from 1 on")
    return members


def _devices(data: Json) -> Devices:
    from ._inventory import Devices

    return Devices.of(data)


def _topology(data: Json) -> Topology:
    from ._inventory import Topology

    return Topology.of(data)


def _diagnosis(data: Json) -> Diagnosis:
    from ._inventory import Diagnosis

    return Diagnosis.of(data)


def _found(name: str, params: Json) -> Found | Failure | None:
    if name == "found":
        from ._inventory import Found

        return Found.of(params["found"])
    return Failure.of(params["failure"]) if name == "missing" else None
