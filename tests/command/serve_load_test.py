"""rollcall serve --stdio under load: ten thousand waits, clients that do not read, and the memory that they cost."""
import threading

from serve_client import *


class Load(Serving):
    def test_ten_thousand_waits_at_once_and_each_is_answered_once(self):
        child = self.started()
        count = 1_000 if SANITIZED else 10_000
        writer = threading.Thread(target=child.send, args=[request(i, "wait", targets=[NOWHERE], until="reachable") for i in range(1, count + 1)])
        writer.start()
        waiting = set()
        while len(waiting) < count:
            message = child.read()
            self.assertEqual(message["method"], "progress")
            waiting.add(message["params"]["id"])
        writer.join()
        writer = threading.Thread(target=child.send, args=[cancel(i) for i in range(1, count + 1)])
        writer.start()
        answered = []
        while len(answered) < count:
            message = child.read()
            if "method" not in message:
                self.assertEqual(message["error"]["data"]["code"], "cancelled")
                answered.append(message["id"])
            else:
                self.assertNotIn(message["params"]["id"], answered[-1:])
        writer.join()
        self.assertEqual(sorted(answered), list(range(1, count + 1)))
        self.assertEqual(child.end(), 0)

    def test_a_client_that_does_not_read_loses_events_and_no_answer(self):
        child = self.started(log="all")
        count = 4_000 if SANITIZED else 20_000
        child.send(*[request(i, "resolve", targets=["simple:job.worker=10.0.0.1:8470"]) for i in range(1, count + 1)])
        child.process.stdin.close()
        child.process.stdin = None
        reported = child.read_all()
        self.assertEqual(sorted(m["id"] for m in reported if "method" not in m), list(range(count + 1)))
        records = [m["params"] for m in reported if m.get("method") == "log"]
        self.assertLess(len(records), count)
        self.assertLess(child.process.wait(PATIENCE), 1)

    def test_answers_that_nobody_reads_hold_up_requests_not_memory(self):
        child = self.started()
        os.set_blocking(child.process.stdin.fileno(), False)
        line = json.dumps(request("x" * 100, "no such method " + "y" * 100)).encode() + b"\n"
        data = line * 60_000  # their answers are some 40 MB
        sent = 0
        while sent < len(data) and select.select([], [child.process.stdin], [], 2)[1]:
            sent += os.write(child.process.stdin.fileno(), data[sent:sent + 65536])
        self.assertLess(sent, len(data))
        peak = child.peak()
        if not SANITIZED:
            self.assertLess(peak, 200)
        done = sent
        read = 0
        while done < len(data) or read < 60_000:
            readable, writable, _ = select.select([child.process.stdout], [child.process.stdin] if done < len(data) else [], [], PATIENCE)
            self.assertTrue(readable or writable)
            if writable:
                done += os.write(child.process.stdin.fileno(), data[done:done + 65536])
            if readable:
                read += os.read(child.process.stdout.fileno(), 1 << 20).count(b"\n")
        self.assertEqual(read, 60_000)
        if not SANITIZED:
            self.assertLess(child.peak(), 200)
        self.assertEqual(child.end(), 0)

    def test_a_long_name_for_each_of_many_tasks_is_refused_before_it_is_written(self):
        child = self.started()
        for name in ('"' * 3000, "j" * 3000, "\x01" * 1000, "\u200b" * 1000):
            cluster = {name: {str(i): f"10.{i >> 16}.{i >> 8 & 255}.{i & 255}:1" for i in range(10_000)}}
            for number in range(4):
                answer = child.ask(request(f"{name[:1]}{number}", "launch", format="prometheus", cluster=cluster))
                self.assertEqual(answer["error"]["data"]["code"], "limit_exceeded")
        if not SANITIZED:
            self.assertLess(child.peak(), 120)
        self.assertEqual(child.end(), 0)


if __name__ == "__main__":
    main()
