"""`rollcall sim`: environment lines, background, counts, errors in the file."""
import json
import os
import re
import signal
import socket
import subprocess
import tempfile

from support import *

# The variables of a script that has no cloud.
ENDS_SCRIPT = "case $- in *i*) (exit {0});; *) exit {0};; esac\n"


class Foreground(Case):
    def test_counts_are_printed_on_exit(self):
        sim = Simulation()
        environment = {**clean_environment(), **sim.environment}
        for _ in range(3):
            subprocess.run([ROLLCALL, "spec", "tpu:single"], env=environment, stdout=subprocess.DEVNULL, check=True, timeout=PATIENCE)
        self.assertEqual(sim.stop(), 0)
        self.assertRegex(sim.counts, r"(?m)^ +3 nodes\.get$")
        self.assertRegex(sim.counts, r"^ +\d+ requests\n")

    def test_ctrl_c_and_quiet(self):
        sim = Simulation(CLOUD, "--quiet")
        self.assertEqual(sim.stop(signal.SIGINT), 0)
        self.assertEqual(sim.counts, "")

    def test_clients_that_wait_for_a_change_do_not_hold_it_up(self):
        sim = Simulation(CLOUD, "--quiet")
        host, _, port = sim.environment["GCE_METADATA_HOST"].rpartition(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as waiting, socket.create_connection((host, int(port)), timeout=PATIENCE) as other:
            question = "GET /computeMetadata/v1/instance/zone{} HTTP/1.1\r\nHost: metadata\r\nMetadata-Flavor: Google\r\n\r\n"
            waiting.sendall(question.format("?wait_for_change=true").encode())
            other.sendall(question.format("").encode())
            self.assertIn(b"200 OK", other.recv(65536))
            self.assertEqual(sim.stop(), 0)
            self.assertEqual(waiting.recv(65536), b"")

    def test_https_with_its_authority(self):
        with tempfile.TemporaryDirectory() as folder:
            ca = os.path.join(folder, "ca.pem")
            sim = Simulation(CLOUD, "--ca-out", ca)
            environment = {**clean_environment(), **sim.environment}
            self.assertIn("https://", sim.environment["CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU"])
            done = subprocess.run([ROLLCALL, "spec", "tpu:single", "--ca", ca], env=environment, stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stdout), (0, "worker 0 10.1.0.1:8470\n"))
            distrust = subprocess.run([ROLLCALL, "spec", "tpu:single"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
            self.assertEqual(distrust.returncode, 1, distrust.stderr)
            own = {**clean_environment(), "GCE_METADATA_HOST": sim.environment["GCE_METADATA_HOST"]}
            by_name = ["spec", "tpu:single", "--project", "example-proj", "--zone", "us-central2-b", "--ca", ca]
            done = subprocess.run([ROLLCALL, *by_name, *sim.environment["ROLLCALL_SIM_GOOGLE"].split()], env=own, stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stdout), (0, "worker 0 10.1.0.1:8470\n"))
            sim.stop()
        plain = Simulation(CLOUD)
        self.assertNotIn("ROLLCALL_SIM_GOOGLE", plain.environment)
        plain.stop()


class Workers(unittest.TestCase):
    """TensorFlow servers of the file: at their own address if it is this machine's, else behind one port."""

    def simulation(self):
        return Simulation({"nodes": [{"name": "n", "endpoints": ["10.0.0.2", "10.0.0.3:8471"], "workers": {"runtime": "tensorflow"}}],
                           "workers": [{"address": self.address}]})

    def setUp(self):
        process = os.getpid()
        self.address = f"127.99.{process // 250 % 250}.{1 + process % 250}"

    def test_where_they_are(self):
        sim = self.simulation()
        rules = re.fullmatch(r"--connect-to :8470:127\.0\.0\.1:(\d+) --connect-to :8471:127\.0\.0\.1:\1", sim.environment["ROLLCALL_SIM_WORKERS"])
        self.assertTrue(rules, sim.environment)
        for where in (("127.0.0.1", int(rules[1])), (self.address, 8470)):
            socket.create_connection(where, timeout=PATIENCE).close()
        self.assertEqual(sim.stop(), 0)
        self.assertRaises(ConnectionRefusedError, socket.create_connection, (self.address, 8470))

    def test_an_address_that_is_taken(self):
        with socket.create_server((self.address, 8470)):
            with self.assertRaisesRegex(AssertionError, f"cannot listen on {self.address} port 8470: Address already in use"):
                self.simulation()

    def test_none_are_not_mentioned(self):
        sim = Simulation()
        self.assertNotIn("ROLLCALL_SIM_WORKERS", sim.environment)
        sim.stop()


class Background(Case):
    def test_eval(self):
        script = 'eval "$("$0" sim "$1" --background)" && "$0" spec tpu:single; code=$?; kill "$ROLLCALL_SIM_PID"; exit $code'
        done = subprocess.run(["bash", "-c", script, ROLLCALL, CLOUD], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, env=clean_environment())
        self.assertEqual((done.returncode, done.stdout), (0, "worker 0 10.1.0.1:8470\n"), done.stderr)

    def test_errors_are_those_of_the_foreground(self):
        done = subprocess.run([ROLLCALL, "sim", "/does/not/exist", "--background"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout), (2, ENDS_SCRIPT.format(2)))

    def test_a_script_does_not_go_on_without_its_cloud(self):
        for shell in ("bash", "sh"):
            script = 'eval "$("$0" sim /does/not/exist --background)"; echo still here'
            done = subprocess.run([shell, "-c", script, ROLLCALL], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
        typed = subprocess.run(["bash", "-i"], input=f'eval "$({ROLLCALL} sim /does/not/exist --background)"; echo "code $?"\n', stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        self.assertIn("code 2\n", typed.stdout)

    def test_nor_does_one_whose_words_are_wrong(self):
        script = 'eval "$("$0" sim "$@")"; echo "goes on"'
        for words in (["--background"], ["-b"], [CLOUD, "-qb", "--prot", "0"], [CLOUD, "--background", "--port"], [CLOUD, "--background", "--quiet=1"],
                      [CLOUD, "--background", "--port", "many"], [CLOUD, "--background", "--env-format", "shel"], ["--background", "--format", "json"],
                      [CLOUD, "--background", "--", "true"]):
            done = subprocess.run(["bash", "-c", script, ROLLCALL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, env=clean_environment())
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
        for words in ([], [CLOUD, "--prot", "0"], ["--background", "--env-format", "json"], [CLOUD, "--prot", "0", "--", "true", "--background"]):
            done = subprocess.run([ROLLCALL, "sim", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, env=clean_environment())
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)

    def test_no_server_stays_when_nobody_reads_where_it_is(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([ROLLCALL, "sim", CLOUD, "--background", "--port", str(port)], stdout=writer, timeout=PATIENCE)
        os.close(writer)
        self.assertNotEqual(done.returncode, 0)
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)

    def test_a_port_that_is_taken(self):
        port = self.sim.environment["GCE_METADATA_HOST"].rpartition(":")[2]
        for mode in ([], ["--background"]):
            done = subprocess.run([ROLLCALL, "sim", CLOUD, "--port", port, *mode], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stdout), (1, ENDS_SCRIPT.format(1) if mode else ""))
            self.assertIn(port, done.stderr)


class WithProgram(Case):
    def run_sim(self, *words, cloud=CLOUD):
        return subprocess.run([ROLLCALL, "sim", cloud, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, env=clean_environment())

    def test_it_has_the_cloud_for_as_long_as_it_runs(self):
        done = self.run_sim("--quiet", "--", "sh", "-c", '"$0" spec tpu:single; echo "$ROLLCALL_SIM_PID $PPID $GCE_METADATA_HOST"', ROLLCALL)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        spec, reported = done.stdout.splitlines()
        self.assertEqual(spec, "worker 0 10.1.0.1:8470")
        pid, parent, metadata = reported.split()
        self.assertEqual(pid, parent)
        host, port = metadata.split(":")
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection((host, int(port)), timeout=PATIENCE)

    def test_its_status_is_the_commands(self):
        self.assertEqual(self.run_sim("--", "sh", "-c", "exit 7").returncode, 7)
        self.assertEqual(self.run_sim("--", "sh", "-c", "kill -KILL $$").returncode, 137)
        missing = self.run_sim("--", "/does/not/exist")
        self.assertEqual(missing.returncode, 127)
        self.assertIn("/does/not/exist", missing.stderr)

    def test_none_behind_the_mark_is_wrong_usage(self):
        done = self.run_sim("--")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no program to start: write it behind --", done.stderr)

    def test_requests_are_counted_behind_it(self):
        done = self.run_sim("--", ROLLCALL, "spec", "tpu:single")
        self.assertEqual(done.stdout, "worker 0 10.1.0.1:8470\n")
        self.assertRegex(done.stderr, r"\d+ requests")

    def test_without_a_cloud_it_is_not_run(self):
        done = self.run_sim("--", "echo", "run", cloud="/does/not/exist")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        both = self.run_sim("--background", "--", "echo", "run")
        self.assertEqual((both.returncode, both.stdout), (2, ENDS_SCRIPT.format(2)))
        self.assertIn("exclude each other", both.stderr)

    def test_its_variables_take_the_place_of_those_outside(self):
        outside = {**clean_environment(), **dict.fromkeys(self.sim.environment, "outside")}
        done = subprocess.run([ROLLCALL, "sim", CLOUD, "--quiet", "--", "/bin/cat", "/proc/self/environ"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=PATIENCE, env=outside)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        reported = [entry.partition("=") for entry in done.stdout.split("\0")]
        for name in self.sim.environment:
            values = [value for one, _, value in reported if one == name]
            self.assertEqual((len(values), "outside" in values), (1, False), name)

    def test_a_signal_reaches_it(self):
        process = subprocess.Popen([ROLLCALL, "sim", CLOUD, "--quiet", "--", "sh", "-c", "trap 'echo told; exit 3' TERM; echo ready; while :; do sleep 0.1; done"], stdout=subprocess.PIPE, text=True, env=clean_environment())
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.terminate()
        self.assertEqual((process.communicate(timeout=PATIENCE)[0], process.returncode), ("told\n", 3))


class EnvironmentForms(Case):
    def reported(self, form):
        process = subprocess.Popen([ROLLCALL, "sim", CLOUD, "--env-format", form, "--background", "--quiet"], stdout=subprocess.PIPE, text=True, env=clean_environment())
        text = process.communicate(timeout=PATIENCE)[0]
        self.assertEqual(process.returncode, 0)
        os.kill(int(re.search(r"ROLLCALL_SIM_PID\W+(\d+)", text)[1]), signal.SIGTERM)
        return text

    def test_github(self):
        self.assertRegex(self.reported("github"), r"(?m)^GCE_METADATA_HOST=127\.0\.0\.1:\d+$")
        self.assertNotIn("'", self.reported("github"))

    def test_json(self):
        self.assertRegex(json.loads(self.reported("json"))["GCE_METADATA_HOST"], r"^127\.0\.0\.1:\d+$")

    def test_dotenv(self):
        self.assertRegex(self.reported("dotenv"), r"(?m)^GCE_METADATA_HOST=127\.0\.0\.1:\d+$")


class BadFiles(unittest.TestCase):
    def refused(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([ROLLCALL, "sim", file.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            return done.stderr.replace(file.name, "FILE")

    def test_line_and_path(self):
        self.assertIn("FILE:2:", self.refused('{"nodes": [\n{"name": "a", "state": "REDY"}]}'))
        self.assertIn("READY", self.refused('{"nodes": [\n{"name": "a", "state": "REDY"}]}'))
        self.assertIn("FILE:1:", self.refused("{"))
        self.refused("")


if __name__ == "__main__":
    main()
