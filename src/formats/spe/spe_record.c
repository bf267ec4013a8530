/* SPDX-License-Identifier: BSD-3-Clause */
/* Each byte that no record has used may begin a record: a run of packets up to END or TIMESTAMP, with one
 * PC and no packet twice.  Therefore a stray byte costs only itself, even if it looks like a header.  After
 * damage, a record must begin with the packet that the stream's records begin with, on all known cores the
 * PC; otherwise packets that are left of a damaged record would be read as part of the next one. */
#include "spe_record.h"

#include <assert.h>
#include <string.h>

#include "spe_plain.h"

enum attempt { ATTEMPT_RECORD, ATTEMPT_CUT, ATTEMPT_NONE };

enum { FIELD_INDEXES = 8 };

/* By the kind of a packet and its index. */
static const uint8_t packet_fields[SPE_PACKET_N_KINDS][FIELD_INDEXES] = {
        [SPE_PACKET_TIMESTAMP] = {FIELD_TIMESTAMP},
        [SPE_PACKET_CONTEXT] = {FIELD_CONTEXT_EL1, FIELD_CONTEXT_EL2},
        [SPE_PACKET_COUNTER] = {FIELD_TOTAL, FIELD_ISSUE, FIELD_TRANSLATION},
        [SPE_PACKET_EVENTS] = {FIELD_EVENTS},
        [SPE_PACKET_SOURCE] = {FIELD_SOURCE},
        [SPE_PACKET_OPERATION] = {FIELD_OPERATION, FIELD_OPERATION, FIELD_OPERATION, FIELD_OPERATION},
        [SPE_PACKET_ADDRESS] = {FIELD_PC, FIELD_TARGET, FIELD_VIRTUAL, FIELD_PHYSICAL, FIELD_PREVIOUS_TARGET},
};

struct candidate {
        struct spe_packed *packed; /* where it goes */
        size_t padding_bytes;
        uint16_t first; /* first_of its first packet */
};

static uint16_t first_of(const struct spe_packet *packet)
{
        if (packet->kind == SPE_PACKET_ADDRESS || packet->kind == SPE_PACKET_COUNTER)
                return (uint16_t)SPE_FIRST_OF_INDEX(packet->kind, packet->size_bytes - packet->payload_bytes,
                                                    packet->index);
        return (uint16_t)SPE_FIRST_OF(packet->kind);
}

enum { FIRST_PC = SPE_FIRST_OF_INDEX(SPE_PACKET_ADDRESS, 1, SPE_ADDRESS_PC) };

static size_t count_padding(const uint8_t *at, const uint8_t *end)
{
        const uint8_t *start = at;
        uint64_t word;

        for (; end - at >= (ptrdiff_t)sizeof(word); at += sizeof(word)) {
                memcpy(&word, at, sizeof(word));
                if (word)
                        return (size_t)(at - start) + (size_t)__builtin_ctzll(word) / 8;
        }
        while (at < end && !*at)
                at++;
        return (size_t)(at - start);
}

/* False: the record has this field already. */
static bool add_packet(struct spe_packed *found, const struct spe_packet *packet)
{
        const unsigned field =
                packet->index < FIELD_INDEXES ? packet_fields[packet->kind][packet->index] : FIELD_NONE;
        const uint32_t bit = 1u << field >> 1;

        if (found->has & bit)
                return false;
        found->has |= bit;
        found->payloads[field] = packet->payload;
        if (field == FIELD_OPERATION)
                found->payloads[field] |= (uint64_t)packet->index << 8;
        return true;
}

/* Adds packets as add_packet(), in less time, because decoding spends most of its time here.  Stops after a
 * timestamp (*ret_ended), and before what add_packet() has to look at: padding, a header of two bytes, a
 * field that the record has already, the last bytes. */
static const uint8_t *add_plain_packets(struct spe_packed *found, const uint8_t *at, const uint8_t *end,
                                        bool *ret_ended)
{
        uint32_t has = found->has;

        *ret_ended = false;
        while (end - at >= SPE_PACKET_MAX_BYTES && !*ret_ended) {
                const struct plain_packet *plain = &spe_plain_packets[*at];
                uint64_t payload;

                if (!plain->size_bytes || has & plain->bit)
                        break;
                memcpy(&payload, at + 1, sizeof(payload));
                has |= plain->bit;
                found->payloads[plain->field] = (payload & plain->payload_mask) | plain->class_bits;
                at += plain->size_bytes;
                *ret_ended = plain->field == FIELD_TIMESTAMP;
        }
        found->has = has;
        return at;
}

static uint16_t first_at(const uint8_t *at, size_t left)
{
        struct spe_packet packet;

        if (left >= SPE_PACKET_MAX_BYTES && spe_plain_packets[*at].size_bytes)
                return spe_plain_packets[*at].first;
        packet = spe_packet_at(at, left);
        return packet.kind < SPE_PACKET_N_KINDS ? first_of(&packet) : 0;
}

/* Two calls, because compilers make a slow instruction of one. */
static void begin_candidate(struct candidate *found, uint16_t first)
{
        uint64_t *payloads = found->packed->payloads;

        found->padding_bytes = 0;
        found->first = first;
        found->packed->has = 0;
        memset(payloads, 0, sizeof(found->packed->payloads) / 2);
        memset(payloads + SPE_PACKED_SLOTS / 2, 0, sizeof(found->packed->payloads) / 2);
}

/* Sets each field: clearing the whole record first would take as long again. */
void spe_packed_read(const struct spe_packed *found, struct spe_record *record)
{
        const unsigned operation = (unsigned)spe_packed_payload(found, SPE_HAS_OPERATION);

        record->off = found->off;
        record->size_bytes = found->size_bytes;
        record->has = found->has;
        record->pc = spe_code_address_read(spe_packed_payload(found, SPE_HAS_PC));
        record->target = spe_code_address_read(spe_packed_payload(found, SPE_HAS_TARGET));
        record->previous_target = spe_code_address_read(spe_packed_payload(found, SPE_HAS_PREVIOUS_TARGET));
        record->virtual_addr = spe_virtual_address_read(spe_packed_payload(found, SPE_HAS_VIRTUAL));
        record->physical_addr = spe_physical_address_read(spe_packed_payload(found, SPE_HAS_PHYSICAL));
        record->events = spe_packed_payload(found, SPE_HAS_EVENTS);
        record->timestamp = spe_packed_payload(found, SPE_HAS_TIMESTAMP);
        record->op = found->has & SPE_HAS_OPERATION ? spe_operation_read(operation >> 8, operation & 0xff)
                                                    : (struct spe_operation){0};
        record->op_payload = (uint8_t)operation;
        record->source = (uint16_t)spe_packed_payload(found, SPE_HAS_SOURCE);
        record->total_cycles = (uint16_t)spe_packed_payload(found, SPE_HAS_TOTAL);
        record->issue_cycles = (uint16_t)spe_packed_payload(found, SPE_HAS_ISSUE);
        record->translation_cycles = (uint16_t)spe_packed_payload(found, SPE_HAS_TRANSLATION);
        record->context_el1 = (uint32_t)spe_packed_payload(found, SPE_HAS_CONTEXT_EL1);
        record->context_el2 = (uint32_t)spe_packed_payload(found, SPE_HAS_CONTEXT_EL2);
}

/* Instructions stand at multiples of 4; a source has 16 bits at most. */
static bool is_possible(const struct spe_packed *found)
{
        return found->has & SPE_HAS_PC && !(found->payloads[FIELD_PC] & 3) &&
               found->payloads[FIELD_SOURCE] <= UINT16_MAX;
}

static bool is_last(const struct spe_packet *packet)
{
        return packet->kind == SPE_PACKET_END || packet->kind == SPE_PACKET_TIMESTAMP;
}

static bool may_begin(const struct spe_decoder *d, uint16_t first)
{
        return d->in_sync || first == (d->first ? d->first : FIRST_PC);
}

/* Reads a record at the cursor, which is not moved.  The answer does not depend on the bytes after the
 * record. */
static enum attempt read_record(const struct spe_decoder *d, const struct cursor *c, struct candidate *found)
{
        const bool is_long = cursor_left(c) >= SPE_RECORD_MAX_BYTES;
        const uint8_t *at = c->at, *end = is_long ? at + SPE_RECORD_MAX_BYTES : c->end;
        bool has_ended;

        begin_candidate(found, first_at(at, (size_t)(end - at)));
        if (found->first && !may_begin(d, found->first))
                return ATTEMPT_NONE;
        for (;;) {
                struct spe_packet packet;

                at = add_plain_packets(found->packed, at, end, &has_ended);
                if (has_ended)
                        break;
                if (at > c->at && at < end && !*at) {
                        size_t n_padding = count_padding(at, end);

                        at += n_padding;
                        found->padding_bytes += n_padding;
                        continue;
                }
                packet = spe_packet_at(at, (size_t)(end - at));
                if (packet.kind == SPE_PACKET_IS_CUT && !is_long && !d->at_end)
                        return ATTEMPT_CUT;
                if (packet.kind >= SPE_PACKET_N_KINDS || !add_packet(found->packed, &packet))
                        return ATTEMPT_NONE;
                at += packet.size_bytes;
                if (is_last(&packet))
                        break;
        }
        found->packed->size_bytes = (uint32_t)(at - c->at);
        return is_possible(found->packed) ? ATTEMPT_RECORD : ATTEMPT_NONE;
}

/* Code has the lowest or the highest 2^52 addresses, unless a program asks for the larger ones of
 * FEAT_LVA3. */
static bool is_likely_code(uint64_t payload)
{
        const uint64_t high = payload >> 52 & 0xf;

        return high == 0 || high == 0xf;
}

/* Rejects a whole record that is probably what is left of a damaged one, because its PC is unlikely, or
 * that has stray bytes in front, because it begins unlike the records before.  Two records in sync that
 * begin alike are accepted all the same. */
static bool accept_record(struct spe_decoder *d, const struct candidate *found)
{
        const uint16_t other = d->other;

        if (!d->in_sync && is_likely_code(found->packed->payloads[FIELD_PC]))
                return true;
        if (d->in_sync) {
                d->other = found->first;
                if (found->first == d->first || found->first == other ||
                    (!d->first && found->first == FIRST_PC)) {
                        d->first = found->first;
                        return true;
                }
                if (!d->first)
                        return true;
        }
        d->sync_off = d->off + found->packed->size_bytes;
        return false;
}

static void add_gap_packet(struct spe_decoder *d)
{
        d->n_ends += d->gap_kind == SPE_PACKET_END || d->gap_kind == SPE_PACKET_TIMESTAMP;
        d->n_firsts += d->gap_is_first;
        d->gap_kind = SPE_PACKET_N_KINDS;
        d->gap_is_first = false;
}

/* The byte at the cursor belongs to no record.  The gap is read packet by packet, to estimate how many
 * records are lost. */
static void skip_byte(struct spe_decoder *d, struct cursor c)
{
        struct spe_packet packet;

        if (!d->in_gap) {
                d->in_gap = true;
                d->n_ends = d->n_firsts = 0;
                d->gap_packet_end = d->off;
                d->gap_kind = SPE_PACKET_N_KINDS;
                d->gap_is_first = false;
        }
        if (d->off >= d->gap_packet_end) {
                add_gap_packet(d);
                d->gap_packet_end = d->off + 1;
                if (spe_packet_read(&c, &packet) == SPE_PACKET_WHOLE) {
                        d->gap_packet_end = d->off + packet.size_bytes;
                        d->gap_kind = packet.kind;
                        d->gap_is_first = first_of(&packet) == (d->first ? d->first : FIRST_PC);
                }
        }
        d->in_sync = false;
        d->counts.damaged_bytes++;
        d->off++;
}

static void end_gap(struct spe_decoder *d)
{
        if (!d->in_gap)
                return;
        if (d->off >= d->gap_packet_end)
                add_gap_packet(d);
        d->counts.n_damaged += d->n_ends > d->n_firsts ? d->n_ends : d->n_firsts;
        d->in_gap = false;
}

static void count_record(struct spe_decoder *d, const struct candidate *found)
{
        const size_t size = found->packed->size_bytes;

        found->packed->off = d->off;
        end_gap(d);
        d->in_sync = true;
        d->off += size;
        d->counts.n_records++;
        d->counts.record_bytes += size - found->padding_bytes;
        d->counts.padding_bytes += found->padding_bytes;
}

static size_t skip_padding(struct spe_decoder *d, const struct cursor *c)
{
        const bool is_inside =
                d->in_gap && d->off < d->gap_packet_end; /* zeros of a damaged packet are not padding */
        size_t n = count_padding(c->at, c->end);

        if (is_inside && n > d->gap_packet_end - d->off)
                n = (size_t)(d->gap_packet_end - d->off);
        if (d->off < d->sync_off && n > d->sync_off - d->off)
                n = (size_t)(d->sync_off - d->off);
        if (is_inside)
                d->counts.damaged_bytes += n;
        else
                d->counts.padding_bytes += n;
        d->off += n;
        return n;
}

/* Moves the cursor past the next record, or to where more bytes are needed (false). */
static bool scan(struct spe_decoder *d, struct cursor *c, struct spe_packed *packed)
{
        struct candidate found;

        found.packed = packed;
        packed->shape = NULL;
        while (cursor_left(c)) {
                enum attempt attempt;

                d->in_sync |= d->off == d->sync_off;
                if (!*c->at) {
                        c->at += skip_padding(d, c);
                        continue;
                }
                attempt = read_record(d, c, &found);
                if (attempt == ATTEMPT_CUT)
                        return false;
                if (attempt == ATTEMPT_RECORD && accept_record(d, &found)) {
                        count_record(d, &found);
                        if (found.first == d->first)
                                spe_shapes_learn(&d->shapes, c, packed->size_bytes);
                        c->at += packed->size_bytes;
                        return true;
                }
                skip_byte(d, *c);
                c->at++;
        }
        return false;
}

/* Scans what is kept of earlier pieces with as much of this one as a record can need; *ret_all: with all of
 * this one. */
static bool scan_kept(struct spe_decoder *d, struct spe_packed *packed, bool *ret_all)
{
        const size_t n_old = d->n_kept;
        size_t n_new = SPE_RECORD_MAX_BYTES - n_old, n_used;
        struct cursor c;
        bool found;

        *ret_all = n_new >= cursor_left(&d->piece);
        if (*ret_all)
                n_new = cursor_left(&d->piece);
        if (n_new)
                memcpy(d->kept + n_old, d->piece.at, n_new);
        c = cursor_make(d->kept, n_old + n_new);
        found = scan(d, &c, packed);
        n_used = cursor_pos(&c);
        if (n_used >= n_old) {
                d->piece.at += n_used - n_old;
                d->n_kept = 0;
        } else {
                memmove(d->kept, d->kept + n_used, n_old - n_used);
                d->n_kept = n_old - n_used;
        }
        return found;
}

static void keep_rest(struct spe_decoder *d)
{
        size_t n = cursor_left(&d->piece);

        if (n)
                memcpy(d->kept + d->n_kept, d->piece.at, n);
        d->n_kept += n;
        d->piece.at = d->piece.end;
}

/* Reads a record of a shape that is known, and the padding after it, with the same answer as scan(). */
static bool read_shaped(struct spe_decoder *d, struct spe_packed *packed)
{
        struct cursor *c = &d->piece;
        const struct spe_shape *shape;

        if (!d->in_sync || d->in_gap || cursor_left(c) < SPE_SHAPE_READ_BYTES)
                return false;
        shape = spe_shapes_find(&d->shapes, c->at);
        if (!shape || shape->first != d->first || spe_shape_payload(shape, c->at, FIELD_PC) & 3)
                return false;
        packed->off = d->off;
        packed->size_bytes = shape->record_bytes;
        packed->has = shape->has;
        packed->shape = shape;
        packed->bytes = c->at;
        d->other = shape->first;
        d->off += shape->record_bytes + shape->after_bytes;
        d->counts.n_records++;
        d->counts.record_bytes += shape->record_bytes - shape->inner_bytes;
        d->counts.padding_bytes += shape->inner_bytes + shape->after_bytes;
        c->at += shape->record_bytes + shape->after_bytes;
        return true;
}

bool spe_decoder_next_packed(struct spe_decoder *d, struct spe_packed *packed)
{
        bool saw_all = false;

        if (!d->n_kept && read_shaped(d, packed))
                return true;
        /* A scan of SPE_RECORD_MAX_BYTES uses one byte at least, so that this ends. */
        while (d->n_kept && !saw_all) {
                if (scan_kept(d, packed, &saw_all))
                        return true;
        }
        if (!d->n_kept && scan(d, &d->piece, packed))
                return true;
        keep_rest(d);
        if (d->at_end)
                end_gap(d);
        return false;
}

bool spe_decoder_next(struct spe_decoder *d, struct spe_record *record)
{
        struct spe_packed packed;

        if (!spe_decoder_next_packed(d, &packed))
                return false;
        spe_packed_read(&packed, record);
        return true;
}

void spe_decoder_begin(struct spe_decoder *d, uint64_t off)
{
        *d = (struct spe_decoder){.off = off, .sync_off = off};
        spe_decoder_feed(d, NULL, 0);
}

void spe_decoder_feed(struct spe_decoder *d, const void *bytes, size_t size)
{
        assert(bytes || !size);
        d->piece = cursor_make(size ? bytes : d->kept, size); /* never NULL: pointers into it are added to */
}

void spe_decoder_end(struct spe_decoder *d)
{
        assert(!d->at_end);
        d->at_end = true;
}

void spe_decoder_resume(struct spe_decoder *d, uint64_t off)
{
        assert(d->at_end);
        d->off = d->sync_off = off;
        d->at_end = false;
}
