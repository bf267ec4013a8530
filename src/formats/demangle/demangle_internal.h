/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the demangle_*.c files: the parse tree of a name, the parser, tables of codes. */
#ifndef DEMANGLE_INTERNAL_H
#define DEMANGLE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "buf.h"
#include "cursor.h"
#include "demangle.h"

enum node_kind {
        NODE_CELL,     /* a list: `a` is its first element, `b` the cell of the next one */
        NODE_SEQUENCE, /* a list: `a` is its first cell or NULL */
        /* names */
        NODE_NAME,      /* text; `b` is the short name when text is a standard abbreviation */
        NODE_QUALIFIED, /* a::b */
        NODE_LOCAL,     /* `b` inside function `a`; num > 0: in its default argument num */
        NODE_TEMPLATE,  /* a<b> */
        NODE_TAGGED,    /* a[abi:text] */
        NODE_CTOR,      /* a */
        NODE_DTOR,      /* ~a */
        NODE_OPERATOR,  /* op */
        NODE_CONVERSION,
        NODE_LITERAL_OPERATOR,
        NODE_VENDOR_OPERATOR,
        NODE_LAMBDA,   /* parameters a, declared template parameters b or NULL, number num */
        NODE_DECL,     /* template parameter; num is its letter y n t p k, `a` its type, list, pattern or
                          concept */
        NODE_UNNAMED,  /* number num */
        NODE_BINDING,  /* structured binding of the names a */
        NODE_ENCODING, /* a: the name, b: NODE_FUNCTION or NULL for data, c: cells of its arguments */
        NODE_SPECIAL,  /* text a, or text b "-in-" a */
        /* types */
        NODE_BUILTIN,
        NODE_BIT_INT, /* text _BitInt(a) */
        NODE_POINTER,
        NODE_LVALUE_REF,
        NODE_RVALUE_REF,
        NODE_CV,         /* a with the qualifiers num */
        NODE_SUFFIXED,   /* a, then text */
        NODE_VENDOR_CV,  /* a, then the name b */
        NODE_FUNCTION,   /* returns a (or NULL), takes b, qualifiers num, then c (or NULL) */
        NODE_NOEXCEPT,   /* (a), or plain when a is NULL */
        NODE_THROW,      /* throw(a) */
        NODE_ARRAY,      /* of a; dimension b or NULL */
        NODE_MEMBER_PTR, /* to b in class a */
        NODE_VECTOR,     /* of a; dimension b */
        NODE_ELABORATED, /* text a */
        NODE_DECLTYPE,   /* of expression a */
        NODE_PARAM,      /* template parameter num */
        NODE_REQUIRES,   /* requires a */
        NODE_PACK,       /* template arguments a (a sequence) that belong to one parameter */
        NODE_EXPANSION,  /* a for each element of the pack in it */
        /* expressions */
        NODE_EXPR,     /* op with up to three operands */
        NODE_LITERAL,  /* text of type a; num: negative */
        NODE_FN_PARAM, /* number num, 0 is `this` */
        NODE_GLOBAL,   /* ::a */
        NODE_CALLED,   /* vendor expression a(b) */
};

enum { /* bits of num in NODE_CV and NODE_FUNCTION, in the order they are printed */
       CV_CONST = 1u << 0,
       CV_VOLATILE = 1u << 1,
       CV_RESTRICT = 1u << 2,
       CV_LVALUE_THIS = 1u << 3,
       CV_RVALUE_THIS = 1u << 4,
       CV_TRANSACTION_SAFE = 1u << 5,
};

struct node {
        uint8_t kind;
        bool has_pack; /* contains a parameter that may be a pack */
        uint32_t num;
        size_t len; /* length of text */
        union {
                const char *text;
                const struct demangle_op *op;
                const struct demangle_builtin *builtin;
        };
        struct node *a, *b, *c;
};

/* How the operands of an operator are encoded in the mangled name. */
enum op_form {
        OP_UNARY,
        OP_POSTFIX,
        OP_BINARY,
        OP_MEMBER,
        OP_CALL,
        OP_INDEX,
        OP_TERNARY,
        OP_CAST,
        OP_OF_TYPE,
        OP_OF_EXPR,
        OP_NEW,
        OP_CONVERSION,
        OP_BRACED,
        OP_TYPED_BRACED,
        OP_SCOPE,
        OP_OPERATOR,
        OP_DESTRUCTOR,
        OP_EXPANSION,
        OP_SIZEOF_PACK,
        OP_SIZEOF_ARGS,
        OP_FIELD,
        OP_ELEMENT,
        OP_RANGE,
        OP_FOLD,
        OP_FOLD_INIT,
        OP_NULLARY,
        OP_FORMS,
};

struct demangle_op {
        char code[3];
        uint8_t form;
        bool is_name; /* can follow the keyword operator */
        char text[18];
};

/* The operator of the two letters at `code`, or NULL. */
const struct demangle_op *demangle_op_find(char first, char second);

struct demangle_builtin {
        char code[3];
        char text[20];
        const char *literal_suffix; /* NULL: a literal needs a cast */
};

/* `second` is used only if `first` is D. */
const struct demangle_builtin *demangle_builtin_find(char first, char second);

struct demangle {
        struct cursor in;
        struct arena arena;
        struct node **subs; /* substitution candidates, section 5.1.8 */
        size_t n_subs, cap_subs;
        struct node *params; /* first cell of the template arguments of the name being parsed */
        unsigned n_nodes;
        unsigned depth;
        unsigned work;
        bool in_convert; /* directly in the type of a conversion operator, where I belongs to the operator */
};

typedef struct node *demangle_parse(struct demangle *d);

/* `.part.0`, `.cold`, `.llvm.123`, `.123`: one word and the numbers after it are one suffix, which is
 * appended as ` [clone .cold]`. */
bool demangle_clone(struct demangle *d, struct buf *out);

/* Parsing, demangle_node.c.  After the end of the input all characters are NUL. */
char demangle_look(const struct demangle *d, size_t ahead);
bool demangle_eat(struct demangle *d, const char *token);
bool demangle_is_digit(char c);
/* A decimal number below 2^30. */
bool demangle_number(struct demangle *d, uint32_t *ret_value);
/* `_` is 0, `N_` is N + 1 in the given base (10 or 36). */
bool demangle_index(struct demangle *d, unsigned base, uint32_t *ret_value);
bool demangle_spend(struct demangle *d);

/* Every constructor returns NULL after DEMANGLE_MAX_NODES; node_wrap and node_join also if an operand is
 * NULL, so that failures propagate. */
struct node *node_new(struct demangle *d, enum node_kind kind);
struct node *node_wrap(struct demangle *d, enum node_kind kind, struct node *a);
struct node *node_join(struct demangle *d, enum node_kind kind, struct node *a, struct node *b);
struct node *node_text(struct demangle *d, enum node_kind kind, const char *text, size_t len);
void node_set_b(struct node *n, struct node *b);
void node_set_c(struct node *n, struct node *c);
/* Appends `item` after *tail (NULL if there is none yet) to `sequence`; false if `item` is NULL. */
bool node_append(struct demangle *d, struct node *sequence, struct node **tail, struct node *item);
/* A sequence parsed by `parse`, up to and including the token `end`. */
struct node *demangle_list(struct demangle *d, demangle_parse *parse, const char *end);
/* Calls `parse` one level deeper, or fails. */
struct node *demangle_deeper(struct demangle *d, demangle_parse *parse);
/* Adds `n` (may be NULL) to the substitution candidates and returns it. */
struct node *demangle_remember(struct demangle *d, struct node *n);

/* Facts about a name that the parser of the function type after it needs. */
struct name_facts {
        uint32_t cv;
        bool has_args;  /* ends with template arguments */
        bool no_return; /* constructor, destructor or conversion */
};

/* Grammar.  All return NULL for malformed input; `facts` is NULL for a name inside a type. */
struct node *demangle_encoding(struct demangle *d);
struct node *demangle_name(struct demangle *d, struct name_facts *facts);
struct node *demangle_local_name(struct demangle *d, struct name_facts *facts);
struct node *demangle_unqualified(struct demangle *d, struct node *scope, struct name_facts *facts);
struct node *demangle_source_name(struct demangle *d);
struct node *demangle_operator_name(struct demangle *d, struct name_facts *facts);
struct node *demangle_type(struct demangle *d);
struct node *demangle_expr(struct demangle *d);
struct node *demangle_literal(struct demangle *d);
struct node *demangle_template_param(struct demangle *d);
/* With `is_own`, T_ in the named function refers to these arguments. */
struct node *demangle_template_args(struct demangle *d, bool is_own);
struct node *demangle_template_arg(struct demangle *d);
/* One declaration of a template parameter (Ty, Tn, Tt, Tp, Tk). */
struct node *demangle_template_decl(struct demangle *d);
bool demangle_at_template_decl(const struct demangle *d);
struct node *demangle_substitution(struct demangle *d);
uint32_t demangle_cv(struct demangle *d);
/* `type`; or, if arguments may follow T_ or S_, the template with these arguments. */
struct node *demangle_maybe_args(struct demangle *d, struct node *name);

/* The arguments to which T_ refers while a function is printed.  They are looked up while printing, because
 * a substitution made in one function may be used in another.  The arguments themselves belong to the
 * enclosing function. */
struct scope {
        const struct node *params; /* first cell */
        const struct scope *outer;
};

/* Printing. */
struct printer {
        struct demangle *d; /* counts the work */
        struct buf *out;
        size_t start; /* beginning of the name in out */
        const struct scope *scope;
        /* in the parameters of this lambda, T_ is an `auto` or a declared parameter */
        const struct node *lambda;
        int pack_index; /* -1: not in a pack expansion */
        unsigned depth;
        bool failed;
};

/* A declarator encloses a name: `void (*` left of it, `)(int)` right of it. */
void print_node(struct printer *p, const struct node *n);
void print_left(struct printer *p, const struct node *n);
void print_right(struct printer *p, const struct node *n);
bool print_type_left(struct printer *p, const struct node *n); /* false: not a type */
void print_type_right(struct printer *p, const struct node *n);
void print_expr(struct printer *p, const struct node *n);
bool print_has_right(struct printer *p, const struct node *n);
void print_text(struct printer *p, const char *text);
void print_bytes(struct printer *p, const char *text, size_t len);
void print_number(struct printer *p, uint32_t number);
void print_sequence(struct printer *p, const struct node *sequence);
void print_params(struct printer *p, const struct node *function); /* (a, b) const & */
char print_last(const struct printer *p); /* the last character; NUL if nothing is printed yet */
/* Print T_ of a lambda, and the template parameters that it declares before its parameters. */
void print_lambda_param(struct printer *p, const struct node *n);
void print_lambda(struct printer *p, const struct node *n);
void print_template_decl(struct printer *p, const struct node *n);
/* The pack that an expansion of `n` iterates over, or NULL. */
const struct node *print_find_pack(struct printer *p, const struct node *n);
/* The argument of a template parameter; returns other nodes unchanged.  NULL: there is no argument.  Sets
 * p->scope to the scope of the result; the caller restores it. */
const struct node *print_resolve(struct printer *p, const struct node *n);
/* Which parts of a function are printed: with return type and arguments, with arguments, or the name only. */
enum encoding_part { FULL_ENCODING, WITHOUT_RETURN, NAME_ONLY };

/* Prints the whole name. */
bool print_whole(struct demangle *d, const struct node *n, enum encoding_part part, struct buf *out);

#endif
