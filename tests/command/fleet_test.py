"""rollcall serve as a service: launchers that use it, the requests to the cloud, and every kind of end."""
import http.client
import http.server
import shutil
import socket
import threading
import urllib.parse

from support import *

PLACE = ",project=demo-project,zone=us-central2-b"
CLOUD_FILE = {
    "project": "demo-project", "zone": "us-central2-b",
    "nodes": [
        {"name": "trainer", "accelerator_type": "v4-32", "endpoints": {"base": "10.0.0.1"}},
        {"name": "late", "accelerator_type": "v4-16", "endpoints": {"base": "10.1.0.1"}, "ready_after": 5},
        {"name": "gone", "accelerator_type": "v4-8", "spot": True, "state": "PREEMPTED"},
        {"name": "made", "accelerator_type": "v4-8", "endpoints": {"base": "10.2.0.1"}, "timeline": [{"at": 6, "state": "READY", "health": "HEALTHY"}]},
    ],
}


class Serving(Command):
    def setUp(self):
        self.simulate(CLOUD_FILE)
        self.direct = dict(self.sim.environment)

    def serve(self, *words, **variables):
        service = self.begin("serve", "--listen", "127.0.0.1:0", *words, **variables)
        line = service.stdout.readline()
        self.assertRegex(line, r"^export ROLLCALL_SERVER='http://127\.0\.0\.1:\d+'$", service.stderr)
        self.url = exports(line)["ROLLCALL_SERVER"]
        self.sim.environment = {**self.direct, "ROLLCALL_SERVER": self.url}
        return service

    def get(self, path, **headers):
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.url).netloc, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        return connection.getresponse()

    def both(self, *words, **variables):
        """The command's output without the service and with it."""
        served = self.run_it(*words, **variables)
        reported = self.sim.environment
        self.sim.environment = self.direct
        direct = self.run_it(*words, **variables)
        self.sim.environment = reported
        return direct, served


class Launchers(Serving):
    def test_the_output_is_the_same(self):
        self.serve()
        for words in (["spec", "tpu:trainer"], ["spec", "tpu:trainer", "--format", "json"], ["spec", "tpu:trainer", "simple:job.ps=10.9.0.1:1"],
                      ["wait", "tpu:trainer"], ["spec", "tpu:trainee"], ["wait", "tpu:trainee"], ["spec", "tpu:gone"], ["wait", "tpu:gone"],
                      ["hosts", "tpu:trainer"], ["spec", "tpu:trainer", "--format", "torchrun"]):
            with self.subTest(words):
                direct, served = self.both(*words)
                times = re.compile(r"\(?(after|asked \d+ times? in|in|for) [\d.]+ m?s")
                self.assertEqual(direct.returncode, served.returncode, served.stderr)
                self.assertEqual(direct.stdout, served.stdout)
                self.assertEqual(times.sub("", direct.stderr), times.sub("", served.stderr))

    def test_another_machine_is_asked_by_https_alone(self):
        for url in ("http://192.0.2.1:7070", "http://rollcall.example", "https://a.example,http://10.0.0.7"):
            with self.subTest(url):
                refused = self.run_it("spec", "dns:x.example:1", ROLLCALL_SERVER=url)
                self.assertEqual((refused.returncode, refused.stdout), (2, ""))
                self.assertRegex(refused.stderr, r"ROLLCALL_SERVER: http://\S+ is another machine")
                self.assertIn("use https", refused.stderr)

    def test_a_program_is_reported_the_generation(self):
        self.serve()
        reported = json.load(self.get(f"/v1/clusters/{urllib.parse.quote('tpu:trainer' + PLACE, safe='')}"))["generation"]
        shown = ["sh", "-c", "echo generation ${ROLLCALL_GENERATION-none}"]
        direct, served = self.both("exec", "tpu:trainer", "--task", "worker:0", "--", *shown, ROLLCALL_GENERATION="outer")
        self.assertEqual((direct.stdout, served.stdout), ("generation none\n", f"generation {reported}\n"))

    def test_many_wait_and_the_cloud_is_asked_for_one(self):
        self.serve()
        waiting = [self.start("wait", "tpu:late") for _ in range(30)]
        for one in waiting:
            out, err = one.communicate(timeout=PATIENCE)
            self.assertEqual(one.returncode, 0, err)
            self.assertIn("10.1.0.1", out)
        self.sim.stop()
        asked = sum(int(count) for count, route in re.findall(r"^ *(\d+) (.*nodes.*)$", self.sim.counts, re.MULTILINE))
        self.assertLess(asked, 12, self.sim.counts)

    def test_what_does_not_exist_yet_is_waited_for(self):
        self.serve()
        done = self.run_it("wait", "tpu:made", "--for-existence", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("10.2.0.1:8470", done.stdout)

    def test_a_watch_hears_of_changes(self):
        self.serve()
        watch = self.begin("watch", "tpu:late", "--format", "json")
        changes = [json.loads(line)["change"] for line in lines_until(watch.stdout, "cluster_ready")]
        self.assertEqual(changes[-1], "cluster_ready")
        self.assertIn("member_joined", changes)

    def test_a_service_that_is_gone_is_named_with_the_way_round_it(self):
        self.serve().kill()
        done = self.run_it("spec", "tpu:trainer", "--timeout", "3s")
        self.assertEqual(done.returncode, 5, done.stderr)
        for part in (self.url.removeprefix("http://"), "ROLLCALL_SERVER_FALLBACK=now"):
            self.assertIn(part, done.stderr)
        self.assertIn("10.0.0.1", self.spec("tpu:trainer", ROLLCALL_SERVER_FALLBACK="now"))
        self.assertIn("10.9.0.1", self.spec("simple:job.worker=10.9.0.1:1"))  # needs no service

    def test_a_second_service_takes_over(self):
        first = self.serve()
        url = self.url
        self.serve()
        waiting = self.start("wait", "tpu:late", ROLLCALL_SERVER=f"{url},{self.url}")
        first.kill()
        out, err = waiting.communicate(timeout=PATIENCE)
        self.assertEqual(waiting.returncode, 0, err)
        self.assertIn("10.1.0.1", out)

    def test_wrong_settings_are_named(self):
        for name, value in (("ROLLCALL_SERVER", "nonsense"), ("ROLLCALL_SERVER", "ftp://a"), ("ROLLCALL_SERVER_FALLBACK", "maybe"), ("ROLLCALL_MAX_AGE", "soon")):
            done = self.run_it("spec", "tpu:trainer", **{"ROLLCALL_SERVER": "http://127.0.0.1:9", name: value})
            self.assertEqual(done.returncode, 1 if done.returncode == 1 else 2, done.stderr)
            self.assertIn(name, done.stderr)
            self.assertIn(value, done.stderr)


class Interface(Serving):
    def test_versions(self):
        self.serve()
        first = self.get("/v1/clusters/tpu:trainer" + PLACE + "?view=spec")
        body = json.load(first)
        self.assertEqual((first.status, body["cluster"]["worker"][0]), (200, "10.0.0.1:8470"))
        self.assertEqual(self.get("/v1/clusters/tpu:trainer" + PLACE + "?view=spec", If_None_Match=first.headers["ETag"]).status, 304)
        listed = json.load(self.get("/v1/clusters"))["clusters"]
        self.assertEqual([(one["target"], one["ready"], one["total"]) for one in listed], [("tpu:trainer" + PLACE, 4, 4)])
        self.assertEqual(self.get("/healthz").status, 200)

    def test_a_stream(self):
        self.serve()
        stream = self.get("/v1/clusters/tpu:late" + PLACE + "?view=task&self=10.1.0.2", Accept="text/event-stream")
        self.assertEqual(stream.headers["Content-Type"], "text/event-stream")
        lines = lines_until((line.decode() for line in stream), "event: ready")
        self.assertIn("event: progress\n", lines)
        data = json.loads(stream.readline().decode().removeprefix("data: "))
        self.assertEqual(data["task"], {"job": "worker", "index": 1, "address": "10.1.0.2:8470"})
        self.assertEqual((data["first"], data["tasks"], data["is_ready"]), ("10.1.0.1:8470", 2, True))

    def test_what_is_refused(self):
        self.serve()
        for path, status, part in (("/v1/clusters/tpu:trainer,endpoint=http:%2F%2F10.0.0.9%2F", 400, "endpoint"), ("/v1/clusters/file:%2Fetc%2Fpasswd", 400, "file"),
                                   ("/v1/clusters/tpu:trainee" + PLACE, 404, "trainee"), ("/v1/clusters/nonsense", 400, "nonsense"),
                                   ("/v1/clusters/tpu:trainer?view=whole", 400, "whole"), ("/v2", 404, "/v1/clusters")):
            answer = self.get(path)
            text = answer.read().decode()
            self.assertEqual(answer.status, status, text)
            self.assertIn(part, text)
            self.assertIn("code", json.loads(text))
        self.assertEqual(self.get("/v1/clusters", Host="evil.example").status, 421)


class Onlookers(Serving):
    def test_what_is_followed_is_listed(self):
        self.serve()
        for name in ("trainer", "gone"):
            self.get(f"/v1/clusters/tpu:{name}{PLACE}?view=progress").read()
        text = self.run_it("fleet")
        self.assertEqual(text.returncode, 0, text.stderr)
        lines = text.stdout.splitlines()
        self.assertEqual(lines[0], "2 clusters, 4 of 5 tasks ready: 1 ready, 1 failed")
        self.assertEqual(lines[1].split(), ["STANDING", "READY", "TYPE", "PLACE", "SEEN", "TARGET", "MISSING"])
        self.assertRegex(lines[2], r"^failed +0/1 +v4-8 .*tpu:gone.* PREEMPTED")  # clusters with problems come first
        self.assertRegex(lines[3], r"^ready +4/4 +v4-32 +us-central2-b .*tpu:trainer,")
        clusters = json.loads(self.run_it("fleet", "--format", "json").stdout)["clusters"]
        self.assertEqual([(one["standing"], one["ready"], one["type"]) for one in clusters], [("failed", 0, "v4-8"), ("ready", 4, "v4-32")])

    def test_a_watch_goes_on_while_the_service_is_away(self):
        service = self.serve()
        watch = self.begin("fleet", "--watch", "--format", "json")
        self.assertEqual(json.loads(watch.stdout.readline()), {"clusters": []})
        self.get("/v1/clusters/tpu:trainer" + PLACE).read()
        self.assertEqual(json.loads(watch.stdout.readline())["clusters"][0]["ready"], 4)
        service.kill()
        self.assertIn("no server answers", watch.stderr.readline())
        watch.terminate()
        self.assertEqual(watch.wait(PATIENCE), 130)

    def test_a_watch_asks_once_for_what_is_refused(self):
        asked, thrice = [], threading.Event()

        class Service(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                asked.append(self.path.split("?")[0])
                code = {"/v1/clusters": 200, "/v1/replicas": 404}.get(asked[-1], 403)
                answers = {200: b'{"clusters":[]}', 404: b'{"code":"not_found","message":"no such path"}'}
                body = answers.get(code, b'{"code":"permission_denied","message":"no right"}')
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                if asked.count("/v1/clusters") == 3:
                    thrice.set()

            def log_message(self, *words):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            watch = self.begin("fleet", "--watch", ROLLCALL_SERVER="http://127.0.0.1:%d" % server.server_port)
            self.assertTrue(thrice.wait(PATIENCE), asked)
            watch.terminate()
            self.assertEqual(watch.wait(PATIENCE), 130)
            server.shutdown()
        self.assertEqual((asked.count("/v1/replicas"), asked.count("/v1/runs")), (1, 1), asked)

    def test_without_a_service(self):
        self.assertEqual(self.run_it("fleet").returncode, 1)
        nobody = self.run_it("fleet", "--watch", ROLLCALL_SERVER="http://127.0.0.1:9")
        self.assertEqual(nobody.returncode, 5, nobody.stderr)

    def test_the_page(self):
        self.serve()
        page = self.get("/")
        self.assertEqual((page.status, page.getheader("Content-Type")), (200, "text/html; charset=utf-8"))
        self.assertIn("default-src 'none'", page.getheader("Content-Security-Policy"))
        for name in re.findall(r'(?:href|src)="(page/[^"]+)"', page.read().decode()):
            file = self.get("/" + name)
            self.assertEqual(file.status, 200, name)
            self.assertEqual(self.get("/" + name, If_None_Match=file.getheader("ETag")).status, 304)


class Ends(Serving):
    def test_signals(self):
        service = self.serve()
        watch = self.begin("watch", "tpu:late", "--format", "json")
        lines_until(watch.stdout, "member_joined")
        service.terminate()
        out, err = service.communicate(timeout=PATIENCE)
        self.assertEqual((service.returncode, out, err), (0, "", ""))

    def test_addresses_that_cannot_be(self):
        for address, part in (("0.0.0.0:7070", "needs tls and clients"), ("10.0.0.1:1", "needs tls and clients"), ("localhost:7070", "no address"), ("7070", "no address")):
            done = self.run_it("serve", "--listen", address)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(part, done.stderr)
        self.serve()
        taken = self.run_it("serve", "--listen", self.url.removeprefix("http://"))
        self.assertEqual(taken.returncode, 1)
        self.assertIn("cannot listen on", taken.stderr)
        for words in (["--stdio", "--listen", "127.0.0.1:0"], ["--stdio", "--check"], ["--stdio", "--config", "x"], ["--zone", "z"]):
            self.assertEqual(self.run_it("serve", *words).returncode, 2)


class Settings(Serving):
    def settings(self, text, name="fleet.yaml"):
        path = os.path.join(self.folder(), name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def folder(self):
        if not hasattr(self, "own_folder"):
            self.own_folder = tempfile.mkdtemp()
            self.addCleanup(shutil.rmtree, self.own_folder)
        return self.own_folder

    def listed(self):
        return {one["target"]: one for one in json.load(self.get("/v1/clusters"))["clusters"]}

    def test_check_says_what_the_service_would_do(self):
        path = self.settings('allow: ["tpu:*,project=p"]\nfollow: [{tpu: {project: p, zones: [z]}}, {kubernetes: {namespaces: [train]}}]\nquota: {p: 60}\nlease: {etcd: ["http://127.0.0.1:2379"], fleet: prod}\n')
        done = self.run_it("serve", "--config", path, "--listen", "[::1]:0", "--check")
        self.assertEqual((done.returncode, done.stderr), (0, "rollcall: warning: follow[1].kubernetes: there is no kubeconfig here, and this is not a pod\n"))
        for part in ("listen   [::1]:0, http\n", "TPUs of p in z; jobs in train\n", "allow    tpu:*,project=p\n", "quota    p 60 looks a minute\n", "clients  not distinguished\n", "lease    etcd at http://127.0.0.1:2379, fleet prod, for 15.0 s\n"):
            self.assertIn(part, done.stdout)
        self.assertEqual(self.run_it("serve", "--check").returncode, 0)

    def test_all_faults_are_reported_with_their_places(self):
        path = self.settings('listn: []\nallow: ["tpu:*,projct=p"]\nlimits:\n  targets: many\n')
        for words in (["--check"], []):
            done = self.run_it("serve", "--config", path, *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            lines = done.stderr.splitlines()
            self.assertEqual(len(lines), 3, done.stderr)
            for line, place in zip(lines, (":1: listn: unknown key, did you mean 'listen'?", ":2: allow[0]: ", ":4: limits.targets: expected a whole number")):
                self.assertIn(path + place, line)
        missing = self.run_it("serve", "--config", path + "x")
        self.assertEqual(missing.returncode, 2)
        self.assertIn(path + "x", missing.stderr)
        self.assertEqual(self.run_it("serve", "--allow", "nix:").returncode, 2)

    def test_the_settings_of_the_examples_are_fine(self):
        examples = os.path.join(EXAMPLES, "fleet")
        folder = os.path.join(self.folder(), "fleet")
        shutil.copytree(examples, folder)
        key, certificate = os.path.join(folder, "tls.key"), os.path.join(folder, "tls.crt")
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=rollcall", "-keyout", key, "-out", certificate],
                              capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        shutil.copy(certificate, os.path.join(folder, "clients.crt"))
        names = sorted(name for name in os.listdir(folder) if name.endswith(".yaml") and name.startswith("settings"))
        self.assertTrue(names)
        for name in names:
            with self.subTest(name):
                done = self.run_it("serve", "--config", os.path.join(folder, name), "--check")
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_place_is_followed_that_nobody_asks_for(self):
        path = self.settings("follow: [{tpu: {project: demo-project}}]\n")
        service = self.serve("--config", path, "--log", "json")
        lines_until(service.stderr, 'fleet_look')
        self.assertEqual({target: one["followers"] for target, one in self.listed().items()}, {f"tpu:{name}{PLACE}": 0 for name in ("trainer", "late", "gone")})

    def test_the_jobs_of_a_namespace_are_followed(self):
        self.simulate({"kubernetes": {"namespace": "train", "pods": [{"kind": "indexed_job", "name": "trainer", "count": 2}]}})
        self.direct = dict(self.sim.environment)
        service = self.serve("--config", self.settings("follow: [{kubernetes: {namespaces: [train]}}]\n"), "--log", "json")
        lines_until(service.stderr, '"watch of pods')
        self.assertEqual(list(self.listed()), ["kubernetes:train,job.worker=job-name=trainer"])

    def test_sighup_has_the_settings_read_again(self):
        path = self.settings("limits: {burst: 99}\n")
        service = self.serve("--config", path)
        for text, reported in (("follow: [{tpu: {project: demo-project}}]\n", "changed: follow"), ("follow: [{tpuu: {}}]\n", "fleet.yaml:1: follow[0]"),
                           ("follow: [{tpu: {project: demo-project}}]\n", "nothing has changed")):
            self.assertIn(reported, self.read_again(service, text))
            if "[0]" in reported:
                self.assertIn("stay as they were", service.stderr.readline())
        service.terminate()
        self.assertEqual(service.wait(PATIENCE), 0)

    def read_again(self, service, text):
        self.settings(text)
        service.send_signal(signal.SIGHUP)
        return service.stderr.readline()

    def test_settings_that_were_cut_open_no_door(self):
        allow = 'allow: ["tpu:*,project=p"]\n'
        whole = allow + 'clients: [{google: {audience: a, projects: [p]}}]\nrights: [{who: "google:p/*", read: ["*"]}]\n'
        service = self.serve("--config", self.settings(whole))
        for text, reported in (("", "says nothing"), ("# gone\n", "says nothing"), ("{}\n", "says nothing"), (allow, "may have been cut"), (whole[:20], "fleet.yaml"),
                           ("limits: {burst: 9}\n", "without clients")):
            with self.subTest(text=text):
                self.assertIn(reported, self.read_again(service, text))
                self.assertIn("stay as they were", service.stderr.readline())
                for path in ("/v1/clusters", "/metrics"):
                    self.assertEqual(self.get(path).status, 401)
        for text in ("", "null\n", "{}\n"):
            self.assertEqual(self.run_it("serve", "--config", self.settings(text), "--check").returncode, 2)

    def test_a_service_manager_is_reported(self):
        path = os.path.join(self.folder(), "notify")
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(manager.close)
        manager.bind(path)
        manager.settimeout(PATIENCE)
        service = self.serve("--config", self.settings("limits: {burst: 99}\n"), NOTIFY_SOCKET=path, WATCHDOG_USEC="100000")
        self.assertEqual(manager.recv(4096), b"READY=1")
        self.assertEqual([manager.recv(4096) for _ in range(3)], [b"WATCHDOG=1"] * 3)
        service.send_signal(signal.SIGHUP)
        reported = [manager.recv(4096) for _ in range(20)]
        reported = [one for one in reported if one != b"WATCHDOG=1"]
        self.assertRegex(reported[0], rb"^RELOADING=1\nMONOTONIC_USEC=\d+$")
        self.assertEqual(reported[1], b"READY=1")
        service.terminate()
        while (one := manager.recv(4096)) == b"WATCHDOG=1":
            pass
        self.assertEqual(one, b"STOPPING=1")
        self.assertEqual(service.wait(PATIENCE), 0)


if __name__ == "__main__":
    main()
