"""Prometheus, and what it watches."""

import json
import os
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

from .times import RULES, SCRAPE, shorter
from .waits import free_port, wait
from .watched import Focusd


class Run:
    def __init__(self, binaries, prometheus):
        self.binaries, self.prometheus = binaries, prometheus
        self.place = tempfile.mkdtemp(prefix="focus-alerts-")
        os.chmod(self.place, 0o755)
        self.servers, self.process, self.fired, self.failures = [], None, {}, []

    def focusd(self, name, **options):
        server = Focusd(self, name, **options)
        self.servers.append(server)
        return server

    def watch(self, rules=None):
        """Starts Prometheus on the servers there are, with the shortened rules or those given."""
        if rules is None:
            with open(RULES) as file:
                rules = shorter(file.read())
        with open(os.path.join(self.place, "rules.yml"), "w") as file:
            file.write(rules)
        targets = "".join(
            f"\n      - targets: ['127.0.0.1:{server.ports[1]}']\n        labels: {{instance: {server.name}}}"
            for server in self.servers)
        with open(os.path.join(self.place, "prometheus.yml"), "w") as file:
            file.write(
                f"global: {{scrape_interval: {SCRAPE}s, scrape_timeout: {SCRAPE}s, evaluation_interval: 1s}}\n"
                f"rule_files: [rules.yml]\nscrape_configs:\n  - job_name: focusd\n    static_configs:{targets}\n")
        self.port = free_port()
        with open(os.path.join(self.place, "prometheus.log"), "wb") as log:
            self.process = subprocess.Popen(
                [self.prometheus, f"--config.file={self.place}/prometheus.yml",
                 f"--storage.tsdb.path={self.place}/tsdb", f"--web.listen-address=127.0.0.1:{self.port}",
                 "--query.lookback-delta=5s"],
                stdout=log, stderr=log)
        if not wait(60, self.scrapes):
            raise SystemExit(f"Prometheus does not scrape: {open(f'{self.place}/prometheus.log').read()[-2000:]}")

    def scrapes(self):
        """Whether Prometheus runs and knows every server. Without it no alert fires, whatever happens."""
        return self.process.poll() is None and self.ask("count(up)") == [({}, len(self.servers))]

    def ask(self, query):
        """The samples of a query, each with its labels; nothing while Prometheus does not answer."""
        url = f"http://127.0.0.1:{self.port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                found = json.load(answer)["data"]["result"]
        except OSError:
            return []
        return [(one["metric"], float(one["value"][1])) for one in found]

    def expect(self, alert, server, seconds=120, while_=lambda: None):
        """Waits until the alert fires for the server; does `while_` meanwhile, again and again."""
        begin, query = time.time(), f'ALERTS{{alertname="{alert}", alertstate="firing", instance="{server.name}"}}'

        def fires():
            while_()
            return self.ask(query)
        if wait(seconds, fires):
            self.fired[alert] = time.time() - begin
            print(f"fired   {alert} after {self.fired[alert]:.0f} s", flush=True)
        else:
            self.failures.append(f"{alert} did not fire within {seconds} s")
            print(f"FAILED  {self.failures[-1]}", flush=True)

    def close(self):
        if self.process:
            self.process.terminate()
            self.process.wait()
        for server in self.servers:
            server.stop()
