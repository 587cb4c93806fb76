"""Groups of commands, one command for each step of the work."""

from __future__ import annotations

from redink.cli.layout import Entry

ANALYZER = Entry(
    summary="Evaluate analyzers of other languages",
    about="""
    Evaluate an analyzer on any treebank of Universal Dependencies.

    The analyzer assigns parts of speech, morphological features and lemmas, from which redink
    classifies edits in any language.
    """,
    members={
        "evaluate": Entry(
            home="redink.commands.analyzer_evaluation:evaluate_analyzer",
            examples="""
            redink analyzer evaluate sv_talbanken-ud-test.conllu --analyzer spacy:swedish/
            redink analyzer evaluate it_isdt-ud-test.conllu --analyzer stanza:it
            """,
        ),
    },
)

SAMPLE = Entry(
    summary="Estimate precision and recall from a judged sample",
    about="""
    Evaluate a system by judging a sample of its decisions.

    A system labels every case Error or OK. Annotators who do not see the labels judge a sample of
    both kinds. redink estimates precision and recall with confidence intervals from their
    judgments, at a fraction of the cost of annotating all cases.
    """,
    members={
        "plan": Entry(
            home="redink.commands.sample:plan_sample",
            examples="""
            redink sample plan cases.csv --blind rate.csv --key key.json --errors 250 --oks 500
            redink sample plan first.csv --also second.csv --blind rate.csv --key key.json --errors 250 --oks 500
            redink sample plan careful.ged.tsv --blind rate.jsonl --key key.json --precision-width 0.2 --recall-width 0.2 --expect-precision 0.8 --expect-misses 0.05
            """,
        ),
        "estimate": Entry(
            home="redink.commands.sample:estimate_sample",
            examples="""
            redink sample estimate key.json answers.csv
            redink sample estimate key.json answers.csv --by-judge --interval bootstrap
            redink sample estimate --from-counts 600 150 450 1050 --cases 1000 9000 --interval normal
            """,
        ),
        "verify": Entry(
            home="redink.commands.sample:verify_sample",
            examples="""
            redink sample verify answers.csv
            redink sample verify answers.csv --cases 1000 --ok writer,both
            """,
        ),
        "methods": Entry(
            home="redink.commands.sample:compare_approaches",
            examples="""
            redink sample methods cases.csv --errors 250 --oks 500 --judges 2 --price 0.02
            redink sample methods --from-counts 1000 9000 --error-rate 0.75 --oks 1500 --expect-misses 0.3
            """,
        ),
        "simulate": Entry(
            home="redink.commands.sample:simulate_sample",
            examples="""
            redink sample simulate --from-counts 800 200 2700 6300
            redink sample simulate cases.csv --sizes 100,300,1000 --plot sizes.png
            """,
        ),
    },
)

DETECTOR = Entry(
    summary="Train and run published detectors of preposition errors",
    about="""
    Train and run published detectors of preposition errors.

    The maxent detector chooses among 34 prepositions and none. The perceptron finds extraneous
    prepositions. The lm detector flags a preposition if the sentence is more likely without it.
    redink includes a small maxent and a small lm model. The detectors follow Tetreault and
    Chodorow (2008) and Madnani et al. (2011).
    """,
    members={
        "train": Entry(
            home="redink.commands.detect:train_detector",
            examples="""
            redink detector train books.txt.gz news.txt -o my.model
            redink detector train books.txt --detector lm -o my-lm.model --arpa my-lm.arpa.gz
            redink detector train books.txt --detector perceptron -o p.model --all
            """,
            writes=True,
            more=("form_option",),
        ),
        "run": Entry(
            home="redink.commands.detect:run_detector",
            examples="""
            redink detector run source.txt -o maxent.ged.tsv
            redink detector run source.txt --model lm -o lm.ged.tsv
            redink detector run source.txt --confusion 0.99 --extraneous 1 -o strict.m2
            redink detector run source.txt --tune gold.m2 --precision 0.5 -o tuned.m2
            """,
            writes=True,
            finish="emit_summary",
        ),
        "cloze": Entry(
            home="redink.commands.cloze:cloze",
            examples="""
            redink detector cloze reference-a.txt --items 0 --show prepositions
            redink detector cloze reference-a.txt --blanks blanks.csv --choice-test choices.csv
            redink campaign create prepositions.db --task choice --from choices.csv
            redink detector cloze reference-a.txt --answers answers.csv
            """,
        ),
        "mine": Entry(
            home="redink.commands.mine:mine",
            examples="""
            redink detector mine source.txt --counts-from books.txt.gz
            redink detector mine source.txt --counts web1t-2and3grams.gz --min-bigram 1000
            """,
        ),
    },
)

CAMPAIGN = Entry(
    summary="Collect human judgments in a web browser",
    needs="campaign",
    home="redink.campaign.campaign_commands",
    about="""
    Collect human judgments in a web browser.

    A judge opens a personal link and works with the keyboard. Every answer is on disk before it
    is acknowledged. The commands rank, agreement, crowd and sample read the exported files.
    """,
    members={
        "create": Entry(
            writes=True,
            finish="list_rows",
            examples="""
            redink campaign create c.db --task ranking --source source.txt careful.txt eager.txt speller.txt --items 20 --judge alma --judge bruno
            redink campaign create c.db --task crowd --from items.csv --gold-threshold 0.7
            redink campaign create c.db --task correct --source essays.txt --tokenize --judge alma --judge bruno
            redink campaign create postgresql://me@host/db --task cloze --from gaps.jsonl
            """,
        ),
        "items": Entry(
            writes=True,
            finish="tell_notes",
            examples="""
            redink campaign items --task crowd --from gold.m2 -o items.jsonl
            redink campaign items --task edit-validity --source source.txt careful.txt eager.txt --items 50
            """,
        ),
        "serve": Entry(
            writes=True,
            finish="run_server",
            examples="""
            redink campaign serve c.db --port 8080
            redink campaign serve a.db b.db --address https://example.org/judging
            """,
        ),
        "status": Entry(examples="redink campaign status c.db"),
        "ask": Entry(
            writes=True,
            examples="""
            redink campaign ask c.db --endpoint http://127.0.0.1:8000/v1 --model llama
            redink campaign ask c.db --endpoint http://127.0.0.1:8000/v1 --model llama --judge llama-hot --temperature 1 --max-requests 500
            """,
        ),
        "invite": Entry(
            writes=True,
            finish="list_rows",
            examples="""
            redink campaign invite c.db chidi dora
            redink campaign invite c.db dora --revoke
            redink campaign invite c.db dora --again
            redink campaign invite c.db --organizer
            """,
        ),
        "add": Entry(
            writes=True,
            examples="redink campaign add c.db --from more.csv",
        ),
        "backup": Entry(
            writes=True,
            examples="redink campaign backup c.db copy.db",
        ),
        "migrate": Entry(
            writes=True,
            finish="tell_notes",
            examples="redink campaign migrate c.db postgresql://user@host/database",
        ),
        "remove": Entry(
            writes=True,
            examples="""
            redink campaign remove c.db dora
            redink campaign remove c.db dora --answers
            """,
        ),
        "export": Entry(
            writes=True,
            finish="tell_notes",
            examples="""
            redink campaign export c.db -o rankings.xml
            redink campaign export c.db --to jsonl
            redink campaign export corrections.db -o gold.m2
            """,
        ),
    },
)

CACHE = Entry(
    summary="Show or clear the cache",
    about="""
    Show or clear the cache.

    redink caches edits, match counts and model scores in the user's cache folder (or in
    REDINK_CACHE; REDINK_CACHE=off turns the cache off). The key of a value includes the
    sentences, the pipeline and the rules, so values never become outdated.
    """,
    members={
        "info": Entry(
            home="redink.commands.cache_info:cache_info",
            examples="""
            redink cache info
            redink cache info --format json
            """,
        ),
        "clear": Entry(
            lists_files=True,
            home="redink.commands.cache_info:clear_cache",
            examples="redink cache clear",
        ),
    },
)

SHARED_TASK = Entry(
    summary="Run a shared task: check, score and rank submissions",
    about="""Run a shared task from a folder with sources, references, rules and submissions.""",
    members={
        "init": Entry(
            lists_files=True,
            home="redink.commands.task:init_task",
            examples="""
            redink shared-task init task --source source.txt --reference gold.m2
            redink shared-task init task --language en,sv,uk --track minimal,fluency --title 'GEC 2027'
            """,
        ),
        "check": Entry(
            home="redink.commands.task:check_submission",
            finish="emit_findings",
            examples="""
            redink shared-task check task submission.zip
            redink shared-task check task submissions/team --format json
            """,
        ),
        "score": Entry(
            home="redink.commands.task_score:score_submissions",
            examples="""
            redink shared-task score task
            redink shared-task score task team.zip --bootstrap 0 --percent
            """,
        ),
        "board": Entry(
            lists_files=True,
            home="redink.commands.task_score:task_board",
            writes=True,
            more=("form_option",),
            examples="""
            redink shared-task board task -o board
            redink shared-task board task --no-reports --bootstrap 0 -o board
            """,
        ),
        "bundle": Entry(
            lists_files=True,
            home="redink.commands.task_score:task_bundle",
            writes=True,
            more=("form_option",),
            examples="""
            redink shared-task bundle task -o bundle.zip
            redink shared-task bundle task --image registry.example/redink:1 -o bundle.zip
            """,
        ),
    },
)

COMPAT = Entry(
    summary="Install errant_compare, m2scorer and other drop-in commands",
    about="""Install drop-in replacements for the commands of other scorers.""",
    members={
        "install": Entry(
            lists_files=True,
            home="redink.compat.installation:install_commands",
            examples="""
            redink compat install ~/redink-bin
            export PATH=~/redink-bin:$PATH
            redink compat install bin --only errant_compare,m2scorer
            """,
        )
    },
)
