/* SPDX-License-Identifier: BSD-3-Clause */
#include "hardware_loops.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "os.h"

enum {
        LINE_BYTES = 64,
        STEPS = 4096, /* between two looks at the clock */
        MEMORY_PARTS = 4,
};

#define LOOP_NS UINT64_C(500000000)

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

static const struct hardware_loop loops[] = {
        {"chase 32 KiB", HARDWARE_CHASE, 32 * KIB},       {"chase 128 KiB", HARDWARE_CHASE, 128 * KIB},
        {"chase 512 KiB", HARDWARE_CHASE, 512 * KIB},     {"chase 2 MiB", HARDWARE_CHASE, 2 * MIB},
        {"chase 8 MiB", HARDWARE_CHASE, 8 * MIB},         {"chase 32 MiB", HARDWARE_CHASE, 32 * MIB},
        {"chase 128 MiB", HARDWARE_CHASE, 128 * MIB},     {"chase 512 MiB", HARDWARE_CHASE, 512 * MIB},
        {"stores 64 MiB", HARDWARE_STORES, 64 * MIB},     {"random branches", HARDWARE_RANDOM_BRANCHES, 0},
        {"steady branches", HARDWARE_STEADY_BRANCHES, 0},
};

/* What the thread is called between loops. */
static const char no_loop[] = "no loop";

size_t hardware_loops_n(void)
{
        return sizeof(loops) / sizeof(*loops);
}

const struct hardware_loop *hardware_loops_get(size_t index)
{
        assert(index < N_ELEMENTS(loops));
        return &loops[index];
}

size_t hardware_loops_find(const char *name)
{
        size_t i = 0;

        while (i < hardware_loops_n() && strcmp(loops[i].name, name))
                i++;
        return i;
}

/* A linear congruential generator whose period is the number of lines visits each line once; it needs no
 * memory of its own. */
void hardware_loops_link(void *memory, uint64_t size_bytes)
{
        const uint64_t mask = size_bytes / LINE_BYTES - 1;
        uint8_t *lines = memory;

        for (uint64_t i = 0; i <= mask; i++) {
                const uint64_t next =
                        (i * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407)) & mask;
                void *address = lines + next * LINE_BYTES;

                memcpy(lines + i * LINE_BYTES, &address, sizeof(address));
        }
}

#define FOLLOW_4(p)                                                                                          \
        do {                                                                                                 \
                (p) = *(void *volatile *)(p);                                                                \
                (p) = *(void *volatile *)(p);                                                                \
                (p) = *(void *volatile *)(p);                                                                \
                (p) = *(void *volatile *)(p);                                                                \
        } while (0)

/* When a loop ends: after some operations, so that a fast one does not fill the buffers, or at some time. */
struct loop_end {
        uint64_t n_left, time_ns;
};

static bool loop_goes_on(struct loop_end *end, uint64_t n_done)
{
        end->n_left -= n_done < end->n_left ? n_done : end->n_left;
        return end->n_left && os_monotonic_ns() < end->time_ns;
}

static void chase(void *memory, struct loop_end *end)
{
        enum { AT_ONCE = 16 };
        void *at = memory;

        do {
                for (unsigned n = STEPS; n; n--) {
                        FOLLOW_4(at);
                        FOLLOW_4(at);
                        FOLLOW_4(at);
                        FOLLOW_4(at);
                }
        } while (loop_goes_on(end, (uint64_t)STEPS * AT_ONCE));
}

static void store(void *memory, uint64_t size_bytes, struct loop_end *end)
{
        enum { AT_ONCE = 8 };
        const uint64_t n_stores = size_bytes / sizeof(uint64_t);

        do {
                volatile uint64_t *at = memory;

                for (uint64_t n = n_stores / AT_ONCE; n; n--, at += AT_ONCE) {
                        at[0] = n;
                        at[1] = n;
                        at[2] = n;
                        at[3] = n;
                        at[4] = n;
                        at[5] = n;
                        at[6] = n;
                        at[7] = n;
                }
        } while (loop_goes_on(end, n_stores));
}

/* The empty statements keep the compiler from making a conditional select of the branch, or two loops of
 * one. */
static void branch(bool is_random, struct loop_end *end)
{
        enum { OPERATIONS = 10 };
        uint64_t state = UINT64_C(0x9e3779b97f4a7c15), sum = 0;

        do {
                for (uint64_t n = STEPS; n; n--) {
                        uint64_t choice;

                        state ^= state << 13;
                        state ^= state >> 7;
                        state ^= state << 17;
                        choice = is_random ? state : n;
                        __asm__ volatile("" : "+r"(choice));
                        if (choice & 1) {
                                __asm__ volatile("" : "+r"(sum));
                                sum += state;
                        } else {
                                __asm__ volatile("" : "+r"(sum));
                                sum ^= n;
                        }
                }
        } while (loop_goes_on(end, (uint64_t)STEPS * OPERATIONS));
}

/* Touches all of the memory before the loop begins. */
static void prepare(const struct hardware_loop *loop, void *memory)
{
        if (loop->kind == HARDWARE_CHASE)
                hardware_loops_link(memory, loop->size_bytes);
        else if (loop->size_bytes)
                memset(memory, 1, loop->size_bytes);
}

static void run_loop(const struct hardware_loop *loop, void *memory, uint64_t n_operations)
{
        struct loop_end end = {.n_left = n_operations};

        prepare(loop, memory);
        os_name_thread(loop->name);
        end.time_ns = os_monotonic_ns() + LOOP_NS;
        switch (loop->kind) {
        case HARDWARE_CHASE: chase(memory, &end); break;
        case HARDWARE_STORES: store(memory, loop->size_bytes, &end); break;
        case HARDWARE_RANDOM_BRANCHES: branch(true, &end); break;
        case HARDWARE_STEADY_BRANCHES: branch(false, &end); break;
        }
        os_name_thread(no_loop);
}

void hardware_loops_run(uint64_t n_operations)
{
        for (size_t i = 0; i < hardware_loops_n(); i++) {
                void *memory;

                if (loops[i].size_bytes > os_memory_bytes() / MEMORY_PARTS)
                        continue;
                memory = malloc(loops[i].size_bytes + LINE_BYTES);
                if (memory)
                        run_loop(&loops[i],
                                 (void *)(((uintptr_t)memory + LINE_BYTES) & -(uintptr_t)LINE_BYTES),
                                 n_operations);
                free(memory);
        }
}
