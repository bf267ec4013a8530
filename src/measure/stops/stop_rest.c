/* SPDX-License-Identifier: BSD-3-Clause */
/* System calls that have moved a part of their bytes when a thread is interrupted in the kernel
 * (stop_pace.c). Some calls return less than they were asked for only if a signal waits, as the kernel takes
 * an interrupt for: a blocking write to a pipe or socket, getrandom, a read of /dev/zero. Programs need not
 * expect that. So the call is made again for the rest, and returns the sum. Its registers are as before when
 * it has returned. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "os.h"
#include "stop_internal.h"

#if defined(__x86_64__)
#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

enum { CODE_SEGMENT_64 = 0x33, INSTRUCTION_BYTES = 2 }; /* of `syscall` */

static bool get_regs(int32_t tid, struct user_regs_struct *ret)
{
        struct iovec all = {ret, sizeof(*ret)};

        return !ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &all) && all.iov_len == sizeof(*ret);
}

static bool set_regs(int32_t tid, struct user_regs_struct *regs)
{
        struct iovec all = {regs, sizeof(*regs)};

        return !ptrace(PTRACE_SETREGSET, tid, (void *)NT_PRSTATUS, &all);
}

/* --- which calls --- */

static bool may_wait(int32_t pid, uint64_t fd)
{
        AUTO_RELEASE(buf) text = {0};
        const char *flags;
        char path[64];
        unsigned value;

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/fdinfo/%" PRIu64, pid, fd);
        if (!os_read_file(path, 4096, &text, NULL) || !(flags = strstr(buf_text(&text), "flags:")))
                return false;
        return sscanf(flags + strlen("flags:"), "%o", &value) == 1 && !(value & O_NONBLOCK);
}

/* Whether the file of a descriptor is of this kind, such as "pipe:". */
static bool is_file(int32_t pid, uint64_t fd, const char *const *kinds)
{
        AUTO_RELEASE(buf) target = {0};
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/fd/%" PRIu64, pid, fd);
        if (!os_read_link(path, &target))
                return false;
        for (; *kinds; kinds++) {
                if (!strncmp(buf_text(&target), *kinds, strlen(*kinds)))
                        return true;
        }
        return false;
}

/* A call that returns less than it was asked for only if it was interrupted. */
static bool is_cut(int32_t pid, const struct user_regs_struct *regs)
{
        static const char *const writable[] = {"pipe:", "socket:", "/dev/pts/", "/dev/tty", NULL};
        static const char *const readable[] = {"/dev/zero", "/dev/urandom", "/dev/random", NULL};

        switch (regs->orig_rax) {
        case SYS_write: return is_file(pid, regs->rdi, writable) && may_wait(pid, regs->rdi);
        case SYS_sendto: return !(regs->r10 & MSG_DONTWAIT) && may_wait(pid, regs->rdi);
        case SYS_read: return is_file(pid, regs->rdi, readable);
        case SYS_recvfrom: return regs->r10 & MSG_WAITALL && may_wait(pid, regs->rdi);
        case SYS_getrandom: return true;
        default: return false;
        }
}

/* Of the bytes' address and their number. */
static void move_arguments(struct user_regs_struct *regs, int64_t n)
{
        if (regs->orig_rax == SYS_getrandom) {
                regs->rdi += (uint64_t)n;
                regs->rsi -= (uint64_t)n;
        } else {
                regs->rsi += (uint64_t)n;
                regs->rdx -= (uint64_t)n;
        }
}

static uint64_t asked_bytes(const struct user_regs_struct *regs)
{
        return regs->orig_rax == SYS_getrandom ? regs->rsi : regs->rdx;
}

/* --- the rest --- */

void stop_rest_begin(struct stop_task *task)
{
        struct user_regs_struct regs;
        int64_t n;

        if (task->rest.is_moving || !get_regs(task->tid, &regs) || regs.cs != CODE_SEGMENT_64)
                return;
        n = (int64_t)regs.rax;
        if (n <= 0 || (uint64_t)n >= asked_bytes(&regs) || !is_cut(task->process->pid, &regs))
                return;
        task->rest = (struct stop_rest){.is_moving = true, .n_moved = n};
        move_arguments(&regs, n);
        regs.rax = regs.orig_rax;
        regs.orig_rax = (unsigned long long)-1; /* prevents another restart */
        regs.rip -= INSTRUCTION_BYTES;
        task->rest.is_moving = set_regs(task->tid, &regs);
}

void stop_rest_see_call(struct stop_task *task)
{
        struct stop_rest *rest = &task->rest;
        struct user_regs_struct regs;

        if (!rest->has_begun) {
                rest->has_begun = true;
                return;
        }
        rest->is_moving = false;
        if (!get_regs(task->tid, &regs))
                return;
        move_arguments(&regs, -rest->n_moved);
        regs.rax = (uint64_t)(rest->n_moved + ((int64_t)regs.rax > 0 ? (int64_t)regs.rax : 0));
        set_regs(task->tid, &regs);
}

#else

/* The kernel does not show a call's first argument any more when the call has returned. */
void stop_rest_begin(struct stop_task *task)
{
        (void)task;
}

void stop_rest_see_call(struct stop_task *task)
{
        (void)task;
}

#endif

bool stop_rest_moves(const struct stop_task *task)
{
        return task->rest.is_moving;
}
