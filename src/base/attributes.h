/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiler attributes (gcc and clang only) and the ownership macros AUTO and TAKE. */
#ifndef ATTRIBUTES_H
#define ATTRIBUTES_H

#if defined(_WIN32) && !defined(__clang__)
#define PRINTF_LIKE(fmt, args) __attribute__((format(gnu_printf, fmt, args), nonnull(fmt)))
#else
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args), nonnull(fmt)))
#endif
#define MUST_CHECK __attribute__((warn_unused_result))
#define NO_RETURN  __attribute__((noreturn))
#define UNUSED     __attribute__((unused))

/* Declares that NAME_free releases struct NAME, so that AUTO(NAME) can be used. */
#define AUTO_DEFINE(name)                                                                                    \
        static inline void name##_auto_free(struct name **p)                                                 \
        {                                                                                                    \
                name##_free(*p);                                                                             \
        }

/* A pointer to struct NAME that is freed when the block ends; NULL is allowed. */
#define AUTO(name) __attribute__((cleanup(name##_auto_free))) struct name *

/* Moves ownership out of an AUTO pointer. */
#define TAKE(p)                                                                                              \
        __extension__({                                                                                      \
                __typeof__(p) take_tmp = (p);                                                                \
                (p) = NULL;                                                                                  \
                take_tmp;                                                                                    \
        })

/* An embedded struct NAME that is released (NAME_release) when the block ends. */
#define AUTO_RELEASE(name) __attribute__((cleanup(name##_release))) struct name

#define N_ELEMENTS(a) (sizeof(a) / sizeof((a)[0]))

#endif
