"""Prints line tables of code objects, from the interpreter itself: python3 python_oracle_lines.py FOLDER < QUESTIONS

QUESTIONS is a JSON list of [name, file, first line]; the answer has for each a list of [beginning of the line table, table], one
for each code object of that name, where a table is a list of [start in bytes, line].

Code objects of a file `<made PATH>` were made from one of the files PATH.*, those of `<string>` and `<script>` from
FOLDER/string.py.  Names of the kind NAME~NUMBER were given to a code object
of another name, and files of the kind FILE~NUMBER to one of FILE.
"""
import dis
import functools
import glob
import json
import os
import sys
import types

BOOTSTRAP = {"importlib._bootstrap": "_frozen_importlib", "importlib._bootstrap_external": "_frozen_importlib_external"}


def all_codes(code):
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from all_codes(const)


@functools.lru_cache(maxsize=None)
def codes_of(file):
    if file.startswith("<frozen "):
        import _imp
        name = file[8:-1]
        return list(all_codes(_imp.get_frozen_object(BOOTSTRAP.get(name, name))))
    codes = []
    if file in ("<string>", "<script>"):  # <script> from 3.14 on
        paths = [os.path.join(sys.argv[1], "string.py")]
    else:
        paths = glob.glob(file[6:-1] + ".*") if file.startswith("<made ") else [file.split("~")[0]]
    for path in paths:
        if os.path.exists(path):
            with open(path, "rb") as source:
                codes += all_codes(compile(source.read(), file, "exec", dont_inherit=True))
    return codes


def is_named(code, name):
    return "~" in name or getattr(code, "co_qualname", code.co_name) == name


def start_of_lines(code):
    return (code.co_linetable if hasattr(code, "co_linetable") else code.co_lnotab)[:16].hex()


def table_of(code):
    if hasattr(code, "co_lines"):
        return [[start, line] for start, _, line in code.co_lines()]
    return [list(pair) for pair in dis.findlinestarts(code)]


answers = []
for name, file, first_line in json.load(sys.stdin):
    tables = [[start_of_lines(code), table_of(code)] for code in codes_of(file)
              if code.co_firstlineno == first_line and is_named(code, name)]
    answers.append([table for i, table in enumerate(tables) if table not in tables[:i]])
json.dump(answers, sys.stdout)
