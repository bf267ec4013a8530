"""What is packaged: the version and the time of this release, the targets, and where the packaging scripts have put their files."""
import datetime
import gzip
import hashlib
import io
import os
import pathlib
import subprocess
import tarfile
from dataclasses import dataclass

PROJECT = pathlib.Path(__file__).resolve().parent.parent
SUMMARY = "performance profiler that counts, samples and annotates"
DESCRIPTION = """wperf counts events (stat), samples programs (record, sample), and shows which
functions are hot (report) and where inside (annotate): of C, C++, Rust and
Python programs, with call stacks through all of them. It needs no root and no
hardware counters, takes the best source of samples that the machine has, and
says what is missing. Its sessions are perf.data files."""


@dataclass(frozen=True)
class Target:
    """A kind of machine, by the name that each packager has for it."""

    name: str
    archive: str
    debian: str | None
    wheel: str = ""
    npm: str = ""
    npm_cpu: str = ""
    npm_libc: str = ""
    is_windows: bool = False


TARGETS = {
    target.name: target for target in (
        Target("x86_64-linux-gnu", "x86_64", "amd64", "manylinux_2_28_x86_64", "linux-x64", "x64", "glibc"),
        Target("aarch64-linux-gnu", "arm64", "arm64", "manylinux_2_28_aarch64", "linux-arm64", "arm64", "glibc"),
        Target("x86_64-linux-musl", "x86_64-musl", None, "musllinux_1_1_x86_64", "linux-x64-musl", "x64", "musl"))
}

WINDOWS_TARGETS = {
    target.name: target for target in (
        Target("aarch64-w64-mingw32", "windows-arm64", None, is_windows=True),
        Target("x86_64-w64-mingw32", "windows-x86_64", None, is_windows=True))
}


@dataclass(frozen=True)
class Release:
    """One run of tools/package_linux.sh or tools/package_windows.sh."""

    work: pathlib.Path
    version: str
    epoch: int

    @property
    def time(self) -> datetime.datetime:
        return datetime.datetime.fromtimestamp(self.epoch, datetime.timezone.utc)

    @property
    def dist(self) -> pathlib.Path:
        return self.work / "dist"

    def program(self, target: Target) -> pathlib.Path:
        return self.work / target.name / "wperf.exe" if target.is_windows else self.tree(target) / "bin/wperf"

    def tree(self, target: Target) -> pathlib.Path:
        """What `meson install` puts below the prefix."""
        return self.work / target.name / "tree/usr/local"

    def library(self, target: Target) -> pathlib.Path | None:
        """The shared library; None where there is none."""
        return next(self.tree(target).rglob("libwperf.so.1"), None)

    def header(self, target: Target) -> pathlib.Path:
        return self.tree(target) / "include/wperf.h"

    def shared_files(self, target: Target) -> list[pathlib.Path]:
        """Manual pages and completions."""
        return [path for path in sorted((self.tree(target) / "share").rglob("*"))
                if path.is_file() and "doc" not in path.parts[-3:]]

    def debug_file(self, target: Target) -> pathlib.Path:
        return self.work / target.name / ("wperf.pdb" if target.is_windows else "wperf.debug")

    def more_programs(self, target: Target) -> list[pathlib.Path]:
        """The installer, the driver and what proves it, in the Windows package for ARM64; the debug information of each is beside it."""
        if target.name != "aarch64-w64-mingw32":
            return []
        return [self.work / target.name / name for name in ("wperf-devgen.exe", "wperf-prove.exe", "wperfdriver-2.sys")]

    def libraries(self, target: Target) -> dict[str, str]:
        """The libraries that are linked in, and Debian's versions of their sources."""
        lines = (self.work / target.name / "versions").read_text().splitlines()
        return dict(sorted(line.split(" ", 1) for line in lines))

    def license_of(self, target: Target, library: str) -> pathlib.Path:
        return self.work / target.name / "licenses" / library


def open_release(work: str) -> Release:
    fallback = subprocess.run(["sed", "-n", "s/.*version.sh', '\\([^']*\\)'.*/\\1/p", PROJECT / "meson.build"],
                              check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    version = subprocess.run([PROJECT / "tools/version.sh", fallback], check=True, stdout=subprocess.PIPE, text=True)
    return Release(pathlib.Path(work).resolve(), version.stdout.strip(), int(os.environ["SOURCE_DATE_EPOCH"]))


def write_sums(release: Release) -> None:
    """SHA256SUMS of all files in dist, which are listed."""
    names = sorted(path.name for path in release.dist.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256((release.dist / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (release.dist / "SHA256SUMS").write_text("".join(lines))
    for name in names:
        print(f"{(release.dist / name).stat().st_size:>10}  {name}")


def write_tar_gz(path: pathlib.Path, files: dict[str, tuple[bytes, int]], epoch: int) -> None:
    """files: content and mode by name.  Nothing of this machine or of the hour gets into it."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, (content, mode) in sorted(files.items()):
            info = tarfile.TarInfo(name)
            info.size, info.mode, info.mtime = len(content), mode, epoch
            info.uname = info.gname = "root"
            tar.addfile(info, io.BytesIO(content))
    with open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(raw.getvalue())
