/* SPDX-License-Identifier: BSD-3-Clause */
/* A Windows program that steps through functions with many kinds of frames, one instruction at a time, and
 * writes for each the registers, the stack, and the caller that RtlVirtualUnwind finds: steps_pe.exe FILE.
 * test_wine.py builds it, and replay_steps.c reads its output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <psapi.h>

enum {
        MAX_TRACE_BYTES = 64 << 20,
        MAX_STACK_BYTES = 128 << 10,
        MAX_MODULES = 64,
        NAME_BYTES = 256,
        TRAP_FLAG = 0x100,
};

#define NOINLINE __attribute__((noinline))

/* --- The trace --- */

static char *trace, *trace_at;
static ULONG64 stack_base;
static volatile int is_over;

static void put(ULONG64 value)
{
        memcpy(trace_at, &value, sizeof(value));
        trace_at += sizeof(value);
}

/* In the order of DWARF's numbers. */
static void put_regs(const CONTEXT *c)
{
        const ULONG64 regs[17] = {c->Rax, c->Rdx, c->Rcx, c->Rbx, c->Rsi, c->Rdi, c->Rbp, c->Rsp, c->R8,
                                  c->R9,  c->R10, c->R11, c->R12, c->R13, c->R14, c->R15, c->Rip};

        for (int i = 0; i < 17; i++)
                put(regs[i]);
}

static CONTEXT ask(const CONTEXT *context)
{
        CONTEXT caller = *context;
        ULONG64 image, frame;
        void *data;
        RUNTIME_FUNCTION *entry = RtlLookupFunctionEntry(context->Rip, &image, NULL);

        if (entry) {
                RtlVirtualUnwind(UNW_FLAG_NHANDLER, image, context->Rip, entry, &caller, &data, &frame, NULL);
                return caller;
        }
        caller.Rip = *(ULONG64 *)caller.Rsp;
        caller.Rsp += 8;
        return caller;
}

static LONG CALLBACK step(EXCEPTION_POINTERS *info)
{
        CONTEXT *context = info->ContextRecord, caller;
        ULONG64 size;

        if (info->ExceptionRecord->ExceptionCode != (DWORD)EXCEPTION_SINGLE_STEP)
                return EXCEPTION_CONTINUE_SEARCH;
        context->EFlags &= ~TRAP_FLAG;
        if (is_over)
                return EXCEPTION_CONTINUE_EXECUTION;
        context->EFlags |= TRAP_FLAG;
        size = stack_base - context->Rsp;
        if (context->Rsp > stack_base || size > MAX_STACK_BYTES ||
            trace_at + size + 4096 > trace + MAX_TRACE_BYTES)
                return EXCEPTION_CONTINUE_EXECUTION;
        put_regs(context);
        caller = ask(context);
        put_regs(&caller);
        put(size);
        memcpy(trace_at, (void *)context->Rsp, size);
        trace_at += size;
        return EXCEPTION_CONTINUE_EXECUTION;
}

static void put_modules(void)
{
        HMODULE modules[MAX_MODULES];
        DWORD bytes = 0, n;

        EnumProcessModules(GetCurrentProcess(), modules, sizeof(modules), &bytes);
        n = bytes / sizeof(modules[0]);
        put(n);
        for (DWORD i = 0; i < n; i++) {
                MODULEINFO info;

                GetModuleInformation(GetCurrentProcess(), modules[i], &info, sizeof(info));
                put((ULONG64)info.lpBaseOfDll);
                put(info.SizeOfImage);
                memset(trace_at, 0, NAME_BYTES);
                GetModuleFileNameA(modules[i], trace_at, NAME_BYTES - 1);
                trace_at += NAME_BYTES;
        }
}

/* --- What is stepped through --- */

static volatile int sink;
static volatile double fraction = 1.5;

NOINLINE static int leaf(int x)
{
        return x * 3 + sink;
}

NOINLINE static int one_call(int x)
{
        sink += x;
        return leaf(x) + 1;
}

/* More registers than a callee may change. */
NOINLINE static int many_registers(int a, int b, int c, int d, int e, int f)
{
        int v = leaf(a), w = leaf(b), x = leaf(c), y = leaf(d), z = leaf(e), u = leaf(f);

        sink = leaf(v ^ w);
        return v + w * 2 + x * 3 + y * 5 + z * 7 + u * 11 + one_call(v + z);
}

NOINLINE static void fill(volatile char *room, int size)
{
        room[0] = room[size - 1] = (char)leaf(size);
}

/* A frame of several pages, which must be probed. */
NOINLINE static int big_stack(int x)
{
        volatile char room[20000];

        fill(room, sizeof(room));
        return room[0] + x;
}

NOINLINE static int middle_stack(int x)
{
        volatile char room[600];

        fill(room, sizeof(room));
        return one_call(room[0] + x);
}

/* A frame register. */
NOINLINE static int dynamic_stack(int n)
{
        volatile char *room = __builtin_alloca((size_t)n);
        int before = leaf(n);

        fill(room, n);
        return before + one_call(room[0]) + many_registers(n, 2, 3, 4, 5, 6);
}

/* Registers of 16 bytes that a callee preserves. */
NOINLINE static double doubles(double a, double b, double c)
{
        double x = a * fraction, y = b * fraction, z = c * fraction;

        sink = leaf(1);
        x += y * z;
        sink = leaf(2);
        return x * y + z * fraction + leaf(3);
}

NOINLINE static int tail_direct(int x)
{
        int y = leaf(x) + leaf(x + 1);

        return one_call(y + x);
}

NOINLINE static int tail_only(int x)
{
        return one_call(x + 1);
}

static int (*volatile chosen)(int) = one_call;

NOINLINE static int tail_indirect(int x)
{
        int y = leaf(x) * leaf(x + 2);

        return chosen(y);
}

NOINLINE static int recursion(int depth)
{
        volatile int room[4] = {depth};

        return depth ? recursion(depth - 1) + room[0] : leaf(room[0]);
}

NOINLINE static int early_return(int x)
{
        int y;

        if (x < 0)
                return 7;
        y = leaf(x);
        if (y > 1000000)
                return leaf(y) + y;
        for (int i = 0; i < 3; i++)
                y += one_call(i);
        return y + x;
}

NOINLINE static int switches(int x)
{
        switch (x) {
        case 0: return leaf(1) + 2;
        case 1: return one_call(2) * 3;
        case 2: sink = leaf(3); return chosen(4);
        case 3: return tail_direct(sink);
        case 4: sink++; return leaf(9) ^ 5;
        case 5: return sink;
        default: return many_registers(x, x, x, x, x, x);
        }
}

struct big {
        int items[40];
};

NOINLINE static struct big returns_struct(int x)
{
        struct big big;

        for (int i = 0; i < 40; i++)
                big.items[i] = leaf(x + i / 20);
        return big;
}

NOINLINE static int sum(int n, ...)
{
        va_list args;
        int total = 0;

        va_start(args, n);
        for (int i = 0; i < n; i++)
                total += leaf(va_arg(args, int));
        va_end(args);
        return total;
}

NOINLINE static int compare(const void *a, const void *b)
{
        return leaf(*(const int *)a) - leaf(*(const int *)b);
}

NOINLINE static int through_a_library(void)
{
        int numbers[6] = {5, 2, 9, 1, 7, 3};
        char text[80];

        qsort(numbers, 6, sizeof(*numbers), compare);
        return snprintf(text, sizeof(text), "%d %s %.3f %x", numbers[0], "text", fraction, numbers[5]) +
               (int)strlen(text) + (int)strtol("1234", NULL, 10);
}

/* Registers that are saved with moves after the stack was allocated, and restored. */
int by_moves(int x);
__asm__(".text\n"
        ".globl by_moves\n"
        ".def by_moves; .scl 2; .type 32; .endef\n"
        ".seh_proc by_moves\n"
        "by_moves:\n"
        "  pushq %r14\n"
        "  .seh_pushreg %r14\n"
        "  subq $0x800, %rsp\n"
        "  .seh_stackalloc 0x800\n"
        "  movq %rbx, 0x7f0(%rsp)\n"
        "  .seh_savereg %rbx, 0x7f0\n"
        "  movq %r12, 0x40(%rsp)\n"
        "  .seh_savereg %r12, 0x40\n"
        "  movaps %xmm7, 0x50(%rsp)\n"
        "  .seh_savexmm %xmm7, 0x50\n"
        "  .seh_endprologue\n"
        "  xorl %ebx, %ebx\n"
        "  xorl %r12d, %r12d\n"
        "  movl $77, %r14d\n"
        "  xorps %xmm7, %xmm7\n"
        "  call leaf_for_assembly\n"
        "  movaps 0x50(%rsp), %xmm7\n"
        "  movq 0x40(%rsp), %r12\n"
        "  movq 0x7f0(%rsp), %rbx\n"
        "  addq $0x800, %rsp\n"
        "  popq %r14\n"
        "  ret\n"
        ".seh_endproc\n");

int leaf_for_assembly(int x);
int leaf_for_assembly(int x)
{
        return leaf(x) + 1;
}

/* --- */

NOINLINE static void run(void)
{
        struct big big;

        sink = leaf(1) + one_call(2) + many_registers(1, 2, 3, 4, 5, 6);
        sink += big_stack(3) + middle_stack(4) + dynamic_stack(100) + dynamic_stack(9000);
        sink += by_moves(5) + (int)doubles(1.0, 2.0, 3.0);
        sink += tail_direct(1) + tail_only(2) + tail_indirect(3);
        sink += recursion(5) + early_return(-1) + early_return(4) + early_return(900000);
        for (int i = 0; i < 7; i++)
                sink += switches(i);
        big = returns_struct(3);
        sink += big.items[7] + sum(4, 1, 2, 3, 4);
        sink += through_a_library();
}

NOINLINE static void trace_run(void)
{
        stack_base = (ULONG64)__builtin_frame_address(0) + 256;
        __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" : : : "memory", "cc");
        run();
        is_over = 1;
        __asm__ volatile("nop\n nop");
}

int main(int argc, char **argv)
{
        FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;

        trace = trace_at = VirtualAlloc(NULL, MAX_TRACE_BYTES, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
        if (!file || !trace)
                return 1;
        put_modules();
        through_a_library();
        AddVectoredExceptionHandler(1, step);
        trace_run();
        fwrite(trace, 1, (size_t)(trace_at - trace), file);
        return fclose(file) ? 1 : 0;
}
