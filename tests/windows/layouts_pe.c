/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the offsets that wperf uses for CPython 3.MINOR on Windows, with the names of
 * tests/system/python_headers.c.  Usage: layouts MINOR */
#include <stdio.h>
#include <stdlib.h>

#include "attributes.h"
#include "python_layout.h"

static void show(const char *name, uint32_t off)
{
        if (off != PYTHON_NO_FIELD)
                printf("%s %u\n", name, (unsigned)off);
}

int main(int argc, char **argv)
{
        struct python_layout layout;

        if (!python_layout_get(argc > 1 ? (unsigned)atoi(argv[1]) : 0, true, &layout))
                return 1;
#define SHOW(field) show(#field, layout.field)
        SHOW(runtime_interpreters);
        SHOW(interp_next);
        SHOW(interp_threads);
        SHOW(thread_next);
        SHOW(thread_interp);
        SHOW(thread_frame);
        SHOW(thread_id);
        SHOW(thread_native_id);
        SHOW(thread_chunk);
        SHOW(thread_status);
        SHOW(cframe_frame);
        SHOW(cframe_previous);
        SHOW(frame_previous);
        SHOW(frame_code);
        SHOW(frame_instr);
        SHOW(frame_owner);
        SHOW(frame_entry);
        SHOW(code_file);
        SHOW(code_name);
        SHOW(code_first_line);
        SHOW(code_lines);
        SHOW(code_instrs);
        SHOW(object_type);
        SHOW(bytes_size);
        SHOW(bytes_data);
        SHOW(text_length);
        SHOW(text_state);
        SHOW(text_ascii_bytes);
        SHOW(text_compact_bytes);
        SHOW(interp_modules);
        SHOW(type_keys);
        SHOW(frame_stack);
        SHOW(gen_frame);
        SHOW(gen_state);
#undef SHOW
        if (layout.thread_chunk != PYTHON_NO_FIELD)
                show("thread_chunk_top", layout.thread_chunk + 8);
        return 0;
}
