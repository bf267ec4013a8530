/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets as bytes, and the fields that the architecture gives them. */
#include "attributes.h"
#include "spe_packet.h"
#include "tap.h"

static enum spe_packet_status read_bytes(const void *bytes, size_t size, struct spe_packet *packet)
{
        struct cursor c = cursor_make(bytes, size);
        enum spe_packet_status status = spe_packet_read(&c, packet);

        EXPECT_INT(cursor_pos(&c), status == SPE_PACKET_WHOLE ? packet->size_bytes : 0);
        return status;
}

struct expected {
        uint8_t size;
        uint8_t bytes[SPE_PACKET_MAX_BYTES];
        enum spe_packet_kind kind;
        uint8_t index, payload_bytes;
        uint64_t payload;
};

static const struct expected packets[] = {
        {1, {0x00}, SPE_PACKET_PADDING, 0, 0, 0},
        {1, {0x01}, SPE_PACKET_END, 0, 0, 0},
        {9, {0x71, 1, 2, 3, 4, 5, 6, 7, 8}, SPE_PACKET_TIMESTAMP, 0, 8, 0x0807060504030201},
        {2, {0x42, 0x16}, SPE_PACKET_EVENTS, 0, 1, 0x16},
        {3, {0x52, 0x16, 0x03}, SPE_PACKET_EVENTS, 0, 2, 0x316},
        {5, {0x62, 0x16, 0x03, 0x06, 0}, SPE_PACKET_EVENTS, 0, 4, 0x60316},
        {9, {0x72, 2, 0, 0, 0, 0, 0, 0, 0x80}, SPE_PACKET_EVENTS, 0, 8, 0x8000000000000002},
        {2, {0x43, 0x0e}, SPE_PACKET_SOURCE, 0, 1, 0x0e},
        {3, {0x53, 0x0e, 0x01}, SPE_PACKET_SOURCE, 0, 2, 0x10e},
        {2, {0x48, 0x01}, SPE_PACKET_OPERATION, SPE_CLASS_OTHER, 1, 1},
        {2, {0x49, 0x16}, SPE_PACKET_OPERATION, SPE_CLASS_LOAD_STORE, 1, 0x16},
        {2, {0x4a, 0x02}, SPE_PACKET_OPERATION, SPE_CLASS_BRANCH, 1, 2},
        {2, {0x4b, 0x02}, SPE_PACKET_OPERATION, SPE_CLASS_RESERVED, 1, 2},
        {5, {0x64, 0xa3, 0x0f, 0, 0}, SPE_PACKET_CONTEXT, 0, 4, 0xfa3},
        {5, {0x65, 0x80, 0x5f, 0, 0xff}, SPE_PACKET_CONTEXT, 1, 4, 0xff005f80},
        {5, {0x66, 1, 0, 0, 0}, SPE_PACKET_CONTEXT, 2, 4, 1},
        {5, {0x67, 1, 0, 0, 0}, SPE_PACKET_CONTEXT, 3, 4, 1},
        {3, {0x98, 0x34, 0x12}, SPE_PACKET_COUNTER, SPE_COUNTER_TOTAL, 2, 0x1234},
        {3, {0x99, 7, 0}, SPE_PACKET_COUNTER, SPE_COUNTER_ISSUE, 2, 7},
        {3, {0x9a, 0xff, 0xff}, SPE_PACKET_COUNTER, SPE_COUNTER_TRANSLATION, 2, 0xffff},
        {3, {0x9f, 1, 0}, SPE_PACKET_COUNTER, 7, 2, 1},
        {4, {0x20, 0x99, 7, 0}, SPE_PACKET_COUNTER, SPE_COUNTER_ISSUE, 2, 7},
        {4, {0x21, 0x98, 7, 0}, SPE_PACKET_COUNTER, 8, 2, 7},
        {4, {0x23, 0x9f, 7, 0}, SPE_PACKET_COUNTER, 31, 2, 7},
        {9, {0xb0, 0, 1, 2, 3, 4, 5, 6, 0xc0}, SPE_PACKET_ADDRESS, SPE_ADDRESS_PC, 8, 0xc006050403020100},
        {9, {0xb1, 0, 1, 2, 3, 4, 5, 6, 7}, SPE_PACKET_ADDRESS, SPE_ADDRESS_TARGET, 8, 0x0706050403020100},
        {9,
         {0xb2, 0, 1, 2, 3, 4, 5, 6, 7},
         SPE_PACKET_ADDRESS,
         SPE_ADDRESS_DATA_VIRTUAL,
         8,
         0x0706050403020100},
        {9,
         {0xb3, 0, 1, 2, 3, 4, 5, 6, 7},
         SPE_PACKET_ADDRESS,
         SPE_ADDRESS_DATA_PHYSICAL,
         8,
         0x0706050403020100},
        {9,
         {0xb4, 0, 1, 2, 3, 4, 5, 6, 7},
         SPE_PACKET_ADDRESS,
         SPE_ADDRESS_PREVIOUS_TARGET,
         8,
         0x0706050403020100},
        {9, {0xb7, 0, 1, 2, 3, 4, 5, 6, 7}, SPE_PACKET_ADDRESS, 7, 8, 0x0706050403020100},
        {10, {0x20, 0xb4, 0, 1, 2, 3, 4, 5, 6, 7}, SPE_PACKET_ADDRESS, 4, 8, 0x0706050403020100},
        {10, {0x22, 0xb1, 0, 1, 2, 3, 4, 5, 6, 7}, SPE_PACKET_ADDRESS, 17, 8, 0x0706050403020100},
        {2, {0x20, 0x00}, SPE_PACKET_ALIGNMENT, 0, 0, 0},
        {2, {0x25, 0x00}, SPE_PACKET_ALIGNMENT, 5, 0, 0},
        {2, {0x2f, 0x00}, SPE_PACKET_ALIGNMENT, 15, 0, 0},
};

TEST(spe_packet_fields)
{
        for (size_t i = 0; i < N_ELEMENTS(packets); i++) {
                const struct expected *want = &packets[i];
                struct spe_packet packet;

                ASSERT_CMP(read_bytes(want->bytes, want->size, &packet), ==, SPE_PACKET_WHOLE);
                EXPECT_INT(packet.kind, want->kind);
                EXPECT_INT(packet.index, want->index);
                EXPECT_INT(packet.size_bytes, want->size);
                EXPECT_INT(packet.payload_bytes, want->payload_bytes);
                EXPECT_INT(packet.payload, want->payload);
        }
}

/* Cut at every byte, and with bytes of another packet behind. */
TEST(spe_packet_cut_is_not_bad)
{
        for (size_t i = 0; i < N_ELEMENTS(packets); i++) {
                const struct expected *want = &packets[i];
                uint8_t longer[SPE_PACKET_MAX_BYTES + 1];
                struct spe_packet packet = {.kind = SPE_PACKET_N_KINDS};

                for (size_t size = 0; size < want->size; size++)
                        EXPECT_INT(read_bytes(want->bytes, size, &packet), SPE_PACKET_CUT);
                EXPECT_INT(packet.kind, SPE_PACKET_N_KINDS);
                memset(longer, 0xff, sizeof(longer));
                memcpy(longer, want->bytes, want->size);
                EXPECT_INT(read_bytes(longer, sizeof(longer), &packet), SPE_PACKET_WHOLE);
                EXPECT_INT(packet.size_bytes, want->size);
                EXPECT_INT(packet.payload, want->payload);
        }
}

/* Headers of the architecture by their first byte: how many bytes the packet has, 0 for none. */
static size_t size_by_header(unsigned header)
{
        if (header <= 1)
                return 1;
        if (header == 0x71)
                return 9;
        if ((header & 0xcf) == 0x42 || (header & 0xcf) == 0x43) /* events, data source */
                return 1 + ((size_t)1 << (header >> 4 & 3));
        if ((header & 0xfc) == 0x48)
                return 2;
        if ((header & 0xfc) == 0x64)
                return 5;
        if ((header & 0xf8) == 0x98)
                return 3;
        if ((header & 0xf8) == 0xb0)
                return 9;
        return 0;
}

TEST(spe_packet_every_header)
{
        for (unsigned header = 0; header < 256; header++) {
                const uint8_t bytes[SPE_PACKET_MAX_BYTES] = {(uint8_t)header, 0x42};
                const size_t size = size_by_header(header);
                struct spe_packet packet;
                enum spe_packet_status status = read_bytes(bytes, sizeof(bytes), &packet);

                EXPECT_INT(status, size ? SPE_PACKET_WHOLE : SPE_PACKET_BAD);
                if (size && status == SPE_PACKET_WHOLE)
                        EXPECT_INT(packet.size_bytes, size);
        }
}

TEST(spe_packet_every_extended_header)
{
        for (unsigned header = 0x20; header < 0x30; header++) {
                for (unsigned second = 0; second < 256; second++) {
                        const uint8_t bytes[SPE_PACKET_MAX_BYTES] = {(uint8_t)header, (uint8_t)second};
                        const size_t size = header < 0x24 && second >= 0x98 ? size_by_header(second) : 0;
                        struct spe_packet packet;
                        enum spe_packet_status status = read_bytes(bytes, sizeof(bytes), &packet);

                        if (!second)
                                EXPECT_INT(packet.kind, SPE_PACKET_ALIGNMENT);
                        EXPECT_INT(status, size || !second ? SPE_PACKET_WHOLE : SPE_PACKET_BAD);
                        if (size && status == SPE_PACKET_WHOLE) {
                                EXPECT_INT(packet.size_bytes, size + 1);
                                EXPECT_INT(packet.index, (header & 3) * 8 + (second & 7));
                        }
                }
        }
}

struct expected_operation {
        uint8_t class_id, payload;
        enum spe_subclass subclass;
        unsigned flags;
        uint32_t vector_bits;
};

#define F(name) SPE_OPERATION_##name

static const struct expected_operation operations[] = {
        {SPE_CLASS_OTHER, 0x00, SPE_SUBCLASS_PLAIN, 0, 0},
        {SPE_CLASS_OTHER, 0x01, SPE_SUBCLASS_PLAIN, F(CONDITIONAL), 0},
        {SPE_CLASS_OTHER, 0x02, SPE_SUBCLASS_PLAIN, F(FP), 0},
        {SPE_CLASS_OTHER, 0x06, SPE_SUBCLASS_PLAIN, F(FP) | F(ASE), 0},
        {SPE_CLASS_OTHER, 0x07, SPE_SUBCLASS_PLAIN, F(FP) | F(ASE) | F(CONDITIONAL), 0},
        {SPE_CLASS_OTHER, 0x08, SPE_SUBCLASS_SVE, 0, 32},
        {SPE_CLASS_OTHER, 0x2e, SPE_SUBCLASS_SVE, F(FP) | F(PREDICATED), 128},
        {SPE_CLASS_OTHER, 0x78, SPE_SUBCLASS_SVE, 0, 4096},
        {SPE_CLASS_OTHER, 0x88, SPE_SUBCLASS_SME, 0, 128},
        {SPE_CLASS_OTHER, 0x8e, SPE_SUBCLASS_SME, F(FP), 256},
        {SPE_CLASS_OTHER, 0xbc, SPE_SUBCLASS_SME, 0, 16384},
        {SPE_CLASS_OTHER, 0x09, SPE_SUBCLASS_UNKNOWN, 0, 0},
        {SPE_CLASS_OTHER, 0x10, SPE_SUBCLASS_UNKNOWN, 0, 0},
        {SPE_CLASS_OTHER, 0xff, SPE_SUBCLASS_UNKNOWN, 0, 0},
        {SPE_CLASS_LOAD_STORE, 0x00, SPE_SUBCLASS_GENERAL, F(LOAD), 0},
        {SPE_CLASS_LOAD_STORE, 0x01, SPE_SUBCLASS_GENERAL, F(STORE), 0},
        {SPE_CLASS_LOAD_STORE, 0x04, SPE_SUBCLASS_SIMD_FP, F(LOAD), 0},
        {SPE_CLASS_LOAD_STORE, 0x05, SPE_SUBCLASS_SIMD_FP, F(STORE), 0},
        {SPE_CLASS_LOAD_STORE, 0x02, SPE_SUBCLASS_EXTENDED, F(LOAD), 0},
        {SPE_CLASS_LOAD_STORE, 0x06, SPE_SUBCLASS_EXTENDED, F(LOAD) | F(ATOMIC), 0},
        {SPE_CLASS_LOAD_STORE, 0x0b, SPE_SUBCLASS_EXTENDED, F(STORE) | F(EXCLUSIVE), 0},
        {SPE_CLASS_LOAD_STORE, 0x12, SPE_SUBCLASS_EXTENDED, F(LOAD) | F(ORDERED), 0},
        {SPE_CLASS_LOAD_STORE, 0x1f, SPE_SUBCLASS_EXTENDED, F(STORE) | F(ATOMIC) | F(EXCLUSIVE) | F(ORDERED),
         0},
        {SPE_CLASS_LOAD_STORE, 0x10, SPE_SUBCLASS_UNSPECIFIED, F(LOAD), 0},
        {SPE_CLASS_LOAD_STORE, 0x31, SPE_SUBCLASS_SYSTEM, F(STORE), 0},
        {SPE_CLASS_LOAD_STORE, 0x14, SPE_SUBCLASS_TAG, F(LOAD), 0},
        {SPE_CLASS_LOAD_STORE, 0x15, SPE_SUBCLASS_TAG, F(STORE), 0},
        {SPE_CLASS_LOAD_STORE, 0x20, SPE_SUBCLASS_COPY, F(LOAD), 0},
        {SPE_CLASS_LOAD_STORE, 0x21, SPE_SUBCLASS_COPY, F(STORE), 0},
        {SPE_CLASS_LOAD_STORE, 0x25, SPE_SUBCLASS_SET, F(STORE), 0},
        {SPE_CLASS_LOAD_STORE, 0x24, SPE_SUBCLASS_UNKNOWN, F(LOAD), 0},
        {SPE_CLASS_LOAD_STORE, 0x08, SPE_SUBCLASS_VECTOR, F(LOAD), 32},
        {SPE_CLASS_LOAD_STORE, 0x2d, SPE_SUBCLASS_VECTOR, F(STORE) | F(PREDICATED), 128},
        {SPE_CLASS_LOAD_STORE, 0xfc, SPE_SUBCLASS_VECTOR, F(LOAD) | F(PREDICATED) | F(GATHER), 4096},
        {SPE_CLASS_LOAD_STORE, 0x40, SPE_SUBCLASS_GCS, F(LOAD), 0},
        {SPE_CLASS_LOAD_STORE, 0x45, SPE_SUBCLASS_GCS, F(STORE) | F(COMMON), 0},
        {SPE_CLASS_LOAD_STORE, 0x50, SPE_SUBCLASS_UNKNOWN, F(LOAD), 0},
        {SPE_CLASS_LOAD_STORE, 0x23, SPE_SUBCLASS_UNKNOWN, F(STORE), 0},
        {SPE_CLASS_BRANCH, 0x00, SPE_SUBCLASS_BRANCH, 0, 0},
        {SPE_CLASS_BRANCH, 0x01, SPE_SUBCLASS_BRANCH, F(CONDITIONAL), 0},
        {SPE_CLASS_BRANCH, 0x02, SPE_SUBCLASS_BRANCH, F(INDIRECT), 0},
        {SPE_CLASS_BRANCH, 0x04, SPE_SUBCLASS_BRANCH, F(GUARDED), 0},
        {SPE_CLASS_BRANCH, 0x08, SPE_SUBCLASS_BRANCH, F(CALL), 0},
        {SPE_CLASS_BRANCH, 0x12, SPE_SUBCLASS_BRANCH, F(RETURN) | F(INDIRECT), 0},
        {SPE_CLASS_BRANCH, 0x18, SPE_SUBCLASS_BRANCH, F(NO_CALL), 0},
        {SPE_CLASS_BRANCH, 0x20, SPE_SUBCLASS_UNKNOWN, 0, 0},
        {SPE_CLASS_RESERVED, 0x01, SPE_SUBCLASS_UNKNOWN, 0, 0},
};

TEST(spe_packet_operations)
{
        for (size_t i = 0; i < N_ELEMENTS(operations); i++) {
                const struct expected_operation *want = &operations[i];
                struct spe_operation op = spe_operation_read(want->class_id, want->payload);

                if (op.subclass != want->subclass || op.flags != want->flags ||
                    op.vector_bits != want->vector_bits)
                        TAP_FAIL("class %d payload 0x%02x: subclass %d flags 0x%x bits %" PRIu32,
                                 want->class_id, want->payload, op.subclass, op.flags, op.vector_bits);
                EXPECT_INT(op.class_id, want->class_id);
        }
}

/* Every payload has a direction in one class, and none in the others. */
TEST(spe_packet_operations_load_or_store)
{
        for (unsigned class_id = 0; class_id < 4; class_id++) {
                for (unsigned payload = 0; payload < 256; payload++) {
                        const unsigned flags = spe_operation_read(class_id, payload).flags;
                        const unsigned want = class_id != SPE_CLASS_LOAD_STORE ? 0
                                              : payload & 1                    ? F(STORE)
                                                                               : F(LOAD);

                        EXPECT_INT(flags & (F(LOAD) | F(STORE)), want);
                }
        }
}

TEST(spe_packet_code_address)
{
        struct spe_code_address user = spe_code_address_read(0x800000000047bfc4);
        struct spe_code_address kernel = spe_code_address_read(0xc0ffb7ee29f38200);
        struct spe_code_address low_kernel = spe_code_address_read(0xa000000012345678);
        struct spe_code_address realm = spe_code_address_read(0xb0ff800008000000);
        struct spe_code_address root = spe_code_address_read(0x7000000000001000);

        EXPECT_INT(user.addr, 0x47bfc4);
        EXPECT_INT(user.el, 0);
        EXPECT_INT(user.security, SPE_NONSECURE);
        EXPECT_INT(kernel.addr, 0xffffb7ee29f38200);
        EXPECT_INT(kernel.el, 2);
        EXPECT_INT(kernel.security, SPE_NONSECURE);
        /* perf 6.12 makes 0xff00000012345678 of this one: it goes by the exception level. */
        EXPECT_INT(low_kernel.addr, 0x12345678);
        EXPECT_INT(low_kernel.el, 1);
        EXPECT_INT(realm.addr, 0xffff800008000000);
        EXPECT_INT(realm.el, 1);
        EXPECT_INT(realm.security, SPE_REALM);
        EXPECT_INT(root.el, 3);
        EXPECT_INT(root.security, SPE_ROOT);
        EXPECT_INT(spe_code_address_read(0x1000).security, SPE_SECURE);
}

TEST(spe_packet_data_addresses)
{
        struct spe_virtual_address tagged = spe_virtual_address_read(0xab00aaaabbbbcccc);
        struct spe_virtual_address kernel = spe_virtual_address_read(0x00ff0e3703096b28);
        struct spe_physical_address plain = spe_physical_address_read(0x80000080bd88a09e);
        struct spe_physical_address checked = spe_physical_address_read(0x5700000000001000);

        EXPECT_INT(tagged.addr, 0xaaaabbbbcccc);
        EXPECT_INT(tagged.tag, 0xab);
        EXPECT_INT(kernel.addr, 0xffff0e3703096b28);
        EXPECT_INT(kernel.tag, 0);
        EXPECT_INT(plain.addr, 0x80bd88a09e);
        EXPECT_INT(plain.security, SPE_NONSECURE);
        EXPECT_TRUE(!plain.is_checked);
        EXPECT_INT(plain.tag, 0);
        EXPECT_INT(checked.addr, 0x1000);
        EXPECT_INT(checked.security, SPE_ROOT);
        EXPECT_TRUE(checked.is_checked);
        EXPECT_INT(checked.tag, 7);
}

TAP_MAIN
