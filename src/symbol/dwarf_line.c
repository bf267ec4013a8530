/* SPDX-License-Identifier: BSD-3-Clause */
/* Line programs (DWARF 5, section 6.2.5) run into rows by address.  A sequence is a stretch of code; its rows are in
 * order, sequences are sorted afterwards. */
#include <stdlib.h>

#include "dwarf_form.h"

struct machine {
        const struct dwarf_program *program;
        struct dwarf_lines *lines;
        struct cursor c;
        struct dwarf_row row;
        size_t first_row; /* of the sequence */
        struct {
                uint8_t addr;
                int16_t line;
        } special[256];
};

static void begin_sequence(struct machine *m)
{
        m->row = (struct dwarf_row){.file = 1, .line = 1};
        m->first_row = m->lines->n_rows;
}

/* Of several rows at one address the last one counts; one that goes back breaks the rules and is left out. */
static void put_row(struct machine *m)
{
        struct dwarf_lines *lines = m->lines;

        if (lines->n_rows > m->first_row) {
                struct dwarf_row *last = &lines->rows[lines->n_rows - 1];

                if (m->row.addr < last->addr)
                        return;
                if (m->row.addr == last->addr) {
                        *last = m->row;
                        return;
                }
        }
        ARRAY_PUSH(lines->rows, lines->n_rows, lines->cap_rows, m->row);
}

static void end_sequence(struct machine *m)
{
        struct dwarf_lines *lines = m->lines;
        size_t n = lines->n_rows - m->first_row;
        uint64_t start = n ? lines->rows[m->first_row].addr : 0;

        if (!n || m->row.addr <= start || dwarf_is_dropped(start, m->program->shape.address_bytes))
                lines->n_rows = m->first_row;
        else
                ARRAY_PUSH(lines->sequences, lines->n_sequences, lines->cap_sequences,
                           (struct dwarf_sequence){start, m->row.addr, m->first_row, n});
        begin_sequence(m);
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
static void run_extended(struct machine *m)
{
        uint64_t length = dwarf_uleb(&m->c);
        struct cursor operands = cursor_sub(&m->c, cursor_pos(&m->c), length);

        cursor_skip(&m->c, length);
        if (m->c.failed || !length)
                return;
        switch (cursor_u8(&operands)) {
        case DW_LNE_end_sequence: end_sequence(m); break;
        case DW_LNE_set_address:
                m->row.addr = dwarf_read_sized(&operands, (unsigned)cursor_left(&operands) & 0xf);
                break;
        case DW_LNE_define_file: define_file(m, &operands); break;
        default: break;
        }
}

static uint32_t clip(uint64_t number)
{
        return number <= UINT32_MAX ? (uint32_t)number : 0;
}

static void run_standard(struct machine *m, uint8_t opcode)
{
        const struct dwarf_program *program = m->program;

        switch (opcode) {
        case DW_LNS_copy: put_row(m); break;
        case DW_LNS_advance_pc: m->row.addr += dwarf_uleb(&m->c) * program->min_instruction_bytes; break;
        case DW_LNS_advance_line: m->row.line += (uint32_t)cursor_sleb(&m->c); break;
        case DW_LNS_set_file: m->row.file = clip(dwarf_uleb(&m->c)); break;
        case DW_LNS_set_column: m->row.column = clip(dwarf_uleb(&m->c)); break;
        case DW_LNS_const_add_pc:
                m->row.addr += (uint64_t)m->special[255].addr * program->min_instruction_bytes;
                break;
        case DW_LNS_fixed_advance_pc: m->row.addr += cursor_u16(&m->c); break;
        default:
                for (unsigned i = program->n_operands[opcode]; i; i--)
                        dwarf_uleb(&m->c);
                break;
        }
}

static void run(struct machine *m)
{
        const struct dwarf_program *program = m->program;

        for (unsigned i = program->opcode_base; i < 256; i++) {
                unsigned adjusted = i - program->opcode_base;

                m->special[i].addr = (uint8_t)(adjusted / program->line_range);
                m->special[i].line = (int16_t)(program->line_base + (int)(adjusted % program->line_range));
        }
        begin_sequence(m);
        while (cursor_left(&m->c) && !m->c.failed) {
                uint8_t opcode = cursor_u8(&m->c);

                if (opcode >= program->opcode_base) {
                        m->row.addr += (uint64_t)m->special[opcode].addr * program->min_instruction_bytes;
                        m->row.line += (uint32_t)(int32_t)m->special[opcode].line;
                        put_row(m);
                } else if (opcode) {
                        run_standard(m, opcode);
                } else {
                        run_extended(m);
                }
        }
        /* A sequence without an end says nothing of where its code ends. */
        m->lines->n_rows = m->first_row;
}

static int compare_sequences(const void *a, const void *b)
{
        const struct dwarf_sequence *x = a, *y = b;

        if (x->start != y->start)
                return x->start < y->start ? -1 : 1;
        return x->first < y->first ? -1 : x->first > y->first;
}

bool dwarf_lines_read(const struct dwarf_unit *unit, struct dwarf_lines *lines, struct err *err)
{
        struct dwarf_program program;
        struct machine m = {.program = &program, .lines = lines};

        if (!unit->has_lines)
                return true;
        if (!dwarf_lines_header(unit, lines, &program, err) ||
            !dwarf_spend(unit->file, cursor_left(&program.code), err))
                return false;
        m.c = program.code;
        run(&m);
        if (lines->n_sequences)
                qsort(lines->sequences, lines->n_sequences, sizeof(*lines->sequences), compare_sequences);
        return !m.c.failed || err_set(err, ERR_FORMAT, "its line program is damaged");
}

void dwarf_lines_release(struct dwarf_lines *lines)
{
        free(lines->folders);
        free(lines->sources);
        free(lines->rows);
        free(lines->sequences);
        *lines = (struct dwarf_lines){0};
}

/* The last sequence that begins at or before `addr`. */
static const struct dwarf_sequence *find_sequence(const struct dwarf_lines *lines, uint64_t addr)
{
        size_t low = 0, high = lines->n_sequences;

        while (low < high) {
                size_t mid = low + (high - low) / 2;

                if (lines->sequences[mid].start <= addr)
                        low = mid + 1;
                else
                        high = mid;
        }
        return low && addr < lines->sequences[low - 1].end ? &lines->sequences[low - 1] : NULL;
}

const struct dwarf_row *dwarf_lines_find(const struct dwarf_lines *lines, uint64_t addr)
{
        const struct dwarf_sequence *sequence = find_sequence(lines, addr);
        size_t low, high;

        if (!sequence)
                return NULL;
        low = sequence->first;
        high = low + sequence->n;
        while (low < high) {
                size_t mid = low + (high - low) / 2;

                if (lines->rows[mid].addr <= addr)
                        low = mid + 1;
                else
                        high = mid;
        }
        return &lines->rows[low - 1];
}
