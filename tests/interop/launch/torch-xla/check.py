"""`configure_topology()` of PyTorch/XLA, with the host described by `pjrt`, against the form `torch-xla` of each chip: `check.py TRANSCRIPT`."""
import ast
import functools
import importlib.util
import operator
import os
import re
import subprocess
import sys
import types
from pathlib import Path
from typing import List, NamedTuple, Optional, TypedDict

rollcall = os.environ["ROLLCALL"]
sources = Path(os.environ["INTEROP_TORCH_XLA"])
version = os.environ.get("INTEROP_TORCH_XLA_VERSION", "not said")
SLICES = [("v3-32", 4, 4), ("v4-32", 4, 4), ("v5litepod-8", 1, 8), ("v5litepod-16", 4, 4), ("v5p-16", 2, 4), ("v6e-4", 1, 4), ("tpu7x-32", 4, 4)]


def getenv_as(name, kind, default=None):
    value = os.environ.get(name)
    return default if value is None else kind(value)


def torch_xla():
    """The functions of tpu.py; they do not need its imports of PyTorch for this."""
    spec = importlib.util.spec_from_file_location("xla_env_vars", sources / "torch_xla/core/xla_env_vars.py")
    names = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(names)
    file = sources / "torch_xla/_internal/tpu.py"
    tree = ast.parse(file.read_text())
    tree.body = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Assign)) and getattr(node, "name", "") != "TpuPlugin"]
    around = dict(os=os, re=re, functools=functools, operator=operator, List=List, NamedTuple=NamedTuple, Optional=Optional, TypedDict=TypedDict,
                  requests=types.SimpleNamespace(HTTPError=OSError), xenv=names, xu=types.SimpleNamespace(getenv_as=getenv_as))
    exec(compile(tree, str(file), "exec"), around)
    return around["configure_topology"]


def reported(form, addresses, index, kind):
    command = [rollcall, "spec", "simple:job.worker=" + "+".join(addresses), "--task", f"worker:{index}", "--accelerator-type", kind, "--format", form]
    return dict(line.split("=", 1) for line in subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines())


configure_topology = torch_xla()
lines = []
is_right = True
for kind, hosts, chips in SLICES:
    differences = []
    for host in range(hosts):
        of_host = reported("pjrt", [f"10.0.0.{i + 1}:1" for i in range(hosts)], host, kind)
        for chip in range(chips):
            of_chip = reported("torch-xla", [f"10.0.0.{i + 1}:{j + 1}" for i in range(hosts) for j in range(chips)], host * chips + chip, kind)
            os.environ.clear()
            os.environ.update({name: value for name, value in of_host.items() if not name.startswith("TPU_PROCESS_")})  # or it takes its host's for its own
            configure_topology(chip, chips)
            differences += [f"{name} of {host}/{chip}: {value} and {of_chip.get(name)}" for name, value in os.environ.items() if of_chip.get(name) != value]
            shown = f"bounds {of_chip['TPU_PROCESS_BOUNDS']}, task {of_chip['CLOUD_TPU_TASK_ID']}, chip {of_chip['TPU_VISIBLE_CHIPS']}, port {of_chip['TPU_PROCESS_PORT']}"
    is_right = is_right and not differences
    lines.append(f"| {kind} | {hosts} × {chips} | {'; '.join(differences) or shown} | {'NO' if differences else 'yes'} |")
head = ["# PyTorch/XLA sets the same", "", "Written by `tests/interop/launch/torch-xla/run`.", "", "| | version |", "| --- | --- |",
        f"| pytorch/xla (source files) | {version} |", "",
        "For each chip of a slice, every variable that PyTorch/XLA has set or found after `configure_topology()`, and what the form `torch-xla` says; shown is the last process.", "",
        "| slice | hosts × chips | of the last process | all equal |", "| --- | --- | --- | --- |"]
Path(sys.argv[1]).write_text("\n".join(head + lines) + "\n")
print("\n".join(lines))
sys.exit(0 if is_right else 1)
