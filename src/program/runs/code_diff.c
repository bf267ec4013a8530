/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes rows of the functions of both sides, and of the blocks of those that are wanted. */
#include "code_diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "code_change.h"
#include "code_compare.h"
#include "code_diff_hot.h"
#include "code_diff_source.h"
#include "code_match.h"
#include "code_side.h"
#include "demangle.h"
#include "map.h"
#include "mem.h"
#include "text.h"
#include "text_match.h"

struct code_diffing {
        const struct code_diff_request *request;
        struct code_diff *ret;
        struct code_side sides[CODE_N_SIDES];
        struct code_diff_source *sources[CODE_N_SIDES]; /* NULL: no listing */
        size_t n_newer[CODE_N_SIDES];                   /* source files that are newer than their module */
        struct disasm *disasms[2];                      /* enum disasm_arch; opened at need */
        struct err disasm_err;
        size_t n_left_out;
        struct map
                kept; /* hash of a text to its address in the rows' texts: many rows may have one long name */
        bool has_unmatched; /* too many functions to match them by likeness */
};

/* --- Names --- */

static const char *keep(struct code_diffing *d, const struct buf *text)
{
        const char *plain = buf_text(text);
        bool is_new;

        for (uint64_t key = map_hash_bytes(plain, text->len);; key++) {
                uint64_t *at = map_put(&d->kept, key, &is_new);

                if (is_new)
                        *at = (uintptr_t)arena_copy(&d->ret->rows.texts, plain, text->len);
                if (is_new || !strcmp((const char *)(uintptr_t)*at, plain))
                        return (const char *)(uintptr_t)*at;
        }
}

static void add_name(const struct code_diffing *d, const struct code_function *f, struct buf *out)
{
        if (!f->name[0])
                buf_printf(out, "0x%" PRIx64, f->extents[0].start);
        else if (d->request->no_demangle || !demangle_cxx(f->name, false, out))
                buf_add_str(out, f->name);
}

/* Whether only some functions are wanted, and these with their blocks. */
static bool lists_blocks(const struct code_diffing *d)
{
        return d->request->symbol || d->request->listing;
}

static bool matches(const struct code_diffing *d, const char *name)
{
        const struct code_diff_listing *listing = d->request->listing;

        if (!listing)
                return text_match_symbol(d->request->symbol, name);
        for (size_t i = 0; i < listing->n_names; i++) {
                if (!strcmp(listing->names[i], name))
                        return true;
        }
        return false;
}

/* The pattern may be the whole name, with or without the suffix of a clone, readable or not; or the address
 * of a function without a name. */
static bool is_wanted(const struct code_diffing *d, const struct code_function *f)
{
        AUTO_RELEASE(buf) name = {0};
        AUTO_RELEASE(buf) bare = {0};

        add_name(d, f, &name);
        buf_add(&bare, f->name, demangle_without_clone(f->name));
        if (matches(d, buf_text(&name)) ||
            (f->name[0] && (matches(d, f->name) || matches(d, buf_text(&bare)))))
                return true;
        buf_clear(&name);
        return demangle_arguments(f->name, &name) && matches(d, buf_text(&name));
}

/* --- Instructions --- */

static struct disasm *get_disasm(struct code_diffing *d, enum disasm_arch arch)
{
        if (!d->disasms[arch])
                d->disasms[arch] = disasm_open(arch, d->request->syntax, &d->disasm_err);
        if (!d->disasms[arch])
                d->disasms[arch] = disasm_open_bytes(arch);
        return d->disasms[arch];
}

/* Appends what the addresses of an instruction refer to: "<block 12>", "<memcpy>". */
static void add_referents(const struct code_body *body, const struct code_insn *insn, struct buf *out)
{
        for (size_t k = 0; k < insn->n_refs; k++) {
                const struct code_referent *to = &insn->referents[k];
                AUTO_RELEASE(buf) name = {0};

                if (to->kind == CODE_REFERS_BLOCK)
                        buf_printf(&name, "block %" PRIu32, to->index + 1);
                else
                        code_referent_add_name(body->image, to, &name);
                if (name.len)
                        buf_printf(out, " <%s>", buf_text(&name));
        }
}

static struct code_row_side line_side(struct code_diffing *d, const struct code_body *body,
                                      const struct code_insn *insn, const struct disasm_code *code)
{
        const struct disasm_insn *text = insn ? disasm_find(code, insn->addr) : NULL;
        struct code_row_side side = {.exists = insn, .text = ""};
        AUTO_RELEASE(buf) out = {0};

        if (!insn)
                return side;
        if (text)
                buf_add_str(&out, text->text);
        add_referents(body, insn, &out);
        side.text = keep(d, &out);
        side.addr = insn->addr;
        side.weight = code_image_weight(body->image, insn->addr, insn->addr + insn->size_bytes, &side.count);
        return side;
}

static void disassemble(struct code_diffing *d, const struct code_body *body, size_t block,
                        struct disasm_code *ret)
{
        const struct code_block *b = block == SIZE_MAX ? NULL : &body->blocks[block];
        enum disasm_arch arch;
        const uint8_t *code;

        if (b && code_image_get_arch(body->image, &arch) &&
            resolver_read_code(body->image->resolver, body->image->id, b->addr, b->end - b->addr, &code))
                disasm_add(get_disasm(d, arch), code, (size_t)(b->end - b->addr), b->addr, ret);
}

static void add_lines(struct code_diffing *d, const struct code_comparison *c,
                      const struct code_block_pair *pair, struct code_block_row *row)
{
        AUTO_RELEASE(disasm_code) a = {0};
        AUTO_RELEASE(disasm_code) b = {0};
        struct code_line *lines;

        disassemble(d, &c->a, pair->a, &a);
        disassemble(d, &c->b, pair->b, &b);
        row->n_lines = code_comparison_lines(c, pair, &lines);
        row->lines = arena_alloc(&d->ret->rows.texts, (row->n_lines + 1) * sizeof(*row->lines));
        for (size_t i = 0; i < row->n_lines; i++)
                row->lines[i] = (struct code_line_row){
                        .mark = lines[i].mark,
                        .sides = {line_side(d, &c->a, lines[i].a, &a), line_side(d, &c->b, lines[i].b, &b)},
                };
        free(lines);
}

static struct code_row_side block_side(const struct code_body *body, size_t index)
{
        const struct code_block *block = index == SIZE_MAX ? NULL : &body->blocks[index];

        if (!block)
                return (struct code_row_side){.text = ""};
        return (struct code_row_side){true, "", block->addr, block->count, block->weight};
}

/* A listing has blocks with samples whatever their state. */
static bool is_listed(const struct code_diffing *d, const struct code_comparison *c,
                      const struct code_block_pair *pair)
{
        return pair->state != CODE_BLOCK_SAME ||
               (d->request->listing && (c->a.blocks[pair->a].weight || c->b.blocks[pair->b].weight));
}

static void add_blocks(struct code_diffing *d, const struct code_comparison *c, struct code_function_row *row)
{
        size_t n = 0;

        for (size_t i = 0; i < c->n_pairs; i++)
                n += is_listed(d, c, &c->pairs[i]);
        row->blocks = arena_alloc(&d->ret->rows.texts, (n + 1) * sizeof(*row->blocks));
        for (size_t i = 0; i < c->n_pairs; i++) {
                const struct code_block_pair *pair = &c->pairs[i];
                struct code_block_row *block = &row->blocks[row->n_blocks_listed];

                if (!is_listed(d, c, pair))
                        continue;
                row->n_blocks_listed++;
                *block = (struct code_block_row){
                        .state = pair->state,
                        .numbers = {pair->a == SIZE_MAX ? 0 : pair->a + 1,
                                    pair->b == SIZE_MAX ? 0 : pair->b + 1},
                        .sides = {block_side(&c->a, pair->a), block_side(&c->b, pair->b)},
                };
                if (pair->state != CODE_BLOCK_ORDER || d->request->listing)
                        add_lines(d, c, pair, block);
        }
}

/* --- Functions --- */

static void fill_side(struct code_diffing *d, int side, const struct code_side_module *module,
                      const struct code_function *f, struct code_function_row *row)
{
        AUTO_RELEASE(buf) name = {0};

        add_name(d, f, &name);
        row->sides[side] =
                (struct code_row_side){true, keep(d, &name), f->extents[0].start, f->count, f->weight};
        buf_clear(&name);
        buf_add_str(&name, text_base_name(module->path));
        row->modules[side] = keep(d, &name);
        row->size_bytes[side] = f->size_bytes;
}

static void add_row(struct code_diffing *d, const struct code_function_row *row)
{
        struct code_rows *rows = &d->ret->rows;

        rows->n_by_state[row->state]++;
        for (int side = 0; side < CODE_N_SIDES; side++)
                rows->weight_by_state[row->state][side] += row->sides[side].weight;
        ARRAY_PUSH(rows->functions, rows->n_functions, rows->cap_functions, *row);
}

static void sum_changed(const struct code_comparison *c, struct code_function_row *row)
{
        for (size_t i = 0; i < c->n_pairs; i++) {
                const struct code_block_pair *pair = &c->pairs[i];

                if (pair->state == CODE_BLOCK_SAME || pair->state == CODE_BLOCK_ORDER ||
                    pair->state == CODE_BLOCK_REGISTERS)
                        continue;
                if (pair->a != SIZE_MAX)
                        row->changed_weight[CODE_A] += c->a.blocks[pair->a].weight;
                if (pair->b != SIZE_MAX)
                        row->changed_weight[CODE_B] += c->b.blocks[pair->b].weight;
        }
}

static void add_sources(struct code_diffing *d, const struct code_side_module *a,
                        const struct code_side_module *b, const struct code_function_row *row)
{
        const struct code_side_module *modules[] = {a, b};

        for (size_t i = 0; i < row->n_blocks_listed; i++) {
                for (size_t k = 0; k < row->blocks[i].n_lines; k++) {
                        for (int side = 0; side < CODE_N_SIDES; side++) {
                                struct code_row_side *line = &row->blocks[i].lines[k].sides[side];

                                if (line->exists)
                                        code_diff_source_add(d->sources[side], modules[side], line);
                        }
                }
        }
}

static void add_pair(struct code_diffing *d, const struct code_side_module *a, const struct code_function *x,
                     const struct code_side_module *b, const struct code_function *y)
{
        struct code_function_row row = {0};
        struct code_comparison c;

        code_compare(a->image, x, b->image, y, &c);
        fill_side(d, CODE_A, a, x, &row);
        fill_side(d, CODE_B, b, y, &row);
        row.state = c.state;
        row.n_blocks[CODE_A] = c.a.n_blocks;
        row.n_blocks[CODE_B] = c.b.n_blocks;
        row.n_same = c.n_same;
        row.n_reordered = c.n_reordered;
        row.n_renamed = c.n_renamed;
        row.n_entries_changed = c.n_entries_changed;
        row.is_too_large = c.is_too_large;
        if (c.state == CODE_CHANGED) {
                AUTO_RELEASE(buf) detail = {0};

                sum_changed(&c, &row);
                row.change = code_change_find(&c, &detail);
                row.detail = keep(d, &detail);
        }
        if (d->request->listing || (d->request->symbol && c.state == CODE_CHANGED))
                add_blocks(d, &c, &row);
        if (d->request->listing)
                add_sources(d, a, b, &row);
        if (d->request->symbol)
                code_diff_hot_add(&c, &d->ret->rows.texts, &row);
        code_comparison_release(&c);
        add_row(d, &row);
}

/* Whether functions of `module` without a counterpart are not in `other`: not if `other` is archived, or
 * stripped and `module` is not. */
static bool is_complete(const struct code_side_module *module, const struct code_side_module *other)
{
        return code_image_lists_all(other->image) &&
               (code_image_can_name(other->image).functions || !code_image_can_name(module->image).functions);
}

/* `is_missing`: the function is not in the other side's module. */
static void add_single(struct code_diffing *d, int side, const struct code_side_module *module,
                       const struct code_function *f, bool is_missing)
{
        struct code_function_row row = {.state = !is_missing      ? CODE_UNKNOWN
                                                 : side == CODE_A ? CODE_ONLY_A
                                                                  : CODE_ONLY_B};

        fill_side(d, side, module, f, &row);
        add_row(d, &row);
}

struct choice {
        bool has_sessions; /* only functions with samples */
        bool any_samples;  /* with a symbol: one of its functions has samples, so only those are wanted */
};

static bool is_chosen(const struct code_diffing *d, const struct choice *choice,
                      const struct code_function *x, const struct code_function *y)
{
        bool has_samples = (x && x->count) || (y && y->count);

        if ((x && x->is_part) || (y && y->is_part))
                return false;
        if (lists_blocks(d) && !(x && is_wanted(d, x)) && !(y && is_wanted(d, y)))
                return false;
        return has_samples || !choice->has_sessions || (d->request->symbol && !choice->any_samples);
}

static void add_pairs(struct code_diffing *d, const struct choice *choice, const struct code_side_module *a,
                      const struct code_side_module *b)
{
        for (size_t i = 0; i < code_image_n_functions(a->image); i++) {
                const struct code_function *x = code_image_get(a->image, i);
                const struct code_function *y =
                        x->match == CODE_NO_FUNCTION ? NULL : code_image_get(b->image, x->match);

                if (!is_chosen(d, choice, x, y))
                        continue;
                if (y)
                        add_pair(d, a, x, b, y);
                else
                        add_single(d, CODE_A, a, x, is_complete(a, b));
        }
        for (size_t i = 0; i < code_image_n_functions(b->image); i++) {
                const struct code_function *y = code_image_get(b->image, i);

                if (y->match == CODE_NO_FUNCTION && is_chosen(d, choice, NULL, y))
                        add_single(d, CODE_B, b, y, is_complete(b, a));
        }
}

static void add_module_alone(struct code_diffing *d, const struct choice *choice, int side,
                             const struct code_side_module *module)
{
        for (size_t i = 0; i < code_image_n_functions(module->image); i++) {
                const struct code_function *f = code_image_get(module->image, i);

                if (is_chosen(d, choice, f, NULL))
                        add_single(d, side, module, f, false);
        }
}

/* Whether a function that the symbol names has samples. */
static bool has_sampled(const struct code_diffing *d)
{
        for (int side = 0; side < CODE_N_SIDES; side++) {
                for (size_t i = 0; i < d->sides[side].n_modules; i++) {
                        const struct code_image *image = d->sides[side].modules[i].image;

                        for (size_t k = 0; k < code_image_n_functions(image); k++) {
                                const struct code_function *f = code_image_get(image, k);

                                if (f->count && !f->is_part && is_wanted(d, f))
                                        return true;
                        }
                }
        }
        return false;
}

static void compare_all(struct code_diffing *d)
{
        struct code_side *a = &d->sides[CODE_A], *b = &d->sides[CODE_B];
        struct choice choice = {.has_sessions = a->report || b->report};

        choice.any_samples = choice.has_sessions && d->request->symbol && has_sampled(d);
        for (size_t i = 0; i < a->n_modules; i++) {
                const struct code_side_module *x = &a->modules[i];
                const struct code_side_module *y = x->pair == SIZE_MAX ? NULL : &b->modules[x->pair];

                if (!y) {
                        add_module_alone(d, &choice, CODE_A, x);
                        continue;
                }
                if (!code_match(x->image, y->image))
                        d->has_unmatched = true;
                add_pairs(d, &choice, x, y);
        }
        for (size_t i = 0; i < b->n_modules; i++) {
                if (b->modules[i].pair == SIZE_MAX)
                        add_module_alone(d, &choice, CODE_B, &b->modules[i]);
        }
}

/* --- Results --- */

static double heat_of(const struct code_rows *rows, const struct code_function_row *row)
{
        double heat = 0;

        for (int side = 0; side < CODE_N_SIDES; side++) {
                if (rows->weight[side])
                        heat += (double)row->sides[side].weight / (double)rows->weight[side];
        }
        return heat;
}

struct heated_row {
        double heat;
        size_t index;
        const struct code_function_row *row;
};

static const char *name_of(const struct code_function_row *row)
{
        return row->sides[row->sides[CODE_A].exists ? CODE_A : CODE_B].text;
}

static int compare_heated(const void *x, const void *y)
{
        const struct heated_row *a = x, *b = y;
        int order;

        if (a->heat != b->heat)
                return a->heat > b->heat ? -1 : 1;
        if (a->row->state != b->row->state)
                return a->row->state < b->row->state ? -1 : 1;
        order = strcmp(name_of(a->row), name_of(b->row));
        return order ? order : (a->index > b->index) - (a->index < b->index);
}

static void sort_rows(struct code_rows *rows)
{
        struct code_function_row *sorted = mem_new(rows->n_functions, sizeof(*sorted));
        struct heated_row *order = mem_new(rows->n_functions, sizeof(*order));

        for (size_t i = 0; i < rows->n_functions; i++)
                order[i] = (struct heated_row){heat_of(rows, &rows->functions[i]), i, &rows->functions[i]};
        if (rows->n_functions)
                qsort(order, rows->n_functions, sizeof(*order), compare_heated);
        for (size_t i = 0; i < rows->n_functions; i++)
                sorted[i] = *order[i].row;
        free(order);
        free(rows->functions);
        rows->functions = sorted;
        rows->cap_functions = rows->n_functions;
}

static bool explain_none(const struct code_diffing *d, struct err *err)
{
        const char **names = NULL, *near;
        size_t n = 0, cap = 0;

        for (int side = 0; side < CODE_N_SIDES; side++) {
                for (size_t i = 0; i < d->sides[side].n_modules; i++) {
                        const struct code_image *image = d->sides[side].modules[i].image;

                        for (size_t k = 0; k < code_image_n_functions(image); k++)
                                ARRAY_PUSH(names, n, cap, code_image_get(image, k)->name);
                }
        }
        near = text_nearest(d->request->symbol, names, n);
        free(names);
        return err_set(err, ERR_MISSING, "no function '%.60s' is in %.60s or %.60s%s%.40s%s",
                       d->request->symbol, d->request->paths[CODE_A], d->request->paths[CODE_B],
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static void add_notes(struct code_diffing *d)
{
        struct buf *note = &d->ret->note;

        for (int side = 0; side < CODE_N_SIDES; side++) {
                buf_add_str(note, buf_text(&d->sides[side].note));
                for (size_t i = 0; i < d->sides[side].n_modules; i++)
                        d->n_left_out += code_image_n_left_out(d->sides[side].modules[i].image);
        }
        for (int side = 0; side < CODE_N_SIDES; side++) {
                if (d->n_newer[side])
                        buf_printf(note,
                                   "%zu source files of %c are without their text: they are newer than the "
                                   "program\n",
                                   d->n_newer[side], side == CODE_A ? 'A' : 'B');
        }
        if (d->n_left_out)
                buf_printf(
                        note,
                        "%zu functions were left out: they have more than %d MiB, or the file has more than %d functions or functions that overlap and have much more code than the file\n",
                        d->n_left_out, CODE_MAX_FUNCTION_BYTES >> 20, CODE_MAX_FUNCTIONS);
        if (d->has_unmatched)
                buf_printf(
                        note,
                        "functions without names were matched only by equal code: more than %d have no equal one\n",
                        CODE_MATCH_MAX_LIKE);
        if (d->disasm_err.code)
                buf_printf(note, "%s\n", d->disasm_err.text);
        while (note->len && note->data[note->len - 1] == '\n')
                buf_truncate(note, note->len - 1);
}

/* The first module with known code says what machine it is. */
static bool find_arch(const struct code_side *side, enum disasm_arch *ret, struct err *err)
{
        bool has_code = false;

        for (size_t i = 0; i < side->n_modules; i++) {
                if (code_image_get_arch(side->modules[i].image, ret))
                        return true;
                has_code |= code_image_has_machine(side->modules[i].image);
        }
        return has_code
                       ? err_set(err, ERR_UNSUPPORTED, "%s: wperf compares only code for x86-64 and AArch64",
                                 side->path)
                       : err_set(err, ERR_MISSING,
                                 "%s: the code of %s is not available on this machine; record again and keep it "
                                 "with wperf archive",
                                 side->path, side->modules[0].path);
}

static bool check_machines(const struct code_diffing *d, struct err *err)
{
        enum disasm_arch a, b;

        return find_arch(&d->sides[CODE_A], &a, err) && find_arch(&d->sides[CODE_B], &b, err) &&
               (a == b || err_set(err, ERR_UNSUPPORTED, "%s and %s have code for different machines",
                                  d->sides[CODE_A].path, d->sides[CODE_B].path));
}

static bool make(struct code_diffing *d, struct err *err)
{
        struct code_rows *rows = &d->ret->rows;

        for (int side = 0; side < CODE_N_SIDES; side++) {
                if (!code_side_open(&d->sides[side], d->request->paths[side], d->request->filter,
                                    d->request->sources, err))
                        return false;
                rows->has_samples[side] = d->sides[side].report;
                rows->weight[side] = d->sides[side].weight;
        }
        if (!check_machines(d, err))
                return false;
        code_side_pair(&d->sides[CODE_A], &d->sides[CODE_B]);
        for (int side = 0; side < CODE_N_SIDES && d->request->listing; side++)
                d->sources[side] = code_diff_source_new(d->request->listing, &d->sides[side], &rows->texts);
        compare_all(d);
        for (int side = 0; side < CODE_N_SIDES && d->request->listing; side++)
                d->n_newer[side] = code_diff_source_fill(d->sources[side]);
        if (!rows->n_functions && d->request->symbol)
                return explain_none(d, err);
        sort_rows(rows);
        add_notes(d);
        return true;
}

bool code_diff_make(const struct code_diff_request *request, struct code_diff *ret, struct err *err)
{
        struct code_diffing d = {.request = request, .ret = ret};
        bool ok;

        *ret = (struct code_diff){0};
        ok = make(&d, err);
        for (int side = 0; side < CODE_N_SIDES; side++) {
                code_diff_source_free(d.sources[side]);
                code_side_release(&d.sides[side]);
        }
        for (size_t i = 0; i < N_ELEMENTS(d.disasms); i++)
                disasm_free(d.disasms[i]);
        map_release(&d.kept);
        if (!ok)
                code_diff_release(ret);
        return ok;
}

void code_diff_release(struct code_diff *diff)
{
        code_rows_release(&diff->rows);
        buf_release(&diff->note);
}
