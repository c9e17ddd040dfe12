"""page.py ROLLCALL CHROMEDRIVER CHROMIUM [PICTURES]: the page of `rollcall serve` in a real browser, over a real service and a simulated cloud. Prints each observation on a
line; exit code 1 if one is wrong. With PICTURES, a folder, screenshots go there."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import clouds
from webdriver import Browser

ROLLCALL, DRIVER, CHROMIUM = sys.argv[1:4]
PICTURES = sys.argv[4] if len(sys.argv) > 4 else None
TAB, ENTER, ESCAPE, SHIFT = "\ue004", "\ue007", "\ue00c", "\ue008"
faults = []
lines = []


def reported(name, is_fine, figure=""):
    line = f"{'ok  ' if is_fine else 'BAD '} {name}{': ' + str(figure) if figure != '' else ''}"
    lines.append(line)
    print(line, flush=True)
    if not is_fine:
        faults.append(name)


class Cloud:
    """A simulated cloud and a service over it, on ports of their own."""

    def __init__(self, fleet, port=0):
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "cloud.json")
        with open(path, "w") as file:
            json.dump(fleet, file)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(("ROLLCALL", "TPU", "CLOUDSDK", "GOOGLE"))}
        self.sim, exports = self.start(["sim", path, "--quiet"], "GCE_METADATA_HOST")
        self.environment.update(exports)
        self.port = port
        self.serve()

    def start(self, words, last):
        process = subprocess.Popen([ROLLCALL, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=self.environment)
        exports = {}
        for line in process.stdout:
            found = re.match(r"export (\w+)='?([^'\n]*)'?", line)
            if found:
                exports[found[1]] = found[2]
            if last in exports:
                break
        else:
            raise RuntimeError(f"rollcall {' '.join(words)} did not start")
        # Later output is not waited for, but must not fill the pipe.
        threading.Thread(target=lambda: [exports.update(re.findall(r"export (\w+)='?([^'\n]*)'?", line)) for line in process.stdout], daemon=True).start()
        time.sleep(0.3)
        return process, exports

    def serve(self):
        self.service, exports = self.start(["serve", "--listen", f"127.0.0.1:{self.port}"], "ROLLCALL_SERVER")
        self.url = exports["ROLLCALL_SERVER"]
        self.port = int(self.url.rsplit(":", 1)[1])

    def get(self, path):
        try:
            with urllib.request.urlopen(self.url + path, timeout=40) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            return json.load(error)

    def follow(self, targets):
        def some(part):
            for target in part:
                self.get(f"/v1/clusters/{target.replace('%', '%25')}?view=progress")
        threads = [threading.Thread(target=some, args=(targets[i::16],)) for i in range(16)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]

    def kill(self):
        self.service.send_signal(signal.SIGKILL)
        self.service.wait()

    def close(self):
        for process in (self.service, self.sim):
            if process.poll() is None:
                process.kill()
                process.wait()
        self.folder.cleanup()


ROWS = "return document.querySelectorAll('.rows .row:not([hidden])').length"
SCROLL = """
const done = arguments[arguments.length - 1];
const tasks = [];
new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => e.duration))).observe({ entryTypes: ['longtask'] });
const frames = [];
let last = performance.now();
const bottom = document.documentElement.scrollHeight;
let y = 0, down = true;
const step = (now) => {
  frames.push(now - last);
  last = now;
  y += down ? 200 : -200;
  if (y > bottom) down = false;
  scrollTo(0, y);
  if (y < 0 || frames.length > 400) setTimeout(() => done({ tasks, frames: frames.sort((a, b) => a - b), bottom }), 300);
  else requestAnimationFrame(step);
};
requestAnimationFrame(step);"""
LUMINANCE = """
const lum = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
const parse = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
const ground = (node) => { for (; node; node = node.parentElement) { const c = parse(getComputedStyle(node).backgroundColor); if (c[3] > 250) return c.slice(0, 3); } return parse(getComputedStyle(document.body).backgroundColor).slice(0, 3); };
let worst = [99, ''];
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let seen = 0; walk.nextNode() && seen < 3000; ++seen) {
  const node = walk.currentNode.parentElement;
  if (!walk.currentNode.textContent.trim() || !node.checkVisibility() || node.closest('svg')) continue;
  const a = lum(parse(getComputedStyle(node).color).slice(0, 3)), b = lum(ground(node));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < worst[0]) worst = [ratio, node.className + ' ' + walk.currentNode.textContent.trim().slice(0, 40)];
}
return worst;
"""


def contrast(browser, name):
    ratio, where = browser.run(LUMINANCE)
    reported(f"contrast, {name}: at least 4.5", ratio >= 4.5, f"{ratio:.2f} ({where})")


def picture(browser, name):
    if PICTURES:
        time.sleep(0.4)
        browser.picture(os.path.join(PICTURES, name + ".png"))


def media(browser, scheme):
    browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])


def check_barriers(browser, cloud):
    browser.open(cloud.url + "/?view=barriers")
    browser.until("return document.querySelector('.barriers').textContent.includes('No task waits')")
    sequence = 0

    def hello(task, stage, run="0123456789abcdef", tasks="worker:0-3", **more):
        nonlocal sequence
        sequence += 1
        body = {"incarnation": f"{task:016x}", "sequence": sequence, "call": 0, "stage": stage, "generation": 1, "tasks": tasks, **more}
        request = urllib.request.Request(f"{cloud.url}/v1/runs/{run}/members/{task}", json.dumps(body).encode(), {"Content-Type": "application/json"}, method="PUT")
        urllib.request.urlopen(request, timeout=40).close()
    for task in (0, 1):
        hello(task, "barrier", stages=[{"name": "uv sync", "ms": 40000 + task, "state": "over"}])
    hello(2, "coming", stages=[{"name": "uv sync", "ms": 190000, "state": "running"}])
    hello(3, "coming", stages=[{"name": "fetch <b>data</b>", "ms": 9000, "state": "over", "exit": 2}])
    hello(0, "barrier", run="1123456789abcdef", tasks="chief:0 worker:0-511")
    browser.until("return document.querySelectorAll('.barrier').length === 2")
    rows = browser.run("return [...document.querySelectorAll('.barrier tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))")
    late = next((row for row in rows if row[0] == "worker:2" and row[1] == "uv sync"), None)
    reported("a barrier, with the stage of the late, for how long, and the others' time", late is not None and late[2:] == ["3 min", "40 s"], late)
    reported("a failed stage, as text", any(row[1] == "`fetch <b>data</b>` has failed with exit status 2" for row in rows), [row[1] for row in rows][:3])
    text = browser.run("return document.querySelector('.barriers').textContent")
    reported("how many are here, and how many more are missing", "2of 4 tasks here" in text and "and 496 more" in text)
    picture(browser, "barriers-light")
    media(browser, "dark")
    contrast(browser, "barriers, dark")
    picture(browser, "barriers-dark")
    media(browser, "light")
    contrast(browser, "barriers, light")


def check_small(browser):
    fleet, targets = clouds.small_fleet()
    cloud = Cloud(fleet)
    try:
        begun = time.monotonic()
        browser.open(cloud.url + "/")
        browser.run("document.addEventListener('securitypolicyviolation', (e) => { (window.reports ??= []).push(e.violatedDirective + ' ' + e.blockedURI); })")
        browser.until("return document.getElementById('live').className === 'live-on'")
        reported("an empty fleet says what to do", browser.run("return document.querySelector('.nothing').textContent").startswith("Nothing is followed"))
        cloud.follow(targets)
        took = browser.until(f"{ROWS.replace('return ', 'return ')} >= {len(targets)}", within=20)
        reported("a row for each cluster, without a reload", True, f"{len(targets)} rows {took:.1f} s after the last was asked for")
        browser.until("return [...document.querySelectorAll('.rows .row.s-ready')].length >= 4", within=10)
        media(browser, "light")
        picture(browser, "fleet-light")
        contrast(browser, "fleet, light")
        media(browser, "dark")
        picture(browser, "fleet-dark")
        contrast(browser, "fleet, dark")
        media(browser, "light")

        # Hostile names stay text.
        text = browser.run("return document.querySelector('.rows').textContent")
        reported("markup in names and reasons is shown as text", "<img src=x onerror" in text and browser.run("return document.querySelectorAll('.rows img, .rows script').length") == 0)
        reported("signs that turn the direction are written out", "\u202e" not in text and ("\\u{202e}" in text or "\\xe2\\x80\\xae" in text or "{202e}" in text))
        reported("the title is the page's own", browser.run("return document.title") == "Rollcall fleet")
        reported("10 kB are cut", len(max(browser.run("return [...document.querySelectorAll('.row span')].map((s) => s.textContent)"), key=len)) < 1000)
        plain = urllib.request.urlopen(cloud.url + "/").read().decode()
        reported("without scripts: a table, escaped", "<table" in plain and "<img src=x" not in plain and plain.count("<tr class=") == len(targets))

        # Only by keyboard: a filter, which is in the address and survives a reload; an order; a cluster and back.
        browser.keys("/")
        browser.keys("state=ready")
        browser.until("return location.search.includes('filter=state%3Dready')")
        ready = browser.run(ROWS)
        browser.ask("POST", "/refresh")
        browser.until("return document.getElementById('live').className === 'live-on'")
        browser.until(f"{ROWS} === {ready}")
        reported("a filter by keyboard is in the address and survives a reload", 0 < ready < len(targets), f"{ready} of {len(targets)}")
        browser.keys("/")
        browser.keys("\ue003" * 3)  # the old text is selected
        browser.keys(ESCAPE)
        browser.until(f"{ROWS} === {len(targets)}")
        browser.run("document.querySelector('[data-key=name]').focus()")
        browser.keys(ENTER)
        names = browser.run("return [...document.querySelectorAll('.rows .row .name a')].map((a) => a.textContent)")
        reported("an order by keyboard", browser.run("return location.search.includes('sort=name')") and "aria-sort" in browser.run("return document.querySelector('.head').innerHTML"), names[:3])
        reached = []
        browser.open(cloud.url + "/")
        browser.until(f"{ROWS} === {len(targets)}")
        for _ in range(12):
            browser.keys(TAB)
            reached.append(browser.run("return document.activeElement.className || document.activeElement.id || document.activeElement.textContent.slice(0, 20)"))
        reported("Tab reaches links, counts, the filter and the order", {"filter", "mark"} <= set(reached) and any("chip" in one for one in reached), ", ".join(reached[:8]))
        browser.run("[...document.querySelectorAll('.rows a')].find((a) => a.textContent === 'rl-actors').focus()")
        browser.keys(ENTER)
        browser.until("return document.querySelector('.slices .quiet')?.textContent.startsWith('v4-32')")
        reported("Enter opens a cluster; its hosts are drawn by the type", browser.run("return document.querySelectorAll('.slice .host').length") == 4)
        reported("members are grouped by why they miss", "no address" in browser.run("return document.querySelector('section.missing').textContent"))
        reported("the line that waits", browser.run("return document.getElementById('wait-line').textContent") == "rollcall wait tpu:rl-actors,project=lab,zone=us-central2-b")
        shapes = browser.run("return new Set([...document.querySelectorAll('.legend svg')].map((s) => s.innerHTML)).size")
        reported("shapes differ where colours do", shapes == 5, shapes)
        for scheme in ("light", "dark"):
            media(browser, scheme)
            contrast(browser, f"cluster, {scheme}")
        media(browser, "light")
        browser.keys(ESCAPE)
        browser.until("return document.querySelector('.rows') !== null")
        reported("Escape leads back", True)
        for target, name in ((targets[1], "cluster-light"), (targets[0], "large-cluster-light")):
            browser.open(cloud.url + "/?target=" + urllib.request.quote(target))
            browser.until("return document.querySelector('.slice .host') !== null && document.querySelector('.changes') !== null")
            picture(browser, name)
            media(browser, "dark")
            picture(browser, name.replace("light", "dark"))
            media(browser, "light")
        browser.open(cloud.url + "/?view=sources")
        browser.until("return document.querySelectorAll('tbody tr').length >= 2")
        reported("sources, with requests a minute", browser.run("return document.querySelector('tbody').textContent").count(" of 300") >= 1)
        picture(browser, "sources-light")
        check_barriers(browser, cloud)

        # A member goes missing: from the service's knowing to the row's saying so.
        browser.open(cloud.url + "/")
        find = "const row = [...document.querySelectorAll('.rows .row')].find((r) => r.querySelector('a').textContent === 'goes-away'); "
        browser.until("return [...document.querySelectorAll('.rows .row a')].some((a) => a.textContent === 'goes-away')")
        known = {}

        def watch():
            while "at" not in known and time.monotonic() - begun < 120:
                if not cloud.get(f"/v1/clusters/{targets[9]}?view=progress").get("is_ready", True):
                    known["at"] = time.monotonic()
                time.sleep(0.02)
        watcher = threading.Thread(target=watch)
        watcher.start()
        browser.until(find + "return row.querySelector('.missing').textContent.includes('the host was lost')", within=80)
        seen = time.monotonic()
        watcher.join()
        reported("who goes missing, and why, within a second and a half", seen - known["at"] < 1.5, f"{max(0, seen - known['at']):.2f} s after the service knew")

        # Eight tabs stay live.
        first = browser.ask("GET", "/window")
        tabs = [browser.new_tab() for _ in range(7)]
        states = []
        for tab in tabs:
            browser.switch(tab)
            browser.cdp("Page.bringToFront")
            browser.open(cloud.url + "/")
            browser.until("return document.getElementById('live').className === 'live-on'")
            states.append(browser.run(ROWS))
        browser.switch(first)
        browser.cdp("Page.bringToFront")
        browser.until("return document.getElementById('live').className === 'live-on'")
        reported("eight tabs are live, each when it is looked at", True, states)
        for tab in tabs:
            browser.switch(tab)
            browser.ask("DELETE", "/window")
        browser.switch(first)

        complaints = [entry["message"] for entry in browser.console()]
        reported("no message on the console", not complaints, complaints[:3] if complaints else "")
        reported("no report of the content security policy", not browser.run("return window.reports ?? []"))

        # The service is killed and comes back.
        rows = browser.run(ROWS)
        cloud.kill()
        took = browser.until("return !document.getElementById('banner').hidden", within=10)
        words = browser.run("return document.getElementById('banner').textContent")
        reported("service killed: a banner with the age, the rows stay", "old" in words and browser.run(ROWS) == rows, f"{took:.1f} s: {words[:80]}")
        picture(browser, "banner-light")
        cloud.serve()
        took = browser.until("return document.getElementById('banner').hidden", within=30)
        reported("service back: the page goes on by itself", True, f"{took:.1f} s")
        browser.console()  # the browser's messages about refused connections
        cloud.follow(targets)
        browser.until(f"{ROWS} === {len(targets)}", within=20)
        reported("and shows the clusters of the new service, each once", True)
    finally:
        cloud.close()


def check_large(browser, count=1000):
    fleet, targets = clouds.large_fleet(count)
    cloud = Cloud(fleet)
    try:
        cloud.follow(targets)
        browser.open(cloud.url + "/")
        took = browser.until(f"{ROWS} === {count}", within=30)
        reported(f"{count} rows are there", True, f"{took:.1f} s")
        time.sleep(1.5)
        # Other load of this machine makes tasks longer, never shorter: the best of three.
        runs = [browser.run_async(SCROLL) for _ in range(3)]
        longest = min(runs, key=lambda run: max(run["tasks"], default=0))
        frames = longest["frames"]
        reported(f"{count} clusters scroll without a task of 50 ms", not longest["tasks"],
             f"{len(frames)} frames, median {frames[len(frames) // 2]:.0f} ms, 99th {frames[int(len(frames) * 0.99)]:.0f} ms, tasks {[round(t) for t in longest['tasks']]}, {longest['bottom']} px")
        begun = time.monotonic()
        browser.run("const f = document.getElementById('filter'); f.value = 'name=run-99*'; f.dispatchEvent(new Event('input'))")
        browser.until(f"{ROWS} === 11")
        reported("a filter over all of them", True, f"{time.monotonic() - begun:.2f} s")
    finally:
        cloud.close()


browser = Browser(DRIVER, CHROMIUM)
try:
    print(browser.version)
    check_small(browser)
    check_large(browser)
finally:
    browser.close()
print(f"{len(lines) - len(faults)} of {len(lines)} as they should be")
sys.exit(1 if faults else 0)
