"""The .deb packages: wperf, wperf-dbgsym with its debug information, libwperf1 and libwperf-dev.  They are the same program and library
as in the archive, so that one package serves Debian 11, 12 and 13 and Ubuntu since 20.04."""
import email.utils
import gzip
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

from release import DESCRIPTION, PROJECT, SUMMARY, Release, Target

# A placeholder: no address is ours yet.
MAINTAINER = "wperf authors <wperf@packages.debian.org>"
CONTROL = """Package: wperf
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: libc6 (>= 2.28)
Suggests: libllvm19 | libllvm16 | libllvm14, libdebuginfod1, libpfm4, libbpf1
Section: devel
Priority: optional
Description: {summary}
{description}
"""
DEBUG_CONTROL = """Package: wperf-dbgsym
Version: {version}
Auto-Built-Package: debug-symbols
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Depends: wperf (= {version})
Section: debug
Priority: optional
Description: debug symbols for wperf
Build-Ids: {build_id}
"""
LIBRARY_CONTROL = """Package: libwperf1
Source: wperf
Version: {version}
Architecture: {architecture}
Multi-Arch: same
Maintainer: {maintainer}
Installed-Size: {size}
Depends: libc6 (>= 2.28)
Suggests: libllvm19 | libllvm16 | libllvm14, libdebuginfod1, libpfm4, libbpf1
Section: libs
Priority: optional
Description: performance profiler as a library
 libwperf reads sessions of wperf and perf, counts and samples events, and
 looks up addresses, in the programs that use it.
"""
DEV_CONTROL = """Package: libwperf-dev
Source: wperf
Version: {version}
Architecture: {architecture}
Multi-Arch: same
Maintainer: {maintainer}
Installed-Size: {size}
Depends: libwperf1 (= {version})
Section: libdevel
Priority: optional
Description: performance profiler as a library (header)
 What a program needs to be compiled with libwperf: its header, and the
 settings of pkg-config.
"""
PKG_CONFIG = """prefix=/usr
includedir=${{prefix}}/include
libdir=${{prefix}}/lib/{triplet}

Name: wperf
Description: read, count and sample performance events
Version: {version}
Libs: -L${{libdir}} -lwperf
Cflags: -I${{includedir}}
"""
CHANGELOG = """wperf ({version}) unstable; urgency=medium

  * New version; CHANGELOG.md has what is new.

 -- {maintainer}  {date}
"""
COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: wperf

Files: *
Copyright: 2026, the wperf authors
License: BSD-3-Clause
{license}
Comment:
 These libraries are linked in. What Debian says of their licences follows.
{libraries}
"""


def indented(text: str) -> str:
    return "\n".join(f" {line}" if line.strip() else " ." for line in text.strip().splitlines())


def copyright_of(release: Release, target: Target) -> str:
    license_text = (PROJECT / "LICENSE").read_text().split("\n", 4)[4]
    libraries = [f"=== {name} ===\n{release.license_of(target, name).read_text()}" for name in release.libraries(target)]
    return COPYRIGHT.format(license=indented(license_text), libraries=indented("\n\n".join(libraries)))


def write_packed(path: pathlib.Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content, 9, mtime=0))


def fill_doc(doc: pathlib.Path, release: Release, target: Target) -> None:
    date = email.utils.format_datetime(release.time)
    write_packed(doc / "changelog.gz",
                 CHANGELOG.format(version=release.version, maintainer=MAINTAINER, date=date).encode())
    (doc / "copyright").write_text(copyright_of(release, target))


def write_overrides(root: pathlib.Path, package: str) -> None:
    overrides = root / "usr/share/lintian/overrides" / package
    overrides.parent.mkdir(parents=True)
    overrides.write_text((PROJECT / "packaging/debian/wperf.lintian-overrides").read_text().replace("wperf:", f"{package}:"))


def fill(root: pathlib.Path, release: Release, target: Target) -> None:
    """What the package installs."""
    tree, doc = release.tree(target), root / "usr/share/doc/wperf"
    (root / "usr/bin").mkdir(parents=True)
    shutil.copy(release.program(target), root / "usr/bin/wperf")
    for path in release.shared_files(target):
        # Below /usr, Debian's zsh reads another folder than below /usr/local.
        place = root / "usr" / str(path.relative_to(tree)).replace("zsh/site-functions", "zsh/vendor-completions")
        if path.parent.name == "man1":
            write_packed(place.with_name(place.name + ".gz"), path.read_bytes())
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
    fill_doc(doc, release, target)
    write_packed(doc / "NEWS.gz", (PROJECT / "CHANGELOG.md").read_bytes())
    write_overrides(root, "wperf")


def fill_library(root: pathlib.Path, release: Release, target: Target) -> None:
    folder = root / "usr/lib" / target.name
    folder.mkdir(parents=True)
    shutil.copy(release.library(target), folder / "libwperf.so.1")
    fill_doc(root / "usr/share/doc/libwperf1", release, target)
    write_overrides(root, "libwperf1")
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN/shlibs").write_text(f"libwperf 1 libwperf1 (>= {release.version})\n")
    (root / "DEBIAN/triggers").write_text("activate-noawait ldconfig\n")


def fill_dev(root: pathlib.Path, release: Release, target: Target) -> None:
    folder, include, doc = root / "usr/lib" / target.name, root / "usr/include", root / "usr/share/doc/libwperf-dev"
    for path in (folder / "pkgconfig", include, doc.parent):
        path.mkdir(parents=True)
    shutil.copy(release.header(target), include / "wperf.h")
    (folder / "libwperf.so").symlink_to("libwperf.so.1")
    (folder / "pkgconfig/wperf.pc").write_text(PKG_CONFIG.format(triplet=target.name, version=release.version))
    doc.symlink_to("libwperf1")


def build_id(release: Release, target: Target) -> str:
    notes = subprocess.run(["readelf", "--notes", release.program(target)], check=True, stdout=subprocess.PIPE, text=True)
    return notes.stdout.split("Build ID: ")[1].split()[0]


def fill_debug(root: pathlib.Path, release: Release, target: Target) -> None:
    ident = build_id(release, target)
    path = root / "usr/lib/debug/.build-id" / ident[:2] / f"{ident[2:]}.debug"
    path.parent.mkdir(parents=True)
    shutil.copy(release.debug_file(target), path)
    doc = root / "usr/share/doc/wperf-dbgsym"
    doc.parent.mkdir(parents=True)
    doc.symlink_to("wperf")


def finish(root: pathlib.Path, control: str, release: Release, path: pathlib.Path, **values: str) -> None:
    """Writes DEBIAN/ and packs the folder.  dpkg-deb gives all files to root, and none a later time than SOURCE_DATE_EPOCH."""
    files = [name for name in sorted(root.rglob("*")) if name.is_file() and not name.is_symlink() and name.parent.name != "DEBIAN"]
    size = sum(-(-name.stat().st_size // 1024) for name in files) + sum(1 for name in root.rglob("*") if name.is_dir())
    sums = [f"{hashlib.md5(name.read_bytes()).hexdigest()}  {name.relative_to(root)}\n" for name in files]
    (root / "DEBIAN").mkdir(exist_ok=True)
    (root / "DEBIAN/md5sums").write_text("".join(sums))
    (root / "DEBIAN/control").write_text(
        control.format(version=release.version, maintainer=MAINTAINER, size=size, summary=SUMMARY, **values))
    for name in [root, *root.rglob("*")]:
        if not name.is_symlink():
            name.chmod(0o755 if name.is_dir() or name.parent.name == "bin" else 0o644)
        os.utime(name, (release.epoch, release.epoch), follow_symlinks=False)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, path], check=True, stdout=subprocess.DEVNULL)


def write(release: Release, target: Target) -> None:
    kinds = [("wperf", fill, CONTROL), ("wperf-dbgsym", fill_debug, DEBUG_CONTROL)]
    if release.library(target):
        kinds += [("libwperf1", fill_library, LIBRARY_CONTROL), ("libwperf-dev", fill_dev, DEV_CONTROL)]
    for package, fill_root, control in kinds:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder) / package
            root.mkdir()
            fill_root(root, release, target)
            finish(root, control, release, release.dist / f"{package}_{release.version}_{target.debian}.deb", architecture=target.debian,
                   description=indented(DESCRIPTION), build_id=build_id(release, target))
