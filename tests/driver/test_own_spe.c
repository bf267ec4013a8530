/* SPDX-License-Identifier: BSD-3-Clause */
/* Arm SPE from the text of an event through wperf's own driver, on the simulated machine, to decoded
 * records. */
#include "event.h"
#include "os_paths.h"
#include "own_spe.h"
#include "plans.h"
#include "spe_files.h"
#include "spe_record.h"

static struct sim_machine machine;

/* --- the PMU --- */

/* The path below the folder of PMUs; NULL: it is another one. */
static const char *below(const char *path, const char *folder)
{
        size_t len = strlen(folder);

        return !strncmp(path, folder, len) && (!path[len] || path[len] == '/')
                       ? path + len + (path[len] == '/')
                       : NULL;
}

static bool read_file(void *ctx, const char *path, struct buf *out)
{
        const char *in_pmus = below(path, os_sysfs_pmus()),
                   *file = in_pmus ? below(in_pmus, "arm_spe_0") : NULL;

        return file && spe_files_read(ctx, file, out);
}

static bool list_dir(void *ctx, const char *path, bool (*each)(void *each_ctx, const char *name),
                     void *each_ctx)
{
        const char *in_pmus = below(path, os_sysfs_pmus()), *folder;

        if (!in_pmus)
                return false;
        if (!*in_pmus)
                return each(each_ctx, "arm_spe_0"), true;
        folder = below(in_pmus, "arm_spe_0");
        return folder && spe_files_list(ctx, folder, each, each_ctx);
}

/* What the driver is to set for the event. */
static bool settings_of(const char *text, struct abi_spe *ret, struct err *err)
{
        struct spe_files files = {.n_cpus = 2, .pmsidr = SIM_PMSIDR};
        struct pmu_source source = {read_file, list_dir, &files, NULL};
        struct event_list list = {0};
        bool ok = event_parse_sampling(text, NULL, &source, &list, err) &&
                  own_spe_read_event(&list.items[0], ret, err);

        event_list_release(&list);
        return ok;
}

static bool add_name(void *ctx, const char *name)
{
        buf_printf(ctx, "%s ", name);
        return true;
}

static void expect_files(const struct spe_files *files, const char *folder, const char *names)
{
        AUTO_RELEASE(buf) got = {0};

        EXPECT_TRUE(spe_files_list(files, folder, add_name, &got));
        EXPECT_STR(buf_text(&got), names);
}

static void expect_file(const struct spe_files *files, const char *file, const char *text)
{
        AUTO_RELEASE(buf) got = {0};

        EXPECT_TRUE(spe_files_read(files, file, &got));
        EXPECT_STR(buf_text(&got), text);
}

TEST(files_are_those_that_linux_has)
{
        struct spe_files all = {.n_cpus = 4, .pmsidr = SIM_PMSIDR},
                         few = {.only_operations = true, .n_cpus = 1};
        struct buf none = {0};

        expect_files(&all, "", "type cpus format caps ");
        expect_files(
                &all, "format",
                "ts_enable pa_enable pct_enable jitter branch_filter load_filter store_filter event_filter "
                "min_latency inv_event_filter ");
        expect_files(&all, "caps", "arch_inst count_size ernd min_interval ");
        expect_file(&all, "caps/min_interval", "1024\n");
        expect_file(&all, "caps/count_size", "12\n");
        expect_file(&all, "cpus", "0-3\n");
        expect_file(&all, "format/inv_event_filter", "config3:0-63\n");
        expect_files(&few, "", "type cpus format ");
        expect_files(&few, "format", "branch_filter load_filter store_filter ");
        expect_file(&few, "cpus", "0\n");
        EXPECT_TRUE(!spe_files_read(&few, "format/jitter", &none) &&
                    !spe_files_read(&few, "caps/ernd", &none));
        EXPECT_TRUE(!spe_files_list(&few, "caps", add_name, &none) &&
                    !spe_files_list(&all, "form", add_name, &none));
        EXPECT_TRUE(!spe_files_read(&all, "format", &none) && !none.len);
}

TEST(shortest_intervals)
{
        static const uint32_t wanted[16] = {256,  4096, 512,  768,  1024, 1536, 2048, 3072,
                                            4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096};

        for (uint64_t i = 0; i < 16; i++)
                EXPECT_INT(spe_min_interval(i << 8), wanted[i]);
}

/* --- what is asked for --- */

TEST(an_event_becomes_settings)
{
        static const struct {
                const char *text;
                struct abi_spe wanted;
        } cases[] = {
                {"arm_spe_0//", {.flags = ABI_SPE_TIMESTAMPS, .period = 65536}},
                {"arm_spe_0/ts=0,ld=1,st=1,b=1/:4096",
                 {.flags = ABI_SPE_LOADS | ABI_SPE_STORES | ABI_SPE_BRANCHES, .period = 4096}},
                {"arm_spe_0/pa=1,pct=1,jitter=1,period=1024/u",
                 {.flags = ABI_SPE_TIMESTAMPS | ABI_SPE_PHYSICAL | ABI_SPE_PHYSICAL_TIME | ABI_SPE_JITTER,
                  .period = 1024}},
                {"arm_spe_0/min=30,event_filter=mispredicted,inv_event_filter=0x2/uk",
                 {.flags = ABI_SPE_TIMESTAMPS | ABI_SPE_KERNEL,
                  .min_latency = 30,
                  .period = 65536,
                  .events = 0x80,
                  .events_not = 2}},
                {"arm_spe_0/min=65535/", {.flags = ABI_SPE_TIMESTAMPS, .min_latency = 4095, .period = 65536}},
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct err err = {0};
                struct abi_spe got = {0};

                if (!settings_of(cases[i].text, &got, &err) ||
                    memcmp(&got, &cases[i].wanted, sizeof(got)) != 0)
                        TAP_FAIL("%s: %s", cases[i].text, err.text);
        }
}

TEST(events_that_are_refused)
{
        struct event event = {.name = "spe", .attr = {.sample_period_or_freq = 255}};
        struct abi_spe what = {0};
        struct err err = {0};

        EXPECT_TRUE(!settings_of("arm_spe_0//k", &what, &err));
        EXPECT_CONTAINS(err.text, "always samples user mode");
        EXPECT_TRUE(!settings_of("arm_spe_0//:512", &what, &err));
        EXPECT_CONTAINS(err.text, "every 1024 operations at most");
        EXPECT_TRUE(!own_spe_read_event(&event, &what, &err));
        EXPECT_CONTAINS(err.text, "SPE takes 256 to 4294967295 operations");
        event.attr.sample_period_or_freq = UINT64_C(1) << 32;
        EXPECT_TRUE(!own_spe_read_event(&event, &what, &err));
        event.attr = (struct perf_attr){.sample_period_or_freq = 999, .flags = PERF_ATTR_FREQ};
        EXPECT_TRUE(!own_spe_read_event(&event, &what, &err));
}

TEST(what_a_core_lacks_is_refused)
{
        static const struct {
                struct abi_spe what;
                uint64_t pmsidr;
                uint8_t version;
                const char *error;
        } cases[] = {
                {{.period = 1024}, SIM_PMSIDR, 1, NULL},
                {{.period = 1024}, SIM_PMSIDR, 0, "core 5 has no SPE"},
                {{.period = 1024}, 0, 1, "core 5 has no SPE"},
                {{.period = 1023}, SIM_PMSIDR, 1, "every 1024 operations"},
                {{.period = 1024, .events = 2}, SIM_PMSIDR & ~1u, 1, "no filter of events"},
                {{.period = 1024, .flags = ABI_SPE_STORES},
                 SIM_PMSIDR & ~2u,
                 1,
                 "no filter of loads, stores"},
                {{.period = 1024, .min_latency = 1}, SIM_PMSIDR & ~4u, 1, "no filter of latency"},
                {{.period = 1024, .events_not = 2},
                 SIM_PMSIDR & ~0x40u,
                 1,
                 "no filter of events that did not"},
                {{.period = 1024, .flags = ABI_SPE_JITTER}, SIM_PMSIDR & ~0x47u, 1, NULL},
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct abi_cpu cpu = {.cpu = 5, .pmsidr = cases[i].pmsidr, .spe_version = cases[i].version};
                struct err err = {0};

                EXPECT_CMP(own_spe_check_cpu(&cases[i].what, "arm_spe_0//", &cpu, &err), ==, !cases[i].error);
                if (cases[i].error)
                        EXPECT_CONTAINS(err.text, cases[i].error);
        }
}

/* --- what is taken --- */

static int64_t ask(void *ctx, enum abi_request request, const void *in, size_t in_size, void *out,
                   size_t room, struct err *err)
{
        uint32_t bytes = 0;

        (void)ctx;
        if (request_run(machine.driver, &plan_owner, ABI_OWN(request), in, (uint32_t)in_size, out,
                        (uint32_t)room, &bytes) == REQUEST_OK)
                return bytes;
        err_set(err, ERR_IO, "refused");
        return -1;
}

static bool start(const char *text, struct own_spe_taker *taker)
{
        enum abi_lock_status status;
        struct abi_spe what;
        struct err err = {0};

        *taker = (struct own_spe_taker){.ask = ask, .cpu = 1};
        sim_machine_init(&machine, 2, 0, true);
        machine.cpus[1].frame = (struct driver_frame){.pc = 0x140001000, .user = true};
        plan_lock(&machine, &plan_owner, false, &status);
        if (!settings_of(text, &what, &err))
                return false;
        plan_add_unit(&what.cpus, 1);
        return sim_machine_request(&machine, &plan_owner, ABI_REQUEST_SET_SPE, &what, sizeof(what), NULL,
                                   0) == REQUEST_OK &&
               plan_start(&machine) == REQUEST_OK;
}

static void finish(struct own_spe_taker *taker)
{
        own_spe_taker_release(taker);
        sim_machine_release(&machine);
}

/* Compares decoded records with the operations that the filters let pass: loads of 40 cycles and more. */
static uint64_t expect_loads(const struct buf *bytes, uint64_t n)
{
        struct spe_decoder decoder = {0};
        struct spe_record record;
        uint64_t number = 0, n_records = 0;

        spe_decoder_begin(&decoder, 0);
        spe_decoder_feed(&decoder, bytes->data, bytes->len);
        while (spe_decoder_next(&decoder, &record)) {
                struct sim_operation op;

                do
                        op = sim_spe_operation(++number);
                while (op.type != SIM_SPE_LOAD || op.latency < 40);
                if (record.pc.addr != 0x140001000 || record.op.class_id != SPE_CLASS_LOAD_STORE ||
                    !(record.op.flags & SPE_OPERATION_LOAD) || record.events != op.events ||
                    record.total_cycles != op.latency || record.timestamp != number ||
                    record.virtual_addr.addr != SIM_SPE_FIRST_ADDRESS + SIM_SPE_STEP * number ||
                    record.physical_addr.addr != record.virtual_addr.addr ||
                    record.source != (op.events & 1 << 3 ? 0xe : 0))
                        TAP_FAIL("record %llu", (unsigned long long)number);
                n_records++;
        }
        EXPECT_TRUE(number <= n && !decoder.counts.damaged_bytes);
        return n_records;
}

TEST(records_are_those_of_the_machine)
{
        struct own_spe_taker taker;
        struct buf bytes = {0};
        struct err err = {0};
        uint64_t written = 0;

        ASSERT_TRUE(start("arm_spe_0/ld=1,min=40,pa=1/:1024", &taker));
        for (uint32_t i = 0; i < 20; i++) {
                written += sim_machine_sample(&machine, 1, 1 + 2000 * i);
                EXPECT_TRUE(own_spe_take(&taker, &bytes, &err));
        }
        written += sim_machine_sample(&machine, 1, 77);
        plan_stop(&machine);
        EXPECT_TRUE(own_spe_take(&taker, &bytes, &err));
        EXPECT_INT(expect_loads(&bytes, 20 + 2000 * 190 + 77), written);
        EXPECT_TRUE(written > 100000 && !taker.stalls && !taker.losses);
        EXPECT_INT(taker.n_taken, bytes.len);
        EXPECT_INT(own_spe_missing(&taker), 0);
        buf_release(&bytes);
        finish(&taker);
}

TEST(a_full_buffer_and_losses_are_counted)
{
        struct own_spe_taker taker;
        struct buf bytes = {0};
        struct err err = {0};
        uint32_t n;

        ASSERT_TRUE(start("arm_spe_0//", &taker));
        n = sim_machine_sample(&machine, 1, 1000000);
        EXPECT_TRUE(own_spe_take(&taker, &bytes, &err));
        EXPECT_INT(taker.stalls, 1);
        EXPECT_INT(bytes.len, n * SIM_SPE_RECORD_BYTES);
        sim_machine_sample(&machine, 1, 5);
        machine.cpus[1].spe[HW_PMBSR] |= SPE_STATUS_LOSS;
        plan_stop(&machine);
        EXPECT_TRUE(own_spe_take(&taker, &bytes, &err));
        EXPECT_INT(bytes.len, (n + 5) * SIM_SPE_RECORD_BYTES);
        EXPECT_TRUE(taker.stalls == 1 && taker.losses == 1);
        buf_release(&bytes);
        finish(&taker);
}

/* --- answers that cannot be --- */

struct answer {
        struct abi_spe_data head;
        int64_t size;
        unsigned n_asked;
};

static int64_t answer(void *ctx, enum abi_request request, const void *in, size_t in_size, void *out,
                      size_t room, struct err *err)
{
        struct answer *a = ctx;

        (void)request, (void)in, (void)in_size, (void)err;
        memset(out, 0x5a, room);
        memcpy(out, &a->head, sizeof(a->head));
        a->n_asked++;
        return a->size;
}

TEST(answers_that_cannot_be)
{
        static const struct answer cases[] = {
                {{.bytes = 64, .total = 100}, 31, 0},
                {{.bytes = 64, .total = 100}, 32, 0},
                {{.bytes = 64, .total = 100}, 97, 0},
                {{.bytes = 64, .total = 99}, 96, 0},
                {{.bytes = 64, .total = 100, .stalls = 1}, 96, 0},
                {{.bytes = 64, .total = 100, .stalls = 2, .losses = 2}, 96, 0},
                {{.bytes = UINT32_MAX, .total = 100, .stalls = 2, .losses = 3}, 31 + (INT64_C(1) << 32), 0},
        };

        for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
                struct answer a = cases[i];
                struct own_spe_taker taker = {
                        .ask = answer, .ctx = &a, .cpu = 7, .total = 100, .stalls = 2, .losses = 3};
                struct buf bytes = {0};
                struct err err = {0};

                EXPECT_TRUE(!own_spe_take(&taker, &bytes, &err) && !bytes.len);
                EXPECT_STR(err.text, "WPERFDRIVER-2's SPE data of core 7 can't be used");
                own_spe_taker_release(&taker);
                buf_release(&bytes);
        }
}

TEST(a_driver_that_always_has_more)
{
        enum { BYTES = 40000 };
        struct answer a = {{.bytes = BYTES, .total = 1 << 30}, BYTES + sizeof(a.head), 0};
        struct own_spe_taker taker = {.ask = answer, .ctx = &a};
        struct buf bytes = {0};

        EXPECT_TRUE(own_spe_take(&taker, &bytes, NULL));
        EXPECT_INT(a.n_asked, 64);
        EXPECT_INT(bytes.len, 64 * BYTES);
        EXPECT_INT(own_spe_missing(&taker), (1 << 30) - 64 * BYTES);
        own_spe_taker_release(&taker);
        buf_release(&bytes);
}

/* How often a taker asks in `ms`, if a byte comes each `ns_per_byte`; *ret_most: the most bytes that
 * waited. */
static unsigned count_asks(uint64_t ms, uint64_t ns_per_byte, uint64_t *ret_most)
{
        struct own_spe_taker taker = {0};
        uint64_t first_ns = 123456789, waits = 0;
        unsigned n = 0;

        *ret_most = 0;
        for (uint64_t t = 0; t < ms; t++) {
                waits += ns_per_byte ? 1000000 / ns_per_byte : 0;
                *ret_most = waits > *ret_most ? waits : *ret_most;
                if (!own_spe_is_due(&taker, first_ns + t * 1000000))
                        continue;
                own_spe_plan(&taker, first_ns + t * 1000000, waits);
                waits = 0;
                n++;
        }
        return n;
}

TEST(the_driver_is_asked_by_need)
{
        uint64_t most;

        EXPECT_CMP(count_asks(10000, 0, &most), <, 220);    /* nothing comes: 20 times a second, not 1,000 */
        EXPECT_CMP(count_asks(10000, 1000, &most), <, 220); /* 1 MB/s */
        EXPECT_CMP(most, <=, 60000);
        count_asks(10000, 10, &most); /* 100 MB/s */
        EXPECT_CMP(most, <=, SPE_BUFFER_BYTES / 2);
        EXPECT_CMP(count_asks(10000, 50, &most), <, 1100); /* 20 MB/s: 256 KiB in 13 ms */
        EXPECT_CMP(most, <=, SPE_BUFFER_BYTES / 3);
}

TAP_MAIN
