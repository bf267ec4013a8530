#!/usr/bin/python3
"""Builds the driver for Windows on Arm64 and checks the image: wdm_image.py DIR."""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WDM = os.path.join(ROOT, "driver", "wdm")
IMAGE = "wperfdriver-2.sys"
WRITE, EXECUTE = "IMAGE_SCN_MEM_WRITE", "IMAGE_SCN_MEM_EXECUTE"

findings: list[str] = []


def expect(holds: bool, what: str) -> None:
    if not holds:
        findings.append(what)


def readobj(path: str, *options: str) -> str:
    return subprocess.run(["llvm-readobj-14", *options, path], check=True, capture_output=True, text=True).stdout


def allowed() -> set[tuple[str, str]]:
    names = set()
    for library in ("ntoskrnl.def", "hal.def"):
        with open(os.path.join(WDM, library), encoding="utf-8") as file:
            words = [line.split()[:2] for line in file if not line.startswith(";")]
        module = next(w[1] for w in words if w[0] == "LIBRARY")
        names |= {(module, w[0]) for w in words if w[0] not in ("LIBRARY", "EXPORTS")}
    return names


def imported(text: str) -> set[tuple[str, str]]:
    names, module = set(), ""
    for line in text.splitlines():
        if match := re.match(r"\s+Name: (\S+)$", line):
            module = match[1]
        elif match := re.match(r"\s+Symbol: (\S+) \(", line):
            names.add((module, match[1]))
    return names


def check_imports(path: str) -> None:
    found, listed = imported(readobj(path, "--coff-imports")), allowed()
    expect(bool(found), "there are imports")
    for name in sorted(found - listed):
        findings.append(f"{name} is imported and not on the list")
    for name in sorted(listed - found):
        findings.append(f"{name} is on the list and not imported")


def check_headers(path: str) -> None:
    text = readobj(path, "--file-headers")
    for part in ("IMAGE_FILE_MACHINE_ARM64", "Subsystem: IMAGE_SUBSYSTEM_NATIVE", "DLL_CHARACTERISTICS_DYNAMIC_BASE",
                 "DLL_CHARACTERISTICS_HIGH_ENTROPY_VA", "DLL_CHARACTERISTICS_NX_COMPAT", "MajorSubsystemVersion: 10"):
        expect(part in text, f"the headers have {part}")


def check_sections(path: str) -> None:
    names = set()
    for part in readobj(path, "--sections").split("Section {")[1:]:
        names.add(re.search(r"Name: (\S+)", part)[1])
        expect(not (WRITE in part and EXECUTE in part), f"no section is both written and executed:{part}")
    expect({".text", ".rdata", ".data", ".pdata", ".reloc"} <= names, f"the sections are there: {sorted(names)}")
    expect(IMAGE.replace(".sys", ".pdb") in readobj(path, "--coff-debug-directory"), "the image names its PDB file, without a path")


def check_sum(path: str) -> None:
    """Windows loads no driver whose checksum is wrong."""
    with open(path, "rb") as file:
        data = bytearray(file.read())
    at = struct.unpack_from("<I", data, 0x3c)[0] + 24 + 64
    stored = struct.unpack_from("<I", data, at)[0]
    size = len(data)
    data[at:at + 4] = bytes(4)
    data += bytes(-len(data) % 2)
    total = sum(struct.unpack(f"<{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    expect(stored == total + size, f"the checksum is {total + size:#x}, not {stored:#x}")


def check_version(path: str) -> None:
    """`wperf --version` shows it as GitVer."""
    git = subprocess.run([os.path.join(ROOT, "tools", "git_version.sh")], check=True, capture_output=True, text=True).stdout.strip()
    with open(path, "rb") as file:
        expect(git.encode() + b"\0" in file.read(), f"the image has git's description {git}")


def verifies(path: str, certificate: str) -> bool:
    done = subprocess.run(["osslsigncode", "verify", "-CAfile", certificate, "-in", path], stdin=subprocess.DEVNULL, capture_output=True)
    return done.returncode == 0


def check_signature(path: str, folder: str) -> None:
    signed = os.path.join(folder, "signed.sys")
    shutil.copyfile(path, signed)
    subprocess.run([os.path.join(WDM, "sign.sh"), signed], check=True)
    certificate = os.path.join(folder, "wperf-test.pem")
    expect(verifies(signed, certificate), "the signature is valid")
    check_sum(signed)
    flip(signed, 0x1000)
    expect(not verifies(signed, certificate), "a changed byte makes the signature wrong")


def by_catalogue(folder: str) -> bool:
    """Whether the driver and its INF file are those of the catalogue, and the signature of the catalogue is valid."""
    catalogue, driver, inf = (os.path.join(folder, "wperfdriver-2" + end) for end in (".cat", ".sys", ".inf"))
    signature = subprocess.run(["osslsigncode", "verify", "-CAfile", os.path.join(folder, "wperf-test.pem"), "-catalog", catalogue, "-in", driver],
                               stdin=subprocess.DEVNULL, capture_output=True)
    files = subprocess.run([os.path.join(WDM, "check_catalogue.py"), catalogue, inf, driver], capture_output=True, text=True)
    return signature.returncode == 0 and files.returncode == 0 and not files.stderr


def flip(path: str, at: int) -> None:
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)
        file.seek(at)
        file.write(bytes([byte[0] ^ 1]))


def check_package(path: str, folder: str) -> None:
    """The driver, its INF file and their catalogue; each changed in turn."""
    package = os.path.join(folder, "package")
    shutil.rmtree(package, ignore_errors=True)
    os.mkdir(package)
    driver, inf = (shutil.copy(path.replace(".sys", end), package) for end in (".sys", ".inf"))
    subprocess.run([os.path.join(WDM, "sign.sh"), driver], check=True)
    expect(by_catalogue(package), "the catalogue is that of the files")
    for file, at in ((driver, 0x1000), (inf, 20), (inf.replace(".inf", ".cat"), 0x180)):
        flip(file, at)
        expect(not by_catalogue(package), f"a changed byte of {file} is found")
        flip(file, at)
    expect(by_catalogue(package), "the files are as before")
    shutil.copyfile(path, driver)
    expect(by_catalogue(package), "the catalogue is that of the driver without its own signature, too")
    os.rename(inf, inf + "2")
    expect(not by_catalogue(package), "a file that is missing is found")
    for data in (b"", b"0", b"\x30\x80", b"\x30\x82\xff\xff", open(path, "rb").read()):
        with open(inf.replace(".inf", ".cat"), "wb") as file:
            file.write(data)
        done = subprocess.run([os.path.join(WDM, "check_catalogue.py"), inf.replace(".inf", ".cat"), driver], capture_output=True, text=True)
        expect(done.returncode == 1 and "is no catalogue" in done.stderr and "Traceback" not in done.stderr, f"refused: {done.stderr}")


def check_cabinet(path: str, folder: str) -> None:
    """What attestation signing takes, read by cabextract."""
    place = os.path.join(folder, "cabinet")
    shutil.rmtree(place, ignore_errors=True)
    os.mkdir(place)
    names = {"wperfdriver-2" + end for end in (".sys", ".inf", ".pdb", ".cat")}
    for end in (".sys", ".inf", ".pdb"):
        shutil.copy(path.replace(".sys", end), place)
    certificate, key, cabinet = (os.path.join(place, name) for name in ("wperf-test.pem", "wperf-test.key", "wperfdriver-2.cab"))
    for name in ("wperf-test.pem", "wperf-test.key"):
        shutil.copy(os.path.join(folder, name), place)
    subprocess.run([os.path.join(WDM, "make_cabinet.sh"), place, certificate, key], check=True)
    expect(verifies(cabinet, certificate), "the signature of the cabinet is valid")
    with open(cabinet, "rb") as file:
        data = file.read()
    expect(data.count(b"\0wperfdriver-2\\wperfdriver-2.") == len(names), "paths in the cabinet have a folder and backslashes")
    subprocess.run(["cabextract", "-q", "-d", os.path.join(place, "out"), cabinet], check=True, capture_output=True)
    out = os.path.join(place, "out", "wperfdriver-2")
    expect(os.listdir(os.path.join(place, "out")) == ["wperfdriver-2"] and set(os.listdir(out)) == names, "the files of the cabinet")
    for name in names:
        with open(os.path.join(place, name), "rb") as want, open(os.path.join(out, name), "rb") as got:
            expect(want.read() == got.read(), f"{name} of the cabinet")
    flip(cabinet, 0x2000)
    expect(not verifies(cabinet, certificate), "a changed byte of the cabinet is found")


def check_again(path: str) -> None:
    """The same source gives the same bytes, also in a folder with another name and of another length."""
    with open(path, "rb") as file:
        before = file.read()
    with tempfile.TemporaryDirectory() as folder:
        other = os.path.join(folder, "another", "place")
        subprocess.run([os.path.join(WDM, "build.sh"), other], check=True)
        with open(os.path.join(other, IMAGE), "rb") as file:
            expect(file.read() == before, "a build in another folder has the same bytes")


def main() -> int:
    folder = sys.argv[1]
    subprocess.run([os.path.join(WDM, "build.sh"), folder], check=True)
    path = os.path.join(folder, IMAGE)
    for check in (check_headers, check_imports, check_sections, check_sum, check_version):
        check(path)
    check_again(path)
    check_signature(path, folder)
    check_package(path, folder)
    check_cabinet(path, folder)
    print(f"# {IMAGE}: {os.path.getsize(path)} bytes")
    for text in findings:
        print(f"wdm_image.py: expected: {text}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
