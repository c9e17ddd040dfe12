# pyright: basic, reportMissingImports=false, reportMissingModuleSource=false
"""Elastic Horovod finds its hosts: `RollcallDiscovery("kubernetes:…", slots=4)` as the discovery of its settings."""
from __future__ import annotations

from horovod.runner.elastic.discovery import HostDiscovery

from ._errors import InvalidArgument, Unreachable
from ._followed import Followed
from ._plugins import split_address, targets_or_default
from ._session import logger
from ._states import Member
from ._sync import SyncClient

__all__ = ["RollcallDiscovery"]


class RollcallDiscovery(HostDiscovery):
    """Tells Horovod, which asks every second, the hosts that are ready. The first question asks the service; then the cluster is followed.

    Args:
        targets: what to find, as on the command line; several are one cluster; default: `ROLLCALL_TARGET`, else `auto:`.
        slots: processes per host.
        timeout: seconds for the first look.
    """

    def __init__(self, *targets: str, slots: int = 1, timeout: float | None = 30.0) -> None:
        super().__init__()
        if isinstance(slots, bool) or not isinstance(slots, int) or slots < 1:
            raise InvalidArgument(f"slots is {slots!r}, not a number from 1 on")
        self._targets = targets_or_default(targets)
        self._slots = slots
        self._timeout = timeout
        self._followed: Followed | None = None
        self._last: dict[str, int] = {}

    def find_available_hosts_and_slots(self) -> dict[str, int]:
        """The hosts without ports, as Horovod wants them, each with its slots; empty while nobody is ready.

        Raises: RollcallError where it is of no use to ask again, such as PermissionDenied. A service that cannot be reached is logged, and the last answer
        stands: hosts are not taken away because nobody could ask.
        """
        if self._followed is not None:
            if self._followed.failure is None:
                ready = self._followed.ready_members()
                if ready is not None:  # else it has begun and not seen anything: what was told last is younger
                    self._last = self._hosts(ready)
                return dict(self._last)
            self._followed.close()
            self._followed = None
        try:
            # A client of its own: it is closed here, and Horovod's threads and forks see nothing of it.
            with SyncClient() as client:
                self._last = self._hosts([member for member in client.status(*self._targets, timeout=self._timeout).members if member.is_ready])
        except (Unreachable, TimeoutError) as trouble:
            logger.warning("%s cannot be asked for hosts: %s", ", ".join(self._targets), trouble)
            return dict(self._last)
        self._followed = Followed(*self._targets)
        return dict(self._last)

    def close(self) -> None:
        """Follows the cluster no longer."""
        if self._followed is not None:
            self._followed.close()
            self._followed = None

    def _hosts(self, members: list[Member]) -> dict[str, int]:
        return {split_address(member.address)[0]: self._slots for member in members}
