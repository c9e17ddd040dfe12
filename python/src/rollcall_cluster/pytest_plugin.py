"""The pytest fixture `simulated_cloud`. The installed package registers it; elsewhere use `pytest_plugins = ["rollcall_cluster.pytest_plugin"]`."""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .testing import SimulatedCloud


@pytest.fixture
def simulated_cloud() -> Iterator[Callable[..., SimulatedCloud]]:
    """Makes SimulatedClouds, which serve until the test ends; takes the arguments of SimulatedCloud."""
    with contextlib.ExitStack() as stack:

        def make(*arguments: Any, **options: Any) -> SimulatedCloud:
            return stack.enter_context(SimulatedCloud(*arguments, **options))

        yield make
