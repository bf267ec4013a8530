/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread for each ring runs on the ring's CPU: the kernel wakes it at each sample, and there it usually
 * runs before the sampled thread goes on. */
#include "peek_engine.h"

#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "arch.h"
#include "linux_processes.h"
#include "log.h"
#include "map.h"
#include "mem.h"
#include "os.h"
#include "peek_process.h"
#include "stop_frames.h"

enum {
        LATE_NS = 1000000, /* frames of older samples must be those of the sample's registers */
        TOO_LATE_NS = 20000000,
        SHORT_WAIT_MS = 2, /* without a descriptor that tells of samples */
        LONG_WAIT_MS = 100,
        CATCH_UP_STEP_NS = 100000,
        CATCH_UP_STEPS = 100,
        FULL_PARTS = 4, /* the drainer is told when so much of a ring is used */
};

/* A ring and the thread that looks at it. */
struct peek_ring {
        struct peek_engine *engine;
        const struct ring *ring;
        uint32_t cpu;
        struct own_thread *thread;
        atomic_bool has_thread;
        atomic_uint_fast64_t seen;
        int poke_fd;     /* wakes the thread; -1: none */
        uint64_t wanted; /* the drainer's: how far the thread should look */
        uint64_t told;   /* `seen` when the drainer was told last */
        struct ring_reader reader;
};

struct peek_engine {
        const struct opened *opened;
        struct map ids;
        struct peek_ring *rings;
        size_t n_rings;
        int quit_fd, full_fd;

        /* Under the lock. */
        struct os_lock *lock;
        struct stop_frames *frames;
        struct peek_processes *processes;
        uint64_t n_read, late_ns; /* samples, and the time from them to the end of their reading */
};

/* --- records --- */

static uint64_t stack_pointer(const struct perf_attr *attr, const struct sample *sample)
{
        uint64_t below = attr->sample_regs_user & ((1ull << linux_arch()->reg_sp) - 1);
        struct cursor regs = sample->regs_user;

        return cursor_skip(&regs, 8 * (size_t)__builtin_popcountll(below)) ? cursor_u64(&regs) : 0;
}

static void read_sample(struct peek_engine *e, const struct perf_attr *attr, const struct sample *sample)
{
        uint64_t now_ns = os_monotonic_ns(), late_ns;
        struct stop_thread thread = {.pid = sample->pid,
                                     .tid = sample->tid,
                                     .time_ns = sample->time,
                                     .pc = sample->ip,
                                     .stack_addr = stack_pointer(attr, sample)};
        bool is_late = now_ns > sample->time + LATE_NS;
        struct peek_thread known;

        if (now_ns > sample->time + TOO_LATE_NS ||
            !peek_processes_find(e->processes, sample->pid, sample->tid, now_ns, &known))
                return;
        thread.image = known.image;
        thread.tls = known.pointer;
        stop_frames_see_running(e->frames, &thread, is_late);
        late_ns = os_monotonic_ns() - sample->time;
        e->n_read++;
        e->late_ns += late_ns;
        log_debug("peek: thread %" PRId32 " at %" PRIu64 " read after %" PRIu64 " ns, until %" PRIu64 " ns",
                  sample->tid, sample->time, now_ns - sample->time, late_ns);
}

static void see_sample(struct peek_engine *e, struct cursor record)
{
        struct cursor c = record;
        const struct opened_event *event;
        struct sample sample;

        cursor_skip(&c, sizeof(struct perf_header));
        event = opened_find(e->opened, &e->ids, cursor_u64(&c));
        if (!event || !event->is_unwound || !sample_parse(&event->attr, record, &sample) || sample.pid <= 0)
                return;
        read_sample(e, &event->attr, &sample);
}

static void see_exit(struct peek_engine *e, struct cursor record)
{
        struct record_task task;

        if (!record_task_parse(record, &task))
                return;
        if (task.pid == task.tid)
                peek_processes_forget(e->processes, task.pid);
        else
                peek_processes_forget_thread(e->processes, task.pid, task.tid);
}

static void see_comm(struct peek_engine *e, const struct perf_header *header, struct cursor record)
{
        struct record_comm comm;

        if (header->misc & PERF_MISC_COMM_EXEC && record_comm_parse(record, &comm))
                peek_processes_forget(e->processes, comm.pid);
}

static void see_record(struct peek_engine *e, const struct perf_header *header, const uint8_t *bytes)
{
        struct cursor record = cursor_make(bytes, header->size);

        os_lock_enter(e->lock);
        switch (header->type) {
        case PERF_RECORD_SAMPLE: see_sample(e, record); break;
        case PERF_RECORD_EXIT: see_exit(e, record); break;
        case PERF_RECORD_COMM: see_comm(e, header, record); break;
        default: break;
        }
        os_lock_leave(e->lock);
}

static void look(struct peek_ring *r)
{
        const uint64_t head = ring_head(r->ring);
        struct perf_header header;
        const uint8_t *record;

        ring_reader_begin(&r->reader, r->ring, head);
        r->reader.at = r->seen;
        while ((record = ring_reader_next(&r->reader, &header)) != NULL)
                see_record(r->engine, &header, record);
        r->seen = head;
        if (head - r->told < r->ring->data_bytes / FULL_PARTS)
                return;
        r->told = head;
        eventfd_write(r->engine->full_fd, 1);
}

/* --- threads --- */

/* It fails where this process may not use the CPU; then the thread is late. */
static void go_to_cpu(uint32_t cpu)
{
        cpu_set_t *set = CPU_ALLOC(cpu + 1);
        size_t bytes = CPU_ALLOC_SIZE(cpu + 1);

        if (!set)
                return;
        CPU_ZERO_S(bytes, set);
        CPU_SET_S(cpu, bytes, set);
        sched_setaffinity(0, bytes, set);
        CPU_FREE(set);
}

static void *run(void *ctx)
{
        struct peek_ring *r = ctx;
        struct pollfd fds[] = {{.fd = r->engine->quit_fd, .events = POLLIN},
                               {.fd = r->ring->fd, .events = POLLIN},
                               {.fd = r->poke_fd, .events = POLLIN}};
        eventfd_t poked;

        os_name_thread("wperf peek");
        go_to_cpu(r->cpu);
        own_thread_be_prompt();
        while (!fds[0].revents) {
                poll(fds, N_ELEMENTS(fds), fds[1].fd < 0 ? SHORT_WAIT_MS : LONG_WAIT_MS);
                if (fds[1].revents & ~POLLIN)
                        fds[1].fd = -1;
                if (fds[2].revents)
                        eventfd_read(r->poke_fd, &poked);
                look(r);
        }
        return NULL;
}

bool peek_engine_start(struct peek_engine *e, struct err *err)
{
        bool ok = e->quit_fd >= 0 && e->full_fd >= 0;

        for (size_t i = 0; ok && i < e->n_rings; i++) {
                e->rings[i].thread = own_thread_start(run, &e->rings[i]);
                ok = e->rings[i].thread;
                e->rings[i].has_thread = ok;
        }
        return ok || err_set(err, ERR_LIMIT, "can't start a thread for each CPU");
}

void peek_engine_end(struct peek_engine *e)
{
        if (e->quit_fd >= 0)
                eventfd_write(e->quit_fd, 1);
        for (size_t i = 0; i < e->n_rings; i++) {
                own_thread_join(e->rings[i].thread);
                e->rings[i].thread = NULL;
                e->rings[i].has_thread = false;
        }
}

/* --- begin and end --- */

static void end_image(void *ctx, uint32_t image)
{
        struct peek_engine *e = ctx;

        stop_frames_end(e->frames, image);
}

static void forget_state(void *ctx, int32_t tid)
{
        const struct peek_engine *e = ctx;

        stop_frames_forget(e->frames, tid);
}

struct peek_engine *peek_engine_new(struct stop_python *python, const struct opened *opened,
                                    const struct ring *rings)
{
        struct peek_engine *e = mem_new(1, sizeof(*e));
        const struct stop_frames_sink sink = {stop_python_add_stack, stop_python_add_code, python};

        e->opened = opened;
        opened_list_ids(opened, &e->ids);
        e->n_rings = opened->n_rings;
        e->rings = mem_new(e->n_rings, sizeof(*e->rings));
        for (size_t i = 0; i < e->n_rings; i++) {
                e->rings[i].engine = e;
                e->rings[i].ring = &rings[i];
                e->rings[i].cpu = opened->ring_cpus[i];
                e->rings[i].poke_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        }
        e->quit_fd = eventfd(0, EFD_CLOEXEC);
        e->full_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        e->lock = os_lock_new();
        e->frames = stop_frames_new(stop_python_binaries(python), &sink);
        e->processes = peek_processes_new(stop_python_binaries(python), end_image, e);
        stop_python_on_forget(python, forget_state, e);
        return e;
}

void peek_engine_free(struct peek_engine *e)
{
        if (!e)
                return;
        peek_engine_end(e);
        if (e->quit_fd >= 0)
                close(e->quit_fd);
        if (e->full_fd >= 0)
                close(e->full_fd);
        for (size_t i = 0; i < e->n_rings; i++) {
                if (e->rings[i].poke_fd >= 0)
                        close(e->rings[i].poke_fd);
        }
        peek_processes_free(e->processes);
        stop_frames_free(e->frames);
        os_lock_free(e->lock);
        map_release(&e->ids);
        free(e->rings);
        free(e);
}

/* --- for the drainer --- */

static bool is_behind(const struct peek_ring *r)
{
        return r->has_thread && r->seen < r->wanted;
}

void peek_engine_catch_up(struct peek_engine *e)
{
        const struct timespec step = {.tv_nsec = CATCH_UP_STEP_NS};
        size_t ring = 0;

        for (size_t i = 0; i < e->n_rings; i++) {
                e->rings[i].wanted = ring_head(e->rings[i].ring);
                if (is_behind(&e->rings[i]) && e->rings[i].poke_fd >= 0)
                        eventfd_write(e->rings[i].poke_fd, 1);
        }
        for (int n = 0; ring < e->n_rings && n < CATCH_UP_STEPS;) {
                if (!is_behind(&e->rings[ring])) {
                        ring++;
                        continue;
                }
                nanosleep(&step, NULL);
                n++;
        }
}

/* After the threads have ended, there are no readers that records must wait for. */
uint64_t peek_engine_seen(const struct peek_engine *e, size_t ring)
{
        return e->rings[ring].has_thread ? e->rings[ring].seen : ring_head(e->rings[ring].ring);
}

int peek_engine_fd(const struct peek_engine *e)
{
        return e->full_fd;
}

void peek_engine_tell(const struct peek_engine *e, struct buf *note)
{
        if (e->n_read)
                buf_printf(note, " (read %.0f us after the sample in the mean)",
                           (double)e->late_ns / (double)e->n_read / 1e3);
}
