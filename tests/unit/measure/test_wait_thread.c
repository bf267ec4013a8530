/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that waits has not run since its status was read, until it goes on: then it is in another wait,
 * also where that looks the same. */
#include "wait_thread.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os.h"
#include "tap.h"

TEST(a_thread_that_ran_is_another)
{
        const struct wait_thread waits = {.state = 'S', .n_switches = 7};
        const struct wait_thread again = {.state = 'S', .n_switches = 8},
                                 runs = {.state = 'R', .n_switches = 7};

        EXPECT_TRUE(wait_thread_is_same(&waits, &waits));
        EXPECT_TRUE(!wait_thread_is_same(&waits, &again));
        EXPECT_TRUE(!wait_thread_is_same(&waits, &runs));
        EXPECT_TRUE(!wait_thread_is_same(&runs, &runs));
}

/* Answers each byte. */
static void answer(int from, int to)
{
        char byte;

        while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
                ;
        _exit(0);
}

/* Until it waits in read(). */
static bool find_waiting(int32_t pid, struct wait_thread *ret)
{
        for (int i = 0; i < 10000; i++) {
                if (wait_thread_read(pid, pid, ret) && ret->state == 'S' && !ret->is_running)
                        return true;
                os_sleep(1000000);
        }
        return false;
}

TEST(a_process_that_waits_twice_at_the_same_place)
{
        struct wait_thread first, second;
        int ask[2], got[2];
        char byte = 'x';
        pid_t pid;

        ASSERT_TRUE(!pipe(ask) && !pipe(got));
        pid = fork();
        if (!pid) {
                close(ask[1]);
                answer(ask[0], got[1]);
        }
        ASSERT_TRUE(pid > 0 && find_waiting(pid, &first));
        EXPECT_TRUE(wait_thread_waits_on(pid, pid, &first));
        EXPECT_TRUE(write(ask[1], &byte, 1) == 1 && read(got[0], &byte, 1) == 1);
        ASSERT_TRUE(find_waiting(pid, &second));
        EXPECT_TRUE(first.is_refused || first.pc == second.pc);
        EXPECT_TRUE(!wait_thread_waits_on(pid, pid, &first));
        EXPECT_TRUE(wait_thread_waits_on(pid, pid, &second));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        EXPECT_TRUE(!wait_thread_waits_on(pid, pid, &second));
        for (int i = 0; i < 2; i++) {
                close(ask[i]);
                close(got[i]);
        }
}

TAP_MAIN
