/* SPDX-License-Identifier: BSD-3-Clause */
/* The header of a line table: properties of its opcodes, folders and files (DWARF 5, section 6.2.4; up to
 * version 4 two lists of texts), and the paths made from them. */
#include <string.h>

#include "dwarf_form.h"
#include "dwarf_lookup.h"
#include "mem.h"

/* --- Folders and files up to version 4 --- */

static bool add_folder(struct dwarf_lines *lines, const char *name, struct err *err)
{
        if (lines->n_folders >= DWARF_MAX_FILES)
                return err_set(err, ERR_LIMIT, "its line table has more than %d folders", DWARF_MAX_FILES);
        ARRAY_PUSH(lines->folders, lines->n_folders, lines->cap_folders, name);
        return true;
}

static bool add_source(struct dwarf_lines *lines, const struct dwarf_source *source, struct err *err)
{
        if (lines->n_sources >= DWARF_MAX_FILES)
                return err_set(err, ERR_LIMIT, "its line table has more than %d files", DWARF_MAX_FILES);
        ARRAY_PUSH(lines->sources, lines->n_sources, lines->cap_sources, *source);
        return true;
}

/* Both lists count from 1; folder 0 is the unit's own folder, file 0 is no file. */
static bool read_old_lists(struct dwarf_lines *lines, struct cursor *c, struct err *err)
{
        const char *name;

        if (!add_folder(lines, lines->folder, err) || !add_source(lines, &(struct dwarf_source){0}, err))
                return false;
        while ((name = cursor_str(c, NULL)) && *name) {
                if (!add_folder(lines, name, err))
                        return false;
        }
        while ((name = cursor_str(c, NULL)) && *name) {
                uint64_t folder = dwarf_uleb(c);

                dwarf_uleb(c); /* time */
                dwarf_uleb(c); /* size */
                if (!add_source(lines, &(struct dwarf_source){.name = name, .folder = folder}, err))
                        return false;
        }
        return !c->failed || err_set(err, ERR_FORMAT, "the files of its line table are cut");
}

/* --- Version 5 --- */

struct entry_format {
        uint16_t content[DWARF_MAX_ENTRY_FORMATS];
        uint16_t form[DWARF_MAX_ENTRY_FORMATS];
        uint8_t n;
};

static void read_entry_format(struct cursor *c, struct entry_format *format)
{
        format->n = cursor_u8(c);
        for (uint8_t i = 0; i < format->n; i++) {
                uint64_t content = dwarf_uleb(c), form = dwarf_uleb(c);

                format->content[i] = content <= UINT16_MAX ? (uint16_t)content : 0;
                format->form[i] = form <= UINT16_MAX ? (uint16_t)form : 0;
        }
}

/* Reads a list of folders, or of files. */
static bool read_list(const struct dwarf_unit *unit, const struct dwarf_shape *shape,
                      struct dwarf_lines *lines, bool is_files, struct cursor *c, struct err *err)
{
        struct entry_format format;
        uint64_t n;

        read_entry_format(c, &format);
        n = dwarf_uleb(c);
        for (uint64_t i = 0; i < n; i++) {
                const uint8_t *at = c->at;
                struct dwarf_source source = {0};

                for (uint8_t j = 0; j < format.n; j++) {
                        const uint8_t *value_at = c->at;
                        struct dwarf_value value;

                        dwarf_read_form(c, format.form[j], 0, shape, 0, &value);
                        if (format.content[j] == DW_LNCT_path && !c->failed)
                                source.name = dwarf_value_text(unit, &value);
                        else if (format.content[j] == DW_LNCT_directory_index)
                                source.folder = value.number;
                        else if (format.content[j] == DW_LNCT_MD5 && format.form[j] == DW_FORM_data16 &&
                                 !c->failed)
                                source.md5 = value_at;
                }
                if (c->failed || c->at == at)
                        return err_set(err, ERR_FORMAT, "the files of its line table are damaged");
                if (is_files ? !add_source(lines, &source, err) : !add_folder(lines, source.name, err))
                        return false;
        }
        return !c->failed || err_set(err, ERR_FORMAT, "the files of its line table are cut");
}

/* --- The header --- */

static bool read_parameters(struct dwarf_program *program, struct cursor *c, struct err *err)
{
        program->min_instruction_bytes = cursor_u8(c);
        if (program->shape.version >= 4)
                cursor_u8(c); /* operations in an instruction: 1 on these machines */
        cursor_u8(c);         /* whether a row begins a statement at first */
        program->line_base = (int8_t)cursor_u8(c);
        program->line_range = cursor_u8(c);
        program->opcode_base = cursor_u8(c);
        for (unsigned i = 1; i < program->opcode_base; i++)
                program->n_operands[i] = cursor_u8(c);
        if (c->failed || !program->line_range)
                return err_set(err, ERR_FORMAT, "the header of its line table is damaged");
        return true;
}

/* Version, and for version 5 the address size; limits *c to the table. */
static bool read_start(const struct dwarf_unit *unit, struct cursor *c, struct dwarf_program *program,
                       struct err *err)
{
        const struct cursor *section = &unit->file->sections[DWARF_LINE];
        uint64_t length;
        uint16_t version;

        *c = *section;
        cursor_seek(c, unit->line_off);
        length = dwarf_read_length(c, &program->shape.offset_bytes);
        if (c->failed || unit->line_off >= (uint64_t)(section->end - section->start) ||
            length > cursor_left(c))
                return err_set(err, ERR_FORMAT, "its line table lies outside .debug_line");
        *c = cursor_sub(c, cursor_pos(c), length);
        version = cursor_u16(c);
        if (version < 2 || version > 5)
                return err_set(err, ERR_UNSUPPORTED, "version %u of its line table is not supported",
                               version);
        program->shape.version = (uint8_t)version;
        program->shape.address_bytes = unit->shape.address_bytes;
        if (version == 5) {
                program->shape.address_bytes = cursor_u8(c);
                cursor_u8(c); /* size of a segment selector */
        }
        return true;
}

bool dwarf_lines_header(const struct dwarf_unit *unit, struct dwarf_lines *lines,
                        struct dwarf_program *ret_program, struct err *err)
{
        struct dwarf_program program = {0};
        struct cursor c;
        uint64_t header_bytes;

        if (!read_start(unit, &c, &program, err))
                return false;
        header_bytes = dwarf_read_sized(&c, program.shape.offset_bytes);
        if (c.failed || header_bytes > cursor_left(&c))
                return err_set(err, ERR_FORMAT, "the header of its line table is cut");
        program.code = cursor_sub(&c, cursor_pos(&c) + header_bytes, cursor_left(&c) - header_bytes);
        c.end = program.code.start;
        if (!dwarf_spend(unit->file, header_bytes, err) || !read_parameters(&program, &c, err))
                return false;
        lines->file = unit->file;
        lines->version = program.shape.version;
        lines->folder = unit->folder;
        *ret_program = program;
        if (lines->version < 5)
                return read_old_lists(lines, &c, err);
        return read_list(unit, &program.shape, lines, false, &c, err) &&
               read_list(unit, &program.shape, lines, true, &c, err);
}

/* --- Paths --- */

static bool is_absolute(const char *path)
{
        return path[0] == '/' || (path[0] && path[1] == ':');
}

/* Inserts `part` and a slash before the path that begins at *at of `text`; false if there is no room. */
static bool put_before(char *text, size_t *at, const char *part)
{
        size_t len = part ? strlen(part) : 0;
        bool slash = len && part[len - 1] != '/';

        if (len + slash > *at)
                return false;
        if (slash)
                text[--*at] = '/';
        *at -= len;
        if (len)
                memcpy(text + *at, part, len);
        return true;
}

/* The folders to which a name is relative, in order; NULL: none.  Folder 0 is the unit's own: up to version
 * 4 by definition; in version 5 it is usually the same. */
static void find_parts(const struct dwarf_lines *lines, const struct dwarf_source *source,
                       const char *ret_parts[3])
{
        bool has_first = lines->version >= 5 && lines->n_folders && lines->folders[0];
        bool is_inner = source->folder && source->folder < lines->n_folders;

        ret_parts[0] = is_inner ? lines->folders[source->folder] : NULL;
        ret_parts[1] = has_first ? lines->folders[0] : NULL;
        ret_parts[2] = lines->folder;
        if (has_first && lines->folder && !strcmp(lines->folders[0], lines->folder))
                ret_parts[2] = NULL;
}

const char *dwarf_lines_path(struct dwarf_lines *lines, uint64_t file, struct dwarf *dwarf)
{
        struct dwarf_source *source = file < lines->n_sources ? &lines->sources[file] : NULL;
        char text[DWARF_MAX_PATH_BYTES];
        size_t at = sizeof(text) - 1, len;
        const char *parts[3];

        if (!source || !source->name)
                return NULL;
        if (source->path)
                return strpool_get(dwarf->paths, source->path);
        len = strlen(source->name);
        if (len > at)
                return NULL;
        at -= len;
        memcpy(text + at, source->name, len + 1);
        find_parts(lines, source, parts);
        for (size_t i = 0; i < N_ELEMENTS(parts) && !is_absolute(text + at); i++) {
                if (!put_before(text, &at, parts[i]))
                        return NULL;
        }
        source->path = strpool_add(dwarf->paths, text + at);
        if (source->md5)
                *map_put(&dwarf->md5s, source->path, NULL) = (uintptr_t)source->md5;
        return strpool_get(dwarf->paths, source->path);
}
