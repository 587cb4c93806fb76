"""``redink explore``: the report of large data as a local web page."""

from __future__ import annotations

from typing import Annotated

from redink.commands.report import ReportOptions, make_report
from redink.evaluation import EvaluationOptions
from redink.inputs.input_options import ReferenceLike, SystemsLike
from redink.options import Flag, Limits, command
from redink.web.serving import LOOPBACK, Server, address_of, port_taken


@command
def explore(
    reference: ReferenceLike | None = None,
    systems: SystemsLike = (),
    *,
    evaluation_options: EvaluationOptions = EvaluationOptions(),
    contents: ReportOptions = ReportOptions(metrics=("errant",), bootstrap=100),
    host: str = "127.0.0.1",
    port: Annotated[int, Limits(0, 65535)] = 8100,
    shows: Annotated[bool, Flag(name="open", off="no-open")] = True,
) -> Server:
    """Browse the report of large data in the web browser.

    redink computes the tables once and loads sentences one page at a time, so that it can show
    100,000 sentences. redink serves the page until you press Ctrl-C. Only this machine can open it
    unless you set --host. The page address contains the filter, so that you can bookmark it.

    Args:
        reference: sentences with the edits of annotators: a file or a corpus.
        systems: the systems by name: files of text or edits, lists of strings, or values.
        evaluation_options: how references and systems are read, aligned and annotated.
        contents: the parts of the page.
        metrics: the metrics of the table (metrics other than errant take long on large data), any
            of these.
        host: the address to listen on.
        port: the port; 0 selects a free one.
        shows: open the page in the browser, if this is a terminal. By default yes.

    Returns:
        A server; ``run()`` serves until interrupted.
    """
    from redink.explore.app import create_app

    with port_taken(host, port) as place:
        reported = make_report(
            reference,
            systems,
            evaluation_options,
            command="explore",
            contents=contents,
        )
        reported.page.sentences.warm_up()
        # listening on this machine only, it answers to the names of this machine only
        local = place.getsockname()[0] in LOOPBACK
        app = create_app(reported, hosts=(*LOOPBACK, "[::1]") if local else ("*",))
        return Server(app, place, f"{address_of(place)}  Ctrl-C stops it.", shows)
