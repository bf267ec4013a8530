/* SPDX-License-Identifier: BSD-3-Clause */
/* Codes of operators, types and calling conventions in decorated names.  The texts are those of
 * llvm-undname; for codes that it does not support, those of undname. */
#include <assert.h>
#include <stddef.h>

#include "msvc_internal.h"

enum { N_CODES = 36 }; /* 0 to 9, A to Z */

/* clang-format off */
static const char *const operators[MSVC_GROUPS][N_CODES] = {
        [MSVC_PLAIN] = { /* constructor, destructor and conversion do not have fixed names */
                NULL, NULL, "operator new", "operator delete", "operator=", "operator>>", "operator<<", "operator!",
                "operator==", "operator!=",
                "operator[]", NULL, "operator->", "operator*", "operator++", "operator--", "operator-", "operator+",
                "operator&", "operator->*", "operator/", "operator%", "operator<", "operator<=", "operator>",
                "operator>=", "operator,", "operator()", "operator~", "operator^", "operator|", "operator&&",
                "operator||", "operator*=", "operator+=", "operator-=",
        },
        [MSVC_UNDER] = {
                "operator/=", "operator%=", "operator>>=", "operator<<=", "operator&=", "operator|=", "operator^=",
                NULL, NULL, NULL,
                NULL, NULL, NULL, "`vbase dtor'", "`vector deleting dtor'", "`default ctor closure'",
                "`scalar deleting dtor'", "`vector ctor iterator'", "`vector dtor iterator'",
                "`vector vbase ctor iterator'", "`virtual displacement map'", "`eh vector ctor iterator'",
                "`eh vector dtor iterator'", "`eh vector vbase ctor iterator'", "`copy ctor closure'", NULL, NULL,
                NULL, NULL, "`local vftable ctor closure'", "operator new[]", "operator delete[]", NULL, NULL, NULL,
                NULL,
        },
        [MSVC_UNDER_UNDER] = {
                NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                "`managed vector ctor iterator'", "`managed vector dtor iterator'", "`EH vector copy ctor iterator'",
                "`EH vector vbase copy ctor iterator'", NULL, NULL, "`vector copy ctor iterator'",
                "`vector vbase copy constructor iterator'", "`managed vector vbase copy constructor iterator'", NULL,
                NULL, "operator co_await", "operator<=>",
        },
};

static const char *const builtins['Z' + 1] = {
        ['X'] = "void", ['D'] = "char", ['C'] = "signed char", ['E'] = "unsigned char", ['F'] = "short",
        ['G'] = "unsigned short", ['H'] = "int", ['I'] = "unsigned int", ['J'] = "long", ['K'] = "unsigned long",
        ['M'] = "float", ['N'] = "double", ['O'] = "long double",
};

static const char *const long_builtins['Z' + 1] = {
        ['D'] = "__int8", ['E'] = "unsigned __int8", ['F'] = "__int16", ['G'] = "unsigned __int16",
        ['H'] = "__int32", ['I'] = "unsigned __int32", ['J'] = "__int64", ['K'] = "unsigned __int64",
        ['L'] = "__int128", ['M'] = "unsigned __int128", ['N'] = "bool", ['P'] = "auto", ['Q'] = "char8_t",
        ['S'] = "char16_t", ['T'] = "decltype(auto)", ['U'] = "char32_t", ['W'] = "wchar_t",
};

/* The second letter of each pair is for far code. */
static const char *const conventions['Z' + 1] = {
        ['A'] = "__cdecl", ['B'] = "__cdecl", ['C'] = "__pascal", ['D'] = "__pascal", ['E'] = "__thiscall",
        ['F'] = "__thiscall", ['G'] = "__stdcall", ['H'] = "__stdcall", ['I'] = "__fastcall", ['J'] = "__fastcall",
        ['M'] = "__clrcall", ['N'] = "__clrcall", ['O'] = "__eabi", ['P'] = "__eabi", ['Q'] = "__vectorcall",
        ['S'] = "__attribute__((__swiftcall__)) ", ['W'] = "__attribute__((__swiftasynccall__)) ",
};

/* By the underlying type; compilers write 4 for all enums. */
static const char *const enums[8] = {
        "enum char", "enum unsigned char", "enum short", "enum unsigned short", "enum", "enum unsigned int",
        "enum long", "enum unsigned long",
};
/* clang-format on */

static const char *find(const char *const table['Z' + 1], char code)
{
        return code >= 'A' && code <= 'Z' ? table[(unsigned char)code] : NULL;
}

const char *msvc_operator_find(enum msvc_group group, char code)
{
        assert(group < MSVC_GROUPS);
        if (code >= '0' && code <= '9')
                return operators[group][code - '0'];
        return code >= 'A' && code <= 'Z' ? operators[group][code - 'A' + 10] : NULL;
}

const char *msvc_builtin_find(char code)
{
        return find(builtins, code);
}

const char *msvc_long_builtin_find(char code)
{
        return find(long_builtins, code);
}

const char *msvc_convention_find(char code)
{
        return code == 'w' ? "__regcall" : find(conventions, code);
}

const char *msvc_enum_find(char code)
{
        return code >= '0' && code <= '7' ? enums[code - '0'] : NULL;
}
