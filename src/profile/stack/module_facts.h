/* SPDX-License-Identifier: BSD-3-Clause */
/* What the owner of a module says about it, as plain values, so that the code in stack/ does not depend on
 * the kinds of modules. */
#ifndef MODULE_FACTS_H
#define MODULE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds of modules, for exports. */
enum named_kind {
        NAMED_FILE,
        NAMED_VDSO,
        NAMED_KERNEL,
        NAMED_KERNEL_MODULE,
        NAMED_BPF,    /* a BPF program */
        NAMED_ANON,   /* memory without a file: generated code, or code without names */
        NAMED_JIT,    /* generated code, by offset in the jitdump */
        NAMED_PYTHON, /* lines of Python functions */
};

/* What executes code. Windows on ARM64 emulates programs for x64 and x86; ARM64EC is code of ARM64 in such
 * programs. */
enum exec_machine {
        EXEC_UNKNOWN,
        EXEC_ARM,
        EXEC_ARM64,
        EXEC_ARM64EC,
        EXEC_X64,
        EXEC_X64_EMULATED,
        EXEC_X86,
        EXEC_X86_EMULATED,
        EXEC_N_MACHINES,
};

struct module_facts {
        enum named_kind kind;
        const char *name; /* for rows and trees; valid as long as the world */
        int32_t map_pid;  /* named functions belong to the module "perf-PID.map" instead; -1 if they do not */
        bool symbols_tell; /* symbols may have their own module, whose name takes precedence over both */
        /* lookups in it are final before the session ends, so addresses may already be merged by function */
        bool is_settled;
        bool has_file;   /* an object file may be available: start of the image and build id */
        bool has_elf_id; /* a build id, if any, is that of an ELF file */
        bool has_lines;  /* each address is a line of a function, and is displayed as such: Python */
};

#endif
