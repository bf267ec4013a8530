#!/usr/bin/python3
"""wperf-prove.exe in wine. Usage: test_prove.py WPERF-PROVE.EXE WPERF.EXE WPERF-DEVGEN.EXE SIM_WPERFDRIVER.SYS. WINEPREFIX
must be set. The simulated machine counts by rules, whatever the program executes, and wine lets everybody open the device and stops a
driver that is in use: the lines that say so show that each of these points can fail."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

prove, wperf, devgen, driver = sys.argv[1:5]
WRAPPER = [os.environ["WPERF_TEST_WRAPPER"]] if "WPERF_TEST_WRAPPER" in os.environ else []
INSTALLED = os.path.join(os.environ["WINEPREFIX"], "drive_c/windows/system32/drivers/wperfdriver-2.sys")
WANTED = {
    "PMCCNTR_EL0 of programs runs": "skip",
    "Windows loads the driver": "pass",
    "the driver tells its version and source": "pass",
    "other users can't open it": "FAIL",
    "clusters and memory controllers are found": "pass",
    "counts of instructions are right": "FAIL",
    "all cores count": "pass",
    "the timer's samples are in the right function": "pass",
    "samples are in the right function": "FAIL",
    "sampling at a high rate": "FAIL",
    "SPE samples": "pass",
    "PMCCNTR_EL0 of programs runs as before": "skip",
    "sampling is refused beside a PMU trace": "skip",
    "the driver stays while it measures": "FAIL",
    "Driver Verifier": "skip",
    "everything is as before": "pass",
}
number = 0
failed = False


def expect(what: str, holds: bool, seen: object) -> None:
    global number, failed
    number += 1
    print(f"{'ok' if holds else 'not ok'} {number} - {what}")
    if not holds:
        failed = True
        print("".join(f"# {line}\n" for line in str(seen).splitlines()))


def run(folder: str, *argv: str) -> tuple[int, str]:
    """wine's services hold a pipe open for ever: the output goes to a file."""
    with tempfile.TemporaryFile() as out:
        done = subprocess.run([*WRAPPER, *argv], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out, timeout=300)
        out.seek(0)
        return done.returncode, out.read().decode().replace("\r", "")


def verdicts(text: str) -> dict[str, str]:
    return {match[2]: match[1] for match in re.finditer(r"^(pass|FAIL|skip): ([^:]+):", text, re.M)}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        files = {"wperf-prove.exe": prove, "wperf.exe": wperf, "wperf-devgen.exe": devgen, "wperfdriver-2.sys": driver}
        for name, path in files.items():
            shutil.copy(path, os.path.join(folder, name))
        own = os.path.join(folder, "wperf-prove.exe")
        status, text = run(folder, own)
        expect("a line for each point, with the verdict that this machine deserves", verdicts(text) == WANTED, text)
        expect("a sum, and the exit status of failures", status == 1 and text.endswith("\n7 passed, 5 failed, 4 skipped\n"), text)
        expect("no file is left, and no driver", sorted(os.listdir(folder)) == sorted(files) and not os.path.exists(INSTALLED), os.listdir(folder))
        run(folder, os.path.join(folder, "wperf-devgen.exe"), "install", os.path.join(folder, "wperfdriver-2.sys"))
        status, text = run(folder, own, folder)
        expect("a driver that was installed stays", "installed before, and still is" in text and os.path.exists(INSTALLED), text)
        status, text = run(folder, os.path.join(folder, "wperf-devgen.exe"), "status")
        expect("and is loaded", status == 0, text)
        run(folder, os.path.join(folder, "wperf-devgen.exe"), "uninstall")
        status, text = run(folder, own, "--nonsense")
        expect("wrong usage", status == 2 and "Usage:" in text, text)
    print(f"1..{number}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
