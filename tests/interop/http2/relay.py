"""A relay between a client and two servers: once it has passed so many bytes of answers on, the first server is stopped by SIGSTOP, and new
connections lead to the second."""
import os
import signal
import socket
import threading


class StoppingRelay:
    def __init__(self, first, second, process, after):
        self._target, self._second, self._process, self._left = first, second, process, after
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.connections = 0  # since the first server was stopped
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                target = self._target
                self.connections += self._left <= 0
            server = socket.create_connection(("127.0.0.1", target))
            threading.Thread(target=self._pass, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    def _pass(self, source, to, is_answer):
        try:
            while data := source.recv(65536):
                to.sendall(data)
                if is_answer:
                    self._count(len(data))
            to.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _count(self, size):
        with self._lock:
            was_going = self._left > 0
            self._left -= size
            if was_going and self._left <= 0:
                os.kill(self._process, signal.SIGSTOP)
                self._target = self._second
