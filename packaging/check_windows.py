#!/usr/bin/python3
"""check_windows.py PROGRAM.EXE PROGRAM.PDB   Refuses a Windows program or driver that is not fit for others' machines: without unwind
information, without the identity of this PDB, at a fixed address, or with imports from other modules than those of Windows 10."""
import re
import subprocess
import sys
import uuid

MACHINES = {"IMAGE_FILE_MACHINE_ARM64", "IMAGE_FILE_MACHINE_AMD64"}
FLAGS = ("DYNAMIC_BASE", "HIGH_ENTROPY_VA", "NX_COMPAT")
# The universal C runtime is in Windows since Windows 10.
LIBRARIES = re.compile(r"(advapi32|dbghelp|kernel32|ntdll|psapi|setupapi|cfgmgr32|shell32|user32|version"
                       r"|api-ms-win-crt-[a-z]+-l1-1-0)\.dll", re.IGNORECASE)

# What a driver may import from.
KERNEL = re.compile(r"(ntoskrnl\.exe|hal\.dll)", re.IGNORECASE)


def run(*command: str) -> str:
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout


def pdb_identity(pdb: str) -> uuid.UUID | None:
    found = re.search(r"GUID: \{([-0-9A-F]+)\}", run("llvm-pdbutil-14", "dump", "--summary", pdb))
    return uuid.UUID(found[1]) if found else None


def image_identity(text: str) -> uuid.UUID | None:
    """llvm-readobj prints the bytes as they are in the image."""
    found = re.search(r"PDBGUID: \(((?:[0-9A-F]{2} ?){16})\)", text)
    return uuid.UUID(bytes_le=bytes.fromhex(found[1])) if found else None


def section_sizes(text: str) -> dict[str, int]:
    return {name: int(size, 16) for name, size in re.findall(r"Name: (\.\w+) .*\n\s+VirtualSize: (0x[0-9A-F]+)", text)}


def faults(program: str, pdb: str) -> list[str]:
    """What is wrong with it, each as a sentence."""
    text = run("llvm-readobj-14", "--file-headers", "--sections", "--coff-imports", "--coff-debug-directory", program)
    machine = re.search(r"Machine: (\w+)", text)
    found = [] if machine and machine[1] in MACHINES else ["it is for another machine than ARM64 and x64"]
    if not section_sizes(text).get(".pdata"):
        found.append("it has no unwind information (.pdata)")
    found += [f"its header does not say {flag}" for flag in FLAGS if f"IMAGE_DLL_CHARACTERISTICS_{flag} " not in text]
    if not image_identity(text) or image_identity(text) != pdb_identity(pdb):
        found.append(f"it is not of {pdb}: its identity is {image_identity(text)}, that of the PDB {pdb_identity(pdb)}")
    if not re.search(r"PDBFileName: [^/\\\n]+$", text, re.MULTILINE):
        found.append("the name of its PDB has a folder")
    libraries = KERNEL if "Subsystem: IMAGE_SUBSYSTEM_NATIVE " in text else LIBRARIES
    imports = sorted(set(re.findall(r"Import \{\s+Name: (\S+)", text)))
    if not imports:
        found.append("it has no imports")
    return found + [f"it needs {name}" for name in imports if not libraries.fullmatch(name)]


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    found = faults(*sys.argv[1:])
    for fault in found:
        print(f"{sys.argv[1]}: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
