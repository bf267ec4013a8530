/* SPDX-License-Identifier: BSD-3-Clause */
/* Attached processes: whether they still run, and their CPU time. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "err.h"
#include "linux_processes.h"
#include "mem.h"

bool watched_attach(struct watched_list *list, const struct target *target, int32_t **ret_tids, size_t *ret_n,
                    struct err *err)
{
        list->items = mem_new(target->n_pids, sizeof(*list->items));
        for (size_t i = 0; i < target->n_pids; i++) {
                struct watched *w = &list->items[list->n++];

                *w = (struct watched){.pid = target->pids[i]};
                w->pid_fd = (int)syscall(SYS_pidfd_open, w->pid, 0);
                if (proc_threads(w->pid, ret_tids, ret_n))
                        continue;
                if (w->pid_fd >= 0)
                        close(w->pid_fd);
                list->n--;
        }
        return list->n || !target->n_pids ||
               err_set(err, ERR_MISSING, "there is no process %" PRId32, target->pids[0]);
}

void watched_release(struct watched_list *list)
{
        for (size_t i = 0; i < list->n; i++) {
                if (list->items[i].pid_fd >= 0)
                        close(list->items[i].pid_fd);
        }
        free(list->items);
}

static bool watched_runs(struct watched *w)
{
        if (w->ended)
                return false;
        proc_cpu_time(w->pid, &w->user_ns, &w->kernel_ns);
        if (w->pid_fd >= 0) {
                struct pollfd fd = {.fd = w->pid_fd, .events = POLLIN};

                w->ended = poll(&fd, 1, 0) > 0;
        } else {
                w->ended = kill(w->pid, 0) && errno == ESRCH;
        }
        return !w->ended;
}

bool watched_run(struct watched_list *list)
{
        bool run = false;

        for (size_t i = 0; i < list->n; i++)
                run |= watched_runs(&list->items[i]);
        return run;
}

void watched_cpu_time(struct watched_list *list, const struct child *child, bool all, uint64_t *ret_user_ns,
                      uint64_t *ret_kernel_ns)
{
        *ret_user_ns = *ret_kernel_ns = 0;
        if (all) {
                proc_cpu_time(-1, ret_user_ns, ret_kernel_ns);
                return;
        }
        if (child->ended) {
                *ret_user_ns = child->user_ns;
                *ret_kernel_ns = child->kernel_ns;
        } else if (child->pid) {
                proc_cpu_time(child->pid, ret_user_ns, ret_kernel_ns);
        }
        for (size_t i = 0; i < list->n; i++) {
                watched_runs(&list->items[i]);
                *ret_user_ns += list->items[i].user_ns;
                *ret_kernel_ns += list->items[i].kernel_ns;
        }
}
