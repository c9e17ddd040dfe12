"""Shared by the plug-ins for frameworks: find a cluster or wait for it, find this process's task, bring tasks into one order, parse an address.

No framework is imported here.
"""
from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from . import _sync
from ._errors import FailedPrecondition, InvalidArgument, NotFound
from ._progress import OnProgress
from ._sync import SyncClient
from ._values import ClusterSpec, Task

WAIT_TIMEOUT = 1800.0  #: seconds that a plug-in waits by default, as `rollcall wait` does

_FIRST_JOBS = ("chief", "master")  # a task of such a job is meant to be the first of all
_TPU_RUNTIME_PORT = 8470  # the Cloud TPU API's port of a worker is the TPU runtime's, so no other program can listen on it


class WaitOptions(TypedDict, total=False):
    """The arguments that a plug-in passes on to `wait`, which documents them."""

    until: str | Iterable[str] | None
    members: int | None
    queue_timeout: float | None
    provision_timeout: float | None
    for_existence: bool
    for_start: bool
    fail_if_unschedulable: bool
    on_progress: OnProgress | str | None


def split_options(options: Mapping[str, Any]) -> tuple[WaitOptions, dict[str, Any]]:
    """Splits options into those of `wait` and the rest, which is the framework's."""
    known = WaitOptions.__annotations__
    waiting: Any = {name: value for name, value in options.items() if name in known}
    return waiting, {name: value for name, value in options.items() if name not in known}


def targets_or_default(targets: tuple[str, ...]) -> tuple[str, ...]:
    """Without a target, the variable `ROLLCALL_TARGET` has it; without that it is the cluster of this process."""
    return targets or (os.environ.get("ROLLCALL_TARGET") or "auto:",)


class Finding:
    """One search for a cluster within one time limit: first the cluster, then questions about it.

    Args:
        targets: the targets to find; several are one cluster.
        wait: wait until it is ready; else take it as it is.
        timeout: seconds for everything; None: no limit.
        client: the client to use; default: the package's own.
        options: of `wait`.
    """

    def __init__(self, targets: tuple[str, ...], wait: bool, timeout: float | None, client: SyncClient | None, options: WaitOptions) -> None:
        self.targets = targets_or_default(targets)
        self.client = client if client is not None else _sync.default
        begin = time.monotonic()
        if not wait and options:
            raise InvalidArgument(f"{', '.join(sorted(options))} without wait=True: only a wait takes it")
        if wait:
            self.cluster = self.client.wait(*self.targets, timeout=timeout, **options).cluster
        else:
            self.cluster = self.client.resolve(*self.targets, timeout=timeout)
        self._until = None if timeout is None else begin + timeout

    def left(self, at_least: float = 1.0) -> float | None:
        """The seconds that are left of the limit, but at least what a question needs."""
        return None if self._until is None else max(at_least, self._until - time.monotonic())

    def own_task(self) -> Task:
        """Which task this process is. Raises the errors of `whoami` where no source has it: it is not guessed."""
        return self.client.whoami(*self.targets, timeout=self.left(10.0))

    def await_listener(self, role: str, address: str) -> None:
        """Waits until a server listens at `host:port`. Raises DeadlineExceeded, which contains the role and the address."""
        self.client.wait(f"simple:job.{role}={address}", until="reachable", timeout=self.left(), on_progress="log")


def ranked(cluster: ClusterSpec, job: str | None = None) -> tuple[Task, ...]:
    """The tasks as numbered processes: those of one job by index; without `job` a chief's or master's come before those of the only other job.

    Raises: NotFound without such a job, InvalidArgument where it has to be named, FailedPrecondition where an index is missing.
    """
    if job is not None and job not in cluster:
        raise NotFound(f"the cluster has no job {job!r}: it has {', '.join(cluster) or 'none'}")
    filled = [name for name in cluster if cluster.num_tasks(name)]
    jobs = [job] if job is not None else sorted(filled, key=lambda name: name not in _FIRST_JOBS)
    if not any(cluster.num_tasks(name) for name in jobs):
        raise FailedPrecondition("the cluster has no tasks")
    if len(jobs) > 2 or (len(jobs) == 2 and (jobs[0] not in _FIRST_JOBS or jobs[1] in _FIRST_JOBS)):
        raise InvalidArgument(f"the cluster has the jobs {', '.join(jobs)}: say with job= which one's tasks are the processes")
    tasks = []
    for name in jobs:
        addresses = cluster.addresses(name)
        missing = next((index for index in range(len(addresses)) if index not in addresses), None)
        if missing is not None:
            raise FailedPrecondition(f"{name} {missing} is missing: processes cannot be numbered")
        tasks += [Task(name, index, address) for index, address in addresses.items()]
    return tuple(tasks)


def rank_of(tasks: tuple[Task, ...], own: Task) -> int:
    """The position of a task. Raises NotFound when it is none of them."""
    for rank, task in enumerate(tasks):
        if (task.job, task.index) == (own.job, own.index):
            return rank
    raise NotFound(f"this process is {own.job} {own.index}, which is none of the {len(tasks)} tasks of {', '.join(dict.fromkeys(task.job for task in tasks))}")


def checked_rank(name: str, value: object, size: int) -> int:
    """The number of this process, from an argument or a variable. Raises InvalidArgument, with its name, unless it is in [0, size)."""
    text = str(value).strip()
    if isinstance(value, bool) or re.fullmatch("[0-9]{1,9}", text, re.ASCII) is None or int(text) >= size:
        raise InvalidArgument(f"{name} is {value!r}, not a number from 0 to {size - 1}")
    return int(text)


def split_address(address: str) -> tuple[str, int | None]:
    """The parts of `host:port`, an IPv6 host without its brackets; None without a port. Raises InvalidArgument for anything else."""
    found = re.fullmatch(r"(?:\[([^\[\]]+)\]|([^\[\]:]+))(?::([0-9]{1,5}))?", address, re.ASCII)
    if found is None or int(found[3] or 0) > 65535:
        raise InvalidArgument(f"{address!r} is no address host:port")
    return found[1] or found[2], int(found[3]) if found[3] else None


def join_address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def main_address(task: Task, port: int | str | None, default_port: int) -> tuple[str, int]:
    """The address where the first process listens for all others: at its host, at `port`, else at its own port, else at the framework's usual one.

    A TPU worker's port 8470 belongs to the TPU runtime and is not taken.
    """
    host, own_port = split_address(task.address)
    if port is not None:
        text = str(port).strip()
        if isinstance(port, bool) or re.fullmatch("[0-9]{1,5}", text, re.ASCII) is None or not 0 < int(text) <= 65535:
            raise InvalidArgument(f"port is {port!r}, not a number from 1 to 65535")
        return host, int(text)
    return host, own_port if own_port and own_port != _TPU_RUNTIME_PORT else default_port
