/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux_drainer.h"

#include <assert.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bpf_engine.h"
#include "linux_others.h"
#include "linux_processes.h"
#include "linux_trim.h"
#include "mem.h"
#include "os.h"
#include "peek_engine.h"
#include "stop_engine.h"
#include "wait_pace.h"

/* Files that are mapped and then deleted, and short-lived processes, can be read only while they exist, so
 * the rings are read often. */
enum { SHORTEST_WAIT_MS = 5, HURRIED_WAIT_MS = 1, HURRIED_WAITS = 2000 };

struct drainer {
        struct buf waits;
        struct drainer_request request;
        struct record_pool *pool;
        struct map ids;
        struct ring_filter stop_filter;
        uint64_t *heads; /* of the rings, in this pass */
        struct ring_reader reader;
        struct own_thread *thread; /* NULL for none */
        int wake_fd, news_fd;      /* wake the thread, and the reader; -1 without a thread */
        atomic_bool quits;
        atomic_int pace_ms;    /* next wait: short while new maps arrive, then growing */
        atomic_uint n_hurried; /* number of next waits with HURRIED_WAIT_MS */
        struct pollfd *fds;    /* of the thread: of what add_sources adds, and wake_fd */
};

struct drainer *drainer_new(const struct drainer_request *request)
{
        struct drainer *d = mem_new(1, sizeof(*d));

        d->request = *request;
        d->pool = record_pool_new(request->max_bytes);
        d->heads = mem_new(request->n_rings, sizeof(*d->heads));
        d->fds = mem_new(request->n_rings + 2, sizeof(*d->fds));
        d->wake_fd = d->news_fd = -1;
        d->pace_ms = SHORTEST_WAIT_MS;
        if (request->stops)
                d->stop_filter = stop_engine_filter(request->stops);
        opened_list_ids(request->opened, &d->ids);
        return d;
}

/* --- one pass --- */

static size_t wanted_bytes(struct drainer *d, const struct perf_header *header, const uint8_t *record)
{
        uint64_t words[RING_WORDS];
        size_t wanted = header->size;

        if (!d->request.others && !d->request.stops)
                return wanted;
        ring_words(record, header, words);
        if (d->request.others)
                wanted = others_wanted_bytes(d->request.others, header, words);
        if (wanted == header->size && d->request.stops &&
            !d->stop_filter.wanted_bytes(d->stop_filter.ctx, header, words))
                return 0;
        return wanted;
}

/* Without the unused part of the stack copy, if the stack is unwound. */
static bool add_trimmed(struct drainer *d, const struct perf_header *header, const uint8_t *record)
{
        const struct opened_event *event;
        struct trim trim;
        uint64_t id;

        if (header->type != PERF_RECORD_SAMPLE || header->size < sizeof(*header) + sizeof(id))
                return false;
        memcpy(&id, record + sizeof(*header), sizeof(id));
        event = opened_find(d->request.opened, &d->ids, id);
        if (!event || !event->is_unwound ||
            !trim_begin(&trim, &event->attr, cursor_make(record, header->size)))
                return false;
        trim_write(&trim, record_pool_extend(d->pool, trim.size));
        return true;
}

static void add_record(struct drainer *d, const struct perf_header *header, const uint8_t *record)
{
        size_t wanted = wanted_bytes(d, header, record);
        uint8_t *to;

        if (d->request.others && (header->type == PERF_RECORD_MMAP || header->type == PERF_RECORD_MMAP2) &&
            wanted)
                d->pace_ms = SHORTEST_WAIT_MS;
        if (!wanted || (wanted == header->size && add_trimmed(d, header, record)))
                return;
        to = record_pool_extend(d->pool, wanted);
        memcpy(to, record, wanted);
        memcpy(to + offsetof(struct perf_header, size), &(uint16_t){(uint16_t)wanted}, 2);
}

static void see_others(struct drainer *d)
{
        struct perf_header header;
        const uint8_t *record;

        for (size_t i = 0; d->request.others && i < d->request.n_rings; i++) {
                ring_reader_begin(&d->reader, &d->request.rings[i], d->heads[i]);
                while ((record = ring_reader_next(&d->reader, &header)) != NULL) {
                        uint64_t words[RING_WORDS];

                        ring_words(record, &header, words);
                        others_see(d->request.others, &header, words);
                }
        }
        if (d->request.others)
                others_end_look(d->request.others);
}

static void add_stops(struct drainer *d)
{
        const uint8_t *record;
        size_t n;

        while (d->request.stops && (record = stop_engine_next(d->request.stops, &n)) != NULL)
                memcpy(record_pool_extend(d->pool, n), record, n);
}

static void add_waits(struct drainer *d)
{
        struct perf_header header;

        if (!d->request.waits)
                return;
        wait_pace_take(d->request.waits, &d->waits);
        for (size_t at = 0; at < d->waits.len; at += header.size) {
                memcpy(&header, d->waits.data + at, sizeof(header));
                memcpy(record_pool_extend(d->pool, header.size), d->waits.data + at, header.size);
        }
}

static void drain(struct drainer *d)
{
        struct perf_header header;
        const uint8_t *record;

        if (d->request.peek)
                peek_engine_catch_up(d->request.peek);
        for (size_t i = 0; i < d->request.n_rings; i++)
                d->heads[i] = d->request.peek ? peek_engine_seen(d->request.peek, i)
                                              : ring_head(&d->request.rings[i]);
        if (d->request.stops)
                stop_engine_take(d->request.stops);
        if (d->request.bpf)
                bpf_engine_take(d->request.bpf);
        see_others(d);
        for (size_t i = 0; i < d->request.n_rings; i++) {
                ring_reader_begin(&d->reader, &d->request.rings[i], d->heads[i]);
                while ((record = ring_reader_next(&d->reader, &header)) != NULL)
                        add_record(d, &header, record);
                ring_free(&d->request.rings[i], d->heads[i]);
        }
        add_stops(d);
        add_waits(d);
}

static bool was_told(int fd)
{
        uint64_t n;

        return read(fd, &n, sizeof(n)) > 0;
}

/* True if the reader has a new round. */
static bool pass(struct drainer *d)
{
        if (record_pool_is_full(d->pool)) {
                d->pace_ms = SHORTEST_WAIT_MS;
                return false;
        }
        if (d->request.peek)
                was_told(peek_engine_fd(d->request.peek));
        drain(d);
        return record_pool_end_round(d->pool, false);
}

/* --- waiting --- */

static void tell(int fd)
{
        const uint64_t one = 1;

        /* It fails only if the other side was told very often and has not looked yet. */
        if (write(fd, &one, sizeof(one)) < 0)
                return;
}

static int next_wait_ms(struct drainer *d)
{
        unsigned n_hurried = d->n_hurried;
        int wait_ms = n_hurried ? HURRIED_WAIT_MS : d->pace_ms;
        int longest_ms = d->request.longest_wait_ms;

        if (n_hurried)
                d->n_hurried = n_hurried - 1;
        d->pace_ms = wait_ms * 2 < longest_ms ? wait_ms * 2 : longest_ms;
        return wait_ms;
}

bool drainer_see_fds(struct pollfd *fds, size_t n)
{
        bool is_any = false;

        for (size_t i = 0; i < n; i++) {
                if (fds[i].revents & POLLIN)
                        is_any = true;
                else if (fds[i].revents)
                        fds[i].fd = -1;
        }
        return is_any;
}

static size_t add_sources(const struct drainer *d, struct pollfd *fds)
{
        size_t n = d->request.n_rings;

        if (d->request.peek) {
                fds[0] = (struct pollfd){.fd = peek_engine_fd(d->request.peek), .events = POLLIN};
                return 1;
        }
        for (size_t i = 0; i < n; i++)
                fds[i] = (struct pollfd){.fd = d->request.rings[i].fd, .events = POLLIN};
        if (d->request.stops)
                fds[n++] = (struct pollfd){.fd = stop_engine_fd(d->request.stops), .events = POLLIN};
        else if (d->request.bpf)
                fds[n++] = (struct pollfd){.fd = bpf_engine_fd(d->request.bpf), .events = POLLIN};
        return n;
}

static void wait_for_rings(struct drainer *d)
{
        int wait_ms = next_wait_ms(d);
        size_t n = add_sources(d, d->fds);

        d->fds[n] = (struct pollfd){.fd = d->wake_fd, .events = POLLIN};
        while (poll(d->fds, n + 1, wait_ms) > 0 && !d->quits) {
                if (drainer_see_fds(d->fds, n))
                        return;
                if (was_told(d->wake_fd)) {
                        d->pace_ms = SHORTEST_WAIT_MS;
                        wait_ms = wait_ms < SHORTEST_WAIT_MS ? wait_ms : SHORTEST_WAIT_MS;
                }
        }
}

/* --- the thread --- */

/* The lowest real-time priority: the thread waits for no ordinary program, and needs little time. Being
 * nice does not help against programs of other sessions, which the kernel groups (sched(7), "The autogroup
 * feature"). The kernel refuses both to users without the right; then the thread runs as any other. It
 * affects this thread alone: the target was started before, by another one. */
static void ask_for_priority(void)
{
        enum { HIGHEST = -20 };
        const struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_RR)};

        if (sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest))
                setpriority(PRIO_PROCESS, 0, HIGHEST);
}

static void *run(void *ctx)
{
        struct drainer *d = ctx;

        os_name_thread("wperf drainer");
        ask_for_priority();
        while (!d->quits) {
                wait_for_rings(d);
                if (pass(d))
                        tell(d->news_fd);
        }
        return NULL;
}

static void close_fd(int *fd)
{
        if (*fd >= 0)
                close(*fd);
        *fd = -1;
}

void drainer_start(struct drainer *d)
{
        assert(!d->thread);
        d->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        d->news_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (d->wake_fd >= 0 && d->news_fd >= 0)
                d->thread = own_thread_start(run, d);
        if (d->thread)
                return;
        close_fd(&d->wake_fd);
        close_fd(&d->news_fd);
}

bool drainer_has_thread(const struct drainer *d)
{
        return d->thread;
}

static void end_thread(struct drainer *d)
{
        if (!d->thread)
                return;
        d->quits = true;
        tell(d->wake_fd);
        own_thread_join(d->thread);
        d->thread = NULL;
}

void drainer_stop(struct drainer *d)
{
        end_thread(d);
        drain(d);
        record_pool_end_round(d->pool, true);
}

void drainer_free(struct drainer *d)
{
        if (!d)
                return;
        end_thread(d);
        close_fd(&d->wake_fd);
        close_fd(&d->news_fd);
        record_pool_free(d->pool);
        buf_release(&d->waits);
        map_release(&d->ids);
        free(d->heads);
        free(d->fds);
        free(d);
}

/* --- for the reader --- */

struct record_pool *drainer_get_pool(struct drainer *d)
{
        return d->pool;
}

size_t drainer_add_fds(const struct drainer *d, struct pollfd *fds)
{
        if (!d->thread)
                return add_sources(d, fds);
        fds[0] = (struct pollfd){.fd = d->news_fd, .events = POLLIN};
        return 1;
}

int drainer_wait_ms(struct drainer *d, int timeout_ms)
{
        int wait_ms = d->thread ? d->request.longest_wait_ms : next_wait_ms(d);

        return timeout_ms < wait_ms ? timeout_ms : wait_ms;
}

void drainer_work(struct drainer *d)
{
        if (d->thread)
                was_told(d->news_fd);
        else
                pass(d);
}

void drainer_hurry(struct drainer *d, bool is_late)
{
        bool was_late = d->n_hurried,
             was_slow = atomic_exchange(&d->pace_ms, SHORTEST_WAIT_MS) > SHORTEST_WAIT_MS;

        if (is_late)
                d->n_hurried = HURRIED_WAITS;
        if (d->thread && (was_slow || (is_late && !was_late)))
                tell(d->wake_fd);
}
