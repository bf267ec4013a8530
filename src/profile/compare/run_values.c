/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_values.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "module_pairs.h"
#include "run_values_internal.h"

struct run_values *run_values_new(void)
{
        struct run_values *v = mem_new(1, sizeof(*v));

        v->texts = strpool_new();
        return v;
}

static void release_run(struct stored_run *run)
{
        free(run->facts);
        free(run->events);
        free(run->samples);
        map_release(&run->inlined);
}

void run_values_free(struct run_values *v)
{
        if (!v)
                return;
        for (size_t i = 0; i < v->n_runs; i++)
                release_run(&v->runs[i]);
        free(v->runs);
        free(v->events);
        free(v->names);
        free(v->cells);
        free(v->pairs);
        map_release(&v->name_numbers);
        strpool_free(v->texts);
        free(v);
}

static struct stored_run *last_run(struct run_values *v)
{
        assert(v->n_runs);
        return &v->runs[v->n_runs - 1];
}

void run_values_add_run(struct run_values *v, enum run_side side, const char *path)
{
        struct stored_run run = {.side = side, .path = strpool_add(v->texts, path)};

        assert(!v->n_runs || v->runs[v->n_runs - 1].side <= side);
        run.start_ns = -1;
        for (size_t i = 0; i < RUN_N_TIMES; i++)
                run.times[i] = -1;
        ARRAY_PUSH(v->runs, v->n_runs, v->cap_runs, run);
        v->n_of_side[side]++;
}

void run_values_set_time(struct run_values *v, enum run_time time, double ns)
{
        assert(time < RUN_N_TIMES);
        last_run(v)->times[time] = ns;
}

void run_values_set_start(struct run_values *v, double ns)
{
        last_run(v)->start_ns = ns;
}

void run_values_add_fact(struct run_values *v, const char *key, const char *text)
{
        struct stored_run *run = last_run(v);

        ARRAY_PUSH(run->facts, run->n_facts, run->cap_facts,
                   (struct stored_fact){strpool_add(v->texts, key), strpool_add(v->texts, text)});
}

void run_values_set_program(struct run_values *v, const char *module)
{
        last_run(v)->program = strpool_add(v->texts, module);
}

static uint32_t event_number(struct run_values *v, const char *name)
{
        str_id id = strpool_add(v->texts, name);

        for (uint32_t i = 0; i < v->n_events; i++) {
                if (v->events[i] == id)
                        return i;
        }
        ARRAY_PUSH(v->events, v->n_events, v->cap_events, id);
        return (uint32_t)v->n_events - 1;
}

uint32_t run_values_add_event(struct run_values *v, const struct run_event *event)
{
        struct stored_run *run = last_run(v);
        uint32_t number = event_number(v, event->name);

        struct run_event *stored;

        while (run->n_events <= number)
                ARRAY_PUSH(run->events, run->n_events, run->cap_events, (struct run_event){0});
        stored = &run->events[number];
        stored->name = strpool_get(v->texts, v->events[number]);
        stored->is_time = event->is_time;
        stored->is_counted |= event->is_counted;
        stored->n_samples += event->n_samples;
        stored->weight += event->weight;
        if (!event->is_time || event->is_counted)
                stored->amount += event->amount;
        else if (event->amount > stored->amount) /* the CPU time of the run, whatever the number of events */
                stored->amount = event->amount;
        return number;
}

static size_t name_number(struct run_values *v, const struct run_name *name)
{
        str_id id = strpool_add(v->texts, name->name), module = strpool_add(v->texts, name->module);
        bool is_new;
        uint64_t *number = map_put(&v->name_numbers, (uint64_t)module << 32 | id, &is_new);

        if (is_new) {
                *number = v->n_names;
                ARRAY_PUSH(v->names, v->n_names, v->cap_names,
                           (struct stored_name){
                                   .name = id,
                                   .brief = strpool_add(v->texts, name->brief ? name->brief : name->name),
                                   .module = module,
                           });
        }
        return (size_t)*number;
}

void run_values_add(struct run_values *v, uint32_t event, const struct run_name *name, uint64_t count,
                    uint64_t weight)
{
        struct stored_run *run = last_run(v);
        size_t number = name_number(v, name);

        assert(event < run->n_events);
        ARRAY_PUSH(run->samples, run->n_samples, run->cap_samples,
                   (struct stored_samples){event, (uint32_t)number, {count, weight}});
}

void run_values_add_inlined(struct run_values *v, const char *name)
{
        map_put(&last_run(v)->inlined, strpool_add(v->texts, name), NULL);
}

/* --- Rows ------------------------------------------------------------------------------------------- */

struct run_cell *run_values_cells(const struct run_values *v, uint32_t event, size_t name)
{
        assert(v->cells && event < v->n_events && name < v->n_names);
        return v->cells + ((size_t)event * v->n_names + name) * v->n_runs;
}

static void make_cells(struct run_values *v)
{
        free(v->cells);
        v->cells = mem_new(v->n_events * v->n_names * v->n_runs + 1, sizeof(*v->cells));
        for (size_t r = 0; r < v->n_runs; r++) {
                const struct stored_run *run = &v->runs[r];

                for (size_t i = 0; i < run->n_samples; i++) {
                        const struct stored_samples *s = &run->samples[i];
                        struct run_cell *cell = run_values_cells(v, s->event, v->names[s->name].same_as) + r;

                        cell->count += s->cell.count;
                        cell->weight += s->cell.weight;
                }
        }
}

/* A brief name that several names of a module have does not distinguish them. */
static void mark_ambiguous(struct run_values *v)
{
        struct map seen = {0};

        for (size_t i = 0; i < v->n_names; i++) {
                struct stored_name *name = &v->names[i];
                bool is_new;
                uint64_t *first;

                if (name->same_as != i)
                        continue;
                first = map_put(&seen, (uint64_t)name->module << 32 | name->brief, &is_new);
                if (is_new) {
                        *first = i;
                        continue;
                }
                name->is_ambiguous = true;
                v->names[*first].is_ambiguous = true;
        }
        map_release(&seen);
}

/* Names of B's modules become those of A's. */
static void merge_names(struct run_values *v)
{
        for (size_t i = 0; i < v->n_names; i++) {
                struct stored_name *name = &v->names[i];
                str_id module =
                        v->has_files ? name->module : module_pairs_find(v->pairs, v->n_pairs, name->module);
                const uint64_t *same = map_find(&v->name_numbers, (uint64_t)module << 32 | name->name);

                name->same_as = i;
                if (module == name->module)
                        continue;
                if (same)
                        name->same_as = (uint32_t)*same;
                else
                        name->module = module;
        }
}

void run_values_finish(struct run_values *v)
{
        assert(!v->cells);
        if (!v->has_files) {
                free(v->pairs);
                v->pairs = module_pairs_make(v, &v->n_pairs);
        }
        merge_names(v);
        mark_ambiguous(v);
        make_cells(v);
}

void run_values_rename(struct run_values *v, size_t a, size_t b)
{
        for (uint32_t e = 0; e < v->n_events; e++) {
                struct run_cell *to = run_values_cells(v, e, a), *from = run_values_cells(v, e, b);

                for (size_t r = 0; r < v->n_runs; r++) {
                        to[r].count += from[r].count;
                        to[r].weight += from[r].weight;
                        from[r] = (struct run_cell){0};
                }
        }
        v->names[b].same_as = (uint32_t)a;
        v->names[b].is_renamed = true;
}

/* --- Reading ---------------------------------------------------------------------------------------- */

size_t run_values_n_runs(const struct run_values *v, enum run_side side)
{
        assert(side < RUN_N_SIDES);
        return v->n_of_side[side];
}

size_t run_values_first(const struct run_values *v, enum run_side side)
{
        return side == RUN_A ? 0 : v->n_of_side[RUN_A];
}

size_t run_values_end(const struct run_values *v, enum run_side side)
{
        return side == RUN_A ? v->n_of_side[RUN_A] : v->n_runs;
}

size_t run_values_n_all_runs(const struct run_values *v)
{
        return v->n_runs;
}

const char *run_values_path(const struct run_values *v, size_t run)
{
        assert(run < v->n_runs);
        return strpool_get(v->texts, v->runs[run].path);
}

double run_values_time(const struct run_values *v, size_t run, enum run_time time)
{
        assert(run < v->n_runs && time < RUN_N_TIMES);
        return v->runs[run].times[time];
}

double run_values_start(const struct run_values *v, size_t run)
{
        assert(run < v->n_runs);
        return v->runs[run].start_ns;
}

size_t run_values_n_facts(const struct run_values *v, size_t run)
{
        assert(run < v->n_runs);
        return v->runs[run].n_facts;
}

void run_values_get_fact(const struct run_values *v, size_t run, size_t index, const char **ret_key,
                         const char **ret_text)
{
        assert(run < v->n_runs && index < v->runs[run].n_facts);
        *ret_key = strpool_get(v->texts, v->runs[run].facts[index].key);
        *ret_text = strpool_get(v->texts, v->runs[run].facts[index].text);
}

const char *run_values_program(const struct run_values *v, size_t run)
{
        assert(run < v->n_runs);
        return v->runs[run].program ? strpool_get(v->texts, v->runs[run].program) : NULL;
}

size_t run_values_n_events(const struct run_values *v)
{
        return v->n_events;
}

const char *run_values_event_name(const struct run_values *v, uint32_t event)
{
        assert(event < v->n_events);
        return strpool_get(v->texts, v->events[event]);
}

const struct run_event *run_values_event(const struct run_values *v, size_t run, uint32_t event)
{
        const struct stored_run *r = &v->runs[run];

        assert(run < v->n_runs);
        return event < r->n_events && r->events[event].name ? &r->events[event] : NULL;
}

size_t run_values_n_names(const struct run_values *v)
{
        return v->n_names;
}

struct run_name run_values_name(const struct run_values *v, size_t index)
{
        const struct stored_name *name = &v->names[index];

        assert(index < v->n_names);
        return (struct run_name){
                .name = strpool_get(v->texts, name->name),
                .brief = name->is_ambiguous ? NULL : strpool_get(v->texts, name->brief),
                .module = strpool_get(v->texts, name->module),
        };
}

size_t run_values_renamed(const struct run_values *v, size_t name)
{
        assert(name < v->n_names);
        return v->names[name].is_renamed ? v->names[name].same_as : SIZE_MAX;
}

const struct run_cell *run_values_row(const struct run_values *v, uint32_t event, size_t name)
{
        return run_values_cells(v, event, name);
}

bool run_values_is_inlined(const struct run_values *v, enum run_side side, const char *name)
{
        str_id id;

        if (!strpool_find_len(v->texts, name, strlen(name), &id))
                return false;
        for (size_t i = 0; i < v->n_runs; i++) {
                if (v->runs[i].side == side && map_find(&v->runs[i].inlined, id))
                        return true;
        }
        return false;
}

bool run_values_has_files(const struct run_values *v)
{
        return v->has_files;
}

size_t run_values_n_pairs(const struct run_values *v)
{
        return v->n_pairs;
}

void run_values_get_pair(const struct run_values *v, size_t index, const char **ret_a, const char **ret_b)
{
        assert(index < v->n_pairs);
        *ret_a = strpool_get(v->texts, v->pairs[index].a);
        *ret_b = strpool_get(v->texts, v->pairs[index].b);
}

const char *run_values_paired_module(const struct run_values *v, const char *module)
{
        for (size_t i = 0; i < v->n_pairs; i++) {
                if (!strcmp(strpool_get(v->texts, v->pairs[i].b), module))
                        return strpool_get(v->texts, v->pairs[i].a);
        }
        return module;
}

/* --- Copies and groups ------------------------------------------------------------------------------ */

static void copy_run(const struct run_values *from, size_t index, struct run_values *to)
{
        const struct stored_run *run = &from->runs[index];

        run_values_add_run(to, run->side, strpool_get(from->texts, run->path));
        run_values_set_start(to, run->start_ns);
        for (size_t i = 0; i < RUN_N_TIMES; i++)
                run_values_set_time(to, (enum run_time)i, run->times[i]);
        for (size_t i = 0; i < run->n_facts; i++)
                run_values_add_fact(to, strpool_get(from->texts, run->facts[i].key),
                                    strpool_get(from->texts, run->facts[i].text));
        for (uint32_t i = 0; i < run->n_events; i++) {
                if (run->events[i].name)
                        run_values_add_event(to, &run->events[i]);
        }
}

void run_values_append(struct run_values *v, const struct run_values *from)
{
        uint32_t *events = mem_new(from->n_events + 1, sizeof(*events));

        assert(!v->cells && !from->cells);
        for (uint32_t i = 0; i < from->n_events; i++)
                events[i] = event_number(v, run_values_event_name(from, i));
        for (size_t r = 0; r < from->n_runs; r++) {
                const struct stored_run *run = &from->runs[r];

                copy_run(from, r, v);
                if (run->program)
                        run_values_set_program(v, strpool_get(from->texts, run->program));
                for (size_t i = 0; i < run->n_samples; i++) {
                        const struct stored_samples *s = &run->samples[i];
                        const struct run_name name = run_values_name(from, s->name);

                        run_values_add(v, events[s->event], &name, s->cell.count, s->cell.weight);
                }
        }
        free(events);
}

struct run_values *run_values_group(const struct run_values *v, run_values_group_fn *group_of,
                                    const void *ctx)
{
        struct run_values *grouped = run_values_new();

        for (uint32_t i = 0; i < v->n_events; i++) /* the same numbers */
                event_number(grouped, run_values_event_name(v, i));
        for (size_t r = 0; r < v->n_runs; r++) {
                const struct stored_run *run = &v->runs[r];

                copy_run(v, r, grouped);
                for (size_t i = 0; i < run->n_samples; i++) {
                        const struct stored_samples *s = &run->samples[i];
                        struct run_name name = run_values_name(v, s->name);
                        const struct run_name group = {.name = group_of(ctx, &name), .module = ""};

                        run_values_add(grouped, s->event, &group, s->cell.count, s->cell.weight);
                }
        }
        run_values_finish(grouped);
        return grouped;
}

bool run_values_event_is_time(const struct run_values *v, uint32_t event)
{
        for (size_t r = 0; r < run_values_n_all_runs(v); r++) {
                const struct run_event *e = run_values_event(v, r, event);

                if (e)
                        return e->is_time;
        }
        return false;
}
