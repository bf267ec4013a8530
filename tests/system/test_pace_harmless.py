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


def test_a_writer_whose_reader_is_slow(t: Context) -> None:
    """A write of 64 KB to a pipe is never short."""
    for _ in range(3):
        done = t.ours("record", "-q", "--engine", "pace", "-F", "9999", "--", t.program("paced"), "pipes", "600")
        harness.check(done.status == 0 and done.err == "", "as without a recorder", done)


if __name__ == "__main__":
    harness.main(__name__)
