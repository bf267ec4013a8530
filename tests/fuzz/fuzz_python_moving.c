/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a Python process while it runs: its memory changes between two reads.  Nothing that is read needs
 * to be true, but all results are inside their bounds, and every walk ends.  Input: python_moving.h. */
#include <stdlib.h>
#include <string.h>

#include "python_image.h"
#include "python_moving.h"
#include "python_pair.h"
#include "python_small.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FRAMES = 512, MAX_READS = 100000, MAX_MEMORY_BYTES = 1 << 16, N_WALKS = 3, MAX_CODES = 32 };

struct memory {
        uint8_t bytes[MAX_MEMORY_BYTES];
        size_t size;
        struct cursor changes;
        uint64_t n_reads, next_change; /* number of reads before the next change */
        size_t turning;                /* offset of a word that changes at each read; 0: none */
        uint64_t other;                /* its value after the next one */
};

static void must(bool is_so)
{
        if (!is_so)
                abort();
}

static void change(struct memory *memory, uint8_t kind, size_t off, uint32_t value)
{
        uint64_t word = value;

        if (off > memory->size || memory->size - off < sizeof(word))
                return;
        switch (kind % MOVING_N_KINDS) {
        case MOVING_POINTER: word += IMAGE_BASE; /* fall through */
        case MOVING_WORD: memcpy(memory->bytes + off, &word, sizeof(word)); break;
        case MOVING_INT: memcpy(memory->bytes + off, &value, sizeof(value)); break;
        case MOVING_END: memory->size = off; break;
        case MOVING_TURNS:
                memory->turning = off;
                memory->other = value;
                break;
        default: break;
        }
}

static void turn(struct memory *memory)
{
        uint64_t word;

        if (!memory->turning || memory->turning + sizeof(word) > memory->size)
                return;
        memcpy(&word, memory->bytes + memory->turning, sizeof(word));
        memcpy(memory->bytes + memory->turning, &memory->other, sizeof(word));
        memory->other = word;
}

/* Makes the changes whose time has come. */
static void move(struct memory *memory)
{
        while (cursor_left(&memory->changes) && memory->n_reads >= memory->next_change) {
                uint8_t kind;
                uint16_t word;

                cursor_skip(&memory->changes, 1);
                kind = cursor_u8(&memory->changes);
                word = cursor_u16(&memory->changes);
                change(memory, kind, (size_t)word * sizeof(uint64_t), cursor_u32(&memory->changes));
                if (cursor_left(&memory->changes))
                        memory->next_change = memory->n_reads + *memory->changes.at;
        }
        turn(memory);
        memory->n_reads++;
}

static bool read_memory(void *ctx, uint64_t addr, void *ret_bytes, size_t size)
{
        struct memory *memory = ctx;
        uint64_t off = addr - IMAGE_BASE;

        move(memory);
        if (addr < IMAGE_BASE || off > memory->size || size > memory->size - off)
                return false;
        memcpy(ret_bytes, memory->bytes + off, size);
        return true;
}

static void try_code(const struct python_runtime *runtime, struct python_memory *memory,
                     const struct python_frame *frame)
{
        struct python_code code;
        struct err err = {0};

        if (!python_code_read(runtime, memory, frame->code, &code, &err)) {
                must(err.code && err.text[0]);
                return;
        }
        must(strlen(code.name) <= 4 * PYTHON_MAX_NAME_CHARS &&
             strlen(code.file) <= 4 * PYTHON_MAX_NAME_CHARS);
        must(python_code_line(&code, frame->instr_bytes) >= 0);
        python_code_is_same(runtime, memory, &code);
        python_code_release(&code);
}

/* One native frame for each Python frame. */
static void try_pair(const struct python_runtime *runtime, const struct python_frame *frames,
                     const struct python_walked *walked)
{
        struct unwind_frame natives[MAX_FRAMES] = {{0}};
        uint8_t kinds[MAX_FRAMES];
        struct python_link links[2 * MAX_FRAMES];
        struct python_stacks stacks = {.natives = natives,
                                       .kinds = kinds,
                                       .n_natives = walked->n_frames,
                                       .is_native_whole = true,
                                       .frames = frames,
                                       .n_frames = walked->n_frames,
                                       .python_end = walked->end,
                                       .has_shims = python_stack_has_shims(&runtime->layout)};
        size_t n = 0;

        for (size_t i = 0; i < walked->n_frames; i++) {
                natives[i].sp = frames[i].addr - 8;
                kinds[i] = PYTHON_NATIVE_EVAL;
        }
        must(python_pair(&stacks, links, 2 * MAX_FRAMES, &n, &(size_t){0}) < PYTHON_N_PAIR_ENDS);
        for (size_t i = 0; i < n; i++)
                must(links[i].index < walked->n_frames);
}

static void walk(struct python_runtime *runtime, struct python_thread *thread, struct python_memory *memory,
                 size_t max_frames)
{
        static struct python_frame frames[MAX_FRAMES];
        struct python_walked walked;
        size_t n_codes = 0;

        python_stack_walk(runtime, thread, memory, frames, max_frames, &walked);
        must(walked.n_frames <= max_frames && walked.end < PYTHON_N_ENDS && walked.n_reads <= MAX_READS);
        must(thread->n_states <= PYTHON_MAX_STATES);
        for (size_t i = 0; i < walked.n_frames; i++) {
                must(frames[i].instr_bytes >= -1 || frames[i].instr_bytes == PYTHON_INSTR_UNKNOWN);
                if (frames[i].kind == PYTHON_FRAME_CODE && n_codes++ < MAX_CODES)
                        try_code(runtime, memory, &frames[i]);
        }
        try_pair(runtime, frames, &walked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        static struct memory bytes;
        struct python_memory memory = {.read = read_memory, .ctx = &bytes};
        struct python_thread thread = {.pointer = IMAGE_POINTER, .native_id = SMALL_NATIVE_ID};
        struct python_binary binary;
        struct python_runtime runtime;

        if (size < 2 + MOVING_BYTES || size - 2 - MOVING_BYTES > MAX_MEMORY_BYTES ||
            !small_binary(data, size, &binary))
                return 0;
        bytes.size = size - 2 - MOVING_BYTES;
        memcpy(bytes.bytes, data + 2, bytes.size);
        bytes.changes = cursor_make(data + size - MOVING_BYTES, MOVING_BYTES);
        bytes.next_change = *bytes.changes.at;
        bytes.n_reads = 0;
        bytes.turning = 0;
        if (data[1] & (SMALL_STARTS | SMALL_RUNS)) {
                thread.pc = binary.eval + SMALL_BIAS + (data[1] & SMALL_STARTS ? 16 : 4096);
                thread.sp = SMALL_THREAD_SP;
        }
        python_runtime_init(&runtime, &binary, SMALL_BIAS);
        for (unsigned i = 0; i < N_WALKS; i++)
                walk(&runtime, &thread, &memory, data[1] & SMALL_FEW ? SMALL_FRAMES : MAX_FRAMES);
        python_runtime_release(&runtime);
        return 0;
}
