"""What a server needs to be left running: the administrator's socket, figures, reload, drain.

`Operations` is what all of it has in common for one run: the bans, the certificate, the watchdog,
the service manager, and the configuration that is in force.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import trio

from dalmuti.server import admin
from dalmuti.server.bans import BanError, Bans
from dalmuti.server.config import Config, ConfigError, split_address
from dalmuti.server.entrance import Certificate, EntranceError
from dalmuti.server.limits import Limits
from dalmuti.server.log import Log
from dalmuti.server.notify import Notifier
from dalmuti.server.scrape import Scrape
from dalmuti.server.steering import Steering
from dalmuti.server.watchdog import Watchdog

RELOADED: Final = frozenset(
    {"limits", "greeting", "password", "log_level", "tls_cert", "tls_key"}
)  # fmt: skip
"""Keys of the configuration that a reload puts into force; all others need a restart."""
LOOK_SECONDS: Final = 0.1
"""Between looks at whether a hand is still played, in a drain."""


class Operations:
    """One server's operations. `open` it, and `attach` the lobby and `run` it later."""

    def __init__(
        self, config: Config, log: Log, reread: Callable[[], Config] | None = None
    ) -> None:
        """`reread` reads the configuration again, and raises ConfigError.

        Raises EntranceError for a certificate or a list of bans that cannot be used.
        """
        self.config = config
        self.notifier = Notifier()
        self.certificate = None if config.tls_cert is None else Certificate(config)
        try:
            self.bans = Bans(None if config.data is None else Path(config.data))
        except BanError as error:
            raise EntranceError(str(error)) from None
        self.drained = trio.Event()
        """Set when the server may stop after a drain."""
        self.on_reload: Callable[[Config], None] = lambda config: None
        """Is told the configuration that is in force now."""
        self._log, self._reread = log, reread
        self._steering: Steering | None = None
        self._draining = trio.Event()
        self._drain_ends = 0.0
        self._admin: trio.SocketListener | None = None
        self._metrics: list[trio.SocketListener] = []

    async def open(self) -> None:
        """Listens for the administrator and for Prometheus, if so configured. EntranceError."""
        if self.config.data is not None:
            self._admin = admin.listen(Path(self.config.data))
            if self._admin is None:
                self._log.warning("no_admin_socket", folder=self.config.data)
        if self.config.metrics is not None:
            host, port = split_address(self.config.metrics)
            try:
                self._metrics = await trio.open_tcp_listeners(port, host=host)
            except OSError as error:
                self.close()
                reason = error.strerror or str(error)
                raise EntranceError(
                    f"cannot listen on {self.config.metrics} for metrics: {reason}"
                ) from None

    def close(self) -> None:
        """Closes the listeners, and removes the administrator's socket."""
        for listener in self._metrics:
            listener.socket.close()
        if self._admin is not None:
            self._admin.socket.close()
            if self.config.data is not None:
                (Path(self.config.data) / admin.SOCKET).unlink(missing_ok=True)

    @property
    def metrics_address(self) -> str | None:
        """Where Prometheus may ask."""
        if not self._metrics:
            return None
        host, port = self._metrics[0].socket.getsockname()[:2]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def attach(self, steering: Steering) -> None:
        """The lobby is there now."""
        self._steering = steering

    async def run(self) -> None:
        """Serves until it is cancelled. Attach the lobby before."""
        steering = self._steering
        assert steering is not None
        watchdog = Watchdog(steering.lobby.metrics, self._log)
        trio.lowlevel.add_instrument(watchdog)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.notifier.keep_alive)
                nursery.start_soon(self._wait_for_drain, steering)
                if self._admin is not None:
                    office = admin.Admin(steering, self.bans, self._log, self.drain)
                    nursery.start_soon(trio.serve_listeners, office.serve, [self._admin])
                if self._metrics:
                    page = Scrape(steering.figures, self._log)
                    nursery.start_soon(trio.serve_listeners, page.serve, self._metrics)
        finally:
            trio.lowlevel.remove_instrument(watchdog)

    # -- drain --------------------------------------------------------------------------------

    def drain(self, seconds: float, why: str) -> None:
        """Opens no more tables, tells everyone, and ends when no hand is played any more.

        That is `seconds` from now at the latest; of several times the shortest counts.
        """
        assert self._steering is not None
        ends = trio.current_time() + seconds
        self._drain_ends = min(self._drain_ends, ends) if self._draining.is_set() else ends
        left = max(0.0, self._drain_ends - trio.current_time())
        self._log.info("draining", why=why, seconds=round(left, 1))
        self._steering.drain(left)
        self._draining.set()

    async def _wait_for_drain(self, steering: Steering) -> None:
        await self._draining.wait()
        while steering.plays and trio.current_time() < self._drain_ends:  # noqa: ASYNC110  # hands end one by one
            await trio.sleep(LOOK_SECONDS)
        self.drained.set()

    # -- reload -------------------------------------------------------------------------------

    def reload(self) -> None:
        """Reads configuration, certificate and bans again. What is broken stays as it was."""
        self.notifier.reloading()
        if self._log.sink.file is not None:
            try:
                self._log.sink.file.reopen()
            except OSError as error:
                self._log.warning("log_not_reopened", error=error.strerror)
        try:
            changed, restart = self._reload()
        except (ConfigError, EntranceError, BanError) as error:
            self._log.warning("not_reloaded", error=str(error))
        else:
            self._log.info("reloaded", changed=changed, needs_restart=restart)
        self.notifier.say("READY=1")

    def _reload(self) -> tuple[list[str], list[str]]:
        """The keys that changed, and those of them that need a restart."""
        new = self.config if self._reread is None else self._reread()
        if self.certificate is not None and new.tls_cert is not None:
            self.certificate.load(new)
        bans = ["bans"] if self.bans.reload() else []
        keys = changed_keys(self.config, new)
        late = [key for key in keys if key.partition(".")[0] not in RELOADED]
        if (self.config.tls_cert is None) != (new.tls_cert is None):
            late += [key for key in keys if key in ("tls_cert", "tls_key")]
        now = [key for key in keys if key not in late]
        values = {key: getattr(new, key) for key in {key.partition(".")[0] for key in now}}
        self.config = msgspec.structs.replace(self.config, **values)
        if "log_level" in now:
            self._log.sink.level = self.config.log_level
        if self._steering is not None:
            self._steering.lobby.configure(self.config)
        self.on_reload(self.config)
        return now + bans, late


def changed_keys(old: Config, new: Config) -> list[str]:
    """The keys whose values differ, those of the limits as `limits.NAME`."""
    keys = [
        key
        for key in Config.__struct_fields__
        if key != "limits" and getattr(old, key) != getattr(new, key)
    ]
    return keys + [
        f"limits.{key}"
        for key in Limits.__struct_fields__
        if getattr(old.limits, key) != getattr(new.limits, key)
    ]


def signals() -> list[signal.Signals]:
    """The signals that a server listens to; Windows has no SIGHUP."""
    names = ("SIGTERM", "SIGINT", "SIGHUP")
    return [getattr(signal, name) for name in names if hasattr(signal, name)]
