"""torchrun's backend and the scheme of `init_method`, over stand-ins: a store that is a dict. Real processes meet in tests/interop."""
from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import stand_ins
from rollcall_cluster import DeadlineExceeded, InvalidArgument, Member, NotFound, Task, Unreachable, _sync
from rollcall_cluster import MemberState as State
from stand_ins import FakeClient

CLUSTER = {"worker": ["a:1", "b:2"]}


class FakeFollowed:
    def __init__(self, *targets: str) -> None:
        self.targets = targets
        self.failure: Exception | None = None
        self.members: list[Member] | None = None  # it has not seen the cluster
        self.is_closed = False

    def ready_members(self) -> list[Member] | None:
        return None if self.members is None else [member for member in self.members if member.is_ready]

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def rtorch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr(stand_ins, "is_installed", lambda name: False)
    for name in ("PET_NODE_RANK", "ROLLCALL_TARGET"):
        monkeypatch.delenv(name, raising=False)
    with stand_ins.plugin("torch", stand_ins.torch) as module:
        monkeypatch.setattr(module, "Followed", FakeFollowed)
        monkeypatch.setattr(module, "_POLL", 0.0)
        yield module


def use(client: FakeClient, monkeypatch: pytest.MonkeyPatch) -> FakeClient:
    monkeypatch.setattr(_sync, "default", client)
    return client


def parameters(endpoint: str = "t:", nodes: tuple[int, int] = (2, 2), **config: Any) -> Any:
    return SimpleNamespace(backend="rollcall", endpoint=endpoint, run_id="run", min_nodes=nodes[0], max_nodes=nodes[1], config={"timeout": "60", **config})


def meet(rtorch: Any, *configs: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """A thread for each node, until all have met."""
    handlers = [rtorch.get_handler()(parameters(**config)) for config in configs]
    results: list[Any] = [None] * len(handlers)

    def one(place: int) -> None:
        results[place] = handlers[place].next_rendezvous()

    one_by_one = [threading.Thread(target=one, args=(place,)) for place in range(len(handlers))]
    store = rtorch.TCPStore("a", 1, None, True, None, multi_tenant=True)  # there before the clients
    assert store.values == {}
    for thread in one_by_one:
        thread.start()
    for thread in one_by_one:
        thread.join()
    return handlers, results


def entry_point() -> importlib.metadata.EntryPoint:
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    found = re.search(r'\[project\.entry-points\."torchrun\.handlers"\]\nrollcall = "([\w.]+:\w+)"\n', text)
    assert found is not None
    return importlib.metadata.EntryPoint("rollcall", found[1], "torchrun.handlers")


def test_the_entry_point_names_a_function_that_returns_the_maker(rtorch: Any) -> None:
    handler = entry_point().load()()(parameters())
    assert isinstance(handler, rtorch.RollcallRendezvous)
    assert handler.get_backend() == "rollcall"
    assert handler.get_run_id() == "run"
    assert handler.use_agent_store
    assert not handler.is_closed()


# A package of PyTorch whose import loads the entry points, as its own does, and keeps what that raises.
LOADING_TORCH = """
from importlib.metadata import EntryPoint
import sys, traceback
from types import ModuleType
api = ModuleType(__name__ + ".api")
api.RendezvousHandler = object
handlers, troubles = {}, []
try:
    handlers["rollcall"] = EntryPoint("rollcall", ENTRY, "torchrun.handlers").load()()
except Exception:
    troubles.append(traceback.format_exc())
sys.modules[api.__name__] = api
"""


@pytest.mark.parametrize("first", ["rollcall_cluster.torch", "torch.distributed.elastic.rendezvous"])
def test_the_entry_point_is_loaded_while_pytorch_is_being_imported(first: str, tmp_path: Path) -> None:
    # Each in a process of its own: which module is imported first is what matters.
    folder = tmp_path / "torch/distributed/elastic/rendezvous"
    folder.mkdir(parents=True)
    (tmp_path / "torch/__init__.py").touch()
    (tmp_path / "torch/distributed/elastic/__init__.py").touch()
    (tmp_path / "torch/distributed/__init__.py").write_text("PrefixStore = TCPStore = object\nregister_rendezvous_handler = lambda *_: None\n")
    (folder / "__init__.py").write_text(f"ENTRY = {entry_point().value!r}\n{LOADING_TORCH}")
    program = (
        f"import sys; sys.path[:0] = {[str(tmp_path), str(Path(__file__).parents[1] / 'src')]!r}\n"
        f"import {first}\n"
        "from torch.distributed.elastic import rendezvous\n"
        "assert not rendezvous.troubles, rendezvous.troubles[0]\n"
        "from types import SimpleNamespace\n"
        "made = rendezvous.handlers['rollcall'](SimpleNamespace(backend='rollcall', endpoint='t:', run_id='r', min_nodes=1, max_nodes=1, config={}))\n"
        "import rollcall_cluster.torch\n"
        "assert type(made) is rollcall_cluster.torch.RollcallRendezvous\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_entry_points_module_imports_nothing_of_the_package() -> None:
    module = entry_point().value.partition(":")[0]
    program = f"import sys; before = set(sys.modules); import {module}; print(*sorted(name for name in set(sys.modules) - before if 'rollcall' in name or 'torch' in name))"
    path = str(Path(__file__).parents[1] / "src")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    assert done.stdout.split() == ["rollcall_cluster", module], done.stderr


def test_two_nodes_meet(rtorch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client = use(FakeClient(CLUSTER), monkeypatch)
    handlers, results = meet(rtorch, {"rank": "0"}, {"rank": "1"})
    assert [(rank, size) for _, rank, size in results] == [(0, 2), (1, 2)]
    assert client.asked[0][2]["members"] == 2
    assert ("simple:job.store=a:1",) in [targets for _, targets, _ in client.asked]
    results[0][0].add("greeting", 7)
    assert results[1][0].add("greeting", 0) == 7, "they share a store"
    again = handlers[0].next_rendezvous()
    assert again[1:] == (0, 2), "the same nodes meet again at once"
    assert handlers[0].shutdown()
    assert handlers[0].is_closed()
    with pytest.raises(rtorch.api.RendezvousClosedError):
        handlers[0].next_rendezvous()


def test_an_endpoint_that_a_launcher_has_filled_in_is_no_target(rtorch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client = use(FakeClient({"worker": ["a:1"]}, Task("worker", 0)), monkeypatch)
    for endpoint, named in (("localhost:29400", "tpu:t"), ("[::1]:29400", "tpu:t"), ("kubernetes:n,job.w=a=b", "kubernetes:n,job.w=a=b")):
        monkeypatch.setenv("ROLLCALL_TARGET", "tpu:t")
        handler = rtorch.RollcallRendezvous(parameters(endpoint, (1, 1)))
        handler.next_rendezvous()
        assert any(targets == (named,) for _, targets, _ in client.asked)
        assert [port for _, port, _ in handler._stores] == [29400 if named == "tpu:t" else 1]
        client.asked.clear()
    monkeypatch.delenv("ROLLCALL_TARGET")
    rtorch.RollcallRendezvous(parameters("localhost:29400", (1, 1))).next_rendezvous()
    assert any(targets == ("localhost:29400",) for _, targets, _ in client.asked), "no other address was given"


def test_later_versions_get_an_object(rtorch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    use(FakeClient({"worker": ["a:1"]}, Task("worker", 0)), monkeypatch)
    rtorch.api.RendezvousStoreInfo = lambda host, port: ("store", host, port)
    rtorch.api.RendezvousInfo = lambda store, rank, size, info: (rank, size, info)
    assert rtorch.RollcallRendezvous(parameters(nodes=(1, 1))).next_rendezvous() == (0, 1, ("store", "a", 1))


def test_the_rank_is_what_was_said_and_else_what_whoami_says(rtorch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client = use(FakeClient({"worker": ["a:1"]}, Task("worker", 0)), monkeypatch)
    rtorch.RollcallRendezvous(parameters(nodes=(1, 1))).next_rendezvous()
    assert "whoami" in client.questions()
    client.asked.clear()
    monkeypatch.setenv("PET_NODE_RANK", "0")
    rtorch.RollcallRendezvous(parameters(nodes=(1, 1))).next_rendezvous()
    assert "whoami" not in client.questions()
    client.own = Task("worker", 5)
    monkeypatch.delenv("PET_NODE_RANK")
    with pytest.raises(NotFound, match="this process is worker 5"):
        rtorch.RollcallRendezvous(parameters(nodes=(1, 1))).next_rendezvous()


def test_a_node_waits_for_its_own_place(rtorch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client = use(FakeClient(DeadlineExceeded("1 ready")), monkeypatch)
    for rank, members in (("0", 2), ("1", 2), ("3", 4)):
        client.asked.clear()
        with pytest.raises(rtorch.api.RendezvousTimeoutError):
            rtorch.RollcallRendezvous(parameters(nodes=(2, 4), rank=rank)).next_rendezvous()
        assert client.asked[0][2]["members"] == members


def test_missing_members_are_named(rtorch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    use(FakeClient(DeadlineExceeded("missing: worker 1 (b:2)")), monkeypatch)
    with pytest.raises(rtorch.api.RendezvousTimeoutError, match=r"worker 1 \(b:2\)"):
        rtorch.RollcallRendezvous(parameters()).next_rendezvous()
    use(FakeClient(Unreachable("refused")), monkeypatch)
    with pytest.raises(rtorch.api.RendezvousConnectionError, match="refused"):
        rtorch.RollcallRendezvous(parameters()).next_rendezvous()


def test_a_node_whose_agent_does_not_come_is_named(rtorch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    use(FakeClient(CLUSTER), monkeypatch)
    now = [0.0]

    def tick() -> float:
        now[0] += 1.0
        return now[0]

    monkeypatch.setattr(rtorch.time, "monotonic", tick)
    monkeypatch.setattr(rtorch.time, "sleep", lambda _: None)
    with pytest.raises(rtorch.api.RendezvousTimeoutError, match=r"within 60 s; missing: worker 1 \(b:2\)"):
        rtorch.RollcallRendezvous(parameters(rank="0")).next_rendezvous()


def test_nodes_that_see_other_clusters_look_again(rtorch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client = use(FakeClient({"worker": ["a:1", "old:2"]}), monkeypatch)
    monkeypatch.setattr(rtorch, "_MEETING", 0.05)
    handler = rtorch.RollcallRendezvous(parameters(rank="0"))
    looked = threading.Event()
    result: list[Any] = []
    original = client._spec

    def spec() -> Any:
        if len([question for question in client.questions() if question == "wait"]) >= 2:
            looked.set()
        return original()

    monkeypatch.setattr(client, "_spec", spec)
    thread = threading.Thread(target=lambda: result.append(handler.next_rendezvous()))
    thread.start()
    assert looked.wait(30)
    client.cluster = CLUSTER
    other = rtorch.RollcallRendezvous(parameters(rank="1")).next_rendezvous()
    thread.join()
    assert (result[0][1:], other[1:]) == ((0, 2), (1, 2))


def test_another_cluster_meets_elsewhere_in_the_store(rtorch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client = use(FakeClient({"worker": ["a:1"]}), monkeypatch)
    handler = rtorch.RollcallRendezvous(parameters(nodes=(1, 1), rank="0", port="7000"))
    first, again = handler.next_rendezvous()[0].prefix, handler.next_rendezvous()[0].prefix
    client.cluster = {"worker": ["a:2"]}
    other = handler.next_rendezvous()[0].prefix
    assert first == again != other
    assert {first.partition("/")[0], other.partition("/")[0]} == {"run"}


def test_a_node_that_has_replaced_another_is_waiting(rtorch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    use(FakeClient({"worker": ["a:1"]}, Task("worker", 0)), monkeypatch)
    handler = rtorch.RollcallRendezvous(parameters(nodes=(1, 2)))
    assert handler.num_nodes_waiting() == 0
    handler.next_rendezvous()
    followed = handler._followed
    assert followed.targets == ("t:",)
    assert handler.num_nodes_waiting() == 0
    followed.members = [Member("worker", 0, address="a:1")]
    assert handler.num_nodes_waiting() == 0
    followed.members.append(Member("worker", 1, address="b:2", state=State.WAITING))
    assert handler.num_nodes_waiting() == 0, "it is not ready"
    followed.members[1] = Member("worker", 1, address="b:2")
    assert handler.num_nodes_waiting() == 1
    followed.members.append(Member("worker", 2, address="c:2"))
    assert handler.num_nodes_waiting() == 0, "there is no room for three"
    followed.members = [Member("worker", 0, address="new:1")]
    assert handler.num_nodes_waiting() == 1
    handler.shutdown()
    assert followed.is_closed


def test_another_job_is_not_waiting(rtorch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    use(FakeClient({"worker": ["a:1"], "ps": ["p:1"]}), monkeypatch)
    handler = rtorch.RollcallRendezvous(parameters(nodes=(1, 2), job="worker", rank="0", port="7000"))
    store, *_ = handler.next_rendezvous()
    assert store.store.values is rtorch.TCPStore.made["a", 7000]
    handler._followed.members = [Member("worker", 0, address="a:1"), Member("ps", 1, address="p:2")]
    assert handler.num_nodes_waiting() == 0


def test_more_tasks_than_nodes_and_settings_that_are_wrong(rtorch: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    use(FakeClient(CLUSTER), monkeypatch)
    with pytest.raises(InvalidArgument, match="t: has 2 tasks, but --nnodes allows 1"):
        rtorch.RollcallRendezvous(parameters(nodes=(1, 1))).next_rendezvous()
    for timeout in ("soon", "0", "nan", "-1", "inf"):
        with pytest.raises(InvalidArgument, match="timeout"):
            rtorch.RollcallRendezvous(parameters(timeout=timeout))
    with pytest.raises(InvalidArgument, match="port is 'x'"):
        rtorch.RollcallRendezvous(parameters(rank="0", port="x")).next_rendezvous()
    with pytest.raises(InvalidArgument, match="rank is '7', not a number from 0 to 1"):
        rtorch.RollcallRendezvous(parameters(rank="7"))
    rtorch.RollcallRendezvous(parameters(rnak="7"))
    assert "'rnak'" in caplog.text


def test_init_method(rtorch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client = use(FakeClient({"worker": ["a:1"]}, Task("worker", 0)), monkeypatch)
    make = rtorch.register_rendezvous_handler.__self__["rollcall"]
    meeting = make("rollcall://tpu:trainer,zone=z?job=worker", timeout=timedelta(seconds=60))
    assert next(meeting)[1:] == (0, 1)
    assert client.asked[0][1:] == (("tpu:trainer,zone=z",), {"timeout": 60.0})
    with pytest.raises(RuntimeError, match="torchrun"):
        next(meeting)
    assert next(make("rollcall:///simple:job.w=[::1]:1?rank=0&world_size=8&port=7000"))[1:] == (0, 8)
    assert client.asked[-1][1] == ("simple:job.w=[::1]:1",)
    assert next(make("rollcall://"))[1:] == (0, 1)
    assert client.asked[-2][1] == ("auto:",)


@pytest.mark.parametrize("query", ["rank=8&world_size=8", "rank=x&world_size=2", "jb=worker", "port=0"])
def test_init_methods_that_are_wrong(rtorch: Any, monkeypatch: pytest.MonkeyPatch, query: str) -> None:
    use(FakeClient({"worker": ["a:1"]}, Task("worker", 0)), monkeypatch)
    with pytest.raises(InvalidArgument):
        next(rtorch.register_rendezvous_handler.__self__["rollcall"](f"rollcall://t:?{query}"))
