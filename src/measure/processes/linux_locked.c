/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the command line needs the lock, too, but no rights, and who waits there can be killed. */
#include "linux_locked.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "linux_processes.h"
#include "os.h"
#include "os_asker.h"

enum { MAX_LOCKED = 256 };

/* Places are taken from the first one on, and are 0 when they are free again. */
static _Atomic int32_t locked[MAX_LOCKED];
static _Atomic int n_locked;

static int find(int32_t pid)
{
        int n = atomic_load(&n_locked), i = 0;

        while (i < n && atomic_load(&locked[i]) != pid)
                i++;
        return i;
}

bool locked_is(int32_t pid)
{
        return find(pid) < atomic_load(&n_locked);
}

static void print_path(int32_t pid, char path[64])
{
        snprintf(path, 64, "/proc/%" PRId32 "/cmdline", pid);
}

bool locked_ask(int32_t pid)
{
        int at = find(pid), n = atomic_load(&n_locked);
        char path[64];
        bool is_locked;

        print_path(pid, path);
        is_locked = !os_asker_reads(path);
        if (!is_locked && at < n)
                atomic_store(&locked[at], 0);
        if (is_locked && at == n && n < MAX_LOCKED) {
                atomic_store(&locked[n], pid);
                atomic_store(&n_locked, n + 1);
        }
        return is_locked;
}

bool locked_command_line(int32_t pid, size_t limit, struct buf *out)
{
        char path[64];

        print_path(pid, path);
        return !locked_ask(pid) && os_read_file(path, limit, out, NULL);
}

void locked_ask_target(const struct target *target)
{
        size_t n;
        int32_t *all = target->system_wide ? proc_all(&n) : NULL;

        for (size_t i = 0; all && i < n; i++)
                locked_ask(all[i]);
        for (size_t i = 0; i < target->n_pids; i++)
                locked_ask(target->pids[i]);
        free(all);
}

int32_t target_locked(size_t number)
{
        int n = atomic_load(&n_locked);

        for (int i = 0; i < n; i++) {
                int32_t pid = atomic_load(&locked[i]);

                if (pid && !number--)
                        return pid;
        }
        return 0;
}
