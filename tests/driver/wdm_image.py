#!/usr/bin/python3
"""Builds the driver for Windows on Arm64 and checks the image: wdm_image.py DIR."""
import os
import re
import shutil
import struct
import subprocess
import sys

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
    with open(signed, "r+b") as file:
        file.seek(0x1000)
        byte = file.read(1)
        file.seek(0x1000)
        file.write(bytes([byte[0] ^ 1]))
    expect(not verifies(signed, certificate), "a changed byte makes the signature wrong")


def check_again(path: str, folder: str) -> None:
    """The same source gives the same bytes."""
    with open(path, "rb") as file:
        before = file.read()
    subprocess.run([os.path.join(WDM, "build.sh"), folder], check=True)
    with open(path, "rb") as file:
        expect(file.read() == before, "a second build has the same bytes")


def main() -> int:
    folder = sys.argv[1]
    subprocess.run([os.path.join(WDM, "build.sh"), folder], check=True)
    path = os.path.join(folder, IMAGE)
    for check in (check_headers, check_imports, check_sections, check_sum):
        check(path)
    check_again(path, folder)
    check_signature(path, folder)
    print(f"# {IMAGE}: {os.path.getsize(path)} bytes")
    for text in findings:
        print(f"wdm_image.py: expected: {text}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
