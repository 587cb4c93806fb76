"""What the judge's pages say to browsers and screen readers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.campaign.conftest import Running

import redink.campaign
from redink.campaign.tasks.questions import written
from redink.raw_text.tokenization import locate_tokens, space_tokens
from redink.web.headers import HEADERS

Start = Callable[..., Running]
CSS = (Path(redink.campaign.__file__).parent / "static" / "campaign.css").read_text("utf-8")


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


def test_removed_words_are_not_heard_as_part_of_the_sentence(start: Start) -> None:
    running = start("edit-validity")
    page = running.client.get(f"/j/{running.judges['alma']}").text
    assert '<ins><span class="unseen">[new: </span>at<span class="unseen">]</span></ins>' in page
    groups = re.findall(r"<fieldset[^>]*>", page)
    assert groups
    assert all('aria-describedby="sentence' in group for group in groups)
    ranking = start()
    page = ranking.client.get(f"/j/{ranking.judges['alma']}").text
    assert 'aria-describedby="legend"' in page
    assert 'id="legend"' in page


def colours(scheme: int) -> dict[str, str]:
    """The colours of the light (0) or the dark (1) scheme."""
    block = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)[scheme]
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6})", block))


def brightness(colour: str) -> float:
    """The relative luminance of WCAG."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [0, 1])
def test_controls_stand_out(scheme: int) -> None:
    """Borders of controls and of what is chosen have 3 to 1 against what is behind them."""
    found = colours(scheme)
    for border in ("edge", "chosen", "focus"):
        for behind in ("card", "page"):
            ends = sorted([brightness(found[border]), brightness(found[behind])])
            assert (ends[1] + 0.05) / (ends[0] + 0.05) >= 3, (border, behind)
    assert found["chosen"] not in {found["error"], found["accent"]}
    assert "@media (forced-colors: active)" in CSS


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
