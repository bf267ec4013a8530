/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_python.h"

#include <stdlib.h>

#include "mem.h"
#include "module_source.h"
#include "python_sources.h"
#include "report.h"
#include "source_text.h"

void report_python_init(struct report_python *python, const struct python_section *section,
                        const char *pattern, bool by_place)
{
        *python = (struct report_python){
                .is_wanted = by_place || pattern, .by_place = by_place, .by_file = pattern};
        if (!section || !pattern)
                return;
        python->n = section->n_places;
        python->wanted = mem_new(python->n, sizeof(*python->wanted));
        for (size_t i = 0; i < python->n; i++)
                python->wanted[i] =
                        python_file_matches(pattern, section->codes[section->places[i].code].file);
}

void report_python_release(struct report_python *python)
{
        free(python->wanted);
}

uint64_t report_python_find(const struct sample *sample)
{
        struct cursor chain = sample->chain;

        for (uint64_t i = 0; i < sample->n_chain; i++) {
                uint64_t word = cursor_u64(&chain);

                if (word >= PYTHON_PLACES_BASE && word < PYTHON_PLACES_BASE + PYTHON_PLACES_SIZE_BYTES)
                        return word;
        }
        return 0;
}

bool report_python_wants(const struct report_python *python, uint64_t addr)
{
        uint64_t number = (addr - PYTHON_PLACES_BASE) / PYTHON_PLACE_BYTES;

        if (!python->by_file)
                return true;
        return addr && number && number <= python->n && python->wanted[number - 1];
}

bool report_python_has_changed(const struct report *report, struct source_text *source, const char *path)
{
        const struct python_section *section = module_source_python(report->session.modules);
        const struct python_section_file *file = section ? python_section_find_file(section, path) : NULL;

        return file && source_text_has_changed(source, path, file->size_bytes, file->mtime_ns);
}
