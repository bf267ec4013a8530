/* SPDX-License-Identifier: BSD-3-Clause */
/* Access to the system registers that PMU blocks name, on arm64. tools/gen_blocks.py generates the
 * functions. */
#ifndef BLOCK_SYSREG_H
#define BLOCK_SYSREG_H

#include <stdint.h>

/* `encoding` is that of struct block_register; another one reads as 0 and is not written. A write ends with
 * ISB. */
uint64_t block_sysreg_read(uint32_t encoding);
void block_sysreg_write(uint32_t encoding, uint64_t value);

#endif
