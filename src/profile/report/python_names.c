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

enum { ELF_SYMBOL_BYTES = 24 };

/* The label of a place repeats its function's name and its file, so the image may be much larger than the
 * section.  Returns the number of places in it, which are the first ones. */
static size_t make_image(const struct python_section *section, uint64_t max_bytes, struct buf *out)
{
        size_t n = 0;
        struct elf_name *names = mem_new(section->n_places, sizeof(*names));
        const char **files = name_files(section);
        AUTO_RELEASE(buf) texts = {0};

        for (; n < section->n_places; n++) {
                const struct python_section_code *code = &section->codes[section->places[n].code];
                size_t len = texts.len;
                AUTO_RELEASE(buf) label = {0};

                python_label_add_file(&label, code->function, files[section->places[n].code],
                                      section->places[n].line);
                text_add_printable(&texts, buf_text(&label));
                buf_add_char(&texts, '\0');
                if (texts.len + ELF_SYMBOL_BYTES * (n + 1) > max_bytes) {
                        buf_truncate(&texts, len);
                        break;
                }
                names[n] = (struct elf_name){
                        .text_off = len,
                        .addr = PYTHON_PLACE_BYTES * (n + 1) - PYTHON_PLACE_BYTES / 2,
                        .size_bytes = PYTHON_PLACE_BYTES,
                };
        }
        elf_names_make(&(struct elf_names){names, n, buf_text(&texts), texts.len}, out);
        free(names);
        free(files);
        return n;
}

bool python_names_write(const struct python_section *section, const char *path, uint64_t max_bytes,
                        size_t *ret_n_left_out, struct err *err)
{
        AUTO_RELEASE(buf) image = {0};
        AUTO(os_file) file = os_file_create_private(path, err);

        if (!file)
                return false;
        *ret_n_left_out = section->n_places - make_image(section, max_bytes, &image);
        return os_file_write(file, image.data, image.len, err) && os_file_close(TAKE(file), err);
}
