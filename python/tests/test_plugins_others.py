"""Lightning's environment and Horovod's discovery, and the thread that follows a cluster for pollers."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import stand_ins
from rollcall_cluster import Change, ChangeKind, ClusterSpec, DeadlineExceeded, InvalidArgument, Member, PermissionDenied, Task, Unreachable
from rollcall_cluster import MemberState as State
from rollcall_cluster._followed import Followed
from rollcall_cluster.testing import SimulatedCloud
from stand_ins import FakeClient

CLUSTER = {"worker": ["10.0.0.1:8470", "[fd00::2]:8470"]}


@pytest.fixture(scope="module")
def rlightning() -> Iterator[Any]:
    with stand_ins.plugin("lightning", stand_ins.lightning_fabric) as module:
        yield module


@pytest.fixture(scope="module")
def rhorovod() -> Iterator[Any]:
    with stand_ins.plugin("horovod", stand_ins.horovod) as module:
        yield module


def test_lightning_has_a_node_for_each_task(rlightning: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    client = FakeClient(CLUSTER, Task("worker", 1))
    environment = rlightning.RollcallEnvironment("t:", client=client, members=2)
    assert isinstance(environment, rlightning.ClusterEnvironment)
    assert client.asked[0] == ("wait", ("t:",), {"timeout": 1800.0, "members": 2})
    assert (environment.main_address, environment.main_port) == ("10.0.0.1", 29500)
    assert (environment.node_rank(), environment.global_rank(), environment.local_rank(), environment.world_size()) == (1, 1, 0, 2)
    environment.set_world_size(16)
    environment.set_global_rank(9)
    assert (environment.node_rank(), environment.global_rank(), environment.world_size()) == (1, 9, 16)
    assert not environment.creates_processes_externally
    monkeypatch.setenv("LOCAL_RANK", "3")
    monkeypatch.setenv("WORLD_SIZE", "16")
    assert environment.creates_processes_externally
    assert environment.local_rank() == 3
    environment.teardown()
    environment.teardown()
    environment.validate_settings(num_devices=8, num_nodes=2)
    with pytest.raises(ValueError, match=r"num_nodes=4 .* has 2 tasks"):
        environment.validate_settings(num_devices=8, num_nodes=4)


def test_lightning_gets_the_missing_members(rlightning: Any) -> None:
    with pytest.raises(DeadlineExceeded, match="worker 1"):
        rlightning.RollcallEnvironment("t:", client=FakeClient(DeadlineExceeded("missing: worker 1")))
    with pytest.raises(InvalidArgument, match="node_rank is 2"):
        rlightning.RollcallEnvironment("t:", node_rank=2, client=FakeClient(CLUSTER))
    own = rlightning.RollcallEnvironment("t:", node_rank=0, main_port=7000, client=FakeClient(CLUSTER))
    assert (own.node_rank(), own.main_port) == (0, 7000)


def test_lightnings_detection(rlightning: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROLLCALL_TARGET", raising=False)
    assert not rlightning.RollcallEnvironment.detect()
    monkeypatch.setenv("ROLLCALL_TARGET", "auto:")
    assert rlightning.RollcallEnvironment.detect()


class FakeFollowed:
    made: list[FakeFollowed] = []  # noqa: RUF012

    def __init__(self, *targets: str) -> None:
        self.failure: Exception | None = None
        self.members: list[Member] | None = None  # it has not seen the cluster
        self.is_closed = False
        self.made.append(self)

    def ready_members(self) -> list[Member] | None:
        return self.members

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def discovery(rhorovod: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, FakeClient]:
    client = FakeClient(CLUSTER)
    FakeFollowed.made.clear()
    monkeypatch.setattr(rhorovod, "SyncClient", lambda: client)
    monkeypatch.setattr(rhorovod, "Followed", FakeFollowed)
    return rhorovod.RollcallDiscovery("t:", slots=4), client


def test_horovod_gets_hosts_without_ports(discovery: tuple[Any, FakeClient]) -> None:
    one, _ = discovery
    for _ in range(3):  # the followed cluster has not been seen yet
        assert one.find_available_hosts_and_slots() == {"10.0.0.1": 4, "fd00::2": 4}
    FakeFollowed.made[0].members = [Member("worker", 0, address="10.0.0.1:8470")]
    assert one.find_available_hosts_and_slots() == {"10.0.0.1": 4}
    FakeFollowed.made[0].members = []
    assert one.find_available_hosts_and_slots() == {}
    one.close()
    one.close()
    assert FakeFollowed.made[0].is_closed


def test_hosts_stay_while_the_service_cannot_be_reached(discovery: tuple[Any, FakeClient], caplog: pytest.LogCaptureFixture) -> None:
    one, client = discovery
    client.cluster = Unreachable("refused")
    assert one.find_available_hosts_and_slots() == {}, "no member yet: an error at the first call would end the job"
    client.cluster = CLUSTER
    assert len(one.find_available_hosts_and_slots()) == 2
    FakeFollowed.made[0].failure = Unreachable("gone")
    client.cluster = DeadlineExceeded("slow")
    assert len(one.find_available_hosts_and_slots()) == 2
    assert FakeFollowed.made[0].is_closed
    assert "refused" in caplog.text
    assert "slow" in caplog.text
    client.cluster = {"worker": ["10.0.0.3:8470"]}
    for _ in range(3):  # followed again, and not seen yet
        assert one.find_available_hosts_and_slots() == {"10.0.0.3": 4}


def test_hosts_stay_until_what_is_followed_has_been_seen(rhorovod: Any, real: str, simulated_cloud: Callable[..., SimulatedCloud]) -> None:
    refused = {"match": {"path": "*/nodes/trainer"}, "after": 1, "times": 2, "status": 503}
    simulated_cloud({"nodes": [{"name": "trainer", "accelerator_type": "v4-32"}], "faults": [refused]})
    one = rhorovod.RollcallDiscovery("tpu:trainer", slots=4)
    hosts = one.find_available_hosts_and_slots()
    assert len(hosts) == 4
    followed = one._followed
    while followed.ready_members() is None:
        assert one.find_available_hosts_and_slots() == hosts
    assert one.find_available_hosts_and_slots() == hosts
    assert one._followed is followed
    one.close()


def test_horovod_is_reported_what_asking_again_cannot_mend(discovery: tuple[Any, FakeClient], rhorovod: Any) -> None:
    one, client = discovery
    client.cluster = PermissionDenied("no")
    with pytest.raises(PermissionDenied):
        one.find_available_hosts_and_slots()
    for slots in (0, -1, True, "4"):
        with pytest.raises(InvalidArgument, match="slots"):
            rhorovod.RollcallDiscovery("t:", slots=slots)


def test_a_followed_cluster_has_the_ready_members(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Followed, "_run", lambda self: self._has_begun.set())
    followed = Followed("t:")
    cluster = ClusterSpec(CLUSTER)

    def tell(kind: ChangeKind, index: int, cluster: ClusterSpec | None = None, **rest: Any) -> None:
        followed._take(Change(kind, "", "", member=Member("worker", index, **rest), cluster=cluster))

    def indices() -> list[int] | None:
        ready = followed.ready_members()
        return None if ready is None else [member.index for member in ready]

    followed._take(Change(ChangeKind.TROUBLE, "", "no answer", cluster=ClusterSpec()))
    assert indices() is None, "it could not be asked"
    followed._take(Change(ChangeKind.TROUBLE_OVER, "", "could be asked again"))
    tell(ChangeKind.MEMBER_JOINED, 1, address="b:1")
    assert indices() is None, "half a look"
    tell(ChangeKind.MEMBER_JOINED, 0, cluster, state=State.WAITING)
    assert indices() == [1]
    tell(ChangeKind.MEMBER_CHANGED, 0, cluster, address="a:1")
    assert indices() == [0, 1]
    tell(ChangeKind.MEMBER_LEFT, 1, address="b:1")
    assert indices() == [0, 1], "another may have come instead"
    tell(ChangeKind.MEMBER_JOINED, 2, cluster, address="c:1")
    assert indices() == [0, 2]
    followed._take(Change(ChangeKind.TROUBLE, "", "no answer", cluster=cluster))
    tell(ChangeKind.MEMBER_LEFT, 2)
    tell(ChangeKind.MEMBER_LEFT, 0, ClusterSpec())
    assert indices() == []
    followed.close()


@pytest.mark.parametrize(
    ("kind", "seen"), [(ChangeKind.TROUBLE, None), (ChangeKind.NOTICE, None), (ChangeKind.TROUBLE_OVER, []), (ChangeKind.CLUSTER_BROKEN, [])]
)
def test_an_empty_cluster_has_been_seen_after_a_poll(kind: ChangeKind, seen: list[Member] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Followed, "_run", lambda self: self._has_begun.set())
    followed = Followed("t:")
    followed._take(Change(kind, "", "", cluster=ClusterSpec()))
    assert followed.ready_members() == seen
    followed.close()


def test_following_ends_when_it_must_and_by_itself(fake: None, caplog: pytest.LogCaptureFixture) -> None:
    followed = Followed("fake:changes")
    followed.close()
    assert followed.failure is None
    broken = Followed("fake:error:permission_denied")
    broken._thread.join()
    assert isinstance(broken.failure, PermissionDenied)
    assert "followed no longer" in caplog.text
    broken.close()
