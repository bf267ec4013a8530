"""The arm64 guest: makes its initramfs, boots it in QEMU, and runs commands in it over its console.

`-icount shift=0` makes the emulated processor exact: an instruction takes one cycle, and one nanosecond of the guest's
time.  guest_init.c runs the commands in the guest.
"""
import glob
import os
import re
import select
import shutil
import signal
import stat
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Callable

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system"))
import harness  # pylint: disable=wrong-import-position
from harness import Context, Done, Skip, check  # pylint: disable=wrong-import-position

BOOT_SECONDS = 60
RUN_SECONDS = 30
HOST_SECONDS = 100  # an emulated second can take several
DONE = re.compile(rb"\x02done (\d+) (\d+) (\d+)\n")
LIBRARY_FOLDERS = ("/usr/aarch64-linux-gnu/lib", "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu")
LOADER = "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1"
COMMANDS = ("sh", "cat", "ls", "sleep", "insmod", "dmesg", "kill", "true", "taskset", "dd", "cp", "chmod")


class Tree:
    """Files for an initramfs, in the cpio format `newc` (the kernel's Documentation/driver-api/early-userspace)."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.names: set[str] = set()

    def entry(self, name: str, mode: int, data: bytes) -> None:
        if name in self.names:
            return
        if os.path.dirname(name):
            self.entry(os.path.dirname(name), stat.S_IFDIR | 0o755, b"")
        self.names.add(name)
        fields = [len(self.names), mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        self.bytes += b"070701" + b"".join(b"%08X" % number for number in fields) + name.encode() + b"\0"
        self.pad()
        self.bytes += data
        self.pad()

    def pad(self) -> None:
        self.bytes += bytes(-len(self.bytes) % 4)

    def file(self, name: str, source: str) -> None:
        with open(source, "rb") as file:
            self.entry(name, stat.S_IFREG | 0o755, file.read())

    def link(self, name: str, target: str) -> None:
        self.entry(name, stat.S_IFLNK | 0o777, target.encode())

    def program(self, name: str, source: str, folders: tuple[str, ...] = LIBRARY_FOLDERS) -> None:
        """Adds a program, and its libraries in /lib."""
        self.file(name, source)
        for library in needed(source):
            path = find_library(library, folders)
            if "lib/" + library not in self.names:
                self.program("lib/" + library, path, folders)

    def end(self) -> bytes:
        self.entry("TRAILER!!!", 0, b"")
        return bytes(self.bytes)


def needed(path: str) -> list[str]:
    listing = subprocess.run(["aarch64-linux-gnu-readelf", "-d", path], check=True, text=True, stdout=subprocess.PIPE)
    return re.findall(r"\(NEEDED\).*\[(.*)\]", listing.stdout)


def find_library(name: str, folders: tuple[str, ...]) -> str:
    for folder in folders:
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    raise Skip(f"{name} for arm64")


def need(path: str, what: str) -> str:
    found = glob.glob(path)
    if not found:
        raise Skip(f"{what}; tests/guest/fetch.sh and tests/guest/build_module.sh make it")
    return found[0]


class Machine:
    """A guest with wperf, the programs of this folder, and, if requested, perf and the module."""

    def __init__(self, wperf: str, programs: str, packages: str, cpus: int = 1, extra: tuple[str, ...] = ()) -> None:
        if not shutil.which("qemu-system-aarch64"):
            raise Skip("qemu-system-aarch64")
        self.console = b""
        self.busy = ""
        self.seconds = 0.0
        kernel = need(f"{packages}/kernel/boot/vmlinuz-*", "an arm64 kernel")
        image = f"{programs}/initramfs-{os.getpid()}"
        with open(image, "wb") as file:
            file.write(make_tree(wperf, programs, packages, extra))
        try:
            self.boot(kernel, image, cpus)
        finally:
            os.unlink(image)

    def boot(self, kernel: str, image: str, cpus: int) -> None:
        begin = time.monotonic()
        self.process = subprocess.Popen(
            ["qemu-system-aarch64", "-M", "virt", "-cpu", "neoverse-n1", "-smp", str(cpus), "-m", "1024",
             "-icount", "shift=0", "-nodefaults", "-display", "none", "-serial", "stdio", "-no-reboot",
             "-kernel", kernel, "-initrd", image, "-append", "console=ttyAMA0 loglevel=3 panic=-1 rdinit=/init"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.answer(time.monotonic() + BOOT_SECONDS)
        self.seconds = time.monotonic() - begin

    def run(self, argv: tuple[str, ...], folder: str, uid: int = 0, seconds: int = RUN_SECONDS) -> Done:
        """Seconds are the guest's."""
        check(not self.busy, f"the guest is still busy with {self.busy}")
        self.busy = " ".join(argv)
        data = b"".join(word.encode() + b"\0" for word in argv)
        begin = time.monotonic()
        self.process.stdin.write(f"run {seconds} {uid} {folder} {len(data)}\n".encode() + data)
        self.process.stdin.flush()
        status, out, err = self.answer(begin + HOST_SECONDS)
        self.busy = ""
        return Done(status, out, err, time.monotonic() - begin)

    def answer(self, end: float) -> tuple[int, str, str]:
        match = self.wait_for(lambda: DONE.search(self.console), end)
        status, n_out, n_err = map(int, match.groups())
        self.console = self.console[match.end():]
        self.wait_for(lambda: len(self.console) >= n_out + n_err, end)
        out, err = self.console[:n_out], self.console[n_out:n_out + n_err]
        self.console = self.console[n_out + n_err:]
        return status, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")

    def wait_for(self, found, end: float):
        while not (result := found()):
            left = end - time.monotonic()
            ready = left > 0 and select.select([self.process.stdout], [], [], left)[0]
            more = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            if not more:
                raise AssertionError("no answer from the guest, whose console says\n" +
                                     self.console[-3000:].decode("utf-8", "replace"))
            self.console += more
        return result

    def end(self) -> None:
        """Off, and for good."""
        try:
            self.process.stdin.write(b"off\n")
            self.process.stdin.close()
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def make_tree(wperf: str, programs: str, packages: str, extra: tuple[str, ...]) -> bytes:
    tree = Tree()
    tree.file("init", f"{programs}/guest_init")
    tree.file("bin/busybox", need(f"{packages}/busybox/bin/busybox", "busybox for arm64"))
    for command in COMMANDS:
        tree.link(f"bin/{command}", "busybox")
    tree.file("bin/loops", f"{programs}/loops")
    tree.program("bin/wperf", wperf)
    tree.program("lib/ld-linux-aarch64.so.1", LOADER)
    if "perf" in extra:
        root = f"{packages}/perf"
        folders = tuple(root + folder for folder in LIBRARY_FOLDERS) + LIBRARY_FOLDERS
        tree.program("bin/perf", need(f"{root}/usr/bin/perf", "perf for arm64"), folders)
    for name in ("paths", "stands", "waits"):
        if name in extra:
            tree.program(f"bin/{name}", f"{programs}/{name}")
    for name, what in (("fakepmu", "uncore PMUs"), ("fakespe", "SPE")):
        if name in extra:
            tree.file(f"{name}.ko", need(f"{packages}/module/{name}.ko", f"the module of fake {what}"))
    return tree.end()


@dataclass
class Guest(Context):
    """The Context of a guest test: `run` and the functions that use it work in the guest."""

    machine: Machine | None = None

    def run(self, *argv: str, **options) -> Done:
        return self.machine.run(argv, self.folder, **options)

    def shell(self, script: str, **options) -> Done:
        return self.run("sh", "-c", script, **options)

    def samples(self, program: str) -> list[dict]:
        """The samples in the last session of processes with this name."""
        records = harness.document_of(self.good("dump", "--json"))["records"]
        pids = {record["pid"] for record in records if record["type"] == "COMM" and record["comm"] == program}
        return [record for record in records if record["type"] == "SAMPLE" and record["pid"] in pids]

    def symbols(self, program: str) -> dict[str, int]:
        """Addresses by name, from the host's nm."""
        listing = subprocess.run(["aarch64-linux-gnu-nm", self.program(program)], check=True, text=True,
                                 stdout=subprocess.PIPE)
        return {line.split()[2]: int(line.split()[0], 16) for line in listing.stdout.splitlines()}

    def release(self) -> None:
        """Ends all processes, and frees the guest's memory."""


def main(module_name: str, **machine_options) -> None:
    """Like harness.main, with one machine for all tests of a program."""
    if len(sys.argv) < 4:
        sys.exit(f"usage: {sys.argv[0]} WPERF PROGRAMS PACKAGES [NAME]...")
    wperf, programs, packages, names = *map(os.path.abspath, sys.argv[1:4]), sys.argv[4:]
    try:
        machine = Machine(wperf, programs, packages, **machine_options)
    except Skip as skip:
        print(f"1..0 # SKIP {skip}")
        return
    harness.note(f"{machine.seconds:.1f} s to boot")
    signal.signal(signal.SIGALRM, harness.too_long)
    try:
        tests = choose_tests(sys.modules[module_name], machine, names)
        print(f"1..{len(tests)}" if tests else "1..0 # SKIP commands that are not in this version")
        passed = [harness.run_one(number, name, test, Guest("wperf", programs, f"/tmp/{number}", machine=machine))
                  for number, (name, test) in enumerate(tests, 1)]
    finally:
        machine.end()
    sys.exit(0 if all(passed) else 1)


def choose_tests(module, machine: Machine, names: list[str]) -> list:
    """Leaves out tests of commands that this version does not have."""
    return [(name, test) for name, test in harness.tests_of(module)
            if (not names or any(word in name.replace(" ", "_") for word in names))
            and has_command(machine, getattr(test, "command", ""))]


def has_command(machine: Machine, name: str) -> bool:
    return not name or "is not implemented yet" not in machine.run(("wperf", name, "--", "true"), "/tmp/0").err


def of_command(name: str) -> Callable:
    """Declares the wperf command that a test uses."""
    def set_command(test: Callable) -> Callable:
        test.command = name
        return test
    return set_command


def total_of(done: Done) -> int:
    """What `loops` says that it executes."""
    match = re.search(r"^instructions (\d+)$", done.out, re.M)
    check(match is not None, "the program's own number", done)
    return int(match[1])
