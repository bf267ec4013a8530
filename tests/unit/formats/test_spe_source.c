/* SPDX-License-Identifier: BSD-3-Clause */
/* What data sources mean by core, and perf's value for a record. */
#include "attributes.h"
#include "spe_source.h"
#include "tap.h"

#define NEOVERSE_N1 UINT64_C(0x413fd0c1)
#define NEOVERSE_V2 UINT64_C(0x410fd4f0)
#define AMPEREONE   UINT64_C(0xc00fac41)
#define HIP12       UINT64_C(0x480fd060)
#define KUNPENG_920 UINT64_C(0x481fd010) /* in no table */

#define EVENT(name) SPE_EVENT_BIT(SPE_EVENT_##name)

static const struct {
        uint64_t midr;
        uint8_t value;
        const char *name;
        uint64_t perf; /* of a load without events */
} sources[] = {
        {NEOVERSE_N1, 0x0, "L1", 0x200100142},
        {NEOVERSE_N1, 0x8, "L2", 0x400100442},
        {NEOVERSE_N1, 0x9, "peer core", 0x8400000442},
        {NEOVERSE_N1, 0xa, "local cluster", 0x8600000842},
        {NEOVERSE_N1, 0xb, "L3", 0x600200842},
        {NEOVERSE_N1, 0xc, "peer cluster", 0x8600000842},
        {NEOVERSE_N1, 0xd, "remote", 0xbe00000022},
        {NEOVERSE_N1, 0xe, "DRAM", 0x1a00101042},
        {NEOVERSE_V2, 0xe, "DRAM", 0x1a00101042},
        {UINT64_C(0x410fd490), 0x9, "peer core", 0x8400000442},    /* Neoverse N2 */
        {UINT64_C(0x410fd8e0), 0xc, "peer cluster", 0x8600000842}, /* Neoverse N3 */
        {UINT64_C(0x411fd401), 0x8, "L2", 0x400100442},            /* Neoverse V1 */
        {UINT64_C(0x410fd840), 0x0, "L1", 0x200100142},            /* Neoverse V3 */
        {UINT64_C(0x6d0fd490), 0xe, "DRAM", 0x1a00101042},         /* Azure Cobalt 100 */
        {UINT64_C(0x410fd850), 0xb, "L3", 0x600200842},            /* Cortex-X925 */
        {AMPEREONE, 0x0, "peer core", 0x8400000442},
        {AMPEREONE, 0x3, "L3", 0x600200842},
        {AMPEREONE, 0x5, "remote cache", 0xbe00000022},
        {AMPEREONE, 0x7, "DRAM", 0x1a00101042},
        {AMPEREONE, 0x8, "L1", 0x200100142},
        {AMPEREONE, 0x9, "L2", 0x400100442},
        {HIP12, 0, "peer core", 0x8400000442},
        {HIP12, 1, "peer core modified", 0x8400800442},
        {HIP12, 2, "L3", 0x600200842},
        {HIP12, 3, "L3 modified", 0x600800842},
        {HIP12, 4, "peer cluster", 0x8600008042},
        {HIP12, 5, "peer cluster modified", 0x8600808042},
        {HIP12, 6, "remote cache", 0xb600010002},
        {HIP12, 7, "remote cache modified", 0xb600810002},
        {HIP12, 8, "DRAM", 0x1a00101042},
        {HIP12, 9, "remote DRAM", 0x3a00002042},
        {HIP12, 13, "device", 0x1400120042},
        {HIP12, 16, "L2", 0x400100442},
        {HIP12, 17, "L2 modified", 0x400800442},
        {HIP12, 18, "L1", 0x200100142},
};

static struct spe_record make_load(unsigned source)
{
        return (struct spe_record){
                .has = SPE_HAS_PC | SPE_HAS_OPERATION | SPE_HAS_SOURCE,
                .op = spe_operation_read(SPE_CLASS_LOAD_STORE, 0),
                .source = (uint16_t)source,
        };
}

TEST(spe_source_by_core)
{
        for (size_t i = 0; i < N_ELEMENTS(sources); i++) {
                struct spe_record load = make_load(sources[i].value);
                struct spe_source source;

                ASSERT_TRUE(spe_source_find(sources[i].midr, sources[i].value, &source));
                EXPECT_STR(spe_source_name(&source), sources[i].name);
                EXPECT_INT(source.is_remote, strstr(sources[i].name, "remote") != NULL);
                EXPECT_INT(spe_source_to_perf(&load, sources[i].midr), sources[i].perf);
        }
}

TEST(spe_source_unknown)
{
        struct spe_source source;

        EXPECT_TRUE(!spe_source_find(KUNPENG_920, 0, &source));
        EXPECT_TRUE(!spe_source_find(0, 0, &source));
        EXPECT_TRUE(!spe_source_find(NEOVERSE_N1, 1, &source));
        EXPECT_TRUE(!spe_source_find(NEOVERSE_N1, 0x100, &source));
        EXPECT_TRUE(!spe_source_find(HIP12, 19, &source));
        EXPECT_TRUE(!spe_source_find(UINT64_C(0x4e0f0100), 0, &source)); /* Olympus: not documented */
}

struct by_events {
        uint64_t events;
        const char *name;
        uint64_t perf;
};

/* A core in no table. */
static const struct by_events levels[] = {
        {0, "unknown", 0x2},
        {EVENT(RETIRED), "unknown", 0x2},
        {EVENT(L1D_ACCESS), "L1", 0x142},
        {EVENT(L1D_ACCESS) | EVENT(L1D_REFILL), "L1 miss", 0x182},
        {EVENT(L1D_REFILL), "L1 miss", 0x182},
        {EVENT(L1D_ACCESS) | EVENT(L1D_REFILL) | EVENT(LLC_ACCESS), "L3", 0x842},
        {EVENT(LLC_ACCESS) | EVENT(LLC_MISS), "L3 miss", 0x882},
        {EVENT(L1D_ACCESS) | EVENT(TLB_ACCESS), "L1", 0x88000142},
        {EVENT(L1D_ACCESS) | EVENT(TLB_ACCESS) | EVENT(TLB_WALK), "L1", 0x90000142},
        {EVENT(L1D_ACCESS) | EVENT(REMOTE_ACCESS), "remote", 0x2000000142},
        {EVENT(L2D_ACCESS) | EVENT(L1D_REFILL), "L2", 0x182}, /* perf 6.12 does not know of L2 */
        {EVENT(L2D_ACCESS) | EVENT(L2D_MISS), "L2 miss", 0x2},
        {EVENT(L2D_ACCESS) | EVENT(DATA_SNOOPED), "L2", 0x2},
        {EVENT(L2D_ACCESS) | EVENT(DATA_SNOOPED) | EVENT(DATA_MODIFIED), "L2 modified", 0x2},
};

TEST(spe_source_by_events)
{
        for (size_t i = 0; i < N_ELEMENTS(levels); i++) {
                struct spe_record load = make_load(9);
                struct spe_source source;

                load.events = levels[i].events;
                source = spe_source_of_record(&load, KUNPENG_920);
                EXPECT_STR(spe_source_name(&source), levels[i].name);
                EXPECT_INT(spe_source_to_perf(&load, KUNPENG_920), levels[i].perf);
                /* The packet outranks the events. */
                source = spe_source_of_record(&load, NEOVERSE_N1);
                EXPECT_STR(spe_source_name(&source), "peer core");
                /* A value that is in no table, and none at all. */
                load.source = 1;
                source = spe_source_of_record(&load, NEOVERSE_N1);
                EXPECT_STR(spe_source_name(&source), levels[i].name);
                load.source = 0;
                load.has &= ~(uint32_t)SPE_HAS_SOURCE;
                source = spe_source_of_record(&load, NEOVERSE_N1);
                EXPECT_STR(spe_source_name(&source), levels[i].name);
        }
}

TEST(spe_source_perf_of_other_operations)
{
        struct spe_record record = make_load(8);

        record.events = EVENT(L1D_ACCESS) | EVENT(TLB_ACCESS);
        /* Stores of a core in the tables: neither level nor snoop is known. */
        record.op = spe_operation_read(SPE_CLASS_LOAD_STORE, 1);
        EXPECT_INT(spe_source_to_perf(&record, NEOVERSE_N1), 0x1e88080024);
        EXPECT_INT(spe_source_to_perf(&record, HIP12), 0x1e88080024);
        EXPECT_INT(spe_source_to_perf(&record, KUNPENG_920), 0x88000144);
        record.op = spe_operation_read(SPE_CLASS_BRANCH, 1);
        EXPECT_INT(spe_source_to_perf(&record, NEOVERSE_N1), 0);
        record.op = spe_operation_read(SPE_CLASS_OTHER, 8);
        EXPECT_INT(spe_source_to_perf(&record, KUNPENG_920), 0);
        /* A value that the core's table lacks leaves the level open. */
        record = make_load(1);
        EXPECT_INT(spe_source_to_perf(&record, NEOVERSE_N1), 0x2);
}

TEST(spe_source_names_of_anything)
{
        for (unsigned level = 0; level < 10; level++) {
                for (unsigned owner = 0; owner < 8; owner++) {
                        for (unsigned rest = 0; rest < 8; rest++) {
                                struct spe_source source = {(uint8_t)level, (uint8_t)owner, rest & 3,
                                                            rest >> 2 & 1, false};

                                EXPECT_CMP(spe_source_name(&source)[0], !=, 0);
                        }
                }
        }
}

TAP_MAIN
