#!/usr/bin/python3
"""driver/wdm/check_inf.py finds faults that are put into the driver's INF file, and stamp_inf.py writes versions by which Windows
can tell which is newer: inf_cases.py."""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WDM = os.path.join(ROOT, "driver", "wdm")
sys.path.insert(0, WDM)

from check_inf import check  # noqa: E402
from stamp_inf import driver_version  # noqa: E402

# What is replaced, by what, and the fault that has to be found.
FAULTS = (
    ("Signature   = ", "Signature2 = ", "signature is ''"),
    ("Provider    = %Provider%", "Provider =", "provider is ''"),
    ("{4d36e97d-", "{4d36e97-", "classguid is"),
    ("PnpLockdown = 1", "PnpLockdown = 0", "pnplockdown is '0'"),
    ("CatalogFile = wperfdriver-2.cat", "", "catalogfile is ''"),
    ("DefaultDestDir = 13", "DefaultDestDir = 12", "defaultdestdir is 12, not 13"),
    ("[DestinationDirs]", "[DestinationDir]", "defaultdestdir is missing, not 13"),
    ("= %Service%", "= %Serwice%", "%Serwice% is not in [strings]"),
    ("CopyFiles = Driver.Files", "CopyFiles = Driver.File", "there is no section [Driver.File]"),
    ("AddService = WPERFDRIVER-2,,Driver.Service", "AddService = WPERFDRIVER-2,,Other", "names no section of a service"),
    ("StartType     = 3", "StartType     = 0", "starttype is '0'"),
    ("ServiceType   = 1", "ServiceType   = 16", "servicetype is '16'"),
    ("%13%\\", "%12%\\", "servicebinary is"),
    ("%13%\\wperfdriver-2.sys", "%13%\\other.sys", "other.sys is not among the files"),
    ("wperfdriver-2.sys = 1", "other.sys = 1", "other.sys is not beside it"),
    ("wperfdriver-2.sys = 1", "wperfdriver-2.sys = 2", "there is no disk 2"),
    ("[Strings]", "[Manufacturer]\r\n[Strings]", "section [manufacturer] may not be"),
    ("[DefaultInstall.NTarm64]", "[DefaultInstall]", "section [defaultinstall] may not be"),
    ("[Strings]", "[DefaultUninstall.NTarm64]\r\n[Strings]", "section [defaultuninstall.ntarm64] may not be"),
    ("CopyFiles = Driver.Files", "CopyFiles = Driver.Files\r\nRegisterDlls = Driver.Files", "directive registerdlls may not be"),
    ("CopyFiles = Driver.Files", "CopyFiles = Driver.Files\r\nDelReg = Driver.Files", "directive delreg may not be"),
    ("[Strings]", "[Version]\r\n[Strings]", "section [Version] is there twice"),
    ("wperf driver files", "wperf dr\xefver", "not ASCII"),
    ("; Installs", "Installs", "is in no section"),
    (",0.2.0.3", ",0.2.0", "driverver is"),
    (",0.2.0.3", ",0.2.0.2", "DriverVer has version 0.2.0.2, not 0.2.0.3"),
)
VERSIONS = {"0.2.0": "0.2.0.0", "0.2.0+3.g1234abcd": "0.2.0.3", "1.12.65535": "1.12.65535.0", "1.0.0-rc1": "1.0.0.0"}
SECONDS = "1800000000"  # 2027-01-15


def stamped(folder: str, version: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, os.path.join(WDM, "stamp_inf.py"), os.path.join(WDM, "wperfdriver-2.inf"),
                           os.path.join(folder, "wperfdriver-2.inf"), version, SECONDS], capture_output=True, text=True)


def main() -> int:
    failures = [f"{version}: {driver_version(version)}" for version, want in VERSIONS.items() if driver_version(version) != want]
    with tempfile.TemporaryDirectory() as folder:
        for version in ("0.2", "x", "0.2.65536"):
            if stamped(folder, version).returncode != 1:
                failures.append(f"version {version} is taken")
        stamped(folder, "0.2.0+3.g1234abcd")
        path = os.path.join(folder, "wperfdriver-2.inf")
        open(os.path.join(folder, "wperfdriver-2.sys"), "w", encoding="ascii").close()
        with open(path, encoding="ascii", newline="") as file:
            good = file.read()
        if "DriverVer   = 01/15/2027,0.2.0.3\r\n" not in good or check(path, "0.2.0+3.g1234abcd"):
            failures.append(f"the file is right: {check(path, '0.2.0+3.g1234abcd')}")
        for old, new, fault in FAULTS:
            with open(path, "w", encoding="latin-1", newline="") as file:
                file.write(good.replace(old, new, 1))
            found = check(path, "0.2.0+3.g1234abcd")
            if old not in good or not any(fault in text for text in found):
                failures.append(f"'{new}' in place of '{old}': {found}")
    for text in failures:
        print(f"inf_cases.py: {text}")
    print(f"# {len(FAULTS)} faults")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
