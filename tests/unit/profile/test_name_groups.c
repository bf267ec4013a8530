/* SPDX-License-Identifier: BSD-3-Clause */
#include "name_groups.h"

#include "attributes.h"

#include "tap.h"

static struct name_groups *parse(const char *text, struct err *err)
{
        return name_groups_parse(text, strlen(text), err);
}

TEST(the_first_rule_that_matches_counts)
{
        struct err err = {0};
        AUTO(name_groups)
        groups = parse("# comment\n\n  memory malloc*\r\nkernel * [kernel*\nfast fast_*\tlib?.so\nmemory *\n",
                       &err);

        ASSERT_CMP(groups, !=, NULL);
        EXPECT_STR(name_groups_find(groups, &(struct run_name){"malloc_x", NULL, "libc.so.6"}), "memory");
        EXPECT_STR(name_groups_find(groups, &(struct run_name){"MALLOC", NULL, "[kernel.kallsyms]"}),
                   "memory");
        EXPECT_STR(name_groups_find(groups, &(struct run_name){"do_it", NULL, "[kernel.kallsyms]"}),
                   "kernel");
        EXPECT_STR(name_groups_find(groups, &(struct run_name){"fast_1(int)", "fast_1", "libx.so"}), "fast");
        EXPECT_STR(name_groups_find(groups, &(struct run_name){"fast_1", NULL, "libxy.so"}), "memory");
}

TEST(what_no_rule_matches_is_another_group)
{
        struct err err = {0};
        AUTO(name_groups) groups = parse("a a", &err);

        ASSERT_CMP(groups, !=, NULL);
        EXPECT_STR(name_groups_find(groups, &(struct run_name){"b", NULL, ""}), NAME_GROUPS_OTHER);
}

TEST(rules_that_are_none_are_refused_with_their_line)
{
        static const struct {
                const char *text, *error;
        } wrong[] = {
                {"", "there are no rules"},
                {"# only a comment\n", "there are no rules"},
                {"a b\nc\n", "line 2: a rule is"},
                {"a b c d", "line 1: a rule is"},
        };
        struct err err = {0};

        for (size_t i = 0; i < N_ELEMENTS(wrong); i++) {
                EXPECT_TRUE(!parse(wrong[i].text, &err));
                EXPECT_CONTAINS(err.text, wrong[i].error);
        }
        EXPECT_TRUE(!name_groups_parse("a b\0c", 5, &err));
        EXPECT_CONTAINS(err.text, "this is not a text");
}

/* Functions of the versions from 3.8 to 3.15, each where a reader looks for it. */
TEST(functions_of_cpython_are_in_their_groups)
{
        static const char *const known[][3] = {
                {"_PyEval_EvalFrameDefault", "python3.11", "interpreter"},
                {"_PyEval_EvalFrameDefault.cold", "python3.8", "interpreter"},
                {"_TAIL_CALL_LOAD_FAST", "python3.14", "interpreter"},
                {"call_function", "python3.8", "calls"},
                {"function_code_fastcall", "python3.8", "calls"},
                {"_PyFunction_Vectorcall", "libpython3.12.so.1.0", "calls"},
                {"cfunction_vectorcall_FASTCALL", "python3.12", "calls"},
                {"gc_collect_main", "python3.11", "gc"},
                {"collect", "python3.8", "gc"},
                {"subtype_traverse", "python3.11", "gc"},
                {"deduce_unreachable", "python3.10", "gc"},
                {"_Py_Dealloc", "python3.11", "dealloc"},
                {"tupledealloc", "python3.9", "dealloc"},
                {"_PyObject_Malloc", "python3.11", "memory"},
                {"PyObject_Malloc", "python3.9", "memory"},
                {"_mi_page_malloc", "python3.13t", "memory"},
                {"malloc", "libc.so.6", "memory"},
                {"_int_free", "libc.so.6", "memory"},
                {"_PyType_Lookup", "python3.11", "lookups"},
                {"_PyObject_GenericGetAttrWithDict", "python3.11", "lookups"},
                {"type_getattro", "python3.11", "lookups"},
                {"lookdict_unicode_nodummy", "python3.8", "dict"},
                {"_Py_dict_lookup", "python3.11", "dict"},
                {"insertdict", "python3.11", "dict"},
                {"long_add", "python3.11", "long"},
                {"x_mul", "python3.11", "long"},
                {"_PyLong_Add", "python3.11", "long"},
                {"float_mul", "python3.11", "float"},
                {"unicode_concatenate", "python3.10", "unicode"},
                {"PyUnicode_Join", "python3.11", "unicode"},
                {"ucs1lib_fastsearch", "python3.8", "unicode"},
                {"r_object", "python3.11", "import"},
                {"PyImport_ImportModuleLevelObject", "python3.11", "import"},
                {"compiler_visit_expr", "python3.11", "compile"},
                {"term_rule", "python3.9", "compile"},
                {"PyList_Append", "python3.11", "containers"},
                {"binarysort", "python3.11", "sort"},
                {"gen_send_ex2", "python3.11", "generators"},
                {"encoder_listencode_obj", "_json.cpython-311-x86_64-linux-gnu.so", "json"},
                {"copy_user_generic", "[kernel.kallsyms]", "kernel"},
                {"__memmove_avx512_unaligned_erms", "libc.so.6", "libc"},
                {"main", "python3.11", "python"},
                {"my_function", "program", "other"},
        };
        AUTO(name_groups) groups = name_groups_cpython();

        ASSERT_CMP(groups, !=, NULL);
        for (size_t i = 0; i < N_ELEMENTS(known); i++)
                EXPECT_STR(name_groups_find(groups, &(struct run_name){known[i][0], NULL, known[i][1]}),
                           known[i][2]);
}

TAP_MAIN
