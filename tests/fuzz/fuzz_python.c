/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a process to Python frames, code objects, lines and a chain with native frames.  Input: u8 kind
 * and u8 flags, both as in python_small.h; the memory from IMAGE_BASE on, where _PyRuntime is; 16 bytes
 * from which native frames are made. */
#include <stdlib.h>

#include "cursor.h"
#include "python_image.h"
#include "python_pair.h"
#include "python_small.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FRAMES = 512, MAX_READS = 100000, MAX_INPUT_BYTES = 1 << 16, MAX_LINES_BYTES = 256 };

struct memory {
        const uint8_t *bytes;
        size_t size;
};

static bool read_memory(void *ctx, uint64_t addr, void *ret_bytes, size_t size)
{
        const struct memory *memory = ctx;
        uint64_t off = addr - IMAGE_BASE;

        if (addr < IMAGE_BASE || off > memory->size || size > memory->size - off)
                return false;
        memcpy(ret_bytes, memory->bytes + off, size);
        return true;
}

/* A code object with another byte in any of its pieces is recognised as different. */
static void expect_same(const struct python_runtime *runtime, struct python_memory *memory,
                        struct python_code *code)
{
        struct python_identity *identity = &code->identity;

        if (!python_code_is_same(runtime, memory, code) || !identity->n_pieces)
                abort();
        for (size_t i = 0; i < identity->n_pieces; i++) {
                uint8_t *first = identity->bytes + identity->pieces[i].at;

                *first ^= 1;
                if (python_code_is_same(runtime, memory, code))
                        abort();
                *first ^= 1;
        }
        identity->pieces[0].addr = 0;
        if (python_code_is_same(runtime, memory, code))
                abort();
}

static void try_code(struct python_runtime *runtime, struct python_memory *memory,
                     const struct python_frame *frame)
{
        struct python_code code;
        struct err err = {0};

        if (!python_code_read(runtime, memory, frame->code, &code, &err)) {
                if (!err.code || !err.text[0])
                        abort();
                return;
        }
        if (strlen(code.name) > 4 * PYTHON_MAX_NAME_CHARS || strlen(code.file) > 4 * PYTHON_MAX_NAME_CHARS ||
            python_code_line(&code, frame->instr_bytes) < 0)
                abort();
        expect_same(runtime, memory, &code);
        python_code_release(&code);
}

/* Native frames around the shims, or elsewhere. */
static void make_natives(const struct python_frame *frames, size_t n_frames, const uint8_t *tail,
                         struct unwind_frame *natives, uint8_t *kinds)
{
        uint64_t sp = 0;
        size_t at = 0;

        for (size_t i = 0; i < SMALL_TAIL_BYTES; i++) {
                while (at < n_frames && frames[at].kind != PYTHON_FRAME_SHIM)
                        at++;
                if (tail[i] & 4 && at < n_frames)
                        sp = frames[at++].addr - (tail[i] >> 3);
                else
                        sp += (tail[i] >> 3) * 16;
                kinds[i] = tail[i] & 3;
                natives[i] = (struct unwind_frame){.sp = sp};
        }
}

/* Indexes of each list increase, and are inside it. */
static void check_links(const struct python_stacks *stacks, const struct python_link *links, size_t n)
{
        size_t next[2] = {0, 0};

        for (size_t i = 0; i < n; i++) {
                if (links[i].index < next[links[i].is_python] ||
                    links[i].index >= (links[i].is_python ? stacks->n_frames : stacks->n_natives))
                        abort();
                next[links[i].is_python] = links[i].index + 1;
        }
}

static void try_pair(const struct python_runtime *runtime, bool is_native_whole,
                     const struct python_frame *frames, const struct python_walked *walked,
                     const uint8_t *tail)
{
        struct unwind_frame natives[SMALL_TAIL_BYTES];
        uint8_t kinds[SMALL_TAIL_BYTES];
        struct python_link links[MAX_FRAMES + SMALL_TAIL_BYTES];
        struct python_stacks stacks = {.natives = natives,
                                       .kinds = kinds,
                                       .n_natives = tail[0] % (SMALL_TAIL_BYTES + 1),
                                       .is_native_whole = is_native_whole,
                                       .frames = frames,
                                       .n_frames = walked->n_frames,
                                       .python_end = walked->end,
                                       .has_shims = python_stack_has_shims(&runtime->layout)};
        size_t n, n_code = 0, n_linked = 0, max_links = MAX_FRAMES + SMALL_TAIL_BYTES;
        enum python_pair_end end;

        if (tail[SMALL_TAIL_BYTES - 1] & SMALL_LINKS)
                max_links = tail[SMALL_TAIL_BYTES - 1] & ~SMALL_LINKS;
        make_natives(frames, walked->n_frames, tail, natives, kinds);
        end = python_pair(&stacks, links, max_links, &n, &(size_t){0});
        if (end >= PYTHON_N_PAIR_ENDS || !strcmp(python_pair_end_text(end), "?") ||
            strcmp(python_pair_end_text(PYTHON_N_PAIR_ENDS), "?") != 0 || n > max_links)
                abort();
        if (end == PYTHON_PAIR_MERGED) {
                for (size_t i = 0; i < walked->n_frames; i++)
                        n_code += frames[i].kind == PYTHON_FRAME_CODE;
                for (size_t i = 0; i < n; i++)
                        n_linked += links[i].is_python;
                if (n_code != n_linked)
                        abort();
        } else if (n != (stacks.n_natives < max_links ? stacks.n_natives : max_links)) {
                abort();
        }
        check_links(&stacks, links, n);
}

/* The same thread twice: the results of the first walk may not be valid any more. */
static void walk(struct python_runtime *runtime, uint8_t flags, struct python_thread *thread,
                 struct python_memory *memory, struct python_frame *frames, struct python_walked *ret_walked)
{
        struct memory *bytes = memory->ctx;

        for (int i = 0; i < 2; i++) {
                python_stack_walk(runtime, thread, memory, frames,
                                  flags & SMALL_FEW ? SMALL_FRAMES : MAX_FRAMES, ret_walked);
                if (ret_walked->n_frames > MAX_FRAMES || ret_walked->end >= PYTHON_N_ENDS ||
                    !strcmp(python_end_text(ret_walked->end), "?") ||
                    strcmp(python_end_text(PYTHON_N_ENDS), "?") != 0 || ret_walked->n_reads > MAX_READS ||
                    thread->n_states > PYTHON_MAX_STATES)
                        abort();
                if (flags & SMALL_CUT && bytes->size > SMALL_CUT_BYTES)
                        bytes->size = SMALL_CUT_BYTES;
                if (flags & SMALL_MOVED && bytes->size > SMALL_MOVED_BYTES) {
                        bytes->bytes += SMALL_MOVED_BYTES;
                        bytes->size -= SMALL_MOVED_BYTES;
                }
        }
}

static void try_memory(struct python_runtime *runtime, uint8_t flags, const uint8_t *data, size_t size)
{
        struct memory bytes = {data, size - SMALL_TAIL_BYTES};
        struct python_memory memory = {.read = read_memory, .ctx = &bytes};
        struct python_thread thread = {.pointer = IMAGE_POINTER,
                                       .native_id = flags & SMALL_CUT ? 0 : SMALL_NATIVE_ID};
        struct python_frame frames[MAX_FRAMES];
        struct python_walked walked;

        if (flags & SMALL_COPIED) {
                memory.copy = data;
                memory.copy_start = IMAGE_BASE;
                memory.copy_size = bytes.size < SMALL_COPY_BYTES ? bytes.size : SMALL_COPY_BYTES;
        }
        if (flags & (SMALL_STARTS | SMALL_RUNS)) {
                thread.pc = runtime->eval + (flags & SMALL_STARTS ? 16 : 4096);
                thread.sp = SMALL_THREAD_SP;
        }
        walk(runtime, flags, &thread, &memory, frames, &walked);
        for (size_t i = 0; i < walked.n_frames; i++) {
                if (frames[i].instr_bytes < -1 && frames[i].instr_bytes != PYTHON_INSTR_UNKNOWN)
                        abort();
                if (frames[i].kind == PYTHON_FRAME_CODE && i < 32)
                        try_code(runtime, &memory, &frames[i]);
        }
        try_pair(runtime, flags & SMALL_WHOLE, frames, &walked, data + size - SMALL_TAIL_BYTES);
}

static void try_lines(const uint8_t *data, size_t size)
{
        for (int format = PYTHON_TABLE_LNOTAB; format <= PYTHON_TABLE_LOCATIONS; format++)
                for (int32_t instr = -2; instr < 512; instr++)
                        if (python_lines_find((enum python_table)format, data, size, instr, instr) < 0)
                                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct python_binary binary;
        struct python_runtime runtime;

        if (size < 2 + SMALL_TAIL_BYTES || size > MAX_INPUT_BYTES)
                return 0;
        if (data[0] == SMALL_LINES) {
                try_lines(data + 2, size - 2 < MAX_LINES_BYTES ? size - 2 : MAX_LINES_BYTES);
                return 0;
        }
        if (!small_binary(data, size, &binary))
                return 0;
        python_runtime_init(&runtime, &binary, SMALL_BIAS);
        try_memory(&runtime, data[1], data + 2, size - 2);
        python_runtime_release(&runtime);
        return 0;
}
