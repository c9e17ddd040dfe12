"""Frozen dataclasses for the verdict of a preflight, as `rollcall preflight --format json` prints it."""
from __future__ import annotations

from dataclasses import dataclass

from ._errors import FailedPrecondition
from ._inventory import Devices
from ._values import Failure, Json

_COLOR_OF = {"failure": "lost", "warning": "waiting"}  # the state whose color a severity has


@dataclass(frozen=True)
class FindingMember:
    """A host that a finding names. An empty `job` and an `index` of None mean: not as a task. `name` is the host's own."""

    job: str = ""
    index: int | None = None
    name: str = ""
    address: str = ""

    @classmethod
    def of(cls, data: Json) -> FindingMember:
        return cls(data.get("job", ""), data.get("index"), data.get("name", ""), data.get("address", ""))

    def __str__(self) -> str:
        task = f"{self.job} {self.index}" if self.index is not None else self.job
        if not task:
            return self.name or self.address
        return f"{task} ({self.name})" if self.name else task


@dataclass(frozen=True)
class Finding:
    """One thing that a preflight found. `text` is all of it as a sentence, `hint` what to do; `action` is the same for programs, such as `open_port` or `replace`.

    `severity` is `failure` or `warning`; `scope` is `host`, `pair`, `block`, `device` or `cluster`; `check` is such as `reach`, `driver` or `disk:/data`. `direction` is
    `first_to_second` of a pair, `in` or `out` of a host, `both`, or empty. `measured`, `expected`, `others` (what most of the others have) and `device` may be empty.
    """

    severity: str
    scope: str
    check: str
    members: tuple[FindingMember, ...]
    text: str
    hint: str = ""
    action: str = "none"
    device: str = ""
    direction: str = ""
    measured: str = ""
    expected: str = ""
    others: str = ""

    @classmethod
    def of(cls, data: Json) -> Finding:
        return cls(
            severity=data["severity"],
            scope=data["scope"],
            check=data["check"],
            members=tuple(map(FindingMember.of, data.get("members", ()))),
            text=data["text"],
            hint=data.get("hint", ""),
            action=data.get("action", "none"),
            device=data.get("device", ""),
            direction=data.get("direction", ""),
            measured=data.get("measured", ""),
            expected=data.get("expected", ""),
            others=data.get("others", ""),
        )

    @property
    def is_failure(self) -> bool:
        return self.severity == "failure"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class PreflightUnknown:
    """What was to be tested and could not be, and why."""

    check: str
    members: tuple[FindingMember, ...]
    why: str

    @classmethod
    def of(cls, data: Json) -> PreflightUnknown:
        return cls(data["check"], tuple(map(FindingMember.of, data.get("members", ()))), data.get("why", ""))

    def __str__(self) -> str:
        of = ", ".join(filter(None, map(str, self.members)))
        return f"{self.check} of {of}: {self.why}" if of else f"{self.check}: {self.why}"


@dataclass(frozen=True)
class GpuUser:
    """A process that computes on a GPU. `pid` is 0 for one of another container."""

    pid: int
    memory_bytes: int | None = None


@dataclass(frozen=True)
class GpuHealth:
    """A GPU of NVIDIA. `result` is the code of NVIDIA's library for what failed first, 0 for nothing; `values` are pairs such as `("temperature", 35)`."""

    index: int
    name: str
    uuid: str
    bus: str
    result: int
    values: tuple[tuple[str, int], ...]
    processes: tuple[GpuUser, ...]

    @classmethod
    def of(cls, data: Json) -> GpuHealth:
        users = tuple(GpuUser(user["pid"], user.get("memory_bytes")) for user in data.get("processes", ()))
        return cls(data["index"], data["name"], data["uuid"], data["bus"], data["result"], tuple(data.get("values", {}).items()), users)


@dataclass(frozen=True)
class HostFact:
    """One value of a host, such as its driver's version: what the hosts of a job have in common."""

    check: str
    name: str
    value: str


@dataclass(frozen=True)
class HostFacts:
    """What a preflight of this host found out. `accelerators` are None where no check needed them, or where they are not known."""

    host: str
    boot_id: str
    facts: tuple[HostFact, ...]
    accelerators: Devices | None
    gpus: tuple[GpuHealth, ...]

    @classmethod
    def of(cls, data: Json) -> HostFacts:
        devices = data.get("accelerators")
        return cls(
            host=data.get("host", ""),
            boot_id=data.get("boot_id", ""),
            facts=tuple(HostFact(one["check"], one["name"], one["value"]) for one in data["facts"]),
            accelerators=None if devices is None else Devices.of(devices),
            gpus=tuple(map(GpuHealth.of, data.get("gpus", ()))),
        )

    def fact(self, name: str) -> str:
        """The value of a fact, such as `driver`; empty where it is not known."""
        return next((one.value for one in self.facts if one.name == name), "")


@dataclass(frozen=True)
class Verdict:
    """Whether this host, or a cluster, can run a program. `findings` are failures first, then warnings; with warnings alone it has passed.

    `present` of `members` took part; `pairs_tested` of `pairs_expected` ways between two of them were tested. `judged_by` and `run` are empty for this host alone, and `host`
    is None for a cluster. `authenticated`: the members proved a secret that they share. `took` is in seconds.
    """

    passed: bool
    members: int
    present: int
    pairs_tested: int
    pairs_expected: int
    run: str
    judged_by: str
    authenticated: bool
    took: float
    findings: tuple[Finding, ...]
    findings_left_out: int
    unknown: tuple[PreflightUnknown, ...]
    host: HostFacts | None = None

    @classmethod
    def of(cls, data: Json) -> Verdict:
        host = data.get("host")
        return cls(
            passed=data["passed"],
            members=data["members"],
            present=data["present"],
            pairs_tested=data["pairs_tested"],
            pairs_expected=data["pairs_expected"],
            run=data.get("run", ""),
            judged_by=data.get("judged_by", ""),
            authenticated=data["authenticated"],
            took=data.get("took_ms", 0) / 1000,
            findings=tuple(map(Finding.of, data["findings"])),
            findings_left_out=data.get("findings_left_out", 0),
            unknown=tuple(map(PreflightUnknown.of, data.get("unknown", ()))),
            host=None if host is None else HostFacts.of(host),
        )

    @property
    def failures(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if one.is_failure)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return tuple(one for one in self.findings if not one.is_failure)

    def raise_for_failure(self) -> None:
        """Raises FailedPrecondition, whose text has the failures and what could not be tested, unless the verdict is passed."""
        if self.passed:
            return
        hint = next((one.hint for one in self.failures if one.hint), "")
        raise FailedPrecondition(str(self), Failure(code=FailedPrecondition.code, message=str(self), hint=hint))

    def __str__(self) -> str:
        head = f"preflight {'passed' if self.passed else 'failed'}, {self.present} of {self.members} here"
        lines = [f"{'FAIL' if one.is_failure else 'warn'} {one.text}" for one in self.findings] + [f"? {one}" for one in self.unknown]
        more = [f"and {self.findings_left_out} more"] if self.findings_left_out else []
        return "\n".join([head, *lines, *more])

    def _repr_html_(self) -> str:
        from . import _html

        rows = [(_html.word(_COLOR_OF.get(one.severity, "stopped"), one.severity), one.check, one.text, one.hint) for one in self.findings]
        rows += [(_html.word("stopped", "unknown"), one.check, str(one), "") for one in self.unknown]
        notes = (f"{self.present} of {self.members} here", f"judged by {self.judged_by}" if self.judged_by else "")
        head = _html.heading(f"preflight {'passed' if self.passed else 'failed'}", notes)
        return head + (_html.table(("severity", "check", "found", "what to do"), rows, len(rows), raw=(0,)) if rows else "")
