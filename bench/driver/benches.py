"""The benches: each measures and returns rows and curves, with the targets that they are compared with."""
import json
import shutil
import subprocess
import tempfile

import guard
from contenders import BUILD, PEERS, PYTHON, Stub, ceiling, each, go, launch, ours, ours_by_http1, program, python, raw, run, say, take_turns
from killed import killed
from row import Curve, Row, Series, Target

BY_HAND = "Go by hand"


def microseconds(line, which="warm"):
    return line[which][1] / line["count"] * 1e6


def discovery():
    """The file in which Google's Python client keeps the description of the API, which TensorFlow reads first."""
    found = sorted((PEERS / "venv").glob("lib/*/site-packages/googleapiclient/discovery_cache/documents/tpu.v1.json"))
    return ["--discovery", found[0]] if found else []


def resolve(setting):
    peers = [
        go(BY_HAND, "byhand"),
        go("Go SDK", "sdk", rounds=0.5),
        python("aiohttp", "aiohttp_nodes", part=0.4, rounds=0.4),
        python("google-cloud-tpu, REST", "google_rest_nodes", part=0.1, rounds=0.3),
        python("TensorFlow, service given", "tensorflow_nodes", part=0.1, rounds=0.3, words=("--service",)),
        python("TensorFlow", "tensorflow_nodes", part=0.04, rounds=0.3),
    ]
    contenders = [raw(), ours(), *(peers if setting.peers else [])]
    count, rounds = (500, 2) if setting.quick else (5000, 11)
    with Stub(*discovery()) as stub:
        lines, series = take_turns(stub, contenders, count, 64, rounds)
    together = each(lines, series, microseconds)
    if setting.peers:
        with grpc_stub() as stub:
            peer = python("google-cloud-tpu, gRPC", "google_grpc_nodes", part=0.2)
            grpc_lines, grpc_series = take_turns(stub, [peer], min(count, 5000), 64, max(1, rounds // 3))
        together += each(grpc_lines, grpc_series, microseconds)
    targets = [Target(1.3, "raw Asio"), Target(1 / 4, BY_HAND), Target(1 / 200, "TensorFlow")]
    yield Row("resolve", "CPU of a warm resolve, 64 in flight", "µs", together, targets, ceiling(lines))
    with Stub("--apart") as stub:
        lines, series = take_turns(stub, contenders[: 3 if setting.peers else 2], count, 64, rounds)
    yield Row("apart", "CPU of a warm resolve, header and body in two packets", "µs", each(lines, series, microseconds), [Target(1.5, "raw Asio")], ceiling(lines))


def grpc_stub():
    return Stub("0", python=PYTHON) if PYTHON.exists() else Stub()


def burst(setting):
    count, rounds = (200, 2) if setting.quick else (1000, 11)
    contenders = [raw(), ours(), *([go(BY_HAND, "byhand")] if setting.peers else [])]
    wall = lambda which: lambda line: line[which][0] * 1e3
    with Stub() as stub:
        lines, series = take_turns(stub, contenders, count, 64, rounds)
    title, targets = f"{count:,} resolves, answered at once: wall time", [Target(1.3, "raw Asio"), Target(0.5, BY_HAND)]
    yield Row("at_once", title, "ms", each(lines, series, wall("warm")), targets, ceiling(lines))
    with Stub("--delay", "50") as stub:
        lines, series = take_turns(stub, contenders, count, count, rounds)
    yield Row("away", f"{count:,} resolves at 50 ms, all in flight: wall time", "ms", each(lines, series, wall("warm")), [Target(1.2, "raw Asio")])
    yield Row("first_burst", f"{count:,} resolves at 50 ms, the first burst: wall time", "ms", each(lines, series, wall("cold")), [Target(0.5, BY_HAND)])
    grown = lambda line: (line["rss_kb"][1] - line["rss_kb"][0]) / count
    yield Row("memory_each", f"memory of a request in flight, of {count:,}", "kB", each(lines, series, grown), [Target(8)])
    yield Row("memory", f"memory of the process, {count:,} in flight", "MB", each(lines, series, lambda line: line["rss_kb"][1] / 1024), [Target(20)])


def growth(setting):
    """Requests in flight from ten to ten thousand. The stub answers at once, so that only their number differs."""
    levels = (10, 100) if setting.quick else (10, 100, 1000, 10_000)
    rounds, count = (2, 500) if setting.quick else (5, 10_000)
    contenders = [raw(), ours(), *([go(BY_HAND, "byhand")] if setting.peers else [])]
    measured = {}
    with Stub() as stub:
        for level in levels:
            say(f"  {level:,} in flight")
            lines, series = take_turns(stub, contenders, max(count, level), level, rounds)
            measured[level] = each(lines, series, microseconds)
    by_name = {one.name: [measured[level][i] for level in levels] for i, one in enumerate(measured[levels[0]])}
    grown = []
    for name, (first, *_, last) in by_name.items():
        values = [b / a for a, b in zip(first.values, last.values)] if not first.note and not last.note else []
        grown.append(Series(name, first.kind, values, first.note or last.note))
    title = f"growth: CPU with {levels[-1]:,} in flight, of that with {levels[0]}"
    yield Row("growth", title, "×", grown, [Target(1.2, "raw Asio")], digits=2)
    points = {name: [(level, one.median) for level, one in zip(levels, series) if one.values] for name, series in by_name.items()}
    kinds = {name: series[0].kind for name, series in by_name.items()}
    note = "the number in flight grows tenfold at each step; a flat line is the ideal"
    yield Curve("growth_curve", "CPU of a resolve, by how many are in flight", "in flight", "µs", points, kinds, note)


def processes(stub, commands, rounds, requests):
    """Each command's lines, and Series without values, of (name, kind, command, the reason why it is missing)."""
    lines = {name: [] for name, *_ in commands}
    series = {name: Series(name, kind, note=reason) for name, kind, _, reason in commands}
    for _ in range(rounds):
        for name, _, command, _ in commands:
            if series[name].note:
                continue
            stub.take()
            line = launch(command, stub.surroundings)
            asked, _ = stub.take()
            wanted = requests.get(name, requests[""])
            if isinstance(line, str):
                series[name].note = line
            elif asked != wanted:
                series[name].note = f"void: the stub was asked {asked} times for the work of {wanted}"
            else:
                lines[name].append(line)
    for one in series.values():
        if one.note:
            say(f"  {one.name}: {one.note}")
    return lines, series


def by_hand(stub, count, in_flight):
    path = PEERS / "byhand"
    return BY_HAND, "peer", [path, stub.port, count, in_flight, "--once"], "" if path.exists() else "not set up"


def start(setting):
    rounds = 3 if setting.quick else 51
    with Stub() as stub:
        root = f"http://127.0.0.1:{stub.port}/"
        target = f"project=p,zone=z,endpoint={root}"
        curl = ["curl", "-s", "-H", "Authorization: Bearer test-token", root + "v2/projects/p/locations/z/nodes/node-1"]
        commands = [("rollcall", "ours", [BUILD / "rollcall", "spec", "tpu:node-1," + target], "")]
        commands.append(("curl", "peer", curl, "" if shutil.which("curl") else "not here"))
        if setting.peers:
            commands.append(by_hand(stub, 1, 1))
        lines, series = processes(stub, commands, rounds, {"": 1})
        wall, targets = (lambda line: line["wall"] * 1e3), [Target(1 / 3, "curl"), Target(1 / 3, BY_HAND)]
        yield Row("start", "command: start to one answer", "ms", each(lines, series, wall), targets, digits=2)
        count, rounds = (200, 2) if setting.quick else (1000, 15)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("".join(f"tpu:node-{i},{target}\n" for i in range(count)))
            file.flush()
            command = [BUILD / "rollcall", "spec", "--targets-from", file.name, "--lookup", "each"]
            commands = [("rollcall", "ours", command, "")]
            if setting.peers:
                commands += [by_hand(stub, count, 64), (f"{BY_HAND}, unbounded", *by_hand(stub, count, count)[1:])]
            lines, series = processes(stub, commands, rounds, {"": count})
        title = f"command: start to {count:,} answers, 64 in flight"
        yield Row("start_many", title, "ms", each(lines, series, wall), [Target(0.5, BY_HAND)])


def https(setting):
    """What is asked of clouds is asked over https. Go verifies the same authority; this stub speaks HTTP/1.1 alone."""
    count, rounds = (200, 2) if setting.quick else (1000, 11)
    contenders = [ours(), *([go(BY_HAND, "byhand")] if setting.peers else [])]
    cpu = lambda which: lambda line: microseconds(line, which)
    wall = lambda which: lambda line: line[which][0] * 1e3
    with Stub(tls=True) as stub:
        lines, series = take_turns(stub, contenders, count * 5, 64, rounds)
        title = "CPU of a warm resolve over https, 64 in flight"
        yield Row("https", title, "µs", each(lines, series, cpu("warm")), [Target(1 / 2, BY_HAND)])
        lines, series = take_turns(stub, contenders, count, 64, rounds)
        title = f"{count:,} resolves over https, the first burst, 64 in flight: CPU"
        yield Row("https_cold", title, "µs", each(lines, series, cpu("cold")), [Target(0.7, BY_HAND)])
        yield from https_start(setting, stub)
    with Stub("--delay", "50", tls=True) as stub:
        lines, series = take_turns(stub, contenders, count, 256, rounds)
        title = f"{count:,} resolves over https at 50 ms, 256 in flight: wall time"
        yield Row("https_away", title, "ms", each(lines, series, wall("cold")), [Target(1, BY_HAND)])
        lines, series = take_turns(stub, contenders, count, count, rounds)
        title = f"memory of the process, {count:,} in flight over https"
        yield Row("https_memory", title, "MB", each(lines, series, lambda line: line["rss_kb"][1] / 1024), [Target(0.5, BY_HAND)])


def https2(setting):
    """The same where the server chooses HTTP/2, beside HTTP/1.1 to the same server: bursts, a long path, memory, and the start."""
    count, rounds = (200, 2) if setting.quick else (1000, 11)
    over_http2 = f"{BY_HAND}, HTTP/2"
    peers = [
        go(BY_HAND, "byhand"),
        go(over_http2, "byhand", variables={"BENCH_HTTP2": "1"}),
        python("aiohttp", "aiohttp_nodes", part=0.4, rounds=0.4),
        python("httpx, HTTP/2", "httpx_nodes", part=0.1, rounds=0.3),
    ]
    contenders = [ours(), ours_by_http1(), *(peers if setting.peers else [])]
    whole = [one for one in contenders if one.part == 1]  # of a part of the answers the wall time says nothing
    both, old = contenders[:2], "rollcall, HTTP/1.1"
    cpu = lambda which: lambda line: microseconds(line, which)
    wall = lambda which: lambda line: line[which][0] * 1e3
    with Stub("--http2", tls=True) as stub:
        lines, series = take_turns(stub, contenders, count * 5, 64, rounds)
        title = "CPU of a warm resolve over HTTP/2, 64 in flight"
        yield Row("http2", title, "µs", each(lines, series, cpu("warm")), [Target(0.65, old), Target(1 / 3, over_http2)])
        lines, series = take_turns(stub, contenders, count, 64, rounds)
        title = f"{count:,} resolves over HTTP/2, the first burst, 64 in flight"
        yield Row("http2_cold", title + ": CPU", "µs", each(lines, series, cpu("cold")), [Target(0.55, old)])
        lines, series = take_turns(stub, whole, count, 64, rounds)
        yield Row("http2_cold_wall", title + ": wall time", "ms", each(lines, series, wall("cold")), [Target(0.6, old)])
        yield Row("http2_handshakes", title + ": handshakes", "", each(lines, series, lambda line: line["handshakes"]), [Target(2)])
        yield from https_many(setting, stub, count)
        lines, series = take_turns(stub, both, count, count, rounds)
        title = f"memory of the process, {count:,} in flight over HTTP/2"
        yield Row("http2_memory", title, "MB", each(lines, series, lambda line: line["rss_kb"][1] / 1024), [Target(20)])
    with Stub("--http2", "--round-trip", "50", tls=True) as stub:
        for in_flight, limit in ((64, 1.08), (256, 0.4)):
            lines, series = take_turns(stub, whole, count, in_flight, 1 if setting.quick else 5)
            title = f"{count:,} resolves over HTTP/2, a round trip of 50 ms, the first burst, {in_flight} in flight: wall time"
            yield Row(f"http2_far_{in_flight}", title, "ms", each(lines, series, wall("cold")), [Target(limit, old)])
    with Stub("--http2", "--round-trip", "50", "--slow-start", tls=True) as stub:
        for in_flight, limit in ((64, 1.08), (256, 0.6)):
            lines, series = take_turns(stub, both, count, in_flight, 1 if setting.quick else 5)
            title = f"{count:,} resolves over HTTP/2, a round trip of 50 ms and TCP's slow start, {in_flight} in flight"
            yield Row(f"http2_slow_{in_flight}", title + ": wall time", "ms", each(lines, series, wall("cold")), [Target(limit, old)])
        yield Row("http2_slow_handshakes", title + ": handshakes", "", each(lines, series, lambda line: line["handshakes"]), [Target(8)])
    with Stub("--http2", "--drip", tls=True) as stub:
        lines, series = take_turns(stub, both, count, 64, rounds)
        title = "CPU of a resolve over HTTP/2, 64 in flight, each answer after 20 to 80 ms at random"
        yield Row("http2_drip", title, "µs", each(lines, series, cpu("warm")), [Target(1.1, old)])
    with Stub("--http2", "--pods", 400, tls=True) as stub:
        yield from events_beside_lists(setting, stub)
    with Stub("--http2", "--round-trip", "5", tls=True) as stub:
        yield from https_start(setting, stub, "https_start_near", [Target(4 * 5 + 2.5)], " at a round trip of 5 ms")


def events_beside_lists(setting, stub):
    for word, how in (("whole", "read whole"), ("pieces", "read in pieces")):
        lines = [run([BUILD / "bench_late_events", stub.port, 10 if setting.quick else 100, word], stub.surroundings) for _ in range(2 if setting.quick else 11)]
        series = Series("rollcall", "ours", note=next((line for line in lines if isinstance(line, str)), ""))
        if not series.note:
            series.values = [line["late_ms"] for line in lines]
        note = "the latest of the events that come each 5 ms while 1 MB for each of the lists is read"
        yield Row(f"http2_events_{word}", f"a watch's event beside 100 large lists, {how}, over HTTP/2: later by", "ms", [series], [Target(50)], note)


def https_many(setting, stub, count):
    target = f"project=p,zone=z,endpoint=https://127.0.0.1:{stub.port}/"
    nodes = f"https://127.0.0.1:{stub.port}/v2/projects/p/locations/z/nodes/node-[0-{count - 1}]"
    curl = ["curl", "-s", "-Z", "--parallel-max", 64, "--cacert", stub.ca, "-H", "Authorization: Bearer test-token", "-o", "/dev/null", nodes]
    has_curl = "" if shutil.which("curl") else "not here"
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(f"tpu:node-{i},{target}\n" for i in range(count)))
        file.flush()
        command = [BUILD / "rollcall", "spec", "--ca", stub.ca, "--targets-from", file.name, "--lookup", "each"]
        commands = [("rollcall", "ours", command, ""), ("rollcall, HTTP/1.1", "floor", [*command, "--http1.1"], "")]
        commands += [("curl", "peer", curl, has_curl), ("curl, HTTP/1.1", "peer", [*curl, "--http1.1"], has_curl)]
        if setting.peers:
            name, kind, words, reason = by_hand(stub, count, 64)
            commands += [(name, kind, words, reason), (f"{name}, HTTP/2", kind, ["env", "BENCH_HTTP2=1", *words], reason)]
        lines, series = processes(stub, commands, 2 if setting.quick else 15, {"": count})
    title = f"command: start to {count:,} answers over HTTP/2, 64 in flight"
    yield Row("http2_many", title, "ms", each(lines, series, lambda line: line["wall"] * 1e3), [Target(0.6, "rollcall, HTTP/1.1"), Target(1, "curl")])


def https_start(setting, stub, key="https_start", targets=(Target(0.6, "curl"), Target(0.8, BY_HAND)), where=""):
    root = f"https://127.0.0.1:{stub.port}/"
    target = f"tpu:node-1,project=p,zone=z,endpoint={root}"
    curl = ["curl", "-s", "--cacert", stub.ca, "-H", "Authorization: Bearer test-token", root + "v2/projects/p/locations/z/nodes/node-1"]
    commands = [("rollcall", "ours", [BUILD / "rollcall", "spec", "--ca", stub.ca, target], "")]
    commands.append(("curl", "peer", curl, "" if shutil.which("curl") else "not here"))
    if setting.peers:
        commands.append(by_hand(stub, 1, 1))
    lines, series = processes(stub, commands, 3 if setting.quick else 51, {"": 1})
    title = "command: start to one answer over https" + where
    yield Row(key, title, "ms", each(lines, series, lambda line: line["wall"] * 1e3), list(targets), digits=2)


def pods(setting):
    count, rounds = (500, 1) if setting.quick else (10_000, 5)
    with Stub("--pods", count) as stub:
        target = f"kubernetes:train,api_server=http://127.0.0.1:{stub.port},job.worker=jobset.sigs.k8s.io/jobset-name=trainer,address=pod,port=8470"
        commands = [("rollcall", "ours", [BUILD / "rollcall", "spec", target], "")]
        requests = {"": 1, "rollcall": -(-count // 500) + count // 100 + 1}  # the pages, the Jobs that make the pods, and their JobSet
        if setting.peers:
            for name, contender, words in (
                ("client-go, whole", go("", "pods"), []),
                ("client-go, paged", go("", "pods"), [500]),
                ("aiohttp", python("", "aiohttp_pods"), []),
                ("kubernetes (Python)", python("", "kubernetes_pods"), []),
                ("TensorFlow", python("", "tensorflow_pods"), []),
            ):
                commands.append((name, "peer", [*contender.command, stub.port, count, *words], contender.missing))
            requests["client-go, paged"] = -(-count // 500)
        lines, series = processes(stub, commands, rounds, requests)
    note = "the whole process, its start too"
    cpu = each(lines, series, lambda line: line["cpu"] * 1e3)
    yield Row("pods_cpu", f"{count:,} pods: CPU of the whole process", "ms", cpu, [Target(1 / 20, "client-go, paged")], note)
    memory = each(lines, series, lambda line: line["highest_kb"] / 1024)
    yield Row("pods_memory", f"{count:,} pods: memory of the process", "MB", memory, [Target(0.5, "client-go, paged")], note)
    if setting.quick:
        return
    figures = program("pods", setting.quick, is_judge=True)
    yield own_row("pods_hold", "10,000 pods: longest hold of the loop", "ms", figures["hold_ms"], targets=[Target(1)], digits=2)
    yield own_row("pods_parse", "10,000 pods: CPU, beside a parser alone", "ms", figures["parsed_ms"], ("Boost.JSON alone", figures["parser_ms"]))


def slurm(setting):
    figures = program("slurm", setting.quick)
    yield own_row("slurm_jobs", "10,000 Slurm jobs found: CPU, beside a parser alone", "ms", figures["slurm_ms"], ("Boost.JSON alone", figures["slurm_parser_ms"]))
    yield own_row("slurm_memory", "10,000 Slurm jobs found: memory", "MB", figures["slurm_memory_mb"], targets=[Target(64)])
    figures = program("slurm_service", setting.quick)
    yield own_row("slurm_round", "10,000 Slurm jobs on 10,000 nodes followed: CPU of a round", "ms", figures["slurm_round_ms"])
    yield own_row("slurm_service", "10,000 Slurm jobs on 10,000 nodes followed: memory", "MB", figures["slurm_service_mb"], targets=[Target(256)])


def own_row(key, title, unit, values, floor=None, targets=(), **others):
    series = [Series("rollcall", "ours", values)]
    if floor:
        series.append(Series(floor[0], "floor", floor[1]))
    return Row(key, title, unit, series, list(targets), **others)


def tls(setting):
    figures = program("tls", setting.quick)
    for which, words in (("", "64 in flight"), ("_one", "one in flight")):
        floor = ("over http", figures[f"plain{which}_us"])
        yield own_row("tls" + which, f"CPU over TLS, {words}", "µs", figures[f"tls{which}_us"], floor, [Target(1.5, "over http")])
    yield own_row("tls_memory", "memory of a connection over TLS", "kB", figures["tls_connection_kb"], targets=[Target(30)])


def groups(setting):
    figures = program("groups", setting.quick, is_judge=True)
    ideal = "ideal round trips"
    note = "wall time, 50 ms an answer"
    for key, title in (("group_get", "instance group of 1,000, one by one"), ("group_list", "instance group of 1,000, by lists"), ("union", "eight TPUs in one cluster")):
        row = own_row(key, title, "ms", figures[key + "_ms"], (ideal, figures[key + "_ideal_ms"]), [Target(1.05, ideal)], note=note)
        if key == "group_get" and setting.peers and not setting.quick:
            with Stub("--delay", "50") as stub:
                peer = python("TensorFlow", "tensorflow_group", words=("--once",))
                lines, series = take_turns(stub, [peer], 1000, 1, 1)
            row.series += each(lines, series, lambda line: line["cold"][0] * 1e3)
        yield row


def devices(setting):
    figures = program("devices", setting.quick)
    yield own_row("workers", "1,000 workers counted by gRPC", "ms", figures["workers_ms"], ("bare gRPC", figures["workers_bare_ms"]), [Target(1.15, "bare gRPC")])


def beside(setting):
    figures = program("beside", setting.quick)
    for delay in (0, 50):
        busy, idle = figures[f"late_{delay}_ms"], figures[f"late_{delay}_idle_ms"]
        series = [Series("rollcall", "ours", [b - i for b, i in zip(busy, idle)])]
        title = f"timer beside 1,000 resolves at {delay} ms: later by"
        yield Row(f"timer_{delay}", title, "ms", series, [Target(2)], "a timer of 1 ms, its 99.9th percentile, against the same timer on an idle loop", digits=2)


def large(setting):
    """Waits for very many members: the cost of the first poll for each of them, for a quarter, a half and all."""
    if setting.quick:
        return
    figures = program("large", setting.quick, is_judge=True)
    lines = {}
    for key, values in figures.items():
        what, size, _ = key.split("_")
        lines.setdefault(what, []).append((int(size), values[0]))
    for what, points in lines.items():
        points.sort()
        series = [Series("rollcall", "ours", [points[-1][1]]), Series(f"{points[0][0]:,} {what}", "floor", [points[0][1]])]
        yield Row(f"large_{what}", f"a wait for {points[-1][0]:,} {what}: CPU of a look, each", "µs", series, [Target(1.5, series[1].name)], digits=2)
    kinds = {what: "ours" for what in lines}
    yield Curve("large_curve", "CPU of the first look for each member, by how many there are", "members", "µs", lines, kinds, "a flat line is the ideal")


def counts(setting):
    """Instructions and allocations of a resolve: the difference of two lengths of run, so that the start is in neither. Ours must not grow."""
    short, long = (200, 500) if setting.quick else (200, 1200)
    build = ""
    series = {name: Series(name, kind) for name, kind in (("rollcall", "ours"), ("raw Asio", "floor"))}
    allocated = {name: Series(name, kind) for name, kind in (("rollcall", "ours"), ("raw Asio", "floor"))}
    with Stub() as stub:
        for name, word in (("rollcall", "rollcall"), ("raw Asio", "raw")):
            found = [counted(stub.port, word, count) for count in (short, long)]
            if isinstance(found[0], str) or isinstance(found[1], str):
                series[name].note = allocated[name].note = next(one for one in found if isinstance(one, str))
                continue
            build = found[1][2]
            series[name].values = [(found[1][0] - found[0][0]) / (long - short) / 1000]
            allocated[name].values = [(found[1][1] - found[0][1]) / (long - short)]
    yield Row("instructions", "instructions of a resolve", "thousand", list(series.values()), [Target(42)])
    yield Row("allocations", "allocations of a resolve", "", list(allocated.values()), [Target(25)])
    if series["rollcall"].values:
        guard.check(build, {"instructions": series["rollcall"].median, "allocations": allocated["rollcall"].median})


def counted(port, word, count):
    """(instructions, allocations, kind of build) of a run, or a sentence."""
    if not shutil.which("valgrind"):
        return "needs valgrind"
    with tempfile.NamedTemporaryFile("r") as report:
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={report.name}"]
        command += [BUILD / "bench_resolve", word, port, count, 64, "--once"]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True)
        text = report.read()
    if done.returncode != 0 or "Collected :" not in text:
        return "valgrind failed"
    line = json.loads(done.stdout.splitlines()[-1])
    return int(text.split("Collected :")[1].split()[0]), line["allocations"], line["build"]


ALL = {one.__name__: one for one in (resolve, counts, burst, growth, start, https, https2, pods, slurm, tls, groups, devices, beside, large, killed)}
