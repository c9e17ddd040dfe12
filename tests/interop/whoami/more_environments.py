"""More environments: pods, TPUs, torchrun and services that start containers. The form is that of environments.py."""
from environments import Process, dealt, machines, slurm_step, truth_of


def pod(name, **more):
    return {"HOSTNAME": name, "KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443", **more}


def of_machines(index, names):
    return {"node_rank": index, "nodes": len(names), "coordinator": names[0]}


def one_a_machine(index, names):
    return dict(of_machines(index, names), rank=index, size=len(names))


def kubeflow_jax(rng):
    """Kubeflow Trainer's JAX runtime: an Indexed Job `node` of a JobSet."""
    count, job = rng.randint(2, 16), rng.choice(["train", "llm-7b", "a1"])
    names = [f"{job}-node-0-{index}.{job}" for index in range(count)]
    index = rng.randrange(count)
    return Process(pod(f"{job}-node-0-{index}", JOB_COMPLETION_INDEX=index, JAX_NUM_PROCESSES=count, JAX_PROCESS_ID=index, JAX_COORDINATOR_ADDRESS=f"{names[0]}:29500"),
                   one_a_machine(index, names), "JAX")


def kubeflow_torch(rng):
    count, job = rng.randint(2, 16), rng.choice(["train", "llm-7b", "a1"])
    names = [f"{job}-node-0-{index}.{job}" for index in range(count)]
    index = rng.randrange(count)
    return Process(pod(f"{job}-node-0-{index}", JOB_COMPLETION_INDEX=index, PET_NNODES=count, PET_NPROC_PER_NODE=rng.choice([1, 4, 8, "auto"]), PET_NODE_RANK=index,
                       PET_MASTER_ADDR=names[0], PET_MASTER_PORT=29500), of_machines(index, names), "Kubeflow Trainer or torchrun", tasks="machines")


def pytorch_job(rng):
    """PyTorchJob, version 1: a master and workers, one process each."""
    count, job = rng.randint(2, 8), rng.choice(["mnist", "bert-base"])
    index = rng.randrange(count)
    names = [f"{job}-master-0"] + [f"{job}-worker-{i}" for i in range(count - 1)]
    truth = dict(one_a_machine(index, names), local_rank=0)
    return Process(pod(names[index], RANK=index, WORLD_SIZE=count, MASTER_ADDR=names[0], MASTER_PORT=23456), truth, "torch", given={"kubeflow": True})


def gke_slice(rng):
    count, job = rng.choice([1, 2, 4, 8, 16, 64]), rng.choice(["tpu", "train-tpu"])
    names = [f"{job}-slice-0-{index}.{job}" for index in range(count)]
    index = rng.randrange(count)
    return Process(pod(f"{job}-slice-0-{index}", JOB_COMPLETION_INDEX=index, TPU_WORKER_ID=index, TPU_WORKER_HOSTNAMES=",".join(names), TPU_SKIP_MDS_QUERY="true",
                       TPU_ACCELERATOR_TYPE=f"v5p-{count * 8}"), one_a_machine(index, names), "the TPU")


def gke_addresses(rng):
    """TPU_PROCESS_ADDRESSES, which JAX prefers, beside the names."""
    count = rng.choice([2, 4, 8])
    names = [f"10.4.{index}.{rng.randint(2, 250)}" for index in range(count)]
    index = rng.randrange(count)
    return Process({"TPU_WORKER_ID": index, "TPU_WORKER_HOSTNAMES": ",".join(names), "TPU_PROCESS_ADDRESSES": ",".join(f"{name}:8476" for name in names),
                    "TPU_PROCESS_PORT": 8476, "TPU_SKIP_MDS_QUERY": "true"}, one_a_machine(index, names), "the TPU")


def gke_slices(rng):
    """A JobSet of several slices."""
    slices, count, job = rng.randint(2, 4), rng.choice([1, 2, 4]), "multi"
    own, index = rng.randrange(slices), rng.randrange(count)
    every = [f"{job}-slice-{number}-{i}.{job}" for number in range(slices) for i in range(count)]
    names = every[own * count:(own + 1) * count]
    return Process(pod(f"{job}-slice-{own}-{index}", JOB_COMPLETION_INDEX=index, TPU_WORKER_ID=index, TPU_WORKER_HOSTNAMES=",".join(names), TPU_SKIP_MDS_QUERY="true",
                       MEGASCALE_NUM_SLICES=slices, MEGASCALE_SLICE_ID=own, MEGASCALE_COORDINATOR_ADDRESS=every[0], MEGASCALE_PORT=8081),
                   one_a_machine(own * count + index, every), "the TPU in its slice")


def leader_worker_set(rng):
    count, group = rng.randint(2, 8), rng.randint(0, 3)
    leader = f"serve-{group}"
    names = [f"{leader}.serve.default"] + [f"{leader}-{index}.serve.default" for index in range(1, count)]
    index = rng.randrange(count)
    return Process(pod(names[index].split(".")[0], LWS_LEADER_ADDRESS=names[0], LWS_GROUP_SIZE=count, LWS_WORKER_INDEX=index), one_a_machine(index, names),
                   "the LeaderWorkerSet")


def leader_worker_set_of_tpus(rng):
    process = leader_worker_set(rng)
    count, index = process.truth["size"], process.truth["rank"]
    leader = process.truth["coordinator"].split(".")[0]
    names = [f"{leader}.serve"] + [f"{leader}-{i}.serve" for i in range(1, count)]
    process.variables.update({"TPU_WORKER_ID": str(index), "TPU_WORKER_HOSTNAMES": ",".join(names), "TPU_SKIP_MDS_QUERY": "true", "TPU_NAME": leader})
    process.truth["coordinator"] = names[0]
    return process


def torchrun_variables(order, names, rank, local):
    truth = truth_of(order, names, rank)
    return {"RANK": rank, "WORLD_SIZE": len(order), "LOCAL_RANK": truth["local_rank"], "LOCAL_WORLD_SIZE": local, "GROUP_RANK": truth["node_rank"],
            "GROUP_WORLD_SIZE": len(names), "ROLE_RANK": rank, "ROLE_WORLD_SIZE": len(order), "MASTER_ADDR": names[0], "MASTER_PORT": 29500,
            "TORCHELASTIC_RUN_ID": "none", "TORCHELASTIC_RESTART_COUNT": 0, "TORCHELASTIC_MAX_RESTARTS": 0}, truth


def torchrun_worker(rng):
    names, local = machines(rng), rng.choice([2, 4, 8])
    order = dealt([local] * len(names), "block")
    variables, truth = torchrun_variables(order, names, rng.randrange(len(order)), local)
    return Process(variables, truth, "torch")


def torchrun_on_one_machine(rng):
    local = rng.choice([2, 4, 8])
    order = [0] * local
    variables, truth = torchrun_variables(order, ["localhost"], rng.randrange(local), local)
    return Process(variables, truth, "torch")


def torchrun_in_slurm(rng):
    """srun starts one torchrun a node, which starts the workers."""
    names, local = machines(rng), rng.choice([2, 4, 8])
    order = dealt([local] * len(names), "block")
    rank = rng.randrange(len(order))
    agents = slurm_step(rng, names, [1] * len(names), "block").variables
    node = order[rank]
    agents.update({"SLURM_PROCID": str(node), "SLURM_NODEID": str(node), "SLURM_LOCALID": "0", "SLURM_GTIDS": str(node), "SLURMD_NODENAME": names[node]})
    variables, truth = torchrun_variables(order, names, rank, local)
    del agents["SUBMITIT_EXECUTOR"]
    return Process(dict(agents, **variables), truth, "torch")


def sagemaker_of(rng, names):
    own = rng.choice(names)
    group = {"instance_group_name": "homogeneousCluster", "instance_type": "ml.p4d.24xlarge", "hosts": names}
    resources = {"current_host": own, "hosts": names, "network_interface_name": "eth0", "current_instance_type": "ml.p4d.24xlarge",
                 "current_group_name": "homogeneousCluster", "instance_groups": [group]}
    return Process({}, of_machines(names.index(own), names), "", tasks="machines", given={"resources": resources})


def sagemaker(rng):
    """The hosts are sorted as text, which is what SageMaker's documentation says of them."""
    return sagemaker_of(rng, sorted(f"algo-{index}" for index in range(1, rng.choice([1, 2, 3, 8, 12]) + 1)))


def sagemaker_by_number(rng):
    """The hosts are sorted by number: sagemaker-training goes by the list, TensorFlow's resolver sorts it as text."""
    return sagemaker_of(rng, [f"algo-{index}" for index in range(1, rng.randint(11, 16) + 1)])


def skypilot(rng):
    count = rng.randint(2, 6)
    names = [f"10.0.{rng.randint(0, 250)}.{index + 2}" for index in range(count)]
    index = rng.randrange(count)
    return Process({"SKYPILOT_NODE_RANK": index, "SKYPILOT_NUM_NODES": count, "SKYPILOT_NODE_IPS": "\n".join(names), "SKYPILOT_NUM_GPUS_PER_NODE": 8},
                   of_machines(index, names), "SkyPilot", tasks="machines")
