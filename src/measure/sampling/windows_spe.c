/* SPDX-License-Identifier: BSD-3-Clause */
/* Arm SPE data of a driver (windows_spe_driver.h) as AUX and AUXTRACE records: a stream for each core. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "mem.h"
#include "os.h"
#include "record_aux.h"
#include "windows_internal.h"
#include "windows_own_driver.h"
#include "windows_spe_driver.h"

enum {
        AUXTRACE_RECORD_BYTES = 48,
        AUXTRACE_INFO_BYTES = 32,
        AUXTRACE_ALIGN = 8,
};

struct windows_spe {
        const struct spe_driver *driver;
        void *opened;
        const struct target *target; /* whose CPUs are the cores */
        uint32_t pmu_type, pid;
        uint64_t *offsets; /* of each core, in its whole stream: of what was taken and skipped */
        uint64_t lost_bytes, n_full, n_losses;
        bool has_ended;
        struct driver_spe_piece piece;
        struct buf taken; /* AUXTRACE records with their data */
};

bool windows_spe_serves(const struct collect_request *request)
{
        return request->events->n_items && request->events->items[0].is_spe;
}

struct windows_spe *windows_spe_new(const struct collect_request *request, struct err *err)
{
        AUTO(windows_spe) spe = mem_new(1, sizeof(*spe));
        const struct event *event = &request->events->items[0];

        spe->driver = own_driver_is_loaded() ? &spe_of_own_driver : &spe_of_wperfdriver;
        spe->target = &request->target;
        spe->pmu_type = event->attr.type;
        spe->offsets = mem_new(request->target.n_cpus + 1, sizeof(*spe->offsets));
        if (request->events->n_items != 1) {
                err_set(err, ERR_UNSUPPORTED, "'%s' can't be sampled together with other events through %s",
                        event->name, spe->driver->name);
                return NULL;
        }
        spe->opened = spe->driver->open(request, err);
        return spe->opened ? TAKE(spe) : NULL;
}

void windows_spe_free(struct windows_spe *spe)
{
        if (!spe)
                return;
        if (spe->opened)
                spe->driver->free(spe->opened);
        buf_release(&spe->piece.bytes);
        buf_release(&spe->taken);
        free(spe->offsets);
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

static struct windows_stamp stamp_of(const struct windows_spe *spe, size_t core)
{
        return (struct windows_stamp){spe->pid, spe->pid, spe->target->cpus[core], os_monotonic_ns()};
}

bool windows_spe_begin(struct windows_spe *spe, uint32_t pid, struct buf *out, struct err *err)
{
        assert(!spe->has_ended);
        spe->pid = pid;
        for (size_t core = 0; core < spe->target->n_cpus; core++) {
                const struct windows_stamp stamp = stamp_of(spe, core);

                windows_record_itrace_start(out, &stamp);
        }
        return spe->driver->begin(spe->opened, err);
}

static uint64_t flags_of(const struct driver_spe_piece *piece)
{
        return (piece->n_skipped || piece->n_full ? PERF_AUX_FLAG_TRUNCATED : 0) |
               (piece->n_losses ? PERF_AUX_FLAG_PARTIAL : 0);
}

static void keep_bytes(struct windows_spe *spe, size_t core, struct buf *out)
{
        const struct windows_stamp stamp = stamp_of(spe, core);
        const struct driver_spe_piece *piece = &spe->piece;
        size_t size = piece->bytes.len, zeros = -size % AUXTRACE_ALIGN;

        windows_record_aux(out, &stamp, spe->offsets[core], size, flags_of(piece));
        add_header(&spe->taken, PERF_RECORD_AUXTRACE, AUXTRACE_RECORD_BYTES);
        buf_add_u64(&spe->taken, size + zeros);
        buf_add_u64(&spe->taken, spe->offsets[core]);
        buf_add_u64(&spe->taken, stamp.time_ns);
        buf_add_u32(&spe->taken, (uint32_t)core);
        buf_add_u32(&spe->taken, UINT32_MAX);
        buf_add_u32(&spe->taken, stamp.cpu);
        buf_add_u32(&spe->taken, 0);
        buf_add(&spe->taken, piece->bytes.data, size);
        buf_add_zeros(&spe->taken, zeros);
        spe->offsets[core] += size;
}

/* What was skipped lies before the bytes: the driver gives the newest. */
static void keep(struct windows_spe *spe, size_t core, struct buf *out)
{
        struct driver_spe_piece *piece = &spe->piece;

        spe->lost_bytes += piece->n_skipped;
        spe->n_full += piece->n_full;
        spe->n_losses += piece->n_losses;
        spe->offsets[core] += piece->n_skipped;
        if (piece->bytes.len)
                keep_bytes(spe, core, out);
}

/* What came before an error is kept. */
static bool take_all(struct windows_spe *spe, bool is_last, struct buf *out, struct err *err)
{
        bool ok = true;

        for (size_t core = 0; core < spe->target->n_cpus && ok; core++) {
                buf_clear(&spe->piece.bytes);
                spe->piece.n_skipped = spe->piece.n_full = spe->piece.n_losses = 0;
                ok = spe->driver->take(spe->opened, core, is_last, &spe->piece, err);
                keep(spe, core, out);
        }
        return ok;
}

bool windows_spe_take(struct windows_spe *spe, struct buf *out, struct err *err)
{
        return spe->has_ended || take_all(spe, false, out, err);
}

bool windows_spe_put(struct windows_spe *spe, const struct record_sink *sink, struct err *err)
{
        bool ok = !spe->taken.len || sink->put(sink->ctx, spe->taken.data, spe->taken.len, err);

        buf_clear(&spe->taken);
        return ok;
}

bool windows_spe_end(struct windows_spe *spe, struct buf *out, struct err *err)
{
        bool ok = spe->has_ended || take_all(spe, true, out, err);

        spe->has_ended = true;
        return ok;
}

bool windows_spe_sets_interval(const struct windows_spe *spe)
{
        return spe->driver->sets_interval;
}

void windows_spe_describe(const struct windows_spe *spe, struct buf *out)
{
        buf_printf(out,
                   "%s takes SPE data of everything that runs on the core%s; addresses outside "
                   "the modules of the program are not resolved",
                   spe->driver->name, spe->target->n_cpus > 1 ? "s" : "");
        if (spe->lost_bytes)
                buf_printf(out,
                           "; %" PRIu64
                           " bytes were lost, because they came faster than the driver gives them",
                           spe->lost_bytes);
        if (spe->n_full)
                buf_printf(out, "; its buffer was full %" PRIu64 " times", spe->n_full);
        if (spe->n_losses)
                buf_printf(out, "; SPE lost samples %" PRIu64 " times", spe->n_losses);
}
