/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as an ELF file with debug information: looks up addresses in all of its code, with the file
 * also as its own shared file, package and .dwo file. */
#include <stdlib.h>
#include <string.h>

#include "dwarf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
        MAX_INPUT_BYTES = 1 << 18,
        MAX_UNPACKED_BYTES =
                4 << 20, /* files with a packed section that may be larger are skipped, for speed */
        MAX_ADDRS = 512,
};

/* So that reads are not optimised away. */
static volatile uint64_t sink;

static bool is_small(const struct object *object)
{
        for (size_t i = 0; i < object_n_sections(object); i++) {
                const struct object_section *section = object_get_section(object, i);

                if ((section->flags & OBJECT_SECTION_PACKED) && section->size_bytes > MAX_UNPACKED_BYTES)
                        return false;
        }
        return true;
}

/* Some low addresses, where small objects have their code, and some of the section with code. */
static size_t choose_addrs(const struct object *object, uint64_t *addrs)
{
        size_t n = 0;
        uint64_t addr = 0;

        for (; n < MAX_ADDRS / 2; n++, addr += 7)
                addrs[n] = addr;
        for (size_t i = 0; i < object_n_sections(object) && n < MAX_ADDRS; i++) {
                const struct object_section *section = object_get_section(object, i);

                if (!(section->flags & OBJECT_SECTION_CODE))
                        continue;
                for (uint64_t off = 0; off < section->size_bytes && off < 1024 && n < MAX_ADDRS; off += 3) {
                        if (section->addr + off > addrs[n - 1])
                                addrs[n++] = section->addr + off;
                }
        }
        return n;
}

static void read_frame(const struct source_frame *frame)
{
        if (frame->function)
                sink += strlen(frame->function) + frame->start;
        if (frame->path)
                sink += strlen(frame->path);
        sink += frame->line + frame->column + frame->is_inlined;
}

/* Every 16th address as part of a function. */
static void look_up_functions(struct dwarf *dwarf, const uint64_t *addrs, size_t n)
{
        for (size_t i = 0; i < n; i += 16) {
                struct source_label *labels;
                struct source_extent *extents;
                size_t n_labels = dwarf_find_labels(dwarf, addrs[i], &labels);
                size_t n_extents = dwarf_find_extents(dwarf, addrs[i], &extents);

                for (size_t j = 0; j < n_labels; j++)
                        sink += strlen(labels[j].name) + (labels[j].path ? strlen(labels[j].path) : 0);
                for (size_t j = 0; j < n_extents; j++) {
                        if (extents[j].start >= extents[j].end)
                                abort();
                }
                free(labels);
                free(extents);
        }
}

/* The file is its own .dwo file too. */
static struct object *open_dwo(void *ctx, const struct dwarf_dwo *dwo)
{
        return dwarf_has_split_unit(ctx, dwo->id) ? ctx : NULL;
}

static void look_up(struct object *object, struct object *alt)
{
        AUTO(dwarf) dwarf = dwarf_open(object, alt, NULL);
        struct dwarf_split split = {.package = alt ? NULL : object, .open_dwo = open_dwo, .ctx = object};
        uint64_t addrs[MAX_ADDRS];
        size_t n = choose_addrs(object, addrs);
        struct source_frames frames;

        if (!dwarf)
                return;
        dwarf_set_split(dwarf, &split);
        dwarf_find(dwarf, addrs, n, &frames);
        for (size_t i = 0; i < n; i++) {
                const struct source_span *span = &frames.spans[i];

                if (span->n > DWARF_MAX_DEPTH || (span->n && span->first + span->n > frames.n_frames))
                        abort();
        }
        for (size_t i = 0; i < frames.n_frames; i++)
                read_frame(&frames.frames[i]);
        look_up_functions(dwarf, addrs, n);
        sink += strlen(dwarf_note(dwarf));
        source_frames_release(&frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        AUTO(object) object = size <= MAX_INPUT_BYTES ? object_open_bytes(data, size, "input", NULL) : NULL;

        if (object && is_small(object)) {
                look_up(object, NULL);
                look_up(object, object);
        }
        return 0;
}
