"""A cluster, its tasks, and a failure: frozen dataclasses, which can be pickled, compared, matched and hashed. Unknown fields of a later command are ignored."""
from __future__ import annotations

import json
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Failure:
    """One failure with its details, as in `failures[]` of the command. `elapsed` is in seconds."""

    code: str
    message: str
    target: str = ""
    hint: str = ""
    asked: str = ""
    phase: str = "none"
    attempts: int = 0
    http_status: int = 0
    elapsed: float = 0.0

    @classmethod
    def of(cls, data: Json) -> Failure:
        return cls(
            code=str(data["code"]),
            message=str(data["message"]),
            target=data.get("target", ""),
            hint=data.get("hint", ""),
            asked=data.get("asked", ""),
            phase=data.get("phase", "none"),
            attempts=data.get("attempts", 0),
            http_status=data.get("http_status", 0),
            elapsed=data.get("elapsed_ms", 0) / 1000,
        )


def failures_html(failures: Sequence[Failure]) -> str:
    """The targets without an answer as a table in a notebook."""
    from . import _html

    rows = ((_html.word("lost", one.target), one.message, one.hint) for one in failures)
    return _html.table(("no answer", "why", "what to do"), rows, len(failures), raw=(0,)) if failures else ""


@dataclass(frozen=True)
class Task:
    """One task of a cluster, such as the one that this process is. The address may be empty."""

    job: str
    index: int
    address: str = ""
    evidence: str = field(default="", compare=False, repr=False)  #: of `whoami`: the source as text; `RANK=1, 10.0.0.4 is this machine's address`

    @classmethod
    def of(cls, data: Json) -> Task:
        return cls(data["job"], data["index"], data.get("address", ""), data.get("evidence", ""))


@dataclass(frozen=True, init=False, repr=False, eq=False)
class ClusterSpec:
    """The addresses of a cluster's tasks, by job and index.

    `spec["worker"]` is a job's list of addresses; iteration, `len` and `in` use the jobs' names. Two are equal when they have the same tasks, in any order of the jobs.

    Args:
        cluster: each job with its addresses by index, or with a mapping of index to address where indices are missing.
        failures: of a question with `partial=True`, the targets without an answer. They do not count in comparisons.
    """

    tasks: tuple[Task, ...]  #: job by job, indices ascending
    jobs: tuple[str, ...]  #: in order, including jobs without tasks
    failures: tuple[Failure, ...] = field(default=())

    def __init__(self, cluster: Mapping[str, Sequence[str] | Mapping[Any, str]] = {}, failures: Sequence[Failure] = ()) -> None:
        if not isinstance(cluster, Mapping):
            raise TypeError(f"a cluster is a mapping of jobs to addresses, not {type(cluster).__name__} {cluster!r}")
        tasks = []
        for job, addresses in cluster.items():
            if not isinstance(job, str):
                raise TypeError(f"a job's name is a text, not {type(job).__name__} {job!r}")
            if isinstance(addresses, str):
                raise TypeError(f"job {job!r} needs a list of addresses, not one text")
            if isinstance(addresses, Mapping):
                tasks += _sparse(job, addresses)
            elif isinstance(addresses, Sequence):
                tasks += [Task(job, index, address) for index, address in enumerate(addresses)]
            else:
                raise TypeError(f"job {job!r} needs a list of addresses, not {type(addresses).__name__} {addresses!r}")
        for task in tasks:
            if not isinstance(task.address, str):
                raise TypeError(f"the address of task {task.index} of job {task.job!r} is a text, not {type(task.address).__name__} {task.address!r}")
        object.__setattr__(self, "tasks", tuple(tasks))
        object.__setattr__(self, "jobs", tuple(cluster))
        object.__setattr__(self, "failures", tuple(failures))

    def __getitem__(self, job: str) -> list[str]:
        """A job's addresses by index. KeyError without such a job, ValueError where indices are missing: `addresses()` has those too."""
        addresses = self.addresses(job)
        if list(addresses) != list(range(len(addresses))):
            raise ValueError(f"job {job!r} has the indices {', '.join(map(str, addresses))}, which a list cannot say: use addresses({job!r})")
        return list(addresses.values())

    def __iter__(self) -> Iterator[str]:
        return iter(self.jobs)

    def __len__(self) -> int:
        return len(self.jobs)

    def __contains__(self, job: object) -> bool:
        return job in self.jobs

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClusterSpec):
            return NotImplemented
        return set(self.jobs) == set(other.jobs) and set(self.tasks) == set(other.tasks)

    def __hash__(self) -> int:
        return hash((frozenset(self.jobs), frozenset(self.tasks)))

    def __repr__(self) -> str:
        return f"ClusterSpec({self.as_dict()!r})"

    def _repr_html_(self) -> str:
        from . import _html

        rows = ((task.job, str(task.index), task.address) for task in self.tasks)
        return _html.table(("job", "index", "address"), rows, len(self.tasks)) + failures_html(self.failures)

    def addresses(self, job: str) -> dict[int, str]:
        """A job's addresses with their indices. KeyError without such a job."""
        if job not in self.jobs:
            raise KeyError(job)
        return {task.index: task.address for task in self.tasks if task.job == job}

    def num_tasks(self, job: str | None = None) -> int:
        """The number of tasks of a job, or of all jobs together. KeyError without such a job."""
        return len(self.tasks) if job is None else len(self.addresses(job))

    def as_dict(self) -> dict[str, list[str] | dict[str, str]]:
        """The value of `cluster` in `TF_CONFIG`: each job's list, or an object by index where indices are missing."""
        result: dict[str, list[str] | dict[str, str]] = {}
        for job in self.jobs:
            addresses = self.addresses(job)
            is_list = bool(addresses) and list(addresses) == list(range(len(addresses)))
            result[job] = list(addresses.values()) if is_list else {str(index): address for index, address in addresses.items()}
        return result

    def tf_config(self, task: str | tuple[str, int] | Task | None = None) -> str:
        """The text for the variable `TF_CONFIG`; with `task` it contains the process's task."""
        config: dict[str, Any] = {"cluster": self.as_dict()}
        if task is not None:
            from ._question import checked_task

            own = checked_task(task)
            if own["index"] not in self.addresses(own["job"]):
                raise KeyError(f"{own['job']}:{own['index']}")
            config["task"] = {"type": own["job"], "index": own["index"]}
        return json.dumps(config)


def _sparse(job: str, addresses: Mapping[Any, str]) -> list[Task]:
    """The tasks of a job with an index each. Raises ValueError for a key that is no index, and for an index that comes twice."""
    by_index = {}
    for key, address in addresses.items():
        try:
            index = int(key) if isinstance(key, str) and key.isdecimal() else operator.index(key)
        except TypeError:
            index = -1
        if index < 0:
            raise ValueError(f"job {job!r} has the task {key!r}, which is no number from 0 on")
        if index in by_index:
            raise ValueError(f"job {job!r} has the task {index} twice")
        by_index[index] = address
    return [Task(job, index, address) for index, address in sorted(by_index.items())]
