/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the data of a load came from.  The number in a data source packet is the CPU's own; the tables here
 * know those that Arm's, Ampere's and HiSilicon's manuals or Linux describe.  The events of a record tell
 * less, but on every CPU. */
#ifndef SPE_SOURCE_H
#define SPE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "spe_record.h"

enum spe_level {
        SPE_LEVEL_UNKNOWN,
        SPE_LEVEL_L1,
        SPE_LEVEL_L2,
        SPE_LEVEL_L3,    /* or the system's last cache, whatever its number */
        SPE_LEVEL_CACHE, /* a cache of a level that is not told */
        SPE_LEVEL_DRAM,
        SPE_LEVEL_DEVICE, /* memory of a device, or memory that is not cached */
};

/* Whose cache it was. */
enum spe_owner {
        SPE_OWNER_OWN, /* this core's, or one that all cores share; or memory */
        SPE_OWNER_PEER_CORE,
        SPE_OWNER_LOCAL_CLUSTER,
        SPE_OWNER_PEER_CLUSTER,
        SPE_OWNER_REMOTE, /* another chip's or socket's */
};

enum spe_snoop {
        SPE_SNOOP_UNKNOWN,
        SPE_SNOOP_NONE,     /* no other cache was asked, or none had the data */
        SPE_SNOOP_HIT,      /* another cache had the data */
        SPE_SNOOP_MODIFIED, /* another cache had the data and had changed it */
};

struct spe_source {
        uint8_t level; /* enum spe_level */
        uint8_t owner; /* enum spe_owner */
        uint8_t snoop; /* enum spe_snoop */
        bool is_miss;  /* `level` did not have the data; what had it is not known */
        bool is_remote;
};

/* What `value` of a data source packet means on the CPU with this Main ID Register.  False: the CPU or the
 * value is not in the tables, and *source is not written. */
bool spe_source_find(uint64_t midr, unsigned value, struct spe_source *source);

/* The same for a record: by its data source packet where that is understood, else by its events. */
struct spe_source spe_source_of_record(const struct spe_record *record, uint64_t midr);

/* "L1", "L2 modified", "L3 miss", "peer core", "remote DRAM", "unknown"; a constant text. */
const char *spe_source_name(const struct spe_source *source);

/* The record as perf's union perf_mem_data_src; 0 for what is neither a load nor a store.  For the cores
 * whose data sources perf 6.12 understands (Neoverse N1, N2 and V1) and for those that are in no table it
 * is the value that perf 6.12.107 makes; for the cores that later versions added, theirs.  As in perf a
 * load of a core in the tables that has no data source packet counts as one with value 0, and a store of
 * such a core says nothing of caches. */
uint64_t spe_source_to_perf(const struct spe_record *record, uint64_t midr);

#endif
