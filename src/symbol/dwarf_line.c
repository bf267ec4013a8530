/* SPDX-License-Identifier: BSD-3-Clause */
/* Line programs (DWARF 5, section 6.2.5) run for the places that are looked up.  No row is kept: a sequence is a stretch
 * of code with its rows in order, so that each place gets its row when the next one is met. */
#include <stdlib.h>

#include "dwarf_form.h"
#include "dwarf_lookup.h"

struct machine {
        const struct dwarf_program *program;
        struct dwarf_lines *lines;
        struct dwarf_places *places;
        struct cursor c;
        uint64_t start,
                last_addr;  /* of the sequence's first row, and of its last one; last_addr NO_ROW: none yet */
        size_t first, next; /* these places have a row of this sequence */
        uint64_t next_addr; /* of places[next] */
        struct {
                uint32_t addr, line;
        } special[256]; /* what they add */
};

#define NO_ROW UINT64_MAX

/* Kept apart from the machine so that the compiler may have them in registers. */
struct registers {
        uint64_t addr;
        struct dwarf_row row, last; /* last: of the row before */
};

static struct registers begin_sequence(struct machine *m)
{
        m->last_addr = NO_ROW;
        m->next_addr = UINT64_MAX;
        return (struct registers){.row = {.file = 1, .line = 1}};
}

/* The row `last` holds up to `end`. */
static void give_row(struct machine *m, uint64_t end, struct dwarf_row last)
{
        struct dwarf_places *places = m->places;

        while (m->next < places->n && places->items[m->next].addr < end)
                places->items[m->next++].pending = last;
        m->next_addr = m->next < places->n ? places->items[m->next].addr : UINT64_MAX;
}

/* For a row that is not behind the one before it, or has a place before it.  False when it is left out: one that
 * goes back breaks the rules. */
static bool put_row_slowly(struct machine *m, uint64_t addr, struct dwarf_row last)
{
        if (m->last_addr == NO_ROW) {
                m->start = addr;
                m->first = m->next = dwarf_places_from(m->places, addr);
                give_row(m, addr, last);
                return true;
        }
        if (addr < m->last_addr)
                return false;
        give_row(m, addr, last);
        return true;
}

/* Of several rows at one address the last one counts. */
static inline __attribute__((always_inline)) void put_row(struct machine *m, struct registers *r)
{
        if ((r->addr < m->last_addr || m->next_addr < r->addr) && !put_row_slowly(m, r->addr, r->last))
                return;
        m->last_addr = r->addr;
        r->last = r->row;
}

/* Of two sequences with the place the one that begins later has it, of two that begin together the second. */
static void end_sequence(struct machine *m, uint64_t end, struct dwarf_row last)
{
        if (m->last_addr == NO_ROW || end <= m->start ||
            dwarf_is_dropped(m->start, m->program->shape.address_bytes))
                return;
        give_row(m, end, last);
        for (size_t i = m->first; i < m->next; i++) {
                struct dwarf_place *place = &m->places->items[i];

                if (place->addr >= end || (place->has_row && place->sequence_start > m->start))
                        continue;
                place->has_row = true;
                place->sequence_start = m->start;
                place->row = place->pending;
        }
        if (!dwarf_spend(m->lines->file, m->next - m->first, NULL))
                cursor_fail(&m->c);
}

static bool define_file(struct machine *m, struct cursor *c)
{
        const char *name = cursor_str(c, NULL);
        uint64_t folder = dwarf_uleb(c);

        if (name && m->lines->n_sources < DWARF_MAX_FILES)
                ARRAY_PUSH(m->lines->sources, m->lines->n_sources, m->lines->cap_sources,
                           (struct dwarf_source){.name = name, .folder = folder});
        return name;
}

/* Length, opcode, operands; what is not known is passed over by its length. */
static struct registers run_extended(struct machine *m, struct registers r)
{
        uint64_t length = dwarf_uleb(&m->c);
        struct cursor operands = cursor_sub(&m->c, cursor_pos(&m->c), length);

        cursor_skip(&m->c, length);
        if (m->c.failed || !length)
                return r;
        switch (cursor_u8(&operands)) {
        case DW_LNE_end_sequence: end_sequence(m, r.addr, r.last); return begin_sequence(m);
        case DW_LNE_set_address:
                r.addr = dwarf_read_sized(&operands, (unsigned)cursor_left(&operands) & 0xf);
                break;
        case DW_LNE_define_file: define_file(m, &operands); break;
        default: break;
        }
        return r;
}

static uint32_t clip(uint64_t number)
{
        return number <= UINT32_MAX ? (uint32_t)number : 0;
}

static inline __attribute__((always_inline)) void run_standard(struct machine *m, struct registers *r,
                                                               uint8_t opcode)
{
        const struct dwarf_program *program = m->program;

        switch (opcode) {
        case DW_LNS_copy: put_row(m, r); break;
        case DW_LNS_advance_pc: r->addr += dwarf_uleb(&m->c) * program->min_instruction_bytes; break;
        case DW_LNS_advance_line: r->row.line += (uint32_t)dwarf_sleb(&m->c); break;
        case DW_LNS_set_file: r->row.file = clip(dwarf_uleb(&m->c)); break;
        case DW_LNS_set_column: r->row.column = clip(dwarf_uleb(&m->c)); break;
        case DW_LNS_negate_stmt:
        case DW_LNS_set_basic_block: break;
        case DW_LNS_const_add_pc: r->addr += m->special[255].addr; break;
        case DW_LNS_fixed_advance_pc: r->addr += cursor_u16(&m->c); break;
        default:
                for (unsigned i = program->n_operands[opcode]; i; i--)
                        dwarf_uleb(&m->c);
                break;
        }
}

static void prepare_specials(struct machine *m)
{
        const struct dwarf_program *program = m->program;

        for (unsigned i = program->opcode_base; i < 256; i++) {
                unsigned adjusted = i - program->opcode_base;

                m->special[i].addr = adjusted / program->line_range * program->min_instruction_bytes;
                m->special[i].line = (uint32_t)(program->line_base + (int)(adjusted % program->line_range));
        }
}

/* A sequence without an end says nothing of where its code ends: it does not count. */
static void run(struct machine *m)
{
        const unsigned opcode_base = m->program->opcode_base;
        struct registers r = begin_sequence(m);

        while (m->c.at < m->c.end && !m->c.failed) {
                uint8_t opcode = *m->c.at++;

                if (opcode >= opcode_base) {
                        r.addr += m->special[opcode].addr;
                        r.row.line += m->special[opcode].line;
                        put_row(m, &r);
                } else if (opcode) {
                        run_standard(m, &r, opcode);
                } else {
                        r = run_extended(m, r);
                }
        }
}

bool dwarf_lines_find(const struct dwarf_unit *unit, struct dwarf_lines *lines, struct dwarf_places *places,
                      struct err *err)
{
        struct dwarf_program program;
        struct machine m;

        if (!unit->has_lines)
                return true;
        if (!dwarf_lines_header(unit, lines, &program, err) ||
            !dwarf_spend(unit->file, cursor_left(&program.code), err))
                return false;
        m.program = &program;
        m.lines = lines;
        m.places = places;
        m.c = program.code;
        prepare_specials(&m);
        run(&m);
        return !m.c.failed || err_set(err, ERR_FORMAT, "its line program is damaged");
}

void dwarf_lines_release(struct dwarf_lines *lines)
{
        free(lines->folders);
        free(lines->sources);
        *lines = (struct dwarf_lines){0};
}
