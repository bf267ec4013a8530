/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs on the thread that reads the rings, with samples in order. Lines are looked up here, not while the
 * thread is stopped. */
#include "stop_merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "deep_stack.h"
#include "map.h"
#include "mem.h"
#include "os.h"
#include "python_native.h"
#include "stop_fit.h"
#include "stop_thread.h"

enum { MAX_ADDRS = 1 << 20 }; /* cached addresses */

/* What is known of the program of a process. */
enum program { NOT_PYTHON, PYTHON, TRACED_PYTHON };

struct stop_merge {
        struct stop_python *python;
        struct stop_python *waits; /* of samples with the id of waits_id; NULL: there are none */
        uint64_t waits_id;
        struct stop_python *now; /* one of the two: that of the current sample */
        const char *symbols_path;
        bool is_near;
        struct python_places *places;
        uint64_t nameless;   /* address for code that can't be read, or that the section has no room for */
        struct map addrs;    /* code number and instruction to address + 1 */
        struct map mapped;   /* image to 1 if its process maps FILE.pysyms */
        struct map files;    /* hash of a source file's path to 1 after it was looked up */
        struct map programs; /* pid to enum program */
        uint64_t n_by_end[PYTHON_N_PAIR_ENDS], n_unsupported;
        uint64_t n_in_kernel, n_not_stopped, n_not_traced; /* samples that no stop has made */
        uint64_t n_changed, n_late, n_unfit;               /* of threads that ran while they were read */
        uint64_t n_by_walk_end[UNWIND_N_ENDS];             /* for ends that have a text in walk_end_texts */
        struct python_counts counts;

        const char *(*path_of)(void *ctx, int32_t pid, uint64_t addr); /* NULL: not known */
        void *path_of_ctx;
        void (*see_stack)(void *ctx, const struct sample *sample,
                          const struct stop_python_stack *stack); /* NULL: nobody */
        void *see_stack_ctx;

        /* The current sample. */
        int32_t pid;
        const struct unwind_frame *natives;
        bool is_bounded;
        bool has_stack;
        struct stop_fit fit;
        struct stop_python_stack stack;
        const struct python_frame *frames;
        uint8_t kinds[UNWIND_MAX_FRAMES];
        struct python_link links[UNWIND_MAX_FRAMES + PYTHON_MAX_FRAMES];
};

/* Reasons for missing native frames that are more precise than "truncated". */
static const char *const walk_end_texts[UNWIND_N_ENDS] = {
        [UNWIND_END_LIMIT] = "more than 8,000 native frames",
        [UNWIND_END_LARGE] = "native stack larger than 1 MiB",
        [UNWIND_END_CROWDED] = "native stack left out because too many waited to be unwound",
};

struct stop_merge *stop_merge_new(struct stop_python *python, const char *symbols_path)
{
        struct stop_merge *m = mem_new(1, sizeof(*m));

        m->python = m->now = python;
        m->symbols_path = symbols_path;
        m->places = python_places_new();
        m->nameless = python_places_add(m->places, "?", "?", 0, 0);
        return m;
}

void stop_merge_free(struct stop_merge *m)
{
        if (!m)
                return;
        python_places_free(m->places);
        map_release(&m->addrs);
        map_release(&m->mapped);
        map_release(&m->files);
        map_release(&m->programs);
        free(m);
}

/* --- records before a sample --- */

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

static void end_record(struct perf_header *header, size_t at, struct buf *out)
{
        header->size = (uint16_t)(out->len - at);
        memcpy(out->data + at, header, sizeof(*header));
}

static void add_text(const char *text, struct buf *out)
{
        size_t n_bytes = strlen(text) + 1;

        buf_add(out, text, n_bytes);
        buf_add_zeros(out, -n_bytes & 7);
}

/* A main thread has the name of its process. */
static void add_name(const struct stop_merge *m, const struct perf_attr *attr, const struct sample *sample,
                     struct buf *out)
{
        struct perf_header header = {.type = PERF_RECORD_COMM, .misc = RECORD_MISC_COMM_GIVEN};
        size_t at = out->len;
        const char *name = sample->pid == sample->tid
                                   ? NULL
                                   : stop_python_take_name(m->now, m->stack.image, sample->tid);

        if (!name)
                return;
        buf_add(out, &header, sizeof(header));
        buf_add_u32(out, (uint32_t)sample->pid);
        buf_add_u32(out, (uint32_t)sample->tid);
        add_text(name, out);
        add_trailer(attr, sample, out);
        end_record(&header, at, out);
}

static void add_map(const struct stop_merge *m, const struct perf_attr *attr, const struct sample *sample,
                    struct buf *out)
{
        enum { MAP_PRIVATE_BIT = 2 };
        struct perf_header header = {.type = PERF_RECORD_MMAP2, .misc = PERF_MISC_USER};
        size_t at = out->len;

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
        add_text(m->symbols_path, out);
        add_trailer(attr, sample, out);
        end_record(&header, at, out);
}

/* --- addresses --- */

static uint32_t line_number(int32_t line)
{
        return line > 0 ? (uint32_t)line : 0;
}

/* Stores size and mtime of a source file for reading it after the recording. */
static void see_source(struct stop_merge *m, const char *path)
{
        struct os_stat file;
        bool is_new;

        map_put(&m->files, map_hash_bytes(path, strlen(path)), &is_new);
        if (is_new && stop_thread_find_source(m->pid, path, &file))
                python_places_add_file(m->places, path, file.size_bytes, file.mtime_ns);
}

static uint64_t add_place(struct stop_merge *m, const struct python_frame *frame)
{
        const struct python_code *code = stop_python_get_code(m->now, frame->code);
        uint64_t addr;

        if (!code)
                return m->nameless;
        if (code->is_hidden)
                return 0;
        see_source(m, code->file);
        addr = python_places_add(m->places, code->name, code->file, line_number(code->first_line),
                                 line_number(python_code_line(code, frame->instr_bytes)));
        return addr ? addr : m->nameless;
}

/* Code objects and images have numbers of their own in each source. */
static uint64_t source_bit(const struct stop_merge *m)
{
        return (uint64_t)(m->now == m->waits) << 63;
}

/* The address of a Python frame's line; 0 if the frame is not to be shown. */
static uint64_t addr_of(struct stop_merge *m, const struct python_frame *frame)
{
        uint64_t *known;

        if (m->addrs.n_used == MAX_ADDRS)
                map_release(&m->addrs);
        known = map_put(&m->addrs, source_bit(m) ^ (frame->code << 32 | (uint32_t)frame->instr_bytes), NULL);
        if (!*known)
                *known = add_place(m, frame) + 1;
        return *known - 1;
}

/* --- a sample --- */

void stop_merge_begin(struct stop_merge *m, const struct perf_attr *attr, const struct sample *sample,
                      struct buf *out)
{
        bool is_new;

        stop_fit_begin(&m->fit, sample);
        m->pid = sample->pid;
        m->now = m->waits && sample->id == m->waits_id ? m->waits : m->python;
        m->has_stack = m->is_near && m->now == m->python
                               ? stop_python_take_near(m->now, sample->tid, sample->time, sample->ip,
                                                       &m->stack, &m->frames)
                               : stop_python_take(m->now, sample->tid, sample->time, &m->stack, &m->frames);
        if (m->has_stack && m->see_stack && m->now == m->python)
                m->see_stack(m->see_stack_ctx, sample, &m->stack);
        if (m->has_stack)
                add_name(m, attr, sample, out);
        if (!m->has_stack || !m->stack.n_frames)
                return;
        m->counts.is_approximate |= m->stack.running != STOP_READ_STOPPED;
        map_put(&m->mapped, source_bit(m) | m->stack.image, &is_new);
        if (is_new)
                add_map(m, attr, sample, out);
}

uint64_t stop_merge_time(const struct stop_merge *m, uint64_t sample_ns)
{
        return m->is_near && m->now == m->python && m->has_stack ? m->stack.time_ns : sample_ns;
}

void stop_merge_set_paths(struct stop_merge *m, const char *(*path_of)(void *ctx, int32_t pid, uint64_t addr),
                          void *ctx)
{
        m->path_of = path_of;
        m->path_of_ctx = ctx;
}

void stop_merge_set_waits(struct stop_merge *m, struct stop_python *waits, uint64_t id)
{
        m->waits = waits;
        m->waits_id = id;
}

void stop_merge_on_stack(struct stop_merge *m,
                         void (*see)(void *ctx, const struct sample *sample,
                                     const struct stop_python_stack *stack),
                         void *ctx)
{
        m->see_stack = see;
        m->see_stack_ctx = ctx;
}

void stop_merge_set_near(struct stop_merge *m)
{
        m->is_near = true;
}

bool stop_merge_is_bounded(const struct stop_merge *m)
{
        return m->is_bounded;
}

/* --- samples that no stop has made --- */

void stop_merge_see(struct stop_merge *m, bool in_user, bool is_in_python)
{
        uint64_t *program;

        if (!m->has_stack && !is_in_python && !m->programs.n_used)
                return;
        program = map_put(&m->programs, (uint64_t)(uint32_t)m->pid, NULL);
        if (m->has_stack && m->stack.binary)
                *program = TRACED_PYTHON;
        else if (is_in_python && *program == NOT_PYTHON)
                *program = PYTHON;
        if (m->has_stack || *program == NOT_PYTHON)
                return;
        m->counts.n_stacks++;
        if (!in_user)
                m->n_in_kernel++;
        else if (*program == TRACED_PYTHON)
                m->n_not_stopped++;
        else
                m->n_not_traced++;
}

void stop_merge_see_exec(struct stop_merge *m, int32_t pid)
{
        map_remove(&m->programs, (uint64_t)(uint32_t)pid);
}

void stop_merge_see_fork(struct stop_merge *m, int32_t pid, int32_t parent)
{
        const uint64_t *program = map_find(&m->programs, (uint64_t)(uint32_t)parent);
        uint64_t of_child = program && *program != NOT_PYTHON ? PYTHON : NOT_PYTHON;

        map_remove(&m->programs, (uint64_t)(uint32_t)pid);
        if (of_child != NOT_PYTHON)
                *map_put(&m->programs, (uint64_t)(uint32_t)pid, NULL) = of_child;
}

/* --- pairing --- */

/* A return address may already belong to the next function. */
static uint64_t call_of(const struct unwind_frame *native)
{
        return native->is_exact ? native->pc : native->pc - 1;
}

static bool switches(void *ctx, size_t native)
{
        struct stop_merge *m = ctx;
        const char *path = m->path_of(m->path_of_ctx, m->pid, call_of(&m->natives[native]));

        return path && python_native_switches(path);
}

/* *n is the number of native frames, afterwards of those that belong to the chain. */
static enum python_pair_end pair(struct stop_merge *m, const struct unwind_frame *natives, size_t *n,
                                 bool is_whole, size_t *ret_n_links)
{
        const struct python_binary *binary = stop_python_binary(m->now, &m->stack);
        struct python_stacks stacks = {
                .natives = natives,
                .kinds = m->kinds,
                .n_natives = *n,
                .switches = m->path_of ? switches : NULL,
                .switches_ctx = m,
                .is_native_whole = is_whole,
                .frames = m->frames,
                .n_frames = m->stack.n_frames,
                .python_end = m->stack.end,
                .has_shims = binary && python_stack_has_shims(&binary->layout),
        };

        m->natives = natives;
        for (size_t i = 0; i < *n; i++)
                m->kinds[i] = (uint8_t)stop_python_kind(m->now, &m->stack, call_of(&natives[i]));
        return python_pair(&stacks, m->links, N_ELEMENTS(m->links), ret_n_links, n);
}

struct merged_chain {
        struct buf *out;
        size_t n_left;
        bool is_cut; /* some addresses did not fit */
};

static void add_word(struct merged_chain *chain, uint64_t addr)
{
        chain->is_cut |= addr && !chain->n_left;
        if (!addr || !chain->n_left)
                return;
        buf_add_u64(chain->out, addr);
        chain->n_left--;
}

static void add_natives(struct merged_chain *chain, const struct unwind_frame *natives, size_t first,
                        size_t end)
{
        for (size_t i = first; i < end; i++)
                add_word(chain, unwind_chain_word(natives, i));
}

/* Pairing removes eval frames. The chain keeps them before the Python frames that they run, because the
 * sampled address may be in one, and views show either the one or the other. */
static void add_links(struct stop_merge *m, const struct unwind_frame *natives, size_t n, size_t n_links,
                      struct merged_chain *chain)
{
        size_t next = 0, i = 0;

        while (i < n_links) {
                size_t first = i;

                if (!m->links[i].is_python) {
                        add_natives(chain, natives, next, m->links[i].index + 1);
                        next = m->links[i++].index + 1;
                        continue;
                }
                while (i < n_links && m->links[i].is_python)
                        i++;
                add_natives(chain, natives, next, i < n_links ? m->links[i].index : n);
                next = i < n_links ? m->links[i].index : n;
                for (; first < i; first++)
                        add_word(chain, addr_of(m, &m->frames[m->links[first].index]));
        }
        add_natives(chain, natives, next, n);
}

static void count(struct stop_merge *m, enum python_pair_end end, enum unwind_end walk_end)
{
        if (m->stack.is_unsupported)
                m->n_unsupported++;
        else if (end == PYTHON_PAIR_MERGED)
                m->counts.n_merged++;
        else if (end == PYTHON_PAIR_NATIVE_CUT && walk_end_texts[walk_end])
                m->n_by_walk_end[walk_end]++;
        else if (end != PYTHON_PAIR_NATIVE_ONLY)
                m->n_by_end[end]++;
        m->counts.n_stacks += m->stack.is_unsupported || end != PYTHON_PAIR_NATIVE_ONLY;
        if (end == PYTHON_PAIR_MORE_NATIVE)
                stop_python_forget(m->now, m->stack.tid);
}

/* Whether the sample's eval function ran the innermost Python function. An eval function further inside would
 * have begun or ended since. */
static bool is_of_sample(const struct stop_merge *m, size_t n, size_t n_inside)
{
        size_t eval = n_inside;

        for (size_t i = 0; i < n_inside; i++) {
                if (m->kinds[i] == PYTHON_NATIVE_EVAL)
                        return false;
        }
        while (eval + 1 < n && m->kinds[eval] == PYTHON_NATIVE_GLUE)
                eval++;
        return eval < n && stop_fit_has(&m->fit, m->natives, n, eval, m->stack.anchor, m->stack.anchor_end);
}

/* Frames of a thread that ran may be those of a later moment. Native frames would then have a caller that
 * they never had. */
static bool is_left_out(struct stop_merge *m, enum python_pair_end end, size_t n, size_t n_links)
{
        size_t inside = 0;
        uint64_t *counter;

        if (m->stack.running == STOP_READ_STOPPED ||
            (m->stack.running != STOP_CHANGED && end != PYTHON_PAIR_MERGED))
                return false;
        while (inside < n_links && !m->links[inside].is_python)
                inside++;
        if (m->stack.running == STOP_CHANGED)
                counter = &m->n_changed;
        else if ((!inside && m->stack.running != STOP_LATE) || is_of_sample(m, n, inside))
                return false;
        else
                counter = m->stack.running == STOP_LATE ? &m->n_late : &m->n_unfit;
        ++*counter;
        m->counts.n_stacks++;
        return true;
}

bool stop_merge_add(struct stop_merge *m, const struct unwind_frame *natives, size_t n,
                    enum unwind_end walk_end, size_t max_words, struct buf *out)
{
        struct merged_chain chain = {.out = out, .n_left = max_words};
        enum python_pair_end end = PYTHON_PAIR_NATIVE_ONLY;
        size_t n_links = 0, n_all = n;

        m->is_bounded = false;
        if (m->has_stack && m->stack.running != STOP_CHANGED) {
                end = pair(m, natives, &n, unwind_end_is_whole(walk_end), &n_links);
                m->is_bounded = n < n_all;
        }
        if (m->has_stack && is_left_out(m, end, n, n_links))
                end = PYTHON_PAIR_NATIVE_ONLY;
        else if (m->has_stack)
                count(m, end, walk_end);
        if (end == PYTHON_PAIR_MERGED)
                add_links(m, natives, n, n_links, &chain);
        else
                add_natives(&chain, natives, 0, n);
        return !chain.is_cut;
}

static void add_reason(struct python_counts *counts, uint64_t n, const char *text)
{
        if (n)
                counts->reasons[counts->n_reasons++] = (struct python_reason){n, text};
}

struct python_places *stop_merge_places(struct stop_merge *m)
{
        return m->places;
}

const struct python_counts *stop_merge_counts(struct stop_merge *m)
{
        m->counts.n_reasons = 0;
        _Static_assert(DEEP_STACK_LIMIT == 1 << 20 && UNWIND_MAX_FRAMES == 8000, "the limits that are told");
        add_reason(&m->counts, m->n_in_kernel, "in the kernel, where threads are not stopped");
        add_reason(&m->counts, m->n_not_stopped,
                   m->is_near ? "whose Python frames were lost" : "of threads that were not stopped");
        add_reason(&m->counts, m->n_not_traced,
                   m->is_near ? "of processes whose interpreter was not found yet"
                              : "of processes that were not traced");
        add_reason(&m->counts, m->n_changed, "whose Python frames changed while they were read");
        add_reason(&m->counts, m->n_late, "whose Python frames could only be read too late");
        add_reason(&m->counts, m->n_unfit, "whose Python frames do not fit the native stack");
        add_reason(&m->counts, m->n_unsupported, "of a CPython version that is not supported");
        for (size_t i = 0; i < UNWIND_N_ENDS; i++)
                add_reason(&m->counts, m->n_by_walk_end[i], walk_end_texts[i]);
        for (size_t i = 0; i < PYTHON_N_PAIR_ENDS; i++)
                add_reason(&m->counts, m->n_by_end[i], python_pair_end_text((enum python_pair_end)i));
        return &m->counts;
}
