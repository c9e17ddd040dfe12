"""What JAX, PyTorch, Lightning, submitit and sagemaker-training say about a process with a given environment.

answers(environment) forks this process, gives the child exactly that environment, and asks there. Three things are cut out, since nothing is
to be dialled: JAX's wait for the coordinator's name, its metadata server (which knows nothing), and the store that env:// makes. That the
machine has a TPU is faked where the environment has a TPU's list.
"""
import atexit
import contextlib
import importlib
import importlib.metadata
import io
import json
import logging
import os
import shutil
import socket
import sys
import tempfile
import traceback
import warnings

os.environ["SAGEMAKER_BASE_DIR"] = tempfile.mkdtemp()  # it would write to the home folder
atexit.register(shutil.rmtree, os.environ["SAGEMAKER_BASE_DIR"], ignore_errors=True)

# pylint: disable=wrong-import-position
import lightning_fabric.plugins.environments as lightning
import sagemaker_training.environment as sagemaker
import submitit
import torch.distributed.run as torchrun
from jax._src.clusters import cloud_tpu_cluster, ompi_cluster, slurm_cluster
from sagemaker_training.torch_distributed import TorchDistributedRunner

rendezvous = importlib.import_module("torch.distributed.rendezvous")  # the package has a function of that name
PACKAGES = ("jax", "torch", "lightning-fabric", "submitit", "sagemaker-training")


def versions():
    return [(name, importlib.metadata.version(name)) for name in PACKAGES]


def host(address):
    return address.rsplit(":", 1)[0]


def jax(_given):
    """The first of JAX's classes that says that its environment is there, in JAX's order."""
    cloud_tpu_cluster.running_in_cloud_tpu_vm = True
    cloud_tpu_cluster.get_metadata = lambda key: ("", 404)
    cloud_tpu_cluster.BaseTpuCluster.wait_for_coordinator = classmethod(lambda cls, address, seconds: None)
    for cls in (ompi_cluster.OmpiCluster, slurm_cluster.SlurmCluster, cloud_tpu_cluster.GkeTpuCluster):
        if cls.is_env_present():
            said = {"rank": cls.get_process_id(), "size": cls.get_process_count(), "coordinator": host(cls.get_coordinator_address(5, None))}
            local = cls.get_local_process_id()
            return f"JAX {cls.__name__}", dict(said, local_rank=local) if local is not None else said
    return None


def torch_env(_given):
    if "RANK" not in os.environ:
        return None
    rendezvous._create_c10d_store = lambda name, port, *_: name
    name, rank, size = next(rendezvous._env_rendezvous_handler("env://"))
    return "torch env://", {"rank": rank, "size": size, "coordinator": name}


def torch_run(_given):
    if not any(name.startswith("PET_N") for name in os.environ):
        return None
    found = torchrun.get_args_parser().parse_args(["train.py"])
    low, high = torchrun.parse_min_max_nnodes(found.nnodes)
    said = {"node_rank": found.node_rank, "coordinator": found.master_addr}
    return "torchrun's arguments", dict(said, nodes=low) if low == high else said


def lightning_environment(given):
    """Lightning's own choice, in its order; Kubeflow's is never chosen by itself, but given by the program."""
    if given.get("kubeflow"):
        cls = lightning.KubeflowEnvironment
    else:
        order = (lightning.TorchElasticEnvironment, lightning.SLURMEnvironment, lightning.LSFEnvironment)
        cls = next((cls for cls in order if cls.detect()), None)
        if cls is None:
            return None
    found = cls()
    return f"Lightning {cls.__name__}", {"rank": found.global_rank(), "size": found.world_size(), "local_rank": found.local_rank(),
                                        "node_rank": found.node_rank(), "coordinator": found.main_address}


def submitit_job(_given):
    if "SUBMITIT_EXECUTOR" not in os.environ:
        return None
    job = submitit.JobEnvironment()
    found = submitit.helpers.TorchDistributedEnvironment()
    return "submitit", {"rank": found.rank, "size": found.world_size, "local_rank": found.local_rank, "local_size": found.local_world_size,
                        "node_rank": job.node, "nodes": job.num_nodes, "coordinator": found.master_addr}


def sagemaker_environment(resources):
    return sagemaker.Environment(resource_config=resources, input_data_config={"train": {}}, hyperparameters={"sagemaker_program": "train.py"})


def sagemaker_runner(given):
    """The torchrun command that sagemaker-training makes of resourceconfig.json."""
    if not given.get("resources"):
        return None
    found = sagemaker_environment(given["resources"])
    runner = TorchDistributedRunner("train.py", [], {}, 1, found.master_hostname, found.hosts, found.current_host, "eth0")
    command = runner._create_command()
    said = {"nodes": int(command[command.index("--nnodes") + 1])}
    if "--node_rank" in command:
        said.update(node_rank=int(command[command.index("--node_rank") + 1]), coordinator=command[command.index("--master_addr") + 1])
    return "sagemaker-training", said


def sagemaker_variables(resources):
    """The variables that sagemaker-training itself gives a program about those resources."""

    def work():
        found = sagemaker_environment(resources).to_env_vars()
        kept = ("SM_HOSTS", "SM_CURRENT_HOST", "SM_CURRENT_INSTANCE_GROUP", "SM_CURRENT_INSTANCE_GROUP_HOSTS", "SM_INSTANCE_GROUPS_DICT", "SM_RESOURCE_CONFIG", "SM_NUM_GPUS")
        return {name: value if isinstance(value, str) else json.dumps(value) for name, value in found.items() if name in kept}

    return in_child({}, work)


def in_child(environment, work, name=None):
    """What work() returns in a child process with exactly that environment, on a machine of that name."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(read)
            os.environ.clear()
            os.environ.update(environment)
            if name:
                socket.gethostname = lambda: name
            logging.disable(logging.CRITICAL)
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = work()
            with os.fdopen(write, "w", encoding="utf-8") as out:
                json.dump(result, out)
        except BaseException:  # pylint: disable=broad-except; the parent sees that there is no answer
            traceback.print_exc(file=sys.__stderr__)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text)


def answers(environment, given):
    """A list of [name, fields], or [name, text of its refusal]."""

    def ask():
        found = []
        for one in (jax, torch_env, torch_run, lightning_environment, submitit_job, sagemaker_runner):
            before = dict(os.environ)
            try:
                answer = one(given)
            except Exception as error:  # pylint: disable=broad-except; a refusal of theirs is an answer
                answer = (one.__name__, f"{type(error).__name__}: {error}")
            os.environ.clear()  # Lightning and sagemaker-training set variables
            os.environ.update(before)
            if answer:
                found.append(answer)
        return found

    return in_child(environment, ask, given.get("machine"))
