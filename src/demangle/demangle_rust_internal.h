/* SPDX-License-Identifier: BSD-3-Clause */
/* What the demangle_rust*.c files share.  Rust's v0 names (RFC 2603; "v0 Symbol Format" in the book of rustc)
 * are printed while they are read: a back reference is read again at the place that it points to. */
#ifndef DEMANGLE_RUST_INTERNAL_H
#define DEMANGLE_RUST_INTERNAL_H

#include "demangle_internal.h"

struct rust_name {
        struct demangle d; /* its cursor begins behind `_R`, where back references count from */
        struct printer p;
        bool is_long;     /* with disambiguators and the types of constants */
        bool is_silent;   /* reading what is not shown: back references are not followed */
        bool is_open;     /* the path read last as RUST_OPEN has left its `<` open */
        uint64_t n_bound; /* lifetimes that the binders around bind */
};

/* How the thing that is read next is written. */
enum rust_place {
        RUST_TYPE,  /* a<b> */
        RUST_VALUE, /* a::<b>, and constants without braces */
        RUST_OPEN,  /* a<b, for the trait of an object, whose associated types come behind */
};

typedef bool rust_parse(struct rust_name *r, enum rust_place place);

/* Each reads one thing and prints it; false when it is malformed or passes a limit. */
bool rust_path(struct rust_name *r, enum rust_place place);
bool rust_type(struct rust_name *r, enum rust_place place);
bool rust_const(struct rust_name *r, enum rust_place place);

/* Behind its `L`: the lifetime as a generic argument. */
bool rust_lifetime(struct rust_name *r);

/* One level deeper, or false; each successful one needs a rust_leave. */
bool rust_enter(struct rust_name *r);
void rust_leave(struct rust_name *r);
/* Behind its `B`: reads with `parse` what it points to. */
bool rust_backref(struct rust_name *r, rust_parse *parse, enum rust_place place);
/* Things with commas between them up to `E`; *ret_n (may be NULL) is how many. */
bool rust_list(struct rust_name *r, rust_parse *parse, enum rust_place place, size_t *ret_n);

/* The next letter, which is eaten; NUL at the end. */
char rust_take(struct rust_name *r);
/* `_` is 0, `N_` is N + 1 in base 62. */
bool rust_number62(struct rust_name *r, uint64_t *ret_value);
/* `tag` and a number in base 62, one more than it; 0 without the tag. */
bool rust_optional62(struct rust_name *r, const char *tag, uint64_t *ret_value);

struct rust_ident {
        const char *text; /* as it stands, or the plain letters of a punycode name */
        size_t len;
        const char *code; /* where the other letters of a punycode name go, or NULL */
        size_t code_len;
        uint64_t disambiguator;
};

bool rust_ident(struct rust_name *r, struct rust_ident *ret_ident);
/* Without a disambiguator in front. */
bool rust_plain_ident(struct rust_name *r, struct rust_ident *ret_ident);
bool rust_add_ident(struct rust_name *r, const struct rust_ident *ident);

/* Printing; nothing happens while the name is silent. */
void rust_add(struct rust_name *r, const char *text);
void rust_add_bytes(struct rust_name *r, const char *text, size_t len);
void rust_add_u64(struct rust_name *r, uint64_t value);
void rust_add_hex(struct rust_name *r, uint64_t value); /* without 0x */

/* Whether `c` is a character that a name may show: not a surrogate, nor one that drives a terminal. */
bool rust_is_shown(uint32_t c);
/* Writes the UTF-8 form of `c` and returns its length. */
size_t rust_encode(uint32_t c, char out[4]);

/* The basic type of a lower-case letter, or NULL. */
const char *rust_basic_type(char letter);

/* The whole name in d->in up to its suffix.  False, with `d` and `out` in any state, when it is none of that
 * form; with `is_long` hashes and disambiguators are shown. */
bool demangle_rust_v0(struct demangle *d, bool is_long, struct buf *out);
bool demangle_rust_legacy(struct demangle *d, bool is_long, struct buf *out);

#endif
