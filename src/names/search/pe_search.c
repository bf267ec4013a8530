/* SPDX-License-Identifier: BSD-3-Clause */
#include "pe_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "err.h"
#include "os.h"
#include "text.h"
#include "text_match.h"

struct pe_search {
        const struct pe_wanted *wanted;
        const struct object_pdb *pdb; /* used when a PDB is searched */
        struct buf path;              /* path of the candidate */
        struct buf refused;           /* why the first candidate was not used, a sentence */
        bool is_moved;                /* a PDB has OMAP tables */
};

/* --- Names without regard to case --- */

struct pe_entry {
        const char *name;
        struct buf found;
};

static bool compare_entry(void *ctx, const char *name)
{
        struct pe_entry *entry = ctx;

        if (!text_equal_nocase(name, entry->name))
                return true;
        buf_add_str(&entry->found, name);
        return false;
}

/* Appends the folder or file `name`; if it does not exist, *path does not change. */
static bool enter(struct buf *path, const char *name)
{
        struct pe_entry entry = {.name = name};
        size_t len = path->len;
        struct os_stat there;

        buf_printf(path, "/%s", name);
        if (os_stat(buf_text(path), &there))
                return true;
        buf_truncate(path, len);
        if (os_list_dir(buf_text(path), compare_entry, &entry, NULL) && entry.found.len)
                buf_printf(path, "/%s", buf_text(&entry.found));
        buf_release(&entry.found);
        return path->len > len;
}

/* Appends to `dir` each name up to the NULL at the end. */
static bool go(struct pe_search *search, const char *dir, const char *const *names)
{
        buf_clear(&search->path);
        buf_add_str(&search->path, *dir ? dir : ".");
        for (; *names; names++) {
                if (!enter(&search->path, *names))
                        return false;
        }
        return true;
}

static void refuse(struct pe_search *search, const char *sentence)
{
        if (!search->refused.len)
                buf_add_str(&search->refused, sentence);
}

static bool has_name(const char *path, const char *other)
{
        return path && text_equal_nocase(text_base_name(path), text_base_name(other));
}

/* --- Identities --- */

static uint32_t u32_at(const uint8_t *at)
{
        return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void add_guid(struct buf *out, const uint8_t *guid, const char *dash)
{
        buf_printf(out, "%08" PRIX32 "%s%02X%02X%s%02X%02X%s", u32_at(guid), dash, guid[5], guid[4], dash,
                   guid[7], guid[6], dash);
        for (size_t i = 8; i < OBJECT_GUID_BYTES; i++)
                buf_printf(out, "%s%02X", i == 10 ? dash : "", guid[i]);
}

void pe_add_pdb_id(struct buf *out, const uint8_t guid[OBJECT_GUID_BYTES], uint32_t age)
{
        add_guid(out, guid, "-");
        buf_printf(out, ", age %" PRIu32, age);
}

/* --- Images --- */

static bool is_image(const struct pe_wanted *wanted, const struct object_facts *facts)
{
        const struct pe_identity *identity = wanted->identity;

        if (facts->format != OBJECT_PE)
                return false;
        if (wanted->build_id_size)
                return object_build_id_equal(facts->build_id, facts->build_id_size, wanted->build_id,
                                             wanted->build_id_size);
        return !identity || !identity->image_size ||
               (identity->image_size == facts->image_size && identity->time_stamp == facts->time_stamp);
}

static struct object *try_image(struct pe_search *search)
{
        AUTO(object) object = object_open(buf_text(&search->path), NULL);
        AUTO_RELEASE(buf) why = {0};

        if (!object)
                return NULL;
        if (is_image(search->wanted, object_get_facts(object)))
                return TAKE(object);
        buf_printf(&why, "%s is of another build", buf_text(&search->path));
        refuse(search, buf_text(&why));
        return NULL;
}

static struct object *search_images_in(struct pe_search *search, const char *dir, const char *name)
{
        const struct pe_identity *identity = search->wanted->identity;
        struct object *found = go(search, dir, (const char *const[]){name, NULL}) ? try_image(search) : NULL;
        char key[32];

        if (found || !identity || !identity->image_size)
                return found;
        snprintf(key, sizeof(key), "%08" PRIX32 "%" PRIx64, identity->time_stamp, identity->image_size);
        return go(search, dir, (const char *const[]){name, key, name, NULL}) ? try_image(search) : NULL;
}

struct object *pe_search_image(const struct pe_wanted *wanted, struct buf *note)
{
        struct pe_search search = {.wanted = wanted};
        const struct pe_places *places = wanted->places;
        const char *name = text_base_name(wanted->path);
        struct object *found = NULL;

        if (!places || !*name)
                return NULL;
        if (has_name(places->image, name)) {
                buf_add_str(&search.path, places->image);
                found = try_image(&search);
        }
        for (const char *const *dir = places->dirs; dir && *dir && !found; dir++)
                found = search_images_in(&search, *dir, name);
        if (!found && search.refused.len)
                buf_printf(note, "%s%s", note->len ? "; " : "", buf_text(&search.refused));
        buf_release(&search.path);
        buf_release(&search.refused);
        return found;
}

/* --- PDBs --- */

static struct pdb *try_pdb(struct pe_search *search)
{
        AUTO_RELEASE(buf) why = {0};
        const struct pdb_facts *facts;
        struct err err = {0};
        struct os_stat there;
        AUTO(pdb) pdb = NULL;

        /* A symbol server has a folder of this name. */
        if (os_stat(buf_text(&search->path), &there) && there.is_dir)
                return NULL;
        pdb = pdb_open(buf_text(&search->path), &err);
        if (!pdb) {
                search->is_moved |= pdb_error_is_omap(&err);
                if (err.code != ERR_MISSING)
                        refuse(search, err.text);
                return NULL;
        }
        facts = pdb_get_facts(pdb);
        if (!memcmp(facts->guid, search->pdb->guid, PDB_GUID_BYTES) && facts->age == search->pdb->age)
                return TAKE(pdb);
        buf_printf(&why, "%s is of another build: its id is ", buf_text(&search->path));
        pe_add_pdb_id(&why, facts->guid, facts->age);
        buf_add_str(&why, ", but the image needs ");
        pe_add_pdb_id(&why, search->pdb->guid, search->pdb->age);
        refuse(search, buf_text(&why));
        return NULL;
}

/* Looks for python312.pd_ where python312.pdb would be. */
static void look_for_packed(struct pe_search *search, const char *dir, const char *const *names)
{
        AUTO_RELEASE(buf) packed = {0};
        AUTO_RELEASE(buf) why = {0};

        if (!go(search, dir, names))
                return;
        buf_add_str(&packed, text_base_name(search->pdb->path));
        if (!packed.len)
                return;
        packed.data[packed.len - 1] = '_';
        if (!enter(&search->path, buf_text(&packed)))
                return;
        buf_printf(&why, "%s is compressed, and wperf does not read it: unpack it with expand or cabextract",
                   buf_text(&search->path));
        refuse(search, buf_text(&why));
}

/* Looks in the folder itself, and in the layouts of a symbol server with one or two levels. */
static struct pdb *search_pdbs_in(struct pe_search *search, const char *dir, const char *name)
{
        AUTO_RELEASE(buf) key = {0};
        const char two[] = {name[0], name[0] ? name[1] : '\0', '\0'};
        struct pdb *found = go(search, dir, (const char *const[]){name, NULL}) ? try_pdb(search) : NULL;

        if (found)
                return found;
        add_guid(&key, search->pdb->guid, "");
        buf_printf(&key, "%" PRIx32, search->pdb->age);
        if (go(search, dir, (const char *const[]){name, buf_text(&key), name, NULL}))
                found = try_pdb(search);
        if (!found && go(search, dir, (const char *const[]){two, name, buf_text(&key), name, NULL}))
                found = try_pdb(search);
        if (found)
                return found;
        look_for_packed(search, dir, (const char *const[]){name, buf_text(&key), NULL});
        look_for_packed(search, dir, (const char *const[]){NULL});
        return NULL;
}

/* Paths on other machines' shares are not opened, because the name comes from an untrusted file. */
static bool is_local(const char *path)
{
        return (path[0] == '/' && path[1] != '/' && path[1] != '\\') ||
               (((path[0] | 0x20) >= 'a' && (path[0] | 0x20) <= 'z') && path[1] == ':');
}

/* The user's file is for one image only; for other images there is no note if it does not match. */
static struct pdb *try_named(struct pe_search *search, const struct pe_places *places)
{
        struct pdb *found;

        buf_clear(&search->path);
        buf_add_str(&search->path, places->pdb);
        found = try_pdb(search);
        if (!found && !has_name(places->pdb, search->pdb->path) &&
            !has_name(places->image, search->wanted->path))
                buf_clear(&search->refused);
        return found;
}

static struct pdb *search_everywhere(struct pe_search *search)
{
        const struct pe_places *places = search->wanted->places;
        const char *path = search->wanted->path, *name = text_base_name(search->pdb->path);
        AUTO_RELEASE(buf) folder = {0};
        struct pdb *found = places && places->pdb ? try_named(search, places) : NULL;

        if (found || !*name)
                return found;
        buf_add(&folder, path, (size_t)(text_base_name(path) - path));
        if (folder.len > 1)
                buf_truncate(&folder, folder.len - 1);
        found = search_pdbs_in(search, buf_text(&folder), name);
        if (!found && is_local(search->pdb->path)) {
                buf_clear(&search->path);
                buf_add_str(&search->path, search->pdb->path);
                found = try_pdb(search);
        }
        for (const char *const *dir = places ? places->dirs : NULL; dir && *dir && !found; dir++)
                found = search_pdbs_in(search, *dir, name);
        return found;
}

struct pdb *pe_search_pdb(const struct pe_wanted *wanted, const struct object_pdb *pdb, bool *ret_is_moved,
                          struct buf *note)
{
        struct pe_search search = {.wanted = wanted, .pdb = pdb};
        struct pdb *found = search_everywhere(&search);

        if (!found && note->len)
                buf_add_str(note, "; ");
        if (!found && search.refused.len) {
                buf_add_str(note, buf_text(&search.refused));
        } else if (!found) {
                buf_printf(note, "its PDB %s (", text_base_name(pdb->path));
                pe_add_pdb_id(note, pdb->guid, pdb->age);
                buf_add_str(note, ") was not found: name its folder with --symbol-path");
        }
        *ret_is_moved = !found && search.is_moved;
        buf_release(&search.path);
        buf_release(&search.refused);
        return found;
}
