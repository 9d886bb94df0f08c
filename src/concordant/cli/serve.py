"""`concordant serve`: serve the web page and its HTTP API."""

import math
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
    "concordant serve --store jobs.db --keep 30d",
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
    store: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Keep jobs and results in this file, so that they outlive the server.",
            section="Results",
        ),
    ] = None,
    keep: Annotated[
        str | None,
        Option(
            metavar="TIME",
            help="How long a result is kept, such as 12h or 7d.",
            show_default="7d with --store, else 30min",
            section="Results",
        ),
    ] = None,
    max_jobs: Annotated[
        int, Option(metavar="N", min=1, help="Largest number of waiting jobs of one client.")
    ] = 25,
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
    from concordant.serve.limits import Limits, in_words, seconds_of
    from concordant.serve.security import Hosts
    from concordant.serve.store import Store

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
    keep_seconds = seconds_of(keep or ("7d" if store else "30min"), "keep")
    limits = Limits(
        seconds=max_seconds, items=max_items, client_queue=max_jobs, keep_seconds=keep_seconds
    )
    sock = server.listen(host, port)
    address = server.address_of(host, sock)

    def announce() -> None:
        click.echo(f"Concordant is at {address}")
        sys.stdout.flush()
        if host in ("", "0.0.0.0", "::"):
            say(f"from other machines: {server.address_for_others(sock)}")
        if kept is not None:
            say(f"results are kept for {in_words(keep_seconds)} in {store}")
        say("press Ctrl-C to stop")
        if open_page:
            import webbrowser

            webbrowser.open(address)

    with sock:
        kept = None if store is None else Store(store, keep_seconds, limits.stored_bytes)
        hosts = Hosts(host, allow_host)
        server.run(sock, hosts, limits, on_start=announce, access=access, store=kept)
