/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the section about waiting threads: its readings are sorted and found, and are the same after
 * they were written again. */
#include <stdlib.h>
#include <string.h>

#include "wait_section.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool is_so)
{
        if (!is_so)
                abort();
}

static void check(const struct wait_section *section)
{
        for (size_t i = 0; i < section->n; i++) {
                const struct wait_reading *r = &section->readings[i];
                const struct wait_reading *found = wait_section_find(section, r->tid, r->time_ns);

                must(found && found->tid == r->tid && found->time_ns == r->time_ns);
                must(r->how < WAIT_N_HOWS && r->call < WAIT_N_CALLS && r->object < WAIT_N_OBJECTS &&
                     r->peer < WAIT_N_PEERS);
                must(!i || r[-1].tid <= r->tid);
        }
        for (size_t i = 0; i < section->n_holders; i++) {
                const struct wait_holder *h = &section->holders[i];
                const struct wait_holder *found = wait_section_find_holder(section, h->tid, h->time_ns);

                must(found && found->tid == h->tid && found->time_ns == h->time_ns);
                must(!i || h[-1].tid <= h->tid);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct cursor swapped = cursor_make(data, size);
        AUTO(wait_section) other = NULL;
        AUTO(wait_section) section = wait_section_new(cursor_make(data, size));
        AUTO(wait_section) again = NULL;
        AUTO_RELEASE(buf) out = {0};

        swapped.swap = true;
        other = wait_section_new(swapped);
        if (other)
                check(other);
        if (!section)
                return 0;
        check(section);
        wait_section_write(section->readings, section->n, section->holders, section->n_holders, &out);
        must(out.len <= size + sizeof(uint32_t)); /* version 3 may lack the number of holders */
        again = wait_section_new(cursor_make(out.data, out.len));
        must(again && again->n == section->n && again->n_holders == section->n_holders);
        for (size_t i = 0; i < again->n; i++)
                must(!strcmp(again->readings[i].text, section->readings[i].text));
        return 0;
}
