"""Network namespaces, one for each member, joined by bridges in one more. Needs root and iproute2."""
import os
import pathlib
import subprocess

NEIGHBOURS = pathlib.Path("/proc/sys/net/ipv4/neigh/default/gc_thresh3")
PORT = 29500
PREFIX = f"pf{os.getpid()}-"  # two runs at a time do not share namespaces
BRIDGE = PREFIX + "bridge"


def sh(*words, check=True):
    return subprocess.run(words, check=check, capture_output=True, text=True)


def inside(member, *words):
    return ["ip", "netns", "exec", PREFIX + str(member), *words]


def address(member):
    return f"10.99.0.{member + 1}"


class Network:
    """A bridge in a namespace, and a namespace with a link to it for each member."""

    def __init__(self, members):
        self.members = members
        self.neighbours = 2 * members**2

    def __enter__(self):
        # One table of all namespaces, and of all runs: each member knows each other one. Where it is full, packets are lost.
        NEIGHBOURS.write_text(str(int(NEIGHBOURS.read_text()) + self.neighbours))
        sh("ip", "netns", "add", BRIDGE)
        for name in ("br0", "br1"):
            sh("ip", "-n", BRIDGE, "link", "add", name, "type", "bridge")
            sh("ip", "-n", BRIDGE, "link", "set", name, "up")
        for member in range(self.members):
            sh("ip", "netns", "add", PREFIX + str(member))
            sh("ip", "-n", BRIDGE, "link", "add", f"port{member}", "type", "veth", "peer", "name", "eth0", "netns", PREFIX + str(member))
            # One packet is one segment, or large ones would pass a small MTU.
            for namespace, link in ((BRIDGE, f"port{member}"), (PREFIX + str(member), "eth0")):
                sh("ip", "-n", namespace, "link", "set", link, "gso_max_segs", "1", "gso_max_size", "1500", check=False)
                sh("ip", "netns", "exec", namespace, "ethtool", "-K", link, "tso", "off", "gso", "off", "gro", "off", check=False)
            sh("ip", "-n", BRIDGE, "link", "set", f"port{member}", "master", "br0", "up")
            sh("ip", "-n", PREFIX + str(member), "address", "add", address(member) + "/24", "dev", "eth0")
            for link in ("eth0", "lo"):
                sh("ip", "-n", PREFIX + str(member), "link", "set", link, "up")
        return self

    def __exit__(self, *_):
        NEIGHBOURS.write_text(str(int(NEIGHBOURS.read_text()) - self.neighbours))
        for namespace in (BRIDGE, *(PREFIX + str(member) for member in range(self.members))):
            sh("ip", "netns", "del", namespace, check=False)
        for member in range(self.members):
            if os.path.exists(f"/etc/netns/{PREFIX}{member}/hosts"):
                os.remove(f"/etc/netns/{PREFIX}{member}/hosts")
                os.rmdir(f"/etc/netns/{PREFIX}{member}")

    def down(self, member):
        sh("ip", "-n", PREFIX + str(member), "link", "set", "eth0", "down")

    def only_ipv6(self, member, ip):
        sh("ip", "-n", PREFIX + str(member), "address", "del", address(member) + "/24", "dev", "eth0")
        sh("ip", "-n", PREFIX + str(member), "address", "add", ip + "/64", "dev", "eth0", "nodad")

    def drop(self, member, senders=("",)):
        """Drops what arrives at the member's port from those senders; "": from all."""
        namespace = PREFIX + str(member)
        sh("ip", "-n", namespace, "rule", "add", "pref", "100", "lookup", "local", check=False)
        sh("ip", "-n", namespace, "rule", "del", "pref", "0", check=False)
        for number, sender in enumerate(senders):
            words = ["from", sender] if sender else []
            sh("ip", "-n", namespace, "rule", "add", "pref", str(50 + number), *words, "iif", "eth0", "ipproto", "tcp", "dport", str(PORT), "blackhole")

    def small_packets(self, member, mtu):
        """Larger ones are lost, both ways."""
        sh("ip", "-n", BRIDGE, "link", "set", f"port{member}", "mtu", str(mtu))
        sh("ip", "-n", BRIDGE, "link", "set", "br0", "mtu", "1500")

    def shape(self, slow_in=(), slow_out=(), usual=20, slow=4):
        """Rates of all links, in Mbit/s."""
        for member in range(self.members):
            for namespace, link, is_slow in ((BRIDGE, f"port{member}", member in slow_in), (PREFIX + str(member), "eth0", member in slow_out)):
                sh("ip", "netns", "exec", namespace, "tc", "qdisc", "add", "dev", link, "root", "tbf", "rate", f"{slow if is_slow else usual}mbit", "burst", "64kb", "latency", "50ms")

    def split(self, mtu=None):
        """Moves the second half to another bridge; `mtu`: the bridges are joined by a link of that size."""
        for member in range(self.members // 2, self.members):
            sh("ip", "-n", BRIDGE, "link", "set", f"port{member}", "master", "br1")
        if mtu is None:
            return
        sh("ip", "-n", BRIDGE, "link", "add", "joint0", "type", "veth", "peer", "name", "joint1")
        for number in range(2):
            sh("ip", "-n", BRIDGE, "link", "set", f"joint{number}", "master", f"br{number}", "mtu", str(mtu), "up")
            # Setting a port's MTU lowers that of its bridge, which drops nothing by itself.
            sh("ip", "-n", BRIDGE, "link", "set", f"br{number}", "mtu", "1500")

    def name(self, wrong):
        """Names w0, w1, … for all, in /etc/hosts; `wrong`: (reader, member) → the member whose address it finds instead."""
        for reader in range(self.members):
            os.makedirs(f"/etc/netns/{PREFIX}{reader}", exist_ok=True)
            with open(f"/etc/netns/{PREFIX}{reader}/hosts", "w", encoding="utf-8") as file:
                for member in range(self.members):
                    file.write(f"{address(wrong.get((reader, member), member))} w{member}\n")
