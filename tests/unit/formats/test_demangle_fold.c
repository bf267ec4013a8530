/* SPDX-License-Identifier: BSD-3-Clause */
/* Folded names: std's typedefs and defaults, levels of lists, and texts that are not C++ names. */
#include "demangle.h"
#include "demangle_fold.h"
#include "tap.h"

#define STRING "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"

static const struct {
        const char *name, *want;
} names[] = {
        {STRING "::_M_replace(unsigned long, unsigned long, char const*, unsigned long)",
         "std::string::_M_replace(unsigned long, unsigned long, char const*, unsigned long)"},
        {"std::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >::basic_string",
         "std::wstring::basic_string"},
        {"std::basic_ostream<char, std::char_traits<char> >& std::operator<< <std::char_traits<char> >",
         "std::ostream& std::operator<< <std::char_traits<char> >"},
        {"std::vector<" STRING ", std::allocator<" STRING " > >::push_back",
         "std::vector<std::string>::push_back"},
        {"std::vector<std::vector<int, std::allocator<int> >, std::allocator<std::vector<int, std::allocator<int> > > "
         ">",
         "std::vector<std::vector<int> >"},
        {"std::map<" STRING ", int, std::less<" STRING " >, std::allocator<std::pair<" STRING
         " const, int> > >::operator[]",
         "std::map<std::string, int>::operator[]"},
        {"std::map<int, long, std::greater<int>, std::allocator<std::pair<int const, long> > >::at",
         "std::map<int, long, std::greater<int> >::at"},
        {"std::unordered_map<int, S, std::hash<int>, std::equal_to<int>, std::allocator<std::pair<int const, S> > >",
         "std::unordered_map<int, S>"},
        {"std::unique_ptr<S, std::default_delete<S> >::reset", "std::unique_ptr<S>::reset"},
        /* Not the default, and no container. */
        {"std::set<int, std::less<long>, std::allocator<int> >", "std::set<int, std::less<long> >"},
        {"std::vector<int, arena::allocator<int> >::at", "std::vector<int, arena::allocator<int> >::at"},
        {"own::vector<int, std::allocator<int> >::at", "own::vector<int, std::allocator<int> >::at"},
        {"std::__cxx11::to_string(int)", "std::to_string(int)"},
        {"std::__1::vector<int, std::__1::allocator<int> >::at(unsigned long)",
         "std::vector<int>::at(unsigned long)"},
        {"A::operator<(A const&)", "A::operator<(A const&)"},
        {"A::operator-><int>(std::vector<int, std::allocator<int> >)",
         "A::operator-><int>(std::vector<int>)"},
        {"f<((1)>(2)), &(g<int>)>(int)", "f<((1)>(2)), &(g<int>)>(int)"},
        {"<alloc::vec::Vec<u8> as core::ops::Fn<(u8,)>>::call",
         "<alloc::vec::Vec<u8> as core::ops::Fn<(u8,)>>::call"},
        {"std::vector<int,std::allocator<int> >::at", "std::vector<int>::at"},
        {"main", "main"},
        {"", ""},
};

TEST(what_a_reader_does_not_miss_is_left_out)
{
        for (size_t i = 0; i < N_ELEMENTS(names); i++) {
                AUTO_RELEASE(buf) out = {0};

                EXPECT_TRUE(demangle_fold(names[i].name, FOLD_ALL_LEVELS, &out));
                EXPECT_STR(buf_text(&out), names[i].want);
        }
}

TEST(inner_lists_are_left_out_first)
{
        static const char name[] = "a<b<c<int> >, std::vector<long> >::f<char>(d<e>)";
        static const char *const wants[] = {"a<...>::f<...>(d<e>)",
                                            "a<b<...>, std::vector<...> >::f<char>(d<e>)",
                                            "a<b<c<int> >, std::vector<long> >::f<char>(d<e>)"};

        for (unsigned levels = 0; levels < N_ELEMENTS(wants); levels++) {
                AUTO_RELEASE(buf) out = {0};

                EXPECT_TRUE(demangle_fold(name, levels, &out));
                EXPECT_STR(buf_text(&out), wants[levels]);
        }
}

TEST(what_is_no_name_stays)
{
        static const char *const others[] = {"f<int", "f)", "f(int", "f<a>>)",
                                             "LazyCompile:~g /srv/a.js:1 )"};
        AUTO_RELEASE(buf) deep = {0};
        AUTO_RELEASE(buf) out = {0};

        for (size_t i = 0; i < N_ELEMENTS(others); i++) {
                buf_clear(&out);
                EXPECT_TRUE(!demangle_fold(others[i], 0, &out));
                EXPECT_STR(buf_text(&out), others[i]);
        }
        for (unsigned i = 0; i < 2 * FOLD_MAX_DEPTH; i++)
                buf_add_str(&deep, "a<");
        buf_clear(&out);
        EXPECT_TRUE(!demangle_fold(buf_text(&deep), FOLD_ALL_LEVELS, &out));
        EXPECT_STR(buf_text(&out), buf_text(&deep));
}

TEST(clones_are_told_by_their_endings)
{
        static const struct {
                const char *name;
                size_t len;
        } clones[] = {
                {"f.cold", 1},       {"f.cold.12", 1},      {"f.part.0.isra.0", 1}, {"f.constprop.0.cold", 1},
                {"f.lto_priv.0", 1}, {"_Z1fv.llvm.123", 5}, {"f.part", 6},          {"f.123", 5},
                {".cold", 5},        {"f.avx2.0", 8},       {"f.scold", 7},         {"", 0},
        };

        for (size_t i = 0; i < N_ELEMENTS(clones); i++)
                EXPECT_INT(demangle_without_clone(clones[i].name), clones[i].len);
}

TEST(arguments_come_without_the_return_type)
{
        AUTO_RELEASE(buf) out = {0};

        EXPECT_TRUE(demangle_arguments("_Z1fIiEvT_", &out));
        EXPECT_STR(buf_text(&out), "f<int>(int)");
        EXPECT_TRUE(!demangle_arguments("main", &out));
        EXPECT_STR(buf_text(&out), "f<int>(int)");
}

TAP_MAIN
