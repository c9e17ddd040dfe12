"""webdriver.py: a browser by WebDriver's plain JSON (W3C WebDriver), as far as the page's test needs it. Standard library only."""
import base64
import json
import re
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    def __init__(self, driver, chromium, size=(1360, 1000)):
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.process.stdout:
            started = re.search(r"started successfully on port (\d+)", line)
            if started:
                break
        else:
            raise RuntimeError("chromedriver did not start")
        self.base = f"http://127.0.0.1:{started[1]}"
        options = {"binary": chromium, "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                                                f"--window-size={size[0]},{size[1]}", "--force-device-scale-factor=1"]}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.version = f"{answer['capabilities']['browserName']} {answer['capabilities']['browserVersion']}"
        self.base += f"/session/{answer['sessionId']}"
        self.ask("POST", "/timeouts", {"script": 60_000})

    def ask(self, method, path, body=None):
        data = None if method == "GET" or method == "DELETE" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {json.load(error)['value']['message']}") from None

    def open(self, url):
        self.ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """The value of a function's body."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        """The same; its last argument is called with the value."""
        return self.ask("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def until(self, script, *arguments, within=10):
        """Waits until the expression is true; returns the seconds."""
        begun = time.monotonic()
        while True:
            value = self.run(script, *arguments)
            if value:
                return time.monotonic() - begun
            if time.monotonic() - begun > within:
                raise AssertionError(f"not so within {within} s: {script}")
            time.sleep(0.05)

    def keys(self, text):
        """Sends keys to the element with the focus."""
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def cdp(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def console(self):
        return self.ask("POST", "/se/log", {"type": "browser"})

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def new_tab(self):
        return self.ask("POST", "/window/new", {"type": "tab"})["handle"]

    def switch(self, handle):
        self.ask("POST", "/window", {"handle": handle})

    def close(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()
