"""Pipes whose writers write nothing, in all places for files: signals are handled, time-outs hold, and other requests are answered."""
from serve_client import *


class Piped(Command):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "pipe")
        os.mkfifo(self.path, 0o600)
        self.writer = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(lambda: os.close(self.writer))
        fcntl.fcntl(self.writer, fcntl.F_SETPIPE_SZ, 4096)
        os.write(self.writer, b" " * 4096)  # full: there is room again when the command has read

    def until_read(self):
        poll = select.poll()
        poll.register(self.writer, select.POLLOUT)
        self.assertTrue(poll.poll(PATIENCE * 1000), "the pipe is not read")


class SilentPipe(Piped):
    def heard(self, *words, number=signal.SIGINT, **variables):
        process = self.begin(*words, "--timeout", "10m", **variables)
        self.until_read()
        self.interrupt(process, number)

    def test_signals_are_heard(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.heard("wait", "file:" + self.path, number=number)
            os.write(self.writer, b" " * 4096)

    def test_of_a_kubeconfig(self):
        self.heard("wait", "kubernetes:x,job.w=a=b", KUBECONFIG=self.path)

    def test_of_a_kubeconfig_that_a_target_names(self):
        self.heard("wait", "kubernetes:x,job.w=a=b,kubeconfig=" + self.path)

    def test_of_a_kubeconfig_for_exec(self):
        process = self.begin("exec", "kubernetes:x,job.w=a=b", "--timeout", "10m", "--restart-on", "lost", "--", "true", KUBECONFIG=self.path)
        self.until_read()
        self.interrupt(process)

    def test_of_a_token_that_a_target_names(self):
        self.simulate({"kubernetes": {"namespace": "train", "pods": []}})
        self.heard("wait", "kubernetes:train,job.w=a=b,token_file=" + self.path)

    def test_of_a_credential_file(self):
        self.heard("spec", "tpu:n,project=p,zone=z", GOOGLE_APPLICATION_CREDENTIALS=self.path)

    def test_of_a_credential_file_that_tells_the_project(self):
        self.heard("spec", "tpu:n,zone=z", GOOGLE_APPLICATION_CREDENTIALS=self.path)

    def test_of_a_hostfile(self):
        self.heard("spec", "mpi:,hostfile=" + self.path, OMPI_COMM_WORLD_RANK="0", OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_LOCAL_SIZE="1",
                   OMPI_COMM_WORLD_LOCAL_RANK="0")

    def test_the_timeout_holds_and_names_the_pipe(self):
        done = self.run_it("spec", "file:" + self.path, "--timeout", "1s")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("has not come to its end", done.stderr)
        self.assertIn(self.path, done.stderr)

    def test_what_comes_later_is_taken(self):
        process = self.begin("spec", "file:" + self.path, "--timeout", "10m")
        self.until_read()
        os.write(self.writer, b'{"worker": ["10.0.0.1:8470"]}')
        os.close(self.writer)
        self.writer = os.open("/dev/null", os.O_RDONLY)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertIn("10.0.0.1:8470", out, err)

    def test_of_trust_anchors(self):
        self.simulate(CLOUD)
        for words, variables in ((("--ca", self.path), {}), ((), {"SSL_CERT_FILE": self.path})):
            done = self.run_it("spec", "tpu:n,project=p,zone=z,endpoint=https://127.0.0.1:1/", *words, **{"ROLLCALL_ACCESS_TOKEN": "t", **variables})
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("it is no regular file", done.stderr)
        self.run_it("complete", "--", "spec", "--ca", self.path, "tpu:")  # ends

    def test_of_files_that_libraries_open(self):
        for name in ("OPENSSL_CONF", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "HOSTALIASES"):
            for path in (self.path, "/dev/zero"):
                done = self.run_it("spec", "simple:job.worker=10.0.0.1:1", **{name: path})
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(name, done.stderr)
            self.assertEqual(self.run_it("spec", "simple:job.worker=10.0.0.1:1", **{name: "/dev/null"}).returncode, 0)


    def test_of_the_resolvers_files(self):
        words = [ROLLCALL, "spec", "simple:job.worker=10.0.0.1:1"]
        for path in ("/etc/resolv.conf", "/etc/hosts"):
            mounted = ["unshare", "-rm", "sh", "-c", f'mount --bind /dev/zero {path} || exit 77; exec "$@"', "sh"]
            done = subprocess.run(mounted + words, env=self.environment(), capture_output=True, text=True, timeout=PATIENCE)
            if done.returncode in (1, 77):
                self.skipTest("nothing can be mounted here")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(path + " is no regular file", done.stderr)


class SilentPipeOfSession(Piped):
    """The same for one request of several."""

    def child(self):
        child = Child(self.environment())
        self.addCleanup(child.close)
        child.ask(HELLO)
        return child

    def test_others_are_answered(self):
        child = self.child()
        child.send(request(1, "resolve", targets=["file:" + self.path], timeout=500))
        self.until_read()
        self.assertIn("result", child.ask(request(2, "resolve", targets=[NOWHERE])))
        self.assertEqual([message["id"] for message in child.reported if "id" in message], [0, 2])
        child.send(cancel(1))
        self.assertIn("error", child.answer(1))

    def test_its_own_timeout_holds(self):
        child = self.child()
        child.send(request(1, "resolve", targets=["file:" + self.path], timeout=1))
        answer = child.answer(1)
        self.assertEqual(answer["error"]["data"]["code"], "deadline_exceeded", answer)
        self.assertIn("has not come to its end", json.dumps(answer))

    def test_a_signal_ends_the_session(self):
        child = self.child()
        child.send(request(1, "resolve", targets=["file:" + self.path], timeout=500))
        self.until_read()
        child.process.send_signal(signal.SIGTERM)
        child.process.wait(PATIENCE)

    def test_of_a_token(self):
        child = Child(self.environment())
        self.addCleanup(child.close)
        answer = child.ask(request(0, "initialize", protocol=1, options={"token_file": self.path}))
        self.assertIn("result", answer)
        self.assertIn("result", child.ask(request(2, "resolve", targets=[NOWHERE])))


if __name__ == "__main__":
    unittest.main()
