/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a kallsyms and as a perf map. */
#include <stdlib.h>
#include <string.h>

#include "kallsyms.h"
#include "perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile char last_byte; /* of a name: it must be in the text */

static void check(bool found, uint64_t addr, const struct symtab_hit *hit)
{
        if (found && (addr < hit->start || addr >= hit->end || addr < hit->same_from ||
                      addr >= hit->same_to || !hit->name_max || !hit->name[0]))
                abort();
        if (found)
                last_byte = hit->name[hit->name_max - 1];
}

static void look_up(struct kallsyms *kallsyms, const struct perfmap *map, uint64_t addr)
{
        struct symtab_hit hit = {0};
        bool found = kallsyms_find(kallsyms, addr, &hit), is_shared;

        check(found, addr, &hit);
        if (found && !kallsyms_module(kallsyms, &hit))
                abort();
        check(perfmap_find(map, addr, &hit, &is_shared), addr, &hit);
        if (perfmap_find(map, addr, &hit, &is_shared) && is_shared && !perfmap_n_shared(map))
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO_RELEASE(buf) note = {0};
        AUTO(kallsyms) kallsyms = kallsyms_new_text(data, size, &note);
        AUTO(perfmap) map = perfmap_new_text(data, size);
        const char *text = (const char *)data;

        /* The addresses in the text itself, and their neighbours. */
        for (size_t at = 0; at < size; at++) {
                uint64_t addr = 0;

                if (at && text[at - 1] != '\n' && text[at - 1] != ' ')
                        continue;
                for (size_t i = at; i < size && strchr("0123456789abcdef", text[i]) && text[i]; i++)
                        addr = addr << 4 | (uint64_t)(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
                look_up(kallsyms, map, addr);
                look_up(kallsyms, map, addr - 1);
                look_up(kallsyms, map, addr + 1);
        }
        return 0;
}
