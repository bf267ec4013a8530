/* SPDX-License-Identifier: BSD-3-Clause */
/* The test harness: named tests that register themselves, expectations, skips with a reason, TAP on
 * standard output.  One test program is one .c file with TAP_MAIN at its end. */
#ifndef TAP_H
#define TAP_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct tap_test {
        const char *name;
        void (*run)(void);
        struct tap_test *next;
};

static struct tap_test *tap_first;
__attribute__((unused)) static struct tap_test **tap_last = &tap_first;
static bool tap_failed;
static const char *tap_skip_reason;

/* TEST(name) { ... } */
#define TEST(id)                                                                                             \
        static void test_##id(void);                                                                         \
        __attribute__((constructor)) static void tap_register_##id(void)                                     \
        {                                                                                                    \
                static struct tap_test test = {#id, test_##id, NULL};                                        \
                *tap_last = &test;                                                                           \
                tap_last = &test.next;                                                                       \
        }                                                                                                    \
        static void test_##id(void)

/* Ends the test as skipped; `reason` names what is missing. */
#define SKIP(reason)                                                                                         \
        do {                                                                                                 \
                tap_skip_reason = (reason);                                                                  \
                return;                                                                                      \
        } while (0)

#define TAP_FAIL(...)                                                                                        \
        do {                                                                                                 \
                tap_failed = true;                                                                           \
                printf("# %s:%d: ", __FILE__, __LINE__);                                                     \
                printf(__VA_ARGS__);                                                                         \
                printf("\n");                                                                                \
        } while (0)

/* A test continues after a failed expectation; ASSERT_TRUE ends it. */
#define EXPECT_TRUE(cond)                                                                                    \
        do {                                                                                                 \
                if (!(cond))                                                                                 \
                        TAP_FAIL("not true: %s", #cond);                                                     \
        } while (0)

#define ASSERT_TRUE(cond)                                                                                    \
        do {                                                                                                 \
                if (!(cond)) {                                                                               \
                        TAP_FAIL("not true: %s", #cond);                                                     \
                        return;                                                                              \
                }                                                                                            \
        } while (0)

__attribute__((unused)) static void tap_show(const char *text, bool is_double, double number, long long value)
{
        if (is_double)
                printf("# %s is %g\n", text, number);
        else
                printf("# %s is %lld (0x%llx)\n", text, value, (unsigned long long)value);
}

#define TAP_CHOOSE(v, of_double, otherwise)                                                                  \
        _Generic((v), float : (of_double), double : (of_double), default : (otherwise))
#define TAP_SHOW(v) tap_show(#v, TAP_CHOOSE(v, true, false), TAP_CHOOSE(v, v, 0), (long long)(v))

/* EXPECT_CMP(n, >, 3) shows both sides where it fails; they are evaluated again for that. */
#define EXPECT_CMP(a, op, b)                                                                                 \
        do {                                                                                                 \
                if (!((a)op(b))) {                                                                           \
                        TAP_FAIL("not true: %s %s %s", #a, #op, #b);                                         \
                        TAP_SHOW(a);                                                                         \
                        TAP_SHOW(b);                                                                         \
                }                                                                                            \
        } while (0)

#define ASSERT_CMP(a, op, b)                                                                                 \
        do {                                                                                                 \
                if (!((a)op(b))) {                                                                           \
                        EXPECT_CMP(a, op, b);                                                                \
                        return;                                                                              \
                }                                                                                            \
        } while (0)

#define EXPECT_INT(got, want)                                                                                \
        do {                                                                                                 \
                long long tap_got = (long long)(got), tap_want = (long long)(want);                          \
                if (tap_got != tap_want)                                                                     \
                        TAP_FAIL("%s is %lld (0x%llx), want %lld (0x%llx)", #got, tap_got,                   \
                                 (unsigned long long)tap_got, tap_want, (unsigned long long)tap_want);       \
        } while (0)

#define EXPECT_STR(got, want)                                                                                \
        do {                                                                                                 \
                const char *tap_got = (got), *tap_want = (want);                                             \
                if (!tap_got || strcmp(tap_got, tap_want))                                                   \
                        TAP_FAIL("%s is '%s', want '%s'", #got, tap_got ? tap_got : "(null)", tap_want);     \
        } while (0)

#define EXPECT_CONTAINS(got, want)                                                                           \
        do {                                                                                                 \
                const char *tap_got = (got), *tap_want = (want);                                             \
                if (!tap_got || !strstr(tap_got, tap_want))                                                  \
                        TAP_FAIL("%s is '%s', lacks '%s'", #got, tap_got ? tap_got : "(null)", tap_want);    \
        } while (0)

__attribute__((unused)) static int tap_run_all(void)
{
        int n = 0, n_failed = 0, at = 0;

        for (struct tap_test *t = tap_first; t; t = t->next)
                n++;
        printf("1..%d\n", n);
        for (struct tap_test *t = tap_first; t; t = t->next) {
                tap_failed = false;
                tap_skip_reason = NULL;
                t->run();
                n_failed += tap_failed;
                printf("%sok %d - %s", tap_failed ? "not " : "", ++at, t->name);
                if (tap_skip_reason && !tap_failed)
                        printf(" # SKIP %s", tap_skip_reason);
                printf("\n");
                fflush(stdout);
        }
        return n_failed ? 1 : 0;
}

#define TAP_MAIN                                                                                             \
        int main(void)                                                                                       \
        {                                                                                                    \
                return tap_run_all();                                                                        \
        }

#endif
