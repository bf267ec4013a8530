/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs line programs (DWARF 5, section 6.2.5) for the places that are looked up.  No rows are stored: a
 * sequence is an address range with sorted rows, so each place gets its row when the next row is reached. */
#include <stdlib.h>

#include "dwarf_form.h"
#include "dwarf_lookup.h"
#include "mem.h"

struct line_machine {
        const struct dwarf_program *program;
        struct dwarf_lines *lines;
        struct dwarf_places *places;
        struct cursor c;
        uint64_t start;     /* start of the sequence */
        size_t first, next; /* places with a row of this sequence */
        struct {
                uint32_t addr, line;
        } step[256]; /* increments of opcodes that make a row */
};

#define NO_ROW UINT64_MAX

/* Separate from the machine so that the compiler can keep them in registers. */
struct registers {
        uint64_t addr;
        uint64_t last_addr; /* address of the row before, or NO_ROW */
        uint64_t next_addr; /* address of places[next] */
        struct dwarf_row row, last;
};

static struct registers begin_sequence(void)
{
        return (struct registers){.last_addr = NO_ROW, .row = {.file = 1, .line = 1}};
}

/* Assigns the row `last` to places up to `end`. */
static void give_row(struct line_machine *m, uint64_t end, struct dwarf_row last)
{
        struct dwarf_places *places = m->places;

        while (m->next < places->n && places->items[m->next].addr < end)
                places->items[m->next++].pending = last;
}

/* For a row whose address is not greater than that of the row before, or with a place before it.  False if
 * the row is dropped, because its address decreases, which is not allowed. */
static bool put_row_slowly(struct line_machine *m, uint64_t addr, uint64_t last_addr, struct dwarf_row last)
{
        if (last_addr == NO_ROW) {
                m->start = addr;
                m->first = m->next = dwarf_places_from(m->places, addr);
                return true;
        }
        if (addr < last_addr)
                return false;
        give_row(m, addr, last);
        return true;
}

/* If several rows have the same address, the last one is used. */
static inline __attribute__((always_inline)) void put_row(struct line_machine *m, struct registers *r)
{
        if (r->addr < r->last_addr || r->next_addr < r->addr) {
                if (!put_row_slowly(m, r->addr, r->last_addr, r->last))
                        return;
                r->next_addr = m->next < m->places->n ? m->places->items[m->next].addr : UINT64_MAX;
        }
        r->last_addr = r->addr;
        r->last = r->row;
}

/* If two sequences contain a place, the one that begins later is used; if both begin together, the second
 * one. */
static void end_sequence(struct line_machine *m, const struct registers *r)
{
        uint64_t end = r->addr;

        if (r->last_addr == NO_ROW || end <= m->start ||
            dwarf_is_dropped(m->start, m->program->shape.address_bytes))
                return;
        give_row(m, end, r->last);
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

static bool define_file(struct line_machine *m, struct cursor *c)
{
        const char *name = cursor_str(c, NULL);
        uint64_t folder = dwarf_uleb(c);

        if (name && m->lines->n_sources < DWARF_MAX_FILES)
                ARRAY_PUSH(m->lines->sources, m->lines->n_sources, m->lines->cap_sources,
                           (struct dwarf_source){.name = name, .folder = folder});
        return name;
}

/* Length, opcode, operands; unknown opcodes are skipped by their length. */
static struct registers run_extended(struct line_machine *m, struct registers r)
{
        uint64_t length = dwarf_uleb(&m->c);
        struct cursor operands = cursor_sub(&m->c, cursor_pos(&m->c), length);

        cursor_skip(&m->c, length);
        if (m->c.failed || !length)
                return r;
        switch (cursor_u8(&operands)) {
        case DW_LNE_end_sequence: end_sequence(m, &r); return begin_sequence();
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

/* `at` is the position; m->c.at is set only for code that is not inline. */
static inline __attribute__((always_inline)) uint64_t read_uleb(struct line_machine *m, const uint8_t **at)
{
        uint64_t number;

        if (*at < m->c.end && **at < 0x80)
                return *(*at)++;
        m->c.at = *at;
        number = cursor_uleb(&m->c);
        *at = m->c.failed ? m->c.end : m->c.at;
        return number;
}

/* Line increments often have two bytes. */
static inline __attribute__((always_inline)) uint32_t read_line_step(struct line_machine *m,
                                                                     const uint8_t **at)
{
        const uint8_t *p = *at;
        uint32_t step;

        if (m->c.end - p >= 2 && (p[0] & p[1]) < 0x80) {
                bool is_short = p[0] < 0x80;

                *at += is_short ? 1 : 2;
                step = is_short ? p[0] : (p[0] & 0x7fu) | (uint32_t)p[1] << 7;
                return is_short ? (step ^ 0x40) - 0x40 : (step ^ 0x2000) - 0x2000;
        }
        m->c.at = p;
        step = (uint32_t)cursor_sleb(&m->c);
        *at = m->c.failed ? m->c.end : m->c.at;
        return step;
}

/* Returns the position of the next opcode. */
static inline __attribute__((always_inline)) const uint8_t *run_standard(struct line_machine *m,
                                                                         struct registers *r, uint8_t opcode,
                                                                         const uint8_t *at)
{
        const struct dwarf_program *program = m->program;

        switch (opcode) {
        case DW_LNS_advance_pc: r->addr += read_uleb(m, &at) * program->min_instruction_bytes; break;
        case DW_LNS_advance_line: r->row.line += read_line_step(m, &at); break;
        case DW_LNS_set_file: r->row.file = clip(read_uleb(m, &at)); break;
        case DW_LNS_set_column: r->row.column = clip(read_uleb(m, &at)); break;
        case DW_LNS_negate_stmt:
        case DW_LNS_set_basic_block: break;
        case DW_LNS_const_add_pc: r->addr += m->step[255].addr; break;
        case DW_LNS_fixed_advance_pc:
                m->c.at = at;
                r->addr += cursor_u16(&m->c);
                at = m->c.failed ? m->c.end : m->c.at;
                break;
        default:
                for (unsigned i = program->n_operands[opcode]; i; i--)
                        read_uleb(m, &at);
                break;
        }
        return at;
}

enum { USUAL_BYTES = 6 }; /* bytes read before the line increment, which checks for the end itself */

/* The opcodes that compilers usually write before a row, in this order; each of them is optional.  Separate
 * branches are predicted better than one branch for all opcodes.  The last one may have a long number. */
static inline __attribute__((always_inline)) const uint8_t *run_usual(struct line_machine *m,
                                                                      struct registers *r, const uint8_t *at)
{
        if (at[0] == DW_LNS_set_file && at[1] < 0x80) {
                r->row.file = at[1];
                at += 2;
        }
        if (at[0] == DW_LNS_set_column && at[1] < 0x80) {
                r->row.column = at[1];
                at += 2;
                at += *at == DW_LNS_negate_stmt;
        }
        if (at[0] == DW_LNS_advance_line) {
                at++;
                r->row.line += read_line_step(m, &at);
        }
        return at;
}

static void prepare_steps(struct line_machine *m)
{
        const struct dwarf_program *program = m->program;

        m->step[DW_LNS_copy].addr = m->step[DW_LNS_copy].line = 0;
        for (unsigned i = program->opcode_base; i < 256; i++) {
                unsigned adjusted = i - program->opcode_base;

                m->step[i].addr = adjusted / program->line_range * program->min_instruction_bytes;
                m->step[i].line = (uint32_t)(program->line_base + (int)(adjusted % program->line_range));
        }
}

/* Discriminators are the most frequent extended opcode, and rows that are looked up do not need them.
 * False: it is another opcode, or incomplete. */
static inline __attribute__((always_inline)) bool skip_discriminator(const uint8_t **at, const uint8_t *end)
{
        const uint8_t *p = *at;

        if (end - p < 2 || p[1] != DW_LNE_set_discriminator || !p[0] || p[0] >= 0x80 || p[0] >= end - p)
                return false;
        *at += 1 + p[0];
        return true;
}

/* A sequence without an end is ignored, because the end of its code is not known. */
static void run(struct line_machine *m)
{
        const unsigned first_other = DW_LNS_copy + 1, opcode_base = m->program->opcode_base;
        const unsigned n_other = opcode_base > first_other ? opcode_base - first_other : 0;
        const size_t usual_bytes = opcode_base > DW_LNS_negate_stmt ? USUAL_BYTES : SIZE_MAX;
        const uint8_t *at = m->c.at, *const end = m->c.end;
        struct registers r = begin_sequence();

        while (at < end) {
                unsigned opcode;

                if ((size_t)(end - at) >= usual_bytes) {
                        at = run_usual(m, &r, at);
                        if (at == end)
                                break;
                }
                opcode = *at++;
                if (opcode - first_other < n_other) {
                        at = run_standard(m, &r, (uint8_t)opcode, at);
                } else if (opcode) {
                        r.addr += m->step[opcode].addr;
                        r.row.line += m->step[opcode].line;
                        put_row(m, &r);
                } else if (!skip_discriminator(&at, end)) {
                        m->c.at = at;
                        r = run_extended(m, r);
                        at = m->c.failed ? end : m->c.at;
                }
        }
}

bool dwarf_lines_find(const struct dwarf_unit *unit, struct dwarf_lines *lines, struct dwarf_places *places,
                      struct err *err)
{
        struct dwarf_program program;
        struct line_machine m;

        if (!unit->has_lines)
                return true;
        if (!dwarf_lines_header(unit, lines, &program, err) ||
            !dwarf_spend(unit->file, cursor_left(&program.code), err))
                return false;
        m.program = &program;
        m.lines = lines;
        m.places = places;
        m.c = program.code;
        prepare_steps(&m);
        run(&m);
        return !m.c.failed || err_set(err, ERR_FORMAT, "its line program is damaged");
}

void dwarf_lines_release(struct dwarf_lines *lines)
{
        free(lines->folders);
        free(lines->sources);
        *lines = (struct dwarf_lines){0};
}
