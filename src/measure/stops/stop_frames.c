/* SPDX-License-Identifier: BSD-3-Clause */
/* While a thread is stopped, its frames are read, and code objects that are new or have changed. Of a thread
 * that runs, all is read twice. */
#include "stop_frames.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "os.h"
#include "stop_codes.h"

enum {
        MAX_IMAGES = 128, /* processes whose state is kept; the state of others is searched again */
        MAX_THREADS_OF_IMAGE = 4096,
        MAX_CODES_OF_IMAGE = 1 << 14,
        MAX_CODE_BYTES = 64 << 20,     /* of the different code objects of a recording */
        MAX_READ_BYTES = 8 << 20,      /* of code objects at one stop; the others are read at later stops */
        NS_BETWEEN_SEARCHES = 2000000, /* between searches for the interpreter's file */
        MAX_STOPS_BETWEEN = 1 << 16,   /* between attempts to read an invalid code object */
};

/* A thread of such a process. */
struct frames_thread {
        struct python_thread python;
        struct reader_ranges ranges;
};

/* A process while it runs one program. */
struct python_image {
        uint32_t number;
        uint32_t binary; /* 0 if not found yet */
        bool is_unsupported;
        uint64_t bias;
        uint64_t next_search_ns;
        uint32_t n_changes; /* stop_binaries_n_changes at the last search */
        uint64_t used;      /* the stop at which it was used last */
        struct python_runtime runtime;
        struct map threads; /* tid to struct frames_thread * */
        struct stop_codes codes;
};

struct stop_frames {
        struct stop_binaries *binaries;
        struct stop_frames_sink sink;
        struct python_image *images[MAX_IMAGES];
        size_t n_images;
        uint64_t n_stops;
        struct map codes_by_content; /* hash to code number */
        uint64_t n_codes;
        struct python_frame frames[PYTHON_MAX_FRAMES];
        struct python_frame *again; /* as many; NULL until a thread is read that runs */
        struct code_batch batch;
        struct stop_reader reader;
        size_t code_bytes;
        size_t read_bytes; /* of code objects at this stop */
        struct os_lock *lock;
        struct map to_forget; /* threads whose state has to be searched again; under the lock */
};

struct stop_frames *stop_frames_new(struct stop_binaries *binaries, const struct stop_frames_sink *sink)
{
        struct stop_frames *f = mem_new(1, sizeof(*f));

        f->binaries = binaries;
        f->sink = *sink;
        f->lock = os_lock_new();
        return f;
}

static void free_thread(void *ctx, uint64_t tid, uint64_t *thread)
{
        free((struct frames_thread *)(uintptr_t)*thread);
}

static void forget_threads(struct python_image *image)
{
        map_each(&image->threads, free_thread, NULL);
        map_release(&image->threads);
}

static void forget_image(struct python_image *image)
{
        forget_threads(image);
        stop_codes_release(&image->codes);
        python_runtime_release(&image->runtime);
}

static void free_image(struct python_image *image)
{
        forget_image(image);
        free(image);
}

void stop_frames_free(struct stop_frames *f)
{
        if (!f)
                return;
        for (size_t i = 0; i < f->n_images; i++)
                free_image(f->images[i]);
        map_release(&f->codes_by_content);
        map_release(&f->to_forget);
        code_batch_release(&f->batch);
        free(f->again);
        stop_reader_release(&f->reader);
        os_lock_free(f->lock);
        free(f);
}

/* --- images and threads --- */

static struct python_image *add_image(struct stop_frames *f, uint32_t number)
{
        struct python_image **slot = &f->images[0];

        if (f->n_images < MAX_IMAGES) {
                slot = &f->images[f->n_images++];
        } else {
                for (size_t i = 1; i < f->n_images; i++) {
                        if (f->images[i]->used < (*slot)->used)
                                slot = &f->images[i];
                }
                free_image(*slot);
        }
        *slot = mem_new(1, sizeof(**slot));
        (*slot)->number = number;
        return *slot;
}

static void find_interpreter(struct stop_frames *f, struct python_image *image,
                             const struct stop_thread *thread)
{
        uint32_t n_changes = stop_binaries_n_changes(f->binaries), before = image->binary;
        uint64_t bias = image->bias;

        if (image->n_changes == n_changes && (image->binary || thread->time_ns < image->next_search_ns))
                return;
        image->n_changes = n_changes;
        image->next_search_ns = thread->time_ns + NS_BETWEEN_SEARCHES;
        if (thread->memory) {
                image->binary = thread->binary;
                image->bias = thread->bias;
        } else {
                image->binary = stop_binaries_find(f->binaries, thread, &image->bias, &image->is_unsupported);
        }
        if (before && (image->binary != before || image->bias != bias))
                forget_image(image);
        if (image->binary && (image->binary != before || image->bias != bias))
                python_runtime_init(&image->runtime, stop_binaries_get(f->binaries, image->binary),
                                    image->bias);
}

static struct python_image *get_image(struct stop_frames *f, const struct stop_thread *thread)
{
        struct python_image *image = NULL;

        for (size_t i = 0; i < f->n_images && !image; i++) {
                if (f->images[i]->number == thread->image)
                        image = f->images[i];
        }
        if (!image)
                image = add_image(f, thread->image);
        image->used = ++f->n_stops;
        find_interpreter(f, image, thread);
        return image;
}

static bool is_to_forget(struct stop_frames *f, int32_t tid)
{
        bool is;

        os_lock_enter(f->lock);
        is = f->to_forget.n_used && map_remove(&f->to_forget, (uint64_t)(uint32_t)tid);
        os_lock_leave(f->lock);
        return is;
}

static struct frames_thread *get_thread(struct stop_frames *f, struct python_image *image,
                                        const struct stop_thread *stands)
{
        struct frames_thread *thread;
        uint64_t *slot;

        if (image->threads.n_used == MAX_THREADS_OF_IMAGE)
                forget_threads(image);
        slot = map_put(&image->threads, (uint64_t)(uint32_t)stands->tid, NULL);
        thread = (struct frames_thread *)(uintptr_t)*slot;
        if (thread && is_to_forget(f, stands->tid))
                python_thread_forget(&thread->python);
        /* A reused tid has another thread pointer; if it has the same one, that still finds its state. */
        if (!thread || thread->python.pointer != stands->tls) {
                free(thread);
                thread = mem_new(1, sizeof(*thread));
                thread->python.pointer = stands->tls;
                *slot = (uint64_t)(uintptr_t)thread;
        }
        thread->python.pc = stands->pc;
        thread->python.sp = stands->stack_addr;
        return thread;
}

/* The states were found when the memory was copied. */
static void take_states(const struct python_image *image, struct python_thread *thread,
                        const struct stop_thread *stands, struct python_memory *memory)
{
        thread->n_states = stands->n_states < PYTHON_MAX_STATES ? stands->n_states : PYTHON_MAX_STATES;
        memcpy(thread->states, stands->states, thread->n_states * sizeof(*thread->states));
        thread->n_interpreters = 1;
        thread->has_foreign = false; /* they were found by the thread alone */
        if (!python_memory_word(memory, image->runtime.addr + image->runtime.layout.runtime_interpreters,
                                &thread->newest))
                thread->newest = 0;
}

/* Finds the thread state by the thread pointer; if that fails, by the native id, which takes longer to
 * find. */
static void walk(struct python_image *image, struct python_thread *thread, const struct stop_thread *stands,
                 struct python_memory *memory, struct python_frame *frames, struct python_walked *ret_walked)
{
        if (stands->memory)
                take_states(image, thread, stands, memory);
        python_stack_walk(&image->runtime, thread, memory, frames, PYTHON_MAX_FRAMES, ret_walked);
        if (stands->memory || ret_walked->end != PYTHON_END_NO_THREAD || thread->native_id ||
            image->runtime.layout.thread_native_id == PYTHON_NO_FIELD)
                return;
        thread->native_id = stop_thread_native_id(stands);
        python_thread_forget(thread);
        python_stack_walk(&image->runtime, thread, memory, frames, PYTHON_MAX_FRAMES, ret_walked);
}

/* --- code objects --- */

static uint64_t hash_of(const struct python_code *code)
{
        uint64_t hash = map_hash_bytes(code->name, strlen(code->name));

        hash = map_mix(hash + map_hash_bytes(code->file, strlen(code->file)));
        hash = map_mix(hash + (uint32_t)code->first_line);
        return code->n_lines ? map_mix(hash + map_hash_bytes(code->lines, code->n_lines)) : hash;
}

/* Takes ownership of the contents of `code`. */
static uint64_t add_code(struct stop_frames *f, struct python_code *code)
{
        uint64_t hash = hash_of(code);
        const uint64_t *known = map_find(&f->codes_by_content, hash);
        size_t bytes = sizeof(*code) + strlen(code->name) + strlen(code->file) + code->n_lines;

        f->read_bytes += bytes;
        if (known || f->code_bytes + bytes > MAX_CODE_BYTES) {
                python_code_release(code);
                return known ? *known : 0;
        }
        if (!f->sink.add_code(f->sink.ctx, f->n_codes + 1, code))
                return 0;
        f->code_bytes += bytes;
        return *map_put(&f->codes_by_content, hash, NULL) = ++f->n_codes;
}

/* An invalid code object usually stays invalid. It is tried again less and less often, because another one
 * may be at this address later. */
static void read_later(const struct stop_frames *f, struct seen_code *seen)
{
        python_identity_release(&seen->identity);
        if (seen->n_stops_between < MAX_STOPS_BETWEEN)
                seen->n_stops_between = seen->n_stops_between ? 2 * seen->n_stops_between : 1;
        seen->retry = f->n_stops + 1 + seen->n_stops_between;
}

/* The number of the code object that is now at an address; 0 if it can't be read. */
static uint64_t code_at(struct stop_frames *f, struct python_image *image, struct python_memory *memory,
                        uint64_t addr)
{
        struct python_code code;
        struct seen_code *seen;

        if (image->codes.n_seen == MAX_CODES_OF_IMAGE)
                stop_codes_release(&image->codes);
        seen = stop_codes_get(&image->codes, addr);
        if (seen->checked == f->n_stops || f->n_stops < seen->retry)
                return seen->number;
        seen->number = 0;
        seen->retry = 0;
        if (f->read_bytes >= MAX_READ_BYTES)
                return 0;
        if (!python_code_read(&image->runtime, memory, addr, &code, NULL)) {
                read_later(f, seen);
                return 0;
        }
        stop_codes_keep(&image->codes, seen, &code.identity);
        seen->bytecode_bytes = code.bytecode_bytes;
        seen->checked = f->n_stops;
        seen->number = add_code(f, &code);
        if (seen->number)
                seen->n_stops_between = 0;
        else
                read_later(f, seen);
        return seen->number;
}

/* Where a code object has changed, a copy of its bytecode that was found before belongs to the one that is
 * gone. */
static void check_codes(struct stop_frames *f, struct python_image *image, struct python_thread *thread,
                        const struct stop_thread *stands, struct python_memory *memory,
                        struct python_walked *walked)
{
        if (!stop_codes_check(&image->codes, &f->batch, &f->reader, &image->runtime.layout, f->frames,
                              walked->n_frames, f->n_stops) &&
            python_runtime_forget_copies(&image->runtime))
                walk(image, thread, stands, memory, f->frames, walked);
}

static void number_codes(struct stop_frames *f, struct python_image *image, struct python_memory *memory,
                         size_t n)
{
        for (size_t i = 0; i < n; i++) {
                if (f->frames[i].kind == PYTHON_FRAME_CODE)
                        f->frames[i].code = code_at(f, image, memory, f->frames[i].code);
        }
}

/* --- a stop --- */

static struct python_memory memory_of(struct stop_frames *f, const struct stop_thread *thread)
{
        return (struct python_memory){.read = stop_reader_read,
                                      .ctx = &f->reader,
                                      .copy_start = thread->stack_addr,
                                      .copy = thread->stack,
                                      .copy_size = thread->stack_bytes};
}

static struct stop_python_stack stack_of(const struct python_image *image, const struct stop_thread *thread)
{
        return (struct stop_python_stack){.tid = thread->tid,
                                          .image = thread->image,
                                          .time_ns = thread->time_ns,
                                          .until_ns = thread->until_ns,
                                          .binary = image->binary,
                                          .bias = image->bias,
                                          .pc = thread->pc,
                                          .gil_holder = thread->gil_holder,
                                          .has_gil = thread->has_gil,
                                          .is_unsupported = image->is_unsupported,
                                          .end = PYTHON_END_NO_THREAD};
}

void stop_frames_see(void *ctx, const struct stop_thread *thread)
{
        struct stop_frames *f = ctx;
        struct python_image *image = get_image(f, thread);
        struct python_memory memory = memory_of(f, thread);
        struct stop_python_stack stack = stack_of(image, thread);
        struct python_walked walked;

        if (image->binary) {
                struct frames_thread *state = get_thread(f, image, thread);

                stop_reader_begin(&f->reader, thread, &state->ranges);
                walk(image, &state->python, thread, &memory, f->frames, &walked);
                f->read_bytes = 0;
                check_codes(f, image, &state->python, thread, &memory, &walked);
                stop_reader_end(&f->reader);
                stack.end = (uint16_t)walked.end;
                stack.n_frames = walked.n_frames;
                number_codes(f, image, &memory, walked.n_frames);
        }
        f->sink.add_stack(f->sink.ctx, &stack, f->frames);
}

/* --- a thread that runs --- */

struct running {
        struct python_image *image;
        struct frames_thread *state;
        const struct stop_thread *thread;
        struct python_memory memory;
        struct python_walked walked; /* of the first reading */
};

/* Leaves the reader open. */
static bool is_same_again(struct stop_frames *f, struct running *r)
{
        struct python_walked again;

        stop_reader_begin(&f->reader, r->thread, &r->state->ranges);
        walk(r->image, &r->state->python, r->thread, &r->memory, f->again, &again);
        return r->walked.end == again.end &&
               python_stack_agree(f->frames, r->walked.n_frames, f->again, again.n_frames);
}

/* What is read of a code object that was not known is only right if its frame is still there afterwards. */
static bool read_running(struct stop_frames *f, struct running *r)
{
        bool is_same;

        stop_reader_begin(&f->reader, r->thread, &r->state->ranges);
        walk(r->image, &r->state->python, r->thread, &r->memory, f->frames, &r->walked);
        stop_reader_end(&f->reader);
        is_same = is_same_again(f, r);
        f->read_bytes = 0;
        if (is_same)
                check_codes(f, r->image, &r->state->python, r->thread, &r->memory, &r->walked);
        stop_reader_end(&f->reader);
        for (size_t i = 0; is_same && i < r->walked.n_frames; i++) {
                if (f->frames[i].kind == PYTHON_FRAME_CODE)
                        code_at(f, r->image, &r->memory, f->frames[i].code);
        }
        if (is_same && f->read_bytes) {
                is_same = is_same_again(f, r);
                stop_reader_end(&f->reader);
        }
        return is_same;
}

/* Of the innermost function: its bytecode, or where this is elsewhere, its frame. */
static void set_anchor(const struct running *r, const struct python_frame *frames,
                       struct stop_python_stack *stack)
{
        const struct python_layout *layout = &r->image->runtime.layout;
        size_t i = 0;

        while (i < r->walked.n_frames && frames[i].kind != PYTHON_FRAME_CODE)
                i++;
        if (i == r->walked.n_frames)
                return;
        stack->anchor = frames[i].addr;
        stack->anchor_end = stack->anchor + 1;
        if (layout->code_instrs == PYTHON_NO_FIELD || layout->frame_copy != PYTHON_NO_FIELD)
                return;
        stack->anchor = frames[i].code + layout->code_instrs;
        stack->anchor_end =
                stack->anchor + stop_codes_get(&r->image->codes, frames[i].code)->bytecode_bytes + 1;
}

void stop_frames_see_running(struct stop_frames *f, const struct stop_thread *thread, bool is_late)
{
        struct python_image *image = get_image(f, thread);
        struct stop_python_stack stack = stack_of(image, thread);
        struct running running = {.image = image, .thread = thread, .memory = memory_of(f, thread)};

        if (!f->again)
                f->again = mem_new(PYTHON_MAX_FRAMES, sizeof(*f->again));
        stack.running = STOP_CHANGED;
        if (image->binary) {
                running.state = get_thread(f, image, thread);
                if (read_running(f, &running)) {
                        stack.running = (uint8_t)(is_late ? STOP_LATE : STOP_READ_RUNNING);
                        stack.end = (uint16_t)running.walked.end;
                        stack.n_frames = running.walked.n_frames;
                        set_anchor(&running, f->frames, &stack);
                        number_codes(f, image, &running.memory, stack.n_frames);
                }
        }
        stack.until_ns = os_monotonic_ns();
        f->sink.add_stack(f->sink.ctx, &stack, f->frames);
}

void stop_frames_end(void *ctx, uint32_t number)
{
        struct stop_frames *f = ctx;

        for (size_t i = 0; i < f->n_images; i++) {
                if (f->images[i]->number != number)
                        continue;
                free_image(f->images[i]);
                f->images[i] = f->images[--f->n_images];
                return;
        }
}

void stop_frames_forget(struct stop_frames *f, int32_t tid)
{
        os_lock_enter(f->lock);
        map_put(&f->to_forget, (uint64_t)(uint32_t)tid, NULL);
        os_lock_leave(f->lock);
}
