/* SPDX-License-Identifier: BSD-3-Clause */
/* The packets of an AUXTRACE record of Arm SPE, with the text of `perf report -D`. */
#include <inttypes.h>
#include <stdio.h>

#include "dump_internal.h"
#include "record_aux.h"
#include "spe_text.h"

bool dump_is_spe(const struct perfdata_record *info)
{
        struct record_auxtrace_info parsed;

        return record_auxtrace_info_parse(info->bytes, &parsed) && parsed.type == AUXTRACE_ARM_SPE;
}

static void show_packet(const uint8_t *bytes, size_t size, uint64_t offset, const char *text,
                        struct field_sink *sink)
{
        AUTO_RELEASE(buf) hex = {0};
        char number[24];

        for (size_t i = 0; i < size; i++)
                buf_printf(&hex, "%02x", bytes[i]);
        snprintf(number, sizeof(number), "0x%" PRIx64, offset);
        field_begin(sink, FIELD_LINE, NULL);
        field_word(sink, "offset", number);
        field_gap(sink);
        field_word(sink, "type", "SPE");
        field_gap(sink);
        field_word(sink, "bytes", buf_text(&hex));
        field_gap(sink);
        field_word(sink, "packet", text);
        field_end(sink);
}

/* Each padding packet is one byte; consecutive ones are shown as one line. */
static void skip_padding(struct cursor *c)
{
        enum { MOST_PADDING = 64 };

        for (unsigned n = 1; n < MOST_PADDING && cursor_left(c) && !*c->at; n++)
                cursor_skip(c, 1);
}

void dump_spe(const struct perfdata_record *record, struct field_sink *sink)
{
        struct cursor c = record->payload;
        const uint8_t *begin = c.at;
        struct record_auxtrace piece;
        struct spe_packet packet;

        if (!record_auxtrace_parse(record->bytes, &piece))
                return;
        while (cursor_left(&c) && !sink->failed) {
                const uint8_t *start = c.at;
                uint64_t offset = piece.offset + (uint64_t)(start - begin);
                AUTO_RELEASE(buf) text = {0};

                if (spe_packet_read(&c, &packet) == SPE_PACKET_WHOLE) {
                        spe_text_add_packet(&text, &packet, SPE_TEXT_FULL);
                        if (packet.kind == SPE_PACKET_PADDING)
                                skip_padding(&c);
                } else {
                        buf_add_str(&text, "not a packet");
                        cursor_skip(&c, 1);
                }
                show_packet(start, (size_t)(c.at - start), offset, buf_text(&text), sink);
        }
}
