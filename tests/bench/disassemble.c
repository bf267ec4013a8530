/* SPDX-License-Identifier: BSD-3-Clause */
/* The instructions of one section of an object file, for the oracle and for measurements:
 *
 *   disassemble [-i] FILE [SECTION]   a line for each: address, size, flow, target or -, text; SECTION is
 *                                     .text
 *   disassemble -r FILE [SECTION]     form, names and text of each instruction whose registers are known
 *   disassemble -t FILE [SECTION]     the time to start LLVM, and for each instruction
 *
 * -i: Intel's syntax. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "disasm.h"
#include "disasm_registers.h"
#include "object.h"
#include "os.h"

static const char *const flow_names[] = {
        [DISASM_NEXT] = "next", [DISASM_CALL] = "call",     [DISASM_BRANCH] = "branch",
        [DISASM_JUMP] = "jump", [DISASM_RETURN] = "return", [DISASM_TRAP] = "trap",
};

static void print_insn(const struct disasm_insn *insn)
{
        char target[32] = "-";

        if (insn->has_target)
                snprintf(target, sizeof(target), "%s%" PRIx64, insn->is_operand ? "@" : "", insn->target);
        printf("%" PRIx64 "\t%u\t%s\t%s\t%s\n", insn->addr, insn->size,
               insn->is_code ? flow_names[insn->flow] : "data", target, insn->text);
}

/* The fields of the shape are a part of the form here, as addresses tell instructions apart. */
static void print_registers(enum disasm_arch arch, const uint8_t *bytes, const struct disasm_insn *insn)
{
        struct disasm_registers registers;
        struct disasm_shape shape;

        if (!insn->is_code || !disasm_shape_get(arch, bytes, insn->size, insn->addr, &shape) ||
            !disasm_registers_get(arch, bytes, &shape, &registers))
                return;
        for (size_t i = 0; i < registers.n_form; i++)
                printf("%02x", registers.form[i]);
        for (int i = 0; i < shape.n_refs; i++) {
                if (i != registers.slot_ref)
                        printf("+%" PRIx64, shape.refs[i].value);
        }
        printf("\t");
        for (size_t i = 0; i < registers.n_names; i++)
                printf("%s%" PRIx64, i ? "," : "", registers.names[i]);
        printf("\t%s\n", insn->text);
}

enum output { PRINT_INSNS, PRINT_REGISTERS, PRINT_TIME };

static bool run(const char *path, const char *name, enum disasm_syntax syntax, enum output output,
                struct err *err)
{
        AUTO(object) object = object_open(path, err);
        const struct object_section *section = object ? object_find_section(object, name) : NULL;
        AUTO_RELEASE(disasm_code) code = {0};
        AUTO(disasm) disasm = NULL;
        struct cursor bytes;
        enum disasm_arch arch;
        uint64_t start = os_monotonic_ns(), opened, done;

        if (!object)
                return false;
        if (!section)
                return err_set(err, ERR_MISSING, "%s: no section %s", path, name);
        if (!object_read_section(object, section, &bytes, err))
                return false;
        arch = object_get_facts(object)->machine == OBJECT_MACHINE_ARM64 ? DISASM_AARCH64 : DISASM_X86_64;
        start = os_monotonic_ns();
        disasm = disasm_open(arch, syntax, err);
        if (!disasm)
                return false;
        opened = os_monotonic_ns();
        disasm_add(disasm, bytes.at, cursor_left(&bytes), section->addr, &code);
        done = os_monotonic_ns();
        for (size_t i = 0; output == PRINT_INSNS && i < code.n_insns; i++)
                print_insn(&code.insns[i]);
        for (size_t i = 0; output == PRINT_REGISTERS && i < code.n_insns; i++)
                print_registers(arch, bytes.at + (code.insns[i].addr - section->addr), &code.insns[i]);
        if (output == PRINT_TIME)
                printf("start %.2f ms, %zu bytes, %zu instructions, %.0f ns each\n",
                       (double)(opened - start) / 1e6, cursor_left(&bytes), code.n_insns,
                       (double)(done - opened) / (double)(code.n_insns ? code.n_insns : 1));
        return true;
}

int main(int argc, char **argv)
{
        enum disasm_syntax syntax = DISASM_ATT;
        enum output output = PRINT_INSNS;
        struct err err = {0};
        int at = 1;

        for (; at < argc && argv[at][0] == '-'; at++) {
                if (!strcmp(argv[at], "-i"))
                        syntax = DISASM_INTEL;
                else if (!strcmp(argv[at], "-t"))
                        output = PRINT_TIME;
                else if (!strcmp(argv[at], "-r"))
                        output = PRINT_REGISTERS;
        }
        if (at >= argc) {
                fprintf(stderr, "usage: disassemble [-i] [-r | -t] FILE [SECTION]\n");
                return 2;
        }
        if (run(argv[at], at + 1 < argc ? argv[at + 1] : ".text", syntax, output, &err))
                return 0;
        fprintf(stderr, "disassemble: %s\n", err.text);
        return 1;
}
