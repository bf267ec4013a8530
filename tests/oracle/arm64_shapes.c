/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions with many kinds of frames; arm64_paths.py compiles them for Windows on ARM64. */
#include <stdarg.h>

typedef unsigned long long u64;

int leaf(int x);
void fill(volatile char *room, int size);
double change(double x);

static volatile int sink;

int one_call(int x)
{
        sink += x;
        return leaf(x) + 1;
}

int many_registers(int a, int b, int c, int d, int e, int f)
{
        int v = leaf(a), w = leaf(b), x = leaf(c), y = leaf(d), z = leaf(e), u = leaf(f);
        int s = leaf(u), t = leaf(s), r = leaf(t), q = leaf(r), p = leaf(q);

        sink = leaf(v ^ w);
        return v + w * 2 + x * 3 + y * 5 + z * 7 + u * 11 + s + t * 13 + r + q + p +
               leaf(v + z + a + b + c + d);
}

int big_stack(int x)
{
        volatile char room[200000];

        fill(room, sizeof(room));
        return room[0] + x;
}

int pages(int x)
{
        volatile char room[5000];

        fill(room, sizeof(room));
        return room[0] + leaf(x) + x;
}

int middle_stack(int x)
{
        volatile char room[600];

        fill(room, sizeof(room));
        return one_call(room[0] + x);
}

int dynamic_stack(int n)
{
        volatile char *room = __builtin_alloca((u64)n);
        int before = leaf(n);

        fill(room, n);
        return before + one_call(room[0]);
}

int aligned_stack(int n)
{
        volatile char room[100] __attribute__((aligned(128)));

        fill(room, n);
        return one_call(room[n]);
}

double doubles(double a, double b, double c)
{
        double x = change(a), y = change(b), z = change(c), w = change(x * y);

        x += y * z;
        return change(x) * y + z * change(w) + leaf(3) + a * b;
}

double both(double a, int x)
{
        double y = change(a);
        int z = leaf(x);

        return change(y + a) * leaf(z + x) + z + y;
}

int jumps(int x)
{
        int y = leaf(x) + leaf(x + 1);

        return one_call(y + x);
}

int recursion(int depth)
{
        volatile int room[4] = {depth};

        return depth ? recursion(depth - 1) + room[0] : leaf(room[0]);
}

int early_return(int x)
{
        int y;

        if (x < 0)
                return 7;
        y = leaf(x);
        if (y > 1000)
                return leaf(y) + y;
        for (int i = 0; i < y; i++)
                y += one_call(i) * x;
        return y + x;
}

int takes_parameters(int n, ...)
{
        va_list args;
        int total = 0;

        va_start(args, n);
        for (int i = 0; i < n; i++)
                total += leaf(va_arg(args, int));
        va_end(args);
        return total;
}

struct big {
        int items[40];
};

struct big returns_struct(int x)
{
        struct big big;

        for (int i = 0; i < 40; i++)
                big.items[i] = leaf(x + i / 20);
        return big;
}

int begin(void)
{
        struct big big = returns_struct(1);

        return many_registers(1, 2, 3, 4, 5, 6) + big_stack(1) + pages(2) + middle_stack(3) +
               dynamic_stack(4) + aligned_stack(5) + (int)doubles(1, 2, 3) + (int)both(1, 2) + jumps(1) +
               recursion(2) + early_return(3) + takes_parameters(3, 1, 2, 3) + big.items[1];
}
