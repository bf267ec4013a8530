"""The .deb packages: wperf, and wperf-dbgsym with its debug information.  They are the same program as in the archive, so that one
package serves Debian 11, 12 and 13 and Ubuntu since 20.04."""
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
Suggests: libllvm19 | libllvm16 | libllvm14, libdebuginfod1, libpfm4
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


def fill(root: pathlib.Path, release: Release, target: Target) -> None:
    """What the package installs."""
    tree, doc = release.tree(target), root / "usr/share/doc/wperf"
    (root / "usr/bin").mkdir(parents=True)
    shutil.copy(release.program(target), root / "usr/bin/wperf")
    for path in release.shared_files(target):
        place = root / "usr" / path.relative_to(tree)
        if path.parent.name == "man1":
            write_packed(place.with_name(place.name + ".gz"), path.read_bytes())
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
    date = email.utils.format_datetime(release.time)
    write_packed(doc / "changelog.gz",
                 CHANGELOG.format(version=release.version, maintainer=MAINTAINER, date=date).encode())
    write_packed(doc / "NEWS.gz", (PROJECT / "CHANGELOG.md").read_bytes())
    (doc / "copyright").write_text(copyright_of(release, target))
    overrides = root / "usr/share/lintian/overrides/wperf"
    overrides.parent.mkdir(parents=True)
    shutil.copy(PROJECT / "packaging/debian/wperf.lintian-overrides", overrides)


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
    files = [name for name in sorted(root.rglob("*")) if name.is_file() and not name.is_symlink()]
    size = sum(-(-name.stat().st_size // 1024) for name in files) + sum(1 for name in root.rglob("*") if name.is_dir())
    sums = [f"{hashlib.md5(name.read_bytes()).hexdigest()}  {name.relative_to(root)}\n" for name in files]
    (root / "DEBIAN").mkdir()
    (root / "DEBIAN/md5sums").write_text("".join(sums))
    (root / "DEBIAN/control").write_text(
        control.format(version=release.version, maintainer=MAINTAINER, size=size, summary=SUMMARY, **values))
    for name in [root, *root.rglob("*")]:
        if not name.is_symlink():
            name.chmod(0o755 if name.is_dir() or name.parent.name == "bin" else 0o644)
        os.utime(name, (release.epoch, release.epoch), follow_symlinks=False)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, path], check=True, stdout=subprocess.DEVNULL)


def write(release: Release, target: Target) -> None:
    values = {"architecture": target.debian, "description": indented(DESCRIPTION)}
    name = f"{release.version}_{target.debian}.deb"
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "wperf"
        root.mkdir()
        fill(root, release, target)
        finish(root, CONTROL, release, release.dist / f"wperf_{name}", **values)
        root = pathlib.Path(folder) / "dbgsym"
        root.mkdir()
        fill_debug(root, release, target)
        finish(root, DEBUG_CONTROL, release, release.dist / f"wperf-dbgsym_{name}",
               build_id=build_id(release, target), **values)
