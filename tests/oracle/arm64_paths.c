/* SPDX-License-Identifier: BSD-3-Clause */
/* Executes functions of ARM64 images, as far as the stack and preserved registers are concerned, along each
 * branch once, and unwinds at every instruction and every return address: the caller's registers must be
 * those at the function's entry. arm64_paths IMAGE... prints TAP, a test for each image. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cursor.h"
#include "mem.h"
#include "unwind_pe.h"
#include "unwind_xdata.h"

enum {
        MAX_STORES = 96,
        MAX_INSTRUCTIONS = 1 << 16,
        SHOWN = 10,
        FIRST_KEPT = 19,
        FP = 29,
        LR = 30,
        SP = 31,
        DYNAMIC_BYTES = 0x1000, /* size of stack allocations by unknown amounts */
};

#define STACK_ADDR 0x7ffff0000000ull
#define CALLER_PC  0x7ff612345678ull
#define SIGNATURE  (0x5aull << 56)

struct store {
        uint64_t addr, value;
};

struct state {
        uint64_t x[32];
        struct store stores[MAX_STORES];
        unsigned n_stores;
        uint32_t at; /* instruction */
};

struct function {
        const struct object *object;
        const struct object_unwind *entry;
        const uint8_t *code;
        uint32_t n; /* instructions */
        bool *visited;
        struct state *todo;
        size_t n_todo, cap_todo;
        uint64_t garbage;
        bool is_lost; /* the function did something that is not simulated here */
};

struct totals {
        uint64_t n_functions, n_parts, n_lost, n_instructions, n_visited, n_steps, n_returns, n_wrong;
};

/* --- Memory --- */

static bool load(const struct state *s, uint64_t addr, uint64_t *ret)
{
        for (unsigned i = s->n_stores; i-- > 0;) {
                if (s->stores[i].addr == addr) {
                        *ret = s->stores[i].value;
                        return true;
                }
        }
        return false;
}

static bool read_word(void *ctx, uint64_t addr, uint64_t *ret_word)
{
        if (!load(ctx, addr, ret_word))
                *ret_word = 0xbad0000000000000 | addr;
        return true;
}

static void store(struct function *f, struct state *s, uint64_t addr, uint64_t value)
{
        for (unsigned i = 0; i < s->n_stores; i++) {
                if (s->stores[i].addr == addr) {
                        s->stores[i].value = value;
                        return;
                }
        }
        if (s->n_stores == MAX_STORES)
                f->is_lost = true;
        else
                s->stores[s->n_stores++] = (struct store){addr, value};
}

/* --- Checking --- */

static uint64_t entry_value(unsigned reg)
{
        return reg == LR ? CALLER_PC : reg == SP ? STACK_ADDR : 0x1000 + reg;
}

static void check(const struct function *f, struct state *s, uint32_t at, bool is_exact,
                  struct totals *totals)
{
        struct unwind_regs regs = {.machine = OBJECT_MACHINE_ARM64};
        struct unwind_memory memory = {.read = read_word, .ctx = s};
        bool is_caller_exact, is_right;
        enum unwind_pe how;

        for (unsigned i = 0; i < 32; i++)
                unwind_set_reg(&regs, i, s->x[i]);
        unwind_set_reg(&regs, UNWIND_ARM64_PC, f->entry->start + at * 4);
        how = unwind_pe_step(f->object, 0, is_exact, &regs, &memory, &is_caller_exact);
        is_right = how == UNWIND_PE_DONE && (regs.values[UNWIND_ARM64_PC] & 0xffffffffffff) == CALLER_PC;
        for (unsigned i = FIRST_KEPT; i <= SP; i++)
                is_right &= i == LR || regs.values[i] == entry_value(i);
        *(is_exact ? &totals->n_steps : &totals->n_returns) += 1;
        if (is_right || totals->n_wrong++ >= SHOWN)
                return;
        printf("# function 0x%" PRIx64 " instruction %u%s: %d", f->entry->start, at,
               is_exact ? "" : " (return address)", how);
        for (unsigned i = FIRST_KEPT; i <= SP; i++) {
                if (i != LR && regs.values[i] != entry_value(i))
                        printf(" x%u 0x%" PRIx64, i, regs.values[i]);
        }
        printf(" pc 0x%" PRIx64 "\n", regs.values[UNWIND_ARM64_PC]);
}

/* --- Instructions --- */

static int64_t signed_field(uint32_t word, unsigned low, unsigned bits)
{
        return (int64_t)((uint64_t)(word >> low) << (64 - bits)) >> (64 - bits);
}

static void set(struct function *f, struct state *s, unsigned reg, uint64_t value)
{
        (void)f;
        if (reg < SP)
                s->x[reg] = value;
}

/* Registers that were saved may then have any value. */
static void save(struct function *f, struct state *s, unsigned reg, uint64_t addr)
{
        store(f, s, addr, reg == SP ? 0 : s->x[reg]);
        if (reg >= FIRST_KEPT && reg < FP)
                s->x[reg] = f->garbage++;
}

static void restore(struct function *f, struct state *s, unsigned reg, uint64_t addr)
{
        uint64_t value;

        set(f, s, reg, load(s, addr, &value) ? value : f->garbage++);
}

/* Handles an access of 8 bytes for each register of x0 to x30. */
static void access(struct function *f, struct state *s, bool is_load, bool is_word, unsigned reg,
                   uint64_t addr)
{
        if (is_load && is_word)
                restore(f, s, reg, addr);
        else if (is_load)
                set(f, s, reg, f->garbage++);
        else if (is_word)
                save(f, s, reg, addr);
}

/* Address before the update, after it, or without update. */
enum mode { MODE_OFFSET, MODE_POST, MODE_PRE };

static uint64_t move_base(struct state *s, unsigned base, int64_t off, enum mode mode)
{
        uint64_t addr = s->x[base];

        if (mode != MODE_OFFSET)
                s->x[base] += (uint64_t)off;
        return mode == MODE_POST ? addr : addr + (uint64_t)off;
}

static void do_pair(struct function *f, struct state *s, uint32_t w)
{
        static const uint8_t modes[] = {MODE_OFFSET, MODE_POST, MODE_OFFSET, MODE_PRE};
        bool is_vector = w >> 26 & 1, is_load = w >> 22 & 1;
        unsigned opc = w >> 30, scale = is_vector ? 2 + opc : opc == 2 ? 3 : 2;
        uint64_t addr = move_base(s, w >> 5 & 31, signed_field(w, 15, 7) * (1 << scale), modes[w >> 23 & 3]);

        if (is_vector)
                return;
        access(f, s, is_load, opc == 2, w & 31, addr);
        access(f, s, is_load, opc == 2, w >> 10 & 31, addr + 8);
}

static void do_single(struct function *f, struct state *s, uint32_t w)
{
        static const uint8_t modes[] = {MODE_OFFSET, MODE_POST, MODE_OFFSET, MODE_PRE};
        bool is_vector = w >> 26 & 1;
        unsigned size = w >> 30, opc = w >> 22 & 3;
        uint64_t addr;

        if (w >> 24 & 1)
                addr = move_base(s, w >> 5 & 31,
                                 (int64_t)(w >> 10 & 0xfff) << (is_vector && opc > 1 ? 4 : size),
                                 MODE_OFFSET);
        else if (!(w >> 21 & 1))
                addr = move_base(s, w >> 5 & 31, signed_field(w, 12, 9), modes[w >> 10 & 3]);
        else /* by a register */
                addr = f->garbage++;
        if (!is_vector && !(size == 3 && opc == 2)) /* no prefetch */
                access(f, s, opc != 0, size == 3 && opc < 2, w & 31, addr);
}

static void do_add(struct function *f, struct state *s, uint32_t w)
{
        uint64_t amount = (uint64_t)(w >> 10 & 0xfff) << (w >> 22 & 1 ? 12 : 0);
        unsigned rd = w & 31, rn = w >> 5 & 31;
        bool sets_flags = w >> 29 & 1;
        uint64_t value = w >> 30 & 1 ? s->x[rn] - amount : s->x[rn] + amount;

        if (!(w >> 31))
                value = f->garbage++;
        if (rd != SP || !sets_flags)
                s->x[rd] = value;
}

/* sub sp, sp, x15, lsl 4 after a probe; other amounts are not supported. */
static void do_add_register(struct function *f, struct state *s, uint32_t w)
{
        unsigned rd = w & 31, rn = w >> 5 & 31, rm = w >> 16 & 31;

        if (rd != SP || w >> 29 & 1)
                set(f, s, rd, f->garbage++);
        else if (rn == SP && rm == 15 && s->x[15] < 1 << 24)
                s->x[SP] += (w >> 30 & 1 ? -1ull : 1ull) * (s->x[15] << (w >> 10 & 7));
        else
                s->x[SP] -= DYNAMIC_BYTES;
}

static void do_move_wide(struct function *f, struct state *s, uint32_t w)
{
        unsigned shift = (w >> 21 & 3) * 16, opc = w >> 29 & 3;
        uint64_t imm = (uint64_t)(w >> 5 & 0xffff) << shift;

        set(f, s, w & 31, opc == 2 ? imm : opc == 3 ? (s->x[w & 31] & ~(0xffffull << shift)) | imm : ~imm);
}

/* mov x15, imm as orr x15, xzr, imm: DecodeBitMasks of the manual for 64 bits, or 32. */
static uint64_t logical_immediate(uint32_t w)
{
        unsigned n = w >> 22 & 1, s = w >> 10 & 63, r = w >> 16 & 63, bits = 64;
        uint64_t ones, value = 0;

        if (!n) {
                for (bits = 32; bits > 1 && s & bits; bits /= 2)
                        ;
        }
        s &= bits - 1;
        r &= bits - 1;
        ones = s == 63 ? UINT64_MAX : (1ull << (s + 1)) - 1;
        if (r)
                ones = ones >> r | ones << (bits - r);
        if (bits < 64)
                ones &= (1ull << bits) - 1;
        for (unsigned i = 0; i < 64; i += bits)
                value |= ones << i;
        return value;
}

static void do_logical_immediate(struct function *f, struct state *s, uint32_t w)
{
        unsigned rd = w & 31, opc = w >> 29 & 3;

        if (rd == SP && opc != 3) /* to an alignment */
                s->x[SP] = (s->x[SP] - DYNAMIC_BYTES) & ~0xfffull;
        else
                set(f, s, rd, opc == 1 && (w >> 5 & 31) == 31 ? logical_immediate(w) : f->garbage++);
}

static void do_other(struct function *f, struct state *s, uint32_t w)
{
        if ((w & 0x7fe0ffe0) == 0x2a0003e0) /* mov */
                set(f, s, w & 31, (w >> 16 & 31) == 31 ? 0 : w >> 31 ? s->x[w >> 16 & 31] : f->garbage++);
        else if ((w & 0xffffffdf) == 0xd503235f || w == 0xd503233f) /* pacibsp, pacibz, paciasp */
                s->x[LR] |= SIGNATURE;
        else if ((w & 0xffffffdf) == 0xd50323df || w == 0xd50323bf)
                s->x[LR] &= ~SIGNATURE;
        else if ((w & 0x1e000000) == 0x0a000000 || (w & 0x1c000000) == 0x10000000)
                set(f, s, w & 31, f->garbage++); /* data processing */
        else if ((w & 0x3b000000) == 0x18000000 && !(w >> 26 & 1))
                set(f, s, w & 31, f->garbage++); /* ldr of a literal */
}

static void execute(struct function *f, struct state *s, uint32_t w)
{
        if ((w & 0x3a000000) == 0x28000000)
                do_pair(f, s, w);
        else if ((w & 0x3a000000) == 0x38000000)
                do_single(f, s, w);
        else if ((w & 0x1f800000) == 0x11000000 || (w & 0x1f800000) == 0x11800000)
                do_add(f, s, w);
        else if ((w & 0x1f200000) == 0x0b200000)
                do_add_register(f, s, w);
        else if ((w & 0x1f800000) == 0x12800000)
                do_move_wide(f, s, w);
        else if ((w & 0x1f800000) == 0x12000000)
                do_logical_immediate(f, s, w);
        else
                do_other(f, s, w);
}

/* --- Ways through a function --- */

static void visit_later(struct function *f, const struct state *s, int64_t at)
{
        if (at < 0 || at >= f->n || f->visited[at])
                return;
        f->visited[at] = true;
        ARRAY_PUSH(f->todo, f->n_todo, f->cap_todo, *s);
        f->todo[f->n_todo - 1].at = (uint32_t)at;
}

static void check_return(struct function *f, const struct state *s)
{
        for (unsigned i = FIRST_KEPT; i <= SP; i++)
                f->is_lost |= s->x[i] != entry_value(i);
}

static void call(struct function *f, struct state *s, struct totals *totals)
{
        s->at++;
        for (unsigned i = 0; i <= 18; i++) {
                if (i != 15)
                        s->x[i] = f->garbage++;
        }
        s->x[LR] = f->entry->start + s->at * 4;
        check(f, s, s->at, false, totals);
        visit_later(f, s, s->at);
}

static void run(struct function *f, struct state *s, struct totals *totals)
{
        uint32_t w;

        check(f, s, s->at, true, totals);
        totals->n_visited++;
        memcpy(&w, f->code + s->at * 4, 4);
        if ((w & 0xfc000000) == 0x94000000 || (w & 0xfffffc1f) == 0xd63f0000) {
                call(f, s, totals);
        } else if ((w & 0xfc000000) == 0x14000000) {
                visit_later(f, s, s->at + signed_field(w, 0, 26));
        } else if ((w & 0xff000010) == 0x54000000 || (w & 0x7e000000) == 0x34000000) {
                visit_later(f, s, s->at + signed_field(w, 5, 19));
                visit_later(f, s, s->at + 1);
        } else if ((w & 0x7e000000) == 0x36000000) {
                visit_later(f, s, s->at + signed_field(w, 5, 14));
                visit_later(f, s, s->at + 1);
        } else if ((w & 0xfffffc1f) == 0xd65f0000 || w == 0xd65f0fff || w == 0xd65f0bff) {
                check_return(f, s);
        } else if ((w & 0xfffffc1f) != 0xd61f0000 && (w & 0xffe0001f) != 0xd4200000 && w >> 16) {
                execute(f, s, w);
                visit_later(f, s, s->at + 1);
        }
}

static bool is_whole_function(const struct object *object, const struct object_unwind *entry)
{
        struct unwind_xdata xdata;
        struct unwind_ops ops;

        if (!unwind_xdata_read(object, entry, &xdata, NULL) || xdata.arm64.is_fragment ||
            !unwind_arm64_prologue(&xdata.arm64, &ops, NULL))
                return false;
        for (unsigned i = 0; i < ops.n; i++) {
                if (ops.items[i].kind == UNWIND_OP_END_C)
                        return false;
        }
        return true;
}

static void run_function(const struct object *object, const struct object_unwind *entry,
                         struct totals *totals)
{
        struct function f = {.object = object, .entry = entry, .garbage = 0xdead000000000000};
        struct totals before = *totals;
        struct state first = {.at = 0};
        struct cursor code;

        if (!is_whole_function(object, entry)) {
                totals->n_parts++;
                return;
        }
        f.n = (uint32_t)((entry->end - entry->start) / 4);
        if (f.n > MAX_INSTRUCTIONS || !object_read_addr(object, entry->start, f.n * 4ull, &code))
                return;
        f.code = code.at;
        f.visited = mem_new(f.n, sizeof(*f.visited));
        for (unsigned i = 0; i < 32; i++)
                first.x[i] = entry_value(i);
        visit_later(&f, &first, 0);
        while (f.n_todo && !f.is_lost) {
                struct state now = f.todo[--f.n_todo];

                run(&f, &now, totals);
        }
        if (f.is_lost) {
                *totals = before;
                totals->n_lost++;
        } else {
                totals->n_functions++;
                totals->n_instructions += f.n;
        }
        free(f.visited);
        free(f.todo);
}

int main(int argc, char **argv)
{
        bool is_good = true;

        printf("1..%d\n", argc - 1);
        for (int i = 1; i < argc; i++) {
                AUTO(object) object = object_open(argv[i], NULL);
                struct totals totals = {0};
                struct object_unwind entry;
                bool is_right;

                for (size_t k = 0; object && k < object_n_unwind(object); k++) {
                        if (object_get_unwind(object, k, &entry))
                                run_function(object, &entry, &totals);
                }
                is_right = totals.n_steps && !totals.n_wrong;
                printf("# %" PRIu64 " functions, %" PRIu64 " of %" PRIu64 " instructions, %" PRIu64
                       " return addresses, %" PRIu64 " wrong; not followed: %" PRIu64 " functions, %" PRIu64
                       " parts\n",
                       totals.n_functions, totals.n_visited, totals.n_instructions, totals.n_returns,
                       totals.n_wrong, totals.n_lost, totals.n_parts);
                printf("%sok %d - %s\n", is_right ? "" : "not ", i, argv[i]);
                is_good &= is_right;
        }
        return is_good ? 0 : 1;
}
