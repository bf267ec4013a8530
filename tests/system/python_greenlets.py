"""All work is done in burn(), by two greenlets that switch to each other: python_greenlets.py CALLS"""
import sys

import greenlet


def burn(n):
    total = 0
    for i in range(n):
        total = (total * 31 + i) & 0xFFFF
    return total


def first():
    for _ in range(int(sys.argv[1])):
        burn(4000)
        b.switch()
    main.switch()


def second():
    while True:
        burn(4000)
        a.switch()


main = greenlet.getcurrent()
a = greenlet.greenlet(first)
b = greenlet.greenlet(second)
a.switch()
