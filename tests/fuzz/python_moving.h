/* SPDX-License-Identifier: BSD-3-Clause */
/* Inputs of fuzz_python_moving: as those of fuzz_python (python_small.h), with MOVING_CHANGES changes of
 * the memory at the end. */
#ifndef PYTHON_MOVING_H
#define PYTHON_MOVING_H

#include <stdint.h>

/* Little-endian in the input: u8 number of reads before it, u8 kind, u16 offset / 8, u32 value. */
enum { MOVING_CHANGES = 4, MOVING_CHANGE_BYTES = 8, MOVING_BYTES = MOVING_CHANGES * MOVING_CHANGE_BYTES };

enum moving_kind {
        MOVING_WORD,    /* the word becomes the value: 0, small, or an address that cannot be read */
        MOVING_POINTER, /* the word points to the value's offset of the memory */
        MOVING_INT,     /* the lower half of the word becomes the value */
        MOVING_END,     /* what is from this offset on cannot be read any more */
        MOVING_TURNS,   /* at each read the word changes to the value or back */
        MOVING_N_KINDS,
};

#endif
