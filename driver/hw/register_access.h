/* SPDX-License-Identifier: BSD-3-Clause */
/* Access to the real registers of a unit, for the tables of functions (struct hw) of real machines. */
#ifndef REGISTER_ACCESS_H
#define REGISTER_ACCESS_H

#include "hw.h"

/* As the functions of struct hw; `ctx` is not used. */
uint64_t register_access_read(void *ctx, const struct hw_unit *unit, const struct block_class *class,
                              enum block_role role, uint32_t index);
void register_access_write(void *ctx, const struct hw_unit *unit, const struct block_class *class,
                           enum block_role role, uint32_t index, uint64_t value);

#endif
