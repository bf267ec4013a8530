/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds out what the kernel accepts by opening events on this thread and closing them at once. */
#include "err.h"
#include "kernel.h"
#include "linux_events.h"
#include "text.h"

bool kernel_probe(const struct event_list *events, bool are_default, struct kernel_probed *ret,
                  struct err *err)
{
        const struct collect_request request = {.events = events, .events_are_default = are_default};
        const int32_t own_thread = 0;
        struct opened opened;
        bool has_dummy;

        if (!linux_open(&request, &own_thread, 1, false, &opened, err))
                return false;
        has_dummy = opened.n_events > 1 && linux_attr_needs_dummy(&request);
        *ret = (struct kernel_probed){0};
        text_copy(ret->event, sizeof(ret->event), opened.events[has_dummy].event.name);
        text_copy(ret->note, sizeof(ret->note), opened.note);
        opened_release(&opened);
        return true;
}

bool kernel_has_samples(void)
{
        return true;
}

uint64_t kernel_longest_interval(void)
{
        return INT64_MAX;
}

uint64_t kernel_attached_hz(void)
{
        return 99;
}
