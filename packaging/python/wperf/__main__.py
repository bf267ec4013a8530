"""python -m wperf: runs wperf.  A Python script, -m MODULE or -c CODE as the command is run by this interpreter:
`python -m wperf record -g script.py` is `wperf record -g -- python script.py`."""
import os
import shlex
import subprocess
import sys
import sysconfig


def program():
    """Where pip has put it: beside this interpreter, in the user's own folder, or below pip's --target."""
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", os.name + "_user"),
               os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin")]
    for folder in folders:
        path = os.path.join(folder, "wperf")
        if os.access(path, os.X_OK):
            return path
    sys.exit("wperf: the program is in none of %s; install the package again" % ", ".join(folders))


def words_of_command(wperf, arguments):
    """How many of the last arguments are the command that wperf runs: wperf itself knows its options."""
    if "--" in arguments:
        return len(arguments) - arguments.index("--") - 1
    told = subprocess.run([wperf, "--explain", "wperf"] + arguments, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True)
    for line in told.stdout.splitlines():
        if line.startswith("run: "):
            try:
                return len(shlex.split(line[len("run: "):]))
            except ValueError:  # a quoting of bytes that are no text
                return 0
    return 0


def is_for_python(word):
    return word.endswith((".py", ".pyw", ".pyz")) or word[:2] in ("-m", "-c")


def with_interpreter(wperf, arguments):
    n_words = words_of_command(wperf, arguments)
    options, command = arguments[:len(arguments) - n_words], arguments[len(arguments) - n_words:]
    if not command or not is_for_python(command[0]):
        return arguments
    return [word for word in options if word != "--"] + ["--", sys.executable] + command


def main():
    wperf = program()
    sys.stdout.flush()
    os.execv(wperf, ["wperf"] + with_interpreter(wperf, sys.argv[1:]))


if __name__ == "__main__":
    main()
