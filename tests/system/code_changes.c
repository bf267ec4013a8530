/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions with a change, for test_code_change.py: PICK(old, new) is one of both.  The name of a function
 * begins with the kind of its change; those that begin with `same` have none. */
#include <string.h>

#ifdef __x86_64__
#define NEEDS_ALL_REGISTERS                                                                                  \
        __asm__ volatile("" ::                                                                               \
                                 : "rbx", "r12", "r13", "r14", "r15", "rcx", "rdx", "rsi", "rdi", "r8",      \
                                   "r9", "r10", "r11", "memory")
#else
#define NEEDS_ALL_REGISTERS                                                                                  \
        __asm__ volatile("" ::                                                                               \
                                 : "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28",     \
                                   "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "memory")
#endif

#define NOINLINE __attribute__((noinline, noclone))

int out_of_line(int x);
void sink(const char *text, int x);
int table[64], other_table[64];

NOINLINE int out_of_line(int x)
{
        table[x & 63]++;
        return table[(x + 1) & 63] * 3;
}

NOINLINE void sink(const char *text, int x)
{
        table[x & 63] += (int)strlen(text);
}

int same_sum(const int *v, int n);
int same_sum(const int *v, int n)
{
        int sum = 0;

        for (int i = 0; i < n; i++)
                sum += out_of_line(v[i]);
        return sum;
}

int same_caller(int x);
int same_caller(int x)
{
        sink("the same", x);
        return out_of_line(x) - 2;
}

/* --- Constants --- */

int constant_added(int x);
int constant_added(int x)
{
        return out_of_line(x) + PICK(17, 18);
}

int constant_argument(int x);
int constant_argument(int x)
{
        return out_of_line(PICK(400, 500)) + x;
}

unsigned constant_mask(unsigned x);
unsigned constant_mask(unsigned x)
{
        return (x * 2654435761u) & PICK(0xff00, 0x7f00);
}

int constant_shift(int x);
int constant_shift(int x)
{
        return out_of_line(x) << PICK(5, 7);
}

double constant_factor(double x);
double constant_factor(double x)
{
        return x * PICK(2.75, 2.625) + 1.25;
}

void constant_text(int x);
void constant_text(int x)
{
        sink(PICK("the old text", "the new text"), x);
}

void constant_stored(long *v);
void constant_stored(long *v)
{
        v[0] = 1;
        v[1] = PICK(1000, 2000);
        v[2] = 3;
}

struct record {
        int a, b, c, d;
};

int constant_member(const struct record *r);
int constant_member(const struct record *r)
{
        return r->a + 7 * r->PICK(c, d);
}

unsigned long constant_large(unsigned long x);
unsigned long constant_large(unsigned long x)
{
        return (x ^ PICK(0x9e3779b97f4a7c15, 0x9e3779b97f4a7c17)) + 1;
}

/* --- Bounds and conditions --- */

int bound_loop(const int *v);
int bound_loop(const int *v)
{
        int sum = 0;

        for (int i = 0; i < PICK(100, 120); i++)
                sum += out_of_line(v[i]);
        return sum;
}

int bound_if(int x);
int bound_if(int x)
{
        if (x > PICK(500, 600))
                return out_of_line(x);
        return x;
}

int bound_while(const char *text);
int bound_while(const char *text)
{
        int n = 0;

        while (text[n] != PICK(';', ':'))
                n += out_of_line(n);
        return n;
}

int bound_equal(int x, int y);
int bound_equal(int x, int y)
{
        if (x PICK(<, <=) y)
                return out_of_line(x);
        return out_of_line(y + 3);
}

int bound_unsigned(int x, int y);
int bound_unsigned(int x, int y)
{
        if (PICK(x > y, (unsigned)x > (unsigned)y))
                sink("greater", x);
        return y;
}

int bound_return(const int *v, int n);
int bound_return(const int *v, int n)
{
        for (int i = 0; i < n; i++) {
                if (v[i] >= PICK(1000, 2000))
                        return i;
                sink("below", v[i]);
        }
        return -1;
}

int bound_range(int c);
int bound_range(int c)
{
        if (c >= '0' && c <= PICK('9', '7'))
                return out_of_line(c);
        return 0;
}

/* --- Inlined callees --- */

PICK(NOINLINE, ) static int square_and_add(int x)
{
        return (x * x) ^ (x << 5) ^ 77;
}

int inlined_square(int x);
int inlined_square(int x)
{
        return square_and_add(x + 3) - 9;
}

PICK(, NOINLINE) static int hash_step(int x)
{
        x ^= x >> 7;
        x *= 40503;
        return x ^ (x >> 11);
}

int inlined_before(int x);
int inlined_before(int x)
{
        return hash_step(x) + out_of_line(x);
}

PICK(NOINLINE, ) static int count_bits(unsigned x)
{
        int n = 0;

        for (; x; x &= x - 1)
                n += table[x & 63];
        return n;
}

int inlined_loop(unsigned x);
int inlined_loop(unsigned x)
{
        return count_bits(x | 1) * 2;
}

PICK(NOINLINE, ) static int with_call(int x)
{
        sink("inside", x * 12);
        return out_of_line(x * 5) / 7;
}

int inlined_with_calls(int x);
int inlined_with_calls(int x)
{
        return with_call(x) ^ 1;
}

/* --- Calls --- */

int call_more(int x);
int call_more(int x)
{
        int y = out_of_line(x);

        PICK(, sink("more", x);)
        return y + 1;
}

int call_less(int x);
int call_less(int x)
{
        PICK(sink("first", x);, )
        sink("second", x + 1);
        return x;
}

int call_other(int x, int (*f)(int));
int call_other(int x, int (*f)(int))
{
        return PICK(out_of_line(x), f(x)) + 4;
}

int call_twice(int x);
int call_twice(int x)
{
        return out_of_line(x) + PICK(x, out_of_line(x + 9));
}

int call_checked(int x);
int call_checked(int x)
{
        PICK(, if (x < 0) sink("negative", x);)
        return out_of_line(x) * 3;
}

/* --- Spills --- */

long spill_six(long a, long b, long c, long d, long e);
long spill_six(long a, long b, long c, long d, long e)
{
        long x = a * b, y = c + d;

        PICK(, NEEDS_ALL_REGISTERS;)
        return x * y + e * a;
}

long spill_loop(const volatile long *v, long n, long k);
long spill_loop(const volatile long *v, long n, long k)
{
        long sum = 0;

        for (long i = 0; i < n; i++) {
                sum += v[i] * k;
                PICK(, NEEDS_ALL_REGISTERS;)
        }
        return sum;
}

long spill_before(long a, long b, long c, long d);
long spill_before(long a, long b, long c, long d)
{
        PICK(NEEDS_ALL_REGISTERS;, )
        return (a ^ b) * (c ^ d) + a;
}

/* --- Vectorised loops --- */

int vector_sum(PICK(const volatile int, const int) * v, int n);
int vector_sum(PICK(const volatile int, const int) * v, int n)
{
        int sum = 0;

        for (int i = 0; i < n; i++)
                sum += v[i];
        return sum;
}

void vector_add(int *restrict out, PICK(volatile, ) int *restrict in);
void vector_add(int *restrict out, PICK(volatile, ) int *restrict in)
{
        for (int i = 0; i < 1024; i++)
                out[i] += in[i] * 3;
}

void vector_before(float *restrict out, PICK(, volatile) float *restrict in);
void vector_before(float *restrict out, PICK(, volatile) float *restrict in)
{
        for (int i = 0; i < 1024; i++)
                out[i] = in[i] * 0.5f + 1;
}

/* --- Other changes --- */

int other_operation(int x, int y);
int other_operation(int x, int y)
{
        return out_of_line(x) PICK(+, *) y;
}

int other_order(int x, int y);
int other_order(int x, int y)
{
        return PICK(x - y, y - x);
}

int other_array(int i);
int other_array(int i)
{
        return out_of_line(i) + PICK(table, other_table)[i & 63];
}

int other_case(int x);
int other_case(int x)
{
        switch (x) {
        case 0: return out_of_line(5);
        case 1: sink("one", x); return 4;
        case 2: return x * table[3];
        case PICK(3, 7): return table[9] - 1;
        case 4: sink("four", x); return 2;
        case 5: return out_of_line(1) + 1;
        case 6: return table[1] ^ table[2];
        default: return -1;
        }
}

unsigned other_signed(PICK(int, unsigned) x);
unsigned other_signed(PICK(int, unsigned) x)
{
        return (unsigned)(x >> 3);
}
