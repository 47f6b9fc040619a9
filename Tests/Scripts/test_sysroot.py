"""What .ci/sysroot does where it cannot fetch what the packages are linked with."""
import http.server
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / ".ci/sysroot"


class OtherFiles(http.server.BaseHTTPRequestHandler):
    """A mirror that has every file, each with other bytes than Debian's."""

    def do_GET(self):
        body = b"not what was asked for"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Sysroot(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / ".ci").mkdir()
        shutil.copy(SCRIPT, self.folder / ".ci")

    def test_says_what_cannot_be_had_and_what_to_do(self):
        for processor, package in (("x86_64", "amd64"), ("aarch64", "arm64")):
            with self.subTest(processor):
                ended = self.run_script(processor, "http://127.0.0.1:9")

                self.assertEqual((ended.returncode, ended.stdout), (1, ""))
                self.assertRegex(ended.stderr, rf"libc6_2[.]31\S+_{package}[.]deb of Debian 11 cannot be had from http://127.0.0.1:9")
                self.assertIn("DEBIAN_MIRROR", ended.stderr)

    def test_refuses_a_file_with_another_sum(self):
        mirror = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OtherFiles)
        self.addCleanup(mirror.server_close)
        self.addCleanup(mirror.shutdown)
        threading.Thread(target=mirror.serve_forever, daemon=True).start()

        ended = self.run_script("x86_64", f"http://127.0.0.1:{mirror.server_address[1]}")

        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertIn("cannot be had from", ended.stderr)
        self.assertEqual(list((self.folder / ".build/sysroot").glob("*.made")), [])

    def test_knows_no_other_processor(self):
        for processor in ("", "riscv64"):
            ended = self.run_script(processor, "http://127.0.0.1:9")

            self.assertEqual((ended.returncode, ended.stdout), (1, ""))
            self.assertIn("x86_64 or aarch64", ended.stderr)

    def run_script(self, processor, mirror):
        environment = {**os.environ, "DEBIAN_MIRROR": mirror}
        command = [self.folder / ".ci/sysroot", processor]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


if __name__ == "__main__":
    unittest.main()
