/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes seeds of fuzz_spe into a folder: the size of the pieces, less one, then a stream. */
#include <string.h>

#include "save_seed.h"
#include "spe_builder.h"

static const char *folder;

static struct buf begin(unsigned piece_bytes)
{
        struct buf seed = {0};

        buf_add_u8(&seed, (uint8_t)(piece_bytes - 1));
        return seed;
}

static void add_records(struct buf *seed, unsigned from, unsigned to)
{
        for (unsigned i = from; i < to; i++)
                spe_build_record(seed, i);
}

static void add_pc(struct buf *seed, uint64_t payload)
{
        spe_build_address(seed, SPE_ADDRESS_PC, payload);
}

static void save_plain(void)
{
        struct buf seed = begin(256);

        add_records(&seed, 0, 6);
        save_seed(folder, "plain", &seed);
        seed = begin(1);
        add_records(&seed, 0, 4);
        save_seed(folder, "plain_byte_by_byte", &seed);
        seed = begin(50);
        add_records(&seed, 0, 4);
        buf_truncate(&seed, seed.len - 20);
        save_seed(folder, "cut_at_the_end", &seed);
        seed = begin(20);
        buf_add_zeros(&seed, 30);
        add_records(&seed, 0, 1);
        save_seed(folder, "padding_first", &seed);
        seed = begin(256);
        save_seed(folder, "nothing", &seed);
}

/* One record a payload, with events and a source by the way; in seeds of at most 2 KB. */
static void save_operations(void)
{
        for (unsigned class_id = 0; class_id < 4; class_id++) {
                for (unsigned from = 0; from < 256; from += 96) {
                        AUTO_RELEASE(buf) name = {0};
                        struct buf seed = begin(100 + from);

                        for (unsigned payload = from; payload < from + 96 && payload < 256; payload++) {
                                add_pc(&seed, UINT64_C(0x8000000000400000) + payload * 4);
                                spe_build_operation(&seed, class_id, payload);
                                spe_build_events(&seed, payload * 37);
                                spe_build_source(&seed, payload & 31);
                                buf_add_u8(&seed, 1);
                        }
                        buf_printf(&name, "operations_%u_%02x", class_id, from);
                        save_seed(folder, buf_text(&name), &seed);
                }
        }
}

static void save_events(void)
{
        struct buf seed = begin(40);

        for (unsigned bit = 0; bit < 64; bit++) {
                add_pc(&seed, UINT64_C(0xc0ff800008000000));
                spe_build_operation(&seed, SPE_CLASS_LOAD_STORE, bit & 1);
                buf_add_u8(&seed, 0x72);
                buf_add_u64(&seed, SPE_EVENT_BIT(bit) | SPE_EVENT_BIT(SPE_EVENT_DATA_SNOOPED));
                buf_add_u8(&seed, 1);
        }
        add_pc(&seed, 0x1000);
        spe_build_operation(&seed, SPE_CLASS_LOAD_STORE, 0);
        buf_add(&seed, "\x62\xff\xff\xff\xff\x01", 6);
        add_pc(&seed, 0x1000);
        spe_build_operation(&seed, SPE_CLASS_LOAD_STORE, 0);
        buf_add(&seed, "\x42\x00\x01", 3);
        save_seed(folder, "events", &seed);
}

static void save_addresses(void)
{
        struct buf seed = begin(33);

        for (unsigned index = 0; index < 8; index++) {
                if (index)
                        add_pc(&seed, UINT64_C(0xf0ff800008000000));
                spe_build_address(&seed, index, UINT64_C(0xdfff800008000000));
                buf_add_u8(&seed, (uint8_t)(0x20 | (index & 3)));
                spe_build_counter(&seed, 3 + index % 5, index);
                for (unsigned context = 0; context < 4; context++)
                        spe_build_context(&seed, context, context);
                spe_build_end(&seed, 0, index);
        }
        save_seed(folder, "addresses", &seed);
        seed = begin(256);
        buf_add_u8(&seed, 0x20);
        add_pc(&seed, 0x1000);
        buf_add(&seed, "\x22\xb1\0\0\0\0\0\0\0\0\x20\x00\x2f\x00\0\0\x53\x01\x01\x01", 20);
        save_seed(folder, "extended_headers", &seed);
        seed = begin(256);
        buf_add(&seed, "\x20\x42\x24\xb0\x20\x20\x21", 7);
        save_seed(folder, "extended_headers_bad", &seed);
}

/* Packets that a record may have once only, twice. */
static void save_twice(void)
{
        static const char *const packets[] = {
                "\xb0\0\0\0\0\0\0\0\0",
                "\xb1\0\0\0\0\0\0\0\0",
                "\xb2\0\0\0\0\0\0\0\0",
                "\xb3\0\0\0\0\0\0\0\0",
                "\xb4\0\0\0\0\0\0\0\0",
                "\x98\1\0",
                "\x99\1\0",
                "\x9a\1\0",
                "\x48\0",
                "\x42\0",
                "\x43\0",
                "\x64\1\0\0\0",
                "\x65\1\0\0\0",
        };
        static const uint8_t sizes[] = {9, 9, 9, 9, 9, 3, 3, 3, 2, 2, 2, 5, 5};
        struct buf seed = begin(256);

        add_records(&seed, 0, 1);
        for (size_t i = 0; i < N_ELEMENTS(sizes); i++) {
                add_pc(&seed, 0x1000);
                buf_add(&seed, packets[i], sizes[i]);
                buf_add(&seed, packets[i], sizes[i]);
                buf_add_u8(&seed, 1);
                add_records(&seed, 1, 2);
        }
        save_seed(folder, "packets_twice", &seed);
}

static void save_damage(void)
{
        struct buf seed = begin(7);

        for (unsigned i = 0; i < 30; i++) {
                buf_add_u8(&seed, (uint8_t)(0x20 + i * 7));
                add_records(&seed, i, i + 1);
        }
        save_seed(folder, "stray_bytes", &seed);
        seed = begin(200);
        add_records(&seed, 0, 4);
        memset(seed.data + 1 + 64 + 55, 0, 9);
        memset(seed.data + 1 + 128, 0xff, 3);
        save_seed(folder, "without_end_and_pc", &seed);
        seed = begin(100);
        add_records(&seed, 0, 2);
        add_pc(&seed, 0x1000);
        buf_add_zeros(&seed, 600);
        buf_add_u8(&seed, 1);
        add_records(&seed, 2, 4);
        save_seed(folder, "too_long", &seed);
        seed = begin(256);
        add_pc(&seed, 0x1001);
        buf_add_u8(&seed, 1);
        add_pc(&seed, 0x1000);
        buf_add(&seed, "\x63\0\0\1\0\1", 6);
        spe_build_end(&seed, 0, 3);
        buf_add_u8(&seed, 1);
        save_seed(folder, "impossible", &seed);
        seed = begin(60);
        add_records(&seed, 0, 1);
        for (unsigned i = 0; i < 3; i++) {
                buf_add_u8(&seed, 0xff);
                add_pc(&seed, UINT64_C(0x8071000000000000));
                spe_build_end(&seed, 0, 1);
                add_pc(&seed, UINT64_C(0x80ff800000000000));
                spe_build_end(&seed, 0, 1);
                buf_add_zeros(&seed, 20);
        }
        buf_add_u8(&seed, 0xff);
        add_pc(&seed, UINT64_C(0xc0ff800000000000));
        buf_add_u8(&seed, 1);
        save_seed(folder, "unlikely_pc", &seed);
        seed = begin(200);
        for (unsigned i = 0; i < 80; i++)
                spe_build_counter(&seed, 4, i);
        add_pc(&seed, 0x1000);
        spe_build_end(&seed, 0, 1);
        save_seed(folder, "counters_without_pc", &seed);
}

static void save_orders(void)
{
        struct buf seed = begin(30);

        for (unsigned i = 0; i < 4; i++) {
                spe_build_operation(&seed, SPE_CLASS_LOAD_STORE, i & 1);
                buf_add(&seed, "\x42\x16", 2);
                add_pc(&seed, 0x1000 + i * 4);
                spe_build_counter(&seed, SPE_COUNTER_TOTAL, i);
                spe_build_end(&seed, 0, i);
                if (i == 1)
                        buf_add_u8(&seed, 0xff);
        }
        add_records(&seed, 0, 4);
        spe_build_counter(&seed, SPE_COUNTER_TOTAL, 1);
        add_pc(&seed, 0x2000);
        buf_add_u8(&seed, 1);
        add_records(&seed, 4, 6);
        save_seed(folder, "orders", &seed);
}

int main(int argc, char **argv)
{
        if (argc != 2)
                return 2;
        folder = argv[1];
        save_plain();
        save_operations();
        save_events();
        save_addresses();
        save_twice();
        save_damage();
        save_orders();
        return 0;
}
