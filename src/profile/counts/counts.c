/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the last values of each id, sums them by event and CPU, and decides which events count as not
 * counted. */
#include "counts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"

struct sums {
        uint64_t value, enabled_ns, running_ns;
};

/* The totals of an event on one CPU: now, and at the ends of the last two rounds. */
struct count_cell {
        uint32_t event, cpu;
        uint32_t next; /* cell of the same event, index + 1; 0 for none */
        struct sums now, end, begin;
};

/* The last record of an id on a CPU. An event has one id per file descriptor. */
struct stream {
        uint32_t cell;
        struct sums last;
};

struct counts {
        const struct count_list *list;
        struct map event_of_id;   /* id to event + 1 */
        struct map streams_of_id; /* hash of id, CPU and thread to index of stream + 1 */
        struct map cell_of_place; /* event << 32 | cpu to index of cell + 1 */
        struct stream *streams;
        size_t n_streams, cap_streams;
        struct count_cell *cells;
        size_t n_cells, cap_cells;
        uint32_t *first_cells; /* index + 1 of each event's first cell */
        uint32_t *cpus;        /* with counts of COUNT_CORE events, sorted */
        size_t n_cpus, cap_cpus;
        uint64_t n_rounds, round_end_ns, round_ns;
};

struct counts *counts_new(const struct count_list *list)
{
        struct counts *counts = mem_new(1, sizeof(*counts));

        counts->list = list;
        counts->first_cells = mem_new(list->n_items, sizeof(*counts->first_cells));
        return counts;
}

void counts_free(struct counts *counts)
{
        if (!counts)
                return;
        counts_forget(counts);
        free(counts->first_cells);
        free(counts);
}

void counts_forget(struct counts *counts)
{
        map_release(&counts->event_of_id);
        map_release(&counts->streams_of_id);
        map_release(&counts->cell_of_place);
        free(counts->streams);
        free(counts->cells);
        free(counts->cpus);
        *counts = (struct counts){.list = counts->list, .first_cells = counts->first_cells};
        for (size_t i = 0; i < counts->list->n_items; i++)
                counts->first_cells[i] = 0;
}

void counts_set_event(struct counts *counts, size_t event, const uint64_t *ids, size_t n_ids)
{
        assert(event < counts->list->n_items);
        for (size_t i = 0; i < n_ids; i++)
                *map_put(&counts->event_of_id, ids[i], NULL) = event + 1;
}

/* --- records --- */

static void add_cpu(struct counts *counts, uint32_t cpu)
{
        size_t at = 0;

        /* COUNTS_NO_CPU + 1 is 0, so it sorts first. */
        while (at < counts->n_cpus && counts->cpus[at] + 1 < cpu + 1)
                at++;
        if (at < counts->n_cpus && counts->cpus[at] == cpu)
                return;
        ARRAY_PUSH(counts->cpus, counts->n_cpus, counts->cap_cpus, cpu);
        memmove(&counts->cpus[at + 1], &counts->cpus[at], (counts->n_cpus - 1 - at) * sizeof(*counts->cpus));
        counts->cpus[at] = cpu;
}

static uint32_t cell_of(struct counts *counts, uint32_t event, uint32_t cpu)
{
        uint64_t *slot = map_put(&counts->cell_of_place, (uint64_t)event << 32 | cpu, NULL);
        struct count_cell cell = {.event = event, .cpu = cpu, .next = counts->first_cells[event]};

        if (!*slot) {
                ARRAY_PUSH(counts->cells, counts->n_cells, counts->cap_cells, cell);
                *slot = counts->n_cells;
                counts->first_cells[event] = (uint32_t)counts->n_cells;
                if (counts->list->items[event].class == COUNT_CORE)
                        add_cpu(counts, cpu);
        }
        return (uint32_t)*slot - 1;
}

static struct stream *stream_of(struct counts *counts, const struct record_stat *r)
{
        uint64_t *event = map_find(&counts->event_of_id, r->id);
        uint64_t *slot;
        struct stream stream;

        if (!event)
                return NULL;
        slot = map_put(&counts->streams_of_id, map_mix(r->id) ^ (map_mix(r->cpu + 1ull) << 1) ^ r->thread,
                       NULL);
        if (!*slot) {
                stream = (struct stream){.cell = cell_of(counts, (uint32_t)*event - 1, r->cpu)};
                ARRAY_PUSH(counts->streams, counts->n_streams, counts->cap_streams, stream);
                *slot = counts->n_streams;
        }
        return &counts->streams[*slot - 1];
}

/* Values never decrease. A smaller value in a damaged file is ignored. */
static void advance(uint64_t *sum, uint64_t *last, uint64_t value)
{
        if (value > *last) {
                *sum += value - *last;
                *last = value;
        }
}

static void see_stat(struct counts *counts, struct cursor record)
{
        struct record_stat r;
        struct stream *stream;
        struct sums *now;

        if (!record_stat_parse(record, &r))
                return;
        stream = stream_of(counts, &r);
        if (!stream)
                return;
        now = &counts->cells[stream->cell].now;
        advance(&now->value, &stream->last.value, r.value);
        advance(&now->enabled_ns, &stream->last.enabled_ns, r.enabled_ns);
        advance(&now->running_ns, &stream->last.running_ns, r.running_ns);
}

static void see_round(struct counts *counts, struct cursor record)
{
        struct record_stat_round r;

        if (!record_stat_round_parse(record, &r))
                return;
        for (size_t i = 0; i < counts->n_cells; i++) {
                counts->cells[i].begin = counts->cells[i].end;
                counts->cells[i].end = counts->cells[i].now;
        }
        counts->round_ns = r.time > counts->round_end_ns ? r.time - counts->round_end_ns : 0;
        counts->round_end_ns = r.time;
        counts->n_rounds++;
}

void counts_take(struct counts *counts, const struct perf_header *header, struct cursor record)
{
        if (header->type == PERF_RECORD_STAT)
                see_stat(counts, record);
        else if (header->type == PERF_RECORD_STAT_ROUND)
                see_round(counts, record);
}

static bool put(void *ctx, const void *records, size_t size, struct err *err)
{
        struct cursor all = cursor_make(records, size), record;
        struct perf_header header;

        while (record_next(&all, &header, &record))
                counts_take(ctx, &header, record);
        return true;
}

struct record_sink counts_sink(struct counts *counts)
{
        return (struct record_sink){put, counts};
}

/* --- results --- */

uint64_t counts_n_rounds(const struct counts *counts)
{
        return counts->n_rounds;
}

uint64_t counts_round_ns(const struct counts *counts)
{
        return counts->round_ns;
}

size_t counts_n_cpus(const struct counts *counts)
{
        return counts->n_cpus;
}

uint32_t counts_get_cpu(const struct counts *counts, size_t index)
{
        assert(index < counts->n_cpus);
        return counts->cpus[index];
}

static struct sums cell_sums(const struct count_cell *cell)
{
        return (struct sums){
                .value = cell->end.value - cell->begin.value,
                .enabled_ns = cell->end.enabled_ns - cell->begin.enabled_ns,
                .running_ns = cell->end.running_ns - cell->begin.running_ns,
        };
}

static uint64_t scale(const struct sums *sums)
{
        if (!sums->running_ns || sums->running_ns >= sums->enabled_ns)
                return sums->value;
        return (uint64_t)((double)sums->value * ((double)sums->enabled_ns / (double)sums->running_ns) + 0.5);
}

static const char *never_ran(const struct count_event *event)
{
        return event->together
                       ? "the kernel never scheduled its group, which needs more counters than were free"
                       : "the kernel never scheduled it, because all counters were in use";
}

static struct count make_count(const struct counts *counts, size_t event, const struct sums *sums)
{
        const struct count_event *e = &counts->list->items[event];
        struct count count = {
                .value = sums->value,
                .scaled = scale(sums),
                .enabled_ns = sums->enabled_ns,
                .running_ns = sums->running_ns,
                .estimate = e->estimate,
        };

        if (sums->enabled_ns && !sums->running_ns) {
                count.state = COUNT_NOT_COUNTED;
                count.reason = never_ran(e);
        } else if (!sums->value && e->doubt) {
                count.state = COUNT_NOT_SUPPORTED;
                count.reason = e->doubt;
        }
        if (count.reason)
                count.value = count.scaled = 0;
        return count;
}

static struct count obstructed(const struct counts *counts, size_t event)
{
        return (struct count){.state = COUNT_NOT_SUPPORTED, .reason = counts->list->items[event].refusal};
}

static bool serves(const struct count_event *event, uint32_t cpu)
{
        for (size_t i = 0; i < event->event.n_cpus; i++) {
                if (event->event.cpus[i] == cpu)
                        return true;
        }
        return !event->event.n_cpus || cpu == COUNTS_NO_CPU;
}

struct count counts_get(const struct counts *counts, size_t event, uint32_t cpu)
{
        const uint64_t *cell = map_find(&counts->cell_of_place, (uint64_t)event << 32 | cpu);
        struct sums sums;

        assert(event < counts->list->n_items);
        if (counts->list->items[event].refusal && serves(&counts->list->items[event], cpu))
                return obstructed(counts, event);
        if (!cell)
                return (struct count){.state = COUNT_ELSEWHERE};
        sums = cell_sums(&counts->cells[*cell - 1]);
        return make_count(counts, event, &sums);
}

struct count counts_sum(const struct counts *counts, size_t event)
{
        struct sums all = {0};
        bool any = false;

        assert(event < counts->list->n_items);
        if (counts->list->items[event].refusal)
                return obstructed(counts, event);
        for (uint32_t i = counts->first_cells[event]; i; i = counts->cells[i - 1].next) {
                struct sums sums = cell_sums(&counts->cells[i - 1]);

                all.value += sums.value;
                all.enabled_ns += sums.enabled_ns;
                all.running_ns += sums.running_ns;
                any = true;
        }
        return any ? make_count(counts, event, &all) : (struct count){.state = COUNT_ELSEWHERE};
}
