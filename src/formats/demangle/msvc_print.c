/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints names and symbols in the layout of llvm-undname.  Every step is counted, because references to
 * earlier types can make the text of a short name very long. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "msvc_internal.h"

void msvc_add_bytes(struct msvc_printer *p, const char *text, size_t len)
{
        if (p->out->len - p->start + len > UNDECORATE_MAX_OUTPUT_BYTES)
                p->failed = true;
        if (!p->failed)
                buf_add(p->out, text, len);
}

void msvc_add(struct msvc_printer *p, const char *text)
{
        msvc_add_bytes(p, text, strlen(text));
}

static void add_number(struct msvc_printer *p, uint64_t value)
{
        char digits[24];

        snprintf(digits, sizeof(digits), "%" PRIu64, value);
        msvc_add(p, digits);
}

void msvc_add_space(struct msvc_printer *p)
{
        char c = p->out->len > p->start ? p->out->data[p->out->len - 1] : '\0';

        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '>')
                msvc_add(p, " ");
}

bool msvc_print_enter(struct msvc_printer *p)
{
        if (p->depth >= UNDECORATE_MAX_PRINT_DEPTH || !msvc_spend(&p->m->d))
                p->failed = true;
        if (!p->failed)
                p->depth++;
        return !p->failed;
}

static void print_cells(struct msvc_printer *p, const struct msvc_node *cell, const char *between)
{
        for (; cell && !p->failed; cell = cell->b) {
                msvc_print(p, cell->a);
                if (cell->b)
                        msvc_add(p, between);
        }
}

void msvc_print_list(struct msvc_printer *p, const struct msvc_node *list, const char *between)
{
        if (list)
                print_cells(p, list->a, between);
}

static void print_between(struct msvc_printer *p, const char *before, const struct msvc_node *list,
                          const char *after)
{
        msvc_add(p, before);
        msvc_print_list(p, list, ", ");
        msvc_add(p, after);
}

static void print_args(struct msvc_printer *p, const struct msvc_node *part)
{
        if (part->args)
                print_between(p, "<", part->args, ">");
}

static void print_conversion(struct msvc_printer *p, const struct msvc_node *n)
{
        msvc_add(p, "operator");
        print_args(p, n);
        msvc_add(p, " ");
        msvc_print(p, n->a);
}

static void print_local(struct msvc_printer *p, const struct msvc_node *n)
{
        msvc_add(p, "`");
        msvc_print(p, n->a);
        msvc_add(p, "'::`");
        add_number(p, n->num);
        msvc_add(p, "'");
}

static void print_guard(struct msvc_printer *p, const struct msvc_node *n)
{
        msvc_add_bytes(p, n->text, n->len);
        if (!n->num)
                return;
        msvc_add(p, "{");
        add_number(p, n->num);
        msvc_add(p, "}");
}

static void print_vcall(struct msvc_printer *p, const struct msvc_node *n)
{
        msvc_add_bytes(p, n->text, n->len);
        msvc_add(p, "{");
        add_number(p, n->num);
        msvc_add(p, ", {flat}}");
}

static void print_dynamic_init(struct msvc_printer *p, const struct msvc_node *n)
{
        msvc_add_bytes(p, n->text, n->len);
        msvc_add(p, n->a ? "`" : "'");
        msvc_print(p, n->a ? n->a : n->b);
        msvc_add(p, "''");
}

static void print_thunk(struct msvc_printer *p, const struct msvc_node *n)
{
        if (n->traits & MSVC_ADJUSTOR)
                print_between(p, "`adjustor{", n->c, "}'");
        else if (n->traits & MSVC_VTORDISP)
                print_between(p, "`vtordisp{", n->c, "}'");
        else if (n->traits & MSVC_VTORDISPEX)
                print_between(p, "`vtordispex{", n->c, "}'");
}

static void print_traits(struct msvc_printer *p, uint16_t traits)
{
        static const struct {
                uint16_t bit;
                const char *text;
        } shown[] = {
                {MSVC_THUNK, "[thunk]: "},        {MSVC_PUBLIC, "public: "}, {MSVC_PROTECTED, "protected: "},
                {MSVC_PRIVATE, "private: "},      {MSVC_STATIC, "static "},  {MSVC_VIRTUAL, "virtual "},
                {MSVC_EXTERN_C, "extern \"C\" "},
        };

        for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
                if (traits & shown[i].bit)
                        msvc_add(p, shown[i].text);
        }
}

static void print_method(struct msvc_printer *p, const struct msvc_node *n)
{
        if (p->is_long) {
                print_traits(p, n->traits);
                if (n->b)
                        msvc_print_function_left(p, n->b);
                msvc_add_space(p);
        }
        msvc_print(p, n->a);
        print_thunk(p, n);
        if (p->is_long && n->b && !(n->traits & MSVC_NAME_ONLY))
                msvc_print_params(p, n->b);
}

static void print_typed(struct msvc_printer *p, const struct msvc_node *n)
{
        msvc_print_left(p, n->b);
        msvc_add_space(p);
        msvc_print(p, n->a);
        msvc_print_right(p, n->b);
}

static void print_variable(struct msvc_printer *p, const struct msvc_node *n)
{
        if (p->is_long && n->text)
                msvc_add(p, n->text);
        if (p->is_long && n->b)
                print_typed(p, n);
        else
                msvc_print(p, n->a);
}

static void print_table(struct msvc_printer *p, const struct msvc_node *n)
{
        if (p->is_long && n->quals) {
                msvc_print_quals(p, n->quals, false);
                msvc_add(p, " ");
        }
        msvc_print(p, n->a);
        if (!n->b->a)
                return;
        msvc_add(p, "{for `");
        msvc_print_list(p, n->b, "'s `");
        msvc_add(p, "'}");
}

static void print_address(struct msvc_printer *p, const struct msvc_node *n)
{
        msvc_add(p, n->b ? "{" : n->text);
        if (n->a)
                msvc_print(p, n->a);
        if (n->a && n->b)
                msvc_add(p, ", ");
        if (n->b)
                print_between(p, "", n->b, "}");
}

static void print_part(struct msvc_printer *p, const struct msvc_node *n)
{
        switch (n->kind) {
        case MSVC_ALIAS: msvc_print(p, n->a); return;
        case MSVC_LOCAL: print_local(p, n); return;
        case MSVC_CONVERSION: print_conversion(p, n); return;
        case MSVC_GUARD: print_guard(p, n); return;
        case MSVC_VCALL: print_vcall(p, n); return;
        case MSVC_RTTI_BASE: print_between(p, n->text, n->a, ")'"); return;
        case MSVC_DYNAMIC_INIT: print_dynamic_init(p, n); return;
        case MSVC_DTOR: msvc_add(p, "~"); /* fall through */
        case MSVC_CTOR: msvc_print(p, n->a); break;
        case MSVC_LITERAL_OPERATOR: msvc_add(p, "operator \"\""); /* fall through */
        default: msvc_add_bytes(p, n->text, n->len); break;
        }
        print_args(p, n);
}

static void print_kind(struct msvc_printer *p, const struct msvc_node *n)
{
        switch (n->kind) {
        case MSVC_NUMBER:
                if (n->is_negative)
                        msvc_add(p, "-");
                add_number(p, n->num);
                break;
        case MSVC_QUALIFIED: print_cells(p, n->a, "::"); break;
        case MSVC_METHOD: print_method(p, n); break;
        case MSVC_VARIABLE: print_variable(p, n); break;
        case MSVC_TYPE_DATA: print_typed(p, n); break;
        case MSVC_TABLE: print_table(p, n); break;
        case MSVC_STRING: msvc_print_string(p, n); break;
        case MSVC_HASHED: msvc_add_bytes(p, n->text, n->len); break;
        case MSVC_ADDRESS: print_address(p, n); break;
        case MSVC_BRACED:
                msvc_print(p, n->a);
                print_between(p, "{", n->b, "}");
                break;
        case MSVC_BUILTIN:
        case MSVC_TAG:
        case MSVC_CUSTOM:
        case MSVC_POINTER:
        case MSVC_ARRAY:
        case MSVC_FUNCTION:
                msvc_print_left(p, n);
                msvc_print_right(p, n);
                break;
        default: print_part(p, n); break;
        }
}

void msvc_print(struct msvc_printer *p, const struct msvc_node *n)
{
        if (!msvc_print_enter(p))
                return;
        print_kind(p, n);
        p->depth--;
}
