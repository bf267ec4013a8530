/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a section of names, of each recorder: each listed file is looked up, and paths that may not
 * be listed. */
#include <stdlib.h>

#include "recorded_symbols.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* So that reads are not optimised away. */
static volatile uint64_t sink;

/* The byte order in which the first number is smaller. */
static bool is_swapped(struct cursor c)
{
        uint32_t first = cursor_u32(&c);

        return __builtin_bswap32(first) < first;
}

static void ask(const struct recorded_symbols *symbols)
{
        const struct recorded_file *unnamed = recorded_symbols_find(symbols, "");

        if ((unnamed && *unnamed->path) || recorded_symbols_get(symbols, recorded_symbols_n_files(symbols)))
                abort();
        for (size_t i = 0; i < recorded_symbols_n_files(symbols); i++) {
                const struct recorded_file *file = recorded_symbols_get(symbols, i);
                struct symtab_hit hit;
                uint64_t addr = file->vaddr;

                if (recorded_symbols_find(symbols, file->path) != file)
                        abort();
                for (int step = 0; step < 64; step++) {
                        if (recorded_file_find(file, addr, &hit))
                                sink += strnlen(hit.name, hit.name_max);
                        if (hit.same_to <= addr)
                                break;
                        addr = hit.same_to;
                }
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        const struct cursor none = {.failed = true};

        for (int which = 0; which < 3; which++) {
                struct cursor c = cursor_make(data, size);
                struct recorded_sections sections = {none, none, none};
                struct buf note = {0};
                struct recorded_symbols *symbols;

                c.swap = is_swapped(c);
                if (which == 0)
                        sections.simpleperf_file = c;
                else if (which == 1)
                        sections.simpleperf_file2 = c;
                else
                        sections.hiperf_symbols = c;
                symbols = recorded_symbols_new(&sections, &note);
                ask(symbols);
                recorded_symbols_free(symbols);
                buf_release(&note);
        }
        return 0;
}
