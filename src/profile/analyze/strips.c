/* SPDX-License-Identifier: BSD-3-Clause */
#include "strips.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_spans.h"
#include "map.h"
#include "mem.h"

/* Sums of a thread or a CPU. */
struct strip_sum {
        struct strip strip;
        uint32_t comm;
};

struct strip_sums {
        struct strip_sum *items;
        size_t n, cap;
        struct map places; /* key to index + 1 */
};

static uint64_t key_of(const struct strips_request *request, const struct listed_sample *sample)
{
        return request->by == STRIPS_BY_CPU ? sample->cpu
                                            : (uint64_t)(uint32_t)sample->pid << 32 | (uint32_t)sample->tid;
}

static void add_up(const struct strips_request *request, struct strip_sums *sums, struct strips *strips)
{
        for (size_t i = 0; i < sample_list_n(request->samples); i++) {
                const struct listed_sample *sample = sample_list_get(request->samples, i);
                uint64_t *place;
                struct strip_sum *sum;

                if (sample->event != request->event)
                        continue;
                place = map_put(&sums->places, key_of(request, sample), NULL);
                if (!*place) {
                        const struct strip strip = {
                                .pid = sample->pid, .tid = sample->tid, .cpu = sample->cpu};

                        ARRAY_PUSH(sums->items, sums->n, sums->cap, ((struct strip_sum){.strip = strip}));
                        *place = sums->n;
                }
                sum = &sums->items[*place - 1];
                sum->comm = sample->comm;
                sum->strip.count += !sample->is_part;
                sum->strip.weight += sample->weight;
                strips->count += !sample->is_part;
                strips->weight += sample->weight;
        }
}

static int by_weight(const void *x, const void *y)
{
        const struct strip *a = &((const struct strip_sum *)x)->strip,
                           *b = &((const struct strip_sum *)y)->strip;

        if (a->weight != b->weight)
                return a->weight < b->weight ? 1 : -1;
        if (a->pid != b->pid)
                return a->pid < b->pid ? -1 : 1;
        return a->tid != b->tid ? (a->tid < b->tid ? -1 : 1) : (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static int by_cpu(const void *x, const void *y)
{
        const struct strip *a = x, *b = y;

        return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static bool has_cpu_spans(const struct strips_request *request)
{
        return request->cpu_spans && cpu_spans_n(request->cpu_spans);
}

static bool has_states(const struct strips_request *request)
{
        return request->by == STRIPS_BY_THREAD && request->n_states && has_cpu_spans(request);
}

static void make_columns(const struct strips_request *request, struct strip *strip, unsigned n)
{
        strip->columns = mem_new(n, sizeof(*strip->columns));
        strip->marked = request->marked_nodes ? mem_new(n, sizeof(*strip->marked)) : NULL;
        strip->running = has_cpu_spans(request) ? mem_new(n, sizeof(*strip->running)) : NULL;
        strip->states = has_states(request) ? mem_new(n, sizeof(*strip->states)) : NULL;
}

static void choose(const struct strips_request *request, struct strip_sums *sums, struct strips *strips)
{
        if (sums->n)
                qsort(sums->items, sums->n, sizeof(*sums->items), by_weight);
        strips->n = sums->n < STRIPS_MAX ? sums->n : STRIPS_MAX;
        strips->n_left_out = sums->n - strips->n;
        strips->items = mem_new(strips->n, sizeof(*strips->items));
        for (size_t i = 0; i < strips->n; i++) {
                strips->items[i] = sums->items[i].strip;
                strips->items[i].name = request->by == STRIPS_BY_CPU
                                                ? ""
                                                : sample_list_text(request->samples, sums->items[i].comm);
                make_columns(request, &strips->items[i], strips->n_columns);
        }
        if (request->by == STRIPS_BY_CPU && strips->n)
                qsort(strips->items, strips->n, sizeof(*strips->items), by_cpu);
        map_release(&sums->places);
        for (size_t i = 0; i < strips->n; i++) {
                const struct strip *strip = &strips->items[i];
                const struct listed_sample like = {.pid = strip->pid, .tid = strip->tid, .cpu = strip->cpu};

                *map_put(&sums->places, key_of(request, &like), NULL) = i + 1;
        }
}

static unsigned column_of(const struct strips *strips, uint64_t time_ns)
{
        double at = (double)(time_ns - strips->from_ns) / ((double)(strips->to_ns - strips->from_ns) + 1);
        unsigned column = (unsigned)(at * strips->n_columns);

        return column < strips->n_columns ? column : strips->n_columns - 1;
}

static void fill(const struct strips_request *request, const struct strip_sums *sums, struct strips *strips)
{
        for (size_t i = 0; i < sample_list_n(request->samples); i++) {
                const struct listed_sample *sample = sample_list_get(request->samples, i);
                const uint64_t *place;
                struct strip *strip;
                unsigned column;

                if (sample->event != request->event || sample->time_ns >= SAMPLE_NO_TIME_NS)
                        continue;
                place = map_find(&sums->places, key_of(request, sample));
                if (!place)
                        continue;
                strip = &strips->items[*place - 1];
                column = column_of(strips, sample->time_ns);
                strip->columns[column] += sample->weight;
                if (strip->columns[column] > strips->most)
                        strips->most = strip->columns[column];
                if (strip->marked && request->marked_nodes[sample->node])
                        strip->marked[column] += sample->weight;
        }
}

static void add_run(const struct strips *strips, uint64_t from_ns, uint64_t to_ns, uint64_t *running)
{
        while (from_ns < to_ns) {
                unsigned column = column_of(strips, from_ns);
                uint64_t end = column + 1 < strips->n_columns ? strips_column_ns(strips, column + 1) : to_ns;

                if (end <= from_ns)
                        end = from_ns + 1;
                end = end < to_ns ? end : to_ns;
                running[column] += end - from_ns;
                from_ns = end;
        }
}

static void fill_running(const struct strips_request *request, const struct strip_sums *sums,
                         struct strips *strips)
{
        for (size_t i = 0; has_cpu_spans(request) && i < cpu_spans_n(request->cpu_spans); i++) {
                const struct cpu_span *span = cpu_spans_get(request->cpu_spans, i);
                const struct listed_sample like = {.pid = span->pid, .tid = span->tid, .cpu = span->cpu};
                const uint64_t *place = map_find(&sums->places, key_of(request, &like));

                if (place)
                        add_run(strips, span->from_ns > strips->from_ns ? span->from_ns : strips->from_ns,
                                span->to_ns < strips->to_ns ? span->to_ns : strips->to_ns,
                                strips->items[*place - 1].running);
        }
}

/* --- States --- */

/* What a thread was how long in each column. */
typedef uint64_t state_columns[STRIPS_MAX_COLUMNS];

static void choose_states(const struct strips *strips, state_columns *ns, uint8_t *ret)
{
        for (unsigned column = 0; column < strips->n_columns; column++) {
                uint64_t most = 0;

                for (unsigned state = 0; state < STRIPS_MAX_STATES; state++) {
                        if (ns[state][column] <= most)
                                continue;
                        most = ns[state][column];
                        ret[column] = (uint8_t)(1 + state);
                }
        }
}

static void add_state(const struct strips *strips, const struct strip_state *s, state_columns *ns)
{
        assert(s->state < STRIPS_MAX_STATES);
        add_run(strips, s->from_ns > strips->from_ns ? s->from_ns : strips->from_ns,
                s->to_ns < strips->to_ns ? s->to_ns : strips->to_ns, ns[s->state]);
}

static bool is_same_thread(const struct strip_state *a, const struct strip_state *b)
{
        return a->pid == b->pid && a->tid == b->tid;
}

static void fill_states(const struct strips_request *request, const struct strip_sums *sums,
                        struct strips *strips)
{
        state_columns *ns = has_states(request) ? mem_new(STRIPS_MAX_STATES, sizeof(*ns)) : NULL;

        for (size_t i = 0, n; ns && i < request->n_states; i += n) {
                const struct strip_state *first = &request->states[i];
                const struct listed_sample like = {.pid = first->pid, .tid = first->tid};
                const uint64_t *place = map_find(&sums->places, key_of(request, &like));

                for (n = 0; i + n < request->n_states && is_same_thread(first, &first[n]); n++) {
                        if (place)
                                add_state(strips, &first[n], ns);
                }
                if (!place)
                        continue;
                choose_states(strips, ns, strips->items[*place - 1].states);
                memset(ns, 0, STRIPS_MAX_STATES * sizeof(*ns));
        }
        free(ns);
}

/* False if no sample has a time. */
static bool find_times(const struct sample_list *samples, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
        *ret_from_ns = UINT64_MAX;
        *ret_to_ns = 0;
        for (size_t i = 0; i < sample_list_n(samples); i++) {
                uint64_t time_ns = sample_list_get(samples, i)->time_ns;

                if (time_ns >= SAMPLE_NO_TIME_NS)
                        continue;
                *ret_from_ns = time_ns < *ret_from_ns ? time_ns : *ret_from_ns;
                *ret_to_ns = time_ns > *ret_to_ns ? time_ns : *ret_to_ns;
        }
        return *ret_to_ns;
}

struct strips *strips_new(const struct strips_request *request)
{
        struct strip_sums sums = {0};
        struct strips *strips;
        uint64_t from_ns, to_ns;

        if (!find_times(request->samples, &from_ns, &to_ns))
                return NULL;
        strips = mem_new(1, sizeof(*strips));
        strips->n_columns = request->n_columns < STRIPS_MAX_COLUMNS ? request->n_columns : STRIPS_MAX_COLUMNS;
        strips->from_ns = from_ns;
        strips->to_ns = to_ns;
        add_up(request, &sums, strips);
        choose(request, &sums, strips);
        fill(request, &sums, strips);
        fill_running(request, &sums, strips);
        fill_states(request, &sums, strips);
        map_release(&sums.places);
        free(sums.items);
        return strips;
}

void strips_free(struct strips *strips)
{
        if (!strips)
                return;
        for (size_t i = 0; i < strips->n; i++) {
                free(strips->items[i].columns);
                free(strips->items[i].marked);
                free(strips->items[i].running);
                free(strips->items[i].states);
        }
        free(strips->items);
        free(strips);
}

uint64_t strips_column_ns(const struct strips *strips, unsigned column)
{
        double part = (double)column / strips->n_columns;
        double offset = part * ((double)(strips->to_ns - strips->from_ns) + 1);

        assert(column <= strips->n_columns);
        return strips->from_ns + (offset < 0x1p64 ? (uint64_t)offset : strips->to_ns - strips->from_ns);
}
