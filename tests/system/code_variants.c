/* Compiled by test_code_diff.py in variants: one line changed, and the functions, which the marks divide,
 * in another order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT __attribute__((noinline))

static int table[64];
static int n_calls;
static const char *const words[] = {"alpha", "beta", "gamma", "delta"};

KEPT int add(int a, int b);
KEPT static int hidden(int a);
KEPT int sum(const int *v, int n);
KEPT int choose(int k, int x);
KEPT double scale(double d);
KEPT void fill(void);
KEPT const char *name_of(int k);
KEPT void check(int k);

/* --- */
KEPT int add(int a, int b)
{
        return a + b * 3;
}
/* --- */
KEPT static int hidden(int a)
{
        static int seen;

        seen++;
        return table[a & 63] + seen + n_calls;
}
/* --- */
KEPT int sum(const int *v, int n)
{
        int s = 0;

        for (int i = 0; i < n; i++)
                s += v[i] * 5;
        return s;
}
/* --- */
KEPT int choose(int k, int x)
{
        n_calls++;
        switch (k) {
        case 0: return x + 1;
        case 1: return x * 7 - 2;
        case 2: puts("two"); return add(x, 2);
        case 3: return hidden(x);
        case 4: return x / 3;
        case 5: puts(words[x & 3]); return 5;
        case 6: return (int)strlen(words[x & 3]);
        case 7: return x << 3;
        default: return -1;
        }
}
/* --- */
KEPT double scale(double d)
{
        return d * 1.5 + 0.25;
}
/* --- */
KEPT void fill(void)
{
        for (int i = 0; i < 64; i++)
                table[i] = i * i;
}
/* --- */
KEPT const char *name_of(int k)
{
        return k ? "a text of the first kind" : "another text";
}
/* --- */
KEPT void check(int k)
{
        if (__builtin_expect(k > 100000, 0)) {
                printf("%s: %d is too large\n", name_of(k), k);
                abort();
        }
}
/* --- */
int main(int argc, char **argv)
{
        int s = 0;

        (void)argv;
        fill();
        for (int i = 0; i < argc * 1000; i++) {
                check(i);
                s += choose(i & 7, i);
        }
        printf("%d %f %d %s\n", s, scale(s), sum(table, 64), name_of(s));
        return hidden(argc) == 0;
}
