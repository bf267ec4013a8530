#!/usr/bin/python3
"""Unwinds at every instruction of ARM64 functions compiled here, or, with --corpus, of other people's images.

arm64_paths.py PROGRAM, where PROGRAM is arm64_paths, which executes them.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CLANG, LINK = "clang-14", "lld-link-14"
WAYS = {
    "O0": ["-O0"],
    "O1": ["-O1"],
    "O2": ["-O2"],
    "Os": ["-Os"],
    "frame pointers": ["-O2", "-fno-omit-frame-pointer"],
}
CORPUS = [
    "pdb/rizin-testbins/pe/microsoft_seh_tests/ARM64/nested_collided.exe",
    "pdb/rizin-testbins/pe/microsoft_seh_tests/ARM64/xcpt4.exe",
    "pdb/lld-large/big-arm64.exe.zst",
]
# In two functions of big-arm64.exe the compiler merged two loads into one, but the unwind codes still describe two instructions.
MAY_BE_WRONG = {"big-arm64.exe": 2}


def build(folder: str, name: str, options: list[str]) -> str:
    objects = []
    for source, more in (("arm64_shapes.c", options), ("arm64_rest.c", ["-O2"])):
        objects.append(os.path.join(folder, f"{name}-{source}.obj".replace(" ", "-")))
        subprocess.run([CLANG, "--target=aarch64-pc-windows-msvc", "-ffreestanding", "-fno-builtin",
                        "-fasynchronous-unwind-tables", *more, "-c", os.path.join(HERE, source), "-o", objects[-1]],
                       check=True)
    program = os.path.join(folder, name.replace(" ", "-") + ".exe")
    subprocess.run([LINK, "/machine:arm64", "/subsystem:console", "/entry:begin", "/nodefaultlib", *objects,
                    f"/out:{program}"], check=True)
    return program


def unpack(folder: str, path: str) -> str:
    if not path.endswith(".zst"):
        return path
    program = os.path.join(folder, os.path.basename(path)[:-4])
    subprocess.run(["zstd", "-dqf", path, "-o", program], check=True)
    return program


def run(number: int, name: str, executor: str, program: str, least: int) -> bool:
    done = subprocess.run([executor, program], capture_output=True, text=True, check=False)
    counts = re.search(r"# (\d+) functions, (\d+) of \d+ instructions, (\d+) return addresses, (\d+) wrong", done.stdout)
    good = (counts is not None and int(counts[2]) >= least and
            int(counts[4]) <= MAY_BE_WRONG.get(os.path.basename(program), 0))
    for line in done.stdout.splitlines():
        if line.startswith("#"):
            print(line)
    print(f"{'ok' if good else 'not ok'} {number} - {name}", flush=True)
    return good


def main() -> None:
    executor, is_corpus = sys.argv[1], sys.argv[2:] == ["--corpus"]
    corpus = os.environ.get("WPERF_CORPUS", "")
    missing = [tool for tool in (("zstd",) if is_corpus else (CLANG, LINK)) if not shutil.which(tool)]
    if missing or (is_corpus and not corpus):
        print(f"1..0 # SKIP {missing[0] if missing else 'WPERF_CORPUS'}")
        return
    good = True
    with tempfile.TemporaryDirectory(prefix="wperf-test-") as folder:
        print(f"1..{len(CORPUS if is_corpus else WAYS)}")
        if is_corpus:
            for number, name in enumerate(CORPUS, 1):
                good &= run(number, name, executor, unpack(folder, os.path.join(corpus, name)), 500)
        else:
            for number, (name, options) in enumerate(WAYS.items(), 1):
                good &= run(number, name, executor, build(folder, name, options), 300)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
