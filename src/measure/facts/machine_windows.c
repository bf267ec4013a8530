/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows that only Windows has: what is sampled there. */
#include "kernel.h"
#include "machine_internal.h"

void machine_add_windows(struct machine_rows *rows)
{
        struct kernel_probed probe;
        struct event_list none = {0};
        AUTO_RELEASE(buf) text = {0};
        struct err err = {0};

        if (kernel_probe(&none, true, &probe, &err))
                buf_printf(&text, "%s at %d Hz: %s", probe.event, MACHINE_SAMPLE_HZ, probe.note);
        else
                buf_printf(&text, "none: %s", err.text);
        machine_add(rows, "windows.version", rows->machine.os_release);
        machine_add(rows, "windows.sampling_default", buf_text(&text));
}
