"""Every command: the use case behind it, a line for the list, and examples to type."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass

import click

from redink.cli.layout import Group


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A command. Nothing of it is loaded until it is asked for.

    Attributes:
        summary: its line in the list of commands; of a group's member, its help says it.
        home: its use case, or a command made by hand, as ``module:name``.
        examples: what one can type; paragraphs are kept apart.
        writes: whether the use case writes its own output, so that its table needs no ``-o``.
        finish: what happens with its table, a function of :mod:`redink.cli.output`.
        more: options that only a terminal has, by their names in :mod:`redink.cli.output`.
        needs: the extra without which it cannot run; its help needs nothing.
        about: the help of a group.
        members: the commands of a group.
    """

    summary: str = ""
    home: str = ""
    examples: str = ""
    writes: bool = False
    finish: str = "emit"
    more: tuple[str, ...] = ()
    needs: str | None = None
    about: str = ""
    members: Mapping[str, Entry] | None = None

    def load(self, name: str) -> click.Command:
        """The command, made from its use case."""
        from redink.cli.derive import fold_examples, make_command

        if self.members is not None:
            group = Group(name, help=self.about, epilog=fold_examples(self.examples))
            for member, entry in self.members.items():
                group.add_command(entry.load(member))
            return group
        module, _, attribute = self.home.partition(":")
        found = getattr(importlib.import_module(module), attribute)
        return found if isinstance(found, click.Command) else make_command(name, found, self)


COMMANDS: dict[str, Entry] = {
    "annotate": Entry(
        summary="parallel text to typed edits (M2), or the edits of an M2 file again",
        home="redink.scale.job:annotate_command",
        examples="""
        Examples:
          redink annotate source.txt corrected.txt -o out.m2
          redink annotate source.txt first.txt second.txt -o both.m2  # annotators 0 and 1
          redink annotate gold.m2 --auto -o auto.m2    # extract the edits again
          redink annotate gold.m2 --gold -o typed.m2   # keep the edits, type them again
          redink annotate source.txt corrected.txt --workers 4 -o out.m2
          redink annotate source.txt corrected.txt --analyser spacy:en_core_web_sm -o out.m2

        Large corpora, on all cores, able to continue:
          redink annotate 'source/*.txt.gz' 'corrected/*.txt.gz' -o out/
          redink annotate source.txt corrected.txt -o out/           # cut into pieces
          redink annotate pairs/ --source-column text --corrected-column fixed -o out/
          redink annotate source/ corrected/ --compress zst -o out/
          redink annotate source/ corrected/ --engine dask --scheduler tcp://head:8786 -o out/
        """,
        writes=True,
        finish="tell_counts",
    ),
    "explain": Entry(
        summary="the edits between two sentences, and why each has its type",
        home="redink.workflows.explain:explain",
        examples="""
        Examples:
          redink explain "This are gramamtical sentence ." "This is a grammatical sentence ."
          redink explain "I enjoy to swim ." "I enjoy swimming ." --format json
          redink explain "He go ." "He goes ." --chunks "He went ." --chunks "He goes ."
        """,
        finish="emit_explanation",
    ),
    "align": Entry(
        summary="raw text to the lines and tokens of its source",
        home="redink.workflows.align:align",
        examples="""
        Examples:
          redink align source.txt answer.md -o hypothesis.txt
          redink align gold.m2 first=answers.jsonl second=essays.md -o aligned/
          redink align essays.md answers/ -o hypothesis.txt    # documents by their ids
          redink align source.txt chats.jsonl --field choices.0.message.content -o hypothesis.txt
          redink align source.txt answer.md --all --format csv -o hypothesis.txt
        """,
        writes=True,
        finish="emit_aligned",
        more=("form_option",),
    ),
    "convert": Entry(
        summary="any format to any other",
        home="redink.workflows.convert:convert",
        examples="""
        Examples:
          redink convert gold.m2 gold.jsonl
          redink convert gold.jsonl gold.m2
          redink convert rankings.xml rankings.csv
          redink convert gold.m2 - --to text              # the sources alone
          redink convert gold.m2 gold.tsv --to parallel   # what each annotator would write
          redink convert gold.m2 gold.tsv --to ged-tsv --annotator 0
          redink convert essays.sgml essays.m2
          redink convert raw.txt tokens.txt --tokeniser spacy
          redink convert source.txt pairs.tsv --corrected careful.txt --corrected eager.txt
        """,
        writes=True,
        finish="tell_notes",
        more=("list_option",),
    ),
    "analyser": Entry(
        summary="train and measure an analyser for another language",
        about="""
        An analyser of your own, from any treebank of Universal Dependencies.

        It gives parts of speech, morphological features and lemmas, from which edits in any
        language are typed.

        """,
        examples="""
        Examples:
          redink analyser train sv_talbanken-ud-train.conllu --language sv -o swedish/
          redink analyser evaluate sv_talbanken-ud-test.conllu --analyser spacy:swedish/
          redink annotate source.txt corrected.txt --language sv --analyser spacy:swedish/ -o out.m2
        """,
        members={
            "train": Entry(
                home="redink.workflows.analyser:train_analyser",
                examples="""
                Examples:
                  redink analyser train sv_pud-ud-test.conllu.gz sv_talbanken-ud-train.conllu --language sv -o swedish/
                """,
                writes=True,
                more=("form_option",),
            ),
            "evaluate": Entry(
                home="redink.workflows.analyser:evaluate_analyser",
                examples="""
                Examples:
                  redink analyser evaluate sv_talbanken-ud-test.conllu --analyser spacy:swedish/
                  redink analyser evaluate it_isdt-ud-test.conllu --analyser stanza:it
                """,
            ),
        },
    ),
    "score": Entry(
        summary="every system under every metric, by error type, with intervals",
        home="redink.workflows.score:score",
        examples="""
        Examples:
          redink score gold.m2 careful.txt eager.txt
          redink score gold.m2 careful.txt eager.txt --metric errant,m2 --bootstrap 1000
          redink score gold.m2 Careful=careful.txt Eager=eager.txt --by type --plot types.png
          redink score gold.m2 careful.txt --metric m2 --by full
          redink score gold.m2 careful.txt --metric errant --level detection-token
          redink score gold.m2 careful.txt eager.txt --metric errant,m2 --sensitivity
          redink score gold.m2 careful.txt --metric errant --reference-edits gold,auto
          redink score gold.m2 careful.txt --sentences sentences.jsonl --format json
          redink score --source source.txt --reference reference-a.txt careful.txt
        """,
    ),
    "metrics": Entry(
        summary="all metrics: what they need and reward, and how they fail",
        home="redink.workflows.metrics:metrics",
        examples="""
        Examples:
          redink metrics
          redink metrics --format markdown -o metrics.md
        """,
    ),
    "compare": Entry(
        summary="system against system, by paired tests",
        home="redink.workflows.compare:compare",
        examples="""
        Examples:
          redink compare gold.m2 careful.txt eager.txt
          redink compare gold.m2 careful.txt eager.txt speller.txt --metric m2 --samples 10000
          redink compare gold.m2 careful.txt eager.txt --metric errant --selection sentence
          redink compare gold.m2 careful.txt eager.txt --test bootstrap --format latex
        """,
    ),
    "detection": Entry(
        summary="true and false positives and negatives, every measure of them, curves",
        home="redink.workflows.detection:detection",
        examples="""
        Examples:
          redink detection gold.m2 careful.txt eager.txt
          redink detection gold.m2 careful.txt --unit token,sentence --annotators each
          redink detection gold.m2 careful.txt --targets slot:,
          redink detection gold.m2 careful.txt --targets tag:IN,TO
          redink detection gold.m2 careful.txt --negatives letters
          redink detection gold.m2 one=a.ged.tsv two=b.ged.tsv --curve --plot curves.png
          redink detection gold.m2 a.ged.tsv --curve --min-precision 0.8
          redink detection --from-counts 12 18 28 142 --beta 1
        """,
    ),
    "agreement": Entry(
        summary="judges against each other",
        home="redink.workflows.agreement:agreement",
        examples="""
        Examples:
          redink agreement raters.csv
          redink agreement raters.csv --merge ok=correct,equal --drop spelling --drop grammar
          redink agreement raters.csv --show confusion
          redink agreement scores.csv --scale ordinal --judges expert,crowd1
          redink agreement raters.csv --as-gold system=decisions.csv
        """,
    ),
    "crowd": Entry(
        summary="systems against a crowd, and the crowd itself",
        home="redink.workflows.crowd:crowd",
        examples="""
        Examples:
          redink crowd crowd.csv careful.ged.tsv eager.ged.tsv
          redink crowd crowd.csv --show judges
          redink crowd crowd.csv careful.ged.tsv --gold-threshold 0.7 --show removal
          redink crowd crowd.csv lm=lm.csv perc=perc.csv --show bins --plot bins.png
          redink crowd a.csv lm=lm.csv --on b.csv perc=perc.csv --show bins --plot-kappa kappa.png
          redink crowd gug.tsv --experts expert --ok 4 --show size --plot size.pdf
        """,
    ),
    "sample": Entry(
        summary="evaluate without annotating everything",
        about="""
        Evaluate a system by judging a sample of its decisions.

        A system calls every case Error or OK. A rater who does not know which is which judges a
        sample of both kinds; from that come the system's precision and recall, with intervals, at a
        fraction of the cost of annotating everything.

        """,
        examples="""
        Examples:
          redink sample plan careful.ged.tsv --blind rate.csv --key key.json --error-rate 0.75 --ok-rate 0.16
          redink sample estimate key.json answers.csv
          redink sample estimate --from-counts 600 150 450 1050 --cases 1000 9000 --interval normal
          redink sample verify answers.csv
          redink sample simulate --from-counts 800 200 2700 6300 --plot sizes.png
        """,
        members={
            "plan": Entry(
                home="redink.workflows.sample_plan:plan_sample",
                examples="""
                Examples:
                  redink sample plan cases.csv --blind rate.csv --key key.json --errors 250 --oks 500
                  redink sample plan careful.ged.tsv --blind rate.jsonl --key key.json --precision-width 0.2 --recall-width 0.2 --expect-precision 0.8 --expect-misses 0.05
                """,
            ),
            "estimate": Entry(
                home="redink.workflows.sample:estimate_sample",
                examples="""
                Examples:
                  redink sample estimate key.json answers.csv
                  redink sample estimate key.json answers.csv --by-judge --interval bootstrap
                  redink sample estimate --from-counts 600 150 450 1050 --cases 1000 9000 --interval normal
                """,
            ),
            "verify": Entry(
                home="redink.workflows.sample:verify_sample",
                examples="""
                Examples:
                  redink sample verify answers.csv
                  redink sample verify answers.csv --cases 1000 --ok writer,both
                """,
            ),
            "simulate": Entry(
                home="redink.workflows.sample:simulate_sample",
                examples="""
                Examples:
                  redink sample simulate --from-counts 800 200 2700 6300
                  redink sample simulate cases.csv --sizes 100,300,1000 --plot sizes.png
                """,
            ),
        },
    ),
    "rank": Entry(
        summary="systems in the order of human judgments, with ranges and clusters",
        home="redink.workflows.rank:rank",
        examples="""
        Examples:
          redink rank rankings.xml
          redink rank rankings.xml --method trueskill --plot ranking.png
          redink rank rankings.xml --resample rankings --p 0.1
          redink rank rankings.xml --show agreement
          redink rank rankings.xml --show head-to-head --format latex
          redink rank rankings.xml --show accuracy --folds 10
        """,
    ),
    "meta": Entry(
        summary="metrics against human judgments",
        home="redink.workflows.meta:meta",
        examples="""
        Examples:
          redink score gold.m2 *.txt --format json -o scores.json
          redink meta rankings.xml scores.json
          redink meta rankings.xml scores.m2 scores.gleu BLEU=bleu.txt
          redink meta rankings.xml scores.m2 --beta 1,0.5,0.25
          redink meta rankings.xml scores.m2 --show betas --plot betas.png
          redink meta rankings.xml scores.json --show williams
          redink meta rankings.xml --sentences sentences.jsonl --show sentences
          redink meta --benchmark seeda seeda/ outside.csv --metric errant,m2
          redink meta ratings.csv --sentences SOME=some.csv
          redink meta --attack gold.m2 *.txt --metric errant,gleu
        """,
    ),
    "detect": Entry(
        summary="the reference detectors: train, run, cloze test, mine",
        about="""
        Train and run the detectors of preposition errors of the literature.

        maxent chooses among 34 prepositions and none; perceptron tells extraneous ones; lm flags a
        preposition without which the sentence is likelier. A small maxent and lm come with redink.
        After Tetreault and Chodorow (2008) and Madnani et al. (2011).

        """,
        examples="""
        Examples:
          redink detect run source.txt -o maxent.m2
          redink detect train books.txt -o my.model
          redink detect cloze source.txt --show prepositions
          redink detect mine source.txt --counts-from books.txt
        """,
        members={
            "train": Entry(
                home="redink.workflows.detect:train_detector",
                examples="""
                Examples:
                  redink detect train books.txt.gz news.txt -o my.model
                  redink detect train books.txt --detector lm -o my-lm.model --arpa my-lm.arpa.gz
                  redink detect train books.txt --detector perceptron -o p.model --all
                """,
                writes=True,
                more=("form_option",),
            ),
            "run": Entry(
                home="redink.workflows.detect:run_detector",
                examples="""
                Examples:
                  redink detect run source.txt -o maxent.ged.tsv
                  redink detect run source.txt --model lm -o lm.ged.tsv
                  redink detect run source.txt --confusion 0.99 --extraneous 1 -o strict.m2
                  redink detect run source.txt --tune gold.m2 --precision 0.5 -o tuned.m2
                """,
                writes=True,
                finish="emit_summary",
            ),
            "cloze": Entry(
                home="redink.workflows.cloze:cloze",
                examples="""
                Examples:
                  redink detect cloze reference-a.txt --items 0 --show prepositions
                  redink detect cloze reference-a.txt --blanks blanks.csv --choice-test choices.csv
                  redink campaign create prepositions.db --task choice --from choices.csv
                  redink detect cloze reference-a.txt --answers answers.csv
                """,
            ),
            "mine": Entry(
                home="redink.workflows.mine:mine",
                examples="""
                Examples:
                  redink detect mine source.txt --counts-from books.txt.gz
                  redink detect mine source.txt --counts web1t-2and3grams.gz --min-bigram 1000
                """,
            ),
        },
    ),
    "campaign": Entry(
        summary="collect judgments in a browser",
        about="""
        Collect judgments from people in a browser.

        A judge opens a personal link and works with the keyboard; every answer is on disk before it
        is acknowledged. What is exported feeds rank, agreement, crowd and sample unchanged.

        """,
        examples="""
        Examples:
          redink campaign create c.db --task ranking --source source.txt careful.txt eager.txt speller.txt --items 20 --judge alma --judge bruno
          redink campaign serve c.db
          redink campaign status c.db
          redink campaign export c.db -o rankings.xml
        """,
        members={
            "create": Entry(
                home="redink.campaign.commands:create",
                needs="campaign",
                writes=True,
                finish="list_rows",
                examples="""
                Examples:
                  redink campaign create c.db --task ranking --source source.txt careful.txt eager.txt
                  redink campaign create c.db --task crowd --from items.csv --gold-threshold 0.7
                  redink campaign create c.db --task correct --source essays.txt --tokenise --judge alma --judge bruno
                  redink campaign create postgresql://me@host/db --task cloze --from gaps.jsonl
                """,
            ),
            "items": Entry(
                home="redink.campaign.commands:items",
                needs="campaign",
                writes=True,
                finish="tell_notes",
                examples="""
                Examples:
                  redink campaign items --task crowd --from gold.m2 -o items.jsonl
                  redink campaign items --task edit-validity --source source.txt careful.txt eager.txt --items 50
                """,
            ),
            "serve": Entry(
                home="redink.campaign.commands:serve",
                needs="campaign",
                writes=True,
                finish="run_server",
                examples="""
                Examples:
                  redink campaign serve c.db --port 8080
                  redink campaign serve a.db b.db --address https://example.org/judging
                """,
            ),
            "status": Entry(
                home="redink.campaign.commands:status",
                needs="campaign",
                examples="""
                Examples:
                  redink campaign status c.db
                """,
            ),
            "invite": Entry(
                home="redink.campaign.commands:invite",
                needs="campaign",
                writes=True,
                finish="list_rows",
                examples="""
                Examples:
                  redink campaign invite c.db chidi dora
                  redink campaign invite c.db dora --revoke
                  redink campaign invite c.db dora --again
                  redink campaign invite c.db --organiser
                """,
            ),
            "add": Entry(
                home="redink.campaign.commands:add",
                needs="campaign",
                writes=True,
                examples="""
                Examples:
                  redink campaign add c.db --from more.csv
                """,
            ),
            "backup": Entry(
                home="redink.campaign.commands:backup",
                needs="campaign",
                writes=True,
                examples="""
                Examples:
                  redink campaign backup c.db copy.db
                """,
            ),
            "export": Entry(
                home="redink.campaign.commands:export",
                needs="campaign",
                writes=True,
                finish="tell_notes",
                examples="""
                Examples:
                  redink campaign export c.db -o rankings.xml
                  redink campaign export c.db --to jsonl
                  redink campaign export corrections.db -o gold.m2
                """,
            ),
        },
    ),
    "report": Entry(
        summary="one HTML page with everything",
        home="redink.workflows.report:report",
        examples="""
        Examples:
          redink report gold.m2 careful.txt eager.txt speller.txt -o report
          redink report gold.m2 careful.txt eager.txt -o report --title 'Two systems'
          redink report --source source.txt --reference reference-a.txt careful.txt -o report
        """,
        writes=True,
    ),
    "explore": Entry(
        summary="the same over larger data, as a local web page",
        home="redink.explore.commands:explore",
        needs="campaign",
        writes=True,
        finish="run_server",
        examples="""
        Examples:
          redink explore gold.m2 careful.txt eager.txt speller.txt
          redink explore gold.m2 careful.txt eager.txt --metric errant,gleu --port 0 --no-open
          redink explore --source source.txt --reference reference-a.txt careful.txt
        """,
    ),
    "reproduce": Entry(
        summary="the published tables, ours beside theirs",
        home="redink.workflows.reproduce:reproduce",
        examples="""
        Examples:
          redink reproduce --data data
          redink reproduce bryant-2017 grundkiewicz-2015 --data data --differing
          redink reproduce 'grundkiewicz-2015 table 3b' --data data --format markdown
          redink reproduce --data data --check --quiet > figures.txt

        Papers:
          bryant-2017              tables 4, 5, 6, 7, 8, 10, 11; figure 1    (conll14)
          grundkiewicz-2015        tables 1, 2, 3a-3d, 4, 5, 6, 7; figures 1, 3
                                                                     (gjg15, conll14)
          chodorow-2012            figures 5-10                      (needs no data)
          tetreault-chodorow-2008  tables 3, 5                       (needs no data)
          madnani-2011             section 3, table 1, figure 2                (gug)
        """,
        more=("check_option",),
        finish="emit_checked",
    ),
    "cache": Entry(
        summary="what is kept of earlier work, and forgetting it",
        about="""What is kept of earlier work, so that it is not done twice.

        Edits that score, compare, report and explore found between two sentences are kept in the
        user's cache folder (REDINK_CACHE is another one; REDINK_CACHE=off keeps nothing). They are
        found again by the sentences, the pipeline and the rules, so that they never go stale.
        """,
        examples="""
        Examples:
          redink cache info
          redink cache clear
        """,
        members={
            "info": Entry(
                home="redink.workflows.cache:cache_info",
                examples="""
                Examples:
                  redink cache info
                  redink cache info --format json
                """,
            ),
            "clear": Entry(
                home="redink.workflows.cache:clear_cache",
                examples="""
                Examples:
                  redink cache clear
                """,
            ),
        },
    ),
    "cite": Entry(
        summary="what to cite for a metric, as BibTeX",
        home="redink.workflows.cite:cite",
        finish="emit_bibtex",
        examples="""
        Examples:
          redink cite errant
          redink cite errant gleu > metrics.bib
        """,
    ),
    "data": Entry(
        summary="public corpora: where they live, and whether a copy is whole",
        home="redink.workflows.data:data",
        examples="""
        Examples:
          redink data
          redink data corpora/
          redink data corpora/ --only conll14,jfleg --format json
        """,
    ),
    "task": Entry(
        summary="run a shared task: check, score and rank submissions",
        about="""A shared task as a folder: sources, references, rules and submissions.""",
        examples="""
        Examples:
          redink task init task --source source.txt --reference gold.m2
          redink task check task submission.zip
          redink task score task
          redink task board task -o board
          redink task bundle task -o bundle.zip
        """,
        members={
            "init": Entry(
                home="redink.workflows.task:init_task",
                examples="""
                Examples:
                  redink task init task --source source.txt --reference gold.m2
                  redink task init task --language en,sv,uk --track minimal,fluency --title 'GEC 2027'
                """,
            ),
            "check": Entry(
                home="redink.workflows.task_check:check_submission",
                finish="emit_findings",
                examples="""
                Examples:
                  redink task check task submission.zip
                  redink task check task submissions/team --format json
                """,
            ),
            "score": Entry(
                home="redink.workflows.task_score:score_submissions",
                examples="""
                Examples:
                  redink task score task
                  redink task score task team.zip --bootstrap 0 --percent
                """,
            ),
            "board": Entry(
                home="redink.workflows.task_score:task_board",
                writes=True,
                more=("form_option",),
                examples="""
                Examples:
                  redink task board task -o board
                  redink task board task --no-reports --bootstrap 0 -o board
                """,
            ),
            "bundle": Entry(
                home="redink.workflows.task_bundle:task_bundle",
                writes=True,
                more=("form_option",),
                examples="""
                Examples:
                  redink task bundle task -o bundle.zip
                  redink task bundle task --image registry.example/redink:1 -o bundle.zip
                """,
            ),
        },
    ),
    "compat": Entry(
        summary="errant_compare, m2scorer and others under their usual names",
        about="""The commands that scripts already call, run by redink.""",
        examples="""
        Examples:
          redink compat install ~/redink-bin
          export PATH=~/redink-bin:$PATH
        """,
        members={
            "install": Entry(
                home="redink.compat.commands:install_commands",
                examples="""
                Examples:
                  redink compat install ~/redink-bin
                  redink compat install bin --only errant_compare,m2scorer
                """,
            ),
        },
    ),
    "demo": Entry(
        summary="everything, on the bundled example",
        home="redink.cli.demo:command",
    ),
    "completion": Entry(
        summary="completion by the Tab key, for bash, zsh and fish",
        home="redink.cli.completion:command",
    ),
}
"""In the order of `redink --help`: the order in which the work is done."""

SECTIONS = {"annotate": "Texts", "score": "Systems", "agreement": "Judgments", "detect": "More"}
"""Where a section of that list begins."""
