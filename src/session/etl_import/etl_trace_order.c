/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts what was read from an event-trace file, and answers questions about it. */
#include <stdlib.h>
#include <string.h>

#include "etl_trace.h"
#include "map.h"
#include "mem.h"
#include "search.h"

/* --- Order --- */

static int compare_words(const uint64_t *x, const uint64_t *y, size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (x[i] != y[i])
                        return x[i] < y[i] ? -1 : 1;
        }
        return 0;
}

/* What existed before is written before what used it at the same time. */
static int compare_items(const void *a, const void *b)
{
        const struct etl_item *x = a, *y = b;

        if (x->time != y->time)
                return x->time < y->time ? -1 : 1;
        if (x->kind != y->kind)
                return x->kind < y->kind ? -1 : 1;
        return (x->order > y->order) - (x->order < y->order);
}

static int compare_parts(const void *a, const void *b)
{
        const struct etl_part *x = a, *y = b;
        const uint64_t of_x[] = {x->time, x->tid, x->walked, x->order};
        const uint64_t of_y[] = {y->time, y->tid, y->walked, y->order};

        return compare_words(of_x, of_y, N_ELEMENTS(of_x));
}

static int compare_keyed(const void *a, const void *b)
{
        const struct etl_keyed *x = a, *y = b;
        const uint64_t of_x[] = {x->key, x->until};
        const uint64_t of_y[] = {y->key, y->until};

        return compare_words(of_x, of_y, N_ELEMENTS(of_x));
}

static int compare_threads(const void *a, const void *b)
{
        const struct etl_item *x = *(struct etl_item *const *)a, *y = *(struct etl_item *const *)b;
        const uint64_t of_x[] = {x->tid, x->time, x->order};
        const uint64_t of_y[] = {y->tid, y->time, y->order};

        return compare_words(of_x, of_y, N_ELEMENTS(of_x));
}

/* Negative: x comes before the mark of this kind of an image. */
static int compare_mark(const struct etl_mark *x, uint32_t pid, uint64_t base, bool pdb)
{
        const uint64_t of_x[] = {x->stamp.pid, x->stamp.base, x->has_pdb};
        const uint64_t wanted[] = {pid, base, pdb};

        return compare_words(of_x, wanted, N_ELEMENTS(of_x));
}

static int compare_marks(const void *a, const void *b)
{
        const struct etl_mark *x = a, *y = b;
        int order = compare_mark(x, y->stamp.pid, y->stamp.base, y->has_pdb);

        return order ? order : (x->text > y->text) - (x->text < y->text);
}

/* --- What the file says later than it happened --- */

static bool is_of_process(const struct etl_item *item)
{
        return item->kind == ETL_ITEM_PROCESS || item->kind == ETL_ITEM_THREAD ||
               item->kind == ETL_ITEM_IMAGE || item->kind == ETL_ITEM_CODE;
}

static uint64_t identity_of(const struct etl_item *item)
{
        uint64_t number = item->kind == ETL_ITEM_THREAD ? item->tid : item->pid;

        bool has_addr = item->kind == ETL_ITEM_IMAGE || item->kind == ETL_ITEM_CODE;

        return map_mix(map_mix(number << 8 | item->kind) + (has_addr ? item->addr : 0));
}

/* What is known while such items are moved to when they began. */
struct beginnings {
        uint64_t start;       /* of the recording */
        struct map first;     /* by identity: the first time that it began */
        struct map processes; /* by process: when it began, if that was during the recording */
};

static void add_beginning(struct beginnings *b, const struct etl_item *item)
{
        bool is_new;
        uint64_t *first = map_put(&b->first, identity_of(item), &is_new);

        if (is_new || item->time < *first)
                *first = item->time;
        if (item->kind == ETL_ITEM_PROCESS)
                *map_put(&b->processes, item->pid, NULL) = item->time;
}

/* Finds what the file says that it began; not what existed. */
static void find_beginnings(const struct etl_trace *t, struct beginnings *b)
{
        b->start = t->header.first_ticks;
        for (size_t i = 0; i < t->n_items; i++) {
                const struct etl_item *item = &t->items[i];

                /* A file that was merged from several may begin before its header says. */
                if (item->time < b->start)
                        b->start = item->time;
                if (is_of_process(item) && !item->existed)
                        add_beginning(b, item);
        }
}

/* What the file says, at item->time, to exist: it existed since the beginning of the recording; code, since
 * that of its process, because a process that begins has no code.  False: the file says that it began
 * before. */
static bool move_to_beginning(const struct beginnings *b, struct etl_item *item)
{
        const uint64_t *first = map_find(&b->first, identity_of(item));
        const uint64_t *process = item->kind == ETL_ITEM_CODE ? map_find(&b->processes, item->pid) : NULL;

        if (first && *first <= item->time)
                return false;
        item->time = process && *process <= item->time ? *process : b->start;
        return true;
}

/* What was listed when the recording began. */
static void move_existed(struct etl_trace *t, struct beginnings *b)
{
        size_t n = 0;

        for (size_t i = 0; i < t->n_items; i++) {
                if (!t->items[i].existed || move_to_beginning(b, &t->items[i]))
                        t->items[n++] = t->items[i];
        }
        t->n_items = n;
        for (size_t i = 0; i < n; i++) {
                if (t->items[i].existed)
                        *map_put(&b->first, identity_of(&t->items[i]), NULL) = t->items[i].time;
        }
}

/* What ended, or was left at the end: each once. */
static void add_late(struct etl_trace *t, const struct etl_late_items *late, struct beginnings *b)
{
        for (size_t i = 0; i < late->n; i++) {
                struct etl_item item = late->items[i];

                if (!move_to_beginning(b, &item))
                        continue;
                *map_put(&b->first, identity_of(&item), NULL) = item.time;
                ARRAY_PUSH(t->items, t->n_items, t->cap_items, item);
        }
}

static void add_what_existed(struct etl_trace *t, const struct etl_late_items *late)
{
        struct beginnings b = {0};

        find_beginnings(t, &b);
        move_existed(t, &b);
        add_late(t, late, &b);
        map_release(&b.first);
        map_release(&b.processes);
}

static void sort(void *items, size_t n, size_t size, int (*compare)(const void *, const void *))
{
        if (n)
                qsort(items, n, size, compare);
}

void etl_trace_sort(struct etl_trace *t, const struct etl_late_items *late)
{
        size_t n = 0;

        add_what_existed(t, late);
        sort(t->items, t->n_items, sizeof(*t->items), compare_items);
        sort(t->parts, t->n_parts, sizeof(*t->parts), compare_parts);
        sort(t->keyed, t->n_keyed, sizeof(*t->keyed), compare_keyed);
        sort(t->marks, t->n_marks, sizeof(*t->marks), compare_marks);
        for (size_t i = 0; i < t->n_items; i++)
                n += t->items[i].kind == ETL_ITEM_THREAD;
        t->threads = mem_new(n, sizeof(struct etl_item *));
        for (size_t i = 0; i < t->n_items; i++) {
                if (t->items[i].kind == ETL_ITEM_THREAD)
                        t->threads[t->n_threads++] = &t->items[i];
        }
        sort(t->threads, t->n_threads, sizeof(struct etl_item *), compare_threads);
}

/* --- Questions --- */

/* A thread's number is used again, so the last thread that began before the time is meant; the first one,
 * if all began later. */
int32_t etl_trace_process(const struct etl_trace *t, uint32_t tid, uint64_t time)
{
        size_t low = 0, high = t->n_threads;

        if (!tid)
                return 0;
        SEARCH_FIRST(low, high, middle,
                     t->threads[middle]->tid < tid ||
                             (t->threads[middle]->tid == tid && t->threads[middle]->time <= time));
        if (low && t->threads[low - 1]->tid == tid)
                return (int32_t)t->threads[low - 1]->pid;
        return low < t->n_threads && t->threads[low]->tid == tid ? (int32_t)t->threads[low]->pid
                                                                 : ETL_NO_TASK;
}

const struct etl_part *etl_trace_parts(const struct etl_trace *t, uint64_t time, uint32_t tid, size_t *ret_n)
{
        size_t low = 0, high = t->n_parts, end;

        SEARCH_FIRST(low, high, middle,
                     t->parts[middle].time < time ||
                             (t->parts[middle].time == time && t->parts[middle].tid < tid));
        for (end = low; end < t->n_parts && end < low + ETL_TRACE_MAX_PARTS && t->parts[end].time == time &&
                        t->parts[end].tid == tid;)
                end++;
        *ret_n = end - low;
        return end > low ? &t->parts[low] : NULL;
}

const struct etl_mark *etl_trace_mark(const struct etl_trace *t, const struct etl_item *image, bool pdb)
{
        size_t low = 0, high = t->n_marks;

        SEARCH_FIRST(low, high, middle, compare_mark(&t->marks[middle], image->pid, image->addr, pdb) < 0);
        return low < t->n_marks && !compare_mark(&t->marks[low], image->pid, image->addr, pdb)
                       ? &t->marks[low]
                       : NULL;
}

static char lower(char c)
{
        return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Windows does not distinguish the case of letters in paths. */
static bool begins(const char *path, const char *with)
{
        for (; *with; path++, with++) {
                if (lower(*path) != lower(*with))
                        return false;
        }
        return true;
}

void etl_trace_add_path(const struct etl_trace *t, const struct etl_item *image, struct buf *out)
{
        const char *path = t->texts.data + image->text, *program = "";
        size_t longest = 0;

        for (size_t i = 0; i < t->n_volumes; i++) {
                const char *kernel = t->texts.data + t->volumes[i].kernel;
                size_t len = strlen(kernel);

                if (len <= longest || !begins(path, kernel))
                        continue;
                longest = len;
                program = t->texts.data + t->volumes[i].program;
        }
        buf_add_str(out, program);
        buf_add_str(out, path + longest);
}

const uint64_t *etl_trace_frames(const struct etl_trace *t, const struct etl_part *part, size_t *ret_n)
{
        size_t low = 0, high = t->n_keyed;

        if (!part->has_key) {
                *ret_n = part->n;
                return part->n ? &t->frames[part->first] : NULL;
        }
        SEARCH_FIRST(low, high, middle,
                     t->keyed[middle].key < part->key ||
                             (t->keyed[middle].key == part->key && t->keyed[middle].until < part->walked));
        if (low == t->n_keyed || t->keyed[low].key != part->key)
                return NULL;
        *ret_n = t->keyed[low].n;
        return *ret_n ? &t->frames[t->keyed[low].first] : NULL;
}
