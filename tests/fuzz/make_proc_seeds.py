#!/usr/bin/python3
"""Writes seeds of fuzz_proc into a folder.

    make_proc_seeds.py tests/fuzz/corpus/proc
"""
import os
import struct
import sys

(CPU_TIME, MACHINE_CPU_TIME, INNER_PID, KERNEL, PROCESS, MAPS, IMAGE, STATUS, USER, PARENTS, ESTIMATE, RIGHTS, CPUS, MEMORY, MACHINE,
 BOOT_ID, THREAD, SOCKETS, MOUNTS) = range(19)

STAT = (b"4711 (a) b) S 1 4711 4711 34816 4711 4194304 200 30 4 1 50 20 9 3 20 0 1 0 123456 9999 77 18446744073709551615 1 1 0 0 0 0 0 "
        b"4096 16386 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n")
PARENT_IS_US = STAT.replace(b"S 1 ", b"S 77 ")
PARENT_IS_ITSELF = STAT.replace(b"S 1 ", b"S 78 ")
FAR = STAT.replace(b"123456", b"900000000000")
LATE = STAT.replace(b"123456", b"18446744073709551615")
STAT_LARGE = STAT.replace(b"50 20 9 3", b"18446744073709551615 -1 99999999999999999999 3")
MACHINE_STAT = b"cpu  100 2 30 4000 5 6 7 0 0 0\ncpu0 50 1 15 2000 2 3 4 0 0 0\ncpu1 50 1 15 2000 3 3 3 0 0 0\nintr 5 0\nctxt 99\n"
STATUS_TEXT = (b"Name:\ta\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t4711\nNgid:\t0\nPid:\t4712\nPPid:\t1\nUid:\t1000\t1000\t1000\t1001\n"
               b"Gid:\t0\t0\t0\t0\nNSpid:\t4712\t12\t3\nSigPnd:\t0000000000000010\nSigBlk:\t0000000080000010\n"
               b"SigCgt:\t8000000180014a07\nCapEff:\t000001ffffffffff\nSeccomp:\t0\nvoluntary_ctxt_switches:\t150\n"
               b"nonvoluntary_ctxt_switches:\t545\n")
MAPS_TEXT = (b"55d0c0a00000-55d0c0a02000 r--p 00000000 fe:01 1234                       /usr/bin/a b\n"
             b"55d0c0a02000-55d0c0a07000 r-xp 00002000 fe:01 1234                       /usr/bin/a b (deleted)\n"
             b"7f0000000000-7f0000001000 rwxs 00000000 00:00 0 \n"
             b"7ffd1c000000-7ffd1c021000 rw-p 00000000 00:00 0                          [stack]\n"
             b"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n")
KALLSYMS = (b"0000000000000000 A fixed_percpu_data\nffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81e02217 T _etext\n"
            b"ffffffffc0000000 t f\t[module]\n")
MODULES = (b"nf_tables 245760 12 nft_compat,nft_ct, Live 0xffffffffc0a3e000\next4 983040 1 - Live 0xffffffffc0800000 (E)\n"
           b"hidden 1 0 - Live 0x0000000000000000\nshort\n")
CGROUP = b"12:memory:/a/b\n11:cpu,cpuacct:/c\n0::/user.slice/x.scope\nodd\n1:name=systemd\n"
CPUINFO = (b"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Intel(R) Xeon(R) 8481C\n"
           b"stepping\t: 8\n\nprocessor\t: 1\n")
UID_MAP = b"         0          0 4294967295\n"
INNER_UID_MAP = b"         0     100000      65536\n"
BOOT = b"8d1f0c5e-6a3b-4c2d-9e8f-0123456789ab\n"

CALL = b"202 0x7f0011 0x80 0x2 0x0 0x0 0xffffffffffffffff 0x7ffd1000 0x7f00aa\n"
TCP = (b"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
       b"   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0\n"
       b"   1: 0100007F:1F90 0100007F:B26E 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 30 10 -1\n"
       b"   2: 0100007F:B26E 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 3 1 0 20 4 30 10 -1\n"
       b"   3: 0100007F:B26E 0100007F:1F90 06 00000000:00000000 03:00000000 00000000     0        0 0 3 0\n")
TCP6 = (b"  sl  local_address remote_address st\n"
        b"   0: 00000000000000000000000001000000:0016 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4 1\n"
        b"   1: 0000000000000000FFFF00000100007F:0017 0000000000000000FFFF00000100007F:0018 01 00000000:00000000 00:00000000 00000000 0 0 5 1\n"
        b"   2: 0100007F:0016 00:0 0A 0:0 0:0 0 0 0 6 1\n")
UDP = b"head\n 7: 00000000:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000   0 0 7 2\n"
UNIX = (b"Num       RefCount Protocol Flags    Type St Inode Path\n"
        b"0000000000000000: 00000002 00000000 00010000 0001 01 8 /run/x.sock\n"
        b"0000000000000000: 00000003 00000000 00000000 0001 03 9 /run/x.sock\n"
        b"0000000000000000: 00000003 00000000 00000000 0001 03 10\n"
        b"0000000000000000: 00000003 00000000 00000000 0001 03 11\n"
        b"0000000000000000: 00000003 00000000 00000000 0001 03 9 /again\n")


def diag(inode: int, *attributes: bytes) -> bytes:
    """A message of sock_diag(7) about a local socket."""
    body = struct.pack("=BBBBIII", 1, 1, 1, 0, inode, 0, 0) + b"".join(attributes)
    return struct.pack("=IHHII", 16 + len(body), 20, 2, 0, 0) + body


def attribute(kind: int, value: int) -> bytes:
    return struct.pack("=HHI", 8, kind, value)


REPLY = diag(9, attribute(1, 5), attribute(2, 10)) + diag(10, attribute(2, 9)) + diag(12) + diag(11, struct.pack("=HH", 3, 2)) + \
    struct.pack("=IHHII", 20, 3, 2, 0, 0) + bytes(4)

SEEDS = {
    "thread": (THREAD, STATUS_TEXT, CALL),
    "thread_running": (THREAD, STATUS_TEXT.replace(b"S (", b"R ("), b"running\n"),
    "thread_fault": (THREAD, STATUS_TEXT.replace(b"S (", b"D ("), b"-1 0x7ffd1000 0x7f00aa\n"),
    "thread_ended": (THREAD, STATUS_TEXT.replace(b"S (", b"Z ("), b"0"),
    "thread_short": (THREAD, b"a", b"7 0x1"),
    "sockets": (SOCKETS, TCP, TCP6, UDP, UDP.replace(b"00000000:", b"0" * 32 + b":"), UNIX, REPLY),
    "sockets_connected": (SOCKETS, b"", b"x", UDP.replace(b"00000000:0000 07", b"0100007F:0035 01"), b"",
                          b"h\n0000000000000000: 00000003 00000000 00000000 0001 03 9 \n"
                          b"0000000000000000: 00000003 00000000 00000000 0001 03 10 \n",
                          diag(9, attribute(2, 10)) + struct.pack("=IHHII", 20, 20, 2, 0, 0) + bytes(4) + diag(10, attribute(2, 9))),
    "sockets_bad_replies": (SOCKETS, TCP, b"", b"", b"", UNIX, diag(9, struct.pack("=HH", 4, 2), struct.pack("=HH", 40, 2)) + diag(10)),
    "mounts": (MOUNTS, b"22 27 0:21 / /proc rw - proc proc rw\n90 27 0:45 /export /mnt/a\\040b rw - nfs4 server:/export rw\n"
               b"91 27 0:46 / /mnt/fuse rw - fuse.sshfs x rw"),
    "mounts_odd": (MOUNTS, b"90 27 0:45 / rw - nfs4 x\n90 27 0:45 / mnt - nfs4\n90 27 0:45 / /\\04 - nfs\n- nfs / - nfs\n1 1 1:1 / / - fuse"),
    "sockets_short": (SOCKETS, TCP[:150], b"x", b"y", b"z", UNIX[:100], REPLY[:40]),
    "stat": (CPU_TIME, STAT),
    "stat_large": (CPU_TIME, STAT_LARGE),
    "stat_short": (CPU_TIME, STAT[:40]),
    "stat_without_name": (CPU_TIME, b"1 a S 1"),
    "stat_missing": (CPU_TIME, b""),
    "machine_stat": (MACHINE_CPU_TIME, MACHINE_STAT),
    "machine_stat_short": (MACHINE_CPU_TIME, b"cpu  1 2 3\n"),
    "inner_pid": (INNER_PID, STATUS_TEXT),
    "inner_pid_last": (INNER_PID, b"a\nNSpid:\t1\t2"),
    "inner_pid_none": (INNER_PID, b"Name:\ta\n"),
    "kernel": (KERNEL, KALLSYMS, MODULES),
    "kernel_hidden": (KERNEL, KALLSYMS.replace(b"ffffffff8", b"000000000").replace(b"1e02217", b"0000000").replace(b"1000000", b"0000000")),
    "kernel_stext": (KERNEL, KALLSYMS.replace(b" _text", b" text"), b""),
    "kernel_without_end": (KERNEL, KALLSYMS.replace(b" _etext", b" etext"), MODULES + b"last 1 0 - Live 0x10"),
    "kernel_long_module": (KERNEL, KALLSYMS, b"m" * 200 + b" 1 0 - Live 0x10\n"),
    "process": (PROCESS, b"name\n", b"a name of some bytes", b"/jail"),
    "process_maps": (PROCESS, b"a\n", b"b\n", b"c\n", b"/jail", MAPS_TEXT + b"1-2 r--p 0 1:2 3 /jail/x.dll\n3-4 rw-p 10 0:0 3 /jailless\n"),
    "process_long_path": (PROCESS, b"a" * 65530, b"b\n", b"c\n", b"/", b"1-2 r-xp 0 1:2 3 /" + b"p" * 12000 + b"\n" + MAPS_TEXT),
    "process_without_name": (PROCESS, b"", b"\n"),
    "maps": (MAPS, MAPS_TEXT),
    "maps_odd": (MAPS, b"1-2\n1-2 \n1-2 rwxp\n1-2 rwxp 0\n1-2 rwxp 0 1\n1-2 rwxp 0 1:2\n1-2 rwxp 0 1:2 a\n1-2 rwxp 0 1:2 3 \n" + MAPS_TEXT[:-7]),
    "maps_long": (MAPS, b"1-2 rwxp 0 1:2 3 " + b"/long" * 5000 + b"\n" + MAPS_TEXT),
    "image_link": (IMAGE, b"/usr/bin/app.exe"),
    "image_deleted": (IMAGE, b"/usr/bin/app.exe (deleted)"),
    "image_comm": (IMAGE, b"/usr/bin/wine", b"app.exe\n", b"/usr/bin/qemu", b"a\n", b"/usr/bin/qemu\0app.exe\0"),
    "image_mapped": (IMAGE, b"/usr/bin/wine", b"app.exe\n", b"1-2 r-xp 0 1:2 3 /a/App.exe\n", b"/usr/bin/wine", b"app.exe\n",
                     b"1-2 r-xp 0 1:2 3 /a/b.exe\n"),
    "image_hidden": (IMAGE, b"", b"cmdline", b"", b""),
    "status": (STATUS, STATUS_TEXT),
    "status_each": (STATUS, STATUS_TEXT, STATUS_TEXT, b"", STATUS_TEXT, STATUS_TEXT, b"128 0x1000 0x0", b"12345 6 7\n", b"name\n", b"name\n",
                    b"other name\n"),
    "status_odd": (STATUS, b"\nTgid:", b"\nSigCgt:zz", b"\nSigCgt:", b"\nCapEff:\tfffffffffffffffff", b"\nState:\t", b"x"),
    "user": (USER, STATUS_TEXT, STAT),
    "user_late": (USER, STATUS_TEXT, LATE),
    "user_far": (USER, STATUS_TEXT, FAR),
    "user_without_stat": (USER, STATUS_TEXT, b""),
    "user_without_id": (USER, b"Name:\ta\nUid:\t1\n", STAT),
    "parents_init": (PARENTS, STAT),
    "parents_command": (PARENTS, PARENT_IS_US),
    "parents_loop": (PARENTS, PARENT_IS_ITSELF),
    "parents_far": (PARENTS, STAT.replace(b"S 1 ", b"S 2147483647 "), PARENT_IS_US),
    "parents_none": (PARENTS, b""),
    "estimate": (ESTIMATE, STAT, b"123456789 1 2\n", STATUS_TEXT, b"1 1 1", STATUS_TEXT),
    "estimate_less": (ESTIMATE, STAT_LARGE, b"1", STATUS_TEXT, b"2", STATUS_TEXT, STAT, b"", b"", b"", b""),
    "rights": (RIGHTS, UID_MAP, STATUS_TEXT),
    "rights_inside": (RIGHTS, STATUS_TEXT, INNER_UID_MAP, b"2\n"),
    "rights_none": (RIGHTS, b"", b"", b"", b""),
    "rights_level": (RIGHTS, b"\nCapEff:\t0", UID_MAP, b"-1\n", b"\nCapEff:\t0", UID_MAP, b"99999999999999999999\n"),
    "cpus": (CPUS, b"0-3,8\n"),
    "cpus_stat": (CPUS, b"", MACHINE_STAT),
    "cpus_own": (CPUS, b"", b""),
    "cpus_odd": (CPUS, b"3-1\n", b"0-99999999\n"),
    "cpus_stat_odd": (CPUS, b"", b"cpu\ncpu99999999999 1\ncpu1 \ncpu1 \ncpu0 \n"),
    "memory": (MEMORY, CGROUP, b"1073741824\n", b"max\n", b"9223372036854771712\n"),
    "memory_deep": (MEMORY, b"0::" + b"/d" * 100 + b"\n", b"4096\n"),
    "memory_odd": (MEMORY, b"0:\n0::\n0::a\n", b"0\n", b"18446744073709551616\n"),
    "machine": (MACHINE, b"", CPUINFO),
    "machine_midr": (MACHINE, b"0x00000000410fd0c0\n", CPUINFO),
    "machine_odd": (MACHINE, b"", b"vendor_id\nvendor_id :\nmodel name\t:" + b"n" * 500 + b"\nmodel :1\ncpu family : 5\nstepping:"),
    "boot_id": (BOOT_ID, BOOT),
    "boot_id_odd": (BOOT_ID, BOOT.replace(b"8d", b"..")),
    "boot_id_long": (BOOT_ID, BOOT.strip() + b"0\n"),
    "no_reader": (16, b""),
}


def main() -> None:
    for name, (reader, *files) in SEEDS.items():
        with open(os.path.join(sys.argv[1], name), "wb") as out:
            out.write(bytes([reader]) + b"\xff".join(files))


if __name__ == "__main__":
    main()
