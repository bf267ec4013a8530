#!/usr/bin/python3
"""make_windows.py DIR TARGET...   Makes zip files of what build_windows.sh has built in DIR: DIR/dist gets the programs of each TARGET
and their debug information, the bill of materials, and SHA256SUMS of all files.  SOURCE_DATE_EPOCH is the time that files get."""
import datetime
import pathlib
import sys
import zipfile

import spdx
from release import PROJECT, WINDOWS_TARGETS, Release, Target, open_release, write_sums

README = """wperf {version}, a performance profiler ({machine})

    wperf record -- program.exe   samples a program by a timer, without a driver
    wperf report -g -i perf.data     reads a session, also one that was recorded on another machine
    wperf --help

wperf.exe needs Windows 10 or later and no other files. You may move it anywhere.
Its debug information is in {top}-pdb.zip.

wperf annotate shows instructions as text with LLVM-C.dll of LLVM 11 to 23, and as bytes without it. The DLL is in the
folder bin of LLVM for Windows: put that folder into PATH, or copy the DLL beside wperf.exe. Its processor must be that
of wperf.exe. The other functions of wperf need no DLL.

Nothing in this file is signed, so Windows may warn of an unknown publisher. To see whether you have what was published,
compare the checksum with that in SHA256SUMS of the release, in PowerShell or in a command prompt:

    Get-FileHash {top}.zip -Algorithm SHA256
    certutil -hashfile {top}.zip SHA256

What is not proven: these programs ran under wine only, on no Windows. Events of Arm cores were counted and sampled only
with drivers that answer like WindowsPerf's and with simulated hardware. docs/not-proven-on-hardware.md of wperf's source
has the list.
{driver}LICENSE is wperf's licence, licenses has those of the libraries that are linked in.
"""
DRIVER = """
wperfdriver-2.sys is a driver for Windows on Arm64 that counts and samples hardware events. wperf.exe works without it.
It is NOT SIGNED: Windows does not load it as it is. To try it on a machine for tests, sign it with a test certificate,
switch test mode on (bcdedit /set testsigning on; Secure Boot must be off), restart, and install it as administrator:

    wperf-devgen install wperfdriver-2.sys
    wperf-devgen uninstall

wperf-prove, run as administrator, installs it, tries what no machine has shown yet, a line for each point, and leaves the
machine as it was. Please send us what it prints.

wperfdriver-2.inf is for installing the driver as a driver package, which also needs a signed catalogue (.cat).

A machine that is not in test mode loads only a driver that Microsoft has signed, and Microsoft has not signed this one.
No Windows has loaded the driver yet: it may stop the machine with a blue screen. docs/windows-driver.md of wperf's
source tells how to sign it. To see who has signed a file, and whether Windows accepts it as a driver:

    Get-AuthenticodeSignature wperfdriver-2.sys | Format-List
    signtool verify /v /kp wperfdriver-2.sys          (signtool is in the Windows SDK)

The first says NotSigned for the file as it is here. The second accepts Microsoft's signature only, so it refuses a
driver with a test certificate, which test mode loads.

wperf-devgen.exe, wperf-prove.exe and wperfdriver-2.sys have wperf's licence. The libraries in licenses are linked into wperf.exe; of
these, wperf-devgen.exe and wperf-prove.exe contain only mingw-w64, and the driver none.

"""
MACHINES = {"windows-arm64": "Windows on ARM64", "windows-x86_64": "Windows on x86-64"}


def write_zip(path: pathlib.Path, files: dict[str, bytes], epoch: int) -> None:
    """Nothing of this machine or of the hour gets into it.  Zip files have no time zone and no odd seconds."""
    time = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for name, content in sorted(files.items()):
            info = zipfile.ZipInfo(name, time.timetuple()[:6])
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 0
            file.writestr(info, content)


def text(path: pathlib.Path) -> bytes:
    return path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def write_target(release: Release, target: Target) -> None:
    top = f"wperf-{release.version}-{target.archive}"
    readme = README.format(version=release.version, machine=MACHINES[target.archive], top=top,
                           driver=DRIVER if release.more_programs(target) else "")
    files = {f"{top}/wperf.exe": release.program(target).read_bytes(),
             f"{top}/README.txt": readme.replace("\n", "\r\n").encode(),
             f"{top}/LICENSE.txt": text(PROJECT / "LICENSE"),
             f"{top}/CHANGELOG.md": text(PROJECT / "CHANGELOG.md")}
    debug = {"wperf.pdb": release.debug_file(target).read_bytes()}
    for path in release.more_programs(target):
        files[f"{top}/{path.name}"] = path.read_bytes()
        debug[f"{path.stem}.pdb"] = path.with_suffix(".pdb").read_bytes()
        if path.suffix == ".sys":
            files[f"{top}/{path.stem}.inf"] = path.with_suffix(".inf").read_bytes()
    for library in release.libraries(target):
        files[f"{top}/licenses/{library}.txt"] = text(release.license_of(target, library))
    write_zip(release.dist / f"{top}.zip", files, release.epoch)
    write_zip(release.dist / f"{top}-pdb.zip", debug, release.epoch)


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    release, targets = open_release(sys.argv[1]), [WINDOWS_TARGETS[name] for name in sys.argv[2:]]
    release.dist.mkdir(parents=True, exist_ok=True)
    for old in release.dist.glob("wperf-*windows*"):
        old.unlink()
    for target in targets:
        write_target(release, target)
    spdx.write(release, targets, "-windows")
    write_sums(release)


if __name__ == "__main__":
    main()
