"""A small training job: in every step all workers sum their numbers over TCP, and a worker that loses a peer fails, as real ones do.

Worker 0 keeps a checkpoint with the next step. After STEPS steps all end with 0."""
import os
import signal
import socket
import sys
import time

STEPS = 60
STEP = 0.1  # seconds
rank = int(os.environ["ROLLCALL_TASK_INDEX"])
addresses = [address.rsplit(":", 1) for address in os.environ["ROLLCALL_ADDRESSES"].split(",")]
checkpoint = sys.argv[1]


def say(text):
    print(f"run {os.environ['ROLLCALL_RESTART_COUNT']}, rank {rank} of {len(addresses)}: {text}", flush=True)


def on_term(number, frame):
    say("TERM: I end")
    sys.exit(0)


def connect(host, port):
    deadline = time.monotonic() + 20
    while True:
        try:
            return socket.create_connection((host, port), timeout=20)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def receive(peer):
    data = b""
    while not data.endswith(b"\n"):
        piece = peer.recv(64)
        if not piece:
            raise ConnectionError("a peer is gone")
        data += piece
    return int(data)


signal.signal(signal.SIGTERM, on_term)
host, port = addresses[0][0], int(addresses[0][1])
if rank == 0:
    server = socket.create_server((host, port))
    peers = [server.accept()[0] for _ in addresses[1:]]
    server.close()
    step = int(open(checkpoint).read()) if os.path.exists(checkpoint) else 0
    for peer in peers:
        peer.sendall(b"%d\n" % step)
else:
    peers = [connect(host, port)]
    step = receive(peers[0])
say(f"all are there, step {step} is next")
try:
    while step < STEPS:
        if rank == 0:
            total = sum(receive(peer) for peer in peers)
            for peer in peers:
                peer.sendall(b"%d\n" % total)
            with open(checkpoint + ".new", "w") as file:
                file.write(str(step + 1))
            os.replace(checkpoint + ".new", checkpoint)
        else:
            peers[0].sendall(b"%d\n" % rank)
            receive(peers[0])
        step += 1
        time.sleep(STEP)
except OSError as error:
    say(f"step {step} fails: {error}")
    sys.exit(1)
say(f"step {step} was the last: done")
