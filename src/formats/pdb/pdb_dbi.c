/* SPDX-License-Identifier: BSD-3-Clause */
/* The DBI stream: machine, modules, sections, and which module contributed which part of a section.  Its
 * header has 64 bytes and the sizes of the parts after it: modules, section contributions, section map,
 * source files, type servers, edit-and-continue, numbers of further streams.  LLVM: docs/PDB/DbiStream. */
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "mem.h"
#include "pdb_internal.h"
#include "text.h"

enum {
        HEADER_BYTES = 64,
        SECTION_BYTES = 40,          /* size of a section header of PE */
        CONTRIBUTION_BYTES = 28,     /* size in version 6.0 */
        CONTRIBUTION_BYTES_NEW = 32, /* size in the version of 2014 */
        IS_STRIPPED = 1 << 1,        /* bit in the header's flags */
};

#define DBI_SIGNATURE            UINT32_MAX
#define CONTRIBUTION_VERSION     0xf12eba2du
#define CONTRIBUTION_VERSION_NEW 0xf13151e4u

/* Indexes in the list of further streams. */
enum { DEBUG_OMAP_TO = 3, DEBUG_OMAP_FROM = 4, DEBUG_SECTIONS = 5, N_DEBUG = 6 };

struct dbi_header {
        uint32_t modules_bytes, contributions_bytes, debug_bytes;
        uint32_t contributions_off, debug_off;
        uint16_t flags, machine;
};

static bool read_header(struct pdb *pdb, struct dbi_header *header, struct err *err)
{
        uint8_t bytes[HEADER_BYTES] = {0};
        struct cursor c = cursor_make(bytes, sizeof(bytes));
        uint32_t map_bytes, sources_bytes, servers_bytes, edit_bytes;
        uint64_t end;

        if (!pdb_stream_copy(&pdb->msf, PDB_STREAM_DBI, 0, sizeof(bytes), bytes))
                return err_set(err, ERR_FORMAT, "has no DBI stream, so it has no addresses");
        if (cursor_u32(&c) != DBI_SIGNATURE)
                return err_set(err, ERR_UNSUPPORTED,
                               "has a DBI stream of an old format, which wperf does not read");
        cursor_skip(&c, 4);
        pdb->facts.age = cursor_u32(&c);
        cursor_skip(&c, 4);
        pdb->publics_stream = cursor_u16(&c);
        cursor_skip(&c, 2);
        pdb->records_stream = cursor_u16(&c);
        cursor_skip(&c, 2);
        header->modules_bytes = cursor_u32(&c);
        header->contributions_bytes = cursor_u32(&c);
        map_bytes = cursor_u32(&c);
        sources_bytes = cursor_u32(&c);
        servers_bytes = cursor_u32(&c);
        cursor_skip(&c, 4);
        header->debug_bytes = cursor_u32(&c);
        edit_bytes = cursor_u32(&c);
        header->flags = cursor_u16(&c);
        header->machine = cursor_u16(&c);
        end = (uint64_t)HEADER_BYTES + header->modules_bytes + header->contributions_bytes + map_bytes +
              sources_bytes + servers_bytes + edit_bytes + header->debug_bytes;
        if (end > pdb_stream_size(&pdb->msf, PDB_STREAM_DBI))
                return err_set(err, ERR_FORMAT, "its DBI stream is shorter than the sizes in its header say");
        header->contributions_off = HEADER_BYTES + header->modules_bytes;
        header->debug_off = (uint32_t)(end - header->debug_bytes);
        return true;
}

/* --- Modules --- */

static bool read_module(struct cursor *c, struct pdb_module *module)
{
        cursor_skip(c, 4 + CONTRIBUTION_BYTES + 2);
        module->stream = cursor_u16(c);
        module->symbols_bytes = cursor_u32(c);
        module->old_lines_bytes = cursor_u32(c);
        module->lines_bytes = cursor_u32(c);
        cursor_skip(c, 16);
        module->name = cursor_str(c, NULL);
        cursor_str(c, NULL);
        while (!c->failed && cursor_pos(c) % 4 && cursor_left(c))
                c->at++;
        return !c->failed;
}

static bool read_modules(struct pdb *pdb, const struct dbi_header *header, struct err *err)
{
        struct cursor c;

        if (!pdb_stream_piece(&pdb->msf, PDB_STREAM_DBI, HEADER_BYTES, header->modules_bytes,
                              &pdb->modules_piece, err))
                return false;
        c = pdb->modules_piece.bytes;
        pdb->facts.is_stripped = true;
        while (cursor_left(&c) && pdb->n_modules < PDB_MAX_MODULES) {
                struct pdb_module module = {0};

                if (!read_module(&c, &module))
                        return err_set(err, ERR_FORMAT, "its list of modules ends inside an entry");
                if (module.symbols_bytes > 4 || module.lines_bytes)
                        pdb->facts.is_stripped = false;
                pdb->facts.has_lines |= module.lines_bytes > 0;
                ARRAY_PUSH(pdb->modules, pdb->n_modules, pdb->cap_modules, module);
        }
        if (header->flags & IS_STRIPPED)
                pdb->facts.is_stripped = true;
        return true;
}

/* --- Sections --- */

static bool read_sections(struct pdb *pdb, uint16_t stream, struct err *err)
{
        uint32_t size = pdb_stream_size(&pdb->msf, stream);
        struct pdb_piece piece;
        size_t n = size / SECTION_BYTES;

        if (!n)
                return err_set(
                        err, ERR_UNSUPPORTED,
                        "has no section headers, so it has no addresses (it describes only managed code)");
        if (n > PDB_MAX_SECTIONS)
                return err_set(err, ERR_LIMIT, "has more than %d sections", PDB_MAX_SECTIONS);
        if (!pdb_stream_piece(&pdb->msf, stream, 0, (uint32_t)(n * SECTION_BYTES), &piece, err))
                return false;
        pdb->sections = mem_new(n, sizeof(*pdb->sections));
        pdb->n_sections = n;
        for (size_t i = 0; i < n; i++) {
                struct cursor c = cursor_sub(&piece.bytes, i * SECTION_BYTES, SECTION_BYTES);
                struct pdb_section *section = &pdb->sections[i];

                cursor_skip(&c, 8);
                section->size_bytes = cursor_u32(&c);
                section->rva = cursor_u32(&c);
                section->file_bytes = cursor_u32(&c);
                section->file_off = cursor_u32(&c);
                if (!section->size_bytes)
                        section->size_bytes = section->file_bytes;
                if (section->size_bytes > UINT32_MAX - section->rva)
                        section->size_bytes = UINT32_MAX - section->rva;
        }
        pdb_piece_release(&piece);
        return true;
}

static const char omap_text[] =
        "has OMAP tables: code was moved after linking, and wperf can't find the new addresses";

static bool read_debug_streams(struct pdb *pdb, const struct dbi_header *header, struct err *err)
{
        uint16_t streams[N_DEBUG];
        uint32_t n_bytes = header->debug_bytes < sizeof(streams) ? header->debug_bytes : sizeof(streams);

        memset(streams, 0xff, sizeof(streams));
        if (!pdb_stream_copy(&pdb->msf, PDB_STREAM_DBI, header->debug_off, n_bytes / 2 * 2, streams))
                return err_set(err, ERR_FORMAT, "its DBI stream is damaged");
        if (pdb_stream_size(&pdb->msf, streams[DEBUG_OMAP_TO]) ||
            pdb_stream_size(&pdb->msf, streams[DEBUG_OMAP_FROM]))
                return err_set(err, ERR_UNSUPPORTED, "%s", omap_text);
        return read_sections(pdb, streams[DEBUG_SECTIONS], err);
}

bool pdb_error_is_omap(const struct err *err)
{
        return err->code == ERR_UNSUPPORTED && text_ends(err->text, omap_text);
}

/* The steps of a search that reads all sections. */
static uint64_t count_search(const struct pdb *pdb)
{
        return pdb->n_sections > PDB_FREE_SECTIONS ? pdb->n_sections / 2 : 0;
}

bool pdb_find_rva(const struct pdb *pdb, uint64_t file_off, uint32_t *ret_rva)
{
        if (!budget_work(pdb->meter.budget, BUDGET_LINES, count_search(pdb)))
                return false;
        for (size_t i = 0; i < pdb->n_sections; i++) {
                const struct pdb_section *section = &pdb->sections[i];
                uint64_t into = file_off - section->file_off;

                if (!section->file_off || into >= section->file_bytes || into >= section->size_bytes)
                        continue;
                *ret_rva = section->rva + (uint32_t)into;
                return true;
        }
        return false;
}

bool pdb_to_rva(const struct pdb *pdb, uint16_t section, uint32_t off, uint32_t *ret_rva)
{
        if (!section || section > pdb->n_sections || off >= pdb->sections[section - 1].size_bytes)
                return false;
        *ret_rva = pdb->sections[section - 1].rva + off;
        return true;
}

uint16_t pdb_find_section(struct pdb *pdb, uint32_t rva, uint32_t *ret_from, uint32_t *ret_to)
{
        struct err err = {0};

        *ret_from = 0;
        *ret_to = UINT32_MAX;
        if (!pdb_spend(pdb, count_search(pdb) * BUDGET_STEP_BYTES, &err)) {
                *ret_from = rva;
                *ret_to = rva + (rva < UINT32_MAX);
                pdb_complain(pdb, NULL, &err);
                return 0;
        }
        for (size_t i = 0; i < pdb->n_sections; i++) {
                const struct pdb_section *section = &pdb->sections[i];
                uint32_t end = section->rva + section->size_bytes;

                if (rva >= section->rva && rva < end) {
                        *ret_from = section->rva;
                        *ret_to = end;
                        return (uint16_t)(i + 1);
                }
                if (end <= rva && end > *ret_from)
                        *ret_from = end;
                if (section->rva > rva && section->rva < *ret_to)
                        *ret_to = section->rva;
        }
        return 0;
}

/* --- Contributions --- */

static bool read_contributions(struct pdb *pdb, const struct dbi_header *header, struct err *err)
{
        struct pdb_contributions *all = &pdb->contributions;
        uint32_t version;

        if (header->contributions_bytes < sizeof(version))
                return true;
        if (!pdb_stream_piece(&pdb->msf, PDB_STREAM_DBI, header->contributions_off,
                              header->contributions_bytes, &all->piece, err))
                return false;
        version = cursor_u32(&all->piece.bytes);
        if (version != CONTRIBUTION_VERSION && version != CONTRIBUTION_VERSION_NEW)
                return err_set(err, ERR_UNSUPPORTED, "has section contributions of the unknown version 0x%x",
                               version);
        all->entry_bytes = version == CONTRIBUTION_VERSION ? CONTRIBUTION_BYTES : CONTRIBUTION_BYTES_NEW;
        all->n = cursor_left(&all->piece.bytes) / all->entry_bytes;
        return true;
}

static struct pdb_contribution get_contribution(const struct pdb_contributions *all, size_t i)
{
        struct pdb_contribution contribution;
        struct cursor c;

        if (all->sorted)
                return all->sorted[i];
        c = cursor_sub(&all->piece.bytes, 4 + i * all->entry_bytes, all->entry_bytes);
        contribution.section = cursor_u16(&c);
        cursor_skip(&c, 2);
        contribution.off = cursor_u32(&c);
        contribution.size_bytes = cursor_u32(&c);
        cursor_skip(&c, 4);
        contribution.module = cursor_u16(&c);
        if (contribution.size_bytes > UINT32_MAX - contribution.off)
                contribution.size_bytes = UINT32_MAX - contribution.off;
        return contribution;
}

static int compare_contributions(const void *a, const void *b)
{
        const struct pdb_contribution *x = a, *y = b;

        if (x->section != y->section)
                return x->section < y->section ? -1 : 1;
        if (x->off != y->off)
                return x->off < y->off ? -1 : 1;
        return x->size_bytes < y->size_bytes ? -1 : x->size_bytes > y->size_bytes;
}

/* Linkers write contributions sorted by address; if they are not, they are sorted here. */
static void check_order(struct pdb_contributions *all)
{
        struct pdb_contribution last = {0}, *sorted;
        bool is_sorted = true;

        all->is_checked = true;
        for (size_t i = 0; i < all->n && is_sorted; i++) {
                struct pdb_contribution contribution = get_contribution(all, i);

                is_sorted = compare_contributions(&last, &contribution) <= 0;
                last = contribution;
        }
        if (is_sorted)
                return;
        sorted = mem_new(all->n, sizeof(*sorted));
        for (size_t i = 0; i < all->n; i++)
                sorted[i] = get_contribution(all, i);
        qsort(sorted, all->n, sizeof(*sorted), compare_contributions);
        all->sorted = sorted;
}

bool pdb_find_contribution(struct pdb *pdb, uint16_t section, uint32_t off,
                           struct pdb_contribution *ret_contribution)
{
        const struct pdb_contribution wanted = {.section = section, .off = off, .size_bytes = UINT32_MAX};
        struct pdb_contributions *all = &pdb->contributions;
        struct pdb_contribution found, next;
        size_t low = 0, high = all->n;
        uint32_t from = 0, to = UINT32_MAX;

        if (!all->is_checked)
                check_order(all);
        while (low < high) {
                size_t middle = low + (high - low) / 2;

                found = get_contribution(all, middle);
                if (compare_contributions(&found, &wanted) <= 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        if (low < all->n) {
                next = get_contribution(all, low);
                if (next.section == section)
                        to = next.off;
        }
        if (low) {
                found = get_contribution(all, low - 1);
                if (found.section == section && off - found.off < found.size_bytes) {
                        *ret_contribution = found;
                        if (to - found.off < found.size_bytes)
                                ret_contribution->size_bytes = to - found.off;
                        return true;
                }
                if (found.section == section)
                        from = found.off + found.size_bytes;
        }
        *ret_contribution = (struct pdb_contribution){.off = from, .size_bytes = to - from};
        return false;
}

/* --- The whole stream --- */

bool pdb_dbi_read(struct pdb *pdb, struct err *err)
{
        struct dbi_header header = {0};

        if (!read_header(pdb, &header, err) || !read_debug_streams(pdb, &header, err) ||
            !read_modules(pdb, &header, err) || !read_contributions(pdb, &header, err))
                return false;
        pdb->facts.machine = object_machine_of_pe(header.machine);
        return true;
}

void pdb_dbi_release(struct pdb *pdb)
{
        for (size_t i = 0; i < pdb->n_modules; i++)
                free(pdb->modules[i].procs);
        free(pdb->modules);
        free(pdb->sections);
        free(pdb->contributions.sorted);
        pdb_piece_release(&pdb->modules_piece);
        pdb_piece_release(&pdb->contributions.piece);
}
