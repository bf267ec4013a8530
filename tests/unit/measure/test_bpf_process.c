/* SPDX-License-Identifier: BSD-3-Clause */
#include "bpf_process.h"

#include <stdlib.h>

#include "mem.h"
#include "tap.h"

enum { MIB = 1 << 20 };

struct told {
        int32_t forgotten;
        uint32_t ended;
        unsigned n_forgotten, n_ended;
};

static void see_forgotten(void *ctx, int32_t pid)
{
        struct told *told = ctx;

        told->forgotten = pid;
        told->n_forgotten++;
}

static void see_end(void *ctx, uint32_t image)
{
        struct told *told = ctx;

        told->ended = image;
        told->n_ended++;
}

static uint32_t image_of(struct bpf_processes *ps, int32_t pid, uint64_t born_ns)
{
        const struct bpf_process *p = bpf_processes_get(ps, pid, born_ns);

        return p ? bpf_process_image(p) : 0;
}

TEST(processes_and_their_numbers)
{
        struct told told = {0};
        AUTO(bpf_processes) ps = bpf_processes_new(see_forgotten, see_end, &told);

        EXPECT_INT(image_of(ps, 5, 100), 1);
        EXPECT_INT(image_of(ps, 6, 100), 2);
        EXPECT_INT(image_of(ps, 5, 100), 1);
        EXPECT_INT(image_of(ps, 5, 200), 3); /* it executes another program */
        EXPECT_TRUE(told.ended == 1 && told.n_ended == 1);
        EXPECT_INT(image_of(ps, 5, 100), 0); /* a late message */
        EXPECT_INT(image_of(ps, 5, 200), 3);
        bpf_processes_end(ps, 5, 150); /* the end of the first program */
        EXPECT_INT(image_of(ps, 5, 200), 3);
        bpf_processes_end(ps, 5, 300);
        EXPECT_TRUE(told.ended == 3 && told.n_ended == 2);
        EXPECT_INT(image_of(ps, 5, 400), 4);
        EXPECT_INT(told.n_forgotten, 0);
}

static void keep(struct bpf_processes *ps, int32_t pid, uint64_t addr, struct cursor pieces)
{
        bpf_processes_keep(ps, bpf_processes_get(ps, pid, 1), addr, 9, 0, pieces);
}

static bool has(struct bpf_processes *ps, int32_t pid, uint64_t addr)
{
        struct cursor code = bpf_process_code(bpf_processes_get(ps, pid, 1), addr, 9, 0);

        return cursor_left(&code) == MIB;
}

/* A process that has more than 32 MB of code loses its own, and begins again. */
TEST(one_with_much_code)
{
        struct told told = {0};
        AUTO(bpf_processes) ps = bpf_processes_new(see_forgotten, see_end, &told);
        void *code = mem_new(MIB, 1);

        keep(ps, 5, 0, cursor_make(code, MIB));
        for (uint64_t i = 0; i < 32; i++)
                keep(ps, 6, i, cursor_make(code, MIB));
        EXPECT_TRUE(has(ps, 6, 0) && !told.n_forgotten);
        keep(ps, 6, 31, cursor_make(code, MIB)); /* known */
        EXPECT_INT(told.n_forgotten, 0);
        keep(ps, 6, 32, cursor_make(code, MIB));
        EXPECT_TRUE(told.forgotten == 6 && told.n_forgotten == 1);
        EXPECT_TRUE(has(ps, 5, 0));
        EXPECT_TRUE(!has(ps, 6, 0));
        free(code);
}

/* Beyond 256 MB, the process that was not seen for the longest time is forgotten. */
TEST(many_with_much_code)
{
        enum { N = 16, EACH = 16 };
        struct told told = {0};
        AUTO(bpf_processes) ps = bpf_processes_new(see_forgotten, see_end, &told);
        void *code = mem_new(MIB, 1);

        for (int32_t pid = 1; pid <= N; pid++) {
                for (uint64_t i = 0; i < EACH; i++)
                        keep(ps, pid, i, cursor_make(code, MIB));
        }
        EXPECT_TRUE(has(ps, 1, 0) && !told.n_forgotten);
        keep(ps, 3, EACH, cursor_make(code, MIB));
        EXPECT_TRUE(told.forgotten == 2 && told.n_forgotten == 1);
        EXPECT_TRUE(has(ps, 1, 0) && has(ps, 3, EACH));
        free(code);
}

TAP_MAIN
