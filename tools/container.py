#!/usr/bin/python3
"""Runs a command with the default limits of container engines.

usage: container.py ROOT COMMAND...   as root, on a machine without these limits

ROOT is a folder with a system, as tools/fresh_machine.sh makes it.  The command runs as root without CAP_SYS_ADMIN,
CAP_SYS_PTRACE and similar capabilities; with a seccomp filter that refuses perf_event_open, bpf, mounts and new
namespaces (errno EPERM; clone3: ENOSYS); with a /dev without pseudo-terminals; with read-only /sys and /proc/sys, and
without /proc/kcore and similar files; with its own process namespace; and with a root that is not a mount point.
Example:

    tools/fresh_machine.sh /var/tmp/fresh ./check quick
    tools/container.py /var/tmp/fresh sh -c 'cd /project && ./check'
"""
import ctypes
import errno
import os
import platform
import struct
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWPID = 0x20000, 0x20000000
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
# perf_event_open, bpf, mount, umount2, pivot_root, unshare, setns, open_tree, move_mount, fsopen, fsconfig, fsmount,
# keyctl, userfaultfd, kexec_load, open_by_handle_at
REFUSED = {
    "x86_64": (298, 321, 165, 166, 155, 272, 308, 428, 429, 430, 431, 432, 250, 323, 246, 304),
    "aarch64": (241, 280, 40, 39, 41, 97, 268, 428, 429, 430, 431, 432, 219, 282, 104, 265),
}
CLONE = {"x86_64": 56, "aarch64": 220}
CLONE3 = 435


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


def enter(root: str) -> None:
    for name in ("proc", "sys", "dev"):
        os.makedirs(os.path.join(root, name), exist_ok=True)
    make_devices(os.path.join(root, "dev"))
    mount("proc", os.path.join(root, "proc"), "proc", 0)
    protect_proc(os.path.join(root, "proc"))
    bind("/sys", os.path.join(root, "sys"), MS_REC)
    bind("none", os.path.join(root, "sys"), MS_REMOUNT | MS_RDONLY)
    os.chroot(root)
    os.chdir("/")


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value & 0xFFFFFFFF)


def make_filter(machine: str) -> bytes:
    """Classic BPF over struct seccomp_data: number at 0, architecture at 4, first argument at 16."""
    load, equal, bits, give = 0x20, 0x15, 0x45, 0x06
    allow, refuse = instruction(give, 0x7FFF0000), instruction(give, 0x50000 | errno.EPERM)
    program = [instruction(load, 4), instruction(equal, AUDIT_ARCH[machine], 1), allow, instruction(load, 0)]
    for number in REFUSED[machine]:
        program += [instruction(equal, number, 0, 1), refuse]
    program += [instruction(equal, CLONE3, 0, 1), instruction(give, 0x50000 | errno.ENOSYS)]
    program += [instruction(equal, CLONE[machine], 0, 3), instruction(load, 16), instruction(bits, CLONE_NEW_ANY, 0, 1),
                refuse, allow]
    return b"".join(program)


def drop_rights() -> None:
    for capability in range(LAST_CAPABILITY + 1):
        if capability not in KEPT_CAPABILITIES:
            call("prctl", PR_CAPBSET_DROP, capability, 0, 0, 0)
    code = make_filter(platform.machine())
    held = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(held)))
    # Without no_new_privs, which would disable setuid programs: root may set a filter without it.
    call("prctl", PR_SET_SECCOMP, 2, program, 0, 0)


def first_process(argv: list[str]) -> int:
    """Runs as process 1: starts the command in the container and reaps orphans."""
    child = os.fork()
    if not child:
        drop_rights()
        os.execvp(argv[0], argv)
    while True:
        pid, status = os.wait()
        if pid == child:
            return os.waitstatus_to_exitcode(status)


def main() -> int:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if os.geteuid():
        sys.exit("container.py: only root can make a container this way")
    environment = {"HOME": "/root", "TERM": "dumb", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    for name in ("JOBS", "WPERF_CORPUS"):
        if name in os.environ:
            environment[name] = os.environ[name]
    call("unshare", CLONE_NEWNS | CLONE_NEWPID)
    mount("none", "/", "none", MS_REC | MS_PRIVATE)
    child = os.fork()
    if not child:
        enter(os.path.abspath(sys.argv[1]))
        os.environ.clear()
        os.environ.update(environment)
        os._exit(first_process(sys.argv[2:]) & 0xFF)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
