/* SPDX-License-Identifier: BSD-3-Clause */
#include "hostile_records.h"

#include <stdio.h>
#include <string.h>

#include "cfi_builder.h"
#include "perfdata_format.h"
#include "session_builder.h"

enum {
        PID = 77,
        CODE_ADDR = 0x400000,
        MAP_BYTES = 0x2000,
        CODE_BYTES = 16, /* of a function of a jitdump */
        NAME_BYTES = 24,
};

static void end_file(struct session_builder *b, struct buf *out)
{
        builder_file(b, out);
        builder_release(b);
}

void hostile_forks(uint64_t n, uint64_t size, struct buf *out)
{
        struct session_builder b;

        (void)size;
        builder_init(&b);
        for (uint64_t i = 0; i < n; i++)
                builder_mmap(&b, 1, PID, CODE_ADDR + i * MAP_BYTES, MAP_BYTES / 2, 0, "/nowhere/parent.so");
        for (uint64_t i = 0; i < n; i++) {
                int32_t child = PID + 1 + (int32_t)i;

                builder_fork(&b, 2 + i, child, PID, child, PID, 0);
                builder_mmap(&b, 2 + i, child, CODE_ADDR + i * MAP_BYTES, MAP_BYTES / 4, 0,
                             "/nowhere/child.so");
                builder_sample_ip(&b, 2 + i, child, child, CODE_ADDR + i * MAP_BYTES);
        }
        end_file(&b, out);
}

void hostile_overlaps(uint64_t n, uint64_t size, struct buf *out)
{
        struct session_builder b;

        (void)size;
        builder_init(&b);
        for (uint64_t i = 0; i < n; i++) {
                builder_mmap(&b, 2 + i, PID, CODE_ADDR + i * 16, 1 << 30, 0, "/nowhere/large.so");
                builder_mmap(&b, 2 + i, PID, CODE_ADDR + (1 << 29) + i * MAP_BYTES, MAP_BYTES / 2, 0,
                             "/nowhere/small.so");
                builder_sample_ip(&b, 2 + i, PID, PID, CODE_ADDR + (1 << 29) + i * MAP_BYTES);
        }
        end_file(&b, out);
}

void hostile_comms(uint64_t n, uint64_t size, struct buf *out)
{
        struct session_builder b;

        (void)size;
        builder_init(&b);
        for (uint64_t i = 0; i < n; i++) {
                char name[NAME_BYTES];

                snprintf(name, sizeof(name), "name-%d", (int)i);
                builder_comm(&b, 2 + i, PID, PID, name, false);
                builder_sample_ip(&b, 2 + i, PID, PID, CODE_ADDR);
        }
        end_file(&b, out);
}

void hostile_ids(uint64_t n, uint64_t size, struct buf *out)
{
        struct session_builder b;

        builder_init(&b);
        b.attrs[0].sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_READ;
        b.attrs[0].read_format = PERF_FORMAT_ID | PERF_FORMAT_GROUP;
        for (uint64_t i = 0; i < n; i++) {
                builder_begin(&b, PERF_RECORD_SAMPLE, PERF_MISC_USER);
                builder_u64(&b, b.ids[0]);
                builder_u64(&b, CODE_ADDR);
                builder_u64(&b, PID | (uint64_t)PID << 32);
                builder_u64(&b, size);
                for (uint64_t k = 0; k < size; k++) {
                        builder_u64(&b, k);
                        builder_u64(&b, b.ids[0] + k);
                }
                builder_end(&b);
        }
        end_file(&b, out);
}

void hostile_branches(uint64_t n, uint64_t size, struct buf *out)
{
        enum { MOST = 2000 };
        static uint64_t branches[MOST][3];
        const uint64_t chain[] = {PERF_CONTEXT_USER, CODE_ADDR};
        struct session_builder b;

        builder_init(&b);
        b.attrs[0].sample_type |= PERF_SAMPLE_BRANCH_STACK;
        b.attrs[0].branch_sample_type = PERF_BRANCH_ANY | PERF_BRANCH_USER;
        builder_mmap(&b, 1, PID, CODE_ADDR, 1 << 30, 0, "/nowhere/branches.so");
        for (uint64_t i = 0; i < n; i++) {
                for (uint64_t k = 0; k < size && k < MOST; k++) {
                        branches[k][0] = CODE_ADDR + (i * size + k) * 16;
                        branches[k][1] = CODE_ADDR + (i * 7919 + k * 104729) % (1 << 26) * 8;
                }
                builder_sample_branches(&b, 0, 2 + i, PID, PERF_MISC_USER, chain, 2,
                                        (const uint64_t(*)[3])branches, size < MOST ? size : MOST);
        }
        end_file(&b, out);
}

void hostile_build_ids(uint64_t n, uint64_t size, struct buf *out)
{
        AUTO_RELEASE(buf) table = {0};
        struct session_builder b;

        (void)size;
        builder_init(&b);
        builder_mmap(&b, 1, PID, CODE_ADDR, 1 << 20, 0, "/nowhere/a.so");
        builder_sample_ip(&b, 2, PID, PID, CODE_ADDR);
        for (uint64_t i = 0; i < n; i++) {
                buf_add_u32(&table, 0);
                buf_add_u16(&table, PERF_MISC_USER);
                buf_add_u16(&table, 8 + 4 + 24 + 16);
                buf_add_u32(&table, UINT32_MAX);
                buf_add_u64(&table, i + 1);
                buf_add_zeros(&table, 16);
                buf_add(&table, "/nowhere/a.so\0\0", 16);
        }
        builder_feature(&b, FEATURE_BUILD_ID, table.data, table.len);
        end_file(&b, out);
}

void hostile_rounds(uint64_t n, uint64_t size, struct buf *out)
{
        struct session_builder b;

        (void)size;
        builder_init(&b);
        for (uint64_t i = 0; i < n; i++)
                builder_round(&b);
        builder_sample_ip(&b, 2, PID, PID, CODE_ADDR);
        end_file(&b, out);
}

/* --- Jitdumps --- */

enum jit_record { JIT_LOAD = 0, JIT_MOVE = 1, JIT_UNWINDING = 4 };

static void begin_dump(struct buf *out)
{
        buf_add_u32(out, 0x4a695444);
        buf_add_u32(out, 1);
        buf_add_u32(out, 40);
        buf_add_u32(out, 62); /* x86-64 */
        buf_add_u32(out, 0);
        buf_add_u32(out, PID);
        buf_add_zeros(out, 16);
}

static void add_record(struct buf *out, enum jit_record id, uint64_t time, const struct buf *content)
{
        buf_add_u32(out, id);
        buf_add_u32(out, (uint32_t)content->len + 16);
        buf_add_u64(out, time);
        buf_add(out, content->data, content->len);
}

static void add_load(struct buf *out, uint64_t size)
{
        AUTO_RELEASE(buf) load = {0};

        buf_add_u64(&load, PID | (uint64_t)PID << 32);
        buf_add_u64(&load, CODE_ADDR);
        buf_add_u64(&load, CODE_ADDR);
        buf_add_u64(&load, size);
        buf_add_u64(&load, 1);
        buf_add(&load, "f", 2);
        memset(buf_extend(&load, size), 0x90, size);
        add_record(out, JIT_LOAD, 1, &load);
}

static void add_move(struct buf *out, uint64_t i)
{
        AUTO_RELEASE(buf) move = {0};

        buf_add_u64(&move, PID | (uint64_t)PID << 32);
        buf_add_u64(&move, CODE_ADDR + i * CODE_BYTES);
        buf_add_u64(&move, CODE_ADDR + i * CODE_BYTES);
        buf_add_u64(&move, CODE_ADDR + (i + 1) * CODE_BYTES);
        buf_add_u64(&move, CODE_BYTES);
        buf_add_u64(&move, 1);
        add_record(out, JIT_MOVE, 2 + i, &move);
}

static void add_cie(struct buf *frames, uint64_t n_letters)
{
        AUTO_RELEASE(buf) cie = {0};

        buf_add(&cie, "\1z", 2);
        memset(buf_extend(&cie, n_letters), 'S', n_letters);
        buf_add(&cie, "R\0\1\x78\20\1\3\x0c\7\10\x90\1", 12);
        cfi_add_entry(frames, 0, false, cie.data, cie.len);
}

/* Entries with absolute addresses of four bytes, which are not those of the code. */
static void add_unwinding(struct buf *out, uint64_t n, uint64_t n_letters)
{
        AUTO_RELEASE(buf) frames = {0}, content = {0};
        size_t cies[2] = {0};

        for (unsigned i = 0; i < 2; i++) {
                cies[i] = frames.len;
                add_cie(&frames, n_letters);
        }
        for (uint64_t i = 0; i < n; i++) {
                AUTO_RELEASE(buf) fde = {0};

                buf_add_u32(&fde, (uint32_t)(0x1000 + i * CODE_BYTES));
                buf_add_u32(&fde, CODE_BYTES);
                buf_add_u8(&fde, 0);
                cfi_add_entry(&frames, cies[i % 2], true, fde.data, fde.len);
        }
        buf_add_u64(&content, frames.len);
        buf_add_zeros(&content, 16);
        buf_add(&content, frames.data, frames.len);
        add_record(out, JIT_UNWINDING, 0, &content);
}

void hostile_jit_moves(uint64_t n, uint64_t size, struct buf *out)
{
        begin_dump(out);
        add_unwinding(out, size, 0);
        add_load(out, CODE_BYTES);
        for (uint64_t i = 0; i < n; i++)
                add_move(out, i);
}

void hostile_jit_augmentations(uint64_t n, uint64_t size, struct buf *out)
{
        begin_dump(out);
        add_unwinding(out, n, size);
        add_load(out, 4096);
}

void hostile_jit_samples(const char *dump, uint64_t n, struct buf *out)
{
        enum { STACK_ADDR = 0x7000, N_WORDS = 8, MASK = 0x1ff /* ax to ip, with sp at 7 and ip at 8 */ };
        struct session_builder b;

        builder_init(&b);
        b.attrs[0].sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        b.attrs[0].sample_regs_user = MASK;
        b.attrs[0].sample_stack_user = N_WORDS * 8;
        builder_feature_str(&b, FEATURE_ARCH, "x86_64");
        builder_mmap(&b, 1, PID, 0x10000, 4096, 0, dump);
        builder_mmap(&b, 1, PID, CODE_ADDR, 1 << 24, 0, "//anon");
        for (uint64_t i = 0; i < n; i++) {
                uint64_t ip = CODE_ADDR + i * CODE_BYTES % (1 << 24);

                builder_begin(&b, PERF_RECORD_SAMPLE, PERF_MISC_USER);
                builder_u64(&b, b.ids[0]);
                builder_u64(&b, ip);
                builder_u64(&b, PID | (uint64_t)PID << 32);
                builder_u64(&b, 2 + i);
                builder_u64(&b, 0);
                builder_u64(&b, 1000000);
                builder_u64(&b, 0); /* no chain */
                builder_u64(&b, 2); /* registers of 64 bits */
                for (unsigned reg = 0; reg < 9; reg++)
                        builder_u64(&b, reg == 7 ? STACK_ADDR : reg == 8 ? ip : 0);
                builder_u64(&b, N_WORDS * 8);
                for (unsigned word = 0; word < N_WORDS; word++)
                        builder_u64(&b, ip + CODE_BYTES);
                builder_u64(&b, N_WORDS * 8);
                builder_end(&b);
        }
        end_file(&b, out);
}
