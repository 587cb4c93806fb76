"""``redink crowd``: systems against a crowd, and the crowd against gold questions and experts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from redink.cli.judgment_options import judgment_options, level_option, split_list, split_numbers
from redink.cli.layout import Command, FileName
from redink.cli.options import emit, plot_size_option, seed_option, table_options

if TYPE_CHECKING:
    from redink.model.tables import Size


@click.command(
    cls=Command,
    epilog="\b\nExamples:\n"
    "  redink crowd crowd.csv careful.ged.tsv eager.ged.tsv\n"
    "  redink crowd crowd.csv --show workers\n"
    "  redink crowd crowd.csv careful.ged.tsv --gold-threshold 0.7 --show removal\n"
    "  redink crowd crowd.csv lm=lm.csv perc=perc.csv --show bins --plot bins.png\n"
    "  redink crowd a.csv lm=lm.csv --on b.csv perc=perc.csv --show bins --plot-kappa kappa.png\n"
    "  redink crowd gug.tsv --experts expert --ok 4 --show size --plot size.pdf",
)
@click.argument("judgments", type=click.Path(path_type=Path))
@click.argument("systems", nargs=-1, metavar="[SYSTEM]...", type=FileName())
@click.option(
    "--show",
    type=click.Choice(["measures", "bins", "agreement", "workers", "removal", "size", "items"]),
    help="Measures against the crowd; the same by agreement of the crowd; its histogram; the "
    "workers; what removing the worst changes; how many match an expert; every item. "
    "[default: measures, or agreement where there are no systems]",
)
@click.option(
    "--on",
    nargs=2,
    multiple=True,
    metavar="JUDGMENTS SYSTEM",
    help="Another system on another data set, to compare across data (measures, bins).",
)
@judgment_options
@click.option(
    "--experts", callback=split_list, metavar="NAME,...", help="Judges who are not of the crowd."
)
@click.option(
    "--gold-threshold",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="Remove workers whose accuracy on gold questions is below this.",
)
@click.option(
    "--gold-minimum",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="But only workers who answered so many gold questions.",
)
@click.option("--keep-gold", is_flag=True, help="Evaluate systems on gold questions too.")
@click.option(
    "--aggregate",
    type=click.Choice(["majority", "dawid-skene"]),
    default="majority",
    show_default=True,
    help="How judgments become shares: votes, or Dawid and Skene's model.",
)
@click.option(
    "--ties",
    type=click.Choice(["ok", "error", "skip"]),
    default="ok",
    show_default=True,
    help="What an even split is in plain measures.",
)
@click.option(
    "--bins",
    callback=split_numbers,
    metavar="LIMIT,...",
    help="Limits of the bins of agreement.  [default: 0.5,0.75,0.9,1]",
)
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="How often crowds of each size are drawn.",
)
@click.option("--all-labels", is_flag=True, help="Compare crowds with experts label by label.")
@click.option(
    "--bootstrap",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Bootstrap samples for intervals of the measures; 0 for none.",
)
@level_option
@click.option(
    "--beta",
    type=click.FloatRange(min=0),
    default=0.5,
    show_default=True,
    help="Weight of recall in F.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw what is shown (bins, agreement, size) as PNG, SVG or PDF.",
)
@click.option(
    "--plot-kappa",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw kappa by agreement, for comparison across data (bins).",
)
@plot_size_option
@seed_option
@table_options
def command(
    judgments: Path,
    systems: tuple[str, ...],
    on: tuple[tuple[str, str], ...],
    missing: list[str] | None,
    experts: list[str] | None,
    plot: Path | None,
    plot_kappa: Path | None,
    plot_size: Size,
    form: str,
    output: Path | None,
    **options: Any,
) -> None:
    """Evaluate systems against a crowd, and the crowd itself.

    JUDGMENTS is CSV, TSV or JSONL with the columns item, judge and label, and perhaps gold with
    the known answers of hidden test questions. SYSTEM is NAME=PATH or PATH of a table with item
    and label, or of flags for words (GED TSV; the words are called s1t0, s1t1 ...); or the name
    of a judge in the file. Plain measures count against the majority of the crowd; weighted ones
    let every item count as an error to the degree that the crowd says so.
    """
    from redink.options import check_plot_path
    from redink.workflows.crowd import crowd

    drawings = ("bins", "agreement", "size")
    for path in (plot, plot_kappa):
        if path is not None:
            check_plot_path(path)
    table = crowd(
        judgments,
        systems,
        on=[(data, (system,)) for data, system in on],
        missing=missing or (),
        experts=experts or (),
        **options,
    )
    shown = str(table.signature["show"])
    if plot is not None:
        if shown not in drawings:
            raise click.UsageError(f"--plot draws {', '.join(drawings)}; {shown} has no plot")
        table.plot(plot, name=shown, size=plot_size)
    if plot_kappa is not None:
        if shown != "bins":
            raise click.UsageError("--plot-kappa goes with --show bins")
        table.plot(plot_kappa, name="kappa", size=plot_size)
    emit(table, form=form, output=output)
