# SPDX-License-Identifier: BSD-3-Clause
        .text
        .type   helper, @function
        .balign 16
helper: nop
        ret
        .size   helper, . - helper
