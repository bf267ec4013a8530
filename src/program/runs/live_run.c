/* SPDX-License-Identifier: BSD-3-Clause */
#include "live_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "os.h"
#include "python_section.h"
#include "record_queue.h"
#include "record_window.h"
#include "wait_window.h"

#define LOOK_NS     200000000ull  /* between two looks at the facts of the run, while nobody asks */
#define WAIT_NS     2000000ull    /* between two looks at what another thread does, in the beginning */
#define ASK_NS      10000000ull   /* and for records */
#define CATCH_UP_NS 1000000000ull /* between two times that records are added up in a long interval */

enum {
        KEPT_BYTES = 12 << 20,
        KEPT_WALL_BYTES = 6 << 20, /* with wall time, whose model needs memory; and of readings: */
        KEPT_WAITS_BYTES = 2 << 20,
        MAX_WAITING_BYTES = 16 << 20,
};

struct live_run {
        struct live_run_request request;
        struct run_live sink;
        struct os_task *recorder;
        struct os_lock *lock;         /* for everything that two threads use: */
        struct record_queue incoming; /* from the recorder */
        bool is_asked;                /* for these: */
        struct buf records;           /* whose Python functions are in: */
        struct buf *waits;            /* what threads waited for, as sections */
        size_t n_waits, cap_waits;
        struct buf python; /* a section that the model does not have yet; empty if it has it */
        struct live_facts facts;
        const char *keep_path; /* where the recorder shall write a session; NULL: nowhere */
        bool is_kept;
        struct err keep_error;
        bool is_to_forget; /* what is kept so far */
        bool has_begun, has_ended;
        /* of the recorder's thread, and of others after its end: */
        struct record_window *window;
        struct wait_window *waits_window;
        struct run *run; /* after its end; NULL if it failed */
        enum run_failure failure;
        struct err error;
        size_t n_python;
        uint64_t looked_ns;
        uint64_t n_forgotten; /* samples before the sums began anew */
        /* of the thread that adds up: */
        struct buf header;
        struct live_model *model;
        uint64_t taken_ns; /* when it last took records */
};

/* --- the thread of the recorder --- */

static void begin(void *ctx, struct run *run)
{
        run_add_header(run, &((struct live_run *)ctx)->header);
}

static bool put(void *ctx, const void *records, size_t size_bytes, struct err *err)
{
        struct live_run *live = ctx;

        (void)err;
        os_lock_enter(live->lock);
        record_queue_add(&live->incoming, records, size_bytes);
        os_lock_leave(live->lock);
        record_window_add(live->window, records, size_bytes);
        return true;
}

static void look_at_python(struct live_run *live, const struct collect_result *collected)
{
        size_t n = collected->python_places ? python_places_n(collected->python_places) : 0;
        struct buf section = {0};

        if (n == live->n_python || !collected->python)
                return;
        live->n_python = n;
        python_places_write(collected->python_places, collected->python, &section);
        os_lock_enter(live->lock);
        buf_release(&live->python);
        live->python = section;
        os_lock_leave(live->lock);
}

static void look(struct live_run *live, struct run *run)
{
        const struct run_facts facts = run_look(run);
        uint64_t own_ns = run_own_ns(run);

        live->looked_ns = os_monotonic_ns();
        os_lock_enter(live->lock);
        live->facts.looked_ns = live->looked_ns;
        live->facts.elapsed_ns = facts.elapsed_ns;
        live->facts.own_ns = own_ns;
        live->facts.n_dropped = record_window_n_dropped(live->window) - live->n_forgotten;
        live->facts.has_status = facts.has_status;
        live->facts.stopped_by_us = facts.stopped_by_us;
        live->facts.exit_status = facts.exit_status;
        snprintf(live->facts.note, sizeof(live->facts.note), "%s", facts.heading_note);
        snprintf(live->facts.lack, sizeof(live->facts.lack), "%s", facts.lack_note);
        os_lock_leave(live->lock);
}

static bool put_kept(void *ctx, const struct record_sink *sink, struct err *err)
{
        return record_window_put(((struct live_run *)ctx)->window, sink, err);
}

static void add_waits(void *ctx, struct buf *out)
{
        wait_window_write(((struct live_run *)ctx)->waits_window, out);
}

static void look_at_waits(struct live_run *live, struct run *run)
{
        AUTO_RELEASE(buf) section = {0};

        run_take_waits(run, &section);
        if (!section.len)
                return;
        wait_window_add(live->waits_window, &section);
        os_lock_enter(live->lock);
        ARRAY_PUSH(live->waits, live->n_waits, live->cap_waits, section);
        os_lock_leave(live->lock);
        section = (struct buf){0};
}

static bool keep(struct live_run *live, struct run *run, const char *path, struct err *err)
{
        const struct run_records records = {
                .put_all = put_kept,
                .add_waits = add_waits,
                .ctx = live,
                .n_samples = record_window_n_samples(live->window),
                .is_whole = !record_window_n_dropped(live->window),
        };

        look_at_waits(live, run);
        return run_keep(run, path, &records, err);
}

static bool is_asked(struct live_run *live)
{
        bool asked;

        os_lock_enter(live->lock);
        asked = live->is_asked;
        os_lock_leave(live->lock);
        return asked;
}

/* The functions of all records that were put are known now. */
static void give_records(struct live_run *live, struct run *run)
{
        look_at_python(live, run_look(run).collected);
        look_at_waits(live, run);
        look(live, run);
        os_lock_enter(live->lock);
        buf_add(&live->records, buf_text(&live->incoming.records), live->incoming.records.len);
        buf_release(&live->incoming.records);
        live->incoming.records = (struct buf){0};
        live->is_asked = false;
        os_lock_leave(live->lock);
}

/* What other threads asked for. */
static void obey(struct live_run *live, struct run *run)
{
        struct err error = {0};
        const char *path;
        bool forgets;

        os_lock_enter(live->lock);
        path = live->keep_path;
        forgets = live->is_to_forget;
        live->is_to_forget = false;
        os_lock_leave(live->lock);
        if (forgets) {
                record_window_drop_all(live->window);
                wait_window_drop_all(live->waits_window);
                live->n_forgotten = record_window_n_dropped(live->window);
        }
        if (!path)
                return;
        keep(live, run, path, &error);
        os_lock_enter(live->lock);
        live->keep_path = NULL;
        live->is_kept = true;
        live->keep_error = error;
        os_lock_leave(live->lock);
}

static void turn(void *ctx, struct run *run)
{
        struct live_run *live = ctx;

        if (!live->has_begun || os_monotonic_ns() >= live->looked_ns + LOOK_NS)
                look(live, run);
        obey(live, run);
        if (is_asked(live))
                give_records(live, run);
        __atomic_store_n(&live->has_begun, true, __ATOMIC_RELEASE);
}

static void record(void *ctx)
{
        struct live_run *live = ctx;

        os_name_thread("wperf recorder");
        live->run = run_record(&live->request.run, &live->failure, &live->error);
        if (live->run)
                give_records(live, live->run);
        __atomic_store_n(&live->has_ended, true, __ATOMIC_RELEASE);
}

/* --- other threads --- */

static bool has_begun(const struct live_run *live)
{
        return __atomic_load_n(&live->has_begun, __ATOMIC_ACQUIRE);
}

bool live_run_has_ended(const struct live_run *live)
{
        return __atomic_load_n(&live->has_ended, __ATOMIC_ACQUIRE);
}

struct live_run *live_run_start(const struct live_run_request *request, enum run_failure *ret_failure,
                                struct err *err)
{
        AUTO(live_run) live = mem_new(1, sizeof(*live));
        struct live_request model = {.python = request->python,
                                     .no_demangle = request->no_demangle,
                                     .add_group = target_add_cgroup,
                                     .sources = request->sources,
                                     .states = request->run.wall ? request->states : 0};

        live->request = *request;
        live->sink = (struct run_live){begin, put, turn, live};
        live->request.run.live = &live->sink;
        live->request.run.keeps_signals = true;
        live->request.run.quiet = true;
        live->lock = os_lock_new();
        live->incoming.max_bytes = MAX_WAITING_BYTES;
        live->window = record_window_new(request->run.wall ? KEPT_WALL_BYTES : KEPT_BYTES);
        live->waits_window = wait_window_new(KEPT_WAITS_BYTES);
        live->recorder = os_task_start(record, live);
        while (!has_begun(live) && !live_run_has_ended(live))
                os_sleep(WAIT_NS);
        if (live_run_has_ended(live) && !live->run) {
                *ret_failure = live->failure;
                *err = live->error;
                return NULL;
        }
        model.header = &live->header;
        live->model = live_model_new(&model, err);
        live->taken_ns = os_monotonic_ns();
        *ret_failure = RUN_FAILED;
        return live->model ? TAKE(live) : NULL;
}

void live_run_stop(struct live_run *live)
{
        if (!live->recorder)
                return;
        if (!live_run_has_ended(live))
                os_request_stop();
        os_task_join(TAKE(live->recorder));
}

static void release_waits(struct live_run *live)
{
        for (size_t i = 0; i < live->n_waits; i++)
                buf_release(&live->waits[i]);
        free(live->waits);
}

void live_run_free(struct live_run *live)
{
        if (!live)
                return;
        live_run_stop(live);
        live_model_free(live->model);
        run_free(live->run);
        record_window_free(live->window);
        wait_window_free(live->waits_window);
        os_lock_free(live->lock);
        buf_release(&live->incoming.records);
        buf_release(&live->records);
        buf_release(&live->python);
        release_waits(live);
        buf_release(&live->header);
        free(live);
}

static void ask_for_records(struct live_run *live)
{
        os_lock_enter(live->lock);
        live->is_asked = true;
        os_lock_leave(live->lock);
        while (is_asked(live) && !live_run_has_ended(live))
                os_sleep(ASK_NS);
}

/* Adds up what arrived since it was last called. */
static void take_records(struct live_run *live)
{
        AUTO_RELEASE(buf) records = {0};
        AUTO_RELEASE(buf) python = {0};
        struct buf *waits;
        uint64_t n_dropped;
        size_t n_waits;

        if (!live_run_has_ended(live))
                ask_for_records(live);
        os_lock_enter(live->lock);
        records = live->records;
        live->records = (struct buf){0};
        n_dropped = live->incoming.n_dropped;
        live->incoming.n_dropped = 0;
        python = live->python;
        live->python = (struct buf){0};
        waits = live->waits;
        n_waits = live->n_waits;
        live->waits = NULL;
        live->n_waits = live->cap_waits = 0;
        os_lock_leave(live->lock);
        if (python.len)
                live_model_set_python(live->model, &python);
        for (size_t i = 0; i < n_waits; i++)
                live_model_add_waits(live->model, &waits[i]);
        free(waits);
        live_model_put(live->model, records.data, records.len);
        live_model_count_lost(live->model, n_dropped);
        live->taken_ns = os_monotonic_ns();
}

void live_run_catch_up(struct live_run *live)
{
        if (os_monotonic_ns() >= live->taken_ns + CATCH_UP_NS)
                take_records(live);
}

struct live_table *live_run_step(struct live_run *live)
{
        bool is_last = live_run_has_ended(live);

        take_records(live);
        live_model_end_interval(live->model, os_monotonic_ns(), live_run_get_facts(live).elapsed_ns, is_last);
        return live_model_make_table(live->model);
}

void live_run_zero(struct live_run *live)
{
        live_model_zero(live->model);
        os_lock_enter(live->lock);
        live->is_to_forget = true;
        os_lock_leave(live->lock);
}

struct live_facts live_run_get_facts(struct live_run *live)
{
        struct live_facts facts;

        os_lock_enter(live->lock);
        facts = live->facts;
        os_lock_leave(live->lock);
        if (live_run_has_ended(live) && !live->run)
                facts.error = live->error;
        return facts;
}

double live_run_own_percent(const struct live_facts before[2], const struct live_facts *now,
                            uint64_t interval_ns)
{
        const struct live_facts *from = &before[now->looked_ns - before->looked_ns < interval_ns / 2];
        uint64_t between_ns = now->looked_ns - from->looked_ns;

        return between_ns ? 100 * (double)(now->own_ns - from->own_ns) / (double)between_ns : 0;
}

/* True if the recorder has done it. */
static bool is_kept(struct live_run *live, struct err *err)
{
        bool kept;

        os_lock_enter(live->lock);
        kept = live->is_kept;
        if (kept && live->keep_error.code && err)
                *err = live->keep_error;
        os_lock_leave(live->lock);
        return kept;
}

static bool keep_ended(struct live_run *live, const char *path, struct err *err)
{
        return live->run ? keep(live, live->run, path, err)
                         : err_set(err, live->error.code, "%s", live->error.text);
}

bool live_run_keep(struct live_run *live, const char *path, struct err *err)
{
        if (live_run_has_ended(live))
                return keep_ended(live, path, err);
        os_lock_enter(live->lock);
        live->keep_path = path;
        live->is_kept = false;
        live->keep_error = (struct err){0};
        os_lock_leave(live->lock);
        while (!is_kept(live, err)) {
                if (live_run_has_ended(live))
                        return is_kept(live, err) ? !live->keep_error.code : keep_ended(live, path, err);
                os_sleep(WAIT_NS);
        }
        return !live->keep_error.code;
}
