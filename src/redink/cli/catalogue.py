"""All commands, by purpose."""

from __future__ import annotations

from redink.cli import groups
from redink.cli.layout import ONE_FILE, Entry

COMMANDS: dict[str, Entry] = {
    "demo": Entry(
        summary="Run all commands on the bundled example", home="redink.cli.demo:command"
    ),
    "score": Entry(
        summary="Score systems against references, with confidence intervals",
        examples="""
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
    "compare": Entry(
        summary="Compare systems with paired significance tests",
        examples="""
        redink compare gold.m2 careful.txt eager.txt
        redink compare gold.m2 careful.txt eager.txt speller.txt --metric m2 --samples 10000
        redink compare gold.m2 careful.txt eager.txt --metric errant --selection sentence
        redink compare gold.m2 careful.txt eager.txt --test bootstrap --format latex
        """,
    ),
    "runs": Entry(
        summary="Summarize and compare systems with several runs",
        examples="""
        redink runs gold.m2 mine@1=careful.txt mine@2=eager.txt
        redink runs gold.m2 mine@1=careful.txt mine@2=eager.txt base=speller.txt --show tests
        """,
    ),
    "gate": Entry(
        summary="Pass or fail a new version of a system by rules (for CI)",
        finish="emit_findings",
        examples="""
        redink gate gold.m2 eager.txt careful.txt --rule 'errant.f drop <= 0.01'
        redink gate gold.m2 eager.txt careful.txt --rule 'errant.f >= 0.5' --rule 'errant.f[DET] drop <= 0.02'
        redink gate gold.m2 eager.txt careful.txt --rule 'overcorrection rise <= 0.01' --summary summary.md
        redink gate gold.m2 eager.txt careful.txt --power
        redink gate gold.m2 careful.txt --rule 'errant.f drop <= 0' --update-baseline baseline.npz
        redink gate                        # the rules and files of redink.toml
        """,
    ),
    "diff": Entry(
        summary="List the sentences that a new version fixes or breaks",
        finish="emit_changes",
        files="REFERENCE OLD NEW",
        examples="""
        redink diff gold.m2 careful.txt eager.txt
        redink diff gold.m2 careful.txt eager.txt --by type
        redink diff gold.m2 careful.txt eager.txt --format markdown
        """,
    ),
    "history": Entry(
        summary="Store results of versions and show their development",
        examples="""
        redink score gold.m2 careful.txt --format json -o v1.json
        redink history history.jsonl v1.json --version v1 --date 2026-01-31
        redink history history.jsonl --plot history.png
        """,
    ),
    "detection": Entry(
        summary="Evaluate error detection: counts, measures and curves",
        examples="""
        redink detection gold.m2 careful.txt eager.txt
        redink detection gold.m2 careful.txt --unit token,sentence --annotators each
        redink detection gold.m2 careful.txt --targets slot:,
        redink detection gold.m2 careful.txt --targets tag:IN,TO
        redink detection gold.m2 careful.txt --negatives letters
        redink detection gold.m2 one=a.ged.tsv two=b.ged.tsv --curve --plot curves.png
        redink detection gold.m2 a.ged.tsv --curve --min-precision 0.8
        redink detection gold.m2 careful.txt eager.txt --bootstrap 1000 --show tests
        redink detection gold.m2 careful.txt --by type
        redink detection --from-counts 12 18 28 142 --beta 1
        """,
    ),
    "profile": Entry(
        summary="Show how much systems change, and their over-correction",
        examples="""
        redink profile gold.m2 careful.txt eager.txt speller.txt
        redink profile gold.m2 careful.txt eager.txt --bootstrap 1000 --format csv
        """,
    ),
    "report": Entry(
        summary="Write an HTML report with all results",
        examples="""
        redink report gold.m2 careful.txt eager.txt speller.txt -o report
        redink report gold.m2 careful.txt eager.txt -o report --title 'Two systems'
        redink report --source source.txt --reference reference-a.txt careful.txt -o report
        """,
        writes=True,
    ),
    "explore": Entry(
        summary="Browse the results of large data in a web browser",
        home="redink.explore.explore_command:explore",
        needs="campaign",
        writes=True,
        finish="run_server",
        examples="""
        redink explore gold.m2 careful.txt eager.txt speller.txt
        redink explore gold.m2 careful.txt eager.txt --metric errant,gleu --port 0 --no-open
        redink explore --source source.txt --reference reference-a.txt careful.txt
        """,
    ),
    "metrics": Entry(
        summary="List the metrics with their requirements and limitations",
        examples="""
        redink metrics
        redink metrics --format markdown -o metrics.md
        """,
    ),
    "cite": Entry(
        summary="Print BibTeX entries for the papers behind a metric",
        finish="emit_bibtex",
        examples="""
        redink cite errant
        redink cite errant gleu > metrics.bib
        """,
    ),
    "annotate": Entry(
        summary="Extract and classify edits of parallel text or M2 files",
        home="redink.scale.job:annotate_command",
        examples="""
        redink annotate source.txt corrected.txt -o out.m2
        redink annotate source.txt first.txt second.txt -o both.m2  # annotators 0 and 1
        redink annotate gold.m2 --auto -o auto.m2    # extract the edits again
        redink annotate gold.m2 --gold -o typed.m2   # keep the edits, classify them again
        redink annotate source.txt corrected.txt --workers 4 -o out.m2
        redink annotate source.txt corrected.txt --analyzer spacy:en_core_web_sm -o out.m2

        Large corpora, on all cores; interrupted work continues:
          redink annotate 'source/*.txt.gz' 'corrected/*.txt.gz' -o out/
          redink annotate source.txt corrected.txt -o out/           # in parts
          redink annotate pairs/ --source-column text --corrected-column fixed -o out/
          redink annotate source/ corrected/ --compress zst -o out/
          redink annotate source/ corrected/ --engine dask --scheduler tcp://head:8786 -o out/
        """,
        writes=True,
        finish="tell_counts",
    ),
    "explain": Entry(
        summary="Show the edits between two sentences and the rule behind each edit",
        examples="""
        redink explain "This are gramamtical sentence ." "This is a grammatical sentence ."
        redink explain "I enjoy to swim ." "I enjoy swimming ." --format json
        redink explain "I enjoy to swim ." "I enjoy swimming ." --for learner --interface de
        """,
        finish="emit_explanation",
    ),
    "attribute": Entry(
        summary="Attribute the score of every sentence to its edits",
        examples="""
        redink attribute gold.m2 careful.txt
        redink attribute gold.m2 careful.txt eager.txt --metric sari,green --by type
        redink attribute gold.m2 careful.txt --metric errant --method add
        """,
    ),
    "align": Entry(
        summary="Align raw text, such as LLM output, with source sentences",
        examples="""
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
    "correct": Entry(
        summary="Correct text with a language model",
        examples="""
        redink correct source.txt --endpoint http://127.0.0.1:8000/v1 --model llama -o llama.txt
        redink correct source.txt --endpoint https://api.openai.com/v1 --model gpt-4o --max-cost 5 --price 2.5 10 -o gpt.txt
        redink correct source.txt --endpoint http://127.0.0.1:8000/v1 --model llama --style fluency --runs 5 -o fluency.txt
        redink correct source.txt --endpoint 'command:llm -m mistral' --model mistral -o mistral.txt
        """,
        writes=True,
        finish="emit_aligned",
        more=("form_option",),
    ),
    "convert": Entry(
        summary="Convert between file formats",
        examples="""
        redink convert gold.m2 gold.jsonl
        redink convert gold.jsonl gold.m2
        redink convert rankings.xml rankings.csv
        redink convert gold.m2 - --to text              # only the source
        redink convert gold.m2 gold.tsv --to parallel   # corrected text of each annotator
        redink convert gold.m2 gold.tsv --to ged-tsv --annotator 0
        redink convert a.m2 b.m2 c.m2 all.m2 --merge-annotators
        redink convert essays.sgml essays.m2
        redink convert raw.txt tokens.txt --tokenizer spacy
        redink convert source.txt pairs.tsv --corrected careful.txt --corrected eager.txt
        """,
        writes=True,
        finish="tell_notes",
        more=("list_option",),
    ),
    "doctor": Entry(
        summary="Check input files for mistakes, such as shifted lines",
        files=ONE_FILE,
        examples="""
        redink doctor gold.m2 careful.txt eager.txt
        redink doctor --source source.txt --reference reference-a.txt careful.txt
        redink doctor source.txt careful.txt         # a source and system outputs
        redink doctor crowd.csv
        redink doctor gold.m2 careful.txt --format json
        """,
    ),
    "campaign": groups.CAMPAIGN,
    "agreement": Entry(
        summary="Measure inter-annotator agreement",
        examples="""
        redink agreement raters.csv
        redink agreement raters.csv --merge-labels ok=correct,equal --drop spelling --drop grammar
        redink agreement raters.csv --show confusion
        redink agreement scores.csv --scale ordinal --judges expert,crowd1
        redink agreement raters.csv --as-gold system=decisions.csv
        """,
    ),
    "judge": Entry(
        summary="Test whether a language model may replace human judges",
        examples="""
        redink judge verdicts.csv --model gpt-4
        redink judge verdicts.csv --model gpt-4 --epsilon 0.15 --score rmse
        redink judge verdicts.csv --model gpt-4 --show people
        redink judge verdicts.csv --model gpt-4 --positive valid --format latex
        """,
    ),
    "validity": Entry(
        summary="Evaluate systems by human judgments of their edits",
        examples="""
        redink validity validity.csv
        redink validity validity.csv --by type --format latex
        redink validity validity.csv --marked careful=left-careful.m2 --by operation
        redink validity seeda/edit-evaluation seeda/outputs/subset
        """,
    ),
    "crowd": Entry(
        summary="Evaluate systems and workers from crowdsourced labels",
        examples="""
        redink crowd crowd.csv careful.ged.tsv eager.ged.tsv
        redink crowd crowd.csv --show judges
        redink crowd crowd.csv careful.ged.tsv --gold-threshold 0.7 --show removal
        redink crowd crowd.csv lm=lm.csv perc=perc.csv --show bins --plot bins.png
        redink crowd a.csv lm=lm.csv --on b.csv perc=perc.csv --show bins --plot-kappa kappa.png
        redink crowd gug.tsv --experts expert --ok 4 --show size --plot size.pdf
        """,
    ),
    "sample": groups.SAMPLE,
    "rank": Entry(
        summary="Rank systems by human judgments",
        examples="""
        redink rank rankings.xml
        redink rank rankings.xml --method trueskill --plot ranking.png
        redink rank rankings.xml --resample rankings --alpha 0.1
        redink rank rankings.xml --show agreement
        redink rank rankings.xml --show head-to-head --format latex
        redink rank rankings.xml --show accuracy --folds 10
        """,
    ),
    "meta": Entry(
        summary="Measure the correlation of metrics with human judgments",
        examples="""
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
    "shared-task": groups.SHARED_TASK,
    "reproduce": Entry(
        summary="Recompute published tables and compare the numbers",
        examples="""
        redink reproduce --data data
        redink reproduce bryant-2017 grundkiewicz-2015 --data data --differing
        redink reproduce 'grundkiewicz-2015 table 3b' --data data --format markdown
        redink reproduce --data data --check --quiet > figures.txt

        Papers:
          bryant-2017              tables 4, 5, 6, 7, 8, 10, 11; figure 1; claims
                                                                    (conll14)
          grundkiewicz-2015        tables 1, 2, 3a-3d, 4, 5, 6, 7; figures 1, 3; claims
                                                                     (gjg15, conll14)
          chodorow-2012            figures 5-10                      (needs no data)
          tetreault-chodorow-2008  tables 3, 5                       (needs no data)
          madnani-2011             section 3, table 1, figure 2                (gug)
        """,
        more=("check_option",),
        finish="emit_checked",
    ),
    "archive": Entry(
        summary="Pack a result with its inputs, command and environment",
        examples="""
        redink archive -o results.zip -- score gold.m2 careful.txt eager.txt --metric errant
        redink archive --hashes-only -- compare gold.m2 careful.txt eager.txt --samples 200
        """,
        lists_files=True,
        writes=True,
        more=("form_option",),
    ),
    "verify": Entry(
        summary="Compute an archived result again and compare it",
        home="redink.commands.archive:verify",
        finish="emit_findings",
        examples="""
        redink verify results.zip
        redink verify results.zip --inputs data/
        """,
    ),
    "corpora": Entry(
        summary="List public corpora and check local copies",
        examples="""
        redink corpora
        redink corpora corpora/
        redink corpora corpora/ --names conll14,jfleg --format json
        """,
    ),
    "detector": groups.DETECTOR,
    "cache": groups.CACHE,
    "compat": groups.COMPAT,
    "completion": Entry(
        summary="Print the completion script for bash, zsh or fish",
        home="redink.cli.completion:command",
    ),
    "analyzer": groups.ANALYZER,
}
"""In the order of ``redink --help``."""

SECTIONS = {
    "Start here": "demo",
    "Evaluate systems": "score compare runs gate diff history profile attribute detection report "
    "explore metrics cite",
    "Prepare text": "annotate explain align correct convert doctor",
    "Human evaluation": "campaign agreement judge validity crowd sample rank meta",
    "Shared tasks and research": "shared-task reproduce archive verify corpora detector",
    "Setup": "cache compat completion analyzer",
}
"""The commands by purpose."""
