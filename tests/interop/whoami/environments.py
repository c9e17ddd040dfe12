"""The environments: what launchers, schedulers and controllers set, with sizes and ranks from a seeded generator, and what is right.

Each function makes one Process: a process's variables, and the truth about it. The forms are those of the services' own documentation, and of
Slurm 22.05 and Open MPI 4.1 as they were seen.
"""
import itertools


class Process:
    """`truth`: the fields rank, size, local_rank, local_size, node_rank, nodes, coordinator, as far as they have a meaning; none at all if the
    process is no task. `tasks`: what a task of Rollcall's cluster is here, a process or a machine. `witness`: which testimony speaks of it.
    `given`: what counterparts need beside the variables. `hostfile`: the hosts, one a task, that mpirun was given."""

    def __init__(self, variables, truth, witness, tasks="processes", given=None, hostfile=None):
        self.variables = {name: str(value) for name, value in variables.items()}
        self.truth, self.witness, self.tasks = truth, witness, tasks
        self.given, self.hostfile = given or {}, hostfile


def machines(rng, low=2, high=6):
    """Names of machines, in the order of their numbers, not always one after the other."""
    prefix, width = rng.choice([("n", 0), ("node", 3), ("gpu-a", 2), ("c5n-st-", 0), ("h", 4)])
    first, count = rng.choice([1, 2, 8, 98]), rng.randint(low, high)
    numbers = sorted(rng.sample(range(first, first + count + rng.choice([0, 0, 3])), count))
    return [prefix + str(number).zfill(width) for number in numbers]


def folded(names):
    """`n[1-3,5]`, as Slurm writes it."""
    if len(names) == 1:
        return names[0]
    prefix = names[0].rstrip("0123456789")
    parts = []
    for name in names:
        digits = name[len(prefix):]
        last = parts[-1][-1] if parts else ""
        if parts and int(digits) == int(last) + 1 and (len(digits) == len(last) or digits[0] != "0" and last[0] != "0"):
            parts[-1] = [parts[-1][0], digits]
        else:
            parts.append([digits])
    return f"{prefix}[{','.join('-'.join(part) for part in parts)}]"


def per_node(counts):
    """`2(x3),1`"""
    runs = [(count, len(list(run))) for count, run in itertools.groupby(counts)]
    return ",".join(f"{count}(x{times})" if times > 1 else str(count) for count, times in runs)


def dealt(counts, form, plane=1):
    """The node of each rank."""
    if form == "block":
        return [node for node, count in enumerate(counts) for _ in range(count)]
    left, order, step = list(counts), [], plane if form == "plane" else 1
    while any(left):
        for node, count in enumerate(left):
            taken = min(count, step)
            order += [node] * taken
            left[node] -= taken
    return order


def even(rng, nodes):
    return [rng.choice([1, 2, 4, 8])] * nodes


def uneven(rng, nodes):
    counts = [rng.randint(1, 4) for _ in range(nodes)]
    counts[0] += 1 if len(set(counts)) == 1 else 0
    return counts


def truth_of(order, names, rank):
    here = [other for other, node in enumerate(order) if node == order[rank]]
    seen = list(dict.fromkeys(order))
    return {"rank": rank, "size": len(order), "local_rank": here.index(rank), "local_size": len(here), "node_rank": seen.index(order[rank]),
            "nodes": len(seen), "coordinator": names[order[0]]}


def slurm_step(rng, names, counts, form, job=None, order=None, plane=2):
    """A task of a step. `job`: the names of the allocation, if it is more than the step's."""
    order = order or dealt(counts, form, plane)
    rank = rng.randrange(len(order))
    truth = truth_of(order, names, rank)
    job = job or names
    number = rng.randint(1, 99_999)
    variables = {"SLURM_JOB_ID": number, "SLURM_JOBID": number, "SLURM_STEP_ID": 0, "SLURM_STEPID": 0, "SLURM_PROCID": rank, "SLURM_LOCALID": truth["local_rank"],
                 "SLURM_NODEID": order[rank], "SLURM_GTIDS": ",".join(str(i) for i, node in enumerate(order) if node == order[rank]), "SLURMD_NODENAME": names[order[rank]],
                 "SLURM_STEP_NODELIST": folded(names), "SLURM_STEP_NUM_NODES": len(names), "SLURM_STEP_NUM_TASKS": len(order),
                 "SLURM_STEP_TASKS_PER_NODE": per_node(counts), "SLURM_TASKS_PER_NODE": per_node(counts), "SLURM_NTASKS": len(order), "SLURM_NPROCS": len(order),
                 "SLURM_NNODES": len(names), "SLURM_JOB_NODELIST": folded(job), "SLURM_NODELIST": folded(job), "SLURM_JOB_NUM_NODES": len(job),
                 "SLURM_DISTRIBUTION": form, "SLURM_JOB_NAME": "train.sh", "SUBMITIT_EXECUTOR": "slurm"}
    if len(set(counts)) == 1:
        variables["SLURM_NTASKS_PER_NODE"] = counts[0]
    if form == "plane":
        variables["SLURM_DIST_PLANESIZE"] = plane
    return Process(variables, truth, "Slurm")


def slurm_block(rng):
    names = machines(rng)
    return slurm_step(rng, names, even(rng, len(names)), "block")


def slurm_uneven(rng):
    names = machines(rng)
    return slurm_step(rng, names, uneven(rng, len(names)), "block")


def slurm_cyclic(rng):
    names = machines(rng)
    return slurm_step(rng, names, rng.choice([even, uneven])(rng, len(names)), "cyclic")


def slurm_plane(rng):
    names = machines(rng)
    return slurm_step(rng, names, [rng.choice([3, 4, 5])] * len(names), "plane", plane=rng.choice([2, 3]))


def slurm_part(rng):
    """A step on the last nodes of a bigger allocation."""
    job = machines(rng, 3, 6)
    names = job[rng.randint(1, len(job) - 1):]
    return slurm_step(rng, names, even(rng, len(names)), rng.choice(["block", "cyclic"]), job=job)


def slurm_after_another_job(rng):
    """The variables of a torchrun that ended are still there, as `sbatch --export=ALL` passes them on."""
    process = slurm_block(rng)
    process.variables.update({"RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "MASTER_ADDR": "old-host", "MASTER_PORT": "29500"})
    return process


def slurm_arbitrary(rng):
    """By SLURM_HOSTFILE: rank 0 is not on the first node of the list."""
    names = machines(rng)
    counts = uneven(rng, len(names))
    order = dealt(counts, "block")
    while order[0] == 0:
        rng.shuffle(order)
    return without_node_rank(slurm_step(rng, names, counts, "arbitrary", order=order))


def without_node_rank(process):
    """Slurm numbers nodes by its list, torch by their ranks: either is right where the two differ."""
    del process.truth["node_rank"]
    return process


def slurm_components(rng):
    """srun --het-group=0,1: the list is sorted over all components, ranks go component by component, and the first one has the last node."""
    names = machines(rng, 3, 5)
    counts = [rng.randint(1, 3) for _ in names]
    order = [len(names) - 1] * counts[-1] + dealt(counts[:-1], "block")
    process = slurm_step(rng, names, counts, "block", order=order)
    node = str((int(process.variables["SLURM_NODEID"]) + 1) % len(names))  # nodes are counted component by component, too
    process.variables.update({"SLURM_NODEID": node, "SLURM_HET_SIZE": "2", "SLURM_JOB_NODELIST_HET_GROUP_0": names[-1], "SLURM_JOB_NODELIST_HET_GROUP_1": folded(names[:-1]),
                              "SLURM_NTASKS_HET_GROUP_0": str(counts[-1]), "SLURM_NTASKS_HET_GROUP_1": str(sum(counts[:-1])),
                              "SLURM_TASKS_PER_NODE_HET_GROUP_0": str(counts[-1]), "SLURM_TASKS_PER_NODE_HET_GROUP_1": per_node(counts[:-1])})
    process.variables.pop("SLURM_NTASKS_PER_NODE", None)
    return without_node_rank(process)


def slurm_shell(rng):
    """The shell of salloc with use_interactive_step: a step of one task that is no task of the program."""
    names = machines(rng)
    job = slurm_step(rng, names, even(rng, len(names)), "block").variables
    job.update({"SLURM_STEP_ID": "4294967290", "SLURM_STEPID": "4294967290", "SLURM_PROCID": "0", "SLURM_LOCALID": "0", "SLURM_NODEID": "0", "SLURM_GTIDS": "0",
                "SLURMD_NODENAME": names[0], "SLURM_STEP_NODELIST": names[0], "SLURM_STEP_NUM_NODES": "1", "SLURM_STEP_NUM_TASKS": "1",
                "SLURM_STEP_TASKS_PER_NODE": "1"})
    return Process(job, {}, "Slurm")


def batch_variables(rng, names):
    job = slurm_step(rng, names, even(rng, len(names)), "block").variables
    job = {name: value for name, value in job.items() if "STEP" not in name and name != "SLURM_DISTRIBUTION"}
    return dict(job, SLURM_PROCID="0", SLURM_LOCALID="0", SLURM_NODEID="0", SLURM_GTIDS="0", SLURMD_NODENAME=names[0])


def slurm_batch(rng):
    return Process(batch_variables(rng, machines(rng)), {}, "Slurm")


def slurm_batch_from_a_step(rng):
    """A batch script that was submitted from within a step: it has inherited that step's SLURM_STEP_*."""
    left = {name: value for name, value in slurm_block(rng).variables.items() if "_STEP_" in name}
    return Process(dict(left, **batch_variables(rng, machines(rng))), {}, "Slurm")


def open_mpi_variables(rng, order, rank):
    truth = truth_of(order, list(range(len(set(order)))), rank)
    return {"OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": len(order), "OMPI_COMM_WORLD_LOCAL_RANK": truth["local_rank"],
            "OMPI_COMM_WORLD_LOCAL_SIZE": truth["local_size"], "OMPI_COMM_WORLD_NODE_RANK": truth["local_rank"], "PMIX_RANK": rank,
            "PMIX_NAMESPACE": "2318794753", "OMPI_MCA_orte_hnp_uri": f"{rng.randint(1, 9) * 4096}.0;tcp://10.96.0.1,10.148.0.1:{rng.randint(32_768, 60_000)}"}


def node_regex(names, mpirun=None):
    """OMPI_MCA_orte_node_regex, as Open MPI 4.1 writes it: `n[1:8-9],n[2:10]@0(3)`. `mpirun`: its machine, if it is none of them."""
    runs = []
    for name in names:
        prefix = name.rstrip("0123456789")
        number, width = int(name[len(prefix):]), len(name) - len(prefix)
        if runs and runs[-1][:2] == (prefix, width) and runs[-1][3] == number - 1:
            runs[-1] = (prefix, width, runs[-1][2], number)
        else:
            runs.append((prefix, width, number, number))
    parts = [mpirun] if mpirun else []
    parts += [f"{prefix}[{width}:{low}-{high}]" if low < high else f"{prefix}[{width}:{low}]" for prefix, width, low, high in runs]
    return ",".join(parts) + f"@0({len(names) + bool(mpirun)})"


def open_mpi(rng):
    """mpirun --hostfile, slot by slot."""
    names = machines(rng)
    order = dealt(uneven(rng, len(names)), "block")
    rank = rng.randrange(len(order))
    truth = truth_of(order, names, rank)
    return Process(open_mpi_variables(rng, order, rank), truth, "Open MPI", hostfile=[names[node] for node in order])


def open_mpi_in_slurm(rng):
    """mpirun in an allocation: its daemons are a step of one task a node, whose variables the processes inherit."""
    names = machines(rng)
    order = dealt([rng.choice([2, 4])] * len(names), "block")
    rank = rng.randrange(len(order))
    daemons = slurm_step(rng, names, [1] * len(names), "block").variables
    node = order[rank]
    daemons.update({"SLURM_PROCID": str(node), "SLURM_NODEID": str(node), "SLURM_LOCALID": "0", "SLURM_GTIDS": str(node), "SLURMD_NODENAME": names[node],
                    "OMPI_MCA_orte_node_regex": node_regex(names, rng.choice([None, "login"])), "OMPI_MCA_orte_num_nodes": str(len(names))})
    return Process(dict(daemons, **open_mpi_variables(rng, order, rank)), truth_of(order, names, rank), "Open MPI")


def hydra(rng):
    names = machines(rng)
    order = dealt(uneven(rng, len(names)), "block")
    rank = rng.randrange(len(order))
    truth = truth_of(order, names, rank)
    return Process({"PMI_RANK": rank, "PMI_SIZE": len(order), "MPI_LOCALRANKID": truth["local_rank"], "MPI_LOCALNRANKS": truth["local_size"], "PMI_FD": 9}, truth,
                   "Hydra", hostfile=[names[node] for node in order])


def jsrun(rng):
    names = machines(rng)
    order = dealt(even(rng, len(names)), "block")
    rank = rng.randrange(len(order))
    truth = truth_of(order, names, rank)
    variables = dict(open_mpi_variables(rng, order, rank), JSM_NAMESPACE_RANK=rank, JSM_NAMESPACE_SIZE=len(order), JSM_NAMESPACE_LOCAL_RANK=truth["local_rank"],
                     JSM_NAMESPACE_LOCAL_SIZE=truth["local_size"], LSB_JOBID=rng.randint(1, 99_999))
    del variables["OMPI_MCA_orte_hnp_uri"]  # Spectrum MPI under jsrun has none
    given = {"machine": names[order[rank]], "rankfile": ["batch4"] + [name for name in names for _ in range(42)]}
    return Process(variables, truth, "jsrun", given=given)
