"""`rollcall devices local`: a folder stands for the machine's /dev, /proc and /sys, a library of the tests for NVIDIA's."""
import shutil
import time

from json_schema import Schema
from support import *

SCHEMA = Schema(read_json(os.path.join(HERE, "../../docs/output.schema.json")), knows_all=True)

SOURCE = os.path.join(HERE, "fake_nvml.c")
COMPILER = next((found for name in ("cc", "gcc", "clang", "clang-19") if (found := shutil.which(name))), None)
VERSION = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (dvs-builder@U22)\nGCC version: 12\n"
H100 = "NVIDIA H100 80GB HBM3"


def bus(number):
    return f"0000:{0x1a + number:02x}:00.0"


class Machine:
    """A folder with the files of a machine."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = self.folder.name
        self.file("/dev/null")
        os.makedirs(self.root + "/sys/bus/pci/devices")

    def file(self, path, text=""):
        os.makedirs(os.path.dirname(self.root + path), exist_ok=True)
        with open(self.root + path, "w", encoding="utf-8") as out:
            out.write(text)
        return self

    def link(self, path, target):
        os.makedirs(os.path.dirname(self.root + path), exist_ok=True)
        os.symlink(target, self.root + path)
        return self

    def pci(self, address, vendor, device="0x2330", kind="0x030200", subsystem="0x0000"):
        for name, text in (("vendor", vendor), ("device", device), ("class", kind), ("subsystem_device", subsystem)):
            self.file(f"/sys/bus/pci/devices/{address}/{name}", text + "\n")
        return self

    def nvidia(self, pci=8, driver=8, nodes=8):
        """So many GPUs by each source."""
        for i in range(pci):
            self.pci(bus(i), "0x10de")
        self.pci("0000:05:00.0", "0x10de", "0x22a3", "0x068000")  # an NVSwitch
        self.pci("0000:06:00.0", "0x8086", "0x1234", "0x030000")
        if driver is not None:
            self.file("/proc/driver/nvidia/version", VERSION)
        for i in range(driver or 0):
            self.file(f"/proc/driver/nvidia/gpus/{bus(i)}/information",
                      f"Model: \t\t {H100}\nIRQ:   \t\t 16\nGPU UUID: \t GPU-{i}\nBus Location: \t {bus(i)}\nDevice Minor: \t {i}\nGPU Excluded:\t No\n")
        for i in range(nodes):
            self.file(f"/dev/nvidia{i}")
        for name in ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-caps/nvidia-cap1", "nvidia-caps/nvidia-cap2", "nvidia01", "nvidia1x"):
            self.file(f"/dev/{name}")
        return self


class Local(Command):
    library = None

    @classmethod
    def setUpClass(cls):
        cls.library = tempfile.TemporaryDirectory()
        if COMPILER is None:
            raise unittest.SkipTest("no C compiler")
        subprocess.run([COMPILER, "-shared", "-fPIC", "-o", cls.library.name + "/libnvidia-ml.so.1", SOURCE], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.library.cleanup()

    def machine(self):
        machine = Machine()
        self.addCleanup(machine.folder.cleanup)
        return machine

    def local(self, machine, *words, nvml=None, **variables):
        """What it prints: the first lines of groups, and the notes."""
        if nvml is not None:
            variables |= {"LD_LIBRARY_PATH": self.library.name, "FAKE_NVML": nvml}
        done = self.run_it("devices", "local", "--machine-root", machine.root, *words, **variables)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def facts(self, machine, *words, **options):
        found = json.loads(self.local(machine, "--format", "json", *words, **options))
        self.assertEqual(list(SCHEMA.faults(found, "devices")), [])
        return found


class ByNvml(Local):
    def test_eight_gpus(self):
        machine = self.machine().nvidia()
        self.assertEqual(self.local(machine, nvml="gpus=8"), f"8 GPUs ({H100}) on this host (source: NVML)\n")
        found = self.facts(machine, nvml="gpus=8")
        group = found["local"][0]
        self.assertEqual((group["kind"], group["count"], group["source"], group["driver"], group["visible"]), ("GPU", 8, "NVML", "580.159.04", None))
        self.assertEqual(group["devices"][3], {"model": H100, "uuid": "GPU-3", "bus": bus(3), "node": "/dev/nvidia3", "index": 3, "memory_bytes": 85899345920})
        self.assertEqual(found["notes"], [])

    def test_one_gpu_without_any_folder_is_found_by_the_library(self):
        self.assertIn("1 GPU (", self.local(self.machine(), nvml="gpus=1"))

    def test_words_of_the_library_before_its_answer(self):
        self.assertIn("8 GPUs", self.local(self.machine().nvidia(), nvml="gpus=8,noise"))

    def test_a_library_that_blocks_at_its_end(self):
        self.assertEqual(self.local(self.machine().nvidia(), nvml="gpus=8,block_at_end"), f"8 GPUs ({H100}) on this host (source: NVML)\n")

    def test_instances_count_and_their_gpu_does_not(self):
        text = self.local(self.machine().nvidia(2, 2, 2), nvml="gpus=2,mig=1,instances=3")
        self.assertIn("4 GPUs (NVIDIA) on this host (source: NVML)", text)
        self.assertIn("MIG mode is on for GPU 0 (0000:1a:00.0): its 3 instances count, and the GPU itself does not", text)
        group = self.facts(self.machine().nvidia(1, 1, 1), nvml="gpus=1,mig=1,instances=6")["local"][0]
        self.assertEqual((group["count"], group["model"]), (6, H100 + " MIG 1g.10gb"))
        self.assertTrue(all(device["uuid"].startswith("MIG-") and device["bus"] == bus(0) for device in group["devices"]))

    def test_mig_mode_without_instances_that_can_be_used(self):
        # The fake's first instance is always there: none is made by a limit of none.
        text = self.local(self.machine().nvidia(1, 1, 1), nvml="gpus=1,mig=1,instances=0")
        self.assertIn("1 GPU (NVIDIA H100 80GB HBM3 MIG 1g.10gb)", text)

    def test_a_lost_gpu_is_named_and_not_counted(self):
        for code, words in ((15, "is lost"), (16, "must be reset"), (14, "infoROM"), (999, "does not say why"), (77, "NVML code 77")):
            text = self.local(self.machine().nvidia(), nvml=f"gpus=8,lost=4,code={code}")
            self.assertIn("7 GPUs", text)
            self.assertIn("GPU 3 is not counted: ", text)
            self.assertIn(words, text)

    def test_a_gpu_that_blocks_does_not_hide_the_others(self):
        text = self.local(self.machine().nvidia(), "--timeout", "4s", nvml="gpus=8,stuck=3")
        self.assertIn("7 GPUs (NVIDIA H100 80GB HBM3) on this host (source: NVML)", text)
        self.assertIn("GPU 2 is not counted: it did not answer in time (NVML code 10)", text)

    def test_gpus_of_others_are_not_this_containers(self):
        text = self.local(self.machine().nvidia(), nvml="gpus=8,denied=2")
        self.assertIn("2 GPUs", text)
        self.assertIn("NVML may not open GPU 2, GPU 3, GPU 4, GPU 5, GPU 6, GPU 7: not given to this container or job step", text)

    def test_device_files_that_nvml_makes_are_not_given(self):
        text = self.local(self.machine().nvidia(8, 8, 2), nvml="gpus=8")
        self.assertIn("2 GPUs (NVIDIA H100 80GB HBM3) on this host (source: /dev and NVML)", text)
        self.assertIn("NVML has 8 GPUs, and /dev had device files of 2 before NVML was loaded", text)
        text = self.local(self.machine().nvidia(8, 8, 0), nvml="gpus=8")
        self.assertIn("8 GPUs", text)
        self.assertIn("/dev had no device file of a GPU", text)

    def test_names_are_bounded_and_safe(self):
        text = self.local(self.machine().nvidia(), nvml="gpus=8,endless_names")
        self.assertIn("(" + "x" * 96 + ")", text)
        text = self.local(self.machine().nvidia(), nvml="gpus=8,bytes")
        self.assertNotIn("\033", text)
        self.assertEqual(self.facts(self.machine().nvidia(), nvml="gpus=8,bytes")["local"][0]["model"], "a\033[31m\ufffd\"b\n")


class WithoutNvml(Local):
    def without(self, text, machine, reason, *words, **options):
        out = self.local(machine, *words, **options)
        self.assertIn(f"{text} on this host (source: /dev)\n", out)
        self.assertIn(reason, out)

    def test_codes_of_the_library(self):
        for code, reason in ((9, "the driver is not loaded (NVML code 9)"), (15, "has fallen off the bus"), (18, "different versions"), (12, "NVML code 12")):
            self.without(f"8 GPUs ({H100})", self.machine().nvidia(), reason, nvml=f"gpus=8,init={code}")

    def test_a_driver_that_is_not_loaded_leaves_files(self):
        text = self.local(self.machine().nvidia(8, None, 8), nvml="init=9")
        self.assertIn("0 GPUs (NVIDIA) on this host (source: NVML)\n", text)
        self.assertIn("the driver is not loaded", text)

    def test_a_driver_that_does_not_answer(self):
        began = time.monotonic()
        self.without(f"8 GPUs ({H100})", self.machine().nvidia(), "NVIDIA's driver does not answer: NVML was waited for ", "--timeout", "500ms",
                     nvml="gpus=8,block")
        self.assertLess(time.monotonic() - began, PATIENCE / 2)

    def test_libraries_that_do_not_work(self):
        for how, reason in (("abort_at_load", "crashed when it was loaded or asked: signal 6; it said: the fake library aborts"),
                            ("crash", "crashed when it was loaded or asked: signal 11"), ("exit_at_load", "is empty, exit code 7"),
                            ("flood", "NVML was not asked: "), ("gpus=0x80000000", "NVML says that there are 2147483648 GPUs, which cannot be")):
            if how == "crash" and SANITIZED:
                continue  # the sanitizer ends the process in its own way
            self.without(f"8 GPUs ({H100})", self.machine().nvidia(), reason, nvml=how)

    def test_a_file_that_is_no_library(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(folder + "/libnvidia-ml.so.1", "w") as out:
                out.write("no library")
            self.without(f"8 GPUs ({H100})", self.machine().nvidia(), "could not be loaded: ", LD_LIBRARY_PATH=folder)

    def test_a_host_without_gpus_passes_with_a_library_that_finds_none(self):
        for code in (0, 9, 28):
            self.assertEqual(self.local(self.machine(), nvml=f"gpus=0,init={code}"), "no accelerators on this host (source: PCI and /dev)\n")

    def test_the_library_can_be_left_alone(self):
        machine = self.machine().nvidia()
        self.assertEqual(self.local(machine, "--no-nvml", nvml="abort_at_load"), f"8 GPUs ({H100}) on this host (source: /dev)\n")
        group = self.facts(machine, "--no-nvml")["local"][0]
        self.assertEqual(group["driver"], "580.159.04")
        self.assertEqual(group["devices"][7], {"model": H100, "uuid": "GPU-7", "bus": bus(7), "node": "/dev/nvidia7", "index": 7, "memory_bytes": None})

    def test_what_a_container_was_given_counts(self):
        self.without(f"2 GPUs ({H100})", self.machine().nvidia(8, 8, 2), "PCI has 8 GPUs of NVIDIA, the driver lists 8, /dev has 2: the others are not given",
                     "--no-nvml")
        self.without("0 GPUs (NVIDIA)", self.machine().nvidia(8, 8, 0), "the driver lists 8, /dev has 0: the others are not given", "--no-nvml")
        self.without(f"2 GPUs ({H100})", self.machine().nvidia(8, 2, 2), f"{bus(2)}, {bus(3)}", "--no-nvml")

    def test_a_gpu_that_fell_off_the_bus_is_named(self):
        self.without(f"7 GPUs ({H100})", self.machine().nvidia(8, 7, 7), f"PCI has 8 GPUs of NVIDIA, the driver lists 7, /dev has 7: {bus(7)} has fallen off",
                     "--no-nvml")

    def test_no_driver(self):
        text = self.local(self.machine().nvidia(8, None, 0))
        self.assertIn("0 GPUs (NVIDIA)", text)
        self.assertIn("PCI has 8 GPUs of NVIDIA, and no driver is loaded, or it is hidden", text)

    def test_a_hidden_sysfs(self):
        self.assertEqual(self.local(self.machine().nvidia(0, 4, 4), "--no-nvml"), f"4 GPUs ({H100}) on this host (source: /dev)\n")

    def test_instances_cannot_be_counted_by_files(self):
        machine = self.machine().nvidia(1, 1, 1).file("/dev/nvidia-caps/nvidia-cap12")
        self.without("an unknown number of GPUs (NVIDIA H100 80GB HBM3)", machine, "how many there are is not known without NVML", "--no-nvml")
        self.assertIsNone(self.facts(machine, "--no-nvml")["local"][0]["count"])

    def test_a_gpu_that_the_driver_does_not_use(self):
        machine = self.machine().nvidia(8, 8, 7)
        machine.file(f"/proc/driver/nvidia/gpus/{bus(7)}/information", f"Bus Location: \t {bus(7)}\nGPU Excluded:\t Yes\n")
        self.assertEqual(self.local(machine, "--no-nvml"), f"7 GPUs ({H100}) on this host (source: /dev)\n  the driver does not use {bus(7)}: GPU Excluded\n")


class Visible(Local):
    def test_variables_do_not_change_what_the_host_has(self):
        machine = self.machine().nvidia()
        for value, count in (("0,1", 2), ("0, 3 ,5", 3), ("", 0), ("-1", 0), ("1,-1,2", 1), ("0,8,1", 1), ("NoDevFiles", 0), ("GPU-3", 1), ("GPU-3,GPU-9", 1)):
            text = self.local(machine, "--no-nvml", CUDA_VISIBLE_DEVICES=value)
            self.assertIn("8 GPUs", text, value)
            self.assertIn(f"this process sees {count} of 8 (CUDA_VISIBLE_DEVICES)", text, value)
            group = self.facts(machine, nvml="gpus=8", CUDA_VISIBLE_DEVICES=value)["local"][0]
            self.assertEqual((group["count"], group["visible"]), (8, {"variable": "CUDA_VISIBLE_DEVICES", "count": count}))

    def test_what_hides_nothing_is_not_named(self):
        for variables in ({"CUDA_VISIBLE_DEVICES": "0,1,2,3,4,5,6,7"}, {"NVIDIA_VISIBLE_DEVICES": "void"}, {"NVIDIA_VISIBLE_DEVICES": "0"},
                          {"HIP_VISIBLE_DEVICES": "0"}):
            self.assertEqual(self.local(self.machine().nvidia(), "--no-nvml", **variables), f"8 GPUs ({H100}) on this host (source: /dev)\n")

    def test_values_that_say_nothing_certain(self):
        for value in ("0,0", "MIG-1/2/3", "0,GPU-1", "0," * 50000):
            text = self.local(self.machine().nvidia(), "--no-nvml", CUDA_VISIBLE_DEVICES=value)
            self.assertIn("how many of 8 this process sees is not known: CUDA_VISIBLE_DEVICES is ", text)
            self.assertLess(len(text), 400)


def amd(machine, gpus=8, given=8, kfd=True):
    for i in range(gpus):
        machine.pci(f"0000:{0x10 + i:02x}:00.0", "0x1002", "0x74a1", "0x120000")
        machine.file(f"/sys/bus/pci/devices/0000:{0x10 + i:02x}:00.0/mem_info_vram_total", "206141652992\n")
        machine.file(f"/sys/class/kfd/kfd/topology/nodes/{i + 2}/properties",
                     f"cpu_cores_count 0\nsimd_count 1216\ngfx_target_version 90402\nvendor_id 4098\nlocation_id {(0x10 + i) << 8}\ndomain 0\n"
                     f"drm_render_minor {128 + i}\nunique_id 1234567{i}\n")
    machine.file("/sys/class/kfd/kfd/topology/nodes/0/properties", "cpu_cores_count 96\nsimd_count 0\n")
    for i in range(given):
        machine.file(f"/dev/dri/renderD{128 + i}")
    return machine.file("/dev/kfd") if kfd else machine


class OtherVendors(Local):
    def test_amd(self):
        group = self.facts(amd(self.machine()))["local"][0]
        self.assertEqual((group["kind"], group["vendor"], group["model"], group["count"], group["source"]), ("GPU", "AMD", "AMD gfx942", 8, "KFD and /dev"))
        self.assertEqual(group["devices"][1], {"model": "AMD gfx942", "uuid": "bc6147", "bus": "0000:11:00.0", "node": "/dev/dri/renderD129", "index": None,
                                               "memory_bytes": 206141652992})
        text = self.local(amd(self.machine(), given=2), ROCR_VISIBLE_DEVICES="0")
        self.assertIn("2 GPUs (AMD gfx942)", text)
        self.assertIn("the driver lists 8 GPUs of AMD, /dev/dri has 2: the others are not given to this container", text)
        self.assertIn("this process sees 1 of 2 (ROCR_VISIBLE_DEVICES)", text)
        text = self.local(amd(self.machine(), kfd=False))
        self.assertIn("0 GPUs (AMD) on this host", text)
        self.assertIn("there is no /dev/kfd", text)

    def test_partitions_of_amd(self):
        machine = amd(self.machine(), gpus=1, given=4)
        for i in range(3):
            machine.file(f"/sys/class/kfd/kfd/topology/nodes/{i + 3}/properties",
                         f"simd_count 152\ngfx_target_version 90402\nlocation_id {0x1000}\ndrm_render_minor {129 + i}\n")
        text = self.local(machine)
        self.assertIn("4 GPUs (AMD gfx942)", text)
        self.assertIn("a GPU of AMD can be divided: the driver lists 4 partitions of 1, and these count", text)

    def test_tpus(self):
        for device, subsystem, model, each, memory in (("0x0027", "0x004f", "TPU v3", 2, 32), ("0x005e", "0x0000", "TPU v4", 1, 32), ("0x0063", "0", "TPU v5e", 1, 16),
                                                       ("0x0076", "0", "TPU tpu7x", 2, 192)):
            machine = self.machine()
            for i in range(4):
                machine.pci(f"0000:00:0{4 + i}.0", "0x1ae0", device, "0x120000", subsystem)
                machine.file(f"/dev/accel{i}")
            machine.pci("0000:00:03.0", "0x1ae0", "0x0042", "0x020000")  # its network adapter
            group = self.facts(machine)["local"][0]
            self.assertEqual((group["kind"], group["model"], group["count"], len(group["devices"])), ("TPU", model, 4 * each, 4))
            self.assertEqual(group["devices"][0]["memory_bytes"], memory << 30)

    def test_functions_of_a_chip_are_its_cores(self):
        machine = self.machine().pci("0000:00:04.0", "0x1ae0", "0x0076").pci("0000:00:04.1", "0x1ae0", "0x0076").file("/dev/accel0")
        self.assertIn("2 TPUs (TPU tpu7x)", self.local(machine))

    def test_tpus_given_by_their_iommu_group(self):
        machine = self.machine().file("/dev/vfio/vfio")
        for i in range(8):
            machine.pci(f"0000:00:{4 + i:02x}.0", "0x1ae0", "0x0062", "0x120000")
            machine.link(f"/sys/bus/pci/devices/0000:00:{4 + i:02x}.0/iommu_group", f"../../../kernel/iommu_groups/{20 + i}")
        for i in (20, 22, 99):
            machine.file(f"/dev/vfio/{i}")
        text = self.local(machine)
        self.assertIn("2 TPUs (TPU v5p) on this host (source: PCI and /dev)\n  PCI has 8 TPU chips, /dev has 2: the others are not given", text)
        self.assertEqual([device["node"] for device in self.facts(machine)["local"][0]["devices"]], ["/dev/vfio/20", "/dev/vfio/22"])

    def test_tpus_of_a_hidden_sysfs_are_not_guessed(self):
        self.assertIn("an unknown number of TPUs (Google)", self.local(self.machine().file("/dev/accel0").file("/dev/accel1")))

    def test_gaudi(self):
        machine = self.machine()
        for i in range(8):
            address = f"0000:{0x30 + i:02x}:00.0"
            machine.pci(address, "0x1da3", "0x1020", "0x120000")
            machine.link(f"/sys/class/accel/accel{i}/device", f"../../../bus/pci/devices/{address}")
            machine.link(f"/sys/bus/pci/devices/{address}/driver", "../../drivers/habanalabs")
        for i in range(7):
            machine.file(f"/dev/accel/accel{i}")
        text = self.local(machine)
        self.assertIn("7 HPUs (Gaudi 2) on this host (source: /dev)", text)
        self.assertIn("PCI has 8 Gaudi, the driver 8, /dev 7: the others are not given", text)

    def test_files_of_other_vendors_in_the_folder_of_gaudi(self):
        machine = self.machine().pci("0000:30:00.0", "0x1da3", "0x1020", "0x120000").file("/dev/accel/accel0")
        self.assertIn("an unknown number of HPUs (Intel)", self.local(machine))
        machine = self.machine().file("/dev/accel/accel0").link("/sys/class/accel/accel0/device", "../../../bus/pci/devices/0000:00:0b.0")
        machine.pci("0000:00:0b.0", "0x8086", "0x7d1d", "0x120000").link("/sys/bus/pci/devices/0000:00:0b.0/driver", "../../drivers/intel_vpu")
        self.assertEqual(self.local(machine), "no accelerators on this host (source: PCI and /dev)\n")

    def test_gaudi_of_older_drivers(self):
        machine = self.machine().file("/sys/module/habanalabs/version", "1.19.0\n")
        for i in range(8):
            machine.pci(f"0000:{0x30 + i:02x}:00.0", "0x1da3", "0x1020", "0x120000")
            machine.link(f"/sys/class/habanalabs/hl{i}/device", f"../../../0000:{0x30 + i:02x}:00.0")
            machine.file(f"/dev/accel/accel{i}")
        group = self.facts(machine)["local"][0]
        self.assertEqual((group["kind"], group["model"], group["count"], group["driver"]), ("HPU", "Gaudi 2", 8, "1.19.0"))

    def test_neuron(self):
        machine = self.machine()
        for i in range(16):
            machine.pci(f"0000:{0x40 + i:02x}:00.0", "0x1d0f", "0x7364", "0x120000").file(f"/dev/neuron{i}")
        machine.pci("0000:01:00.0", "0x1d0f", "0x8061", "0x010802")  # a disk
        self.assertEqual(self.local(machine), "16 NEURONs (AWS Neuron) on this host (source: /dev)\n")

    def test_two_vendors(self):
        groups = self.facts(amd(self.machine().nvidia(1, 1, 1), gpus=2, given=2), "--no-nvml")["local"]
        self.assertEqual([(group["vendor"], group["count"]) for group in groups], [("NVIDIA", 1), ("AMD", 2)])


class Words(Local):
    def test_local_stands_alone(self):
        for words in (("local", "tpu:x"), ("tpu:x", "local"), ("local", "local")):
            done = self.run_it("devices", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("'local' is this host, and cannot stand beside targets", done.stderr)

    def test_a_misspelt_local(self):
        for words in (("locl",), ("tpu:x", "locla")):
            done = self.run_it("devices", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("has no scheme: did you mean local?", done.stderr)
        self.assertIn("targets begin with their scheme", self.run_it("devices", "trainer").stderr)

    def test_local_is_a_word_of_this_command(self):
        self.assertEqual(self.run_it("spec", "local").returncode, 2)

    def test_options_of_local_are_not_for_targets(self):
        for words in (["--no-nvml"], ["--machine-root", "/"]):
            done = self.run_it("devices", "tpu:grpc://127.0.0.1:1", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"{words[0]} is for this host: rollcall devices local", done.stderr)

    def test_folders_that_are_hidden(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_it("devices", "local", "--machine-root", folder)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("neither /dev nor /sys/bus/pci/devices can be listed", done.stderr)
            os.mkdir(folder + "/dev")
            done = self.run_it("devices", "local", "--machine-root", folder)
            self.assertEqual(done.returncode, 0)
            self.assertIn("only device files were counted", done.stdout)


if __name__ == "__main__":
    main()
