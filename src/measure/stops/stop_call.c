/* SPDX-License-Identifier: BSD-3-Clause */
/* The system call that a traced thread is about to make. */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "stop_internal.h"

bool stop_call_read(int32_t tid, struct stop_call *ret)
{
        enum { GET_SYSCALL_INFO = 0x420e, ENTRY = 1 };
        struct {
                uint8_t op, pad[3];
                uint32_t arch;
                uint64_t ip, sp, number, args[6];
        } info = {0};

        /* Not ptrace(): C libraries disagree on the type of an unnamed request. */
        if (syscall(SYS_ptrace, GET_SYSCALL_INFO, tid, sizeof(info), &info) < 0 || info.op != ENTRY)
                return false;
        *ret = (struct stop_call){info.number, {info.args[0], info.args[1]}};
        return true;
}

bool stop_call_read_memory(int32_t tid, uint64_t addr, void *ret, size_t size)
{
        struct iovec to = {ret, size}, from = {(void *)(uintptr_t)addr, size};

        return addr && process_vm_readv(tid, &to, 1, &from, 1, 0) == (ssize_t)size;
}

bool stop_call_sets_mask(const struct stop_call *call)
{
        return call->number == SYS_rt_sigprocmask && call->args[0] == SIG_SETMASK && call->args[1];
}
