/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples that a driver takes when counters of cores overflow. WPERFDRIVER keeps 128 of them, and after one
 * that it had to drop it waits for 2^32 further events, so they are taken often. A sample has an address
 * and no process. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "mem.h"
#include "os.h"
#include "windows_internal.h"
#include "windows_own_driver.h"
#include "windows_wperfdriver.h"
#include "wperfdriver_answers.h"

/* WindowsPerf's interval of events without one. */
#define DEFAULT_INTERVAL 0x4000000u

struct driver_samples {
        struct own_samples *own; /* those of wperf's own driver; then nothing else is used */
        struct wperfdriver *driver;
        uint32_t core;
        size_t n_events;
        uint64_t counters[WPERFDRIVER_COUNTERS]; /* the bit of each event's counter */
        uint32_t intervals[WPERFDRIVER_COUNTERS];
        struct buf sources; /* the message of SAMPLE_SET_SRC */
        struct wperfdriver_samples answer, taken;
        uint32_t next;
        uint64_t time_ns; /* when they were taken */
        uint64_t n_dropped;
        bool runs;
};

static bool add_source(struct driver_samples *s, const struct event *event, struct err *err)
{
        uint64_t interval = event->attr.sample_period_or_freq;
        uint16_t number;

        if (!wperfdriver_event_number(event, &number))
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "'%s' can't be sampled together with events of a core: WPERFDRIVER takes their numbers only",
                        event->name);
        if (event->attr.flags & PERF_ATTR_EXCLUDE_USER)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "'%s': WPERFDRIVER always samples user mode: leave out the modifier, or use -k to sample the "
                        "kernel, too",
                        event->name);
        if (event->attr.flags & PERF_ATTR_FREQ)
                interval = DEFAULT_INTERVAL;
        if (!interval || interval > UINT32_MAX)
                return err_set(err, ERR_USAGE,
                               "event interval: %" PRIu64 " is out of range! WPERFDRIVER takes 1 to %" PRIu32,
                               interval, UINT32_MAX);
        buf_add_u32(&s->sources, number);
        buf_add_u32(&s->sources, (uint32_t)interval);
        buf_add_u32(&s->sources,
                    event->attr.flags & PERF_ATTR_EXCLUDE_KERNEL ? (uint32_t)WPERFDRIVER_NO_KERNEL : 0);
        s->intervals[s->n_events] = (uint32_t)interval;
        s->counters[s->n_events] = UINT64_C(1)
                                   << (wperfdriver_get_facts(s->driver)->counter_map[s->n_events] & 63);
        s->n_events++;
        return true;
}

static bool plan(struct driver_samples *s, const struct collect_request *request, struct err *err)
{
        const struct kernel_driver *facts = wperfdriver_get_facts(s->driver);
        const struct event_list *events = request->events;

        if (request->target.n_cpus != 1)
                return err_set(
                        err, ERR_USAGE,
                        "you can specify only one core for sampling: WPERFDRIVER samples one, so add -c N");
        s->core = request->target.cpus[0];
        if (s->core >= facts->n_cpus)
                return err_set(err, ERR_USAGE,
                               "core index %" PRIu32 " not allowed. Use 0-%u, see option -c <n>", s->core,
                               facts->n_cpus - 1u);
        if (events->n_items > facts->n_counters)
                return err_set(
                        err, ERR_LIMIT,
                        "number of events requested exceeds the number of free hardware PMU counters(%u) out of a total "
                        "of (%u)",
                        facts->n_counters, facts->n_all_counters);
        buf_add_u32(&s->sources, s->core);
        for (size_t i = 0; i < events->n_items; i++) {
                if (!add_source(s, &events->items[i], err))
                        return false;
        }
        return true;
}

bool driver_samples_serve(const struct collect_request *request)
{
        uint16_t number;

        return !request->events_are_default && request->events->n_items &&
               wperfdriver_event_number(&request->events->items[0], &number);
}

struct driver_samples *driver_samples_new(const struct collect_request *request, struct err *err)
{
        AUTO(driver_samples) s = mem_new(1, sizeof(*s));

        if (own_driver_is_loaded()) {
                s->own = own_samples_new(request, err);
                return s->own ? TAKE(s) : NULL;
        }
        s->driver = wperfdriver_open(false, err);
        if (!s->driver || !plan(s, request, err))
                return NULL;
        return TAKE(s);
}

static struct wperfdriver_control control_of(const struct driver_samples *s)
{
        return (struct wperfdriver_control){
                .n_cores = 1,
                .cores = {(uint8_t)s->core},
                .dmc = UINT8_MAX,
                .flags = WPERFDRIVER_FLAG_CORE,
        };
}

void driver_samples_free(struct driver_samples *s)
{
        if (!s)
                return;
        own_samples_free(s->own);
        if (s->runs)
                driver_samples_end(s, NULL);
        wperfdriver_free(s->driver);
        buf_release(&s->sources);
        free(s);
}

bool driver_samples_begin(struct driver_samples *s, struct err *err)
{
        const struct wperfdriver_control control = control_of(s);

        assert(!s->runs);
        if (s->own)
                return own_samples_begin(s->own, err);
        s->runs =
                wperfdriver_ask(s->driver, WPERFDRIVER_STOP, &control, sizeof(control), NULL, 0, err) &&
                wperfdriver_ask(s->driver, WPERFDRIVER_SAMPLE_SET_SRC, s->sources.data, s->sources.len, NULL,
                                0, err) &&
                wperfdriver_ask(s->driver, WPERFDRIVER_SAMPLE_START, &control, sizeof(control), NULL, 0, err);
        return s->runs;
}

bool driver_samples_take(struct driver_samples *s, struct err *err)
{
        int64_t size;

        if (s->own)
                return own_samples_take(s->own, err);
        s->next = 0;
        s->taken.n = 0;
        if (!s->runs)
                return true;
        size = wperfdriver_ask_any(s->driver, WPERFDRIVER_SAMPLE_GET, &s->core, sizeof(s->core), &s->answer,
                                   sizeof(s->answer), err);
        if (size < 0 || !wperfdriver_read_samples(&s->answer, (size_t)size, &s->taken, err))
                return false;
        s->time_ns = os_monotonic_ns();
        return true;
}

/* One event overflowed, whichever bit the driver gives it. */
static bool has_overflowed(const struct driver_samples *s, const struct wperfdriver_sample *sample,
                           size_t event)
{
        return s->n_events == 1 || (sample->overflows & s->counters[event]);
}

bool driver_samples_next(struct driver_samples *s, struct driver_sample *ret)
{
        const struct wperfdriver_sample *sample;

        if (s->own)
                return own_samples_next(s->own, ret);
        if (s->next == s->taken.n)
                return false;
        sample = &s->taken.samples[s->next++];
        *ret = (struct driver_sample){.pc = sample->pc, .time_ns = s->time_ns, .cpu = s->core};
        for (size_t i = 0; i < s->n_events; i++)
                ret->events |= (uint64_t)has_overflowed(s, sample, i) << i;
        return true;
}

uint32_t driver_samples_interval(const struct driver_samples *s, size_t event)
{
        assert(s->own || event < s->n_events);
        return s->own ? own_samples_interval(s->own, event) : s->intervals[event];
}

bool driver_samples_end(struct driver_samples *s, struct err *err)
{
        const struct wperfdriver_control control = control_of(s);
        uint64_t counts[2];
        int64_t size;

        if (s->own)
                return own_samples_end(s->own, err);
        s->runs = false;
        size = wperfdriver_ask_any(s->driver, WPERFDRIVER_SAMPLE_STOP, &control, sizeof(control), counts,
                                   sizeof(counts), err);
        if (size >= 0)
                wperfdriver_read_dropped(counts, (size_t)size, &s->n_dropped);
        return size >= 0;
}

uint64_t driver_samples_count_dropped(const struct driver_samples *s)
{
        return s->own ? own_samples_count_dropped(s->own) : s->n_dropped;
}

bool driver_samples_ended_early(const struct driver_samples *s)
{
        return s->own && own_samples_ended_early(s->own);
}
