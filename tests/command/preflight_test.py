"""`rollcall preflight` without a target: a folder stands for the machine's files, a library of the tests for NVIDIA's."""
import shlex
import shutil
import socket
import time

from json_schema import Schema
from support import *

SCHEMA = Schema(read_json(os.path.join(HERE, "../../docs/output.schema.json")), knows_all=True)
COMPILER = next((found for name in ("cc", "gcc", "clang", "clang-19") if (found := shutil.which(name))), None)
GPUS = "accelerators,driver,gpu,in_use"


class Host(Command):
    """A machine with two GPUs, whose files lie in a folder."""

    @classmethod
    def setUpClass(cls):
        cls.library = tempfile.TemporaryDirectory()
        if COMPILER is None:
            raise unittest.SkipTest("no C compiler")
        subprocess.run([COMPILER, "-shared", "-fPIC", "-o", cls.library.name + "/libnvidia-ml.so.1", os.path.join(HERE, "fake_nvml.c")], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.library.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        os.makedirs(self.root + "/sys/bus/pci/devices")
        for number in range(2):
            self.file(f"/dev/nvidia{number}")
        self.file("/proc/sys/kernel/hostname", "n17\n").file("/proc/sys/kernel/osrelease", "6.1.0\n")
        self.file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n")

    def file(self, path, text=""):
        os.makedirs(os.path.dirname(self.root + path), exist_ok=True)
        with open(self.root + path, "w", encoding="utf-8") as out:
            out.write(text)
        return self

    def preflight(self, *words, nvml="gpus=2", code=0, **variables):
        variables = {"LD_LIBRARY_PATH": self.library.name, "FAKE_NVML": nvml} | variables
        done = self.run_it("preflight", "--machine-root", self.root, "--format", "json", *words, **variables)
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
        answer = json.loads(done.stdout)
        self.assertEqual(list(SCHEMA.faults(answer, "preflight")), [])
        self.assertEqual(answer["passed"], code == 0)
        return answer

    def fault(self, nvml, code=118, checks=GPUS):
        """The only finding."""
        finding, = self.preflight("--checks", checks, nvml=nvml, code=code)["findings"]
        self.assertEqual(finding["members"], [{"name": "n17"}])
        return finding

    def facts(self, answer):
        return {fact["name"]: fact["value"] for fact in answer["host"]["facts"]}


class Gpus(Host):
    def test_healthy_ones(self):
        answer = self.preflight("--checks", GPUS)
        self.assertEqual((answer["findings"], answer["unknown"]), ([], []))
        self.assertEqual(self.facts(answer) | {"driver": "580.159.04", "accelerators": "2", "ecc": "on", "nvlinks": "18 of 18", "persistence": "on"}, self.facts(answer))
        gpu = answer["host"]["gpus"][1]
        self.assertEqual((gpu["uuid"], gpu["bus"], gpu["values"]["temperature"], gpu["values"]["rows_failed"]), ("GPU-1", "0000:1b:00.0", 35, 0))

    def test_a_fault_names_the_gpu_and_what_to_do(self):
        for words, action, text in (("rows_failed=1", "replace", "remapping"), ("rows_pending=1", "reset_device", "next reset"), ("recovery=2", "reboot", "restart of the machine"),
                                    ("ecc_volatile=3", "reset_device", "3 uncorrectable"), ("reasons=0x40", "replace", "too hot (35 C)"), ("width=4", "replace", "4 lanes"),
                                    ("compute_mode=2", "none", "prohibited"), ("links=17", "reset_device", "17 of its NVLinks"), ("fabric=1", "none", "fabric"),
                                    ("fabric=1,old_fabric", "none", "fabric"), ("used=0x400000000,pid=4711", "none", "process 4711 (16 GiB)")):
            with self.subTest(words=words):
                finding = self.fault(f"gpus=2,bad=2,{words}")
                self.assertEqual((finding["severity"], finding["scope"], finding["action"]), ("failure", "device", action))
                self.assertEqual(finding["device"], "gpu 1 (GPU-1, 0000:1b:00.0)")
                self.assertTrue(finding["text"].startswith("n17 gpu 1 (GPU-1, 0000:1b:00.0): "))
                self.assertIn(text, finding["text"])

    def test_lost_gpus(self):
        for code, action in ((15, "reboot"), (16, "reset_device")):
            finding = self.fault(f"gpus=2,lost=1,code={code}")
            self.assertEqual((finding["device"], finding["action"]), ("gpu 0", action))

    def test_warnings_pass(self):
        self.assertEqual(self.fault("gpus=2,bad=1,persistence=0", code=0)["severity"], "warning")

    def test_an_older_library_says_less(self):
        answer = self.preflight("--checks", GPUS, nvml="gpus=2,no_health,no_links,old")
        self.assertEqual(answer["findings"], [])
        self.assertNotIn("ecc", self.facts(answer))

    def test_a_driver_that_hangs(self):
        began = time.monotonic()
        finding = self.fault("gpus=2,block", checks=GPUS)
        self.assertLess(time.monotonic() - began, PATIENCE / 2)
        self.assertIn("NVIDIA's driver does not answer", finding["text"])
        self.assertEqual(finding["action"], "reboot")
        self.check_none_left("LD_LIBRARY_PATH", self.library.name)

    def test_a_question_that_hangs_does_not_hide_the_gpu(self):
        answer = self.preflight("--checks", GPUS, "--timeout", "4s", nvml="gpus=2,stuck_health=2", code=118)
        self.assertEqual(self.facts(answer)["accelerators"], "2")
        finding, = answer["findings"]
        self.assertEqual(finding["device"], "gpu 1 (GPU-1, 0000:1b:00.0)")
        self.assertIn("did not answer", finding["text"])

    def test_a_library_that_crashes(self):
        finding = self.fault("gpus=2,abort_at_load")
        self.assertIn("signal 6", finding["text"])
        if not SANITIZED:
            self.assertIn("signal 11", self.fault("gpus=2,crash_health")["text"])

    def test_a_host_without_accelerators_passes(self):
        shutil.rmtree(self.root + "/dev")
        shutil.rmtree(self.root + "/proc/driver")
        self.file("/dev/null")
        answer = self.preflight("--checks", GPUS, nvml="gpus=0,init=9")
        self.assertEqual((self.facts(answer), answer["findings"]), ({"accelerators": "0"}, []))
        finding, = self.preflight("--checks", "gpu,expect:accelerators=8", nvml="gpus=0", code=118)["findings"]
        self.assertEqual(finding["text"], "n17: accelerators is 0, and 8 is expected")

    def test_accelerators_that_were_not_looked_for_are_not_called_absent(self):
        self.assertIsNone(self.preflight("--checks", "kernel", nvml="abort_at_load")["host"]["accelerators"])
        done = self.run_it("preflight", "--machine-root", self.root, "--checks", "kernel")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("accelerators", done.stdout)

    def test_the_library_can_be_left_alone(self):
        # What was not tested has not passed.
        self.assertEqual(self.preflight("--checks", GPUS, "--no-nvml", nvml="abort_at_load", code=118)["unknown"][0]["check"], "gpu")
        self.preflight("--checks", "quick,-gpu,-in_use,-shm", nvml="abort_at_load")


class OfTheHost(Host):
    def test_text(self):
        done = self.run_it("preflight", "--machine-root", self.root, "--checks", "kernel,gpu,expect:kernel=5", LD_LIBRARY_PATH=self.library.name, FAKE_NVML="gpus=2")
        self.assertEqual((done.returncode, done.stderr), (118, ""))
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^preflight n17: failed, 1 failure, ")
        self.assertEqual(lines[1], "FAIL  n17: kernel is 6.1.0, and 5 is expected")
        self.assertIn("2 GPUs (NVIDIA H100 80GB HBM3) on this host (source: NVML)", lines)

    def test_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            self.preflight("--checks", f"kernel,disk:{folder}=1")
            finding, = self.preflight("--checks", f"kernel,disk:{folder}=4000000T", code=118)["findings"]
            self.assertEqual((finding["check"], finding["action"]), (f"disk:{folder}", "free_space"))
            finding, = self.preflight("--checks", f"kernel,disk:{folder}/none=1", code=118)["findings"]
            self.assertIn("cannot be read: No such file or directory", finding["text"])
            self.assertEqual(self.preflight("--checks", f"kernel,mount:{folder}", code=118)["unknown"][0]["check"], f"mount:{folder}")
            others = "".join(f"9 0 0:1 / /var/lib/kubelet/pods/{pod:0100}/volumes rw - tmpfs tmpfs rw\n" for pod in range(1000))
            self.file("/proc/self/mountinfo", others + f"1 0 0:1 / {folder} rw - nfs4 filer:/x rw\n")
            answer = self.preflight("--checks", f"kernel,mount:{folder}")
            self.assertEqual(self.facts(answer)[f"mount:{folder}"], "'filer:/x' of type nfs4")
            self.file("/proc/self/mountinfo", others)
            # What is mounted once a program looks, as by autofs: here another check mounts it.
            table = shlex.quote(self.root + "/proc/self/mountinfo")
            answer = self.preflight("--checks", f"kernel,mount:{folder}", "--verdict-from", f"echo '1 0 0:1 / {folder} rw - nfs4 filer:/y rw' >{table}")
            self.assertEqual(self.facts(answer)[f"mount:{folder}"], "'filer:/y' of type nfs4")
            finding, = self.preflight("--checks", f"kernel,mount:{folder}/x", code=118)["findings"]
            self.assertIn("nothing is mounted at", finding["text"])

    def test_a_folder_that_nothing_can_be_written_to(self):
        def look(options, word, code):
            with tempfile.TemporaryDirectory() as folder:
                mounted = f'mount -t tmpfs -o {options} tmpfs "$1" && shift && exec "$@"'
                words = [ROLLCALL, "preflight", "--no-nvml", "--format", "json", "--checks", "kernel," + word.format(folder)]
                done = subprocess.run(["unshare", "--map-root-user", "--mount", "sh", "-c", mounted, "sh", folder, *words], capture_output=True, text=True, timeout=PATIENCE, env=self.environment())
                if done.returncode not in (0, 118):
                    self.skipTest(done.stderr)
                self.assertEqual(done.returncode, code, done.stdout)
                return json.loads(done.stdout)

        finding, = look("ro", "disk:{}=1K", 118)["findings"]
        self.assertIn("is read-only, and 1 KiB of free space are asked for", finding["text"])
        finding, = look("nr_inodes=1", "disk:{}=1K", 118)["findings"]
        self.assertIn("all of its inodes are used", finding["text"])
        self.assertEqual(look("ro", "mount:{}", 0)["findings"], [])
        self.assertEqual(look("rw", "disk:{}=1K", 0)["findings"], [])

    def test_a_chip_that_a_process_has_open(self):
        bus = self.root + "/sys/bus/pci/devices/0000:00:04.0"
        for name, text in (("vendor", "0x1ae0"), ("device", "0x0062"), ("class", "0x120000")):
            self.file(f"/sys/bus/pci/devices/0000:00:04.0/{name}", text + "\n")
        os.symlink("../../../../kernel/iommu_groups/0", bus + "/iommu_group")
        self.file("/dev/vfio/0").file("/proc/4711/comm", "python3\n")
        os.makedirs(self.root + "/proc/4711/fd")
        self.assertEqual(self.preflight("--checks", "in_use")["findings"], [])
        os.symlink("/dev/vfio/0", self.root + "/proc/4711/fd/7")
        finding, = self.preflight("--checks", "in_use", code=118)["findings"]
        self.assertEqual(finding["text"], "n17 TPU at /dev/vfio/0: process 4711 (python3) has it open, and only one process can")

    def test_limits_and_shared_memory(self):
        self.file("/proc/self/limits", "Max open files            1024                 4096                 files\n"
                                       "Max locked memory         8388608              8388608              bytes\n")
        self.preflight("--checks", "limits,nofile=1024")
        finding, = self.preflight("--checks", "kernel,nofile=65536", code=118)["findings"]
        self.assertEqual((finding["measured"], finding["expected"]), ("1024", "65536"))
        self.preflight("--checks", "kernel,memlock=unlimited", code=118)
        os.makedirs(self.root + "/dev/shm")
        self.preflight("--checks", "kernel,shm=4000000T", code=118)

    def test_limits_of_a_cgroup(self):
        def facts(files):
            shutil.rmtree(self.root + "/sys/fs", ignore_errors=True)
            for path, text in files.items():
                self.file(path, text + "\n")
            found = self.facts(self.preflight("--checks", "memory,cpu"))
            return found["memory"], found["cpus"]

        self.file("/proc/meminfo", "MemTotal: 67108864 kB\n").file("/proc/self/status", "Cpus_allowed_list:\t0-15\n")
        self.file("/proc/self/cgroup", "4:memory:/job/step\n3:cpu,cpuacct:/job\n0::/pod/one\n")
        v1, v2 = "/sys/fs/cgroup/{}/", "/sys/fs/cgroup/pod/"
        self.assertEqual(facts({}), ("64 GiB", "16"))
        self.assertEqual(facts({v2 + "one/memory.max": "max", v2 + "memory.max": "8589934592", v2 + "one/cpu.max": "max 100000", v2 + "cpu.max": "400000 100000"}), ("8 GiB", "4"))
        quota = {v1.format("cpu") + "job/cpu.cfs_quota_us": "200000", v1.format("cpu") + "job/cpu.cfs_period_us": "100000"}
        memory = v1.format("memory")
        self.assertEqual(facts({memory + "job/step/memory.limit_in_bytes": "9223372036854771712", memory + "job/memory.limit_in_bytes": "4294967296", **quota}), ("4 GiB", "2"))
        # In a container of v1 its own cgroup is the root, and its folder has another name outside.
        self.assertEqual(facts({memory + "memory.limit_in_bytes": "2147483648", v1.format("cpu") + "cpu.cfs_quota_us": "-1", v1.format("cpu") + "cpu.cfs_period_us": "100000"}), ("2 GiB", "16"))

    def test_the_interface_of_a_host_without_ipv4(self):
        self.file("/proc/net/route", "Iface\tDestination\tGateway\tFlags\n").file("/sys/class/net/eth1/mtu", "9000\n")
        self.assertEqual([one["check"] for one in self.preflight("--checks", "nic")["unknown"]], ["nic"])
        self.file("/proc/net/ipv6_route", f"{'0' * 32} 00 {'0' * 32} 00 {'fd'.ljust(32, '0')} 00000400 00000003 00000000 00000003     eth1\n")
        answer = self.preflight("--checks", "nic")
        self.assertEqual((self.facts(answer), answer["unknown"]), ({"nic_mtu": "9000"}, []))

    def test_a_port_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            finding, = self.preflight("--checks", f"kernel,port:{port}", code=118)["findings"]
            self.assertEqual((finding["check"], finding["action"]), (f"port:{port}", "free_port"))
            done = self.run_it("preflight", "--checks", f"kernel,port:{port}")
            self.assertEqual(done.returncode, 118)
            self.assertIn(f"is taken by process {os.getpid()} (", done.stdout)

    def test_packages_and_libraries(self):
        site = "/opt/venv/lib/python3.11/site-packages"
        self.file("/opt/venv/pyvenv.cfg", "home = /usr/bin\n").file("/opt/venv/lib64/libnccl.so.2.28.3")
        for name in ("numpy-2.1.0", "libtpu-0.0.21"):
            self.file(f"{site}/{name}.dist-info/METADATA")
        os.symlink("libnccl.so.2.28.3", self.root + "/opt/venv/lib64/libnccl.so.2")
        facts = self.facts(self.preflight("--checks", "packages,libraries", VIRTUAL_ENV="/opt/venv", LD_LIBRARY_PATH="/opt/venv/lib64"))
        self.assertEqual((facts["python"], facts["libtpu"], facts["nccl"]), ("3.11", "0.0.21", "2.28.3"))
        self.assertRegex(facts["packages"], r"^[0-9a-f]{16} of 2 packages$")
        self.file(f"{site}/jax-0.4.dist-info/METADATA")
        self.file("/shims/python3", "#!/bin/sh\n")
        answer = self.preflight("--checks", "packages", PATH="/shims:" + os.environ["PATH"])
        self.assertNotIn("packages", self.facts(answer))
        self.assertIn("which Python '/shims/python3' starts is not known", answer["unknown"][0]["why"])
        more = self.facts(self.preflight("--checks", "packages", VIRTUAL_ENV="/opt/venv"))
        self.assertNotEqual(more["packages"], facts["packages"])

    def test_speeds_are_measured(self):
        answer = self.preflight("--checks", f"memory_speed,disk_speed,disk:{self.root}=1M,disk:/nowhere=1M", code=118)
        facts = self.facts(answer)
        self.assertRegex(facts["memory_speed"], r"^[1-9]\d* MB/s$")
        unknown = [one["why"] for one in answer["unknown"] if one["check"] == "disk_speed"]
        self.assertIn("writing to '/nowhere': No such file or directory", unknown)
        if len(unknown) == 1:  # else the disk of these tests is small
            self.assertRegex(facts[f"disk_write:{self.root}"] + facts[f"disk_read:{self.root}"], r"^(\d+ MB/s){2}$")
        self.file("/proc/meminfo", "MemTotal: 2097151 kB\n")
        answer = self.preflight("--checks", "memory_speed")
        self.assertNotIn("memory_speed", self.facts(answer))
        self.assertEqual([one["why"] for one in answer["unknown"]], ["copying memory: there is less than 2 GiB of it"])
        self.assertFalse([name for name in os.listdir(self.root) if name.startswith(".rollcall")])

    def test_this_machine(self):
        done = self.run_it("preflight", "--format", "json")
        self.assertIn(done.returncode, (0, 118), done.stderr)
        self.assertEqual(list(SCHEMA.faults(json.loads(done.stdout), "preflight")), [])

    def test_wrong_words(self):
        for words in (["--checks", "gpus"], ["--checks", ""], ["--checks", "disk:/x"], ["--checks", "port:0"], ["--checks", "expect:x=1"], ["nonsense"]):
            done = self.run_it("preflight", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        self.assertIn("did you mean 'gpu'?", self.run_it("preflight", "--checks", "gpus").stderr)
        self.assertEqual(self.run_it("host-report", "nonsense").returncode, 2)


if __name__ == "__main__":
    main()
