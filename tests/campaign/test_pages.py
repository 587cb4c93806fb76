"""What the judge's pages say to browsers and screen readers."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from tests.campaign.conftest import Running

from redink.campaign.tasks.questions import written
from redink.raw_text.tokenization import locate_tokens, space_tokens
from redink.web.headers import HEADERS

Start = Callable[..., Running]


def test_style_and_script_are_kept_by_the_browser(start: Start) -> None:
    running = start()
    page = running.client.get(f"/j/{running.judges['alma']}")
    assert page.headers["Cache-Control"] == "no-store"
    found = re.findall(r'(?:href|src)="(/static/[^"]+)"', page.text)
    assert len(found) >= 3
    for address in found:
        reply = running.client.get(address)
        assert reply.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert reply.headers["X-Content-Type-Options"] == HEADERS["X-Content-Type-Options"]
        for other in (address.split("?")[0], f"{address}0"):
            assert running.client.get(other).headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("She does n't know , does she ?", "She doesn't know, does she?"),
        ('He said : " Yes ! " ( twice )', 'He said: "Yes!" (twice)'),
        ("the students ' books cost $ 5 , i.e. 20 % .", "the students' books cost $5, i.e. 20%."),
        ("I 'm sure it 's Ann 's .", "I'm sure it's Ann's."),
        ("我 今天 去 了 学校 。", "我今天去了学校。"),
        ("`` No '' , he said .", "``No'', he said."),
        ("", ""),
    ],
)
def test_tokens_are_shown_as_people_write(tokens: str, text: str) -> None:
    sentence = space_tokens(tokens.split())
    assert sentence.text == text
    places = [text[start:end] for start, end in sentence.token_offsets()]
    assert places == tokens.split()


def test_raw_text_is_shown_as_it_was_written() -> None:
    assert written({"text": "I do n't .", "raw": "I  don't ."}).text == "I  don't ."
    assert written({"text": "I do n't .", "raw": "something else"}).text == "I don't."
    assert locate_tokens(["a", "b"], "a x b") is None
