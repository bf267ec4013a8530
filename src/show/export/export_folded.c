/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes all paths into one buffer, sorts them, and merges equal ones: functions that differ only in their
 * module have the same text. */
#include "export_folded.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "export.h"
#include "mem.h"
#include "text_number.h"

struct folded_line {
        const char *path;
        size_t path_off; /* offset, because the buffer still grows */
        uint64_t value;
};

struct folding {
        const struct calltree *tree;
        const struct export_folded_options *options;
        struct buf path;  /* path of the current node */
        size_t *ends;     /* for each depth: length of the path up to there */
        struct buf paths; /* all lines, each with a NUL */
        struct folded_line *lines;
        size_t n_lines, cap_lines;
};

/* Readers take a number after a blank at the end of a line as its value, and a number before it as a second
 * value. */
static size_t find_last_blank(const char *name, size_t len)
{
        size_t at = len;

        while (at && ((name[at - 1] >= '0' && name[at - 1] <= '9') || name[at - 1] == '.'))
                at--;
        return at && name[at - 1] == ' ' ? at - 1 : len;
}

static void make_harmless(char *name, size_t len, bool is_process)
{
        size_t blank = find_last_blank(name, len);

        for (size_t i = 0; i < len; i++) {
                if (name[i] == ';')
                        name[i] = ':';
                else if (name[i] == ' ' && (is_process || i == blank || !i || i == len - 1))
                        name[i] = '_';
        }
}

static void add_frame(struct folding *f, uint32_t node)
{
        const struct calltree_function *function = export_function(f->tree, node);
        size_t from;

        if (f->path.len)
                buf_add_char(&f->path, ';');
        from = f->path.len;
        export_add_name(function, &f->path);
        make_harmless(f->path.data + from, f->path.len - from, function->kind == CALLTREE_PROCESS);
        if (f->options->annotate && function->kind != CALLTREE_PROCESS)
                buf_add_str(&f->path, function->is_kernel ? "_[k]" : function->is_inlined ? "_[i]" : "");
}

static uint64_t value_of(const struct folding *f, const struct calltree_node *node)
{
        return f->options->weights ? node->self_weight : node->self_count;
}

static void add_line(struct folding *f, uint64_t value)
{
        struct folded_line line = {.path_off = f->paths.len, .value = value};

        buf_add(&f->paths, f->path.data, f->path.len + 1);
        ARRAY_PUSH(f->lines, f->n_lines, f->cap_lines, line);
}

/* Samples without a stack count for the root. */
static void add_lines(struct folding *f)
{
        const struct calltree_node *root = calltree_get_node(f->tree, CALLTREE_ROOT);

        buf_add_str(&f->path, "[unknown]");
        if (value_of(f, root))
                add_line(f, value_of(f, root));
        for (uint32_t at = export_next(f->tree, CALLTREE_ROOT); at != CALLTREE_ROOT;
             at = export_next(f->tree, at)) {
                const struct calltree_node *node = calltree_get_node(f->tree, at);

                buf_truncate(&f->path, f->ends[node->depth - 1]);
                add_frame(f, at);
                f->ends[node->depth] = f->path.len;
                if (value_of(f, node))
                        add_line(f, value_of(f, node));
        }
}

static int compare_lines(const void *a, const void *b)
{
        const struct folded_line *x = a, *y = b;

        return strcmp(x->path, y->path);
}

static void print_lines(struct folding *f, struct buf *out)
{
        for (size_t i = 0; i < f->n_lines; i++)
                f->lines[i].path = f->paths.data + f->lines[i].path_off;
        if (f->n_lines)
                qsort(f->lines, f->n_lines, sizeof(*f->lines), compare_lines);
        for (size_t i = 0, next; i < f->n_lines; i = next) {
                uint64_t value = f->lines[i].value;

                for (next = i + 1; next < f->n_lines && !compare_lines(&f->lines[i], &f->lines[next]); next++)
                        value += f->lines[next].value;
                buf_add_str(out, f->lines[i].path);
                buf_add_char(out, ' ');
                text_add_u64(out, value);
                buf_add_char(out, '\n');
        }
}

void export_folded(const struct calltree *tree, const struct export_folded_options *options, struct buf *out)
{
        struct folding f = {
                .tree = tree,
                .options = options,
                .ends = mem_new((size_t)export_depth(tree) + 1, sizeof(*f.ends)),
        };

        add_lines(&f);
        print_lines(&f, out);
        buf_release(&f.path);
        buf_release(&f.paths);
        free(f.lines);
        free(f.ends);
}
