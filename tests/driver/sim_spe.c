/* SPDX-License-Identifier: BSD-3-Clause */
/* SPE of a simulated CPU: the registers' filters, and records of the architecture's packets (Arm ARM, DDI
 * 0487, "The Statistical Profiling Extension sample record format"). */
#include "sim_spe.h"

#include "sim_machine.h"

#define PMSCR_USER        (UINT64_C(1) << 0)
#define PMSCR_KERNEL      (UINT64_C(1) << 1)
#define PMSCR_PHYSICAL    (UINT64_C(1) << 4)
#define PMSCR_TIME        (UINT64_C(1) << 5)
#define PMSFCR_EVENTS     (UINT64_C(1) << 0)
#define PMSFCR_TYPES      (UINT64_C(1) << 1)
#define PMSFCR_LATENCY    (UINT64_C(1) << 2)
#define PMSFCR_EVENTS_NOT (UINT64_C(1) << 3)
#define NONSECURE         (UINT64_C(1) << 63)
#define EL1               (UINT64_C(1) << 61)

enum { REFILL = 1 << 3, SOURCE_L1 = 0, SOURCE_DRAM = 0xe /* of Neoverse cores */ };

static uint64_t sim_spe_read(void *ctx, enum hw_spe_register which)
{
        return ((struct sim_machine *)ctx)->cpus[sim_host_cpu()].spe[which];
}

static void sim_spe_write(void *ctx, enum hw_spe_register which, uint64_t value)
{
        ((struct sim_machine *)ctx)->cpus[sim_host_cpu()].spe[which] = value;
}

static void sim_spe_drain(void *ctx)
{
        (void)ctx;
}

void sim_spe_connect(struct hw *hw)
{
        hw->spe_read = sim_spe_read;
        hw->spe_write = sim_spe_write;
        hw->spe_drain = sim_spe_drain;
}

static bool is_wanted(const uint64_t *spe, const struct sim_operation *op)
{
        uint64_t filters = spe[HW_PMSFCR];

        if (filters & PMSFCR_TYPES && !(filters >> 16 & op->type))
                return false;
        if (filters & PMSFCR_EVENTS && (op->events & spe[HW_PMSEVFR]) != spe[HW_PMSEVFR])
                return false;
        if (filters & PMSFCR_EVENTS_NOT && op->events & spe[HW_PMSNEVFR])
                return false;
        return !(filters & PMSFCR_LATENCY) || op->latency >= spe[HW_PMSLATFR];
}

/* --- a record --- */

static uint8_t *put(uint8_t *at, uint8_t header, uint64_t payload, size_t size)
{
        *at++ = header;
        memcpy(at, &payload, size);
        return at + size;
}

/* A timestamp, or a packet that says there is none, is the last packet; padding comes before it. */
static void put_record(const struct sim_cpu *cpu, const struct sim_operation *op, uint8_t *out)
{
        uint64_t control = cpu->spe[HW_PMSCR], number = cpu->n_operations;
        uint64_t address = SIM_SPE_FIRST_ADDRESS + SIM_SPE_STEP * number;
        bool is_branch = op->type == SIM_SPE_BRANCH;
        uint8_t *at = out;

        memset(out, 0, SIM_SPE_RECORD_BYTES);
        at = put(at, 0xb0, cpu->frame.pc | NONSECURE | (cpu->frame.user ? 0 : EL1), 8);
        at = put(at, 0x52, op->events, 2);
        at = put(at, is_branch ? 0x4a : 0x49, op->type == SIM_SPE_STORE, 1);
        at = put(at, 0x98, op->latency, 2);
        at = put(at, 0x99, op->latency / 2, 2);
        at = put(at, 0x9a, op->latency / 4, 2);
        at = put(at, is_branch ? 0xb1 : 0xb2, address, 8);
        if (control & PMSCR_PHYSICAL && !is_branch)
                at = put(at, 0xb3, address | NONSECURE, 8);
        if (op->type == SIM_SPE_LOAD)
                put(at, 0x43, op->events & REFILL ? SOURCE_DRAM : SOURCE_L1, 1);
        if (control & PMSCR_TIME)
                put(out + SIM_SPE_RECORD_BYTES - 9, 0x71, number, 8);
        else
                out[SIM_SPE_RECORD_BYTES - 1] = 0x01;
}

uint32_t sim_machine_sample(struct sim_machine *m, uint32_t cpu, uint32_t n)
{
        struct sim_cpu *c = &m->cpus[cpu];
        uint64_t *spe = c->spe;
        uint32_t written = 0;

        sim_host_set_cpu(cpu);
        while (n && (spe[HW_PMBLIMITR] & 1) && spe[HW_PMSCR] & (c->frame.user ? PMSCR_USER : PMSCR_KERNEL) &&
               !(spe[HW_PMBSR] & SPE_STATUS_SERVICE)) {
                uint64_t limit = spe[HW_PMBLIMITR] & ~UINT64_C(0xfff);
                struct sim_operation op = sim_spe_operation(c->n_operations + 1);

                if (spe[HW_PMBPTR] + SIM_SPE_RECORD_BYTES > limit) {
                        spe[HW_PMBSR] |= SPE_STATUS_SERVICE;
                        if (m->driver && !c->hold)
                                driver_spe_interrupt(m->driver, cpu);
                        continue;
                }
                c->n_operations++;
                n--;
                if (!is_wanted(spe, &op))
                        continue;
                put_record(c, &op, (uint8_t *)(uintptr_t)spe[HW_PMBPTR]);
                spe[HW_PMBPTR] += SIM_SPE_RECORD_BYTES;
                written++;
        }
        return written;
}
