/* SPDX-License-Identifier: BSD-3-Clause */
/* simulate_block BLOCK [MILLISECONDS]: counts all events of a block with driver/core on a simulated device,
 * in which each event happens as often in a millisecond as a line `simulate` of the description says.
 * Prints what the driver counted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_rates.h"
#include "sim_machine.h"

enum { MS = 1000000, PERIOD_MS = 5 };

static struct sim_machine machine;
static const int owner = 1;

static union {
        struct abi_assign head;
        unsigned char bytes[sizeof(struct abi_assign) + ABI_SLOTS_MAX * sizeof(struct abi_slot)];
} plan;

static union {
        struct abi_counts head;
        unsigned char bytes[sizeof(struct abi_counts) + ABI_SLOTS_MAX * sizeof(struct abi_count)];
} counts;

static bool ask(enum abi_request number, const void *in, size_t in_bytes, void *out, size_t out_bytes)
{
        enum request_status status =
                sim_machine_request(&machine, &owner, number, in, in_bytes, out, out_bytes);

        if (status != REQUEST_OK)
                fprintf(stderr, "simulate_block: the driver refused request %d with status %d\n", (int)number,
                        (int)status);
        return status == REQUEST_OK;
}

/* Fills the plan with the events of a class; returns their number. */
static uint32_t plan_class(uint32_t number, const struct block_rate **rates)
{
        const struct driver_class *class = &machine.driver->classes[number];
        uint32_t n = 0;

        memset(&plan, 0, sizeof(plan));
        for (uint32_t i = 0; i < block_rates_n && n < ABI_SLOTS_MAX; i++) {
                if (strcmp(block_rates[i].block, class->block->name) ||
                    strcmp(block_rates[i].class, class->class->name))
                        continue;
                rates[n] = &block_rates[i];
                plan.head.slots[n++].code = block_rates[i].code;
        }
        plan.head.class = number;
        plan.head.n_slots = n;
        plan.head.window = class->sets[0].n_counters;
        plan.head.period_ms = PERIOD_MS;
        plan.head.units.bits[0] = 1;
        return n;
}

static bool count_class(uint32_t number, uint32_t unit, uint32_t ms)
{
        const struct driver_class *class = &machine.driver->classes[number];
        const struct block_rate *rates[ABI_SLOTS_MAX];
        uint32_t n = plan_class(number, rates);
        struct abi_start start = {0};
        struct abi_read read = {.class = number};

        if (!ask(ABI_REQUEST_ASSIGN, &plan, sizeof(plan.head) + n * sizeof(struct abi_slot), NULL, 0) ||
            !ask(ABI_REQUEST_START, &start, sizeof(start), NULL, 0))
                return false;
        for (uint32_t i = 0; i < ms; i++) {
                for (uint32_t e = 0; e < n; e++)
                        sim_machine_count(&machine, unit, (uint32_t)(class->class - class->block->classes),
                                          rates[e]->code, rates[e]->rate);
                sim_machine_pass(&machine, MS);
        }
        if (!ask(ABI_REQUEST_STOP, NULL, 0, NULL, 0) ||
            !ask(ABI_REQUEST_READ_COUNTS, &read, sizeof(read), &counts, sizeof(counts)))
                return false;
        for (uint32_t e = 0; e < n; e++)
                printf("/%s/%s %" PRIu64 " in %" PRIu64 " of %" PRIu32 " ms, %" PRIu32 " each ms\n",
                       rates[e]->class, rates[e]->event, counts.head.counts[e].value,
                       counts.head.counts[e].running_ns / MS, ms, rates[e]->rate);
        plan.head.n_slots = 0;
        return ask(ABI_REQUEST_ASSIGN, &plan, sizeof(plan.head), NULL, 0);
}

static int count_block(const char *block, uint32_t ms)
{
        uint32_t unit = sim_machine_find_unit(&machine, block, 0);
        struct abi_lock lock = {0};
        struct abi_lock_answer answer;

        if (unit == UINT32_MAX) {
                fprintf(stderr, "simulate_block: there is no block '%s' that the driver counts\n", block);
                return 1;
        }
        if (!ask(ABI_REQUEST_LOCK, &lock, sizeof(lock), &answer, sizeof(answer)))
                return 1;
        for (uint32_t i = 0; i < machine.driver->n_classes; i++) {
                if (!strcmp(machine.driver->classes[i].block->name, block) && !count_class(i, unit, ms))
                        return 1;
        }
        return 0;
}

int main(int argc, char **argv)
{
        char *end = NULL;
        unsigned long ms = argc > 2 ? strtoul(argv[2], &end, 10) : 100;
        int status;

        if (argc < 2 || argc > 3 || (end && (*end || !ms || ms > 100000))) {
                fprintf(stderr, "usage: simulate_block BLOCK [MILLISECONDS, up to 100000]\n");
                return 2;
        }
        sim_machine_init(&machine, 1, 1, false);
        status = count_block(argv[1], (uint32_t)ms);
        sim_machine_release(&machine);
        return status;
}
