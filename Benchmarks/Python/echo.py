"""The least that a Python program can do to call another over a pipe: a line out, the line back, an id for each.

    echo.py COUNT COMMAND…

Prints the seconds until the last answer and this process's processor time in seconds, as JSON.
"""
import json
import subprocess
import sys
import threading
import time

from event import event

count = int(sys.argv[1])
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding='utf-8')
waiting = set(range(count))


def read():
    while waiting:
        waiting.remove(json.loads(child.stdout.readline())['id'])


before, begin = time.process_time(), time.monotonic()
reader = threading.Thread(target=read)
reader.start()
for number in range(count):
    call = {'jsonrpc': '2.0', 'id': number, 'method': 'track', 'params': event(number)}
    child.stdin.write(json.dumps(call, ensure_ascii=False) + '\n')
child.stdin.flush()
reader.join()
print(json.dumps({'seconds': time.monotonic() - begin, 'cpu': time.process_time() - before}))
child.kill()
