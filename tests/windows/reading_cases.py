"""What a Linux build of the same source prints for sessions: commands, and their output and status, which a Windows build must have too."""
import os
import pathlib
import subprocess
import sys

COMMANDS = (["report"], ["report", "-g"], ["report", "--json"], ["report", "--sort", "process,symbol"], ["dump"], ["dump", "--json"],
            ["export", "--format", "folded", "-o", "-"], ["export", "--format", "svg", "-o", "-"])


def expected(wperf: str, sessions: list[pathlib.Path]) -> list[dict]:
    """Runs the Linux build in the folder of each session."""
    cases = []
    for session in sessions:
        for command in COMMANDS:
            argv = [command[0], "-i", session.name, *command[1:]]
            done = subprocess.run([os.path.abspath(wperf), *argv], cwd=session.parent, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, env={"LC_ALL": "C", "TZ": "UTC"})
            if done.returncode:
                sys.exit(f"wperf {' '.join(argv)} ended with status {done.returncode}")
            cases.append({"argv": argv, "status": done.returncode, "out": done.stdout.decode(), "err": done.stderr.decode()})
    return cases
