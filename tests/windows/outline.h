/* SPDX-License-Identifier: BSD-3-Clause */
/* OUTLINE: a function that the compiler keeps as it is, so that samples find it. */
#ifndef OUTLINE_H
#define OUTLINE_H

#ifdef __clang__
#define OUTLINE __attribute__((noinline))
#else
#define OUTLINE __attribute__((noinline, noclone))
#endif

#endif
