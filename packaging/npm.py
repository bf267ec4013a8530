"""npm packages: `wperf`, a script of Node that runs the program, and a package for each kind of machine with the program itself.
npm installs the one that fits.  No package runs a script when it is installed."""
import json

from release import PROJECT, SUMMARY, Release, Target, write_tar_gz

# Placeholders: the names on npm are not ours yet.
NAME = "wperf"
README = f"""# wperf

A {SUMMARY}, for Linux.

    npx wperf record -- node app.js
    npx wperf report -g
"""


def package_json(release: Release, name: str, more: dict) -> bytes:
    document = {"name": name, "version": release.version, "description": f"A {SUMMARY}", "license": "BSD-3-Clause", **more}
    return (json.dumps(document, indent=2) + "\n").encode()


def write_package(release: Release, name: str, files: dict[str, tuple[bytes, int]]) -> None:
    files = {**files, "LICENSE": ((PROJECT / "LICENSE").read_bytes(), 0o644), "README.md": (README.encode(), 0o644)}
    write_tar_gz(release.dist / f"{name}-{release.version}.tgz",
                 {f"package/{path}": content for path, content in files.items()}, release.epoch)


def write_machine(release: Release, target: Target) -> None:
    name = f"{NAME}-{target.npm}"
    about = {"os": ["linux"], "cpu": [target.npm_cpu], "libc": [target.npm_libc], "preferUnplugged": True}
    files = {"package.json": (package_json(release, name, about), 0o644),
             "bin/wperf": (release.program(target).read_bytes(), 0o755)}
    for library in release.libraries(target):
        files[f"licenses/{library}"] = (release.license_of(target, library).read_bytes(), 0o644)
    write_package(release, name, files)


def write(release: Release, targets: list[Target]) -> None:
    for target in targets:
        write_machine(release, target)
    about = {"bin": {"wperf": "bin/wperf.js"}, "engines": {"node": ">=14"},
             "optionalDependencies": {f"{NAME}-{target.npm}": release.version for target in targets}}
    write_package(release, NAME, {
        "package.json": (package_json(release, NAME, about), 0o644),
        "bin/wperf.js": ((PROJECT / "packaging/npm/wperf.js").read_bytes(), 0o755)})
