#!/usr/bin/python3
"""check_binary.py PROGRAM|LIBRARY...   Refuses programs that would not start on an older Linux: those that need a symbol of glibc
after 2.28 or another library than glibc's, or that have their start code from glibc 2.34 or later; and such shared libraries, which
have no start code."""
import re
import subprocess
import sys

NEWEST = (2, 28)
LIBRARIES = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1",
             "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


def readelf(*arguments: str) -> str:
    return subprocess.run(["readelf", "--wide", *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def symbols_too_new(symbols: str) -> list[str]:
    """Names with versions, as readelf shows them: pow@GLIBC_2.29 (4)."""
    found = re.findall(r"UND (\S+@GLIBC_([\d.]+))", symbols)
    return sorted({name for name, version in found if tuple(map(int, version.split("."))) > NEWEST})


def faults(program: str) -> list[str]:
    """What keeps it from starting elsewhere, each as a sentence."""
    dynamic, symbols = readelf("--dynamic", program), readelf("--dyn-syms", program)
    needed = set(re.findall(r"\(NEEDED\)\s+Shared library: \[(.*?)\]", dynamic))
    if not needed:
        return [] if "There is no dynamic section" in dynamic else ["it has a dynamic section and needs no library"]
    found = [f"it needs {name}" for name in sorted(needed - LIBRARIES)]
    found += [f"it needs {name}" for name in symbols_too_new(symbols)]
    found += [f"its symbol {name} has a version of no glibc" for name in
              sorted(set(re.findall(r"UND (\S+@(?!GLIBC_[\d.]+\b)\S+)", symbols)))]
    # The start files of glibc 2.34 and later leave constructors to the C library, which an older one does not run.
    names = readelf("--syms", program)
    if "'.symtab'" not in names:
        found.append("it is stripped, so that its start code is not known")
    elif "(SONAME)" not in dynamic and not re.search(r" __libc_csu_init$", names, re.MULTILINE):
        found.append("its start code is that of glibc 2.34 or later")
    if re.search(r"\((RPATH|RUNPATH|TEXTREL)\)", dynamic):
        found.append("it has a RUNPATH or relocations of its code")
    return found


def main() -> int:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    found = [(path, fault) for path in sys.argv[1:] for fault in faults(path)]
    for path, fault in found:
        print(f"{path}: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
