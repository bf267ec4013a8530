/* SPDX-License-Identifier: BSD-3-Clause */
/* What the undecorate*.c files share: the tree a decorated name is taken apart into, the parser, the printer, the
 * fact tables. */
#ifndef MSVC_INTERNAL_H
#define MSVC_INTERNAL_H

#include "demangle_internal.h"
#include "undecorate.h"

enum msvc_kind {
        MSVC_CELL, /* one element `a` of a list, the next cell is `b` */
        MSVC_LIST, /* a list: `a` is its first cell or NULL */
        MSVC_NUMBER,
        /* one part of a name; `args` are its template arguments or NULL */
        MSVC_NAME,
        MSVC_ALIAS,            /* the part `a` of another name */
        MSVC_LOCAL,            /* scope `num` inside the symbol `a` */
        MSVC_CTOR,             /* of class a */
        MSVC_DTOR,             /* of class a */
        MSVC_CONVERSION,       /* to type a */
        MSVC_LITERAL_OPERATOR, /* text */
        MSVC_GUARD,            /* text; scope num when that is not 0 */
        MSVC_VCALL,            /* num: offset in the table */
        MSVC_RTTI_BASE,        /* a: list of its four numbers */
        MSVC_DYNAMIC_INIT,     /* text; of the variable `a` or of what has the name b */
        /* names */
        MSVC_QUALIFIED, /* a: cells of its parts, outermost first */
        /* types */
        MSVC_BUILTIN,  /* text */
        MSVC_TAG,      /* text (class, struct, union, enum) and name a */
        MSVC_CUSTOM,   /* part a */
        MSVC_POINTER,  /* to a, in class b or NULL; text is * & or && */
        MSVC_ARRAY,    /* of a; b: list of its dimensions */
        MSVC_FUNCTION, /* returns a (or NULL), takes list b (NULL: void); text: calling convention or NULL */
        /* symbols; all but the last two have their name in `a` */
        MSVC_METHOD, /* function type b, or NULL when only the name is written; c: list of a thunk's offsets */
        MSVC_VARIABLE,  /* of type b or NULL; text: access or NULL */
        MSVC_TYPE_DATA, /* data about the type b */
        MSVC_TABLE,     /* list b of the bases that it is for, or NULL */
        MSVC_STRING,    /* text, still encoded */
        MSVC_HASHED,    /* text */
        /* template arguments */
        MSVC_ADDRESS, /* text, then the symbol `a` or NULL; b: list of a member pointer's offsets or NULL */
        MSVC_BRACED,  /* an object of type a with the values b */
};

enum { /* bits of quals */
       MSVC_CONST = 1u << 0,
       MSVC_VOLATILE = 1u << 1,
       MSVC_RESTRICT = 1u << 2,
       MSVC_UNALIGNED = 1u << 3,
       MSVC_LVALUE_THIS = 1u << 4,
       MSVC_RVALUE_THIS = 1u << 5,
       MSVC_NOEXCEPT = 1u << 6,
       MSVC_VARIADIC = 1u << 7,
};

enum { /* bits of traits of a function symbol */
       MSVC_PRIVATE = 1u << 0,
       MSVC_PROTECTED = 1u << 1,
       MSVC_PUBLIC = 1u << 2,
       MSVC_STATIC = 1u << 3,
       MSVC_VIRTUAL = 1u << 4,
       MSVC_GLOBAL = 1u << 5,
       MSVC_EXTERN_C = 1u << 6,
       MSVC_NAME_ONLY = 1u << 7,
       MSVC_ADJUSTOR = 1u << 8,
       MSVC_VTORDISP = 1u << 9,
       MSVC_VTORDISPEX = 1u << 10,
       MSVC_THUNK = 1u << 11,
};

struct msvc_node {
        uint8_t kind;
        uint8_t quals;
        bool is_negative;
        uint16_t traits;
        uint64_t num;
        const char *text;
        size_t len;      /* of text */
        const char *key; /* how a part of a name is written, where a reference may mean it */
        size_t key_len;
        struct msvc_node *a, *b, *c, *args;
};

enum {
        MSVC_MAX_REFS = 10,   /* references have one digit */
        MSVC_NEAR_NODES = 64, /* most names need no memory but this */
};

/* What a digit means instead of a part of a name or the type of a parameter. */
struct msvc_refs {
        struct msvc_node *names[MSVC_MAX_REFS], *types[MSVC_MAX_REFS];
        size_t n_names, n_types;
};

struct msvc_name {
        struct demangle d; /* its cursor, arena and counts */
        struct msvc_refs refs;
        size_t n_near;
        struct msvc_node near[MSVC_NEAR_NODES]; /* not initialised */
};

/* Reading.  Every function that returns a node returns NULL on malformed input and past a limit. */
bool msvc_spend(struct demangle *d);
/* One level deeper, or false; each successful one needs a msvc_leave. */
bool msvc_enter(struct msvc_name *m);
void msvc_leave(struct msvc_name *m);
struct msvc_node *msvc_node(struct msvc_name *m, enum msvc_kind kind);
/* NULL also when `a` is. */
struct msvc_node *msvc_wrap(struct msvc_name *m, enum msvc_kind kind, struct msvc_node *a);
struct msvc_node *msvc_text(struct msvc_name *m, enum msvc_kind kind, const char *text);
/* Adds `item` behind *tail (NULL for none yet) of `list`; false when there is nothing to add. */
bool msvc_append(struct msvc_name *m, struct msvc_node *list, struct msvc_node **tail,
                 struct msvc_node *item);

/* `0` to `9` are 1 to 10, `A` to `P` are digits of base 16 up to `@`; `?` in front makes it negative. */
bool msvc_number(struct msvc_name *m, uint64_t *ret_value, bool *ret_is_negative);
bool msvc_unsigned(struct msvc_name *m, uint64_t *ret_value);
struct msvc_node *msvc_number_node(struct msvc_name *m);
enum msvc_width {
        MSVC_UNSIGNED, /* no sign may stand there */
        MSVC_U32,      /* it may, but is shown as part of 32 bits */
        MSVC_S32,
        MSVC_S64,
};
struct msvc_node *msvc_offset(struct msvc_name *m, enum msvc_width width);

/* Everything behind the first `?`, or a whole name of another form: what stands in a scope or an argument. */
struct msvc_node *msvc_symbol(struct msvc_name *m);
/* A name and its type. */
struct msvc_node *msvc_declaration(struct msvc_name *m);
/* What a function's name is followed by. */
struct msvc_node *msvc_function_symbol(struct msvc_name *m);
/* Names of the compiler's own (`?_7` and the like); *ret_is_special false when it is another name. */
struct msvc_node *msvc_special(struct msvc_name *m, bool *ret_is_special);
/* Behind `?_C`. */
struct msvc_node *msvc_string(struct msvc_name *m);

struct msvc_node *msvc_symbol_name(struct msvc_name *m);
struct msvc_node *msvc_type_name(struct msvc_name *m);
/* The first part of a name of a type. */
struct msvc_node *msvc_type_part(struct msvc_name *m);
/* The scopes around `part`, which may be NULL: then this returns NULL. */
struct msvc_node *msvc_scopes(struct msvc_name *m, struct msvc_node *part);
/* The part of a qualified name that stands last. */
struct msvc_node *msvc_last_part(const struct msvc_node *name);
/* A digit may mean `part` from here on. */
void msvc_remember(struct msvc_name *m, struct msvc_node *part);
struct msvc_node *msvc_template_args(struct msvc_name *m);

enum msvc_quals_place {
        MSVC_NO_QUALS,     /* just the type */
        MSVC_QUALS,        /* behind its qualifiers */
        MSVC_RESULT_QUALS, /* behind `?` and its qualifiers, or just the type */
};

struct msvc_node *msvc_type(struct msvc_name *m, enum msvc_quals_place place);
struct msvc_node *msvc_function_type(struct msvc_name *m, bool has_this);
/* `A` to `D`, or `Q` to `T` in a class. */
bool msvc_quals(struct msvc_name *m, uint8_t *ret_quals, bool *ret_is_member);
/* __ptr64, __restrict, __unaligned; __ptr64 is not shown. */
uint8_t msvc_pointer_quals(struct msvc_name *m);
bool msvc_convention(struct msvc_name *m, const char **ret_text);

/* Tables.  NULL: no such code. */
enum msvc_group { MSVC_PLAIN, MSVC_UNDER, MSVC_UNDER_UNDER, MSVC_GROUPS };
const char *msvc_operator_find(enum msvc_group group, char code);
const char *msvc_builtin_find(char code);
const char *msvc_long_builtin_find(char code); /* behind `_` */
const char *msvc_convention_find(char code);
const char *msvc_enum_find(char code);

struct msvc_printer {
        struct msvc_name *m; /* for its work count */
        struct buf *out;
        size_t start; /* where the name begins in out */
        unsigned depth;
        bool is_long;
        bool failed;
};

void msvc_add_bytes(struct msvc_printer *p, const char *text, size_t len);
void msvc_add(struct msvc_printer *p, const char *text);
void msvc_add_space(struct msvc_printer *p); /* behind a letter, a digit or > */
/* One level deeper, or false; each successful one takes one off `depth` at its end. */
bool msvc_print_enter(struct msvc_printer *p);
/* A list or NULL. */
void msvc_print_list(struct msvc_printer *p, const struct msvc_node *list, const char *between);
void msvc_print_quals(struct msvc_printer *p, uint8_t quals, bool space_in_front);
void msvc_print(struct msvc_printer *p, const struct msvc_node *n);
void msvc_print_string(struct msvc_printer *p, const struct msvc_node *n);
/* A declarator goes around a name: `void (*` left of it, `)(int)` right of it. */
void msvc_print_left(struct msvc_printer *p, const struct msvc_node *type);
void msvc_print_right(struct msvc_printer *p, const struct msvc_node *type);
/* Return type and calling convention, and what stands right of the name. */
void msvc_print_function_left(struct msvc_printer *p, const struct msvc_node *function);
void msvc_print_params(struct msvc_printer *p, const struct msvc_node *function);

#endif
