/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens program databases, refuses formats that are not supported, and records damage. */
#include "pdb.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "pdb_internal.h"

/* --- Formats that are refused --- */

static const struct {
        const char *bytes;
        uint8_t n_bytes;
        const char *why;
} refused[] = {
        {"Microsoft C/C++ program database", 32,
         "is a PDB of a format older than 7.00, which wperf does not read"},
        {"Microsoft MSFZ Container", 24,
         "is a compressed PDB (MSFZ), which wperf does not read; unpack it first"},
        {"MSCF", 4,
         "is a compressed file (.pd_), which wperf does not read; unpack it with cabextract or expand"},
        {"SZDD", 4, "is a compressed file (.pd_), which wperf does not read; unpack it with expand"},
        {"BSJB", 4, "is a portable PDB of managed code, which wperf does not read"},
};

static bool begins_with(const struct cursor *file, const char *bytes, size_t n)
{
        return cursor_left(file) >= n && !memcmp(file->start, bytes, n);
}

static bool is_refused(const struct cursor *file, struct err *err)
{
        for (size_t i = 0; i < N_ELEMENTS(refused); i++) {
                if (!begins_with(file, refused[i].bytes, refused[i].n_bytes))
                        continue;
                err_set(err, ERR_UNSUPPORTED, "%s", refused[i].why);
                return true;
        }
        return false;
}

/* --- Opening --- */

static struct pdb *open_bytes(const struct cursor *file, const char *name, struct err *err)
{
        AUTO(pdb) pdb = mem_new(1, sizeof(*pdb));

        pdb->name = mem_strdup(name);
        pdb->file = *file;
        pdb->texts = strpool_new();
        pdb->types.stream = PDB_STREAM_TYPES;
        pdb->ids.stream = PDB_STREAM_IDS;
        pdb_refill(pdb);
        if (!cursor_left(file)) {
                err_set(err, ERR_FORMAT, "%s: is empty", name);
                return NULL;
        }
        if (is_refused(file, err) || !pdb_msf_init(&pdb->msf, file, err) || !pdb_info_read(pdb, err) ||
            !pdb_dbi_read(pdb, err)) {
                err_in(err, "%s", name);
                return NULL;
        }
        pdb_write_note(pdb);
        return TAKE(pdb);
}

struct pdb *pdb_open(const char *path, struct err *err)
{
        AUTO(os_map) map = os_map_open(path, err);
        AUTO(pdb) pdb = NULL;
        struct cursor bytes;

        if (!map)
                return NULL;
        bytes = cursor_make(map->bytes, map->size_bytes);
        pdb = open_bytes(&bytes, path, err);
        if (!os_map_check(map, path, err) || !pdb)
                return NULL;
        pdb->map = TAKE(map);
        return TAKE(pdb);
}

bool pdb_is_begun(const char *path)
{
        static const char magic[] = "Microsoft C/C++ MSF 7.00";
        AUTO(os_map) map = os_map_open(path, NULL);
        struct cursor bytes = map ? cursor_make(map->bytes, map->size_bytes) : cursor_make(NULL, 0);

        return begins_with(&bytes, magic, sizeof(magic) - 1) || is_refused(&bytes, NULL);
}

struct pdb *pdb_open_bytes(const void *bytes, size_t size, const char *name, struct err *err)
{
        struct cursor c = cursor_make(bytes, size);

        return open_bytes(&c, name, err);
}

void pdb_free(struct pdb *pdb)
{
        if (!pdb)
                return;
        pdb_dbi_release(pdb);
        pdb_types_release(&pdb->types);
        pdb_types_release(&pdb->ids);
        pdb_piece_release(&pdb->publics);
        pdb_msf_release(&pdb->msf);
        strpool_free(pdb->texts);
        budget_give(pdb->meter.budget, pdb->taken_bytes);
        map_release(&pdb->modules_by_name);
        map_release(&pdb->paths);
        map_release(&pdb->inlinees);
        buf_release(&pdb->scratch);
        buf_release(&pdb->first_complaint);
        buf_release(&pdb->note);
        os_map_free(pdb->map);
        free(pdb->name);
        free(pdb);
}

bool pdb_check(const struct pdb *pdb, struct err *err)
{
        return !pdb->map || os_map_check(pdb->map, pdb->name, err);
}

const char *pdb_name(const struct pdb *pdb)
{
        return pdb->name;
}

const struct pdb_facts *pdb_get_facts(const struct pdb *pdb)
{
        return &pdb->facts;
}

void pdb_set_budget(struct pdb *pdb, struct budget *budget)
{
        budget_allow_work(budget, BUDGET_WORK_DEBUG, cursor_left(&pdb->file));
        pdb->meter.budget = budget;
}

void pdb_set_decorated(struct pdb *pdb, bool is_decorated)
{
        pdb->is_decorated = is_decorated;
}

/* --- Budget and damage --- */

bool pdb_spend(struct pdb *pdb, uint64_t n_bytes, struct err *err)
{
        return budget_meter_spend(&pdb->meter, n_bytes) ||
               err_set(err, ERR_LIMIT, "its records refer to each other too often, or were read too often");
}

bool pdb_take(struct pdb *pdb, enum budget_use use, uint64_t n_bytes)
{
        if (!budget_take(pdb->meter.budget, use, n_bytes))
                return false;
        pdb->taken_bytes += pdb->meter.budget ? n_bytes : 0;
        return true;
}

void pdb_touch(struct pdb *pdb, uint64_t n_bytes)
{
        pdb->n_touched += n_bytes;
        if (pdb->n_touched < PDB_MAX_TOUCHED_BYTES || !pdb->map)
                return;
        os_map_forget(pdb->map, 0, UINT64_MAX);
        pdb->n_touched = 0;
}

void pdb_refill(struct pdb *pdb)
{
        budget_meter_begin(&pdb->meter, (uint64_t)cursor_left(&pdb->file) * PDB_MAX_PASSES + PDB_MIN_BUDGET);
}

void pdb_complain(struct pdb *pdb, struct pdb_module *module, const struct err *err)
{
        if (module) {
                if (module->is_damaged)
                        return;
                module->is_damaged = true;
        }
        if (pdb->n_complaints++)
                return;
        if (module)
                buf_printf(&pdb->first_complaint, "module %zu: ", (size_t)(module - pdb->modules));
        buf_add_str(&pdb->first_complaint, err->text);
}

void pdb_write_note(struct pdb *pdb)
{
        budget_meter_end(&pdb->meter);
        buf_clear(&pdb->note);
        buf_add_str(&pdb->note, buf_text(&pdb->first_complaint));
        if (pdb->n_complaints > 1)
                buf_printf(&pdb->note, "; and %zu more errors", pdb->n_complaints - 1);
}

const char *pdb_note(const struct pdb *pdb)
{
        return buf_text(&pdb->note);
}

const char *pdb_keep(struct pdb *pdb, const char *text)
{
        size_t len = strlen(text);
        struct err err = {0};
        str_id id;

        pdb_touch(pdb, PDB_TOUCHED_AROUND_BYTES);
        if (len > PDB_FREE_TEXT_BYTES && !pdb_spend(pdb, len, &err)) {
                pdb_complain(pdb, NULL, &err);
                return NULL;
        }
        if (!strpool_find_len(pdb->texts, text, len, &id)) {
                if (!pdb_take(pdb, BUDGET_NAMES, len + STRPOOL_ITEM_BYTES))
                        return NULL;
                id = strpool_add_len(pdb->texts, text, len);
        }
        return strpool_get(pdb->texts, id);
}
