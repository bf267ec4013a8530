/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a program: its code compared with itself has no changes.  Half of the bytes are then changed
 * in place, and both compared: that may give anything, but ends. */
#include <stdlib.h>
#include <string.h>

#include "code_change.h"
#include "code_compare.h"
#include "code_match.h"
#include "mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FUNCTIONS = 64, MAX_LINE_PAIRS = 16 };

/* So that reads are not optimised away. */
static volatile uint64_t sink;

static void check(bool holds)
{
        if (!holds)
                abort();
}

struct side {
        struct resolver *resolver;
        struct code_image *image;
};

static void open_side(struct side *side, const uint8_t *data, size_t size)
{
        static const char *const no_dirs[] = {NULL};
        const struct resolver_options options = {.debug_dirs = no_dirs};
        const struct resolver_module module = {
                .kind = RESOLVER_FILE, .path = "/no/such/image", .image = data, .image_size = size};

        side->resolver = resolver_new(&options);
        side->image = code_image_new(side->resolver, resolver_add_module(side->resolver, &module));
        code_image_finish(side->image);
}

static void close_side(struct side *side)
{
        code_image_free(side->image);
        resolver_free(side->resolver);
}

static void check_pairs(const struct code_comparison *c)
{
        size_t n_a = 0, n_b = 0, n_listed = 0;

        for (size_t i = 0; i < c->n_pairs; i++) {
                const struct code_block_pair *pair = &c->pairs[i];

                n_a += pair->a != SIZE_MAX;
                n_b += pair->b != SIZE_MAX;
                check(pair->a == SIZE_MAX || pair->a < c->a.n_blocks);
                check(pair->b == SIZE_MAX || pair->b < c->b.n_blocks);
                if (pair->state != CODE_BLOCK_SAME && n_listed++ < MAX_LINE_PAIRS) {
                        struct code_line *lines;

                        sink += code_comparison_lines(c, pair, &lines);
                        free(lines);
                }
        }
        check(n_a == c->a.n_blocks && n_b == c->b.n_blocks);
}

static void check_change(const struct code_comparison *c)
{
        AUTO_RELEASE(buf) detail = {0};
        enum code_change change = code_change_find(c, &detail);

        check(change > CODE_CHANGE_NONE && change < CODE_N_CHANGES && detail.len < 10000);
}

static void compare(struct side *a, struct side *b, bool are_equal)
{
        code_match(a->image, b->image);
        for (size_t i = 0; i < code_image_n_functions(a->image) && i < MAX_FUNCTIONS; i++) {
                const struct code_function *f = code_image_get(a->image, i);
                struct code_comparison c;

                if (f->is_part || f->match == CODE_NO_FUNCTION)
                        continue;
                code_compare(a->image, f, b->image, code_image_get(b->image, f->match), &c);
                check_pairs(&c);
                check_change(&c);
                check(!are_equal || f->match != i || c.state == CODE_IDENTICAL || c.state == CODE_UNKNOWN);
                code_comparison_release(&c);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
        uint8_t *other = mem_new(size ? size : 1, 1);
        struct side a, b;

        if (size)
                memcpy(other, data, size);
        open_side(&a, data, size);
        open_side(&b, other, size);
        compare(&a, &b, true);
        close_side(&b);
        close_side(&a);
        for (size_t i = size / 2; i < size; i += 37)
                other[i] ^= 0x11;
        open_side(&a, data, size);
        open_side(&b, other, size);
        compare(&a, &b, false);
        close_side(&b);
        close_side(&a);
        free(other);
        return 0;
}
