"""Find LLM replies without a correction: "no change needed", refusals, empty replies.

A reply that also contains the sentence, corrected or not, is an answer.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING, Literal, get_args

from rapidfuzz.distance import Indel

from redink.raw_text import NoAnswer, Unanswered
from redink.raw_text.reply_extraction import blank, keep_spans

if TYPE_CHECKING:
    from redink.raw_text.text_alignment import AlignedSentence


Ending = Literal["", "truncated", "refusal", "error"]
"""The status of a reply, if its file contains it; empty for a complete reply."""
UNANSWERED: frozenset[str] = frozenset(get_args(Unanswered))
Kind = Literal["no-change", "refusal", "error", "no-answer"]

_QUOTED = re.compile(
    r'"[^"\n]+"|\u201c[^\u201c\u201d\n]+\u201d|\u00ab[^\u00ab\u00bb\n]+\u00bb|`[^`\n]+`'
    r"|(?<!\w)'[^'\n]{3,}'(?!\w)|(?<!\w)\u2018[^\u2018\u2019\n]{3,}\u2019(?!\w)"
)
_SEGMENT = re.compile(r"(?:[^\n.!?:;()\[\]\u2014]|(?<=\w)[.:](?=\w))+")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_CUT = re.compile(
    r",\s|\s[\u2013-]\s|\s(?=(?:but|however|since|because|so|as|although|though|with|while|and)\b)"
)
_RIGHT = re.compile(
    r"(?i)^[ \t>*_#-]*(?:corrected|correction|revised|edited|output|answer|result)"
    r"(?: (?:text|sentence|version))?[ \t*_]*$"
)
_LONGEST = 400
"""The maximum length of a statement in characters."""
_AFTER = frozenset(".!?:;)]")
_REASONING = re.compile(r"\s*<(think(?:ing)?|reasoning)>(?!.*</\1>)", re.DOTALL)


def _vocabulary(words: str) -> frozenset[str]:
    return frozenset(words.split())


_FAULTS = _vocabulary("""
    change changes changed changing correction corrections corrected correcting edit edits
    edited editing modification modifications modify modified revision revisions revise revised
    adjustment adjustments adjusted alteration alterations altered error errors mistake mistakes
    issue issues problem problems fix fixes fixed fixing improvement improvements improve
    improved typo typos amendment amendments rewrite rewriting rewritten incorrect wrong
    ungrammatical inaccuracies flaws rephrasing
""")
_GOOD = _vocabulary("""
    correct correctly fine right perfect good grammatical accurate ok okay proper properly valid
    flawless well great acceptable clean unchanged intact same impeccable sound
""")
_NOT = _vocabulary("no not nothing none without zero never neither nor free")
_VERBS = _vocabulary("""
    is are was were be it's that's seems seem appears appear looks look reads read sounds
    remains remain stays stay makes left leave keep kept uses
""")
_ABOUT = _vocabulary("""
    sentence sentences text texts paragraph paragraphs passage essay phrase grammar
    grammatically grammatical spelling punctuation input original writing statement
""")
_REST = _vocabulary("""
    a an the this that these those your my our its it i i've i'd i'm you you've we there there's
    here here's am has have had do does did done been being contain contains include includes
    need needs needed needing require requires required necessary warranted called to of in on
    with within by and or so as since because therefore thus for from at per already perfectly
    completely entirely fully totally all quite very indeed actually currently absolutely
    overall just simply also both any anything everything found find detected identified made
    make making present exist exists apply applied suggested suggest given provided provide
    above written english standard language linguistic syntactically semantically syntactic
    orthographic typographical usage structure syntax style meaning sense clear clearly concise
    natural fluent idiomatic after based careful carefully upon review reviewed reviewing check
    checked checking analysis analyzing reading will sure news yes hello hi thanks certainly see
    spot would should must further other additional me go can which what line each every whole
    entire full formed current form
""")
_KNOWN = _FAULTS | _GOOD | _NOT | _VERBS | _ABOUT | _REST
_COMMON = _vocabulary("""
    this that with have been there here your they were from what which would should about also
    already needs need needed into
""")

_CANNOT = (
    r"(?:can't|cannot|can not|won't be able to|will not be able to|won't|will not|couldn't|"
    r"could not|unable to|not able to|"
    r"must decline|decline to|refuse to|not comfortable|don't feel comfortable|"
    r"do not feel comfortable|"
    r"cannot and will not|not allowed to|"
    r"not permitted to|not going to)"
)
_REFUSAL = re.compile(
    rf"\b(?:i|we|i'm|i am|we're|i'd)\b(?: \w+)? {_CANNOT}(?: \w+)?? (?:assist|help|provid|comply|"
    r"fulfil|process|correct|complet|continu|engag|generat|do (?:that|this|so)|answer|respond|"
    r"support|edit|rewrit|creat|participat|proofread|revis|offer|produc|review|perform|accommodat|"
    r"fix|with)"
    r"|\bas an ai\b|\bi'?m an ai\b"
    r"|\b(?:violat\w+|against) (?:\w+ ){0,4}(?:polic|guidelines|terms)"
    r"|\b(?:please|could you|can you)\b.{0,30}\b(?:provide|share|send|paste|enter|give|type)\b"
    r".{0,40}\b(?:sentence|text|paragraph|passage)"
    r"|\b(?:haven't|have not|didn't|did not) (?:\w+ )?(?:provide|include|share|paste|enter)d?\b"
    r".{0,30}\b(?:sentence|text|input|paragraph|content)"
    r"|\b(?:no|see any) (?:sentence|text|input|paragraph)s? (?:(?:was|were|is|has been) )?(?:\w+ )?"
    r"(?:provided|given|included|to correct)"
)
_ERROR = re.compile(
    r"\W*(?:api )?error\b\W*(?:$|code|\d{3}|:.*)|\W*(?:rate limit|request timed out|timeout|"
    r"internal server error|service unavailable)\b.*"
)
_NOTHING = re.compile(r"\W*(?:n/?a|none|null|nan|no (?:answer|response|output))?\W*")


@dataclass(frozen=True, slots=True)
class Remark:
    """A statement in a reply that is not part of the corrected text."""

    kind: Kind
    start: int
    is_labeled: bool = False


def find_remarks(text: str, sources: Sequence[str]) -> tuple[str, list[Remark]]:
    """Find the statements that no change is needed, or that the model does not answer."""
    if _REASONING.match(text):
        return blank(text), []
    if (
        len(sources) == 1
        and len(text) <= _LONGEST
        and (whole := _whole_remark(text, sources[0])) is not None
    ):
        return blank(text), [whole]
    pieces = list(text)
    remarks: list[Remark] = []
    label = ""
    seen: dict[tuple[str, str], Kind | None] = {}
    for start, end, words in _segments(text):
        key = text[start:end], text[end : end + 1]
        if key not in seen:
            seen[key] = _kind_of(text[start:end], words, key[1], sources)
        kind = seen[key]
        if kind is not None:
            remarks.append(Remark(kind, start, _RIGHT.match(label) is not None))
            pieces[start:end] = _blank_around_quoted(text[start:end], sources)
            if text[end : end + 1] in _AFTER:
                pieces[end : end + 1] = " "
            if text[start - 1 : start] in {"(", "["}:
                pieces[start - 1] = " "
        label = text[start:end] if text[end : end + 1] == ":" else ""
    return "".join(pieces), remarks


def _whole_remark(text: str, source: str) -> Remark | None:
    plain = _plain(text)
    if _ERROR.fullmatch(plain.strip()):
        found: Kind = "error"
    elif plain.strip() and _NOTHING.fullmatch(plain):
        found = "no-answer"
    else:
        parts = [words for _, _, words in _segments(text) if words]
        has_candidate = _blank_around_quoted(text, [source]).strip()
        asserts = parts and all(_asserts(words) and not _refuses(words) for words in parts)
        if not asserts or has_candidate:
            return None
        found = "no-change"
    return None if _resembles(_WORD.findall(plain), source) else Remark(found, 0)


def _plain(text: str) -> str:
    return text.lower().replace("\u2019", "'").replace("\u2018", "'")


def _segments(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Split a reply at line breaks and marks; return the words of each part, without quotations."""
    masked = _QUOTED.sub(lambda found: _mask(found, text), _plain(text))
    if len(masked) != len(text):  # a capital letter whose lowercase form has another length
        return
    for found in _SEGMENT.finditer(masked):
        yield found.start(), found.end(), _WORD.findall(found.group())


def _mask(found: re.Match[str], text: str) -> str:
    """Hide a quotation, unless the entire line is quoted."""
    before = text[max(0, found.start() - _LONGEST) : found.start()].rpartition("\n")[2]
    after = text[found.end() : found.end() + _LONGEST].partition("\n")[0]
    return "\x01" * len(found.group()) if _WORD.search(before + after) else found.group()


def _blank_around_quoted(text: str, sources: Sequence[str]) -> str:
    return keep_spans(
        text,
        (
            found.span()
            for found in _QUOTED.finditer(text)
            for words in [_WORD.findall(_plain(found.group()))]
            if any(_share(_content(source), words) >= _HALF for source in sources)
        ),
    )


def _kind_of(segment: str, words: list[str], mark: str, sources: Sequence[str]) -> Kind | None:
    if not words or len(segment) > _LONGEST:
        return None
    if _refuses(words):
        found: Kind = "refusal"
    elif _is_verdict(words, mark):
        found = "no-change"
    elif any(_is_verdict(lead, mark) for lead in _leads(segment)):
        # the statement continues in words that may belong to a sentence
        content = [word for word in words if len(word) > 3 and word not in _COMMON]
        if any(
            _share(content, _words(source)) >= _PART or _share(_content(source), words) >= _HALF
            for source in sources
        ):
            return None
        found = "no-change"
    else:
        return None
    return None if any(_resembles(words, source) for source in sources) else found


def _refuses(words: Sequence[str]) -> bool:
    return _REFUSAL.search(" ".join(words)) is not None


def _leads(segment: str) -> Iterator[list[str]]:
    plain = _plain(segment)
    for cut in _CUT.finditer(plain):
        if not _QUOTED.search(plain[: cut.start()]):
            yield _WORD.findall(plain[: cut.start()])


def _is_verdict(words: Sequence[str], mark: str) -> bool:
    about = not _ABOUT.isdisjoint(words) or not _FAULTS.isdisjoint(words)
    is_label = mark == ":" and _VERBS.isdisjoint(words) and _FAULTS.isdisjoint(words)
    return about and not is_label and len(words) > 1 and _asserts(words)


def _asserts(words: Sequence[str]) -> bool:
    """Return whether words from the vocabulary of statements state that nothing is wrong."""
    if not _KNOWN.issuperset(words) and not all(w in _KNOWN or w.endswith("n't") for w in words):
        return False
    found = False
    for at, word in enumerate(words):
        if word in _FAULTS or (word == "correct" and at and words[at - 1] == "to"):
            denied = any(map(_denies, words[max(0, at - 9) : at]))
            if not denied and words[at + 1 : at + 2] != ["free"]:
                return False
            found = True
        elif word in _GOOD and _FAULTS.isdisjoint(words[at + 1 : at + 4]):
            for before in reversed(words[max(0, at - 3) : at]):
                if before in _FAULTS:
                    break
                if _denies(before) and before not in {"free", "without"}:
                    return False
            found = True
    return found


def _denies(word: str) -> bool:
    return word in _NOT or word.endswith("n't")


_HALF = 0.5
_PART = 0.4
_MOST = 0.6
_SAME = 0.75
_NEARLY_ALL = 0.85


@lru_cache(maxsize=10_000)
def _words(source: str) -> list[str]:
    return _WORD.findall(_plain(source))


def _content(source: str) -> list[str]:
    words = _words(source)
    return [word for word in words if len(word) > 3 and word not in _COMMON] or words


def _resembles(words: Sequence[str], source: str) -> bool:
    """Return whether a statement may be the correction of a sentence: most words are shared."""
    content = [word for word in words if len(word) > 3 and word not in _COMMON] or words
    theirs = _words(source)
    if Indel.normalized_similarity("".join(words), "".join(theirs)) >= _NEARLY_ALL:
        return True
    if min(_share(content, theirs), _share(words, theirs)) <= _MOST:
        return False
    return _share(_content(source), words) >= _HALF


def _share(words: Sequence[str], others: Sequence[str]) -> float:
    known = set(others)
    found = sum(
        word in known
        or any(
            (len(word) > 3 and word[:4] == other[:4])
            or Indel.normalized_similarity(word, other) >= _SAME
            for other in known
        )
        for word in words
    )
    return found / (len(words) or 1)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply whose statements are replaced by spaces."""

    written: str
    text: str
    remarks: Sequence[Remark]
    ending: Ending

    @classmethod
    def of(cls, text: str, sources: Sequence[str], ending: Ending = "") -> Reply:
        """Read a reply about some sentences."""
        if ending == "" and _REASONING.match(text):
            ending = "truncated"
        return cls(text, *find_remarks(text, sources), ending)

    @property
    def is_empty(self) -> bool:
        """Whether the reply contains only statements."""
        return not self.text.strip()

    @property
    def reason(self) -> Kind | Unanswered:
        """The reason why the reply has no answer; None if it has one."""
        return self.remarks[0].kind if self.remarks else self.ending or "no-answer"


def mark_unanswered(
    sentences: Sequence[AlignedSentence],
    sources: Sequence[Sequence[str]],
    replies: Sequence[Reply],
    gap: int,
    no_answer: NoAnswer,
) -> tuple[AlignedSentence, ...]:
    """Set the status and text of sentences without an answer."""
    if len(sentences) == len(replies) == 1:
        reason = _reason_of(sentences[0], sources[0], replies[0])
        reasons = {} if reason is None else {0: (reason, replies[0].written)}
    else:
        reasons = _reasons_of(sentences, sources, replies, gap)
    marked = list(sentences)
    for at, (reason, written) in reasons.items():
        is_deleted = no_answer == "delete" and reason in UNANSWERED
        marked[at] = replace(
            marked[at],
            tokens=() if is_deleted else tuple(sources[at]),
            confidence=0.0 if reason in UNANSWERED else 1.0,
            status=reason,
            reply=written,
        )
    return tuple(marked)


def _reason_of(
    sentence: AlignedSentence, source: Sequence[str], reply: Reply
) -> Kind | Unanswered | None:
    """Return why the only sentence of a reply has no answer; None if it has one."""
    if reply.is_empty:
        return reply.reason if source else None
    if reply.ending == "truncated" and _is_cut(sentence, source, reply.text):
        return "truncated"
    if reply.remarks and (
        sentence.status != "aligned"
        or reply.remarks[0].is_labeled
        or _only_repeats(reply.text, source)
    ):
        return reply.reason
    return "no-answer" if sentence.status == "missing" else None


_LABEL_WORDS = 3


def _only_repeats(text: str, source: Sequence[str]) -> bool:
    ours = "".join(_WORD.findall(_plain(" ".join(source))))
    words = _WORD.findall(_plain(text))
    for first in range(min(len(words), _LABEL_WORDS + 1)):
        for last in range(len(words), max(first, len(words) - _LABEL_WORDS + first - 1), -1):
            if "".join(words[first:last]).replace("'", "") == ours.replace("'", ""):
                return True
    return False


def _is_cut(sentence: AlignedSentence, source: Sequence[str], rest: str) -> bool:
    if not sentence.tokens or _WORD.search(rest[sentence.span[1] :]):
        return not sentence.tokens
    is_closed = sentence.tokens[-1] == source[-1] and not sentence.tokens[-1][-1].isalnum()
    return not is_closed


def _reasons_of(
    sentences: Sequence[AlignedSentence],
    sources: Sequence[Sequence[str]],
    replies: Sequence[Reply],
    gap: int,
) -> dict[int, tuple[Kind | Unanswered, str]]:
    """Return why sentences have no answer: statements in the positions of these sentences."""
    found: dict[int, tuple[Kind | Unanswered, str]] = {}
    present = [at for at, one in enumerate(sentences) if one.span[1]]
    starts = [sentences[at].span[0] for at in present]
    usual = len(sources) if len(replies) == 1 else ceil(1.5 * len(sources) / len(replies))
    begins = accumulate((len(reply.text) + gap for reply in replies), initial=0)
    for begin, reply in zip(begins, replies, strict=False):
        for place, reason, shown in _statements(reply):
            before = bisect_right(starts, begin + place) - 1
            first = present[before] + 1 if before >= 0 else 0
            last = present[before + 1] if before + 1 < len(present) else len(sentences)
            if reason == "truncated" and before >= 0 and starts[before] >= begin:
                one = sentences[first - 1]
                one = replace(one, span=(starts[before] - begin, one.span[1] - begin))
                first -= _is_cut(one, sources[first - 1], reply.text)
            # an empty reply may be about several sentences, a statement is about one sentence
            most = usual if reply.is_empty or reason == "truncated" else 1
            free = [at for at in range(first, last) if sources[at] and at not in found]
            found.update((at, (reason, shown)) for at in free[:most])
    if not present and not found:
        return {at: ("no-answer", "") for at, source in enumerate(sources) if source}
    return found


def _statements(reply: Reply) -> Iterator[tuple[int, Kind | Unanswered, str]]:
    """Yield the position, the reason and the text of each statement about a missing answer."""
    for remark in reply.remarks:
        yield remark.start, remark.kind, reply.written[remark.start :].split("\n")[0]
    if reply.is_empty and not reply.remarks:
        yield 0, reply.reason, reply.written
    if reply.ending == "truncated":
        yield len(reply.text), "truncated", ""
