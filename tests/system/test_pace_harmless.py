#!/usr/bin/python3
"""--engine pace has no effect on programs: the tests of --engine stop, where they do not depend on the engine.

With TRIALS=N the recorder is killed N times, and the record of waits is compared.
"""
import guardian
import harness
import test_stop_harmless
from harness import Context
from test_guardian import test_kills_of_the_recorder, test_kills_when_a_signal_ends_the_command  # pylint: disable=unused-import
from test_stop_harmless import (  # pylint: disable=unused-import
    test_other_programs, test_privileges, test_shells, test_system_calls_of_an_interpreter)
from test_waits import test_a_wait_that_is_often_woken_keeps_its_time, test_waits_end_as_without_a_recorder  # pylint: disable=unused-import

test_stop_harmless.ENGINE = guardian.ENGINE = "pace"


def test_long_calls_are_not_cut(t: Context) -> None:
    """A call that is interrupted when it has moved a part of its bytes."""
    bare = t.run(t.program("paced"), "long_calls", "1500")
    done = t.ours("record", "-q", "--engine", "pace", "-F", "9999", "--", t.program("paced"), "long_calls", "1500")
    harness.check(bare.err == "" and done.status == 0 and done.err == "", "all of them return all bytes", done)


if __name__ == "__main__":
    harness.main(__name__)
