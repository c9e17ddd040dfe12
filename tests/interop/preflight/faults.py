"""The planted faults. Each prepares the network and the run, and returns the findings that all members must name, as (scope, check, places)."""
import subprocess
import sys

from network import PORT, address, inside


def no_fault(net, run):
    run.timeout = "60s"  # on a busy machine the last one may start late
    return []


def firewall(net, run):
    net.drop(5)
    return [("host", "reach", (5,))]


def one_way(net, run):
    net.drop(6, [address(2)])
    return [("pair", "reach", (2, 6))]


def three_ways(net, run):
    net.drop(6, [address(other) for other in (0, 1, 2)])
    return [("host", "reach", (6,))]


def black_hole(net, run):
    net.small_packets(4, 1400)
    run.texts.append("packets above 1400 bytes are lost")
    return [("host", "large_packets", (4,))]


def host_down(net, run):
    net.down(3)
    run.absent.add(3)
    return [("host", "absent", (3,))]


def first_down(net, run):
    net.down(0)
    run.absent.add(0)
    return [("host", "absent", (0,))]


def no_network(net, run):
    net.down(3)
    run.apart.add(3)
    return [("host", "absent", (3,))]


def never_started(net, run):
    run.absent.add(4)
    return [("host", "absent", (4,))]


def late_starters(net, run):
    run.late.update({4, 5, 7})  # 5 keeps the roll
    return []


def port_taken(net, run):
    program = subprocess.Popen(inside(4, sys.executable, "-c", f"import socket; s = socket.create_server(('', {PORT})); print(flush=True)\nwhile True: s.accept()[0].close()"),
                               stdout=subprocess.PIPE)
    program.stdout.readline()
    run.others.append(program)
    return [("host", "port", (4,))]


def wrong_name(net, run):
    net.name({(2, 4): 5})
    run.hosts = [f"w{member}" for member in range(net.members)]
    return [("host", "names", (2,))]


def rank_twice(net, run):
    run.tasks[4] = 3
    run.apart |= {3, 4}
    return [("host", "identity", (3,)), ("host", "identity", (4,))]


def other_list(net, run):
    run.targets[4] = run.target(run.hosts[:-1])
    run.apart.add(4)
    return [("host", "identity", (4,))]


def share_secrets(run):
    for name, text in (("right", "a secret of that many bytes"), ("wrong", "another secret of that size")):
        with open(f"{run.folder}/{name}", "w", encoding="ascii") as file:
            file.write(text)
    run.words = {member: ["--secret-file", f"{run.folder}/right"] for member in range(run.members)}


def a_secret(net, run):
    share_secrets(run)
    return []


def other_secret(net, run):
    share_secrets(run)
    run.words[5] = ["--secret-file", f"{run.folder}/wrong"]
    run.apart.add(5)
    return [("host", "identity", (5,))]


def no_secret(net, run):
    share_secrets(run)
    run.words[0] = []
    run.apart.add(0)
    return [("host", "identity", (0,))]


def only_ipv6(net, run):
    net.only_ipv6(4, "fd99::5")
    run.hosts[4] = "[fd99::5]"
    run.apart.add(4)
    run.texts.append("its address is of IPv6")
    return [("host", "absent", (4,))]


def halves(net, run):
    net.split()
    run.is_split = True
    return []


def halves_large(net, run):
    net.split(mtu=1400)
    run.texts.append("packets above 1400 bytes are lost")
    return [("block", "large_packets", tuple(range(net.members // 2, net.members)))]


def two_switches(net, run):
    run.texts += ["switch s2: ", "cut off from switch s1"]
    part = net.members // 4
    for member in range(net.members):
        run.environments[member] = {"SLURM_TOPOLOGY_ADDR": f"s0.s{member // part + 1}.n{member}", "SLURM_TOPOLOGY_ADDR_PATTERN": "switch.switch.node"}
    for member in range(part):
        net.drop(member, [address(other) for other in range(part, 2 * part)])
        net.drop(part + member, [address(other) for other in range(part)])
    return [("block", "reach", tuple(range(part, 2 * part)))]


def clock(net, run):
    run.environments[6] = {"LD_PRELOAD": run.library("shift_clock.c", "shift_clock.so"), "SHIFT_CLOCK": "4.2"}
    run.texts.append("its clock is 4.")
    return [("host", "clock", (6,))]


def driver(net, run):
    for member in range(net.members):
        version = "570.158.01" if member == 5 else "580.159.04"
        run.file(member, "/proc/driver/nvidia/version", f"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {version}  Release Build\n")
        run.file(member, "/dev/nvidia0").file(member, "/sys/bus/pci/devices/.keep")
    run.checks = "kernel,driver"
    run.texts.append("driver is 570.158.01")
    return [("host", "driver", (5,))]


def package(net, run):
    for member in range(net.members):
        run.file(member, "/opt/venv/pyvenv.cfg", "home = /usr/bin\n")
        for name in ("numpy-2.1.0", "jax-0.4.30" if member == 5 else "jax-0.4.35"):
            run.file(member, f"/opt/venv/lib/python3.11/site-packages/{name}.dist-info/METADATA")
        run.environments[member] = {"VIRTUAL_ENV": "/opt/venv"}
    run.checks = "packages"
    run.severity = "warning"
    run.texts.append("jax 0.4.30, not 0.4.35")
    return [("host", "packages", (5,))]


def disk(net, run):
    run.checks = f"kernel,disk:{run.folder}/data=16M"
    run.mounts[5] = ["-t", "tmpfs", "-o", "size=4m", "none", f"{run.folder}/data"]
    return [("host", f"disk:{run.folder}/data", (5,))]


def measured(net, run, slow_in=(), slow_out=()):
    net.shape(slow_in, slow_out)
    run.checks = "kernel,bandwidth"
    return [("host", "bandwidth", (member,)) for member in sorted({*slow_in, *slow_out})]


def no_slow_link(net, run):
    return measured(net, run)


def slow_in(net, run):
    run.texts.append("receives")
    return measured(net, run, slow_in=[6])


def slow_out(net, run):
    run.texts.append("sends")
    return measured(net, run, slow_out=[6])


def gpu_of(net, run, words, text):
    library = run.library("../../command/fake_nvml.c", "libnvidia-ml.so.1")
    for member in range(net.members):
        for number in range(2):
            run.file(member, f"/dev/nvidia{number}")
        run.file(member, "/sys/bus/pci/devices/.keep")
        run.environments[member] = {"LD_LIBRARY_PATH": library.rsplit("/", 1)[0], "FAKE_NVML": "gpus=2" + (f",{words}" if member == 4 else "")}
    run.checks = "kernel,gpu"
    run.has_nvml = True
    run.texts.append(text)
    return [("device", "gpu", (4,))]


def gpu_rows(net, run):
    return gpu_of(net, run, "bad=2,rows_failed=1", "gpu 1 (GPU-1, 0000:1b:00.0): the remapping of a row")


def gpu_errors(net, run):
    return gpu_of(net, run, "bad=2,ecc_volatile=3", "3 uncorrectable")


def gpu_lost(net, run):
    return gpu_of(net, run, "lost=1,code=15", "gpu 0")


FAULTS = [no_fault, firewall, one_way, three_ways, black_hole, host_down, first_down, no_network, never_started, late_starters, port_taken, wrong_name, rank_twice,
          other_list, a_secret, other_secret, no_secret, only_ipv6, halves, halves_large, two_switches, clock, driver, package, disk, no_slow_link, slow_in, slow_out, gpu_rows, gpu_errors, gpu_lost]
