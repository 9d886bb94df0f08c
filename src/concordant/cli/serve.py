"""`concordant serve`: serve the web page and its HTTP API."""

import math
import socket
import sys
from pathlib import Path
from typing import Annotated

import click

from concordant.cli.options import Option
from concordant.cli.streams import say
from concordant.errors import SettingError

EXAMPLES = (
    "concordant serve --open",
    "concordant serve --port 9000 --max-seconds 60",
    "concordant serve --host 0.0.0.0 --tokens tokens.txt --allow-host ranks.example.org",
)


def run(
    host: Annotated[
        str,
        Option(metavar="ADDRESS", help="Address to listen on; the default is this machine only."),
    ] = "127.0.0.1",
    port: Annotated[
        int, Option(metavar="P", min=0, max=65535, help="Port; 0 picks a free one.")
    ] = 8765,
    open_page: Annotated[bool, Option("--open", help="Open the page in a browser.")] = False,
    allow_host: Annotated[
        tuple[str, ...],
        Option(
            "--allow-host",
            metavar="NAME",
            help="Host name that requests may use, such as that of a proxy; may be repeated.",
        ),
    ] = (),
    token: Annotated[
        str | None,
        Option(
            metavar="T",
            help="Token that users must give, at least 16 characters. Other users of this machine "
            "can see it; a file (--tokens) is safer.",
            section="Access",
        ),
    ] = None,
    tokens: Annotated[
        Path | None,
        Option(metavar="FILE", help="File with the tokens, one a line.", section="Access"),
    ] = None,
    open_to_all: Annotated[
        bool,
        Option(
            "--open-to-all",
            help="Let everyone who can reach the server use it, without a token.",
            section="Access",
        ),
    ] = False,
    max_seconds: Annotated[
        float,
        Option(metavar="S", min=0.1, help="Longest time limit that a user may set, in seconds."),
    ] = 600.0,
    max_items: Annotated[
        int, Option(metavar="N", min=1, help="Largest number of items in an input.")
    ] = 2_000,
) -> None:
    """Serve a web page for aggregating rankings, with an HTTP API.

    Drop a file on the page, watch the search, and get the ranking with its proof. Ctrl-C stops
    the server and its worker processes.
    """
    from concordant.serve import server
    from concordant.serve.access import Access, is_local, read_tokens
    from concordant.serve.limits import Limits
    from concordant.serve.security import Hosts

    if not max_seconds < math.inf:
        raise SettingError("max_seconds must be a finite number of seconds", setting="max_seconds")
    given = [*([] if token is None else [token]), *(read_tokens(tokens) if tokens else [])]
    if given and open_to_all:
        raise SettingError("--open-to-all is for a server without tokens: leave one of them out")
    if not (given or open_to_all or is_local(host)):
        raise SettingError(
            f"others can reach {host or 'all addresses'}, and there is no token: "
            "use --tokens FILE, or --open-to-all to let everyone in"
        )
    access = Access(given) if given else None
    limits = Limits(seconds=max_seconds, items=max_items)
    sock = server.listen(host, port)
    address = server.address_of(host, sock)

    def announce() -> None:
        click.echo(f"Concordant is at {address}")
        sys.stdout.flush()
        if host in ("", "0.0.0.0", "::"):
            say(f"from other machines: http://{socket.gethostname()}:{sock.getsockname()[1]}/")
        say("press Ctrl-C to stop")
        if open_page:
            import webbrowser

            webbrowser.open(address)

    with sock:
        server.run(sock, Hosts(host, allow_host), limits, on_start=announce, access=access)
