"""The status of a cluster: its members and their states, the missing ones, the changes. A word that this version does not know is `UNKNOWN`."""
from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ._values import ClusterSpec, Json, Task


class _Word(str, enum.Enum):
    """A word of the protocol. It is a `str`, equal to the word."""

    @classmethod
    def _missing_(cls, value: object) -> _Word | None:
        return cls.__members__.get("UNKNOWN")

    def __str__(self) -> str:
        return str(self.value)


class MemberState(_Word):
    """How far a member, or a whole cluster, is from being ready."""

    READY = "ready"
    WAITING = "waiting"  #: becomes ready by itself
    UNSCHEDULABLE = "unschedulable"  #: waiting, and no node has room for it now
    STOPPED = "stopped"  #: becomes ready once it is started
    LOST = "lost"  #: never becomes ready: failed, preempted, being deleted, gone
    UNKNOWN = "unknown"


class ChangeKind(_Word):
    """The kind of a change of a watched cluster."""

    MEMBER_JOINED = "member_joined"
    MEMBER_LEFT = "member_left"
    MEMBER_CHANGED = "member_changed"
    CLUSTER_READY = "cluster_ready"
    CLUSTER_BROKEN = "cluster_broken"
    NOTICE = "notice"
    TROUBLE = "trouble"
    TROUBLE_OVER = "trouble_over"
    UNKNOWN = "unknown"


def _phase_text(phase: str) -> str:
    return "" if phase == "running" else phase


@dataclass(frozen=True)
class Condition:
    """A state and the service's words for it: `CREATING`, `Pending (ContainerCreating)`."""

    level: MemberState = MemberState.READY
    text: str = ""

    @classmethod
    def of(cls, data: Json) -> Condition:
        return cls(MemberState(data.get("level", "ready")), data.get("text", ""))


@dataclass(frozen=True)
class Accelerators:
    """The accelerators of one member, as far as they are known.

    `kind` is `GPU`, `TPU` or the field's word; `model` may be empty; `is_shared`: they are those of the machine, which the members on it
    share; `source` says where the number is from.
    """

    kind: str
    count: int
    model: str = ""
    is_shared: bool = False
    source: str = ""

    @classmethod
    def of(cls, data: Json) -> Accelerators:
        return cls(
            kind=data["kind"],
            count=data["count"],
            model=data.get("model", ""),
            is_shared=data.get("of") == "machine",
            source=data.get("source", ""),
        )


@dataclass(frozen=True)
class Part:
    """Where a member stands in a job of several parts: slice 1 of 4, host 3 of 16 within it. Numbers from 0; counts are 0 where not known."""

    kind: str
    index: int
    count: int = 0
    member: int = 0
    members: int = 0
    name: str = ""

    @classmethod
    def of(cls, data: Json) -> Part:
        return cls(
            kind=data["kind"],
            index=data["index"],
            count=data.get("count", 0),
            member=data.get("member", 0),
            members=data.get("members", 0),
            name=data.get("name", ""),
        )


@dataclass(frozen=True)
class Cause:
    """One reason why a member, or the cluster, is not ready.

    `layer` is one of `workload queue creation order gate schedule node volume image init container readiness leaving service`; `code` is the
    service's own word, `object` what says so, `since` a time or empty; `is_final`: nothing that the service does by itself mends it.
    """

    layer: str
    code: str
    text: str = ""
    object: str = ""
    since: str = ""
    is_final: bool = False

    @classmethod
    def of(cls, data: Json) -> Cause:
        return cls(
            layer=data["layer"],
            code=data["code"],
            text=data.get("text", ""),
            object=data.get("object", ""),
            since=data.get("since", ""),
            is_final=data.get("outlook") == "final",
        )

    def __str__(self) -> str:
        text = self.text if self.text.startswith(self.code) else ": ".join(filter(None, (self.code, self.text)))
        return f"{text} ({self.object})" if self.object not in ("", "pod") and not self.object.startswith("Pod ") else text


def _causes(data: Json) -> tuple[Cause, ...]:
    return tuple(map(Cause.of, data.get("causes", ())))


@dataclass(frozen=True)
class Member:
    """One task of a cluster as the service sees it. `name` is a pod's or node's own name; `address` is empty until it has one.

    `host` is the machine's own name, empty where it is not known; `accelerators` and `part` are None where they are not known; `causes` say
    why it is not ready, the outermost first, or what is wrong with the machine of a ready one.
    """

    job: str
    index: int
    name: str = ""
    address: str = ""
    state: MemberState = MemberState.READY
    state_text: str = ""
    health: MemberState = MemberState.READY
    health_text: str = ""
    host: str = ""
    accelerators: Accelerators | None = None
    part: Part | None = None
    causes: tuple[Cause, ...] = ()

    @classmethod
    def of(cls, data: Json) -> Member:
        return cls(
            job=data["job"],
            index=data["index"],
            name=data.get("name", ""),
            address=data.get("address", ""),
            state=MemberState(data.get("state", "ready")),
            state_text=data.get("state_text", ""),
            health=MemberState(data.get("health", "ready")),
            health_text=data.get("health_text", ""),
            host=data.get("host", ""),
            accelerators=Accelerators.of(data["accelerators"]) if data.get("accelerators") else None,
            part=Part.of(data["part"]) if data.get("part") else None,
            causes=_causes(data),
        )

    @property
    def is_ready(self) -> bool:
        """True if the service reports it ready and healthy and it has an address."""
        return self.state is MemberState.READY and self.health is MemberState.READY and bool(self.address)

    def __str__(self) -> str:
        causes = ", ".join(map(str, self.causes))
        why = causes or (self.health_text if self.state is MemberState.READY else self.state_text)
        return f"{self.job} {self.index} {self.address or self.name or '-'} {'ready' if self.is_ready else why or 'not ready'}"


@dataclass(frozen=True)
class Status:
    """One poll of a cluster. `phase` is `queued`, `provisioning` or `running`; `expected` is 0 where the number of members is unknown.

    `expected_by_job` has the number of each job where it is known; `expected_source` says by whose word, or why the number is unknown;
    `causes` hold up the cluster as a whole, or members that do not exist yet; `notices` announce what becomes of machines.
    """

    phase: str
    state: Condition
    health: Condition
    cluster: ClusterSpec
    expected: int
    members: tuple[Member, ...]
    expected_by_job: Mapping[str, int] = field(default_factory=dict, hash=False)
    expected_source: str = ""
    causes: tuple[Cause, ...] = ()
    notices: tuple[Notice, ...] = ()

    @classmethod
    def of(cls, data: Json) -> Status:
        return cls(
            phase=data["phase"],
            state=Condition.of(data.get("state") or {}),
            health=Condition.of(data.get("health") or {}),
            cluster=ClusterSpec(data["cluster"]),
            expected=data.get("expected", 0),
            members=tuple(map(Member.of, data["members"])),
            expected_by_job={one["job"]: one["members"] for one in data.get("expected_by_job", ())},
            expected_source=data.get("expected_source", ""),
            causes=_causes(data),
            notices=tuple(map(Notice.of, data.get("notices", ()))),
        )

    @property
    def num_ready(self) -> int:
        """The number of ready members."""
        return sum(member.is_ready for member in self.members)

    def __str__(self) -> str:
        head = f"{self.num_ready}/{self.expected} ready" if self.expected else f"{self.num_ready} ready"
        words = [f" ({self.expected_source})" if self.expected_source else "", f" · {self.state.text}" if self.state.text else ""]
        return "\n".join([head + "".join(words), *map(str, self.members)])

    def _repr_html_(self) -> str:
        from . import _html

        rows = (
            (one.job, str(one.index), one.address or one.name, _html.word(one.state, one.state_text), _html.word(one.health, one.health_text))
            for one in self.members
        )
        bar = _html.bar(self.num_ready, max(self.expected, len(self.members)), (_phase_text(self.phase), self.state.text))
        return bar + (_html.table(("job", "index", "address", "state", "health"), rows, len(self.members), raw=(3, 4)) if self.members else "")


@dataclass(frozen=True)
class MissingMember:
    """A missing member and the reason; for a run of free places `last_index` is the last of them. `waited` is in seconds."""

    job: str
    index: int
    last_index: int
    name: str = ""
    address: str = ""
    why: str = ""
    waited: float = 0.0
    causes: tuple[Cause, ...] = ()

    @classmethod
    def of(cls, data: Json) -> MissingMember:
        last = data.get("last_index", data["index"])
        waited = data.get("for_ms", 0) / 1000
        return cls(data["job"], data["index"], last, data.get("name", ""), data.get("address", ""), data.get("why", ""), waited, _causes(data))

    @property
    def label(self) -> str:
        """`worker 2 (10.0.0.4:8470)`, `worker 0-3`."""
        places = str(self.index) if self.last_index == self.index else f"{self.index}-{self.last_index}"
        where = self.address or self.name
        return f"{self.job} {places} ({where})" if where else f"{self.job} {places}"


@dataclass(frozen=True)
class WhyGroup:
    """Members of one job with the same chain of causes: `members` is like `worker 1, 3`; `remedy` would mend the first cause, or is empty."""

    members: str
    job: str
    count: int
    state: MemberState = MemberState.WAITING
    why: str = ""
    causes: tuple[Cause, ...] = ()
    remedy: str = ""

    @classmethod
    def of(cls, data: Json) -> WhyGroup:
        return cls(
            members=data["members"],
            job=data["job"],
            count=data["count"],
            state=MemberState(data.get("state", "waiting")),
            why=data.get("why", ""),
            causes=_causes(data),
            remedy=data.get("remedy", ""),
        )

    def __str__(self) -> str:
        return f"{self.members}: {', '.join(map(str, self.causes)) or self.why}"


@dataclass(frozen=True)
class Why:
    """Why a cluster is not ready. `warnings`: ready members on a machine that is not well; `unread`: layers that could not be read."""

    is_ready: bool
    ready: int
    total: int
    groups: tuple[WhyGroup, ...]
    warnings: tuple[WhyGroup, ...]
    unread: tuple[str, ...]
    status: Status

    @classmethod
    def of(cls, data: Json) -> Why:
        return cls(
            is_ready=data["is_ready"],
            ready=data["ready"],
            total=data["total"],
            groups=tuple(map(WhyGroup.of, data["groups"])),
            warnings=tuple(map(WhyGroup.of, data.get("warnings", ()))),
            unread=tuple(data.get("unread", ())),
            status=Status.of(data["status"]),
        )

    def __str__(self) -> str:
        head = f"all {self.total} members are ready" if self.is_ready else f"{self.ready}/{self.total} ready"
        return "\n".join([head, *map(str, self.groups + self.warnings)])


@dataclass(frozen=True)
class BarrierAbsence:
    """A task that is not at the barrier, and why. `stage`: what it does now, as `rollcall stage` says it to a service; empty where it is not known.

    `since` is a time or empty; `others_took` is the median of what other tasks took for that stage, in seconds, 0 where it is not known.
    """

    task: str
    why: str = ""
    stage: str = ""
    since: str = ""
    others_took: float = 0.0

    @classmethod
    def of(cls, data: Json) -> BarrierAbsence:
        return cls(data["task"], data.get("why", ""), data.get("stage", ""), data.get("since", ""), data.get("others_ms", 0) / 1000)

    @property
    def label(self) -> str:
        """The task, as a MissingMember's label."""
        return self.task


@dataclass(frozen=True)
class BarrierProgress:
    """Which tasks are at a barrier, or at the meeting of a preflight: `here` of `total`. `missing` are the first ones of those that are not; `line` has all of it on one line.

    `trouble` says why nothing that keeps the roll can be asked; empty: one answers.
    """

    here: int
    total: int
    missing: tuple[BarrierAbsence, ...]
    missing_more: int
    trouble: str
    line: str

    @classmethod
    def of(cls, data: Json) -> BarrierProgress:
        return cls(
            here=data["here"],
            total=data["total"],
            missing=tuple(map(BarrierAbsence.of, data.get("missing", ()))),
            missing_more=data.get("missing_more", 0),
            trouble=data.get("trouble", ""),
            line=data.get("line", ""),
        )

    def __str__(self) -> str:
        return self.line


@dataclass(frozen=True)
class Barrier:
    """All tasks are at the barrier, and start now.

    `task` is the one that this process is; `rank` is its place among all, a chief first, None for a parameter server or an evaluator;
    `generation` is the number of this start, the same for all tasks.
    """

    cluster: ClusterSpec
    task: Task
    rank: int | None
    generation: int

    @classmethod
    def of(cls, data: Json) -> Barrier:
        cluster = ClusterSpec(data["cluster"])
        job, index = data["job"], data["index"]
        return cls(cluster, Task(job, index, cluster.addresses(job).get(index, "")), data["rank"], data["generation"])


@dataclass(frozen=True)
class Progress:
    """The progress of a wait. `at` is seconds since its start; `total` is 0 where it is not known; `line` has all of it on one line."""

    at: float
    ready: int
    total: int
    phase: str
    state: str
    missing: tuple[MissingMember, ...]
    missing_more: int
    trouble: str
    line: str

    @classmethod
    def of(cls, data: Json) -> Progress:
        return cls(
            at=data.get("at_ms", 0) / 1000,
            ready=data["ready"],
            total=data["total"],
            phase=data.get("phase", "running"),
            state=data.get("state", ""),
            missing=tuple(map(MissingMember.of, data.get("missing", ()))),
            missing_more=data.get("missing_more", 0),
            trouble=data.get("trouble", ""),
            line=data["line"],
        )

    def __str__(self) -> str:
        return self.line

    def _repr_html_(self) -> str:
        from . import _html

        rows = ((one.label, one.why, _html.span(one.waited)) for one in self.missing)
        bar = _html.bar(self.ready, self.total, (_phase_text(self.phase), self.trouble))
        return bar + (_html.table(("missing", "why", "for"), rows, len(self.missing) + self.missing_more) if self.missing else "")


@dataclass(frozen=True)
class Notice:
    """An announcement for a machine: `kind` is `preemption` or `maintenance`, `subject` is the machine."""

    kind: str
    subject: str = ""
    text: str = ""

    @classmethod
    def of(cls, data: Json) -> Notice:
        return cls(data["kind"], data.get("subject", ""), data.get("text", ""))


@dataclass(frozen=True)
class Change:
    """One change of a watched cluster; `text` is a line about it. Of changes that arrive together the last has the cluster after them."""

    kind: ChangeKind
    time: str
    text: str
    member: Member | None = None
    before: Member | None = None
    notice: Notice | None = None
    cluster: ClusterSpec | None = None

    @classmethod
    def of(cls, data: Json, cluster: Mapping[str, Any] | None = None) -> Change:
        return cls(
            kind=ChangeKind(data["change"]),
            time=data.get("time", ""),
            text=data["text"],
            member=Member.of(data["member"]) if data.get("member") else None,
            before=Member.of(data["before"]) if data.get("before") else None,
            notice=Notice.of(data["notice"]) if data.get("notice") else None,
            cluster=None if cluster is None else ClusterSpec(cluster),
        )

    def __str__(self) -> str:
        return self.text
