/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups cells to rows, and finds the quantiles of each row. */
#include "access_rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "access_rows_internal.h"
#include "map.h"
#include "mem.h"
#include "text_match.h"

#define NO_CODE UINT32_MAX

/* The key of a row; no padding, so that it can be hashed and compared as bytes. */
struct row_key {
        uint64_t code;
        uint32_t event, data, latency_class, level;
};

_Static_assert(sizeof(struct row_key) == 24, "no padding");

/* How many accesses of a row have a latency of this class. */
struct timed_class {
        uint32_t row, latency_class;
        uint64_t count, most_cycles;
};

struct access_rows_maker {
        const struct access_rows_request *request;
        struct access_rows *rows;
        uint32_t *code_of; /* the row of hot for each place of the profile; NO_CODE: not wanted */
        struct access_object_at *objects; /* with ACCESS_BY_OBJECT */
        struct row_key *keys;
        size_t n_keys, cap_keys;
        struct map by_hash; /* hash of a key to its row + 1 */
        struct timed_class *timed;
        size_t n_timed, cap_timed;
};

void access_rows_free(struct access_rows *rows)
{
        if (!rows)
                return;
        hot_free(rows->hot);
        free(rows->items);
        free(rows->uses);
        free(rows->objects);
        arena_release(&rows->texts);
        free(rows->threads);
        free(rows);
}

/* --- Code --- */

static struct hot *new_hot(const struct access_rows_request *request)
{
        return hot_new(&(struct hot_request){
                .profile = accesses_profile(request->accesses),
                .keys = request->code_keys,
                .world = request->world,
                .resolver = request->resolver,
                .modules = request->modules,
                .inlines = request->inlines,
                .arguments = text_pattern_has_arguments(request->symbol),
                .symbol = request->symbol,
        });
}

static void map_code(struct access_rows_maker *m)
{
        const struct hot *hot = m->rows->hot;
        size_t n = profile_n_places(accesses_profile(m->request->accesses));

        m->code_of = mem_new(n, sizeof(*m->code_of));
        for (size_t i = 0; i < n; i++)
                m->code_of[i] = NO_CODE;
        for (size_t i = 0; i < hot_n_pcs(hot); i++)
                m->code_of[hot_get_pc(hot, i)->place] = hot_get_pc(hot, i)->row;
}

/* --- Groups --- */

/* Rows by latency have a class for each power of two, because people read them. */
static uint32_t octave(uint64_t cycles)
{
        uint32_t n = 0;

        while (cycles >> n)
                n++;
        return n;
}

static size_t add_row(struct access_rows_maker *m, const struct row_key *key)
{
        unsigned keys = m->request->keys;
        struct access_row row = {
                .event = key->event,
                .code = m->request->by_code ? key->code : ACCESS_NO_CODE,
                .level = (uint8_t)key->level,
        };

        if (keys & ACCESS_BY_OBJECT)
                row.object = key->data;
        else
                row.data = *accesses_data(m->request->accesses, key->data);

        if (keys & ACCESS_BY_LATENCY && key->latency_class) {
                row.from = UINT64_C(1) << (key->latency_class - 1);
                row.to = row.from * 2;
        }
        ARRAY_PUSH(m->keys, m->n_keys, m->cap_keys, *key);
        ARRAY_PUSH(m->rows->items, m->rows->n, m->rows->cap, row);
        return m->rows->n - 1;
}

static size_t find_or_add_row(struct access_rows_maker *m, const struct row_key *key)
{
        for (uint64_t hash = map_hash_bytes(key, sizeof(*key));; hash++) {
                uint64_t *at = map_put(&m->by_hash, hash, NULL);

                if (!*at) {
                        *at = add_row(m, key) + 1;
                        return *at - 1;
                }
                if (!memcmp(&m->keys[*at - 1], key, sizeof(*key)))
                        return *at - 1;
        }
}

static size_t row_of_cell(struct access_rows_maker *m, const struct access_cell *cell)
{
        const struct accesses *accesses = m->request->accesses;
        unsigned keys = m->request->keys;
        struct row_key key = {
                .event = profile_get_place(accesses_profile(accesses), cell->place)->event,
        };

        if (keys & ACCESS_BY_OBJECT)
                key.data = m->objects[cell->data].object;
        else if (keys & ACCESS_BY_ADDRESS)
                key.data = cell->data;

        if (m->request->by_code)
                key.code = m->code_of[cell->place];
        if (keys & ACCESS_BY_LATENCY)
                key.latency_class = octave(accesses_latency_of_class(cell->latency_class));
        if (keys & ACCESS_BY_LEVEL)
                key.level = cell->level;
        return find_or_add_row(m, &key);
}

static void add_cell(struct access_rows_maker *m, const struct access_cell *cell)
{
        size_t index = row_of_cell(m, cell);
        struct access_row *row = &m->rows->items[index];

        row->count += cell->count;
        row->n_timed += cell->n_timed;
        row->cycles += cell->cycles;
        if (cell->what & ACCESS_LOAD) {
                row->n_loads += cell->count;
                row->by_level[cell->level] += cell->count;
        }
        if (cell->what & ACCESS_STORE)
                row->n_stores += cell->count;
        if (cell->what & ACCESS_TLB)
                row->n_tlb += cell->count;
        if (cell->what & ACCESS_WALK)
                row->n_walks += cell->count;
        if (cell->n_timed)
                ARRAY_PUSH(m->timed, m->n_timed, m->cap_timed,
                           (struct timed_class){(uint32_t)index, cell->latency_class, cell->n_timed,
                                                cell->most_cycles});
}

/* --- Quantiles --- */

static int compare_timed(const void *a, const void *b)
{
        const struct timed_class *x = a, *y = b;

        if (x->row != y->row)
                return x->row < y->row ? -1 : 1;
        return (x->latency_class > y->latency_class) - (x->latency_class < y->latency_class);
}

/* `timed` are the classes of one row, in order, and `n` the rest of all classes.  The nearest rank: the
 * first class up to which at least `percent` of the accesses are.  The longest latency of a class, because
 * the accesses took at most that many cycles. */
static uint64_t quantile(const struct timed_class *timed, size_t n, uint64_t n_all, unsigned percent)
{
        uint64_t rank = (n_all * percent + 99) / 100, seen = 0, most = 0;

        for (size_t i = 0; i < n && timed[i].row == timed->row; i++) {
                if (i && timed[i].latency_class != timed[i - 1].latency_class) {
                        if (seen >= rank)
                                break;
                        most = 0;
                }
                seen += timed[i].count;
                most = timed[i].most_cycles > most ? timed[i].most_cycles : most;
        }
        return most;
}

static void set_quantiles(struct access_rows_maker *m)
{
        if (m->n_timed)
                qsort(m->timed, m->n_timed, sizeof(*m->timed), compare_timed);
        for (size_t i = 0; i < m->n_timed; i++) {
                struct access_row *row = &m->rows->items[m->timed[i].row];

                if (i && m->timed[i].row == m->timed[i - 1].row)
                        continue;
                row->p50 = quantile(&m->timed[i], m->n_timed - i, row->n_timed, 50);
                row->p90 = quantile(&m->timed[i], m->n_timed - i, row->n_timed, 90);
                row->p99 = quantile(&m->timed[i], m->n_timed - i, row->n_timed, 99);
        }
        for (size_t i = 0; i < m->rows->n; i++) {
                struct access_row *row = &m->rows->items[i];
                uint64_t all = accesses_totals(m->request->accesses, row->event).cycles;

                row->share = all ? (double)row->cycles / (double)all : 0;
        }
}

/* --- Order --- */

/* By latency alone, rows are a histogram.  Otherwise by time, as the hot rows are; equal ones by their
 * keys. */
static int compare_rows(const struct access_row *x, const struct access_row *y, bool is_histogram)
{
        const uint64_t of_x[] = {x->event,     is_histogram ? x->from : 0, ~x->cycles, ~x->count,
                                 x->data.addr, (uint64_t)x->data.pid,      x->code,    x->level,
                                 x->from};
        const uint64_t of_y[] = {y->event,     is_histogram ? y->from : 0, ~y->cycles, ~y->count,
                                 y->data.addr, (uint64_t)y->data.pid,      y->code,    y->level,
                                 y->from};

        for (size_t i = 0; i < N_ELEMENTS(of_x); i++) {
                if (of_x[i] != of_y[i])
                        return of_x[i] < of_y[i] ? -1 : 1;
        }
        return 0;
}

static int compare_by_cycles(const void *a, const void *b)
{
        return compare_rows(a, b, false);
}

static int compare_by_latency(const void *a, const void *b)
{
        return compare_rows(a, b, true);
}

static uint64_t offset_of(const struct access_rows_maker *m, const struct access_cell *cell)
{
        const struct access_object_at *at = m->objects ? &m->objects[cell->data] : NULL;

        if (!at)
                return cell->offset;
        return m->rows->objects[at->object].name ? at->offset + cell->offset : 0;
}

static void release(struct access_rows_maker *m)
{
        map_release(&m->by_hash);
        free(m->code_of);
        free(m->objects);
        free(m->keys);
        free(m->timed);
}

struct access_rows *access_rows_new(const struct access_rows_request *request)
{
        const struct accesses *accesses = request->accesses;
        struct access_rows *rows = mem_new(1, sizeof(*rows));
        struct access_rows_maker m = {.request = request, .rows = rows};
        bool is_histogram = request->keys == ACCESS_BY_LATENCY && !request->by_code;
        struct access_uses_maker *uses = request->keys & ACCESS_BY_ADDRESS ? access_uses_begin(rows) : NULL;

        rows->hot = new_hot(request);
        map_code(&m);
        if (request->keys & ACCESS_BY_OBJECT)
                m.objects = access_objects_make(request, rows);
        for (size_t i = 0; i < accesses_n_cells(accesses); i++) {
                const struct access_cell *cell = accesses_cell(accesses, i);

                if (m.code_of[cell->place] == NO_CODE)
                        continue;
                add_cell(&m, cell);
                if (uses)
                        access_uses_add(uses, row_of_cell(&m, cell), m.code_of[cell->place],
                                        offset_of(&m, cell), cell);
        }
        set_quantiles(&m);
        if (uses)
                access_uses_end(uses, request->keys & ACCESS_BY_LINE);
        if (rows->n)
                qsort(rows->items, rows->n, sizeof(*rows->items),
                      is_histogram ? compare_by_latency : compare_by_cycles);
        release(&m);
        return rows;
}

size_t access_rows_n(const struct access_rows *rows)
{
        return rows->n;
}

const struct access_row *access_rows_get(const struct access_rows *rows, size_t index)
{
        assert(index < rows->n);
        return &rows->items[index];
}

const struct access_use *access_rows_use(const struct access_rows *rows, size_t index)
{
        assert(index < rows->n_uses);
        return &rows->uses[index];
}

int32_t access_rows_thread(const struct access_rows *rows, size_t index)
{
        assert(index < rows->n_threads);
        return rows->threads[index];
}

const struct access_object *access_rows_object(const struct access_rows *rows, size_t index)
{
        assert(index < rows->n_objects);
        return &rows->objects[index];
}

const struct hot *access_rows_hot(const struct access_rows *rows)
{
        return rows->hot;
}
