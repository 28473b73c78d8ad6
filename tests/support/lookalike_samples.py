"""Lines that hold nothing secret but look as if they did; none may be touched."""

from __future__ import annotations

import base64
import json
import uuid
from random import Random
from typing import TYPE_CHECKING

from lookalike_lines import PLAIN, PROSE, STAND_INS
from secret_samples import AN, B64, DIGITS, HEX, LOWER, UP, UPPER, URLSAFE, chars

if TYPE_CHECKING:
    from collections.abc import Iterator


def lookalikes(seed: int, rounds: int = 6) -> Iterator[str]:
    """Fixed lines once, random ones so many times."""
    random = Random(seed)
    yield from PLAIN
    yield from PROSE
    for _ in range(rounds):
        for make in MAKERS:
            yield from make(random)
        for _ in range(60):
            yield random.choice(FORMS).format(name=random.choice(NAMES), value=random.choice(STAND_INS))


def base(random: Random, size: int) -> str:
    return base64.b64encode(random.randbytes(size)).decode()


def url_base(random: Random, size: int) -> str:
    return base64.urlsafe_b64encode(random.randbytes(size)).decode().rstrip("=")


def uuid4(random: Random) -> str:
    return str(uuid.UUID(int=random.getrandbits(128), version=4))


TEXT = (
    "user account cache session index request page order item invoice file parser worker queue table model view router "
    "handler config client server message event context buffer stream window report"
)
WORDS = TEXT.split()


def ident(random: Random, count: int = 3) -> str:
    return "_".join(random.choices(WORDS, k=count))


def camel(random: Random, count: int = 3) -> str:
    first, *rest = random.choices(WORDS, k=count)
    return first + "".join(word.title() for word in rest)


NAMES = (
    "token", "password", "api_key", "secret", "apiKey", "client_secret", "access_token", "SECRET_KEY", "DB_PASSWORD",
    "AUTH_TOKEN", "private_key", "passwd",
)  # fmt: skip
FORMS = (
    "{name}={value}", "{name}: {value}", '{name} = "{value}"', '"{name}": "{value}"', "{name}='{value}'",
    "export {name}={value}", '"{name}":"{value}"', '\\"{name}\\": \\"{value}\\"', "--{name} {value}",
    "{name} => '{value}'", "`{name}`: `{value}`", "| {name} | {value} |", "{name} is {value}", "{name}={value}\\nX=1",
)  # fmt: skip


def _commits(r: Random) -> Iterator[str]:
    sha = chars(r, HEX, 40)
    s7 = chars(r, HEX, r.choice((7, 8, 10, 12)))
    yield f"commit {sha}"
    yield f"{s7} fix: rotate the token for {ident(r)}"
    yield f"* {sha} (HEAD -> main) add secret store"
    yield f"index {s7}..{chars(r, HEX, 7)} 100644"
    yield f"Merge: {s7} {chars(r, HEX, 7)}"
    yield f'"gitHead": "{sha}",'
    yield f"uses: actions/checkout@{sha} # v4"
    yield f"https://github.com/org/repo/commit/{sha}"
    yield f"https://github.com/org/repo/blob/{sha}/src/token.py#L10-L20"
    yield f"git checkout {sha} && git log --oneline"
    yield f"rev: {sha}"
    yield f"cache-key: {sha}"
    yield "key: ${{ runner.os }}-pip-${{ hashFiles('**/requirements.txt') }}"
    yield f"tree {sha}\nparent {chars(r, HEX, 40)}\nauthor Ada <ada@x.io> 1700000000 +0000"
    yield f"From {sha} Mon Sep 17 00:00:00 2001"


def _identifiers(r: Random) -> Iterator[str]:
    md5 = chars(r, HEX, 32)
    u = uuid4(r)
    yield f"request_id={u}"
    yield f'"sessionId":"{u}","parentUuid":"{uuid4(r)}"'
    yield f"X-Request-Id: {u}"
    yield f"traceparent: 00-{md5}-{chars(r, HEX, 16)}-01"
    yield f"id: {u}"
    yield f'tenant_id = "{u}"  subscription_id = "{uuid4(r)}"'
    yield f"/api/v1/users/{u}/tokens"
    yield f"client_id: {u}"
    yield f'"correlation_id": "{u}"'
    yield json.dumps({"id": "msg_01" + chars(r, AN, 22), "type": "message", "model": "claude-sonnet-4"})
    yield f'"tool_use_id":"toolu_01{chars(r, AN, 22)}"'
    yield f'"requestId":"req_011{chars(r, AN, 21)}"'
    yield f'"id":"call_{chars(r, AN, 24)}","type":"function"'
    yield f'"id":"chatcmpl-{chars(r, AN, 29)}","object":"chat.completion","system_fingerprint":"fp_{chars(r, HEX, 10)}"'


def _digests(r: Random) -> Iterator[str]:
    sha = chars(r, HEX, 40)
    s7 = chars(r, HEX, r.choice((7, 8, 10, 12)))
    s256 = chars(r, HEX, 64)
    md5 = chars(r, HEX, 32)
    u = uuid4(r)
    yield f"sha256:{s256}"
    yield f"{s256}  dist/app-1.2.{r.randrange(90)}-py3-none-any.whl"
    yield f"{md5}  archive.tar.gz"
    yield f"MD5 (a.iso) = {md5}"
    yield f"    --hash=sha256:{s256} \\"
    yield f"docker pull ghcr.io/org/app@sha256:{s256}"
    yield f'    {{file = "httpx-0.27.0.tar.gz", hash = "sha256:{s256}"}},'
    yield f'checksum = "{s256}"'
    yield f"content_hash: {s256}"
    yield f'"sha1": "{sha}", "md5": "{md5}"'
    yield f"digest: sha256:{s256}"
    yield f'ETag: "{md5}"'
    yield f'ETag: W/"{chars(r, HEX, 8)}-{base(r, 20)}"'
    yield f'"contentHash":"{s256}","version":3'
    yield f"h1:{base(r, 32)}"
    yield f"golang.org/x/crypto v0.17.0 h1:{base(r, 32)}"
    yield f"golang.org/x/crypto v0.17.0/go.mod h1:{base(r, 32)}"
    yield f"fingerprint SHA256:{base(r, 32)[:-1]}"
    yield f"The key fingerprint is:\nSHA256:{base(r, 32)[:-1]} ada@host"
    yield f"SHA1 Fingerprint={':'.join(chars(r, '0123456789ABCDEF', 2) for _ in range(20))}"
    yield f"MD5:{':'.join(chars(r, HEX, 2) for _ in range(16))}"
    yield f"ED25519 key fingerprint is SHA256:{base(r, 32)[:-1]}."
    yield f"/nix/store/{chars(r, '0123456789abcdfghijklmnpqrsvwxyz', 32)}-python3-3.11.6/bin/python"
    yield f'"narHash": "sha256-{base(r, 32)}"'
    yield f"cache hit: key={s256}"
    yield f"cache_key={md5}"
    yield f'idempotency_key: "{u}"'
    yield f"partition_key={s7}"
    yield f"Layer {chars(r, HEX, 12)}: Pull complete"
    yield f"CONTAINER ID {chars(r, HEX, 12)}   postgres:16"
    yield f"PublicKeyToken={chars(r, HEX, 16)}"
    yield f"key_hash = {s256}"


def _integrity(r: Random) -> Iterator[str]:
    sha = chars(r, HEX, 40)
    s512 = base(r, 64)
    yield f'"integrity": "sha512-{s512}",'
    yield f"  integrity sha512-{s512}"
    yield f"resolution: {{integrity: sha512-{s512}}}"
    yield f'<script src="https://cdn.x/a.js" integrity="sha384-{base(r, 48)}" crossorigin="anonymous"></script>'
    yield f'"resolved": "https://registry.npmjs.org/js-tokens/-/js-tokens-4.0.0.tgz",\n"integrity": "sha512-{s512}",'
    yield json.dumps({"c": f'"js-tokens": {{\n "version": "4.0.0",\n "integrity": "sha512-{s512}"\n}}'})
    url = "https://registry.yarnpkg.com/js-tokens/-/js-tokens-4.0.0.tgz"
    yield f'js-tokens@^4.0.0:\n  version "4.0.0"\n  resolved "{url}#{sha}"\n  integrity sha512-{s512}'
    yield f"  checksum: 10c0/{chars(r, HEX, 128)}"
    yield f"Content-Security-Policy: script-src 'nonce-{base(r, 16)}' 'sha256-{base(r, 32)}'"


def _images(r: Random) -> Iterator[str]:
    yield f'<img src="data:image/png;base64,{base(r, 300)}">'
    yield f"![x](data:image/png;base64,iVBORw0KGgo{base(r, 200)})"
    yield json.dumps(
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" + base(r, 600)}}
    )
    yield f"background: url(data:font/woff2;base64,d09GMgAB{base(r, 300)})"
    yield "//# sourceMappingURL=data:application/json;charset=utf-8;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpb" + base(
        r, 200
    )
    yield json.dumps({"signature": base(r, r.choice([200, 400])), "type": "thinking"})
    yield f'"thinking":"","signature":"Er{base(r, 300)}"'
    yield f'"encrypted_content":"gAAAAAB{url_base(r, 300)}"'


def _public(r: Random) -> Iterator[str]:
    sha = chars(r, HEX, 40)
    s256 = chars(r, HEX, 64)
    yield f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{chars(r, B64, 340)} ada@host"
    yield f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{chars(r, B64, 43)} ada@host"
    yield f"public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{chars(r, B64, 43)}"
    yield f"-----BEGIN PUBLIC KEY-----\n{base(r, 48)}\n{base(r, 48)}\n-----END PUBLIC KEY-----"
    yield f"-----BEGIN CERTIFICATE-----\nMIID{base(r, 45)}\n{base(r, 48)}\n{base(r, 30)}\n-----END CERTIFICATE-----"
    yield json.dumps(
        {"cert": f"-----BEGIN CERTIFICATE-----\nMIID{base(r, 45)}\n{base(r, 48)}\n-----END CERTIFICATE-----\n"}
    )
    yield f"-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{base(r, 48)}\n=aB3d\n-----END PGP PUBLIC KEY BLOCK-----"
    yield f"certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t{base(r, 200)}"
    yield f"age1{chars(r, LOWER + DIGITS, 58)}"
    yield f"pk_live_{chars(r, AN, 24)}"
    yield f"STRIPE_PUBLISHABLE_KEY=pk_test_{chars(r, AN, 24)}"
    yield f'publicKey: "{base(r, 32)}"'
    yield f"PUBLIC_KEY={base(r, 32)}"
    yield f"VAPID_PUBLIC_KEY=B{url_base(r, 64)}"
    yield f"0x{sha}"
    yield f"tx hash 0x{s256}"
    yield f"contract: 0x{sha}"
    yield f"host.dev ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{chars(r, B64, 43)}"
    yield f"|1|{base(r, 20)}|{base(r, 20)} ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY{chars(r, B64, 100)}="


def _assets(r: Random) -> Iterator[str]:
    yield f"/assets/index-{chars(r, URLSAFE, 8)}.js"
    yield f"static/js/main.{chars(r, HEX, 8)}.chunk.js"
    yield f"dist/token-{chars(r, HEX, 20)}.css 12.3 kB"
    yield f".css-{chars(r, LOWER + DIGITS, 7)} {{ color: #{chars(r, HEX, 6)} }}"
    yield f'class="Button_primary__{chars(r, AN, 5)} sc-{chars(r, AN, 6)}"'
    yield f"/_next/static/chunks/pages/login-{chars(r, HEX, 16)}.js"
    yield f"_next/static/{chars(r, URLSAFE, 21)}/_buildManifest.js"
    yield f"app.{chars(r, HEX, 20)}.min.css?v={chars(r, HEX, 10)}"
    yield f"https://fonts.gstatic.com/s/inter/v13/{chars(r, URLSAFE, 60)}.woff2"


def _clouds(r: Random) -> Iterator[str]:
    u = uuid4(r)
    yield f"arn:aws:iam::{chars(r, DIGITS, 12)}:role/{camel(r)}-{chars(r, UP, 12)}"
    yield f"arn:aws:secretsmanager:eu-west-1:{chars(r, DIGITS, 12)}:secret:prod/db-{chars(r, AN, 6)}"
    yield f"arn:aws:kms:us-east-1:{chars(r, DIGITS, 12)}:key/{u}"
    yield f'secret_arn = "arn:aws:secretsmanager:eu-west-1:{chars(r, DIGITS, 12)}:secret:prod/db-{chars(r, AN, 6)}"'
    yield f"KMS_KEY=arn:aws:kms:us-east-1:{chars(r, DIGITS, 12)}:key/{u}"
    yield f"i-{chars(r, HEX, 17)} vpc-{chars(r, HEX, 8)} sg-{chars(r, HEX, 17)} ami-{chars(r, HEX, 17)}"
    yield f"AROA{chars(r, UPPER + '234567', 17)}:session"
    yield f"projects/acme/locations/eu/keyRings/main/cryptoKeys/{ident(r)}"
    yield f"/subscriptions/{u}/resourceGroups/rg-{ident(r)}/providers/Microsoft.KeyVault/vaults/kv1"
    yield f"{chars(r, DIGITS, 12)}-{chars(r, LOWER + DIGITS, 32)}.apps.googleusercontent.com"
    yield f"bucket-{chars(r, LOWER + DIGITS, 13)}.s3.amazonaws.com"
    yield f"d{chars(r, LOWER + DIGITS, 13)}.cloudfront.net"


def _packages(r: Random) -> Iterator[str]:
    s256 = chars(r, HEX, 64)
    yield f"@{r.choice(WORDS)}/{ident(r).replace('_', '-')}@{r.randrange(9)}.{r.randrange(20)}.{r.randrange(9)}"
    yield f"{ident(r)}-{r.randrange(9)}.{r.randrange(20)}.0-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
    yield f"node_modules/.pnpm/{ident(r)}@1.2.3_{chars(r, LOWER + DIGITS, 26)}/node_modules/x"
    index = "registry+https://github.com/rust-lang/crates.io-index"
    yield f'name = "{ident(r)}"\nversion = "1.2.{r.randrange(9)}"\nsource = "{index}"\nchecksum = "{s256}"'
    path = "/".join(chars(r, HEX, size) for size in (2, 2, 60))
    yield f"https://files.pythonhosted.org/packages/{path}/tokenizers-0.15.0.tar.gz"
    yield f"implementation 'com.acme:token-service:{r.randrange(9)}.{r.randrange(9)}.1'"


def _paths(r: Random) -> Iterator[str]:
    s7 = chars(r, HEX, r.choice((7, 8, 10, 12)))
    s256 = chars(r, HEX, 64)
    yield f"/home/ada/project/src/{ident(r)}/token_store_{r.randrange(99)}.py:{r.randrange(999)}: warning"
    yield f"C:\\Users\\ada\\AppData\\Local\\{camel(r)}\\secrets.json"
    yield f"/tmp/pytest-of-ada/pytest-{r.randrange(99)}/test_password0/{s7}"
    yield f"~/.cache/pip/http-v2/{chars(r, HEX, 1)}/{chars(r, HEX, 1)}/{chars(r, HEX, 56)}.body"
    yield "token_file: /var/run/secrets/kubernetes.io/serviceaccount/token"
    yield f"key_file=/etc/{ident(r)}/{ident(r)}-{r.randrange(999)}.pem"
    yield f"password_file: ./secrets/{ident(r)}.txt"
    yield f"/var/lib/docker/overlay2/{s256}/merged"
    yield f".git/objects/{chars(r, HEX, 2)}/{chars(r, HEX, 38)}"


def _mails(r: Random) -> Iterator[str]:
    u = uuid4(r)
    yield f"Message-ID: <{chars(r, AN, 32)}@mail.gmail.com>"
    yield f"<CA+{chars(r, URLSAFE, 44)}@mail.gmail.com>"
    yield f"{ident(r)}{r.randrange(9999)}@acme.io"
    yield f"In-Reply-To: <{u}@acme.io>"


def _code(r: Random) -> Iterator[str]:
    sn = r.choice(NAMES)
    yield f"{camel(r, 6)}Token = {camel(r, 5)}"
    yield f"def test_{ident(r, 6)}_with_secret_key():"
    yield f"password={ident(r, 2)}"
    yield f"token={camel(r, 3)},"
    yield f"secret = {camel(r, 2)}.{camel(r, 2)}"
    yield f"api_key={ident(r, 3)}.{ident(r, 2)}"
    yield f"{sn} = {ident(r, 2)}"
    yield f"{sn}: {camel(r, 2)}2"
    yield f"{sn} = {camel(r, 3)}[{r.randrange(9)}]"
    yield f"{sn}={ident(r, 2).upper()}_{r.randrange(99)}"
    yield f'"{sn}": "{ident(r, 4)}"'
    yield f"{sn.upper()}_{ident(r, 3).upper()}=1"
    yield f"sk-{ident(r, 4).replace('_', '-')}"
    yield f"hf_{ident(r, 4)}"
    yield f"npm_{ident(r, 5)}"
    yield f"key-{ident(r, 4).replace('_', '-')}"
    yield f"re_{ident(r, 3)}"
    yield f"pat_{ident(r, 3)}"


def _numbers(r: Random) -> Iterator[str]:
    yield f"timestamp={r.randrange(10**12, 10**13)} duration={r.random()}"
    yield f"{r.random()} {r.random() * 1e9}"
    yield f"token_count={r.randrange(10**6)} secret_version={r.randrange(99)}"
    yield f"password_min_length: {r.randrange(8, 32)}"
    yield f"2024-05-0{r.randrange(1, 9)}T12:00:00.{chars(r, DIGITS, 6)}Z token refreshed in {r.randrange(99)}ms"
    yield f"tokens/s: {r.randrange(999)}.{r.randrange(99)} total_tokens: {r.randrange(10**6)}"


def _other(r: Random) -> Iterator[str]:
    s7 = chars(r, HEX, r.choice((7, 8, 10, 12)))
    md5 = chars(r, HEX, 32)
    u = uuid4(r)
    yield f"youtube.com/watch?v={chars(r, URLSAFE, 11)}"
    yield f"https://docs.google.com/document/d/{chars(r, URLSAFE, 44)}/edit"
    yield f"https://www.figma.com/file/{chars(r, AN, 22)}/Design-tokens?node-id=12-345"
    yield f"https://app.acme.io/issues?cursor={url_base(r, 24)}"
    yield f'"nextCursor": "{base(r, 24)}"'
    yield f"Content-Type: multipart/form-data; boundary=----WebKitFormBoundary{chars(r, AN, 16)}"
    yield f"Sec-WebSocket-Accept: {base(r, 20)}"
    yield f"cf-ray: {chars(r, HEX, 16)}-FRA"
    yield f"x-amz-id-2: {base(r, 56)}"
    yield f"x-amz-request-id: {chars(r, UP, 16)}"
    yield f"session: {u}"
    yield f"session_id={chars(r, AN, 22)}"
    yield f"span_id={chars(r, HEX, 16)} trace_id={md5}"
    yield f"color tokens: --token-primary: #{chars(r, HEX, 6)};"
    yield "xoxb, ghp_, AKIA, eyJ prefixes are secrets"
    yield f"prefix 'sk-' and 'ghp_' then {r.randrange(20, 50)} characters [A-Za-z0-9]{{36}}"
    yield "regex: AKIA[0-9A-Z]{16} or ghp_[A-Za-z0-9]{36}"
    yield f"build {chars(r, DIGITS, 5)}-{s7} passed; password tests: {r.randrange(99)} ok"
    yield f"{chars(r, AN, 11)}: Pushed"
    yield f'ObjectId("{chars(r, HEX, 24)}")'
    yield f'"_id": "{chars(r, HEX, 24)}"'
    yield f"ulid 01H{chars(r, UP, 23)}"
    yield f"cid: Qm{chars(r, AN, 44)}"
    yield f"bitcoin address bc1q{chars(r, LOWER + DIGITS, 38)}"
    yield f"lorem {chars(r, LOWER, 12)} {chars(r, AN, 20)} ipsum"
    yield f"Nonce: {base(r, 16)}"
    yield f"build_id={chars(r, URLSAFE, 21)}"
    yield f"snapshot_name: snap-{chars(r, HEX, 17)}"
    yield f"public_id: {chars(r, LOWER + DIGITS, 20)}"
    yield f"project_id: prj_{chars(r, AN, 28)}"
    yield f"customer: cus_{chars(r, AN, 14)} price_{chars(r, AN, 24)} pi_{chars(r, AN, 24)}"
    yield f"price: 'price_1{chars(r, AN, 23)}'"
    yield f"AC{md5} is the account SID"
    yield f"G-{chars(r, UP, 10)} UA-{chars(r, DIGITS, 8)}-1 GTM-{chars(r, UP, 7)}"
    yield 'Bearer error="invalid_token", error_description="The token expired at 05/01/2024"'
    yield 'WWW-Authenticate: Bearer realm="api", error="invalid_token"'
    yield f'WWW-Authenticate: Digest realm="x", nonce="{md5}", opaque="{chars(r, HEX, 32)}"'


MAKERS = (
    _commits,
    _identifiers,
    _digests,
    _integrity,
    _images,
    _public,
    _assets,
    _clouds,
    _packages,
    _paths,
    _mails,
    _code,
    _numbers,
    _other,
)
