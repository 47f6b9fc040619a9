"""The thread behind a tracker."""

import os
import threading
import unittest

from mobiletracker._io_thread import IOThread


class IOThreadTests(unittest.TestCase):
    def test_that_has_ended_is_not_woken(self) -> None:
        """Who was about to wake it must not write into a pipe that has its number by now."""
        faults: list[Exception] = []
        thread = IOThread(is_idle=lambda: True, after_turn=lambda: None, on_fault=faults.append)
        ran: list[threading.Thread] = []
        thread.post(lambda _: ran.append(threading.current_thread()))
        while thread.is_running:
            for each in list(ran):
                each.join()

        pipes = [os.pipe() for _ in range(4)]
        thread._wake()

        for reader, writer in pipes:
            os.set_blocking(reader, False)
            with self.assertRaises(BlockingIOError):
                os.read(reader, 1)
            os.close(reader)
            os.close(writer)
        self.assertEqual(faults, [])
