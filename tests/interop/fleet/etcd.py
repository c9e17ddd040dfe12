"""etcd.py TRANSCRIPT: services that share their state through real etcds. INTEROP_ROLLCALL is the command, INTEROP_TEST_STORE the tests of the store, whose contract runs here;
etcds.py and followers.py describe the other inputs. Last line: `N passed, N failed, N skipped`.
"""
import base64
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from table import check, get, section, until, versions, write  # noqa: E402
from counterparts import Programs, ROLLCALL  # noqa: E402
from etcds import ETCD, NAME, Etcds, Services  # noqa: E402
from followers import Epochs, Follower, check_output  # noqa: E402

CONTRACT = os.environ["INTEROP_TEST_STORE"]
PREFIX = "/rollcall/prod/v1/"
LEASE = 10  # seconds, of a service


def contract(what, urls, **settings):
    environment = {"PATH": os.environ["PATH"], "ROLLCALL_TEST_ETCD": ",".join(urls), **{f"ROLLCALL_TEST_ETCD_{key}": value for key, value in settings.items()}}
    said = subprocess.run([CONTRACT, "[contract]", "-d", "yes"], env=environment, capture_output=True, text=True, check=False, timeout=300).stdout
    found = re.search(r"All tests passed \((\d+) assertions in (\d+) test cases\)", said)
    check(f"the contract of the store: {what}", found.group(0) if found else said[-300:], lambda text: text.startswith("All tests passed"))


def make_certificates(folder):
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, capture_output=True, check=True)
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]
    openssl("req", "-x509", *key, "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.crt")
    for name in ("server", "client"):
        openssl("req", "-x509", *key, "-subj", "/", "-CA", "ca.crt", "-CAkey", "ca.key", "-addext", "subjectAltName=IP:127.0.0.1",
                "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", f"{name}.key", "-out", f"{name}.crt")


def try_contract(programs, folder):
    section("The contract of the store")
    three = Etcds(programs, folder)
    contract("three servers", three.urls)
    three.kill(0)
    contract("the first of three is down", three.urls)
    three.end()
    tls = os.path.join(folder, "tls")
    os.mkdir(tls)
    make_certificates(tls)
    one = Etcds(programs, folder, 1, tls)
    files = {"CA": f"{tls}/ca.crt", "CERTIFICATE": f"{tls}/client.crt", "KEY": f"{tls}/client.key"}
    contract("TLS with client certificates", one.urls, **files)
    with open(f"{tls}/password", "w", encoding="ascii") as file:
        file.write("pass-of-rollcall\n")
    one.ctl("role", "add", "tests")
    for command in (["role", "grant-permission", "tests", "--prefix=true", "readwrite", "/rollcall-test/"], ["user", "add", "rollcall:pass-of-rollcall"],
                    ["user", "grant-role", "rollcall", "tests"], ["user", "add", "root:root"], ["user", "grant-role", "root", "root"], ["auth", "enable"]):
        one.ctl(*command)
    # Compaction is root's alone; the tests' own user compacts in one case.
    one.ctl("user", "grant-role", "rollcall", "root", user="root:root")
    contract("the same, with users", one.urls, USER="rollcall", PASSWORD_FILE=f"{tls}/password", **files)
    one.ctl("user", "revoke-role", "rollcall", "root", user="root:root")
    one.end()
    return tls


def try_services(programs, folder):
    etcds = Etcds(programs, folder)
    versions.append(subprocess.run([ETCD, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0])
    section("Three services, three etcds")
    services = Services(programs, folder, etcds)
    check("all are ready", services.all_ready(), True)
    until(services.fresh)
    followers = [Follower(services.urls, i, NAME) for i in range(3)]
    epochs = Epochs(etcds, PREFIX + "status/")
    check("all tell the same", until(lambda: len({services.answer(i)[1] for i in range(3)}) == 1), True)
    owner, epoch = services.owner()
    time.sleep(5)
    check("one of them asks the cloud", services.owner(), lambda now: now == (owner, epoch))

    began = time.monotonic()
    services.processes[owner].kill()
    rest = [i for i in range(3) if i != owner]
    taken = until(lambda: (services.owner() or (owner, 0))[0] != owner)
    check(f"the one that asks is killed: another one asks within {LEASE} s and two", [bool(taken), round(time.monotonic() - began, 1)], lambda got: got[0] and got[1] <= LEASE + 2)
    check("and the others send its polls, within two seconds of the lease's end (seconds from the kill)", services.until_fresh(rest, since=began),
          lambda seconds: seconds is not None and seconds <= LEASE + 2)
    services.start(owner)
    services.all_ready()

    owner, epoch = services.owner()
    services.processes[owner].send_signal(signal.SIGSTOP)
    time.sleep(20)
    now = services.owner()
    check("the one that asks stands still for 20 s: another one asks, in a later epoch", [now is not None and now[0] != owner, now is not None and now[1] > epoch], [True, True])
    services.processes[owner].send_signal(signal.SIGCONT)
    seen = set()
    end = time.monotonic() + 6
    while time.monotonic() < end:
        seen.add(services.epoch_of_status())
        time.sleep(0.2)
    check("it goes on, and nothing of it is written any more", [epoch not in seen, services.owner() == now], [True, True])
    check("all are fresh again", services.until_fresh(), lambda seconds: seconds is not None)

    owner, _ = services.owner()
    began = time.monotonic()
    services.processes[owner].terminate()
    taken = until(lambda: (services.owner() or (owner, 0))[0] != owner)
    check("the one that asks is ended in order: another one asks (seconds)", round(time.monotonic() - began, 1), lambda seconds: taken and seconds <= 3)
    services.processes[owner].wait(20)
    services.start(owner)
    services.all_ready()

    section("What befalls the etcds")
    leader = etcds.leader()
    etcds.kill(leader)
    check("the leader is killed: a later poll is sent (seconds)", services.until_fresh(), lambda seconds: seconds is not None and seconds <= 15)
    etcds.start(leader)
    until(lambda: etcds.ctl("endpoint", "health").stdout.count("is healthy") == 3 or etcds.ctl("endpoint", "health").stderr.count("is healthy") == 3)
    leader = etcds.leader()
    stopped = [leader, (leader + 1) % 3]
    began = time.monotonic()
    for i in stopped:
        etcds.processes[i].send_signal(signal.SIGSTOP)
    time.sleep(20)
    answers = [services.answer(i) for i in range(3)]
    check("two of three stand still for 20 s: the known state is sent, with its age", [[status for status, _, _ in answers], min(age for _, _, age in answers)],
          lambda got: got[0] == [200] * 3 and got[1] >= 10)
    check("followers get the trouble", [follower.has(["trouble"], began) for follower in followers], [True] * 3)
    check("the services say that they are not ready", [get(f"{url}/readyz")[0] for url in services.urls], [503] * 3)
    for i in stopped:
        etcds.processes[i].send_signal(signal.SIGCONT)
    check("they go on: a later poll is sent (seconds)", services.until_fresh(), lambda seconds: seconds is not None and seconds <= 20)
    for i in range(3):
        etcds.kill(i)
    time.sleep(3)
    etcds.start_all()
    check("all are killed, and started again (seconds)", services.until_fresh(), lambda seconds: seconds is not None and seconds <= 20)
    check("all are ready", services.all_ready(), True)

    etag = services.answer(0)[1]
    paused = rest[0]
    services.processes[paused].send_signal(signal.SIGSTOP)
    time.sleep(8)
    etcds.ctl("compact", str(etcds.revision()))
    services.processes[paused].send_signal(signal.SIGCONT)
    check("one stands still while the history that it has not heard is compacted away (seconds)", services.until_fresh(), lambda seconds: seconds is not None and seconds <= 20)
    check("positions stay those of one history", [services.answer(i)[1].strip('"').partition(".")[0] for i in range(3)], [etag.strip('"').partition(".")[0]] * 3)

    snapshot = os.path.join(folder, "snapshot.db")
    saved = subprocess.run(["etcdctl", "--endpoints", etcds.urls[0], "snapshot", "save", snapshot], capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"], "ETCDCTL_API": "3"})
    check("a snapshot is taken", saved.returncode, 0)
    time.sleep(8)
    before_restoring = list(epochs.seen)
    epochs.is_over = True
    began = time.monotonic()
    etcds.restore(snapshot)
    check("the store is restored from it (seconds)", services.until_fresh(), lambda seconds: seconds is not None and seconds <= 30)
    check("positions are those of another history, the same for all", len({services.answer(i)[1].strip('"').partition(".")[0] for i in range(3)} | {etag.strip('"').partition(".")[0]}), 2)
    check("followers get everything again", until(lambda: all(follower.has(["progress", "ready"], began) for follower in followers), 60), True)
    time.sleep(LEASE + 5)
    end = time.monotonic()
    for follower in followers:
        follower.is_over = True
    reported = sum(len(follower.events) for follower in followers)
    check(f"the events of three followers, {reported > 100 and 'more than a hundred' or reported} events at {sum(len(one.lines) for one in followers)} streams: what does not hold of I1, I2, I4, I5, I6",
          check_output(followers, services.timeline, services.begun, end), [])
    changes = int((began - services.begun) / services.CHANGES_EVERY)  # of the cloud; an outage of 20 s hides one or two
    check("changes of the cloud, writes of statuses that were watched until the snapshot was restored, and what does not hold of their epochs (I3)",
          [changes, len(before_restoring), check_output([], services.timeline, services.begun, end, before_restoring)],
          lambda got: got[0] > 2 and got[1] >= got[0] - 2 and not got[2])
    services.end()
    etcds.end()


def put(etcds, key, value):
    """Writes with a lease of an hour, as if another service had written it; returns the lease."""
    lease = etcds.ctl("lease", "grant", "3600").stdout.split()[1]
    etcds.ctl("put", "--lease", lease, PREFIX + key, json.dumps(value))
    return lease


def store_id(name):
    return base64.b32encode(hashlib.sha256(name.encode()).digest()).decode().lower()[:26]


def score(source, replica):
    """The same as rendezvous_score() of src/fleet/replicas/rules/ownership.cpp."""
    most = (1 << 64) - 1
    value = 14695981039346656037
    for byte in f"{source}\0{replica}".encode():
        value = (value ^ byte) * 1099511628211 & most
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9 & most
    value = (value ^ value >> 27) * 0x94d049bb133111eb & most
    return value ^ value >> 31


def try_schemas(programs, folder):
    section("Services of several versions")
    etcds = Etcds(programs, folder, 1)
    services = Services(programs, folder, etcds)
    until(services.fresh)
    follower = Follower(services.urls, 0, NAME)
    source = store_id("tpu/p/us-central2-b")
    ids = [key.rsplit("/", 1)[1] for key in etcds.ctl("get", "--prefix", PREFIX + "replica/", "--keys-only").stdout.split()]
    best = next(name for name in (f"newcomer{i}" for i in range(10_000)) if score(source, name) > max(score(source, one) for one in ids))
    owner = services.owner()
    lease = put(etcds, f"replica/{best}", {"url": "http://127.0.0.1:1", "version": "9", "schema": 2, "beat": 1})
    time.sleep(40)
    check("a newer service is there, whose turn it would be: as long as one of the older is left, it owns", services.owner(), owner)
    etcds.ctl("lease", "revoke", lease)
    lease = put(etcds, f"replica/{best}", {"url": "http://127.0.0.1:1", "version": "0", "schema": 1, "beat": 1})
    began = time.monotonic()
    keys = lambda: etcds.ctl("get", "--prefix", PREFIX + "owner/", "--keys-only").stdout.split()
    given = until(lambda: not keys(), 45)
    check("one of the same schema instead: the source is left to it after half a minute (seconds)", round(time.monotonic() - began), lambda seconds: given and 28 <= seconds <= 40)
    taken = until(lambda: bool(keys()), 25)
    check("it does not take it: another one does, a quarter of a minute later (seconds)", round(time.monotonic() - began), lambda seconds: taken and seconds <= 60)
    etcds.ctl("lease", "revoke", lease)
    services.processes[0].terminate()
    services.processes[0].wait(20)
    meta = json.loads(base64.b64decode(etcds.value(PREFIX + "meta")["value"]))
    etcds.ctl("put", PREFIX + "meta", json.dumps({**meta, "schema": 2, "min_schema": 2}))
    services.start(0)
    said = until(lambda: (lambda got: got[1] if "failed_precondition" in got[1] else None)(get(f"{services.urls[0]}/readyz")), 20)
    check("the store is for newer services only: an older one that starts is not ready, and says why", said, lambda text: bool(text))
    follower.is_over = True
    services.end()
    etcds.end()


def try_lost_delete(programs, folder):
    """etcd before 3.4.36 does not report to a watch that begins at the compacted revision what was deleted there: data that depends on deletes is listed again."""
    section("A delete that the watch may not tell")
    etcds = Etcds(programs, folder, 1)
    services = Services(programs, folder, etcds, count=1)
    until(lambda: services.fresh(of=[0]))
    target = "tpu:other,project=p,zone=us-east5-a"
    key, owner = f"want/{store_id(target)}/elsewhere", PREFIX + "owner/" + store_id("tpu/p/us-east5-a")
    put(etcds, key, {"target": target, "spec": 0, "wish": 0})
    check("what another service wants is asked for", bool(until(lambda: etcds.value(owner))), True)
    services.processes[0].send_signal(signal.SIGSTOP)
    etcds.ctl("del", PREFIX + key)
    etcds.ctl("compact", str(etcds.revision()))
    etcds.kill(0)
    etcds.start(0)
    until(lambda: etcds.ctl("endpoint", "health").returncode == 0)
    services.processes[0].send_signal(signal.SIGCONT)
    began = time.monotonic()
    gone = until(lambda: not etcds.value(owner), 30)
    check("it is not wanted any more, which no watch has reported: its source is given back (seconds)", round(time.monotonic() - began, 1), lambda seconds: gone and seconds <= 15)
    services.end()
    etcds.end()


def try_full(programs, folder):
    section("A store without space")
    etcds = Etcds(programs, folder, 1, options=["--quota-backend-bytes", str(2 << 20)])
    services = Services(programs, folder, etcds)
    until(services.fresh)
    filling = 0
    while etcds.ctl("put", f"/other/{filling}", "x" * 100_000).returncode == 0:
        filling += 1
    began = time.monotonic()
    follower = Follower(services.urls, 0, NAME)
    time.sleep(15)
    check("the known state is sent, with its age", services.answer(0), lambda got: got[0] == 200 and got[2] >= 5)
    check("the reason is sent", until(lambda: [event["data"] for at, event in follower.events if event["event"] == "trouble" and "out of space" in event["data"]][-1:]), lambda got: bool(got))
    etcds.ctl("del", "--prefix", "/other/")
    for command in (["compact", str(etcds.revision())], ["defrag"], ["alarm", "disarm"]):
        etcds.ctl(*command)
    check("with space again all goes on (seconds)", services.until_fresh(), lambda seconds: seconds is not None and seconds <= 30)
    check("the run without space took (seconds)", round(time.monotonic() - began), lambda seconds: seconds < 120)
    follower.is_over = True
    services.end()
    etcds.end()


def try_secured(programs, folder, tls):
    section("TLS, client certificates, and a user with a role")
    etcds = Etcds(programs, folder, 3, tls)
    for command in (["role", "add", "fleet"], ["role", "grant-permission", "fleet", "--prefix=true", "readwrite", "/rollcall/prod/"], ["user", "add", "rollcall:pass-of-rollcall"],
                    ["user", "grant-role", "rollcall", "fleet"], ["user", "add", "root:root"], ["user", "grant-role", "root", "root"], ["auth", "enable"]):
        done = etcds.ctl(*command)
        if done.returncode:
            check(f"etcdctl {' '.join(command)}", done.stderr, "")
    store = f", authorities: {tls}/ca.crt, certificate: {tls}/client.crt, key: {tls}/client.key, user: rollcall, password_file: {tls}/password"
    services = Services(programs, folder, etcds, store)
    check("all are ready", services.all_ready(), True)
    check("all tell what was seen (seconds)", services.until_fresh(), lambda seconds: seconds is not None)
    # Tokens are kept in memory by the server that gave them.
    for i in range(3):
        etcds.kill(i)
    for i in range(3):
        etcds.start(i)
    check("the servers are restarted, and know no token any more (seconds)", services.until_fresh(), lambda seconds: seconds is not None and seconds <= 30)
    services.end()
    with open(f"{tls}/password", "w", encoding="ascii") as file:
        file.write("another-password\n")
    log = os.path.join(folder, "wrong.log")
    with open(log, "w", encoding="utf-8") as lines:
        wrong = subprocess.Popen([ROLLCALL, "serve", "--config", services.settings[0], "--drain", "1s"], stdout=lines, stderr=lines, env=services.environment)
    programs.running.append(wrong)
    said = until(lambda: (lambda got: got[1] if "unauthenticated" in got[1] else None)(get(f"{services.urls[0]}/readyz")), 20)
    check("a wrong password: not ready, and why", said, lambda text: bool(text))
    wrong.terminate()
    wrong.wait()
    with open(log, encoding="utf-8") as lines:
        reported = [line for line in lines if "authentication failed" in line]
    check("the log says it in etcd's words, once, without the password", reported, lambda lines: len(lines) == 1 and "another-password" not in lines[0])
    etcds.end()


def main():
    (transcript,) = sys.argv[1:]
    folder = tempfile.mkdtemp(prefix="rollcall-etcd-")
    try:
        with Programs() as programs:
            tls = try_contract(programs, folder)
            try_services(programs, folder)
            try_schemas(programs, folder)
            try_lost_delete(programs, folder)
            try_full(programs, folder)
            try_secured(programs, folder, tls)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return write(transcript, "Services that share a store in etcd", "etcd")


sys.exit(main())
