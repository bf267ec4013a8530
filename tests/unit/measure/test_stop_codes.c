/* SPDX-License-Identifier: BSD-3-Clause */
/* Code objects in pages of this process, which change or go. */
#include "stop_codes.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"

enum {
        PAGE = 4096,
        N_CODES = 300,
        NAME_BYTES = 40,
        REFERENCE_COUNT_OFF = 0,
        CODE_NAME_OFF = 16,
        CODE_STRIDE = 2 * PAGE, /* a code object, and its name in the next page */
        NAME_OFF = PAGE + 100,
};

static const struct python_layout layout = {
        .object_type = 8,
        .code_name = CODE_NAME_OFF,
        .code_file = 24,
        .code_lines = 32,
        .code_first_line = 40,
        .code_version = PYTHON_NO_FIELD,
        .code_mutable = PYTHON_NO_FIELD,
};

static struct stop_codes codes;
static struct code_batch batch;
static struct stop_reader reader;
static struct reader_ranges ranges;
static struct python_frame frames[2 * N_CODES];
static uint64_t stop;

/* Code objects in the even pages, their names in the odd ones. */
static uint8_t *make_codes(size_t n)
{
        uint8_t *memory =
                mmap(NULL, CODE_STRIDE * n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        for (size_t i = 0; i < n; i++) {
                uint8_t *code = memory + CODE_STRIDE * i, *name = code + NAME_OFF;
                struct python_identity identity;

                python_identity_begin(&identity, &layout, (uint64_t)(uintptr_t)code, code);
                python_identity_add(&identity, (uint64_t)(uintptr_t)name, name, NAME_BYTES);
                stop_codes_keep(&codes, stop_codes_get(&codes, (uint64_t)(uintptr_t)code), &identity);
                for (size_t frame = i; frame < 2 * n; frame += n)
                        frames[frame] = (struct python_frame){.code = (uint64_t)(uintptr_t)code};
        }
        return memory;
}

static bool check_all(size_t n_frames)
{
        const struct stop_thread thread = {.pid = getpid(), .tid = gettid()};
        bool are_same;

        stop_reader_begin(&reader, &thread, &ranges);
        are_same = stop_codes_check(&codes, &batch, &reader, &layout, frames, n_frames, ++stop);
        stop_reader_end(&reader);
        return are_same;
}

static size_t n_checked(void)
{
        size_t n = 0;

        for (size_t i = 0; i < codes.n_seen; i++)
                n += codes.seen[i].checked == stop;
        return n;
}

/* Not under qemu-user. */
static bool reads_processes(void)
{
        const struct stop_thread thread = {.pid = getpid(), .tid = gettid()};
        uint64_t word;

        return stop_thread_read(&thread, (uint64_t)(uintptr_t)&layout, &word, sizeof(word)) == sizeof(word);
}

static void finish(uint8_t *memory)
{
        munmap(memory, CODE_STRIDE * N_CODES);
        stop_codes_release(&codes);
        code_batch_release(&batch);
        batch = (struct code_batch){0};
        stop_reader_release(&reader);
        ranges = (struct reader_ranges){0};
}

TEST(only_what_has_changed_is_read_again)
{
        uint8_t *memory;

        if (!reads_processes())
                SKIP("process_vm_readv");
        memory = make_codes(N_CODES);

        EXPECT_TRUE(check_all(2 * N_CODES));
        EXPECT_INT(n_checked(), N_CODES);
        memory[REFERENCE_COUNT_OFF] = 1;
        EXPECT_TRUE(check_all(2 * N_CODES));
        memory[NAME_OFF] = 'b';
        memory[CODE_STRIDE * (N_CODES - 1) + NAME_OFF + NAME_BYTES - 1] = 'b'; /* the end of the last one */
        EXPECT_TRUE(!check_all(2 * N_CODES));
        EXPECT_INT(n_checked(), N_CODES - 2);
        EXPECT_INT(stop_codes_get(&codes, frames[0].code)->checked, 0);
        EXPECT_INT(stop_codes_get(&codes, frames[N_CODES - 1].code)->checked, 0);
        memory[CODE_NAME_OFF] = 1;
        memory[NAME_OFF] = 0;
        EXPECT_TRUE(!check_all(1));
        finish(memory);
}

/* A code object that is not on the stack is not read. */
TEST(only_what_is_on_the_stack_is_checked)
{
        uint8_t *memory;

        if (!reads_processes())
                SKIP("process_vm_readv");
        memory = make_codes(N_CODES);

        memory[CODE_STRIDE + CODE_NAME_OFF] = 1; /* the second one */
        EXPECT_TRUE(check_all(1));
        EXPECT_INT(n_checked(), 1);
        EXPECT_TRUE(!check_all(2));
        finish(memory);
}

TEST(memory_that_is_gone)
{
        uint8_t *memory;

        if (!reads_processes())
                SKIP("process_vm_readv");
        memory = make_codes(N_CODES);

        munmap(memory + CODE_STRIDE * (N_CODES / 2) + PAGE, PAGE);
        EXPECT_TRUE(!check_all(2 * N_CODES));
        EXPECT_INT(codes.n_seen, 0);
        EXPECT_TRUE(check_all(2 * N_CODES));
        finish(memory);
}

TAP_MAIN
