# SPDX-License-Identifier: BSD-3-Clause
# Functions that read the same: f(int) and f(double), a constructor in two variants, a static function that another file has too,
# and one in pieces and clones.
        .text
        .macro function name
        .type   \name, @function
        .balign 16
\name:  nop
        nop
        nop
        ret
        .size   \name, . - \name
        .endm
        .globl  _Z1fi, _Z1fd, _ZN1CC1Ei, _ZN1CC2Ei, _Z1tIiEvT_
        function _Z1fi
        function _Z1fd
        function _ZN1CC1Ei
        function _ZN1CC2Ei
        function _Z1tIiEvT_
        function helper
        function whole
        function whole.part.0
        function whole.constprop.0.isra.0
        function whole.cold
        function other.lto_priv.0
        function other.lto_priv.1
