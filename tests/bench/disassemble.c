/* SPDX-License-Identifier: BSD-3-Clause */
/* The instructions of one section of an object file, for the oracle and for measurements:
 *
 *   disassemble [-i] FILE [SECTION]   a line for each: address, size, flow, target or -, text; SECTION is .text
 *   disassemble -t FILE [SECTION]     the time to start LLVM, and for each instruction
 *
 * -i: Intel's syntax. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "disasm.h"
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

static bool run(const char *path, const char *name, enum disasm_syntax syntax, bool is_timed, struct err *err)
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
        for (size_t i = 0; !is_timed && i < code.n_insns; i++)
                print_insn(&code.insns[i]);
        if (is_timed)
                printf("start %.2f ms, %zu bytes, %zu instructions, %.0f ns each\n",
                       (double)(opened - start) / 1e6, cursor_left(&bytes), code.n_insns,
                       (double)(done - opened) / (double)(code.n_insns ? code.n_insns : 1));
        return true;
}

int main(int argc, char **argv)
{
        enum disasm_syntax syntax = DISASM_ATT;
        bool is_timed = false;
        struct err err = {0};
        int at = 1;

        for (; at < argc && argv[at][0] == '-'; at++) {
                if (!strcmp(argv[at], "-i"))
                        syntax = DISASM_INTEL;
                else if (!strcmp(argv[at], "-t"))
                        is_timed = true;
        }
        if (at >= argc) {
                fprintf(stderr, "usage: disassemble [-i] [-t] FILE [SECTION]\n");
                return 2;
        }
        if (run(argv[at], at + 1 < argc ? argv[at + 1] : ".text", syntax, is_timed, &err))
                return 0;
        fprintf(stderr, "disassemble: %s\n", err.text);
        return 1;
}
