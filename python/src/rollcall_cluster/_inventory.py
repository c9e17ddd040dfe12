"""Frozen dataclasses for accelerators, for the finds of a search, and for a diagnosis."""
from __future__ import annotations

from dataclasses import dataclass

from ._values import Failure, Json, failures_html

_COLOR_OF = {"pass": "ready", "warning": "waiting", "fail": "lost"}  # the state whose color an outcome has


@dataclass(frozen=True)
class Device:
    """One device that a runtime lists. `memory_limit` is in bytes."""

    name: str
    device_type: str
    memory_limit: int = 0
    incarnation: str = ""

    @classmethod
    def of(cls, data: Json) -> Device:
        return cls(data["name"], data["device_type"], data.get("memory_limit", 0), str(data.get("incarnation", "")))


@dataclass(frozen=True)
class HostDevices:
    """The number of devices of each type of one host. An empty `job` and a `task` of None mean unknown."""

    job: str
    task: int | None
    counts: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, data: Json) -> HostDevices:
        return cls(data.get("job", ""), data.get("task"), tuple(data["counts"].items()))

    def count(self, device_type: str) -> int:
        """The number of devices of a type, `TPU` or `GPU`."""
        return dict(self.counts).get(device_type, 0)


@dataclass(frozen=True)
class TargetDevices:
    """The devices of one target. `source` is `devices`, `accelerator type`, or where the members' own numbers are from.

    Numbers are None where the target is not a TPU. `model` is that of all accelerators (`H100`), or empty.
    """

    target: str
    source: str
    hosts: tuple[HostDevices, ...]
    devices: tuple[Device, ...]
    num_cores: int | None = None
    num_hosts: int | None = None
    num_of_cores_per_host: int | None = None
    topology: str | None = None
    model: str = ""

    @classmethod
    def of(cls, data: Json) -> TargetDevices:
        return cls(
            target=data["target"],
            source=data["source"],
            hosts=tuple(map(HostDevices.of, data.get("hosts", ()))),
            devices=tuple(map(Device.of, data.get("devices", ()))),
            num_cores=data.get("num_cores"),
            num_hosts=data.get("num_hosts"),
            num_of_cores_per_host=data.get("num_of_cores_per_host"),
            topology=data.get("topology"),
            model=data.get("model", ""),
        )


def _counts(one: TargetDevices) -> tuple[str, str, str]:
    """The numbers of devices by type, of hosts, and of devices of each host: empty where it is unknown, or where hosts differ."""
    if not one.hosts:  # only the type is known
        devices, hosts, each_host = ("" if number is None else str(number) for number in (one.num_cores, one.num_hosts, one.num_of_cores_per_host))
        return devices, hosts, each_host
    total: dict[str, int] = {}
    for host in one.hosts:
        for kind, count in host.counts:
            total[kind] = total.get(kind, 0) + count
    each = {host.counts for host in one.hosts}
    words = [", ".join(f"{count} {kind}" for kind, count in counts) for counts in (total.items(), *each)]
    return words[0], str(len(one.hosts)), words[1] if len(each) == 1 else ""


@dataclass(frozen=True)
class VisibleDevices:
    """A variable that hides devices from this process, and how many it leaves; None: unknown."""

    variable: str
    count: int | None


@dataclass(frozen=True)
class LocalDevice:
    """One accelerator of this host. Empty texts and None are unknown."""

    model: str
    uuid: str
    bus: str
    node: str
    index: int | None = None
    memory_bytes: int | None = None

    @classmethod
    def of(cls, data: Json) -> LocalDevice:
        return cls(data["model"], data["uuid"], data["bus"], data["node"], data.get("index"), data.get("memory_bytes"))


@dataclass(frozen=True)
class LocalDevices:
    """The accelerators of this host by one vendor. `count` is None where no source has the number; `model` is empty where they differ."""

    kind: str
    vendor: str
    model: str
    source: str
    driver: str
    count: int | None
    visible: VisibleDevices | None
    devices: tuple[LocalDevice, ...]

    @classmethod
    def of(cls, data: Json) -> LocalDevices:
        visible = data.get("visible")
        return cls(
            kind=data["kind"],
            vendor=data["vendor"],
            model=data["model"],
            source=data["source"],
            driver=data["driver"],
            count=data.get("count"),
            visible=None if visible is None else VisibleDevices(visible["variable"], visible.get("count")),
            devices=tuple(map(LocalDevice.of, data.get("devices", ()))),
        )


@dataclass(frozen=True)
class Devices:
    """The devices of several targets, and the targets without an answer (only with `partial=True`).

    For the word `local` it has those of this host instead: `local` by vendor, and `notes` about them.
    """

    targets: tuple[TargetDevices, ...]
    failures: tuple[Failure, ...] = ()
    local: tuple[LocalDevices, ...] = ()
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: Json) -> Devices:
        return cls(
            targets=tuple(map(TargetDevices.of, data.get("targets", ()))),
            failures=tuple(map(Failure.of, data.get("failures", ()))),
            local=tuple(map(LocalDevices.of, data.get("local", ()))),
            notes=tuple(data.get("notes", ())),
        )

    def _repr_html_(self) -> str:
        from . import _html

        if self.local:
            here = (("" if one.count is None else str(one.count), one.kind, one.model or one.vendor, one.driver, one.source) for one in self.local)
            return _html.table(("count", "kind", "model", "driver", "source"), here, len(self.local))
        rows = ((one.target, *_counts(one), one.model, one.topology or "", one.source) for one in self.targets)
        table = _html.table(("target", "devices", "hosts", "each", "model", "topology", "source"), rows, len(self.targets)) if self.targets else ""
        return table + failures_html(self.failures)


@dataclass(frozen=True)
class Worker:
    """A TPU's worker; `address` is `host:port`."""

    index: int
    address: str

    @classmethod
    def of(cls, data: Json) -> Worker:
        return cls(data["index"], data["address"])


@dataclass(frozen=True)
class Topology:
    """The parts of an accelerator. `workers` is empty for a type, and unless the TPU is READY."""

    type: str
    generation: str
    chips: int
    cores: int
    devices: int
    hosts: int
    topology: str
    topology_certain: bool
    chips_per_host: int
    chips_per_host_bounds: tuple[int, int, int]
    host_bounds: tuple[int, int, int]
    wrap: tuple[bool, bool, bool]
    hbm_gib_per_chip: int
    target: str = ""
    state: str = ""
    workers: tuple[Worker, ...] = ()

    @classmethod
    def of(cls, data: Json) -> Topology:
        x, y, z = data["chips_per_host_bounds"]
        a, b, c = data["host_bounds"]
        u, v, w = data["wrap"]
        return cls(
            type=data["type"],
            generation=data["generation"],
            chips=data["chips"],
            cores=data["cores"],
            devices=data["devices"],
            hosts=data["hosts"],
            topology=data["topology"],
            topology_certain=data["topology_certain"],
            chips_per_host=data["chips_per_host"],
            chips_per_host_bounds=(x, y, z),
            host_bounds=(a, b, c),
            wrap=(u, v, w),
            hbm_gib_per_chip=data["hbm_gib_per_chip"],
            target=data.get("target", ""),
            state=data.get("state", ""),
            workers=tuple(map(Worker.of, data.get("workers", ()))),
        )

    def _repr_html_(self) -> str:
        from . import _html

        around = ", ".join(axis for axis, wraps in zip("xyz", self.wrap, strict=False) if wraps)
        notes = (
            f"{self.target} {self.state}".strip() if self.target else "",
            "" if self.topology_certain else "the usual topology; the type alone leaves others open",
            f"wraps around {around}" if around else "",
        )
        text = f"{self.type}, {self.topology}: {self.chips} chips on {self.hosts} hosts, {self.hbm_gib_per_chip} GiB each"
        addresses = {worker.index: worker.address for worker in self.workers}
        return _html.heading(text, notes) + _html.grid(self.host_bounds, self.hosts, addresses)


@dataclass(frozen=True)
class Found:
    """One find of a search; `target` is its target for the other functions. `members` are workers, nodes, instances or tasks, of a job by the word of `expected_source`."""

    kind: str
    name: str
    target: str
    project: str = ""
    zone: str = ""
    state: str = ""
    health: str = ""
    accelerator_type: str = ""
    members: int = 0
    addresses: tuple[str, ...] = ()
    queued_resource: str = ""
    namespace: str = ""
    workload: str = ""
    expected_source: str = ""
    user: str = ""
    partition: str = ""
    accelerators: int | None = None

    @classmethod
    def of(cls, data: Json) -> Found:
        return cls(
            kind=data["kind"],
            name=data["name"],
            target=data["target"],
            project=data.get("project", ""),
            zone=data.get("zone", ""),
            state=data.get("state", ""),
            health=data.get("health", ""),
            accelerator_type=data.get("accelerator_type", ""),
            members=data.get("members") or 0,
            addresses=tuple(data.get("addresses", ())),
            queued_resource=data.get("queued_resource", ""),
            namespace=data.get("namespace", ""),
            workload=data.get("workload", ""),
            expected_source=data.get("expected_source", ""),
            user=data.get("user", ""),
            partition=data.get("partition", ""),
            accelerators=data.get("accelerators"),
        )


@dataclass(frozen=True)
class Check:
    """One check of a diagnosis: `outcome` is `pass`, `warning`, `fail` or `skipped`, `took` is in seconds."""

    name: str
    outcome: str
    found: str
    hint: str = ""
    took: float = 0.0

    @classmethod
    def of(cls, data: Json) -> Check:
        return cls(data["name"], data["outcome"], data["found"], data.get("hint", ""), data.get("took_ms", 0) / 1000)

    def __str__(self) -> str:
        return f"{self.outcome} {self.name}: {self.found}" + (f" -> {self.hint}" if self.hint else "")


@dataclass(frozen=True)
class Diagnosis:
    """The reasons why a target cannot be found. `healthy`: no check failed."""

    healthy: bool
    checks: tuple[Check, ...]

    @classmethod
    def of(cls, data: Json) -> Diagnosis:
        return cls(data["healthy"], tuple(map(Check.of, data["checks"])))

    def __str__(self) -> str:
        return "\n".join(map(str, self.checks))

    def _repr_html_(self) -> str:
        from . import _html

        rows = (
            (_html.word(_COLOR_OF.get(one.outcome, "stopped"), one.outcome), one.name, f"{one.found}: {one.hint}" if one.hint else one.found)
            for one in self.checks
        )
        return _html.table(("outcome", "check", "found"), rows, len(self.checks), raw=(0,))
