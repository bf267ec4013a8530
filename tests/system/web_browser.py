"""Chromium without a window, driven by its debugging pipe: opens a page, runs scripts in it, clicks, types, takes pictures, and collects what
the console says and what the page asks for."""
import base64
import json
import os
import select
import subprocess
import tempfile
import time
from typing import Any

SECONDS = 60
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage",
           "--hide-scrollbars", "--force-color-profile=srgb", "--remote-debugging-pipe"]
KEYS = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "Tab": 9}


class Page:
    """What a person does with the page of a browser, by what each browser has."""

    errors: list[str]

    def run(self, script: str) -> Any:
        raise NotImplementedError

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        raise NotImplementedError

    def press(self, key: str) -> None:
        raise NotImplementedError

    def type(self, selector: str, text: str) -> None:
        """Replaces the text of a field."""
        raise NotImplementedError

    def settle(self) -> None:
        """Until what was planned is drawn."""
        raise NotImplementedError

    def wait(self, condition: str) -> None:
        until = time.monotonic() + SECONDS
        while not self.run(condition):
            if time.monotonic() > until:
                raise TimeoutError(f"{condition}; {self.errors}")
            time.sleep(0.02)

    def click_at(self, x: float, y: float) -> None:
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)
        self.settle()

    def drag(self, x: float, y: float, to_x: float) -> None:
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        for part in range(1, 5):
            self.mouse("mouseMoved", x + (to_x - x) * part / 4, y, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, y, button="left", clickCount=1)
        self.settle()

    def box(self, selector: str) -> dict:
        """x, y, width and height of an element, which must be visible."""
        box = self.run(f"(function () {{ var e = document.querySelector({json.dumps(selector)}); if (!e) return null; e.scrollIntoView({{block: 'nearest'}});"
                       " var b = e.getBoundingClientRect(); return {x: b.x, y: b.y, width: b.width, height: b.height}; }())")
        if not box or not box["width"]:
            raise LookupError(f"no visible {selector}")
        return box

    def click(self, selector: str) -> None:
        box = self.box(selector)
        self.click_at(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def text(self, selector: str) -> str:
        return self.run(f"(document.querySelector({json.dumps(selector)}) || {{textContent: ''}}).textContent")


class Browser(Page):
    """A browser with one page.  `errors` are exceptions, errors of the console and refusals of the content security policy, `requests` the
    addresses that the page asked for."""

    def __init__(self, chromium: str, width: int = 1300, height: int = 900, scale: float = 1) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="wperf-browser-")
        to_read, self.to_write = os.pipe()
        self.from_read, from_write = os.pipe()
        # Above 10, so that neither is closed by being moved to 3 or 4.
        high_read, high_write = os.dup2(to_read, 60), os.dup2(from_write, 61)

        def place() -> None:
            os.dup2(high_read, 3)
            os.dup2(high_write, 4)

        self.process = subprocess.Popen([chromium, *OPTIONS, "--user-data-dir=" + self.folder.name, f"--window-size={width},{height}", "about:blank"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=place,
                                        start_new_session=True)
        for descriptor in (to_read, from_write, high_read, high_write):
            os.close(descriptor)
        self.number, self.waiting, self.answers = 0, b"", {}
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.session = ""
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(target["targetId"] for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.resize(width, height, scale)

    # --- the pipe ---

    def take(self, message: dict) -> None:
        if "id" in message:
            self.answers[message["id"]] = message
            return
        what, about = message["method"], message.get("params", {})
        if what == "Runtime.exceptionThrown":
            self.errors.append(str(about["exceptionDetails"].get("exception", {}).get("description", about["exceptionDetails"]["text"])))
        elif what == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.errors.append(about["entry"]["text"])
        elif what == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
            self.errors.append(str(about["args"]))
        elif what == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif what == "Page.javascriptDialogOpening":
            self.errors.append("a dialog: " + about["message"])

    def read(self, until: float) -> None:
        if not select.select([self.from_read], [], [], max(0.0, until - time.monotonic()))[0]:
            raise TimeoutError("chromium does not answer")
        piece = os.read(self.from_read, 1 << 20)
        if not piece:
            raise ConnectionError("chromium ended")
        *whole, self.waiting = (self.waiting + piece).split(b"\0")
        for text in whole:
            self.take(json.loads(text))

    def call(self, method: str, **params: Any) -> dict:
        self.number += 1
        message: dict = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_write, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + SECONDS
        while self.number not in self.answers:
            self.read(until)
        answer = self.answers.pop(self.number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    # --- the page ---

    def resize(self, width: int, height: int, scale: float = 1) -> None:
        """A window of so many device pixels; `scale` is the zoom of its page."""
        self.call("Emulation.setDeviceMetricsOverride", width=int(width / scale), height=int(height / scale), deviceScaleFactor=scale, mobile=False)

    def use_dark(self, is_dark: bool) -> None:
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}])

    def open(self, path: str) -> None:
        """Waits until the page is ready."""
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait("document.readyState === 'complete' && document.documentElement.hasAttribute('data-ready')")

    def run(self, script: str) -> Any:
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(f"{script}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def settle(self) -> None:
        self.run("new Promise(function (done) { requestAnimationFrame(function () { requestAnimationFrame(done); }); })")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def press(self, key: str) -> None:
        about = {"key": key, "windowsVirtualKeyCode": KEYS.get(key, ord(key[0].upper())), **({"text": key} if len(key) == 1 else {})}
        self.call("Input.dispatchKeyEvent", type="keyDown", **about)
        self.call("Input.dispatchKeyEvent", type="keyUp", **about)
        self.settle()

    def type(self, selector: str, text: str) -> None:
        self.run(f"(function () {{ var e = document.querySelector({json.dumps(selector)}); e.focus(); e.select(); }}())")
        self.call("Input.insertText", text=text)
        self.settle()

    def picture(self, path: str) -> None:
        self.settle()
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self) -> None:
        for descriptor in (self.to_write, self.from_read):
            os.close(descriptor)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        try:
            self.folder.cleanup()
        except OSError:
            pass  # a process of the browser is still ending
