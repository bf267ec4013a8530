"""Firefox without a window, driven by Marionette, its protocol for tests: messages with their length on a local port."""
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from typing import Any

SECONDS = 60
PREFERENCES = ('user_pref("marionette.port", 0);', 'user_pref("app.update.enabled", false);', 'user_pref("datareporting.policy.dataSubmissionEnabled", false);',
               'user_pref("network.captive-portal-service.enabled", false);', 'user_pref("network.connectivity-service.enabled", false);',
               'user_pref("app.normandy.enabled", false);', 'user_pref("browser.shell.checkDefaultBrowser", false);')


class Firefox:
    def __init__(self, program: str, width: int = 1300, height: int = 900) -> None:
        self.profile = tempfile.TemporaryDirectory(prefix="wperf-firefox-")
        with open(os.path.join(self.profile.name, "user.js"), "w", encoding="ascii") as file:
            file.write("\n".join(PREFERENCES) + "\n")
        self.process = subprocess.Popen([program, "--headless", "--marionette", "--no-remote", "--profile", self.profile.name], stdin=subprocess.DEVNULL,
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

    def run(self, script: str) -> Any:
        return self.call("WebDriver:ExecuteScript", script="var wperf = (window.wrappedJSObject || window).wperf; return " + script, args=[])["value"]

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
