"""Random secrets of many kinds and the lines they stand in; no value here is real. Look-alikes: `lookalike_samples`."""

from __future__ import annotations

import base64
import json
import string
import uuid
from random import Random
from typing import TYPE_CHECKING

from secret_lines import BARE, LINES, SHAPES, nested

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
    "metier-token": ("metier" + "_0f3a9c01b22d_", AN + "_-", 43),
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
    "aws-session-id": lambda r: f"AS{'IA'}{chars(r, UPPER + '234567', 16)}",
    "slack-refresh": lambda r: f"xox{'e'}-1-{chars(r, AN, 140)}",
    "openai-legacy": lambda r: f"s{'k'}-{chars(r, AN, 20)}T3Blbk{'FJ'}{chars(r, AN, 20)}",
    "deepseek": lambda r: f"s{'k'}-{chars(r, HEX, 32)}",
    "google-refresh": lambda r: f"1/{'/0'}{chars(r, URLSAFE, r.randrange(60, 100))}",
    "tailscale": lambda r: f"ts{'key'}-auth-{chars(r, AN, 12)}CNTRL-{chars(r, AN, 32)}",
    "square-token": lambda r: f"EA{'AA'}{chars(r, URLSAFE, 59)}{chars(r, AN, 1)}",
    "facebook": lambda r: f"EA{'A'}{chars(r, AN, r.choice((100, 180)))}",
    "dropbox": lambda r: f"s{'l'}.{chars(r, URLSAFE, 134)}{chars(r, AN, 1)}",
    "artifactory": lambda r: f"AK{'Cp'}{chars(r, AN, 69)}",
    "dynatrace": lambda r: f"dt{'0c01'}.{chars(r, UPPER + '234567', 24)}.{chars(r, UPPER + '234567', 64)}",
    "clojars": lambda r: f"CLO{'JARS'}_{chars(r, LOWER + DIGITS, 60)}",
    "easypost": lambda r: f"EZ{'AK'}{chars(r, AN, 54)}",
    "netlify": lambda r: f"nf{'p'}_{chars(r, AN, 36)}",
    "cerebras": lambda r: f"cs{'k'}-{chars(r, LOWER + DIGITS, 48)}",
    "langsmith": lambda r: f"lsv{'2'}_pt_{chars(r, HEX, 32)}_{chars(r, HEX, 10)}",
    "circleci": lambda r: f"CCI{'PAT'}_{chars(r, AN, 22)}_{chars(r, HEX, 40)}",
    "sonar": lambda r: f"sq{'u'}_{chars(r, HEX, 40)}",
}
KINDS: dict[str, Callable[[Random], str]] = {kind: prefixed(kind) for kind in PREFIXED} | OTHERS
"""Secrets with a shape of their own."""


def password(random: Random) -> str:
    """Passwords as people and generators make them."""
    signs = "!@#$%^&*-_=+?.~"
    makers: tuple[Callable[[], str], ...] = (
        lambda: chars(random, AN, random.randrange(8, 24)) + random.choice(DIGITS),
        lambda: chars(random, AN, 6) + random.choice(signs) + chars(random, AN, 5) + chars(random, DIGITS, 2),
        lambda: chars(random, AN + signs, random.randrange(12, 28)) + random.choice(DIGITS) + random.choice(LOWER),
        lambda: random.choice(("Summer", "Dragon", "Welcome", "Falcon")) + chars(random, DIGITS, 4) + "!",
        lambda: (
            f"{random.choice(('purple', 'rusty'))}-{random.choice(('horse', 'lamp'))}-{random.randrange(2100, 9999)}"
        ),
        lambda: chars(random, HEX, random.choice((16, 24, 32, 40))),
        lambda: _b64(random, random.choice((12, 18, 24))),
    )
    return random.choice(makers)()


def token(random: Random) -> str:
    """A value without a shape of its own."""
    sizes = ((AN, 32), (HEX, 32), (URLSAFE, 40), (AN, 20), (HEX, 64), (AN, 24))
    alphabet, size = random.choice(sizes)
    return random.choice((chars(random, alphabet, size - 1) + random.choice(DIGITS), _uuid(random), _b64(random, 32)))


def _uuid(random: Random) -> str:
    return str(uuid.UUID(int=random.getrandbits(128), version=4))


def _of(alphabet: str, *sizes: int) -> Callable[[Random], str]:
    return lambda random: chars(random, alphabet, random.choice(sizes))


NAMED: dict[str, tuple[str, Callable[[Random], str]]] = {
    "aws-secret": ("AWS_SECRET_ACCESS_KEY aws_secret_access_key SecretAccessKey secretAccessKey", _of(B64, 40)),
    "aws-session": ("AWS_SESSION_TOKEN aws_session_token SessionToken", lambda r: f"IQoJb3JpZ2luX2Vj{_b64(r, 200)}"),
    "datadog": ("DD_API_KEY DATADOG_API_KEY DD_APP_KEY datadog_app_key", _of(HEX, 32, 40)),
    "cloudflare": ("CLOUDFLARE_API_TOKEN CF_API_TOKEN cloudflare_api_key", _of(URLSAFE, 40)),
    "fastly": ("FASTLY_API_TOKEN fastly_api_key", _of(URLSAFE, 32)),
    "cohere": ("COHERE_API_KEY CO_API_KEY", _of(AN, 40)),
    "mistral": ("MISTRAL_API_KEY mistral_api_key", _of(AN, 32)),
    "twilio-auth": ("TWILIO_AUTH_TOKEN twilio_auth_token authToken", _of(HEX, 32)),
    "heroku": ("HEROKU_API_KEY HEROKU_TOKEN", _uuid),
    "algolia": ("ALGOLIA_API_KEY ALGOLIA_ADMIN_KEY", _of(HEX, 32)),
    "okta": ("OKTA_API_TOKEN okta_token", lambda r: "00" + chars(r, URLSAFE, 40)),
    "snyk": ("SNYK_TOKEN CODECOV_TOKEN", _uuid),
    "wandb": ("WANDB_API_KEY wandb_api_key", _of(HEX, 40)),
    "azure-openai": ("AZURE_OPENAI_API_KEY AZURE_OPENAI_KEY", _of(HEX, 32)),
    "azure-devops": ("AZURE_DEVOPS_PAT ADO_PAT AZURE_DEVOPS_EXT_PAT", _of(LOWER + "234567", 52)),
    "azure-storage": ("AZURE_STORAGE_KEY AccountKey azure_storage_account_key", lambda r: _b64(r, 64)),
    "paypal": ("PAYPAL_CLIENT_SECRET PAYPAL_SECRET", lambda r: "E" + chars(r, URLSAFE, 79)),
    "twitter": ("TWITTER_API_SECRET TWITTER_ACCESS_TOKEN_SECRET CONSUMER_SECRET", _of(AN, 45, 50)),
    "confluent": ("CONFLUENT_API_SECRET CONFLUENT_SECRET_KEY", _of(B64, 64)),
    "client-secret": ("CLIENT_SECRET client_secret clientSecret OAUTH_CLIENT_SECRET", token),
    "api-key": ("API_KEY api_key apiKey apikey X_API_KEY MAPS_API_KEY x-api-key subscription_key", token),
    "secret": ("SECRET_KEY APP_SECRET JWT_SECRET jwtSecret SESSION_SECRET secret_key_base WEBHOOK_SECRET", token),
    "token": ("TOKEN access_token accessToken refresh_token AUTH_TOKEN BOT_TOKEN registry_token ci_token", token),
    "key": ("ENCRYPTION_KEY MASTER_KEY SIGNING_KEY RAILS_MASTER_KEY private_key access_key MEILI_MASTER_KEY", token),
    "ethereum-key": ("PRIVATE_KEY private_key", lambda r: "0x" + chars(r, HEX, 64)),
    "laravel": ("APP_KEY", lambda r: "base64:" + _b64(r, 32)),
    "snowflake": ("SNOWFLAKE_PASSWORD", password),
    "password": (
        "PASSWORD password DB_PASSWORD dbPassword passwd POSTGRES_PASSWORD SMTP_PASS DB_PASS smtpPass",
        password,
    ),
    "more-passwords": ("MYSQL_PWD spring.datasource.password KEYSTORE_PASSWORD passphrase PGPASSWORD pass", password),
}
"""Kind -> names of the setting, value without a shape of its own."""


def secrets(seed: int, count: int = 20) -> Iterator[tuple[str, str, str]]:
    """Kind, value and line."""
    random = Random(seed)
    for kind, make in KINDS.items():
        for n in range(count):
            value = make(random)
            line = random.choice(SHAPES)("SERVICE_CREDENTIAL", value) if n % 2 else random.choice(BARE)(value)
            yield kind, value, line
    for kind, (names, make) in NAMED.items():
        for _ in range(count):
            value = make(random)
            yield kind, value, random.choice(SHAPES)(random.choice(names.split()), value)
    for n in range(count):
        for kind, value, line in in_context(random):
            yield kind, value, ("" if n % 2 else "$ ") + line


def in_context(random: Random) -> Iterator[tuple[str, str, str]]:
    """Secrets that only their surroundings give away."""
    word, secret = chars(random, AN, random.randrange(10, 20)) + "7", token(random)
    host = random.choice(("db.internal", "10.0.3.7", "localhost", "pg-1.eu-west-1.rds.amazonaws.com"))
    for kind, lines in LINES.items():
        for text in random.sample(lines, min(2, len(lines))):
            value = word if "{word}" in text else secret
            yield kind, value, text.replace("{word}", word).replace("{token}", secret).replace("{host}", host)
    basic = base64.b64encode(f"ada:{word}".encode()).decode()
    yield "basic", basic, random.choice(("Authorization: Basic {}", '"authorization":"Basic {}"')).format(basic)
    yield "docker-auth", basic, json.dumps({"auths": {"https://index.docker.io/v1/": {"auth": basic}}})
    account = _b64(random, 64)
    yield "account-key", account, f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={account};Suffix=x"
    yield "service-bus", account, f"Endpoint=sb://a.servicebus.windows.net/;SharedAccessKey={account}"
    signature = chars(random, AN, 43) + "%3D"
    yield "sas", signature, f"https://a.blob.core.windows.net/c?sv=2022-11-02&sig={signature}&sp=r"
    key = chars(random, HEX, 32)
    yield "sentry-dsn", key, f"SENTRY_DSN=https://{key}@o1.ingest.sentry.io/42"
    block = pem(random, random.choice(("RSA ", "EC ", "", "OPENSSH ")))
    encoded = base64.b64encode(block.encode()).decode()
    yield "encoded-pem", encoded, random.choice(("client-key-data: {}", "SSH_KEY_B64={}")).format(encoded)
    line = random.choice(block.splitlines()[1:-1])
    numbered = "\n".join(f"{n:6}\t{row}" for n, row in enumerate(block.splitlines(), 1))
    yield "pem", line, random.choice((block, nested({"private_key": block}, 2), numbered, block.replace("\n", "\r\n")))
    phrase = " ".join(chars(random, LOWER, random.randrange(3, 9)) for _ in range(12))
    yield "wallet-phrase", phrase, random.choice(("mnemonic: {}", 'SEED_PHRASE="{}"')).format(phrase)


HOSTILE = (
    "a", "[", " ", "\n", "\t", "\\", '"', "'", '\\"', '\\\\\\"', "A1", "password=", 'password="a ', 'password="',
    "key=", "password is ", "--password ",
    "token=", "token=" * 170 + " ", 'api_key: "', "://a:", "://a:b", "://a:b@", "eyJ",
    "sk-", "-----BEGIN", "-----BEGIN PRIVATE " + "KEY-----", "authorization: ", "cookie: a=", "login a password ",
    "curl -u ", "PuTTY-User-Key-File-2 ", "aws_key_", "name: token\n value: ", "set a password for a ", "[REDACTED:",
    "password=]",
)  # fmt: skip
"""Pieces whose repetition is made to cost time."""
