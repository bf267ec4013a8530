/* SPDX-License-Identifier: BSD-3-Clause */
/* The labels of a function, and all of its address ranges. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "pdb_internal.h"

enum {
        LABEL_NAME = 7,     /* offset of the name after the kind */
        LABEL_BYTES = 1024, /* keeping and sorting a label takes as long as reading so many bytes */
};

/* The function at an address, also if a separated part of it is there. */
static bool find_whole(struct pdb *pdb, uint32_t rva, struct pdb_found *found)
{
        pdb_find_proc(pdb, rva, found);
        if (found->proc && found->proc->is_part)
                pdb_find_proc(pdb, found->proc->function, found);
        return found->proc && !found->proc->is_part && !found->proc->is_trampoline;
}

size_t pdb_find_extents(struct pdb *pdb, uint32_t rva, struct source_extent **ret_extents)
{
        struct pdb_found found;
        size_t n = 0, cap = 0;
        struct err err = {0};
        uint32_t end;

        *ret_extents = NULL;
        pdb_refill(pdb);
        if (find_whole(pdb, rva, &found)) {
                end = found.proc->size_is_guessed ? found.to : found.proc->end;
                ARRAY_PUSH(*ret_extents, n, cap, (struct source_extent){found.proc->rva, end});
                if (found.module->has_parts && !pdb_spend(pdb, found.module->n_procs, &err))
                        pdb_complain(pdb, found.module, &err);
                for (size_t i = 0; i < found.module->n_procs && found.module->has_parts && !err.code; i++) {
                        const struct pdb_proc *part = &found.module->procs[i];

                        if (part->is_part && part->function == found.proc->rva)
                                ARRAY_PUSH(*ret_extents, n, cap,
                                           (struct source_extent){part->rva, part->end});
                }
                source_extents_sort(*ret_extents, n);
        }
        pdb_write_note(pdb);
        return n;
}

/* --- Labels --- */

struct pdb_labels {
        struct source_label *items;
        size_t n, cap;
};

static void add_label(struct pdb *pdb, struct cursor body, struct pdb_labels *labels)
{
        uint32_t off = cursor_u32(&body), rva;
        uint16_t section = cursor_u16(&body);
        const char *name;

        cursor_skip(&body, LABEL_NAME - 6);
        name = cursor_str(&body, NULL);
        if (name && *name && pdb_to_rva(pdb, section, off, &rva))
                ARRAY_PUSH(labels->items, labels->n, labels->cap,
                           (struct source_label){.name = pdb_keep(pdb, name), .addr = rva, .has_addr = true});
}

static bool add_labels(struct pdb *pdb, struct cursor c, struct pdb_labels *labels, struct err *err)
{
        struct pdb_symbol symbol;
        size_t depth = 0;

        do {
                if (!pdb_symbol_next(&c, &symbol))
                        return err_set(err, ERR_FORMAT, "a function's symbols have no end");
                if (symbol.kind == S_LABEL32 && !pdb_spend(pdb, LABEL_BYTES, err))
                        return false;
                if (symbol.kind == S_LABEL32)
                        add_label(pdb, symbol.body, labels);
                if (labels->n >= PDB_MAX_LABELS)
                        return err_set(err, ERR_LIMIT, "a function has more than %d labels", PDB_MAX_LABELS);
                depth += pdb_symbol_opens(symbol.kind);
                depth -= depth && pdb_symbol_closes(symbol.kind);
        } while (depth);
        return true;
}

size_t pdb_find_labels(struct pdb *pdb, uint32_t rva, struct source_label **ret_labels)
{
        struct pdb_labels labels = {0};
        struct pdb_found found;
        struct err err = {0};

        pdb_refill(pdb);
        if (find_whole(pdb, rva, &found)) {
                struct pdb_piece symbols = {0};

                if (!pdb_module_scope(pdb, found.module, found.proc, &symbols, &err) ||
                    !add_labels(pdb, symbols.bytes, &labels, &err))
                        pdb_complain(pdb, found.module, &err);
                pdb_piece_release(&symbols);
        }
        pdb_write_note(pdb);
        source_labels_sort(labels.items, labels.n);
        *ret_labels = labels.items;
        return labels.n;
}
