"""A Python wheel: the program goes beside the interpreter's own programs, and `python -m wperf` runs it; `import wperf` reads sessions
through libwperf, which is beside it."""
import base64
import hashlib
import zipfile

from release import DESCRIPTION, PROJECT, SUMMARY, Release, Target

# A placeholder: the name on PyPI is not ours yet.
NAME = "wperf"
METADATA = """Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: {summary}
License: BSD-3-Clause
Keywords: profiler,perf,performance,sampling
Classifier: Environment :: Console
Classifier: License :: OSI Approved :: BSD License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C
Classifier: Programming Language :: Python :: 3
Requires-Python: >=3.7
Description-Content-Type: text/plain

{description}

    python -m wperf record script.py     # with the interpreter that runs it
    wperf record -- python3 app.py       # any program
    wperf report -g

    import wperf                         # a session as tables, for Polars, pandas, pyarrow, DuckDB
    wperf.open("wperf.data").rows()
"""
WHEEL = """Wheel-Version: 1.0
Generator: wperf packaging
Root-Is-Purelib: false
Tag: py3-none-{tag}
"""

# pyperf finds its hooks by this file.
ENTRY_POINTS = """[pyperf.hook]
wperf_record = wperf.pyperf_hook:WperfRecord
"""


def digest(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def record_of(files: dict[str, tuple[bytes, int]], name: str) -> bytes:
    lines = [f"{path},{digest(content)},{len(content)}\n" for path, (content, _) in sorted(files.items())]
    return ("".join(lines) + f"{name},,\n").encode()


def files_of(release: Release, target: Target) -> dict[str, tuple[bytes, int]]:
    """Content and mode by name."""
    info, data = f"{NAME}-{release.version}.dist-info", f"{NAME}-{release.version}.data"
    metadata = METADATA.format(name=NAME, version=release.version, summary=SUMMARY, description=DESCRIPTION)
    files = {f"wperf/{path.name}": (path.read_bytes(), 0o644) for path in sorted((PROJECT / "packaging/python/wperf").glob("*.py"))}
    files["wperf/__init__.py"] = (files["wperf/__init__.py"][0] + f'\n__version__ = "{release.version}"\n'.encode(), 0o644)
    shared = release.library(target)
    if shared:
        files["wperf/libwperf.so"] = (shared.read_bytes(), 0o644)
    files |= {
        f"{info}/entry_points.txt": (ENTRY_POINTS.encode(), 0o644),
        f"{data}/scripts/wperf": (release.program(target).read_bytes(), 0o755),
        f"{info}/METADATA": (metadata.encode(), 0o644),
        f"{info}/WHEEL": (WHEEL.format(tag=target.wheel).encode(), 0o644),
        f"{info}/LICENSE": ((PROJECT / "LICENSE").read_bytes(), 0o644),
    }
    for library in release.libraries(target):
        files[f"{info}/licenses/{library}"] = (release.license_of(target, library).read_bytes(), 0o644)
    for page in sorted((release.tree(target) / "share/man/man1").iterdir()):
        files[f"{data}/data/share/man/man1/{page.name}"] = (page.read_bytes(), 0o644)
    files[f"{info}/RECORD"] = (record_of(files, f"{info}/RECORD"), 0o644)
    return files


def write(release: Release, target: Target) -> None:
    path = release.dist / f"{NAME}-{release.version}-py3-none-{target.wheel}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, (content, mode) in files_of(release, target).items():
            info = zipfile.ZipInfo(name, release.time.timetuple()[:6])
            info.create_system, info.external_attr = 3, (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(info, content, compresslevel=9)
