"""Firefox without a window, driven by Marionette, its protocol for tests: messages with their length on a local port."""
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from typing import Any

from web_browser import Page

SECONDS = 60
PREFERENCES = ('user_pref("marionette.port", 0);', 'user_pref("app.update.enabled", false);', 'user_pref("datareporting.policy.dataSubmissionEnabled", false);',
               'user_pref("network.captive-portal-service.enabled", false);', 'user_pref("network.connectivity-service.enabled", false);',
               'user_pref("app.normandy.enabled", false);', 'user_pref("browser.shell.checkDefaultBrowser", false);')

KEYS = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Home": "\ue011", "Tab": "\ue004"}
MOUSE = {"mouseMoved": [], "mousePressed": [{"type": "pointerDown", "button": 0}], "mouseReleased": [{"type": "pointerUp", "button": 0}]}
# What the console has of the page: exceptions, warnings and refusals of the content security policy.
CONSOLE = """return Services.console.getMessageArray().filter(function (message) {
  return message instanceof Ci.nsIScriptError && /^file:/.test(message.sourceName); }).map(function (message) { return message.errorMessage + ' ' + message.lineNumber; });"""


class Firefox(Page):
    def __init__(self, program: str, width: int = 1300, height: int = 900) -> None:
        self.profile = tempfile.TemporaryDirectory(prefix="wperf-firefox-")
        with open(os.path.join(self.profile.name, "user.js"), "w", encoding="ascii") as file:
            file.write("\n".join(PREFERENCES) + "\n")
        self.process = subprocess.Popen([program, "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", self.profile.name], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.profile.name}, start_new_session=True)
        self.waiting, self.number = b"", 0
        self.socket = self.connect()
        self.socket.settimeout(SECONDS)
        self.receive()
        self.call("WebDriver:NewSession")
        self.call("WebDriver:SetWindowRect", width=width, height=height)

    def connect(self) -> socket.socket:
        """The browser writes the number of its port into the profile."""
        port_file = os.path.join(self.profile.name, "MarionetteActivePort")
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            try:
                with open(port_file, encoding="ascii") as file:
                    return socket.create_connection(("127.0.0.1", int(file.read())))
            except (OSError, ValueError):
                time.sleep(0.1)
        raise TimeoutError("Firefox does not listen")

    def more(self) -> None:
        piece = self.socket.recv(1 << 16)
        if not piece:
            raise ConnectionError("Firefox ended")
        self.waiting += piece

    def receive(self) -> Any:
        while b":" not in self.waiting:
            self.more()
        size, _, _ = self.waiting.partition(b":")
        end = len(size) + 1 + int(size)
        while len(self.waiting) < end:
            self.more()
        message, self.waiting = self.waiting[len(size) + 1:end], self.waiting[end:]
        return json.loads(message)

    def call(self, command: str, **params: Any) -> Any:
        self.number += 1
        message = json.dumps([0, self.number, command, params]).encode()
        self.socket.sendall(b"%d:" % len(message) + message)
        _, _, error, result = self.receive()
        if error:
            raise RuntimeError(f"{command}: {error}")
        return result

    # --- the page ---

    def run(self, script: str) -> Any:
        """The value of an expression, or of the promise that it is."""
        text = self.call("WebDriver:ExecuteAsyncScript", args=[], script="""var done = arguments[arguments.length - 1], page = window.wrappedJSObject || window;
            Promise.resolve((function (window) { return (%s\n); }(page))).then(function (value) { done(JSON.stringify([value])); }, function (error) { done("failed: " + error); });""" % script)["value"]
        if text.startswith("failed: "):
            raise RuntimeError(f"{script}: {text}")
        return (json.loads(text) or [None])[0]

    def chrome(self, script: str) -> Any:
        """Runs a script as the browser itself."""
        self.call("Marionette:SetContext", value="chrome")
        try:
            return self.call("WebDriver:ExecuteScript", script=script, args=[])["value"]
        finally:
            self.call("Marionette:SetContext", value="content")

    @property
    def errors(self) -> list[str]:
        return self.chrome(CONSOLE)

    def resize(self, width: int, height: int, scale: float = 1) -> None:
        self.call("WebDriver:SetWindowRect", width=width, height=height)
        self.chrome(f"gBrowser.selectedBrowser.fullZoom = {scale};")
        self.settle()

    def use_dark(self, is_dark: bool) -> None:
        self.chrome(f"Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', {0 if is_dark else 1});")

    def act(self, source: dict, actions: list[dict]) -> None:
        self.call("WebDriver:PerformActions", actions=[{**source, "actions": actions}])
        self.settle()

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.act({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}},
                 [{"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0, "origin": "viewport"}, *MOUSE[kind]])

    def press(self, key: str) -> None:
        self.act({"type": "key", "id": "keys"}, [{"type": kind, "value": KEYS.get(key, key)} for kind in ("keyDown", "keyUp")])

    def type(self, selector: str, text: str) -> None:
        self.run(f"(function (e) {{ e.focus(); e.value = ''; e.dispatchEvent(new Event('input', {{bubbles: true}})); }}(document.querySelector({json.dumps(selector)})))")
        for letter in text:
            self.press(letter)

    def settle(self) -> None:
        self.run("new Promise(function (done) { requestAnimationFrame(function () { requestAnimationFrame(function () { done(0); }); }); })")

    def open(self, path: str) -> None:
        """Waits until the page is ready."""
        self.call("WebDriver:Navigate", url="file://" + os.path.abspath(path))
        until = time.monotonic() + SECONDS
        while not self.run("document.documentElement.hasAttribute('data-ready')"):
            if time.monotonic() > until:
                raise TimeoutError(self.run("document.body.textContent.slice(0, 300)"))
            time.sleep(0.05)

    def close(self) -> None:
        self.socket.close()
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        try:
            self.profile.cleanup()
        except OSError:
            pass  # a process of the browser is still ending
