"""That the check of Docs/Coverage.md fails where it should: each test has a repository of its own, with one fault."""
import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import coverage

PAGE = """# Delivery

<a id="1"></a>What was answered `queued` is on disk. <a id="2"></a>It arrives.
"""
README = """# Product

<a id="1"></a>It tracks.
"""
BRIDGE = """# The bridge

<!-- methods: made by `make generate` -->
### `track`

### `analytics.track`
<!-- end of methods -->

## Types
"""
ROWS = """# Coverage

## Delivery

| Statement | In short | Shown by |
|---|---|---|
| [1](Delivery.md#1) | on disk | `CrashTests.killed`, `make kills` (by hand) |
| [2](Delivery.md#2) | it arrives | `a.test.js: arrives ${how}, and it\\'s \\`whole\\``, `test_a.py: A.test_arrives` |
| [track](Bridge.md#track), [analytics.track](Bridge.md#analyticstrack) | methods | `CrashTests.killed` |
| [1](../README.md#1) | it tracks | `make setup` |

## Behaviours

| Behaviour | Shown by |
|---|---|
| Everything *differs* [Decision: one `queue`] | `make test` |
""".replace("\\`", "")
SWIFT = """
@Suite("Crashes", .enabled(if: true)) struct CrashTests {
    @Test("a title", arguments: [
        1, 2,
    ])
    func killed(_ times: Int) {}
    func helper() {}
    struct Row { let name: String }
    @Test func other() {}
}
"""
NODE = r"""
test(`arrives ${how}, and it\'s whole`, () => {})
"""
PYTHON = """
import unittest
class A(unittest.TestCase):
    def test_arrives(self): pass
"""
MAKEFILE = """NAME := x
.PHONY: test
test: test-node
\t$(MAKE) last
test-node: setup
\tnode --test
setup:
last:
kills:
\ttrue
"""


class Repository:
    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        self.reports = self.root / "reports"
        self.write("README.md", README)
        self.write("Docs/Delivery.md", PAGE)
        self.write("Docs/Bridge.md", BRIDGE)
        self.write("Docs/Coverage.md", ROWS)
        self.write("Docs/Decisions.md", "| one `queue` | because |\n")
        self.write("Tests/ATests/CrashTests.swift", SWIFT)
        self.write("BridgeHost/Node/test/a.test.js", NODE)
        self.write("Tests/Scripts/test_a.py", PYTHON)
        self.write("Makefile", MAKEFILE)
        self.write(".ci/run", "exec make test\n")
        self.report([("ATests.CrashTests", "killed(_:)", "")])
        self.report_lines([
            ("a.test.js", "arrives late, and it's whole", "passed"), ("a.test.js", "arrives early, and it's whole", "passed"),
            ("test_a.py", "A.test_arrives", "passed"),
        ])

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def change(self, path, old, new):
        text = (self.root / path).read_text()
        assert old in text, old
        self.write(path, text.replace(old, new))

    def report(self, cases):
        inside = "".join(f'<testcase classname="{a}" name="{b}" time="0">{c}</testcase>' for a, b, c in cases)
        self.write("reports/swift-swift-testing.xml", f"<testsuites><testsuite>{inside}</testsuite></testsuites>")

    def report_lines(self, records, name="node"):
        lines = [json.dumps({"file": a, "name": b, "verdict": c}) + "\n" for a, b, c in records]
        self.write(f"reports/{name}.jsonl", "".join(lines))


class CoverageCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.repository = Repository(folder.name)

    def names(self):
        return coverage.check(self.repository.root)[0]

    def passed(self):
        return coverage.check(self.repository.root, self.repository.reports)[0]


class Names(CoverageCase):
    def test_nothing_is_wrong_where_every_statement_has_its_row_and_every_name_its_test(self):
        self.assertEqual(coverage.check(self.repository.root), ([], 5, 5))
        self.assertEqual(self.passed(), [])

    def test_a_statement_without_a_row(self):
        self.repository.change("Docs/Delivery.md", "It arrives.", 'It arrives, <a id="3"></a>whole.')
        self.assertEqual(self.names(), ["Docs/Delivery.md: statement 3 has no row"])

    def test_a_method_without_a_row(self):
        self.repository.change("Docs/Bridge.md", "### `track`", "### `set`\n\n### `track`")
        self.assertEqual(self.names(), ["Docs/Bridge.md: statement set has no row"])

    def test_a_recovery_scenario_without_a_row(self):
        self.repository.write("Tests/Recovery/scenarios.json", '[{"name": "a death"}]')
        self.assertEqual(self.names(), ["Tests/Recovery/scenarios.json: “a death” has no row"])
        self.repository.change("Docs/Coverage.md", "| Everything", "| A death | `make test` |\n| Everything")
        self.assertEqual(self.names(), [])

    def test_a_statement_of_the_front_page_without_a_row(self):
        self.repository.change("README.md", "It tracks.", 'It tracks. <a id="2"></a>All of it.')
        self.assertEqual(self.names(), ["README.md: statement 2 has no row"])

    def test_a_page_without_statements(self):
        self.repository.write("Docs/Storage.md", "# Storage\n\nNothing is lost.\n")
        self.assertEqual(self.names(), ["Storage.md: no statement has a number"])

    def test_a_statement_in_a_page_that_explains_the_code(self):
        self.repository.write("Docs/Architecture.md", '# Architecture\n\n<a id="1"></a>Nothing is lost.\n')
        self.assertIn("Architecture.md: a page that explains the code has numbered statements", self.names())

    def test_a_row_for_a_statement_that_does_not_exist(self):
        self.repository.change("Docs/Delivery.md", '<a id="2"></a>', "")
        self.assertEqual(self.names(), ["Docs/Coverage.md:8: there is no statement Delivery 2"])

    def test_a_row_without_its_statement(self):
        self.repository.change("Docs/Coverage.md", "[1](Delivery.md#1)", "1")
        self.assertEqual(
            self.names(),
            ["Docs/Coverage.md:7: the row links to no statement", "Docs/Delivery.md: statement 1 has no row"],
        )

    def test_a_number_that_stands_twice(self):
        self.repository.change("Docs/Delivery.md", '<a id="2"></a>', '<a id="1"></a>')
        self.assertIn("Delivery.md: 1 stands twice", self.names())

    def test_a_test_that_does_not_exist(self):
        for path, old, new in [
            ("Tests/ATests/CrashTests.swift", "killed", "stopped"),
            ("BridgeHost/Node/test/a.test.js", "whole", "half"),
            ("Tests/Scripts/test_a.py", "test_arrives", "arrives"),
        ]:
            with self.subTest(path):
                self.setUp()
                self.repository.change(path, old, new)
                self.assertRegex(self.names()[0], r"^Docs/Coverage.md:\d+: there is no test `")

    def test_a_function_that_is_no_test(self):
        self.repository.change("Docs/Coverage.md", "`CrashTests.killed`, ", "`CrashTests.helper`, ")
        self.assertEqual(self.names(), ["Docs/Coverage.md:7: there is no test `CrashTests.helper`"])

    def test_a_row_that_names_nothing(self):
        self.repository.change("Docs/Coverage.md", "`make test`", "everything")
        self.assertEqual(self.names(), ["Docs/Coverage.md:16: no test is named"])

    def test_a_target_that_does_not_exist(self):
        self.repository.change("Docs/Coverage.md", "make test`", "make tests`")
        self.assertEqual(self.names(), ["Docs/Coverage.md:16: there is no target `make tests`"])

    def test_a_target_that_continuous_integration_never_runs(self):
        self.repository.change("Docs/Coverage.md", " (by hand)", "")
        self.assertEqual(
            self.names(),
            ["Docs/Coverage.md:7: continuous integration never runs `make kills`, and the row does not say so"],
        )

    def test_a_target_that_another_runs(self):
        for target in ("test", "test-node", "setup", "last"):
            with self.subTest(target):
                self.setUp()
                self.repository.change("Docs/Coverage.md", "make test`", f"make {target}`")
                self.assertEqual(self.names(), [])

    def test_a_decision_that_does_not_stand_in_the_page(self):
        self.repository.change("Docs/Coverage.md", "one `queue`", "two queues")
        self.assertEqual(self.names(), ["Docs/Coverage.md:16: Docs/Decisions.md does not say “two queues”"])

    def test_a_page_without_rows(self):
        self.repository.write("Docs/Coverage.md", "# Coverage\n")
        self.assertIn("Docs/Coverage.md: there are no rows", self.names())


class Reports(CoverageCase):
    def faults(self, *expected):
        self.assertEqual(self.passed(), list(expected))

    def test_a_swift_test_that_failed(self):
        self.repository.report([("ATests.CrashTests", "killed(_:)", "<failure message='no' />")])
        self.faults("Docs/Coverage.md:7: `CrashTests.killed` failed", "Docs/Coverage.md:9: `CrashTests.killed` failed")

    def test_a_swift_test_that_was_skipped(self):
        self.repository.report([("ATests.CrashTests", "killed(_:)", "<skipped>no root</skipped>")])
        self.assertIn("Docs/Coverage.md:7: `CrashTests.killed` was not passed, but skipped", self.passed())

    def test_a_swift_test_that_did_not_run(self):
        self.repository.report([("ATests.CrashTests", "killedTwice()", ""), ("ATests.OtherTests", "killed()", "")])
        self.assertIn("Docs/Coverage.md:7: `CrashTests.killed` did not run", self.passed())

    def test_a_suite_in_a_suite_may_be_named_by_either(self):
        self.repository.report([("ATests.CrashTests.Inner", "killed()", "")])
        self.faults()

    def test_one_of_two_tests_of_a_name_that_failed(self):
        self.repository.report(
            [("ATests.CrashTests", "killed(_:)", ""), ("ATests.CrashTests", "killed()", "<failure message='no' />")])
        self.assertIn("Docs/Coverage.md:7: `CrashTests.killed` failed", self.passed())

    def test_a_report_that_is_missing(self):
        (self.repository.reports / "swift-swift-testing.xml").unlink()
        self.assertIn("Docs/Coverage.md:7: `CrashTests.killed` did not run", self.passed())

    def test_a_report_of_a_run_that_did_not_end(self):
        self.repository.write("reports/swift-swift-testing.xml", "<testsuites><testsuite>")
        self.assertEqual(
            self.passed()[:2],
            ["swift-swift-testing.xml is not whole: that run did not come to its end",
             "Docs/Coverage.md:7: `CrashTests.killed` did not run"],
        )

    def test_one_of_the_tests_that_a_template_stands_for_failed(self):
        name = "`a.test.js: arrives ${how}, and it\\'s whole`"
        for verdict, said in [("failed", "failed"), ("skipped", None)]:
            with self.subTest(verdict):
                self.repository.report_lines([
                    ("a.test.js", "arrives late, and it's whole", "passed"),
                    ("a.test.js", "arrives early, and it's whole", verdict), ("test_a.py", "A.test_arrives", "passed"),
                ])
                self.faults(*([f"Docs/Coverage.md:8: {name} {said}"] if said else []))

    def test_a_template_that_no_title_fits(self):
        self.repository.report_lines([
            ("a.test.js", "arrives late, and it's whole, twice", "passed"),
            ("b.test.js", "arrives late, and it's whole", "passed"), ("test_a.py", "A.test_arrives", "passed"),
        ])
        self.faults("Docs/Coverage.md:8: `a.test.js: arrives ${how}, and it\\'s whole` did not run")

    def test_a_test_that_a_later_run_has_passed(self):
        self.repository.report_lines([("a.test.js", "arrives late, and it's whole", "skipped")])
        self.repository.report_lines(
            [("a.test.js", "arrives late, and it's whole", "passed"), ("test_a.py", "A.test_arrives", "passed")], "later")
        self.faults()

    def test_a_python_test_that_failed(self):
        self.repository.report_lines([("a.test.js", "arrives late, and it's whole", "passed"), ("test_a.py", "A.test_arrives", "failed")])
        self.faults("Docs/Coverage.md:8: `test_a.py: A.test_arrives` failed")

    def test_what_is_run_by_hand_needs_no_report(self):
        self.repository.report([])
        self.repository.change("Docs/Coverage.md", "`CrashTests.killed`", "`CrashTests.killed` (by hand)")
        self.faults()


class Command(unittest.TestCase):
    def run_main(self, *arguments):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = coverage.main(arguments)
        return code, printed.getvalue().strip().splitlines()

    def test_says_that_it_has_looked_at_names_alone(self):
        code, lines = self.run_main()
        self.assertEqual(code, 0, "\n".join(lines))
        self.assertIn("names alone", lines[-1])

    def test_fails_and_stays_short_where_nothing_has_run(self):
        with tempfile.TemporaryDirectory() as empty:
            code, lines = self.run_main("--reports", empty)
        self.assertEqual(code, 1)
        self.assertLess(len(lines), 30)
        self.assertIn("by the reports", lines[-1])


if __name__ == "__main__":
    unittest.main()
