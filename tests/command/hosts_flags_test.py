"""rollcall hosts and rollcall flags, and --probe before a launch."""
import os
import shlex
import socket
import stat
import tempfile
import time

from support import *

NODES = {
    "project": "example-proj",
    "zone": "us-central2-b",
    "nodes": [
        {"name": "a", "accelerator_type": "v4-16", "endpoints": ["10.0.0.1:8470", "10.0.0.2:8470"]},
        {"name": "b", "accelerator_type": "v4-8", "endpoints": ["10.0.1.1:8470"]},
        {"name": "six", "accelerator_type": "v4-8", "endpoints": ["[2001:db8::1]:8470"]},
        {"name": "creating", "accelerator_type": "v4-8", "state": "CREATING"},
        {"name": "ill", "accelerator_type": "v4-8", "endpoints": ["10.0.2.1:8470"], "health": "UNHEALTHY_TENSORFLOW"},
        {"name": "lost", "accelerator_type": "v4-8", "endpoints": ["10.0.3.1:8470"], "state": "PREEMPTED"},
        {"name": "down", "accelerator_type": "v4-8"},
        {"name": "secret", "accelerator_type": "v4-8"},
        {"name": "later", "accelerator_type": "v4-8",
         "timeline": [{"at": 0, "state": "CREATING", "endpoints": []}, {"at": 1, "state": "READY", "endpoints": ["10.0.4.1"]}, {"at": 3, "state": "PREEMPTED"}]},
    ],
    "faults": [
        {"match": {"path": "**/nodes/down"}, "status": 503},
        {"match": {"path": "**/nodes/secret"}, "status": 403},
    ],
}
TWO = "simple:job.worker=10.0.0.1:8470+10.0.0.2:8470"


def torchrun_words(line):
    """The flags as a shell that evaluates the line passes them to the launcher."""
    done = subprocess.run(["sh", "-c", 'eval "set -- $1"; printf "%s\\n" "$@"', "sh", line], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.splitlines()


class HostsOfAllKinds(Case):
    cloud = NODES

    def reported(self, wanted, *words, why=""):
        done = self.run_it("hosts", *words)
        self.assertEqual((done.returncode, done.stdout), (0, wanted), done.stderr)
        self.assertRegex(done.stderr, f"^rollcall: no host is ready: .*{why}.*\n$" if why else "^$")

    def refused(self, code, part, *words):
        done = self.run_it(*words)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_forms(self):
        self.reported("10.0.0.1:4\n10.0.0.2:4\n", "tpu:a", "--format", "horovod")
        self.reported("10.0.0.1 slots=4\n10.0.0.2 slots=4\n", "tpu:a", "--format", "deepspeed")
        self.reported("10.0.0.1 slots=2\n10.0.0.2 slots=2\n", "tpu:a", "--format", "mpi", "--slots", "2")
        self.reported("10.0.0.1:4\n10.0.0.2:4\n", "tpu:a", "--format", "mpich")
        self.reported("10.0.0.1\n10.0.0.2\n", "tpu:a")
        done = self.run_it("hosts", "simple:job.worker=a:1+a:2+b:1", "--format", "deepspeed")
        self.assertEqual((done.returncode, done.stdout), (0, "a slots=2\nb slots=1\n"), done.stderr)  # their tasks
        self.assertIn("how many accelerators a has is not known, and of 1 more: give the number of a host by --slots N", done.stderr)

    def test_ipv6(self):
        self.reported("2001:db8::1 slots=4\n", "tpu:six", "--format", "deepspeed")
        self.refused(2, "Horovod's format cannot hold the host 2001:db8::1", "hosts", "tpu:six", "--format", "horovod")

    def test_nobody_is_ready(self):
        for name, why in (("creating", "CREATING"), ("ill", "UNHEALTHY_TENSORFLOW"), ("lost", "PREEMPTED")):
            self.reported("", "tpu:" + name, "--format", "horovod", why=why)
        self.reported("10.0.0.1:4\n10.0.0.2:4\n", "tpu:a", "tpu:lost", "tpu:ill", "--format", "horovod")

    def test_what_is_an_error(self):
        self.refused(1, "nobody", "hosts", "tpu:nobody")
        self.reported("", "tpu:nobody", "--for-existence", why="nobody")
        self.refused(5, "503", "hosts", "tpu:down", "--retries", "1")
        self.refused(4, "403", "hosts", "tpu:secret")
        self.refused(2, "--format", "hosts", "tpu:a", "--format", "horrovod")

    def test_one_request_where_slots_are_given(self):
        done = self.run_it("hosts", "tpu:a", "--slots", "4", "--format", "horovod", "--verbose", "--zone", "us-central2-b")
        self.assertEqual(done.stderr.count("nodes/a"), 1, done.stderr)

    def test_output_is_replaced_in_one_step(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "hosts")
            self.reported("", "tpu:a", "--format", "deepspeed", "--output", file)
            self.assertEqual(stat.S_IMODE(os.stat(file).st_mode), 0o666 & ~self.umask())
            with open(file, encoding="utf-8") as before:
                os.chmod(file, 0o640)
                self.reported("", "tpu:b", "--format", "deepspeed", "--output", file)
                self.assertEqual(before.read(), "10.0.0.1 slots=4\n10.0.0.2 slots=4\n")
            self.assertEqual(self.text_of(file), "10.0.1.1 slots=4\n")
            self.assertEqual(stat.S_IMODE(os.stat(file).st_mode), 0o640)
            self.reported("", "tpu:creating", "--output", file, why="CREATING")
            self.assertEqual(self.text_of(file), "")
            link = os.path.join(folder, "link")
            os.symlink("hosts", link)
            self.reported("", "tpu:b", "--output", link)
            self.assertTrue(os.path.islink(link))
            self.assertEqual(self.text_of(file), "10.0.1.1\n")
            self.refused(1, "nobody", "hosts", "tpu:nobody", "--output", file)
            self.assertEqual(self.text_of(file), "10.0.1.1\n")
            self.assertEqual(sorted(os.listdir(folder)), ["hosts", "link"])

    def test_output_that_cannot_be_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(os.path.join(folder, "pipe"))
            os.symlink("nothing", os.path.join(folder, "link"))
            for name, why in (("", "no regular file"), ("pipe", "no regular file"), ("link", "leads nowhere"), ("no/hosts", "No such file"), ("new/", "directory")):
                self.refused(2, why, "hosts", "tpu:a", "--output", os.path.join(folder, name))
            self.refused(2, "no regular file", "hosts", "tpu:a", "--output", "/dev/null")

    @staticmethod
    def umask():
        mask = os.umask(0)
        os.umask(mask)
        return mask

    @staticmethod
    def text_of(path):
        with open(path, encoding="utf-8") as file:
            return file.read()


class Discovery(Command):
    def test_a_script_that_is_called_again_and_again(self):
        self.simulate(NODES)
        seen = []
        until = time.monotonic() + PATIENCE
        while len(seen) < 3 and time.monotonic() < until:
            done = self.run_it("hosts", "tpu:later", "--slots", "4", "--format", "horovod")
            self.assertEqual(done.returncode, 0, done.stderr)
            if not seen or seen[-1] != done.stdout:
                seen.append(done.stdout)
        self.assertEqual(seen[-2:], ["10.0.4.1:4\n", ""])


class Flags(Command):
    def flags(self, *words):
        done = self.run_it("flags", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.count("\n"), 1)
        return done.stdout

    def refused(self, code, part, *words):
        done = self.run_it(*words)
        if "json" in words:  # failures are answers there
            self.assertIn(part, json.loads(done.stdout)["failures"][0]["message"])
        else:
            self.assertEqual(done.stdout, "")
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(part, done.stderr)

    def test_lines(self):
        own = ["--task", "worker:1", "--slots", "4"]
        self.assertEqual(self.flags(TWO, "--for", "torchrun", *own),
                         "--nnodes=2 --node_rank=1 --nproc_per_node=4 --master_addr=10.0.0.1 --master_port=29500\n")
        self.assertEqual(self.flags(TWO, "--for", "accelerate", "--coordinator-port", "29511", *own),
                         "--multi_gpu --num_machines=2 --machine_rank=1 --num_processes=8 --main_process_ip=10.0.0.1 --main_process_port=29511\n")

    def test_accelerate_is_asked_for_what_the_members_have(self):
        self.simulate(NODES)
        own = ["--for", "accelerate", "--task", "worker:0"]
        self.assertTrue(self.flags("tpu:a", *own).startswith("--tpu --num_machines="))
        self.assertTrue(self.flags("tpu:a", "--slots", "1", *own).startswith("--tpu --num_machines="))
        self.assertTrue(self.flags("tpu:grpc://10.0.0.1:8470,grpc://10.0.0.2:8470", "--slots", "4", *own).startswith("--tpu --num_machines=2 "))
        self.assertTrue(self.flags(TWO, "--quiet", *own).startswith("--multi_gpu --num_machines=2 --machine_rank=0 --num_processes=2 "))
        one = "simple:job.worker=10.0.0.1:8470"
        self.assertTrue(self.flags(one, "--quiet", *own).startswith("--num_machines=1 --machine_rank=0 --num_processes=1 "))
        self.assertTrue(self.flags(one, "--slots", "2", *own).startswith("--multi_gpu --num_machines=1 "))

    def test_deepspeed_writes_its_hostfile(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "the $(hosts)' file")
            line = self.flags(TWO, "--for", "deepspeed", "--hostfile", file, "--task", "worker:1", "--slots", "8")
            self.assertEqual(torchrun_words(line), [f"--hostfile={file}", "--no_ssh", "--node_rank=1", "--master_addr=10.0.0.1", "--master_port=29500"])
            self.assertEqual(shlex.split(line), torchrun_words(line))
            with open(file, encoding="utf-8") as hosts:
                self.assertEqual(hosts.read(), "10.0.0.1 slots=8\n10.0.0.2 slots=8\n")
            self.refused(2, "no regular file", "flags", TWO, "--for", "deepspeed", "--hostfile", folder, "--task", "worker:1")
        self.refused(2, "needs --hostfile", "flags", TWO, "--for", "deepspeed", "--task", "worker:1")
        self.refused(2, "takes no --hostfile", "flags", TWO, "--for", "torchrun", "--hostfile", "x", "--task", "worker:1")

    def test_usage(self):
        self.refused(2, "--for is missing", "flags", TWO, "--task", "worker:1")
        self.refused(2, "--for", "flags", TWO, "--for", "torchrum")
        done = self.run_it("flags", TWO, "--for", "torchrun")
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        self.assertIn("--task", done.stderr)

    def test_probe(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen(1)
            port = str(taken.getsockname()[1])
            two = "simple:job.worker=localhost:1+127.0.0.1:2"
            launch = ["--task", "worker:1", "--coordinator-port", port, "--slots", "2"]
            one = "simple:job.worker=127.0.0.1:1"
            here = ["--task", "worker:0", "--coordinator-port", port, "--slots", "1"]
            self.flags(two, "--for", "torchrun", "--probe", *launch)  # the port listens already
            for words in (["flags", one, "--for", "accelerate"], ["spec", one, "--format", "torchrun"], ["wait", one, "--format", "torch-env"]):
                self.refused(1, "Address already in use", *words, "--probe", *here)
            self.refused(111, "Address already in use", "exec", one, "--as", "torchrun", "--probe", *here, "--", "true")
        self.flags(two, "--for", "torchrun", "--probe", *launch)  # refused: the port does not listen yet
        self.flags(one, "--for", "accelerate", "--probe", *here)
        self.assertEqual(self.run_it("exec", one, "--as", "torchrun", "--probe", *here, "--", "true").returncode, 0)

    def test_probe_of_a_host_that_is_not_there(self):
        self.refused(5, "nobody.invalid:29500", "flags", "simple:job.worker=nobody.invalid:1+b:1", "--for", "torchrun", "--task", "worker:1", "--probe")

    def test_probe_needs_a_coordinator(self):
        for code, words in ((2, ["spec", TWO]), (2, ["spec", TWO, "--format", "plain"]), (2, ["wait", TWO, "--format", "json"])):
            self.refused(code, "--probe tries the coordinator", *words, "--probe")
        self.refused(112, "--probe tries the coordinator", "exec", TWO, "--probe", "--", "true")


if __name__ == "__main__":
    main()
