/* SPDX-License-Identifier: BSD-3-Clause */
/* What a sample's data source says of an access to memory.  It is the kernel's union perf_mem_data_src,
 * which x86 and samples of Arm SPE have. */
#ifndef ACCESS_LEVEL_H
#define ACCESS_LEVEL_H

#include <stdint.h>

/* Where the data came from. */
enum access_level {
        ACCESS_L1,
        ACCESS_LFB, /* the line was being fetched already */
        ACCESS_L2,
        ACCESS_L3,           /* or another last cache of the chip */
        ACCESS_PEER,         /* the cache of another core */
        ACCESS_DRAM,         /* of this socket */
        ACCESS_REMOTE_CACHE, /* of another socket */
        ACCESS_REMOTE_DRAM,
        ACCESS_OTHER,  /* persistent memory, CXL memory, a device, or memory that is not cached */
        ACCESS_MISSED, /* a cache did not have it; what had it is not known */
        ACCESS_UNKNOWN,
        ACCESS_N_LEVELS
};

/* What the access was; a set of bits. */
enum access_what {
        ACCESS_LOAD = 1 << 0,
        ACCESS_STORE = 1 << 1,
        ACCESS_TLB = 1 << 2,  /* it is known whether a TLB had the address */
        ACCESS_WALK = 1 << 3, /* none had it: the page tables were read */
};

/* A set of enum access_what; 0 if the sample is neither a load nor a store. */
unsigned access_what(uint64_t data_src);
enum access_level access_level(uint64_t data_src);

/* "L1 hit", "DRAM", "unknown"; a constant text. */
const char *access_level_name(enum access_level level);

/* One sentence that says what the level means. */
const char *access_level_meaning(enum access_level level);

#endif
