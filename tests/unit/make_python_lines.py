#!/usr/bin/python3
"""Writes python_lines_data.h: line tables of this Python's compiler, and the line that it gives for each instruction.

It must run with each version that the table is for, 3.8 or later; the outputs are joined:

    { python3.8 make_python_lines.py --head; for v in 8 9 10 11 12 13; do python3.$v make_python_lines.py; done
      python3.8 make_python_lines.py --tail; } > python_lines_data.h
"""
import dis
import sys
import types

SOURCE = '''
def short(a, b):
    if a:
        return b
    for i in range(3):
        a += i
    return a

def back(a):
    x = [
        a,
        (a +
         1), short(
            a,
            2
        )
    ]
    with open(a) as f:
        try:
            x = f.read()
        except OSError as e:
            print(e)
        finally:
            del f
    return x

def gap(a):
    a = 1
''' + "\n" * 300 + '''
    return a

def wide(a):
    return ''' + " + ".join(f"a.f{i}(a[{i}], 'b')" for i in range(24)) + '''

def gen(a):
    yield a; yield from gen(a); x = lambda: (yield); return x

async def co(a):
    async with a as b:
        async for c in b:
            await c

class Kind:
    """Text."""
    @property
    def value(self): return [n for n in
        self.values
        if n
        ]
''' + "\n" * 3000 + '''
def late(a, *b, c=1, **d): return {**d, 'x': (yield)}
'''

HEAD = '''/* SPDX-License-Identifier: BSD-3-Clause */
/* clang-format off */
/* Written by make_python_lines.py, whose text says how. */
#ifndef PYTHON_LINES_DATA_H
#define PYTHON_LINES_DATA_H

#include <stddef.h>
#include <stdint.h>

/* `lines`: of each code unit, two bytes of bytecode; 0: none. */
struct line_case {
        unsigned minor;
        const char *name;
        int32_t first_line;
        const uint8_t *table;
        size_t n_table;
        const int32_t *lines;
        size_t n_lines;
};

#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})
#define LINES(...) (const int32_t[]){__VA_ARGS__}, sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)

static const struct line_case line_cases[] = {'''

TAIL = '''};

#undef BYTES
#undef LINES

#endif'''


def lines_of(code):
    """The line of each code unit."""
    lines = [0] * (len(code.co_code) // 2)
    if sys.version_info >= (3, 10):
        for start, end, line in code.co_lines():
            for at in range(start, end, 2):
                lines[at // 2] = line or 0
        return lines
    starts = list(dis.findlinestarts(code)) + [(len(code.co_code), 0)]
    for (start, line), (end, _) in zip(starts, starts[1:]):
        for at in range(start, end, 2):
            lines[at // 2] = line
    return lines


def print_case(code):
    table = code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab
    name = getattr(code, "co_qualname", code.co_name)
    table = "BYTES(%s)" % ", ".join(map(str, table)) if table else "NULL, 0"
    print("        {%d, \"%s\", %d, %s, LINES(%s)}," % (
        sys.version_info[1], name, code.co_firstlineno, table, ", ".join(map(str, lines_of(code)))))
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            print_case(const)


if "--head" in sys.argv:
    print(HEAD)
elif "--tail" in sys.argv:
    print(TAIL)
else:
    print_case(compile(SOURCE, "sample.py", "exec"))
