/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples that wperf's own driver takes when counters of cores overflow: on all CPUs, with process, thread
 * and time. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "os.h"
#include "windows_internal.h"
#include "windows_own_driver.h"
#include "windows_wperfdriver.h"

/* WindowsPerf's interval of events without one. */
#define DEFAULT_INTERVAL 0x4000000u

enum { ANSWER_BYTES = 64 << 10 };

struct own_samples {
        struct own_driver *driver;
        uint32_t n_cpus;
        struct abi_set cpus;
        struct buf sources; /* of the request SET_SOURCES, after its fixed part */
        uint32_t intervals[ABI_SOURCES_MAX];
        uint32_t n_events;
        struct buf taken; /* samples as the driver gave them */
        size_t next;      /* where in `taken` the next one is */
        uint64_t since_ns, until_ns;
        uint64_t *dropped; /* of each CPU */
        bool has_ended;    /* before its time */
};

/* --- what to sample --- */

static bool add_source(struct own_samples *s, const struct event *event, struct err *err)
{
        struct abi_source source = {
                .flags = (event->attr.flags & PERF_ATTR_EXCLUDE_KERNEL ? ABI_EXCLUDE_KERNEL : 0) |
                         (event->attr.flags & PERF_ATTR_EXCLUDE_USER ? ABI_EXCLUDE_USER : 0),
                .period = event->attr.flags & PERF_ATTR_FREQ ? DEFAULT_INTERVAL
                                                             : event->attr.sample_period_or_freq,
        };
        uint16_t number;

        if (!wperfdriver_event_number(event, &number))
                return err_set(err, ERR_UNSUPPORTED,
                               "'%s' can't be sampled together with events of a core: " ABI_SERVICE
                               " takes their numbers only",
                               event->name);
        if (!source.period || source.period > UINT32_MAX)
                return err_set(err, ERR_USAGE,
                               "event interval: %" PRIu64 " is out of range! " ABI_SERVICE
                               " takes 1 to %" PRIu32,
                               source.period, UINT32_MAX);
        source.code = number;
        buf_add(&s->sources, &source, sizeof(source));
        s->intervals[s->n_events++] = (uint32_t)source.period;
        return true;
}

static bool choose_cpus(struct own_samples *s, const struct target *target, struct err *err)
{
        for (uint32_t i = 0; i < (target->n_cpus ? target->n_cpus : s->n_cpus); i++) {
                uint32_t cpu = target->n_cpus ? target->cpus[i] : i;

                if (cpu >= s->n_cpus)
                        return err_set(err, ERR_USAGE,
                                       "core index %" PRIu32 " not allowed. Use 0-%u, see option -c <n>", cpu,
                                       s->n_cpus - 1u);
                s->cpus.bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
        }
        return true;
}

static bool is_chosen(const struct own_samples *s, uint32_t cpu)
{
        return s->cpus.bits[cpu / 64] >> cpu % 64 & 1;
}

struct own_samples *own_samples_new(const struct collect_request *request, struct err *err)
{
        AUTO(own_samples) s = mem_new(1, sizeof(*s));

        s->driver = own_driver_open(false, err);
        if (!s->driver)
                return NULL;
        s->n_cpus = own_driver_get_facts(s->driver)->n_cpus;
        s->dropped = mem_new(s->n_cpus, sizeof(*s->dropped));
        if (request->events->n_items > ABI_SOURCES_MAX) {
                err_set(err, ERR_LIMIT, "at most %d events can be sampled at a time", ABI_SOURCES_MAX);
                return NULL;
        }
        for (size_t i = 0; i < request->events->n_items; i++) {
                if (!add_source(s, &request->events->items[i], err))
                        return NULL;
        }
        return choose_cpus(s, &request->target, err) ? TAKE(s) : NULL;
}

void own_samples_free(struct own_samples *s)
{
        if (!s)
                return;
        own_driver_free(s->driver);
        buf_release(&s->sources);
        buf_release(&s->taken);
        free(s->dropped);
        free(s);
}

bool own_samples_begin(struct own_samples *s, struct err *err)
{
        const struct abi_sources head = {.n = s->n_events, .cpus = s->cpus};
        const struct abi_start start = {0};
        AUTO_RELEASE(buf) message = {0};

        buf_add(&message, &head, sizeof(head));
        buf_add(&message, s->sources.data, s->sources.len);
        s->since_ns = os_monotonic_ns();
        return own_driver_ask(s->driver, ABI_REQUEST_SET_SOURCES, message.data, message.len, NULL, 0, err) >=
                       0 &&
               own_driver_ask(s->driver, ABI_REQUEST_START, &start, sizeof(start), NULL, 0, err) >= 0;
}

/* --- what was sampled --- */

static bool fail_samples(uint32_t cpu, struct err *err)
{
        return err_set(err, ERR_FORMAT, ABI_SERVICE "'s samples of core %" PRIu32 " can't be used", cpu);
}

/* Whether the answer is samples of the CPU, each whole. */
static bool are_samples(const struct own_samples *s, const uint8_t *bytes, uint32_t n_bytes, uint32_t cpu)
{
        struct abi_sample sample;

        for (uint32_t at = 0; at < n_bytes; at += sample.bytes) {
                if (n_bytes - at < sizeof(sample))
                        return false;
                memcpy(&sample, bytes + at, sizeof(sample));
                if (sample.bytes < sizeof(sample) || sample.bytes > n_bytes - at || sample.cpu != cpu ||
                    sample.source >= s->n_events)
                        return false;
        }
        return true;
}

static bool take_cpu(struct own_samples *s, uint32_t cpu, struct err *err)
{
        const struct abi_read from = {.unit = cpu};
        struct abi_samples head;
        uint8_t *answer = mem_new(1, ANSWER_BYTES);
        bool ok = true;

        do {
                int64_t size = own_driver_ask(s->driver, ABI_REQUEST_READ_SAMPLES, &from, sizeof(from),
                                              answer, ANSWER_BYTES, err);

                head.bytes = 0;
                if (size >= (int64_t)sizeof(head))
                        memcpy(&head, answer, sizeof(head));
                ok = size >= 0;
                if (ok && (size < (int64_t)sizeof(head) || (uint64_t)size != sizeof(head) + head.bytes ||
                           !are_samples(s, answer + sizeof(head), head.bytes, cpu)))
                        ok = fail_samples(cpu, err);
                if (!ok)
                        break;
                s->dropped[cpu] = head.dropped;
                s->has_ended |= head.flags & ABI_SAMPLES_ENDED;
                buf_add(&s->taken, answer + sizeof(head), head.bytes);
        } while (head.bytes > ANSWER_BYTES / 2);
        free(answer);
        return ok;
}

bool own_samples_take(struct own_samples *s, struct err *err)
{
        s->next = 0;
        buf_clear(&s->taken);
        for (uint32_t cpu = 0; cpu < s->n_cpus; cpu++) {
                if (is_chosen(s, cpu) && !take_cpu(s, cpu, err))
                        return false;
        }
        s->since_ns = s->until_ns ? s->until_ns : s->since_ns;
        s->until_ns = os_monotonic_ns();
        return true;
}

/* The driver's clock is that of os_monotonic_ns. */
bool own_samples_next(struct own_samples *s, struct driver_sample *ret)
{
        struct abi_sample sample;

        if (s->next >= s->taken.len)
                return false;
        memcpy(&sample, s->taken.data + s->next, sizeof(sample));
        s->next += sample.bytes;
        *ret = (struct driver_sample){
                .pc = sample.pc,
                .time_ns = sample.time_ns,
                .events = UINT64_C(1) << sample.source,
                .cpu = sample.cpu,
                .pid = sample.pid,
                .tid = sample.tid,
                .is_kernel = !(sample.flags & ABI_SAMPLE_USER),
        };
        if (sample.time_ns < s->since_ns || sample.time_ns > s->until_ns)
                ret->time_ns = s->until_ns;
        return true;
}

uint32_t own_samples_interval(const struct own_samples *s, size_t event)
{
        assert(event < s->n_events);
        return s->intervals[event];
}

bool own_samples_end(struct own_samples *s, struct err *err)
{
        return own_driver_ask(s->driver, ABI_REQUEST_STOP, NULL, 0, NULL, 0, err) >= 0;
}

uint64_t own_samples_count_dropped(const struct own_samples *s)
{
        uint64_t n = 0;

        for (uint32_t cpu = 0; cpu < s->n_cpus; cpu++)
                n += s->dropped[cpu];
        return n;
}

bool own_samples_ended_early(const struct own_samples *s)
{
        return s->has_ended;
}
