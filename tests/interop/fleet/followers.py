"""Followers of real services, and the check of the events that they received: by the program that checks the stories in virtual time (INTEROP_CHECK,
tests/interop/fleet/check_followers.cpp)."""
import base64
import http.client
import json
import os
import re
import subprocess
import threading
import time
import urllib.request

CHECK = os.environ["INTEROP_CHECK"]


class Follower(threading.Thread):
    """Follows a target at one service after the other, from one stream to the next, and records the events."""

    def __init__(self, urls, first, name, headers=None):
        super().__init__(daemon=True)
        self.urls, self.at, self.target, self.headers = urls, first, name, headers or {}
        self.events, self.lines, self.last, self.is_over = [], [], None, False
        self.start()

    def run(self):
        while not self.is_over:
            request = urllib.request.Request(f"{self.urls[self.at]}/v1/clusters/{self.target}?view=progress", headers={"Accept": "text/event-stream", **self.headers})
            if self.last:
                request.add_header("Last-Event-ID", self.last)
            try:
                # A service that hangs cannot report that: its follower leaves after 15 s.
                with urllib.request.urlopen(request, timeout=15) as stream:
                    self.lines.append([time.monotonic()] * 2)
                    self.read(stream)
            except (OSError, http.client.HTTPException):
                pass
            self.at = (self.at + 1) % len(self.urls)
            time.sleep(0.2)

    def read(self, stream):
        event = {}
        for line in stream:
            self.lines[-1][1] = time.monotonic()
            key, _, value = line.decode().rstrip("\n").partition(": ")
            event[key] = value
            if line == b"\n":
                if "event" in event:
                    self.last = event.get("id", self.last)
                    self.events.append((time.monotonic(), event))
                event = {}
            if self.is_over:
                return

    def has(self, kinds, since):
        return any(at >= since and event["event"] in kinds for at, event in self.events)


def check_output(followers, timeline, begun, end, epochs=()):
    """The violations, as text. `timeline`: of the simulated TPU, as in its file; `begun`: when the cloud started."""
    lines = []
    for i, step in enumerate(timeline):
        until = timeline[i + 1]["at"] if i + 1 < len(timeline) else end - begun
        standing = "ready" if step["state"] == "READY" else "waiting"
        lines.append(f"truth {standing} {step['at'] - 0.3} {until + 0.3}")  # the cloud's clock is known as well as that
    for i, follower in enumerate(followers):
        lines.append(f"follower {i}")
        lines += [f"line {from_ - begun:.3f} {until - begun:.3f}" for from_, until in list(follower.lines)]
        for at, event in list(follower.events):
            age = re.search(r'"age_ms":(\d+)', event["data"])
            standing = {"progress": "waiting", "ready": "ready", "final": "over"}.get(event["event"], "-")
            lines.append(f"event {at - begun:.3f} {event['event']} {event['id']} {int(age.group(1)) / 1000 if age else '-'} {standing}")
    lines += [f"epoch {at - begun:.3f} {source} {epoch}" for at, source, epoch in epochs if epoch]
    lines.append(f"end {end - begun:.3f}")
    run = subprocess.run([CHECK], input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    return run.stdout.splitlines() + run.stderr.splitlines()
