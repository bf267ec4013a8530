/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost of a step by call-frame information: unwind_steps FILE [N_ADDRESSES].  Addresses are random ones in
 * the functions of the file; each is stepped once, reading its row, then N_ROUNDS times with cached rows.
 * CPU time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "map.h"
#include "mem.h"
#include "unwind_cfi.h"

enum { STACK_ADDR = 0x7000, STACK_BYTES = 8192, N_ROUNDS = 20, N_PASSES = 5 };

static uint64_t now_ns(void)
{
        struct timespec now;

        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t *pick_addresses(struct object *object, size_t n)
{
        struct object_range *ranges;
        size_t n_ranges = object_list_functions(object, &ranges);
        uint64_t *addrs = mem_new(n, sizeof(*addrs)), random = 1;

        for (size_t i = 0; n_ranges && i < n; i++) {
                const struct object_range *range = &ranges[(random = map_mix(random + i)) % n_ranges];

                addrs[i] = range->start + map_mix(random) % range->size_bytes;
        }
        free(ranges);
        return addrs;
}

static size_t step_all(struct cfi *cfi, enum object_machine machine, const uint64_t *addrs, size_t n)
{
        static uint8_t stack[STACK_BYTES];
        size_t n_done = 0;

        for (size_t i = 0; i < n; i++) {
                struct unwind_memory memory = {.start = STACK_ADDR, .bytes = stack, .size = sizeof(stack)};
                struct unwind_regs regs = {.machine = machine, .known = (1ull << UNWIND_N_REGS) - 1};
                struct cfi_stepped stepped;

                regs.values[unwind_reg_sp(&regs)] = regs.values[unwind_reg_fp(&regs)] = STACK_ADDR + 512;
                n_done += cfi_step(cfi, addrs[i], 0, &regs, &memory, &stepped) == CFI_STEP_DONE;
        }
        return n_done;
}

int main(int argc, char **argv)
{
        size_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 20000;
        struct err err = {0};
        AUTO(object) object = argc > 1 ? object_open(argv[1], &err) : NULL;
        uint64_t *addrs = object ? pick_addresses(object, n) : NULL;

        for (int pass = 0; object && pass < N_PASSES; pass++) {
                AUTO(cfi) cfi = cfi_open(object, NULL, &err);
                enum object_machine machine = object_get_facts(object)->machine;
                uint64_t start = now_ns(), read, end;
                size_t n_done;

                if (!cfi)
                        break;
                n_done = step_all(cfi, machine, addrs, n);
                read = now_ns();
                for (int i = 0; i < N_ROUNDS; i++)
                        step_all(cfi, machine, addrs, n);
                end = now_ns();
                printf("%zu addresses, %zu stepped: %.0f ns a step read anew, %.1f ns kept\n", n, n_done,
                       (double)(read - start) / (double)n, (double)(end - read) / (double)n / N_ROUNDS);
        }
        free(addrs);
        if (err.code || !object)
                fprintf(stderr, "unwind_steps: %s\n", object || err.code ? err.text : "no file");
        return err.code || !object;
}
