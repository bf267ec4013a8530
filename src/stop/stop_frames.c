/* SPDX-License-Identifier: BSD-3-Clause */
/* While a thread is stopped, its frames are read, and code objects that are new or have changed. */
#include "stop_frames.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "mem.h"
#include "os.h"
#include "stop_thread.h"

enum {
        MAX_IMAGES = 128, /* processes whose state is kept; the state of others is searched again */
        MAX_THREADS_OF_IMAGE = 4096,
        MAX_CODES_OF_IMAGE = 1 << 14,
        MAX_CODE_BYTES = 64 << 20,     /* of the different code objects of a recording */
        MAX_READ_BYTES = 8 << 20,      /* of code objects at one stop; the others are read at later stops */
        NS_BETWEEN_SEARCHES = 2000000, /* between searches for the interpreter's file */
        MAX_STOPS_BETWEEN = 1 << 16,   /* between attempts to read an invalid code object */
};

/* A code object of a process. */
struct seen_code {
        struct python_code where; /* without texts and lines: used to check whether it is unchanged */
        uint64_t number;          /* number of its content, from 1; 0 if it can't be read */
        uint64_t checked;         /* the stop at which it was checked last */
        uint64_t retry;           /* after a failure, do not try again before this stop */
        uint32_t n_stops_between; /* stops between two attempts */
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
        struct map threads; /* tid to struct python_thread * */
        struct map codes;   /* address to index in `seen` + 1 */
        struct seen_code *seen;
        size_t n_codes, cap_codes;
};

/* Known code objects to check for changes: one system call reads them all. */
struct code_batch {
        struct seen_code *seen[STOP_MAX_PIECES];
        struct stop_piece pieces[STOP_MAX_PIECES];
        uint8_t bytes[STOP_MAX_PIECES][PYTHON_MAX_CODE_BYTES];
        size_t n;
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
        struct code_batch batch;
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
        free((struct python_thread *)(uintptr_t)*thread);
}

static void forget_codes(struct python_image *image)
{
        map_release(&image->codes);
        free(image->seen);
        image->seen = NULL;
        image->n_codes = image->cap_codes = 0;
}

static void forget_threads(struct python_image *image)
{
        map_each(&image->threads, free_thread, NULL);
        map_release(&image->threads);
}

static void forget_image(struct python_image *image)
{
        forget_threads(image);
        forget_codes(image);
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
        image->binary = stop_binaries_find(f->binaries, thread, &image->bias, &image->is_unsupported);
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

static struct python_thread *get_thread(struct stop_frames *f, struct python_image *image,
                                        const struct stop_thread *stands)
{
        struct python_thread *thread;
        uint64_t *slot;

        if (image->threads.n_used == MAX_THREADS_OF_IMAGE)
                forget_threads(image);
        slot = map_put(&image->threads, (uint64_t)(uint32_t)stands->tid, NULL);
        thread = (struct python_thread *)(uintptr_t)*slot;
        if (thread && is_to_forget(f, stands->tid))
                python_thread_forget(thread);
        /* A reused tid has another thread pointer; if it has the same one, that still finds its state. */
        if (!thread || thread->pointer != stands->tls) {
                free(thread);
                thread = mem_new(1, sizeof(*thread));
                thread->pointer = stands->tls;
                *slot = (uint64_t)(uintptr_t)thread;
        }
        thread->pc = stands->pc;
        thread->sp = stands->stack_addr;
        return thread;
}

/* Finds the thread state by the thread pointer; if that fails, by the native id, which takes longer to find. */
static void walk(struct stop_frames *f, struct python_image *image, struct python_thread *thread,
                 const struct stop_thread *stands, struct python_memory *memory,
                 struct python_walked *ret_walked)
{
        python_stack_walk(&image->runtime, thread, memory, f->frames, PYTHON_MAX_FRAMES, ret_walked);
        if (ret_walked->end != PYTHON_END_NO_THREAD || thread->native_id ||
            image->runtime.layout.thread_native_id == PYTHON_NO_FIELD)
                return;
        thread->native_id = stop_thread_native_id(stands);
        python_thread_forget(thread);
        python_stack_walk(&image->runtime, thread, memory, f->frames, PYTHON_MAX_FRAMES, ret_walked);
}

static bool read_memory(void *ctx, uint64_t addr, void *ret_bytes, size_t size)
{
        return stop_thread_read(ctx, addr, ret_bytes, size) == size;
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
static void wait_to_read(const struct stop_frames *f, struct seen_code *seen)
{
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
        uint64_t *known;

        if (image->n_codes == MAX_CODES_OF_IMAGE)
                forget_codes(image);
        known = map_put(&image->codes, addr, NULL);
        if (*known) {
                seen = &image->seen[*known - 1];
                if (seen->checked == f->n_stops || f->n_stops < seen->retry)
                        return seen->number;
        } else {
                ARRAY_PUSH(image->seen, image->n_codes, image->cap_codes, (struct seen_code){0});
                *known = image->n_codes;
                seen = &image->seen[image->n_codes - 1];
        }
        *seen = (struct seen_code){.where = {.addr = addr}, .n_stops_between = seen->n_stops_between};
        if (f->read_bytes >= MAX_READ_BYTES)
                return 0;
        if (!python_code_read(&image->runtime, memory, addr, &code, NULL)) {
                wait_to_read(f, seen);
                return 0;
        }
        seen->where = code;
        seen->where.name = seen->where.file = NULL;
        seen->where.lines = NULL;
        seen->n_stops_between = 0;
        seen->checked = f->n_stops;
        return seen->number = add_code(f, &code);
}

static void check_batch(const struct python_image *image, const struct stop_thread *thread,
                        struct code_batch *batch)
{
        size_t n_read = stop_thread_read_pieces(thread, batch->pieces, batch->n);

        for (size_t i = 0; i < n_read; i++) {
                struct python_memory memory = {.copy_start = batch->pieces[i].addr,
                                               .copy = batch->bytes[i],
                                               .copy_size = batch->pieces[i].size};

                if (!python_code_is_same(&image->runtime, &memory, &batch->seen[i]->where))
                        batch->seen[i]->checked = 0;
        }
        for (size_t i = n_read; i < batch->n; i++)
                batch->seen[i]->checked = 0;
        batch->n = 0;
}

static void check_codes(struct stop_frames *f, struct python_image *image, const struct stop_thread *thread,
                        size_t n_frames)
{
        struct code_batch *batch = &f->batch;

        for (size_t i = 0; i < n_frames; i++) {
                const uint64_t *known = f->frames[i].kind == PYTHON_FRAME_CODE
                                                ? map_find(&image->codes, f->frames[i].code)
                                                : NULL;
                struct seen_code *seen = known ? &image->seen[*known - 1] : NULL;

                if (!seen || seen->checked == f->n_stops || f->n_stops < seen->retry)
                        continue;
                seen->checked = f->n_stops; /* reset if the code has changed */
                batch->seen[batch->n] = seen;
                batch->pieces[batch->n] = (struct stop_piece){seen->where.addr, batch->bytes[batch->n],
                                                              image->runtime.layout.code_bytes};
                if (++batch->n == STOP_MAX_PIECES)
                        check_batch(image, thread, batch);
        }
        if (batch->n)
                check_batch(image, thread, batch);
}

/* --- a stop --- */

void stop_frames_see(void *ctx, const struct stop_thread *thread)
{
        struct stop_frames *f = ctx;
        struct python_image *image = get_image(f, thread);
        struct python_memory memory = {.read = read_memory,
                                       .ctx = (void *)thread,
                                       .copy_start = thread->stack_addr,
                                       .copy = thread->stack,
                                       .copy_size = thread->stack_bytes};
        struct stop_python_stack stack = {.tid = thread->tid,
                                          .image = thread->image,
                                          .time_ns = thread->time_ns,
                                          .binary = image->binary,
                                          .bias = image->bias,
                                          .is_unsupported = image->is_unsupported,
                                          .end = PYTHON_END_NO_THREAD};
        struct python_walked walked;

        if (image->binary) {
                walk(f, image, get_thread(f, image, thread), thread, &memory, &walked);
                stack.end = (uint16_t)walked.end;
                stack.n_frames = walked.n_frames;
                f->read_bytes = 0;
                check_codes(f, image, thread, walked.n_frames);
                for (size_t i = 0; i < walked.n_frames; i++) {
                        if (f->frames[i].kind == PYTHON_FRAME_CODE)
                                f->frames[i].code = code_at(f, image, &memory, f->frames[i].code);
                }
        }
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
