"""`concordant serve`: the web page and its HTTP API."""

import math
import sys
from typing import Annotated

import typer

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
        typer.Option(metavar="ADDRESS", help="What to listen on; by default this machine only."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="P", min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 8765,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="A name that the server may be reached by, such as that of a proxy before it.",
        ),
    ] = None,
    max_seconds: Annotated[
        float,
        typer.Option(metavar="S", min=0.1, help="The longest search that may be asked for."),
    ] = 600.0,
    max_items: Annotated[
        int, typer.Option(metavar="N", min=1, help="The most items that are solved.")
    ] = 2_000,
) -> None:
    """Serve a web page, and the same as an HTTP API.

    Drop a file on the page, watch the search, and get the ranking with its proof. Solves in
    processes of its own; Ctrl-C ends them all.
    """
    from concordant.serve import server
    from concordant.serve.limits import Limits
    from concordant.serve.security import Hosts

    if not max_seconds < math.inf:
        raise SettingError("max_seconds must be a number of seconds", setting="max_seconds")
    limits = Limits(seconds=max_seconds, items=max_items)
    sock = server.listen(host, port)
    address = server.address_of(host, sock)

    def announce() -> None:
        typer.echo(f"Concordant is at {address}")
        sys.stdout.flush()
        say("Ctrl-C ends it")
        if open_page:
            import webbrowser

            webbrowser.open(address)

    with sock:
        server.run(sock, Hosts(host, allow_host or []), limits, on_start=announce)
