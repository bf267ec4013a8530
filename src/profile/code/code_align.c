/* SPDX-License-Identifier: BSD-3-Clause */
/* Equal ends first, then "patience": elements that occur once on both sides, in their longest increasing
 * order, divide the rest; what cannot be divided is solved by a table of longest common subsequences. */
#include "code_align.h"

#include <stdlib.h>

#include "map.h"
#include "mem.h"

enum { MAX_DEPTH = 32 };

struct anchor {
        size_t a, b;
        size_t before; /* index of the anchor before it in the longest order; CODE_ALIGN_NONE: none */
};

/* --- The table --- */

enum { STEP_BOTH, STEP_A, STEP_B };

static void align_by_table(struct code_align *align, size_t a0, size_t a1, size_t b0, size_t b1)
{
        size_t n = a1 - a0, m = b1 - b0, i = 0, k = 0;
        uint8_t *steps = mem_new(n * m, 1);
        uint32_t *below = mem_new(m + 1, sizeof(*below)), *row = mem_new(m + 1, sizeof(*row));

        for (i = n; i-- > 0;) {
                uint32_t *swap = below;

                below = row;
                row = swap;
                row[m] = 0;
                for (k = m; k-- > 0;) {
                        bool is_equal = align->a[a0 + i] == align->b[b0 + k];

                        row[k] = is_equal ? below[k + 1] + 1 : below[k] >= row[k + 1] ? below[k] : row[k + 1];
                        steps[i * m + k] = is_equal ? STEP_BOTH : below[k] >= row[k + 1] ? STEP_A : STEP_B;
                }
        }
        for (i = k = 0; i < n && k < m;) {
                uint8_t step = steps[i * m + k];

                if (step == STEP_BOTH)
                        align->to_b[a0 + i] = b0 + k;
                i += step != STEP_B;
                k += step != STEP_A;
        }
        free(steps);
        free(below);
        free(row);
}

/* --- Anchors --- */

/* Elements that occur once in both ranges, in the order of `a`.  The caller frees them. */
static struct anchor *list_anchors(const struct code_align *align, size_t a0, size_t a1, size_t b0, size_t b1,
                                   size_t *ret_n)
{
        struct anchor *anchors = mem_new(a1 - a0, sizeof(*anchors));
        struct map in_a = {0}, in_b = {0};
        size_t n = 0;

        for (size_t i = a0; i < a1; i++)
                ++*map_put(&in_a, align->a[i], NULL);
        for (size_t k = b0; k < b1; k++) {
                bool is_new;
                uint64_t *at = map_put(&in_b, align->b[k], &is_new);

                *at = is_new ? k : CODE_ALIGN_NONE;
        }
        for (size_t i = a0; i < a1; i++) {
                const uint64_t *at = map_find(&in_b, align->a[i]);

                if (at && *at != CODE_ALIGN_NONE && *map_find(&in_a, align->a[i]) == 1)
                        anchors[n++] = (struct anchor){i, (size_t)*at, CODE_ALIGN_NONE};
        }
        map_release(&in_a);
        map_release(&in_b);
        *ret_n = n;
        return anchors;
}

/* The longest sequence of anchors that increases in `b`, too.  Returns the last one; `before` leads to the
 * others. */
static size_t longest_order(struct anchor *anchors, size_t n)
{
        size_t *ends = mem_new(n, sizeof(*ends)), n_ends = 0, last;

        for (size_t i = 0; i < n; i++) {
                size_t low = 0, high = n_ends;

                while (low < high) {
                        size_t middle = (low + high) / 2;

                        if (anchors[ends[middle]].b < anchors[i].b)
                                low = middle + 1;
                        else
                                high = middle;
                }
                anchors[i].before = low ? ends[low - 1] : CODE_ALIGN_NONE;
                ends[low] = i;
                n_ends += low == n_ends;
        }
        last = n_ends ? ends[n_ends - 1] : CODE_ALIGN_NONE;
        free(ends);
        return last;
}

static void align_deep(struct code_align *align, size_t a0, size_t a1, size_t b0, size_t b1, unsigned depth);

/* False: nothing divides the ranges. */
static bool divide(struct code_align *align, size_t a0, size_t a1, size_t b0, size_t b1, unsigned depth)
{
        size_t n, at;
        struct anchor *anchors = list_anchors(align, a0, a1, b0, b1, &n);

        at = longest_order(anchors, n);
        for (size_t end_a = a1, end_b = b1; n && end_a != CODE_ALIGN_NONE;) {
                size_t from_a = at == CODE_ALIGN_NONE ? a0 : anchors[at].a + 1;
                size_t from_b = at == CODE_ALIGN_NONE ? b0 : anchors[at].b + 1;

                align_deep(align, from_a, end_a, from_b, end_b, depth + 1);
                if (at == CODE_ALIGN_NONE)
                        break;
                align->to_b[anchors[at].a] = anchors[at].b;
                end_a = anchors[at].a;
                end_b = anchors[at].b;
                at = anchors[at].before;
        }
        free(anchors);
        return n;
}

static void align_deep(struct code_align *align, size_t a0, size_t a1, size_t b0, size_t b1, unsigned depth)
{
        for (; a0 < a1 && b0 < b1 && align->a[a0] == align->b[b0]; a0++, b0++)
                align->to_b[a0] = b0;
        for (; a0 < a1 && b0 < b1 && align->a[a1 - 1] == align->b[b1 - 1]; a1--, b1--)
                align->to_b[a1 - 1] = b1 - 1;
        if (a0 == a1 || b0 == b1 || (depth < MAX_DEPTH && divide(align, a0, a1, b0, b1, depth)))
                return;
        if ((a1 - a0) <= CODE_ALIGN_MAX_CELLS / (b1 - b0))
                align_by_table(align, a0, a1, b0, b1);
        else
                align->is_too_large = true;
}

size_t *code_align_new(size_t n)
{
        size_t *to_b = mem_new(n, sizeof(*to_b));

        for (size_t i = 0; i < n; i++)
                to_b[i] = CODE_ALIGN_NONE;
        return to_b;
}

void code_align_range(struct code_align *align, size_t a0, size_t a1, size_t b0, size_t b1)
{
        align_deep(align, a0, a1, b0, b1, 0);
}
