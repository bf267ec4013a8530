/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out whether threads can't be stopped, but can be read: process_vm_readv(2) has ptrace's own check of
 * rights, but needs no attachment, which only one program at a time can have. */
#include <inttypes.h>
#include <sys/uio.h>
#include <unistd.h>

#include "linux_processes.h"
#include "peek_engine.h"
#include "stop_engine.h"
#include "stop_refusal.h"

static bool may_read(void)
{
        char from = 1, to = 0;
        struct iovec local = {&to, 1}, remote = {&from, 1};

        return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
}

const char *peek_engine_lacks(const struct collect_request *request)
{
        if (request->children == COLLECT_PER_THREAD)
                return "it needs a ring for each CPU, not for each thread, as --per-thread asks";
        if (linux_attr_has_spe(request))
                return "it can't be used with AUX area tracing";
        if ((!request->target.argv || request->target.system_wide) && stop_refusal_of_running(false))
                return stop_refusal_of_running(false);
        if (!may_read())
                return "a seccomp filter, as container engines set one, blocks process_vm_readv: allow it (podman run --cap-add SYS_PTRACE)";
        return stop_engine_lacks_stacks(request);
}

bool peek_engine_is_needed(const int32_t *pids, size_t n_pids, struct buf *ret_why)
{
        if (!may_read())
                return false;
        if (stop_refusal_blocks_ptrace()) {
                buf_add_str(ret_why, "a seccomp filter blocks ptrace");
                return true;
        }
        if (stop_refusal_lacks_events() && !stop_refusal_of_any()) {
                buf_add_str(ret_why, STOP_REFUSAL_NO_EVENTS);
                return true;
        }
        for (size_t i = 0; i < n_pids; i++) {
                int32_t tracer = stop_refusal_tracer(pids[i]);
                AUTO_RELEASE(buf) name = {0};

                if (tracer <= 0)
                        continue;
                proc_comm(tracer, &name);
                buf_printf(ret_why, "%s (%" PRId32 ") traces process %" PRId32 " already", buf_text(&name),
                           tracer, pids[i]);
                return true;
        }
        return false;
}
