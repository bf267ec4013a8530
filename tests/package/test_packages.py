#!/usr/bin/python3
"""Packages made from this build, each installed without a network as a user would install it."""
import glob
import json
import os
import pathlib
import re
import subprocess
import sys

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(PROJECT / "tests/system"), str(PROJECT / "packaging")]
os.environ.setdefault("SOURCE_DATE_EPOCH", "1700000000")

import archive  # noqa: E402
import deb  # noqa: E402
import harness  # noqa: E402
import npm  # noqa: E402
import release as releases  # noqa: E402
import spdx  # noqa: E402
import wheel  # noqa: E402
from harness import Context, Skip, check, need_tool  # noqa: E402

BUILD = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else ""
TARGET = releases.TARGETS["x86_64-linux-gnu"]
SCRIPT = "import os, sys\nprint(os.path.basename(sys.executable), sys.argv[1:], sys.prefix != sys.base_prefix)\n"


def made(t: Context, *writers) -> releases.Release:
    """A folder as tools/package_linux.sh fills it, from this build, with the packages of these writers."""
    release = releases.open_release(t.path("work"))
    place = release.work / TARGET.name
    done = t.run(need_tool("meson"), "install", "-C", BUILD, "--no-rebuild", "--destdir", str(place / "tree"))
    check(done.status == 0, "meson install works", done)
    check(release.program(TARGET).exists(), "this build installs below /usr/local")
    check(t.run("strip", str(release.program(TARGET))).status == 0, "the program is stripped")
    check(t.run("strip", "--strip-unneeded", "--remove-section=.comment", str(release.library(TARGET))).status == 0, "the library is stripped")
    (place / "wperf.debug").write_bytes(b"no debug information")
    (place / "versions").write_text("zlib 1:1.2.13.dfsg-1\nlibzstd 1.5.4+dfsg2-5\n")
    (place / "licenses").mkdir()
    for library in ("zlib", "libzstd"):
        (place / "licenses" / library).write_text(f"licence of {library}\n")
    release.dist.mkdir()
    for write in writers:
        write(release)
    return release


def write_wheel(release: releases.Release) -> None:
    wheel.write(release, TARGET)


def write_npm(release: releases.Release) -> None:
    npm.write(release, [TARGET])


def only(release: releases.Release, pattern: str) -> str:
    found = glob.glob(str(release.dist / pattern))
    check(len(found) == 1, f"one {pattern}: {found}")
    return found[0]


def environment(t: Context) -> dict[str, str]:
    """The environment of a user who has the build's libraries and nothing of this project in the path."""
    return harness.environment(HOME=t.folder, PIP_CONFIG_FILE="/dev/null", PIP_DISABLE_PIP_VERSION_CHECK="1",
                               npm_config_cache=t.path("npm-cache"), npm_config_update_notifier="false")


# --- Python ---


def venv_with_wheel(t: Context) -> str:
    release = made(t, write_wheel)
    env = environment(t)
    done = t.run("/usr/bin/python3", "-m", "venv", t.path("venv"), env=env)
    if done.status:
        raise Skip("python3-venv")
    done = t.run(t.path("venv/bin/pip"), "install", "--no-index", only(release, "*.whl"), env=env)
    check(done.status == 0 and "Successfully installed" in done.out, "pip installs the wheel", done)
    return t.path("venv/bin")


def test_wheel_in_a_venv(t: Context) -> None:
    folder = venv_with_wheel(t)
    done = t.run(f"{folder}/wperf", "--version", env=environment(t))
    check(done.status == 0 and "wperf" in done.out, "the program runs", done)
    check(os.path.exists(t.path("venv/share/man/man1/wperf-record.1")), "and has its pages")
    with open(t.path("script.py"), "w", encoding="ascii") as file:
        file.write(SCRIPT)
    with open(t.path("module.py"), "w", encoding="ascii") as file:
        file.write(SCRIPT)
    # The interpreter of the venv, not another one in the path.
    for arguments, words in ((("-g", "script.py", "-o", "a"), ["-o", "a"]), (("--", "script.py", "b"), ["b"]),
                             (("-F", "99", "--", "-m", "module", "c"), ["c"])):
        done = t.run(f"{folder}/python", "-m", "wperf", "record", *arguments, env=environment(t))
        check(done.status == 0 and f"python {words} True" in done.out, f"record {arguments}", done)
    done = t.run(f"{folder}/python", "-m", "wperf", "record", "--", "true", env=environment(t))
    check(done.status == 0 and "session: wperf.data" in done.out, "another program is run as it is", done)
    done = t.run(f"{folder}/python", "-m", "wperf", "recrod", env=environment(t))
    check(done.status == 2 and "'recrod'" in done.err, "wperf's own status and words", done)
    done = t.run(f"{folder}/wperf", "record", "-q", "-o", "busy.data", "--", "/usr/bin/python3", "-c", "sum(range(9 ** 7))", env=environment(t))
    check(done.status == 0, "a program that runs long enough for samples", done)
    ask = "import wperf; print(any(row.samples for row in wperf.open('busy.data').rows()), wperf.__version__)"
    done = t.run(f"{folder}/python", "-c", ask, env=environment(t))
    check(re.fullmatch(r"True \d\S+\n", done.out) is not None, "the module reads a session with its own library", done)
    ask = "import importlib.metadata as m; print([e.load() for e in m.entry_points().select(group='pyperf.hook')])"
    done = t.run(f"{folder}/python", "-c", ask, env=environment(t))
    check(done.out == "[<class 'wperf.pyperf_hook.WperfRecord'>]\n", "pyperf finds the hook", done)
    done = t.run(f"{folder}/pip", "uninstall", "-y", "wperf", env=environment(t))
    left = glob.glob(t.path("venv/**/*wperf*"), recursive=True)
    check(done.status == 0 and not left, f"left: {left}", done)


# --- Node ---


def need_npm() -> str:
    need_tool("node")
    return need_tool("npm")


def test_npm_packages(t: Context) -> None:
    npm_tool, env = need_npm(), environment(t)
    release = made(t, write_npm)
    packages = [only(release, "wperf-linux-x64-*.tgz"), only(release, "wperf-[0-9]*.tgz")]
    os.mkdir(t.path("project"))
    with open(t.path("project/package.json"), "w", encoding="ascii") as file:
        file.write('{"name": "project", "version": "1.0.0"}')
    done = t.run(npm_tool, "install", "--offline", "--no-audit", "--no-fund", *packages, cwd=t.path("project"), env=env)
    check(done.status == 0, "npm installs them", done)
    for package in packages:
        with subprocess.Popen(["tar", "-xzOf", package, "package/package.json"], stdout=subprocess.PIPE) as tar:
            check("scripts" not in json.load(tar.stdout), "no script runs at the installation")
    npx = need_tool("npx")
    done = t.run(npx, "--offline", "wperf", "--version", cwd=t.path("project"), env=env)
    check(done.status == 0 and "wperf" in done.out, "npx wperf", done)
    done = t.run(npx, "--offline", "wperf", "record", "--", "sh", "-c", "exit 7", cwd=t.path("project"), env=env)
    check(done.status == 7, "the status of the command comes through", done)


def test_npm_packs_the_same_files(t: Context) -> None:
    npm_tool, env = need_npm(), environment(t)
    release = made(t, write_npm)
    for package in glob.glob(str(release.dist / "*.tgz")):
        os.mkdir(t.path("unpacked"))
        check(t.run("tar", "-xzf", package, "-C", t.path("unpacked")).status == 0, "unpacks")
        done = t.run(npm_tool, "pack", "--json", "--offline", cwd=t.path("unpacked/package"), env=env)
        check(done.status == 0, "npm pack works", done)
        packed = {file["path"] for file in json.loads(done.out)[0]["files"]}
        listed = t.run("tar", "-tzf", package).out.split()
        check({f"package/{name}" for name in packed} == set(listed), f"{packed} for {listed}")
        os.rename(t.path("unpacked"), t.path(os.path.basename(package) + ".d"))


# --- the others ---


def test_deb_is_made_and_clean(t: Context) -> None:
    lintian = need_tool("lintian")
    release = made(t, lambda release: deb.write(release, TARGET))
    package = only(release, "wperf_*_amd64.deb")
    listed = t.run("dpkg-deb", "-c", package).out
    for name in ("/usr/bin/wperf", "/usr/share/man/man1/wperf-record.1.gz", "/usr/share/doc/wperf/copyright",
                 "/usr/share/zsh/vendor-completions/_wperf", "/usr/share/fish/vendor_completions.d/wperf.fish"):
        check(f".{name}\n" in listed, f"{name} in the package")
    # This build is not the published one, so its linking is not checked.
    packages = [package, only(release, "libwperf1_*_amd64.deb"), only(release, "libwperf-dev_*_amd64.deb")]
    done = t.run(lintian, "--fail-on", "error,warning", "--suppress-tags", "unstripped-binary-or-object,hardening-no-pie",
                 *packages, env=environment(t))
    check(done.status == 0 and not done.out, "lintian has nothing to say", done)


def check_example(t: Context, *arguments: str, folder: str) -> None:
    """Compiles the example with libwperf of a folder."""
    compiled = t.run(need_tool("gcc"), "-o", t.path("hot"), str(PROJECT / "examples/hot.c"), *arguments)
    check(compiled.status == 0, "the example compiles", compiled)
    done = t.run("env", f"LD_LIBRARY_PATH={folder}", t.path("hot"), str(PROJECT / "tests/replay/archived_v1.data"))
    check(done.status == 0 and "cpu-clock: 36 samples" in done.out and "run:spin" in done.out, "and runs", done)


def test_debs_of_the_library(t: Context) -> None:
    release = made(t, lambda release: deb.write(release, TARGET))
    for name in ("libwperf1", "libwperf-dev"):
        check(t.run("dpkg-deb", "-x", only(release, f"{name}_*_amd64.deb"), t.path("root")).status == 0, "unpacks")
    folder = t.path(f"root/usr/lib/{TARGET.name}")
    flags = t.run("env", f"PKG_CONFIG_PATH={folder}/pkgconfig", f"PKG_CONFIG_SYSROOT_DIR={t.path('root')}", need_tool("pkg-config"), "--cflags",
                  "--libs", "wperf")
    check(flags.status == 0, "pkg-config", flags)
    check_example(t, f"-I{t.path('root/usr/include')}", *flags.out.split(), folder=folder)
    depends = t.run("dpkg-deb", "-f", only(release, "libwperf-dev_*_amd64.deb"), "Depends").out
    check(depends == f"libwperf1 (= {release.version})\n", depends)


def test_archive_runs_where_it_is(t: Context) -> None:
    release = made(t, lambda release: archive.write(release, TARGET))
    check(t.run("tar", "-xzf", only(release, "*.tar.gz")).status == 0, "unpacks")
    top = f"wperf-{release.version}-x86_64"
    done = t.run(t.path(f"{top}/wperf"), "record", "--", "true")
    check(done.status == 0 and "quality: " in done.out, "records", done)
    names = {os.path.relpath(path, t.path(top)) for path in glob.glob(t.path(f"{top}/**"), recursive=True)}
    check({"LICENSE", "README", "CHANGELOG.md", "licenses/zlib", "share/man/man1/wperf.1"} <= names, f"{names}")
    check_example(t, "-I" + t.path(f"{top}/include"), t.path(f"{top}/lib/libwperf.so.1"), folder=t.path(f"{top}/lib"))


def test_bill_of_materials(t: Context) -> None:
    release = made(t, lambda release: spdx.write(release, [TARGET]))
    document = json.loads((release.dist / f"wperf-{release.version}.spdx.json").read_text())
    check(document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0", "the version")
    packages = {package["SPDXID"]: package for package in document["packages"]}
    for package in packages.values():
        for key in ("name", "downloadLocation", "licenseConcluded", "licenseDeclared", "versionInfo"):
            check(bool(package.get(key)), f"{key} of {package['name']}")
        check(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package["SPDXID"]) is not None, package["SPDXID"])
    linked = {relation["relatedSpdxElement"] for relation in document["relationships"]
              if relation["relationshipType"] == "STATIC_LINK"}
    check(linked == {"SPDXRef-zlib", "SPDXRef-libzstd"}, f"what is linked in: {linked}")
    for relation in document["relationships"]:
        for end in (relation["spdxElementId"], relation["relatedSpdxElement"]):
            check(end in packages or end == "SPDXRef-DOCUMENT", f"{end} is described")


def test_same_packages_twice(t: Context) -> None:
    writers = (write_wheel, write_npm, lambda release: archive.write(release, TARGET),
               lambda release: deb.write(release, TARGET), lambda release: spdx.write(release, [TARGET]))
    release = made(t, *writers)
    first = {path.name: path.read_bytes() for path in release.dist.iterdir()}
    os.utime(release.program(TARGET), (1, 1))
    for write in writers:
        write(release)
    for path in release.dist.iterdir():
        check(path.read_bytes() == first[path.name], f"{path.name} differs")


# --- glibc ---

OLDEST, HEADERS = (2, 28), (2, 31)
# Until 2.33 these were functions in each program that called older functions.
INLINE_BEFORE = {"stat", "fstat", "lstat", "fstatat", "mknod", "mknodat", "stat64", "fstat64", "lstat64", "fstatat64"}


def versions_of_libraries() -> dict[str, set[tuple[int, ...]]]:
    found: dict[str, set[tuple[int, ...]]] = {}
    for library in ("libc.so.6", "libm.so.6"):
        path = f"/lib/x86_64-linux-gnu/{library}"
        if not os.path.exists(path):
            raise Skip(path)
        listed = subprocess.run(["readelf", "--wide", "--dyn-syms", path], stdout=subprocess.PIPE, text=True, check=True)
        for name, version in re.findall(r" (\w+)@@?GLIBC_([\d.]+)", listed.stdout):
            found.setdefault(name, set()).add(tuple(map(int, version.split("."))))
    return found


def test_needs_no_newer_glibc(t: Context) -> None:
    """All symbols of this machine's glibc that this build uses are also in 2.28; with 2.31's headers that is the
    version."""
    known = versions_of_libraries()
    listed = t.run("readelf", "--wide", "--dyn-syms", t.wperf).out
    for name, text in re.findall(r"UND (\w+)@GLIBC_([\d.]+)", listed):
        version = tuple(map(int, text.split(".")))
        moved = version > HEADERS and (min(known[name]) <= OLDEST or name in INLINE_BEFORE)
        check(version <= OLDEST or moved, f"{name} needs glibc {text}")


def test_newer_programs_are_refused(t: Context) -> None:
    """This build is linked with the start files of this machine's glibc, and with its codecs."""
    done = t.run(str(PROJECT / "packaging/check_binary.py"), t.wperf)
    check(done.status == 1, "it is not fit for other machines", done)
    for words in ("__libc_start_main@GLIBC_2.34", "start code is that of glibc 2.34", "needs libzstd.so.1"):
        check(words in done.err, words, done)


if __name__ == "__main__":
    harness.main(__name__)
