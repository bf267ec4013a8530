#!/usr/bin/python3
"""Runs a command with the default limits of a container engine.

usage: container.py [OPTION...] ROOT COMMAND...   as root, on a machine without these limits

ROOT is a folder with a system, as tools/fresh_machine.sh makes it, or / for a copy of the running system that is
thrown away (overlay).  The command runs as root without CAP_SYS_ADMIN, CAP_SYS_PTRACE and similar capabilities; with a
seccomp filter that refuses what the engine's default profile refuses (tools/container_calls.json), and new namespaces;
with a /dev without pseudo-terminals; with read-only /sys and /proc/sys, and without /proc/kcore and similar files; with
its own process namespace; and with a root that is not a mount point, unless it is a copy.

    --engine docker|podman|none    whose calls are refused; default docker
    --cap NAME,...                 also keep these capabilities: sys_ptrace, perfmon, sys_admin
    --bind FOLDER                  the same folder outside and inside, writable
    --rootless                     in a user namespace whose root is nobody outside
    --read-only                    the root can't be written
    --hide FOLDER                  an empty folder in place of this one, such as /proc

Examples:

    tools/fresh_machine.sh /var/tmp/fresh ./check quick
    tools/container.py /var/tmp/fresh sh -c 'cd /project && ./check'
    tools/container.py --engine podman --bind $PWD / build/release/src/program/cli/wperf record -- ls
"""
import argparse
import ctypes
import errno
import json
import os
import platform
import re
import struct
import sys
import tempfile

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUSER = 0x20000, 0x20000000, 0x10000000
CLONE_NEW_ANY = 0x7E020000
MS_RDONLY, MS_NOSUID, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 32, 4096, 16384, 1 << 18
PR_CAPBSET_DROP, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 24, 22, 38
LAST_CAPABILITY = 40
# chown, dac_override, fowner, fsetid, kill, setgid, setuid, setpcap, net_bind_service, net_raw, sys_chroot, mknod,
# audit_write, setfcap
KEPT_CAPABILITIES = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)
READ_ONLY_IN_PROC = ("bus", "fs", "irq", "sys", "sysrq-trigger")
HIDDEN_IN_PROC = ("acpi", "asound", "kcore", "keys", "latency_stats", "sched_debug", "scsi", "timer_list")
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CALLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "container_calls.json")
HEADERS = {"x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "/usr/include/asm-generic/unistd.h"}
MORE_CAPABILITIES = {"sys_ptrace": (19, ("kcmp", "pidfd_getfd", "process_madvise", "process_vm_readv", "process_vm_writev", "ptrace")),
                     "sys_admin": (21, ("bpf", "perf_event_open", "mount", "umount2", "unshare", "setns")),
                     "perfmon": (38, ("perf_event_open",))}
NOBODY = 65534
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
MNT_DETACH = 2


def call(name: str, *args: object) -> None:
    """Calls a function of libc that returns -1 on failure."""
    if getattr(LIBC, name)(*args) < 0:
        number = ctypes.get_errno()
        sys.exit(f"container.py: {name}{args}: {os.strerror(number)}")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    call("mount", source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode())


def bind(source: str, target: str, flags: int = 0) -> None:
    mount(source, target, "none", MS_BIND | flags)


def make_devices(folder: str) -> None:
    mount("tmpfs", folder, "tmpfs", MS_NOSUID, "mode=755")
    for name in DEVICES:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="ascii"):
            pass
        bind(f"/dev/{name}", path)
    for name, target in (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        os.symlink(target, os.path.join(folder, name))
    os.mkdir(os.path.join(folder, "shm"))
    mount("tmpfs", os.path.join(folder, "shm"), "tmpfs", MS_NOSUID, "mode=1777")


def protect_proc(folder: str) -> None:
    for name in READ_ONLY_IN_PROC:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            bind(path, path, MS_REC)
            bind("none", path, MS_REMOUNT | MS_RDONLY)
    for name in HIDDEN_IN_PROC:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            bind("/dev/null", path)
        elif os.path.isdir(path):
            mount("tmpfs", path, "tmpfs", MS_RDONLY)


def copy_of_system(bound: list[str]) -> str:
    """What is written to it is in memory."""
    folder = tempfile.mkdtemp(prefix="container-")
    mount("tmpfs", folder, "tmpfs", MS_NOSUID)
    for name in ("upper", "work", "root"):
        os.mkdir(os.path.join(folder, name))
    root = os.path.join(folder, "root")
    mount("overlay", root, "overlay", 0, f"lowerdir=/,upperdir={folder}/upper,workdir={folder}/work")
    for path in bound:
        os.makedirs(root + path, exist_ok=True)
        bind(path, root + path, MS_REC)
    return root


def enter(arguments: argparse.Namespace) -> None:
    root = os.path.abspath(arguments.root)
    if root == "/":
        root = copy_of_system(arguments.bind)
    for name in ("proc", "sys", "dev"):
        os.makedirs(os.path.join(root, name), exist_ok=True)
    make_devices(os.path.join(root, "dev"))
    mount("proc", os.path.join(root, "proc"), "proc", 0)
    protect_proc(os.path.join(root, "proc"))
    bind("/sys", os.path.join(root, "sys"), MS_REC)
    bind("none", os.path.join(root, "sys"), MS_REMOUNT | MS_RDONLY)
    for path in arguments.hide:
        mount("tmpfs", root + path, "tmpfs", MS_RDONLY)
    if arguments.read_only:
        bind(root, root, MS_REC)
        bind("none", root, MS_REMOUNT | MS_RDONLY)
    folder = os.getcwd()
    if arguments.root == "/":
        os.chdir(root)
        call("syscall", PIVOT_ROOT[platform.machine()], b".", b".")
        call("umount2", b".", MNT_DETACH)
    else:
        os.chroot(root)
    os.chdir(folder if os.path.isdir(folder) and arguments.root == "/" else "/")


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value & 0xFFFFFFFF)


def numbers_of_calls(machine: str) -> dict[str, int]:
    with open(HEADERS[machine], encoding="ascii") as header:
        found = re.findall(r"^#define __NR3?(?:264)?_(\w+)\s+(\d+)$", header.read(), re.M)
    return {name: int(number) for name, number in found}


def refused_calls(arguments: argparse.Namespace) -> dict[str, int]:
    """Names, and the error of each."""
    with open(CALLS, encoding="ascii") as file:
        engines = json.load(file)
    refused = {name: getattr(errno, error) for error, names in engines.get(arguments.engine, {}).items() for name in names}
    for capability in arguments.cap:
        for name in MORE_CAPABILITIES[capability][1]:
            refused.pop(name, None)
    return refused


def make_filter(machine: str, refused: dict[str, int]) -> bytes:
    """Classic BPF over struct seccomp_data: number at 0, architecture at 4, first argument at 16."""
    load, equal, bits, give = 0x20, 0x15, 0x45, 0x06
    numbers = numbers_of_calls(machine)
    allow, refuse = instruction(give, 0x7FFF0000), instruction(give, 0x50000 | errno.EPERM)
    program = [instruction(load, 4), instruction(equal, AUDIT_ARCH[machine], 1), allow, instruction(load, 0)]
    for name, error in refused.items():
        if name in numbers:
            program += [instruction(equal, numbers[name], 0, 1), instruction(give, 0x50000 | error)]
    program += [instruction(equal, numbers["clone"], 0, 3), instruction(load, 16), instruction(bits, CLONE_NEW_ANY, 0, 1),
                refuse, allow]
    return b"".join(program)


def drop_rights(arguments: argparse.Namespace, code: bytes) -> None:
    kept = {*KEPT_CAPABILITIES, *(MORE_CAPABILITIES[name][0] for name in arguments.cap)}
    for capability in range(LAST_CAPABILITY + 1):
        if capability not in kept:
            call("prctl", PR_CAPBSET_DROP, capability, 0, 0, 0)
    if not code:
        return
    held = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(held)))
    # Without no_new_privs, which would disable setuid programs: root may set a filter without it.
    call("prctl", PR_SET_SECCOMP, 2, program, 0, 0)


def become_rootless() -> None:
    """Its root is nobody outside."""
    ready, done = os.pipe(), os.pipe()
    child = os.fork()
    if not child:
        os.read(ready[0], 1)
        for name in ("uid_map", "gid_map"):
            with open(f"/proc/{os.getppid()}/{name}", "w", encoding="ascii") as file:
                file.write(f"0 {NOBODY} 1\n")
        os.write(done[1], b"x")
        os._exit(0)
    call("unshare", CLONE_NEWUSER)
    os.write(ready[1], b"x")
    os.read(done[0], 1)
    os.waitpid(child, 0)
    os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)


def first_process(arguments: argparse.Namespace, code: bytes) -> int:
    """Runs as process 1: starts the command in the container and reaps orphans."""
    child = os.fork()
    if not child:
        drop_rights(arguments, code)
        os.execvp(arguments.command[0], arguments.command)
    while True:
        pid, status = os.wait()
        if pid == child:
            return os.waitstatus_to_exitcode(status)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2].partition("\n")[0])
    parser.add_argument("--engine", choices=("docker", "podman", "none"), default="docker")
    parser.add_argument("--cap", type=lambda text: text.split(","), default=[])
    parser.add_argument("--bind", action="append", default=[])
    parser.add_argument("--hide", action="append", default=[])
    parser.add_argument("--rootless", action="store_true")
    parser.add_argument("--read-only", action="store_true")
    parser.add_argument("root")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    if not arguments.command:
        sys.exit(__doc__)
    if os.geteuid():
        sys.exit("container.py: only root can make a container this way")
    environment = {"HOME": "/root", "TERM": "dumb", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    for name in ("JOBS", "WPERF_CORPUS", "ASAN_OPTIONS"):
        if name in os.environ:
            environment[name] = os.environ[name]
    # While its files can be read: ROOT need not have them.
    code = b"" if arguments.engine == "none" else make_filter(platform.machine(), refused_calls(arguments))
    call("unshare", CLONE_NEWNS | CLONE_NEWPID)
    mount("none", "/", "none", MS_REC | MS_PRIVATE)
    child = os.fork()
    if not child:
        enter(arguments)
        if arguments.rootless:
            become_rootless()
        os.environ.clear()
        os.environ.update(environment)
        os._exit(first_process(arguments, code) & 0xFF)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
