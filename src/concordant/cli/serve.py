"""`concordant serve`: serve the web page and its HTTP API."""

import math
import sys
from typing import Annotated

import click

from concordant.cli.options import Option
from concordant.cli.streams import say
from concordant.errors import SettingError

EXAMPLES = (
    "concordant serve --open",
    "concordant serve --port 9000 --max-seconds 60",
    "concordant serve --host 0.0.0.0 --allow-host ranks.example.org",
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
    from concordant.serve.limits import Limits
    from concordant.serve.security import Hosts

    if not max_seconds < math.inf:
        raise SettingError("max_seconds must be a finite number of seconds", setting="max_seconds")
    limits = Limits(seconds=max_seconds, items=max_items)
    sock = server.listen(host, port)
    address = server.address_of(host, sock)

    def announce() -> None:
        click.echo(f"Concordant is at {address}")
        sys.stdout.flush()
        say("press Ctrl-C to stop")
        if open_page:
            import webbrowser

            webbrowser.open(address)

    with sock:
        server.run(sock, Hosts(host, allow_host), limits, on_start=announce)
