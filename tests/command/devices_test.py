"""`rollcall devices`: real gRPC to simulated workers, the accelerator type where none listen, and workers that are missing."""
import contextlib
import socket
import threading

from support import *

# Addresses of this machine that no other test uses. The second pair's second worker never runs.
WORKERS = {
    "project": "p",
    "nodes": [
        {"name": "vm", "accelerator_type": "v4-32"},
        {"name": "future", "accelerator_type": "v99x-8", "endpoints": ["10.9.2.1"]},
        {"name": "counted", "accelerator_type": "v3-16", "endpoints": ["10.9.0.1", "10.9.0.2"], "workers": {"runtime": "tensorflow"}},
        {"name": "silent", "accelerator_type": "v4-8", "endpoints": ["10.9.1.1"]},
    ],
    "workers": [
        {"address": "127.84.0.1:8470", "cores": 2},
        {"address": "127.84.0.2:8470", "cores": 2},
        {"address": "127.84.1.1:8470", "cores": 2, "job": "trainer"},
        {"address": "127.84.1.2:8470", "cores": 2, "job": "trainer", "runtime": "none"},
        {"address": "127.84.2.1:8470", "cores": 2, "job": "odd"},
        {"address": "127.84.2.2:8470", "cores": 3, "job": "odd"},
        {"address": "127.84.3.1:8470", "cores": 1, "job": "garbage", "fault": "garbage"},
    ],
}
PAIR = "tpu:grpc://127.84.0.1:8470,grpc://127.84.0.2:8470"
HALF = "tpu:grpc://127.84.1.1:8470,grpc://127.84.1.2:8470"


class Devices(Case):
    cloud = WORKERS

    def devices(self, *words):
        done = self.run_it("devices", *words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, code, *words):
        done = self.run_it("devices", *words)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        return done.stderr


class Answers(Devices):
    def test_a_table_per_target(self):
        self.assertEqual(self.devices(PAIR), PAIR + ": 4 TPU devices on 2 hosts, 2 each (source: devices)\n"
                         "  job      task    CPU    TPU  TPU_SYSTEM\n"
                         "  worker      0      1      2           1\n"
                         "  worker      1      1      2           1\n")

    def test_json(self):
        target = json.loads(self.devices(PAIR, "--format", "json"))["targets"][0]
        self.assertEqual((target["target"], target["source"], target["num_cores"], target["num_hosts"], target["num_of_cores_per_host"]),
                         (PAIR, "devices", 4, 2, 2))
        self.assertEqual(target["hosts"][1], {"job": "worker", "task": 1, "counts": {"CPU": 1, "TPU": 2, "TPU_SYSTEM": 1}})
        self.assertEqual(len(target["devices"]), 8)
        self.assertTrue(all(int(device["incarnation"]) > 0 for device in target["devices"]))

    def test_all_workers_may_be_asked_from_the_start(self):
        self.assertEqual(self.devices(PAIR, "--ask", "workers"), self.devices(PAIR))

    def test_a_tpu_vm_is_counted_by_its_type(self):
        self.assertEqual(self.devices("tpu:vm"), "tpu:vm: 16 TPU devices on 4 hosts, 4 each, topology 2x2x4 (source: accelerator type)\n")

    def test_what_listens_elsewhere_is_reached_by_connect_to(self):
        rules = self.sim.environment["ROLLCALL_SIM_WORKERS"].split()
        out = self.devices("tpu:counted", "--source", "devices", *rules)
        self.assertIn("16 TPU devices on 2 hosts, 8 each (source: devices)", out)


class Refusals(Devices):
    def test_a_missing_worker_is_named(self):
        error = self.refused(5, HALF)
        self.assertIn("1 of 2 workers does not answer: worker 1 (127.84.1.2:8470): refused", error)

    def test_uneven_hosts_are_named(self):
        error = self.refused(1, "tpu:grpc://127.84.2.1:8470,grpc://127.84.2.2:8470")
        self.assertIn("task 0 has 2", error)
        self.assertIn("task 1 has 3", error)

    def test_garbage_names_the_worker(self):
        self.assertIn("127.84.3.1:8470", self.refused(1, "tpu:grpc://127.84.3.1:8470"))

    def test_insisting_on_devices_where_no_runtime_listens(self):
        # Nothing routes there from a test machine's loopback: the name does not resolve at once.
        error = self.refused(5, "tpu:silent", "--source", "devices", "--connect-to", "10.9.1.1:8470:127.84.9.9:1", "--retries", "1")
        self.assertIn("10.9.1.1:8470: connection refused", error)
        self.assertIn("TPU VM", error)

    def test_a_type_that_the_table_does_not_know(self):
        self.assertIn("v99x", self.refused(1, "tpu:future", "--source", "accelerator-type"))
        # Without an option no worker is dialled, either: on a TPU VM no runtime listens.
        error = self.refused(1, "tpu:future")
        self.assertIn("v99x", error)
        self.assertIn("--source devices", error)
        self.assertNotIn("10.9.2.1", error)
        pod = {"TPU_WORKER_HOSTNAMES": "10.9.2.1", "TPU_WORKER_ID": "0", "TPU_ACCELERATOR_TYPE": "v99x-8"}
        done = self.run_it("devices", "auto:", **pod)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "v99x.*--source devices")

    def test_a_web_server_is_reported_from_a_worker(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            def serve():
                while True:
                    try:
                        connection = server.accept()[0]
                    except OSError:
                        return
                    with connection, contextlib.suppress(OSError):
                        connection.recv(4096)
                        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                        connection.shutdown(socket.SHUT_WR)
                        while connection.recv(4096):  # what is not read would reset the connection, and the answer with it
                            pass
            threading.Thread(target=serve, daemon=True).start()
            # The master's answer on a fast machine, the workers' on a slow one: the same code and cause.
            for asked in ([], ["--ask", "workers"]):
                error = self.refused(1, f"tpu:grpc://127.0.0.1:{server.getsockname()[1]}", *asked)
                self.assertIn("does not speak gRPC", error)
            server.shutdown(socket.SHUT_RDWR)

    def test_a_peer_that_says_nothing(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            error = self.refused(5, f"tpu:grpc://127.0.0.1:{server.getsockname()[1]}", "--timeout", "20s")
        self.assertIn("silent", error)

    def test_a_name_that_does_not_exist(self):
        error = self.refused(5, "tpu:grpc://nobody.invalid:8470", "--retries", "0")
        self.assertIn("nobody.invalid:8470", error)

    def test_partial(self):
        done = self.run_it("devices", PAIR, HALF, "--partial", "--format", "json")
        self.assertEqual(done.returncode, 6, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual([target["target"] for target in answer["targets"]], [PAIR])
        self.assertEqual([(failure["target"], failure["code"]) for failure in answer["failures"]], [(HALF, "unavailable")])

    def test_words(self):
        self.assertIn("--source", self.refused(2, PAIR, "--source", "guess"))
        self.assertIn("rollcall devices --help", self.refused(2))
        self.assertIn("accelerator type", self.refused(2, PAIR, "--source", "accelerator-type"))


class Interruption(Command):
    def test_control_c_ends_a_call_under_way(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            process = self.start("devices", f"tpu:grpc://127.0.0.1:{server.getsockname()[1]}")
            connection = server.accept()[0]
            out, err = self.interrupt(process)
            connection.close()
        self.assertEqual(out, "", err)


if __name__ == "__main__":
    main()
