/* SPDX-License-Identifier: BSD-3-Clause */
/* Works on text, because names come from symbol tables, debug information, perf maps and PDBs, and only
 * some of them were mangled. */
#include "demangle_fold.h"

#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "mem.h"

struct folder {
        const char *at;
        unsigned depth, levels;
        bool failed;
};

struct fold_span {
        size_t from, len;
};

/* The arguments of a list, folded. */
struct list {
        struct buf text;
        struct fold_span *args;
        size_t n, cap;
        bool has_blank; /* there is a blank between two brackets at its end */
        const char *separator;
};

static const char std_prefix[] = "std::";

/* Templates whose last arguments have defaults, without std::. */
static const char *const containers[] = {
        "basic_string",
        "basic_string_view",
        "vector",
        "deque",
        "list",
        "forward_list",
        "set",
        "multiset",
        "map",
        "multimap",
        "unordered_set",
        "unordered_map",
        "unordered_multiset",
        "unordered_multimap",
        "unique_ptr",
        "basic_ios",
        "basic_istream",
        "basic_ostream",
        "basic_iostream",
        "basic_streambuf",
        "basic_stringbuf",
        "basic_filebuf",
        "basic_istringstream",
        "basic_ostringstream",
        "basic_stringstream",
        "basic_ifstream",
        "basic_ofstream",
        "basic_fstream",
        "_Rb_tree",
        "_Vector_base",
        "_Deque_base",
        "_List_base",
        "_Fwd_list_base",
        "__uniq_ptr_impl",
        "istreambuf_iterator",
        "ostreambuf_iterator",
        "ostream_iterator",
};

static const char *const defaults[] = {
        "std::allocator<", "std::char_traits<", "std::less<",
        "std::hash<",      "std::equal_to<",    "std::default_delete<",
};

static bool is_word(char c)
{
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '$';
}

static bool starts(const char *text, const char *with)
{
        return !strncmp(text, with, strlen(with));
}

static char last_of(const struct buf *out, size_t start)
{
        return out->len > start ? out->data[out->len - 1] : '\0';
}

static void copy(struct folder *f, size_t n, struct buf *out)
{
        buf_add(out, f->at, n);
        f->at += n;
}

/* --- Default arguments --- */

static bool is_text(const struct list *list, const struct fold_span *span, const char *text, size_t len)
{
        return span->len == len && !strncmp(buf_text(&list->text) + span->from, text, len);
}

/* `std::pair<K const, V>` of the first two arguments. */
static bool is_pair(const struct list *list, const char *text, size_t len)
{
        const struct fold_span *k = &list->args[0], *v = &list->args[1];
        AUTO_RELEASE(buf) pair = {0};

        if (list->n < 2)
                return false;
        buf_add_str(&pair, "std::pair<");
        buf_add(&pair, buf_text(&list->text) + k->from, k->len);
        buf_add_str(&pair, " const, ");
        buf_add(&pair, buf_text(&list->text) + v->from, v->len);
        if (last_of(&pair, 0) == '>')
                buf_add_char(&pair, ' ');
        buf_add_char(&pair, '>');
        return pair.len == len && !memcmp(pair.data, text, len);
}

/* Whether the last argument is the default. */
static bool is_default(const struct list *list)
{
        const struct fold_span *last = &list->args[list->n - 1];
        const char *text = buf_text(&list->text) + last->from;
        const char *inner = NULL;
        size_t len;

        for (size_t i = 0; i < N_ELEMENTS(defaults); i++) {
                if (last->len > strlen(defaults[i]) + 1 && starts(text, defaults[i]))
                        inner = text + strlen(defaults[i]);
        }
        if (!inner || text[last->len - 1] != '>')
                return false;
        len = (size_t)(text + last->len - 1 - inner);
        while (len && inner[len - 1] == ' ')
                len--;
        for (size_t i = 0; i + 1 < list->n; i++) {
                if (is_text(list, &list->args[i], inner, len))
                        return true;
        }
        return is_pair(list, inner, len);
}

static void drop_defaults(const char *name, struct list *list)
{
        bool is_container = false;

        for (size_t i = 0; i < N_ELEMENTS(containers); i++)
                is_container |= !strcmp(name, containers[i]);
        while (is_container && list->n > 1 && is_default(list))
                list->n--;
}

/* --- Lists --- */

static void fold_text(struct folder *f, bool in_list, struct buf *out);

static void read_list(struct folder *f, struct list *list)
{
        list->separator = ", ";
        do {
                struct fold_span arg;

                f->at++; /* the bracket or the comma */
                if (list->n == 1)
                        list->separator = *f->at == ' ' ? ", " : ",";
                while (*f->at == ' ')
                        f->at++;
                arg.from = list->text.len;
                fold_text(f, true, &list->text);
                list->has_blank = last_of(&list->text, arg.from) == ' ';
                while (last_of(&list->text, arg.from) == ' ')
                        buf_truncate(&list->text, list->text.len - 1);
                arg.len = list->text.len - arg.from;
                ARRAY_PUSH(list->args, list->n, list->cap, arg);
        } while (!f->failed && *f->at == ',');
        if (*f->at != '>')
                f->failed = true;
        else
                f->at++;
}

static void add_list(const struct folder *f, const struct list *list, struct buf *out)
{
        size_t start = out->len;

        buf_add_char(out, '<');
        for (size_t i = 0; i < list->n; i++) {
                if (i)
                        buf_add_str(out, list->separator);
                buf_add(out, buf_text(&list->text) + list->args[i].from, list->args[i].len);
        }
        if (list->has_blank && last_of(out, 0) == '>')
                buf_add_char(out, ' ');
        buf_add_char(out, '>');
        if (f->depth >= f->levels && out->len - start > strlen("<...>")) {
                buf_truncate(out, start);
                buf_add_str(out, "<...>");
        }
}

/* "std::basic_string" with <char> is std::string, with <wchar_t> std::wstring. */
static bool add_typedef(const struct list *list, size_t name_start, struct buf *out)
{
        const char *basic = "std::basic_", *name = buf_text(out) + name_start;
        AUTO_RELEASE(buf) rest = {0};
        bool is_wide;

        if (list->n != 1 || !starts(name, basic))
                return false;
        is_wide = is_text(list, &list->args[0], "wchar_t", strlen("wchar_t"));
        if (!is_wide && !is_text(list, &list->args[0], "char", strlen("char")))
                return false;
        buf_add_str(&rest, name + strlen(basic));
        buf_truncate(out, name_start);
        buf_add_str(out, std_prefix);
        buf_add_str(out, is_wide ? "w" : "");
        buf_add(out, rest.data, rest.len);
        return true;
}

/* The offset at which the last name of the output begins. */
static size_t find_name(const struct buf *out, size_t start)
{
        size_t at = out->len;

        while (at > start && (is_word(out->data[at - 1]) || out->data[at - 1] == ':'))
                at--;
        return at;
}

static void fold_list(struct folder *f, size_t start, struct buf *out)
{
        size_t name_start = find_name(out, start);
        struct list list = {0};

        if (f->depth >= FOLD_MAX_DEPTH) {
                f->failed = true;
                return;
        }
        f->depth++;
        read_list(f, &list);
        f->depth--;
        if (!f->failed) {
                const char *name = buf_text(out) + name_start;

                if (starts(name, std_prefix))
                        drop_defaults(name + strlen(std_prefix), &list);
                if (!add_typedef(&list, name_start, out))
                        add_list(f, &list, out);
        }
        buf_release(&list.text);
        free(list.args);
}

/* --- Text --- */

/* Copies `operator` with the following characters, which may be brackets and commas. */
static bool take_operator(struct folder *f, size_t start, struct buf *out)
{
        static const char *const signs[] = {
                "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">", ","};
        size_t len = strlen("operator");

        if (!starts(f->at, "operator") || is_word(f->at[len]) || is_word(last_of(out, start)))
                return false;
        copy(f, len, out);
        for (size_t i = 0; i < N_ELEMENTS(signs); i++) {
                if (starts(f->at, signs[i])) {
                        copy(f, strlen(signs[i]), out);
                        if (*f->at == '<')
                                fold_list(f, start, out);
                        break;
                }
        }
        return true;
}

/* Skips inline namespaces, which distinguish versions of a library. */
static bool skip_namespace(struct folder *f, size_t start, const struct buf *out)
{
        size_t len = strlen(std_prefix), n = starts(f->at, "__cxx11::") ? strlen("__cxx11::")
                                             : starts(f->at, "__1::")   ? strlen("__1::")
                                                                        : 0;

        if (!n || out->len - start < len || memcmp(out->data + out->len - len, std_prefix, len) != 0)
                return false;
        f->at += n;
        return true;
}

/* A list follows a name; in Rust it may also be at the beginning, or where a type is allowed. */
static bool opens_list(const struct buf *out, size_t start)
{
        char before = last_of(out, start);

        return is_word(before) || !before || strchr(" (&*[", before);
}

/* Folds up to the end of the text, in a list up to a comma or the end of the list. */
static void fold_text(struct folder *f, bool in_list, struct buf *out)
{
        size_t start = out->len, nesting = 0;

        while (*f->at && !f->failed) {
                char c = *f->at;
                bool is_arrow = c == '>' && last_of(out, start) == '-';

                if (in_list && !nesting && (c == ',' || (c == '>' && !is_arrow)))
                        return;
                if (take_operator(f, start, out) || skip_namespace(f, start, out))
                        continue;
                if (c == '<' && opens_list(out, start)) {
                        fold_list(f, start, out);
                        continue;
                }
                if (strchr(")]}", c) && !nesting--)
                        f->failed = true;
                nesting += strchr("([{", c) != NULL;
                copy(f, 1, out);
        }
        f->failed |= in_list || nesting;
}

bool demangle_fold(const char *name, unsigned levels, struct buf *out)
{
        struct folder f = {.at = name, .levels = levels};
        size_t start = out->len;

        f.failed = strnlen(name, FOLD_MAX_INPUT_BYTES + 1) > FOLD_MAX_INPUT_BYTES;
        if (!f.failed)
                fold_text(&f, false, out);
        if (!f.failed)
                return true;
        buf_truncate(out, start);
        buf_add_str(out, name);
        return false;
}
