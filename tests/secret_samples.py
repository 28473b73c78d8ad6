"""Random secrets of many kinds, look-alikes that must stay, and the lines they stand in; no value here is real."""

from __future__ import annotations

import base64
import json
import string
import uuid
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
AN, HEX, UP = LOWER + UPPER + DIGITS, DIGITS + "abcdef", UPPER + DIGITS
URLSAFE, B64 = AN + "-_", AN + "+/"

PREFIXED: dict[str, tuple[str, str, int]] = {
    "aws-access-key-id": ("AK" + "IA", UP, 16),
    "google-api-key": ("AI" + "za", URLSAFE, 35),
    "google-oauth-secret": ("GOC" + "SPX-", URLSAFE, 28),
    "google-oauth-token": ("ya" + "29.", URLSAFE, 120),
    "github-personal": ("gh" + "p_", AN, 36),
    "github-oauth": ("gh" + "o_", AN, 36),
    "github-user": ("gh" + "u_", AN, 36),
    "github-server": ("gh" + "s_", AN, 36),
    "github-refresh": ("gh" + "r_", AN, 36),
    "github-fine-grained": ("github" + "_pat_", AN + "_", 82),
    "gitlab-personal": ("gl" + "pat-", URLSAFE, 20),
    "gitlab-deploy": ("gl" + "dt-", URLSAFE, 20),
    "gitlab-runner": ("gl" + "rt-", URLSAFE, 20),
    "stripe-live": ("sk_" + "live_", AN, 24),
    "stripe-test": ("sk_" + "test_", AN, 24),
    "stripe-restricted": ("rk_" + "live_", AN, 24),
    "stripe-webhook": ("wh" + "sec_", AN, 32),
    "openai": ("sk" + "-", AN, 48),
    "openai-project": ("sk-" + "proj-", URLSAFE, 120),
    "openai-service": ("sk-" + "svcacct-", URLSAFE, 60),
    "anthropic": ("sk-" + "ant-api03-", URLSAFE, 93),
    "openrouter": ("sk-" + "or-v1-", HEX, 64),
    "huggingface": ("h" + "f_", AN, 34),
    "replicate": ("r8" + "_", AN, 37),
    "groq": ("gs" + "k_", AN, 52),
    "xai": ("xa" + "i-", AN, 80),
    "perplexity": ("pp" + "lx-", AN, 48),
    "npm": ("np" + "m_", AN, 36),
    "pypi": ("py" + "pi-AgEIcHlwaS5vcmc", URLSAFE, 120),
    "rubygems": ("ruby" + "gems_", HEX, 48),
    "crates": ("ci" + "o", AN, 32),
    "docker": ("dckr" + "_pat_", URLSAFE, 27),
    "digitalocean": ("dop" + "_v1_", HEX, 64),
    "databricks": ("da" + "pi", HEX, 32),
    "newrelic": ("NR" + "AK-", UP, 27),
    "sentry-user": ("sntry" + "u_", HEX, 64),
    "grafana-cloud": ("gl" + "c_", B64, 60),
    "vault": ("hv" + "s.", URLSAFE, 90),
    "pulumi": ("pu" + "l-", HEX, 40),
    "linear": ("lin" + "_api_", AN, 40),
    "notion": ("nt" + "n_", AN, 46),
    "figma": ("fi" + "gd_", URLSAFE, 40),
    "shopify": ("sh" + "pat_", HEX, 32),
    "square": ("sq0" + "csp-", URLSAFE, 43),
    "supabase": ("sb" + "p_", HEX, 40),
    "planetscale": ("pscale" + "_tkn_", URLSAFE, 43),
    "doppler": ("dp" + ".pt.", AN, 43),
    "age": ("AGE-" + "SECRET-KEY-1", UP, 58),
    "slack-app": ("xa" + "pp-1-A0B1C2D3E4F-", DIGITS + HEX, 60),
    "atlassian": ("AT" + "ATT3xFfGF0", URLSAFE, 160),
    "twilio-key": ("S" + "K", HEX, 32),
    "mailgun": ("ke" + "y-", HEX, 32),
}
"""Kind -> what it begins with, the alphabet of the rest and its length."""

NAMED: dict[str, tuple[str, str, int]] = {
    "AWS_SECRET_ACCESS_KEY": ("", B64, 40),
    "DATADOG_API_KEY": ("", HEX, 32),
    "CLOUDFLARE_API_TOKEN": ("", URLSAFE, 40),
    "FASTLY_API_TOKEN": ("", URLSAFE, 32),
    "COHERE_API_KEY": ("", AN, 40),
    "ALGOLIA_API_KEY": ("", HEX, 32),
    "TWILIO_AUTH_TOKEN": ("", HEX, 32),
    "SNOWFLAKE_PASSWORD": ("", AN, 16),
    "MISTRAL_API_KEY": ("", AN, 32),
    "DB_PASSWORD": ("", AN, 12),
    "API_KEY": ("", AN, 32),
    "CLIENT_SECRET": ("", URLSAFE.replace("-", ""), 40),
    "AUTH_TOKEN": ("", AN, 24),
    "SECRET_KEY": ("", AN + "!@#%^*", 50),
    "ENCRYPTION_KEY": ("", HEX, 64),
    "PRIVATE_KEY": ("0x", HEX, 64),
}
"""Name of the setting -> value without a shape of its own."""


def chars(random: Random, alphabet: str, length: int) -> str:
    return "".join(random.choices(alphabet, k=length))


def prefixed(kind: str) -> Callable[[Random], str]:
    start, alphabet, length = PREFIXED[kind]
    ends = [c for c in alphabet if c.isalnum()]
    return lambda random: start + chars(random, alphabet, length - 1) + random.choice(ends)


def _b64(random: Random, size: int) -> str:
    return base64.b64encode(random.randbytes(size)).decode()


def jwt(random: Random) -> str:
    parts = ({"alg": "HS256", "typ": "JWT"}, {"sub": chars(random, DIGITS, 10), "iat": random.randrange(10**9)})
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*encoded, chars(random, URLSAFE, 43)])


def pem(random: Random, kind: str = "RSA ") -> str:
    body = _b64(random, 600)
    lines = [body[n : n + 64] for n in range(0, len(body), 64)]
    return "\n".join([f"-----BEGIN {kind}PRIVATE " + "KEY-----", *lines, f"-----END {kind}PRIVATE " + "KEY-----"])


OTHERS: dict[str, Callable[[Random], str]] = {
    "slack-bot": lambda r: f"xo{'x'}b-{chars(r, DIGITS, 12)}-{chars(r, DIGITS, 12)}-{chars(r, AN, 24)}",
    "slack-user": lambda r: f"xo{'x'}p-{chars(r, DIGITS, 12)}-{chars(r, DIGITS, 12)}-{chars(r, HEX, 32)}",
    "slack-webhook": lambda r: (
        f"https://hooks.slack.com/serv{'ices'}/T{chars(r, UP, 8)}/B{chars(r, UP, 8)}/{chars(r, AN, 24)}"
    ),
    "discord-bot": lambda r: f"M{chars(r, AN, 23)}.{chars(r, URLSAFE, 6)}.{chars(r, AN, 38)}",
    "discord-webhook": lambda r: f"https://discord.com/api/web{'hooks'}/{chars(r, DIGITS, 18)}/{chars(r, AN, 68)}",
    "telegram": lambda r: f"{r.randrange(10**9, 10**10)}:AA{chars(r, AN, 33)}",
    "sendgrid": lambda r: f"SG{'.'}{chars(r, AN, 22)}.{chars(r, AN, 43)}",
    "mailchimp": lambda r: f"{chars(r, HEX, 32)}-us{r.randrange(1, 20)}",
    "azure-client": lambda r: f"{chars(r, AN, 3)}8Q{'~'}{chars(r, AN, 34)}",
    "terraform": lambda r: f"{chars(r, AN, 14)}.atlas{'v1'}.{chars(r, AN, 67)}",
    "postman": lambda r: f"PM{'AK'}-{chars(r, HEX, 24)}-{chars(r, HEX, 34)}",
    "grafana": lambda r: f"gl{'sa'}_{chars(r, AN, 32)}_{chars(r, HEX, 8)}",
    "airtable": lambda r: f"pa{'t'}{chars(r, AN, 14)}.{chars(r, HEX, 64)}",
    "plaid": lambda r: f"access-{'sandbox'}-{uuid.UUID(int=r.getrandbits(128))}",
    "braintree": lambda r: f"access_{'token'}$production${chars(r, LOWER + DIGITS, 16)}${chars(r, HEX, 32)}",
    "asana": lambda r: f"1/{chars(r, DIGITS, 16)}:{chars(r, HEX, 32)}",
    "jwt": jwt,
}
KINDS: dict[str, Callable[[Random], str]] = {kind: prefixed(kind) for kind in PREFIXED} | OTHERS

SHAPES: tuple[Callable[[str, str], str], ...] = (
    lambda name, value: f"export {name}={value}",
    lambda name, value: f'{name}="{value}"',
    lambda name, value: json.dumps({"user": "ada", name.lower(): value, "port": 5432}),
    lambda name, value: json.dumps(json.dumps({name.lower(): value})),
    lambda name, value: f"service:\n  {name.lower()}: {value}\n  retries: 3",
    lambda name, value: f'{name.lower()} = "{value}"  # production',
    lambda name, value: f"2025-03-01 12:00:01 INFO starting with {name.lower()}={value} on port 8080",
)
BARE: tuple[Callable[[str, str], str], ...] = (
    *SHAPES,
    lambda name, value: f"curl -s https://api.service.dev/v1/items -H 'X-Auth: {value}' | jq .",
    lambda name, value: f"Sure, I used {value} to log in, and it worked.",
    lambda name, value: f'client = Client("{value}", timeout=3)',
    lambda name, value: f"line one\\n{value}\\nline three",
)
"""Shapes for secrets that need no name."""


def secrets(seed: int, count: int = 20) -> Iterator[tuple[str, str, str]]:
    """Kind, value and line."""
    random = Random(seed)
    for kind, make in KINDS.items():
        for n in range(count):
            value = make(random)
            yield kind, value, BARE[n % len(BARE)]("SERVICE_CREDENTIAL", value)
    for name, (start, alphabet, length) in NAMED.items():
        for n in range(count):
            value = start + chars(random, alphabet, length - 1) + random.choice(DIGITS)
            yield name, value, SHAPES[n % len(SHAPES)](name, value)
    for n in range(count):
        for kind, value, line in in_context(random):
            yield kind, value, ("" if n % 2 else "$ ") + line


def in_context(random: Random) -> Iterator[tuple[str, str, str]]:
    """Secrets that only their surroundings give away."""
    token, password = chars(random, AN, 32), chars(random, AN, 14)
    yield "bearer", token, f"curl -H 'Authorization: Bearer {token}' https://api.service.dev"
    yield "header-token", token, f'headers = {{"Authorization": "token {token}"}}'
    basic = base64.b64encode(f"ada:{password}".encode()).decode()
    yield "basic", basic, f"Authorization: Basic {basic}"
    yield "url", password, f"DATABASE_URL=postgresql://ada:{password}@db.internal:5432/app"
    yield "redis-url", password, f"redis://:{password}@cache:6379/0"
    yield "curl-user", password, f"curl -u ada:{password} https://host.dev/x"
    yield "option", password, f"createuser --login --password={password} ada"
    yield "option-space", password, f"helm login --username ada --password {password} registry.dev"
    yield "cookie", token, f"Cookie: theme=dark; session={token}"
    yield "set-cookie", token, f"Set-Cookie: sid={token}; Path=/; HttpOnly"
    yield "netrc", password, f"machine host.dev\n  login ada\n  password {password}"
    yield "pgpass", password, f"db.internal:5432:app:ada:{password}"
    yield "npmrc", token, f"//registry.npmjs.org/:_authToken={token}"
    yield "prose", password, f"By the way, the password is {password}1."
    yield (
        "account-key",
        (key := _b64(random, 64)),
        f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={key};Suffix=x",
    )
    yield (
        "sas",
        (sig := chars(random, AN, 43) + "%3D"),
        f"https://a.blob.core.windows.net/c?sv=2022-11-02&sig={sig}&sp=r",
    )
    yield "heroku", (key := str(uuid.UUID(int=random.getrandbits(128)))), f"HEROKU_API_KEY={key}"
    yield "sentry-dsn", (key := chars(random, HEX, 32)), f"SENTRY_DSN=https://{key}@o1.ingest.sentry.io/42"
    yield "mysql", password, f"mysql -u root -p{password}9 -h db app"
    yield "xml", password, f"<password>{password}7</password>"
    yield "python-kwarg", password, f'connect(host="db", user="ada", password="{password}")'


def lookalikes(seed: int) -> Iterator[str]:
    """Lines that hold nothing secret."""
    random = Random(seed)
    yield from PLAIN
    for _ in range(12):
        yield f"commit {chars(random, HEX, 40)}"
        yield f"request_id={uuid.UUID(int=random.getrandbits(128))}"
        yield f'"sessionId":"{uuid.UUID(int=random.getrandbits(128))}","type":"user"'
        yield f"sha256:{chars(random, HEX, 64)}  dist/app-1.2.{random.randrange(90)}.tar.gz"
        yield f'"integrity": "sha512-{_b64(random, 64)}",'
        yield f'<img src="data:image/png;base64,{_b64(random, 90)}">'
        yield f'"usage":{{"input_tokens":{random.randrange(9**6)},"output_tokens":{random.randrange(999)}}}'
        yield f"color: #{chars(random, HEX, 6)}; margin: 0 {random.randrange(99)}px;"
        yield f"/home/ada/project/src/module_{random.randrange(99)}/token_store.py:{random.randrange(999)}: warning"
        yield f"Step {random.randrange(99)}: token count {random.randrange(9999)}, cache_key={chars(random, HEX, 12)}"
        yield f'ETag: "{chars(random, HEX, 32)}"  Last-Modified: Mon, 03 Mar 2025 10:00:00 GMT'
        yield f"toolu_{chars(random, AN, 24)} msg_{chars(random, AN, 24)}"
        yield f"https://host.dev:8443/api/v{random.randrange(9)}/users?page={random.randrange(99)}&sort=name@asc"
        yield f"docker pull ghcr.io/org/app@sha256:{chars(random, HEX, 64)}"


_NAMES = ("password", "token", "api_key", "secret", "client_secret", "access_key")
_STAND_INS = (
    "YOUR_KEY", "<token>", "${VAR}", "$TOKEN", "{{ secret }}", "xxxxxxxxxxxxxxxx", "changeme", "example", "********",
    "None", "null", "os.environ[\"API_TOKEN_2\"]", "getenv(\"TOKEN1\")", "self.config.token", "str", "your-token-here",
    "process.env.API_KEY_V2", "settings.SECRET_KEY", "true", "string", "required", "get_secret(name)", "$(cat file)",
)  # fmt: skip

PLAIN = (
    *(f"{name}={value}" for name in _NAMES for value in _STAND_INS),
    *(f"{name}: {value}" for name in _NAMES[:4] for value in _STAND_INS[:12]),
    "the password is wrong", "The password is required and must be at least 8 characters", "token: 1234 tokens used",
    "max_tokens: 4096", "tokens = tokenizer.encode(text)",
    "def login(password: str, token: str | None = None) -> None:",
    "token: str", "password: Optional[str] = None", "AWS_ACCESS_KEY_ID=AKIA" + "IOSFODNN7EXAMPLE",
    "postgres://user:password@localhost:5432/db", "mongodb://<user>:<password>@host/db",
    "redis://:${REDIS_PASSWORD}@host",
    "Authorization: Bearer <token>", "Authorization: Bearer ${TOKEN}", "Authorization: Bearer YOUR_ACCESS_TOKEN",
    "The Authorization: header is required for authentication requests", "Bearer authentication is used",
    "git clone git@github.com:org/repo.git", "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 ada@host",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA7\n-----END PUBLIC KEY-----",
    "grep -- '-----BEGIN PRIVATE KEY-----' file", "primary_key: user_id", "cache_key = f'{user}:{page}'",
    "for key, value in items.items():", "sort key: created_at_2024", "secretName: db-credentials",
    "secret: my-k8s-secret",
    "password = getpass.getpass('Password: ')", "const token = await getToken();", "api_key = config['api_key']",
    "password=password", "token=token", "if password == confirm_password:", "self.token = token",
    "pwd: /home/ada/work",
    "PWD=/home/ada/project2", "private_key: ~/.ssh/id_ed25519", "private_key=keys/server1.pem", "token_type: bearer",
    "Cookie: theme=dark; lang=en", "we set a cookie to remember you", "docker run -u 1000:1000 image", "ps -u root",
    "token: claude-sonnet-latest", "password: 'Passwort'", '"password": "Enter your password"',
    "sk-learn and sk-spinner-grow",
    "hf_hub_download(repo_id='org/model')", "npm_config_registry", "npm run build --token-file path",
    "pypi-publish action",
    "The secret to good code is naming.", "A token is a unit of text.", "keyboard: key=Enter pressed",
    "key: Ctrl+Shift+P",
    "see https://docs.dev/auth/token#section-2 for details", "Traceback: KeyError: 'api_key'", "token = tokens[0]",
    "password_hash = hash_password(password)", "secret = secrets.token_urlsafe(32)", "access_key = boto.get_key()",
    "TOKEN_LIMIT=200000", "SECRET_BACKEND=vault", "PASSWORD_MIN_LENGTH=12", "--token-limit 4000", "--password-stdin",
    "curl -u $USER:$PASS https://host", "mysql -u root -p", "AKIA", "eyJ", "ghp_", "xoxb-", "sk-...",
    "sk-your-api-key-here",
    "gh" + "p_" + "x" * 36, "sk_" + "test_" + "xxxxxxxxxxxxxxxxxxxxxxxx",
    "AI" + "za" + "_YOUR_API_KEY_GOES_HERE_PLEASE_THANKS",
)  # fmt: skip
