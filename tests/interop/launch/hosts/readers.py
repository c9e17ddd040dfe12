"""The readers' own code over rollcall's output: `readers.py HOW FOLDER ARGUMENT…`. Its last line is `RESULT` and the result, as JSON.

FOLDER has the sources. Their own binaries and PyTorch are replaced by mocks; the code that reads hosts and flags is theirs.
"""
from __future__ import annotations

import base64
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import shlex
import subprocess
import sys
import time
import types
from unittest import mock


def stand_in(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return (lambda *_: False) if name.startswith("is_") else mock.MagicMock(name=name)


class Mocks(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Every module of these packages except the real ones is a mock."""

    def __init__(self, folder, packages, real):
        self.folder, self.packages, self.real = folder, packages, set(real)
        sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in self.packages:
            return None
        file = os.path.join(self.folder, *name.split(".")) + ".py"
        if name in self.real:
            return importlib.util.spec_from_file_location(name, file)
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = stand_in
        return module

    def exec_module(self, module):
        pass


def torchrun(folder, line, *rest):
    """torchrun's own parser, and the endpoint that its static rendezvous derives from the flags."""
    from torch.distributed.elastic.rendezvous.utils import parse_rendezvous_endpoint
    from torch.distributed.run import config_from_args, parse_args

    args = parse_args([*shlex.split(line), "train.py"])
    config, _, _ = config_from_args(args)
    host, port = parse_rendezvous_endpoint(config.rdzv_endpoint, -1)
    return dict(nodes=[config.min_nodes, config.max_nodes], rank=config.rdzv_configs["rank"], processes=config.nproc_per_node, host=host, port=port)


def accelerate(folder, line, *rest):
    """accelerate's own parser, and the flags that it passes to torchrun."""
    real = ["accelerate.commands.launch", "accelerate.commands.utils", "accelerate.utils.launch", "accelerate.utils.constants"]
    Mocks(folder, {"accelerate", "torch", "huggingface_hub"}, real)
    parser = importlib.import_module("accelerate.commands.launch").launch_command_parser()
    launch = importlib.import_module("accelerate.utils.launch")
    args = parser.parse_args([*shlex.split(line), "train.py"])
    reported = dict(hardware=[name for name in ("cpu", "multi_gpu", "tpu") if getattr(args, name)], machines=args.num_machines, rank=args.machine_rank, processes=args.num_processes, host=args.main_process_ip, port=args.main_process_port)
    launch.PrecisionType = launch.DynamoBackend = str
    args.mixed_precision, args.num_cpu_threads_per_process = "no", 1
    try:
        launch.prepare_multi_gpu_env(args)
    except Exception as error:  # the later code needs PyTorch
        reported["stopped_at"] = type(error).__name__
    reported.update(nnodes=args.nnodes, nproc_per_node=args.nproc_per_node, node_rank=args.node_rank, endpoint=getattr(args, "rdzv_endpoint", ""))
    return reported


def deepspeed_runner(folder):
    Mocks(folder, {"deepspeed", "torch"}, ["deepspeed.launcher.runner", "deepspeed.launcher.constants", "deepspeed.constants"])
    runner = importlib.import_module("deepspeed.launcher.runner")
    runner.get_accelerator = lambda: mock.MagicMock(**{"visible_devices_envs.return_value": ["CUDA_VISIBLE_DEVICES"], "device_count.return_value": 2})
    runner.logger = mock.MagicMock()
    return runner


def deepspeed_hosts(folder, file, *rest):
    """The hostfile as DeepSpeed reads it; null: it takes this machine alone."""
    pool = deepspeed_runner(folder).fetch_hostfile(file)
    return dict(hosts=None if pool is None else list(pool.items()))


def deepspeed(folder, line, *rest):
    """DeepSpeed's own main(), up to the process that it starts."""
    runner = deepspeed_runner(folder)
    started = []

    class NotStarted:
        returncode = 0

        def __init__(self, command, **_):
            started.extend(command)

        def wait(self):
            pass

    with mock.patch.object(subprocess, "Popen", NotStarted):
        runner.main([*shlex.split(line), "train.py"])
    words = dict(word.lstrip("-").split("=", 1) for word in started if word.startswith("--") and "=" in word)
    return dict(world=json.loads(base64.urlsafe_b64decode(words["world_info"])), rank=words["node_rank"], host=words["master_addr"], port=words["master_port"])


def horovod(folder, script, *wanted):
    """Horovod's own host manager runs the script, as its elastic driver does, until it has seen each of `wanted` (JSON), one after the other."""
    sys.path.insert(0, folder)
    from horovod.runner.elastic.discovery import HostDiscoveryScript, HostManager

    manager = HostManager(HostDiscoveryScript(script, 1))
    seen, slowest = [], 0.0
    until = time.monotonic() + 120
    pending = [json.loads(one) for one in wanted]
    while pending and time.monotonic() < until:
        begin = time.monotonic()
        manager.update_available_hosts()
        slowest = max(slowest, time.monotonic() - begin)
        now = dict(sorted(manager.current_hosts.host_slots.items()))
        if not seen or now != seen[-1]:
            seen.append(now)
        if now == pending[0]:
            pending.pop(0)
    return dict(seen=seen, slowest=round(slowest, 2))


def horovod_error(folder, script, *rest):
    """Horovod's result of one call of the script."""
    sys.path.insert(0, folder)
    from horovod.runner.elastic.discovery import HostDiscoveryScript

    try:
        return dict(hosts=dict(sorted(HostDiscoveryScript(script, 1).find_available_hosts_and_slots().items())))
    except Exception as error:
        return dict(error=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    print("RESULT", json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
