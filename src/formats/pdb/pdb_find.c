/* SPDX-License-Identifier: BSD-3-Clause */
/* Looks up functions and frames of addresses: sorts the addresses by module, so that each module is decoded
 * once. */
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "pdb_internal.h"
#include "search.h"

/* --- One function --- */

static void narrow(uint32_t *from, uint32_t *to, uint64_t other_from, uint64_t other_to)
{
        if (other_from > *from)
                *from = other_from > UINT32_MAX ? UINT32_MAX : (uint32_t)other_from;
        if (other_to < *to)
                *to = (uint32_t)other_to;
}

void pdb_find_proc(struct pdb *pdb, uint32_t rva, struct pdb_found *ret_found)
{
        struct pdb_contribution contribution;
        uint32_t start, from, to;
        bool is_found;

        *ret_found = (struct pdb_found){0};
        ret_found->section = pdb_find_section(pdb, rva, &ret_found->from, &ret_found->to);
        if (!ret_found->section)
                return;
        start = ret_found->from;
        is_found = pdb_find_contribution(pdb, ret_found->section, rva - start, &contribution);
        narrow(&ret_found->from, &ret_found->to, (uint64_t)start + contribution.off,
               (uint64_t)start + contribution.off + contribution.size_bytes);
        if (!is_found || contribution.module >= pdb->n_modules)
                return;
        ret_found->module = &pdb->modules[contribution.module];
        pdb_module_list(pdb, ret_found->module);
        ret_found->proc = pdb_module_find(ret_found->module, rva, &from, &to);
        narrow(&ret_found->from, &ret_found->to, from, to);
}

/* The public symbol whose address is `rva`. */
static const char *name_public_at(struct pdb *pdb, uint32_t rva)
{
        struct pdb_public symbol;
        uint32_t from, to, next;
        uint16_t section = pdb_find_section(pdb, rva, &from, &to);

        if (!section || !pdb_find_public(pdb, section, rva - from, &symbol, &next) ||
            symbol.off != rva - from)
                return NULL;
        return pdb_public_name(pdb, &symbol);
}

/* The function that a part was separated from, or that a trampoline jumps to. */
static const char *name_function_at(struct pdb *pdb, uint32_t rva)
{
        struct pdb_found found;
        const char *name = NULL;

        pdb_find_proc(pdb, rva, &found);
        if (found.proc && found.proc->rva == rva)
                name = pdb_proc_name(pdb, found.module, found.proc);
        return name ? name : name_public_at(pdb, rva);
}

const char *pdb_name_proc(struct pdb *pdb, const struct pdb_found *found, uint32_t *ret_start)
{
        struct pdb_proc *proc = &found->module->procs[found->proc - found->module->procs];
        const char *name = NULL;

        *ret_start = proc->is_part ? proc->function : proc->rva;
        if (proc->name)
                return proc->name;
        if (pdb->is_decorated)
                name = name_public_at(pdb, proc->function);
        if (!name)
                name = proc->is_part || proc->is_trampoline ? name_function_at(pdb, proc->function)
                                                            : pdb_proc_name(pdb, found->module, proc);
        proc->name = name;
        return name;
}

/* The public symbol before an address that is in no function of a module.  If it is a function with a known
 * size, the address is after its end, and there is no result. */
static bool find_before(struct pdb *pdb, uint32_t rva, struct pdb_found *found, struct pdb_function *function)
{
        struct pdb_public symbol;
        struct pdb_found at;
        uint32_t start, section_end, next;
        bool is_there;

        pdb_find_section(pdb, rva, &start, &section_end);
        is_there = pdb_find_public(pdb, found->section, rva - start, &symbol, &next);
        narrow(&found->from, &found->to, 0, (uint64_t)start + next);
        if (!is_there)
                return false;
        function->start = start + symbol.off;
        narrow(&found->from, &found->to, function->start, UINT32_MAX);
        pdb_find_proc(pdb, function->start, &at);
        if (at.proc)
                return false;
        function->name = pdb_public_name(pdb, &symbol);
        function->size_bytes = (next == UINT32_MAX ? section_end : start + next) - function->start;
        function->size_is_guessed = true;
        return function->name;
}

static bool find_function(struct pdb *pdb, uint32_t rva, struct pdb_found *found,
                          struct pdb_function *function)
{
        bool is_there = false;

        *function = (struct pdb_function){0};
        pdb_find_proc(pdb, rva, found);
        if (found->proc) {
                const struct pdb_proc *proc = found->proc;

                function->name = pdb_name_proc(pdb, found, &function->start);
                function->size_is_guessed = proc->size_is_guessed;
                function->size_bytes = (proc->size_is_guessed ? found->to : proc->end) - proc->rva;
                is_there = function->name;
        } else if (found->section) {
                is_there = find_before(pdb, rva, found, function);
        }
        function->same_from = found->from;
        function->same_to = found->to;
        return is_there;
}

bool pdb_find_function(struct pdb *pdb, uint32_t rva, struct pdb_function *ret_function)
{
        struct pdb_found found;
        bool is_there;

        pdb_refill(pdb);
        is_there = find_function(pdb, rva, &found, ret_function);
        pdb_write_note(pdb);
        return is_there;
}

/* --- Many addresses --- */

size_t pdb_places_from(const struct pdb_places *places, uint64_t rva)
{
        size_t low = 0, high = places->n;

        SEARCH_FIRST(low, high, middle, places->items[middle].rva < rva);
        return low;
}

struct pdb_wanted {
        uint32_t module; /* UINT32_MAX: in no module */
        size_t index;
};

static int compare_wanted(const void *a, const void *b)
{
        const struct pdb_wanted *x = a, *y = b;

        if (x->module != y->module)
                return x->module < y->module ? -1 : 1;
        return x->index < y->index ? -1 : x->index > y->index;
}

/* Sorts by function, then by RVA. */
static int compare_places(const void *a, const void *b)
{
        const struct pdb_place *x = a, *y = b;

        if (x->proc != y->proc)
                return x->proc < y->proc ? -1 : 1;
        return x->rva < y->rva ? -1 : x->rva > y->rva;
}

/* A module while its addresses are looked up. */
struct pdb_decoded {
        struct pdb *pdb;
        struct pdb_module *module;
        struct pdb_places places;
        struct pdb_piece lines_piece;
        struct pdb_lines lines;
        struct pdb_inlines inlines;
        struct source_frames *out;
};

static void pdb_decoded_release(struct pdb_decoded *decoded)
{
        pdb_lines_release(&decoded->lines);
        pdb_inlines_release(&decoded->inlines);
        pdb_piece_release(&decoded->lines_piece);
        free(decoded->places.items);
}

/* The function that contains an address, as an index into module->procs; for a separated part, the function
 * it was separated from. */
static uint32_t find_owner(const struct pdb_module *module, uint32_t rva)
{
        uint32_t from, to;
        const struct pdb_proc *proc = pdb_module_find(module, rva, &from, &to);

        if (proc && proc->is_part && proc->function != proc->rva) {
                proc = pdb_module_find(module, proc->function, &from, &to);
                if (proc && proc->is_part)
                        proc = NULL;
        }
        return proc ? (uint32_t)(proc - module->procs) : PDB_NO_PROC;
}

static void decode_lines(struct pdb_decoded *decoded)
{
        struct pdb *pdb = decoded->pdb;
        struct pdb_module *module = decoded->module;
        struct err err = {0};

        if (!module->lines_bytes)
                return;
        if (!pdb_module_lines(pdb, module, &decoded->lines_piece, &err) ||
            !pdb_lines_init(&decoded->lines, &decoded->lines_piece.bytes, &err))
                pdb_complain(pdb, module, &err);
        if (!pdb_lines_find(pdb, &decoded->lines, &decoded->places, &err))
                pdb_complain(pdb, module, &err);
}

/* Finds the inlined functions at the places, which are all in this function. */
static bool decode_body(struct pdb_decoded *decoded, uint32_t id, struct pdb_places *places, struct err *err)
{
        struct pdb_module *module = decoded->module;
        const struct pdb_proc *proc = &module->procs[id];
        struct pdb_piece symbols;
        struct pdb_body body = {0};
        uint32_t *chunks = NULL;
        size_t cap = 0;
        bool is_good;

        if (!pdb_module_scope(decoded->pdb, module, proc, &symbols, err))
                return false;
        body.symbols = symbols.bytes;
        ARRAY_PUSH(chunks, body.n_chunks, cap, proc->rva);
        for (size_t i = 0; i < module->n_procs && module->has_parts; i++) {
                if (module->procs[i].is_part && module->procs[i].function == proc->rva)
                        ARRAY_PUSH(chunks, body.n_chunks, cap, module->procs[i].rva);
        }
        body.chunks = chunks;
        is_good = pdb_spend(decoded->pdb, module->has_parts ? module->n_procs : 0, err) &&
                  pdb_inlines_find(decoded->pdb, &body, &decoded->lines, places, &decoded->inlines, err);
        free(chunks);
        pdb_piece_release(&symbols);
        return is_good;
}

static void decode_inlines(struct pdb_decoded *decoded)
{
        struct pdb_places *places = &decoded->places;
        struct pdb_module *module = decoded->module;
        struct err err = {0};

        qsort(places->items, places->n, sizeof(*places->items), compare_places);
        if (!places->n || places->items[0].proc == PDB_NO_PROC)
                return;
        for (size_t first = 0, end; first < places->n; first = end) {
                struct pdb_places part = {.items = places->items + first};
                uint32_t id = part.items->proc;

                for (end = first; end < places->n && places->items[end].proc == id; end++)
                        ;
                part.n = end - first;
                if (id == PDB_NO_PROC || module->procs[id].is_trampoline)
                        continue;
                if (!decode_body(decoded, id, &part, &err))
                        pdb_complain(decoded->pdb, module, &err);
                err.code = ERR_NONE;
        }
}

/* --- Frames --- */

/* Adds the function at the address, with its line: the line of the instruction, or of the call to the
 * inlined function. */
static void add_outer(struct pdb_decoded *decoded, const struct pdb_place *place, bool is_alone)
{
        struct source_frames *out = decoded->out;
        struct source_frame frame = {0};
        struct pdb_function function;
        struct pdb_found found;

        if (find_function(decoded->pdb, place->rva, &found, &function)) {
                frame.function = function.name;
                frame.start = function.start;
                frame.is_guessed = function.size_is_guessed && !found.proc;
        }
        if (place->has_row) {
                frame.path = pdb_lines_path(decoded->pdb, &decoded->lines, place->file);
                frame.line = place->line;
                frame.column = place->column;
        }
        if (frame.function || place->has_row || !is_alone)
                source_frames_add(out, &frame);
}

static void add_frames(struct pdb_decoded *decoded, const struct pdb_place *place)
{
        struct source_span *span = &decoded->out->spans[place->index];
        struct source_frames *out = decoded->out;

        span->first = out->n_frames;
        for (uint32_t i = place->inlined; i != PDB_NO_INLINE; i = decoded->inlines.items[i].outer) {
                const struct pdb_inline *inlined = &decoded->inlines.items[i];
                const struct pdb_site *site = &decoded->inlines.sites[inlined->site];
                struct source_frame frame = {
                        .line = inlined->line, .column = inlined->column, .is_inlined = true};

                frame.function =
                        pdb_find_inlinee_name_in(decoded->pdb, decoded->module, &decoded->lines, site->id);
                frame.start = frame.function ? site->start : 0;
                frame.path = pdb_lines_path(decoded->pdb, &decoded->lines, inlined->file);
                if (!source_frames_add(out, &frame))
                        break;
        }
        add_outer(decoded, place, place->inlined == PDB_NO_INLINE);
        span->n = out->n_frames - span->first;
}

static void find_in_module(struct pdb *pdb, const uint64_t *rvas, const struct pdb_wanted *wanted, size_t n,
                           struct source_frames *out)
{
        AUTO_RELEASE(pdb_decoded)
        decoded = {.pdb = pdb, .out = out, .inlines.budget = pdb->meter.budget};
        struct pdb_places *places = &decoded.places;

        places->items = mem_new(n, sizeof(*places->items));
        places->n = n;
        if (wanted->module != UINT32_MAX)
                decoded.module = &pdb->modules[wanted->module];
        for (size_t i = 0; i < n; i++) {
                uint32_t rva = (uint32_t)rvas[wanted[i].index];
                uint32_t proc = decoded.module ? find_owner(decoded.module, rva) : PDB_NO_PROC;

                places->items[i] = (struct pdb_place){rva, wanted[i].index, proc, .inlined = PDB_NO_INLINE};
        }
        if (decoded.module) {
                decode_lines(&decoded);
                decode_inlines(&decoded);
        }
        for (size_t i = 0; i < n; i++)
                add_frames(&decoded, &places->items[i]);
}

void pdb_find(struct pdb *pdb, const uint64_t *rvas, size_t n, struct source_frames *ret_frames)
{
        struct pdb_wanted *wanted = mem_new(n, sizeof(*wanted));
        size_t n_wanted = 0;

        *ret_frames = (struct source_frames){.spans = mem_new(n, sizeof(*ret_frames->spans)),
                                             .budget = pdb->meter.budget};
        pdb_refill(pdb);
        for (size_t i = 0; i < n && rvas[i] <= UINT32_MAX; i++) {
                struct pdb_found found;

                pdb_find_proc(pdb, (uint32_t)rvas[i], &found);
                if (found.section)
                        wanted[n_wanted++] = (struct pdb_wanted){
                                found.module ? (uint32_t)(found.module - pdb->modules) : UINT32_MAX, i};
        }
        if (n_wanted)
                qsort(wanted, n_wanted, sizeof(*wanted), compare_wanted);
        for (size_t first = 0, end; first < n_wanted; first = end) {
                for (end = first; end < n_wanted && wanted[end].module == wanted[first].module; end++)
                        ;
                find_in_module(pdb, rvas, wanted + first, end - first, ret_frames);
        }
        free(wanted);
        pdb_write_note(pdb);
}
