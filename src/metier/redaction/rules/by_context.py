"""The rules that know a secret by what stands around it: headers, addresses, assignments, commands, sentences."""

from __future__ import annotations

from metier.redaction.rules.rule import BREAK, QUOTE, SPACE, Plausibility, RedactionRule

_VALUE = r"(?:[^ \t\r\n\f\v\"'`\\\x00,;<>|]|\\[^ \t\r\n\f\v\"'`\\\x00nrt])+"
_WHOLE = r"(?:[^ \t\r\n\f\v\"'`\\\x00]|\\[^ \t\r\n\f\v\"'`\\\x00nrt])+"
"""A value that ends with its line."""
_QUOTED = (
    r"(?:\"((?:[^\"\\\r\n\x00]|\\[^\r\n\x00])+)\"|'((?:[^'\\\r\n\x00]|\\[^\r\n\x00])+)'"
    r"|\\{0,7}\"([^\"\r\n\x00]+)|\\{0,7}'([^'\r\n\x00]+)|`([^`\r\n\x00]+))"
)
_NAME = (
    r"(?:(?i:passwor[dt]s?|passwd|kennwort|contrase(?:n|\xc3\xb1)a|passphrase|passcode|pwd|[_.-]pass|[_-]pw"
    r"|secret(?:[_ -]?(?:access)?[_ -]?(?:key|token|value))?(?:[_-]?base)?|secrets|token|api[_. -]?key|app[_-]?key"
    r"|access[_ -]?key|auth[_-]?key|account[_-]?key|client[_ -]?secret|private[_ -]?key|[a-z0-9]_key|credentials?"
    r"|[_-]auth|[_-]pat|(?:encryption|signing|master|shared|service|license|storage|session|jwt|hmac|webhook|admin"
    r"|deploy|subscription|integration|server|aes|fernet|role)[_-]?key)|[a-z]Pass|(?:^|[^A-Za-z0-9_-]|\\[nrt])(?:pass|PASS))"
    r"(?i:[_-]?(?:prod|production|dev|test|staging|live|old|new|primary|main|backup|base64|b64|[0-9]{1,2}))?"
)
_AFTER = rf"{QUOTE}?[\])]?\*{{0,2}}{SPACE}"
"""What closes a name."""
_WORDS = "pass kennwort contrase pwd secret token key credential _pw -pw _auth -auth _pat -pat"
_NAMED = tuple(_WORDS.split())
_TYPED = r":[ \t]?[&A-Za-z_][A-Za-z0-9_&'<>|?\[\]. ]{0,30}="
"""A type between name and value: `key: &str =`."""
_MADE = (
    r"(?:String::from|Buffer\.from|base64\.b64decode|atob|bytes|str|(?:new[ \t])?[A-Za-z]{0,12}Secret[A-Za-z]{0,12})"
)
"""What a value is wrapped in."""
_TELLS = r"[ \t](?:is|was|to|of|are|set[ \t]to|is[ \t]now)"
_TOLD = (
    r"(?:secret|token|(?:api|access|auth|secret|private|license|encryption|signing|master|account)[ _-]?key"
    r"|secret_key_base|[a-z0-9]_key|[_-]pat|credentials?)"
)
_WHOSE = r"[\"'`]?(?:[ \t]for[ \t][a-z0-9_@. -]{1,40}?)?"
_WHOSE_IT_IS = "the|my|our|your|a|an|its"
_FIELD = r"[^ \t\r\n:\"'`\x00/+%$({<]"
"""A character of a user's name on a command line."""

_HTTP = (
    RedactionRule(
        name="authorization",
        says="Authorization header: Bearer, Basic, token and other schemes",
        words=("authorization",),
        judge=Plausibility.RANDOM,
        pattern=rf"(?i:authorization){QUOTE}?\]?{SPACE}[:=,>]{{1,2}}{SPACE}{QUOTE}?"
        r"(?i:(?:bearer|basic|token|bot|apikey|api-key|key|negotiate|sso-key|pat|geniekey|splunk)[ \t:=]{1,4}"
        rf"{QUOTE}?|[a-z][a-z0-9_-]{{1,20}}[ \t]{{1,2}})?"
        r"([A-Za-z0-9._~+/=:%-]{8,})",
    ),
    RedactionRule(
        name="bearer",
        says="Bearer token outside a header",
        words=("bearer",),
        judge=Plausibility.RANDOM,
        pattern=rf"(?i:bearer)[ \t:=]{{1,4}}{QUOTE}?([A-Za-z0-9._~+/=-]{{16,}})",
    ),
    RedactionRule(
        name="basic-auth",
        says="Basic credentials outside a header",
        words=("basic",),
        judge=Plausibility.RANDOM,
        pattern=rf"{QUOTE}(?:Basic|basic)[ \t]([A-Za-z0-9+/]{{12,}}={{0,2}})",
    ),
    RedactionRule(
        name="docker-auth",
        says="auth of a registry in Docker's config.json",
        words=("auth",),
        judge=Plausibility.RANDOM,
        pattern=rf"\"auth\\{{0,7}}\"{SPACE}:{SPACE}\\{{0,7}}\"([A-Za-z0-9+/]{{12,}}={{0,2}})\\{{0,7}}\"",
    ),
    RedactionRule(
        name="url-password",
        says="Password in scheme://user:password@host",
        words=("://",),
        judge=Plausibility.URL,
        pattern=r"://([^ \t\r\n\f\v:@/?#\"'`<>\\\x00]*):([^ \t\r\n\f\v@/\"'`<>\\\x00]+)@[A-Za-z0-9_\[$%{]",
    ),
    RedactionRule(
        name="url-token",
        says="Token in scheme://token@host",
        words=("://",),
        judge=Plausibility.RANDOM,
        floor=3.0,
        pattern=r"://(?:([A-Za-z0-9_-]{16,})|([A-Za-z0-9_-]{10,}):x-oauth-basic)@[A-Za-z0-9]",
    ),
    RedactionRule(
        name="oracle-password",
        says="Password in jdbc:oracle:thin:user/password@host and user/password@//host",
        words=("jdbc:oracle", "sqlplus"),
        judge=Plausibility.PASSWORD,
        pattern=r"(?:jdbc:oracle:[a-z]{2,5}:|sqlplus[^\r\n\x00|;]{0,60}?[ \t])[A-Za-z0-9_$#]{1,30}"
        r"/([^ \t\r\n\"'`\\\x00/@]+)@",
    ),
    RedactionRule(
        name="cookie",
        says="Cookie and Set-Cookie headers, curl --cookie",
        words=("cookie", "curl"),
        judge=Plausibility.COOKIE,
        pattern=rf"(?:(?i:cookie){QUOTE}?(?:{SPACE}[:=]{SPACE}|[ \t]{{1,4}})|curl\b[^\r\n\x00]{{0,200}}?[ \t]-b[ \t]?)"
        rf"{QUOTE}?([A-Za-z0-9_.$-]+=[^\r\n\"'`\\\x00]+)",
    ),
    RedactionRule(
        name="session-cookie",
        says="Session cookie by its usual name",
        words=("phpsessid", "jsessionid", "connect.sid", "sessionid"),
        judge=Plausibility.RANDOM,
        pattern=r"(?i:PHPSESSID|JSESSIONID|connect\.sid|ASP\.NET_SessionId|\bsessionid)=([A-Za-z0-9%._~+/-]{16,})",
    ),
)

_ASSIGNED = (
    RedactionRule(
        name="assigned-secret",
        says="password, secret, token, key … = or : a quoted value (code, JSON, YAML, calls)",
        words=_NAMED,
        judge=Plausibility.ASSIGNED,
        pattern=rf"{_NAME}{_AFTER}(?:{_TYPED}|:=|=>|==?|:|,|\(|\|{{1,2}}|\?\?|or[ \t])\*{{0,2}}{SPACE}"
        rf"(?:[bBfFrRuU@]{{0,2}}|{_MADE}\({SPACE}){_QUOTED}",
    ),
    RedactionRule(
        name="assigned-value",
        says="PASSWORD=value, token: value and the like without quotes (env, YAML, INI, query, XML, tables)",
        words=_NAMED,
        judge=Plausibility.ASSIGNED,
        pattern=rf"{_NAME}{_AFTER}(?::=|=>|==?|:|>|&gt;|\||%3[dD])\*{{0,2}}{SPACE}"
        rf"(?:&quot;|&#3[49];)?({_VALUE})",
    ),
    RedactionRule(
        name="assigned-line",
        says="PASSWORD=value that fills its line, with any characters (env, properties)",
        words=_NAMED,
        judge=Plausibility.ASSIGNED,
        pattern=rf"(?:^|[\r\n]|\\[nr]|\xe2\x86\x92|\t)(?:export[ \t]|set[ \t]|ENV[ \t]|[ \t+-]{{1,12}})?"
        rf"[A-Za-z0-9_.-]{{0,40}}{_NAME}{SPACE}[=:]{SPACE}({_WHOLE})(?:[\r\n]|\\[nr]|\\{{0,7}}\"|$)",
    ),
    RedactionRule(
        name="named-value",
        says="name: DB_PASSWORD with value: … behind it (Kubernetes, XML, JSON lists)",
        words=("value:", 'value"', "value'", "value=", "value>", "value\\", "value&"),
        judge=Plausibility.ASSIGNED,
        across=True,
        pattern=rf"(?i:name|key|id|variable){QUOTE}?{SPACE}[:=]{SPACE}{QUOTE}?[A-Za-z0-9_.-]{{0,40}}?{_NAME}"
        rf"{QUOTE}?(?:>[ \t\r\n]{{0,40}}<|,?{BREAK}{{1,40}}){QUOTE}?(?i:value){QUOTE}?"
        rf"[:=>]{SPACE}{QUOTE}?({_VALUE})",
    ),
    RedactionRule(
        name="option-secret",
        says="--password value, --token=value and the like on a command line",
        words=("--", "-storepass", "-keypass", "-password", "-token", "-apikey"),
        judge=Plausibility.ASSIGNED,
        pattern=r"(?i:--[a-z0-9-]{0,24}(?:password|passwd|passphrase|pass|secret|token|key|pat|credential|secret-value)"
        rf"|[ \t]-(?:storepass|keypass|password|token|apikey))(?:=|[ \t]{{1,4}}){QUOTE}?({_VALUE})",
    ),
    RedactionRule(
        name="command-secret",
        says="setx NAME value, secret set NAME --body value, config set name value, ENV NAME value, #define NAME value",
        words=("set", "secret", "env ", "arg ", "#define"),
        judge=Plausibility.ASSIGNED,
        pattern=r"(?:setx|set[ \t]-[a-zA-Z]{1,4}|#define|ENV|ARG"
        r"|(?:secrets?|config|configure|env|variables?|vars?)[ \t:](?:set|add|put))"
        rf"[ \t]{{1,4}}[A-Za-z0-9_.:/@-]{{0,60}}?(?:{_NAME}|pass)[ \t]{{1,4}}"
        rf"(?:(?:--body|--value|-b|-v)[ \t=]{{1,2}})?{QUOTE}?({_VALUE})",
    ),
    RedactionRule(
        name="sql-password",
        says="Password of a database user in SQL (PASSWORD '…', IDENTIFIED BY '…')",
        words=("identified", "password"),
        judge=Plausibility.PASSWORD,
        pattern=r"(?i:identified[ \t]{1,4}(?:with[ \t]{1,4}[a-z0-9_']{1,40}[ \t]{1,4})?by(?:[ \t]{1,4}password)?"
        r"|(?:with|role|user|login|encrypted|set)[ \t][a-z0-9_ \t@'\"%.-]{0,80}?password"
        r"(?:[ \t]for[ \t][a-z0-9_@'%. ]{1,60}?)?)"
        r"[ \t]{0,4}=?[ \t]{0,4}(?:\\{0,7}'([^'\r\n\\\x00]+)|\\{0,7}\"([^\"\r\n\\\x00]+))",
    ),
    RedactionRule(
        name="login-pair",
        says="User and password in a call (auth=(…), HTTPBasicAuth, NetworkCredential)",
        words=("auth", "credential"),
        judge=Plausibility.PASSWORD,
        pattern=r"(?i:auth|networkcredential|credentials?|passwordauthentication)[ \t]?[=:]?[ \t]?[(\[]"
        rf"{SPACE}{QUOTE}[A-Za-z0-9_@.+-]{{1,60}}{QUOTE}{SPACE},{SPACE}{QUOTE}([^\"'`\r\n\\\x00 ]+)\\{{0,7}}[\"'`]",
    ),
    RedactionRule(
        name="password-field",
        says="A password typed into a form (fill, send_keys, value of an input), ConvertTo-SecureString",
        words=("password", "securestring"),
        judge=Plausibility.PASSWORD,
        pattern=r"(?i:password[A-Za-z0-9_\]\\\"') ]{1,12}\."
        rf"(?:fill|type|send_keys|sendkeys|setvalue|set_value)\({SPACE}"
        rf"|type=\\{{0,7}}[\"']password\\{{0,7}}[\"'][^<>\r\n\x00]{{0,120}}?[ \t]value="
        rf"|convertto-securestring[ \t](?:-string[ \t])?){QUOTE}([^\"'`\r\n\\\x00 ]+)",
    ),
    RedactionRule(
        name="stated-secret",
        says="A sentence that tells a password, token or key",
        words=(
            "passw",
            "passphrase",
            "passcode",
            "pwd",
            "_pass",
            "-pass",
            "secret",
            "token",
            "key",
            "credential",
            "_pat",
            "-pat",
        ),
        judge=Plausibility.PROSE,
        pattern=rf"(?i:(?:passwor[dt]|passwd|passphrase|passcode|(?:\b|_)pwd){_WHOSE}(?:{_TELLS})?"
        rf"|(?:[_-]pass|{_TOLD}){_WHOSE}(?:[ \t](?:is|was|to|set[ \t]to|is[ \t]now)|[ \t]{{2,20}})):?"
        rf"[ \t]{{1,24}}{QUOTE}?({_VALUE})",
    ),
    RedactionRule(
        name="stated-setting",
        says="A sentence with the name of a setting in capitals and its value",
        words=("_key", "_token", "_secret", "_pat", "_pass"),
        judge=Plausibility.PROSE,
        pattern=r"[A-Z0-9]_?(?:KEY|TOKEN|SECRET|PAT|PASS|PASSWORD|PASSPHRASE)[ \t][A-Za-z ,]{1,40}?[ \t(\[]{1,2}"
        rf"{QUOTE}?([A-Za-z0-9+/_=.:!@#$%^&*~-]{{8,}})",
    ),
    RedactionRule(
        name="stated-before",
        says="A sentence that tells a value, then that it is the password, token or key",
        words=tuple(f" {verb} {whose} " for verb in ("is", "as", "was") for whose in _WHOSE_IT_IS.split("|")),
        judge=Plausibility.PROSE,
        pattern=rf"(?:^|[ \t\r\n(]|\\n){QUOTE}?([A-Za-z0-9][A-Za-z0-9+/_=.:!@#$%^&*~-]{{7,}}){QUOTE}?"
        rf"[ ](?:is|as|was)[ ](?:{_WHOSE_IT_IS})[ ](?:[A-Za-z0-9_-]{{1,16}}[ \t]){{0,2}}"
        r"(?i:password|passphrase|secret|token|(?:api[ _-]?)?key)",
    ),
    RedactionRule(
        name="stated-login",
        says="credentials: user / password",
        words=("credential", "login", "logins"),
        judge=Plausibility.PROSE,
        pattern=r"(?i:(?:credentials?|logins?)(?:[ \t](?:are|is))?)[:=]?[ \t]{1,2}[A-Za-z0-9_.@+-]{1,60}"
        rf"[ \t]?[/:|,][ \t]?{QUOTE}?({_VALUE})",
    ),
    RedactionRule(
        name="curl-user",
        says="curl, wget or http with -u user:password",
        words=("curl", "http", "wget"),
        judge=Plausibility.URL,
        pattern=r"(?i:curl|https?|wget)\b[^\r\n\x00]{0,200}?[ \t]"
        r"(?:-[A-Za-z]{0,6}[uU]|-a|--user|--proxy-user|--auth)[ \t=]{0,2}"
        rf"{QUOTE}?([$]?{_FIELD}{{0,64}}):{QUOTE}?([^ \t\r\n\"'`\\\x00]+)",
    ),
    RedactionRule(
        name="curl-user-lines",
        says="curl -u user:password over several lines",
        words=("curl",),
        judge=Plausibility.URL,
        across=True,
        pattern=r"(?i:curl)\b(?:[^\r\n\x00\\]|\\[^\x00\r\n]|\\\r?\n){0,400}?(?:\\\r?\n[ \t]{0,16}|[ \t])"
        r"(?:-[A-Za-z]{0,6}[uU]|--user|--proxy-user)[ \t=]{0,2}"
        rf"{QUOTE}?([$]?{_FIELD}{{0,64}}):(?:\\\r?\n[ \t]{{0,16}})?{QUOTE}?([^ \t\r\n\"'`\\\x00]+)",
    ),
    RedactionRule(
        name="client-password",
        says="mysql -p, sshpass -p, redis-cli -a, mongosh -p, docker login -p, sqlcmd -P, openssl pass:",
        words=("mysql", "mariadb", "sshpass", "redis-cli", " login", "mongo", "twine", "sqlcmd", "ldap", "pass:"),
        judge=Plausibility.PASSWORD,
        pattern=r"(?:(?:mysql|mariadb)[a-z]{0,8}\b[^\r\n\x00|;]{0,120}?[ \t]-p|sshpass[ \t]{1,4}-p[ \t]?"
        r"|redis-cli\b[^\r\n\x00|;]{0,80}?[ \t]-a[ \t]{1,4}"
        r"|(?:(?:docker|podman|nerdctl|skopeo|buildah|oras|crane|registry|az|oc|cf)[ \t]login|mongo[a-z]{0,8}|twine)\b"
        r"[^\r\n\x00|;]{0,120}?[ \t]-p[ \t]{1,4}|(?:sqlcmd|bcp)\b[^\r\n\x00|;]{0,120}?[ \t]-P[ \t]{0,4}"
        rf"|ldap[a-z]{{3,8}}\b[^\r\n\x00|;]{{0,160}}?[ \t]-w[ \t]{{1,4}}|[ \t=]pass:){QUOTE}?({_VALUE})",
    ),
    RedactionRule(
        name="chpasswd",
        says="user:password piped into chpasswd",
        words=("chpasswd",),
        judge=Plausibility.URL,
        pattern=rf"[ \t\"'`]({_FIELD}{{1,40}}):([^ \t\r\n\"'`\\\x00|]+){QUOTE}?"
        r"[ \t]{0,4}\|[ \t]{0,4}(?:sudo[ \t]{1,4})?chpasswd",
    ),
    RedactionRule(
        name="netrc",
        says="netrc entry",
        words=("login",),
        judge=Plausibility.PASSWORD,
        across=True,
        pattern=rf"login{BREAK}{{1,8}}([^ \t\r\n\\\x00]{{1,100}}){BREAK}{{1,8}}password[ \t]{{1,8}}({_VALUE})",
    ),
    RedactionRule(
        name="pgpass",
        says="pgpass line",
        words=(":5432:", ":5433:", ":6432:", ":*:"),
        judge=Plausibility.URL,
        pattern=r"(?:^|[^A-Za-z0-9_./:-]|\\[nrt])[A-Za-z0-9_.*-]{1,80}:(?:[0-9]{2,5}|\*):[A-Za-z0-9_*-]{1,60}"
        rf":([A-Za-z0-9_.*@-]{{1,60}}):({_VALUE})",
    ),
    RedactionRule(
        name="wallet-phrase",
        says="Twelve to twenty-four words of a wallet, after their name",
        words=("mnemonic", "phrase"),
        pattern=r"(?i:mnemonic|(?:seed|recovery|secret|backup)[ _-]?phrase)(?:[ \t]is)?"
        rf"{_AFTER}(?::=|[:=])?{SPACE}{QUOTE}?"
        r"([a-z]{3,8}(?:[ \t][a-z]{3,8}){11,23})(?:[^A-Za-z \t]|$)",
    ),
)

FORMS: tuple[RedactionRule, ...] = (*_HTTP, *_ASSIGNED)
"""Forms in the order in which they name a mark."""
