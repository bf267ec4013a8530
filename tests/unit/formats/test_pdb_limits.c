/* SPDX-License-Identifier: BSD-3-Clause */
/* Small PDBs that are made to cause much work or to need much memory: both are taken from the budget. */
#include <stdlib.h>

#include "budget.h"
#include "mem.h"
#include "pdb.h"
#include "pdb_builder.h"
#include "tap.h"

enum { END = 0x0006, PROC = 0x1110, TRAMPOLINE = 0x112c, PART = 0x1132, SITE = 0x114d, SITE_END = 0x114e };

/* A PDB and its budget, whose parent is that of a command. */
struct limited {
        struct pdb_builder builder;
        struct buf bytes;
        struct budget command, file;
        struct pdb *pdb;
};

/* Without `mib` the memory has no limit. */
static bool limited_open(struct limited *l, uint64_t mib)
{
        struct err err = {0};

        l->builder.machine = 0x8664;
        built_file_bytes(&l->builder, 4096, &l->bytes);
        budget_init(&l->command, mib << 20);
        budget_init_file(&l->file, &l->command, "built.pdb");
        l->pdb = pdb_open_bytes(l->bytes.data, l->bytes.len, "built.pdb", &err);
        EXPECT_STR(err.text, "");
        if (l->pdb)
                pdb_set_budget(l->pdb, &l->file);
        return l->pdb;
}

static void limited_close(struct limited *l)
{
        pdb_free(l->pdb);
        EXPECT_INT(l->file.used_bytes, 0);
        EXPECT_INT(l->command.used_bytes, 0);
        budget_release(&l->file);
        budget_release(&l->command);
        buf_release(&l->bytes);
        built_release(&l->builder);
}

/* The steps that looking up the functions of `n` addresses takes. */
static uint64_t count_steps(struct limited *l, uint32_t first, uint32_t n)
{
        uint64_t left = budget_steps_left(&l->file);

        for (uint32_t i = 0; i < n; i++) {
                struct pdb_function function;

                pdb_find_function(l->pdb, BUILT_RVA + first + i, &function);
        }
        return left - budget_steps_left(&l->file);
}

static void add_trampoline(struct pdb_builder *b, uint32_t off)
{
        built_begin(b, &b->symbols, TRAMPOLINE);
        buf_add_u16(&b->symbols, 0);
        buf_add_u16(&b->symbols, 1);
        buf_add_u32(&b->symbols, off);
        buf_add_u32(&b->symbols, off);
        buf_add_u16(&b->symbols, 1);
        buf_add_u16(&b->symbols, 1);
        built_end(b, &b->symbols);
}

/* `depth` functions in each other, at all addresses of the function at `off`. */
static void add_deep(struct pdb_builder *b, uint32_t off, uint32_t size, uint32_t first_id, uint32_t depth)
{
        /* an offset of 0, then a length in 4 bytes */
        const uint8_t annotations[] = {3, 0, 4, 0xc0, 0, (uint8_t)(size >> 8), (uint8_t)size};

        built_proc(b, PROC, off, size, "deep");
        for (uint32_t i = 0; i < depth; i++)
                built_site(b, SITE, first_id + i, annotations, sizeof(annotations));
        for (uint32_t i = 0; i < depth; i++)
                built_mark(b, SITE_END);
        built_mark(b, END);
}

/* --- Memory --- */

TEST(modules_that_share_a_stream)
{
        enum { N_MODULES = 300, CODE_BYTES = 13, N_FUNCTIONS = 4000 };
        struct limited l = {.builder.n_more_modules = N_MODULES - 1};
        struct pdb_function function;

        built_proc(&l.builder, PROC, 0, 8, "first");
        built_mark(&l.builder, END);
        for (uint32_t i = 8; i < N_FUNCTIONS; i++)
                add_trampoline(&l.builder, i);
        for (uint32_t i = 0; i < N_MODULES; i++)
                built_contribution(&l.builder, 1, i * CODE_BYTES, CODE_BYTES, (uint16_t)i);
        if (limited_open(&l, 4)) {
                EXPECT_TRUE(pdb_find_function(l.pdb, BUILT_RVA, &function));
                EXPECT_STR(function.name, "first");
                for (uint32_t i = 1; i < N_MODULES; i++)
                        pdb_find_function(l.pdb, BUILT_RVA + i * CODE_BYTES, &function);
                EXPECT_TRUE(budget_has_left_out(&l.command, BUDGET_NAMES));
                EXPECT_CONTAINS(pdb_note(l.pdb), "its functions need too much memory");
        }
        limited_close(&l);
}

TEST(inlined_functions_at_many_addresses)
{
        enum { DEPTH = 900, N = 4000 };
        struct limited l = {0};
        uint32_t id = built_function_id(&l.builder, 0, "inlined");
        uint64_t rvas[N];
        struct source_frames frames;

        add_deep(&l.builder, 0, N, id, DEPTH);
        built_contribution(&l.builder, 1, 0, N, 0);
        for (uint32_t i = 0; i < N; i++)
                rvas[i] = BUILT_RVA + i;
        if (limited_open(&l, 16)) {
                pdb_find(l.pdb, rvas, 1, &frames);
                EXPECT_INT(frames.n_frames, DEPTH + 1);
                source_frames_release(&frames);
                EXPECT_TRUE(!budget_is_short(&l.command));
                pdb_find(l.pdb, rvas, N, &frames);
                EXPECT_CMP(frames.cap_frames * sizeof(*frames.frames), <=, 16 << 20);
                source_frames_release(&frames);
                EXPECT_TRUE(budget_has_left_out(&l.command, BUDGET_LINES));
        }
        limited_close(&l);
}

/* The names use what frames may use, three quarters of the limit; then there is none for frames. */
TEST(names_that_share_a_long_scope)
{
        enum { N = 80, DEPTH = 4, CODE_BYTES = 16, SCOPE_BYTES = 60000 };
        struct limited l = {0};
        char *scope_name = mem_new(SCOPE_BYTES + 1, 1);
        uint32_t scope;

        memset(scope_name, 's', SCOPE_BYTES);
        scope = built_scope(&l.builder, scope_name);
        for (uint32_t i = 0; i < N; i++)
                built_function_id(&l.builder, scope, (char[]){(char)('a' + i / 26), (char)('a' + i % 26), 0});
        for (uint32_t i = 0; i < N / DEPTH; i++)
                add_deep(&l.builder, i * CODE_BYTES, CODE_BYTES, scope + 1 + i * DEPTH, DEPTH);
        built_contribution(&l.builder, 1, 0, N / DEPTH * CODE_BYTES, 0);
        if (limited_open(&l, 2)) {
                for (uint64_t i = 0; i < N / DEPTH; i++) {
                        uint64_t rva = BUILT_RVA + i * CODE_BYTES;
                        struct source_frames frames;

                        pdb_find(l.pdb, &rva, 1, &frames);
                        if (!i)
                                EXPECT_INT(frames.n_frames, DEPTH + 1);
                        source_frames_release(&frames);
                }
                EXPECT_TRUE(budget_has_left_out(&l.command, BUDGET_LINES));
                EXPECT_CMP(l.file.used_bytes, >, 3 << 19);
                EXPECT_CMP(l.file.used_bytes, <=, 2 << 20);
        }
        free(scope_name);
        limited_close(&l);
}

/* --- Work --- */

TEST(each_search_in_many_sections_counts)
{
        enum { N_SECTIONS = 5000, N = 10 };
        struct limited l = {.builder.n_more_sections = N_SECTIONS};

        built_proc(&l.builder, PROC, 0, 8, "f");
        built_mark(&l.builder, END);
        built_contribution(&l.builder, 1, 0, 8, 0);
        if (limited_open(&l, 0)) {
                uint64_t left = budget_steps_left(&l.file);
                uint32_t rva;

                EXPECT_CMP(count_steps(&l, 0, N), >=, N * N_SECTIONS / 2);
                left = budget_steps_left(&l.file);
                pdb_find_rva(l.pdb, 0, &rva);
                EXPECT_CMP(left - budget_steps_left(&l.file), >=, N_SECTIONS / 2);
        }
        limited_close(&l);
}

TEST(sorting_functions_counts)
{
        enum { N = 4000, SORTING_STEPS = 8 };
        uint64_t steps[2] = {0};

        for (unsigned is_reverse = 0; is_reverse < 2; is_reverse++) {
                struct limited l = {0};

                for (uint32_t i = 0; i < N; i++)
                        add_trampoline(&l.builder, is_reverse ? N - 1 - i : i);
                built_contribution(&l.builder, 1, 0, N, 0);
                if (limited_open(&l, 0))
                        steps[is_reverse] = count_steps(&l, 0, 1);
                limited_close(&l);
        }
        EXPECT_CMP(steps[1], >=, steps[0] + N * SORTING_STEPS);
}

TEST(each_search_for_parts_of_a_function_counts)
{
        enum { N = 1000, N_LOOKUPS = 16 };
        struct limited l = {0};
        struct source_extent *extents;

        built_proc(&l.builder, PROC, 0, 8, "f");
        built_mark(&l.builder, END);
        built_begin(&l.builder, &l.builder.symbols, PART);
        buf_add_zeros(&l.builder.symbols, 8);
        buf_add_u32(&l.builder.symbols, 8);
        buf_add_u32(&l.builder.symbols, 0);
        buf_add_u32(&l.builder.symbols, 8);
        buf_add_u32(&l.builder.symbols, 0);
        buf_add_u16(&l.builder.symbols, 1);
        buf_add_u16(&l.builder.symbols, 1);
        built_end(&l.builder, &l.builder.symbols);
        built_mark(&l.builder, END);
        for (uint32_t i = 16; i < N; i++)
                add_trampoline(&l.builder, i);
        built_contribution(&l.builder, 1, 0, N, 0);
        if (limited_open(&l, 0)) {
                uint64_t left;

                count_steps(&l, 0, 1);
                left = budget_steps_left(&l.file);
                for (unsigned i = 0; i < N_LOOKUPS; i++) {
                        EXPECT_INT(pdb_find_extents(l.pdb, BUILT_RVA, &extents), 2);
                        free(extents);
                }
                EXPECT_CMP(left - budget_steps_left(&l.file), >=, N_LOOKUPS * (N / BUDGET_STEP_BYTES - 4));
        }
        limited_close(&l);
}

/* A row of an inlined function has two bytes, and each is searched for in the addresses. */
TEST(each_row_of_an_inlined_function_counts)
{
        enum { N_ROWS = 5000, ROW_STEPS = 4 };
        struct limited l = {0};
        AUTO_RELEASE(buf) annotations = {0};
        uint64_t rva = BUILT_RVA, left;
        struct source_frames frames;

        for (unsigned i = 0; i < N_ROWS; i++)
                buf_add(&annotations, "\3\1", 2); /* another row, one byte behind the last */
        built_proc(&l.builder, PROC, 0, 16, "f");
        built_site(&l.builder, SITE, 0, annotations.data, annotations.len);
        built_mark(&l.builder, SITE_END);
        built_mark(&l.builder, END);
        built_contribution(&l.builder, 1, 0, 16, 0);
        if (limited_open(&l, 0)) {
                left = budget_steps_left(&l.file);
                pdb_find(l.pdb, &rva, 1, &frames);
                EXPECT_INT(frames.n_frames, 1);
                source_frames_release(&frames);
                EXPECT_CMP(left - budget_steps_left(&l.file), >=, (N_ROWS - 1) * ROW_STEPS);
        }
        limited_close(&l);
}

/* The last of many types, to which the index in the file does not point. */
TEST(each_record_before_a_type_counts)
{
        enum { N_TYPES = 5000, RECORD_STEPS = 2, FIRST = BUILT_FIRST_TYPE };
        struct limited l = {0};
        uint64_t rva = BUILT_RVA, left;
        struct source_frames frames;
        uint32_t id;

        for (unsigned i = 0; i < N_TYPES; i++)
                built_scope(&l.builder, "");
        id = built_function_id(&l.builder, 0, "inlined");
        buf_add_u32(&l.builder.index, FIRST);
        buf_add_u32(&l.builder.index, 0);
        add_deep(&l.builder, 0, 16, id, 1);
        built_contribution(&l.builder, 1, 0, 16, 0);
        if (limited_open(&l, 0)) {
                left = budget_steps_left(&l.file);
                pdb_find(l.pdb, &rva, 1, &frames);
                EXPECT_INT(frames.n_frames, 2);
                if (frames.n_frames)
                        EXPECT_STR(frames.frames[0].function, "inlined");
                source_frames_release(&frames);
                EXPECT_CMP(left - budget_steps_left(&l.file), >=, N_TYPES * (RECORD_STEPS + 1));
        }
        limited_close(&l);
}

/* Functions inside each other have the same labels: those of the innermost one. */
TEST(each_label_counts)
{
        enum { LABEL = 0x1105, N_LABELS = 1000, LABEL_STEPS = 128 };
        struct limited l = {0};
        struct source_label *labels;

        built_proc(&l.builder, PROC, 0, 8, "outer");
        built_proc(&l.builder, PROC, 8, 8, "inner");
        for (unsigned i = 0; i < N_LABELS; i++) {
                built_begin(&l.builder, &l.builder.symbols, LABEL);
                buf_add_u32(&l.builder.symbols, i % 16);
                buf_add_u16(&l.builder.symbols, 1);
                buf_add_u8(&l.builder.symbols, 0);
                built_text(&l.builder.symbols, "label");
                built_end(&l.builder, &l.builder.symbols);
        }
        built_mark(&l.builder, END);
        built_mark(&l.builder, END);
        built_contribution(&l.builder, 1, 0, 16, 0);
        if (limited_open(&l, 0)) {
                uint64_t left = budget_steps_left(&l.file);

                for (uint32_t rva = BUILT_RVA; rva < BUILT_RVA + 16; rva += 8) {
                        EXPECT_INT(pdb_find_labels(l.pdb, rva, &labels), N_LABELS);
                        free(labels);
                }
                EXPECT_CMP(left - budget_steps_left(&l.file), >=, 2 * N_LABELS * LABEL_STEPS);
        }
        limited_close(&l);
}

/* A public symbol has no size, so its name is read for each address. */
TEST(each_long_name_counts)
{
        enum { NAME_BYTES = 60000, N = 20 };
        struct limited l = {0};
        char *name = mem_new(NAME_BYTES + 1, 1);

        memset(name, 'n', NAME_BYTES);
        built_public(&l.builder, 0, name);
        built_contribution(&l.builder, 1, 0x800, 8, 0);
        if (limited_open(&l, 0))
                EXPECT_CMP(count_steps(&l, 0, N), >=, N * NAME_BYTES / BUDGET_STEP_BYTES);
        free(name);
        limited_close(&l);
}

/* Modules are found by a hash of their names, which is counted; they are not compared one after the other. */
TEST(each_search_for_a_module_counts)
{
        enum { PREFIX_BYTES = 9000, N_MODULES = 20, N_IDS = 50 };
        struct limited l = {.builder.n_more_modules = N_MODULES};
        struct pdb_builder *b = &l.builder;
        AUTO_RELEASE(buf) name = {0};
        uint64_t rva = BUILT_RVA, left;
        struct source_frames frames;
        uint32_t id, name_off;

        memset(buf_extend(&name, PREFIX_BYTES), 'M', PREFIX_BYTES);
        b->more_name = buf_text(&name);
        id = built_function_id(b, 0, "elsewhere");
        add_deep(b, 0, 16, 0x80000000, N_IDS);
        built_contribution(b, 1, 0, 16, 0);
        buf_add_char(&name, '7');
        for (size_t i = 0; i < PREFIX_BYTES; i += 2)
                name.data[i] = 'm'; /* case does not matter */
        name_off = built_file(b, buf_text(&name));
        buf_truncate(&name, PREFIX_BYTES);
        memset(name.data, 'M', PREFIX_BYTES);
        built_subsection(b, 0xf7);
        buf_add_u32(&b->lines, name_off);
        buf_add_u32(&b->lines, N_IDS);
        for (uint32_t i = 0; i < N_IDS; i++)
                buf_add_u32(&b->lines, i);
        built_subsection_end(b);
        built_subsection(b, 0xf8);
        for (uint32_t i = 0; i < N_IDS; i++) {
                buf_add_u32(&b->lines, i);
                buf_add_u32(&b->lines, id);
        }
        built_subsection_end(b);
        if (limited_open(&l, 0)) {
                left = budget_steps_left(&l.file);
                pdb_find(l.pdb, &rva, 1, &frames);
                EXPECT_INT(frames.n_frames, N_IDS + 1);
                for (size_t i = 0; i < frames.n_frames && i < N_IDS; i++)
                        EXPECT_STR(frames.frames[i].function, "elsewhere");
                source_frames_release(&frames);
                EXPECT_CMP(left - budget_steps_left(&l.file), >=, N_IDS * PREFIX_BYTES / BUDGET_STEP_BYTES);
        }
        limited_close(&l);
}

TAP_MAIN
