/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the demangle_rust*.c files.  Rust's v0 names (RFC 2603; "v0 Symbol Format" in the
 * book of rustc) are printed while they are parsed: for a back reference, the text that it points to is
 * parsed again. */
#ifndef DEMANGLE_RUST_INTERNAL_H
#define DEMANGLE_RUST_INTERNAL_H

#include "demangle_internal.h"

struct rust_name {
        struct demangle d; /* its cursor begins after `_R`; back references count from there */
        struct printer p;
        bool is_long;     /* with disambiguators and the types of constants */
        bool is_silent;   /* parse without printing; back references are not followed */
        bool is_open;     /* the path parsed last as RUST_OPEN has no closing `>` yet */
        uint64_t n_bound; /* number of lifetimes that the enclosing binders bind */
};

/* How the next item is printed. */
enum rust_place {
        RUST_TYPE,  /* a<b> */
        RUST_VALUE, /* a::<b>, and constants without braces */
        RUST_OPEN,  /* a<b, for the trait of an object, followed by its associated types */
};

typedef bool rust_parse(struct rust_name *r, enum rust_place place);

/* Each parses and prints one item; false if it is malformed or exceeds a limit. */
bool rust_path(struct rust_name *r, enum rust_place place);
bool rust_type(struct rust_name *r, enum rust_place place);
bool rust_const(struct rust_name *r, enum rust_place place);

/* After `L`: the lifetime as a generic argument. */
bool rust_lifetime(struct rust_name *r);

/* Enters one level of nesting, or returns false; each successful call needs a rust_leave. */
bool rust_enter(struct rust_name *r);
void rust_leave(struct rust_name *r);
/* After `B`: parses with `parse` the text that it points to. */
bool rust_backref(struct rust_name *r, rust_parse *parse, enum rust_place place);
/* Items up to `E`, printed with commas; *ret_n (may be NULL) is their number. */
bool rust_list(struct rust_name *r, rust_parse *parse, enum rust_place place, size_t *ret_n);

/* Reads the next character; NUL at the end. */
char rust_take(struct rust_name *r);
/* `_` is 0, `N_` is N + 1 in base 62. */
bool rust_number62(struct rust_name *r, uint64_t *ret_value);
/* `tag` and a number in base 62, plus 1; 0 without the tag. */
bool rust_optional62(struct rust_name *r, const char *tag, uint64_t *ret_value);

struct rust_ident {
        const char *text; /* unchanged, or the plain letters of a punycode name */
        size_t len;
        const char *code; /* the encoded other letters of a punycode name, or NULL */
        size_t code_len;
        uint64_t disambiguator;
};

bool rust_ident(struct rust_name *r, struct rust_ident *ret_ident);
/* An identifier without a disambiguator. */
bool rust_plain_ident(struct rust_name *r, struct rust_ident *ret_ident);
bool rust_add_ident(struct rust_name *r, const struct rust_ident *ident);

/* Printing; has no effect while the name is silent. */
void rust_add(struct rust_name *r, const char *text);
void rust_add_bytes(struct rust_name *r, const char *text, size_t len);
void rust_add_u64(struct rust_name *r, uint64_t value);
void rust_add_hex(struct rust_name *r, uint64_t value); /* without 0x */

/* Whether `c` may be printed: not a surrogate, and not a control character of a terminal. */
bool rust_is_shown(uint32_t c);
/* Writes the UTF-8 form of `c` and returns its length. */
size_t rust_encode(uint32_t c, char out[4]);

/* The basic type of a lower-case letter, or NULL. */
const char *rust_basic_type(char letter);

/* The whole name in d->in up to its suffix.  False if it does not have this form; `d` and `out` are
 * undefined then.  With `is_long`, hashes and disambiguators are shown. */
bool demangle_rust_v0(struct demangle *d, bool is_long, struct buf *out);
bool demangle_rust_legacy(struct demangle *d, bool is_long, struct buf *out);

#endif
