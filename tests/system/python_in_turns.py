"""Runs two functions in turns, without end, for test_stack_python.py."""


def left() -> None:
    for _ in range(200):
        pass


def right() -> None:
    for _ in range(200):
        pass


def turn() -> None:
    while True:
        left()
        right()


def main() -> None:
    turn()


print("{}", flush=True)
main()
