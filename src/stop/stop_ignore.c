/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a traced process ignore SIGTRAP, so that it survives if the recorder is killed while a thread is
 * stopped: the kernel then delivers the signal. The process itself calls rt_sigaction at its first stop. If
 * the signal were ignored before the exec, the parent and all children would ignore it too. */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "mem.h"
#include "os.h"
#include "stop_internal.h"

enum {
        MAX_TRIES = 100,    /* stops at which the thread was not able to make the call */
        ACTION_BELOW = 256, /* offset below the stack pointer: outside the red zone of leaf functions */
        KERNEL_SET = 8,     /* bytes of a signal set */
};

/* The kernel's layout. */
struct kernel_action {
        uint64_t handler, flags, restorer, mask;
};

/* A thread that makes the call. */
struct stop_ignore {
        struct user_regs_struct regs; /* these three are restored after the call */
        struct kernel_action memory;
        uint64_t mask;
        uint64_t action_addr;
        bool has_begun;
};

static struct stop_ignore *find(const struct stop_engine *e, int32_t tid)
{
        const uint64_t *found = map_find(&e->ignoring, (uint64_t)tid);

        return found ? (struct stop_ignore *)(uintptr_t)*found : NULL;
}

bool stop_ignore_is(const struct stop_engine *e, int32_t tid)
{
        return find(e, tid);
}

bool stop_ignore_is_any(const struct stop_engine *e)
{
        return e->ignoring.n_used;
}

void stop_ignore_end(struct stop_engine *e, int32_t tid)
{
        free(find(e, tid));
        map_remove(&e->ignoring, (uint64_t)tid);
}

static void free_value(void *ctx, uint64_t key, uint64_t *value)
{
        (void)ctx;
        (void)key;
        free((void *)(uintptr_t)*value);
}

void stop_ignore_release(struct stop_engine *e)
{
        map_each(&e->ignoring, free_value, NULL);
        map_release(&e->ignoring);
}

/* --- can the thread make a call? --- */

static bool move_action(int32_t tid, uint64_t addr, struct kernel_action *action, bool writes)
{
        struct iovec local = {action, sizeof(*action)}, remote = {(void *)(uintptr_t)addr, sizeof(*action)};

        return (writes ? process_vm_writev(tid, &local, 1, &remote, 1, 0)
                       : process_vm_readv(tid, &local, 1, &remote, 1, 0)) == (ssize_t)sizeof(*action);
}

static bool move_regs(int32_t tid, struct user_regs_struct *regs, bool writes)
{
        struct iovec all = {regs, sizeof(*regs)};

        return !ptrace(writes ? PTRACE_SETREGSET : PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &all) &&
               all.iov_len == sizeof(*regs);
}

static bool move_mask(int32_t tid, uint64_t *mask, bool writes)
{
        return !ptrace(writes ? PTRACE_SETSIGMASK : PTRACE_GETSIGMASK, tid, (void *)KERNEL_SET, mask);
}

/* An interrupted system call may have to be restarted; the kernel decides that by the registers. */
static bool is_in_call(int32_t tid, const struct user_regs_struct *regs)
{
#if defined(__aarch64__)
        int32_t number = 0;
        struct iovec all = {&number, sizeof(number)};

        (void)regs;
        return ptrace(PTRACE_GETREGSET, tid, (void *)NT_ARM_SYSTEM_CALL, &all) || number != -1;
#else
        (void)tid;
        return (long long)regs->orig_rax >= 0;
#endif
}

/* Whether the thread is in a restartable sequence, which the call would interrupt. */
static bool is_in_sequence(int32_t tid)
{
        enum { SEQUENCE_OFF = 8 };
        const int get_rseq =
                0x420f; /* PTRACE_GET_RSEQ_CONFIGURATION, which glibc 2.31 and musl do not define */
        struct {
                uint64_t addr;
                uint32_t size, signature, flags, pad;
        } rseq = {0};
        uint64_t sequence = 0;
        struct iovec local = {&sequence, sizeof(sequence)}, remote = {NULL, sizeof(sequence)};

        if (ptrace(get_rseq, tid, (void *)sizeof(rseq), &rseq) < 0 || !rseq.addr)
                return false;
        remote.iov_base = (void *)(uintptr_t)(rseq.addr + SEQUENCE_OFF);
        return process_vm_readv(tid, &local, 1, &remote, 1, 0) != (ssize_t)sizeof(sequence) || sequence;
}

static uint64_t vdso_of(int32_t pid)
{
        enum { LIMIT = 4096 };
        AUTO_RELEASE(buf) vector = {0};
        struct cursor entries;
        char path[64];

        snprintf(path, sizeof(path), "/proc/%" PRId32 "/auxv", pid);
        if (!os_read_file(path, LIMIT, &vector, NULL))
                return 0;
        entries = cursor_make(vector.data, vector.len);
        while (cursor_left(&entries) >= 16) {
                uint64_t tag = cursor_u64(&entries), value = cursor_u64(&entries);

                if (tag == AT_SYSINFO_EHDR)
                        return value;
        }
        return 0;
}

/* --- the call --- */

static bool set_call(int32_t tid, const struct stop_ignore *ignore, uint64_t at)
{
        struct user_regs_struct regs = ignore->regs;

#if defined(__aarch64__)
        regs.pc = at;
        regs.regs[8] = SYS_rt_sigaction;
        regs.regs[0] = SIGTRAP;
        regs.regs[1] = ignore->action_addr;
        regs.regs[2] = 0;
        regs.regs[3] = KERNEL_SET;
#else
        regs.rip = at;
        regs.rax = SYS_rt_sigaction;
        regs.rdi = SIGTRAP;
        regs.rsi = ignore->action_addr;
        regs.rdx = 0;
        regs.r10 = KERNEL_SET;
#endif
        return move_regs(tid, &regs, true);
}

static uint64_t stack_pointer(const struct user_regs_struct *regs)
{
#if defined(__aarch64__)
        return regs->sp;
#else
        return regs->rsp;
#endif
}

static bool begin(int32_t tid, uint64_t at, struct stop_ignore *ignore)
{
        struct kernel_action action = {.handler = (uint64_t)(uintptr_t)SIG_IGN};
        uint64_t all = UINT64_MAX;

        if (!move_regs(tid, &ignore->regs, false) || is_in_call(tid, &ignore->regs) || is_in_sequence(tid) ||
            !move_mask(tid, &ignore->mask, false))
                return false;
        ignore->action_addr = (stack_pointer(&ignore->regs) - ACTION_BELOW) & ~15ull;
        if (!move_action(tid, ignore->action_addr, &ignore->memory, false) ||
            !move_action(tid, ignore->action_addr, &action, true))
                return false;
        if (move_mask(tid, &all, true) && set_call(tid, ignore, at))
                return true;
        move_mask(tid, &ignore->mask, true);
        move_action(tid, ignore->action_addr, &ignore->memory, true);
        return false;
}

/* Whether SIGTRAP can't kill the process, or its system calls are filtered; then it is not changed. */
static bool is_safe(int32_t pid)
{
        return stop_status_ignores(pid, SIGTRAP) || stop_status_catches(pid, SIGTRAP) ||
               stop_status_is_filtered(pid);
}

void stop_ignore_begin(struct stop_engine *e, struct stop_task *task)
{
        struct stop_process *process = task->process;
        struct stop_ignore *ignore;
        uint64_t at;

        if (process->is_safe || process->n_tries++ >= MAX_TRIES)
                return;
        process->is_safe = is_safe(process->pid);
        if (process->is_safe)
                return;
        at = stop_again_find_call(process->pid, vdso_of(process->pid));
        ignore = mem_new(1, sizeof(*ignore));
        if (!at || !begin(task->tid, at, ignore)) {
                free(ignore);
                return;
        }
        process->is_safe = true;
        *map_put(&e->ignoring, (uint64_t)task->tid, NULL) = (uintptr_t)ignore;
}

/* Called when the system call starts, and when it returns. */
void stop_ignore_see(struct stop_engine *e, int32_t tid)
{
        struct stop_ignore *ignore = find(e, tid);

        if (ignore && ignore->has_begun) {
                move_action(tid, ignore->action_addr, &ignore->memory, true);
                move_regs(tid, &ignore->regs, true);
                move_mask(tid, &ignore->mask, true);
                stop_ignore_end(e, tid);
        } else if (ignore) {
                ignore->has_begun = true;
        }
        stop_trace_go_on(e, tid, 0);
}
