#!/usr/bin/python3
"""The zip files of build/package/dist (made by tools/package_windows.sh) under wine: the program for x86-64 directly, the one
for ARM64 under qemu-user; each with its PDB.  Also the driver and its installer for ARM64.  By hand: ./check long."""
import pathlib
import struct
import sys
import zipfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "tests/system"), str(PROJECT / "tests/windows")]

import harness  # noqa: E402
from harness import Context, check, need_tool  # noqa: E402
from test_wine import WINE, wine_environment  # noqa: E402

DIST = PROJECT / "build/package/dist"
ARM64_WINE = PROJECT / "build/arm64-wine"
CONTENT = {"wperf.exe", "README.txt", "LICENSE.txt", "CHANGELOG.md", "licenses/mingw-w64.txt", "licenses/zlib.txt",
           "licenses/libzstd.txt", "licenses/liblzma.txt"}
# With the name of the PDB of each.
PROGRAMS = {"x86_64": {"wperf.exe": "wperf.pdb"},
            "arm64": {"wperf.exe": "wperf.pdb", "wperf-devgen.exe": "wperf-devgen.pdb", "wperfdriver-2.sys": "wperfdriver-2.pdb"}}
MORE = {"x86_64": set(), "arm64": {"wperfdriver-2.inf"}}
LIMIT_SECONDS = 900


def unpack(t: Context, machine: str) -> pathlib.Path:
    """The folder with the programs and their PDB files."""
    found = sorted(DIST.glob(f"wperf-*-windows-{machine}.zip"))
    check(len(found) == 1, f"tools/package_windows.sh has made one zip file for {machine}: {found}")
    folder = pathlib.Path(t.folder)
    with zipfile.ZipFile(found[0]) as file:
        top = found[0].name.removesuffix(".zip")
        check(set(file.namelist()) == {f"{top}/{name}" for name in CONTENT | set(PROGRAMS[machine]) | MORE[machine]}, f"content of {found[0].name}: {file.namelist()}")
        file.extractall(folder)
    with zipfile.ZipFile(found[0].with_name(f"{top}-pdb.zip")) as file:
        check(set(file.namelist()) == set(PROGRAMS[machine].values()), f"content of the other zip: {file.namelist()}")
        file.extractall(folder / top)
    return folder / top


def check_debug_information(t: Context, program: pathlib.Path) -> None:
    """The Linux build names the entry point with the PDB, which it accepts only if its identity is that of the image."""
    content = program.read_bytes()
    entry, = struct.unpack_from("<I", content, struct.unpack_from("<I", content, 0x3C)[0] + 24 + 16)
    named = t.good("symbolize", "-e", str(program), f"{entry:x}")
    check("mainCRTStartup" in named.out and "crtexe.c:" in named.out, "the entry point has a name and a line", named)


def check_program(t: Context, folder: pathlib.Path, wrapper: str, env: dict[str, str], sessions: list[str]) -> None:
    done = t.run(wrapper, str(folder / "wperf.exe"), "--version", env=env, limit=LIMIT_SECONDS)
    version = folder.name.split("-")[1]
    check(done.status == 0 and f"wperf      {version} " in done.out, f"version {version}", done)
    paths = [str(PROJECT / "tests/replay" / name) for name in sessions]
    done = t.run(need_tool("python3"), str(PROJECT / "tests/windows/test_reading.py"), str(folder / "wperf.exe"), "--as", t.wperf,
                 *paths, env=dict(env, WPERF_TEST_WRAPPER=wrapper), limit=LIMIT_SECONDS)
    check(done.status == 0 and "\nok " in done.out, "reads sessions as the Linux build does", done)
    check_debug_information(t, folder / "wperf.exe")


@harness.limit(LIMIT_SECONDS)
def test_the_program_for_x86_64(t: Context) -> None:
    sessions = sorted(path.name for path in (PROJECT / "tests/replay").glob("*.data"))
    check_program(t, unpack(t, "x86_64"), WINE, wine_environment(), sessions)


@harness.limit(LIMIT_SECONDS)
def test_the_program_for_arm64(t: Context) -> None:
    folder = unpack(t, "arm64")
    need_tool("qemu-aarch64")
    done = t.run(str(PROJECT / "cross/arm64_wine.sh"), str(ARM64_WINE), limit=LIMIT_SECONDS)
    check(done.status == 0, "making wine for arm64", done)
    try:
        check_program(t, folder, str(ARM64_WINE / "wine"), harness.environment(), ["calls.data", "branches.data"])
    finally:
        t.run(str(ARM64_WINE / "wineserver"), "-k")


@harness.limit(LIMIT_SECONDS)
def test_the_driver_and_its_installer(t: Context) -> None:
    """By llvm-readobj, because wine's driver host for ARM64 can't run the driver without its hardware."""
    folder = unpack(t, "arm64")
    readobj = need_tool("llvm-readobj-14")
    for name, pdb in PROGRAMS["arm64"].items():
        fit = t.run(str(PROJECT / "packaging/check_windows.py"), str(folder / name), str(folder / pdb))
        check(fit.status == 0, f"{name} is fit, and {pdb} is its PDB", fit)
        text = t.run(readobj, "--file-headers", "--coff-imports", "--coff-debug-directory", "--unwind", str(folder / name)).out
        check("IMAGE_FILE_MACHINE_ARM64 " in text and f"PDBFileName: {pdb}\n" in text and "RuntimeFunction {" in text,
              f"the machine, CodeView and unwind information of {name}")
        is_driver = name.endswith(".sys")
        modules = {line.split()[1] for line in text.splitlines() if line.startswith("  Name: ")}
        check(is_driver == ("IMAGE_SUBSYSTEM_NATIVE " in text) and ({"ntoskrnl.exe", "hal.dll"} == modules) == is_driver,
              f"subsystem and imports of {name}: {modules}")
    readme = (folder / "README.txt").read_text()
    check("It is NOT SIGNED" in readme and "bcdedit /set testsigning on" in readme, "the page says what loads")
    for text in ("LLVM-C.dll", "Get-FileHash wperf-", "Get-AuthenticodeSignature wperfdriver-2.sys", "What is not proven: "):
        check(text in readme, f"the page says: {text}")
    headers = t.run(readobj, "--file-headers", str(folder / "wperfdriver-2.sys"))
    check("CertificateTableSize: 0x0\n" in headers.out, "the driver has no signature, and the page says so", headers)


@harness.limit(LIMIT_SECONDS)
def test_what_is_refused(t: Context) -> None:
    """A PDB of another build, and the times of a build."""
    folders = [unpack(t, machine) for machine in ("x86_64", "arm64")]
    checker = str(PROJECT / "packaging/check_windows.py")
    need_tool("llvm-readobj-14")
    good = t.run(checker, str(folders[0] / "wperf.exe"), str(folders[0] / "wperf.pdb"))
    check(good.status == 0, "the program is fit", good)
    wrong = t.run(checker, str(folders[0] / "wperf.exe"), str(folders[1] / "wperf.pdb"))
    check(wrong.status == 1 and "its identity is" in wrong.err, "the PDB of another program", wrong)
    image = bytearray((folders[0] / "wperf.exe").read_bytes())
    flags = struct.unpack_from("<I", image, 0x3C)[0] + 24 + 70
    struct.pack_into("<H", image, flags, struct.unpack_from("<H", image, flags)[0] & ~0x40)
    image = image.replace(b"KERNEL32.dll", b"KERNEL99.dll")
    (folders[0] / "changed.exe").write_bytes(image)
    wrong = t.run(checker, str(folders[0] / "changed.exe"), str(folders[0] / "wperf.pdb"))
    check(wrong.status == 1 and "does not say DYNAMIC_BASE" in wrong.err and "it needs KERNEL99.dll" in wrong.err,
          "no ASLR and another DLL", wrong)


if __name__ == "__main__":
    harness.main(__name__)
