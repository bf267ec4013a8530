/* SPDX-License-Identifier: BSD-3-Clause */
/* A terminal that supports the escape codes that the screen sends, and no others. */
#ifndef TERMINAL_MODEL_H
#define TERMINAL_MODEL_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "text_printable.h"
#include "text_width.h"

struct terminal_model {
        struct cells cells; /* what it shows; sized by the test */
        unsigned row, column;
        struct cell_style style;
        const char *wrong; /* the first unknown bytes; NULL: none */
};

static struct cell *model_cell(struct terminal_model *t, unsigned column)
{
        return &t->cells.items[(size_t)t->row * t->cells.columns + column];
}

static const char *model_color(const char *at, cell_color *ret)
{
        char *end;
        unsigned r, g, b;

        if (strncmp(at, ";2;", 3) != 0)
                return NULL;
        r = (unsigned)strtoul(at + 3, &end, 10);
        g = (unsigned)strtoul(end + 1, &end, 10);
        b = (unsigned)strtoul(end + 1, &end, 10);
        *ret = CELL_RGB | r << 16 | g << 8 | b;
        return end;
}

/* The codes of ESC [ ... m; true colours only. */
static const char *model_style(struct terminal_model *t, const char *at)
{
        while (at && *at != 'm') {
                char *end;
                unsigned long code = strtoul(at, &end, 10);

                if (end == at)
                        return NULL;
                at = end;
                switch (code) {
                case 0: t->style = (struct cell_style){0}; break;
                case 1: t->style.attributes |= CELL_BOLD; break;
                case 2: t->style.attributes |= CELL_DIM; break;
                case 4: t->style.attributes |= CELL_UNDERLINE; break;
                case 7: t->style.attributes |= CELL_REVERSE; break;
                case 38: at = model_color(at, &t->style.text); break;
                case 48: at = model_color(at, &t->style.ground); break;
                default: return NULL;
                }
                if (at && *at == ';')
                        at++;
        }
        return at;
}

static void model_blank(struct terminal_model *t, unsigned from)
{
        for (unsigned i = from; i < t->cells.columns; i++)
                *model_cell(t, i) = (struct cell){.text = " ", .len = 1, .width = 1, .style = t->style};
}

/* Behind ESC [. */
static const char *model_sequence(struct terminal_model *t, const char *at)
{
        unsigned numbers[2] = {0};
        const char *end = at + strspn(at, "0123456789;");

        if (*end == 'm')
                return model_style(t, at);
        numbers[0] = (unsigned)strtoul(at, NULL, 10);
        if (memchr(at, ';', (size_t)(end - at)))
                numbers[1] = (unsigned)strtoul(strchr(at, ';') + 1, NULL, 10);
        switch (*end) {
        case 'H':
                t->row = numbers[0] - 1;
                t->column = numbers[1] - 1;
                return t->row < t->cells.rows && t->column < t->cells.columns ? end : NULL;
        case 'C': t->column += numbers[0]; return t->column < t->cells.columns ? end : NULL;
        case 'K': model_blank(t, t->column); return end;
        case 'J': cells_clear(&t->cells); return numbers[0] == 2 ? end : NULL;
        default: return NULL;
        }
}

/* Handles the bytes of a character; 0: it does not fit. */
static size_t model_write(struct terminal_model *t, const char *at)
{
        size_t n = text_utf8_length((const unsigned char *)at);
        unsigned width = n ? (unsigned)text_char_width(text_utf8_code((const unsigned char *)at)) : 0;
        struct cell *cell;

        if (!n || (unsigned char)*at < 0x20 || t->column + width > t->cells.columns)
                return 0;
        if (!width) {
                cell = t->column ? model_cell(t, t->column - 1) : NULL;
                cell = cell && !cell->width ? cell - 1 : cell;
                if (!cell || cell->len + n > sizeof(cell->text))
                        return 0;
                memcpy(cell->text + cell->len, at, n);
                cell->len = (uint8_t)(cell->len + n);
                return n;
        }
        cell = model_cell(t, t->column);
        *cell = (struct cell){.len = (uint8_t)n, .width = (uint8_t)width, .style = t->style};
        memcpy(cell->text, at, n);
        if (width == 2)
                cell[1] = (struct cell){.style = t->style};
        t->column += width;
        return n;
}

/* `bytes` end in NUL. */
static void terminal_model_feed(struct terminal_model *t, const char *bytes)
{
        while (*bytes && !t->wrong) {
                if (bytes[0] == '\033' && bytes[1] == '[') {
                        const char *end = model_sequence(t, bytes + 2);

                        t->wrong = end ? NULL : bytes;
                        bytes = end ? end + 1 : bytes;
                } else {
                        size_t n = model_write(t, bytes);

                        t->wrong = n ? NULL : bytes;
                        bytes += n;
                }
        }
}

/* Whether it shows what is wanted. */
static bool terminal_model_shows(const struct terminal_model *t, const struct cells *wanted)
{
        for (size_t i = 0; i < (size_t)wanted->columns * wanted->rows; i++) {
                const struct cell *a = &t->cells.items[i], *b = &wanted->items[i];

                if (a->len != b->len || a->width != b->width || memcmp(a->text, b->text, a->len) != 0)
                        return false;
                /* The right half of a wide character has the style of the left one. */
                if (a->width && (a->style.text != b->style.text || a->style.ground != b->style.ground ||
                                 a->style.attributes != b->style.attributes))
                        return false;
        }
        return true;
}

#endif
