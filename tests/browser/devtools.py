"""A headless Chromium, spoken to by the DevTools protocol over a pipe: no port, no network, no package."""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Unavailable(Exception):
    """There is no browser here, or it does not start: nothing is known of the page."""


class Failed(Exception):
    """The browser answered with an error, or not in time."""


class Stalled(Exception):
    """A figure in view was not drawn in time. Seen three times in months, never twice in a row and never where one looked: an error
    of the page fails in the next browser too."""


class Browser:
    """A browser with one page. Use it as a context manager."""

    def __init__(self, start_seconds=60):
        program = next((found for found in map(shutil.which, NAMES) if found), None)
        if program is None:
            raise Unavailable("no Chromium on the PATH (" + ", ".join(NAMES) + ")")
        self._profile = tempfile.mkdtemp(prefix="upsweep-browser-")
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        arguments = [program, "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage",
                     "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                     # A window that nobody looks at draws as if somebody did.
                     "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
                     "--disable-ipc-flooding-protection", "--disable-features=PaintHolding,CalculateNativeWinOcclusion",
                     "--no-default-browser-check", "--hide-scrollbars", "--mute-audio", f"--user-data-dir={self._profile}", "about:blank"]
        if os.geteuid() == 0:
            arguments.insert(1, "--no-sandbox")  # Chromium refuses to run as root with one

        def place_pipes():
            # The protocol's descriptors are 3 and 4; what stands there now must not be lost on the way.
            there, back = os.dup(to_browser), os.dup(from_browser)
            os.dup2(there, 3)
            os.dup2(back, 4)

        self._process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                         preexec_fn=place_pipes, pass_fds=(3, 4, to_browser, from_browser), start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self._next = 0
        self._bytes = b""
        self._session = None
        self.events = []
        try:
            self.version = self.call("Browser.getVersion", seconds=start_seconds)["product"]
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(domain + ".enable")
        except Failed as failure:
            self.close()
            raise Unavailable(f"{program} does not start here: {failure}") from failure

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for end in (self._out, self._in):
            try:
                os.close(end)
            except OSError:
                pass
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()
        shutil.rmtree(self._profile, ignore_errors=True)

    def _receive(self, deadline):
        while b"\0" not in self._bytes:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Failed("no answer in time")
            if not select.select([self._in], [], [], left)[0]:
                continue
            part = os.read(self._in, 1 << 20)
            if not part:
                raise Failed("it ended")
            self._bytes += part
        message, _, self._bytes = self._bytes.partition(b"\0")
        return json.loads(message)

    def call(self, method, seconds=120, **parameters):
        """The result of a command. What happens meanwhile is kept in `events`."""
        self._next += 1
        message = {"id": self._next, "method": method, "params": parameters}
        if self._session is not None and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = self._session
        try:
            os.write(self._out, json.dumps(message).encode() + b"\0")
        except OSError as error:
            raise Failed(f"it ended: {error}") from error
        deadline = time.monotonic() + seconds
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == self._next:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error'].get('message')}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def evaluate(self, expression):
        """The value of a JavaScript expression in the page; promises are awaited."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Failed(f"{expression[:80]}: {details.get('exception', {}).get('description', details.get('text'))}")
        return result["result"].get("value")

    def wait_for(self, expression, seconds=120):
        """Waits until an expression is true; its value."""
        deadline = time.monotonic() + seconds
        while True:
            value = self.evaluate(expression)
            if value:
                return value
            if time.monotonic() > deadline:
                raise Failed(f"not in {seconds} s: {expression}")
            time.sleep(0.05)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def theme(self, name, media=""):
        """The colours that the system prefers; `media`: "print" for the look on paper, "" for a screen."""
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": name}])

    def move_mouse(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key):
        code = {"Enter": 13, "Tab": 9, " ": 32, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}[key]
        text = {"Enter": "\r", " ": " "}.get(key, "")
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def pdf(self):
        """The page as it is printed on A4."""
        return base64.b64decode(self.call("Page.printToPDF", seconds=300, paperWidth=8.27, paperHeight=11.69)["data"])

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=False)["data"]
        with open(path, "wb") as out:
            out.write(base64.b64decode(data))
