#!/usr/bin/python3
"""Installs wperf's driver in wine. Usage: test_devgen.py WPERF-DEVGEN.EXE DRIVE_WDM.EXE SIM_WPERFDRIVER.SYS READ_INF.EXE. WINEPREFIX
must be set. wine's DiInstallDriver does nothing and says that it has succeeded: what it would do, the test does before."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback
from typing import Callable

from test_driver import LIMIT, WRAPPER, Running, check, drive, driver, fake, run

read_inf = sys.argv[4]
INSTALLED = os.path.join(os.environ["WINEPREFIX"], "drive_c/windows/system32/drivers/wperfdriver-2.sys")
SYSTEM32 = os.path.join(os.environ["WINEPREFIX"], "drive_c/windows/system32")
PACKAGE = "DriverStore\\FileRepository\\wperfdriver-2.inf_arm64_0123456789abcdef"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INF = os.path.join(ROOT, "driver/wdm/wperfdriver-2.inf")


def expect(status: int, text: str, *argv: str) -> None:
    done = run(*argv)
    check(done.status == status and text in done.out + done.err and bool(done.out) == (status in (0, 3)), f"{' '.join(argv)}: {status}, '{text}'", done)


def changed(old: bytes, new: bytes) -> str:
    """A copy of the driver with other bytes."""
    with open(driver, "rb") as file:
        data = file.read()
    check(old in data, "the bytes are there")
    handle, path = tempfile.mkstemp(suffix=".sys")
    with os.fdopen(handle, "wb") as file:
        file.write(data.replace(old, new))
    return path


def is_gone() -> None:
    expect(3, "WPERFDRIVER-2 is not installed", "status")
    check(not os.path.exists(INSTALLED), "no file is left")


def installed_loaded_and_removed() -> None:
    is_gone()
    expect(0, "installed and loaded", "install", driver)
    expect(0, "WPERFDRIVER-2 is loaded: version", "status")
    fake("stop")
    expect(3, "WPERFDRIVER-2 is installed, and not loaded", "status")
    expect(0, "WPERFDRIVER-2 is uninstalled", "uninstall")
    is_gone()
    expect(0, "WPERFDRIVER-2 is not installed", "uninstall")


def another_version_replaces_it() -> None:
    expect(0, "installed and loaded", "install", driver)
    other = changed(b"!This program", b"!this program")
    expect(0, "installed and loaded", "install", other)
    with open(other, "rb") as want, open(INSTALLED, "rb") as got:
        check(want.read() == got.read(), "the other file")
    os.unlink(other)
    expect(0, "WPERFDRIVER-2 is loaded", "status")
    expect(0, "uninstalled", "uninstall")


def files_that_are_no_driver_for_this_machine() -> None:
    with open(driver, "rb") as file:
        at = struct.unpack_from("<I", file.read(64), 0x3c)[0]
        file.seek(at)
        head = file.read(6)
    arm64 = changed(head, head[:4] + struct.pack("<H", 0xaa64))
    for path, text in ((arm64, "is a driver for machine 0xaa64, and this is a machine 0x8664"), (drive, "is not a driver"),
                       (__file__, "is not a driver"), ("no-such-file.sys", "can't be opened: No such file")):
        expect(1, text, "install", path)
        is_gone()
    os.unlink(arm64)


def a_driver_that_does_not_load_is_removed() -> None:
    broken = changed(b"ntoskrnl.exe", b"ntoskrnx.exe")
    expect(1, "starting WPERFDRIVER-2: Windows error", "install", broken)
    os.unlink(broken)
    is_gone()


def upgrades() -> None:
    """The former driver is put back if the new one does not load."""
    expect(1, "WPERFDRIVER-2 is not installed; run 'wperf-devgen install'", "upgrade", driver)
    is_gone()
    expect(0, "installed and loaded", "install", driver)
    other, broken = changed(b"!This program", b"!this program"), changed(b"ntoskrnl.exe", b"ntoskrnx.exe")
    expect(0, "installed and loaded", "upgrade", other)
    for command in ("upgrade", "install"):
        expect(1, "the former driver is loaded again", command, broken)
        expect(0, "WPERFDRIVER-2 is loaded", "status")
        with open(other, "rb") as want, open(INSTALLED, "rb") as got:
            check(want.read() == got.read(), "the former file")
        check(not os.path.exists(INSTALLED + ".former"), "no copy is left")
    os.unlink(other)
    os.unlink(broken)
    expect(0, "uninstalled", "uninstall")
    is_gone()


def users() -> None:
    expect(0, "installed and loaded", "install", "--allow", "Everyone", driver)
    expect(1, "'no such user' is not a user or group", "install", "--allow", "no such user", driver)
    expect(0, "WPERFDRIVER-2 is loaded", "status")
    expect(0, "uninstalled", "uninstall")
    is_gone()


def sc(*argv: str) -> None:
    done = Running(["sc", *argv]).wait()
    check(done.status == 0, f"sc {' '.join(argv)}", done)


def packages() -> None:
    """Driver packages, with an INF file."""
    stored = os.path.join(SYSTEM32, PACKAGE.replace("\\", "/"))
    with tempfile.TemporaryDirectory() as folder:
        inf = shutil.copy(INF, folder)
        expect(1, "wperfdriver-2.sys can't be opened", "install", inf)
        shutil.copy(drive, os.path.join(folder, "wperfdriver-2.sys"))
        expect(1, "wperfdriver-2.sys is not a driver", "install", inf)
        shutil.copy(driver, os.path.join(folder, "wperfdriver-2.sys"))
        expect(1, "made no service of it; that needs Windows 10 version 1903", "install", inf)
        expect(1, "none.inf can't be opened: Windows error 2", "install", os.path.join(folder, "none.inf"))
        is_gone()
        os.makedirs(stored, exist_ok=True)
        shutil.copy(driver, os.path.join(stored, "wperfdriver-2.sys"))
        sc("create", "WPERFDRIVER-2", "type=", "kernel", "start=", "demand", "binPath=", f"\\SystemRoot\\System32\\{PACKAGE}\\wperfdriver-2.sys")
        try:
            expect(0, "wperfdriver-2.inf: installed and loaded", "install", inf)
            expect(0, "WPERFDRIVER-2 is loaded: version", "status")
            expect(0, "installed and loaded", "install", "--allow", "Everyone", inf)
            expect(1, "was installed by an INF file; run 'wperf-devgen uninstall' first", "install", driver)
            # wine can't remove a package: that it is not removed is said.
            expect(1, "wperfdriver-2.inf_arm64_0123456789abcdef: Windows error", "uninstall")
            expect(3, "WPERFDRIVER-2 is installed, and not loaded", "status")
        finally:
            sc("delete", "WPERFDRIVER-2")
            shutil.rmtree(stored)
        expect(0, "installed and loaded", "install", driver)
        expect(1, "was installed without an INF file; run 'wperf-devgen uninstall' first", "install", inf)
        expect(0, "WPERFDRIVER-2 is uninstalled", "uninstall")
        is_gone()


def windows_reads_the_inf_file() -> None:
    wanted = {("Version", "Signature"): "$Windows NT$", ("Version", "Class"): "System", ("Version", "Provider"): "wperf",
              ("Version", "ClassGuid"): "{4d36e97d-e325-11ce-bfc1-08002be10318}", ("Version", "CatalogFile"): "wperfdriver-2.cat",
              ("Version", "PnpLockdown"): "1", ("DestinationDirs", "DefaultDestDir"): "13", ("Driver.Files", "#0"): "wperfdriver-2.sys",
              ("SourceDisksFiles", "wperfdriver-2.sys"): "1", ("SourceDisksNames", "#0"): "wperf driver files",
              ("DefaultInstall.NTarm64", "CopyFiles"): "Driver.Files", ("Driver.Service", "DisplayName"): "wperf driver",
              ("DefaultInstall.NTarm64.Services", "AddService"): "WPERFDRIVER-2||Driver.Service",
              ("Driver.Service", "ServiceType"): "1", ("Driver.Service", "StartType"): "3", ("Driver.Service", "ErrorControl"): "1"}
    done = Running([read_inf, INF, *(word for line in wanted for word in line)]).wait()
    lines = "".join(f"[{section}] {key}|{value}\n" for (section, key), value in wanted.items())
    check(done.status == 0 and done.out == lines, f"wine's setup functions read {lines}", done)
    done = Running([read_inf, INF, "DefaultInstall", "CopyFiles"]).wait()
    check(done.status == 1 and not done.out, "there is no [DefaultInstall] without a machine", done)
    done = Running([read_inf, driver, "Version", "Signature"]).wait()
    check(done.status == 1 and not done.out, "a driver is no INF file", done)


def wrong_usage() -> None:
    for argv in ([], ["bogus"], ["status", "more"], ["install", "one", "two"], ["upgrade", "--allow", "Everyone"], ["uninstall", "more"]):
        expect(2, "Usage: wperf-devgen install", *argv)
    expect(0, "Usage: wperf-devgen install", "--help")
    done = run("--version")
    check(done.status == 0 and re.fullmatch(r"wperf-devgen \d+\.\d+\.\d+, for interface 1 of the driver\n", done.out) is not None, "--version", done)


def main() -> int:
    tests: list[Callable[[], None]] = [
        installed_loaded_and_removed, another_version_replaces_it, files_that_are_no_driver_for_this_machine,
        a_driver_that_does_not_load_is_removed, upgrades, users, packages, windows_reads_the_inf_file, wrong_usage]
    failed = 0
    keeper = subprocess.Popen([*WRAPPER, drive, "keep"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    run("uninstall")  # a run that was stopped may have left it
    print(f"1..{len(tests)}", flush=True)
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f"ok {number} - {test.__name__}", flush=True)
        except Exception:  # every failure of a test is reported, and the next test runs
            failed += 1
            print(f"not ok {number} - {test.__name__}")
            print("# " + traceback.format_exc().replace("\n", "\n# "), flush=True)
            run("uninstall")
    keeper.stdin.close()
    keeper.wait(LIMIT)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
