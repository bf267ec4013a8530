"""wperf-VERSION-MACHINE.tar.gz: the program at the top, to be run where it is unpacked, its pages, completions and licences, and
libwperf."""
from release import PROJECT, Release, Target, write_tar_gz

README = """wperf {version}, a performance profiler for Linux ({machine})

    ./wperf record -- python3 app.py     # where does the time go?
    ./wperf report -g                       # the same again, from the session file
    ./wperf --help

The program needs nothing else than {needs}, and no root. You may move it anywhere.
share/ has its manual pages and the completions of bash, zsh and fish: copy it into /usr/local, or a page is
read by `man share/man/man1/wperf.1`.
{loaded}
LICENSE is wperf's licence, licenses/ has those of the libraries that are linked in.
"""
GNU = """
wperf loads these libraries where they are installed, and does without them otherwise:
libLLVM, version 11 to 23 (instructions in `annotate`; the package libllvm19, libllvm16 or libllvm14), libpfm4 (names of
x86 events), libbpf1 (on x86-64: Python functions as root without stopping the program) and libdebuginfod1 (debug files by
network, only if it is asked for).

include/wperf.h and lib/libwperf.so.1 are wperf as a library: cc -Iinclude app.c lib/libwperf.so.1
"""
MUSL = """
This is the static program for systems without glibc (Alpine). It can load no libraries: `annotate` shows
lines and bytes of instructions, but not their text. Where there is glibc 2.28 or later, take wperf-{version}-x86_64.
"""


def readme(release: Release, target: Target) -> str:
    static = target.npm_libc == "musl"
    return README.format(version=release.version, machine=target.archive, needs="the Linux kernel" if static else
                         "glibc 2.28 or later", loaded=(MUSL if static else GNU).format(version=release.version))


def write(release: Release, target: Target) -> None:
    top = f"wperf-{release.version}-{target.archive}"
    tree = release.tree(target)
    files = {f"{top}/wperf": (release.program(target).read_bytes(), 0o755),
             f"{top}/README": (readme(release, target).encode(), 0o644)}
    for name in ("LICENSE", "CHANGELOG.md"):
        files[f"{top}/{name}"] = ((PROJECT / name).read_bytes(), 0o644)
    for library in release.libraries(target):
        files[f"{top}/licenses/{library}"] = (release.license_of(target, library).read_bytes(), 0o644)
    for path in release.shared_files(target):
        files[f"{top}/{path.relative_to(tree)}"] = (path.read_bytes(), 0o644)
    if library := release.library(target):
        files[f"{top}/lib/libwperf.so.1"] = (library.read_bytes(), 0o644)
        files[f"{top}/include/wperf.h"] = (release.header(target).read_bytes(), 0o644)
    write_tar_gz(release.dist / f"{top}.tar.gz", files, release.epoch)
