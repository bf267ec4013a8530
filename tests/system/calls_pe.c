/* SPDX-License-Identifier: BSD-3-Clause */
/* A Windows program whose call graph is known: calls_pe.exe ROUNDS.  Each path has frames of another kind,
 * and is short, so that many samples are in prologues and epilogues.  test_wine.py builds it and has the
 * paths. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#define NOINLINE __attribute__((noinline))

/* Code after a call prevents a tail call. */
static volatile int sink;
static volatile double fraction = 1.5;
static volatile int sizes[] = {64, 3000};

NOINLINE static int burn(int x)
{
        for (int i = 0; i < 20; i++)
                x += x >> 3 ^ i;
        return x;
}

/* --- Saved registers --- */

NOINLINE static int inner(int a, int b, int c, int d)
{
        int v = burn(a), w = burn(b), x = burn(c), y = burn(d);

        return v + w * 2 + x * 3 + y * 5 + a;
}

NOINLINE static int outer(int a)
{
        int v = inner(a, 1, 2, 3);

        return v + inner(v, a, 4, 5);
}

/* --- A frame register --- */

NOINLINE static int with_alloca(int n)
{
        volatile char *room = __builtin_alloca((size_t)n);

        room[0] = (char)n;
        return burn(n) + room[0];
}

/* --- A frame of pages --- */

NOINLINE static int with_pages(int x)
{
        volatile char room[20000];

        room[x & 1023] = (char)x;
        return burn(x) + room[x & 1023];
}

/* --- Vector registers --- */

NOINLINE static double with_doubles(double a, double b)
{
        double x = a * fraction, y = b * fraction;

        sink = burn(1);
        x += y;
        sink = burn(2);
        return x * y + fraction;
}

/* --- Calls that are jumps --- */

NOINLINE static int jumped_to(int x)
{
        return burn(x) + 1;
}

static int (*volatile chosen)(int) = jumped_to;

NOINLINE static int jumps(int x)
{
        int y = burn(x);

        return chosen(y);
}

/* --- Recursion --- */

NOINLINE static int descend(int depth)
{
        int value = depth ? descend(depth - 1) : burn(depth);

        return value + sink;
}

/* --- Through a library and back --- */

NOINLINE static int compare(const void *a, const void *b)
{
        return burn(*(const int *)a) - burn(*(const int *)b);
}

NOINLINE static void sort_some(void)
{
        int numbers[8] = {5, 2, 9, 1, 7, 3, 8, 4};

        qsort(numbers, 8, sizeof(*numbers), compare);
        sink += numbers[0];
}

NOINLINE static void print_some(void)
{
        char text[80];

        sink += snprintf(text, sizeof(text), "%d %s %.3f", sink, "text", fraction);
}

/* --- Into the system --- */

NOINLINE static void ask_system(void)
{
        MEMORY_BASIC_INFORMATION info;

        VirtualQuery((void *)&sink, &info, sizeof(info));
        sink += (int)info.State;
}

/* A round takes a fraction of a millisecond. */
NOINLINE static int work(int n_rounds)
{
        int sum = 0;

        while (n_rounds--) {
                for (int i = 0; i < 200; i++) {
                        sum += outer(i) + with_alloca(sizes[i & 1]) + with_pages(i);
                        sum += (int)with_doubles(i, 2) + jumps(i) + descend(10);
                        sort_some();
                        print_some();
                }
                ask_system();
        }
        return sum;
}

static DWORD WINAPI in_thread(void *n_rounds)
{
        sink += work(*(int *)n_rounds);
        return 0;
}

int main(int argc, char **argv)
{
        int n_rounds = argc > 1 ? atoi(argv[1]) : 500;
        HANDLE thread = CreateThread(NULL, 0, in_thread, &n_rounds, 0, NULL);

        sink += work(n_rounds);
        WaitForSingleObject(thread, INFINITE);
        return 0;
}
