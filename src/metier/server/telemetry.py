"""Metrics for OpenTelemetry: pushed to a collector by OTLP/HTTP, at a steady pace."""

from __future__ import annotations

import http.client
import json
import threading
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from metier.errors import ConfigError

if TYPE_CHECKING:
    from metier.server.metrics import Metrics

PACE = 60.0
"""Seconds between two pushes."""
PATIENCE = 10.0
"""Seconds for one."""
PATH = "/v1/metrics"


class MetricsPush:
    """A thread that sends all metrics to a collector; one that does not answer is tried again the next time."""

    def __init__(self, metrics: Metrics, url: str, pace: float = PACE) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"--otel '{url}' is not a collector's address, such as http://127.0.0.1:4318.")
        self._metrics, self._parts, self._pace = metrics, parts, pace
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="telemetry", daemon=True)

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def close(self) -> None:
        """Send what there is once more, then end."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(PATIENCE)

    def push(self) -> bool:
        """Send once; whether the collector took it."""
        secure = self._parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = kind(str(self._parts.hostname), self._parts.port, timeout=PATIENCE)
        path = self._parts.path.rstrip("/") if self._parts.path.endswith(PATH) else self._parts.path.rstrip("/") + PATH
        try:
            body = json.dumps(self._metrics.otlp())
            connection.request("POST", path, body, {"Content-Type": "application/json"})
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def _work(self) -> None:
        while not self._ended.wait(self._pace):
            self.push()
        self.push()
