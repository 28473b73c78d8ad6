"""Lines of transcripts in which secrets stand: shell, JSON in JSON, YAML, headers, addresses, code, Markdown, prose."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def _code(name: str) -> str:
    return name.replace("-", "_").replace(".", "_")


def nested(value: object, depth: int) -> str:
    """JSON as text inside JSON, so many levels deep."""
    return json.dumps(value if depth == 0 else {"type": "tool_result", "content": nested(value, depth - 1)})


SHAPES: tuple[Callable[[str, str], str], ...] = (
    lambda name, value: f"export {name}={value}",
    lambda name, value: f'{name}="{value}"',
    lambda name, value: f"PORT=8080\n{name}={value}\nDEBUG=false",
    lambda name, value: f"PORT=8080\r\n{name}={value}\r\nDEBUG=false\r\n",
    lambda name, value: json.dumps({"user": "ada", name: value, "port": 5432}),
    lambda name, value: json.dumps({"user": "ada", "cfg": {name: value, "port": 5432}}, indent=2),
    lambda name, value: json.dumps({name: value}, separators=(",", ":")),
    lambda name, value: nested({name: value, "ok": True}, 1),
    lambda name, value: nested({name: value, "ok": True}, 2),
    lambda name, value: nested(f"a = 1\n{name} = '{value}'\nb = 2\n", 1),
    lambda name, value: nested(f'a = 1\n{name} = "{value}"\nb = 2\n', 2),
    lambda name, value: json.dumps({"name": "Bash", "input": {"command": f"export {name}={value} && ./run.sh"}}),
    lambda name, value: json.dumps({"content": f"PORT=1\r\n{name}={value}\r\nX=2\r\n"}),
    lambda name, value: json.dumps({"old_string": f'{name}=""', "new_string": f'{name}="{value}"'}),
    lambda name, value: json.dumps([{"name": name, "value": value}]),
    lambda name, value: json.dumps({"Env": ["PATH=/bin", f"{name}={value}", "LANG=C"]}),
    lambda name, value: repr({"stdout": f"{name}={value}\n", "code": 0}),
    lambda name, value: f"service:\n  {name}: {value}\n  retries: 3",
    lambda name, value: f'service:\n  {name}: "{value}"\n  retries: 3',
    lambda name, value: f"    environment:\n      - {name}={value}\n      - DEBUG=1",
    lambda name, value: f"        - name: {name}\n          value: {value}\n        - name: PORT",
    lambda name, value: f'        - name: {name}\n          value: "{value}"\n',
    lambda name, value: f'[auth]\n{name} = "{value}"  # production',
    lambda name, value: f"[default]\n{name} = {value}\nregion = eu-west-1",
    lambda name, value: f"2025-03-01 12:00:01 INFO starting with {name}={value} on port 8080",
    lambda name, value: f'    client = Client(host="db", {_code(name)}="{value}")',
    lambda name, value: f'os.environ["{name}"] = "{value}"',
    lambda name, value: f"cfg = {{'{name}': '{value}', 'retries': 3}}",
    lambda name, value: f"const {_code(name)}: string = '{value}';",
    lambda name, value: f"process.env.{_code(name)} = `{value}`",
    lambda name, value: f'\t{_code(name)} := "{value}"',
    lambda name, value: f'os.Setenv("{name}", "{value}")',
    lambda name, value: f'private static final String {_code(name)} = "{value}";',
    lambda name, value: f'const {_code(name)}: &str = "{value}";',
    lambda name, value: f'std::string {_code(name)} = "{value}";',
    lambda name, value: f'#define {_code(name)} "{value}"',
    lambda name, value: f"define('{name}', '{value}');",
    lambda name, value: f"    '{name}' => '{value}',",
    lambda name, value: f'val {_code(name)} = "{value}"',
    lambda name, value: f"ENV {name}={value}",
    lambda name, value: f"ENV {name} {value}",
    lambda name, value: f"docker run -d -e {name}={value} -p 80:80 app:latest",
    lambda name, value: f"docker build --build-arg {name}={value} .",
    lambda name, value: f"$ {name}={value} python manage.py migrate",
    lambda name, value: f'$env:{_code(name)} = "{value}"',
    lambda name, value: f'setx {name} "{value}"',
    lambda name, value: f"<{name}>{value}</{name}>",
    lambda name, value: f'<add key="{name}" value="{value}" />',
    lambda name, value: f"- **{name}**: `{value}`",
    lambda name, value: f"| `{name}` | `{value}` | production |",
    lambda name, value: f"| {name} | {value} |",
    lambda name, value: json.dumps({"text": f'Run:\n```bash\nexport {name}="{value}"\n```\nthen go'}),
    lambda name, value: f"+{name}={value}",
    lambda name, value: f"config/.env:12:{name}={value}",
    lambda name, value: f"     7\u2192{name}={value}",
    lambda name, value: f'gh secret set {name} --body "{value}"',
    lambda name, value: f"I set {name} to {value} in the environment.",
    lambda name, value: f"helm install app ./chart --set {name}={value}",
    lambda name, value: f"curl -d '{json.dumps({name: value})}' https://api.acme.io/login",
    lambda name, value: f"1. Set `{name}` to `{value}`\n2. Restart",
    lambda name, value: f'<setting name="{name}"><value>{value}</value></setting>',
    lambda name, value: f'let {_code(name)} = String::from("{value}");',
    lambda name, value: f"const key = process.env.{_code(name)} || '{value}';",
    lambda name, value: f"Config(host='db', {_code(name)}='{value}', port=5432)",
    lambda name, value: f"{{&quot;{name}&quot;:&quot;{value}&quot;}}",
    lambda name, value: f"cat > .env <<EOF\n{name}={value}\nEOF",
)
"""Lines that give a secret's name."""
BARE: tuple[Callable[[str], str], ...] = (
    lambda value: f"curl -s https://api.service.dev/v1/items -H 'X-Auth: {value}' | jq .",
    lambda value: f"GET / HTTP/1.1\r\nHost: x.io\r\nAuthorization: Bearer {value}\r\n\r\n",
    lambda value: f"Sure, I used {value} to log in, and it worked.",
    lambda value: f"The key ({value}) leaked. Is it {value}?",
    lambda value: f'client = Client("{value}", timeout=3)',
    lambda value: f"line one\\n{value}\\nline three",
    lambda value: f"line one\\\\n{value}\\\\nline three",
    lambda value: nested(f"1\t{value}\n2\tx", 1),
    lambda value: f"ok\r\n{value}\r\n$ ",
    lambda value: nested(["a", value], 2),
    lambda value: f"`{value}`",
    lambda value: f"<td>{value}</td>",
    lambda value: f"| {value} |",
    lambda value: f"src/app.py:12:{value}",
    lambda value: f"\x1b[32m{value}\x1b[0m",
    lambda value: f"\u2192{value}\u2190",
    lambda value: f"a,{value},b;{value};c",
    lambda value: f"x={value}",
    lambda value: f"{value}\n",
)
"""Lines for secrets that need no name."""


LINES: dict[str, tuple[str, ...]] = {
    "bearer": (
        "curl -H 'Authorization: Bearer {token}' https://api.service.dev",
        'headers = {"Authorization": "token {token}"}',
        'req.Header.Set("Authorization", "Bearer {token}")',
        "> authorization: bearer {token}\r\n",
        '{"h": "{\\"Authorization\\": \\"Bearer {token}\\"}"}',
    ),
    "header-key": (
        "X-API-Key: {token}", "-H 'X-Auth-Token: {token}'", '"X-Api-Key": "{token}"', "PRIVATE-TOKEN: {token}",
        "x-goog-api-key: {token}", "Ocp-Apim-Subscription-Key: {token}", "DD-API-KEY: {token}\r\n",
    ),
    "url": (
        "DATABASE_URL=postgresql://ada:{word}@{host}:5432/app", '"url": "mongodb+srv://ada:{word}@{host}/app"',
        "psql 'postgres://ada:{word}@{host}/app?sslmode=require'", "git clone https://ada:{word}@git.acme.io/o/r.git",
        '{"u": "{\\"url\\": \\"mysql://root:{word}@{host}:3306/a\\"}"}', "amqp://ada:{word}@{host}/%2f",
        "redis://:{word}@{host}:6379/0", "https://{word}:x-oauth-basic@github.com/o/r",
    ),
    "connection": (
        "jdbc:mysql://{host}/a?user=ada&password={word}", "Data Source={host};uid=ada;pwd={word};",
        "Server={host};Database=a;User Id=ada;Password={word};Encrypt=true",
        "jdbc:oracle:thin:ada/{word}@{host}:1521:x",
        "host={host} port=5432 user=ada password={word} sslmode=require",
    ),
    "curl-user": (
        "curl -u ada:{word} https://host.dev/x", "curl --user 'ada:{word}' https://h", "http -a ada:{word} h",
    ),
    "command": (
        "mysql -u root -p{word} -h db app", "sshpass -p '{word}' scp x y:", "redis-cli -h {host} -a {word} ping",
        "docker login -u ada -p {word} ghcr.io", "PGPASSWORD={word} psql -h {host}", "mongosh -u ada -p {word} x",
        "openssl rsa -in k -passin pass:{word}", "gpg --batch --passphrase {word} -d f",
        "keytool -list -storepass {word} -keystore x", "twine upload -u __token__ -p {word} dist/*",
        "kubectl create secret generic db --from-literal=password={word}", "echo 'ada:{word}' | chpasswd",
        "helm login --username ada --password {word} registry.dev", "createuser --login --password={word} ada",
    ),
    "option": ("vercel --token={token} deploy", "tool --api-key '{token}' run", "app --client-secret {token}"),
    "cookie": (
        "Cookie: theme=dark; session={token}", "Set-Cookie: sid={token}; Path=/; HttpOnly",
        "curl -b 'session={token}' https://x",
    ),
    "netrc": ("machine {host}\n  login ada\n  password {word}", "machine {host} login ada password {word}"),
    "pgpass": ("{host}:5432:app:ada:{word}",),
    "npmrc": ("//registry.npmjs.org/:_authToken={token}", '{"c": "a=b\\n//x/:_authToken={token}\\n"}'),
    "sql": (
        "CREATE USER ada WITH PASSWORD '{word}';", "CREATE USER 'ada'@'%' IDENTIFIED BY '{word}';",
        "ALTER ROLE ada PASSWORD '{word}'", "SET PASSWORD FOR ada = '{word}'",
    ),
    "prose": (
        "By the way, the password is {word}.", "user: ada / password: {word}", "the api key is {token}",
        "login with ada and password {word}", "Password for ada: {word}", "credentials: ada / {word}",
    ),
    "code": (
        'connect(host="db", user="ada", password="{word}")', 'requests.get(u, auth=("ada", "{word}"))',
        'new NetworkCredential("ada", "{word}")', 'ConvertTo-SecureString "{word}" -AsPlainText -Force',
        'page.fill("#password", "{word}")', 'page.getByLabel("Password").fill("{word}")', 'setPassword("{word}")',
        '<input type="password" value="{word}">',
    ),
}  # fmt: skip
"""Kind -> lines; `{word}` is a password, `{token}` a value without a shape."""
