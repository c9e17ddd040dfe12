# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
"""Waits for the nodes of a PyTorch job and connects them: a backend of torchrun, and a scheme for `init_method`.

    torchrun --rdzv-backend=rollcall --rdzv-endpoint=tpu:trainer --nnodes=4 train.py

    import rollcall_cluster.torch                                        # registers the scheme
    torch.distributed.init_process_group("gloo", init_method="rollcall://kubernetes:…")

The host of the store is not guessed: it is the node of task 0. The number of this node is not guessed either.
"""
from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl

from torch.distributed import PrefixStore, TCPStore, register_rendezvous_handler
from torch.distributed.elastic.rendezvous import api

from ._errors import DeadlineExceeded, InvalidArgument, Unreachable
from ._followed import Followed
from ._plugins import WAIT_TIMEOUT, Finding, WaitOptions, checked_rank, join_address, main_address, rank_of, ranked
from ._session import logger
from ._torchrun import get_handler
from ._values import Task

_STORE_PORT = 29500  # PyTorch's own choice
_MEETING = 10.0  # seconds in which nodes that see the same cluster must meet, before the cluster is polled again
_POLL = 0.1  # seconds between two polls of the nodes that have arrived
_FILLED_IN = re.compile(r"(?:[^\s:]+|\[[^\s\]]+\]):(\d{1,5})")  # the form in which launchers write an endpoint
_CONF = ("timeout", "port", "job", "rank")

__all__ = ["RollcallRendezvous", "get_handler"]


class RollcallRendezvous(api.RendezvousHandler):
    """A node of torchrun for each task of the cluster. The nodes meet in a TCPStore that the node of task 0 hosts.

    `--rdzv-endpoint` is the target; without it `ROLLCALL_TARGET`, else `auto:`. Where that variable is set, an endpoint `host:port` was filled in by torchx or accelerate: only
    its port is used, as the store's. `--rdzv-conf` takes `timeout` (seconds for one rendezvous, torchrun's default is 900), `port` (of the store; default: that of task 0, unless
    it is 8470, the TPU runtime's; then 29500), `job` (whose tasks are the nodes) and `rank` (the number of this node; default: `PET_NODE_RANK`, else the one that `whoami`
    finds).
    """

    def __init__(self, parameters: Any) -> None:
        self._backend = parameters.backend
        for name in sorted(set(parameters.config) - {*_CONF, "local_addr"}):
            logger.warning("--rdzv-conf has %r, which the backend rollcall does not know: it takes %s", name, ", ".join(_CONF))
        endpoint = parameters.endpoint.strip()
        filled_in = _FILLED_IN.fullmatch(endpoint) if os.environ.get("ROLLCALL_TARGET") else None
        self._targets = (endpoint,) if endpoint and filled_in is None else ()
        self._run_id = parameters.run_id
        self._min_nodes, self._max_nodes = int(parameters.min_nodes), int(parameters.max_nodes)
        self._timeout = _seconds(parameters.config.get("timeout", WAIT_TIMEOUT))
        self._port = parameters.config.get("port", filled_in and filled_in[1])
        self._job = parameters.config.get("job")
        rank = parameters.config.get("rank", os.environ.get("PET_NODE_RANK"))
        self._rank = None if rank is None else checked_rank("rank", rank, self._max_nodes)
        self._tasks: tuple[Task, ...] = ()
        self._stores: dict[tuple[str, int, bool], TCPStore] = {}
        self._followed: Followed | None = None
        self._is_closed = False

    def get_backend(self) -> str:
        return str(self._backend)

    @property
    def use_agent_store(self) -> bool:
        """True: the workers use the store of the agents, so that no second port is needed."""
        return True

    def next_rendezvous(self) -> Any:
        """Waits until the cluster is ready and all nodes see the same one.

        Returns: `RendezvousInfo`, or before PyTorch 2.4 a tuple of the store, the rank and the number of nodes.
        Raises: RendezvousTimeoutError with the missing members; RendezvousConnectionError; RendezvousClosedError; RollcallErrors.
        """
        if self._is_closed:
            raise api.RendezvousClosedError(f"the rendezvous of {self._run_id!r} is closed")
        until = time.monotonic() + self._timeout
        try:
            while (met := self._meet(until)) is None:
                pass
        except DeadlineExceeded as trouble:
            raise api.RendezvousTimeoutError(str(trouble)) from trouble
        except Unreachable as trouble:
            raise api.RendezvousConnectionError(str(trouble)) from trouble
        if self._followed is None or self._followed.failure is not None:
            self._end_following()
            self._followed = Followed(*self._finding.targets)
        return met

    def num_nodes_waiting(self) -> int:
        """The number of ready nodes outside the group, such as a replacement; 0 when there is no room for more. Never waits."""
        if self._followed is None:
            return 0
        ready = [member for member in self._followed.ready_members() or () if self._job is None or member.job == self._job]
        group = {(task.job, task.index, task.address) for task in self._tasks}
        waiting = [member for member in ready if (member.job, member.index, member.address) not in group]
        return len(waiting) if len(ready) <= self._max_nodes else 0

    def is_closed(self) -> bool:
        return self._is_closed

    def set_closed(self) -> None:
        self._is_closed = True

    def get_run_id(self) -> str:
        return str(self._run_id)

    def shutdown(self) -> bool:
        """Ends everything that was started."""
        self._is_closed = True
        self._end_following()
        self._stores.clear()
        return True

    def _end_following(self) -> None:
        if self._followed is not None:
            self._followed.close()
            self._followed = None

    def _meet(self, until: float) -> Any:
        """One attempt. None when some nodes did not arrive: they may see another cluster, and so may this one now."""
        members = self._min_nodes if self._rank is None else max(self._min_nodes, self._rank + 1)
        self._finding = finding = Finding(self._targets, True, max(1.0, until - time.monotonic()), None, WaitOptions(members=members))
        tasks = ranked(finding.cluster, self._job)
        if len(tasks) > self._max_nodes:
            raise InvalidArgument(f"{', '.join(finding.targets)} has {len(tasks)} tasks, but --nnodes allows {self._max_nodes}")
        rank = rank_of(tasks, finding.own_task()) if self._rank is None else checked_rank("rank", self._rank, len(tasks))
        host, port = main_address(tasks[0], self._port, _STORE_PORT)
        try:
            server = self._store(finding, host, port, rank == 0)
            # Nodes that see another cluster use other keys; a node that sees the same one again finds the others there already.
            store = PrefixStore(f"{self._run_id}/{_digest(tasks)}", server)
            absent = _absent(store, rank, tasks, min(until, time.monotonic() + _MEETING))
        except RuntimeError as trouble:  # of the store: its host has gone, or its port is taken
            self._stores.clear()
            if rank == 0 or time.monotonic() >= until:
                raise api.RendezvousConnectionError(f"the store at {join_address(host, port)}: {trouble}") from trouble
            logger.info("the store at %s: %s", join_address(host, port), trouble)
            time.sleep(_POLL)
            return None
        if absent and time.monotonic() >= until:
            raise _not_all(absent, self._timeout)
        if absent:
            logger.info("waiting for the agents of %s", _names(absent))
            return None
        self._tasks = tasks
        if not hasattr(api, "RendezvousInfo"):  # before PyTorch 2.4
            return store, rank, len(tasks)
        return api.RendezvousInfo(store, rank, len(tasks), api.RendezvousStoreInfo(host, port))

    def _store(self, finding: Finding, host: str, port: int, is_host: bool) -> TCPStore:
        if (host, port, is_host) not in self._stores:
            self._stores[host, port, is_host] = _tcp_store(finding, host, port, is_host, self._timeout)
        return self._stores[host, port, is_host]


def _by_url(url: str, timeout: timedelta = timedelta(seconds=WAIT_TIMEOUT), **_others: Any) -> Iterator[tuple[TCPStore, int, int]]:
    """`rollcall://TARGET?port=…&job=…`: yields the store, the rank and the number of processes, once.

    A rank and a world size that were passed to `init_process_group` count; without them each task is one process. A target with brackets is written `rollcall:///TARGET`.
    """
    target, _mark, query = url.partition("://")[2].partition("?")
    given = dict(parse_qsl(query, keep_blank_values=True))
    unknown = sorted(set(given) - {"rank", "world_size", "port", "job"})
    if unknown:
        raise InvalidArgument(f"{url}: {unknown[0]!r} is unknown: rollcall:// takes port and job")
    seconds = timeout.total_seconds()
    until = time.monotonic() + seconds
    target = target.removeprefix("/")
    finding = Finding((target,) if target else (), True, seconds, None, WaitOptions())
    tasks = ranked(finding.cluster, given.get("job"))
    host, port = main_address(tasks[0], given.get("port"), _STORE_PORT)
    if given.get("rank", "-1") != "-1":
        size = int(given.get("world_size", "-1"))
        size = size if size > 0 else len(tasks)
        rank = checked_rank("rank", given["rank"], size)
        yield _tcp_store(finding, host, port, rank == 0, seconds), rank, size
    else:
        rank = rank_of(tasks, finding.own_task())
        store = _tcp_store(finding, host, port, rank == 0, seconds)
        absent = _absent(store, rank, tasks, until)
        if absent:
            raise _not_all(absent, seconds)
        yield store, rank, len(tasks)
    raise RuntimeError("rollcall:// cannot meet again: use torchrun --rdzv-backend=rollcall")


def _tcp_store(finding: Finding, host: str, port: int, is_host: bool, seconds: float) -> TCPStore:
    """The store. A process that does not host it waits for it first, which reports missing members and can be interrupted by signals."""
    if not is_host:
        finding.await_listener("store", join_address(host, port))
    return TCPStore(host, port, None, is_host, timedelta(seconds=seconds), multi_tenant=True)


def _absent(store: Any, rank: int, tasks: tuple[Task, ...], until: float) -> list[Task]:
    """Registers this node, and waits for the others. The store is polled: its own wait cannot be interrupted, and an old store does not survive a time-out."""
    store.add(f"here/{rank}", 1)
    absent = list(range(len(tasks)))
    while True:
        absent = [one for one in absent if store.add(f"here/{one}", 0) < 1]
        if not absent or time.monotonic() >= until:
            return [tasks[one] for one in absent]
        time.sleep(_POLL)


def _names(tasks: list[Task]) -> str:
    return ", ".join(f"{task.job} {task.index} ({task.address})" for task in tasks)


def _not_all(absent: list[Task], seconds: float) -> DeadlineExceeded:
    return DeadlineExceeded(f"not all came to the rendezvous within {seconds:g} s; missing: {_names(absent)}")


def _digest(tasks: tuple[Task, ...]) -> str:
    return hashlib.sha256(repr([(task.job, task.index, task.address) for task in tasks]).encode()).hexdigest()[:16]


def _seconds(value: object) -> float:
    try:
        seconds = float(str(value))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 366 * 86400.0:
        raise InvalidArgument(f"--rdzv-conf timeout is {value!r}, not a number of seconds")
    return seconds


register_rendezvous_handler("rollcall", _by_url)
