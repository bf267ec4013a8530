/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the undecorate*.c and msvc_*.c files: the parse tree of a decorated name, the
 * parser, the printer, tables of codes. */
#ifndef MSVC_INTERNAL_H
#define MSVC_INTERNAL_H

#include "demangle_internal.h"
#include "undecorate.h"

enum msvc_kind {
        MSVC_CELL, /* a list: `a` is its first element, `b` the cell of the next one */
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
        MSVC_GUARD,            /* text; scope num if that is not 0 */
        MSVC_VCALL,            /* num: offset in the table */
        MSVC_RTTI_BASE,        /* a: list of its four numbers */
        MSVC_DYNAMIC_INIT,     /* text; for the variable `a`, or for the name b */
        /* names */
        MSVC_QUALIFIED, /* a: cells of its parts, outermost first */
        /* types */
        MSVC_BUILTIN,  /* text */
        MSVC_TAG,      /* text (class, struct, union, enum) and name a */
        MSVC_CUSTOM,   /* part a */
        MSVC_POINTER,  /* to a, in class b or NULL; text is * & or && */
        MSVC_ARRAY,    /* of a; b: list of its dimensions */
        MSVC_FUNCTION, /* returns a (or NULL), takes list b (NULL: void); text: calling convention or NULL */
        /* symbols; `a` is the name, except of MSVC_STRING and MSVC_HASHED */
        MSVC_METHOD, /* function type b, or NULL if only the name is printed; c: list of a thunk's offsets */
        MSVC_VARIABLE,  /* of type b or NULL; text: access or NULL */
        MSVC_TYPE_DATA, /* data about the type b */
        MSVC_TABLE,     /* list b of the bases for which it is, or NULL */
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
        size_t len;      /* length of text */
        const char *key; /* the encoded text of a part, to compare it with earlier parts */
        size_t key_len;
        struct msvc_node *a, *b, *c, *args;
};

enum {
        MSVC_MAX_REFS = 10,   /* references are one digit */
        MSVC_NEAR_NODES = 64, /* nodes in the struct; enough for most names */
};

/* The parts of names, or parameter types, to which digits refer. */
struct msvc_refs {
        struct msvc_node *names[MSVC_MAX_REFS], *types[MSVC_MAX_REFS];
        size_t n_names, n_types;
};

struct msvc_name {
        struct demangle d; /* cursor, arena and counts */
        struct msvc_refs refs;
        size_t n_near;
        struct msvc_node near[MSVC_NEAR_NODES]; /* not initialised */
};

/* Parsing.  Every function that returns a node returns NULL for malformed input and if a limit is
 * exceeded. */
bool msvc_spend(struct demangle *d);
/* Enters one level of nesting, or returns false; each successful call needs a msvc_leave. */
bool msvc_enter(struct msvc_name *m);
void msvc_leave(struct msvc_name *m);
struct msvc_node *msvc_node(struct msvc_name *m, enum msvc_kind kind);
/* NULL also if `a` is NULL. */
struct msvc_node *msvc_wrap(struct msvc_name *m, enum msvc_kind kind, struct msvc_node *a);
struct msvc_node *msvc_text(struct msvc_name *m, enum msvc_kind kind, const char *text);
/* Appends `item` after *tail (NULL if there is none yet) to `list`; false if `item` is NULL. */
bool msvc_append(struct msvc_name *m, struct msvc_node *list, struct msvc_node **tail,
                 struct msvc_node *item);

/* `0` to `9` are 1 to 10, `A` to `P` are hexadecimal digits up to `@`; `?` before the number makes it
 * negative. */
bool msvc_number(struct msvc_name *m, uint64_t *ret_value, bool *ret_is_negative);
bool msvc_unsigned(struct msvc_name *m, uint64_t *ret_value);
struct msvc_node *msvc_number_node(struct msvc_name *m);
enum msvc_width {
        MSVC_UNSIGNED, /* a sign is not allowed */
        MSVC_U32,      /* a sign is allowed, but the number is printed as 32 bits */
        MSVC_S32,
        MSVC_S64,
};
struct msvc_node *msvc_offset(struct msvc_name *m, enum msvc_width width);

/* Text after the first `?`, or a whole name of another form, as in a scope or an argument. */
struct msvc_node *msvc_symbol(struct msvc_name *m);
/* A name and its type. */
struct msvc_node *msvc_declaration(struct msvc_name *m);
/* The type of a function, after its name. */
struct msvc_node *msvc_function_symbol(struct msvc_name *m);
/* Names made by the compiler (`?_7` and others); *ret_is_special is false for other names. */
struct msvc_node *msvc_special(struct msvc_name *m, bool *ret_is_special);
/* Text after `?_C`. */
struct msvc_node *msvc_string(struct msvc_name *m);

struct msvc_node *msvc_symbol_name(struct msvc_name *m);
struct msvc_node *msvc_type_name(struct msvc_name *m);
/* The first part of a name of a type. */
struct msvc_node *msvc_type_part(struct msvc_name *m);
/* The scopes that enclose `part`; returns NULL if `part` is NULL. */
struct msvc_node *msvc_scopes(struct msvc_name *m, struct msvc_node *part);
/* The last part of a qualified name. */
struct msvc_node *msvc_last_part(const struct msvc_node *name);
/* Digits may refer to `part` from now on. */
void msvc_remember(struct msvc_name *m, struct msvc_node *part);
struct msvc_node *msvc_template_args(struct msvc_name *m);

enum msvc_quals_place {
        MSVC_NO_QUALS,     /* only the type */
        MSVC_QUALS,        /* qualifiers, then the type */
        MSVC_RESULT_QUALS, /* `?`, qualifiers and the type, or only the type */
};

struct msvc_node *msvc_type(struct msvc_name *m, enum msvc_quals_place place);
struct msvc_node *msvc_function_type(struct msvc_name *m, bool has_this);
/* `A` to `D`; in a class `Q` to `T`. */
bool msvc_quals(struct msvc_name *m, uint8_t *ret_quals, bool *ret_is_member);
/* __ptr64, __restrict, __unaligned; __ptr64 is not shown. */
uint8_t msvc_pointer_quals(struct msvc_name *m);
bool msvc_convention(struct msvc_name *m, const char **ret_text);

/* Tables.  NULL: unknown code. */
enum msvc_group { MSVC_PLAIN, MSVC_UNDER, MSVC_UNDER_UNDER, MSVC_GROUPS };
const char *msvc_operator_find(enum msvc_group group, char code);
const char *msvc_builtin_find(char code);
const char *msvc_long_builtin_find(char code); /* after `_` */
const char *msvc_convention_find(char code);
const char *msvc_enum_find(char code);

struct msvc_printer {
        struct msvc_name *m; /* counts the work */
        struct buf *out;
        size_t start; /* beginning of the name in out */
        unsigned depth;
        bool is_long;
        bool failed;
};

void msvc_add_bytes(struct msvc_printer *p, const char *text, size_t len);
void msvc_add(struct msvc_printer *p, const char *text);
void msvc_add_space(struct msvc_printer *p); /* only after a letter, a digit or > */
/* Enters one level of nesting, or returns false; after each successful call, `depth` must be decremented. */
bool msvc_print_enter(struct msvc_printer *p);
/* `list` may be NULL. */
void msvc_print_list(struct msvc_printer *p, const struct msvc_node *list, const char *between);
void msvc_print_quals(struct msvc_printer *p, uint8_t quals, bool space_in_front);
void msvc_print(struct msvc_printer *p, const struct msvc_node *n);
void msvc_print_string(struct msvc_printer *p, const struct msvc_node *n);
/* A declarator encloses a name: `void (*` left of it, `)(int)` right of it. */
void msvc_print_left(struct msvc_printer *p, const struct msvc_node *type);
void msvc_print_right(struct msvc_printer *p, const struct msvc_node *type);
/* Print return type and calling convention, and the part right of the name. */
void msvc_print_function_left(struct msvc_printer *p, const struct msvc_node *function);
void msvc_print_params(struct msvc_printer *p, const struct msvc_node *function);

#endif
