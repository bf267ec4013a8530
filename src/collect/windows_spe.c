/* SPDX-License-Identifier: BSD-3-Clause */
/* Arm SPE data of one core, through WPERFDRIVER 3.8 (wperfdriver_spe.h), as AUX and AUXTRACE records. */
#include <inttypes.h>
#include <stdlib.h>

#include "mem.h"
#include "os.h"
#include "record_aux.h"
#include "windows_internal.h"
#include "windows_wperfdriver.h"
#include "wperfdriver_spe.h"

enum {
        AUXTRACE_RECORD_BYTES = 48,
        AUXTRACE_INFO_BYTES = 32,
        AUXTRACE_ALIGN = 8,
        DEFAULT_PERIOD = 65536, /* of an event without an interval */
};

/* Bits of the event, as in windows_source.c. */
static const struct {
        uint8_t config_bit, operations;
} filters[] = {{32, WPERFDRIVER_SPE_BRANCHES}, {33, WPERFDRIVER_SPE_LOADS}, {34, WPERFDRIVER_SPE_STORES}};

struct windows_spe {
        struct wperfdriver *driver;
        struct wperfdriver_spe_taker taker;
        uint32_t pmu_type, pid;
        bool runs;
        uint64_t offset; /* in the whole stream: of what was taken and skipped */
        uint64_t n_skipped, n_full;
        struct buf bytes; /* that were taken now */
        struct buf taken; /* an AUXTRACE record with its data */
};

bool windows_spe_serves(const struct collect_request *request)
{
        return request->events->n_items && request->events->items[0].is_spe;
}

static bool plan(struct windows_spe *spe, const struct collect_request *request, struct err *err)
{
        const struct kernel_driver *facts = wperfdriver_get_facts(spe->driver);
        const struct event *event = &request->events->items[0];

        if (request->events->n_items != 1)
                return err_set(err, ERR_UNSUPPORTED,
                               "'%s' can't be sampled together with other events through WPERFDRIVER",
                               event->name);
        if (request->target.n_cpus != 1)
                return err_set(
                        err, ERR_USAGE,
                        "you can specify only one core for sampling: WPERFDRIVER samples one, so add -c N");
        if (event->attr.flags & PERF_ATTR_FREQ || event->attr.sample_period_or_freq != DEFAULT_PERIOD)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "'%s': WPERFDRIVER does not set the interval of SPE: leave out the interval, -F and "
                        "--sample-period",
                        event->name);
        if (request->target.cpus[0] >= facts->n_cpus)
                return err_set(err, ERR_USAGE,
                               "core index %" PRIu32 " not allowed. Use 0-%u, see option -c <n>",
                               request->target.cpus[0], facts->n_cpus - 1u);
        spe->taker.core = (uint8_t)request->target.cpus[0];
        spe->pmu_type = event->attr.type;
        for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
                if (event->attr.config >> filters[i].config_bit & 1)
                        spe->taker.operations |= filters[i].operations;
        }
        return true;
}

static int64_t ask(void *ctx, enum wperfdriver_request request, const void *in, size_t in_size, void *out,
                   size_t room, struct err *err)
{
        return wperfdriver_ask_any(ctx, request, in, in_size, out, room, err);
}

struct windows_spe *windows_spe_new(const struct collect_request *request, struct err *err)
{
        AUTO(windows_spe) spe = mem_new(1, sizeof(*spe));

        spe->driver = wperfdriver_open(false, err);
        spe->taker.ask = ask;
        spe->taker.ctx = spe->driver;
        return spe->driver && plan(spe, request, err) ? TAKE(spe) : NULL;
}

void windows_spe_free(struct windows_spe *spe)
{
        if (!spe)
                return;
        if (spe->runs)
                windows_spe_end(spe, NULL, NULL);
        wperfdriver_free(spe->driver);
        buf_release(&spe->bytes);
        buf_release(&spe->taken);
        free(spe);
}

static void add_header(struct buf *out, uint32_t type, uint16_t size)
{
        buf_add_u32(out, type);
        buf_add_u16(out, 0);
        buf_add_u16(out, size);
}

bool windows_spe_put_info(const struct windows_spe *spe, const struct record_sink *sink, struct err *err)
{
        AUTO_RELEASE(buf) out = {0};

        add_header(&out, PERF_RECORD_AUXTRACE_INFO, AUXTRACE_INFO_BYTES);
        buf_add_u32(&out, AUXTRACE_ARM_SPE);
        buf_add_u32(&out, 0);
        buf_add_u64(&out, spe->pmu_type);
        buf_add_u64(&out, 1); /* one buffer for each CPU */
        return sink->put(sink->ctx, out.data, out.len, err);
}

static struct windows_stamp stamp_of(const struct windows_spe *spe)
{
        return (struct windows_stamp){spe->pid, spe->pid, spe->taker.core, os_monotonic_ns()};
}

bool windows_spe_begin(struct windows_spe *spe, uint32_t pid, struct buf *out, struct err *err)
{
        struct windows_stamp stamp;

        spe->pid = pid;
        stamp = stamp_of(spe);
        windows_record_itrace_start(out, &stamp);
        spe->runs = wperfdriver_spe_begin(&spe->taker, err);
        return spe->runs;
}

/* What was skipped lies before the bytes: the driver gives the newest. */
static void keep(struct windows_spe *spe, struct buf *out)
{
        const struct windows_stamp stamp = stamp_of(spe);
        size_t size = spe->bytes.len, zeros = -size % AUXTRACE_ALIGN;
        uint64_t skipped = spe->taker.n_skipped - spe->n_skipped;
        bool is_full = spe->taker.n_full > spe->n_full;

        spe->n_skipped = spe->taker.n_skipped;
        spe->n_full = spe->taker.n_full;
        spe->offset += skipped;
        if (!size)
                return;
        windows_record_aux(out, &stamp, spe->offset, size, skipped || is_full ? PERF_AUX_FLAG_TRUNCATED : 0);
        add_header(&spe->taken, PERF_RECORD_AUXTRACE, AUXTRACE_RECORD_BYTES);
        buf_add_u64(&spe->taken, size + zeros);
        buf_add_u64(&spe->taken, spe->offset);
        buf_add_u64(&spe->taken, stamp.time_ns);
        buf_add_u32(&spe->taken, 0); /* the only buffer */
        buf_add_u32(&spe->taken, UINT32_MAX);
        buf_add_u32(&spe->taken, spe->taker.core);
        buf_add_u32(&spe->taken, 0);
        buf_add(&spe->taken, spe->bytes.data, size);
        buf_add_zeros(&spe->taken, zeros);
        spe->offset += size;
        buf_clear(&spe->bytes);
}

bool windows_spe_take(struct windows_spe *spe, struct buf *out, struct err *err)
{
        bool ok = !spe->runs || wperfdriver_spe_take(&spe->taker, &spe->bytes, err);

        keep(spe, out);
        return ok;
}

bool windows_spe_put(struct windows_spe *spe, const struct record_sink *sink, struct err *err)
{
        bool ok = !spe->taken.len || sink->put(sink->ctx, spe->taken.data, spe->taken.len, err);

        buf_clear(&spe->taken);
        return ok;
}

bool windows_spe_end(struct windows_spe *spe, struct buf *out, struct err *err)
{
        bool ok = !spe->runs || wperfdriver_spe_end(&spe->taker, &spe->bytes, err);

        spe->runs = false;
        if (out)
                keep(spe, out);
        return ok;
}

uint64_t windows_spe_lost_bytes(const struct windows_spe *spe)
{
        return spe->n_skipped;
}

uint64_t windows_spe_n_full(const struct windows_spe *spe)
{
        return spe->n_full;
}
