"""`preflight` with the real command: this host, and hosts that are loopback addresses of this machine."""
from __future__ import annotations

import asyncio
import pickle
import socket
import threading

import pytest

import rollcall_cluster as r
from conftest import run


def target(tasks: int = 2) -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return "simple:job.worker=" + "+".join(f"127.0.0.{i + 1}:{port}" for i in range(tasks))


def bind(where: str) -> None:
    """Fails while something listens at the first address, or a connection is in TIME_WAIT there."""
    host, port = where.split("=")[1].split("+")[0].split(":")
    with socket.socket() as bound:
        bound.bind((host, int(port)))


def test_hosts_of_one_loop_meet(real: str) -> None:
    async def main() -> None:
        where, seen = target(3), list[r.BarrierProgress]()
        tasks = ("worker:0", ("worker", 1), r.Task("worker", 2))
        verdicts = await asyncio.gather(*(r.preflight(where, task=task, checks="kernel", timeout=60, on_progress=seen.append) for task in tasks))
        for one in verdicts:
            assert (one.passed, one.present, one.pairs_tested, one.judged_by, one.findings, one.host) == (True, 3, 6, "worker 0", (), None)
            one.raise_for_failure()
        assert {one.run for one in verdicts} == {verdicts[0].run} != {""}
        assert {one.total for one in seen} == {3} and all("/3 here" in str(one) or "members probed" in str(one) for one in seen)
        bind(where)

    run(main())


def test_a_host_that_does_not_come_is_a_finding(real: str) -> None:
    where, lines = target(), list[str]()
    verdict = r.preflight_sync(where, task="worker:0", checks=["kernel"], timeout=1, on_progress=lambda progress: lines.append(str(progress)))
    (finding,) = verdict.failures
    assert (verdict.passed, verdict.present, finding.check, finding.action, finding.is_failure) == (False, 1, "absent", "start_process", True)
    assert (finding.members[0].job, finding.members[0].index) == ("worker", 1)
    assert lines[0].startswith("1/2 here · worker:1: not ")
    with pytest.raises(r.FailedPrecondition, match="preflight failed, 1 of 2 here\nFAIL worker 1: not started") as caught:
        verdict.raise_for_failure()
    assert caught.value.hint == finding.hint
    assert pickle.loads(pickle.dumps(verdict)) == verdict and "start" in verdict._repr_html_()


def test_blocking_and_asyncio_meet_with_a_secret_at_one_port(real: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    where, verdicts = target(), list[r.Verdict]()
    port = int(where.rpartition(":")[2])
    secret = tmp_path_factory.mktemp("secret") / "secret"
    secret.write_text("a secret of that many bytes\n", encoding="utf-8")
    cluster = where.replace(f":{port}", "")
    other = threading.Thread(
        target=lambda: verdicts.append(r.preflight_sync(cluster, task="worker:1", checks="kernel", timeout=60, port=port, job_id="a", secret_file=str(secret), on_progress=None))
    )
    other.start()
    verdicts.append(run(r.preflight(cluster, task="worker:0", checks="kernel", timeout=60, port=port, job_id="a", secret_file=str(secret))))
    other.join()
    assert [(one.passed, one.authenticated) for one in verdicts] == [(True, True)] * 2


def test_this_host(real: str) -> None:
    verdict = r.preflight_sync(checks="kernel, os,expect:kernel=0.1")
    (finding,) = verdict.findings
    assert (verdict.passed, finding.check, finding.expected) == (False, "expect:kernel", "0.1")
    assert verdict.host is not None and verdict.host.host == finding.members[0].name
    assert verdict.host.fact("kernel") == finding.measured != ""
    assert verdict.host.fact("nccl") == ""
    assert str(finding.members[0]) == verdict.host.host
    assert r.preflight_sync(checks=["kernel"], verdict_from=["true", "nagios:true"]).passed
    assert r.preflight_sync(checks="kernel", verdict_from="echo no quorum; exit 3").findings[0].check == "others/echo"


def test_a_cancelled_host_frees_its_port(real: str) -> None:
    async def main() -> None:
        where, begun = target(), asyncio.Event()
        task = asyncio.ensure_future(r.preflight(where, task="worker:0", checks="kernel", on_progress=lambda _: begun.set()))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        bind(where)

        def refuse(progress: r.BarrierProgress) -> None:
            raise KeyError(progress.here)

        with pytest.raises(KeyError, match="1"):
            await r.preflight(where, task="worker:0", checks="kernel", on_progress=refuse)

    run(main())


def test_wrong_arguments_are_named(real: str) -> None:
    with pytest.raises(r.InvalidArgument, match="checks: 'kernle' is no check"):
        r.preflight_sync(checks="kernle")
    with pytest.raises(r.InvalidArgument, match="port: is of a cluster, and needs targets"):
        r.preflight_sync(port=29500)
    with pytest.raises(r.InvalidArgument, match="timeout is 0"):
        r.preflight_sync(timeout=0)
    with pytest.raises(TypeError, match="checks takes texts, not int 7"):
        r.preflight_sync(checks=[7])  # type: ignore[list-item]
    with pytest.raises(r.InvalidArgument, match="'worker:9' is no task of the cluster"):
        r.preflight_sync(target(), task="worker:9", checks="kernel")


def test_the_words_of_a_verdict() -> None:
    member = {"job": "worker", "index": 3, "name": "n03", "address": "10.0.0.4:29500"}
    words = {"text": "worker 3 (n03) gpu 1: <b> it is slow", "hint": "replace it", "action": "replace"}
    finding = {"severity": "warning", "scope": "device", "check": "gpu", "members": [member], "device": "gpu 1", **words}
    unknown = {"check": "bandwidth", "members": [member, {"job": "ps", "index": 0}], "why": "busy"}
    counts = {"members": 64, "present": 63, "pairs_tested": 1, "pairs_expected": 2, "took_ms": 1500, "findings_left_out": 2}
    data = {"passed": False, "authenticated": True, "findings": [finding], "unknown": [unknown], **counts}
    gpu = {"index": 0, "result": 0, "name": "H100", "uuid": "GPU-1", "bus": "b", "values": {"temperature": 35}, "processes": [{"pid": 0, "memory_bytes": None}]}
    local = {"local": [], "notes": ["none"]}
    verdict = r.Verdict.of({**data, "host": {"host": "n", "facts": [{"check": "driver", "name": "driver", "value": "580"}], "accelerators": local, "gpus": [gpu]}, "later": 1})
    assert str(verdict) == "preflight failed, 63 of 64 here\nwarn worker 3 (n03) gpu 1: <b> it is slow\n? bandwidth of worker 3 (n03), ps 0: busy\nand 2 more"
    assert (verdict.took, verdict.failures, verdict.warnings[0].action) == (1.5, (), "replace")
    assert verdict.host is not None and verdict.host.accelerators is not None and verdict.host.accelerators.notes == ("none",)
    assert (verdict.host.gpus[0].values, verdict.host.gpus[0].processes) == ((("temperature", 35),), (r.GpuUser(0),))
    assert hash(pickle.loads(pickle.dumps(verdict))) == hash(verdict) and "<b> it" not in verdict._repr_html_()
    with pytest.raises(r.FailedPrecondition, match="63 of 64 here"):
        verdict.raise_for_failure()
    assert r.Verdict.of({**data, "passed": True}).raise_for_failure() is None  # type: ignore[func-returns-value]
