/* SPDX-License-Identifier: BSD-3-Clause */
/* What was read of a waiting thread has its call's number. Of a stack, the function of the kernel that is
 * named after the call says it. */
#include "syscall_waits.h"

#include <string.h>

#include "text.h"
#include "wait_functions.h"
#include "wall_making.h"

enum { MAX_FUNCTIONS = 128 };

/* "futex" of "__x64_sys_futex"; SYSCALL_NONE if it is no such function. The last ones are called by those
 * that are named first, which are not on the stack if the compiler made a jump of that call. */
static int32_t number_of_function(enum arch_id arch, const char *name)
{
        static const char *const begins[] = {"__x64_sys_", "__arm64_sys_", "__se_sys_", "__do_sys_",
                                             "ksys_",      "kernel_",      "do_"};

        for (size_t i = 0; i < N_ELEMENTS(begins); i++) {
                if (text_starts(name, begins[i]))
                        return syscall_name_number(arch, name + strlen(begins[i]));
        }
        return SYSCALL_NONE;
}

/* The outermost one: inside, the kernel may call what other calls have, too. */
static int32_t number_of_stack(const struct wall_making *m, uint32_t node)
{
        struct wait_function functions[MAX_FUNCTIONS];
        size_t n = wait_functions_of(m->request->named, node, functions, MAX_FUNCTIONS);
        int32_t number = SYSCALL_NONE;

        for (size_t i = 0; i < n && functions[i].is_kernel; i++) {
                int32_t found = number_of_function(m->request->arch, functions[i].name);

                number = found != SYSCALL_NONE ? found : number;
        }
        return number;
}

/* SYSCALL_NONE if it is not known. Many waits have the same stack. */
static int32_t number_of(const struct wall_making *m, const struct wall_reading *r, struct map *by_node)
{
        const struct wait_reading *reading;
        uint64_t *known;
        bool is_new;

        if (m->request->waits && !r->is_switch && !r->is_given) {
                reading = wait_section_find(m->request->waits, r->tid, r->time_ns);
                return reading ? reading->number : SYSCALL_NONE;
        }
        known = map_put(by_node, r->node, &is_new);
        if (is_new)
                *known = (uint32_t)number_of_stack(m, r->node);
        return (int32_t)(uint32_t)*known;
}

static void add_unknown(const struct wall_making *m, struct syscall_rows *rows)
{
        const struct wall_request *request = m->request;

        for (size_t i = 0; i < m->pieces->n_stackless; i++) {
                const struct wall_piece *piece = &m->pieces->stackless[i];
                bool is_wait = piece->state < WAIT_N_KINDS && piece->state != WAIT_KIND_ON_CPU;

                if (is_wait && request->counts_wait(request->ctx, piece->pid, piece->tid, piece->state))
                        rows->unknown_ns += wall_making_part(m, piece->from_ns, piece->to_ns, piece->ns);
        }
}

struct syscall_rows *syscall_waits_new(struct wall_making *m)
{
        const struct wall_request *request = m->request;
        const struct syscall_naming naming = {request->arch,
                                              {request->waiters_by, request->thread_name, request->ctx}};
        struct syscall_rows *rows = syscall_rows_new();
        struct map by_node = {0};

        rows->is_waits = true;
        for (size_t i = 0; i < m->n_readings; i++) {
                const struct wall_reading *r = &m->readings[i];
                uint64_t ns = wall_making_part(m, r->from_ns, r->to_ns, r->weight_ns);
                int32_t number;

                if (!ns || !request->counts_wait(request->ctx, r->pid, r->tid, r->kind))
                        continue;
                number = number_of(m, r, &by_node);
                if (number == SYSCALL_NONE && r->kind != WAIT_KIND_FAULT)
                        rows->unknown_ns += ns;
                else
                        syscall_rows_add(rows, &(struct syscall_row){.pid = r->pid,
                                                                     .tid = r->tid,
                                                                     .number = number,
                                                                     .count = r->n_waits,
                                                                     .total_ns = ns,
                                                                     .longest_ns = wall_making_part(
                                                                             m, r->from_ns, r->to_ns,
                                                                             r->to_ns - r->from_ns)});
        }
        add_unknown(m, rows);
        map_release(&by_node);
        syscall_rows_finish(rows, &naming);
        return rows;
}
