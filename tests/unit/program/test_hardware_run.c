/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of a made session, counted for the loop whose name the thread had at that time. */
#include "hardware_run.h"

#include <string.h>

#include "hardware_loops.h"
#include "os.h"
#include "perf_abi.h"
#include "perfdata_format.h"
#include "session_builder.h"
#include "spe_builder.h"
#include "tap.h"

enum { SPE_TYPE = 9, PID = 10, L2_SOURCE = 8, DRAM_SOURCE = 14 };

static void add_head(struct session_builder *b)
{
        builder_init(b);
        b->attrs[0].type = SPE_TYPE;
        builder_begin(b, PERF_RECORD_TIME_CONV, 0);
        builder_u64(b, 0);
        builder_u64(b, 1); /* a tick is a nanosecond */
        builder_u64(b, 0);
        builder_u64(b, 0);
        builder_u64(b, 0);
        builder_u64(b, 1);
        builder_end(b);
        builder_begin(b, PERF_RECORD_AUXTRACE_INFO, 0);
        builder_u32(b, 4);
        builder_u32(b, 0);
        builder_u64(b, SPE_TYPE);
        builder_u64(b, 1);
        builder_end(b);
}

static void add_stream(struct session_builder *b, const struct buf *bytes)
{
        builder_begin(b, PERF_RECORD_AUXTRACE, 0);
        builder_u64(b, bytes->len);
        builder_u64(b, 0);
        builder_u64(b, 0);
        builder_u32(b, 0);
        builder_u32(b, UINT32_MAX);
        builder_u32(b, 0);
        builder_u32(b, 0);
        builder_end(b);
        buf_add(&b->records, bytes->data, bytes->len);
}

static void add_access(struct buf *out, uint64_t time, bool is_store, unsigned cycles, unsigned source,
                       bool is_walk)
{
        const size_t start = out->len;

        spe_build_address(out, SPE_ADDRESS_PC, UINT64_C(0x8000000000401000));
        spe_build_counter(out, SPE_COUNTER_TOTAL, cycles);
        spe_build_events(out, 0x16 | (is_walk ? 1u << SPE_EVENT_TLB_WALK : 0));
        spe_build_operation(out, SPE_CLASS_LOAD_STORE, is_store);
        spe_build_address(out, SPE_ADDRESS_DATA_VIRTUAL, 0x7000);
        spe_build_source(out, source);
        spe_build_end(out, start, time);
}

static void add_branch(struct buf *out, uint64_t time, uint64_t pc, bool is_mispredicted)
{
        const size_t start = out->len;

        spe_build_address(out, SPE_ADDRESS_PC, UINT64_C(0x8000000000000000) | pc);
        spe_build_events(out, 0x02 | (is_mispredicted ? 1u << SPE_EVENT_MISPREDICTED : 0));
        spe_build_operation(out, SPE_CLASS_BRANCH, 1);
        spe_build_end(out, start, time);
}

static bool read_built(struct session_builder *b, struct hardware_run *run, struct err *err)
{
        AUTO_RELEASE(buf) content = {0};
        AUTO_RELEASE(buf) path = {0};
        struct os_file *file = os_file_create_temp("test_hardware_run.", &path, NULL);
        bool ok;

        builder_file(b, &content);
        ok = file && os_file_write(file, content.data, content.len, err) && os_file_close(file, err);
        ok = ok && hardware_run_read(buf_text(&path), run, err);
        os_remove(buf_text(&path), NULL);
        builder_release(b);
        return ok;
}

static const struct hardware_seen *seen_of(const struct hardware_run *run, const char *name)
{
        return &run->seen[hardware_loops_find(name)];
}

TEST(hardware_run_of_each_loop)
{
        AUTO_RELEASE(hardware_run) run = {0};
        AUTO_RELEASE(buf) bytes = {0};
        const struct hardware_seen *seen;
        struct session_builder b;
        struct err err = {0};

        add_head(&b);
        builder_feature_str(&b, FEATURE_CPUID, "0x00000000410fd0c0");
        builder_comm(&b, 1000, PID, PID, "exe", true);
        builder_comm(&b, 2000, PID, PID, "chase 32 KiB", false);
        builder_comm(&b, 3000, PID, PID, "no loop", false);
        builder_comm(&b, 4000, PID, PID, "random branches", false);
        builder_comm(&b, 5000, PID, PID, "no loop", false);
        add_access(&bytes, 1500, true, 1, 0, false); /* before the loops */
        add_access(&bytes, 2100, false, 30, 0, false);
        add_access(&bytes, 2200, false, 10, L2_SOURCE, true);
        add_access(&bytes, 2300, false, 20, DRAM_SOURCE, false);
        add_access(&bytes, 2400, false, 40, 0, false);
        add_access(&bytes, 2500, true, 90, 0, true);
        add_branch(&bytes, 2600, 0x401010, false);
        add_access(&bytes, 3500, false, 70, 0, false); /* between them */
        add_branch(&bytes, 4100, 0x402000, true);
        add_branch(&bytes, 4200, 0x402000, false);
        add_branch(&bytes, 4300, 0x402010, false);
        add_branch(&bytes, 4400, 0x402000, true);
        add_stream(&b, &bytes);
        ASSERT_TRUE(read_built(&b, &run, &err));

        seen = seen_of(&run, "chase 32 KiB");
        EXPECT_TRUE(seen->was_run);
        EXPECT_INT(seen->n_samples, 6);
        EXPECT_INT(seen->n_loads, 4);
        EXPECT_INT(seen->n_stores, 1);
        EXPECT_INT(seen->n_branches, 1);
        EXPECT_INT(seen->n_levels[HARDWARE_L1], 2);
        EXPECT_INT(seen->n_levels[HARDWARE_L2], 1);
        EXPECT_INT(seen->n_levels[HARDWARE_MEMORY], 1);
        EXPECT_INT(seen->n_walks, 2);
        EXPECT_INT(seen->load_cycles, 20); /* the second of 10, 20, 30, 40 */

        seen = seen_of(&run, "random branches");
        EXPECT_INT(seen->n_samples, 4);
        EXPECT_INT(seen->n_branches, 4);
        EXPECT_INT(seen->n_worst_branch, 3);
        EXPECT_INT(seen->n_worst_mispredicted, 2);
        EXPECT_INT(seen->load_cycles, 0);

        EXPECT_TRUE(!seen_of(&run, "stores 64 MiB")->was_run);
        EXPECT_INT(seen_of(&run, "stores 64 MiB")->n_samples, 0);
}

TEST(hardware_run_without_spe)
{
        AUTO_RELEASE(hardware_run) run = {0};
        struct session_builder b;
        struct err err = {0};

        builder_init(&b);
        builder_comm(&b, 1000, PID, PID, "chase 32 KiB", true);
        EXPECT_TRUE(!read_built(&b, &run, &err));
        EXPECT_TRUE(strstr(err.text, "the session has no samples of SPE"));
}

TAP_MAIN
