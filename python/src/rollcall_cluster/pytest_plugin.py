"""The pytest fixture `simulated_cloud`. An installed package brings it along; elsewhere `pytest_plugins = ["rollcall_cluster.pytest_plugin"]` does."""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .testing import SimulatedCloud


@pytest.fixture
def simulated_cloud() -> Iterator[Callable[..., SimulatedCloud]]:
    """Makes SimulatedClouds, which serve until the test ends; takes what SimulatedCloud takes."""
    with contextlib.ExitStack() as stack:

        def make(*arguments: Any, **options: Any) -> SimulatedCloud:
            return stack.enter_context(SimulatedCloud(*arguments, **options))

        yield make
