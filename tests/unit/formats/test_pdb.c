/* SPDX-License-Identifier: BSD-3-Clause */
/* The small PDBs of tests/data/pdb: every address of their code compared with the expected results next to
 * them, functions, publics and identity. */
#include <stdlib.h>

#include "answers.h"
#include "buf.h"
#include "err.h"
#include "mem.h"
#include "os.h"
#include "pdb.h"
#include "tap.h"
#include "test_data.h"
#include "text.h"

struct looked_up {
        struct pdb *pdb;
        uint64_t *rvas;
        size_t n;
        struct source_frames frames;
};

static void looked_up_release(struct looked_up *l)
{
        source_frames_release(&l->frames);
        pdb_free(l->pdb);
        free(l->rvas);
}

static bool open_pdb(struct looked_up *l, const char *name)
{
        struct err err = {0};

        l->pdb = pdb_open(data_path(name), &err);
        if (!l->pdb)
                TAP_FAIL("%s", err.text);
        return l->pdb;
}

static void look_up_all(struct looked_up *l, uint64_t start, uint64_t end)
{
        l->n = (size_t)(end - start);
        l->rvas = mem_new(l->n, sizeof(*l->rvas));
        for (size_t i = 0; i < l->n; i++)
                l->rvas[i] = start + i;
        pdb_find(l->pdb, l->rvas, l->n, &l->frames);
}

/* --- Answers --- */

static const char *short_path(const char *path)
{
        if (!path)
                return "??";
        return text_starts(path, "C:\\src\\") ? path + strlen("C:\\src\\") : path;
}

/* As answers.py writes them. */
static void add_frames(const struct looked_up *l, size_t i, struct buf *out)
{
        const struct source_span *span = &l->frames.spans[i];

        buf_clear(out);
        if (!span->n)
                buf_add_str(out, "?? ??:0:0");
        for (size_t j = 0; j < span->n; j++) {
                const struct source_frame *frame = &l->frames.frames[span->first + j];

                buf_printf(out, "%s%s %s:%u", j ? "\t" : "", frame->function ? frame->function : "??",
                           short_path(frame->path), frame->line);
                if (j + 1 == span->n)
                        buf_printf(out, ":%u", frame->column);
                EXPECT_CMP(frame->is_inlined, ==, (j + 1 < span->n));
                EXPECT_TRUE(!frame->function || frame->start <= l->rvas[i]);
        }
}

static void expect_answers(const char *name, const char *answers_name)
{
        AUTO_RELEASE(looked_up) l = {0};
        AUTO_RELEASE(buf) text = {0};
        AUTO_RELEASE(buf) got = {0};
        struct answer *answers = NULL;
        size_t n = 0, at = 0, n_wrong = 0, n_asked = 0;

        if (os_read_file(data_path(answers_name), MAX_ANSWERS_BYTES, &text, NULL))
                n = read_answers(text.data, &answers);
        EXPECT_CMP(n, >, 10);
        if (n > 10 && open_pdb(&l, name)) {
                pdb_set_decorated(l.pdb, true);
                look_up_all(&l, answers[0].addr, answers[n - 1].addr);
                for (size_t i = 0; i < l.n; i++) {
                        at += answers[at + 1].addr == l.rvas[i];
                        if (!strcmp(answers[at].frames, "-"))
                                continue;
                        n_asked++;
                        add_frames(&l, i, &got);
                        if (strcmp(buf_text(&got), answers[at].frames) != 0 && !n_wrong++)
                                TAP_FAIL("%s 0x%" PRIx64 ": '%s', want '%s'", name, l.rvas[i], buf_text(&got),
                                         answers[at].frames);
                }
                EXPECT_INT(n_wrong, 0);
                EXPECT_CMP(n_asked, >, 250);
                EXPECT_STR(pdb_note(l.pdb), "");
                EXPECT_TRUE(pdb_check(l.pdb, NULL));
        }
        free(answers);
}

TEST(frames_of_every_address_of_x64)
{
        expect_answers("pdb/x64.pdb", "pdb/x64.answers");
}

TEST(frames_of_every_address_of_arm64)
{
        expect_answers("pdb/arm64.pdb", "pdb/arm64.answers");
}

TEST(frames_of_every_address_of_x86)
{
        expect_answers("pdb/x86.pdb", "pdb/x86.answers");
}

/* --- Identity --- */

TEST(facts_tell_identity_and_machine)
{
        static const struct {
                const char *name;
                enum object_machine machine;
        } files[] = {
                {"pdb/x64.pdb", OBJECT_MACHINE_X86_64},
                {"pdb/arm64.pdb", OBJECT_MACHINE_ARM64},
                {"pdb/x86.pdb", OBJECT_MACHINE_X86},
        };
        static const uint8_t guid[PDB_GUID_BYTES] = {0x8e, 0xe4, 0x23, 0x6a, 0xe3, 0x1d, 0xdd, 0x11,
                                                     0x4c, 0x4c, 0x44, 0x20, 0x50, 0x44, 0x42, 0x2e};

        for (size_t i = 0; i < N_ELEMENTS(files); i++) {
                AUTO_RELEASE(looked_up) l = {0};
                const struct pdb_facts *facts;

                ASSERT_TRUE(open_pdb(&l, files[i].name));
                facts = pdb_get_facts(l.pdb);
                EXPECT_INT(facts->machine, files[i].machine);
                EXPECT_INT(facts->age, 1);
                EXPECT_TRUE(!facts->is_stripped);
                EXPECT_CONTAINS(pdb_name(l.pdb), files[i].name);
                if (!i)
                        EXPECT_TRUE(!memcmp(facts->guid, guid, sizeof(guid)));
        }
}

/* --- Functions --- */

static void expect_function(struct pdb *pdb, uint32_t rva, const char *name, uint32_t start, uint32_t size)
{
        struct pdb_function function;

        if (!pdb_find_function(pdb, rva, &function)) {
                TAP_FAIL("0x%x: no function, want %s", rva, name);
                return;
        }
        EXPECT_STR(function.name, name);
        EXPECT_INT(function.start, start);
        EXPECT_INT(function.size_bytes, size);
        EXPECT_TRUE(!function.size_is_guessed);
        EXPECT_INT(function.same_from, start);
        EXPECT_INT(function.same_to, start + size);
}

TEST(functions_have_their_bounds)
{
        AUTO_RELEASE(looked_up) l = {0};
        struct pdb_function function;

        ASSERT_TRUE(open_pdb(&l, "pdb/x64.pdb"));
        expect_function(l.pdb, 0x1000, "geometry::total", 0x1000, 126);
        expect_function(l.pdb, 0x107d, "geometry::total", 0x1000, 126);
        expect_function(l.pdb, 0x1100, "local_work", 0x10d0, 89);
        expect_function(l.pdb, 0x1190, "Painter::fill", 0x1180, 28);
        EXPECT_TRUE(!pdb_find_function(l.pdb, 0x107e, &function));
        EXPECT_INT(function.same_from, 0x107e);
        EXPECT_INT(function.same_to, 0x1080);
        EXPECT_TRUE(!pdb_find_function(l.pdb, 0x10, &function));
        EXPECT_INT(function.same_from, 0);
        EXPECT_INT(function.same_to, 0x1000);
        EXPECT_TRUE(!pdb_find_function(l.pdb, 0x7fffffff, &function));
}

TEST(decorated_names_are_those_of_publics)
{
        AUTO_RELEASE(looked_up) l = {0};

        ASSERT_TRUE(open_pdb(&l, "pdb/x64.pdb"));
        pdb_set_decorated(l.pdb, true);
        expect_function(l.pdb, 0x1000, "?total@geometry@@YAHPEBUBox@1@H@Z", 0x1000, 126);
        expect_function(l.pdb, 0x1100, "local_work", 0x10d0, 89);
}

/* Every address of a span has the same result, and spans are contiguous. */
TEST(spans_of_equal_answers_are_true)
{
        static const char *const names[] = {"pdb/x64.pdb", "pdb/arm64.pdb", "pdb/x86.pdb"};

        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                AUTO_RELEASE(looked_up) l = {0};
                struct pdb_function last = {0};
                bool was_there = false;

                ASSERT_TRUE(open_pdb(&l, names[i]));
                for (uint32_t rva = 0xf00; rva < 0x5100; rva++) {
                        struct pdb_function function;
                        bool is_there = pdb_find_function(l.pdb, rva, &function);

                        EXPECT_TRUE(rva >= function.same_from && rva < function.same_to);
                        if (rva > 0xf00 && rva < last.same_to) {
                                EXPECT_TRUE(is_there == was_there && function.start == last.start);
                                EXPECT_INT(function.same_from, last.same_from);
                        }
                        last = function;
                        was_there = is_there;
                }
        }
}

TAP_MAIN
