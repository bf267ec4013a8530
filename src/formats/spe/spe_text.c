/* SPDX-License-Identifier: BSD-3-Clause */
/* Words for packets and records. */
#include "spe_text.h"

#include <inttypes.h>

enum { DUMP_COLUMNS = 16, N_EVENTS = 64 };

/* In the order of their bits. */
static const struct {
        uint8_t event;
        const char *word;
} perf_events[] = {
        {SPE_EVENT_EXCEPTION, "EXCEPTION-GEN"},
        {SPE_EVENT_RETIRED, "RETIRED"},
        {SPE_EVENT_L1D_ACCESS, "L1D-ACCESS"},
        {SPE_EVENT_L1D_REFILL, "L1D-REFILL"},
        {SPE_EVENT_TLB_ACCESS, "TLB-ACCESS"},
        {SPE_EVENT_TLB_WALK, "TLB-REFILL"},
        {SPE_EVENT_NOT_TAKEN, "NOT-TAKEN"},
        {SPE_EVENT_MISPREDICTED, "MISPRED"},
        {SPE_EVENT_LLC_ACCESS, "LLC-ACCESS"},
        {SPE_EVENT_LLC_MISS, "LLC-REFILL"},
        {SPE_EVENT_REMOTE_ACCESS, "REMOTE-ACCESS"},
        {SPE_EVENT_MISALIGNED, "ALIGNMENT"},
        {SPE_EVENT_PARTIAL_PREDICATE, "SVE-PARTIAL-PRED"},
        {SPE_EVENT_EMPTY_PREDICATE, "SVE-EMPTY-PRED"},
};

/* Those that perf 6.12 does not print; later versions do. */
static const struct {
        uint8_t event;
        const char *word;
} later_events[] = {
        {SPE_EVENT_TRANSACTION, "TXN"},
        {SPE_EVENT_L2D_ACCESS, "L2D-ACCESS"},
        {SPE_EVENT_L2D_MISS, "L2D-MISS"},
        {SPE_EVENT_DATA_MODIFIED, "HITM"},
        {SPE_EVENT_RECENTLY_FETCHED, "LFB"},
        {SPE_EVENT_DATA_SNOOPED, "SNOOPED"},
        {SPE_EVENT_STREAMING_SVE, "STREAMING-SVE"},
        {SPE_EVENT_SMCU, "SMCU"},
};

/* In WindowsPerf's order, then ours. */
static const struct {
        uint8_t event;
        const char *word;
} windowsperf_events[] = {
        {SPE_EVENT_MISALIGNED, "alignment"},
        {SPE_EVENT_RETIRED, "retired"},
        {SPE_EVENT_EMPTY_PREDICATE, "sve-empty-predicate"},
        {SPE_EVENT_EXCEPTION, "generated-exception"},
        {SPE_EVENT_LLC_ACCESS, "last-level-cache-access"},
        {SPE_EVENT_LLC_MISS, "last-level-cache-miss"},
        {SPE_EVENT_L1D_ACCESS, "level1-data-cache-access"},
        {SPE_EVENT_L1D_REFILL, "level1-data-cache-refill"},
        {SPE_EVENT_MISPREDICTED, "mispredicted"},
        {SPE_EVENT_NOT_TAKEN, "not-taken"},
        {SPE_EVENT_PARTIAL_PREDICATE, "sve-partial-predicate"},
        {SPE_EVENT_REMOTE_ACCESS, "remote-acess"},
        {SPE_EVENT_TLB_ACCESS, "tlb_access"},
        {SPE_EVENT_TLB_WALK, "tlb-walk"},
        {SPE_EVENT_TRANSACTION, "transaction"},
        {SPE_EVENT_L2D_ACCESS, "level2-data-cache-access"},
        {SPE_EVENT_L2D_MISS, "level2-data-cache-miss"},
        {SPE_EVENT_DATA_MODIFIED, "cache-data-modified"},
        {SPE_EVENT_RECENTLY_FETCHED, "recently-fetched"},
        {SPE_EVENT_DATA_SNOOPED, "data-snooped"},
        {SPE_EVENT_STREAMING_SVE, "streaming-sve-mode"},
        {SPE_EVENT_SMCU, "smcu"},
};

static void add_word_if(struct buf *out, bool is_set, const char *word)
{
        if (is_set)
                buf_printf(out, " %s", word);
}

static void add_events(struct buf *out, uint64_t events, enum spe_text_style style)
{
        const char *mark = " IMPDEF:";

        buf_add_str(out, "EV");
        for (size_t i = 0; i < N_ELEMENTS(perf_events); i++) {
                add_word_if(out, events & SPE_EVENT_BIT(perf_events[i].event), perf_events[i].word);
                events &= ~SPE_EVENT_BIT(perf_events[i].event);
        }
        for (size_t i = 0; i < N_ELEMENTS(later_events) && style == SPE_TEXT_FULL; i++) {
                add_word_if(out, events & SPE_EVENT_BIT(later_events[i].event), later_events[i].word);
                events &= ~SPE_EVENT_BIT(later_events[i].event);
        }
        for (int bit = 0; bit < N_EVENTS && style == SPE_TEXT_FULL; bit++) {
                if (events & SPE_EVENT_BIT(bit)) {
                        buf_printf(out, "%s%d", mark, bit);
                        mark = ",";
                }
        }
}

static void add_other(struct buf *out, const struct spe_operation *op, unsigned payload,
                      enum spe_text_style style)
{
        const bool is_full = style == SPE_TEXT_FULL;

        if (op->subclass == SPE_SUBCLASS_SVE) {
                buf_printf(out, "SVE-OTHER EVLEN %" PRIu32, op->vector_bits);
                add_word_if(out, op->flags & SPE_OPERATION_FP, "FP");
                add_word_if(out, op->flags & SPE_OPERATION_PREDICATED, "PRED");
        } else if (is_full && op->subclass == SPE_SUBCLASS_SME) {
                buf_printf(out, "SME-OTHER ETS %" PRIu32, op->vector_bits);
                add_word_if(out, op->flags & SPE_OPERATION_FP, "FP");
        } else if (is_full && op->subclass == SPE_SUBCLASS_UNKNOWN) {
                buf_printf(out, "OTHER UNKNOWN-0x%02x", payload);
        } else {
                buf_add_str(out, "OTHER");
                add_word_if(out, is_full && op->flags & SPE_OPERATION_ASE, "ASE");
                add_word_if(out, is_full && op->flags & SPE_OPERATION_FP, "FP");
                buf_add_str(out, payload & 1 ? " COND-SELECT" : " INSN-OTHER");
        }
}

static void add_load_store(struct buf *out, const struct spe_operation *op, unsigned payload,
                           enum spe_text_style style)
{
        static const char *const words[] = {
                [SPE_SUBCLASS_GENERAL] = "GP-REG",
                [SPE_SUBCLASS_SIMD_FP] = "SIMD-FP",
                [SPE_SUBCLASS_UNSPECIFIED] = "UNSPEC-REG",
                [SPE_SUBCLASS_SYSTEM] = "NV-SYSREG",
                [SPE_SUBCLASS_TAG] = "MTE-TAG",
                [SPE_SUBCLASS_COPY] = "MEMCPY",
                [SPE_SUBCLASS_SET] = "MEMSET",
                [SPE_SUBCLASS_BRANCH] = NULL,
        };
        const bool is_full = style == SPE_TEXT_FULL;

        buf_add_str(out, op->flags & SPE_OPERATION_STORE ? "ST" : "LD");
        add_word_if(out, op->flags & SPE_OPERATION_ATOMIC, "AT");
        add_word_if(out, op->flags & SPE_OPERATION_EXCLUSIVE, "EXCL");
        add_word_if(out, op->flags & SPE_OPERATION_ORDERED, "AR");
        add_word_if(out, words[op->subclass], words[op->subclass]);
        if (op->subclass == SPE_SUBCLASS_VECTOR) {
                add_word_if(out, is_full, "SVE-SME-REG");
                buf_printf(out, " EVLEN %" PRIu32, op->vector_bits);
                add_word_if(out, op->flags & SPE_OPERATION_PREDICATED, "PRED");
                add_word_if(out, op->flags & SPE_OPERATION_GATHER, "SG");
        }
        if (is_full && op->subclass == SPE_SUBCLASS_GCS) {
                buf_add_str(out, " GCS");
                add_word_if(out, op->flags & SPE_OPERATION_COMMON, "COMM");
        }
        if (is_full && op->subclass == SPE_SUBCLASS_UNKNOWN)
                buf_printf(out, " UNKNOWN-0x%02x", payload);
}

static void add_branch(struct buf *out, const struct spe_operation *op, unsigned payload,
                       enum spe_text_style style)
{
        buf_add_str(out, "B");
        add_word_if(out, payload & 1, "COND");
        if (style == SPE_TEXT_PERF) {
                add_word_if(out, (payload & 0xfe) == 2, "IND");
                return;
        }
        add_word_if(out, payload & 2, "IND");
        add_word_if(out, op->flags & SPE_OPERATION_GUARDED, "GCS");
        add_word_if(out, op->flags & SPE_OPERATION_CALL, "CR-BL");
        add_word_if(out, op->flags & SPE_OPERATION_RETURN, "CR-RET");
        add_word_if(out, op->flags & SPE_OPERATION_NO_CALL, "CR-NON-BL-RET");
        if (op->subclass == SPE_SUBCLASS_UNKNOWN)
                buf_printf(out, " UNKNOWN-0x%02x", payload);
}

static void add_operation(struct buf *out, const struct spe_packet *packet, enum spe_text_style style)
{
        const unsigned payload = (unsigned)packet->payload;
        const struct spe_operation op = spe_operation_read(packet->index, payload);

        switch (op.class_id) {
        case SPE_CLASS_OTHER: add_other(out, &op, payload, style); break;
        case SPE_CLASS_LOAD_STORE: add_load_store(out, &op, payload, style); break;
        case SPE_CLASS_BRANCH: add_branch(out, &op, payload, style); break;
        default: buf_printf(out, "OP-TYPE 0x%x (%u)", payload, packet->index);
        }
}

static void add_code_address(struct buf *out, const char *word, const struct spe_packet *packet,
                             enum spe_text_style style)
{
        const struct spe_code_address code = spe_code_address_read(packet->payload);

        /* perf shows the address as it stands in the packet. */
        buf_printf(out, "%s 0x%" PRIx64 " el%u ns=%u", word, code.addr & UINT64_C(0x00ffffffffffffff),
                   code.el, code.security & 1u);
        add_word_if(out, style == SPE_TEXT_FULL && code.security & 2, "nse=1");
}

static void add_address(struct buf *out, const struct spe_packet *packet, enum spe_text_style style)
{
        const struct spe_physical_address physical = spe_physical_address_read(packet->payload);

        switch (packet->index) {
        case SPE_ADDRESS_PC: add_code_address(out, "PC", packet, style); break;
        case SPE_ADDRESS_TARGET: add_code_address(out, "TGT", packet, style); break;
        case SPE_ADDRESS_PREVIOUS_TARGET: add_code_address(out, "PBT", packet, style); break;
        case SPE_ADDRESS_DATA_VIRTUAL: buf_printf(out, "VA 0x%" PRIx64, packet->payload); break;
        case SPE_ADDRESS_DATA_PHYSICAL:
                buf_printf(out, "PA 0x%" PRIx64 " ns=%u ch=%u pat=%x", physical.addr, physical.security & 1u,
                           physical.is_checked, physical.tag);
                add_word_if(out, style == SPE_TEXT_FULL && physical.security & 2, "nse=1");
                break;
        default: buf_printf(out, "ADDR 0x%" PRIx64 " (%u)", packet->payload, packet->index);
        }
}

static void add_counter(struct buf *out, const struct spe_packet *packet, enum spe_text_style style)
{
        static const char *const words[SPE_COUNTER_N_KNOWN] = {"TOT", "ISSUE", "XLAT"};

        /* perf 6.12 leaves the blank before the word where it has no word. */
        buf_printf(out, "LAT %" PRIu64 " ", packet->payload);
        if (packet->index < SPE_COUNTER_N_KNOWN)
                buf_add_str(out, words[packet->index]);
        else if (style == SPE_TEXT_FULL)
                buf_printf(out, "COUNTER-%u", packet->index);
}

void spe_text_add_packet(struct buf *out, const struct spe_packet *packet, enum spe_text_style style)
{
        switch (packet->kind) {
        case SPE_PACKET_PADDING: buf_add_str(out, "PAD"); break;
        case SPE_PACKET_END: buf_add_str(out, "END"); break;
        case SPE_PACKET_TIMESTAMP: buf_printf(out, "TS %" PRId64, (int64_t)packet->payload); break;
        case SPE_PACKET_CONTEXT:
                buf_printf(out, "CONTEXT 0x%" PRIx64 " el%u", packet->payload, packet->index + 1u);
                break;
        case SPE_PACKET_COUNTER: add_counter(out, packet, style); break;
        case SPE_PACKET_EVENTS: add_events(out, packet->payload, style); break;
        case SPE_PACKET_SOURCE: buf_printf(out, "DATA-SOURCE %" PRId64, (int64_t)packet->payload); break;
        case SPE_PACKET_OPERATION: add_operation(out, packet, style); break;
        case SPE_PACKET_ADDRESS: add_address(out, packet, style); break;
        case SPE_PACKET_ALIGNMENT:
                if (style == SPE_TEXT_PERF)
                        buf_add_str(out, "PAD");
                else
                        buf_printf(out, "ALIGN %u", 2u << packet->index);
                break;
        default: buf_add_str(out, "UNKNOWN");
        }
}

/* perf takes an alignment for padding. */
static bool is_padding(const struct spe_packet *packet, enum spe_text_style style)
{
        return packet->kind == SPE_PACKET_PADDING ||
               (packet->kind == SPE_PACKET_ALIGNMENT && style == SPE_TEXT_PERF);
}

static void add_columns(struct buf *out, const uint8_t *bytes, size_t n)
{
        char *at = buf_extend(out, (size_t)DUMP_COLUMNS * 3 + 1);

        memset(at, ' ', (size_t)DUMP_COLUMNS * 3 + 1);
        for (size_t i = 0; i < n; i++) {
                at[3 * i + 1] = "0123456789abcdef"[bytes[i] >> 4];
                at[3 * i + 2] = "0123456789abcdef"[bytes[i] & 0xf];
        }
}

void spe_text_add_dump(struct buf *out, const void *bytes, size_t size, uint64_t off,
                       enum spe_text_style style)
{
        struct cursor c = cursor_make(bytes, size);
        struct spe_packet packet;

        while (cursor_left(&c)) {
                const uint8_t *start = c.at;
                const bool is_whole = spe_packet_read(&c, &packet) == SPE_PACKET_WHOLE;

                if (!is_whole)
                        c.at++;
                while (is_whole && is_padding(&packet, style) && c.at - start < DUMP_COLUMNS &&
                       c.at < c.end && !*c.at)
                        c.at++;
                buf_printf(out, ".  %08" PRIx64 ": ", off + (uint64_t)(start - c.start));
                add_columns(out, start, (size_t)(c.at - start));
                if (is_whole)
                        spe_text_add_packet(out, &packet, style);
                else
                        buf_add_str(out, "Bad packet!");
                buf_add_char(out, '\n');
        }
}

static void add_windowsperf_class(struct buf *out, const struct spe_record *record)
{
        const unsigned rest = record->op_payload >> 1;

        if (!(record->has & SPE_HAS_OPERATION)) {
                buf_add_str(out, "UNKNOWN");
                return;
        }
        switch (record->op.class_id) {
        case SPE_CLASS_OTHER: buf_add_str(out, "OTHER"); break;
        case SPE_CLASS_LOAD_STORE:
                buf_printf(out, "LOAD_STORE_ATOMIC-%s-%s", record->op_payload & 1 ? "STORE" : "LOAD",
                           rest == 0   ? "GP"
                           : rest == 2 ? "SIMD-FP"
                                       : "OTHER");
                break;
        case SPE_CLASS_BRANCH:
                buf_printf(out, "BRANCH_OR_EXCEPTION-%s-%s",
                           record->op_payload & 1 ? "CONDITIONAL" : "UNCONDITIONAL",
                           record->op_payload & 2 ? "INDIRECT" : "DIRECT");
                break;
        default: buf_add_str(out, "RESERVED");
        }
}

void spe_text_add_sampled(struct buf *out, const struct spe_record *record)
{
        uint64_t events = record->events;
        char mark = '/';

        add_windowsperf_class(out, record);
        if (!events)
                buf_add_str(out, "/none");
        for (size_t i = 0; i < N_ELEMENTS(windowsperf_events); i++) {
                if (events & SPE_EVENT_BIT(windowsperf_events[i].event)) {
                        buf_printf(out, "%c%s", mark, windowsperf_events[i].word);
                        mark = '+';
                }
                events &= ~SPE_EVENT_BIT(windowsperf_events[i].event);
        }
        for (int bit = 0; bit < N_EVENTS; bit++) {
                if (events & SPE_EVENT_BIT(bit)) {
                        buf_printf(out, "%cevent-%d", mark, bit);
                        mark = '+';
                }
        }
}
