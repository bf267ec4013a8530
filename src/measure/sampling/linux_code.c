/* SPDX-License-Identifier: BSD-3-Clause */
#include "linux_code.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "mem.h"

enum {
        PAGE_SHIFT = 12,
        PAGE_BYTES = 1 << PAGE_SHIFT,
        MAX_PAGES = 4096, /* when this is reached, all are forgotten */
        /* pages of a new map that are read at once; CPython allocates trampolines in blocks of 64 KB */
        MAX_AHEAD = 16,
};

struct code_page {
        uint64_t round; /* the round in which it was read last */
        bool is_there;  /* it was read successfully at least once */
        uint8_t bytes[PAGE_BYTES];
};

/* A pid has 22 bits and a user address 47 or 48 bits; code is not mapped higher. */
static uint64_t key_of(int32_t pid, uint64_t number)
{
        return (uint64_t)(uint32_t)pid << 36 ^ number;
}

static bool read_process(int32_t pid, uint64_t addr, void *ret, size_t size)
{
        struct iovec local = {ret, size}, remote = {(void *)(uintptr_t)addr, size};

        return process_vm_readv(pid, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Reads the page; if that fails, keeps its previous content. */
static void read_page(struct code_pages *pages, struct code_page *page, int32_t pid, uint64_t number)
{
        uint8_t bytes[PAGE_BYTES];

        page->round = pages->round;
        if (!read_process(pid, number << PAGE_SHIFT, bytes, sizeof(bytes)))
                return;
        memcpy(page->bytes, bytes, sizeof(bytes));
        page->is_there = true;
}

static struct code_page *get_page(struct code_pages *pages, int32_t pid, uint64_t number)
{
        struct code_page *page;
        uint64_t *known;
        bool is_new;

        if (pages->n == MAX_PAGES)
                code_pages_forget(pages);
        known = map_put(&pages->by_page, key_of(pid, number), &is_new);
        if (is_new) {
                ARRAY_PUSH(pages->pages, pages->n, pages->cap, (struct code_page){0});
                *known = pages->n;
        }
        page = &pages->pages[*known - 1];
        if (is_new || page->round != pages->round)
                read_page(pages, page, pid, number);
        return page;
}

void code_pages_map(struct code_pages *pages, int32_t pid, uint64_t start, uint64_t end)
{
        uint64_t number = start >> PAGE_SHIFT, n = (end - start) >> PAGE_SHIFT;

        pages->round++;
        for (uint64_t i = 0; i < n && i < MAX_AHEAD; i++)
                if (!get_page(pages, pid, number + i)->is_there)
                        return;
}

bool code_pages_read(struct code_pages *pages, int32_t pid, uint64_t addr, uint8_t *ret_code, size_t size)
{
        while (size) {
                const struct code_page *page = get_page(pages, pid, addr >> PAGE_SHIFT);
                size_t off = addr % PAGE_BYTES, n = size < PAGE_BYTES - off ? size : PAGE_BYTES - off;

                if (!page->is_there)
                        return false;
                memcpy(ret_code, page->bytes + off, n);
                ret_code += n;
                addr += n;
                size -= n;
        }
        return true;
}

void code_pages_next_round(struct code_pages *pages)
{
        pages->round++;
}

void code_pages_forget(struct code_pages *pages)
{
        map_release(&pages->by_page);
        free(pages->pages);
        *pages = (struct code_pages){.round = pages->round};
}
