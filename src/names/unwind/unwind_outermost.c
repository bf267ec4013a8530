/* SPDX-License-Identifier: BSD-3-Clause */
/* The C library's callers of main and of a thread's function have ordinary call-frame information and usually
 * no symbol. They are recognized by what they do with the result. */
#include "unwind_outermost.h"

#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "map.h"
#include "mem.h"

enum {
        MAX_ENTRY_BYTES = 64, /* of the function at the entry point, if its size is unknown */
        MAX_CODE_BYTES = 9,
        /* x86-64. */
        CALL_BYTES = 5,
        JUMP_BYTES = 5,
        SHORT_JUMP_BYTES = 2,
        MAX_KEPT = 1 << 16, /* answers; when this is reached, all are forgotten */
};

struct outermost {
        struct object *object;
        struct cfi *cfi;
        struct map answers; /* address and is_exact to 1 (no) or 2 (yes) */
        bool has_symbols;   /* symbols were read */
        bool has_entry;     /* entry_end is set */
        uint64_t entry_end; /* of the function at the entry point; 0 if there is no call-frame information */
        struct object_range *ranges;
        size_t n_ranges, cap_ranges;
        uint64_t *enders;
        size_t n_enders, cap_enders;
};

static const char *const names[] = {
        "_start",
        "_start_c",
        "__libc_start_call_main",
        "__libc_start_main",
        "__libc_start_main_impl",
        "_dl_start_user",
        "start_thread",
        "clone",
        "__clone",
        "clone3",
        "__clone3",
        "thread_start",
        "runtime.goexit",
        "runtime.goexit.abi0",
        "RtlUserThreadStart",
};

/* Functions that do not return and take a result. */
static const char *const ender_names[] = {"exit",         "_exit",          "_Exit",
                                          "pthread_exit", "__pthread_exit", "thrd_exit"};

static bool is_one_of(const char *const *list, size_t n, const char *name)
{
        for (size_t i = 0; i < n; i++) {
                size_t size;

                /* A quick check: all symbols of a module are tested. */
                if (list[i][0] != name[0] || list[i][1] != name[1])
                        continue;
                size = strlen(list[i]);
                /* "__libc_start_main@@GLIBC_2.34" */
                if (!strncmp(list[i], name, size) && (!name[size] || name[size] == '@'))
                        return true;
        }
        return false;
}

bool outermost_is_name(const char *name)
{
        return is_one_of(names, N_ELEMENTS(names), name);
}

/* --- Symbols --- */

static void read_table(struct outermost *o, enum object_table table)
{
        struct object_symbols symbols;
        struct object_symbol symbol;

        if (!object_symbols_begin(o->object, table, &symbols))
                return;
        while (object_symbols_next(&symbols, &symbol)) {
                const char *name = object_symbols_name(&symbols, &symbol);

                if (!symbol.is_defined)
                        continue;
                if (outermost_is_name(name))
                        ARRAY_PUSH(o->ranges, o->n_ranges, o->cap_ranges,
                                   ((struct object_range){.start = symbol.addr,
                                                          .size_bytes = symbol.size_bytes}));
                if (is_one_of(ender_names, N_ELEMENTS(ender_names), name))
                        ARRAY_PUSH(o->enders, o->n_enders, o->cap_enders, symbol.addr);
        }
}

static void read_symbols(struct outermost *o)
{
        if (o->has_symbols)
                return;
        o->has_symbols = true;
        read_table(o, OBJECT_SYMBOLS);
        read_table(o, OBJECT_DYNAMIC_SYMBOLS);
}

static bool has_name(struct outermost *o, uint64_t addr)
{
        read_symbols(o);
        for (size_t i = 0; i < o->n_ranges; i++) {
                if (addr - o->ranges[i].start < o->ranges[i].size_bytes)
                        return true;
        }
        return false;
}

static bool is_ender(struct outermost *o, uint64_t addr)
{
        read_symbols(o);
        for (size_t i = 0; i < o->n_enders; i++) {
                if (o->enders[i] == addr)
                        return true;
        }
        return false;
}

/* --- Code --- */

/* Decodes x86-64 code after a call that passes the result to another function (mov %eax, %edi or mov %rax,
 * %rdi; call) and returns that function. */
static bool find_ender_x64(const uint8_t *code, uint64_t pc, uint64_t *ret_target)
{
        size_t at = code[0] == 0x48 ? 1 : 0;
        int32_t distance;

        if (code[at] != 0x89 || code[at + 1] != 0xc7 || code[at + 2] != 0xe8)
                return false;
        memcpy(&distance, code + at + 3, sizeof(distance));
        *ret_target = pc + at + 2 + CALL_BYTES + (uint64_t)(int64_t)distance;
        return true;
}

/* bl: the result already is in the register of the argument. */
static bool find_ender_arm64(const uint8_t *code, uint64_t pc, uint64_t *ret_target)
{
        uint32_t insn;

        memcpy(&insn, code, sizeof(insn));
        if (insn >> 26 != 0x25)
                return false;
        *ret_target = pc + ((uint64_t)((int64_t)((uint64_t)insn << 38) >> 36) & ~3ull);
        return true;
}

static const uint8_t *code_at(const struct outermost *o, uint64_t pc)
{
        struct cursor code;

        return object_read_addr(o->object, pc, MAX_CODE_BYTES, &code) && cursor_left(&code) >= MAX_CODE_BYTES
                       ? code.at
                       : NULL;
}

/* x86-64: follows a jump (jmp) and skips the conversion of int to long (cltq). */
static uint64_t follow_x64(const struct outermost *o, uint64_t pc)
{
        const uint8_t *code = code_at(o, pc);
        int32_t distance;

        if (code && code[0] == 0xe9) {
                memcpy(&distance, code + 1, sizeof(distance));
                pc += JUMP_BYTES + (uint64_t)(int64_t)distance;
        } else if (code && code[0] == 0xeb) {
                pc += SHORT_JUMP_BYTES + (uint64_t)(int64_t)(int8_t)code[1];
        }
        code = code_at(o, pc);
        return code && code[0] == 0x48 && code[1] == 0x98 ? pc + 2 : pc;
}

/* Whether the code after a call ends the process or thread with the result, or stores it in the thread's data
 * (mov %rax, %fs:offset). */
static bool ends_with_result(struct outermost *o, uint64_t pc)
{
        static const uint8_t to_thread[] = {0x64, 0x48, 0x89, 0x04, 0x25};
        enum object_machine machine = object_get_facts(o->object)->machine;
        const uint8_t *code;
        uint64_t target;

        if (machine == OBJECT_MACHINE_X86_64)
                pc = follow_x64(o, pc);
        code = code_at(o, pc);
        if (!code)
                return false;
        if (machine == OBJECT_MACHINE_X86_64)
                return !memcmp(code, to_thread, sizeof(to_thread)) ||
                       (find_ender_x64(code, pc, &target) && is_ender(o, target));
        return machine == OBJECT_MACHINE_ARM64 && find_ender_arm64(code, pc, &target) && is_ender(o, target);
}

/* --- Answers --- */

struct outermost *outermost_new(struct object *object, struct cfi *cfi)
{
        struct outermost *o = mem_new(1, sizeof(*o));

        o->object = object;
        o->cfi = cfi;
        return o;
}

void outermost_free(struct outermost *o)
{
        if (!o)
                return;
        map_release(&o->answers);
        free(o->ranges);
        free(o->enders);
        free(o);
}

static bool is_undefined(const struct cfi_row *row)
{
        for (unsigned i = 0; i < row->n_rules; i++) {
                if (row->rules[i].target == row->return_reg)
                        return row->rules[i].kind == CFI_UNDEFINED;
        }
        return false;
}

static uint64_t get_entry_end(struct outermost *o)
{
        struct cfi_row row;

        if (!o->has_entry && cfi_find(o->cfi, object_get_facts(o->object)->entry, &row, NULL))
                o->entry_end = row.entry_end;
        o->has_entry = true;
        return o->entry_end;
}

/* `row` is NULL if there is no call-frame information. */
static bool is_entry(struct outermost *o, const struct cfi_row *row, uint64_t addr)
{
        const struct object_facts *facts = object_get_facts(o->object);

        if (facts->format != OBJECT_ELF || !facts->entry || addr < facts->entry)
                return false;
        if (!row)
                return addr - facts->entry < MAX_ENTRY_BYTES;
        return get_entry_end(o) == row->entry_end;
}

static bool find_out(struct outermost *o, uint64_t addr, bool is_exact)
{
        bool is_elf = object_get_facts(o->object)->format == OBJECT_ELF;
        struct cfi_row row;
        bool has_row = o->cfi && cfi_find(o->cfi, addr, &row, NULL);

        if ((has_row && is_undefined(&row)) || is_entry(o, has_row ? &row : NULL, addr) ||
            (!is_exact && is_elf && ends_with_result(o, addr + 1)))
                return true;
        return !has_row && has_name(o, addr);
}

bool outermost_has(struct outermost *o, uint64_t addr, bool is_exact)
{
        uint64_t *answer;

        if (o->answers.n_used >= MAX_KEPT)
                map_release(&o->answers);
        answer = map_put(&o->answers, addr << 1 | is_exact, NULL);
        if (!*answer)
                *answer = 1 + find_out(o, addr, is_exact);
        return *answer == 2;
}
