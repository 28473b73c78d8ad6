"""Hosts in texts and command lines, in any case and form, each as one name."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import unquote

from metier.text.shell.command import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.text.shell.command import SimpleCommand


_ADDRESS = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,20}):[/\\]{2,}(?:[^\s/@'\"<>]{0,80}@)?"
    r"(?P<host>\[[0-9A-Fa-f:.%]{2,60}\]|[^\s/\\:?#'\"<>`()\[\],;|{}*]{1,253})"
)
_SLASHES = re.compile(
    r"(?<![\w:/\\.])//(?:[^\s/@'\"<>]{0,80}@)?(\[[0-9A-Fa-f:.%]{2,60}\]|[^\s/:?#'\"<>`()\[\],;|{}*]{1,253})"
)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@([A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8})")
_BARE = re.compile(
    r"(?<![\w@/.:$%~<-])((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,6}[a-z][a-z0-9-]{1,17})(?![\w.-]*[\w-])"
    r"(?P<more>[/:](?=[\w~]))?",
    re.IGNORECASE,
)
_QUAD = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d{1,3}){3})(?![\w.])")
_SIX = re.compile(r"(?<![\w:.])(\[?(?:[0-9A-Fa-f]{1,4}:){2,7}(?::?[0-9A-Fa-f]{1,4}){1,6}\]?|\[::[0-9A-Fa-f:.]{1,39}\])")
_SOCKET = re.compile(r"/dev/(?:tcp|udp)/([^/\s]{1,253})/")
_REMOTE = re.compile(r"(?:[\w.+-]{1,64}@)?(\[[0-9A-Fa-f:.%]{2,60}\]|[A-Za-z0-9_][\w.-]{0,252}):(?!//)(.*)", re.DOTALL)
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]{1,16}|\d{1,20}")
_LONG_NUMBER = re.compile(r"0[xX][0-9a-fA-F]{4,16}|\d{7,20}")
"""A number that is an address; shorter ones are ports and counts."""
_PLAIN = re.compile(r"[\w.-]{1,253}")
PUBLIC = word_set(
    """com net org io dev app ai co xyz info biz edu gov mil int uk de fr eu ru cn jp kr br au ca nl se fi dk pl es ch
    cz tv cc gg ly fm site online store shop tech cloud space website top club live life world page link click icu
    work fun pro example test invalid internal corp lan onion local zone systems tools network host services team
    digital agency software email run"""
)
"""Endings that names of hosts have and names of files and words do not."""
FILES = word_set(
    """py js ts jsx tsx mjs cjs json jsonl md mdx txt csv tsv yml yaml toml cfg ini conf env lock log sh bash zsh fish
    ps1 bat rs go rb php pl java kt swift c h cc cpp hpp cs sql db sqlite html htm css scss xml svg png jpg jpeg gif
    pdf doc docx xls xlsx ppt pptx zip tar gz tgz bz2 xz whl egg jar war so dll dylib exe bin out in d git bak tmp
    old new map example sample dist orig patch diff ipynb parquet proto graphql tf hcl gradle mod sum rst tex vue
    svelte lua vim"""
)
"""Endings of files: a name that ends so is a host only where an address says so."""
_FOLDERS = word_set("git js old new bak tmp orig app xcodeproj framework bundle lproj egg")
SPEAKING = word_set(
    """curl wget http https xh aria2c ping ping6 ssh scp sftp ftp lftp nc ncat netcat telnet socat dig nslookup host
    whois traceroute mosh rsync fetch ssh-copy-id ssh-keyscan"""
)
"""Programs whose plain arguments are hosts."""
COPYING = word_set("scp rsync sftp rclone ssh mosh unison")
_REMOTE_GIT = word_set("clone push pull fetch ls-remote submodule")
_LOCAL = word_set("localhost ip6-localhost host.docker.internal")


def hosts_in(text: str) -> Iterator[str]:
    """The hosts that a text certainly names: in addresses of any scheme, `//host/…`, mail addresses and IP numbers."""
    if "/" in text or "\\" in text:
        yield from _hosts_with_slashes(text)
    patterns = [_QUAD, *([_MAIL] if "@" in text else []), *([_SIX] if ":" in text else [])]
    for pattern in patterns:
        for found in pattern.finditer(text):
            if pattern is not _SIX or _is_six(found[1]):
                yield from _remote(found[1])


def _hosts_with_slashes(text: str) -> Iterator[str]:
    for found in _ADDRESS.finditer(text):
        if found["scheme"].lower() != "file":
            yield from _remote(found["host"])
    for found in _SLASHES.finditer(text):
        if "." in found[1] or found[1].startswith("["):
            yield from _remote(found[1])
    for found in _SOCKET.finditer(text):
        yield from _remote(found[1])


def bare_hosts_in(text: str) -> Iterator[str]:
    """The names in a text that can only be hosts, though nothing around them says so: `api.example.com`."""
    for found in _BARE.finditer(text) if "." in text else ():
        ending = found[1].lower().rpartition(".")[2]
        if ending in PUBLIC and (ending not in FILES or found["more"]):
            yield from _remote(found[1])


def hosts_of(command: SimpleCommand) -> Iterator[str]:
    """The hosts that a command talks to, as far as its words tell."""
    texts = [*command.arguments, *(value for _, value in command.assignments)]
    texts += [one.target for one in command.redirections]
    for text in texts:
        yield from hosts_in(text)
        yield from bare_hosts_in(text)
        for piece in re.split(r"[=,]", text):
            yield from _named_before_slash(piece)
    if command.name in SPEAKING:
        yield from _spoken_to(command)
    if command.name in COPYING:
        yield from (host for one in command.arguments for host in _before_colon(one))
    if command.name == "git":
        yield from _of_git(command)


def canonical(host: str) -> str:
    """One spelling of a host: small letters, no dot at the end, IP numbers as they are usually written."""
    name = unicodedata.normalize("NFKC", unquote(host)).casefold().strip("[]").replace("\u3002", ".").rstrip(".")
    name = name.partition("%")[0]
    parts = name.split(".")
    if 1 <= len(parts) <= 4 and all(_NUMBER.fullmatch(part) for part in parts):
        with suppress(ValueError):
            return str(ipaddress.IPv4Address(_number(parts)))
    with suppress(ValueError):
        address = ipaddress.ip_address(name)
        mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        return str(mapped or address)
    return name


def is_local(host: str) -> bool:
    """Whether a host is this machine."""
    if host in _LOCAL or host.endswith(".localhost"):
        return True
    with suppress(ValueError):
        address = ipaddress.ip_address(host)
        return address.is_loopback or address.is_unspecified
    return False


def _remote(host: str) -> Iterator[str]:
    name = canonical(host)
    if name and not is_local(name) and any(char.isalnum() for char in name):
        yield name


def _number(parts: list[str]) -> int:
    """An IPv4 address as resolvers read it: decimal, hexadecimal or octal, the last part fills what is left."""
    values = [
        int(part, 16 if part[:2] in ("0x", "0X") else 8 if part[0] == "0" and len(part) > 1 else 10) for part in parts
    ]
    *first, last = values
    if any(value > 255 for value in first):
        raise ValueError(parts)
    return sum(value << (24 - 8 * at) for at, value in enumerate(first)) + last


def _is_six(text: str) -> bool:
    with suppress(ValueError):
        return ipaddress.ip_address(text.strip("[]")).version == 6
    return False


def _named_before_slash(text: str) -> Iterator[str]:
    """`goodtools.example/norm@latest`: a dotted name before a slash is a host, unless it ends as folders do."""
    name, slash, rest = text.partition("/")
    name = name.rpartition("@")[2].partition(":")[0]
    if slash and rest and "." in name and not name.startswith((".", "-", "~", "$")) and _PLAIN.fullmatch(name):
        ending = name.rpartition(".")[2].lower()
        if ending.isalpha() and len(ending) > 1 and ending not in _FOLDERS:
            yield from _remote(name)


def _spoken_to(command: SimpleCommand) -> Iterator[str]:
    """The plain arguments of a program that talks to hosts: dotted names, numbers, or the first one of all."""
    plain = [one for one in command.arguments if not one.startswith("-")]
    for at, word in enumerate(plain):
        name = word.rpartition("@")[2].partition("/")[0]
        name = name if name.startswith("[") else name.partition(":")[0]
        ending = name.rpartition(".")[2].lower()
        dotted = "." in name.strip(".") and (ending not in FILES or ending in PUBLIC)
        first = at == 0 and command.name not in ("rsync", "scp", "curl", "wget")
        if (
            _PLAIN.fullmatch(name)
            and not word.startswith((".", "/"))
            and (dotted or first or _LONG_NUMBER.fullmatch(name))
        ):
            yield from _remote(name)


def _before_colon(word: str) -> Iterator[str]:
    found = _REMOTE.fullmatch(word)
    if found and len(found[1]) > 1:
        yield from _remote(found[1])


def _of_git(command: SimpleCommand) -> Iterator[str]:
    """`git clone host:path`, `git remote add name host:path`: only the repository can be a host, not what follows."""
    plain = [one for one in command.arguments if not one.startswith("-")]
    for at, word in enumerate(plain):
        if word in _REMOTE_GIT:
            chosen = plain[at + 1 :] if word in ("clone", "submodule") else plain[at + 1 : at + 2]
            yield from (host for one in chosen for host in _before_colon(one))
        elif word == "remote":
            yield from (host for one in plain[at + 1 :] for host in _before_colon(one))
