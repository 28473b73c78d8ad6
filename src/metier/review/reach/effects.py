"""What a command does that no number of runs makes harmless: it installs, reaches the network, or changes trust."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from metier.review.reach.hosts import SPEAKING, hosts_of
from metier.text.shell.command import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metier.text.shell.command import SimpleCommand

EffectKind = Literal["install", "network", "trust", "unclear"]
LONGEST = 80
"""Characters of a command that are shown to a person."""


@dataclass(frozen=True, slots=True, order=True)
class CommandEffect:
    """One thing that a command does."""

    kind: EffectKind
    what: str
    """The part of the command that does it."""


_MANAGERS = word_set(
    """pip pip3 uv poetry pdm pipenv conda mamba micromamba pixi rye hatch npm pnpm yarn bun deno jsr gem bundle cargo
    rustup go composer dotnet nuget mix hex cabal stack opam luarocks cpan cpanm brew port apt apt-get aptitude dnf
    yum apk pacman zypper snap flatpak choco winget scoop nix nix-env asdf mise nvm fnm sdk helm krew vcpkg conan
    ansible-galaxy vagrant terraform tofu docker podman nerdctl claude codex gh code cursor"""
)
"""Programs that bring packages in."""
_MANAGER_VERBS = word_set(
    """install i add ci get require pull download dlx upgrade update sync restore vendor plugin extension extensions
    krew inject reinstall self-update pip tool env"""
)
"""Their words for it."""
_INSTALL_VERBS = word_set("install require dlx reinstall self-update self-install plugin plugins extension extensions")
"""Words for it that no program uses for something else."""
_RUNS_PACKAGES = word_set("npx uvx bunx pipx pnpx easy_install")
_INSTALLS_BARE = word_set("yarn bundle")
"""Programs that install when nothing else is asked of them."""
_WITH = re.compile(r"--(?:with|from|spec|package|install-extension|requirement|editable)(?:=.*)?")
_PULLS = {"docker": word_set("run build pull create compose"), "podman": word_set("run build pull create compose")}
_GO = word_set("install get run")
_NETWORK = SPEAKING | word_set(
    """gh glab hub aws gcloud gsutil az bq s3cmd rclone doctl heroku fly flyctl vercel netlify wrangler firebase
    supabase stripe twilio kubectl helm terraform tofu pulumi ansible ansible-playbook vault consul nomad mail mailx
    sendmail mutt swaks msmtp ngrok cloudflared tailscale ipfs yt-dlp youtube-dl twine ossutil mc oc skopeo crane
    oras cosign s5cmd linear jira slack sentry-cli newrelic datadog-ci dogshell sshfs smbclient mount.cifs mount.nfs"""
)
_NETWORK_VERBS: dict[str, frozenset[str]] = {
    "git": word_set("push pull fetch clone ls-remote send-email request-pull submodule lfs svn"),
    "hg": word_set("push pull clone incoming outgoing"),
    "docker": word_set("push pull login search"),
    "podman": word_set("push pull login search"),
    "npm": word_set("publish login adduser unpublish owner access token dist-tag"),
    "pnpm": word_set("publish login"),
    "yarn": word_set("publish login npm"),
    "cargo": word_set("publish login yank owner search"),
    "uv": word_set("publish"),
    "poetry": word_set("publish"),
    "gem": word_set("push signin owner"),
    "openssl": word_set("s_client"),
    "fossil": word_set("push pull clone sync"),
}
_TRUST_PROGRAMS = word_set(
    """chmod chown setfacl setcap sudo doas su visudo useradd usermod adduser passwd ssh-keygen ssh-copy-id ssh-keyscan
    ssh-add keytool update-ca-certificates update-ca-trust certutil security iptables nft ufw firewall-cmd
    setenforce csrutil spctl xattr crontab at systemctl launchctl husky lefthook overcommit"""
)
_TRUST_VERBS: dict[str, frozenset[str]] = {
    "git": word_set("config remote submodule update-index credential"),
    "npm": word_set("config set trust"),
    "pnpm": word_set("config"),
    "yarn": word_set("config"),
    "pip": word_set("config"),
    "pip3": word_set("config"),
    "poetry": word_set("config source self"),
    "bundle": word_set("config"),
    "gem": word_set("sources"),
    "go": word_set("env"),
    "cargo": word_set("login"),
    "helm": word_set("repo plugin"),
    "pre-commit": word_set("install uninstall"),
    "direnv": word_set("allow"),
    "mise": word_set("trust"),
    "gpg": word_set("--import --recv-keys --edit-key"),
    "docker": word_set("trust context"),
    "claude": word_set("mcp config plugin"),
    "codex": word_set("mcp"),
    "gh": word_set("auth secret ssh-key gpg-key config alias extension"),
    "conda": word_set("config"),
    "dotnet": word_set("nuget"),
    "brew": word_set("tap"),
    "apt-key": frozenset(("add",)),
    "add-apt-repository": frozenset(("",)),
}
_LOOKS_ONLY = word_set("--list -l --get --get-all --show-origin --show --help -v --verbose status get-url")
_TRUST_FLAG = re.compile(
    r"-{1,2}(?:no|skip|disable|ignore|allow|without|bypass|dangerously|unsafe|force|trust|trusted|insecure|accept)[\w-]*"
    r"(?:verif\w*|check\w*|ssl|tls|cert\w*|sign\w*|gpg|hooks?|audit|sandbox|auth\w*|secur\w*|untrusted|root|host\w*|"
    r"permissions?|packages|signatures?|origin|integrity|lock\w*|config|scan\w*|guard\w*|polic\w*)(?:=.*)?"
    r"|--(?:insecure|unsafe|privileged|trusted|no-sandbox|yolo)[\w-]*(?:=.*)?"
    r"|--(?:extra-)?(?:index|index-url|default-index|registry|find-links|source|trusted-host|proxy|cacert|mirror|repository)"
    r"(?:=.*)?|--(?:exec|upload-pack|receive-pack|config-env|sslverify)(?:=.*)?",
    re.IGNORECASE,
)
_TRUST_VALUE = re.compile(
    r"core\.\w+|http\.\S*sslverify|sslverify|strict-ssl|stricthostkeychecking|url\.\S+\.insteadof|credential\.\w+|"
    r"hookspath|\bregistry\b|gpgsign|safe\.directory|include\.path|alias\.\w+|\.npmrc|\.pypirc|\.netrc|pip\.conf|"
    r"\.git/hooks|\.husky|\.gitconfig|\.pre-commit-config|known_hosts|authorized_keys",
    re.IGNORECASE,
)
_SHORT_TRUST = {"curl": word_set("-k"), "wget": frozenset[str](), "git": frozenset[str](), "pip": word_set("-i")}
_TRUST_VARIABLE = re.compile(
    r"(?:\w*(?:TLS|SSL|CERT|CA_BUNDLE|VERIFY|PROXY|REGISTRY|INDEX_URL|INDEX|MIRROR|HOOKS?|SUMDB|INSECURE|NOSUM|PRELOAD|"
    r"LIBRARY_PATH|INSERT_LIBRARIES|SSH_COMMAND|ASKPASS|REJECT\w*)\w*|HUSKY|SKIP|GIT_\w+|GOPROXY|GOFLAGS|NODE_OPTIONS|"
    r"PYTHONSTARTUP|PYTHONPATH|PATH|BASH_ENV|ENV|PROMPT_COMMAND|EDITOR|PAGER|NPM_CONFIG_\w+|PIP_\w+|UV_\w+|CARGO_\w*|"
    r"LESSOPEN|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|MAVEN_OPTS)",
    re.IGNORECASE,
)
_SETTERS = word_set("export declare set setx typeset")
_GIT_NO_VERIFY = re.compile(r"-[a-z]*n[a-z]*")
_CODE = re.compile(r"(?:python|pypy|perl|ruby|node|php|deno|bun|lua|Rscript|osascript|awk|gawk)[0-9.]*")
_CODE_OPTIONS = word_set("-c -e --eval -p --print -r eval")


def effects_of(command: SimpleCommand) -> Iterator[CommandEffect]:
    """What a command does that a person has to agree to."""
    if command.unclear:
        yield CommandEffect("unclear", _short(command.words) or command.inside)
    name, plain = command.name, [one for one in command.arguments if not one.startswith("-")]
    if _installs(command, name, plain):
        yield CommandEffect("install", _short(command.words))
    if _speaks(command, name, plain):
        yield CommandEffect("network", _short((name, *plain[:1]) if name not in SPEAKING else (name,)))
    yield from (CommandEffect("trust", what) for what in dict.fromkeys(_trust_changes(command, name, plain)))
    if _CODE.fullmatch(name) and any(one in _CODE_OPTIONS for one in command.arguments):
        yield CommandEffect("unclear", _short(command.words))


def _installs(command: SimpleCommand, name: str, plain: list[str]) -> bool:
    if name in _RUNS_PACKAGES or (name in _INSTALLS_BARE and not plain):
        return True
    if name == "go":
        return not _GO.isdisjoint(plain[:1]) and any("." in one.partition("/")[0][1:] for one in plain[1:])
    verbs = _MANAGER_VERBS if name in _MANAGERS else _INSTALL_VERBS
    verbs |= _PULLS.get(name, frozenset())
    return not verbs.isdisjoint(plain[:2]) or any(map(_WITH.fullmatch, command.arguments))


def _speaks(command: SimpleCommand, name: str, plain: list[str]) -> bool:
    if name in _NETWORK or any(one in _NETWORK_VERBS.get(name, ()) for one in plain[:2]):
        return True
    return any(True for _ in hosts_of(command))


def _trust_changes(command: SimpleCommand, name: str, plain: list[str]) -> Iterator[str]:
    """The parts of a command that change what is trusted."""
    yield from _trust_variables(command, name, plain)
    if name == "sudo":
        yield "sudo"
    elif name in _TRUST_PROGRAMS or _sets_trust(command, name):
        yield _short(command.words)
    yield from _trust_arguments(command, name)
    if name == "git" and "commit" in plain[:1] and any(map(_GIT_NO_VERIFY.fullmatch, command.arguments)):
        yield "git commit -n"
    yield from (one.target[:LONGEST] for one in command.redirections if _TRUST_VALUE.search(one.target))


def _trust_arguments(command: SimpleCommand, name: str) -> Iterator[str]:
    for one in command.arguments:
        if _TRUST_FLAG.fullmatch(one) or one in _SHORT_TRUST.get(name, ()):
            yield f"{name} {one}"[:LONGEST]
        elif len(one) < LONGEST * 2 and _TRUST_VALUE.search(one):
            yield one[:LONGEST]


def _trust_variables(command: SimpleCommand, name: str, plain: list[str]) -> Iterator[str]:
    yield from (f"{key}={value}"[:LONGEST] for key, value in command.assignments if _TRUST_VARIABLE.fullmatch(key))
    if name in _SETTERS:
        yield from (one[:LONGEST] for one in plain if _TRUST_VARIABLE.fullmatch(one.partition("=")[0]))


def _sets_trust(command: SimpleCommand, name: str) -> bool:
    """Whether a command's first words set something that is trusted, and do not only show it."""
    verbs = _TRUST_VERBS.get(name, frozenset())
    return not verbs.isdisjoint(command.arguments[:2]) and _LOOKS_ONLY.isdisjoint(command.arguments)


def _short(words: tuple[str, ...]) -> str:
    text = " ".join(" ".join(words).split()).replace("‹", "<").replace("›", ">")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
