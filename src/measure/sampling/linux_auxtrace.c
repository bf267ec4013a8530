/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux_auxtrace.h"

#include <stdlib.h>
#include <sys/ioctl.h>

#include "mem.h"
#include "os.h"
#include "record_aux.h"

/* As perf writes it: tools/perf/util/auxtrace.h, arm-spe.h. */
enum {
        AUXTRACE_RECORD_BYTES = 48,
        AUXTRACE_INFO_BYTES = 32,
        TIME_CONV_BYTES = 56,
        AUXTRACE_ALIGN = 8,
};

struct auxtrace_area {
        struct aux_area aux;
        uint64_t marked; /* its head at the last auxtrace_mark() */
        uint32_t index, cpu;
};

struct auxtrace {
        const struct opened *opened;
        struct auxtrace_area *areas;
        size_t n, cap;
        uint32_t pmu_type;
        int32_t tid;
        bool was_full; /* an event may have been turned off */
};

static bool open_area(struct auxtrace *aux, const struct opened *opened, const struct ring *rings,
                      const struct opened_fd *fd, size_t *size_bytes, struct err *err)
{
        struct auxtrace_area area = {.index = fd->ring, .cpu = opened->ring_cpus[fd->ring]};

        /* The events of several threads on a CPU write to the same area. */
        for (size_t i = 0; i < aux->n; i++) {
                if (aux->areas[i].index == fd->ring)
                        return true;
        }
        if (!aux_open(&area.aux, &rings[fd->ring], fd->fd, size_bytes, err))
                return false;
        ARRAY_PUSH(aux->areas, aux->n, aux->cap, area);
        return true;
}

struct auxtrace *auxtrace_open(const struct opened *opened, const struct ring *rings, struct err *err)
{
        struct auxtrace *aux = mem_new(1, sizeof(*aux));
        size_t size_bytes = AUX_BYTES;
        bool ok = true;

        aux->opened = opened;
        for (size_t i = 0; i < opened->n_events; i++) {
                const struct opened_event *e = &opened->events[i];

                if (!e->event.is_spe)
                        continue;
                aux->pmu_type = e->attr.type;
                for (size_t k = 0; ok && k < e->n_fds; k++)
                        ok = open_area(aux, opened, rings, &e->fds[k], &size_bytes, err);
        }
        if (ok && aux->n)
                return aux;
        auxtrace_free(aux);
        return NULL;
}

void auxtrace_free(struct auxtrace *aux)
{
        if (!aux)
                return;
        for (size_t i = 0; i < aux->n; i++)
                aux_close(&aux->areas[i].aux);
        free(aux->areas);
        free(aux);
}

static void add_header(struct buf *out, uint32_t type, uint16_t size)
{
        buf_add_u32(out, type);
        buf_add_u16(out, 0);
        buf_add_u16(out, size);
}

bool auxtrace_begin(struct auxtrace *aux, int32_t tid, const struct record_sink *sink, struct err *err)
{
        const struct aux_clock clock = aux_get_clock(aux->areas[0].aux.ring);
        AUTO_RELEASE(buf) out = {0};

        aux->tid = tid;
        add_header(&out, PERF_RECORD_TIME_CONV, TIME_CONV_BYTES);
        buf_add_u64(&out, clock.shift);
        buf_add_u64(&out, clock.mult);
        buf_add_u64(&out, clock.zero);
        buf_add_u64(&out, clock.cycles);
        buf_add_u64(&out, clock.mask);
        buf_add_u64(&out, (uint64_t)clock.has_zero | (uint64_t)clock.has_short << 8);
        add_header(&out, PERF_RECORD_AUXTRACE_INFO, AUXTRACE_INFO_BYTES);
        buf_add_u32(&out, AUXTRACE_ARM_SPE);
        buf_add_u32(&out, 0);
        buf_add_u64(&out, aux->pmu_type);
        buf_add_u64(&out, 1); /* one buffer for each CPU */
        return sink->put(sink->ctx, out.data, out.len, err);
}

void auxtrace_mark(struct auxtrace *aux)
{
        for (size_t i = 0; i < aux->n; i++)
                aux->areas[i].marked = aux_head(&aux->areas[i].aux);
}

void auxtrace_see(struct auxtrace *aux, struct cursor record)
{
        struct record_aux found;

        if (record_aux_parse(record, &found))
                aux->was_full |= found.flags & PERF_AUX_FLAG_TRUNCATED;
}

static bool put_area(struct auxtrace *aux, struct auxtrace_area *area, const struct record_sink *sink,
                     struct err *err)
{
        AUTO_RELEASE(buf) bytes = {0}, record = {0};
        uint64_t offset = aux_take(&area->aux, area->marked, &bytes);

        if (!bytes.len)
                return true;
        buf_add_zeros(&bytes, -bytes.len % AUXTRACE_ALIGN);
        add_header(&record, PERF_RECORD_AUXTRACE, AUXTRACE_RECORD_BYTES);
        buf_add_u64(&record, bytes.len);
        buf_add_u64(&record, offset);
        buf_add_u64(&record, os_monotonic_ns());
        buf_add_u32(&record, area->index);
        buf_add_u32(&record, (uint32_t)aux->tid);
        buf_add_u32(&record, area->cpu);
        buf_add_u32(&record, 0);
        buf_add(&record, bytes.data, bytes.len);
        return sink->put(sink->ctx, record.data, record.len, err);
}

/* The kernel disables an event whose area is full. Some versions only stop it on CPU 0, where enabling it
 * then has no effect: hence it is disabled first. */
static void enable(const struct opened *opened)
{
        for (size_t i = 0; opened->is_on && i < opened->n_events; i++) {
                const struct opened_event *e = &opened->events[i];

                for (size_t k = 0; e->event.is_spe && e->is_on && k < e->n_fds; k++) {
                        ioctl(e->fds[k].fd, IOC_DISABLE, 0);
                        ioctl(e->fds[k].fd, IOC_ENABLE, 0);
                }
        }
}

bool auxtrace_put(struct auxtrace *aux, const struct record_sink *sink, struct err *err)
{
        for (size_t i = 0; i < aux->n; i++) {
                if (!put_area(aux, &aux->areas[i], sink, err))
                        return false;
        }
        if (aux->was_full)
                enable(aux->opened);
        aux->was_full = false;
        return true;
}
