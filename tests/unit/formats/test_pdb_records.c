/* SPDX-License-Identifier: BSD-3-Clause */
/* Records of every kind, one at a time and damaged, in PDBs made here. */
#include <stdlib.h>

#include "attributes.h"
#include "buf.h"
#include "err.h"
#include "pdb.h"
#include "pdb_sample.h"
#include "tap.h"

struct opened {
        struct pdb_builder builder;
        struct buf bytes;
        struct pdb *pdb;
};

static void opened_release(struct opened *o)
{
        pdb_free(o->pdb);
        buf_release(&o->bytes);
        built_release(&o->builder);
}

static void open_built(struct opened *o)
{
        struct err err = {0};

        pdb_free(o->pdb);
        buf_release(&o->bytes);
        built_file_bytes(&o->builder, 512, &o->bytes);
        o->pdb = pdb_open_bytes(o->bytes.data, o->bytes.len, "built.pdb", &err);
        if (!o->pdb)
                TAP_FAIL("%s", err.text);
}

static void open_sample(struct opened *o)
{
        sample_make(&o->builder);
        open_built(o);
}

/* "NAME PATH:LINE:COLUMN" of each frame, innermost first, separated by " < "; inlined frames in brackets. */
static const char *frames_at(struct pdb *pdb, uint32_t off, struct buf *out)
{
        uint64_t rva = BUILT_RVA + off;
        struct source_frames frames;

        buf_clear(out);
        pdb_find(pdb, &rva, 1, &frames);
        for (size_t i = 0; i < frames.spans[0].n; i++) {
                const struct source_frame *frame = &frames.frames[frames.spans[0].first + i];

                buf_printf(out, frame->is_inlined ? "%s[%s@%x %s:%u:%u]" : "%s%s@%x %s:%u:%u", i ? " < " : "",
                           frame->function ? frame->function : "?", (unsigned)frame->start,
                           frame->path ? frame->path + strlen("C:\\src\\") : "?", frame->line, frame->column);
        }
        source_frames_release(&frames);
        return buf_text(out);
}

static void expect_frames(struct opened *o, uint32_t off, const char *want)
{
        AUTO_RELEASE(buf) out = {0};

        EXPECT_STR(frames_at(o->pdb, off, &out), want);
}

/* --- Frames --- */

TEST(rows_of_several_files_are_one_table)
{
        AUTO_RELEASE(opened) o = {0};

        open_sample(&o);
        expect_frames(&o, SAMPLE_MAIN, "ns::main@1010 main.c:10:2");
        expect_frames(&o, SAMPLE_MAIN + 0xf, "ns::main@1010 main.c:10:2");
        expect_frames(&o, SAMPLE_MAIN + 0x20, "ns::main@1010 main.c:12:3");
        EXPECT_STR(pdb_note(o.pdb), "");
}

TEST(hidden_lines_are_no_lines)
{
        AUTO_RELEASE(opened) o = {0};

        open_sample(&o);
        expect_frames(&o, SAMPLE_MAIN + 0x38, "ns::main@1010 ?:0:0");
}

TEST(inlined_functions_are_nested)
{
        AUTO_RELEASE(opened) o = {0};

        open_sample(&o);
        expect_frames(&o, SAMPLE_MAIN + 0x10, "[ns::outer@1020 inline.h:50:5] < ns::main@1010 inline.h:11:7");
        expect_frames(&o, SAMPLE_MAIN + 0x14,
                      "[ns::Box::area@1024 more.h:110:0] < [ns::outer@1020 inline.h:50:5] < "
                      "ns::main@1010 inline.h:11:7");
        expect_frames(&o, SAMPLE_MAIN + 0x18, "[ns::outer@1020 inline.h:51:5] < ns::main@1010 inline.h:11:7");
        expect_frames(&o, SAMPLE_MAIN + 0x1f, "[ns::outer@1020 inline.h:51:5] < ns::main@1010 inline.h:11:7");
}

TEST(a_separated_part_belongs_to_its_function)
{
        AUTO_RELEASE(opened) o = {0};
        struct pdb_function function;

        open_sample(&o);
        expect_frames(&o, SAMPLE_COLD, "ns::main@1010 main.c:20:0");
        expect_frames(&o, SAMPLE_COLD + 8, "[ns::outer@1020 inline.h:50:5] < ns::main@1010 main.c:20:0");
        expect_frames(&o, SAMPLE_COLD + 0x10, "ns::main@1010 main.c:20:0");
        ASSERT_TRUE(pdb_find_function(o.pdb, BUILT_RVA + SAMPLE_COLD + 4, &function));
        EXPECT_STR(function.name, "ns::main");
        EXPECT_INT(function.start, BUILT_RVA + SAMPLE_MAIN);
        EXPECT_INT(function.same_from, BUILT_RVA + SAMPLE_COLD);
        EXPECT_INT(function.same_to, BUILT_RVA + SAMPLE_COLD + 0x20);
}

TEST(many_addresses_are_answered_as_one_each)
{
        AUTO_RELEASE(opened) o = {0};
        uint64_t rvas[0x500];
        struct source_frames frames;

        open_sample(&o);
        for (size_t i = 0; i < N_ELEMENTS(rvas); i++)
                rvas[i] = BUILT_RVA + i;
        rvas[N_ELEMENTS(rvas) - 1] = UINT64_MAX;
        pdb_find(o.pdb, rvas, N_ELEMENTS(rvas), &frames);
        for (size_t i = 0; i < N_ELEMENTS(rvas) - 1; i++) {
                uint64_t rva = rvas[i];
                struct source_frames one;

                pdb_find(o.pdb, &rva, 1, &one);
                EXPECT_INT(one.spans[0].n, frames.spans[i].n);
                for (size_t j = 0; j < one.spans[0].n && j < frames.spans[i].n; j++) {
                        const struct source_frame *a = &one.frames[one.spans[0].first + j];
                        const struct source_frame *b = &frames.frames[frames.spans[i].first + j];

                        EXPECT_TRUE(a->function == b->function && a->path == b->path && a->line == b->line &&
                                    a->column == b->column && a->start == b->start);
                }
                source_frames_release(&one);
        }
        EXPECT_INT(frames.spans[N_ELEMENTS(rvas) - 1].n, 0);
        source_frames_release(&frames);
}

/* --- Functions --- */

static void expect_function(struct opened *o, uint32_t off, const char *name, uint32_t start, uint32_t size,
                            bool size_is_guessed)
{
        struct pdb_function function;

        if (!pdb_find_function(o->pdb, BUILT_RVA + off, &function)) {
                TAP_FAIL("0x%x: no function, want %s", off, name);
                return;
        }
        EXPECT_STR(function.name, name);
        EXPECT_INT(function.start, BUILT_RVA + start);
        EXPECT_INT(function.size_bytes, size);
        EXPECT_CMP(function.size_is_guessed, ==, size_is_guessed);
        EXPECT_TRUE(function.same_from <= BUILT_RVA + off && BUILT_RVA + off < function.same_to);
}

TEST(functions_thunks_and_trampolines)
{
        AUTO_RELEASE(opened) o = {0};
        struct pdb_function function;

        open_sample(&o);
        expect_function(&o, SAMPLE_MAIN + 4, "ns::main", SAMPLE_MAIN, 0x40, false);
        expect_function(&o, SAMPLE_LEAF + 4, "leaf", SAMPLE_LEAF, 0x20, true);
        expect_function(&o, SAMPLE_THUNK + 5, "thunk", SAMPLE_THUNK, 6, false);
        expect_function(&o, SAMPLE_TRAMPOLINE, "ns::main", SAMPLE_TRAMPOLINE, 5, false);
        EXPECT_TRUE(!pdb_find_function(o.pdb, BUILT_RVA + SAMPLE_MAIN + 0x40, &function));
        EXPECT_TRUE(!pdb_find_function(o.pdb, BUILT_RVA, &function));
}

TEST(publics_cover_what_no_module_has)
{
        AUTO_RELEASE(opened) o = {0};

        open_sample(&o);
        expect_function(&o, SAMPLE_PUBLIC + 4, "memcpy", SAMPLE_PUBLIC, SAMPLE_LAST - SAMPLE_PUBLIC, true);
        expect_function(&o, SAMPLE_LAST, "last", SAMPLE_LAST, BUILT_SECTION_BYTES - SAMPLE_LAST, true);
        expect_frames(&o, SAMPLE_PUBLIC + 4, "memcpy@1300 ?:0:0");
}

TEST(decorated_names_replace_those_of_modules)
{
        AUTO_RELEASE(opened) o = {0};

        open_sample(&o);
        pdb_set_decorated(o.pdb, true);
        expect_function(&o, SAMPLE_MAIN, "?main@ns@@YAHXZ", SAMPLE_MAIN, 0x40, false);
        expect_function(&o, SAMPLE_COLD, "?main@ns@@YAHXZ", SAMPLE_MAIN, 0x20, false);
        expect_function(&o, SAMPLE_TRAMPOLINE, "?main@ns@@YAHXZ", SAMPLE_TRAMPOLINE, 5, false);
        expect_function(&o, SAMPLE_THUNK, "thunk", SAMPLE_THUNK, 6, false);
}

TEST(labels_and_extents)
{
        AUTO_RELEASE(opened) o = {0};
        struct source_label *labels;
        struct source_extent *extents;

        open_sample(&o);
        EXPECT_INT(pdb_find_labels(o.pdb, BUILT_RVA + SAMPLE_COLD, &labels), 1);
        EXPECT_STR(labels[0].name, "again");
        EXPECT_INT(labels[0].addr, BUILT_RVA + SAMPLE_MAIN + 0x30);
        free(labels);
        EXPECT_INT(pdb_find_labels(o.pdb, BUILT_RVA + SAMPLE_LEAF, &labels), 0);
        free(labels);
        EXPECT_INT(pdb_find_extents(o.pdb, BUILT_RVA + SAMPLE_COLD + 1, &extents), 2);
        EXPECT_INT(extents[0].start, BUILT_RVA + SAMPLE_MAIN);
        EXPECT_INT(extents[0].end, BUILT_RVA + SAMPLE_MAIN + 0x40);
        EXPECT_INT(extents[1].start, BUILT_RVA + SAMPLE_COLD);
        EXPECT_INT(extents[1].end, BUILT_RVA + SAMPLE_COLD + 0x20);
        free(extents);
        EXPECT_INT(pdb_find_extents(o.pdb, BUILT_RVA + SAMPLE_PUBLIC, &extents), 0);
        free(extents);
}

/* --- The DBI stream --- */

TEST(facts_are_of_the_dbi_stream)
{
        AUTO_RELEASE(opened) o = {0};
        const struct pdb_facts *facts;

        open_sample(&o);
        facts = pdb_get_facts(o.pdb);
        EXPECT_INT(facts->age, 3);
        EXPECT_INT(facts->guid[0], 0x10);
        EXPECT_INT(facts->guid[15], 0x1f);
        EXPECT_INT(facts->machine, OBJECT_MACHINE_ARM64);
        EXPECT_TRUE(!facts->is_stripped);
        o.builder.flags = 2;
        o.builder.machine = 0xa641;
        open_built(&o);
        EXPECT_TRUE(pdb_get_facts(o.pdb)->is_stripped);
        EXPECT_INT(pdb_get_facts(o.pdb)->machine, OBJECT_MACHINE_ARM64);
}

TEST(contributions_of_2014_and_in_disorder)
{
        AUTO_RELEASE(opened) o = {0};

        sample_make(&o.builder);
        buf_clear(&o.builder.contributions);
        o.builder.is_new = true;
        built_contribution(&o.builder, 1, SAMPLE_COLD, 0x20, 0);
        built_contribution(&o.builder, 2, 0, 0x20, 9);
        built_contribution(&o.builder, 1, SAMPLE_MAIN, 0x90, 0);
        built_contribution(&o.builder, 1, SAMPLE_MAIN, 0, 9);
        open_built(&o);
        expect_frames(&o, SAMPLE_MAIN, "ns::main@1010 main.c:10:2");
        expect_frames(&o, SAMPLE_COLD, "ns::main@1010 main.c:20:0");
}

TEST(moved_code_is_refused)
{
        AUTO_RELEASE(opened) o = {0};
        struct err err = {0};

        sample_make(&o.builder);
        o.builder.has_omap = true;
        built_file_bytes(&o.builder, 512, &o.bytes);
        EXPECT_TRUE(!pdb_open_bytes(o.bytes.data, o.bytes.len, "moved.pdb", &err));
        EXPECT_INT(err.code, ERR_UNSUPPORTED);
        EXPECT_STR(
                err.text,
                "moved.pdb: has OMAP tables: code was moved after linking, and wperf can't find the new addresses");
        EXPECT_TRUE(pdb_error_is_omap(&err));
}

TEST(pdbs_without_the_symbols_are_refused)
{
        AUTO_RELEASE(opened) o = {0};
        struct err err = {0};

        sample_make(&o.builder);
        o.builder.is_minimal = true;
        built_file_bytes(&o.builder, 512, &o.bytes);
        EXPECT_TRUE(!pdb_open_bytes(o.bytes.data, o.bytes.len, "fast.pdb", &err));
        EXPECT_INT(err.code, ERR_UNSUPPORTED);
        EXPECT_STR(err.text, "fast.pdb: is a PDB of /DEBUG:FASTLINK, which has no symbols (they are in the "
                             "object files); link with /DEBUG:FULL");
}

/* --- Types --- */

/* Many ids, found with the file's own index and without one. */
TEST(names_of_inlined_functions_with_and_without_an_index)
{
        for (int has_index = 0; has_index < 3; has_index++) {
                AUTO_RELEASE(opened) o = {0};
                char name[20];

                sample_make(&o.builder);
                for (int i = 0; i < 3000; i++) {
                        if (has_index && i % 1000 == 0) {
                                buf_add_u32(&o.builder.index, BUILT_FIRST_TYPE + o.builder.n_ids);
                                /* In the last round they lead nowhere. */
                                buf_add_u32(&o.builder.index,
                                            has_index == 1 ? (uint32_t)o.builder.ids.len : 0x7fffffff);
                        }
                        snprintf(name, sizeof(name), "more%d", i);
                        built_function_id(&o.builder, 0, name);
                }
                built_proc(&o.builder, 0x1110, 0x500, 0x10, "late");
                built_site(&o.builder, 0x114d, BUILT_FIRST_TYPE + o.builder.n_ids - 1, "\3\2\4\4", 4);
                built_mark(&o.builder, 0x114e);
                built_mark(&o.builder, 0x0006);
                built_contribution(&o.builder, 1, 0x500, 0x10, 0);
                open_built(&o);
                expect_frames(&o, 0x502, "[more2999@1502 ?:0:0] < late@1500 ?:0:0");
                expect_frames(&o, 0x506, "late@1500 ?:0:0");
                expect_frames(&o, SAMPLE_MAIN + 0x10,
                              "[ns::outer@1020 inline.h:50:5] < ns::main@1010 inline.h:11:7");
        }
}

/* --- Damage --- */

TEST(an_unknown_id_has_no_name_but_a_frame)
{
        AUTO_RELEASE(opened) o = {0};

        sample_make(&o.builder);
        built_proc(&o.builder, 0x1110, 0x500, 0x10, "late");
        built_site(&o.builder, 0x114d, 0x7777, "\3\2\4\4", 4);
        built_mark(&o.builder, 0x114e);
        built_mark(&o.builder, 0x0006);
        built_contribution(&o.builder, 1, 0x500, 0x10, 0);
        open_built(&o);
        expect_frames(&o, 0x502, "[?@0 ?:0:0] < late@1500 ?:0:0");
}

/* The module's list of imports has two, and one module's. */
TEST(an_import_that_is_not_there_has_no_name_but_a_frame)
{
        static const uint32_t ids[] = {SAMPLE_IMPORTED, SAMPLE_IMPORTED + 1, SAMPLE_IMPORTED + (1 << 20),
                                       UINT32_MAX};

        for (size_t i = 0; i < N_ELEMENTS(ids); i++) {
                AUTO_RELEASE(opened) o = {0};

                sample_make(&o.builder);
                built_proc(&o.builder, 0x1110, 0x500, 0x10, "late");
                built_site(&o.builder, 0x114d, ids[i], "\3\2\4\4", 4);
                built_mark(&o.builder, 0x114e);
                built_mark(&o.builder, 0x0006);
                built_contribution(&o.builder, 1, 0x500, 0x10, 0);
                open_built(&o);
                expect_frames(&o, 0x502,
                              i ? "[?@0 ?:0:0] < late@1500 ?:0:0"
                                : "[ns::Box::area@1502 inline.h:100:0] < late@1500 ?:0:0");
        }
}

TEST(damaged_symbols_leave_those_before_them)
{
        AUTO_RELEASE(opened) o = {0};

        sample_make(&o.builder);
        buf_add_u16(&o.builder.symbols, 0x4000);
        buf_add_u16(&o.builder.symbols, 0x1110);
        open_built(&o);
        expect_frames(&o, SAMPLE_MAIN, "ns::main@1010 main.c:10:2");
        EXPECT_STR(pdb_note(o.pdb), "module 0: its symbols end inside a record");
}

TEST(cut_lines_are_noted)
{
        AUTO_RELEASE(opened) o = {0};

        sample_make(&o.builder);
        built_set_u32(&o.builder.lines, BUILT_SUBSECTION_LENGTH_OFF, 0x7fffffff);
        open_built(&o);
        expect_frames(&o, SAMPLE_MAIN, "ns::main@1010 ?:0:0");
        EXPECT_STR(pdb_note(o.pdb), "module 0: its line information is cut off");
}

/* A scope that never ends, and infinitely nested scopes. */
TEST(scopes_are_bounded)
{
        AUTO_RELEASE(opened) o = {0};

        sample_make(&o.builder);
        built_proc(&o.builder, 0x1110, 0x500, 0x10, "deep");
        for (int i = 0; i < 5000; i++)
                built_site(&o.builder, 0x114d, BUILT_FIRST_TYPE, "\3\0\4\4", 4);
        built_contribution(&o.builder, 1, 0x500, 0x10, 0);
        open_built(&o);
        EXPECT_TRUE(pdb_find_function(o.pdb, BUILT_RVA + 0x508, &(struct pdb_function){0}));
        expect_frames(&o, 0x508, "deep@1500 ?:0:0");
        EXPECT_STR(pdb_note(o.pdb), "module 0: a function has more than 1024 scopes inside each other");
        expect_frames(&o, SAMPLE_MAIN, "ns::main@1010 main.c:10:2");
}

/* Functions whose records are inside each other's scopes would be read many times. */
TEST(work_is_bounded)
{
        AUTO_RELEASE(opened) o = {0};
        uint64_t rvas[1000];
        struct source_frames frames;

        for (uint32_t i = 0; i < N_ELEMENTS(rvas); i++) {
                rvas[i] = BUILT_RVA + i;
                built_proc(&o.builder, 0x1110, i, 1, "f");
        }
        for (int i = 0; i < 60000; i++)
                built_mark(&o.builder, 0x1234);
        for (size_t i = 0; i < N_ELEMENTS(rvas); i++)
                built_mark(&o.builder, 0x0006);
        built_contribution(&o.builder, 1, 0, N_ELEMENTS(rvas), 0);
        open_built(&o);
        pdb_find(o.pdb, rvas, N_ELEMENTS(rvas), &frames);
        EXPECT_INT(frames.n_frames, N_ELEMENTS(rvas));
        source_frames_release(&frames);
        EXPECT_STR(pdb_note(o.pdb),
                   "module 0: its records refer to each other too often, or were read too often");
}

TAP_MAIN
