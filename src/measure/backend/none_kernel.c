/* SPDX-License-Identifier: BSD-3-Clause */
/* Sampling on Windows, where the kernel opens no events for wperf. */
#include "kernel.h"

#include "text.h"
#include "windows_wperfdriver.h"

static const char timer_note[] =
        "a timer looks which threads ran and suspends each for a moment; needs no rights";

bool kernel_probe(const struct event_list *events, bool are_default, struct kernel_probed *ret,
                  struct err *err)
{
        uint16_t number;

        if (!are_default && events->n_items && kernel_get_driver() &&
            wperfdriver_event_number(&events->items[0], &number)) {
                *ret = (struct kernel_probed){0};
                text_copy(ret->event, sizeof(ret->event), events->items[0].name);
                return true;
        }
        if (!are_default && (events->n_items != 1 || !perf_attr_is_clock(&events->items[0].attr)))
                return err_set(err, ERR_UNSUPPORTED, "on Windows a timer samples CPU time only: cpu-clock");
        *ret = (struct kernel_probed){.event = "cpu-clock"};
        text_copy(ret->note, sizeof(ret->note), timer_note);
        return true;
}

struct kernel_rights kernel_get_rights(void)
{
        return (struct kernel_rights){
                .samples_all = true, .samples_kernel = true, .traces_all = true, .sees_kernel_names = true};
}

bool kernel_has_samples(void)
{
        return false;
}

/* That of both drivers. */
uint64_t kernel_longest_interval(void)
{
        return UINT32_MAX;
}

uint64_t kernel_attached_hz(void)
{
        return 0;
}

/* That of the recorder's timer. */
uint64_t kernel_highest_hz(void)
{
        return 100000;
}

static const char *describe_source(const struct event *event)
{
        uint16_t number;

        if (perf_attr_is_clock(&event->attr))
                return timer_note;
        return wperfdriver_event_number(event, &number) ? "WPERFDRIVER samples it on one CPU"
                                                        : "can't be sampled on Windows";
}

void kernel_describe(const struct collect_request *request, struct buf *out)
{
        for (size_t i = 0; i < request->events->n_items; i++) {
                const struct event *event = &request->events->items[i];

                buf_printf(out, "event %s: %s\n", event->name, describe_source(event));
                event_describe_attr(&event->attr, out);
                buf_add_char(out, '\n');
        }
}
