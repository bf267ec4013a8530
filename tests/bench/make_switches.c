/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a session of records of switches, as perf record -a --switch-events: 200 threads that take turns on
 * four CPUs and wait in between, and a sample in each thousandth turn. make_switches FILE [RECORDS], default
 * 10 million. */
#include <stdio.h>
#include <stdlib.h>

#include "session_builder.h"

enum { N_CPUS = 4, N_THREADS = 200, TURNS_OF_ROUND = 4096, TURNS_OF_SAMPLE = 1000, TURN_NS = 20000 };

static void add_switch(struct session_builder *b, uint64_t time, int32_t tid, int32_t other, uint16_t misc)
{
        builder_begin(b, PERF_RECORD_SWITCH_CPU_WIDE, misc);
        builder_u32(b, (uint32_t)other);
        builder_u32(b, (uint32_t)other);
        builder_id(b, time, tid, tid);
        builder_end(b);
}

/* Each CPU has its own threads, of which the next one comes at the time at which the one before leaves. */
static void add_turn(struct session_builder *b, uint64_t turn)
{
        uint64_t time = UINT64_C(1000000000) + turn / N_CPUS * TURN_NS;
        int32_t cpu = (int32_t)(turn % N_CPUS), index = (int32_t)(turn / N_CPUS % (N_THREADS / N_CPUS));
        int32_t tid = 1000 + index * N_CPUS + cpu,
                before = 1000 + (index ? index - 1 : N_THREADS / N_CPUS - 1) * N_CPUS + cpu;

        b->cpu = (uint32_t)cpu;
        add_switch(b, time, before, tid, PERF_MISC_SWITCH_OUT);
        add_switch(b, time, tid, before, 0);
        if (turn % TURNS_OF_SAMPLE == 0)
                builder_sample_ip(b, time + TURN_NS / 2, tid, tid, 0x401000 + (uint64_t)index * 16);
}

int main(int argc, char **argv)
{
        uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000;
        struct session_builder b;

        if (argc < 2)
                return 2;
        builder_init(&b);
        b.attrs[0].flags |= PERF_ATTR_CONTEXT_SWITCH;
        for (int32_t tid = 1000; tid < 1000 + N_THREADS; tid++)
                builder_comm(&b, 0, tid, tid, "worker", false);
        for (uint64_t turn = 0; turn < n / 2; turn++) {
                add_turn(&b, turn);
                if (turn % TURNS_OF_ROUND == TURNS_OF_ROUND - 1)
                        builder_round(&b);
        }
        return builder_save(&b, argv[1]) ? 0 : 1;
}
