/* SPDX-License-Identifier: BSD-3-Clause */
/* Draws as the bytes say, on grids of all sizes, and reads the escape codes with a model of a terminal: it
 * must show the expected screen, and must not get an unknown code. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cells.h"

#include "terminal_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
        const uint8_t *at;
        size_t left;
};

static uint8_t next(struct input *in)
{
        if (!in->left)
                return 0;
        in->left--;
        return *in->at++;
}

static struct cell_style style_of(uint8_t bits)
{
        return (struct cell_style){
                .text = bits & 16 ? CELL_RGB | (bits * 0x010307u & 0xffffff) : 0,
                .ground = bits & 32 ? CELL_RGB | (bits * 0x030105u & 0xffffff) : 0,
                .attributes = bits & 15,
        };
}

static void put_text(struct input *in, struct cells *cells)
{
        unsigned row = next(in), column = next(in), max = next(in);
        struct cell_style style = style_of(next(in));
        size_t len = next(in);
        char text[256];
        unsigned taken;

        len = len < in->left ? len : in->left;
        for (size_t i = 0; i < len; i++)
                text[i] = (char)next(in);
        text[len] = 0;
        taken = cells_put(cells, row, column, max, style, text);
        if (taken > max)
                abort();
}

static void show(struct cells *shown, const struct cells *wanted, struct terminal_model *terminal)
{
        AUTO_RELEASE(buf) bytes = {0};

        cells_update(shown, wanted, CELL_COLORS_TRUE, false, &bytes);
        if (bytes.len)
                terminal_model_feed(terminal, buf_text(&bytes));
        if (terminal->wrong || !terminal_model_shows(terminal, wanted))
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        struct input in = {data, size};
        struct cells wanted = {0}, shown = {0};
        struct terminal_model terminal = {0};
        unsigned columns = next(&in), rows = next(&in) % 16;

        cells_resize(&wanted, columns, rows);
        cells_resize(&terminal.cells, columns, rows);
        while (in.left) {
                uint8_t what = next(&in), row, column, n;

                switch (what % 5) {
                case 0: put_text(&in, &wanted); break;
                case 1:
                case 2:
                        row = next(&in);
                        column = next(&in);
                        n = next(&in);
                        if (what % 5 == 1)
                                cells_fill(&wanted, row, column, n, style_of(next(&in)));
                        else
                                cells_restyle(&wanted, row, column, n, style_of(next(&in)));
                        break;
                case 3: show(&shown, &wanted, &terminal); break;
                case 4:
                        columns = next(&in);
                        rows = next(&in) % 16;
                        cells_resize(&wanted, columns, rows);
                        cells_resize(&terminal.cells, columns, rows);
                        /* as after a resize: the content of the terminal is not known */
                        cells_release(&shown);
                        terminal.row = terminal.column = 0;
                        break;
                }
        }
        show(&shown, &wanted, &terminal);
        cells_release(&wanted);
        cells_release(&shown);
        cells_release(&terminal.cells);
        return 0;
}
