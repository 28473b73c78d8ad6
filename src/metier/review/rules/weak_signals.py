"""Signs that say little alone and much together, and claims of a document that its programs may break."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.shared_patterns import ADDRESS, DROP_HOST, KEY_FILE, PASTE_HOST

ENOUGH = 4
"""Different signs in the programs of one package that are a finding together."""
SIGNS: dict[str, str] = {
    "a place of keys": KEY_FILE,
    "a key that is shown": r"\becho +[\"']?\$\{?(?:env:)?\w*(?:API_KEY|TOKEN|SECRET|PASSWORD)\b|\bprint\(\s*(?:\w*(?:token|secret|password|api_key)\w*)\s*\)|console\.log\(process\.env",
    "all of the environment": r"os\.environ\.(?:items|copy)\(|dict\(os\.environ|Object\.(?:entries|keys)\(process\.env|stringify\(process\.env|\bprintenv\b|\benv *\|",
    "decoding": r"base64 +(?:-d|-D|--decode)|b64decode\(|\batob\(|bytes\.fromhex\(|FromBase64String|Buffer\.from\([^)\n]{0,80}[\"'](?:base64|hex)[\"']",
    "errors that nobody sees": r"except(?: \w+)?:\s*(?:pass|continue|return)\b|>/dev/null 2>&1|2>/dev/null|&>/dev/null|\.catch\(\(\) *=> *\{? *\}?\)|catch *(?:\(\w*\))? *\{ *\}",
    "work that goes on unseen": r"\bnohup\b|\bdaemon *= *True|\bdetached: *true|-WindowStyle +Hidden|\bsetsid\b|\bdisown\b|threading\.Thread\([^)\n]{0,80}daemon",
    "a bare address": ADDRESS,
    "a host for anything": f"{DROP_HOST}|{PASTE_HOST}",
    "a cheap host": r"https?://[\w.-]+\.(?:xyz|top|click|buzz|lol|icu|tk|ml|cf|ga|pw|cc|ws|rest|quest|bond|cfd|sbs|monster|zip|mov)\b",
    "traffic without a check": r"verify *= *False|--insecure\b|\bcurl\b[^\n]{0,60} -k\b|NODE_TLS_REJECT_UNAUTHORIZED|rejectUnauthorized: *false|CERT_NONE|_create_unverified_context",
    "a shell": r"shell *= *True|os\.system\(|os\.popen\(|child_process|\bexecSync\(|\beval +[\"'$]|\bInvoke-Expression\b|Command::new\([\"'](?:ba)?sh",
    "text run as a program": r"(?:^|[^.\w])(?:eval|exec)\([^)\n'\"]|\bnew Function\(|\bpickle\.loads?\(|\bmarshal\.loads\(|__import__\(",
    "something sent": r"requests\.(?:post|put)\(|\burlopen\([^\n]{0,80}data|\bcurl\b[^\n]{0,160}?(?: -d\b|--data| -F\b| -T\b|-X *POST)|method: *[\"']POST|\.sendall\(|http\.client\.HTTPS?Connection|axios\.post\(|reqwest::|TcpStream::connect|socket\.create_connection|\.connect\(\(",
    "who and where": r"gethostname\(|os\.hostname\(|\bwhoami\b|getpass\.getuser|os\.getlogin|os\.userInfo|platform\.node\(|\buname -a\b|\bifconfig\b|/etc/passwd",
    "a start by itself": r"\bcrontab\b|LaunchAgents|systemctl (?:--user )?enable|\.(?:bashrc|zshrc|profile|bash_profile)\b|schtasks|CurrentVersion\\+Run|@reboot",
    "rights": r"\bchmod (?:-R )?0?777\b|\bsudo\b|\bsetuid\b|chmod \+s|NOPASSWD",
    "a hidden place": r"/tmp/\.\w|/var/tmp/\.|~/\.cache/\.\w|/dev/shm/|\$HOME/\.\w+/\.\w+",  # noqa: S108 - looked for, not used
    "deleting": r"\brm -rf? +[\"']?(?:/|~|\$HOME)|shutil\.rmtree\([^)\n]{0,40}(?:home|expanduser)|fs::remove_dir_all|\bshred\b|history -c|unset HISTFILE",
}
"""Each a thing that honest programs do now and then."""
NO_NETWORK = r"\b(?:no|without(?: any)?|never (?:makes?|uses?)|does(?: not|n'?t) (?:make|use|need|require|access)) (?:any )?(?:network|internet)(?: (?:access|calls?|requests?|connections?))?\b|\b(?:works?|runs?|fully|completely|100 ?%) (?:entirely )?(?:offline|locally)\b|\b(?:no data|nothing|your (?:data|files|code)|data) (?:ever )?(?:is (?:ever )?(?:sent|uploaded|transmitted)|leaves?|never leaves?|stays? (?:local|on))\b|\bread-only\b|\b(?:does|do) not (?:modify|change|write|send|upload|transmit)\b|\ball (?:operations|processing) (?:are|is|happens?) (?:read-only|local\w*)\b|\bstored locally\b|\bdisplayed locally\b"
"""What a document says when nothing is to leave the machine."""
ONLY_READS = r"(?m)^(?:permissions|allowed[-_]tools|capabilities)\s*:\s*(?:\[\s*)?(?:\n\s*)?(?:-\s*)?[\"']?(?:read(?:[:_-]?\w+)?|Read|Grep|Glob|none)[\"']?(?:\s*[,\n]\s*(?:-\s*)?[\"']?(?:read(?:[:_-]?\w+)?|Read|Grep|Glob|LS)[\"']?)*\s*\]?\s*(?:\n[a-zA-Z_-]+\s*:|\n---|\z)"
"""A list of rights with nothing in it but reading."""
ACTS = r"requests\.(?:post|put|delete|patch)\(|urlopen\(|\bcurl\b|\bwget\b|axios\.|fetch\(|socket\.|subprocess\.|os\.system\(|os\.popen\(|child_process|shutil\.rmtree|os\.remove\(|os\.unlink\(|\brm -r|fs\.(?:unlink|rm|writeFile)|smtplib|paramiko|\bexec\("
"""More than reading."""
MAKERS_KEY = r"\b(ANTHROPIC|OPENAI|AWS|GITHUB|GITLAB|SLACK|STRIPE|GOOGLE|GEMINI|AZURE|DISCORD|TELEGRAM|NPM|PYPI|HF|HUGGINGFACE|CLOUDFLARE|VERCEL|SUPABASE|BINANCE|COINBASE|NOTION)_(?:\w+_)?(?:API_KEY|ACCESS_KEY\w*|SECRET\w*|TOKEN|KEY|PASSWORD)\b"
"""The key of a well-known service, by its maker."""
ACCOUNT_KEY = r"(?:environ|getenv|process\.env|ENV)\W{0,8}(?:get\W{1,3})?\w*(?:PASSWORD|PASSWD|PRIVATE_KEY|SECRET_ACCESS_KEY|MNEMONIC|SEED_PHRASE)\b"
"""A key that is a whole account."""
