/* SPDX-License-Identifier: BSD-3-Clause */
#include "os_asker.h"

#include <sys/stat.h>
#include <unistd.h>

#include "os.h"
#include "tap.h"

enum { SOON_NS = 50000000 };

static void ask(void *ctx)
{
        *(bool *)ctx = os_asker_reads("/proc/self/cmdline");
}

/* Nobody writes to the FIFO, so opening it waits. The child that was asked first ends with the thread
 * that asked. */
TEST(questions_of_two_threads)
{
        const char *fifo = "test_os_asker.tmp";
        bool reads = false;

        unlink(fifo);
        ASSERT_TRUE(!mkfifo(fifo, 0600));
        os_task_join(os_task_start(ask, &reads));
        EXPECT_TRUE(reads);
        os_sleep(SOON_NS);
        EXPECT_TRUE(!os_asker_reads(fifo));
        EXPECT_TRUE(os_asker_reads("/proc/self/cmdline"));
        EXPECT_TRUE(os_asker_reads("/no/such/file"));
        unlink(fifo);
}

TAP_MAIN
