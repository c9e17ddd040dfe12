"""compare.py TRANSCRIPT [COUNT [SEED]]: COUNT environments of each kind, read by Rollcall and by the libraries of counterparts.py.

ROLLCALL is the command. Rollcall answers three times: `whoami` with its testimonies, `whoami` with its task, and `exec` with the environment
that it gives to a program. Each field of each answer is compared with what each counterpart says, and both with the truth of the table.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

import counterparts
import environments
import more_environments
from results import Report, cell, failure_of, first_json, host_of, variables, version_of

ROLLCALL = os.environ["ROLLCALL"]
KINDS = [getattr(module, name) for module in (environments, more_environments) for name in (
    "slurm_block slurm_uneven slurm_cyclic slurm_plane slurm_part slurm_after_another_job slurm_arbitrary slurm_components slurm_shell slurm_batch slurm_batch_from_a_step open_mpi "
    "open_mpi_in_slurm hydra jsrun" if module is environments else
    "kubeflow_jax kubeflow_torch pytorch_job gke_slice gke_addresses gke_slices leader_worker_set leader_worker_set_of_tpus torchrun_worker "
    "torchrun_on_one_machine torchrun_in_slurm sagemaker sagemaker_by_number skypilot").split()]
FIELDS = ("rank", "size", "local_rank", "local_size", "node_rank", "nodes", "coordinator")
TABLE = "the table"
COORDINATOR = "it takes the first node of a list as the place of rank 0"
DAEMONS = "it takes the variables of mpirun's daemons, or of torchrun's agents, for the program's"
SHELL = "it takes a shell, or a batch script, for a task"
LEFT_OVER = "it takes what another job left"
REASONS = {  # why a counterpart's answer is not the right one
    ("JAX SlurmCluster", "slurm_arbitrary"): COORDINATOR, ("JAX SlurmCluster", "slurm_components"): COORDINATOR,
    ("torch env://", "slurm_after_another_job"): LEFT_OVER, ("Lightning SLURMEnvironment", "slurm_after_another_job"): LEFT_OVER,
    ("JAX SlurmCluster", "torchrun_in_slurm"): DAEMONS,
    ("JAX SlurmCluster", "slurm_shell"): SHELL, ("JAX SlurmCluster", "slurm_batch_from_a_step"): SHELL,
    ("Lightning SLURMEnvironment", "slurm_part"): "it takes the first node of the job, not of the step, as the place of rank 0",
    ("Lightning SLURMEnvironment", "slurm_arbitrary"): COORDINATOR, ("Lightning SLURMEnvironment", "slurm_components"): COORDINATOR,
    ("Lightning SLURMEnvironment", "open_mpi_in_slurm"): DAEMONS,
    ("Lightning SLURMEnvironment", "slurm_shell"): SHELL, ("Lightning SLURMEnvironment", "slurm_batch"): SHELL,
    ("Lightning SLURMEnvironment", "slurm_batch_from_a_step"): SHELL,
    ("submitit", "slurm_uneven"): "it divides tasks by nodes", ("submitit", "slurm_cyclic"): "it divides tasks by nodes",
    ("submitit", "slurm_part"): "it counts the nodes of the job, not of the step",
    ("submitit", "slurm_arbitrary"): COORDINATOR + ", and divides tasks by nodes", ("submitit", "slurm_components"): COORDINATOR + ", and divides tasks by nodes",
    ("submitit", "open_mpi_in_slurm"): DAEMONS,
    ("submitit", "slurm_shell"): SHELL, ("submitit", "slurm_batch"): SHELL, ("submitit", "slurm_batch_from_a_step"): SHELL,
}


class Rollcall:
    """What the command answers in an environment: three dictionaries of fields, None where it refuses; and its reasons."""

    def __init__(self, process, folder):
        environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "NO_GCE_CHECK": "true", **process.variables}
        target = "auto:"
        if process.hostfile:
            path = os.path.join(folder, "hosts")
            form = "{}:{}" if process.witness == "Hydra" else "{} slots={}"
            with open(path, "w", encoding="ascii") as out:
                out.writelines(form.format(name, process.hostfile.count(name)) + "\n" for name in dict.fromkeys(process.hostfile))
            target = "mpi:hostfile=" + path
        said = self.run(environment, "whoami", target, "--format", "json")
        answer = first_json(said.stdout.decode("utf-8", "replace"))
        given = self.run(environment, "exec", target, "--quiet", "--require-task", "--as", "torch-env,jax", "--", "env", "-0")
        self.whoami = self.heard(process, answer.get("testimonies", []))
        self.task, self.why_no_task = self.own_task(process, answer)
        self.exec = self.launched(process, variables(given.stdout)) if given.returncode == 0 else None
        self.why_not = failure_of(given.stderr.decode("utf-8", "replace"), 220).replace(folder, "DIR")

    @staticmethod
    def run(environment, *words):
        return subprocess.run([ROLLCALL, *words], env=environment, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)

    @staticmethod
    def heard(process, testimonies):
        found = {}
        for said in testimonies:
            if said["witness"] != process.witness or "ignored" in said:
                continue
            names = {"rank": "node_rank", "size": "nodes"} if said["counts"] == "machines" else {}
            for field in ("rank", "size", "local_rank", "local_size"):
                if said.get(field) is not None:
                    found.setdefault(names.get(field, field), said[field])
        return found

    @staticmethod
    def own_task(process, answer):
        own = answer.get("task")
        if not own:
            return None, answer.get("failure", {}).get("message", "")[:220]
        names = ("rank", "size") if process.tasks == "processes" else ("node_rank", "nodes")
        return dict(zip(names, (own["index"], own["tasks"]))), ""

    @staticmethod
    def launched(process, given):
        names = {"rank": "RANK", "size": "WORLD_SIZE", "local_rank": "LOCAL_RANK", "local_size": "LOCAL_WORLD_SIZE", "node_rank": "NODE_RANK"}
        if process.tasks == "machines":
            names = {"node_rank": "RANK", "nodes": "WORLD_SIZE"}
        found = {field: int(given[name]) for field, name in names.items() if name in given}
        if "MASTER_ADDR" in given:
            found["coordinator"] = given["MASTER_ADDR"]
        jax = (given.get("JAX_PROCESS_ID"), given.get("JAX_NUM_PROCESSES"), host_of(given.get("JAX_COORDINATOR_ADDRESS")))
        if jax != (given.get("RANK"), given.get("WORLD_SIZE"), given.get("MASTER_ADDR")):
            found["rank"] = f"RANK and JAX's variables differ: {jax}"
        return found


def same(ours, right):
    """Names of one host may have more or less of its domain."""
    if isinstance(ours, str) and isinstance(right, str):
        return ours == right or ours.startswith(right + ".") or right.startswith(ours + ".")
    return ours == right


class Comparison:
    def __init__(self):
        self.report = Report(["agreed", "refused", "counterpart wrong, Rollcall right", "counterpart wrong, Rollcall refuses", "differing", "without a reason"],
                             ["differing", "without a reason"])
        self.rows, self.refusals, self.wrong, self.differing, self.their_refusals = {}, {}, {}, {}, {}

    def field(self, kind, process, name, field, theirs, voice, ours):
        """One field of one counterpart beside one of Rollcall's answers."""
        truth = process.truth.get(field)
        if process.truth and truth is None:
            return
        right = bool(process.truth) and same(theirs, truth)
        if not right:
            reason = REASONS.get((name, kind))
            self.wrong.setdefault((name, kind), {}).setdefault(field, (theirs, truth))
            if not reason:
                self.report.count("without a reason")
        if ours is None:
            outcome = "refused" if right else "counterpart wrong, Rollcall refuses"
        elif process.truth and same(ours, truth):
            outcome = "agreed" if right else "counterpart wrong, Rollcall right"
        else:
            outcome = "differing"
            self.differing.setdefault(kind, {}).setdefault((voice, field), []).append((name, theirs, truth, ours, process))
        self.report.count(outcome)
        row = self.rows.setdefault(kind, {})
        row[outcome] = row.get(outcome, 0) + 1

    def process(self, kind, process, folder):
        said = Rollcall(process, folder)
        theirs = counterparts.answers({"PATH": "/usr/bin:/bin", "HOME": folder, **process.variables}, process.given)
        for name, text in theirs:
            if isinstance(text, str):
                self.their_refusals.setdefault((name, kind, re.sub(r"\d+", "N", text.split("\n")[0])[:160]), []).append(1)
        heard = [(name, fields) for name, fields in theirs if not isinstance(fields, str)] or [(TABLE, process.truth)]
        for name, fields in heard:
            for field in FIELDS:
                if field not in fields or (name == "JAX OmpiCluster" and field == "coordinator"):
                    continue  # JAX takes an address of mpirun's machine, which no variable gives a name
                for voice, answer in (("whoami, testimony", said.whoami), ("whoami, task", said.task), ("exec", said.exec)):
                    if answer is None and (voice == "exec" or field in ("rank", "size", "node_rank", "nodes")):
                        self.field(kind, process, name, field, fields[field], voice, None)
                        why = said.why_not if voice == "exec" else said.why_no_task
                        self.refusals.setdefault(kind, {}).setdefault((voice, why), []).append(1)
                    elif answer is not None and field in answer and (process.truth or voice != "whoami, testimony"):
                        self.field(kind, process, name, field, fields[field], voice, answer[field])
        row = self.rows.setdefault(kind, {})
        row["environments"] = row.get("environments", 0) + 1
        row.setdefault("names", set()).update(name for name, _ in heard)

    def write(self):
        say = self.report.say
        outcomes = list(self.report.counts)[:5]
        say("| kind | counterparts that answer | environments | " + " | ".join(outcomes) + " |", "| --- | --- |" + " --- |" * (1 + len(outcomes)))
        for kind, row in self.rows.items():
            say(f"| `{kind}` | {', '.join(sorted(row['names']))} | {row['environments']} | " + " | ".join(str(row.get(outcome, 0)) for outcome in outcomes) + " |")
        say("\n## Where a counterpart is wrong\n", "| counterpart | kind | field: its answer, the right one | why |", "| --- | --- | --- | --- |")
        for (name, kind), fields in sorted(self.wrong.items()):
            shown = ", ".join(f"{field}: {theirs}, {'none' if truth is None else truth}" for field, (theirs, truth) in fields.items())
            say(f"| {name} | `{kind}` | {shown} | {REASONS.get((name, kind), 'NO REASON IS KNOWN')} |")
        say("\n## Where a counterpart refuses\n", *[f"- {name}, `{kind}`, {len(times)} times: {cell(text)}" for (name, kind, text), times in sorted(self.their_refusals.items())])
        say("\n## Where Rollcall refuses\n")
        for kind, reasons in self.refusals.items():
            for voice in ("whoami, task", "exec"):
                found = [why for said, why in reasons if said == voice]
                if found:
                    say(f"- `{kind}`, {voice}: {cell(found[0])}")
        say("\n## What differs\n", *([] if self.differing else ["Nothing."]))
        for kind, cases in self.differing.items():
            say(f"### `{kind}`\n")
            for (voice, field), found in cases.items():
                name, theirs, truth, ours, _ = found[0]
                say(f"- {voice}, {field}, {len(found)} times: Rollcall says {ours}, {name} {theirs}, right is {'none' if truth is None else truth}")
            shown = next(iter(cases.values()))[0][-1].variables
            say("\n```", " ".join(f"{key}={value!r}" if set(value) & set(" \n") else f"{key}={value}" for key, value in shown.items()), "```\n")


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    comparison = Comparison()
    comparison.report.say(f"{len(KINDS)} kinds, {count} environments of each, seed {seed}. A field is refused if Rollcall gives none and says why.\n")
    for make in KINDS:
        for number in range(count):
            process = make(random.Random(f"{seed} {make.__name__} {number}"))
            with tempfile.TemporaryDirectory() as folder:
                if "resources" in process.given:
                    process.variables.update(counterparts.sagemaker_variables(process.given["resources"]))
                if "rankfile" in process.given:
                    path = os.path.join(folder, "ranks")
                    with open(path, "w", encoding="ascii") as out:
                        out.write("\n".join(process.given["rankfile"]) + "\n")
                    process.variables.update({"LSB_DJOB_RANKFILE": path, "LSB_DJOB_HOSTFILE": path})
                comparison.process(make.__name__, process, folder)
        row = comparison.rows[make.__name__]
        print(f"{make.__name__}: " + ", ".join(f"{number} {kind}" for kind, number in row.items() if isinstance(number, int)), flush=True)
    comparison.write()
    comparison.report.lines = [re.sub(r"=/tmp/\S*/", "=DIR/", line) for line in comparison.report.lines]
    comparison.report.finish(sys.argv[1], "Who am I: JAX, PyTorch, Lightning, submitit, sagemaker-training and Rollcall", "run",
                             [("rollcall", version_of(ROLLCALL)), *counterparts.versions()])


main()
