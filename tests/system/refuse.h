/* SPDX-License-Identifier: BSD-3-Clause */
/* Refuses a system call to this process and its children, as a container engine does. */
#ifndef REFUSE_H
#define REFUSE_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static int refuse(uint32_t number, uint32_t error)
{
        struct sock_filter filter[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};

        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
                return -1;
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#endif
