/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts of WindowsPerf's driver, which tells the sums as they were at its last tick. */
#include <windows.h>

#include <inttypes.h>
#include <stdlib.h>

#include "mem.h"
#include "os.h"
#include "windows_backend_internal.h"
#include "windows_wperfdriver.h"
#include "wperfdriver_answers.h"

/* A tick is expected after 0.2 s; a machine may be busy. */
#define TICK_LIMIT_NS UINT64_C(5000000000)
enum { TICK_POLL_MS = 2 };

/* The driver of version 3.8 refuses requests for 128 cores. */
enum { CORES_IN_REQUEST = 127 };

static void *open_driver(struct err *err)
{
        /* The lock was taken by force, if it had to be, when the driver was first asked. */
        return wperfdriver_open(false, err);
}

static void free_driver(void *driver)
{
        wperfdriver_free(driver);
}

static const struct kernel_driver *get_facts(const void *driver)
{
        return wperfdriver_get_facts(driver);
}

/* Sends a request for all cores. */
static bool control(struct driver_counts *d, enum wperfdriver_request request, struct err *err)
{
        for (size_t i = 0; i < d->n_cores; i += CORES_IN_REQUEST) {
                struct wperfdriver_control to = {
                        .period_ms = (int32_t)d->period_ms,
                        .dmc = UINT8_MAX,
                        .flags = WPERFDRIVER_FLAG_CORE,
                };

                for (size_t k = i; k < d->n_cores && to.n_cores < CORES_IN_REQUEST; k++)
                        to.cores[to.n_cores++] = (uint8_t)d->cores[k].cpu;
                if (!wperfdriver_ask(d->driver, request, &to, sizeof(to), NULL, 0, err))
                        return false;
        }
        return true;
}

static bool assign(struct driver_counts *d, struct err *err)
{
        const struct wperfdriver_events header = {.class = WPERFDRIVER_CORE,
                                                  .n = (uint16_t)d->schedule.n_slots};
        AUTO_RELEASE(buf) message = {0};

        if (!control(d, WPERFDRIVER_STOP, err))
                return false;
        for (size_t i = 0; i < d->n_cores; i++) {
                const struct wperfdriver_assign to = {.core = d->cores[i].cpu, .filter_bits = d->filter_bits};

                buf_clear(&message);
                buf_add(&message, &to, sizeof(to));
                buf_add(&message, &header, sizeof(header));
                for (size_t k = 0; k < d->schedule.n_slots; k++)
                        buf_add_u16(&message, (uint16_t)d->schedule.slots[k].code);
                if (!wperfdriver_ask(d->driver, WPERFDRIVER_ASSIGN_EVENTS, message.data, message.len, NULL, 0,
                                     err))
                        return false;
        }
        return true;
}

static bool start(struct driver_counts *d, struct err *err)
{
        return control(d, WPERFDRIVER_RESET, err) && control(d, WPERFDRIVER_START, err);
}

static void set_sum(struct driver_sum *sum, const struct wperfdriver_count *count)
{
        sum->value = count->value;
        sum->scheduled = count->scheduled;
}

static bool take_counts(struct driver_counts *d, struct driver_core *core,
                        const struct wperfdriver_counts *counts, struct err *err)
{
        uint16_t codes[SCHEDULE_CORE_MAX] = {0};
        size_t n = d->schedule.n_slots;
        struct wperfdriver_sums sums;

        for (size_t i = 0; i < n && i < N_ELEMENTS(codes); i++)
                codes[i] = (uint16_t)d->schedule.slots[i].code;
        if (!wperfdriver_read_counts(counts, codes, n, core->cpu, &sums, err))
                return false;
        for (size_t i = 0; i < n; i++) {
                if (d->schedule.slots[i].event != UINT32_MAX)
                        set_sum(&core->sums[d->schedule.slots[i].event], sums.events[i]);
        }
        for (size_t i = 0; sums.cycles && i < d->n_events; i++) {
                if (d->events[i].is_cycles)
                        set_sum(&core->sums[i], sums.cycles);
        }
        core->round = sums.round;
        return true;
}

static bool read_core(struct driver_counts *d, struct driver_core *core, struct err *err)
{
        const struct wperfdriver_control from = {
                .n_cores = 1,
                .cores = {(uint8_t)core->cpu},
                .period_ms = (int32_t)d->period_ms,
                .dmc = UINT8_MAX,
                .flags = WPERFDRIVER_FLAG_CORE,
        };
        struct wperfdriver_counts counts;

        return wperfdriver_ask(d->driver, WPERFDRIVER_READ_COUNTING, &from, sizeof(from), &counts,
                               sizeof(counts), err) &&
               take_counts(d, core, &counts, err);
}

static bool wait_for_tick(struct driver_counts *d, struct driver_core *core, uint64_t before,
                          uint64_t deadline_ns, struct err *err)
{
        while (core->round <= before) {
                if (os_monotonic_ns() > deadline_ns)
                        return err_set(err, ERR_IO,
                                       "WPERFDRIVER did not tick on core %" PRIu32
                                       " for %d s: its counts are incomplete",
                                       core->cpu, (int)(TICK_LIMIT_NS / 1000000000));
                Sleep(TICK_POLL_MS);
                if (!read_core(d, core, err))
                        return false;
        }
        return true;
}

static bool stop(struct driver_counts *d, struct err *err)
{
        uint64_t deadline_ns = os_monotonic_ns() + TICK_LIMIT_NS;
        uint64_t *before = mem_new(d->n_cores, sizeof(*before));
        bool ok = driver_counts_read(d, err);

        for (size_t i = 0; i < d->n_cores; i++)
                before[i] = d->cores[i].round;
        for (size_t i = 0; ok && i < d->n_cores; i++)
                ok = wait_for_tick(d, &d->cores[i], before[i], deadline_ns, err);
        free(before);
        /* Stop in any case; the first error counts. */
        return control(d, WPERFDRIVER_STOP, ok ? err : NULL) && ok;
}

static void abandon(struct driver_counts *d)
{
        control(d, WPERFDRIVER_STOP, NULL);
}

const struct driver_backend backend_wperfdriver = {
        .name = "WPERFDRIVER",
        .open = open_driver,
        .free = free_driver,
        .get_facts = get_facts,
        .assign = assign,
        .start = start,
        .read_core = read_core,
        .stop = stop,
        .abandon = abandon,
};
