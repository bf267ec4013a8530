/* SPDX-License-Identifier: BSD-3-Clause */
/* The content of the section; numbers are LEB128, and "+" is the difference from the previous entry:
 *
 *     frames   n; each distinct frame, sorted by address: +pc, way * 2 + is_exact
 *     nodes    n; each a frame and its path: how many nodes earlier its caller is (0: no caller), frame
 *     walks    n; each: number of samples between it and the previous walk,
 *              +(node of the innermost frame + 1; 0: no frames), end
 *
 * So stacks that share callers store them once.  Callers precede their callees, so every path ends.  The
 * depth of all nodes is checked once, when the section is opened. */
#include "stack_archive.h"

#include <assert.h>
#include <stdlib.h>

#include "archive_section.h"
#include "map.h"
#include "mem.h"
#include "search.h"

static const struct archive_section_kind kind = {"WPSW", STACK_ARCHIVE_VERSION};

static const uint32_t none = UINT32_MAX;

/* --- Reading -------------------------------------------------------------------------------------- */

struct packed_node {
        uint32_t caller, frame;
};

struct stack_archive {
        struct budget budget;
        struct walked_frame *frames;
        struct packed_node *nodes;
        struct archived_walk *walks;
        size_t n_frames, n_nodes, n_walks;
};

static void read_frames(struct cursor *c, unsigned n_ways, struct stack_archive *a, struct budget *budget)
{
        uint64_t pc = 0;

        a->n_frames = archive_read_count(c, 2, sizeof(*a->frames), budget);
        a->frames = mem_new(a->n_frames, sizeof(*a->frames));
        for (size_t i = 0; i < a->n_frames && !c->failed; i++) {
                uint64_t gap = cursor_uleb(c);
                uint8_t flags = cursor_u8(c);

                if (gap > UINT64_MAX - pc || flags >> 1 >= n_ways) {
                        cursor_fail(c);
                        return;
                }
                pc += gap;
                a->frames[i] = (struct walked_frame){pc, flags >> 1, flags & 1};
        }
}

/* *ret_depths: the number of frames from each node to its outermost caller; the caller frees it. */
static void read_nodes(struct cursor *c, struct stack_archive *a, struct budget *budget,
                       uint16_t **ret_depths)
{
        uint16_t *depths;

        a->n_nodes = archive_read_count(c, 2, sizeof(*a->nodes) + sizeof(*depths), budget);
        a->nodes = mem_new(a->n_nodes, sizeof(*a->nodes));
        depths = mem_new(a->n_nodes, sizeof(*depths));
        *ret_depths = depths;
        for (size_t i = 0; i < a->n_nodes && !c->failed; i++) {
                uint64_t back = cursor_uleb(c), frame = cursor_uleb(c);

                if (back > i || frame >= a->n_frames ||
                    (back && depths[i - back] == STACK_ARCHIVE_MAX_FRAMES)) {
                        cursor_fail(c);
                        return;
                }
                a->nodes[i] = (struct packed_node){back ? (uint32_t)(i - back) : none, (uint32_t)frame};
                depths[i] = back ? depths[i - back] + 1 : 1;
        }
}

static void read_walks(struct cursor *c, unsigned n_ends, const uint16_t *depths, struct stack_archive *a,
                       struct budget *budget)
{
        uint64_t sample = 0, number = 0;

        a->n_walks = archive_read_count(c, 3, sizeof(*a->walks), budget);
        a->walks = mem_new(a->n_walks, sizeof(*a->walks));
        for (size_t i = 0; i < a->n_walks && !c->failed; i++) {
                uint64_t gap = cursor_uleb(c);
                uint8_t end;

                number += (uint64_t)cursor_sleb(c);
                end = cursor_u8(c);
                if (gap >= UINT64_MAX - sample || number > a->n_nodes || end >= n_ends) {
                        cursor_fail(c);
                        return;
                }
                sample += gap;
                a->walks[i] = (struct archived_walk){sample++, number ? (uint32_t)(number - 1) : none,
                                                     number ? depths[number - 1] : 0, end};
        }
}

static bool read_content(struct stack_archive *a, struct cursor c, unsigned n_ways, unsigned n_ends)
{
        uint16_t *depths = NULL;

        read_frames(&c, n_ways, a, &a->budget);
        read_nodes(&c, a, &a->budget, &depths);
        read_walks(&c, n_ends, depths, a, &a->budget);
        free(depths);
        return !c.failed && !cursor_left(&c);
}

struct stack_archive *stack_archive_open(struct cursor section, unsigned n_ways, unsigned n_ends,
                                         struct budget *budget, struct err *err)
{
        AUTO(stack_archive) archive = mem_new(1, sizeof(*archive));
        AUTO_RELEASE(buf) unpacked = {0};
        struct cursor content;

        assert(n_ways <= STACK_ARCHIVE_MAX_KINDS && n_ends <= STACK_ARCHIVE_MAX_KINDS);
        archive_section_budget(&archive->budget, budget, section);
        if (!archive_section_read(&kind, section, &archive->budget, &unpacked, &content, err))
                return NULL;
        if (!read_content(archive, content, n_ways, n_ends)) {
                archive_section_fail(&archive->budget, err);
                return NULL;
        }
        return TAKE(archive);
}

void stack_archive_free(struct stack_archive *archive)
{
        if (!archive)
                return;
        free(archive->frames);
        free(archive->nodes);
        free(archive->walks);
        budget_release(&archive->budget);
        free(archive);
}

size_t stack_archive_n_walks(const struct stack_archive *archive)
{
        return archive->n_walks;
}

const struct archived_walk *stack_archive_get(const struct stack_archive *archive, size_t index)
{
        assert(index < archive->n_walks);
        return &archive->walks[index];
}

const struct archived_walk *stack_archive_find(const struct stack_archive *archive, uint64_t sample)
{
        size_t low = 0, high = archive->n_walks;

        SEARCH_FIRST(low, high, middle, archive->walks[middle].sample < sample);
        return low < archive->n_walks && archive->walks[low].sample == sample ? &archive->walks[low] : NULL;
}

size_t stack_archive_frames(const struct stack_archive *archive, const struct archived_walk *walk,
                            struct walked_frame *frames, size_t max)
{
        size_t n = 0;

        for (uint32_t at = walk->node; at != none && n < max; at = archive->nodes[at].caller)
                frames[n++] = archive->frames[archive->nodes[at].frame];
        return n;
}

size_t stack_archive_n_nodes(const struct stack_archive *archive)
{
        return archive->n_nodes;
}

/* --- Writing -------------------------------------------------------------------------------------- */

struct known_frame {
        struct walked_frame frame;
        uint32_t next; /* frame with the same address: index + 1 */
        uint32_t number;
};

struct stack_archive_writer {
        struct known_frame *frames;
        struct packed_node *nodes; /* `frame` is an index, not a number */
        struct archived_walk *walks;
        size_t n_frames, cap_frames, n_nodes, cap_nodes, n_walks, cap_walks;
        struct map by_pc;   /* address to index + 1 of its last frame */
        struct map by_path; /* caller + 1 and frame to node + 1 */
};

struct stack_archive_writer *stack_archive_writer_new(void)
{
        return mem_new(1, sizeof(struct stack_archive_writer));
}

void stack_archive_writer_free(struct stack_archive_writer *w)
{
        if (!w)
                return;
        map_release(&w->by_pc);
        map_release(&w->by_path);
        free(w->frames);
        free(w->nodes);
        free(w->walks);
        free(w);
}

static uint32_t find_frame(struct stack_archive_writer *w, const struct walked_frame *frame)
{
        uint64_t *last = map_put(&w->by_pc, frame->pc, NULL);

        for (uint64_t i = *last; i; i = w->frames[i - 1].next) {
                const struct walked_frame *f = &w->frames[i - 1].frame;

                if (f->way == frame->way && f->is_exact == frame->is_exact)
                        return (uint32_t)i - 1;
        }
        ARRAY_PUSH(w->frames, w->n_frames, w->cap_frames,
                   (struct known_frame){.frame = *frame, .next = (uint32_t)*last});
        *last = w->n_frames;
        return (uint32_t)w->n_frames - 1;
}

static uint32_t find_node(struct stack_archive_writer *w, uint32_t caller, uint32_t frame)
{
        uint64_t *known = map_put(&w->by_path, (uint64_t)(caller + 1) << 32 | frame, NULL);

        if (!*known) {
                ARRAY_PUSH(w->nodes, w->n_nodes, w->cap_nodes, (struct packed_node){caller, frame});
                *known = w->n_nodes;
        }
        return (uint32_t)*known - 1;
}

void stack_archive_add(struct stack_archive_writer *w, uint64_t sample, const struct walked_frame *frames,
                       size_t n, uint8_t end)
{
        struct archived_walk walk = {sample, none, (uint16_t)n, end};

        assert(n <= STACK_ARCHIVE_MAX_FRAMES && end < STACK_ARCHIVE_MAX_KINDS);
        assert(!w->n_walks || sample > w->walks[w->n_walks - 1].sample);
        for (size_t i = n; i-- > 0;) {
                assert(frames[i].way < STACK_ARCHIVE_MAX_KINDS);
                walk.node = find_node(w, walk.node, find_frame(w, &frames[i]));
        }
        ARRAY_PUSH(w->walks, w->n_walks, w->cap_walks, walk);
}

size_t stack_archive_n_added(const struct stack_archive_writer *w)
{
        return w->n_walks;
}

static uint8_t flags_of(const struct walked_frame *frame)
{
        return (uint8_t)(frame->way << 1 | frame->is_exact);
}

static int compare_frames(const void *x, const void *y)
{
        const struct walked_frame *a = &(*(struct known_frame *const *)x)->frame;
        const struct walked_frame *b = &(*(struct known_frame *const *)y)->frame;

        if (a->pc != b->pc)
                return a->pc < b->pc ? -1 : 1;
        return flags_of(a) - flags_of(b);
}

/* Numbers the frames by address. */
static void add_frames(const struct stack_archive_writer *w, struct buf *out)
{
        struct known_frame **order = mem_new(w->n_frames, sizeof(struct known_frame *));
        uint64_t pc = 0;

        for (size_t i = 0; i < w->n_frames; i++)
                order[i] = &w->frames[i];
        if (w->n_frames)
                qsort(order, w->n_frames, sizeof(*order), compare_frames);
        buf_add_uleb(out, w->n_frames);
        for (size_t i = 0; i < w->n_frames; i++) {
                order[i]->number = (uint32_t)i;
                buf_add_uleb(out, order[i]->frame.pc - pc);
                buf_add_u8(out, flags_of(&order[i]->frame));
                pc = order[i]->frame.pc;
        }
        free(order);
}

static void add_nodes(const struct stack_archive_writer *w, struct buf *out)
{
        buf_add_uleb(out, w->n_nodes);
        for (size_t i = 0; i < w->n_nodes; i++) {
                buf_add_uleb(out, w->nodes[i].caller == none ? 0 : i - w->nodes[i].caller);
                buf_add_uleb(out, w->frames[w->nodes[i].frame].number);
        }
}

static void add_walks(const struct stack_archive_writer *w, struct buf *out)
{
        uint64_t next = 0, number = 0;

        buf_add_uleb(out, w->n_walks);
        for (size_t i = 0; i < w->n_walks; i++) {
                uint64_t now = w->walks[i].node == none ? 0 : (uint64_t)w->walks[i].node + 1;

                buf_add_uleb(out, w->walks[i].sample - next);
                buf_add_sleb(out, (int64_t)(now - number));
                buf_add_u8(out, w->walks[i].end);
                next = w->walks[i].sample + 1;
                number = now;
        }
}

bool stack_archive_write(const struct stack_archive_writer *w, struct buf *out, struct err *err)
{
        AUTO_RELEASE(buf) content = {0};

        add_frames(w, &content);
        add_nodes(w, &content);
        add_walks(w, &content);
        return archive_section_write(&kind, &content, out, err);
}
