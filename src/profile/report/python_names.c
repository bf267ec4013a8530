/* SPDX-License-Identifier: BSD-3-Clause */
#include "python_names.h"

#include <stdlib.h>
#include <string.h>

#include "elf_names.h"
#include "mem.h"
#include "os.h"
#include "python_label.h"
#include "run_info.h"
#include "text_printable.h"

struct python_names {
        struct cursor bytes;
        bool is_read;
        struct python_section *section;
        struct resolver_python known;
};

struct python_names *python_names_new(struct cursor section)
{
        struct python_names *names = mem_new(1, sizeof(*names));

        names->bytes = section;
        return names;
}

void python_names_free(struct python_names *names)
{
        if (!names)
                return;
        python_section_free(names->section);
        free(names->known.functions);
        free(names->known.places);
        free(names);
}

static void read_names(struct python_names *names)
{
        const struct python_section *section = names->section = python_section_new(names->bytes);
        struct resolver_python *known = &names->known;

        if (!section)
                return;
        *known = (struct resolver_python){
                .functions = mem_new(section->n_codes, sizeof(*known->functions)),
                .places = mem_new(section->n_places, sizeof(*known->places)),
                .n_functions = section->n_codes,
                .n_places = section->n_places,
                .place_bytes = PYTHON_PLACE_BYTES,
        };
        for (size_t i = 0; i < section->n_codes; i++)
                known->functions[i] = (struct resolver_python_function){
                        section->codes[i].function, section->codes[i].file, section->codes[i].first_line};
        for (size_t i = 0; i < section->n_places; i++)
                known->places[i] =
                        (struct resolver_python_place){section->places[i].code, section->places[i].line};
}

const struct python_section *python_names_section(struct python_names *names)
{
        if (!names->is_read)
                read_names(names);
        names->is_read = true;
        return names->section;
}

const struct resolver_python *python_names_get(struct python_names *names)
{
        return python_names_section(names) ? &names->known : NULL;
}

/* --- FILE.pysyms --- */

static bool session_names(const char *session_path, const char *symbols_path)
{
        AUTO(perfdata_reader) reader = perfdata_open(session_path, NULL);
        AUTO_RELEASE(buf) text = {0};
        struct run_info info;

        return reader && run_info_read(reader, &text, &info) && !strcmp(info.python_symbols, symbols_path);
}

void python_names_path(const char *session_path, struct buf *out)
{
        size_t len;

        if (!os_real_path(session_path, out))
                buf_add_str(out, session_path);
        len = out->len;
        buf_add_str(out, ".pysyms");
        if (!session_names(session_path, buf_text(out)))
                return;
        buf_truncate(out, len);
        buf_add_str(out, ".1.pysyms");
}

/* Of each code object; free(). */
static const char **name_files(const struct python_section *section)
{
        const char **paths = mem_new(section->n_codes, sizeof(*paths));
        const char **files = mem_new(section->n_codes, sizeof(*files));

        for (size_t i = 0; i < section->n_codes; i++)
                paths[i] = section->codes[i].file;
        python_label_files(paths, section->n_codes, files);
        free(paths);
        return files;
}

static void make_image(const struct python_section *section, struct buf *out)
{
        struct elf_name *names = mem_new(section->n_places, sizeof(*names));
        const char **files = name_files(section);
        AUTO_RELEASE(buf) texts = {0};

        for (size_t i = 0; i < section->n_places; i++) {
                const struct python_section_code *code = &section->codes[section->places[i].code];
                AUTO_RELEASE(buf) label = {0};

                names[i].text_off = texts.len;
                names[i].addr = PYTHON_PLACE_BYTES * (i + 1) - PYTHON_PLACE_BYTES / 2;
                names[i].size_bytes = PYTHON_PLACE_BYTES;
                python_label_add_file(&label, code->function, files[section->places[i].code],
                                      section->places[i].line);
                text_add_printable(&texts, buf_text(&label));
                buf_add_char(&texts, '\0');
        }
        elf_names_make(&(struct elf_names){names, section->n_places, buf_text(&texts), texts.len}, out);
        free(names);
        free(files);
}

bool python_names_write(const struct python_section *section, const char *path, struct err *err)
{
        AUTO_RELEASE(buf) image = {0};
        AUTO(os_file) file = os_file_create_private(path, err);

        if (!file)
                return false;
        make_image(section, &image);
        return os_file_write(file, image.data, image.len, err) && os_file_close(TAKE(file), err);
}
