"""What child processes inherit from the command: no descriptor past standard error, and no token."""
from support import *

TWO = "simple:job.worker=a:1+b:1"
TOKEN = {"ROLLCALL_ACCESS_TOKEN": "ya29.a-token-of-somebody"}
PRINT = ["sh", "-c", "echo \"token=${ROLLCALL_ACCESS_TOKEN-none} kept=$KEPT\""]


class Inherited(Command):
    def environment(self, **variables):
        return super().environment(**{"NO_GCE_CHECK": "true", "KEPT": "yes", **TOKEN, **variables})

    def test_a_program_is_not_given_the_token(self):
        for mode in ([], ["--on-preempt", "TERM"]):
            done = self.run_it("exec", TWO, "--progress", "none", *mode, "--", *PRINT)
            self.assertEqual((done.returncode, done.stdout), (0, "token=none kept=yes\n"), done.stderr)

    def test_a_hook_is_not_given_the_token(self):
        process = self.start("watch", TWO, "--exec", PRINT[2])
        self.assertEqual(lines_until(process.stderr, "token=")[-1], "token=none kept=yes\n")
        self.interrupt(process)

    def test_a_simulation_in_the_background_keeps_nothing(self):
        reader, writer = os.pipe()
        lock = os.open(CLOUD, os.O_RDONLY)
        folder = self.enterContext(tempfile.TemporaryDirectory())
        ca = os.open(os.path.join(folder, "ca"), os.O_WRONLY | os.O_CREAT)
        done = subprocess.run([ROLLCALL, "sim", CLOUD, "--background", "--ca-out", f"/dev/fd/{ca}"], env=self.environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, pass_fds=[writer, lock, ca], timeout=PATIENCE)
        pid = int(exports(done.stdout)["ROLLCALL_SIM_PID"])
        try:
            for descriptor in (writer, lock, ca):
                os.close(descriptor)
            links = [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
            self.assertNotIn(CLOUD, links)
            self.assertNotIn(os.path.join(folder, "ca"), links)
            self.assertTrue(select.select([reader], [], [], PATIENCE)[0], "it keeps the pipe")
            self.assertEqual(os.read(reader, 1), b"")
            with open(f"/proc/{pid}/environ", "rb") as file:
                self.assertNotIn(TOKEN["ROLLCALL_ACCESS_TOKEN"].encode(), file.read())
            with open(os.path.join(folder, "ca")) as file:
                self.assertIn("BEGIN CERTIFICATE", file.read())
        finally:
            os.close(reader)
            os.kill(pid, signal.SIGTERM)


if __name__ == "__main__":
    main()
