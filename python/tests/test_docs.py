"""docs/python.md, the README and the package's own page are correct: every block runs against the demo's cloud and prints the text shown after it."""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT
from rollcall_cluster.testing import SimulatedCloud

PAGES = ("docs/python.md", "README.md", "python/README.md")
BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.M | re.S)
BLOCKS = [(f"{page}:{number}", *found.groups()) for page in PAGES for number, found in enumerate(BLOCK.finditer((ROOT / page).read_text(encoding="utf-8")), 1)]


@pytest.mark.parametrize(("program", "shown"), [block[1:] for block in BLOCKS], ids=[block[0] for block in BLOCKS])
def test_block(real: str, simulated_cloud: Callable[..., SimulatedCloud], tmp_path: Path, program: str, shown: str | None) -> None:
    demo = json.loads((ROOT / "examples/demo.json").read_text(encoding="utf-8"))
    demo["nodes"] = [node for node in demo["nodes"] if "workers" not in node]  # they have fixed ports, which other tests use, too
    cloud = simulated_cloud(demo)
    (tmp_path / "test_it.py").write_text(program, encoding="utf-8")
    how = ["-m", "pytest", "-q", "-p", "rollcall_cluster.pytest_plugin"] if "def test_" in program else ["-W", "error"]
    environment = {**cloud.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "utf-8"}
    ended = subprocess.run([sys.executable, *how, "test_it.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, encoding="utf-8", check=False, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stdout
    if shown is not None:
        assert ended.stdout == shown


def test_every_page_has_blocks() -> None:
    assert {block[0].split(":")[0] for block in BLOCKS} == set(PAGES)
