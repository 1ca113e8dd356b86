"""Processes of Kafka Connect for connect.py and mirror.py: started with a properties file, ended in order, their log told on failure."""
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from kafka import JAVA

APPS = os.path.join(os.environ['APPS'], '*')


class Worker:
    """One process of a Java class that takes a properties file. Use it in a `with`."""

    def __init__(self, main_class, scratch, name, properties):
        self.path, self.log_path = os.path.join(scratch, f'{name}.properties'), os.path.join(scratch, f'{name}.log')
        with open(self.path, 'w') as file:
            file.writelines(f'{key}={value}\n' for key, value in properties.items())
        self.main_class, self.process = main_class, None

    def start(self):
        log = open(self.log_path, 'ab')
        command = [JAVA, '-Xmx384m', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-cp', APPS, self.main_class, self.path]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def tail(self):
        with open(self.log_path, errors='replace') as log:
            return ''.join(log.readlines()[-40:])

    def stop(self):
        """SIGTERM, as an operator would."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            raise SystemExit(f'the worker did not stop:\n{self.tail()}')

    def wait_for(self, is_there, what, seconds):
        """Asks until it is there; says what was missing and what the worker logged if it does not come."""
        end = time.monotonic() + seconds
        while True:
            found = is_there()
            if found:
                return found
            if self.process.poll() is not None:
                raise SystemExit(f'the worker has ended with {self.process.returncode}:\n{self.tail()}')
            if time.monotonic() > end:
                raise SystemExit(f'{what}: not within {seconds} s')
            time.sleep(0.2)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, fault, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if fault:
            print('--- the end of the worker\'s log:\n' + self.tail(), file=sys.stderr)


def ask(port, path, body=None):
    """A question to Connect's REST interface: the answer, or `None` if there is none yet."""
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(f'http://127.0.0.1:{port}{path}', data, {'Content-Type': 'application/json'})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return None
