/* SPDX-License-Identifier: BSD-3-Clause */
/* deny EPERM|ENOSYS COMMAND [ARG]...: runs COMMAND with perf_event_open refused, as a container engine does. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refuse(uint32_t error)
{
        struct sock_filter filter[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};

        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
                return -1;
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
        if (argc < 3 || refuse(strcmp(argv[1], "EPERM") ? ENOSYS : EPERM))
                return 77;
        execvp(argv[2], argv + 2);
        return 127;
}
