/* SPDX-License-Identifier: BSD-3-Clause */
#include "process_choice.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "os.h"
#include "target.h"

/* A bare number may be meant as seconds. */
static bool fail_bare(const struct target_options *o, const char *beside, struct err *err)
{
        const struct number_list *bare = &o->bare_pids;

        if (o->pids.n)
                return err_set(err, ERR_USAGE,
                               "'%" PRIu64 "' and -p cannot be used together: for %" PRIu64
                               " seconds write -d %" PRIu64 ", for two processes -p %" PRIu64 ",%" PRIu64,
                               bare->numbers[0], bare->numbers[0], bare->numbers[0], o->pids.numbers[0],
                               bare->numbers[0]);
        return err_set(err, ERR_USAGE,
                       "'%" PRIu64 "' and %s cannot be used together: for %" PRIu64
                       " seconds write -d %" PRIu64 ", for a process -p %" PRIu64 " without %s",
                       bare->numbers[0], beside, bare->numbers[0], bare->numbers[0], bare->numbers[0],
                       beside);
}

static bool check_bare(const struct target_options *o, struct err *err)
{
        if (!o->bare_pids.n)
                return true;
        if (o->pids.n || o->all_cpus || o->cpus.n)
                return fail_bare(o, o->all_cpus ? "-a" : "-c", err);
        return (!o->comm && !o->cgroup) || fail_bare(o, o->comm ? "--comm" : "--cgroup", err);
}

static bool check_alone(const struct target_options *o, struct err *err)
{
        const char *other = o->pids.n ? "-p" : o->all_cpus ? "-a" : NULL;

        if (o->pids.n && o->all_cpus)
                return err_set(err, ERR_USAGE,
                               "-p and -a cannot be used together: -a measures all processes; leave one out");
        if (o->cgroup && (other || o->comm))
                return err_set(err, ERR_USAGE, "--cgroup and %s cannot be used together",
                               other ? other : "--comm");
        return !o->comm || !other || err_set(err, ERR_USAGE, "--comm and %s cannot be used together", other);
}

static bool check_process(int32_t pid, bool is_bare, struct err *err)
{
        switch (target_kind_of(pid)) {
        case TARGET_PROCESS: return true;
        case TARGET_NO_PROCESS:
                if (is_bare)
                        return err_set(err, ERR_MISSING,
                                       "no process %" PRId32
                                       "; to run a program of that name write -- %" PRId32,
                                       pid, pid);
                return err_set(err, ERR_MISSING, "there is no process %" PRId32, pid);
        case TARGET_HAS_ENDED:
                return err_set(err, ERR_MISSING,
                               "process %" PRId32
                               " has ended (a zombie: its parent has not asked for its status)",
                               pid);
        case TARGET_KERNEL_THREAD:
                if (is_bare)
                        return err_set(err, ERR_USAGE,
                                       "process %" PRId32 " is a kernel thread: for %" PRId32
                                       " seconds write -d %" PRId32 "; to sample it write -k -p %" PRId32,
                                       pid, pid, pid, pid);
                return true;
        case TARGET_HIDDEN:
                return err_set(err, ERR_DENIED,
                               "process %" PRId32
                               " is hidden from you (/proc is mounted with hidepid): run wperf as root",
                               pid);
        }
        return true;
}

static void add_children(const struct target_options *o, struct process_choice *c)
{
        size_t before = c->n_pids;

        target_add_children(&c->pids, &c->n_pids, NULL, 0);
        if (o->subprocesses)
                return;
        c->n_children = c->n_pids - before;
        c->n_pids = before;
}

void process_choice_take(const struct target_options *o, int32_t *pids, size_t n, struct process_choice *ret)
{
        assert(pids || !n);
        *ret = (struct process_choice){.pids = pids, .n_pids = n};
        if (n)
                add_children(o, ret);
}

static bool take_pids(const struct number_list *given, bool is_bare, struct process_choice *ret,
                      struct err *err)
{
        ret->pids = cmd_pids(given);
        for (size_t i = 0; i < given->n; i++) {
                int32_t pid = ret->pids[i];
                bool is_known = false;

                if (!check_process(pid, is_bare, err))
                        return false;
                for (size_t k = 0; k < ret->n_pids; k++)
                        is_known |= ret->pids[k] == pid;
                if (!is_known)
                        ret->pids[ret->n_pids++] = pid;
        }
        return true;
}

bool process_choice_make(const struct target_options *o, struct process_choice *ret, struct err *err)
{
        const struct number_list *given = o->bare_pids.n ? &o->bare_pids : &o->pids;

        *ret = (struct process_choice){0};
        if (!check_bare(o, err) || !check_alone(o, err))
                return false;
        if (o->cgroup) {
                ret->cgroup_fd = target_open_cgroup(o->cgroup, &ret->cgroup, err);
                return ret->cgroup_fd >= 0;
        }
        if (given->n && !take_pids(given, o->bare_pids.n, ret, err))
                return false;
        if (o->comm && !target_find_comm(o->comm, &ret->pids, &ret->n_pids, err))
                return false;
        if (ret->n_pids)
                add_children(o, ret);
        return true;
}

void process_choice_release(struct process_choice *choice)
{
        free(choice->pids);
        if (choice->cgroup.len)
                os_close_descriptor(choice->cgroup_fd);
        buf_release(&choice->cgroup);
}

void process_choice_add_note(const struct process_choice *choice, struct buf *out)
{
        if (choice->cgroup.len)
                buf_printf(out, "only processes of the control group %s", buf_text(&choice->cgroup));
        if (choice->n_children)
                buf_printf(out, "%zu child process%s run%s already; --subprocesses measures %s, too",
                           choice->n_children, choice->n_children == 1 ? "" : "es",
                           choice->n_children == 1 ? "s" : "", choice->n_children == 1 ? "it" : "them");
}
