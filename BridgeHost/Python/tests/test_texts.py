"""The texts of faults. Swift and Node fill the same ones: `FaultWordTests`, `client-texts.test.js`."""

from __future__ import annotations

import json

from .support import ROOT, TestCase

from mobiletracker._fault import _filled, _words, client_text, message_of, sentence  # isort: skip

TEMPLATES, FAULTS, CLIENTS = (
    json.loads((ROOT / f"Tests/Texts/{name}.json").read_text()) for name in ("templates", "faults", "clients")
)


class TextTests(TestCase):
    def test_a_text_is_filled_with_its_facts(self) -> None:
        self.assertTrue(TEMPLATES)
        for each in TEMPLATES:
            with self.subTest(each["text"], **each["facts"]):
                facts = each["facts"]
                filled = _filled(each["text"], lambda name: _words(name, facts.get(name), frozenset()))
                self.assertEqual(filled, each["gives"])

    def test_a_text_says_what_is_wrong_with_an_option(self) -> None:
        self.assertTrue(FAULTS)
        for each in FAULTS:
            with self.subTest(each["word"], **each["facts"]):
                gives = each["gives"].replace("allowInsecureHTTP", "allow_insecure_http")
                self.assertEqual(sentence(each["word"], each["facts"]), gives)

    def test_a_text_says_what_a_client_says(self) -> None:
        self.assertTrue(CLIENTS)
        for each in CLIENTS:
            with self.subTest(each["word"], **each["facts"]):
                gives = each["gives"].replace("hostPath", "host_path")
                self.assertEqual(client_text(each["word"], **each["facts"]), gives)

    def test_a_text_that_lacks_a_fact_is_none(self) -> None:
        self.assertIsNone(_filled("{a} and {b}", {"a": "A"}.get))

    def test_all_options_of_a_message_have_their_names_in_python(self) -> None:
        for reason, option, other, words in (
            ("lacking", "clientKey", "clientCertificate", "'client_key' must be given as well, since 'client_certificate' is"),
            ("excluded", "keyFile", "xApiKey", "'key_file' cannot be given besides 'x_api_key'"),
            ("controlCharacter", "xApiKey", None, "'x_api_key' holds a control character, such as a line break"),
        ):
            data = {"reason": reason, "option": option, "other": other}
            self.assertEqual(message_of("INVALID_CONFIGURATION", data, frozenset()), f"Invalid configuration: {words}")
