/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of a module by whoever made it, as plain values: nobody in this room asks of what kind it is, and a new kind
 * changes nothing here. */
#ifndef MODULE_FACTS_H
#define MODULE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* What exports call it. */
enum named_kind {
        NAMED_FILE,
        NAMED_VDSO,
        NAMED_KERNEL,
        NAMED_KERNEL_MODULE,
        NAMED_BPF,    /* a program of the kernel's own virtual machine */
        NAMED_ANON,   /* memory without a file: what a JIT compiler made, or nothing that has a name */
        NAMED_JIT,    /* what a JIT compiler made, by offsets of the file that it wrote it to */
        NAMED_PYTHON, /* lines of Python functions */
};

struct module_facts {
        enum named_kind kind;
        const char *name;  /* in rows and trees; valid as long as the world */
        int32_t map_pid;   /* places in named functions are of "perf-PID.map" instead; -1: they are not */
        bool symbols_tell; /* a symbol may have a module of its own, whose name comes before both */
        bool is_settled; /* answers about places are final before the session ends: by them places may be joined */
        bool has_file;   /* the resolver may know an object file: where the image begins, and its build id */
        bool has_elf_id; /* a build id is one of an ELF file */
        bool has_lines;  /* each of its places is a line of a function, and is shown as such: Python */
};

#endif
