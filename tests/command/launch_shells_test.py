"""Forms for shells, read by real shells: `eval` yields exactly the original values, and runs nothing."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest

COMMAND = os.environ["ROLLCALL"]
SHELLS = [[name, *words] for name, *words in (["sh"], ["dash"], ["bash"], ["bash", "--posix"], ["zsh", "-f"], ["mksh"], ["busybox", "sh"]) if shutil.which(name)]

# Each would leave a file behind if a part of it were run.
HOSTILE_JOBS = [
    "a b", "'", "''", "'; touch pwned; '", '"', "$(touch pwned)", "`touch pwned`", "${HOME}", "$((1))", "~", "-x", "--", "a]", "[a-z]*", "*", "?", "#", "a #b",
    "!!", "!1", "a:b", "a=b", "=ls", "%1", "{a,b}", "\\", "a\\'b", "|touch pwned", "&touch pwned&", ";touch pwned", ">pwned", "<(touch pwned)", "yes", "null", "\u00fc\u4e2d", "x" * 10000,
]


def spec(form, jobs, *more):
    return subprocess.run([COMMAND, "spec", "tfconfig:", "--format", form, *more], env=dict(os.environ, TF_CONFIG=json.dumps({"cluster": jobs})),
                          capture_output=True, timeout=60)


class Shells(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_shell(self, shell, script, text):
        run = subprocess.run([*shell, "-c", script], input=text, capture_output=True, cwd=self.folder.name, timeout=60,
                             env={"PATH": os.environ["PATH"], "HOME": "/nowhere"})
        self.assertEqual((run.returncode, run.stderr), (0, b""), shell)
        self.assertEqual(os.listdir(self.folder.name), [], (shell, text))
        return run.stdout

    def test_env_gives_every_variable_back(self):
        for job in HOSTILE_JOBS:
            cluster = {job: ["10.0.0.1:1", "[fd00::1]:2"]}
            printed = spec("env", cluster)
            self.assertEqual(printed.returncode, 0, printed.stderr)
            for shell in SHELLS:
                with self.subTest(shell=shell, job=job[:40]):
                    out = self.run_shell(shell, 'set -a; eval "$(cat)"; exec env -0', printed.stdout)
                    found = dict(line.split("=", 1) for line in out.decode().split("\0")[:-1])
                    self.assertEqual(json.loads(found["TF_CONFIG"])["cluster"], cluster)
                    self.assertEqual(json.loads(found["ROLLCALL_CLUSTER"]), cluster)
                    self.assertEqual((found["ROLLCALL_NUM_TASKS"], found["ROLLCALL_ADDRESSES"]), ("2", "10.0.0.1:1,[fd00::1]:2"))

    def test_the_own_task_of_a_hostile_job(self):
        for job in HOSTILE_JOBS:
            # Written in TF_CONFIG, because --task JOB:INDEX cannot express all values.
            environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": {job: ["a:1"]}, "task": {"type": job, "index": 0}}))
            printed = subprocess.run([COMMAND, "spec", "tfconfig:", "--format", "env"], env=environment, capture_output=True, timeout=60)
            self.assertEqual(printed.returncode, 0, printed.stderr)
            for shell in SHELLS:
                with self.subTest(shell=shell, job=job[:40]):
                    out = self.run_shell(shell, 'eval "$(cat)"; printf "%s\\0%s\\0" "$ROLLCALL_JOB_NAME" "$ROLLCALL_ADDRESS"', printed.stdout)
                    self.assertEqual(out.decode().split("\0")[:2], [job, "a:1"])

    def test_lines_of_commands_have_the_words_that_were_meant(self):
        for job in HOSTILE_JOBS:
            for addresses, head in ((["10.0.0.1:1", "10.0.0.2:1"], "10.0.0.1"), (["[fd00::1]:1", "[fd00::2]:1"], "fd00::1")):
                tail, bracketed = ("10.0.0.2", head) if "." in head else ("fd00::2", f"[{head}]")
                environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": {job: addresses}, "task": {"type": job, "index": 1}}))
                for form, words in (("torchrun", ["--nnodes=2", "--node_rank=1", f"--master_addr={bracketed}", "--master_port=29500"]),
                                    ("ray", ["start", f"--address={bracketed}:6379", f"--node-ip-address={tail}"])):
                    printed = subprocess.run([COMMAND, "spec", "tfconfig:", "--format", form], env=environment, capture_output=True, timeout=60)
                    self.assertEqual(printed.returncode, 0, printed.stderr)
                    for shell in SHELLS:
                        with self.subTest(shell=shell, job=job[:40], form=form):
                            out = self.run_shell(shell, form + ' () { printf "%s\\0" "$@"; }; eval "$(cat)"', printed.stdout)
                            self.assertEqual(out.decode().split("\0")[:-1], words)

    def test_lines_for_all_hosts_start_nothing(self):
        printed = spec("ray", {"worker": ["10.0.0.1:1", "10.0.0.2:1"]})
        self.assertEqual(printed.stdout.count(b"ray start"), 2)
        for shell in SHELLS:
            self.assertEqual(self.run_shell(shell, 'ray () { touch pwned; }; eval "$(cat)"', printed.stdout), b"")

    def test_what_a_variable_cannot_hold_is_refused(self):
        for job in ("a\nb", "a\0b", "\u001b[31m", "\u202e"):
            environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": {job: ["a:1"]}, "task": {"type": job, "index": 0}}))
            printed = subprocess.run([COMMAND, "spec", "tfconfig:", "--format", "env"], env=environment, capture_output=True, timeout=60)
            self.assertEqual((printed.returncode != 0, printed.stdout), (True, b""), job)
            self.assertNotIn(job.encode(), printed.stderr)

    def test_hostile_hosts_are_refused(self):
        for host in ("$(touch pwned)", "`touch pwned`", "a b", "a;touch pwned", "-x", "--head", "a\nb", "a'b", 'a"b', "a|b", "a,b"):
            for form in ("env", "ray", "torchrun", "mpi-hostfile", "mpich-hostfile", "slurm-nodelist", "hosts", "ssh-config", "ansible", "prometheus", "plain"):
                with self.subTest(host=host, form=form):
                    printed = spec(form, {"worker": [host + ":1"]}, "--task", "worker:0")
                    if form == "env" and printed.returncode == 0:  # no launcher accepts it, but a program may get it: in quotes
                        for shell in SHELLS:
                            self.assertEqual(self.run_shell(shell, 'eval "$(cat)"; printf %s "$ROLLCALL_ADDRESS"', printed.stdout).decode(), host + ":1")
                        continue
                    self.assertNotEqual(printed.returncode, 0)
                    self.assertEqual(printed.stdout, b"")


if __name__ == "__main__":
    unittest.main()
