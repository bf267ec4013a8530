#!/usr/bin/python3
"""Behaviour on which WindowsPerf's users and scripts rely: sentences that they search for, and the order of error
messages."""
import os

import harness
from harness import Context, Done, check


def refused(t: Context, line: str, *words: str, status: int = 2) -> Done:
    done = t.ours(*line.split())
    check(done.status == status, "the status of " + line, done)
    harness.check_sentence(done, *words)
    return done


def test_sentences_that_scripts_search_for(t: Context) -> None:
    refused(t, "stat --nosuch -- true", "unexpected arg '--nosuch'")
    refused(t, "test x", "unexpected arg 'x'")
    refused(t, "nosuch", "unexpected arg 'nosuch'")
    refused(t, "man", "warning: no argument(s) specified, specify an event, metric, or group of metrics to obtain relevant, "
                      "manual style, information")
    refused(t, "man nosuchthing", 'warning: "nosuchthing" not found! Ensure it is compatible with the specified CPU', status=1)
    refused(t, "man nocpu/ld_spec", 'CPU name: "nocpu" not found, use ', status=1)
    refused(t, "stat -c x -- true", "option -c format not supported, use comma separated list of integers, or range of integers")
    refused(t, "stat -e nosuchthing -- true", "unknown event name: nosuchthing")
    refused(t, "stat -C /nowhere -e ld_spec -- true", "open config file '/nowhere' failed: no such file", status=125)


def test_errors_name_what_was_typed(t: Context) -> None:
    refused(t, "stat sleep 01h", "argument 'sleep' is invalid")
    refused(t, "stat -timeout=1m30s", "argument '-timeout' is invalid")
    refused(t, "record -Fx -- true", "option '-F'")
    refused(t, "stat -rx -- true", "option '-r'")
    refused(t, "sample -sample-display-row x", "option '-sample-display-row'")
    refused(t, "sample --cpu 1-x", "-c format")


def test_banner_and_help(t: Context) -> None:
    done = t.ours()
    lines = done.out.splitlines()
    check(lines[0].startswith("wperf ver. ") and lines[0].endswith(" profiling with performance counters."), "the banner", done)
    check(lines[1].startswith("Report bugs to: ") and lines[-1] == "Use --help for help.", "and its other lines", done)
    for argv in (("--help",), ("help", "stat")):
        help_text = t.good(*argv).out
        for title in ("NAME:", "SYNOPSIS:", "OPTIONS:", "EXAMPLES:"):
            check(f"{title}\n" in help_text, f"{argv}: {title}")


def on_terminal(t: Context, *argv: str, **environment: str) -> tuple[int, str]:
    """Status and output of wperf with a terminal as standard output."""
    leader, follower = harness.open_terminal()
    env = {name: value for name, value in harness.environment().items() if name != "PAGER"} | environment
    process = t.start(t.wperf, *argv, stdout=follower, env=env)
    os.close(follower)
    seen = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
        seen += piece
        if not piece:
            break
    os.close(leader)
    return process.wait(), seen.decode().replace("\r\n", "\n")


def test_help_of_a_command_goes_through_the_pager(t: Context) -> None:
    plain = t.good("help", "record").out
    check(t.good("record", "--help").out == plain and t.good("help", "record", env=harness.environment() | {"PAGER": "wc"}).out == plain,
          "the same text, and no pager in a pipe")
    for argv in (("help", "record"), ("record", "--help")):
        check(on_terminal(t, *argv, PAGER="sed s/^/P:/") == (0, "".join(f"P:{line}\n" for line in plain.splitlines())), "paged")
    check(on_terminal(t, "help", "record") == (0, plain), "without PAGER it is printed")
    check(on_terminal(t, "help", "record", PAGER="no-such-pager") == (0, plain), "without that program too")
    check(on_terminal(t, "help", "record", PAGER="head -n1") == (0, "NAME:\n"), "a pager that ends early is no failure")
    check(on_terminal(t, "--help", PAGER="sed s/^/P:/")[1].startswith("NAME:\n"), "the short help needs none")


def test_an_interval_is_looked_at_before_a_process(t: Context) -> None:
    for line in ("sample -e ld_spec:a --image_name no-such-image", "sample -e ld_spec:a -c 0", "record -e cycles:a"):
        refused(t, line, "event interval: a is invalid!")
    refused(t, "sample -e r70:99999999999999999999999 --image_name no-such-image", "is out of range!")


def test_an_image_that_does_not_run_with_a_cpu(t: Context) -> None:
    harness.need_root()
    t.start("taskset", "-c", "0", t.program("spin"), "2000")
    done = t.ours("sample", "-e", "cpu-clock", "--image_name", "no-such-image", "-c", "0", "sleep", "0.3")
    check(done.status == 0 and "top " in done.out, "the CPU is sampled all the same", done)
    check(done.err.startswith("wperf: warning: no running process has the image 'no-such-image'"), "and said", done)
    check(t.ours("sample", "-e", "cpu-clock", "--image_name", "no-such-image", "sleep", "0.1").status == 1, "not without -c")


def test_a_cpu_model_goes_with_every_command(t: Context) -> None:
    commands = [line.split()[1] for line in t.good("--help").out.split("OPTIONS:")[0].splitlines()
                if line.startswith("    wperf ") and line.split()[1][0] not in "-["]
    check(len(commands) > 10, f"{commands}")
    for command in commands:
        done = t.ours("--explain", command, "--cpu-model", "neoverse-n1")
        check(done.status == 0 and "option --cpu-model: neoverse-n1" in done.out, command, done)
    done = t.good("record", "--cpu-model", "neoverse-n1", "-e", "ld_spec:1000", "--dry-run", "--", "true")
    check("config 0x70" in done.out, "the event of that model", done)
    refused(t, "record --cpu-model neoverse-n1 -- true", "add --dry-run")
    refused(t, "record --cpu-model nosuch --dry-run -- true", "CPU name: ")
    refused(t, "record -e arm_spe_0// --cpu-model neoverse-n1 --dry-run -- true", "a CPU model has the counters of a core only; give --sysfs",
            status=1)


def test_a_pdb_file_beside_an_elf_program(t: Context) -> None:
    program, missing = t.program("counted"), t.path("nothing.pdb")
    for argv in (("-pdb_file", missing, "--", program, "spin", "50"), ("-pe_file", program, "-pdb_file", missing, "--", program,
                                                                       "spin", "50")):
        done = t.ours("record", *argv)
        check(done.status == 0 and "quality: " in done.out, "it is recorded", done)
        check(done.err.startswith("wperf: warning: ") and missing in done.err and done.err.count("\n") == 1, "a warning", done)
    image = t.path("x.exe")
    with open(image, "wb") as file:
        file.write(b"MZ" + bytes(200))
    os.chmod(image, 0o755)
    done = t.ours("record", "-pe_file", image, "-pdb_file", missing, "--", "true")
    check(done.status == 125, "beside a PE image it is an error", done)
    harness.check_sentence(done, "PDB file", "doesn't exist")


if __name__ == "__main__":
    harness.main(__name__)
