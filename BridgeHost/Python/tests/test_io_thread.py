"""The thread behind a tracker."""

from __future__ import annotations

import os
import queue
import selectors
import sys
import threading
import unittest
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from .support import GUARD

from mobiletracker._action_queue import ActionQueue  # isort: skip
from mobiletracker._call import Call  # isort: skip
from mobiletracker._find import HostEnd  # isort: skip
from mobiletracker._io_thread import IOThread  # isort: skip
from mobiletracker._notification_listeners import ListenerThread  # isort: skip
from mobiletracker._process import HostProcess  # isort: skip


class ThreadTestCase(unittest.TestCase):
    """A test with threads and what they could not do."""

    def setUp(self) -> None:
        self.faults: list[BaseException] = []
        self.is_over = threading.Event()

    def thread(self, kind: type[IOThread] = IOThread) -> IOThread:
        """A thread that runs until the test is over."""
        thread = kind(is_idle=self.is_over.is_set, after_turn=lambda: None, on_fault=self.faults.append)
        self.addCleanup(self.end, thread)
        return thread

    def end(self, thread: IOThread) -> None:
        """Has the thread end."""
        self.is_over.set()
        thread.post(lambda _: None)

    def wait_for(self, done: threading.Event) -> None:
        """Waits for what never takes long."""
        self.assertTrue(done.wait(GUARD), self.faults)


class IOThreadTests(ThreadTestCase):
    """What the thread does with what comes at the same time."""

    def test_that_has_ended_is_not_woken(self) -> None:
        """Who was about to wake it must not write into a pipe that has its number by now."""
        thread = IOThread(is_idle=lambda: True, after_turn=lambda: None, on_fault=self.faults.append)
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
        self.assertEqual(self.faults, [])

    def test_goes_on_after_an_action_that_exits(self) -> None:
        thread, done = self.thread(), threading.Event()
        thread.post(lambda _: sys.exit(3))

        thread.post(lambda _: done.set())
        self.wait_for(done)

        self.assertEqual([repr(fault) for fault in self.faults], ["SystemExit(3)"])

    def test_that_closes_leaves_a_forked_child_nothing_to_close_twice(self) -> None:
        thread = IOThread(is_idle=lambda: True, after_turn=lambda: None, on_fault=self.faults.append)
        thread.open()
        ends = [thread._wake_read, thread._wake_write]
        closed: list[int] = []
        close, here = os.close, threading.current_thread()

        def fork(descriptor: int) -> None:
            close(descriptor)
            # Threads of other tests may end now.
            if threading.current_thread() is here:
                closed.append(descriptor)
                thread.abandon(Call)

        with mock.patch("os.close", fork):
            thread._close()

        self.assertEqual(closed, ends)

    def test_is_abandoned_though_another_has_closed_its_descriptors(self) -> None:
        thread = IOThread(is_idle=lambda: True, after_turn=lambda: None, on_fault=self.faults.append)
        call = Call("track", b"{}")
        thread._posted.append((lambda _: None, call))
        thread.open()
        for end in (thread._wake_read, thread._wake_write):
            os.close(end)

        self.assertEqual(thread.abandon(Call), [call])

    def test_is_started_by_the_next_call_if_a_signal_handler_raised_while_it_was_started(self) -> None:
        thread, done = self.thread(), threading.Event()
        with mock.patch.object(threading.Thread, "start", side_effect=KeyboardInterrupt):
            with self.assertRaises(KeyboardInterrupt):
                thread.post(lambda _: None)

        thread.post(lambda _: done.set())

        self.assertTrue(done.wait(GUARD))

    def test_lets_actions_run_after_a_signal_handler_raised_where_they_begin(self) -> None:
        class Interrupted(dict[str, object]):
            def setdefault(self, *pair: Any) -> object:
                super().setdefault(*pair)
                raise KeyboardInterrupt

        queue, done = ActionQueue(), []
        queue._runner = Interrupted()
        with self.assertRaises(KeyboardInterrupt):
            queue.run(lambda: done.append(1))
        queue._runner = dict(queue._runner)
        queue.run(lambda: done.append(2))

        self.assertEqual(done, [1, 2])

    def test_is_woken_by_a_call_that_interrupts_another_call(self) -> None:
        """As a signal handler does, which waits for its answer while the call before it cannot go on."""
        done = threading.Event()
        answered: list[bool] = []

        class Interrupted(IOThread):
            def _wake(self) -> None:
                if not answered:
                    answered.append(False)
                    self.post(lambda _: done.set())
                    answered[0] = done.wait(GUARD)
                super()._wake()

        thread = self.thread(Interrupted)
        waits = threading.Event()

        def tell_wait(_: object) -> None:
            assert thread._selector
            select = thread._selector.select

            def told(timeout: float | None) -> Any:
                waits.set()
                return select(timeout)

            self.enterContext(mock.patch.object(thread._selector, "select", told))

        thread.post(tell_wait)
        self.wait_for(waits)
        thread.post(lambda _: None)

        self.assertEqual((answered, self.faults), ([True], []))

    def test_leaves_out_what_is_not_watched_any_more(self) -> None:
        """Both pipes are ready at once; the first action ends the watch of both, and closes them."""
        thread = self.thread()
        readers = []
        for _ in range(2):
            reader, writer = os.pipe()
            os.write(writer, b"!")
            os.close(writer)
            readers.append(reader)
        read: list[bytes] = []
        done = threading.Event()

        def read_and_close(reader: int, _: int) -> None:
            read.append(os.read(reader, 1))
            for each in readers:
                thread.watch(each, 0, lambda _: None)
                os.close(each)
            thread.post(lambda _: done.set())

        def watch(_: object) -> None:
            for reader in readers:
                thread.watch(reader, selectors.EVENT_READ, partial(read_and_close, reader))

        thread.post(watch)
        self.wait_for(done)

        self.assertEqual((read, self.faults), ([b"!"], []))

    def test_leaves_out_what_was_ready_for_another_watch_of_the_same_number(self) -> None:
        """The second pipe has the number of one that was closed after both had become ready."""
        thread = self.thread()
        (first, first_writer), (second, second_writer), (new, new_writer) = (os.pipe() for _ in range(3))
        for writer in (first_writer, second_writer):
            os.write(writer, b"!")
        called: list[str] = []
        done = threading.Event()

        def replace(name: str, other: int, _: int) -> None:
            called.append(name)
            for each in (first, second):
                thread.watch(each, 0, lambda _: None)
            os.dup2(new, other)
            thread.watch(other, selectors.EVENT_READ, lambda _: called.append("new"))
            thread.post(lambda _: done.set())

        def watch(_: object) -> None:
            thread.watch(first, selectors.EVENT_READ, partial(replace, "first", second))
            thread.watch(second, selectors.EVENT_READ, partial(replace, "second", first))

        thread.post(watch)
        self.wait_for(done)

        for descriptor in (first, first_writer, second, second_writer, new, new_writer):
            os.close(descriptor)
        self.assertIn(called, (["first"], ["second"]))
        self.assertEqual(self.faults, [])

    def test_is_one_though_a_signal_handler_raises_as_it_starts(self) -> None:
        start = threading.Thread.start

        for has_begun in (True, False):
            with self.subTest(has_begun=has_begun):
                thread = IOThread(is_idle=self.is_over.is_set, after_turn=lambda: None, on_fault=self.faults.append)
                ran: list[threading.Thread] = []
                first, second = threading.Event(), threading.Event()

                def note(done: threading.Event) -> None:
                    ran.append(threading.current_thread())
                    done.set()

                def interrupted(started: threading.Thread) -> None:
                    if has_begun:
                        start(started)
                        self.wait_for(first)
                    raise KeyboardInterrupt

                with mock.patch.object(threading.Thread, "start", interrupted), self.assertRaises(KeyboardInterrupt):
                    thread.post(note, first)
                thread.post(note, second)
                self.wait_for(second)

                self.assertEqual(len(set(ran)), 1)
                self.assertEqual((thread.is_running, self.faults), (True, []))
                self.addCleanup(self.end, thread)


class HostProcessTests(ThreadTestCase):
    """A process and its end."""

    def test_takes_no_calls_after_its_end(self) -> None:
        thread = self.thread()
        ends: list[HostEnd] = []
        processes: list[HostProcess] = []
        done = threading.Event()

        def use(end: HostEnd) -> None:
            ends.append(end)
            processes[0].send(Call("track", b"{}"))
            processes[0].flush()
            processes[0].kill()
            done.set()

        def start(_: object) -> None:
            options: Any = {"on_stderr": lambda _: None, "on_lines": lambda _: None, "on_end": use}
            process = HostProcess(thread, Path(sys.executable), ["-c", "pass"], **options)
            process.send(Call("init", b"{}"))
            processes.append(process)

        thread.post(start)
        self.wait_for(done)

        self.assertEqual((ends, self.faults), ([HostEnd(code=0)], []))

    @unittest.skipUnless(hasattr(os, "pidfd_open"), "the system has no descriptors of processes")
    def test_that_ends_leaves_a_forked_child_nothing_to_close_twice(self) -> None:
        thread = self.thread()
        left: list[int] = []
        done = threading.Event()
        close = os.close

        def start(_: object) -> None:
            options: Any = {"on_stderr": lambda _: None, "on_lines": lambda _: None, "on_end": lambda _: done.set()}
            process = HostProcess(thread, Path(sys.executable), ["-c", "pass"], **options)
            exit = process._exit

            def look(descriptor: int) -> None:
                close(descriptor)
                if descriptor == exit:
                    left.append(process._exit)

            self.enterContext(mock.patch("os.close", look))

        thread.post(start)
        self.wait_for(done)

        self.assertEqual((left[:1], self.faults), ([-1], []))


class ListenerThreadTests(unittest.TestCase):
    def test_goes_on_after_a_call_that_exits(self) -> None:
        heard: queue.SimpleQueue[int] = queue.SimpleQueue()

        def call(_: object, number: int) -> None:
            if number == 1:
                sys.exit(3)
            heard.put(number)

        thread = ListenerThread(call)
        for number in (1, 2):
            thread.enqueue(lambda _: None, number)

        self.assertEqual(heard.get(timeout=GUARD), 2)
        thread.finish()


if __name__ == "__main__":
    unittest.main()
