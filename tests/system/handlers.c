/* SPDX-License-Identifier: BSD-3-Clause */
/* An interpreter with a function for each handler, with names like those of CPython's interpreter with tail
 * calls. */
#include "burn.h"

NOINLINE void _TAIL_CALL_ADD(void)
{
        burn_ms(300);
}

NOINLINE void _TAIL_CALL_NOP(void)
{
        burn_ms(100);
}

int main(void)
{
        _TAIL_CALL_ADD();
        _TAIL_CALL_NOP();
        return 0;
}
