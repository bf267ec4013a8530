/* SPDX-License-Identifier: BSD-3-Clause */
#include "code_section.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "mem.h"
#include "session_lines.h"
#include "text_number.h"

#define MAGIC "WPJC"
enum {
        VERSION = 1,
        MAX_SECTION_BYTES = 256 << 20,
        MAX_JITDUMPS = 4096,
        MAX_CODES = 1 << 20, /* per jitdump */
};

struct code_section {
        struct buf text;
        struct recorded_jitdump *items;
        size_t n, cap;
};

/* --- Writing --- */

void code_section_add(struct buf *out, const struct recorded_jitdump *jitdump)
{
        if (!out->len)
                session_lines_begin(out, MAGIC, VERSION);
        session_lines_add(out, "jitdump", jitdump->path);
        session_lines_add_number(out, "pid", (uint32_t)jitdump->pid);
        session_lines_add_number(out, "dev", jitdump->dev);
        session_lines_add_number(out, "inode", jitdump->inode);
        if (jitdump->is_by_time)
                session_lines_add_number(out, "by_time", 1);
        if (jitdump->doubt)
                session_lines_add(out, "doubt", jitdump->doubt);
        for (size_t i = 0; i < jitdump->n_codes; i++) {
                const struct recorded_code *code = &jitdump->codes[i];

                buf_printf(out, "code=%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", code->addr,
                           code->size_bytes, code->time, code->off);
        }
}

/* --- Reading --- */

/* Reads four hexadecimal numbers. False if a range overflows. */
static bool parse_code(char *text, struct recorded_code *ret)
{
        uint64_t numbers[4], end;

        for (size_t i = 0; i < N_ELEMENTS(numbers); i++) {
                char *next = text + strcspn(text, " ");
                bool is_last = !*next;

                *next = '\0';
                if (!text_to_u64(text, 16, &numbers[i]) || is_last != (i + 1 == N_ELEMENTS(numbers)))
                        return false;
                text = next + 1;
        }
        *ret = (struct recorded_code){numbers[0], numbers[1], numbers[2], numbers[3]};
        return !__builtin_add_overflow(ret->addr, ret->size_bytes, &end) &&
               !__builtin_add_overflow(ret->off, ret->size_bytes, &end);
}

static void take_code(struct recorded_jitdump *jitdump, char *text)
{
        struct recorded_code code;

        if (jitdump->n_codes < MAX_CODES && parse_code(text, &code))
                ARRAY_PUSH(jitdump->codes, jitdump->n_codes, jitdump->cap_codes, code);
}

static void take_pair(struct code_section *section, const char *key, char *value)
{
        struct recorded_jitdump *jitdump = section->n ? &section->items[section->n - 1] : NULL;
        uint64_t number;

        if (!strcmp(key, "jitdump") && section->n < MAX_JITDUMPS) {
                ARRAY_PUSH(section->items, section->n, section->cap,
                           (struct recorded_jitdump){.path = value});
                return;
        }
        if (!jitdump)
                return;
        if (!strcmp(key, "code"))
                take_code(jitdump, value);
        else if (!strcmp(key, "doubt"))
                jitdump->doubt = value;
        else if (!text_to_u64(value, 10, &number))
                return;
        else if (!strcmp(key, "pid"))
                jitdump->pid = (int32_t)(uint32_t)number;
        else if (!strcmp(key, "dev"))
                jitdump->dev = number;
        else if (!strcmp(key, "inode"))
                jitdump->inode = number;
        else if (!strcmp(key, "by_time"))
                jitdump->is_by_time = number;
}

struct code_section *code_section_new(struct cursor bytes)
{
        struct code_section *section = mem_new(1, sizeof(*section));
        const char *key, *value;
        char *at;

        if (cursor_left(&bytes) > MAX_SECTION_BYTES ||
            !session_lines_read(bytes, MAGIC, VERSION, &section->text))
                return section;
        for (at = section->text.data; session_lines_next(&at, &key, &value);)
                take_pair(section, key, section->text.data + (value - section->text.data));
        return section;
}

void code_section_free(struct code_section *section)
{
        if (!section)
                return;
        for (size_t i = 0; i < section->n; i++)
                free(section->items[i].codes);
        free(section->items);
        buf_release(&section->text);
        free(section);
}

const struct recorded_jitdump *code_section_get(const struct code_section *section, size_t index)
{
        return index < section->n ? &section->items[index] : NULL;
}
