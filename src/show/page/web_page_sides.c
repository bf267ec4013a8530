/* SPDX-License-Identifier: BSD-3-Clause */
/* The code of functions in A and in B side by side: their blocks, and of each instruction its samples and its
 * source line. */
#include "code_diff_view.h"
#include "web_page_internal.h"

enum { MAX_LINES = 16000 }; /* instructions or pairs of them, on the page */

static void add_side(const struct code_row_side *side, struct strpool *texts, struct buf *out)
{
        buf_add_uleb(out, side->exists);
        if (!side->exists)
                return;
        buf_add_uleb(out, side->addr);
        buf_add_uleb(out, side->count);
        buf_add_uleb(out, side->weight);
        buf_add_uleb(out, web_page_add_text(texts, side->text));
        buf_add_uleb(out, side->path ? web_page_add_text(texts, side->path) : 0);
        buf_add_uleb(out, side->line);
        buf_add_uleb(out, side->source ? web_page_add_text(texts, side->source) : 0);
}

static void add_block(const struct code_diff_view *view, const struct code_function_row *function,
                      const struct code_block_row *block, struct strpool *texts, struct buf *out)
{
        AUTO_RELEASE(buf) head = {0};

        code_diff_view_block(view, function, block, &head);
        buf_truncate(&head, head.len - 1);
        buf_add_uleb(out, web_page_add_text(texts, buf_text(&head)));
        buf_add_uleb(out, block->n_lines);
        for (size_t i = 0; i < block->n_lines; i++) {
                buf_add_uleb(out, (unsigned char)block->lines[i].mark);
                for (int side = 0; side < CODE_N_SIDES; side++)
                        add_side(&block->lines[i].sides[side], texts, out);
        }
}

static void add_function(const struct code_diff_view *view, const struct code_function_row *row,
                         struct strpool *texts, struct buf *out)
{
        int first = row->sides[CODE_A].exists ? CODE_A : CODE_B;
        AUTO_RELEASE(buf) sentence = {0};

        code_diff_view_sentence(view, row, &sentence);
        buf_truncate(&sentence, sentence.len - 1);
        buf_add_uleb(out, web_page_add_text(texts, row->sides[first].text));
        buf_add_uleb(out, web_page_add_text(texts, row->modules[first] ? row->modules[first] : ""));
        buf_add_uleb(out, web_page_add_text(texts, buf_text(&sentence)));
        for (int side = 0; side < CODE_N_SIDES; side++) {
                buf_add_uleb(out, row->sides[side].count);
                buf_add_uleb(out, row->sides[side].weight);
        }
        buf_add_uleb(out, row->n_blocks_listed);
        for (size_t i = 0; i < row->n_blocks_listed; i++)
                add_block(view, row, &row->blocks[i], texts, out);
}

static size_t count_lines(const struct code_function_row *row)
{
        size_t n = 0;

        for (size_t i = 0; i < row->n_blocks_listed; i++)
                n += row->blocks[i].n_lines;
        return n;
}

void web_page_sides_write(const struct code_diff_view *code, struct strpool *texts, struct buf *out)
{
        AUTO_RELEASE(buf) functions = {0};
        size_t n = 0, n_lines = 0;

        for (size_t i = 0; i < code->rows->n_functions; i++) {
                n_lines += count_lines(&code->rows->functions[i]);
                if (n_lines > MAX_LINES)
                        break;
                n++;
                add_function(code, &code->rows->functions[i], texts, &functions);
        }
        buf_add_uleb(out, n);
        buf_add(out, buf_text(&functions), functions.len);
        buf_add_uleb(out, code->rows->n_functions - n);
}
