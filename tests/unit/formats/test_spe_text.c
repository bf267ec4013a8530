/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets as perf writes them, and what was sampled as WindowsPerf names it. */
#include "attributes.h"
#include "spe_text.h"
#include "tap.h"

static const struct {
        uint8_t size;
        uint8_t bytes[SPE_PACKET_MAX_BYTES];
        const char *perf;
        const char *full; /* NULL: the same */
} texts[] = {
        {1, {0}, "PAD", NULL},
        {1, {1}, "END", NULL},
        {2, {0x25, 0}, "PAD", "ALIGN 64"},
        {9, {0x71, 0x2e, 0x65, 0x2f, 0x6a, 0x0a, 0, 0, 0}, "TS 44731163950", NULL},
        {9, {0x71, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, "TS -1", NULL},
        {5, {0x64, 0xa3, 0x0f, 0, 0}, "CONTEXT 0xfa3 el1", NULL},
        {5, {0x65, 0xa3, 0x0f, 0, 0}, "CONTEXT 0xfa3 el2", NULL},
        {3, {0x98, 7, 0}, "LAT 7 TOT", NULL},
        {3, {0x99, 7, 0}, "LAT 7 ISSUE", NULL},
        {3, {0x9a, 7, 0}, "LAT 7 XLAT", NULL},
        {3, {0x9c, 7, 0}, "LAT 7 ", "LAT 7 COUNTER-4"},
        {4, {0x21, 0x98, 0xff, 0xff}, "LAT 65535 ", "LAT 65535 COUNTER-8"},
        {2, {0x42, 0}, "EV", NULL},
        {3, {0x52, 0x16, 0}, "EV RETIRED L1D-ACCESS TLB-ACCESS", NULL},
        {5,
         {0x62, 0xff, 0x0f, 6, 0},
         "EV EXCEPTION-GEN RETIRED L1D-ACCESS L1D-REFILL TLB-ACCESS TLB-REFILL NOT-TAKEN MISPRED LLC-ACCESS LLC-REFILL "
         "REMOTE-ACCESS ALIGNMENT SVE-PARTIAL-PRED SVE-EMPTY-PRED",
         NULL},
        {9,
         {0x72, 2, 0x10, 0xf9, 3, 1, 0, 0, 0x80},
         "EV RETIRED",
         "EV RETIRED TXN L2D-ACCESS L2D-MISS HITM LFB SNOOPED STREAMING-SVE SMCU IMPDEF:12,32,63"},
        {2, {0x43, 0x0e}, "DATA-SOURCE 14", NULL},
        {3, {0x53, 0, 1}, "DATA-SOURCE 256", NULL},
        {2, {0x48, 0x00}, "OTHER INSN-OTHER", NULL},
        {2, {0x48, 0x01}, "OTHER COND-SELECT", NULL},
        {2, {0x48, 0x06}, "OTHER INSN-OTHER", "OTHER ASE FP INSN-OTHER"},
        {2, {0x48, 0x4a}, "SVE-OTHER EVLEN 512 FP", NULL},
        {2, {0x48, 0x0c}, "SVE-OTHER EVLEN 32 PRED", NULL},
        {2, {0x48, 0x8e}, "OTHER INSN-OTHER", "SME-OTHER ETS 256 FP"},
        {2, {0x48, 0x09}, "OTHER COND-SELECT", "OTHER UNKNOWN-0x09"},
        {2, {0x49, 0x00}, "LD GP-REG", NULL},
        {2, {0x49, 0x05}, "ST SIMD-FP", NULL},
        {2, {0x49, 0x1e}, "LD AT EXCL AR", NULL},
        {2, {0x49, 0x11}, "ST UNSPEC-REG", NULL},
        {2, {0x49, 0x30}, "LD NV-SYSREG", NULL},
        {2, {0x49, 0x14}, "LD MTE-TAG", NULL},
        {2, {0x49, 0x20}, "LD MEMCPY", NULL},
        {2, {0x49, 0x25}, "ST MEMSET", NULL},
        {2, {0x49, 0x8c}, "LD EVLEN 32 PRED SG", "LD SVE-SME-REG EVLEN 32 PRED SG"},
        {2, {0x49, 0x45}, "ST", "ST GCS COMM"},
        {2, {0x49, 0x50}, "LD", "LD UNKNOWN-0x50"},
        {2, {0x4a, 0x00}, "B", NULL},
        {2, {0x4a, 0x01}, "B COND", NULL},
        {2, {0x4a, 0x02}, "B IND", NULL},
        {2, {0x4a, 0x03}, "B COND IND", NULL},
        {2,
         {0x4a, 0x0e},
         "B",
         "B IND GCS CR-BL"}, /* perf 6.12 prints IND only where nothing above it is set */
        {2, {0x4a, 0x12}, "B", "B IND CR-RET"},
        {2, {0x4a, 0x18}, "B", "B CR-NON-BL-RET"},
        {2, {0x4a, 0x20}, "B", "B UNKNOWN-0x20"},
        {2, {0x4b, 0x05}, "OP-TYPE 0x5 (3)", NULL},
        {9, {0xb0, 0xc4, 0xbf, 0x47, 0, 0, 0, 0, 0x80}, "PC 0x47bfc4 el0 ns=1", NULL},
        {9, {0xb0, 0, 0x82, 0xf3, 0x29, 0xee, 0xb7, 0xff, 0xc0}, "PC 0xffb7ee29f38200 el2 ns=1", NULL},
        {9, {0xb1, 4, 0, 0, 0, 0, 0, 0, 0xb0}, "TGT 0x4 el1 ns=1", "TGT 0x4 el1 ns=1 nse=1"},
        {9, {0xb4, 4, 0, 0, 0, 0, 0, 0, 0x20}, "PBT 0x4 el1 ns=0", NULL},
        {9, {0xb2, 0x28, 0x6b, 9, 3, 0x37, 0x0e, 0xff, 0xab}, "VA 0xabff0e3703096b28", NULL},
        {9, {0xb3, 4, 0, 0, 0, 0, 0, 0, 0xcf}, "PA 0x4 ns=1 ch=1 pat=f", NULL},
        {9, {0xb3, 4, 0, 0, 0, 0, 0, 0, 0x90}, "PA 0x4 ns=1 ch=0 pat=0", "PA 0x4 ns=1 ch=0 pat=0 nse=1"},
        {9, {0xb7, 4, 0, 0, 0, 0, 0, 0, 0x80}, "ADDR 0x8000000000000004 (7)", NULL},
        {10, {0x21, 0xb0, 4, 0, 0, 0, 0, 0, 0, 0}, "ADDR 0x4 (8)", NULL},
};

static void expect_text(const struct spe_packet *packet, enum spe_text_style style, const char *want)
{
        AUTO_RELEASE(buf) got = {0};

        spe_text_add_packet(&got, packet, style);
        EXPECT_STR(buf_text(&got), want);
}

TEST(spe_text_packets)
{
        for (size_t i = 0; i < N_ELEMENTS(texts); i++) {
                struct cursor c = cursor_make(texts[i].bytes, texts[i].size);
                struct spe_packet packet;

                ASSERT_TRUE(spe_packet_read(&c, &packet) == SPE_PACKET_WHOLE && !cursor_left(&c));
                expect_text(&packet, SPE_TEXT_PERF, texts[i].perf);
                expect_text(&packet, SPE_TEXT_FULL, texts[i].full ? texts[i].full : texts[i].perf);
        }
        expect_text(&(struct spe_packet){.kind = SPE_PACKET_N_KINDS}, SPE_TEXT_FULL, "UNKNOWN");
}

TEST(spe_text_dump)
{
        static const uint8_t bytes[] = {0x49, 0, 0xe0, 0x42, 2, 0, 0, 0, 0, 0,    0, 0, 0,    0,
                                        0,    0, 0,    0,    0, 0, 0, 0, 0, 0x20, 0, 0, 0x71, 1};
        static const char want[] =
                ".  00001000:  49 00                                           LD GP-REG\n"
                ".  00001002:  e0                                              Bad packet!\n"
                ".  00001003:  42 02                                           EV RETIRED\n"
                ".  00001005:  00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 PAD\n"
                ".  00001015:  00 00                                           PAD\n";
        AUTO_RELEASE(buf) perf = {0};
        AUTO_RELEASE(buf) full = {0};

        spe_text_add_dump(&perf, bytes, sizeof(bytes), 0x1000, SPE_TEXT_PERF);
        EXPECT_TRUE(!strncmp(buf_text(&perf), want, strlen(want)));
        EXPECT_STR(buf_text(&perf) + strlen(want),
                   ".  00001017:  20 00 00                                        PAD\n"
                   ".  0000101a:  71                                              Bad packet!\n"
                   ".  0000101b:  01                                              END\n");
        spe_text_add_dump(&full, bytes, sizeof(bytes), 0x1000, SPE_TEXT_FULL);
        EXPECT_STR(buf_text(&full) + strlen(want),
                   ".  00001017:  20 00                                           ALIGN 2\n"
                   ".  00001019:  00                                              PAD\n"
                   ".  0000101a:  71                                              Bad packet!\n"
                   ".  0000101b:  01                                              END\n");
}

static const struct {
        uint8_t class_id, payload;
        uint64_t events;
        const char *want;
} sampled[] = {
        {SPE_CLASS_LOAD_STORE, 0x00, 0x16,
         "LOAD_STORE_ATOMIC-LOAD-GP/retired+level1-data-cache-access+tlb_access"},
        {SPE_CLASS_LOAD_STORE, 0x01, 0x02, "LOAD_STORE_ATOMIC-STORE-GP/retired"},
        {SPE_CLASS_LOAD_STORE, 0x04, 0x02, "LOAD_STORE_ATOMIC-LOAD-SIMD-FP/retired"},
        {SPE_CLASS_LOAD_STORE, 0x17, 0x02, "LOAD_STORE_ATOMIC-STORE-OTHER/retired"},
        {SPE_CLASS_BRANCH, 0x01, 0xc2,
         "BRANCH_OR_EXCEPTION-CONDITIONAL-DIRECT/retired+mispredicted+not-taken"},
        {SPE_CLASS_BRANCH, 0x02, 0x03,
         "BRANCH_OR_EXCEPTION-UNCONDITIONAL-INDIRECT/retired+generated-exception"},
        {SPE_CLASS_OTHER, 0x00, 0x02, "OTHER/retired"},
        {SPE_CLASS_OTHER, 0x00, 0x60fff,
         "OTHER/alignment+retired+sve-empty-predicate+generated-exception+last-level-cache-access+last-level-cache-miss+"
         "level1-data-cache-access+level1-data-cache-refill+mispredicted+not-taken+sve-partial-predicate+remote-acess+"
         "tlb_access+tlb-walk"},
        {SPE_CLASS_OTHER, 0x00, 0, "OTHER/none"},
        {SPE_CLASS_OTHER, 0x00, UINT64_C(1) << 12, "OTHER/event-12"},
        {SPE_CLASS_OTHER, 0x00, UINT64_C(0x8000000003f91002),
         "OTHER/retired+transaction+level2-data-cache-access+level2-data-cache-miss+cache-data-modified+recently-fetched+"
         "data-snooped+streaming-sve-mode+smcu+event-12+event-63"},
        {SPE_CLASS_RESERVED, 0x00, 2, "RESERVED/retired"},
};

TEST(spe_text_sampled)
{
        struct spe_record nothing = {.has = SPE_HAS_PC};
        AUTO_RELEASE(buf) unknown = {0};

        for (size_t i = 0; i < N_ELEMENTS(sampled); i++) {
                AUTO_RELEASE(buf) got = {0};
                struct spe_record record = {
                        .has = SPE_HAS_PC | SPE_HAS_OPERATION | SPE_HAS_EVENTS,
                        .op = spe_operation_read(sampled[i].class_id, sampled[i].payload),
                        .op_payload = sampled[i].payload,
                        .events = sampled[i].events,
                };

                spe_text_add_sampled(&got, &record);
                EXPECT_STR(buf_text(&got), sampled[i].want);
        }
        spe_text_add_sampled(&unknown, &nothing);
        EXPECT_STR(buf_text(&unknown), "UNKNOWN/none");
}

TAP_MAIN
