/* SPDX-License-Identifier: BSD-3-Clause */
#include "web_page_diff.h"

#include <stdlib.h>

#include "diff_columns.h"
#include "diff_view.h"
#include "mem.h"
#include "web_page_internal.h"

enum { MAX_ROWS = 1000 }; /* of names, of each comparison */

/* --- The tree --- */

static enum web_page_kind kind_of(const struct calltree_function *f)
{
        switch (f->kind) {
        case CALLTREE_UNKNOWN: return WEB_PAGE_UNKNOWN;
        case CALLTREE_CUT: return WEB_PAGE_CUT;
        default:
                return f->is_python   ? WEB_PAGE_PYTHON_CODE
                       : f->is_kernel ? WEB_PAGE_KERNEL
                                      : WEB_PAGE_NATIVE_CODE;
        }
}

/* A function has one frame, with its number. */
static void add_functions(const struct calltree *tree, struct strpool *texts, struct buf *out)
{
        struct web_page_table functions = {.n_fields = 4}, frames = {.n_fields = 3};

        for (uint32_t i = 0; i < calltree_n_functions(tree); i++) {
                const struct calltree_function *f = calltree_get_function(tree, i);
                AUTO_RELEASE(buf) name = {0};

                export_add_name(f, &name);
                web_page_table_add(&functions,
                                   (const uint32_t[]){strpool_add(texts, buf_text(&name)),
                                                      web_page_add_text(texts, f->module),
                                                      web_page_add_text(texts, f->path),
                                                      kind_of(f) | (f->is_inlined ? WEB_PAGE_INLINED : 0)});
                web_page_table_add(&frames,
                                   (const uint32_t[]){i, web_page_add_text(texts, f->file), f->line});
        }
        web_page_table_write(&functions, out);
        web_page_table_write(&frames, out);
        web_page_table_release(&functions);
        web_page_table_release(&frames);
}

/* The numbers of nodes are those of stacks: the root is 0, and parents precede their children. */
static void add_stacks(const struct calltree *tree, struct buf *out)
{
        struct web_page_table stacks = {.n_fields = 2};

        for (uint32_t i = 1; i < calltree_n_nodes(tree); i++) {
                const struct calltree_node *node = calltree_get_node(tree, i);

                web_page_table_add(&stacks, (const uint32_t[]){i - node->parent, node->function});
        }
        web_page_table_write(&stacks, out);
        web_page_table_release(&stacks);
}

/* What A has in each node without its callees. */
static uint64_t *list_own_before(const struct web_page_diff *diff)
{
        size_t n = calltree_n_nodes(diff->tree);
        double *own = mem_new(n, sizeof(*own));
        uint64_t *ret = mem_new(n, sizeof(*ret));

        for (uint32_t i = (uint32_t)n; i-- > 1;) {
                own[i] += diff->before[i];
                own[calltree_get_node(diff->tree, i)->parent] -= diff->before[i];
                ret[i] = own[i] > 0.5 ? (uint64_t)(own[i] + 0.5) : 0;
        }
        free(own);
        return ret;
}

static void add_event(const struct web_page_diff *diff, const char *side, const uint64_t *weights,
                      bool has_counts, struct strpool *texts, struct buf *out)
{
        const struct calltree *tree = diff->tree;
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) stacks = {0};
        AUTO_RELEASE(buf) counts = {0};
        AUTO_RELEASE(buf) amounts = {0};
        size_t n = 0;

        for (uint32_t i = 1; i < calltree_n_nodes(tree); i++) {
                if (!weights[i])
                        continue;
                n++;
                buf_add_uleb(&stacks, i);
                buf_add_uleb(&counts, has_counts ? calltree_get_node(tree, i)->self_count : 0);
                buf_add_uleb(&amounts, weights[i]);
        }
        buf_printf(&name, "%s: %s", side, diff->about->event);
        buf_add_uleb(out, web_page_add_text(texts, buf_text(&name)));
        buf_add_uleb(out, diff->about->is_time);
        buf_add_uleb(out, 1); /* the unit, a fraction */
        buf_add_uleb(out, 1);
        buf_add_uleb(out, 1); /* the tick */
        buf_add_uleb(out, has_counts ? calltree_get_node(tree, CALLTREE_ROOT)->count : 0);
        buf_add_uleb(out, 1); /* threads */
        buf_add_uleb(out, 0);
        buf_add_uleb(out, n);
        buf_add_zeros(out, n); /* times */
        buf_add(out, buf_text(&stacks), stacks.len);
        buf_add(out, buf_text(&counts), counts.len);
        buf_add(out, buf_text(&amounts), amounts.len);
}

static void add_events(const struct web_page_diff *diff, struct strpool *texts, struct buf *out)
{
        struct web_page_table threads = {.n_fields = 4};
        size_t n = calltree_n_nodes(diff->tree);
        uint64_t *before = list_own_before(diff), *after = mem_new(n, sizeof(*after));

        for (uint32_t i = 1; i < n; i++)
                after[i] = calltree_get_node(diff->tree, i)->self_weight;
        buf_add_uleb(out, 0); /* the length of the run */
        buf_add_uleb(out, 2);
        add_event(diff, "B", after, true, texts, out);
        add_event(diff, "A", before, false, texts, out);
        web_page_table_add(&threads, (const uint32_t[]){0, 0, 0, 0});
        web_page_table_write(&threads, out);
        web_page_table_release(&threads);
        free(before);
        free(after);
}

/* --- The verdicts --- */

static void add_amount(double amount, enum compared_unit unit, struct strpool *texts, struct buf *out)
{
        AUTO_RELEASE(buf) text = {0};

        diff_view_add_amount(&text, amount, unit);
        buf_add_uleb(out, web_page_add_text(texts, buf_text(&text)));
}

/* What is compared: name, module, amounts of A and B, and the verdict on `value`. */
struct changed {
        const char *name, *module;
        double a, b;
        enum compared_unit unit;
        const struct compared *value;
        bool is_slow; /* more is slower */
};

static void add_changed(const struct changed *changed, struct strpool *texts, struct buf *out)
{
        const struct compared *value = changed->value;
        AUTO_RELEASE(buf) change = {0};
        AUTO_RELEASE(buf) interval = {0};
        AUTO_RELEASE(buf) verdict = {0};

        diff_columns_add_verdict(value, changed->is_slow, &verdict);
        diff_columns_add_change(value, &change);
        diff_columns_add_interval(value, &interval);
        buf_add_uleb(out, web_page_add_text(texts, changed->name));
        buf_add_uleb(out, web_page_add_text(texts, changed->module));
        add_amount(changed->a, changed->unit, texts, out);
        add_amount(changed->b, changed->unit, texts, out);
        buf_add_uleb(out, web_page_add_text(texts, buf_text(&change)));
        buf_add_uleb(out, web_page_add_text(texts, buf_text(&interval)));
        buf_add_uleb(out, web_page_add_text(texts, buf_text(&verdict)));
        buf_add_uleb(out, value->verdict == COMPARED_MORE ? 1 : value->verdict == COMPARED_LESS ? 2 : 0);
}

static void add_totals(const struct comparison *c, struct strpool *texts, struct buf *out)
{
        buf_add_uleb(out, strpool_add(texts, "Whole runs"));
        buf_add_uleb(out, c->n_totals);
        for (size_t i = 0; i < c->n_totals; i++) {
                const struct compared_total *total = &c->totals[i];

                add_changed(&(struct changed){.name = total->name,
                                              .a = total->value.a.mean,
                                              .b = total->value.b.mean,
                                              .unit = total->unit,
                                              .value = &total->value,
                                              .is_slow = total->unit == COMPARED_NS},
                            texts, out);
        }
}

static void add_rows(const struct comparison *c, const struct diff_rows *rows, struct strpool *texts,
                     struct buf *out)
{
        size_t n = rows->n < MAX_ROWS ? rows->n : MAX_ROWS;

        buf_add_uleb(out, n);
        for (size_t i = 0; i < n; i++)
                add_changed(&(struct changed){.name = rows->rows[i].name,
                                              .module = rows->rows[i].module,
                                              .a = rows->rows[i].amount.a.mean,
                                              .b = rows->rows[i].amount.b.mean,
                                              .unit = c->is_time ? COMPARED_NS : COMPARED_COUNT,
                                              .value = comparison_value(c, &rows->rows[i]),
                                              .is_slow = c->is_time && c->measure == MEASURE_TIME},
                            texts, out);
}

static void add_comparison(const struct comparison *c, struct strpool *texts, struct buf *out)
{
        static const char *const titles[] = {"In A and in B", "Only in A", "Only in B"};

        buf_add_uleb(out, web_page_add_text(texts, c->event));
        buf_add_uleb(out, c->n_a);
        buf_add_uleb(out, c->n_b);
        buf_add_uleb(out, 1 + N_ELEMENTS(titles));
        add_totals(c, texts, out);
        for (size_t i = 0; i < N_ELEMENTS(titles); i++) {
                struct diff_rows rows = diff_rows_of(c, (enum diff_presence)i);

                buf_add_uleb(out, strpool_add(texts, titles[i]));
                add_rows(c, &rows, texts, out);
        }
}

bool web_page_diff_write(const struct web_page_diff *diff, struct buf *out, struct err *err)
{
        AUTO(strpool) texts = strpool_new();
        AUTO_RELEASE(buf) rest = {0};

        add_functions(diff->tree, texts, &rest);
        add_stacks(diff->tree, &rest);
        buf_add_uleb(&rest, 0); /* no stacks are merged */
        add_events(diff, texts, &rest);
        web_page_facts_write(diff->facts, diff->n_facts, texts, &rest);
        buf_add_zeros(&rest, 4); /* no source, wall time, instructions and accesses */
        buf_add_uleb(&rest, WEB_PAGE_ALL);
        buf_add_uleb(&rest, diff->n_comparisons);
        for (size_t i = 0; i < diff->n_comparisons; i++)
                add_comparison(diff->comparisons[i], texts, &rest);
        web_page_sides_write(diff->code, texts, &rest);
        return web_page_document_write(WEB_PAGE_PROFILE, texts, &rest, out, err);
}
