/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns LLVM's text of an instruction into one line without tabs, with the operands in a column and full
 * addresses. */
#include <string.h>

#include "buf.h"
#include "disasm_internal.h"
#include "text_number.h"

enum { NAME_COLUMNS = 6 };

static bool is_blank(char c)
{
        return c == ' ' || c == '\t';
}

static size_t blanks(const char *text)
{
        return strspn(text, " \t");
}

/* LLVM separates a prefix by two tabs (lock, rep, notrack) or encloses it in braces ({vex}). */
static bool is_prefix(const char *word, size_t len)
{
        size_t n_blanks = blanks(word + len);

        return word[len + n_blanks] && (word[0] == '{' || n_blanks > 1);
}

static void add_operands(struct buf *out, const char *text)
{
        size_t begin = out->len;

        for (; *text; text++) {
                if (!is_blank(*text))
                        buf_add_char(out, *text);
                else if (out->len > begin && !is_blank(text[1]) && text[1])
                        buf_add_char(out, ' ');
        }
}

/* Appends prefixes and name; returns the operands, or "" if there are none. */
static const char *add_name(struct buf *out, const char *text)
{
        size_t len;

        for (;;) {
                text += blanks(text);
                len = strcspn(text, " \t");
                buf_add(out, text, len);
                if (!is_prefix(text, len))
                        break;
                buf_add_char(out, ' ');
                text += len;
        }
        text += len;
        return text + blanks(text);
}

static void pad_name(struct buf *out)
{
        while (out->len < NAME_COLUMNS)
                buf_add_char(out, ' ');
        buf_add_char(out, ' ');
}

void disasm_text_clean(struct buf *out, const char *text)
{
        const char *operands;

        buf_clear(out);
        operands = add_name(out, text);
        if (!*operands)
                return;
        pad_name(out);
        add_operands(out, operands);
}

void disasm_text_clean_target(struct buf *out, const char *text, uint64_t target)
{
        const char *operands, *last;

        buf_clear(out);
        operands = add_name(out, text);
        pad_name(out);
        last = strrchr(operands, ',');
        if (last) {
                buf_add(out, operands, (size_t)(last - operands));
                buf_add_str(out, ", ");
        }
        text_add_hex(out, target);
}
