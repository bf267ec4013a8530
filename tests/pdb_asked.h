/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls all lookups of a PDB, and checks properties that all results must have. */
#ifndef PDB_ASKED_H
#define PDB_ASKED_H

#include <stdlib.h>
#include <string.h>

#include "pdb.h"

enum { PDB_ASKED_ADDRS = 256, PDB_ASKED_FIRST = 0xff0 };

/* So that reads are not optimised away. */
static volatile uint64_t pdb_asked_sink;

static inline void pdb_asked_frames(struct pdb *pdb)
{
        uint64_t rvas[PDB_ASKED_ADDRS];
        struct source_frames frames;

        for (size_t i = 0; i < PDB_ASKED_ADDRS; i++)
                rvas[i] = PDB_ASKED_FIRST + i * 5;
        pdb_find(pdb, rvas, PDB_ASKED_ADDRS, &frames);
        for (size_t i = 0; i < PDB_ASKED_ADDRS; i++) {
                const struct source_span *span = &frames.spans[i];

                if (span->n && span->first + span->n > frames.n_frames)
                        abort();
        }
        for (size_t i = 0; i < frames.n_frames; i++) {
                const struct source_frame *frame = &frames.frames[i];

                pdb_asked_sink += (frame->function ? strlen(frame->function) : 0) +
                                  (frame->path ? strlen(frame->path) : 0) + frame->line + frame->column;
        }
        source_frames_release(&frames);
}

static inline void pdb_asked_function(struct pdb *pdb, uint32_t rva)
{
        struct pdb_function function;
        struct source_label *labels;
        struct source_extent *extents;
        size_t n;

        if (pdb_find_function(pdb, rva, &function))
                pdb_asked_sink += strlen(function.name);
        if (rva < function.same_from || rva >= function.same_to)
                abort();
        n = pdb_find_labels(pdb, rva, &labels);
        for (size_t i = 0; i < n; i++)
                pdb_asked_sink += strlen(labels[i].name);
        n = pdb_find_extents(pdb, rva, &extents);
        for (size_t i = 0; i < n; i++) {
                if (extents[i].start > extents[i].end || (i && extents[i - 1].start > extents[i].start))
                        abort();
        }
        free(labels);
        free(extents);
}

static inline void pdb_asked_read(struct pdb *pdb)
{
        pdb_asked_frames(pdb);
        for (uint32_t i = 0; i < PDB_ASKED_ADDRS; i += 16)
                pdb_asked_function(pdb, PDB_ASKED_FIRST + i * 5);
        pdb_set_decorated(pdb, true);
        pdb_asked_function(pdb, PDB_ASKED_FIRST + 0x20);
        pdb_asked_sink += strlen(pdb_note(pdb)) + pdb_get_facts(pdb)->age;
}

#endif
