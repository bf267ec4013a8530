/* SPDX-License-Identifier: BSD-3-Clause */
/* Build ids in an ELF file's notes: the GNU build id, which is found and compared, and the one of Go's
 * linker. */
#include <string.h>

#include "elf_format.h"
#include "elf_internal.h"

/* Skips to the next multiple of `align` from the start of the note area. */
static void skip_padding(struct cursor *c, size_t align)
{
        size_t over = cursor_pos(c) % align;

        if (over)
                cursor_skip(c, align - over);
}

/* There are notes with 8-byte alignment (.note.gnu.property), but a build id never follows one with another
 * alignment in the same area. */
static size_t note_align(const struct cursor *area)
{
        struct cursor c = *area;

        cursor_skip(&c, 8);
        return cursor_u32(&c) == 5 ? 8 : 4;
}

struct note_kind {
        const char *name;
        uint32_t name_size, type, max_bytes;
};

static const struct note_kind gnu_build_id = {"GNU", 4, ELF_NT_GNU_BUILD_ID, OBJECT_BUILD_ID_BYTES};
static const struct note_kind go_build_id = {"Go\0", 4, ELF_NT_GO_BUILD_ID, OBJECT_GO_BUILD_ID_BYTES};

/* Searches an area of notes.  Returns true if the search is over: found, or too many notes. */
static bool search_notes(const struct note_kind *kind, struct cursor c, unsigned *n_left,
                         struct cursor *ret_desc)
{
        size_t align = note_align(&c);

        while (cursor_left(&c) && *n_left) {
                uint32_t name_size = cursor_u32(&c);
                uint32_t desc_size = cursor_u32(&c);
                uint32_t type = cursor_u32(&c);
                const void *name = cursor_bytes(&c, name_size);
                const void *desc;

                skip_padding(&c, align);
                desc = cursor_bytes(&c, desc_size);
                if (c.failed)
                        return false;
                --*n_left;
                if (type == kind->type && name_size == kind->name_size &&
                    !memcmp(name, kind->name, name_size) && desc_size && desc_size <= kind->max_bytes) {
                        *ret_desc = cursor_make(desc, desc_size);
                        return true;
                }
                if (cursor_left(&c))
                        skip_padding(&c, align);
        }
        return !*n_left;
}

/* The first note of a kind; empty if there is none. */
static struct cursor find_note(struct elf *elf, const struct note_kind *kind)
{
        struct object *object = &elf->base;
        unsigned n_left = ELF_MAX_NOTES;
        struct cursor desc = {0};

        for (size_t i = 0; i < elf->n_all_segments; i++) {
                const struct elf_segment *segment = &elf->all_segments[i];
                struct cursor c = cursor_sub(&object->bytes, segment->at.file_off, segment->at.file_size);

                if (segment->type == ELF_PT_NOTE && !c.failed && search_notes(kind, c, &n_left, &desc))
                        return desc;
        }
        for (size_t i = 0; i < object->n_sections; i++) {
                struct cursor c = elf_section_bytes(elf, i);

                if (elf->sections[i].type == ELF_SHT_NOTE && !c.failed &&
                    search_notes(kind, c, &n_left, &desc))
                        return desc;
        }
        return desc;
}

void elf_read_build_id(struct elf *elf)
{
        struct object_facts *facts = &elf->base.facts;
        struct cursor id = find_note(elf, &gnu_build_id);

        facts->build_id_size = (uint8_t)cursor_left(&id);
        if (facts->build_id_size)
                memcpy(facts->build_id, id.at, facts->build_id_size);
}

size_t object_find_go_build_id(struct object *object, char ret_id[OBJECT_GO_BUILD_ID_BYTES + 1])
{
        struct cursor id = {0};
        size_t size;

        if (object->facts.format == OBJECT_ELF)
                id = find_note(elf_of(object), &go_build_id);
        size = cursor_left(&id);
        for (size_t i = 0; i < size; i++) {
                if (id.at[i] <= ' ' || id.at[i] > '~')
                        size = 0;
        }
        if (size)
                memcpy(ret_id, id.at, size);
        ret_id[size] = '\0';
        return size;
}

size_t object_find_build_id(const void *notes, size_t size, uint8_t ret_build_id[OBJECT_BUILD_ID_BYTES])
{
        struct cursor c = cursor_make(notes, size), id = {0};
        unsigned n_left = ELF_MAX_NOTES;

        memset(ret_build_id, 0, OBJECT_BUILD_ID_BYTES);
        search_notes(&gnu_build_id, c, &n_left, &id);
        if (cursor_left(&id))
                memcpy(ret_build_id, id.at, cursor_left(&id));
        return cursor_left(&id);
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
        for (size_t i = 0; i < size; i++) {
                if (bytes[i])
                        return false;
        }
        return true;
}

bool object_build_id_equal(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
        enum { PERF_BYTES = 20 };
        size_t n = a_size < b_size ? a_size : b_size;

        if (!n || memcmp(a, b, n) != 0)
                return false;
        if (n == PERF_BYTES)
                return true;
        return is_zero(a + n, a_size - n) && is_zero(b + n, b_size - n);
}

void object_pdb_from_build_id(const uint8_t *build_id, struct object_pdb *ret_pdb)
{
        struct cursor c = cursor_make(build_id, OBJECT_PDB_ID_BYTES);

        c.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
        memcpy(ret_pdb->guid, cursor_bytes(&c, OBJECT_GUID_BYTES), OBJECT_GUID_BYTES);
        ret_pdb->age = cursor_u32(&c);
}
