/* SPDX-License-Identifier: BSD-3-Clause */
/* An interpreter with computed goto, and a function with labels that is also inlined. */
extern void report_fault(const unsigned char *code, long top) __attribute__((cold, noinline, noreturn));

void report_fault(const unsigned char *code, long top)
{
        for (;;)
                *(volatile long *)code = top;
}

int count_until(const unsigned char *code, int last)
{
        int n = 0;

again:
        if (code[n] == last)
                goto found;
        if (n++ < 100)
                goto again;
        return -1;
never:
        n += 1000;
found:
        if (n > 2000)
                goto never;
        return n;
}

long interpret(const unsigned char *code)
{
        static const int targets[] = {&&TARGET_PUSH - &&TARGET_PUSH, &&TARGET_ADD - &&TARGET_PUSH,
                                      &&TARGET_END - &&TARGET_PUSH};
        long stack[8], *top = stack;

        if (count_until(code, 2) < 0)
                report_fault(code, 0);
dispatch:
        goto *(&&TARGET_PUSH + targets[*code++]);
TARGET_PUSH:
        if (__builtin_expect(top == stack + 8, 0)) {
overflow:
                *(volatile long *)stack = *top;
                report_fault(code, *top);
        }
        *top++ = *code++;
        goto dispatch;
TARGET_ADD:
        if (top < stack + 2)
                goto overflow;
        top--;
        top[-1] += *top;
        goto dispatch;
TARGET_END:
        if (0) {
unreachable:
                return 7;
        }
        if (top != stack + 1)
                goto unreachable;
        return stack[0];
}
