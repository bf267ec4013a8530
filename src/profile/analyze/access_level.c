/* SPDX-License-Identifier: BSD-3-Clause */
#include "access_level.h"

#include <assert.h>
#include <stdbool.h>

#include "perf_abi.h"

unsigned access_what(uint64_t data_src)
{
        uint64_t tlb = data_src >> PERF_MEM_TLB_SHIFT & PERF_MEM_TLB_MASK;
        unsigned what = 0;

        if (data_src & PERF_MEM_OP_LOAD)
                what |= ACCESS_LOAD;
        if (data_src & PERF_MEM_OP_STORE)
                what |= ACCESS_STORE;
        if (!what)
                return 0;
        if (tlb & (PERF_MEM_TLB_HIT | PERF_MEM_TLB_MISS))
                what |= ACCESS_TLB;
        /* x86 says "hit" with the level that had it, and "miss" if none had it. */
        if (tlb & PERF_MEM_TLB_MISS)
                what |= ACCESS_WALK;
        return what;
}

/* Older PMUs set bits of levels only, newer ones the number, some both. */
static enum access_level level_of_bits(uint64_t level)
{
        if (level & PERF_MEM_LVL_MISS && !(level & PERF_MEM_LVL_HIT))
                return ACCESS_MISSED;
        if (level & PERF_MEM_LVL_L1)
                return ACCESS_L1;
        if (level & PERF_MEM_LVL_LFB)
                return ACCESS_LFB;
        if (level & PERF_MEM_LVL_L2)
                return ACCESS_L2;
        if (level & PERF_MEM_LVL_L3)
                return ACCESS_L3;
        if (level & PERF_MEM_LVL_LOCAL_RAM)
                return ACCESS_DRAM;
        return level & (PERF_MEM_LVL_IO | PERF_MEM_LVL_UNCACHED) ? ACCESS_OTHER : ACCESS_UNKNOWN;
}

static enum access_level level_of_number(uint64_t number)
{
        switch (number) {
        case PERF_MEM_NUM_L0:
        case PERF_MEM_NUM_L1: return ACCESS_L1;
        case PERF_MEM_NUM_L2:
        case PERF_MEM_NUM_L2_MHB: return ACCESS_L2;
        case PERF_MEM_NUM_L3:
        case PERF_MEM_NUM_L4:
        case PERF_MEM_NUM_MSC: return ACCESS_L3;
        case PERF_MEM_NUM_LFB: return ACCESS_LFB;
        case PERF_MEM_NUM_ANY_CACHE: return ACCESS_PEER;
        case PERF_MEM_NUM_RAM: return ACCESS_DRAM;
        case PERF_MEM_NUM_UNCACHED:
        case PERF_MEM_NUM_CXL:
        case PERF_MEM_NUM_IO:
        case PERF_MEM_NUM_PMEM: return ACCESS_OTHER;
        default: return ACCESS_UNKNOWN;
        }
}

enum access_level access_level(uint64_t data_src)
{
        uint64_t level = data_src >> PERF_MEM_LVL_SHIFT & PERF_MEM_LVL_MASK;
        uint64_t number = data_src >> PERF_MEM_NUM_SHIFT & PERF_MEM_NUM_MASK;
        bool is_remote = data_src >> PERF_MEM_REMOTE_SHIFT & 1;
        bool is_peer = data_src >> PERF_MEM_SNOOPX_SHIFT & PERF_MEM_SNOOPX_PEER;
        bool is_modified = data_src >> PERF_MEM_SNOOP_SHIFT & PERF_MEM_SNOOP_HITM;
        bool is_miss = level & PERF_MEM_LVL_MISS && !(level & PERF_MEM_LVL_HIT);
        enum access_level by_number = is_miss ? ACCESS_UNKNOWN : level_of_number(number);
        enum access_level found = by_number == ACCESS_UNKNOWN ? level_of_bits(level) : by_number;

        if (level & PERF_MEM_LVL_REMOTE_RAM || (is_remote && found == ACCESS_DRAM))
                return ACCESS_REMOTE_DRAM;
        if (level & PERF_MEM_LVL_REMOTE_CACHE || (is_remote && found != ACCESS_OTHER && !is_miss))
                return is_remote || !is_peer ? ACCESS_REMOTE_CACHE : ACCESS_PEER;
        if (is_peer || is_modified)
                return ACCESS_PEER;
        return found;
}

const char *access_level_name(enum access_level level)
{
        static const char *const names[ACCESS_N_LEVELS] = {
                "L1",      "line fill buffer", "L2",          "L3",    "another core's cache",
                "DRAM",    "remote cache",     "remote DRAM", "other", "beyond cache",
                "unknown",
        };

        assert(level < ACCESS_N_LEVELS);
        return names[level];
}

const char *access_level_meaning(enum access_level level)
{
        static const char *const meanings[ACCESS_N_LEVELS] = {
                "the first cache of the core had the data",
                "the cache line was being fetched for an earlier access",
                "the second cache of the core had the data",
                "the last cache of the chip had the data",
                "the cache of another core of the same chip had the data",
                "the memory of this socket had the data",
                "a cache of another socket had the data",
                "the memory of another socket had the data",
                "the data came from persistent memory, CXL memory or a device, or the memory is not cached",
                "a cache did not have the data; the CPU did not record what had it",
                "the CPU did not record where the data came from",
        };

        assert(level < ACCESS_N_LEVELS);
        return meanings[level];
}
