/* SPDX-License-Identifier: BSD-3-Clause */
#include "record.h"

#include <stddef.h>
#include <string.h>

#include "session_builder.h"
#include "tap.h"

static struct cursor last_record(const struct session_builder *b)
{
        struct cursor c = cursor_make(b->records.data + b->record_start, b->records.len - b->record_start);

        c.swap = b->swap;
        return c;
}

/* A record of any shorter length must be refused, and not be read past its end. */
#define EXPECT_CUTS_REFUSED(b, parse, smallest)                                                              \
        do {                                                                                                 \
                struct cursor whole = last_record(b);                                                        \
                for (size_t cut = 8; cut < (smallest); cut++) {                                              \
                        struct cursor part = cursor_sub(&whole, 0, cut);                                     \
                        EXPECT_TRUE(!(parse));                                                               \
                }                                                                                            \
        } while (0)

static void build_full_sample(struct session_builder *b)
{
        builder_begin(b, PERF_RECORD_SAMPLE, PERF_MISC_USER | PERF_MISC_EXACT_IP);
        builder_u64(b, 99);     /* identifier */
        builder_u64(b, 0x1234); /* ip */
        builder_u32(b, 7);
        builder_u32(b, 8);
        builder_u64(b, 5000); /* time */
        builder_u64(b, 0xadd);
        builder_u64(b, 99); /* id */
        builder_u64(b, 98); /* stream */
        builder_u32(b, 3);  /* cpu */
        builder_u32(b, 0);
        builder_u64(b, 4711); /* period */
        builder_u64(b, 2);    /* read group: n, enabled, running, 2 * (value, id, lost) */
        for (uint64_t i = 0; i < 8; i++)
                builder_u64(b, 100 + i);
        builder_u64(b, 2); /* chain */
        builder_u64(b, PERF_CONTEXT_USER);
        builder_u64(b, 0x1234);
        builder_u32(b, 4); /* raw */
        builder_bytes(b, "rawb", 4);
        builder_u64(b, 1); /* branches */
        builder_u64(b, 5); /* hw_idx */
        builder_u64(b, 0x10);
        builder_u64(b, 0x20);
        /* mispredicted, in a transaction, 16 cycles, type 3, speculation 2 */
        builder_u64(b, b->swap ? 0xa0800c4000000000u : 1 | 4 | 16 << 4 | 3 << 20 | 2 << 24);
        builder_u64(b, 77); /* its counters */
        builder_u64(b, 2);  /* user registers: abi, two of them */
        builder_u64(b, 0xa0);
        builder_u64(b, 0xa1);
        builder_u64(b, 16); /* stack */
        builder_bytes(b, "0123456789abcdef", 16);
        builder_u64(b, 10);                          /* of it used */
        builder_u64(b, 5 | 6ull << 32 | 7ull << 48); /* weight struct */
        builder_u64(b, 0xda7a);
        builder_u64(b, 0x77);
        builder_u64(b, 0); /* interrupt registers: none */
        builder_u64(b, 0xbeef);
        builder_u64(b, 0xc6);
        builder_u64(b, 4096);
        builder_u64(b, 65536);
        builder_u64(b, 8);
        builder_bytes(b, "auxauxau", 8);
        builder_end(b);
}

static struct perf_attr full_attr(void)
{
        return (struct perf_attr){
                .sample_type = PERF_SAMPLE_KNOWN & ~(uint64_t)PERF_SAMPLE_WEIGHT,
                .read_format = 31,
                .branch_sample_type = PERF_BRANCH_HW_INDEX | PERF_BRANCH_COUNTERS,
                .sample_regs_user = 5,
                .sample_regs_intr = 7,
        };
}

static void expect_full_sample(const struct sample *s)
{
        struct cursor c;
        struct branch branch = {0};

        EXPECT_INT(s->misc, PERF_MISC_USER | PERF_MISC_EXACT_IP);
        EXPECT_INT(s->id, 99);
        EXPECT_INT(s->ip, 0x1234);
        EXPECT_INT(s->pid, 7);
        EXPECT_INT(s->tid, 8);
        EXPECT_INT(s->time, 5000);
        EXPECT_INT(s->addr, 0xadd);
        EXPECT_INT(s->stream_id, 98);
        EXPECT_INT(s->cpu, 3);
        EXPECT_INT(s->period, 4711);
        EXPECT_INT(cursor_left(&s->read), 72);
        EXPECT_INT(s->n_chain, 2);
        c = s->chain;
        EXPECT_CMP(cursor_u64(&c), ==, PERF_CONTEXT_USER);
        EXPECT_INT(cursor_u64(&c), 0x1234);
        EXPECT_TRUE(cursor_left(&s->raw) == 4 && !memcmp(s->raw.at, "rawb", 4));
        EXPECT_INT(s->n_branches, 1);
        EXPECT_TRUE(sample_branch(s, 0, &branch) && !sample_branch(s, 1, &branch));
        EXPECT_TRUE(branch.from == 0x10 && branch.to == 0x20 && branch.mispredicted && !branch.predicted);
        EXPECT_INT(branch.cycles, 16);
        EXPECT_TRUE(branch.in_transaction && !branch.aborts);
        EXPECT_INT(branch.type, 3);
        EXPECT_INT(branch.speculation, 2);
        EXPECT_INT(s->branch_top, 5);
        EXPECT_INT(cursor_left(&s->branch_counters), 8);
        EXPECT_INT(s->regs_user_abi, 2);
        EXPECT_INT(cursor_left(&s->regs_user), 16);
        EXPECT_INT(cursor_left(&s->stack_user), 10);
        EXPECT_INT(s->weight, 5);
        EXPECT_INT(s->ins_lat, 6);
        EXPECT_INT(s->p_stage_cyc, 7);
        EXPECT_INT(s->data_src, 0xda7a);
        EXPECT_INT(s->transaction, 0x77);
        EXPECT_INT(cursor_left(&s->regs_intr), 0);
        EXPECT_INT(s->phys_addr, 0xbeef);
        EXPECT_INT(s->cgroup, 0xc6);
        EXPECT_INT(s->data_page_bytes, 4096);
        EXPECT_INT(s->code_page_bytes, 65536);
        EXPECT_TRUE(cursor_left(&s->aux) == 8 && !memcmp(s->aux.at, "aux", 3));
}

static void try_full_sample(bool swap)
{
        struct perf_attr attr = full_attr();
        struct session_builder b;
        struct sample s;

        builder_init(&b);
        b.swap = swap;
        build_full_sample(&b);
        EXPECT_TRUE(sample_parse(&attr, last_record(&b), &s));
        expect_full_sample(&s);
        EXPECT_CUTS_REFUSED(&b, sample_parse(&attr, part, &s), b.records.len);
        builder_release(&b);
}

TEST(records_are_taken_one_by_one)
{
        struct session_builder b;
        struct perf_header header;
        struct cursor all, record;

        builder_init(&b);
        builder_comm(&b, 1, 7, 7, "a", false);
        builder_round(&b);
        all = cursor_make(b.records.data, b.records.len);
        EXPECT_TRUE(record_next(&all, &header, &record) && header.type == PERF_RECORD_COMM);
        EXPECT_INT(cursor_left(&record), header.size);
        EXPECT_TRUE(record_next(&all, &header, &record) && header.type == PERF_RECORD_FINISHED_ROUND);
        EXPECT_TRUE(!record_next(&all, &header, &record));
        for (size_t cut = 0; cut < b.records.len - 8; cut++) {
                bool first_is_whole = false;

                all = cursor_make(b.records.data, cut);
                while (record_next(&all, &header, &record))
                        first_is_whole = true;
                EXPECT_TRUE(!first_is_whole);
        }
        memset(b.records.data + offsetof(struct perf_header, size), 0, sizeof(header.size));
        all = cursor_make(b.records.data, b.records.len);
        EXPECT_TRUE(!record_next(&all, &header, &record));
        builder_release(&b);
}

TEST(sample_with_every_field)
{
        try_full_sample(false);
}

TEST(sample_of_the_other_byte_order)
{
        try_full_sample(true);
}

TEST(sample_without_fields_has_defaults)
{
        struct perf_attr attr = {0};
        struct session_builder b;
        struct sample s;

        builder_init(&b);
        builder_begin(&b, PERF_RECORD_SAMPLE, 0);
        builder_end(&b);
        EXPECT_TRUE(sample_parse(&attr, last_record(&b), &s));
        EXPECT_TRUE(s.pid == -1 && s.tid == -1 && s.cpu == UINT32_MAX && !s.ip && !s.n_chain);
        builder_release(&b);
}

/* Counts in the file have their maximum values. */
TEST(sample_counts_at_extremes)
{
        static const uint64_t types[] = {PERF_SAMPLE_READ,         PERF_SAMPLE_CALLCHAIN,  PERF_SAMPLE_RAW,
                                         PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_STACK_USER, PERF_SAMPLE_AUX};
        static const uint64_t counts[] = {UINT64_MAX, UINT64_MAX / 8, UINT64_MAX / 24 + 1,
                                          UINT32_MAX, 1 << 16,        3};

        for (size_t i = 0; i < N_ELEMENTS(types); i++) {
                for (size_t j = 0; j < N_ELEMENTS(counts); j++) {
                        struct perf_attr attr = {.sample_type = types[i], .read_format = PERF_FORMAT_GROUP};
                        struct session_builder b;
                        struct sample s;

                        builder_init(&b);
                        builder_begin(&b, PERF_RECORD_SAMPLE, 0);
                        builder_u64(&b, counts[j]);
                        builder_end(&b);
                        EXPECT_TRUE(!sample_parse(&attr, last_record(&b), &s) ||
                                    (types[i] == PERF_SAMPLE_RAW && counts[j] == 3));
                        builder_release(&b);
                }
        }
}

TEST(read_formats_without_a_group)
{
        struct perf_attr attr = {.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_DATA_SRC};

        for (unsigned format = 0; format < 32; format++) {
                unsigned n = 1 + (unsigned)__builtin_popcount(format & 23), group = format >> 3 & 1;
                struct session_builder b;
                struct sample s;

                builder_init(&b);
                builder_begin(&b, PERF_RECORD_SAMPLE, 0);
                for (unsigned i = 0; i < n + group; i++)
                        builder_u64(&b, 1);
                builder_u64(&b, 0xd5);
                builder_end(&b);
                attr.read_format = format;
                EXPECT_TRUE(sample_parse(&attr, last_record(&b), &s));
                EXPECT_INT(s.data_src, 0xd5);
                builder_release(&b);
        }
}

TEST(trailer_fields)
{
        struct session_builder b;
        struct record_id id;

        for (int swap = 0; swap < 2; swap++) {
                builder_init(&b);
                b.swap = swap;
                b.cpu = 5;
                b.attrs[0].sample_type |= PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;
                builder_comm(&b, 777, 3, 4, "worker", false);
                EXPECT_INT(record_id_bytes(&b.attrs[0]), 48);
                EXPECT_TRUE(record_id_parse(&b.attrs[0], last_record(&b), &id));
                EXPECT_TRUE(id.pid == 3 && id.tid == 4 && id.cpu == 5 && id.time == 777 && id.id == 11);
                EXPECT_INT(id.stream_id, 11);
                EXPECT_CUTS_REFUSED(&b, record_id_parse(&b.attrs[0], part, &id), 56);
                b.attrs[0].flags = 0;
                EXPECT_TRUE(record_id_parse(&b.attrs[0], last_record(&b), &id) && id.pid == -1);
                builder_release(&b);
        }
}

TEST(mmap_records)
{
        static const uint8_t build_id[20] = {1, 2, 3, 4, 5};
        struct session_builder b;
        struct record_mmap map;

        builder_init(&b);
        b.attrs[0].flags = 0;
        builder_mmap_inode(&b, 1, 10, 0x1000, 0x2000, 0x3000, "/bin/x", 4242);
        EXPECT_TRUE(record_mmap_parse(last_record(&b), true, &map));
        EXPECT_TRUE(map.pid == 10 && map.start == 0x1000 && map.len == 0x2000 && map.pgoff == 0x3000);
        EXPECT_TRUE(map.maj == 8 && map.min == 1 && map.inode == 4242 && map.prot == 5 && !map.build_id_size);
        EXPECT_STR(map.path, "/bin/x");
        EXPECT_CUTS_REFUSED(&b, record_mmap_parse(part, true, &map), 79);
        builder_mmap_build_id(&b, 1, 10, 0x1000, 0x2000, 0, "/bin/y", build_id, 20);
        EXPECT_TRUE(record_mmap_parse(last_record(&b), true, &map));
        EXPECT_INT(map.build_id_size, 20);
        EXPECT_TRUE(!memcmp(map.build_id, build_id, 20) && !map.inode);
        builder_kernel_mmap(&b, 0xffffffff81000000, 0x1000, 0xffffffff81000000, "[kernel.kallsyms]_text");
        EXPECT_TRUE(record_mmap_parse(last_record(&b), true, &map) && map.prot == 4 && map.pid == -1);
        builder_release(&b);
}

/* The kernel marks the records of all events if any of them asked for build ids. */
TEST(a_build_id_counts_where_it_was_asked_for)
{
        static const uint8_t bytes[20] = {0, 0, 0, 0, 42};
        struct session_builder b;
        struct record_mmap map;

        builder_init(&b);
        builder_mmap_build_id(&b, 1, 10, 0x1000, 0x2000, 0, "/bin/y", bytes, 8);
        EXPECT_TRUE(record_mmap_has_build_id(last_record(&b), true));
        EXPECT_TRUE(!record_mmap_has_build_id(last_record(&b), false));
        EXPECT_TRUE(record_mmap_parse(last_record(&b), false, &map));
        EXPECT_TRUE(!map.build_id_size && map.maj == 8);
        for (unsigned size = 0; size < 256; size++) {
                bool is_size = size && size <= BUILD_ID_MAX;

                builder_mmap_build_id(&b, 1, 10, 0x1000, 0x2000, 0, "/bin/y", bytes, (uint8_t)size);
                EXPECT_CMP(record_mmap_has_build_id(last_record(&b), true), ==, is_size);
                EXPECT_TRUE(record_mmap_parse(last_record(&b), true, &map));
                EXPECT_INT(map.build_id_size, is_size ? size : 0);
                EXPECT_INT(map.maj, is_size ? 0 : size);
        }
        builder_release(&b);
}

TEST(other_records)
{
        struct record_stat_round round;
        struct record_ksymbol symbol;
        struct session_builder b;
        struct record_comm comm;
        struct record_task task;
        struct record_lost lost;
        struct record_stat stat;

        builder_init(&b);
        b.attrs[0].flags = 0;
        builder_comm(&b, 1, 2, 3, "exec", true);
        EXPECT_TRUE(record_comm_parse(last_record(&b), &comm) && comm.exec && comm.pid == 2 && comm.tid == 3);
        EXPECT_STR(comm.name, "exec");
        EXPECT_CUTS_REFUSED(&b, record_comm_parse(part, &comm), 21);
        builder_fork(&b, 9, 2, 1, 3, 1, 0);
        EXPECT_TRUE(record_task_parse(last_record(&b), &task) && task.ppid == 1 && task.time == 9);
        EXPECT_CUTS_REFUSED(&b, record_task_parse(part, &task), 32);
        builder_lost(&b, 1, 17);
        EXPECT_TRUE(record_lost_parse(last_record(&b), &lost) && lost.id == 11 && lost.lost == 17);
        EXPECT_CUTS_REFUSED(&b, record_lost_parse(part, &lost), 24);
        builder_ksymbol(&b, 1, 0xc000, 64, 1, "bpf_prog_1");
        EXPECT_TRUE(record_ksymbol_parse(last_record(&b), &symbol) && symbol.len == 64 && symbol.flags == 1);
        EXPECT_STR(symbol.name, "bpf_prog_1");
        builder_begin(&b, PERF_RECORD_STAT, 0);
        for (uint32_t i = 0; i < 6; i++)
                builder_u64(&b, i + 1);
        builder_end(&b);
        EXPECT_TRUE(record_stat_parse(last_record(&b), &stat) && stat.id == 1 && stat.cpu == 2);
        EXPECT_TRUE(stat.value == 3 && stat.enabled_ns == 4 && stat.running_ns == 5);
        EXPECT_TRUE(record_stat_round_parse(last_record(&b), &round) && round.type == 1 && round.time == 2);
        builder_release(&b);
}

TEST(type_names)
{
        EXPECT_STR(record_type_name(PERF_RECORD_MMAP2), "MMAP2");
        EXPECT_TRUE(!record_type_name(0) && !record_type_name(63) && !record_type_name(84) &&
                    !record_type_name(UINT32_MAX));
}

TAP_MAIN
