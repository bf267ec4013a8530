/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes seeds of fuzz_tracing_data into a folder: rare and damaged sections.  The seeds `sched` and
 * `probe` come from real recorders. */
#include <stdbool.h>
#include <string.h>

#include "save_seed.h"

static const char *folder;

struct section {
        struct buf bytes;
        bool swap;
};

static void add_u32(struct section *s, uint32_t value)
{
        buf_add_u32(&s->bytes, s->swap ? __builtin_bswap32(value) : value);
}

static void add_text(struct section *s, const char *text)
{
        const uint64_t size = strlen(text);

        buf_add_u64(&s->bytes, s->swap ? __builtin_bswap64(size) : size);
        buf_add(&s->bytes, text, size);
}

static void add_name(struct section *s, const char *name)
{
        buf_add(&s->bytes, name, strlen(name) + 1);
}

static void begin(struct section *s, const char *page_name, const char *event_name)
{
        buf_add(&s->bytes, "\x17\x08\x44tracing", 10);
        add_name(s, "0.6");
        buf_add_char(&s->bytes, s->swap);
        buf_add_char(&s->bytes, 8);
        add_u32(s, 4096);
        add_name(s, page_name);
        add_text(s, "0123456789");
        add_name(s, event_name);
        add_text(s, "");
}

/* One format of ftrace itself, and none of other systems. */
static void save_format(const char *name, bool swap, const char *format)
{
        struct section s = {.swap = swap};

        begin(&s, "header_page", "header_event");
        add_u32(&s, 1);
        add_text(&s, format);
        add_u32(&s, 0);
        save_seed(folder, name, &s.bytes);
}

static void save_formats(void)
{
        static const char numbers[] = "name: numbers\nID: 7\nformat:\n"
                                      "\tfield:s8 a;\toffset:0;\tsize:1;\tsigned:1;\n"
                                      "\tfield:s16 b;\toffset:0;\tsize:2;\tsigned:1;\n"
                                      "\tfield:s32 c;\toffset:0;\tsize:4;\tsigned:1;\n"
                                      "\tfield:u32 d;\toffset:0;\tsize:4;\tsigned:0;\n"
                                      "\tfield:u64 E_9;\toffset:0;\tsize:8;\tsigned:0;\n"
                                      "\tfield:struct odd f;\toffset:0;\tsize:3;\tsigned:0;\n"
                                      "\tfield:u8 outside;\toffset:70000;\tsize:1;\tsigned:0;";

        save_format("numbers", false, numbers);
        save_format("numbers_swapped", true, numbers);
        /* The 32 bits at byte 30 are the end of "header_page", read as offset 101, and the size of its
         * text. */
        save_format("elsewhere", false,
                    "name: elsewhere\nID: 8\n"
                    "\tfield:__data_loc char[] a;\toffset:30;\tsize:4;\n"
                    "\tfield:__rel_loc unsigned long[] b;\toffset:30;\tsize:4;\n"
                    "\tfield:__rel_loc char[] c;\toffset:30;\tsize:3;\n"
                    "\tfield:__rel_loc char[] d;\toffset:99999;\tsize:4;\n");
        save_format("declarations", false,
                    "name: declarations\nID: 9\n"
                    "\tfield:noname\toffset:0;\tsize:4;\n"
                    "\tfield:;\toffset:0;\tsize:4;\n"
                    "\tfield:];\toffset:0;\tsize:4;\n"
                    "\tfield:[3];\toffset:0;\tsize:4;\n"
                    "\tfield:a[3];\toffset:0;\tsize:4;\n"
                    "\tfield:long array[3] {~;\toffset:0;\tsize:24;\n"
                    "\tfield:int x;\tsize:4;\n"
                    "\tfield:int x;\toffset:4;\n"
                    "\tfield:int open\n"
                    "\tfield:int big;\toffset:99999999999999999999;\tsize:4/;\n"
                    "\tfield:int end;\toffset:1;\tsize:4");
        save_format("no_fields", false, "name: no_fields\nID: 10\n");
        save_format("no_number", false, "name: no_number\n");
        save_format("no_name", false, "ID: 11\n");
        save_format("number_too_big", false, "name: x\nID: 4294967295\n");
}

static void save_heads(void)
{
        struct section s = {0};

        buf_add(&s.bytes, "\x17\x08\x44", 3);
        save_seed(folder, "cut_in_magic", &s.bytes);
        buf_add(&s.bytes, "\x17\x08\x44traCing", 11);
        save_seed(folder, "other_magic", &s.bytes);
        buf_add(&s.bytes, "\x17\x08\x44tracing0.6", 13);
        save_seed(folder, "cut_in_version", &s.bytes);
        begin(&s, "other", "header_event");
        save_seed(folder, "other_page_name", &s.bytes);
        begin(&s, "header_page", "other");
        save_seed(folder, "other_event_name", &s.bytes);
        begin(&s, "header_page", "header_event");
        buf_truncate(&s.bytes, 24);
        save_seed(folder, "cut_in_page_name", &s.bytes);
        begin(&s, "header_page", "header_event");
        buf_truncate(&s.bytes, 56);
        save_seed(folder, "cut_in_event_name", &s.bytes);
        begin(&s, "header_page", "header_event");
        buf_truncate(&s.bytes, 64);
        save_seed(folder, "cut_in_event_size", &s.bytes);
        begin(&s, "header_page", "header_event");
        add_u32(&s, 3);
        add_text(&s, "name: whole\nID: 1\n");
        buf_add_u64(&s.bytes, 100);
        save_seed(folder, "cut_in_format", &s.bytes);
        begin(&s, "header_page", "header_event");
        add_u32(&s, 1);
        add_text(&s, "name: x\nID: 1\n\tfield:int a;\toffset:0;\tsize:4");
        save_seed(folder, "ends_with_number", &s.bytes);
        begin(&s, "header_page", "header_event");
        add_u32(&s, 0);
        add_u32(&s, 3);
        add_name(&s, "whole");
        add_u32(&s, 0);
        buf_add(&s.bytes, "cut", 3);
        save_seed(folder, "cut_in_system", &s.bytes);
}

int main(int argc, char **argv)
{
        if (argc != 2)
                return 2;
        folder = argv[1];
        save_formats();
        save_heads();
        return 0;
}
