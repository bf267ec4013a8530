/* SPDX-License-Identifier: BSD-3-Clause */
/* A Windows program that needs no library: works for a while in two functions, the first with twice the
 * work of the second, then ends.  test_wine.py builds it. */
typedef unsigned long long u64;

enum { ROUNDS = 1200, HOT = 400000, WARM = HOT / 2 };

volatile u64 sink;

static __inline u64 mix(u64 x)
{
        x ^= x >> 33;
        x *= 0xff51afd7ed558ccd;
        return x ^ x >> 29;
}

__declspec(noinline) static void hot_work(u64 n)
{
        for (u64 i = 0; i < n; i++)
                sink = mix(sink + i);
}

__declspec(noinline) static void warm_work(u64 n)
{
        for (u64 i = 0; i < n; i++)
                sink = mix(sink + i);
}

int begin(void)
{
        for (int i = 0; i < ROUNDS; i++) {
                hot_work(HOT);
                warm_work(WARM);
        }
        return 7;
}
