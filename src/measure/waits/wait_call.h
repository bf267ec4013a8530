/* SPDX-License-Identifier: BSD-3-Clause */
/* The system calls in which threads wait, by their numbers on this machine. */
#ifndef WAIT_CALL_H
#define WAIT_CALL_H

#include <stdint.h>

#include "wait_section.h"

struct wait_call_facts {
        enum wait_call call;
        int8_t fd_arg;    /* the argument that is a descriptor; -1: none */
        int8_t path_arg;  /* the argument that is the address of a path, the first one; -1: none */
        const char *name; /* NULL if the call is not in the list */
};

struct wait_call_facts wait_call_get(int32_t number);

#endif
