/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of this process: its maps with code as they come and go, names and ends. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "linux_processes.h"
#include "record.h"
#include "tap.h"

enum { PAGE = 4096, TRAILER_BYTES = 32 };

static const struct perf_attr attr = {.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
                                                     PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
                                      .flags = PERF_ATTR_SAMPLE_ID_ALL};

/* The number of records; the last one of this type comes in *ret. */
static size_t read_records(struct synth *synth, uint32_t type, struct cursor *ret)
{
        struct cursor all = cursor_make(synth->out.data, synth->out.len), record;
        struct perf_header header;
        size_t n = 0;

        while (record_next(&all, &header, &record)) {
                struct record_id id;

                EXPECT_TRUE(record_id_parse(&attr, record, &id));
                EXPECT_INT(id.time, synth->time_ns);
                EXPECT_INT(id.id, synth->id);
                if (header.type == type)
                        *ret = record;
                n++;
        }
        return n;
}

static size_t see_maps(struct synth *synth, struct proc_maps *maps, struct record_mmap *ret)
{
        struct cursor record = {0};
        size_t n;

        buf_clear(&synth->out);
        proc_synth_new_maps(synth, getpid(), maps);
        n = read_records(synth, PERF_RECORD_MMAP2, &record);
        if (n)
                EXPECT_TRUE(record_mmap_parse(record, false, ret));
        return n;
}

TEST(maps_that_are_new)
{
        struct synth synth = {.trailer_bytes = TRAILER_BYTES, .time_ns = 1234, .id = 7};
        struct proc_maps maps = {0};
        struct record_mmap map = {0};
        uint64_t code;
        void *at;

        EXPECT_TRUE(see_maps(&synth, &maps, &map) > 2);
        EXPECT_INT(see_maps(&synth, &maps, &map), 0);
        EXPECT_TRUE(proc_maps_have(&maps, (uintptr_t)proc_synth_new_maps));
        at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ASSERT_TRUE(at != MAP_FAILED);
        code = (uintptr_t)at;
        EXPECT_TRUE(!proc_maps_have(&maps, code));
        EXPECT_INT(see_maps(&synth, &maps, &map), 1);
        EXPECT_INT(map.start, code);
        EXPECT_INT(map.pid, getpid());
        EXPECT_TRUE(proc_maps_have(&maps, code + PAGE - 1) && proc_maps_have(&maps, code));
        /* One that has gone and comes back is new again. */
        munmap(at, PAGE);
        EXPECT_INT(see_maps(&synth, &maps, &map), 0);
        EXPECT_TRUE(!proc_maps_have(&maps, code));
        ASSERT_TRUE(mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
                    at);
        EXPECT_INT(see_maps(&synth, &maps, &map), 1);
        munmap(at, PAGE);
        proc_maps_release(&maps);
        proc_synth_release(&synth);
}

TEST(a_name_and_an_end)
{
        struct synth synth = {.trailer_bytes = TRAILER_BYTES, .time_ns = 99, .id = 3};
        struct record_comm comm;
        struct record_task task;
        struct cursor record = {0};

        proc_synth_comm(&synth, getpid(), getpid(), true);
        EXPECT_INT(read_records(&synth, PERF_RECORD_COMM, &record), 1);
        ASSERT_TRUE(record_comm_parse(record, &comm));
        EXPECT_TRUE(comm.exec);
        EXPECT_INT(comm.pid, getpid());
        buf_clear(&synth.out);
        proc_synth_exit(&synth, 4711, 1);
        EXPECT_INT(read_records(&synth, PERF_RECORD_EXIT, &record), 1);
        ASSERT_TRUE(record_task_parse(record, &task));
        EXPECT_INT(task.pid, 4711);
        EXPECT_INT(task.tid, 4711);
        EXPECT_INT(task.time, 99);
        proc_synth_release(&synth);
}

TAP_MAIN
