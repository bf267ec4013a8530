/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions and threads touched a page or a cache line, at which offsets, and whether threads share
 * it falsely. */
#include <assert.h>
#include <stdlib.h>

#include "access_rows_internal.h"
#include "mem.h"

/* A thread that wrote once only proves little: memory is freed and used again by others. */
enum { WORTH_SAMPLES = 2 };

/* The accesses of one thread by one function to one offset. */
struct touch {
        size_t row, code;
        uint64_t offset;
        int32_t tid;
        uint64_t count, n_loads, n_stores;
};

struct access_uses_maker {
        struct access_rows *rows;
        struct touch *items;
        size_t n, cap;
};

struct access_uses_maker *access_uses_begin(struct access_rows *rows)
{
        struct access_uses_maker *m = mem_new(1, sizeof(*m));

        m->rows = rows;
        return m;
}

void access_uses_add(struct access_uses_maker *m, size_t row, size_t code, uint64_t offset,
                     const struct access_cell *cell)
{
        assert(row < m->rows->n);
        ARRAY_PUSH(m->items, m->n, m->cap,
                   (struct touch){
                           .row = row,
                           .code = code,
                           .offset = offset,
                           .tid = cell->tid,
                           .count = cell->count,
                           .n_loads = cell->what & ACCESS_LOAD ? cell->count : 0,
                           .n_stores = cell->what & ACCESS_STORE ? cell->count : 0,
                   });
}

static int compare_words(const uint64_t *x, const uint64_t *y, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (x[i] != y[i])
                        return x[i] < y[i] ? -1 : 1;
        }
        return 0;
}

/* By row, offset, function, thread. */
static int compare_touches(const void *a, const void *b)
{
        const struct touch *x = a, *y = b;
        const uint64_t of_x[] = {x->row, x->offset, x->code, (uint32_t)x->tid};
        const uint64_t of_y[] = {y->row, y->offset, y->code, (uint32_t)y->tid};

        return compare_words(of_x, of_y, N_ELEMENTS(of_x));
}

static void merge_into(struct touch *to, const struct touch *from)
{
        to->count += from->count;
        to->n_loads += from->n_loads;
        to->n_stores += from->n_stores;
}

/* Cells that differ in latency or level only are one. */
static void merge_equal(struct access_uses_maker *m)
{
        size_t n = 0;

        for (size_t i = 0; i < m->n; i++) {
                if (n && !compare_touches(&m->items[n - 1], &m->items[i]))
                        merge_into(&m->items[n - 1], &m->items[i]);
                else
                        m->items[n++] = m->items[i];
        }
        m->n = n;
}

/* --- Sharing --- */

/* What a thread did with the bytes of a line: a bit for each offset. */
struct line_thread {
        int32_t tid;
        uint64_t touched; /* accessed at all */
        uint64_t used;    /* accessed at least WORTH_SAMPLES times */
        uint64_t written; /* written at least WORTH_SAMPLES times */
};

_Static_assert(ACCESS_LINE_BYTES == 64, "a bit of 64 for each byte");

struct line_threads {
        struct line_thread *items;
        size_t n, cap;
};

static void add_thread(struct line_threads *threads, const struct touch *touch)
{
        struct line_thread *of = threads->n ? &threads->items[threads->n - 1] : NULL;
        uint64_t bit = UINT64_C(1) << touch->offset % ACCESS_LINE_BYTES;

        if (!of || of->tid != touch->tid) {
                ARRAY_PUSH(threads->items, threads->n, threads->cap, (struct line_thread){.tid = touch->tid});
                of = &threads->items[threads->n - 1];
        }
        of->touched |= bit;
        of->used |= touch->count >= WORTH_SAMPLES ? bit : 0;
        of->written |= touch->n_stores >= WORTH_SAMPLES ? bit : 0;
}

static enum access_sharing judge_pair(const struct line_thread *a, const struct line_thread *b)
{
        bool a_writes_own = a->written & ~b->touched, b_writes_own = b->written & ~a->touched;

        if (a_writes_own && b_writes_own)
                return ACCESS_SHARED_FALSELY;
        if ((a_writes_own && b->used & ~a->touched) || (b_writes_own && a->used & ~b->touched))
                return ACCESS_SHARED_POSSIBLY;
        return (a->written & b->used) | (b->written & a->used) ? ACCESS_TRULY_SHARED : ACCESS_NOT_SHARED;
}

enum { MAX_JUDGED = 256 }; /* threads of one line; more of them show the same */

static enum access_sharing judge(const struct line_threads *threads)
{
        size_t n = threads->n < MAX_JUDGED ? threads->n : MAX_JUDGED;
        enum access_sharing worst = ACCESS_NOT_SHARED;

        for (size_t i = 0; i < n; i++) {
                for (size_t k = i + 1; k < n; k++) {
                        enum access_sharing of_pair = judge_pair(&threads->items[i], &threads->items[k]);

                        worst = of_pair > worst ? of_pair : worst;
                }
        }
        return worst;
}

static int compare_threads(const void *a, const void *b)
{
        const struct touch *x = a, *y = b;
        const uint64_t of_x[] = {(uint32_t)x->tid, x->offset};
        const uint64_t of_y[] = {(uint32_t)y->tid, y->offset};

        return compare_words(of_x, of_y, N_ELEMENTS(of_x));
}

/* `items` are the touches of one row; they are put in the order of threads and offsets. */
static void judge_row(struct access_row *row, struct touch *items, size_t n, bool is_line)
{
        struct line_threads threads = {0};

        qsort(items, n, sizeof(*items), compare_threads);
        for (size_t i = 0; i < n;) {
                struct touch all = items[i++];

                for (; i < n && !compare_threads(&all, &items[i]); i++)
                        merge_into(&all, &items[i]);
                add_thread(&threads, &all);
        }
        row->n_threads = (uint32_t)threads.n;
        row->sharing = is_line ? judge(&threads) : ACCESS_NOT_SHARED;
        free(threads.items);
}

/* --- Uses --- */

/* Makes one use of the touches of each function at each offset. */
static void add_uses(struct access_rows *rows, struct access_row *row, const struct touch *items, size_t n)
{
        row->first_use = rows->n_uses;
        for (size_t i = 0; i < n; i++) {
                const struct touch *touch = &items[i];
                struct access_use *use;

                if (!i || touch->offset != items[i - 1].offset || touch->code != items[i - 1].code)
                        ARRAY_PUSH(rows->uses, rows->n_uses, rows->cap_uses,
                                   (struct access_use){.code = touch->code,
                                                       .offset = touch->offset,
                                                       .first_thread = rows->n_threads});
                use = &rows->uses[rows->n_uses - 1];
                use->count += touch->count;
                use->n_loads += touch->n_loads;
                use->n_stores += touch->n_stores;
                use->n_threads++;
                ARRAY_PUSH(rows->threads, rows->n_threads, rows->cap_threads, touch->tid);
        }
        row->n_uses = rows->n_uses - row->first_use;
}

static int compare_by_offset(const void *a, const void *b)
{
        const struct access_use *x = a, *y = b;
        const uint64_t of_x[] = {x->offset, ~x->count, x->code};
        const uint64_t of_y[] = {y->offset, ~y->count, y->code};

        return compare_words(of_x, of_y, N_ELEMENTS(of_x));
}

static int compare_by_count(const void *a, const void *b)
{
        const struct access_use *x = a, *y = b;
        const uint64_t of_x[] = {~x->count, x->offset, x->code};
        const uint64_t of_y[] = {~y->count, y->offset, y->code};

        return compare_words(of_x, of_y, N_ELEMENTS(of_x));
}

void access_uses_end(struct access_uses_maker *m, bool are_lines)
{
        if (m->n)
                qsort(m->items, m->n, sizeof(*m->items), compare_touches);
        merge_equal(m);
        for (size_t first = 0, end; first < m->n; first = end) {
                struct access_row *row = &m->rows->items[m->items[first].row];

                for (end = first; end < m->n && m->items[end].row == m->items[first].row;)
                        end++;
                add_uses(m->rows, row, &m->items[first], end - first);
                judge_row(row, &m->items[first], end - first, are_lines);
                qsort(&m->rows->uses[row->first_use], row->n_uses, sizeof(*m->rows->uses),
                      are_lines ? compare_by_offset : compare_by_count);
        }
        free(m->items);
        free(m);
}
