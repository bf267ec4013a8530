/* SPDX-License-Identifier: BSD-3-Clause */
/* The GNU build id: found in an ELF file's notes, and compared. */
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

/* Searches an area of notes.  Returns true if the search is over: found, or too many notes. */
static bool search_notes(struct object_facts *facts, struct cursor c, size_t align, unsigned *n_left)
{
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
                if (type == ELF_NT_GNU_BUILD_ID && name_size == 4 && !memcmp(name, "GNU", 4) && desc_size &&
                    desc_size <= OBJECT_BUILD_ID_BYTES) {
                        memcpy(facts->build_id, desc, desc_size);
                        facts->build_id_size = (uint8_t)desc_size;
                        return true;
                }
                if (cursor_left(&c))
                        skip_padding(&c, align);
        }
        return !*n_left;
}

/* There are notes with 8-byte alignment (.note.gnu.property), but a build id never follows one with another alignment in the same
 * area. */
static size_t note_align(const struct cursor *area)
{
        struct cursor c = *area;

        cursor_skip(&c, 8);
        return cursor_u32(&c) == 5 ? 8 : 4;
}

void elf_read_build_id(struct elf *elf)
{
        struct object *object = &elf->base;
        unsigned n_left = ELF_MAX_NOTES;

        for (size_t i = 0; i < elf->n_all_segments; i++) {
                const struct elf_segment *segment = &elf->all_segments[i];
                struct cursor c = cursor_sub(&object->bytes, segment->at.file_off, segment->at.file_size);

                if (segment->type == ELF_PT_NOTE && !c.failed &&
                    search_notes(&object->facts, c, note_align(&c), &n_left))
                        return;
        }
        for (size_t i = 0; i < object->n_sections; i++) {
                struct cursor c = elf_section_bytes(elf, i);

                if (elf->sections[i].type == ELF_SHT_NOTE && !c.failed &&
                    search_notes(&object->facts, c, note_align(&c), &n_left))
                        return;
        }
}

size_t object_find_build_id(const void *notes, size_t size, uint8_t ret_build_id[OBJECT_BUILD_ID_BYTES])
{
        struct cursor c = cursor_make(notes, size);
        struct object_facts facts = {0};
        unsigned n_left = ELF_MAX_NOTES;

        search_notes(&facts, c, note_align(&c), &n_left);
        memcpy(ret_build_id, facts.build_id, OBJECT_BUILD_ID_BYTES);
        return facts.build_id_size;
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
