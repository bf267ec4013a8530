/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of data sources by core.  The common one is of the manuals of Arm's cores ("Data Source packet"),
 * AmpereOne's and HiSilicon's are as Linux describes them. */
#include "spe_source.h"

#include <stddef.h>

#include "attributes.h"

/* Fields of union perf_mem_data_src (linux/perf_event.h). */
#define MEM_OP_LOAD      (UINT64_C(0x02))
#define MEM_OP_STORE     (UINT64_C(0x04))
#define MEM_LVL(bits)    ((uint64_t)(bits) << 5)
#define MEM_SNOOP(bits)  ((uint64_t)(bits) << 19)
#define MEM_TLB(bits)    ((uint64_t)(bits) << 26)
#define MEM_LVL_NUM(n)   ((uint64_t)(n) << 33)
#define MEM_REMOTE       (UINT64_C(1) << 37)
#define MEM_SNOOPX(bits) ((uint64_t)(bits) << 38)

enum {
        LVL_NA = 0x01,
        LVL_HIT = 0x02,
        LVL_MISS = 0x04,
        LVL_L1 = 0x08,
        LVL_L2 = 0x20,
        LVL_L3 = 0x40,
        LVL_LOCAL_RAM = 0x80,
        LVL_REMOTE_RAM = 0x100,
        LVL_REMOTE_CACHE_1 = 0x400, /* one hop away */
        LVL_REMOTE_CACHE_2 = 0x800,
        LVL_IO = 0x1000,
        NUM_IO = 0x0a,
        NUM_ANY_CACHE = 0x0b,
        NUM_RAM = 0x0d,
        NUM_NA = 0x0f,
        SNOOP_NA = 0x01,
        SNOOP_NONE = 0x02,
        SNOOP_HIT = 0x04,
        SNOOP_HITM = 0x10,
        SNOOPX_PEER = 0x02,
        TLB_HIT = 0x02,
        TLB_MISS = 0x04,
        TLB_WALKER = 0x20,
};

struct spe_source_row {
        uint8_t value;
        struct spe_source source;
        uint64_t perf; /* without the operation and the TLB */
};

#define FOUND(level, owner, snoop)                                                                           \
        {                                                                                                    \
                SPE_LEVEL_##level, SPE_OWNER_##owner, SPE_SNOOP_##snoop, false,                              \
                        SPE_OWNER_##owner == SPE_OWNER_REMOTE                                                \
        }

#define PERF_CACHE(number, snoop) (MEM_LVL(LVL_L##number | LVL_HIT) | MEM_LVL_NUM(number) | MEM_SNOOP(snoop))
#define PERF_PEER(number)         (PERF_CACHE(number, 0) | MEM_SNOOPX(SNOOPX_PEER))
#define PERF_LOCAL_RAM            (MEM_LVL(LVL_LOCAL_RAM | LVL_HIT) | MEM_LVL_NUM(NUM_RAM) | MEM_SNOOP(SNOOP_NONE))
#define PERF_REMOTE               (MEM_LVL(LVL_NA) | MEM_LVL_NUM(NUM_NA) | MEM_REMOTE | MEM_SNOOPX(SNOOPX_PEER))
#define PERF_STORE                (MEM_LVL(LVL_NA) | MEM_LVL_NUM(NUM_NA) | MEM_SNOOP(SNOOP_NA))

static const struct spe_source_row common_rows[] = {
        {0x0, FOUND(L1, OWN, NONE), PERF_CACHE(1, SNOOP_NONE)},
        {0x8, FOUND(L2, OWN, NONE), PERF_CACHE(2, SNOOP_NONE)},
        {0x9, FOUND(CACHE, PEER_CORE, HIT), PERF_PEER(2)},
        {0xa, FOUND(CACHE, LOCAL_CLUSTER, HIT), PERF_PEER(3)},
        {0xb, FOUND(L3, OWN, HIT), PERF_CACHE(3, SNOOP_HIT)},
        {0xc, FOUND(CACHE, PEER_CLUSTER, HIT), PERF_PEER(3)},
        {0xd, FOUND(UNKNOWN, REMOTE, UNKNOWN), PERF_REMOTE},
        {0xe, FOUND(DRAM, OWN, NONE), PERF_LOCAL_RAM},
};

static const struct spe_source_row ampereone_rows[] = {
        {0x0, FOUND(CACHE, PEER_CORE, HIT), PERF_PEER(2)}, /* or a device of this chip */
        {0x3, FOUND(L3, OWN, HIT), PERF_CACHE(3, SNOOP_HIT)},
        {0x5, FOUND(CACHE, REMOTE, HIT), PERF_REMOTE},
        {0x7, FOUND(DRAM, OWN, NONE), PERF_LOCAL_RAM},
        {0x8, FOUND(L1, OWN, NONE), PERF_CACHE(1, SNOOP_NONE)},
        {0x9, FOUND(L2, OWN, NONE), PERF_CACHE(2, SNOOP_NONE)},
};

#define PERF_PEER_CLUSTER (MEM_LVL(LVL_REMOTE_CACHE_1 | LVL_HIT) | MEM_LVL_NUM(3) | MEM_SNOOPX(SNOOPX_PEER))
#define PERF_SOCKET                                                                                          \
        (MEM_LVL(LVL_REMOTE_CACHE_2) | MEM_LVL_NUM(NUM_ANY_CACHE) | MEM_REMOTE | MEM_SNOOPX(SNOOPX_PEER))
#define PERF_REMOTE_RAM (MEM_LVL(LVL_REMOTE_RAM | LVL_HIT) | MEM_LVL_NUM(NUM_RAM) | MEM_REMOTE)
#define PERF_DEVICE     (MEM_LVL(LVL_IO | LVL_HIT) | MEM_LVL_NUM(NUM_IO) | MEM_SNOOP(SNOOP_NONE))

static const struct spe_source_row hip_rows[] = {
        {0, FOUND(CACHE, PEER_CORE, HIT), PERF_PEER(2)},
        {1, FOUND(CACHE, PEER_CORE, MODIFIED), PERF_PEER(2) | MEM_SNOOP(SNOOP_HITM)},
        {2, FOUND(L3, OWN, HIT), PERF_CACHE(3, SNOOP_HIT)},
        {3, FOUND(L3, OWN, MODIFIED), PERF_CACHE(3, SNOOP_HITM)},
        {4, FOUND(CACHE, PEER_CLUSTER, HIT), PERF_PEER_CLUSTER},
        {5, FOUND(CACHE, PEER_CLUSTER, MODIFIED), PERF_PEER_CLUSTER | MEM_SNOOP(SNOOP_HITM)},
        {6, FOUND(CACHE, REMOTE, HIT), PERF_SOCKET},
        {7, FOUND(CACHE, REMOTE, MODIFIED), PERF_SOCKET | MEM_SNOOP(SNOOP_HITM)},
        {8, FOUND(DRAM, OWN, NONE), PERF_LOCAL_RAM},
        {9, FOUND(DRAM, REMOTE, UNKNOWN), PERF_REMOTE_RAM},
        {13, FOUND(DEVICE, OWN, NONE), PERF_DEVICE},
        {16, FOUND(L2, OWN, NONE), PERF_CACHE(2, SNOOP_NONE)},
        {17, FOUND(L2, OWN, MODIFIED), PERF_CACHE(2, SNOOP_HITM)},
        {18, FOUND(L1, OWN, NONE), PERF_CACHE(1, SNOOP_NONE)},
};

struct spe_source_table {
        const struct spe_source_row *rows;
        size_t n_rows;
};

static const struct spe_source_table common_table = {common_rows, N_ELEMENTS(common_rows)};
static const struct spe_source_table ampereone_table = {ampereone_rows, N_ELEMENTS(ampereone_rows)};
static const struct spe_source_table hip_table = {hip_rows, N_ELEMENTS(hip_rows)};

struct spe_source_core {
        uint8_t implementer;
        uint16_t part;
        const struct spe_source_table *table;
};

static const struct spe_source_core cores[] = {
        {0x41, 0xd0c, &common_table},    /* Neoverse N1 */
        {0x41, 0xd49, &common_table},    /* Neoverse N2 */
        {0x41, 0xd8e, &common_table},    /* Neoverse N3 */
        {0x41, 0xd40, &common_table},    /* Neoverse V1 */
        {0x41, 0xd4f, &common_table},    /* Neoverse V2 */
        {0x41, 0xd84, &common_table},    /* Neoverse V3 */
        {0x41, 0xd83, &common_table},    /* Neoverse V3AE */
        {0x6d, 0xd49, &common_table},    /* Azure Cobalt 100, a Neoverse N2 */
        {0x41, 0xd4b, &common_table},    /* Cortex-A78C */
        {0x41, 0xd4d, &common_table},    /* Cortex-A715 */
        {0x41, 0xd81, &common_table},    /* Cortex-A720 */
        {0x41, 0xd89, &common_table},    /* Cortex-A720AE */
        {0x41, 0xd87, &common_table},    /* Cortex-A725 */
        {0x41, 0xd44, &common_table},    /* Cortex-X1 */
        {0x41, 0xd4c, &common_table},    /* Cortex-X1C */
        {0x41, 0xd4e, &common_table},    /* Cortex-X3 */
        {0x41, 0xd82, &common_table},    /* Cortex-X4 */
        {0x41, 0xd85, &common_table},    /* Cortex-X925 */
        {0xc0, 0xac4, &ampereone_table}, /* AmpereOne (AMPERE1A) */
        {0x48, 0xd06, &hip_table},       /* HiSilicon HIP12 */
};

static const struct spe_source_table *find_table(uint64_t midr)
{
        const unsigned implementer = midr >> 24 & 0xff, part = midr >> 4 & 0xfff;

        for (size_t i = 0; i < N_ELEMENTS(cores); i++) {
                if (cores[i].implementer == implementer && cores[i].part == part)
                        return cores[i].table;
        }
        return NULL;
}

static const struct spe_source_row *find_row(const struct spe_source_table *table, unsigned value)
{
        for (size_t i = 0; table && i < table->n_rows; i++) {
                if (table->rows[i].value == value)
                        return &table->rows[i];
        }
        return NULL;
}

bool spe_source_find(uint64_t midr, unsigned value, struct spe_source *source)
{
        const struct spe_source_row *row = find_row(find_table(midr), value);

        if (row)
                *source = row->source;
        return row != NULL;
}

static bool has_event(const struct spe_record *record, enum spe_event event)
{
        return record->events & SPE_EVENT_BIT(event);
}

/* The outermost level that the events tell of; a level that was asked may have missed. */
static struct spe_source source_of_events(const struct spe_record *record)
{
        static const struct {
                uint8_t level, access, miss;
        } levels[] = {
                {SPE_LEVEL_L3, SPE_EVENT_LLC_ACCESS, SPE_EVENT_LLC_MISS},
                {SPE_LEVEL_L2, SPE_EVENT_L2D_ACCESS, SPE_EVENT_L2D_MISS},
                {SPE_LEVEL_L1, SPE_EVENT_L1D_ACCESS, SPE_EVENT_L1D_REFILL},
        };
        struct spe_source source = {.is_remote = has_event(record, SPE_EVENT_REMOTE_ACCESS)};

        for (size_t i = 0; i < N_ELEMENTS(levels) && !source.level; i++) {
                source.is_miss = has_event(record, levels[i].miss);
                if (source.is_miss || has_event(record, levels[i].access))
                        source.level = levels[i].level;
        }
        if (source.is_remote)
                source.owner = SPE_OWNER_REMOTE;
        if (has_event(record, SPE_EVENT_DATA_SNOOPED))
                source.snoop =
                        has_event(record, SPE_EVENT_DATA_MODIFIED) ? SPE_SNOOP_MODIFIED : SPE_SNOOP_HIT;
        return source;
}

struct spe_source spe_source_of_record(const struct spe_record *record, uint64_t midr)
{
        struct spe_source source;

        if (record->has & SPE_HAS_SOURCE && spe_source_find(midr, record->source, &source))
                return source;
        return source_of_events(record);
}

const char *spe_source_name(const struct spe_source *source)
{
        static const char *const names[][2] = {
                [SPE_LEVEL_UNKNOWN] = {"unknown", "unknown"}, [SPE_LEVEL_L1] = {"L1", "L1 miss"},
                [SPE_LEVEL_L2] = {"L2", "L2 miss"},           [SPE_LEVEL_L3] = {"L3", "L3 miss"},
                [SPE_LEVEL_CACHE] = {"cache", "cache miss"},  [SPE_LEVEL_DRAM] = {"DRAM", "DRAM"},
                [SPE_LEVEL_DEVICE] = {"device", "device"},
        };
        static const char *const modified[] = {
                [SPE_LEVEL_L2] = "L2 modified",
                [SPE_LEVEL_L3] = "L3 modified",
                [SPE_LEVEL_DEVICE] = NULL,
        };
        static const char *const owners[][2] = {
                [SPE_OWNER_OWN] = {NULL, NULL},
                [SPE_OWNER_PEER_CORE] = {"peer core", "peer core modified"},
                [SPE_OWNER_LOCAL_CLUSTER] = {"local cluster", "local cluster modified"},
                [SPE_OWNER_PEER_CLUSTER] = {"peer cluster", "peer cluster modified"},
                [SPE_OWNER_REMOTE] = {"remote cache", "remote cache modified"},
        };
        const bool is_modified = source->snoop == SPE_SNOOP_MODIFIED;

        if (source->level >= N_ELEMENTS(names) || source->owner >= N_ELEMENTS(owners))
                return "unknown";
        if (source->owner == SPE_OWNER_REMOTE && source->level == SPE_LEVEL_DRAM)
                return "remote DRAM";
        if (source->owner == SPE_OWNER_REMOTE && source->level != SPE_LEVEL_CACHE)
                return "remote";
        if (source->owner != SPE_OWNER_OWN)
                return owners[source->owner][is_modified];
        return is_modified && modified[source->level] ? modified[source->level]
                                                      : names[source->level][source->is_miss];
}

static uint64_t perf_levels(const struct spe_record *record)
{
        uint64_t mem = 0;

        if (has_event(record, SPE_EVENT_LLC_MISS))
                mem = MEM_LVL(LVL_L3 | LVL_MISS);
        else if (has_event(record, SPE_EVENT_LLC_ACCESS))
                mem = MEM_LVL(LVL_L3 | LVL_HIT);
        else if (has_event(record, SPE_EVENT_L1D_REFILL))
                mem = MEM_LVL(LVL_L1 | LVL_MISS);
        else if (has_event(record, SPE_EVENT_L1D_ACCESS))
                mem = MEM_LVL(LVL_L1 | LVL_HIT);
        return has_event(record, SPE_EVENT_REMOTE_ACCESS) ? mem | MEM_REMOTE : mem;
}

uint64_t spe_source_to_perf(const struct spe_record *record, uint64_t midr)
{
        const struct spe_source_table *table = find_table(midr);
        const bool is_store = record->op.flags & SPE_OPERATION_STORE;
        const struct spe_source_row *row;
        uint64_t mem = is_store ? MEM_OP_STORE : MEM_OP_LOAD;

        if (!(record->op.flags & (SPE_OPERATION_LOAD | SPE_OPERATION_STORE)))
                return 0;
        if (!table) {
                mem |= perf_levels(record);
        } else if (is_store) {
                mem |= PERF_STORE;
        } else {
                row = find_row(table, record->source);
                mem |= row ? row->perf : 0;
        }
        if (has_event(record, SPE_EVENT_TLB_WALK))
                mem |= MEM_TLB(TLB_WALKER | TLB_MISS);
        else if (has_event(record, SPE_EVENT_TLB_ACCESS))
                mem |= MEM_TLB(TLB_WALKER | TLB_HIT);
        return mem;
}
