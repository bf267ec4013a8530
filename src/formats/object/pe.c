/* SPDX-License-Identifier: BSD-3-Clause */
/* PE images (PE32 and PE32+): headers, sections, and the PDB of the image.  The other pe_ files handle
 * symbols and functions. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"
#include "mem.h"
#include "pe_internal.h"
#include "text_match.h"
#include "text_number.h"

struct pe_header {
        uint32_t off; /* offset of the PE header */
        uint16_t machine, characteristics;
        uint16_t n_sections, optional_bytes;
        uint32_t time_stamp;
        bool is_64;
        uint64_t image_base;
        uint32_t entry, image_bytes, headers_bytes, n_dirs;
};

bool pe_is(const struct cursor *bytes)
{
        struct cursor c = *bytes;
        const uint8_t *magic = cursor_bytes(&c, 2);

        return magic && !memcmp(magic, "MZ", 2);
}

bool object_is_pe_name(const char *path)
{
        static const char *const endings[] = {".exe", ".dll", ".pyd", ".sys", ".drv", ".ocx", ".cpl", ".acm"};
        size_t len = strlen(path);

        for (size_t i = 0; i < N_ELEMENTS(endings); i++) {
                if (len > 4 && text_equal_nocase(path + len - 4, endings[i]))
                        return true;
        }
        return false;
}

static bool read_file_header(struct pe *pe, struct pe_header *h, struct err *err)
{
        struct cursor c = pe->base.bytes;
        const uint8_t *magic;

        cursor_seek(&c, PE_NEW_HEADER_OFF);
        h->off = cursor_u32(&c);
        cursor_seek(&c, h->off);
        magic = cursor_bytes(&c, 4);
        if (!magic || memcmp(magic, "PE\0\0", 4))
                return err_set(err, ERR_FORMAT,
                               "is not a PE image (an MZ program, and the header at 0x%x is not a PE header)",
                               h->off);
        h->machine = cursor_u16(&c);
        h->n_sections = cursor_u16(&c);
        h->time_stamp = cursor_u32(&c);
        pe->symbols_off = cursor_u32(&c);
        pe->n_symbols = cursor_u32(&c);
        h->optional_bytes = cursor_u16(&c);
        h->characteristics = cursor_u16(&c);
        if (c.failed)
                return err_set(err, ERR_FORMAT, "PE header at 0x%x is cut", h->off);
        return true;
}

static bool read_optional_header(struct pe *pe, struct pe_header *h, struct err *err)
{
        struct cursor c =
                cursor_sub(&pe->base.bytes, (uint64_t)h->off + 4 + PE_FILE_HEADER_BYTES, h->optional_bytes);
        uint16_t magic = cursor_u16(&c);

        if (c.failed || (magic != PE_MAGIC_32 && magic != PE_MAGIC_64))
                return err_set(err, ERR_FORMAT, "PE optional header at 0x%x %s",
                               h->off + 4 + PE_FILE_HEADER_BYTES,
                               c.failed ? "is cut" : "is neither PE32 nor PE32+");
        h->is_64 = magic == PE_MAGIC_64;
        cursor_seek(&c, 16);
        h->entry = cursor_u32(&c);
        cursor_seek(&c, h->is_64 ? 24 : 28);
        h->image_base = h->is_64 ? cursor_u64(&c) : cursor_u32(&c);
        cursor_seek(&c, 56);
        h->image_bytes = cursor_u32(&c);
        h->headers_bytes = cursor_u32(&c);
        cursor_seek(&c, h->is_64 ? 108 : 92);
        h->n_dirs = cursor_u32(&c);
        if (c.failed)
                return err_set(err, ERR_FORMAT, "PE optional header is cut after %u bytes",
                               h->optional_bytes);
        if (h->image_base > PE_MAX_IMAGE_BASE)
                return err_set(err, ERR_FORMAT,
                               "PE optional header at 0x%x: image base 0x%" PRIx64
                               " leaves no room for the image",
                               h->off + 4 + PE_FILE_HEADER_BYTES, h->image_base);
        for (uint32_t i = 0; i < h->n_dirs && i < PE_N_DIRS && cursor_left(&c) >= 8; i++) {
                pe->dirs[i].rva = cursor_u32(&c);
                pe->dirs[i].size_bytes = cursor_u32(&c);
        }
        return true;
}

/* --- Sections --- */

static void find_strings(struct pe *pe)
{
        const struct cursor *file = &pe->base.bytes;
        uint64_t off = pe->symbols_off + (uint64_t)pe->n_symbols * PE_SYMBOL_BYTES;
        struct cursor c = cursor_sub(file, off, 4);
        uint32_t size = cursor_u32(&c);

        pe->strings = cursor_make(NULL, 0);
        if (!pe->symbols_off || c.failed)
                return;
        c = cursor_sub(file, off, size);
        if (!c.failed)
                pe->strings = c;
}

/* "/123" refers to a name in the table of strings.  Other names are copied, because a name of full length
 * has no NUL. */
static const char *name_of(const struct pe *pe, const char *raw, char *own)
{
        const char *name;
        uint64_t off;

        memcpy(own, raw, PE_SHORT_NAME_BYTES);
        own[PE_SHORT_NAME_BYTES] = '\0';
        if (own[0] != '/' || !text_to_u64(own + 1, 10, &off))
                return own;
        name = cursor_str_at(&pe->strings, off);
        return name ? name : own;
}

static struct object_section read_section(const struct pe *pe, struct cursor *c, char *own_name)
{
        const struct object *object = &pe->base;
        const char *raw_name = cursor_bytes(c, PE_SHORT_NAME_BYTES);
        struct object_section section = {.flags = OBJECT_SECTION_LOADED};
        uint32_t mem_size = cursor_u32(c), raw_size, flags;

        section.name = name_of(pe, raw_name, own_name);
        section.addr = object->facts.load_addr + cursor_u32(c);
        raw_size = cursor_u32(c);
        section.file_off = cursor_u32(c);
        cursor_skip(c, 12);
        flags = cursor_u32(c);
        section.size_bytes = mem_size ? mem_size : raw_size;
        /* Sizes in the file are multiples of its alignment. */
        section.file_size = section.file_off ? raw_size : 0;
        if (section.file_size > section.size_bytes)
                section.file_size = section.size_bytes;
        if (flags & (PE_SECTION_CODE | PE_SECTION_EXECUTE))
                section.flags |= OBJECT_SECTION_CODE;
        return section;
}

static void add_segment(struct object *object, const struct object_segment *segment)
{
        if (segment->file_size)
                object->segments[object->n_segments++] = *segment;
}

static bool read_sections(struct pe *pe, const struct pe_header *h, struct err *err)
{
        uint64_t off = (uint64_t)h->off + 4 + PE_FILE_HEADER_BYTES + h->optional_bytes;
        struct object *object = &pe->base;
        struct cursor c = cursor_sub(&object->bytes, off, (uint64_t)h->n_sections * PE_SECTION_BYTES);

        if (h->n_sections > PE_MAX_SECTIONS)
                return err_set(err, ERR_LIMIT, "PE header at 0x%x: it has %u sections, the limit is %d",
                               h->off, h->n_sections, PE_MAX_SECTIONS);
        if (c.failed)
                return err_set(err, ERR_FORMAT, "table of %u sections at 0x%llx lies outside the file",
                               h->n_sections, (unsigned long long)off);
        pe->short_names = mem_new(h->n_sections, sizeof(*pe->short_names));
        object->sections = mem_new(h->n_sections, sizeof(*object->sections));
        object->n_sections = h->n_sections;
        object->segments = mem_new((size_t)h->n_sections + 1, sizeof(*object->segments));
        add_segment(object, &(struct object_segment){.file_size = h->headers_bytes,
                                                     .addr = h->image_base,
                                                     .mem_size = h->headers_bytes});
        for (uint32_t i = 0; i < h->n_sections; i++) {
                struct object_section *section = &object->sections[i];

                *section = read_section(pe, &c, pe->short_names[i]);
                add_segment(object,
                            &(struct object_segment){
                                    .file_off = section->file_off,
                                    .file_size = section->file_size,
                                    .addr = section->addr,
                                    .mem_size = section->size_bytes,
                                    .flags = section->flags & OBJECT_SECTION_CODE ? OBJECT_SEGMENT_CODE : 0,
                            });
        }
        return true;
}

const struct object_section *pe_section_at(const struct pe *pe, uint32_t rva)
{
        const struct object *object = &pe->base;
        uint64_t addr = object->facts.load_addr + rva;

        for (size_t i = 0; i < object->n_sections; i++) {
                if (addr - object->sections[i].addr < object->sections[i].size_bytes)
                        return &object->sections[i];
        }
        return NULL;
}

struct cursor pe_at_rva(const struct pe *pe, uint32_t rva)
{
        const struct object *object = &pe->base;
        uint64_t addr = object->facts.load_addr + rva;

        for (size_t i = 0; i < object->n_segments; i++) {
                const struct object_segment *segment = &object->segments[i];
                uint64_t into = addr - segment->addr;

                if (into < segment->file_size)
                        return cursor_sub(&object->bytes, segment->file_off + into,
                                          segment->file_size - into);
        }
        return cursor_sub(&object->bytes, UINT64_MAX, 0);
}

struct cursor pe_directory(const struct pe *pe, enum pe_directory which)
{
        const struct pe_directory_place *dir = &pe->dirs[which];
        struct cursor c = pe_at_rva(pe, dir->rva);

        assert(which < PE_N_DIRS);
        if (!dir->rva || c.failed)
                return cursor_make(NULL, 0);
        return cursor_sub(&c, 0, cursor_left(&c) < dir->size_bytes ? cursor_left(&c) : dir->size_bytes);
}

/* --- Facts --- */

enum object_machine object_machine_of_pe(uint16_t machine)
{
        switch (machine) {
        case PE_MACHINE_I386: return OBJECT_MACHINE_X86;
        case PE_MACHINE_AMD64: return OBJECT_MACHINE_X86_64;
        case PE_MACHINE_ARM:
        case PE_MACHINE_THUMB:
        case PE_MACHINE_ARMNT: return OBJECT_MACHINE_ARM;
        case PE_MACHINE_ARM64:
        case PE_MACHINE_ARM64EC:
        case PE_MACHINE_ARM64X: return OBJECT_MACHINE_ARM64;
        default: return OBJECT_MACHINE_OTHER;
        }
}

static void read_facts(struct pe *pe, const struct pe_header *h)
{
        struct object_facts *facts = &pe->base.facts;

        facts->format = OBJECT_PE;
        facts->machine = object_machine_of_pe(h->machine);
        facts->address_bytes = h->is_64 ? 8 : 4;
        facts->is_executable =
                (h->characteristics & (PE_FILE_EXECUTABLE | PE_FILE_DLL)) == PE_FILE_EXECUTABLE;
        facts->entry = h->entry ? h->image_base + h->entry : 0;
        facts->load_addr = h->image_base;
        facts->image_size = h->image_bytes;
        facts->time_stamp = h->time_stamp;
}

static void take_build_id(struct pe *pe)
{
        struct object_facts *facts = &pe->base.facts;
        uint32_t age = pe->pdb.age;

        memcpy(facts->build_id, pe->pdb.guid, OBJECT_GUID_BYTES);
        for (size_t i = 0; i < sizeof(age); i++)
                facts->build_id[OBJECT_GUID_BYTES + i] = (uint8_t)(age >> 8 * i);
        facts->build_id_size = OBJECT_PDB_ID_BYTES;
}

static struct cursor codeview_at(const struct pe *pe, uint32_t size, uint32_t rva, uint32_t file_off)
{
        struct cursor c = cursor_sub(&pe->base.bytes, file_off, size);

        if (file_off && !c.failed)
                return c;
        c = pe_at_rva(pe, rva);
        return cursor_sub(&c, 0, size);
}

static bool read_codeview(struct pe *pe, struct cursor c)
{
        const uint8_t *magic = cursor_bytes(&c, 4);
        const uint8_t *guid = cursor_bytes(&c, OBJECT_GUID_BYTES);
        uint32_t age = cursor_u32(&c);
        size_t len;

        if (c.failed || memcmp(magic, "RSDS", 4))
                return false;
        memcpy(pe->pdb.guid, guid, OBJECT_GUID_BYTES);
        pe->pdb.age = age;
        /* Some paths do not end with a NUL. */
        len = strnlen((const char *)c.at,
                      cursor_left(&c) < PE_MAX_PATH_BYTES ? cursor_left(&c) : PE_MAX_PATH_BYTES);
        pe->pdb_path = mem_new(len + 1, 1);
        memcpy(pe->pdb_path, c.at, len);
        pe->pdb.path = pe->pdb_path;
        return true;
}

static void read_pdb(struct pe *pe)
{
        struct cursor entries = pe_directory(pe, PE_DIR_DEBUG);

        for (size_t i = 0; i < PE_MAX_DEBUG_ENTRIES && !pe->has_pdb; i++) {
                struct cursor entry = cursor_sub(&entries, i * PE_DEBUG_ENTRY_BYTES, PE_DEBUG_ENTRY_BYTES);
                uint32_t type, size, rva, file_off;

                if (entry.failed)
                        return;
                cursor_skip(&entry, 12);
                type = cursor_u32(&entry);
                size = cursor_u32(&entry);
                rva = cursor_u32(&entry);
                file_off = cursor_u32(&entry);
                if (type == PE_DEBUG_CODEVIEW)
                        pe->has_pdb = read_codeview(pe, codeview_at(pe, size, rva, file_off));
        }
}

static bool get_pdb(const struct object *object, struct object_pdb *ret_pdb)
{
        const struct pe *pe = (const struct pe *)object;

        if (!pe->has_pdb)
                return false;
        *ret_pdb = pe->pdb;
        return true;
}

static void release(struct object *object)
{
        struct pe *pe = pe_of(object);

        pe_symbols_release(&pe->symbols);
        pe_symbols_release(&pe->exports);
        free(pe->short_names);
        free(pe->pdb_path);
}

static const struct object_ops pe_ops = {
        .release = release,
        .symbols_begin = pe_symbols_begin,
        .symbols_next = pe_symbols_next,
        .list_functions = pe_list_functions,
        .n_unwind = pe_n_unwind,
        .get_unwind = pe_get_unwind,
        .find_unwind = pe_find_unwind,
        .find_function = pe_find_function,
        .read_unwind = pe_read_unwind,
        .get_pdb = get_pdb,
        .machine_at = pe_machine_at,
        .code_at = pe_code_at,
        .is_hybrid = pe_is_hybrid,
};

struct object *pe_new(const struct cursor *bytes, struct err *err)
{
        struct pe *pe = mem_new(1, sizeof(*pe));
        AUTO(object) object = &pe->base;
        struct pe_header h = {0};

        object->ops = &pe_ops;
        object->bytes = *bytes;
        object->bytes.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
        if (!read_file_header(pe, &h, err) || !read_optional_header(pe, &h, err))
                return NULL;
        read_facts(pe, &h);
        find_strings(pe);
        if (!read_sections(pe, &h, err))
                return NULL;
        read_pdb(pe);
        if (pe->has_pdb)
                take_build_id(pe);
        return TAKE(object);
}
