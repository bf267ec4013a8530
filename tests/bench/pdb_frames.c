/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of addresses from a PDB, for oracles and for measurements (pdb.py):
 *
 *   pdb_frames FILE.pdb < RVAS      hexadecimal, one a line; prints a line `FUNCTION PATH:LINE:COLUMN` for
 *                                   each frame, innermost first, and an empty line after each address
 *   pdb_frames -q FILE.pdb < RVAS   the same work, but prints only the number of frames */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "pdb.h"

struct rvas {
        uint64_t *items;
        size_t n, cap;
};

static int compare_rvas(const void *a, const void *b)
{
        const uint64_t *x = a, *y = b;

        return *x < *y ? -1 : *x > *y;
}

static void read_rvas(struct rvas *rvas)
{
        char line[64];
        size_t n = 0;

        while (fgets(line, sizeof(line), stdin))
                ARRAY_PUSH(rvas->items, rvas->n, rvas->cap, strtoull(line, NULL, 16));
        if (rvas->n)
                qsort(rvas->items, rvas->n, sizeof(*rvas->items), compare_rvas);
        for (size_t i = 0; i < rvas->n; i++) {
                if (!n || rvas->items[n - 1] != rvas->items[i])
                        rvas->items[n++] = rvas->items[i];
        }
        rvas->n = n;
}

static void print(const struct source_frames *frames, const struct source_span *span)
{
        for (size_t i = 0; i < span->n; i++) {
                const struct source_frame *frame = &frames->frames[span->first + i];

                printf("%s %s:%" PRIu32 ":%" PRIu32 "\n", frame->function ? frame->function : "??",
                       frame->path ? frame->path : "??", frame->line, frame->column);
        }
        printf("\n");
}

int main(int argc, char **argv)
{
        bool is_quiet = argc == 3 && !strcmp(argv[1], "-q");
        struct err err = {0};
        struct rvas rvas = {0};
        struct source_frames frames;
        struct pdb *pdb;

        if (argc != 2 + is_quiet) {
                fprintf(stderr, "usage: pdb_frames [-q] FILE.pdb < RVAS\n");
                return 2;
        }
        pdb = pdb_open(argv[argc - 1], &err);
        if (!pdb) {
                fprintf(stderr, "%s\n", err.text);
                return 1;
        }
        read_rvas(&rvas);
        pdb_find(pdb, rvas.items, rvas.n, &frames);
        for (size_t i = 0; i < rvas.n && !is_quiet; i++)
                print(&frames, &frames.spans[i]);
        if (is_quiet)
                printf("%zu frames\n", frames.n_frames);
        if (*pdb_note(pdb))
                fprintf(stderr, "%s\n", pdb_note(pdb));
        source_frames_release(&frames);
        pdb_free(pdb);
        free(rvas.items);
        return 0;
}
