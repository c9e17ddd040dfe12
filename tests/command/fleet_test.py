"""rollcall serve as a service: launchers that go by it, what the cloud is asked, and every kind of end."""
import http.client
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

    def serve(self, *words):
        service = self.start("serve", "--listen", "127.0.0.1:0", *words)
        self.addCleanup(service.communicate)
        self.addCleanup(service.kill)
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
        """What a command says without the service and with it."""
        served = self.run_it(*words, **variables)
        told = self.sim.environment
        self.sim.environment = self.direct
        direct = self.run_it(*words, **variables)
        self.sim.environment = told
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
        watch = self.start("watch", "tpu:late", "--format", "json")
        self.addCleanup(watch.communicate)
        self.addCleanup(watch.kill)
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
        self.assertIn("10.9.0.1", self.spec("simple:job.worker=10.9.0.1:1"))  # needs nobody

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


class Ends(Serving):
    def test_signals(self):
        service = self.serve()
        watch = self.start("watch", "tpu:late", "--format", "json")
        self.addCleanup(watch.communicate)
        self.addCleanup(watch.kill)
        lines_until(watch.stdout, "member_joined")
        service.terminate()
        out, err = service.communicate(timeout=PATIENCE)
        self.assertEqual((service.returncode, out, err), (0, "", ""))

    def test_addresses_that_cannot_be(self):
        for address, part in (("0.0.0.0:7070", "does not tell its clients apart"), ("10.0.0.1:1", "does not tell"), ("localhost:7070", "no address"), ("7070", "no address")):
            done = self.run_it("serve", "--listen", address)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(part, done.stderr)
        self.serve()
        taken = self.run_it("serve", "--listen", self.url.removeprefix("http://"))
        self.assertEqual(taken.returncode, 1)
        self.assertIn("cannot listen on", taken.stderr)
        for words in (["--stdio", "--listen", "127.0.0.1:0"], ["--zone", "z"]):
            self.assertEqual(self.run_it("serve", *words).returncode, 2)


main()
