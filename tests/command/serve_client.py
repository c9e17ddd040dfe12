"""A client of `rollcall serve --stdio`, for the tests of that process."""
import pathlib

from support import *

NOWHERE = "simple:job.worker=127.0.0.1:1"  # nothing listens there


def request(number, method, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def cancel(number):
    return {"jsonrpc": "2.0", "method": "cancel", "params": {"id": number}}


HELLO = request(0, "initialize", protocol=1)


class Child:
    """`rollcall serve --stdio` and its client. Sent and received messages are kept in `sent` and `reported`."""

    def __init__(self, environment, *words, **given):
        self.process = subprocess.Popen([ROLLCALL, "serve", "--stdio", *words], env=environment, stderr=subprocess.PIPE, bufsize=0,
                                        **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, **given})
        self.rest = b""
        self.sent = []
        self.reported = []

    def send(self, *messages):
        for message in messages:
            if isinstance(message, dict):
                self.sent.append(message)
            line = json.dumps(message).encode() if isinstance(message, dict) else message
            self.write(line + b"\n")

    def write(self, data):
        while data:
            data = data[self.process.stdin.write(data):]

    def read(self):
        """The next message; None at the end."""
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
            if not ready:
                raise AssertionError(f"nothing comes; received so far: {self.reported[-3:]}")
            piece = os.read(self.process.stdout.fileno(), 1 << 20)
            if not piece:
                return None
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        self.reported.append(json.loads(line))
        return self.reported[-1]

    def answer(self, number):
        """The answer to that request; the messages before it are in `reported`."""
        while True:
            message = self.read()
            if message is None or ("method" not in message and message["id"] == number):
                return message

    def ask(self, message):
        self.send(message)
        return self.answer(message["id"])

    def read_all(self):
        while self.read() is not None:
            pass
        return self.reported

    def peak(self):
        """The maximum of its memory, in MB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) / 1024

    def end(self):
        """Its exit code, once its input has ended."""
        if self.process.stdin:
            self.process.stdin.close()
        self.read_all()
        code = self.process.wait(PATIENCE)
        errors = self.process.stderr.read()
        self.close()
        if errors:
            raise AssertionError(errors.decode())
        return code

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()


class Serving(Command):
    def child(self, *words, **given):
        child = Child(self.environment(), *words, **given)
        self.addCleanup(child.close)
        return child

    def started(self, **options):
        child = self.child()
        self.assertIn("result", child.ask(request(0, "initialize", protocol=1, options=options)))
        return child
