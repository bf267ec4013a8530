/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread must be suspended for a short time only, because others may wait for a lock that it holds. */
#include "windows_internal.h"

#include <windows.h>

#include <string.h>

#include "os.h"

/* --- CPU time --- */

static uint64_t filetime_ns(const FILETIME *time)
{
        return (((uint64_t)time->dwHighDateTime << 32) | time->dwLowDateTime) * 100;
}

void thread_clock_split(void *thread, uint64_t *ret_user_ns, uint64_t *ret_kernel_ns)
{
        FILETIME created, ended, kernel, user;

        *ret_user_ns = *ret_kernel_ns = 0;
        if (!GetThreadTimes(thread, &created, &ended, &kernel, &user))
                return;
        *ret_user_ns = filetime_ns(&user);
        *ret_kernel_ns = filetime_ns(&kernel);
}

/* The fastest of several short measurements is the one in which this thread was not interrupted. */
void thread_clock_init(struct thread_clock *clock)
{
        enum { N_TRIES = 8, TRY_NS = 1000000 };
        double most = 0;

        *clock = (struct thread_clock){0};
        for (unsigned i = 0; i < N_TRIES; i++) {
                uint64_t start_ns = os_monotonic_ns(), end_ns = start_ns;
                ULONG64 before, after;

                if (!QueryThreadCycleTime(GetCurrentThread(), &before))
                        return;
                while (end_ns - start_ns < TRY_NS)
                        end_ns = os_monotonic_ns();
                if (!QueryThreadCycleTime(GetCurrentThread(), &after))
                        return;
                if ((double)(after - before) / (double)(end_ns - start_ns) > most)
                        most = (double)(after - before) / (double)(end_ns - start_ns);
        }
        clock->ns_per_cycle = most > 0 ? 1 / most : 0;
}

uint64_t thread_clock_ns(const struct thread_clock *clock, void *thread)
{
        uint64_t user_ns, kernel_ns;
        ULONG64 cycles;

        if (clock->ns_per_cycle > 0)
                return QueryThreadCycleTime(thread, &cycles)
                               ? (uint64_t)((double)cycles * clock->ns_per_cycle)
                               : 0;
        thread_clock_split(thread, &user_ns, &kernel_ns);
        return user_ns + kernel_ns;
}

/* --- Stacks --- */

/* What NtQueryInformationThread tells first about a thread: its environment block begins with the bounds of
 * its stack. */
struct thread_basics {
        LONG status;
        void *environment;
        void *client[2];
        ULONG_PTR affinity;
        LONG priority, base_priority;
};

uint64_t thread_stack_end(void *process, void *thread)
{
        enum { STACK_END_OFF = 8 };
        LONG(NTAPI * query)(HANDLE thread, int class, void *out, ULONG size, ULONG *ret_size);
        FARPROC address = GetProcAddress(GetModuleHandleW(L"ntdll.dll"), "NtQueryInformationThread");
        struct thread_basics basics;
        uint64_t end = 0;
        SIZE_T n;

        if (!address)
                return 0;
        memcpy(&query, &address, sizeof(query));
        if (query(thread, 0, &basics, sizeof(basics), NULL) < 0 || !basics.environment ||
            !ReadProcessMemory(process, (const char *)basics.environment + STACK_END_OFF, &end, sizeof(end),
                               &n))
                return 0;
        return end;
}

/* --- The copy --- */

static void take_regs(const CONTEXT *context, struct unwind_regs *ret)
{
        *ret = (struct unwind_regs){0};
#ifdef __aarch64__
        ret->machine = OBJECT_MACHINE_ARM64;
        for (unsigned i = 0; i <= UNWIND_ARM64_X30; i++)
                unwind_set_reg(ret, i, context->X[i]);
        unwind_set_reg(ret, UNWIND_ARM64_SP, context->Sp);
        unwind_set_reg(ret, UNWIND_ARM64_PC, context->Pc);
#else
        const uint64_t values[] = {context->Rax, context->Rdx, context->Rcx, context->Rbx, context->Rsi,
                                   context->Rdi, context->Rbp, context->Rsp, context->R8,  context->R9,
                                   context->R10, context->R11, context->R12, context->R13, context->R14,
                                   context->R15, context->Rip};

        ret->machine = OBJECT_MACHINE_X86_64;
        for (unsigned i = 0; i < N_ELEMENTS(values); i++)
                unwind_set_reg(ret, i, values[i]);
#endif
}

static uint64_t stack_pointer(const CONTEXT *context)
{
#ifdef __aarch64__
        return context->Sp;
#else
        return context->Rsp;
#endif
}

bool thread_copy_begin(void *process, void *thread, uint64_t stack_end, uint8_t *stack, size_t max_bytes,
                       struct thread_copy *ret)
{
        CONTEXT context = {.ContextFlags = CONTEXT_CONTROL | CONTEXT_INTEGER};
        uint64_t begin_ns = os_monotonic_ns(), sp, size = 0;
        SIZE_T n_read = 0;

        if (SuspendThread(thread) == (DWORD)-1)
                return false;
        if (!GetThreadContext(thread, &context)) {
                ResumeThread(thread);
                return false;
        }
        sp = stack_pointer(&context);
        if (sp < stack_end)
                size = stack_end - sp < max_bytes ? stack_end - sp : max_bytes;
        if (size && !ReadProcessMemory(process, (const void *)(uintptr_t)sp, stack, size, &n_read))
                n_read = 0;
        ret->begin_ns = begin_ns;
        ret->stack_bytes = n_read;
        ret->stack_is_whole = n_read && sp + n_read == stack_end;
        take_regs(&context, &ret->regs);
        return true;
}

void thread_copy_end(void *thread, struct thread_copy *copy)
{
        ResumeThread(thread);
        copy->suspended_ns = os_monotonic_ns() - copy->begin_ns;
}
