/* SPDX-License-Identifier: BSD-3-Clause */
/* The input is a program that asks the driver: requests of two owners with any payload and any room for the
 * answer, and between them events, ticks, interrupts and samples of the machine.  Payload and answer are
 * exactly as long as the driver is told, so the address sanitizer finds every access behind them.
 * driver_steps.h describes the steps. */
#include <stdlib.h>
#include <string.h>

#include "driver_steps.h"
#include "sim_machine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CPUS = 2 };

static struct sim_machine machine;

struct steps {
        const uint8_t *data;
        size_t size, at;
};

static uint32_t take(struct steps *steps, size_t bytes)
{
        uint32_t value = 0;

        for (size_t i = 0; i < bytes && steps->at < steps->size; i++)
                value |= (uint32_t)steps->data[steps->at++] << 8 * i;
        return value;
}

static void run_request(struct steps *steps, uint32_t op)
{
        static const int owners[2];
        const void *owner = &owners[op >> 7];
        uint32_t number = op & 15, in_bytes = take(steps, 2), room = take(steps, 2), bytes = 1;
        uint32_t left = (uint32_t)(steps->size - steps->at);
        uint8_t *in, *out = malloc(room + !room);
        enum request_status status;

        in_bytes = in_bytes < left ? in_bytes : left;
        in = malloc(in_bytes + !in_bytes);
        memcpy(in, steps->data + steps->at, in_bytes);
        steps->at += in_bytes;
        status = request_run(machine.driver, owner, number ? ABI_OWN(number) : ABI_CODE(0), in, in_bytes, out,
                             room, &bytes);
        if (bytes > room || (status != REQUEST_OK && bytes) ||
            (machine.driver->running && !machine.driver->owner))
                abort();
        free(in);
        free(out);
}

static void run_machine(struct steps *steps, uint32_t op)
{
        uint32_t cpu = op >> 7, unit = cpu, n;

        switch (op & 127) {
        case STEP_COUNT:
                unit = take(steps, 1) % machine.hw.n_units;
                n = take(steps, 2);
                sim_machine_count(&machine, unit, take(steps, 1) % machine.units[unit].block->n_classes, n,
                                  take(steps, 1));
                break;
        case STEP_CYCLE: sim_machine_cycle(&machine, cpu, 0, (uint64_t)take(steps, 2)); break;
        case STEP_PASS: sim_machine_pass(&machine, take(steps, 1) * UINT64_C(1000000)); break;
        case STEP_SAMPLE: sim_machine_sample(&machine, cpu, take(steps, 2)); break;
        case STEP_HOLD: machine.cpus[cpu].hold = true; break;
        case STEP_DELIVER:
                machine.cpus[cpu].hold = false;
                sim_machine_deliver(&machine, cpu);
                driver_spe_interrupt(machine.driver, cpu);
                break;
        case STEP_FRAME: machine.cpus[cpu].frame.fp = 8 * SIM_STACK_WORDS + take(steps, 2); break;
        case STEP_CLOSE: driver_release(machine.driver, machine.driver->owner); break;
        default: break;
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct steps steps = {data, size, 0};

        sim_machine_init(&machine, CPUS, 1, true);
        for (uint32_t i = 0; i < SIM_STACK_WORDS; i++)
                machine.stack[i] = 8 * (SIM_STACK_WORDS + i + 2);
        while (steps.at < size) {
                uint32_t op = take(&steps, 1);

                if ((op & 127) < 16)
                        run_request(&steps, op);
                else
                        run_machine(&steps, op);
        }
        sim_machine_release(&machine);
        return 0;
}
