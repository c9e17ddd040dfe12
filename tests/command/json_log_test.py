"""With --log json standard error is lines of JSON from the first to the last."""
from support import *

LATE = {"nodes": [{"name": "late", "accelerator_type": "v4-16", "timeline": [{"at": "0s", "state": "CREATING"},
                                                                            {"at": "1s", "state": "READY", "endpoints": ["127.0.8.1", "127.0.8.2"]}]}]}


class JsonLog(Command):
    def lines(self, text):
        return [json.loads(line) for line in text.splitlines()]

    def test_a_wait_that_ends_well(self):
        self.simulate(LATE)
        done = self.run_it("wait", "tpu:late", "--log", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = self.lines(done.stderr)
        self.assertTrue(any("ready" in line and "event" not in line for line in lines), done.stderr)
        times = [line["time"] for line in lines]  # every line has a time, by which logs of several hosts are merged
        self.assertTrue(all(re.match(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d", time) for time in times), times)
        self.assertTrue(any(line.get("event") == "member_ready" for line in lines))
        reported = self.run_it("wait", "tpu:late", "--log", "json", "--progress", "none")
        self.assertTrue(all("event" in line for line in self.lines(reported.stderr)))

    def test_what_goes_wrong(self):
        self.simulate(LATE)
        for words, code in ((("spec", "tpu:nobody"), 1), (("wait", "tpu:nobody"), 1), (("devices", "tpu:nobody"), 1), (("topology", "tpu:nobody"), 1),
                            (("spec", "simple:"), 2), (("spec", "nonsense:x"), 2), (("spec", "tpu:nobody", "--timeout", "never"), 2), (("spce",), 2),
                            (("watch", "tpu:nobody"), 1), (("exec", "tpu:nobody", "--", "true"), 111), (("discover", "--project", "nobody"), 4),
                            (("spec", "simple:job.worker=a:1", "tpu:nobody", "--partial"), 6), (("spec", "tpu:late", "--trace", "/no/such"), 2)):
            with self.subTest(words=words):
                place = words.index("--") if "--" in words else len(words)
                done = self.run_it(*words[:place], "--log", "json", *words[place:])
                self.assertEqual(done.returncode, code, done.stderr)
                lines = self.lines(done.stderr)
                messages = [line["message"] for line in lines if line.get("event") == "message"]
                self.assertTrue(messages and messages[-1], done.stderr)
                if words[0] != "discover":  # it reports failures while it runs
                    self.assertEqual(lines[-1]["event"], "message", done.stderr)

    def test_an_interruption(self):
        process = self.start("wait", "simple:job.worker=127.0.0.1:1", "--until", "reachable", "--log", "json")
        first = lines_until(process.stderr, "member_waiting")
        rest = self.interrupt(process)[1]
        last = self.lines("".join(first) + rest)[-1]
        self.assertEqual((last.pop("time")[:2], last), ("20", {"event": "message", "message": "interrupted"}))


if __name__ == "__main__":
    main()
