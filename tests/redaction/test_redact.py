from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import lookalike_samples
import pytest
import secret_samples as samples
from hypothesis import given, settings
from hypothesis import strategies as st
from secret_lines import SHAPES

from metier.redaction import MARK, Redactor, SecretHit, redact_quick
from metier.redaction.engine import Re2Engine, StdlibEngine, scan
from metier.redaction.rules.table import RULES

KEY = b"k" * 32
REDACTOR = Redactor(KEY)
SECRETS = tuple(samples.secrets(7))
LOOKALIKES = tuple(lookalike_samples.lookalikes(7))
MEGABYTE = 1 << 20


def test_the_table_has_distinct_rules_for_all_well_known_providers() -> None:
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names)) >= 60
    assert all(re.fullmatch(r"[a-z0-9-]{2,40}", name) for name in names)
    assert all(word == word.lower() for rule in RULES for word in rule.words)


def test_every_rule_is_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "redaction.md").read_text()
    assert [rule.name for rule in RULES if f"| `{rule.name}` | {rule.says} |" not in page] == []


def test_secrets_of_every_kind_are_found() -> None:
    kinds = Counter(kind for kind, _, _ in SECRETS)
    missed = Counter(kind for kind, value, line in SECRETS if value in REDACTOR.redact(line))
    assert len(kinds) >= 120
    assert min(kinds.values()) >= 20
    assert missed.total() <= len(SECRETS) / 200, missed
    assert [kind for kind, count in missed.items() if count > kinds[kind] / 20] == []


def test_nothing_of_a_secret_stays_behind() -> None:
    for kind, value, line in SECRETS[::3]:
        out = MARK.sub("\0", REDACTOR.redact(line))
        if value in out:
            continue  # missed altogether: counted above
        around = line.replace(value, "\0")
        ends = {value[-size:] for size in range(6, min(24, len(value)))}
        assert not [end for end in ends if end in out and end not in around], (kind, line, out)


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("DB_PASSWORD=aB3,xY;z9|w<q>\nX=1", "DB_PASSWORD=#\nX=1"),
        ('"password": "aB3\\"xY;z9"', '"password": "#"'),
        ("password: 'aB3,xY z9!'", "password: '#'"),
        ("Server=h;Password=aB3xY9z;Encrypt=true", "Server=h;Password=#;Encrypt=true"),
        ("<password>aB3xY9z</password>", "<password>#</password>"),
        ("f(token=aB3xY9zQ7wE2, port=1)", "f(token=#, port=1)"),
        ("https://x.io/?token=aB3xY9zQ7wE2\\u0026page=2", "https://x.io/?token=#\\u0026page=2"),
        ("(password: aB3xY9z)", "(password: #)"),
    ],
)
def test_a_value_ends_where_its_setting_ends(line: str, left: str) -> None:
    assert MARK.sub("#", REDACTOR.redact(line)) == left


def test_look_alikes_are_left_alone() -> None:
    assert len(LOOKALIKES) >= 2000
    assert [line for line in LOOKALIKES if REDACTOR.redact(line) != line] == []


def test_both_engines_give_the_same_hits() -> None:
    fast, plain = Re2Engine(RULES), StdlibEngine(RULES)
    lines = [*(line for _, _, line in SECRETS[::4]), *LOOKALIKES[::4], samples.pem(Random(1))]
    lines += [f"é→ {line} ü" for line in lines[::7]]
    assert [line for line in lines if scan(line.encode(), fast) != scan(line.encode(), plain)] == []


def test_only_the_secret_itself_is_replaced() -> None:
    out = REDACTOR.redact("export DB_PASSWORD=hunter2xyz9 PORT=5432")
    assert MARK.sub("#", out) == "export DB_PASSWORD=# PORT=5432"
    out = REDACTOR.redact("https://api.dev/v1?token=q8Z3kd92Lm4Xw7&user=ada")
    assert MARK.sub("#", out) == "https://api.dev/v1?token=#&user=ada"


def test_a_hit_names_the_rule_and_the_span_in_characters() -> None:
    token = samples.KINDS["github-personal"](Random(1))
    text = f"naïve → {token}, ok"
    assert REDACTOR.find(text) == (SecretHit(rule="github-token", start=8, end=8 + len(token)),)


def test_the_same_secret_gets_the_same_hash_under_one_key_only() -> None:
    token = samples.KINDS["npm"](Random(1))
    one, other = REDACTOR.redact(f"a {token}"), REDACTOR.redact(f"TOKEN={token}")
    assert MARK.findall(one) == MARK.findall(other)
    assert MARK.findall(Redactor(b"other").redact(f"a {token}")) != MARK.findall(one)
    assert MARK.findall(redact_quick(f"a {token}", KEY))[0][-9:] == MARK.findall(one)[0][-9:]
    assert Redactor(b"k" * 100).redact(token) == Redactor(b"k" * 100).redact(token)


def test_a_secret_is_replaced_wherever_it_stands_in_the_text() -> None:
    assert "q8Z3kd92Lm4X" not in REDACTOR.redact("password=q8Z3kd92Lm4X was typed; later q8Z3kd92Lm4X alone")


@pytest.mark.parametrize("kind", ["RSA ", "EC ", "OPENSSH ", "ENCRYPTED ", "", "DSA "])
def test_a_private_key_is_replaced_whole(kind: str) -> None:
    block = samples.pem(Random(3), kind)
    for text in (
        block,
        json.dumps(block),
        json.dumps(json.dumps(block)),
        block.replace("\n", "\r\n"),
        block.replace("\n", " "),
    ):
        for redact in (REDACTOR.redact, lambda text: redact_quick(text, KEY)):
            out = redact(f"key: {text} end")
            assert "PRIVATE KEY" not in out
            assert [line for line in block.splitlines()[1:-1] if line in out] == []


def test_a_private_key_that_is_cut_off_is_replaced_too() -> None:
    block = samples.pem(Random(3)).splitlines()
    for text in ("\n".join(block[:6]) + "\n\nThat is all.", "\\n".join(block[:6])[:-20]):
        out = REDACTOR.redact(text)
        assert not any(line[:40] in out for line in block[1:6])
    assert out.startswith("[REDACTED:private-key:")


def test_a_pgp_block_and_a_putty_file_are_replaced() -> None:
    body = "\n".join(samples.chars(Random(n), samples.B64, 64) for n in range(5))
    label = "PGP PRIVATE " + "KEY BLOCK-----"
    pgp = f"-----BEGIN {label}\nVersion: GnuPG v2\n\n{body}\n=aB3d\n-----END {label}"
    head = "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: ada\nPublic-Lines: 1\nAAAA"
    putty = f"{head}\nPrivate-Lines: 5\n{body}\nx"
    for text in (pgp, putty):
        assert not any(line in REDACTOR.redact(text) for line in body.splitlines())


def test_a_mark_is_never_redacted_again() -> None:
    for text in (f"password=[REDACTED:{rule.name}:0a1b2c3d]" for rule in RULES):
        assert REDACTOR.redact(text) == text
        assert redact_quick(text, KEY) == text


WORDS = ["the", "password", "token", "is", "was", "wrong", "key", "for", "user", "secret", "we", "need", "to", "of"]
PIECES = st.one_of(
    st.sampled_from([value for _, value, _ in SECRETS[::9]] + [line for _, _, line in SECRETS[::11]]),
    st.sampled_from(
        [
            "[REDACTED:jwt:0a1b2c3d]",
            "[REDACTED:",
            "password=",
            "token: ",
            '"',
            "'",
            "\\n",
            "\n",
            " ",
            "&",
            "=",
            "://",
            "@",
            ":",
        ]
    ),
    st.text(max_size=12),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = REDACTOR.redact(text)
    assert REDACTOR.redact(once) == once
    assert REDACTOR.redact(text) == once
    assert REDACTOR.find(once) == ()


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=8).map("".join))
def test_hits_are_in_order_and_apart_and_both_engines_agree(text: str) -> None:
    hits = REDACTOR.find(text)
    assert all(0 <= hit.start < hit.end <= len(text) for hit in hits)
    assert all(one.end <= other.start for one, other in pairwise(hits))
    data = text.encode()
    assert scan(data, Re2Engine(RULES)) == scan(data, StdlibEngine(RULES))


@given(
    st.lists(
        st.sampled_from(WORDS),
        max_size=30,
    )
)
def test_prose_is_unchanged(words: list[str]) -> None:
    assert REDACTOR.redact(" ".join(words)) == " ".join(words)


def test_lone_surrogates_do_no_harm() -> None:
    out = REDACTOR.redact("\ud800 password=hunter2xyz9 \udfff")
    assert MARK.sub("#", out) == "\ufffd password=# \ufffd"
    assert "hunter2xyz9" not in redact_quick("\ud800 password=hunter2xyz9", KEY)
    assert REDACTOR.find("\ud800password=hunter2xyz9")[0].start == 10


@pytest.mark.parametrize("piece", samples.HOSTILE)
def test_hostile_text_costs_linear_time(piece: str) -> None:
    text = piece * (MEGABYTE // 4 // len(piece))  # benchmarks/capture/redaction.py has the whole megabyte
    for redact in (REDACTOR.redact, lambda text: redact_quick(text, KEY)):
        start = time.process_time()
        redact(text)
        assert time.process_time() - start < 0.3


@pytest.mark.parametrize("piece", samples.HOSTILE)
def test_without_google_re2_hostile_text_costs_linear_time_too(piece: str) -> None:
    plain = StdlibEngine(RULES)
    text = (piece * (MEGABYTE // len(piece))).encode()
    scan(text[:1000], plain)
    start = time.process_time()
    scan(text[: MEGABYTE // 64], plain)
    small = time.process_time() - start
    start = time.process_time()
    scan(text[: MEGABYTE // 16], plain)
    assert time.process_time() - start < max(0.3, 10 * small)


def test_the_search_ends_in_a_text_that_hides_one_secret_behind_another() -> None:
    text = "".join(f'password="{n}token=' for n in range(20000))
    start = time.process_time()
    REDACTOR.redact(text)
    assert time.process_time() - start < 4.0


def test_the_quick_redactor_finds_the_common_shapes() -> None:
    kinds = {
        "github-personal",
        "gitlab-personal",
        "openai",
        "anthropic",
        "stripe-live",
        "jwt",
        "slack-bot",
        "npm",
        "url",
        "bearer",
    }
    tried = [(value, line) for kind, value, line in SECRETS if kind in kinds]
    values = [samples.chars(Random(n), samples.AN, 32) for n in range(20)]
    tried += [(value, shape("API_KEY", value)) for shape in SHAPES[:12] for value in values]
    missed = [line for value, line in tried if value in redact_quick(line, KEY)]
    assert len(missed) <= len(tried) / 50, missed


def test_importing_loads_nothing_but_a_few_standard_modules() -> None:
    program = (
        "import sys, re; before = set(sys.modules); import metier.redaction; print(*sorted(set(sys.modules) - before))"
    )
    names = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    ).stdout.split()
    assert not {"re2", "dataclasses", "typing", "hashlib", "metier.redaction.rules.table"} & set(names)


def test_the_rules_run_without_google_re2() -> None:
    program = (
        "import sys; sys.modules['re2'] = None\n"
        "from metier.redaction import Redactor\n"
        "from metier.redaction.engine import StdlibEngine, engine\n"
        "assert isinstance(engine(), StdlibEngine)\n"
        "print(Redactor(b'k').redact('DB_PASSWORD=hunter2xyz9'))"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60).stdout
    assert out.startswith("DB_PASSWORD=[REDACTED:")


TERMINAL_ORDERS = (
    *("\x1b[31m", "\x1b[01;31m\x1b[K", "\x1b[38:5:208m", "\x1b[2;3H", "\x1b[?25l", "\x1b(B", "\x9b31m", "[0;32m"),
    *("\x1b]8;;https://a.b\x07", "\\u001b[1m", "\\x1B[31m", "\\033[0m", "\\u{1b}[31m", "^[[31m"),
)


@pytest.mark.parametrize("order", TERMINAL_ORDERS)
def test_a_secret_with_an_order_to_the_terminal_inside_is_found_whole(order: str) -> None:
    for _, value, line in samples.secrets(3, count=1):
        for cut in (2, 5, len(value) // 2):
            text = line.replace(value, value[:cut] + order + value[cut:])
            redacted = REDACTOR.redact(text)
            assert not any(part in redacted for part in (value[:cut], value[cut:]) if len(part) > 7), text
            assert REDACTOR.redact(redacted) == redacted


def test_brackets_and_carets_that_are_no_orders_stay() -> None:
    text = "grep '^[a-z]' notes[12] and m[3] or size[40m] at C:\\e[x]"
    assert REDACTOR.redact(text) == text
