"""Lightning's environment and Horovod's discovery, and the thread that follows a cluster for those who poll."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import stand_ins
from rollcall_cluster import Change, ChangeKind, DeadlineExceeded, InvalidArgument, Member, PermissionDenied, Task, Unreachable
from rollcall_cluster import MemberState as State
from rollcall_cluster._followed import Followed
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


def test_lightning_is_told_who_is_missing(rlightning: Any) -> None:
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
        self.members: list[Member] = []
        self.is_closed = False
        self.made.append(self)

    def ready_members(self) -> list[Member]:
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
    assert one.find_available_hosts_and_slots() == {}, "nobody yet: an error at the first call would end the job"
    client.cluster = CLUSTER
    assert len(one.find_available_hosts_and_slots()) == 2
    FakeFollowed.made[0].failure = Unreachable("gone")
    client.cluster = DeadlineExceeded("slow")
    assert len(one.find_available_hosts_and_slots()) == 2
    assert FakeFollowed.made[0].is_closed
    assert "refused" in caplog.text
    assert "slow" in caplog.text


def test_horovod_is_told_what_asking_again_cannot_mend(discovery: tuple[Any, FakeClient], rhorovod: Any) -> None:
    one, client = discovery
    client.cluster = PermissionDenied("no")
    with pytest.raises(PermissionDenied):
        one.find_available_hosts_and_slots()
    for slots in (0, -1, True, "4"):
        with pytest.raises(InvalidArgument, match="slots"):
            rhorovod.RollcallDiscovery("t:", slots=slots)


def test_a_followed_cluster_has_who_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Followed, "_run", lambda self: self._has_begun.set())
    followed = Followed("t:")

    def tell(kind: ChangeKind, index: int, **rest: Any) -> None:
        followed._take(Change(kind, "", "", member=Member("worker", index, **rest)))

    tell(ChangeKind.MEMBER_JOINED, 1, address="b:1")
    tell(ChangeKind.MEMBER_JOINED, 0, state=State.WAITING)
    assert [member.index for member in followed.ready_members()] == [1]
    tell(ChangeKind.MEMBER_CHANGED, 0, address="a:1")
    assert [member.index for member in followed.ready_members()] == [0, 1]
    tell(ChangeKind.MEMBER_LEFT, 1, address="b:1")
    followed._take(Change(ChangeKind.TROUBLE, "", "no answer"))
    assert [member.address for member in followed.ready_members()] == ["a:1"]
    followed.close()


def test_following_ends_when_it_is_told_to_and_by_itself(fake: None, caplog: pytest.LogCaptureFixture) -> None:
    followed = Followed("fake:changes")
    followed.close()
    assert followed.failure is None
    broken = Followed("fake:error:permission_denied")
    broken._thread.join()
    assert isinstance(broken.failure, PermissionDenied)
    assert "followed no longer" in caplog.text
    broken.close()
