#!/usr/bin/python3
"""Messages if wperf may not measure: ordinary users, sandboxes, limits.  One sentence that says what to do, without an
errno."""
import contextlib
import glob
import os
import re
import subprocess
from typing import Iterator

import harness
from harness import Context, Done, Skip, check
from own_samples import check_work

PARANOID = "/proc/sys/kernel/perf_event_paranoid"
KPTR = "/proc/sys/kernel/kptr_restrict"
MLOCK = "/proc/sys/kernel/perf_event_mlock_kb"
NOBODY = "65534"


@contextlib.contextmanager
def sysctl(path: str, value: int) -> Iterator[None]:
    """Sets a kernel setting and always restores the old value."""
    with open(path, encoding="ascii") as file:
        before = file.read().strip()
    write(path, str(value))
    try:
        yield
    finally:
        write(path, before)


def write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
    except OSError as error:
        raise Skip(f"the right to set {path}: {error.strerror}") from None


def as_plain_user(t: Context, *argv: str, **options) -> Done:
    """Other users may not be able to enter the build folder, so programs are copied to a public folder."""
    return t.run(*plain_user(t), *(reachable(t, word) for word in argv), **options)


def plain_user(t: Context) -> list[str]:
    harness.need_root()
    harness.need_tool("setpriv")
    os.chmod(t.folder, 0o777)
    return ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "--bounding-set=-all",
            "--inh-caps=-all"]


def reachable(t: Context, word: str) -> str:
    if not (os.path.isabs(word) and os.path.isfile(word) and (word == t.wperf or word.startswith(t.programs))):
        return word
    copy = t.path("bin-" + os.path.basename(word))
    if not os.path.exists(copy):
        with open(word, "rb") as source, open(copy, "wb") as target:
            target.write(source.read())
        os.chmod(copy, 0o755)
    return copy


def check_refused(done: Done, status: int, *words: str) -> None:
    check(done.status == status, f"status {status}", done)
    check("quality:" not in done.out, "no table", done)
    harness.check_sentence(done, *words)
    harness.note(done.err.strip())


def check_measured(done: Done, symbol: str = "spin_here") -> None:
    check(done.status == 0 and done.err == "", "it measures", done)
    check(harness.row_named(done, symbol).share > 50, symbol, done)


# --- plain users ---


def test_plain_user_at_level_2(t: Context) -> None:
    with sysctl(PARANOID, 2):
        check_measured(as_plain_user(t, t.wperf, "record", "--", t.program("spin"), "200"))
        done = as_plain_user(t, t.wperf, "record", "-k", "--", t.program("spin"), "100")
        check_refused(done, 125, "-k", "perf_event_paranoid is 2", "leave -k out", "root",
                      "sysctl kernel.perf_event_paranoid=1")
        done = as_plain_user(t, t.wperf, "sample", "-a", "--timeout", "1")
        check_refused(done, 1, "all processes", "perf_event_paranoid is 2", "root",
                      "sysctl kernel.perf_event_paranoid=0")
        done = as_plain_user(t, t.wperf, "record", "-e", "cpu-clock:k", "--", t.program("spin"), "100")
        check_refused(done, 125, "kernel", "root")


def test_plain_user_at_level_3(t: Context) -> None:
    """Debian's own kernels have level 3; other kernels treat it as 2."""
    with sysctl(PARANOID, 3):
        done = as_plain_user(t, t.wperf, "record", "--", t.program("spin"), "100")
        if "engine pace" not in done.out:
            check_measured(done)
            harness.note("this kernel takes level 3 for level 2")
        else:
            check_paced(done, "perf_event_paranoid is 3", "root", "sysctl kernel.perf_event_paranoid=2")
        done = as_plain_user(t, t.wperf, "record", "-a", "--", "true")
        check_refused(done, 125, "perf_event_paranoid is 3", "root")


def test_plain_user_where_more_is_allowed(t: Context) -> None:
    with sysctl(PARANOID, 1):
        check_measured(as_plain_user(t, t.wperf, "record", "-k", "--", t.program("spin"), "200"))
    with sysctl(PARANOID, -1):
        t.started_ready(t.program("spin"), "60000")
        done = as_plain_user(t, t.wperf, "sample", "-a", "--timeout", "500ms")
        check(done.status == 0, "it samples everything", done)


def test_names_of_the_kernel_that_are_hidden(t: Context) -> None:
    """Samples in the kernel belong to it, and the reason is told; names come when they may be read."""
    harness.need_root()
    with sysctl(KPTR, 2):
        done = t.run(t.wperf, "record", "-k", "--", "dd", "if=/dev/zero", "of=/dev/null", "bs=1k", "count=300000")
        check(done.status == 0, "recorded", done)
        hidden = t.run(t.wperf, "report", "-v", "--no-index")
    check(re.search(r" \d+ .*unknown:\[kernel\.kallsyms\]$", hidden.out, re.M) is not None, "a row of the kernel", hidden)
    check("note: [kernel.kallsyms]: the kernel hides its addresses (sysctl kernel.kptr_restrict and kernel.perf_event_paranoid)" in hidden.out, "why", hidden)
    check(re.search(r" \w+:\[kernel\.kallsyms\]$", t.run(t.wperf, "report").out.replace("unknown:", ""), re.M) is not None, "later they have names")


def test_plain_user_and_a_foreign_process(t: Context) -> None:
    target = t.started_ready(t.program("spin"), "60000")
    with sysctl(PARANOID, 2):
        done = as_plain_user(t, t.wperf, "sample", "-F", "999", "-p", str(target.pid), "--timeout", "1")
        check_refused(done, 1, f"process {target.pid} belongs to another user", "root")
        done = as_plain_user(t, t.wperf, "sample", "--pe_file", "no-such-image", "--timeout", "1")
        check_refused(done, 1, "no running process has the image 'no-such-image'", "root")


def test_root_without_capabilities(t: Context) -> None:
    """Root of a container in which perf_event_open is allowed: advice to run as root would not help."""
    harness.need_root()
    harness.need_events()
    target = t.start(*plain_user(t), reachable(t, t.program("spin")), "60000")
    check(target.stdout.readline() == b"ready\n", "it runs")
    root = (harness.need_tool("setpriv"), "--bounding-set=-all", "--inh-caps=-all")
    with sysctl(PARANOID, 2):
        for argv in (("sample", "-a", "--timeout", "1"), ("record", "-k", "--", "true"),
                     ("sample", "-p", str(target.pid), "--timeout", "1")):
            done = t.run(*root, t.wperf, *argv)
            check_refused(done, 125 if argv[-1] == "true" else 1, "give root CAP_PERFMON (docker run --cap-add PERFMON)")
            check("as root" not in done.err, "it is root", done)


def test_plain_user_and_an_own_process(t: Context) -> None:
    target = t.start(*plain_user(t), reachable(t, t.program("spin")), "60000")
    check(target.stdout.readline() == b"ready\n", "it runs")
    with sysctl(PARANOID, 2):
        check_measured(as_plain_user(t, t.wperf, "sample", "-F", "999", "-p", str(target.pid), "--timeout", "2"))


def test_a_process_in_another_user_namespace(t: Context) -> None:
    """Its user is the same, but root made the namespace, as for a container."""
    become = [harness.need_tool("setpriv"), "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]
    harness.need_root()
    os.chmod(t.folder, 0o777)
    spin = reachable(t, t.program("spin"))
    target = t.start("unshare", "-U", "sh", "-c", 'echo; read go; exec "$@"', "sh", *become, spin, "60000", stdin=subprocess.PIPE)
    if not target.stdout.readline():
        raise Skip("user namespaces")
    for ids in ("uid_map", "gid_map"):
        write(f"/proc/{target.pid}/{ids}", f"0 0 1\n{NOBODY} {NOBODY} 1\n")
    target.stdin.write(b"\n")
    target.stdin.flush()
    check(target.stdout.readline() == b"ready\n", "it runs")
    with sysctl(PARANOID, 2):
        done = as_plain_user(t, t.wperf, "record", "-p", str(target.pid), "-d", "1")
        check_refused(done, 1, f"process {target.pid} runs in another user namespace, as in a container", "root")
    done = t.ours("record", "-p", str(target.pid), "-d", "200ms")
    check(done.status == 0, "root may", done)


def test_user_namespace(t: Context) -> None:
    harness.need_tool("unshare")
    if t.run("unshare", "-U", "-r", "true").status:
        raise Skip("user namespaces")
    check_measured(t.run("unshare", "-U", "-r", t.wperf, "record", "--", t.program("spin"), "200"))
    os.remove(t.path("wperf.data"))
    with sysctl(PARANOID, 2):
        done = as_plain_user(t, "unshare", "-U", "-r", t.wperf, "record", "--", t.program("spin"), "200")
        check_measured(done)
        done = as_plain_user(t, "unshare", "-U", "-r", t.wperf, "sample", "-a", "--timeout", "1")
        check_refused(done, 1, "perf_event_paranoid", "run wperf as root outside of this user namespace")
        check("lockdown" not in done.err, "root of a user namespace is no reason to suspect lockdown", done)


# --- sandboxes ---


def test_seccomp_as_containers_have_it(t: Context) -> None:
    """CPU time is sampled without events (test_pace.py), and the heading says what would allow them."""
    words = ("seccomp", "docker run --cap-add PERFMON", "outside")
    check_refused(t.run(t.program("deny"), "EPERM", t.wperf, "sample", "-a", "--timeout", "1"), 1, *words)
    for run in t.run, lambda *argv: as_plain_user(t, *argv):
        check_paced(run(t.program("deny"), "EPERM", t.wperf, "record", "--", t.program("spin"), "300"), *words)
        os.remove(t.path("wperf.data"))


def check_paced(done: Done, *words: str) -> None:
    check_measured(done)
    check("engine pace" in done.out and all(word in done.out for word in words), f"the heading says {words}", done)


def test_seccomp_that_hides_the_call(t: Context) -> None:
    done = t.run(t.program("deny"), "ENOSYS", t.wperf, "record", "--", t.program("spin"), "300")
    check_paced(done, "no perf events", "sandbox", "CONFIG_PERF_EVENTS")


# --- limits ---


def limited(t: Context, limits: str, *argv: str) -> Done:
    return t.run("prlimit", *limits.split(), *argv)


def test_few_descriptors(t: Context) -> None:
    harness.need_tool("prlimit")
    for n in (64, 40, 30, 24, 20, 16, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4):
        done = limited(t, f"--nofile={n}:{n}", t.wperf, "record", "--", t.program("spin"), "50")
        if done.status == 0:
            check_work(done, "spin_here", "spin", 50)
            continue
        check(done.status == 125, f"status 125 with {n} descriptors", done)
        harness.check_sentence(done, "open files")
        check("ulimit -n" in done.err, f"the way out with {n} descriptors", done)
    harness.note(done.err.strip())


def test_few_descriptors_for_many_threads(t: Context) -> None:
    harness.need_tool("prlimit")
    script = ("import threading,time\n"
              "for i in range(40): threading.Thread(target=time.sleep,args=(60,),daemon=True).start()\n"
              "print('ready',flush=True)\ntime.sleep(60)")
    target = t.start("/usr/bin/python3", "-c", script)
    check(target.stdout.readline() == b"ready\n", "threads run")
    done = limited(t, "--nofile=70:70", t.wperf, "sample", "--no-all-children", "-p", str(target.pid), "--timeout", "1")
    found = re.search(r"note: .*; (\d+) of 41 threads are not sampled, because each needs \d+ descriptors; raise the limit with 'ulimit -n", done.out)
    check(done.status == 0 and found is not None and 30 < int(found[1]) < 41, "some threads are sampled", done)
    done = limited(t, "--nofile=36:36", t.wperf, "sample", "--no-all-children", "-p", str(target.pid), "--timeout", "1")
    check_refused(done, 1, "too many open files", "ulimit -n", "-c")


def test_no_memory_to_lock(t: Context) -> None:
    harness.need_tool("prlimit")
    with sysctl(PARANOID, 2), sysctl(MLOCK, 0):
        done = as_plain_user(t, "prlimit", "--memlock=0:0", t.wperf, "record", "--", t.program("spin"), "100")
        check_refused(done, 125, "ulimit -l", "perf_event_mlock_kb")
    with sysctl(PARANOID, 2), sysctl(MLOCK, 68):
        done = as_plain_user(t, "prlimit", "--memlock=0:0", t.wperf, "record", "--", t.program("spin"), "300")
        check_measured(done)
        check(harness.quality_of(done)["lost"] == 0, "a small buffer is enough at this rate", done)
        check("no call stacks: only" in done.out, "copies of stacks would not fit", done)
        asked = as_plain_user(t, "prlimit", "--memlock=0:0", t.wperf, "record", "-g", "--", t.program("spin"), "300")
        check_measured(asked)
        check("no call stacks" not in asked.out, "who asks for stacks gets them", asked)


@harness.plain_build_only
def test_little_memory(t: Context) -> None:
    harness.need_tool("prlimit")
    if limited(t, "--as=60000000", t.wperf, "--version").status:
        raise Skip("a wperf without sanitizers, which need more")
    done = limited(t, "--as=60000000", t.wperf, "record", "--", t.program("spin"), "100")
    check(done.status in (0, 125), "a table or a sentence", done)


def test_a_folder_without_the_right_to_write(t: Context) -> None:
    closed = t.path("closed")
    os.mkdir(closed, 0o755)
    done = as_plain_user(t, t.wperf, "record", "--", "true", cwd=closed)
    check_refused(done, 125, "wperf.data")


# Its second argument lists the folders that are empty below the new root, separated by colons.
HIDE = """
set -e
mount --rbind / "$1"
mount --make-rprivate "$1"
for hidden in $(echo "$2" | tr : ' '); do
    mountpoint -q "$1$hidden" && umount -R -l "$1$hidden" || mount -t tmpfs none "$1$hidden"
done
"""


def without(t: Context, hidden: str, *argv: str) -> Done:
    """Runs in a root in which these folders are empty, as in some containers."""
    root = t.path("root")
    os.makedirs(root, exist_ok=True)
    if t.run("unshare", "-m", "sh", "-c", HIDE, "sh", root, hidden).status:
        raise Skip("unshare and mount")
    return t.run("unshare", "-m", "sh", "-c", HIDE + 'root=$1 folder=$3\nshift 3\nexec chroot "$root" sh -c \'cd "$0"; exec "$@"\' '
                 '"$folder" "$@"', "sh", root, hidden, t.folder, *argv)


NO_SYS = "hardware counters are not looked for, because /sys is not mounted here"


def test_a_container_without_sys(t: Context) -> None:
    harness.need_mounts()
    for hidden in ("/sys", "/sys:/proc/sys"):
        done = without(t, hidden, t.wperf, "record", "--", t.program("spin"), "200")
        check_measured(done)
        check(NO_SYS in done.out, "what is missing", done)
        done = without(t, hidden, t.wperf, "stat", "--", t.program("spin"), "20")
        check(done.status == 0 and NO_SYS in done.out + done.err, "the same of counts", done)
        if os.path.exists("/usr/bin/python3.11"):
            done = without(t, hidden, t.wperf, "record", "-g", "--", "/usr/bin/python3.11", "-c", "sum(range(9000000))")
            check(done.status == 0 and "<module> [<string>:1]" in done.out, "Python stacks", done)


def test_a_setting_that_can_not_be_read(t: Context) -> None:
    harness.need_mounts()
    with sysctl(PARANOID, 2):
        done = without(t, "/proc/sys", *plain_user(t), reachable(t, t.wperf), "record", "-a", "--timeout", "1")
    check_refused(done, 1, "needs privilege while perf_event_paranoid is not known (/proc/sys is not mounted here)")


def test_a_container_without_proc(t: Context) -> None:
    harness.need_mounts()
    done = without(t, "/proc", t.wperf, "record", "--", t.program("spin"), "200")
    # Sanitizers need /proc, too: they print a message, and the leak check ends the program with its own status.
    said = [line for line in done.err.splitlines() if not line.startswith("==")]
    check(done.status == (1 if "LeakSanitizer" in done.err else 125) and said == ["wperf: /proc is not mounted here, without which samples have no names: mount -t proc proc /proc"],
          "one sentence", done)


def test_processes_that_are_hidden(t: Context) -> None:
    """Mounted with hidepid, /proc shows only one's own processes."""
    harness.need_mounts()
    target = t.started_ready(t.program("spin"), "60000")
    hide = 'mount -t proc -o hidepid=2 proc /proc && exec "$@"'
    wperf = reachable(t, t.wperf)
    for options, words in ((("-p", str(target.pid)), f"process {target.pid} is hidden from you"),
                           (("--comm", "spin"), "no running process is called 'spin'"),
                           (("--image_name", "spin"), "no running process has the image 'spin'")):
        done = t.run("unshare", "-m", "sh", "-c", hide, "sh", *plain_user(t), wperf, "record", *options, "-d", "1")
        if "mount:" in done.err:
            raise Skip("the right to mount /proc")
        check_refused(done, 1, words, "hidepid", "run wperf as root")


def test_hardware_test_without_spe(t: Context) -> None:
    """Says why there is none, and records nothing."""
    if glob.glob("/sys/bus/event_source/devices/arm_spe_*"):
        raise Skip("a machine without Arm SPE")
    done = t.ours("test", "--hardware", "--json")
    check(done.status == 1 and done.out == "" and os.listdir(t.folder) == [], "status 1, no document, no file", done)
    harness.check_sentence(done, "this machine has no Arm SPE to test: ")
    done = t.ours("test", "--hardware", "--cpu-model", "neoverse-n1")
    check(done.status == 2, "wrong usage", done)
    harness.check_sentence(done, "--hardware measures this machine: leave out --cpu-model and --sysfs")


def test_the_kernels_share_without_rights(t: Context) -> None:
    """The kernel tells user from kernel time by its clock ticks, so not for processes that live shorter than a tick. Its time is
    said where it is known, with advice that this user can follow."""
    with sysctl(PARANOID, 2):
        done = as_plain_user(t, t.wperf, "record", "--session", "long.data", "--", "dd", "if=/dev/zero", "of=/dev/null", "bs=64k", "count=40000")
        check("of the CPU time was in the kernel; to sample it, -k needs root or CAP_PERFMON" in done.out, "the kernel's share", done)
        check("add -k" not in done.out, "no advice that is refused", done)
        share = harness.document_of(t.good("report", "--force", "-i", "long.data", "--json"))["quality"]["kernel_share"]
        check(0.5 < share <= 1, f"most of it: {share}")
        check(as_plain_user(t, t.wperf, "record", "-k", "--session", "k.data", "--", "true").status != 0, "-k is refused")
        done = as_plain_user(t, t.wperf, "record", "--session", "short.data", "--", "sh", "-c", "for i in $(seq 300); do /bin/true; done")
        check("in the kernel" not in done.out, "nothing is said of what is not known", done)
        check("kernel_share" not in harness.document_of(t.good("report", "--force", "-i", "short.data", "--json"))["quality"], "nor in JSON")
    done = t.good("record", "-e", "cpu-clock:u", "--session", "all.data", "--", "sh", "-c", "for i in $(seq 300); do /bin/true; done")
    check("in the kernel; add -k" in done.out, "with the rights the timers of the CPUs tell it", done)


def test_a_rate_above_the_limit(t: Context) -> None:
    harness.need_events()
    with open("/proc/sys/kernel/perf_event_max_sample_rate", encoding="ascii") as file:
        limit = int(file.read())
    if limit >= 1_000_000:
        raise Skip("a limit below that of -F")
    done = t.ours("record", "-F", str(limit + 1), "--", "true")
    harness.check_sentence(done, f"{limit} samples a second at most", f"write -F {limit}",
                           f"sudo sysctl kernel.perf_event_max_sample_rate={limit + 1}")


def test_the_highest_rate(t: Context) -> None:
    harness.need_events()
    with open("/proc/sys/kernel/perf_event_max_sample_rate", encoding="ascii") as file:
        limit = int(file.read())
    for options, wanted in (("--no-stacks",), limit), ((), min(limit, 20000)):  # stacks must be copied in time
        done = t.good("record", "-F", "max", *options, "--dry-run", "--", "true")
        check(re.search(rf"\b{wanted}\b", done.out), f"-F max {options} is {wanted}", done)


def test_more_samples_than_stacks(t: Context) -> None:
    """Stacks that nobody asked for are left out where they would take the program's time."""
    harness.need_events()
    note = "no call stacks above 20000 samples a second"
    for options, wanted in (("-F", "25000"), True), (("-F", "25000", "-g"), False), (("-F", "20000"), False), (("-F", "25000", "--no-stacks"), False):
        done = t.ours("record", *options, "--", "true")
        check(done.status == 0 and (note in done.out) == wanted, f"{options}: {note} is {wanted}", done)


def test_a_delay_longer_than_the_run(t: Context) -> None:
    harness.need_events()
    done = t.good("record", "-D", "60000", "--", "true")
    check(re.search(r"no samples: the run of [\d.]+ s ended before the events were switched on: shorten -D", done.out), "why", done)


if __name__ == "__main__":
    harness.main(__name__)
