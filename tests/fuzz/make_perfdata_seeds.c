/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the seeds of fuzz_perfdata into the folder given as its argument: one small session for each part
 * of the format.  Run by hand when the format changes. */
#include <stdio.h>
#include <string.h>

#include "session_builder.h"

static const char *folder;

static void save(struct session_builder *b, const char *name)
{
        struct buf file = {0};
        char path[500];
        FILE *out;

        builder_file(b, &file);
        /* fuzz_stacks makes stacks of every fourth size. */
        if (!b->pipe)
                buf_add_zeros(&file, -file.len % 4);
        snprintf(path, sizeof(path), "%s/%s", folder, name);
        out = fopen(path, "wb");
        if (!out || fwrite(file.data, 1, file.len, out) != file.len || fclose(out))
                perror(path);
        buf_release(&file);
        builder_release(b);
}

static void build_process(struct session_builder *b)
{
        static const uint8_t id[20] = {9, 8, 7};
        uint64_t chain[] = {PERF_CONTEXT_KERNEL, 0xffffffff81000100, PERF_CONTEXT_USER, 0x400100, 0x7f0100};

        builder_kernel_mmap(b, 0, UINT64_MAX, 0xffffffff81000000, "[kernel.kallsyms]_text");
        builder_kernel_mmap(b, 0xffffffffc0000000, 0x4000, 0, "[ext4]");
        builder_comm(b, 0, 100, 100, "prog", true);
        builder_mmap_inode(b, 0, 100, 0x400000, 0x1000, 0, "/bin/prog", 77);
        builder_mmap_build_id(b, 0, 100, 0x7f0000, 0x1000, 0x1000, "/lib/l.so (deleted)", id, 20);
        builder_mmap(b, 0, 100, 0x900000, 0x1000, 0, "//anon");
        builder_mmap(b, 0, 100, 0xa00000, 0x1000, 0, "[vdso]");
        builder_mmap_data(b, 0, 100, 0xb00000, 0x1000, 0, "[heap]");
        builder_ksymbol(b, 900, 0xffffffffc0008000, 0x100, 0, "bpf_prog_1");
        builder_sample(b, 0, 1000, 100, 100, PERF_MISC_KERNEL, chain, 5);
        builder_round(b);
        builder_fork(b, 1100, 101, 100, 101, 100, 0);
        builder_sample_ip(b, 1400, 101, 101, 0x400200);
        builder_sample_ip(b, 1300, 101, 101, 0x900200);
        builder_mmap(b, 1200, 101, 0x400000, 0x800, 0, "/tmp/over");
        builder_round(b);
        builder_ksymbol(b, 1500, 0xffffffffc0008000, 0x100, 1, "bpf_prog_1");
        builder_lost(b, 1600, 5);
        builder_exit(b, 1700, 101, 100, 101, 100);
}

static void add_features(struct session_builder *b)
{
        builder_feature_str(b, 3, "host");
        builder_feature_str(b, 6, "x86_64");
        builder_feature(
                b, 2,
                "\0\0\0\0\2\0\54\0\377\377\377\377\1\2\3\4\5\6\7\10\1\2\3\4\5\6\7\10\0\0\0\0\0\0\0\0/bin/p\0",
                44);
        builder_feature(b, 224, "WPRF\1\0\0\0\2\0\0\0{}", 14);
}

static void save_modes(void)
{
        for (int way = 0; way < 16; way++) {
                struct session_builder b;
                char name[40];

                builder_init(&b);
                b.swap = way & 1;
                b.pipe = way & 2;
                b.names[0] = way & 4 ? "named" : NULL;
                build_process(&b);
                if ((way & 8) && !builder_compress(&b, 40 + 100 * (way & 4), way & 4))
                        continue;
                if (!b.swap)
                        add_features(&b);
                snprintf(name, sizeof(name), "mode-%02d", way);
                save(&b, name);
        }
}

static void save_attr_sizes(void)
{
        static const uint32_t sizes[] = {64, 72, 104, 112, 144};

        for (unsigned i = 0; i < 5; i++) {
                struct session_builder b;
                char name[40];

                builder_init(&b);
                b.attr_bytes = sizes[i];
                builder_sample_ip(&b, 1, 1, 1, 1);
                snprintf(name, sizeof(name), "attr-%u", sizes[i]);
                save(&b, name);
        }
}

/* One sample for each single field, in both byte orders: with enough numbers for any of them, and a sample
 * that is cut in it. */
static void save_sample_fields(void)
{
        for (unsigned way = 0; way < 50; way++) {
                unsigned bit = way / 2;
                struct session_builder b;
                char name[40];

                builder_init(&b);
                b.swap = way & 1;
                b.attrs[0].sample_type = 1u << bit;
                b.attrs[0].read_format = bit == 4 ? 31 : 0;
                b.attrs[0].branch_sample_type = PERF_BRANCH_HW_INDEX | PERF_BRANCH_COUNTERS;
                b.attrs[0].sample_regs_user = b.attrs[0].sample_regs_intr = 0x15;
                builder_begin(&b, PERF_RECORD_SAMPLE, PERF_MISC_USER);
                for (unsigned i = 0; i < 12; i++)
                        builder_u64(&b, i == 0 ? 1 : i + 4);
                builder_end(&b);
                builder_begin(&b, PERF_RECORD_SAMPLE, PERF_MISC_USER);
                builder_u32(&b, 1);
                builder_end(&b);
                snprintf(name, sizeof(name), "field-%02u%s", bit, b.swap ? "-swapped" : "");
                save(&b, name);
        }
}

static void add_plain(struct session_builder *b, uint32_t type, unsigned n_numbers)
{
        builder_begin(b, type, 0);
        for (unsigned i = 0; i < n_numbers; i++)
                builder_u64(b, i);
        builder_end(b);
}

/* Records whose trailer has a single field, complete and cut, in both byte orders. */
static void save_trailers(void)
{
        static const uint32_t types[] = {
                PERF_RECORD_MMAP, PERF_RECORD_LOST,    PERF_RECORD_COMM,  PERF_RECORD_EXIT,
                PERF_RECORD_FORK, PERF_RECORD_KSYMBOL, PERF_RECORD_MMAP2, PERF_RECORD_CALLCHAIN_DEFERRED,
        };
        static const uint64_t fields[] = {PERF_SAMPLE_TID,       PERF_SAMPLE_TIME, PERF_SAMPLE_ID,
                                          PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,  PERF_SAMPLE_IDENTIFIER};

        for (unsigned way = 0; way < 12; way++) {
                struct session_builder b;
                char name[40];

                builder_init(&b);
                b.swap = way & 1;
                b.attrs[0].sample_type = PERF_SAMPLE_IP | fields[way / 2];
                for (unsigned i = 0; i < N_ELEMENTS(types); i++) {
                        add_plain(&b, types[i], 10);
                        add_plain(&b, types[i], 0);
                }
                snprintf(name, sizeof(name), "trailer-%02u", way);
                save(&b, name);
        }
}

static void save_events(void)
{
        static const uint32_t types[] = {0, 1, 2, 3, 4, 5, 8};
        struct session_builder b;
        uint64_t chain[] = {5};

        for (unsigned i = 0; i + 1 < 7; i++) {
                char name[40];

                builder_init(&b);
                builder_add_event(&b, types[i], 0x10102);
                builder_add_event(&b, types[i + 1], 1);
                b.attrs[2].flags |= 3ull << PERF_ATTR_PRECISE_SHIFT;
                if (i & 1)
                        b.attrs[2].sample_type |= PERF_SAMPLE_ADDR; /* layouts differ */
                builder_sample(&b, 1, 5, 1, 1, 2, chain, 1);
                builder_sample(&b, 2, 4, 1, 1, 2, chain, 1);
                builder_feature(&b, 16, "\1\0\0\0\10\0\0\0\10\0\0\0arm_spe\0", 20);
                snprintf(name, sizeof(name), "events-%u", i);
                save(&b, name);
        }
}

static void save_records(void)
{
        struct session_builder b;

        for (uint32_t type = 1; type < 84; type++)
                if (type == 1)
                        builder_init(&b);
                else if (type != 81 && type != 83 && type != 71)
                        add_plain(&b, type, 6);
        add_plain(&b, 32770, 3);
        save(&b, "every-type");
        builder_init(&b);
        b.pipe = true;
        builder_begin(&b, PERF_RECORD_HEADER_TRACING_DATA, 0);
        builder_u32(&b, 12);
        builder_end(&b);
        builder_bytes(&b, "tracing.data....", 16);
        builder_begin(&b, PERF_RECORD_AUXTRACE, 0);
        builder_u64(&b, 8);
        builder_u64(&b, 0);
        builder_end(&b);
        builder_bytes(&b, "auxtrace", 8);
        builder_begin(&b, PERF_RECORD_EVENT_UPDATE, 0);
        builder_u64(&b, 2);
        builder_u64(&b, 11);
        builder_str(&b, "new-name");
        builder_end(&b);
        builder_begin(&b, PERF_RECORD_HEADER_BUILD_ID, 0x8002);
        builder_u32(&b, UINT32_MAX);
        builder_bytes(&b, "12345678901234567890\20\0\0\0", 24);
        builder_str(&b, "/bin/q");
        builder_end(&b);
        builder_begin(&b, PERF_RECORD_HEADER_EVENT_TYPE, 0);
        builder_u64(&b, 0);
        builder_str(&b, "old-name");
        builder_end(&b);
        builder_bytes(&b, "[ perf record: done ]\n", 22);
        save(&b, "pipe-payloads");
}

/* wperf's sections in a pipe, in pieces that are valid, too long, or have numbers of other sections. */
static void save_pieces(void)
{
        static const uint32_t numbers[] = {224, 233, 233, 239, 240, 223};
        struct session_builder b;

        builder_init(&b);
        b.pipe = true;
        for (uint32_t i = 0; i < N_ELEMENTS(numbers); i++) {
                builder_begin(&b, PERF_RECORD_HEADER_FEATURE, 0);
                builder_u64(&b, 15);
                builder_bytes(&b, "WPERFSEC", 8);
                builder_u32(&b, numbers[i]);
                builder_u32(&b, i == 3 ? 9 : 5 + i);
                builder_bytes(&b, "WPRF\1\0\0\0", 8);
                builder_end(&b);
        }
        save(&b, "pipe-pieces");
}

static uint64_t add_piece(struct session_builder *b, uint32_t number, const char *bytes, uint32_t size)
{
        uint64_t at = b->records.len;

        builder_begin(b, PERF_RECORD_HEADER_FEATURE, 0);
        builder_u64(b, 15);
        builder_bytes(b, "WPERFSEC", 8);
        builder_u32(b, number);
        builder_u32(b, size);
        builder_bytes(b, bytes, 8);
        builder_end(b);
        return at;
}

static void add_table(struct session_builder *b, unsigned feature, const uint64_t *places, size_t n)
{
        struct buf table = {0};

        buf_add(&table, "WPERFSEC", 8);
        for (size_t i = 0; i < n; i++)
                buf_add_u64(&table, places[i]);
        builder_feature(b, feature, table.data, table.len);
        buf_release(&table);
}

/* Sections that grew in a file: whole, with a place twice, of another section, too long, of no piece, and
 * outside the data. */
static void save_growing(void)
{
        struct session_builder b;
        uint64_t at[5];

        builder_init(&b);
        build_process(&b);
        at[0] = add_piece(&b, 234, "WPWA\4\0\0\0", 8);
        builder_sample_ip(&b, 1000, 10, 10, 0x401100);
        at[1] = add_piece(&b, 234, "\0\0\0\0\0\0\0\0", 8);
        at[2] = add_piece(&b, 235, "WPTK\2\0\0\0", 9);
        at[3] = 0;
        at[4] = 1 << 20;
        add_table(&b, 230, at + 4, 1);
        add_table(&b, 231, at + 3, 1);
        add_table(&b, 232, at, 0);
        add_table(&b, 233, at, 1);
        add_table(&b, 234, at, 2);
        add_table(&b, 235, at + 2, 1);
        add_table(&b, 236, (const uint64_t[]){at[1], at[0]}, 2);
        save(&b, "growing-sections");
}

static const uint64_t branches[][3] = {{0x401110, 0x402000, 2 | 3 << 4 | 1 << 20},
                                       {0x401210, 0x401100, 1 | 20 << 4},
                                       {0xffffffff81000008, 0x401200, 4 | 8},
                                       {0, 0, 0}};

static void add_caps(struct session_builder *b)
{
        static const char caps[] = "\1\0\0\0\20\0\0\0branches\0\0\0\0\0\0\0\0\10\0\0\0"
                                   "3\0\0\0\0\0\0";

        builder_feature(b, 28, caps, sizeof(caps));
}

/* Edges, the hardware's record of calls with and without further frames in the chain, and all of it in the
 * other byte order. */
static void save_branches(void)
{
        uint64_t chain[] = {PERF_CONTEXT_KERNEL,
                            0xffffffff81000100,
                            PERF_CONTEXT_USER,
                            0x402004,
                            0x401115,
                            0x401215,
                            0x401310};

        for (unsigned way = 0; way < 8; way++) {
                struct session_builder b;
                char name[40];

                builder_init(&b);
                b.swap = way & 1;
                b.attrs[0].sample_type |= PERF_SAMPLE_BRANCH_STACK;
                b.attrs[0].branch_sample_type = way & 2 ? PERF_BRANCH_CALL_STACK : 0;
                builder_comm(&b, 0, 100, 100, "prog", true);
                builder_mmap(&b, 0, 100, 0x401000, 0x2000, 0x1000, "/bin/prog");
                for (uint64_t n = 0; n <= 4; n++) {
                        builder_sample_branches(&b, 0, 1000 + n, 100, PERF_MISC_KERNEL, chain, 7 - n % 2,
                                                branches, n);
                        builder_sample_branches(&b, 0, 2000 + n, 100, PERF_MISC_USER, chain + 2, n, branches,
                                                4 - n);
                }
                /* the oldest call in the hardware's record is further out in the chain than its number
                 * says */
                builder_sample_branches(&b, 0, 3000, 100, PERF_MISC_USER, chain + 2, 5, branches + 1, 1);
                if (way & 4)
                        add_caps(&b);
                snprintf(name, sizeof(name), "branches-%u", way);
                save(&b, name);
        }
}

/* One more than the limits for a chain (STACKS_MAX_FRAMES) and for the branches in a record of calls (256);
 * compressed, because short inputs are tried more often. */
static void save_past_limits(void)
{
        static uint64_t chain[1 + 1025], many[257][3];

        chain[0] = PERF_CONTEXT_USER;
        for (size_t i = 1; i < N_ELEMENTS(chain); i++)
                chain[i] = 0x401110;
        for (size_t i = 0; i < N_ELEMENTS(many); i++) {
                many[i][0] = 0x401110;
                many[i][1] = 0x401200;
        }
        for (unsigned way = 0; way < 2; way++) {
                struct session_builder b;

                builder_init(&b);
                b.attrs[0].sample_type |= PERF_SAMPLE_BRANCH_STACK;
                b.attrs[0].branch_sample_type = PERF_BRANCH_CALL_STACK;
                if (!way)
                        b.attrs[0].sample_type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
                builder_comm(&b, 0, 100, 100, "prog", true);
                builder_mmap(&b, 0, 100, 0x401000, 0x2000, 0x1000, "/bin/prog");
                if (way)
                        builder_sample_branches(&b, 0, 1000, 100, PERF_MISC_USER, chain, 3,
                                                (const uint64_t(*)[3])many, N_ELEMENTS(many));
                else
                        builder_sample(&b, 0, 1000, 100, 100, PERF_MISC_USER, chain, N_ELEMENTS(chain));
                if (builder_compress(&b, 1024, false))
                        save(&b, way ? "past-branches" : "past-frames");
        }
}

/* All words that are not addresses, and samples that wait while the pieces in which they came are
 * replaced. */
static void save_contexts(void)
{
        static const uint64_t chain[] = {
                PERF_CONTEXT_HV,    1, PERF_CONTEXT_KERNEL,        2,
                PERF_CONTEXT_GUEST, 3, PERF_CONTEXT_GUEST_KERNEL,  4,
                PERF_CONTEXT_USER,  5, PERF_CONTEXT_GUEST_USER,    6,
                UINT64_MAX - 5,     7, PERF_CONTEXT_USER_DEFERRED,
        };

        for (unsigned way = 0; way < 4; way++) {
                struct session_builder b;
                char name[40];

                builder_init(&b);
                b.swap = way & 1;
                for (uint64_t n = 0; n < 2 * N_ELEMENTS(chain); n++)
                        builder_sample(&b, 0, 2000 - 10 * n, 100, 100, PERF_MISC_USER, chain, n / 2 + 1);
                if ((way & 2) && !builder_compress(&b, 60, false))
                        continue;
                snprintf(name, sizeof(name), "contexts-%u", way);
                save(&b, name);
        }
}

static void save_deferred(void)
{
        uint64_t user[] = {0x400100, 0x400200, 0}, late[] = {PERF_CONTEXT_USER_DEFERRED, 11};

        for (unsigned way = 0; way < 8; way++) {
                struct session_builder b;
                char name[40];

                builder_init(&b);
                b.swap = way & 1;
                b.pipe = way & 2;
                b.attrs[0].flags |= PERF_ATTR_DEFER_CALLCHAIN;
                builder_comm(&b, 0, 100, 100, "prog", true);
                builder_mmap(&b, 0, 100, 0x400000, 0x1000, 0, "/bin/prog");
                for (uint64_t i = 0; i < 6; i++) {
                        uint64_t chain[] = {PERF_CONTEXT_KERNEL, 0xffffffff81000100 + i,
                                            PERF_CONTEXT_USER_DEFERRED, 7 + i / 4};

                        builder_sample(&b, 0, 1000 + i, 100, 100 + (int32_t)(i & 1), PERF_MISC_KERNEL, chain,
                                       4);
                }
                builder_deferred(&b, 1010, 100, 100, 7, user, 3);
                builder_round(&b);
                builder_exit(&b, 1020, 100, 1, 101, 1);
                builder_deferred(&b, 1030, 100, 102, 9, user, 0);
                builder_sample(&b, 0, 1040, 100, 100, PERF_MISC_KERNEL, late, 2);
                builder_deferred(&b, 1050, 100, 100, 11, user, 2);
                if ((way & 4) && !builder_compress(&b, 60, way & 1))
                        continue;
                snprintf(name, sizeof(name), "deferred-%u", way);
                save(&b, name);
        }
}

int main(int argc, char **argv)
{
        if (argc != 2)
                return 2;
        folder = argv[1];
        save_modes();
        save_attr_sizes();
        save_sample_fields();
        save_trailers();
        save_events();
        save_records();
        save_pieces();
        save_growing();
        save_branches();
        save_past_limits();
        save_contexts();
        save_deferred();
        return 0;
}
