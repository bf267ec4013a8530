/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines may overlap in any way.  A sweep over the addresses divides them into spans that each belong to the
 * latest line there; lookups are one binary search. */
#include "perfmap.h"

#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "mem.h"
#include "note.h"
#include "os.h"
#include "search.h"

struct jit_line {
        uint64_t start, end;
        uint32_t name_off, name_len;
        str_id text;
        bool is_shared; /* another function has some of its addresses */
};

/* Ends at the start of the next span. */
struct perfmap_span {
        uint64_t start;
        uint32_t line; /* NO_LINE: no line covers it */
};

#define NO_LINE UINT32_MAX

/* Memory for each line: itself, at most two spans, and data for sorting. */
enum { LINE_BYTES = sizeof(struct jit_line) + 3 * sizeof(struct perfmap_span) + sizeof(uint32_t) };

struct perfmap {
        struct os_map *map; /* NULL: the text is in memory */
        struct buf text;
        const char *bytes; /* bytes of the map or of the text */
        size_t n_bytes;
        struct budget *budget;
        uint64_t taken_bytes;
        struct jit_line *lines;
        size_t n_lines, cap_lines;
        struct perfmap_span *spans;
        size_t n_spans, cap_spans;
        size_t n_shared; /* lines */
};

/* --- Reading --- */

static bool parse_hex(const char **at, const char *end, uint64_t *ret_value)
{
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        unsigned n = 0;
        const char *found;

        *ret_value = 0;
        if (end - *at >= 2 && !memcmp(*at, "0x", 2))
                *at += 2;
        for (; n < 17 && *at < end && **at && (found = strchr(digits, **at)); n++, ++*at)
                *ret_value = *ret_value << 4 | (uint64_t)((found - digits) % 16);
        return n > 0 && n < 17;
}

static bool skip_spaces(const char **at, const char *end)
{
        const char *start = *at;

        while (*at < end && (**at == ' ' || **at == '\t'))
                ++*at;
        return *at > start;
}

/* Skips malformed lines; false if there is not enough memory. */
static bool add_jit_line(struct perfmap *map, const char *at, const char *end)
{
        struct jit_line line = {0};
        uint64_t size;

        if (end > at && end[-1] == '\r')
                end--;
        if (!parse_hex(&at, end, &line.start) || !skip_spaces(&at, end) || !parse_hex(&at, end, &size) ||
            !skip_spaces(&at, end))
                return true;
        line.name_len = (uint32_t)strnlen(at, (size_t)(end - at));
        if (!line.name_len || !size || __builtin_add_overflow(line.start, size, &line.end) ||
            map->n_lines >= NO_LINE - 1)
                return true;
        if (!budget_take(map->budget, BUDGET_NAMES, LINE_BYTES))
                return false;
        map->taken_bytes += LINE_BYTES;
        line.name_off = (uint32_t)(at - map->bytes);
        ARRAY_PUSH(map->lines, map->n_lines, map->cap_lines, line);
        return true;
}

static void read_lines(struct perfmap *map, struct buf *note)
{
        const char *at = map->bytes;
        const char *end = at ? at + map->n_bytes : at;

        while (at < end) {
                const char *line_end = memchr(at, '\n', (size_t)(end - at));

                if (!line_end)
                        line_end = end;
                if (!add_jit_line(map, at, line_end)) {
                        buf_printf(note, "only its first %zu functions are read: not enough memory",
                                   map->n_lines);
                        return;
                }
                at = line_end + 1;
        }
}

/* --- The sweep --- */

/* A heap of the lines that cover the current address or end before it, the latest on top. */
struct pile {
        uint32_t *lines;
        size_t n, cap;
};

static void pile_add(struct pile *pile, uint32_t line)
{
        size_t at = pile->n;

        ARRAY_PUSH(pile->lines, pile->n, pile->cap, line);
        for (; at && pile->lines[(at - 1) / 2] < line; at = (at - 1) / 2)
                pile->lines[at] = pile->lines[(at - 1) / 2];
        pile->lines[at] = line;
}

static void pile_take(struct pile *pile)
{
        uint32_t last = pile->lines[--pile->n];
        size_t at = 0;

        for (size_t child = 1; child < pile->n; child = 2 * at + 1) {
                if (child + 1 < pile->n && pile->lines[child + 1] > pile->lines[child])
                        child++;
                if (pile->lines[child] <= last)
                        break;
                pile->lines[at] = pile->lines[child];
                at = child;
        }
        if (pile->n)
                pile->lines[at] = last;
}

static int compare_spans(const void *a, const void *b)
{
        const struct perfmap_span *x = a, *y = b;

        if (x->start != y->start)
                return x->start < y->start ? -1 : 1;
        return (x->line > y->line) - (x->line < y->line);
}

static void add_span(struct perfmap *map, uint64_t start, uint32_t line)
{
        struct perfmap_span *last = map->n_spans ? &map->spans[map->n_spans - 1] : NULL;

        if (last && last->line == line)
                return;
        if (last && last->start == start)
                last->line = line;
        else
                ARRAY_PUSH(map->spans, map->n_spans, map->cap_spans, (struct perfmap_span){start, line});
}

/* Assigns owners to the addresses from `from` up to `to`, where the next line begins. */
static void sweep_to(struct perfmap *map, struct pile *pile, uint64_t from, uint64_t to)
{
        while (pile->n && from < to) {
                const struct jit_line *top = &map->lines[pile->lines[0]];

                if (top->end > from)
                        add_span(map, from, pile->lines[0]);
                if (top->end > to)
                        return;
                if (top->end > from)
                        from = top->end;
                pile_take(pile);
        }
        if (from < to)
                add_span(map, from, NO_LINE);
}

/* A compiler may write the same function twice; this is not ambiguous. */
static bool is_again(const struct perfmap *map, const struct jit_line *a, const struct jit_line *b)
{
        return a->start == b->start && a->end == b->end && a->name_len == b->name_len &&
               !memcmp(map->bytes + a->name_off, map->bytes + b->name_off, a->name_len);
}

static void mark_shared(struct perfmap *map, struct jit_line *line)
{
        map->n_shared += !line->is_shared;
        line->is_shared = true;
}

/* Lines are sorted by start.  A line that begins inside an earlier one overlaps the one that ends last; a
 * line that ends after the start of the next one overlaps it. */
static void find_shared(struct perfmap *map, const struct perfmap_span *starts)
{
        struct jit_line *last = NULL, *farthest = NULL;

        for (size_t i = 0; i < map->n_lines; i++) {
                struct jit_line *line = &map->lines[starts[i].line];

                if (last && is_again(map, last, line)) {
                        line->is_shared = last->is_shared;
                        farthest = farthest == last ? line : farthest;
                        last = line;
                        continue;
                }
                if (last && last->end > line->start)
                        mark_shared(map, last);
                if (farthest && farthest->end > line->start)
                        mark_shared(map, line);
                if (!farthest || line->end > farthest->end)
                        farthest = line;
                last = line;
        }
}

static void cut_into_spans(struct perfmap *map)
{
        struct perfmap_span *starts = mem_new(map->n_lines, sizeof(*starts));
        struct pile pile = {0};

        for (size_t i = 0; i < map->n_lines; i++)
                starts[i] = (struct perfmap_span){map->lines[i].start, (uint32_t)i};
        qsort(starts, map->n_lines, sizeof(*starts), compare_spans);
        find_shared(map, starts);
        for (size_t i = 0; i < map->n_lines; i++) {
                pile_add(&pile, starts[i].line);
                sweep_to(map, &pile, starts[i].start,
                         i + 1 < map->n_lines ? starts[i + 1].start : UINT64_MAX);
        }
        free(pile.lines);
        free(starts);
}

/* --- Lookups --- */

static void finish(struct perfmap *map, struct buf *note)
{
        read_lines(map, note);
        if (map->n_lines)
                cut_into_spans(map);
}

static bool open_file(struct perfmap *map, const char *path, const struct os_origin *origin, struct err *err)
{
        map->map = os_map_open_of(path, origin, err);
        if (!map->map)
                return false;
        if (map->map->size_bytes > PERFMAP_MAX_BYTES)
                return err_set(err, ERR_LIMIT, "%s: is larger than %d MiB", path, PERFMAP_MAX_BYTES >> 20);
        map->bytes = (const char *)map->map->bytes;
        map->n_bytes = map->map->size_bytes;
        return true;
}

struct perfmap *perfmap_new(const char *path, const struct os_origin *origin, struct budget *budget,
                            struct buf *note)
{
        struct perfmap *map = mem_new(1, sizeof(*map));
        struct err err = {0};

        map->budget = budget;
        if (!open_file(map, path, origin, &err))
                note_add_error(note, &err, path);
        finish(map, note);
        if (!map->n_lines && !note->len)
                buf_add_str(note, "the perf map has no functions");
        return map;
}

struct perfmap *perfmap_new_text(const void *text, size_t size)
{
        struct perfmap *map = mem_new(1, sizeof(*map));
        AUTO_RELEASE(buf) note = {0};

        buf_add(&map->text, text, size);
        map->bytes = buf_text(&map->text);
        map->n_bytes = size;
        finish(map, &note);
        return map;
}

void perfmap_free(struct perfmap *map)
{
        if (!map)
                return;
        os_map_free(map->map);
        buf_release(&map->text);
        free(map->lines);
        free(map->spans);
        budget_give(map->budget, map->taken_bytes);
        free(map);
}

size_t perfmap_n_shared(const struct perfmap *map)
{
        return map->n_shared;
}

bool perfmap_find(const struct perfmap *map, uint64_t addr, struct symtab_hit *ret_hit, bool *ret_is_shared)
{
        size_t low = 0, high = map->n_spans;
        struct jit_line *line;

        SEARCH_FIRST(low, high, middle, map->spans[middle].start <= addr);
        if (!low || map->spans[low - 1].line == NO_LINE)
                return false;
        line = &map->lines[map->spans[low - 1].line];
        *ret_hit = (struct symtab_hit){
                .start = line->start,
                .end = line->end,
                .same_from = map->spans[low - 1].start,
                .same_to = low < map->n_spans ? map->spans[low].start : line->end,
                .name = map->bytes + line->name_off,
                .name_max = line->name_len,
                .text = &line->text,
        };
        *ret_is_shared = line->is_shared;
        return true;
}
