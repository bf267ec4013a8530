/* SPDX-License-Identifier: BSD-3-Clause */
/* { "wperf_baseline": 1, "names": [[NAME, BRIEF, MODULE], ...], "runs": [{ "path", "elapsed_ns", ...,
 * "facts": {KEY: TEXT},
 *   "events": [{ "name", "is_time", "is_counted", "samples", "weight", "amount", "rows": [[INDEX OF NAME,
 *   COUNT, WEIGHT], ...] }] }] } */
#include "baseline.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "json.h"
#include "json_reader.h"
#include "map.h"
#include "mem.h"

static const char *const time_keys[RUN_N_TIMES] = {"elapsed_ns", "user_ns", "kernel_ns"};

/* --- Writing ---------------------------------------------------------------------------------------- */

static void write_names(const struct run_values *values, struct json *json)
{
        json_begin_array(json);
        for (size_t i = 0; i < run_values_n_names(values); i++) {
                struct run_name name = run_values_name(values, i);

                json_begin_array(json);
                json_str(json, name.name);
                json_str(json, name.brief ? name.brief : name.name);
                json_str(json, name.module);
                json_end_array(json);
        }
        json_end_array(json);
}

static void write_rows(const struct run_values *values, uint32_t event, size_t run, struct json *json)
{
        json_begin_array(json);
        for (size_t i = 0; i < run_values_n_names(values); i++) {
                const struct run_cell *cell = run_values_row(values, event, i) + run;

                if (!cell->count)
                        continue;
                json_begin_array(json);
                json_u64(json, i);
                json_u64(json, cell->count);
                json_u64(json, cell->weight);
                json_end_array(json);
        }
        json_end_array(json);
}

static void write_events(const struct run_values *values, size_t run, struct json *json)
{
        json_begin_array(json);
        for (uint32_t i = 0; i < run_values_n_events(values); i++) {
                const struct run_event *event = run_values_event(values, run, i);

                if (!event)
                        continue;
                json_begin_object(json);
                json_key_str(json, "name", event->name);
                json_key_bool(json, "is_time", event->is_time);
                if (event->is_counted)
                        json_key_bool(json, "is_counted", true);
                json_key_u64(json, "samples", event->n_samples);
                json_key_u64(json, "weight", event->weight);
                json_key(json, "amount");
                json_fixed(json, event->amount, 0);
                json_key(json, "rows");
                write_rows(values, i, run, json);
                json_end_object(json);
        }
        json_end_array(json);
}

static void write_run(const struct run_values *values, size_t run, struct json *json)
{
        json_begin_object(json);
        json_key_str(json, "path", run_values_path(values, run));
        for (int i = 0; i < RUN_N_TIMES; i++) {
                double ns = run_values_time(values, run, (enum run_time)i);

                if (ns < 0)
                        continue;
                json_key(json, time_keys[i]);
                json_fixed(json, ns, 0);
        }
        if (run_values_program(values, run))
                json_key_str(json, "program", run_values_program(values, run));
        json_key(json, "facts");
        json_begin_object(json);
        for (size_t i = 0; i < run_values_n_facts(values, run); i++) {
                const char *key, *text;

                run_values_get_fact(values, run, i, &key, &text);
                json_key_str(json, key, text);
        }
        json_end_object(json);
        json_key(json, "events");
        write_events(values, run, json);
        json_end_object(json);
}

void baseline_write(const struct run_values *values, struct buf *out)
{
        struct json json;

        json_init(&json, out);
        json_begin_object(&json);
        json_key_u64(&json, "wperf_baseline", BASELINE_VERSION);
        json_key(&json, "names");
        write_names(values, &json);
        json_key(&json, "runs");
        json_begin_array(&json);
        for (size_t r = 0; r < run_values_n_runs(values, RUN_A); r++)
                write_run(values, r, &json);
        json_end_array(&json);
        json_end_object(&json);
        buf_add_char(out, '\n');
}

/* --- Reading ---------------------------------------------------------------------------------------- */

struct baseline_reading {
        struct run_values *values;
        struct arena arena;
        struct run_name *names;
        size_t n_names, cap_names;
        size_t n_runs, n_cells, n_event_cells;
        size_t most_events; /* places for events that the present run has */
        struct map facts;   /* hashes of their keys */
        uint64_t version;
        /* the event that is being read */
        struct run_event event;
        struct row {
                uint64_t name, count, weight;
        } * rows;
        size_t n_rows, cap_rows;
        size_t n_elements; /* of the array that is being read */
        const char *texts[3];
        uint64_t numbers[3];
};

static const char *copy_str(struct baseline_reading *b, struct json_reader *r)
{
        const char *text = json_read_str(r);

        return arena_copy(&b->arena, text, strlen(text));
}

static void read_text(void *ctx, struct json_reader *r, const char *key)
{
        struct baseline_reading *b = ctx;
        const char *text = copy_str(b, r);

        (void)key;
        if (b->n_elements == N_ELEMENTS(b->texts))
                json_reader_fail(r, "a name has three texts");
        else
                b->texts[b->n_elements++] = text;
}

static void read_name(void *ctx, struct json_reader *r, const char *key)
{
        struct baseline_reading *b = ctx;

        (void)key;
        b->n_elements = 0;
        if (!json_read_array(r, read_text, b))
                return;
        if (b->n_elements != N_ELEMENTS(b->texts) || b->n_names == BASELINE_MAX_NAMES)
                json_reader_fail(r, b->n_names == BASELINE_MAX_NAMES ? "too many names"
                                                                     : "a name has three texts");
        else
                ARRAY_PUSH(b->names, b->n_names, b->cap_names,
                           (struct run_name){b->texts[0], b->texts[1], b->texts[2]});
}

static void read_number(void *ctx, struct json_reader *r, const char *key)
{
        struct baseline_reading *b = ctx;
        uint64_t number = json_read_u64(r);

        (void)key;
        if (b->n_elements == N_ELEMENTS(b->numbers))
                json_reader_fail(r, "a row has three numbers");
        else
                b->numbers[b->n_elements++] = number;
}

static void read_row(void *ctx, struct json_reader *r, const char *key)
{
        struct baseline_reading *b = ctx;

        (void)key;
        b->n_elements = 0;
        if (!json_read_array(r, read_number, b))
                return;
        if (b->n_elements != N_ELEMENTS(b->numbers))
                json_reader_fail(r, "a row has three numbers");
        else if (b->numbers[0] >= b->n_names)
                json_reader_fail(r, "a row has no name");
        else if (++b->n_cells > BASELINE_MAX_CELLS)
                json_reader_fail(r, "too many rows");
        else
                ARRAY_PUSH(b->rows, b->n_rows, b->cap_rows,
                           (struct row){b->numbers[0], b->numbers[1], b->numbers[2]});
}

static void read_event_field(void *ctx, struct json_reader *r, const char *key)
{
        struct baseline_reading *b = ctx;

        if (!strcmp(key, "name"))
                b->event.name = copy_str(b, r);
        else if (!strcmp(key, "is_time"))
                b->event.is_time = json_read_bool(r);
        else if (!strcmp(key, "samples"))
                b->event.n_samples = json_read_u64(r);
        else if (!strcmp(key, "is_counted"))
                b->event.is_counted = json_read_bool(r);
        else if (!strcmp(key, "weight"))
                b->event.weight = json_read_u64(r);
        else if (!strcmp(key, "amount"))
                b->event.amount = json_read_double(r);
        else if (!strcmp(key, "rows"))
                json_read_array(r, read_row, b);
        else
                json_skip(r);
}

/* A run has a place for each event up to its last one. */
static void count_event(struct baseline_reading *b, uint32_t number, struct json_reader *r)
{
        size_t n = (size_t)number + 1;

        if (n > BASELINE_MAX_EVENTS || n > BASELINE_MAX_EVENT_CELLS - b->n_event_cells)
                json_reader_fail(r, "too many events");
        b->most_events = n > b->most_events ? n : b->most_events;
}

static void read_event(void *ctx, struct json_reader *r, const char *key)
{
        struct baseline_reading *b = ctx;
        uint32_t number;

        (void)key;
        b->event = (struct run_event){0};
        b->n_rows = 0;
        if (!json_read_object(r, read_event_field, b))
                return;
        if (!b->event.name || b->event.amount < 0) {
                json_reader_fail(r, "an event needs a name, and an amount that is not negative");
                return;
        }
        number = run_values_add_event(b->values, &b->event);
        count_event(b, number, r);
        for (size_t i = 0; i < b->n_rows; i++)
                run_values_add(b->values, number, &b->names[b->rows[i].name], b->rows[i].count,
                               b->rows[i].weight);
}

static void read_fact(void *ctx, struct json_reader *r, const char *key)
{
        struct baseline_reading *b = ctx;
        const char *copy = arena_copy(&b->arena, key, strlen(key));

        map_put(&b->facts, map_hash_bytes(key, strlen(key)), NULL);
        if (b->facts.n_used > BASELINE_MAX_FACTS) {
                json_reader_fail(r, "too many facts");
                return;
        }
        run_values_add_fact(b->values, copy, json_read_str(r));
}

static void read_run_field(void *ctx, struct json_reader *r, const char *key)
{
        struct baseline_reading *b = ctx;

        for (int i = 0; i < RUN_N_TIMES; i++) {
                if (!strcmp(key, time_keys[i])) {
                        run_values_set_time(b->values, (enum run_time)i, json_read_double(r));
                        return;
                }
        }
        if (!strcmp(key, "program"))
                run_values_set_program(b->values, json_read_str(r));
        else if (!strcmp(key, "facts"))
                json_read_object(r, read_fact, b);
        else if (!strcmp(key, "events"))
                json_read_array(r, read_event, b);
        else
                json_skip(r);
}

static void read_run(void *ctx, struct json_reader *r, const char *key)
{
        struct baseline_reading *b = ctx;
        AUTO_RELEASE(buf) path = {0};

        (void)key;
        if (b->n_runs == BASELINE_MAX_RUNS) {
                json_reader_fail(r, "too many runs");
                return;
        }
        buf_printf(&path, "run %zu of the baseline", ++b->n_runs);
        run_values_add_run(b->values, RUN_A, buf_text(&path));
        b->most_events = 0;
        json_read_object(r, read_run_field, b);
        b->n_event_cells += b->most_events;
}

/* The names come before the runs. */
static void read_field(void *ctx, struct json_reader *r, const char *key)
{
        struct baseline_reading *b = ctx;

        if (!strcmp(key, "wperf_baseline"))
                b->version = json_read_u64(r);
        else if (b->version != BASELINE_VERSION)
                json_reader_fail(r, "this is not a baseline that this version of wperf reads");
        else if (!strcmp(key, "names"))
                json_read_array(r, read_name, b);
        else if (!strcmp(key, "runs"))
                json_read_array(r, read_run, b);
        else
                json_skip(r);
}

bool baseline_read(struct run_values *values, const void *bytes, size_t size, struct err *err)
{
        struct baseline_reading b = {.values = values};
        struct json_reader reader;
        bool ok;

        json_reader_init(&reader, bytes, size);
        json_read_object(&reader, read_field, &b);
        if (!reader.failed && !b.n_runs)
                json_reader_fail(&reader, "the baseline has no runs");
        /* Rows are kept for all names in all runs. */
        if (!reader.failed &&
            run_values_n_names(values) > BASELINE_MAX_CELLS / b.n_runs / (run_values_n_events(values) + 1))
                json_reader_fail(&reader, "too many names for so many runs and events");
        ok = json_reader_end(&reader, err);
        json_reader_release(&reader);
        map_release(&b.facts);
        arena_release(&b.arena);
        free(b.names);
        free(b.rows);
        return ok;
}
