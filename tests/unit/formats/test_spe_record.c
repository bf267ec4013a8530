/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams as bytes, and the records that have to come out of them: whole, in pieces, damaged. */
#include <stdlib.h>

#include "map.h"
#include "mem.h"
#include "spe_builder.h"
#include "spe_compare.h"
#include "spe_record.h"
#include "tap.h"

struct records {
        struct spe_record *all;
        size_t n, cap;
        struct spe_counts counts;
};

static void records_release(struct records *records)
{
        free(records->all);
        *records = (struct records){0};
}

static void take_records(struct spe_decoder *d, struct records *out)
{
        struct spe_record record;

        while (spe_decoder_next(d, &record))
                ARRAY_PUSH(out->all, out->n, out->cap, record);
}

static struct records decode_pieces(const void *bytes, size_t size, size_t step)
{
        struct records records = {0};
        struct spe_decoder d;

        spe_decoder_begin(&d, 0);
        for (size_t at = 0; at < size; at += step) {
                AUTO_RELEASE(buf) piece = {0}; /* freed afterwards, so that nothing may point into it */

                buf_add(&piece, (const uint8_t *)bytes + at, size - at < step ? size - at : step);
                spe_decoder_feed(&d, piece.data, piece.len);
                take_records(&d, &records);
                spe_decoder_feed(&d, NULL, 0);
        }
        spe_decoder_end(&d);
        take_records(&d, &records);
        records.counts = d.counts;
        EXPECT_INT(d.counts.record_bytes + d.counts.padding_bytes + d.counts.damaged_bytes, size);
        EXPECT_INT(d.counts.n_records, records.n);
        return records;
}

static struct records decode(const struct buf *stream)
{
        return decode_pieces(stream->data, stream->len, stream->len ? stream->len : 1);
}

static void build_stream(struct buf *out, unsigned n)
{
        for (unsigned i = 0; i < n; i++)
                spe_build_record(out, i);
}

/* Everything that a record can have. */
static void build_full_record(struct buf *out)
{
        const size_t start = out->len;

        spe_build_address(out, SPE_ADDRESS_PC, UINT64_C(0xc0ffb7ee29f38200));
        spe_build_address(out, SPE_ADDRESS_PREVIOUS_TARGET, UINT64_C(0xa0ffb7ee00000010));
        spe_build_context(out, 0, 11);
        spe_build_context(out, 1, 22);
        spe_build_operation(out, SPE_CLASS_LOAD_STORE, 0x17);
        buf_add_u8(out, 0x72);
        buf_add_u64(out, UINT64_C(0x8000000000000416));
        spe_build_counter(out, SPE_COUNTER_ISSUE, 7);
        spe_build_counter(out, SPE_COUNTER_TOTAL, 4095);
        spe_build_counter(out, SPE_COUNTER_TRANSLATION, 3);
        spe_build_counter(out, 5, 99); /* of no field */
        spe_build_address(out, SPE_ADDRESS_DATA_VIRTUAL, UINT64_C(0xabff000000001238));
        spe_build_address(out, SPE_ADDRESS_DATA_PHYSICAL, UINT64_C(0xc500000000451238));
        spe_build_address(out, SPE_ADDRESS_TARGET, UINT64_C(0x8000000000400000));
        spe_build_address(out, 6, 1); /* of no field */
        spe_build_context(out, 2, 33);
        buf_add(out, "\x53\x0d\x01", 3);
        spe_build_end(out, start, 123456789);
}

TEST(spe_record_every_field)
{
        AUTO_RELEASE(buf) stream = {0};
        struct records got;
        const struct spe_record *r;

        build_full_record(&stream);
        got = decode(&stream);
        ASSERT_CMP(got.n, ==, 1);
        r = got.all;
        EXPECT_INT(r->has, (1 << 14) - 1);
        EXPECT_INT(r->off, 0);
        EXPECT_INT(r->size_bytes, stream.len);
        EXPECT_INT(r->pc.addr, 0xffffb7ee29f38200);
        EXPECT_INT(r->pc.el, 2);
        EXPECT_INT(r->previous_target.addr, 0xffffb7ee00000010);
        EXPECT_INT(r->previous_target.el, 1);
        EXPECT_INT(r->target.addr, 0x400000);
        EXPECT_INT(r->target.el, 0);
        EXPECT_INT(r->context_el1, 11);
        EXPECT_INT(r->context_el2, 22);
        EXPECT_INT(r->op.class_id, SPE_CLASS_LOAD_STORE);
        EXPECT_INT(r->op.flags, SPE_OPERATION_STORE | SPE_OPERATION_ATOMIC | SPE_OPERATION_ORDERED);
        EXPECT_INT(r->op_payload, 0x17);
        EXPECT_INT(r->events, 0x8000000000000416);
        EXPECT_INT(r->issue_cycles, 7);
        EXPECT_INT(r->total_cycles, 4095);
        EXPECT_INT(r->translation_cycles, 3);
        EXPECT_INT(r->virtual_addr.addr, 0xffff000000001238);
        EXPECT_INT(r->virtual_addr.tag, 0xab);
        EXPECT_INT(r->physical_addr.addr, 0x451238);
        EXPECT_TRUE(r->physical_addr.is_checked);
        EXPECT_INT(r->physical_addr.tag, 5);
        EXPECT_INT(r->source, 0x10d);
        EXPECT_INT(r->timestamp, 123456789);
        EXPECT_INT(got.counts.n_damaged, 0);
        records_release(&got);
}

TEST(spe_record_without_timestamp)
{
        AUTO_RELEASE(buf) stream = {0};
        struct records got;

        spe_build_address(&stream, SPE_ADDRESS_PC, 0x1000);
        buf_add_zeros(&stream, 30);
        buf_add_u8(&stream, 1);
        got = decode(&stream);
        ASSERT_CMP(got.n, ==, 1);
        EXPECT_INT(got.all->has, SPE_HAS_PC);
        EXPECT_INT(got.all->size_bytes, 40);
        EXPECT_INT(got.counts.record_bytes, 10);
        EXPECT_INT(got.counts.padding_bytes, 30);
        records_release(&got);
}

TEST(spe_record_offsets_are_of_the_stream)
{
        AUTO_RELEASE(buf) stream = {0};
        struct spe_decoder d;
        struct spe_record record;

        buf_add_zeros(&stream, 64);
        build_stream(&stream, 2);
        spe_decoder_begin(&d, 4096);
        spe_decoder_feed(&d, stream.data, stream.len - 10);
        ASSERT_TRUE(spe_decoder_next(&d, &record));
        EXPECT_INT(record.off, 4096 + 64);
        EXPECT_TRUE(!spe_decoder_next(&d, &record));
        /* The rest was lost: the stream goes on elsewhere. */
        spe_decoder_end(&d);
        EXPECT_TRUE(!spe_decoder_next(&d, &record));
        EXPECT_INT(d.counts.n_damaged, 1);
        EXPECT_INT(d.counts.padding_bytes + d.counts.damaged_bytes + d.counts.record_bytes, stream.len - 10);
        spe_decoder_resume(&d, 1 << 20);
        spe_decoder_feed(&d, stream.data + SPE_BUILT_BYTES, SPE_BUILT_BYTES);
        ASSERT_TRUE(spe_decoder_next(&d, &record));
        EXPECT_INT(record.off, 1 << 20);
        EXPECT_INT(d.counts.n_records, 2);
}

TEST(spe_record_same_in_pieces_of_every_size)
{
        AUTO_RELEASE(buf) stream = {0};
        struct records whole;

        build_stream(&stream, 30);
        buf_add(&stream, "\xff\xb0\x71", 3);
        build_stream(&stream, 3);
        build_full_record(&stream);
        whole = decode(&stream);
        EXPECT_INT(whole.n, 34);
        for (size_t step = 1; step <= stream.len; step++) {
                struct records pieces = decode_pieces(stream.data, stream.len, step);

                EXPECT_INT(pieces.n, whole.n);
                for (size_t i = 0; i < pieces.n && i < whole.n; i++)
                        EXPECT_TRUE(spe_same_record(&pieces.all[i], &whole.all[i]) &&
                                    pieces.all[i].off == whole.all[i].off);
                EXPECT_TRUE(!memcmp(&pieces.counts, &whole.counts, sizeof(whole.counts)));
                records_release(&pieces);
        }
        records_release(&whole);
}

/* Each byte of the first record missing: the second one comes out, and the first one not or changed. */
TEST(spe_record_cut_before_the_next)
{
        AUTO_RELEASE(buf) stream = {0};

        build_stream(&stream, 3);
        for (size_t start = 1; start <= 64; start++) {
                struct records got = decode_pieces(stream.data + start, stream.len - start, stream.len);
                struct records want = decode(&stream);

                EXPECT_INT(got.n, 2);
                EXPECT_TRUE(got.n == 2 && spe_same_record(&got.all[0], &want.all[1]) &&
                            spe_same_record(&got.all[1], &want.all[2]));
                /* Estimated by the end that is left. */
                EXPECT_TRUE(start > 55 || got.counts.n_damaged > 0);
                EXPECT_INT(got.counts.damaged_bytes > 0, start < 61); /* zeros are padding */
                records_release(&got);
                records_release(&want);
        }
}

TEST(spe_record_cut_at_the_end)
{
        AUTO_RELEASE(buf) stream = {0};

        build_stream(&stream, 3);
        for (size_t size = 129; size < 192; size++) {
                struct records got = decode_pieces(stream.data, size, 1000);

                EXPECT_INT(got.n, 2);
                EXPECT_INT(got.counts.n_damaged, size >= 137); /* the PC is whole */
                EXPECT_CMP(got.counts.damaged_bytes, >, 0);
                records_release(&got);
        }
}

/* What stands before, in the middle of and behind the first of two records; `n` records have to come out. */
static void expect_with_stray(const void *stray, size_t n_stray, size_t at, size_t n, size_t n_damaged,
                              size_t n_bytes)
{
        AUTO_RELEASE(buf) clean = {0};
        AUTO_RELEASE(buf) stream = {0};
        struct records got;

        build_stream(&clean, 3);
        buf_add(&stream, clean.data, at);
        buf_add(&stream, stray, n_stray);
        buf_add(&stream, clean.data + at, clean.len - at);
        got = decode(&stream);
        EXPECT_INT(got.n, n);
        EXPECT_INT(got.counts.n_damaged, n_damaged);
        EXPECT_INT(got.counts.damaged_bytes, n_bytes);
        records_release(&got);
}

TEST(spe_record_stray_bytes_between_records)
{
        /* A byte that looks like a header must not take the next record's first bytes. */
        for (unsigned header = 1; header < 256; header++) {
                const uint8_t stray = (uint8_t)header;
                const bool is_end = header == 0x01;

                expect_with_stray(&stray, 1, 64, 3, is_end, 1);
                /* Nothing is known of the stream's order yet: 0x20 and a PC are a PC with an extended
                 * header. */
                expect_with_stray(&stray, 1, 0, 3, is_end, header != 0x20);
        }
        expect_with_stray("\xff\xff\xff", 3, 64, 3, 0, 3);
        expect_with_stray("\x98\x05\x00", 3, 64, 3, 0, 3); /* a whole counter */
        expect_with_stray("\0\0\0\0", 4, 64, 3, 0, 0);
}

TEST(spe_record_impossible_content)
{
        AUTO_RELEASE(buf) stream = {0};
        struct records got;

        build_stream(&stream, 1);
        /* Two PCs, no PC, a PC at an odd address, two operations, a source of more than 16 bits. */
        spe_build_address(&stream, SPE_ADDRESS_PC, 0x1000);
        spe_build_counter(&stream, SPE_COUNTER_TOTAL, 1);
        spe_build_counter(&stream, SPE_COUNTER_TOTAL, 2);
        buf_add_u8(&stream, 1);
        build_stream(&stream, 1);
        spe_build_counter(&stream, SPE_COUNTER_TOTAL, 2);
        buf_add_u8(&stream, 1);
        build_stream(&stream, 1);
        spe_build_address(&stream, SPE_ADDRESS_PC, 0x1002);
        buf_add_u8(&stream, 1);
        build_stream(&stream, 1);
        spe_build_address(&stream, SPE_ADDRESS_PC, 0x1000);
        spe_build_operation(&stream, SPE_CLASS_OTHER, 0);
        spe_build_operation(&stream, SPE_CLASS_OTHER, 0);
        buf_add_u8(&stream, 1);
        build_stream(&stream, 1);
        spe_build_address(&stream, SPE_ADDRESS_PC, 0x1000);
        buf_add(&stream, "\x63\x00\x00\x01\x00\x01", 6);
        build_stream(&stream, 1);
        got = decode(&stream);
        EXPECT_INT(got.n, 6);
        EXPECT_INT(got.counts.n_damaged, 5);
        records_release(&got);
}

/* The end of a record is gone: the next one's PC would be its second. */
TEST(spe_record_without_its_end)
{
        AUTO_RELEASE(buf) stream = {0};
        struct records got, want;

        build_stream(&stream, 4);
        want = decode(&stream);
        memset(stream.data + 2 * SPE_BUILT_BYTES - SPE_TIMESTAMP_BYTES, 0, SPE_TIMESTAMP_BYTES);
        got = decode(&stream);
        EXPECT_INT(got.n, 3);
        EXPECT_INT(got.counts.n_damaged, 1);
        EXPECT_TRUE(got.n == 3 && spe_same_record(&got.all[1], &want.all[2]));
        records_release(&got);
        records_release(&want);
}

/* Old models of Arm's write the operation first and the PC in the middle. */
static void build_operation_first(struct buf *out, unsigned i)
{
        spe_build_operation(out, SPE_CLASS_LOAD_STORE, i & 1);
        spe_build_address(out, SPE_ADDRESS_DATA_VIRTUAL, 0x100000 + i * 8);
        buf_add(out, "\x42\x16", 2);
        spe_build_address(out, SPE_ADDRESS_PC, 0x1000 + i * 4);
        spe_build_counter(out, SPE_COUNTER_TOTAL, i);
        buf_add_u8(out, 0x71);
        buf_add_u64(out, 1000 + i);
}

TEST(spe_record_pc_in_the_middle)
{
        AUTO_RELEASE(buf) stream = {0};
        struct records got;

        for (unsigned i = 0; i < 4; i++)
                build_operation_first(&stream, i);
        buf_add_u8(&stream, 0xff);
        for (unsigned i = 4; i < 8; i++)
                build_operation_first(&stream, i);
        got = decode(&stream);
        EXPECT_INT(got.n, 8);
        EXPECT_INT(got.counts.damaged_bytes, 1);
        for (size_t i = 0; i < got.n; i++) {
                EXPECT_INT(got.all[i].pc.addr, 0x1000 + i * 4);
                EXPECT_INT(got.all[i].virtual_addr.addr, 0x100000 + i * 8);
        }
        records_release(&got);
}

/* One record of another order is damage, two in a row are a stream of another order. */
TEST(spe_record_order_is_learned_again)
{
        AUTO_RELEASE(buf) stream = {0};
        struct records got;

        build_operation_first(&stream, 0);
        build_operation_first(&stream, 1);
        build_stream(&stream, 5);
        got = decode(&stream);
        EXPECT_INT(got.n, 6);
        EXPECT_INT(got.counts.n_damaged, 1);
        records_release(&got);
}

TEST(spe_record_too_long)
{
        for (size_t n_padding = 400; n_padding < 600; n_padding++) {
                AUTO_RELEASE(buf) stream = {0};
                struct records got;
                size_t size;

                build_stream(&stream, 1);
                spe_build_address(&stream, SPE_ADDRESS_PC, 0x1000);
                buf_add_zeros(&stream, n_padding);
                spe_build_counter(&stream, SPE_COUNTER_TOTAL, 1);
                buf_add_u8(&stream, 1);
                size = stream.len - 64;
                build_stream(&stream, 1);
                got = decode(&stream);
                EXPECT_INT(got.n, size <= SPE_RECORD_MAX_BYTES ? 3 : 2);
                EXPECT_INT(got.counts.n_damaged, size > SPE_RECORD_MAX_BYTES);
                records_release(&got);
        }
}

TEST(spe_record_nothing)
{
        struct spe_decoder d;
        struct spe_record record;

        spe_decoder_begin(&d, 0);
        EXPECT_TRUE(!spe_decoder_next(&d, &record));
        spe_decoder_feed(&d, NULL, 0);
        EXPECT_TRUE(!spe_decoder_next(&d, &record));
        spe_decoder_end(&d);
        EXPECT_TRUE(!spe_decoder_next(&d, &record));
        EXPECT_TRUE(!spe_decoder_next(&d, &record));
        EXPECT_INT(d.counts.n_records + d.counts.n_damaged, 0);
}

enum { N_TRIALS = 1000, N_RECORDS = 40 };

/* Are all records there that lie outside of bytes [from, to)?  They may have moved by `moved` bytes behind
 * it. */
static size_t count_missing(const struct records *want, const struct records *got, size_t from, size_t to)
{
        size_t at = 0, n_missing = 0;

        for (size_t i = 0; i < want->n; i++) {
                const struct spe_record *record = &want->all[i];
                size_t found = at;

                if (record->off < to && record->off + record->size_bytes > from)
                        continue;
                while (found < got->n && !spe_same_record(record, &got->all[found]))
                        found++;
                if (found == got->n)
                        n_missing++;
                else
                        at = found + 1;
        }
        return n_missing;
}

/* In pieces that are too small for a shape, so that each record is read packet by packet. */
static void expect_without_shapes(const struct buf *stream, const struct records *got)
{
        struct records want = decode_pieces(stream->data, stream->len, SPE_SHAPE_READ_BYTES - 1);

        EXPECT_TRUE(!memcmp(&want.counts, &got->counts, sizeof(want.counts)));
        ASSERT_CMP(want.n, ==, got->n);
        for (size_t i = 0; i < want.n; i++)
                EXPECT_TRUE(want.all[i].off == got->all[i].off &&
                            spe_same_record(&want.all[i], &got->all[i]));
        records_release(&want);
}

/* Random bytes put between the bytes of a stream, or over them. */
static size_t run_trial(const struct buf *clean, const struct records *want, uint64_t seed, bool is_insertion,
                        size_t *n_extra)
{
        AUTO_RELEASE(buf) stream = {0};
        uint64_t random = map_mix(seed);
        const size_t n = 1 + random % 40, at = map_mix(random) % (clean->len - n);
        const size_t n_over = is_insertion ? 0 : n;
        struct records got;
        size_t n_missing, n_hit = 0;

        buf_add(&stream, clean->data, at);
        for (size_t i = 0; i < n; i++)
                buf_add_u8(&stream, (uint8_t)(random = map_mix(random + i)));
        buf_add(&stream, clean->data + at + n_over, clean->len - at - n_over);
        got = decode(&stream);
        expect_without_shapes(&stream, &got);
        n_missing = count_missing(want, &got, at, at + n_over);
        for (size_t i = 0; i < want->n; i++)
                n_hit += want->all[i].off < at + n_over && want->all[i].off + want->all[i].size_bytes > at;
        *n_extra += got.n > want->n;
        EXPECT_CMP(got.n + n_hit, >=, want->n);
        records_release(&got);
        return n_missing;
}

static void run_trials(bool is_insertion)
{
        AUTO_RELEASE(buf) clean = {0};
        struct records want;
        size_t n_missing = 0, n_extra = 0;

        build_stream(&clean, N_RECORDS);
        want = decode(&clean);
        EXPECT_INT(want.n, N_RECORDS);
        for (uint64_t trial = 0; trial < N_TRIALS; trial++)
                n_missing += run_trial(&clean, &want, 1 + trial, is_insertion, &n_extra);
        printf("# %d trials: %zu records lost that were not hit, %zu times more records than written\n",
               N_TRIALS, n_missing, n_extra);
        EXPECT_INT(n_missing, 0);
        EXPECT_INT(n_extra, 0);
        records_release(&want);
}

TEST(spe_record_random_bytes_between)
{
        run_trials(true);
}

TEST(spe_record_random_bytes_over)
{
        run_trials(false);
}

/* The rest of a damaged record can look like one; its PC is then mostly no address of code. */
TEST(spe_record_unlikely_pc)
{
        AUTO_RELEASE(buf) stream = {0};
        struct records got;

        build_stream(&stream, 2);
        buf_add_u8(&stream, 0xff);
        spe_build_address(&stream, SPE_ADDRESS_PC, UINT64_C(0x8071000000000000));
        buf_add_u8(&stream, 1);
        spe_build_address(&stream, SPE_ADDRESS_PC, UINT64_C(0x8071000000000010));
        buf_add_u8(&stream, 1);
        build_stream(&stream, 2);
        got = decode(&stream);
        /* The second one stands in sync. */
        EXPECT_INT(got.n, 5);
        EXPECT_INT(got.counts.damaged_bytes, 1 + 10);
        EXPECT_TRUE(got.n == 5 && got.all[2].pc.addr == UINT64_C(0x0071000000000010));
        records_release(&got);
}

TAP_MAIN
