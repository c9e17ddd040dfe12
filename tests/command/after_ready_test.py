"""The questions of `wait --format` and `exec` after the cluster is ready: within the wait's deadline, and signals end them."""
import tempfile

from support import *

FORM = {"wait": ("--format", "pjrt"), "exec": ("--as", "pjrt")}  # TPUs, whose type is asked from the service


def on(node, **what):
    return {"match": {"route": "nodes.get", "path": f"*/nodes/{node}"}, **what}


def silent_after(looks, *names):
    """TPUs that are ready at the last of a number of polls and missing before; later requests get no answer."""
    return {"nodes": [{"name": name, "accelerator_type": "v4-8", "endpoints": ["127.0.10.1"]} for name in names],
            "faults": [rule for name in names for rule in (*([on(name, status=404, times=looks - 1)] if looks > 1 else []),
                                                           on(name, after=looks, fault="stall"))]}


class AfterReady(Command):
    def begin(self, command, *words, program=()):
        return super().begin(command, *words, *FORM[command], "--task", "worker:0", *program)

    def test_the_deadline_is_the_waits(self):
        self.simulate(silent_after(2, "a", "b"))
        words = ("--for-existence", "--timeout", "6s", "--progress", "none")
        started = [(self.begin("wait", "tpu:a", *words), 3), (self.begin("exec", "tpu:b", *words, program=("--", "echo", "started")), 113)]
        for process, code in started:
            out, err = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, out), (code, ""), err)
            self.assertRegex(err, r"^rollcall: tpu:[ab]: ready, but not all facts for the launch could be found within 6")
            # The last attempt ends by the deadline, or just before it, when no time is left for another one.
            left = re.search(r"no answer within the deadline of ([0-9.]+) s", err)
            if left:
                self.assertLess(float(left[1]), 4.5)  # the pause between two polls is at least 1.6 s
            else:
                self.assertIn("the deadline leaves", err)

    def test_a_signal_ends_it(self):
        self.simulate(silent_after(1, "a", "b", "c", "d"))
        folder = self.enterContext(tempfile.TemporaryDirectory())
        program = ("--", "echo", "started")
        for node, number, words in (("a", signal.SIGTERM, ("wait",)), ("b", signal.SIGINT, ("exec",)), ("c", signal.SIGTERM, ("exec", "--on-preempt", "USR1")),
                                    ("d", signal.SIGTERM, ("exec", "--restart-on", "lost"))):
            with self.subTest(words=words):
                trace, metrics = (os.path.join(folder, node + kind) for kind in (".json", ".prom"))
                command, *options = words
                process = self.begin(command, f"tpu:{node}", *options, "--log", "json", "--trace", trace, "--metrics", metrics,
                                     program=program if command == "exec" else ())
                lines_until(process.stderr, f"tpu:{node} slices")
                out, err = self.interrupt(process, number)
                self.assertEqual((out, json.loads(err.splitlines()[-1])["message"]), ("", "interrupted"))
                with open(trace, encoding="utf-8") as file:
                    self.assertIn(f"tpu:{node} slices", file.read())
                with open(metrics, encoding="utf-8") as file:
                    self.assertIn('rollcall_calls_total{operation="slices",outcome="cancelled"} 1', file.read())


if __name__ == "__main__":
    main()
