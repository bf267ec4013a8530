/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the answers of an archive.  The content of the section is a byte of flags (1: unfinished), the
 * number of missing bytes in LEB128, and a store of answers, in which each module has an identity and
 * facts. */
#include "symbol_archive.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "answers_store.h"
#include "archive_section.h"
#include "map.h"
#include "mem.h"

enum { OLD_VERSION = 1 };

const struct archive_section_kind symbol_archive_kind = {"WPSY", SYMBOL_ARCHIVE_VERSION};

struct symbol_archive {
        struct budget budget;
        struct answers *answers;
        struct archive_origin origin;
        struct archived_module *modules;
        size_t n_modules;
        /* hash -> number + 1 of the first module with this hash; next_same leads to the others */
        struct map by_path;
};

void symbol_archive_free(struct symbol_archive *archive)
{
        if (!archive)
                return;
        free(archive->modules);
        map_release(&archive->by_path);
        budget_release(&archive->budget);
        answers_free(archive->answers);
        free(archive);
}

static uint64_t hash_of(const struct archive_identity *identity)
{
        return map_hash_bytes(identity->path, strlen(identity->path));
}

/* --- Reading -------------------------------------------------------------------------------------- */

static bool take_identity(struct archived_module *m)
{
        const struct answers *answers = answers_store_module(m->answers);
        const struct answer_identity *from;

        if (!answers_n_items(m->answers, ANSWER_IDENTITY))
                return false;
        from = answers_get_item(m->answers, ANSWER_IDENTITY, 0);
        m->identity = (struct archive_identity){
                .kind = from->kind,
                .path = from->path ? answers_text(answers, from->path) : "",
                .pid = (int32_t)from->pid,
                .build_id = from->build_id.at,
                .build_id_size = (uint8_t)from->build_id.size,
                .dev = from->dev,
                .inode = from->inode,
                .start = from->start,
                .end = from->end,
        };
        return (uint64_t)m->identity.pid == from->pid;
}

static bool take_facts(struct archived_module *m)
{
        const struct answers *answers = answers_store_module(m->answers);
        struct resolver_image *image = &m->facts.image;
        const struct answer_facts *from;

        if (!answers_n_items(m->answers, ANSWER_FACTS))
                return false;
        from = answers_get_item(m->answers, ANSWER_FACTS, 0);
        image->entry = from->entry;
        image->load_addr = from->load_addr;
        image->is_executable = from->flags & ANSWER_IS_EXECUTABLE;
        if (from->build_id.size <= sizeof(image->build_id)) {
                image->build_id_size = (uint8_t)from->build_id.size;
                memcpy(image->build_id, from->build_id.at, image->build_id_size);
        }
        m->facts.has_image = from->flags & ANSWER_HAS_IMAGE;
        m->facts.has_readable_names = from->flags & ANSWER_HAS_READABLE_NAMES;
        m->facts.machine = from->machine <= OBJECT_MACHINE_ARM64 ? from->machine : OBJECT_MACHINE_OTHER;
        m->facts.built_ns = (int64_t)from->built_ns;
        m->facts.name_note = answers_text(answers, from->name_note);
        m->facts.line_note = answers_text(answers, from->line_note);
        m->facts.is_kept = answers_n_items(m->answers, ANSWER_KEPT);
        return true;
}

/* Of equal modules the first one comes first. */
static void index_modules(struct symbol_archive *archive)
{
        for (size_t i = archive->n_modules; i-- > 0;) {
                uint64_t *first = map_put(&archive->by_path, hash_of(&archive->modules[i].identity), NULL);

                archive->modules[i].next_same = (size_t)*first;
                *first = i + 1;
        }
}

static bool read_content(struct symbol_archive *archive, struct cursor c, uint32_t version)
{
        archive->origin.is_unfinished = cursor_u8(&c);
        archive->origin.cut_bytes = cursor_uleb(&c);
        archive->answers = version == OLD_VERSION ? answers_read_old(&c, &archive->budget)
                                                  : answers_read(&c, &archive->budget);
        if (!archive->answers || cursor_left(&c))
                return false;
        archive->n_modules = answers_n_modules(archive->answers);
        archive->modules = mem_new(archive->n_modules, sizeof(*archive->modules));
        for (size_t i = 0; i < archive->n_modules; i++) {
                archive->modules[i].answers = answers_get_module(archive->answers, i);
                if (!take_identity(&archive->modules[i]) || !take_facts(&archive->modules[i]))
                        return false;
        }
        index_modules(archive);
        return true;
}

struct symbol_archive *symbol_archive_open(struct cursor section, struct budget *budget, struct err *err)
{
        AUTO(symbol_archive) archive = mem_new(1, sizeof(*archive));
        struct archive_section_kind kind = symbol_archive_kind;
        AUTO_RELEASE(buf) unpacked = {0};
        struct cursor head = section, content;

        cursor_skip(&head, sizeof(kind.magic) - 1);
        if (cursor_u32(&head) == OLD_VERSION)
                kind.version = OLD_VERSION;
        archive_section_budget(&archive->budget, budget, section);
        if (!archive_section_read(&kind, section, &archive->budget, &unpacked, &content, err))
                return NULL;
        if (!read_content(archive, content, kind.version)) {
                archive_section_fail(&archive->budget, err);
                return NULL;
        }
        return TAKE(archive);
}

/* --- Lookups -------------------------------------------------------------------------------------- */

const struct archive_origin *symbol_archive_origin(const struct symbol_archive *archive)
{
        return &archive->origin;
}

size_t symbol_archive_n_modules(const struct symbol_archive *archive)
{
        return archive->n_modules;
}

const struct archived_module *symbol_archive_get(const struct symbol_archive *archive, size_t index)
{
        assert(index < archive->n_modules);
        return &archive->modules[index];
}

static bool is_same(const struct archive_identity *a, const struct archive_identity *b)
{
        return a->kind == b->kind && a->pid == b->pid && a->dev == b->dev && a->inode == b->inode &&
               a->start == b->start && a->end == b->end && a->build_id_size == b->build_id_size &&
               (!a->build_id_size || !memcmp(a->build_id, b->build_id, a->build_id_size)) &&
               !strcmp(a->path, b->path);
}

const struct archived_module *symbol_archive_find(const struct symbol_archive *archive,
                                                  const struct archive_identity *identity)
{
        const uint64_t *first = map_find(&archive->by_path, hash_of(identity));

        for (size_t i = first ? (size_t)*first : 0; i; i = archive->modules[i - 1].next_same) {
                if (is_same(&archive->modules[i - 1].identity, identity))
                        return &archive->modules[i - 1];
        }
        return NULL;
}

bool symbol_archive_knows(const struct archived_module *m, uint64_t addr)
{
        struct answer_found found;

        return answers_find(m->answers, ANSWER_FRAMES, addr, &found);
}
