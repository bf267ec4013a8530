/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that link-time code generation inlined from another module.  The imports of the module and the
 * exports of the other one map their ids to ids of the PDB, which have names.  microsoft-pdb: cvinfo.h,
 * CrossScopeReferences. */
#include <assert.h>
#include <string.h>

#include "err.h"
#include "pdb_internal.h"
#include "text_match.h"

enum {
        SCOPE_SHIFT = 20,
        SCOPE_MASK = 0x7ff,
        ITEM_MASK = 0xfffff,
};

#define IS_IMPORTED 0x80000000u

/* Finds reference number `scope` of the imports: an offset in /names of the name of a module, a number, and
 * that many ids. */
static bool find_reference(const struct pdb_lines *lines, uint32_t id, uint32_t *ret_name_off,
                           uint32_t *ret_local)
{
        uint32_t scope = id >> SCOPE_SHIFT & SCOPE_MASK, item = id & ITEM_MASK;
        struct cursor c = lines->bytes;
        struct pdb_subsection subsection;

        while (pdb_subsection_next(&c, &subsection)) {
                struct cursor *body = &subsection.body;

                while (subsection.kind == PDB_IMPORTS && !body->failed && cursor_left(body) >= 8) {
                        uint32_t name_off = cursor_u32(body), n = cursor_u32(body);
                        struct cursor ids = cursor_sub(body, cursor_pos(body), (uint64_t)n * 4);

                        if (!scope--) {
                                cursor_skip(&ids, (uint64_t)item * 4);
                                *ret_name_off = name_off;
                                *ret_local = cursor_u32(&ids);
                                return !ids.failed;
                        }
                        cursor_skip(body, (uint64_t)n * 4);
                }
        }
        return false;
}

static uint64_t hash_name(const char *name)
{
        AUTO_RELEASE(buf) lower = {0};

        for (; *name; name++)
                buf_add_char(&lower, *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name);
        return map_hash_bytes(lower.data, lower.len);
}

/* Of several modules with one name the first is found. */
static void index_modules(struct pdb *pdb)
{
        for (size_t i = 0; i < pdb->n_modules; i++) {
                uint64_t hash = hash_name(pdb->modules[i].name);
                bool is_new;
                uint64_t *slot;

                while ((slot = map_put(&pdb->modules_by_name, hash, &is_new)) && !is_new &&
                       !text_equal_nocase(pdb->modules[*slot - 1].name, pdb->modules[i].name))
                        hash++;
                if (is_new)
                        *slot = i + 1;
        }
}

static const struct pdb_module *find_module(struct pdb *pdb, const char *name)
{
        const uint64_t *slot;

        if (!pdb->modules_by_name.n_used)
                index_modules(pdb);
        for (uint64_t hash = hash_name(name); (slot = map_find(&pdb->modules_by_name, hash)); hash++) {
                if (text_equal_nocase(pdb->modules[*slot - 1].name, name))
                        return &pdb->modules[*slot - 1];
        }
        return NULL;
}

/* Exports are pairs of an id in the module and the id in the PDB. */
static bool find_export(struct cursor c, uint32_t local, uint32_t *ret_id)
{
        struct pdb_subsection subsection;

        while (pdb_subsection_next(&c, &subsection)) {
                while (subsection.kind == PDB_EXPORTS && cursor_left(&subsection.body) >= 8) {
                        bool is_it = cursor_u32(&subsection.body) == local;

                        *ret_id = cursor_u32(&subsection.body);
                        if (is_it)
                                return true;
                }
        }
        return false;
}

static const char *read_name(struct pdb *pdb, const struct pdb_lines *lines, uint32_t id)
{
        const struct pdb_module *other;
        uint32_t name_off, local, found;
        struct pdb_piece piece;
        const char *name = NULL, *path;
        struct err err = {0};

        if (!pdb_spend(pdb, cursor_left(&lines->bytes), &err) ||
            !find_reference(lines, id, &name_off, &local))
                return NULL;
        path = pdb_find_path(pdb, name_off);
        other = path && pdb_spend(pdb, strlen(path), &err) ? find_module(pdb, path) : NULL;
        if (!other || !pdb_module_lines(pdb, other, &piece, &err))
                return NULL;
        if (find_export(piece.bytes, local, &found))
                name = pdb_find_inlinee_name(pdb, found);
        pdb_piece_release(&piece);
        return name;
}

const char *pdb_find_inlinee_name_in(struct pdb *pdb, const struct pdb_module *module,
                                     const struct pdb_lines *lines, uint32_t id)
{
        assert(module >= pdb->modules && module < pdb->modules + pdb->n_modules);

        uint64_t key = (uint64_t)(module - pdb->modules + 1) << 32 | id;
        const uint64_t *known;
        const char *name;
        bool is_new;

        if (!(id & IS_IMPORTED))
                return pdb_find_inlinee_name(pdb, id);
        known = map_find(&pdb->inlinees, key);
        if (known)
                return (const char *)(uintptr_t)*known;
        name = read_name(pdb, lines, id);
        *map_put(&pdb->inlinees, key, &is_new) = (uint64_t)(uintptr_t)name;
        return name;
}
