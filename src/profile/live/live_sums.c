/* SPDX-License-Identifier: BSD-3-Clause */
#include "live_sums.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

void live_sums_init(struct live_sums *sums, size_t max_rows)
{
        *sums = (struct live_sums){.max_rows = max_rows};
}

void live_sums_release(struct live_sums *sums)
{
        free(sums->rows);
        map_release(&sums->by_key);
        arena_release(&sums->texts);
}

/* --- keys --- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
        return map_mix(hash ^ map_hash_bytes(text, strlen(text)));
}

static uint64_t hash_of(const struct live_row *row)
{
        uint64_t hash = (uint64_t)(uint32_t)row->pid << 32 | (uint32_t)row->tid;

        hash = map_mix(hash ^ (uint64_t)row->line << 8 ^ (uint64_t)row->is_python << 2 ^
                       (uint64_t)row->is_kernel << 1 ^ row->is_unnamed);
        return hash_text(hash_text(hash_text(hash_text(hash, row->name), row->label), row->module),
                         row->file);
}

static const char *copy(struct arena *texts, const char *text)
{
        return *text ? arena_copy(texts, text, strlen(text)) : "";
}

static struct live_row copy_row(const struct live_row *row, struct arena *texts)
{
        struct live_row own = *row;

        own.name = copy(texts, row->name);
        own.label = copy(texts, row->label);
        own.module = copy(texts, row->module);
        own.file = copy(texts, row->file);
        return own;
}

struct live_row *live_sums_get(struct live_sums *sums, const struct live_row *row)
{
        uint64_t hash = hash_of(row), *at;
        bool is_new;

        for (;; hash++) {
                at = map_put(&sums->by_key, hash, &is_new);
                if (is_new)
                        break;
                if (live_row_is_same(&sums->rows[*at], row))
                        return &sums->rows[*at];
        }
        *at = sums->n;
        ARRAY_PUSH(sums->rows, sums->n, sums->cap, copy_row(row, &sums->texts));
        sums->rows[sums->n - 1].now = sums->rows[sums->n - 1].since = (struct live_sum){0};
        sums->rows[sums->n - 1].states =
                sums->has_states ? arena_alloc(&sums->texts, sizeof(struct live_states)) : NULL;
        return &sums->rows[sums->n - 1];
}

/* --- states --- */

static void add_states(struct live_states *to, const struct live_states *from)
{
        for (unsigned i = 0; i < WALL_N_STATES; i++) {
                to->now[i] += from->now[i];
                to->since[i] += from->since[i];
                to->before[i] += from->before[i];
                to->settled[i] += from->settled[i];
        }
}

static void begin_states(struct live_states *s)
{
        memcpy(s->before, s->since, sizeof(s->before));
        memcpy(s->since, s->settled, sizeof(s->since));
        memset(s->now, 0, sizeof(s->now));
}

void live_sums_begin_states(struct live_sums *sums)
{
        for (size_t i = 0; i < sums->n; i++)
                begin_states(sums->rows[i].states);
        begin_states(&sums->rest_states);
}

void live_sums_end_states(struct live_sums *sums, unsigned shown)
{
        for (size_t i = 0; i < sums->n; i++) {
                struct live_row *row = &sums->rows[i];
                struct live_states *s = row->states;

                row->now = row->since = (struct live_sum){0};
                for (unsigned k = 0; k < WALL_N_STATES; k++) {
                        s->now[k] = s->since[k] > s->before[k] ? s->since[k] - s->before[k] : 0;
                        row->now.weight += shown & WALL_BIT(k) ? s->now[k] : 0;
                        row->since.weight += shown & WALL_BIT(k) ? s->since[k] : 0;
                }
        }
}

/* --- limits --- */

static int by_size(const void *x, const void *y)
{
        const struct live_row *a = x, *b = y;
        uint64_t of_a = a->since.weight + a->since.self_weight, of_b = b->since.weight + b->since.self_weight;

        return (of_a < of_b) - (of_a > of_b);
}

/* Keeps half of the rows, so that it is seldom necessary. */
static void merge_smallest(struct live_sums *sums)
{
        struct live_row *rows = sums->rows;
        struct arena texts = sums->texts;
        size_t n = sums->n;

        qsort(rows, n, sizeof(*rows), by_size);
        sums->rows = NULL;
        sums->n = sums->cap = 0;
        sums->texts = (struct arena){0};
        map_release(&sums->by_key);
        sums->by_key = (struct map){0};
        for (size_t i = 0; i < n; i++) {
                struct live_row *kept = i < sums->max_rows / 2 ? live_sums_get(sums, &rows[i]) : NULL;

                if (kept)
                        kept->since = rows[i].since;
                else
                        live_sum_add(&sums->rest_since, &rows[i].since);
                if (kept && sums->has_states)
                        *kept->states = *rows[i].states;
                else if (sums->has_states)
                        add_states(&sums->rest_states, rows[i].states);
                sums->n_merged += !kept;
        }
        free(rows);
        arena_release(&texts);
}

void live_sums_settle(struct live_sums *sums)
{
        for (size_t i = 0; i < sums->n; i++)
                memcpy(sums->rows[i].states->settled, sums->rows[i].states->since,
                       sizeof(uint64_t[WALL_N_STATES]));
        if (sums->n > sums->max_rows)
                merge_smallest(sums);
}

void live_sums_begin_interval(struct live_sums *sums)
{
        if (sums->n > sums->max_rows && !sums->has_states)
                merge_smallest(sums);
        for (size_t i = 0; i < sums->n; i++)
                sums->rows[i].now = (struct live_sum){0};
}

void live_sums_zero(struct live_sums *sums)
{
        const struct live_sums limits = {.max_rows = sums->max_rows, .has_states = sums->has_states};

        live_sums_release(sums);
        *sums = limits;
}

/* --- copies --- */

/* What happens now comes first. */
static int by_interest(const void *x, const void *y)
{
        const struct live_row *a = *(const struct live_row *const *)x,
                              *b = *(const struct live_row *const *)y;
        uint64_t now_a = a->now.weight + a->now.self_weight, now_b = b->now.weight + b->now.self_weight;

        return now_a != now_b ? (now_a < now_b) - (now_a > now_b) : by_size(a, b);
}

static struct live_states *copy_states(const struct live_states *states, struct arena *texts)
{
        struct live_states *copied = arena_alloc(texts, sizeof(*copied));

        *copied = *states;
        return copied;
}

static struct live_row copy_with_states(const struct live_row *row, struct arena *texts)
{
        struct live_row own = copy_row(row, texts);

        own.states = row->states ? copy_states(row->states, texts) : NULL;
        return own;
}

void live_sums_copy(const struct live_sums *sums, size_t max, struct live_rows *ret, struct arena *texts)
{
        const struct live_row **order = mem_new(sums->n, sizeof(struct live_row *));
        struct live_row rest = {.name = "", .label = "", .module = "", .file = "", .is_rest = true};
        size_t n = sums->n < max ? sums->n : max, n_rest = sums->n - n + sums->n_merged;

        for (size_t i = 0; i < sums->n; i++)
                order[i] = &sums->rows[i];
        if (sums->n > max)
                qsort(order, sums->n, sizeof(*order), by_interest);
        *ret = (struct live_rows){.items = mem_new(n + 1, sizeof(*ret->items)), .n = n, .n_merged = n_rest};
        for (size_t i = 0; i < n; i++)
                ret->items[i] = copy_with_states(order[i], texts);
        rest.since = sums->rest_since;
        rest.states = sums->has_states ? copy_states(&sums->rest_states, texts) : NULL;
        for (size_t i = n; i < sums->n; i++) {
                live_sum_add(&rest.now, &order[i]->now);
                live_sum_add(&rest.since, &order[i]->since);
                if (rest.states)
                        add_states(rest.states, order[i]->states);
        }
        if (n_rest)
                ret->items[ret->n++] = rest;
        free(order);
}
