#!/usr/bin/python3
"""embed_page.py OUTPUT NAME SKELETON FILE.css... FILE.js...: makes a C file with a document of src/show/page before and
after its data, as NAME_head and NAME_tail.

The style sheets stand at the mark STYLE of the skeleton, the data at DATA, the scripts at SCRIPT.  At POLICY is the
content security policy: it allows this style and this script by their digests, and nothing else.
"""
import base64
import hashlib
import re
import sys

from embed_text import array_of


def read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def document(skeleton: str, style: str, script: str) -> tuple[str, str]:
    """What stands before and after the data."""
    policy = f"default-src 'none'; script-src {digest(script)}; style-src {digest(style)}; base-uri 'none'; form-action 'none'"
    for name, text in (("POLICY", policy), ("STYLE", style), ("SCRIPT", script)):
        before, mark, after = skeleton.partition(f"<!-- {name} -->" if name != "POLICY" else "POLICY")
        if not mark:
            raise ValueError(f"the skeleton has no mark {name}")
        skeleton = before + text + after
    head, mark, tail = skeleton.partition("<!-- DATA -->\n")
    if not mark:
        raise ValueError("the skeleton has no mark DATA")
    return head, tail


def main() -> int:
    output, name, skeleton, *files = sys.argv[1:]
    style = "".join(read(path) for path in files if path.endswith(".css"))
    script = "(function () {\n\"use strict\";\n" + "".join(read(path) for path in files if path.endswith(".js")) + "}());\n"
    defined = re.findall(r"^(?:function|var) (\w+)", script, re.M)
    twice = sorted({word for word in defined if defined.count(word) > 1})
    if twice:
        raise ValueError(f"two files define {', '.join(twice)}")
    if "</script" in script or "</style" in style:
        raise ValueError("a script or style that ends early")
    head, tail = document(read(skeleton), style, script)
    with open(output, "w", encoding="ascii") as file:
        file.write("/* Made by tools/embed_page.py. */\n#include <stddef.h>\n\n")
        file.write(array_of(name + "_head", head.encode()) + array_of(name + "_tail", tail.encode()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
