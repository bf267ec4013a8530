/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs on the thread that reads the rings, when the samples are in order.  Lines are looked up here and not while the thread
 * stands. */
#include "stop_merge.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"

struct stop_merge {
        struct stop_python *python;
        const char *symbols_path;
        struct python_places *places;
        struct map addrs;  /* number of a code and an instruction -> address + 1 */
        struct map mapped; /* image -> 1: its process maps FILE.pysyms */
        struct python_counts counts;

        /* Of the current sample. */
        bool has_stack;
        struct stop_python_stack stack;
        const struct python_frame *frames;
};

struct stop_merge *stop_merge_new(struct stop_python *python, const char *symbols_path)
{
        struct stop_merge *m = mem_new(1, sizeof(*m));

        m->python = python;
        m->symbols_path = symbols_path;
        m->places = python_places_new();
        return m;
}

void stop_merge_free(struct stop_merge *m)
{
        if (!m)
                return;
        python_places_free(m->places);
        map_release(&m->addrs);
        map_release(&m->mapped);
        free(m);
}

/* --- the map of FILE.pysyms --- */

static void add_trailer(const struct perf_attr *attr, const struct sample *sample, struct buf *out)
{
        uint64_t type = attr->flags & PERF_ATTR_SAMPLE_ID_ALL ? attr->sample_type : 0;

        if (type & PERF_SAMPLE_TID) {
                buf_add_u32(out, (uint32_t)sample->pid);
                buf_add_u32(out, (uint32_t)sample->tid);
        }
        if (type & PERF_SAMPLE_TIME)
                buf_add_u64(out, sample->time);
        if (type & PERF_SAMPLE_ID)
                buf_add_u64(out, sample->id);
        if (type & PERF_SAMPLE_STREAM_ID)
                buf_add_u64(out, sample->stream_id);
        if (type & PERF_SAMPLE_CPU)
                buf_add_u64(out, sample->cpu);
        if (type & PERF_SAMPLE_IDENTIFIER)
                buf_add_u64(out, sample->id);
}

static void add_map(const struct stop_merge *m, const struct perf_attr *attr, const struct sample *sample,
                    struct buf *out)
{
        enum { MAP_PRIVATE_BIT = 2 };
        struct perf_header header = {.type = PERF_RECORD_MMAP2, .misc = PERF_MISC_USER};
        size_t at = out->len, path_bytes = strlen(m->symbols_path) + 1;

        buf_add(out, &header, sizeof(header));
        buf_add_u32(out, (uint32_t)sample->pid);
        buf_add_u32(out, (uint32_t)sample->pid);
        buf_add_u64(out, PYTHON_PLACES_BASE);
        buf_add_u64(out, PYTHON_PLACES_SIZE_BYTES);
        buf_add_u64(out, 0); /* file offset */
        buf_add_u64(out, 0); /* device */
        buf_add_u64(out, 0); /* inode */
        buf_add_u64(out, 0); /* its generation */
        buf_add_u32(out, RECORD_PROT_EXEC);
        buf_add_u32(out, MAP_PRIVATE_BIT);
        buf_add(out, m->symbols_path, path_bytes);
        buf_add_zeros(out, -path_bytes & 7);
        add_trailer(attr, sample, out);
        header.size = (uint16_t)(out->len - at);
        memcpy(out->data + at, &header, sizeof(header));
}

/* --- addresses --- */

/* Of a Python frame's line; 0: the section is full, or the frame's code can't be read. */
static uint64_t addr_of(struct stop_merge *m, const struct python_frame *frame)
{
        const struct python_code *code;
        uint64_t *known = map_put(&m->addrs, frame->code << 32 | (uint32_t)frame->instr_bytes, NULL);
        int32_t line;

        if (*known)
                return *known - 1;
        code = stop_python_get_code(m->python, frame->code);
        if (code && !code->is_hidden) {
                line = python_code_line(code, frame->instr_bytes);
                *known = python_places_add(m->places, code->name, code->file,
                                           code->first_line > 0 ? (uint32_t)code->first_line : 0,
                                           line > 0 ? (uint32_t)line : 0);
        }
        return (*known)++;
}

/* --- a sample --- */

void stop_merge_begin(struct stop_merge *m, const struct perf_attr *attr, const struct sample *sample,
                      struct buf *out)
{
        bool is_new;

        m->has_stack = stop_python_take(m->python, sample->tid, sample->time, &m->stack, &m->frames);
        if (!m->has_stack || !m->stack.n_frames)
                return;
        map_put(&m->mapped, m->stack.image, &is_new);
        if (is_new)
                add_map(m, attr, sample, out);
}

/* Python frames up to the one that a native eval frame begins with; the shim is not among them.  Returns where the next ones
 * begin. */
static size_t end_of_segment(const struct stop_merge *m, size_t first, size_t *ret_n)
{
        size_t i = first;

        while (i < m->stack.n_frames && m->frames[i].kind == PYTHON_FRAME_CODE && !m->frames[i].is_entry)
                i++;
        if (i == m->stack.n_frames) {
                *ret_n = i - first;
                return i;
        }
        *ret_n = i - first + m->frames[i].is_entry;
        return i + 1;
}

static size_t count_segments(const struct stop_merge *m)
{
        size_t n_segments = 0, n, i = 0;

        while (i < m->stack.n_frames) {
                i = end_of_segment(m, i, &n);
                n_segments += n > 0;
        }
        return n_segments;
}

static bool is_eval(const struct stop_merge *m, const struct unwind_frame *frame)
{
        /* A return address may be that of the next function. */
        return stop_python_is_eval(m->python, &m->stack, frame->is_exact ? frame->pc : frame->pc - 1);
}

static void add_words(const struct unwind_frame *native, size_t n, struct buf *out)
{
        for (size_t i = 0; i < n; i++)
                buf_add_u64(out, native[i].pc);
}

void stop_merge_add(struct stop_merge *m, const struct unwind_frame *native, size_t n, size_t max_words,
                    struct buf *out)
{
        size_t n_evals = 0, at = 0, n_left = max_words;
        bool is_merged;

        for (size_t i = 0; i < n; i++)
                n_evals += m->has_stack && is_eval(m, &native[i]);
        is_merged = n_evals && n_evals == count_segments(m);
        if (m->has_stack) {
                m->counts.n_stacks++;
                m->counts.n_merged += is_merged;
        }
        if (!is_merged) {
                add_words(native, n < max_words ? n : max_words, out);
                return;
        }
        for (size_t i = 0; i < n && n_left; i++) {
                size_t n_python = 0, first = at;

                add_words(&native[i], 1, out);
                n_left--;
                while (is_eval(m, &native[i]) && at < m->stack.n_frames && !n_python) {
                        first = at;
                        at = end_of_segment(m, at, &n_python);
                }
                for (size_t k = 0; k < n_python && n_left; k++) {
                        uint64_t addr = addr_of(m, &m->frames[first + k]);

                        if (addr)
                                buf_add_u64(out, addr);
                        n_left -= addr != 0;
                }
        }
}

const struct python_places *stop_merge_places(const struct stop_merge *m)
{
        return m->places;
}

const struct python_counts *stop_merge_counts(struct stop_merge *m)
{
        return &m->counts;
}
