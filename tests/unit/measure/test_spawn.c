/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands that a process between starts and waits for. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux_processes.h"
#include "tap.h"

static void wait_for_command(void *ctx, pid_t command, struct command_end *end)
{
        struct rusage usage;
        int status;

        wait4(command, &status, 0, &usage);
        spawn_tell_end(end, status, &usage);
        spawn_end_as(status);
}

static const struct spawn_parent between = {wait_for_command, NULL};

static void start(struct child *child, const char *script)
{
        const char *const argv[] = {"/bin/sh", "-c", script, NULL};
        const struct spawned_command command = {.argv = (char *const *)argv};

        EXPECT_TRUE(spawn_prepare(child, &command, &between, NULL));
        EXPECT_TRUE(child->pid > 0 && child->parent > 0 && child->pid != child->parent);
}

/* How the process between ended. */
static int end_of_parent(const struct child *child)
{
        int status = -1;

        return waitpid(child->parent, &status, 0) == child->parent ? status : -1;
}

TEST(the_process_between_tells_the_status)
{
        struct child child;

        start(&child, "test $PPID != 1 && exit 7");
        EXPECT_TRUE(!spawn_reap(&child, false)); /* it waits */
        EXPECT_TRUE(spawn_go(&child, "sh", NULL));
        EXPECT_TRUE(spawn_reap(&child, true));
        EXPECT_INT(spawn_exit_status(&child), 7);
        EXPECT_CMP(child.user_ns + child.kernel_ns, >, 0);
        EXPECT_TRUE(!child.status_unknown);
        spawn_release(&child);
}

TEST(it_ends_as_the_command)
{
        struct child child;

        start(&child, "exit 9");
        spawn_go(&child, "sh", NULL);
        EXPECT_INT(end_of_parent(&child), 9 << 8);
        spawn_release(&child);
        start(&child, "kill -KILL $$");
        spawn_go(&child, "sh", NULL);
        EXPECT_INT(end_of_parent(&child), SIGKILL);
        spawn_release(&child);
}

TEST(a_command_that_is_ended)
{
        struct child child;

        start(&child, "sleep 1000");
        spawn_go(&child, "sh", NULL);
        spawn_kill(&child, SIGTERM);
        EXPECT_TRUE(spawn_reap(&child, true));
        EXPECT_INT(spawn_exit_status(&child), 128 + SIGTERM);
        spawn_kill(&child, SIGTERM); /* has no effect */
        spawn_release(&child);
}

TEST(a_command_that_never_began)
{
        struct child child;
        int status;

        start(&child, "exit 9");
        close(child.go_fd); /* as when wperf is killed */
        child.go_fd = -1;
        status = end_of_parent(&child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 125);
        spawn_release(&child);
        start(&child, "exit 9");
        spawn_release(&child);
        EXPECT_INT(child.pid, 0);
}

TEST(a_process_between_that_is_killed)
{
        struct child child;

        start(&child, "exit 9");
        kill(child.parent, SIGKILL);
        spawn_go(&child, "sh", NULL);
        EXPECT_TRUE(spawn_reap(&child, true)); /* the command's end is seen, its status is not */
        EXPECT_TRUE(child.status_unknown);
        EXPECT_INT(spawn_exit_status(&child), 125);
        spawn_release(&child);
}

TAP_MAIN
