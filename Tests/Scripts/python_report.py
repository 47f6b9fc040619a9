#!/usr/bin/env python3
"""Runs the Python tests below the current folder; writes the file, name and verdict of each as a line of JSON.

    python_report.py REPORT [names of tests]
"""
import json
import pathlib
import sys
import traceback
import unittest


class Report(unittest.TextTestResult):
    """What each test came to. One with parts fails with the first part that does."""

    path = None

    def addSuccess(self, test):
        super().addSuccess(test)
        self._write(test, "passed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._write(test, "skipped")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._write(test, "failed", error)

    def addError(self, test, error):
        super().addError(test, error)
        self._write(test, "failed", error)

    def addSubTest(self, test, part, error):
        super().addSubTest(test, part, error)
        if error:
            self._write(test, "failed", error, f" {part._subDescription()}")

    def _write(self, test, verdict, error=None, part=""):
        file = pathlib.Path(sys.modules[type(test).__module__].__file__ or "").name
        # What fails before the first test of a module or class is no test.
        name = f"{type(test).__name__}.{test._testMethodName}" if isinstance(test, unittest.TestCase) else test.id()
        record = {"file": file, "name": name, "verdict": verdict}
        if error:
            lines = [frame.lineno for frame in traceback.extract_tb(error[2]) if frame.filename.endswith(file)]
            record["place"] = f"{file}:{lines[-1] if lines else 0}"
            record["error"] = "".join(traceback.format_exception_only(*error[:2])) + part
        with self.path.open("a") as report:
            report.write(json.dumps(record) + "\n")


def main(path, *names):
    Report.path = pathlib.Path(path)
    sys.path.insert(0, "")
    loader = unittest.TestLoader()
    tests = loader.loadTestsFromNames(names) if names else loader.discover("tests", top_level_dir=".")
    result = unittest.TextTestRunner(resultclass=Report, verbosity=2, warnings="error").run(tests)
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
