/* SPDX-License-Identifier: BSD-3-Clause */
/* Operators and builtin types of the Itanium C++ ABI, sections 5.1.3, 5.1.5.2 and 5.1.6. */
#include "demangle_internal.h"

static const struct demangle_op ops[] = {
        {"aN", OP_BINARY, true, "&="},
        {"aS", OP_BINARY, true, "="},
        {"aa", OP_BINARY, true, "&&"},
        {"ad", OP_UNARY, true, "&"},
        {"an", OP_BINARY, true, "&"},
        {"at", OP_OF_TYPE, false, "alignof"},
        {"aw", OP_UNARY, true, "co_await "},
        {"az", OP_UNARY, false, "alignof "},
        {"cc", OP_CAST, false, "const_cast"},
        {"cl", OP_CALL, true, "()"},
        {"cm", OP_BINARY, true, ","},
        {"co", OP_UNARY, true, "~"},
        {"cv", OP_CONVERSION, false, ""},
        {"dV", OP_BINARY, true, "/="},
        {"dX", OP_RANGE, false, ""},
        {"da", OP_UNARY, true, "delete[] "},
        {"dc", OP_CAST, false, "dynamic_cast"},
        {"de", OP_UNARY, true, "*"},
        {"di", OP_FIELD, false, ""},
        {"dl", OP_UNARY, true, "delete "},
        {"dn", OP_DESTRUCTOR, false, "~"},
        {"ds", OP_BINARY, false, ".*"},
        {"dt", OP_MEMBER, false, "."},
        {"dv", OP_BINARY, true, "/"},
        {"dx", OP_ELEMENT, false, ""},
        {"eO", OP_BINARY, true, "^="},
        {"eo", OP_BINARY, true, "^"},
        {"eq", OP_BINARY, true, "=="},
        {"fL", OP_FOLD_INIT, false, ""},
        {"fR", OP_FOLD_INIT, false, ""},
        {"fl", OP_FOLD, false, ""},
        {"fr", OP_FOLD, false, ""},
        {"ge", OP_BINARY, true, ">="},
        {"gt", OP_BINARY, true, ">"},
        {"il", OP_BRACED, false, ""},
        {"ix", OP_INDEX, true, "[]"},
        {"lS", OP_BINARY, true, "<<="},
        {"le", OP_BINARY, true, "<="},
        {"ls", OP_BINARY, true, "<<"},
        {"lt", OP_BINARY, true, "<"},
        {"mI", OP_BINARY, true, "-="},
        {"mL", OP_BINARY, true, "*="},
        {"mi", OP_BINARY, true, "-"},
        {"ml", OP_BINARY, true, "*"},
        {"mm", OP_POSTFIX, true, "--"},
        {"na", OP_NEW, true, "new[]"},
        {"ne", OP_BINARY, true, "!="},
        {"ng", OP_UNARY, true, "-"},
        {"nt", OP_UNARY, true, "!"},
        {"nw", OP_NEW, true, "new"},
        {"nx", OP_OF_EXPR, false, "noexcept"},
        {"oR", OP_BINARY, true, "|="},
        {"on", OP_OPERATOR, false, ""},
        {"oo", OP_BINARY, true, "||"},
        {"or", OP_BINARY, true, "|"},
        {"pL", OP_BINARY, true, "+="},
        {"pl", OP_BINARY, true, "+"},
        {"pm", OP_BINARY, true, "->*"},
        {"pp", OP_POSTFIX, true, "++"},
        {"ps", OP_UNARY, true, "+"},
        {"pt", OP_MEMBER, true, "->"},
        {"qu", OP_TERNARY, true, "?"},
        {"rM", OP_BINARY, true, "%="},
        {"rS", OP_BINARY, true, ">>="},
        {"rc", OP_CAST, false, "reinterpret_cast"},
        {"rm", OP_BINARY, true, "%"},
        {"rs", OP_BINARY, true, ">>"},
        {"sP", OP_SIZEOF_ARGS, false, ""},
        {"sZ", OP_SIZEOF_PACK, false, ""},
        {"sc", OP_CAST, false, "static_cast"},
        {"sp", OP_EXPANSION, false, ""},
        {"sr", OP_SCOPE, false, ""},
        {"ss", OP_BINARY, true, "<=>"},
        {"st", OP_OF_TYPE, false, "sizeof"},
        {"sz", OP_UNARY, false, "sizeof "},
        {"te", OP_OF_EXPR, false, "typeid"},
        {"ti", OP_OF_TYPE, false, "typeid"},
        {"tl", OP_TYPED_BRACED, false, ""},
        {"tr", OP_NULLARY, false, "throw"},
        {"tw", OP_UNARY, false, "throw "},
};

static const struct demangle_builtin builtins[] = {
        {"v", "void", NULL},
        {"w", "wchar_t", NULL},
        {"b", "bool", NULL},
        {"c", "char", NULL},
        {"a", "signed char", NULL},
        {"h", "unsigned char", NULL},
        {"s", "short", NULL},
        {"t", "unsigned short", NULL},
        {"i", "int", ""},
        {"j", "unsigned int", "u"},
        {"l", "long", "l"},
        {"m", "unsigned long", "ul"},
        {"x", "long long", "ll"},
        {"y", "unsigned long long", "ull"},
        {"n", "__int128", NULL},
        {"o", "unsigned __int128", NULL},
        {"f", "float", NULL},
        {"d", "double", NULL},
        {"e", "long double", NULL},
        {"g", "__float128", NULL},
        {"z", "...", NULL},
        {"Dd", "decimal64", NULL},
        {"De", "decimal128", NULL},
        {"Df", "decimal32", NULL},
        {"Dh", "half", NULL},
        {"Di", "char32_t", NULL},
        {"Ds", "char16_t", NULL},
        {"Du", "char8_t", NULL},
        {"Da", "auto", NULL},
        {"Dc", "decltype(auto)", NULL},
        {"Dn", "decltype(nullptr)", NULL},
};

const struct demangle_op *demangle_op_find(char first, char second)
{
        for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
                if (ops[i].code[0] == first && ops[i].code[1] == second)
                        return &ops[i];
        }
        return NULL;
}

const struct demangle_builtin *demangle_builtin_find(char first, char second)
{
        for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++) {
                const char *code = builtins[i].code;

                if (first && code[0] == first && (!code[1] || code[1] == second))
                        return &builtins[i];
        }
        return NULL;
}
