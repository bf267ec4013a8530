/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_traced.h"

#include "arch.h"
#include "os.h"
#include "perfdata_format.h"

void report_traced_begin(struct report_pass *pass)
{
        if (pass->request.filter.needs_states)
                return;
        if (report_wants(pass, REPORT_SYSCALLS))
                pass->report->syscall_log = syscall_log_new(pass->session->reader, &pass->session->budget);
        if (report_wants(pass, REPORT_LOCKS))
                pass->report->lock_log = lock_log_new(pass->session->reader, &pass->session->budget);
        if (pass->report->lock_log)
                pass->request.results |= REPORT_NAMED_STACKS | REPORT_SAMPLES | REPORT_STACKS;
}

bool report_traced_is_on(const struct report_pass *pass)
{
        return pass->report->syscall_log || pass->report->lock_log;
}

void report_traced_take(struct report_worker *w, uint32_t event)
{
        struct report *report = w->pass->report;

        if (report->syscall_log)
                syscall_log_take(report->syscall_log, event, &w->sample, report_accepts(w));
        if (report->lock_log)
                lock_log_take(report->lock_log, event, &w->sample, report_accepts(w));
}

const char *report_traced_thread_name(void *world, int32_t pid, int32_t tid)
{
        const char *name = world_given_name(world, pid, tid);

        return *name ? name : "unknown";
}

enum arch_id report_traced_arch(const struct perfdata_reader *reader)
{
        const char *machine = perfdata_feature_str(reader, FEATURE_ARCH);
        const struct arch *arch;
        struct os_machine own;

        os_machine_get(&own);
        arch = arch_from_machine(machine ? machine : own.arch);
        return arch ? arch->id : 0;
}

void report_traced_end(struct report_pass *pass)
{
        struct report *report = pass->report;
        const struct syscall_naming naming = {
                .arch = report_traced_arch(pass->session->reader),
                .waiters = {pass->request.waiters_by, report_traced_thread_name, pass->session->world}};

        if (report->syscall_log)
                report->syscalls = syscall_log_rows(report->syscall_log, &naming);
        if (report->lock_log)
                report->locks =
                        lock_log_rows(report->lock_log, report->named, report->samples, &naming.waiters);
}
