"""Values and errors: their fields, pickling, matching, and markup."""
from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import rollcall_cluster as r
from conftest import ROOT, Ask
from rollcall_cluster import _errors

SPEC = r.ClusterSpec({"worker": ["a:1", "b:1"], "ps": {3: "c:1"}, "chief": []})
CAUSE = {"layer": "container", "code": "OOMKilled", "text": "exit code 137", "object": "container t", "outlook": "final", "later": 1}
MEMBER = {"job": "worker", "index": 0, "state": "lost", "state_text": "<script>", "health": "later", "causes": [CAUSE]}
PROGRESS = {
    "at_ms": 1500,
    "ready": 1,
    "total": 4,
    "phase": "queued",
    "line": "1/4 ready",
    "missing": [{"job": "worker", "index": 1, "last_index": 2, "why": "<b>", "for_ms": 250}, {"job": "worker", "index": 3, "address": "c:1"}],
    "missing_more": 5,
}
TOPOLOGY = {
    "type": "v4-32", "generation": "v4", "chips": 16, "cores": 32, "devices": 16, "hosts": 4, "topology": "2x2x4", "topology_certain": True,
    "chips_per_host": 4, "chips_per_host_bounds": [2, 2, 1], "host_bounds": [1, 1, 4], "wrap": [False, False, True], "hbm_gib_per_chip": 32,
    "target": "tpu:<t>", "state": "READY", "workers": [{"index": 0, "address": 'a"1'}],
}
CHANGE = {"change": "member_changed", "time": "t", "text": "x", "member": MEMBER, "before": MEMBER, "notice": {"kind": "preemption"}}
STATUS = {"phase": "running", "state": {"level": "waiting", "text": "CREATING"}, "cluster": {"worker": ["a:1"]}, "members": [MEMBER], "expected": 4, "later": 1}
FOUND = {"kind": "tpu", "name": "t", "target": "tpu:t", "members": 2, "addresses": ["a:1"]}
DEVICES = {"targets": [{"target": "t", "source": "devices", "hosts": [{"job": "", "task": None, "counts": {"TPU": 4}}], "devices": [{"name": "/d", "device_type": "TPU"}]}]}

VALUES: list[Any] = [
    SPEC,
    r.Task("worker", 1, "a:1"),
    r.Status.of(STATUS),
    r.Progress.of(PROGRESS),
    r.Change.of(CHANGE, {"worker": {"2": "b:1"}}),
    r.Found.of(FOUND),
    r.Devices.of(DEVICES),
    r.Topology.of(TOPOLOGY),
    r.Diagnosis.of({"healthy": False, "checks": [{"name": "token", "outcome": "fail", "found": "none", "took_ms": 2}]}),
    r.Failure("not_found", "gone"),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_values_are_pickled_copied_hashed_and_frozen(value: Any) -> None:
    for other in (pickle.loads(pickle.dumps(value)), copy.deepcopy(value)):
        assert other == value
        assert hash(other) == hash(value)
        assert repr(other) == repr(value)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, dataclasses.fields(value)[0].name, 1)


def test_a_cluster() -> None:
    assert SPEC["worker"] == ["a:1", "b:1"]
    assert list(SPEC) == ["worker", "ps", "chief"]
    assert (len(SPEC), "ps" in SPEC, "x" in SPEC) == (3, True, False)
    assert (SPEC.num_tasks(), SPEC.num_tasks("ps"), SPEC.num_tasks("chief")) == (3, 1, 0)
    assert SPEC.addresses("ps") == {3: "c:1"}
    with pytest.raises(ValueError, match="indices 3, which a list cannot say"):
        SPEC["ps"]
    with pytest.raises(KeyError):
        SPEC["x"]
    with pytest.raises(TypeError, match="not one text"):
        r.ClusterSpec({"worker": "a:1"})
    assert SPEC.as_dict() == {"worker": ["a:1", "b:1"], "ps": {"3": "c:1"}, "chief": {}}
    assert r.ClusterSpec(SPEC.as_dict()) == SPEC
    assert r.ClusterSpec({"ps": {"3": "c:1"}, "chief": [], "worker": ["a:1", "b:1"]}) == SPEC
    assert r.ClusterSpec({"worker": ["a:1", "b:1"]}) != SPEC and SPEC != 7
    assert json.loads(SPEC.tf_config(("worker", 1))) == {"cluster": SPEC.as_dict(), "task": {"type": "worker", "index": 1}}
    assert json.loads(SPEC.tf_config(r.Task("ps", 3))) == {"cluster": SPEC.as_dict(), "task": {"type": "ps", "index": 3}}
    assert SPEC.tf_config("ps:3") == SPEC.tf_config(("ps", 3))
    with pytest.raises(KeyError):
        SPEC.tf_config(("worker", 2))


NO_CLUSTERS = [
    (["a:1"], TypeError, "a cluster is a mapping of jobs to addresses, not list"),
    (None, TypeError, "not NoneType"),
    ({7: ["a:1"]}, TypeError, "a job's name is a text, not int 7"),
    ({"worker": {"b:1", "a:1"}}, TypeError, "job 'worker' needs a list of addresses, not set"),
    ({"worker": None}, TypeError, "job 'worker' needs a list of addresses, not NoneType"),
    ({"worker": ["a:1", None]}, TypeError, "the address of task 1 of job 'worker' is a text, not NoneType"),
    ({"worker": {3: 7}}, TypeError, "the address of task 3 of job 'worker' is a text, not int 7"),
    ({"worker": {-1: "a:1"}}, ValueError, "job 'worker' has the task -1, which is no number"),
    ({"worker": {1.5: "a:1"}}, ValueError, "the task 1.5"),
    ({"worker": {"x": "a:1"}}, ValueError, "the task 'x'"),
    ({"worker": {1: "a:1", "1": "b:1"}}, ValueError, "the task 1 twice"),
]


@pytest.mark.parametrize(("cluster", "kind", "words"), NO_CLUSTERS)
def test_what_is_no_cluster_is_named(cluster: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=re.escape(words)):
        r.ClusterSpec(cluster)


def test_values_are_matched() -> None:
    match r.Change.of(CHANGE, {}):
        case r.Change(kind=r.ChangeKind.MEMBER_CHANGED, member=r.Member(job="worker", index=index)):
            assert index == 0
        case _:
            pytest.fail("no match")
    assert r.ChangeKind("later") is r.ChangeKind.UNKNOWN
    assert str(r.MemberState.LOST) == "lost" and r.MemberState.LOST in ["lost"]
    progress = r.Progress.of(PROGRESS)
    assert [one.label for one in progress.missing] == ["worker 1-2", "worker 3 (c:1)"]
    assert (progress.at, progress.missing[0].waited, str(progress)) == (1.5, 0.25, "1/4 ready")


def test_answers_as_text() -> None:
    there = {"job": "worker", "index": 1, "address": "b:1", "state": "ready"}
    nameless = {"job": "worker", "index": 2, "state": "waiting", "state_text": "CREATING"}
    status = r.Status.of({**STATUS, "members": [MEMBER, there, nameless], "expected_source": "Job t: 4"})
    assert str(status).splitlines() == [
        "1/4 ready (Job t: 4) · CREATING",
        "worker 0 - OOMKilled: exit code 137 (container t)",
        "worker 1 b:1 ready",
        "worker 2 - CREATING",
    ]
    assert str(r.Status.of({**STATUS, "members": [], "expected": 0, "state": {}})) == "0 ready"
    checks = [{"name": "token", "outcome": "fail", "found": "none", "hint": "log in"}, {"name": "clock", "outcome": "pass", "found": "right"}]
    assert str(r.Diagnosis.of({"healthy": False, "checks": checks})) == "fail token: none -> log in\npass clock: right"


@pytest.mark.parametrize("value", [one for one in VALUES if hasattr(one, "_repr_html_")], ids=lambda value: type(value).__name__)
def test_notebooks_draw_them_and_nothing_from_outside_is_markup(value: Any) -> None:
    html = value._repr_html_()
    for planted in ("<script>", "<b></td>", "tpu:<t>", 'a"1'):
        assert planted not in html
    assert html.count("<div") == html.count("</div>") and html.count("<tr") == html.count("</tr>") and html.count("<td") == html.count("</td>")


def test_the_drawing_of_a_topology() -> None:
    html = r.Topology.of(TOPOLOGY)._repr_html_()
    assert html.count("<caption") == 4
    assert 'title="a&quot;1">0<br><small>a&quot;1</small></td>' in html
    assert "wraps around z" in html
    of_a_type = r.Topology.of({**TOPOLOGY, "target": "", "workers": [], "topology_certain": False})._repr_html_()
    assert "leaves others open" in of_a_type and "background:#" not in of_a_type and "<small>" not in of_a_type
    many = r.Topology.of({**TOPOLOGY, "hosts": 512, "host_bounds": [8, 8, 8]})._repr_html_()
    assert 'title="a&quot;1">0</td>' in many  # too small for addresses
    assert "too many to draw" in r.Topology.of({**TOPOLOGY, "host_bounds": [64, 64, 64]})._repr_html_()


def cells_of(html: str) -> list[list[str]]:
    lines = [re.findall(r"<td[^>]*>(.*?)</td>", line) for line in html.split("<tr>")]
    return [cells for cells in lines if cells]


def test_devices_of_this_host() -> None:
    device = {"model": "NVIDIA H100", "uuid": "GPU-1", "bus": "0000:00:06.0", "node": "/dev/nvidia0", "index": 0, "memory_bytes": 85}
    visible = {"variable": "CUDA_VISIBLE_DEVICES", "count": 1}
    group = {"kind": "GPU", "vendor": "NVIDIA", "model": "", "source": "/dev", "driver": "", "count": None, "visible": visible, "devices": [device]}
    found = r.Devices.of({"local": [group, {**group, "count": 8, "model": "H100", "visible": None}], "notes": ["the driver does not answer"]})
    assert (found.targets, found.failures, found.notes) == ((), (), ("the driver does not answer",))
    assert found.local[0].visible == r.VisibleDevices("CUDA_VISIBLE_DEVICES", 1)
    assert found.local[0].devices == (r.LocalDevice("NVIDIA H100", "GPU-1", "0000:00:06.0", "/dev/nvidia0", 0, 85),)
    assert (found.local[0].count, found.local[1].count, found.local[1].visible) == (None, 8, None)
    assert cells_of(found._repr_html_()) == [["", "GPU", "NVIDIA", "", "/dev"], ["8", "GPU", "H100", "", "/dev"]]


def test_the_drawing_of_devices() -> None:
    counted = [{"job": "worker", "task": task, "counts": {"TPU": 4, "CPU": 1}} for task in (0, 1)]
    differing = [counted[0], {"job": "worker", "task": 1, "counts": {"TPU": 3}}]
    by_type = {"target": "c", "source": "accelerator type", "num_cores": 16, "num_hosts": 4, "num_of_cores_per_host": 4, "topology": "2x2x4"}
    differs = {"target": "b", "source": "devices", "hosts": differing}
    targets = [{"target": "a", "source": "devices", "hosts": counted, "model": "v5p"}, differs, by_type, {"target": "d", "source": "devices"}]
    html = r.Devices.of({"targets": targets, "failures": [{"code": "not_found", "message": "gone", "target": "e", "hint": "look"}]})._repr_html_()
    first, second, third, fourth, failed = cells_of(html)
    assert first == ["a", "8 TPU, 2 CPU", "2", "4 TPU, 1 CPU", "v5p", "", "devices"]
    assert second == ["b", "7 TPU, 1 CPU", "2", "", "", "", "devices"]
    assert third == ["c", "16", "4", "4", "", "2x2x4", "accelerator type"]
    assert fourth == ["d", "", "", "", "", "", "devices"]
    assert failed[0].endswith("e") and failed[1:] == ["gone", "look"]


def test_the_drawings_say_each_thing_once() -> None:
    html = r.Progress.of(PROGRESS)._repr_html_()
    assert html.count("1/4 ready") == 1 and "queued" in html
    assert [cells[2] for cells in cells_of(html)[:2]] == ["0 s", "0 s"]
    long = r.Progress.of({**PROGRESS, "missing": [{"job": "worker", "index": 1, "for_ms": 4_200_000}]})._repr_html_()
    assert cells_of(long)[0][2] == "70 min"
    assert "<table" not in r.Status.of({"phase": "running", "cluster": {}, "members": []})._repr_html_()
    partial = r.ClusterSpec({"worker": ["a:1"]}, (r.Failure("not_found", "gone", "tpu:x"),))._repr_html_()
    assert cells_of(partial)[1][1] == "gone"


def codes_of_the_library() -> list[str]:
    text = (ROOT / "include/rollcall/error.hpp").read_text(encoding="utf-8")
    body = text.split("enum class Errc {")[1].split("};")[0]
    return [line.strip().split(" ")[0].rstrip(",") for line in body.splitlines() if line.strip() and not line.strip().startswith("//")]


def exit_code(code: str) -> int:
    """By the table of docs/command.md."""
    for line in (ROOT / "docs/command.md").read_text(encoding="utf-8").split("## Exit codes")[1].splitlines():
        if f"`{code}`" in line:
            return int(line.split("|")[1])
    raise AssertionError(code)


GROUPS: dict[int, type[Exception]] = {2: ValueError, 3: TimeoutError, 4: PermissionError, 5: ConnectionError}


@pytest.mark.parametrize("code", codes_of_the_library())
def test_every_code_of_the_library_has_a_class_of_its_group(code: str) -> None:
    kind = _errors.BY_CODE[code]
    assert kind is getattr(r, "".join(word.capitalize() for word in code.split("_")))
    group = exit_code(code)
    if group in GROUPS:
        assert issubclass(kind, GROUPS[group])
    else:
        assert not issubclass(kind, tuple(GROUPS.values()))


@pytest.mark.parametrize("code", [*_errors.BY_CODE, "of_a_later_version"])
@pytest.mark.usefixtures("fake")
def test_errors_have_the_failure_and_survive_pickle(ask: Ask, code: str) -> None:
    with pytest.raises(r.RollcallError) as caught:
        ask("wait", "fake:error:" + code)
    error = caught.value
    for one in (error, pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(one) is _errors.BY_CODE.get(code, r.RollcallError)
        assert (str(one), one.code, one.message, one.target) == ("it is so", code, "it is so", "fake:error:" + code)
        assert (one.hint, one.asked, one.phase, one.attempts, one.http_status, one.elapsed) == ("do that", "http://x", "connect", 2, 503, 1.5)
        assert [member.label for member in one.missing] == ["worker 2 (c:1)"]
        assert one.failure == error.failure
    assert r.NotFound("plain").code == "not_found" and r.NotFound("plain").missing == ()


def test_what_the_questions_say_of_themselves() -> None:
    for name in ("resolve", "wait", "topology", "doctor", "preflight", "watch", "discover"):
        for shown in (getattr(r, name), getattr(r, name + "_sync"), getattr(r.Client(), name)):
            assert shown.__name__ == name and "Raises:" in shown.__doc__
            assert "timeout" in str(inspect.signature(shown)) or name == "watch"
    assert str(inspect.signature(r.topology)) == "(type_or_target: 'str', *, timeout: 'float | None' = 30.0) -> 'Topology'"
    assert inspect.iscoroutinefunction(r.resolve) and not inspect.iscoroutinefunction(r.resolve_sync)


def test_there_is_one_version() -> None:
    assert f"project(rollcall VERSION {r.__version__} " in (ROOT / "CMakeLists.txt").read_text()


def test_the_stub_has_what_the_module_has() -> None:
    names = {line.split(" as ")[1] for line in Path(r.__file__).with_suffix(".pyi").read_text().splitlines() if " as " in line}
    questions = {line.split(" = ")[0] for line in Path(r.__file__).with_suffix(".pyi").read_text().splitlines() if " = " in line}
    assert names | questions == {*vars(r)["__all__"], "launch", "testing"}
    assert all(hasattr(r, name) for name in dir(r))
    with pytest.raises(AttributeError, match="no attribute 'resolv'"):
        r.resolv  # type: ignore[attr-defined]  # noqa: B018


def test_causes() -> None:
    cause = r.Member.of(MEMBER).causes[0]
    assert (cause.layer, cause.code, cause.is_final, cause.since) == ("container", "OOMKilled", True, "")
    assert str(cause) == "OOMKilled: exit code 137 (container t)"
    assert str(r.Cause("volume", "FailedMount", "FailedMount x", "Pod train/a")) == "FailedMount x"
    assert r.Member.of({"job": "worker", "index": 0}).causes == ()
    status = r.Status.of({**STATUS, "expected_by_job": [{"job": "worker", "members": 4}], "expected_source": "Job t: 4", "causes": [CAUSE]})
    assert (status.expected_by_job, status.expected_source, status.causes) == ({"worker": 4}, "Job t: 4", (cause,))
    notice = {"kind": "maintenance", "subject": "node-1", "text": "soon"}
    assert (status.notices, r.Status.of({**STATUS, "notices": [notice]}).notices) == ((), (r.Notice("maintenance", "node-1", "soon"),))
    group = {"members": "worker 0", "job": "worker", "count": 1, "state": "lost", "why": "x", "causes": [CAUSE], "remedy": "more memory"}
    why = r.Why.of({"is_ready": False, "ready": 3, "total": 4, "groups": [group], "warnings": [], "unread": ["events"], "status": STATUS})
    assert (why.groups[0].remedy, why.groups[0].causes, why.unread) == ("more memory", (cause,), ("events",))
    assert str(why) == "3/4 ready\nworker 0: OOMKilled: exit code 137 (container t)"
