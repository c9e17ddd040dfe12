"""Signals, pipes that close, and output on a terminal."""
from support import *


class Interruption(Case):
    def ended_by(self, number):
        process = self.start("spec", "tpu:mute", "--verbose", "--timeout", "10m")
        lines_until(process.stderr, "/nodes/mute")  # the request that will never be answered was sent
        out, rest = self.interrupt(process, number)
        self.assertEqual(out, "")
        self.assertIn("interrupted", rest)

    def test_ctrl_c(self):
        self.ended_by(signal.SIGINT)

    def test_sigterm(self):
        self.ended_by(signal.SIGTERM)

    def test_ctrl_c_on_a_terminal_takes_the_progress_away(self):
        code, shown = self.on_terminal("spec", "tpu:mute", "--timeout", "10m", keys=[(b"waiting for an answer", CTRL_C)])
        self.assertEqual(code, 130, shown)
        self.assertRegex(shown, r"\r\x1b\[K(\^C)?[^\n]*rollcall:")

    def test_of_many(self):
        process = self.start("spec", "--partial", "--verbose", "--timeout", "10m", *[f"tpu:mute,job=w{i}" for i in range(100)])
        lines_until(process.stderr, "/nodes/mute")
        self.interrupt(process)


class Pipes(Case):
    def test_a_reader_that_is_gone_ends_the_command_quietly(self):
        readable, writable = os.pipe()
        os.close(readable)
        done = subprocess.run([ROLLCALL, "spec", "tpu:trainer"], stdout=writable, stderr=subprocess.PIPE, text=True, timeout=PATIENCE,
                              env=self.environment(), restore_signals=True)
        os.close(writable)
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""))


class Terminal(Case):
    def test_colours(self):
        code, shown = self.on_terminal("spec", "tpu:trainer")
        self.assertEqual(code, 0)
        self.assertIn("\x1b[1mworker\x1b[0m", shown)

    def test_no_color(self):
        for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            code, shown = self.on_terminal("spec", "simple:job.w=a:1", **variables)
            self.assertEqual((code, shown), (0, "w 0 a:1\r\n"))
            code, shown = self.on_terminal("spec", "trainer", **variables)
            self.assertEqual(code, 2)
            self.assertNotIn("\x1b", shown)

    def test_errors_are_coloured(self):
        self.assertIn("\x1b[1;31mrollcall:", self.on_terminal("spec", "trainer")[1])

    def test_an_error_has_lines_on_a_terminal_and_one_in_a_pipe(self):
        code, shown = self.on_terminal("spec", "tpu:nobody", NO_COLOR="1")
        self.assertEqual(code, 1)
        lines = shown.split("rollcall: ", 1)[1].splitlines()
        self.assertTrue(lines[0].startswith("TPU 'nobody': HTTP 404 NOT_FOUND"), shown)
        labels = [line[:10] for line in lines[1:] if line[:10].strip()]
        self.assertEqual(labels, ["   asked: ", "    hint: "], shown)
        done = self.run_it("spec", "tpu:nobody")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(" (asked http", done.stderr)

    def test_verbose_lines_tell_a_failure_once(self):
        done = self.run_it("spec", "tpu:nobody", "simple:job.ps=a:1", "--verbose")
        self.assertEqual(done.returncode, 1, done.stderr)
        *lines, last = done.stderr.splitlines()
        self.assertTrue(last.startswith("rollcall: TPU 'nobody': HTTP 404"), done.stderr)
        self.assertEqual(len([line for line in lines if "was not found" in line]), 1, done.stderr)

    def test_terminal_escapes_in_an_argument_do_nothing(self):
        self.assertNotIn("\x1b[2J", self.on_terminal("spec", "x\x1b[2J", NO_COLOR="1")[1])


if __name__ == "__main__":
    main()
