/* SPDX-License-Identifier: BSD-3-Clause */
/* Symbols of a module: its functions, thunks and separated parts as address ranges without overlaps.
 * Records inside a function are read elsewhere, when a lookup needs them.  Records: 2 bytes of length, 2 of
 * kind, then fields (microsoft-pdb: cvinfo.h). */
#include <stdlib.h>

#include "mem.h"
#include "pdb_internal.h"
#include "search.h"

enum {
        SYMBOLS_SIGNATURE = 4, /* bytes at the start of a module's stream */
        PROC_NAME = 35,        /* offset of the name after the kind */
        THUNK_NAME = 21,
        SORTED_BYTES = 64, /* sorting a function takes as long as reading so many bytes */
};

/* --- Records --- */

bool pdb_symbol_next(struct cursor *c, struct pdb_symbol *ret_symbol)
{
        uint32_t n_bytes;

        ret_symbol->off = (uint32_t)cursor_pos(c);
        if (cursor_left(c) < 4)
                return false;
        n_bytes = cursor_u16(c);
        if (n_bytes < 2) {
                cursor_fail(c);
                return false;
        }
        ret_symbol->kind = cursor_u16(c);
        ret_symbol->body = cursor_sub(c, cursor_pos(c), n_bytes - 2);
        return cursor_skip(c, n_bytes - 2);
}

bool pdb_symbol_opens(uint16_t kind)
{
        switch (kind) {
        case S_THUNK32:
        case S_BLOCK32:
        case S_WITH32:
        case S_LPROC32:
        case S_GPROC32:
        case S_SEPCODE:
        case S_LPROC32_ID:
        case S_GPROC32_ID:
        case S_INLINESITE:
        case S_INLINESITE2:
        case S_LPROC32_DPC:
        case S_LPROC32_DPC_ID: return true;
        default: return false;
        }
}

bool pdb_symbol_closes(uint16_t kind)
{
        return kind == S_END || kind == S_INLINESITE_END || kind == S_PROC_ID_END;
}

static bool get_bytes(struct pdb *pdb, const struct pdb_module *module, uint32_t off, uint32_t size,
                      struct pdb_piece *ret_piece, struct err *err)
{
        pdb_touch(pdb, size);
        return pdb_spend(pdb, size, err) &&
               pdb_stream_piece(&pdb->msf, module->stream, off, size, ret_piece, err);
}

bool pdb_module_scope(struct pdb *pdb, const struct pdb_module *module, const struct pdb_proc *proc,
                      struct pdb_piece *ret_symbols, struct err *err)
{
        uint32_t end = proc->scope_end ? proc->scope_end : module->symbols_bytes;

        return get_bytes(pdb, module, proc->record, end - proc->record, ret_symbols, err);
}

bool pdb_module_lines(struct pdb *pdb, const struct pdb_module *module, struct pdb_piece *ret_lines,
                      struct err *err)
{
        if (module->old_lines_bytes > UINT32_MAX - module->symbols_bytes)
                return err_set(err, ERR_FORMAT, "its line information lies outside its stream");
        return get_bytes(pdb, module, module->symbols_bytes + module->old_lines_bytes, module->lines_bytes,
                         ret_lines, err);
}

/* --- Functions --- */

/* Skips the scope that a record opens, if the end in the record is valid; returns the end, or 0. */
static uint32_t skip_scope(struct cursor *c, uint32_t end)
{
        struct cursor at = *c;
        struct pdb_symbol symbol;

        if (end < cursor_pos(c) || !cursor_seek(&at, end) || !pdb_symbol_next(&at, &symbol) ||
            !pdb_symbol_closes(symbol.kind))
                return 0;
        *c = at;
        return (uint32_t)cursor_pos(c);
}

static void set_size(struct pdb_proc *proc, uint32_t size)
{
        proc->size_is_guessed = !size;
        proc->end = size > UINT32_MAX - proc->rva ? UINT32_MAX : proc->rva + size;
}

static bool read_proc(const struct pdb *pdb, struct cursor body, struct pdb_proc *proc, uint32_t *ret_end)
{
        uint32_t size, off;

        cursor_skip(&body, 4);
        *ret_end = cursor_u32(&body);
        cursor_skip(&body, 4);
        size = cursor_u32(&body);
        cursor_skip(&body, 12);
        off = cursor_u32(&body);
        if (!pdb_to_rva(pdb, cursor_u16(&body), off, &proc->rva) || body.failed)
                return false;
        proc->function = proc->rva;
        set_size(proc, size);
        return true;
}

static bool read_thunk(const struct pdb *pdb, struct cursor body, struct pdb_proc *proc, uint32_t *ret_end)
{
        uint32_t off;

        cursor_skip(&body, 4);
        *ret_end = cursor_u32(&body);
        cursor_skip(&body, 4);
        off = cursor_u32(&body);
        if (!pdb_to_rva(pdb, cursor_u16(&body), off, &proc->rva))
                return false;
        proc->function = proc->rva;
        set_size(proc, cursor_u16(&body));
        return !body.failed;
}

static bool read_part(const struct pdb *pdb, struct cursor body, struct pdb_proc *proc, uint32_t *ret_end)
{
        uint32_t size, off, function_off;
        uint16_t section;

        cursor_skip(&body, 4);
        *ret_end = cursor_u32(&body);
        size = cursor_u32(&body);
        cursor_skip(&body, 4);
        off = cursor_u32(&body);
        function_off = cursor_u32(&body);
        section = cursor_u16(&body);
        if (!pdb_to_rva(pdb, section, off, &proc->rva) ||
            !pdb_to_rva(pdb, cursor_u16(&body), function_off, &proc->function) || body.failed)
                return false;
        proc->is_part = true;
        set_size(proc, size);
        return true;
}

static bool read_trampoline(const struct pdb *pdb, struct cursor body, struct pdb_proc *proc)
{
        uint32_t size, off, target_off;
        uint16_t section;

        cursor_skip(&body, 2);
        size = cursor_u16(&body);
        off = cursor_u32(&body);
        target_off = cursor_u32(&body);
        section = cursor_u16(&body);
        if (!pdb_to_rva(pdb, section, off, &proc->rva) ||
            !pdb_to_rva(pdb, cursor_u16(&body), target_off, &proc->function) || body.failed)
                return false;
        proc->is_trampoline = true;
        set_size(proc, size);
        return true;
}

static bool read_record(const struct pdb *pdb, const struct pdb_symbol *symbol, struct pdb_proc *proc,
                        uint32_t *ret_end)
{
        switch (symbol->kind) {
        case S_LPROC32:
        case S_GPROC32:
        case S_LPROC32_ID:
        case S_GPROC32_ID:
        case S_LPROC32_DPC:
        case S_LPROC32_DPC_ID: return read_proc(pdb, symbol->body, proc, ret_end);
        case S_THUNK32: return read_thunk(pdb, symbol->body, proc, ret_end);
        case S_SEPCODE: return read_part(pdb, symbol->body, proc, ret_end);
        case S_TRAMPOLINE: return read_trampoline(pdb, symbol->body, proc);
        default: return false;
        }
}

static int compare_procs(const void *a, const void *b)
{
        const struct pdb_proc *x = a, *y = b;

        if (x->rva != y->rva)
                return x->rva < y->rva ? -1 : 1;
        return x->record < y->record ? -1 : x->record > y->record;
}

static bool is_sorted(const struct pdb_module *module)
{
        for (size_t i = 1; i < module->n_procs; i++) {
                if (compare_procs(&module->procs[i - 1], &module->procs[i]) > 0)
                        return false;
        }
        return true;
}

/* The functions are left out if sorting them is too much work. */
static bool sort_procs(struct pdb *pdb, struct pdb_module *module, struct err *err)
{
        if (is_sorted(module))
                return true;
        if (!pdb_spend(pdb, (uint64_t)module->n_procs * SORTED_BYTES, err)) {
                module->n_procs = 0;
                return false;
        }
        qsort(module->procs, module->n_procs, sizeof(*module->procs), compare_procs);
        return true;
}

/* If several begin at one address, the first in the file stays; if the size is not known, the range ends at
 * the next one. */
static void order_procs(struct pdb_module *module)
{
        struct pdb_proc *procs = module->procs;
        size_t n = 0;

        if (!module->n_procs)
                return;
        for (size_t i = 0; i < module->n_procs; i++) {
                if (n && procs[n - 1].rva == procs[i].rva)
                        continue;
                if (n && (procs[n - 1].size_is_guessed || procs[n - 1].end > procs[i].rva))
                        procs[n - 1].end = procs[i].rva;
                procs[n++] = procs[i];
        }
        if (procs[n - 1].size_is_guessed)
                procs[n - 1].end = UINT32_MAX;
        module->n_procs = n;
}

/* Modules may share a stream, and then each has all of its functions. */
static bool add_proc(struct pdb *pdb, struct pdb_module *module, const struct pdb_proc *proc, struct err *err)
{
        enum { MIN_PROCS = 8 }; /* as in mem_grow() */
        uint64_t n_more = module->cap_procs ? module->cap_procs : MIN_PROCS;

        if (module->n_procs >= PDB_MAX_FUNCTIONS)
                return err_set(err, ERR_LIMIT, "it has more than %d functions", PDB_MAX_FUNCTIONS);
        if (module->n_procs == module->cap_procs &&
            !pdb_take(pdb, BUDGET_NAMES, n_more * sizeof(*module->procs)))
                return err_set(err, ERR_LIMIT, "its functions need too much memory");
        module->has_parts |= proc->is_part;
        ARRAY_PUSH(module->procs, module->n_procs, module->cap_procs, *proc);
        return true;
}

bool pdb_module_scan(struct pdb *pdb, struct pdb_module *module, struct cursor symbols, struct err *err)
{
        struct cursor c = symbols;
        struct pdb_symbol symbol;

        cursor_skip(&c, SYMBOLS_SIGNATURE);
        while (pdb_symbol_next(&c, &symbol)) {
                struct pdb_proc proc = {.record = symbol.off};
                uint32_t end = 0;

                bool is_good = read_record(pdb, &symbol, &proc, &end);

                if (end)
                        proc.scope_end = skip_scope(&c, end);
                if (is_good && !add_proc(pdb, module, &proc, err))
                        break;
        }
        if (sort_procs(pdb, module, err))
                order_procs(module);
        return !err->code && (!c.failed || err_set(err, ERR_FORMAT, "its symbols end inside a record"));
}

void pdb_module_list(struct pdb *pdb, struct pdb_module *module)
{
        struct pdb_piece symbols;
        struct err err = {0};

        if (module->is_listed)
                return;
        module->is_listed = true;
        if (module->symbols_bytes <= SYMBOLS_SIGNATURE)
                return;
        if (!get_bytes(pdb, module, 0, module->symbols_bytes, &symbols, &err)) {
                pdb_complain(pdb, module, &err);
                return;
        }
        if (!pdb_module_scan(pdb, module, symbols.bytes, &err))
                pdb_complain(pdb, module, &err);
        pdb_piece_release(&symbols);
}

const struct pdb_proc *pdb_module_find(const struct pdb_module *module, uint32_t rva, uint32_t *ret_from,
                                       uint32_t *ret_to)
{
        size_t low = 0, high = module->n_procs;
        const struct pdb_proc *proc;

        SEARCH_FIRST(low, high, middle, module->procs[middle].rva <= rva);
        *ret_from = 0;
        *ret_to = low < module->n_procs ? module->procs[low].rva : UINT32_MAX;
        if (!low)
                return NULL;
        proc = &module->procs[low - 1];
        if (rva >= proc->end) {
                *ret_from = proc->end;
                return NULL;
        }
        *ret_from = proc->rva;
        *ret_to = proc->end;
        return proc;
}

const char *pdb_proc_name(struct pdb *pdb, const struct pdb_module *module, const struct pdb_proc *proc)
{
        uint16_t head[2];
        uint32_t name_off;
        const char *name;

        if (!pdb_stream_copy(&pdb->msf, module->stream, proc->record, sizeof(head), head))
                return NULL;
        name_off = head[1] == S_THUNK32 ? THUNK_NAME : PROC_NAME;
        if (head[0] < 2 + name_off || proc->is_part || proc->is_trampoline)
                return NULL;
        name = pdb_stream_text(&pdb->msf, module->stream, proc->record + 4 + name_off, head[0] - 2 - name_off,
                               &pdb->scratch);
        return name && *name ? pdb_keep(pdb, name) : NULL;
}
