/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait_pages.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "wait_thread.h"

enum { PAGE_BYTES = 4096, N_PAGES = 256 };

/* Each page has one place, by its number. */
struct kept_page {
        bool is_known;
        uint64_t number;
        uint8_t bytes[PAGE_BYTES];
};

struct wait_pages {
        int32_t pid;
        struct kept_page pages[N_PAGES];
};

struct wait_pages *wait_pages_new(int32_t pid)
{
        struct wait_pages *p = mem_new(1, sizeof(*p));

        p->pid = pid;
        return p;
}

void wait_pages_free(struct wait_pages *pages)
{
        free(pages);
}

static const struct kept_page *get(struct wait_pages *p, uint64_t number)
{
        struct kept_page *page = &p->pages[number % N_PAGES];

        if (!page->is_known || page->number != number) {
                page->number = number;
                page->is_known = wait_read_memory(p->pid, number * PAGE_BYTES, page->bytes, PAGE_BYTES);
        }
        return page->is_known ? page : NULL;
}

bool wait_pages_read(void *pages, uint64_t addr, void *to, size_t size)
{
        for (uint8_t *at = to; size;) {
                const struct kept_page *page = get(pages, addr / PAGE_BYTES);
                size_t off = addr % PAGE_BYTES, n = PAGE_BYTES - off < size ? PAGE_BYTES - off : size;

                if (!page)
                        return false;
                memcpy(at, page->bytes + off, n);
                at += n;
                addr += n;
                size -= n;
        }
        return true;
}
