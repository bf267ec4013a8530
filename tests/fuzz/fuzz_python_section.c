/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as the section of Python places: the result is written and read again, and each place has the
 * function in the section, and is in its range. */
#include <stdlib.h>
#include <string.h>

#include "python_names.h"
#include "python_section.h"
#include "resolver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool condition)
{
        if (!condition)
                abort();
}

static void expect_same_code(const struct python_section_code *a, const struct python_section_code *b)
{
        expect(!strcmp(a->function, b->function) && !strcmp(a->file, b->file) &&
               a->first_line == b->first_line);
}

static void expect_same_counts(const struct python_counts *a, const struct python_counts *b)
{
        expect(a->n_stacks == b->n_stacks && a->n_merged == b->n_merged && a->n_reasons == b->n_reasons);
        for (uint32_t i = 0; i < a->n_reasons; i++)
                expect(a->reasons[i].count == b->reasons[i].count &&
                       !strcmp(a->reasons[i].text, b->reasons[i].text));
}

static void expect_same_files(const struct python_section *a, const struct python_section *b)
{
        for (size_t i = 0; i < a->n_files; i++) {
                expect(!strcmp(a->files[i].path, b->files[i].path) &&
                       a->files[i].size_bytes == b->files[i].size_bytes &&
                       a->files[i].mtime_ns == b->files[i].mtime_ns);
                expect(python_section_find_file(a, a->files[i].path) <= &a->files[i]);
        }
}

/* Nothing is known about a code object whose file was missing. */
static void find_files(const struct python_section *section)
{
        for (size_t i = 0; i < section->n_codes; i++) {
                const struct python_section_file *file =
                        python_section_find_file(section, section->codes[i].file);

                expect(!file || !strcmp(file->path, section->codes[i].file));
        }
}

static void write_again(const struct python_section *section)
{
        AUTO(python_places) places = python_places_new();
        AUTO(python_section) again = NULL;
        AUTO_RELEASE(buf) bytes = {0};

        for (size_t i = 0; i < section->n_places; i++) {
                const struct python_section_code *code = &section->codes[section->places[i].code];

                expect(python_places_add(places, code->function, code->file, code->first_line,
                                         section->places[i].line));
        }
        for (size_t i = 0; i < section->n_files; i++)
                python_places_add_file(places, section->files[i].path, section->files[i].size_bytes,
                                       section->files[i].mtime_ns);
        python_places_write(places, &section->counts, &bytes);
        again = python_section_new(cursor_make(bytes.data, bytes.len));
        expect(again && again->n_files == section->n_files);
        expect_same_files(section, again);
        expect_same_counts(&section->counts, &again->counts);
        for (size_t i = 0; i < section->n_places; i++) {
                const struct python_section_code *code = &section->codes[section->places[i].code];
                uint64_t addr = python_places_add(places, code->function, code->file, code->first_line,
                                                  section->places[i].line);
                uint64_t number = (addr - PYTHON_PLACES_BASE) / PYTHON_PLACE_BYTES;

                expect(number && number <= again->n_places);
                expect_same_code(code, &again->codes[again->places[number - 1].code]);
                expect(section->places[i].line == again->places[number - 1].line);
        }
}

static void ask(struct resolver *resolver, resolver_id module, const struct python_section *section,
                uint64_t offset, size_t place)
{
        struct symbol symbol = resolver_find(resolver, module, offset);
        const char *name = section->codes[section->places[place].code].function;
        struct resolver_frames frames;

        expect(symbol.status == SYMBOL_NAMED && symbol.addr >= symbol.start &&
               symbol.addr - symbol.start < symbol.size);
        expect(!strcmp(resolver_text(resolver, symbol.name), *name ? name : "?"));
        resolver_find_frames(resolver, module, &symbol.addr, 1, &frames);
        expect(frames.n_frames == 1 && frames.frames[0].function == symbol.name &&
               frames.frames[0].line == section->places[place].line);
        resolver_frames_release(&frames);
}

/* Addresses that belong to no place have neither symbol nor frames. */
static void ask_between(struct resolver *resolver, resolver_id module, const struct python_section *section)
{
        const uint64_t addrs[] = {0, PYTHON_PLACE_BYTES * (section->n_places + 1), UINT64_MAX};
        struct resolver_frames frames;

        resolver_find_frames(resolver, module, addrs, 3, &frames);
        expect(!frames.n_frames);
        resolver_frames_release(&frames);
        for (size_t i = 0; i < 3; i++)
                expect(resolver_find_addr(resolver, module, addrs[i]).status == SYMBOL_NONE);
}

static void resolve(const struct python_section *section, struct python_names *names)
{
        AUTO(resolver) resolver = resolver_new(&(struct resolver_options){.demangle = true});
        resolver_id module =
                resolver_add_module(resolver, &(struct resolver_module){.kind = RESOLVER_PYTHON,
                                                                        .path = "x.pysyms",
                                                                        .python = python_names_get(names)});

        for (size_t i = 0; i < section->n_places; i++) {
                ask(resolver, module, section, PYTHON_PLACE_BYTES * (i + 1), i);
                ask(resolver, module, section, PYTHON_PLACE_BYTES * (i + 1) - 1, i);
        }
        ask_between(resolver, module, section);
        expect(resolver_find(resolver, module, 0).status == SYMBOL_NONE);
        expect(resolver_find(resolver, module, PYTHON_PLACE_BYTES * (section->n_places + 1)).status ==
               SYMBOL_NONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO(python_names) names = python_names_new(cursor_make(data, size));
        const struct python_section *section = python_names_section(names);

        if (!section)
                return 0;
        find_files(section);
        write_again(section);
        resolve(section, names);
        return 0;
}
