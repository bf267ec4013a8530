/* SPDX-License-Identifier: BSD-3-Clause */
#include "own_spe.h"

#include <inttypes.h>
#include <string.h>

#include "attributes.h"
#include "spe_files.h"

enum {
        ANSWER_BYTES = 64 << 10, /* at a time; with the head still a multiple of 8 */
        ANSWERS_MAX = 64,        /* in one turn: a driver that always has more gets no further */
        PERIOD_MIN = 256,
        BUFFER_BYTES = 1 << 20, /* of the driver, for each CPU */
        WAIT_MIN_NS = 1000000,
        WAIT_MAX_NS = 50000000,
};

/* Bits of PMSIDR_EL1: which filters there are. */
#define HAS_EVENTS     (UINT64_C(1) << 0)
#define HAS_OPERATIONS (UINT64_C(1) << 1)
#define HAS_LATENCY    (UINT64_C(1) << 2)
#define HAS_EVENTS_NOT (UINT64_C(1) << 6)

bool own_spe_read_event(const struct event *event, struct abi_spe *ret, struct err *err)
{
        static const struct {
                uint8_t bit;
                uint32_t flag;
        } settings[] = {
                {SPE_CONFIG_TS, ABI_SPE_TIMESTAMPS},     {SPE_CONFIG_PA, ABI_SPE_PHYSICAL},
                {SPE_CONFIG_PCT, ABI_SPE_PHYSICAL_TIME}, {SPE_CONFIG_JITTER, ABI_SPE_JITTER},
                {SPE_CONFIG_BRANCHES, ABI_SPE_BRANCHES}, {SPE_CONFIG_LOADS, ABI_SPE_LOADS},
                {SPE_CONFIG_STORES, ABI_SPE_STORES},
        };
        const struct perf_attr *attr = &event->attr;
        struct abi_spe what = {
                .flags = attr->flags & PERF_ATTR_EXCLUDE_KERNEL ? 0 : ABI_SPE_KERNEL,
                .min_latency = (uint32_t)(attr->config2 & ((1u << SPE_CONFIG2_LATENCY_BITS) - 1)),
                .period = attr->sample_period_or_freq,
                .events = attr->config1,
                .events_not = attr->config3,
        };

        if (attr->flags & PERF_ATTR_EXCLUDE_USER)
                return err_set(err, ERR_UNSUPPORTED,
                               "'%s': " ABI_SERVICE
                               " always samples user mode with SPE: leave out the modifier, or use -k to "
                               "sample the kernel, too",
                               event->name);
        if (attr->flags & PERF_ATTR_FREQ || what.period < PERIOD_MIN || what.period > UINT32_MAX)
                return err_set(err, ERR_USAGE,
                               "event interval: %" PRIu64 " is out of range! SPE takes %d to %" PRIu32
                               " operations",
                               what.period, PERIOD_MIN, UINT32_MAX);
        for (size_t i = 0; i < N_ELEMENTS(settings); i++)
                what.flags |= attr->config >> settings[i].bit & 1 ? settings[i].flag : 0;
        *ret = what;
        return true;
}

bool own_spe_check_cpu(const struct abi_spe *what, const char *event, const struct abi_cpu *cpu,
                       struct err *err)
{
        const struct {
                bool is_wanted;
                uint64_t needs;
                const char *filter;
        } filters[] = {
                {what->flags & (ABI_SPE_LOADS | ABI_SPE_STORES | ABI_SPE_BRANCHES), HAS_OPERATIONS,
                 "loads, stores and branches"},
                {what->min_latency, HAS_LATENCY, "latency"},
                {what->events, HAS_EVENTS, "events"},
                {what->events_not, HAS_EVENTS_NOT, "events that did not happen (inv_event_filter)"},
        };
        uint32_t interval = spe_min_interval(cpu->pmsidr);

        if (!cpu->spe_version || !cpu->pmsidr)
                return err_set(err, ERR_UNSUPPORTED,
                               "'%s': core %" PRIu32
                               " has no SPE that the driver may use: choose another one with -c",
                               event, cpu->cpu);
        for (size_t i = 0; i < N_ELEMENTS(filters); i++) {
                if (filters[i].is_wanted && !(cpu->pmsidr & filters[i].needs))
                        return err_set(err, ERR_UNSUPPORTED,
                                       "'%s': SPE of core %" PRIu32 " has no filter of %s", event, cpu->cpu,
                                       filters[i].filter);
        }
        if (what->period < interval)
                return err_set(err, ERR_UNSUPPORTED,
                               "'%s': SPE of core %" PRIu32 " takes a sample of every %" PRIu32
                               " operations at most",
                               event, cpu->cpu, interval);
        return true;
}

void own_spe_taker_release(struct own_spe_taker *taker)
{
        buf_release(&taker->answer);
}

bool own_spe_is_due(const struct own_spe_taker *taker, uint64_t now_ns)
{
        return now_ns >= taker->next_ns;
}

/* The wait at most doubles, so that a sudden burst does not fill the buffer. */
void own_spe_plan(struct own_spe_taker *taker, uint64_t now_ns, uint64_t n_bytes)
{
        uint64_t passed = taker->since_ns ? now_ns - taker->since_ns : WAIT_MIN_NS;
        uint64_t wait = n_bytes ? passed * (BUFFER_BYTES / 4) / n_bytes : WAIT_MAX_NS;

        wait = wait < 2 * passed ? wait : 2 * passed;
        wait = wait < WAIT_MAX_NS ? wait : WAIT_MAX_NS;
        taker->since_ns = now_ns;
        taker->next_ns = now_ns + (wait > WAIT_MIN_NS ? wait : WAIT_MIN_NS);
}

/* Whether the answer can follow the former ones. */
static bool is_next(const struct own_spe_taker *t, const struct abi_spe_data *head, int64_t size)
{
        return size >= (int64_t)sizeof(*head) && (uint64_t)size == sizeof(*head) + head->bytes &&
               head->total >= t->total && head->stalls >= t->stalls && head->losses >= t->losses;
}

/* Returns how many bytes there were, or -1. */
static int64_t take_answer(struct own_spe_taker *t, struct buf *out, struct err *err)
{
        const struct abi_read from = {.unit = t->cpu};
        struct abi_spe_data head = {0};
        int64_t size;

        buf_clear(&t->answer);
        size = t->ask(t->ctx, ABI_REQUEST_READ_SPE, &from, sizeof(from), buf_extend(&t->answer, ANSWER_BYTES),
                      ANSWER_BYTES, err);
        if (size < 0)
                return -1;
        if (size >= (int64_t)sizeof(head) && size <= ANSWER_BYTES)
                memcpy(&head, t->answer.data, sizeof(head));
        else
                size = 0;
        if (!is_next(t, &head, size)) {
                err_set(err, ERR_FORMAT, ABI_SERVICE "'s SPE data of core %" PRIu32 " can't be used", t->cpu);
                return -1;
        }
        t->total = head.total;
        t->stalls = head.stalls;
        t->losses = head.losses;
        t->n_taken += head.bytes;
        buf_add(out, t->answer.data + sizeof(head), head.bytes);
        return head.bytes;
}

bool own_spe_take(struct own_spe_taker *taker, struct buf *out, struct err *err)
{
        for (int i = 0; i < ANSWERS_MAX; i++) {
                int64_t n = take_answer(taker, out, err);

                if (n < 0)
                        return false;
                if (n < ANSWER_BYTES / 2)
                        break;
        }
        return true;
}

/* The driver's data has padding, which its total does not count. */
uint64_t own_spe_missing(const struct own_spe_taker *taker)
{
        return taker->total > taker->n_taken ? taker->total - taker->n_taken : 0;
}
