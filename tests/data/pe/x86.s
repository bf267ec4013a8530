        .text
        .globl  _first
        .def _first; .scl 2; .type 32; .endef
_first:
        movl    $1, %eax
        retl
        .globl  _second
        .def _second; .scl 2; .type 32; .endef
_second:
        movl    _value, %eax
        retl
        .data
        .globl  _value
_value:
        .long   _first
