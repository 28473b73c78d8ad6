"""Patterns that several rules are built from: places of secrets, ways out of the machine, hosts that take anything."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

KEY_FILE = (
    r"(?:(?:~|\$\{?HOME\}?|/home/[\w.-]+|/Users/[\w.-]+|/root|%USERPROFILE%|\$env:USERPROFILE|expanduser\(|homedir\(\))"
    r"[^\s|;&]{0,40}?"
    r"(?:\.ssh\b|\.aws/|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.gnupg|\.kube/config|\.docker/config"
    r"|\.config/(?:gcloud|gh/|solana|openclaw|op/)|\.azure|\.clawdbot|\.openclaw|\.moltbot|\.claude/\.credentials"
    r"|\.claude\.json|\.codex/auth|\.bash_history|\.zsh_history|\.password-store|\.env\b|Library/Keychains"
    r"|\.mozilla|google-chrome|\.electrum|\.bitcoin|\.ethereum|Exodus))"
    r"|\bid_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws/credentials|\.ssh/(?:id_|\*)|/etc/shadow|wallet\.dat|\.git-credentials"
    r"|application_default_credentials|Login Data\b|cookies\.sqlite|logins\.json|key4\.db|Local State\b"
    r"|\bauth-profiles\.json|\.clawdbot/|\.openclaw/(?:\.env|credentials|openclaw\.json)"
)
ENV_FILE = r"(?:cat|cp|open|read\w*|grep|source|base64|tar|zip|upload|type|@)\W{1,6}[^\s|;&]{0,40}\.env\b"
ENV_DUMP = (
    r"\bprintenv\b(?: *[|>)\"`]|$)|(?:^|[\s(`|;&])env *(?:\||>|\))|\$\(env\)|`env`|\bset *\| *(?:curl|base64|nc)"
    r"|dict\(os\.environ|os\.environ\.(?:items|copy)\(|json\.dumps\((?:dict\()?os\.environ|str\(os\.environ"
    r"|(?:stringify|entries|keys)\(process\.env\)|\.\.\.process\.env|body: *process\.env|data=os\.environ\b"
    r"|(?:Get-ChildItem|gci|dir|ls) +env:|/proc/self/environ|/proc/\*/environ"
)
KEY_COMMAND = (
    r"\bgh auth token|security (?:find-generic-password|find-internet-password|dump-keychain)|gcloud auth print-access"
    r"|aws configure (?:get|export)|\bop (?:read|item get)|secret-tool lookup|cmdkey /list|vaultcmd|git credential fill"
    r"|az account get-access-token|kubectl get secrets?\b"
)
UPLOAD = (
    r"\bcurl\b[^\n;&]{0,160}?(?:\s-(?:d|F|T)\b|\s-(?:d|F|T)@?['\"$@]|--data|--form|--upload-file|-X *['\"]?(?:POST|PUT)|--json\b)"
    r"|\bwget\b[^\n;&]{0,120}?--(?:post|body|method)"
    r"|(?:requests|httpx|session|client|aiohttp|axios|got|http|https|urllib3?|superagent)\.(?:post|put|request|urlopen)\("
    r"|urllib\.request\.(?:Request|urlopen)\([^\n]{0,120}?data|urlopen\([^\n]{0,60}data="
    r"|fetch\([^;]{0,200}?method['\"]?: *['\"](?:POST|PUT)|XMLHttpRequest|sendBeacon\("
    r"|(?:Invoke-WebRequest|Invoke-RestMethod|iwr|irm)\b[^\n]{0,120}?-(?:Method +(?:POST|PUT)|Body|InFile)"
    r"|\.Upload(?:String|File|Data)\(|\b(?:nc|ncat|netcat)\b(?: -\w+)* +[\w.-]+\.[\w.-]+ +\d{2,5}|> */dev/(?:tcp|udp)/"
    r"|\bscp\b[^\n]{0,100}? [\w.-]+@[\w.-]+:|\brsync\b[^\n]{0,100}? [\w.-]+@?[\w.-]+:|\bsftp\b|ftp\.storbinary"
    r"|smtplib\.|sendmail\(|\bmail -s\b|socket\.(?:send|sendall|sendto)\(|\.sendall\(|http\.client\.HTTPS?Connection\("
    r"|\bcurl\b[^\n;&]{0,120}?https?://[^\s'\"]{0,120}?[?&/=][^\s'\"]{0,40}?(?:\$\(|`|\$\{?\w)"
    r"|new Image\(\)\.src|aws s3 (?:cp|sync) [^\n]{0,80}s3://|\bgh gist create\b|rclone (?:copy|sync)"
)
DROP_HOST = (
    r"\bwebhook\.site|requestbin\.|\.m\.pipedream\.net|pipedream\.net|\.ngrok(?:-free)?\.(?:app|io|dev)|\boast(?:ify)?\.\w+"
    r"|\.oast\.|interact\.sh|burpcollaborator|beeceptor\.com|requestcatcher\.com|\bbore\.pub|\.loca\.lt|serveo\.net"
    r"|trycloudflare\.com|discord(?:app)?\.com/api/webhooks|api\.telegram\.org/bot|\btransfer\.sh|\bfile\.io\b|\b0x0\.st"
    r"|gofile\.io|anonfiles|catbox\.moe|hookb\.in|webhook-test\.com|typedwebhook|postb\.in|mockbin\.|dnslog\.|ceye\.io"
    r"|canarytokens|smee\.io|hookdeck|rentry\.|pastebin\.com/api|termbin\.com|[a-z0-9]{10,}\.onion|requestrepo\.com"
)
PASTE_HOST = (
    r"glot\.io|rentry\.(?:co|org)|pastebin\.com|paste\.ee|hastebin|ghostbin|controlc\.com|dpaste|justpaste\.it|telegra\.ph"
    r"|ix\.io|sprunge\.us|termbin\.com|0x0\.st|transfer\.sh|paste\.rs|bpa\.st|privatebin|pastes\.io|cl1p\.net|codeshare\.io"
    r"|gist\.githubusercontent\.com|gist\.github\.com|textbin\.|notes\.io|write\.as|docs\.google\.com/document"
    r"|cdn\.discordapp\.com|dropbox\.com/s/|mega\.nz|mediafire\.com|bit\.ly|tinyurl\.com|is\.gd|t\.ly|cutt\.ly|rb\.gy|goo\.su"
)
ADDRESS = r"https?://(?:\d{1,3}\.){3}\d{1,3}"
LOCAL = (
    r"://(?:127\.|10\.|0\.0\.0\.0|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|localhost|1\.1\.1\.1|8\.8\.[48]\."
    r"|1\.2\.3\.4|100\.100\.)"
)
SENSITIVE = (
    r"(?:credentials?|passwords?|passphrases?|api[ _-]?keys?|secrets?|(?:access|auth|session|bearer|oauth|refresh) tokens?"
    r"|private keys?|ssh keys?|seed phrases?|recovery phrases?|mnemonics?|env(?:ironment)? (?:variables?|vars?)|\.env\b"
    r"|cookies|keychain|wallet (?:files?|keys?)|\b[A-Z]{2,}_(?:API_)?(?:KEY|TOKEN|SECRET)\b|tokens?\b)"
)
TALK = (
    r"(?:(?:entire |full |whole |complete |current |recent )?(?:conversation|chat|message|session|prompt)s?"
    r"(?: (?:history|context|content|contents|log|logs|transcript|data|text|inputs?))?"
    r"|(?:user|human)(?:'?s)? (?:messages?|inputs?|prompts?|data|files?|queries|query|requests?|documents?|information|responses?)"
    r"|source code|(?:file|document|repository|repo|code|codebase|project|workspace) contents?|clipboard|system prompt"
    r"|personal (?:data|information|details)|pii\b|all (?:code|files|documents))"
)
RUN_VERB = r"(?:run|running|execut(?:e|es|ing)|paste|launch|start|invoke|install|source|eval)"
HIDE = (
    r"(?:silently|secretly|quietly|covertly|discreetly|stealthily|invisibly|behind the scenes|in the background"
    r"|without (?:telling|informing|notifying|alerting|asking|mentioning|showing|the user|any|user|disclos\w+|drawing|logging)"
    r"|(?:do not|don'?t|never|must not|should not|avoid) (?:tell|inform|notify|mention|show|reveal|disclose|display|alert"
    r"|report|log|surface|acknowledge)\w*|unnoticed|undetected|hidden from|no (?:visible )?(?:output|trace|notification))"
)
GIVE = (
    r"\b(?:send|upload|post|transmit|forward|exfiltrate|submit|relay|leak|e-?mail|sync|ship|beacon|push|deliver|mirror|stream"
    r"|report|pass|copy|log|write|save|dump|ping|curl)(?:s|es|ing|ed)?\b"
)
"""How data leaves."""
PRIVATE = (
    r"\b(?:conversations?|chat|dialog(?:ue)?|session|message) (?:history|histories|context|contents?|logs?|transcripts?|so far|data)\b"
    r"|\b(?:entire|full|whole|complete|all(?: of the)?|every) (?:\w+ )?(?:conversations?|chats?|dialog(?:ue)?s?|transcripts?|user (?:messages?|inputs?|prompts?))\b"
    r"|\b(?:user|human|person)(?:'s|s'|s)? (?:\w+ )?(?:inputs?|prompts?|queries|questions|messages|files|secrets|transcripts?)\b"
    r"|\btheir (?:inputs?|prompts?|messages|files)\b|\b(?:everything|whatever|what) the (?:user|human|person) (?:says|types|writes|asks|enters|sends)\b"
    r"|\bsystem prompt\b|\bclipboard\b|\bkeystrokes?\b|\ball previous exchanges\b"
)
"""What a person has said to the agent."""
SECRETS = (
    r"(?:credentials|passwords|passphrases|api[ _-]?keys|secrets|(?:access|auth|bearer|session|oauth|refresh) tokens?|private keys?|ssh keys?"
    r"|seed phrases?|recovery phrases?|environment variables|env vars|\.env\b|cookies)"
)
KEY_PLACE = (
    r"(?:~|\$HOME|/home/\w+|/Users/\w+|/root)/\.(?:ssh|aws|gnupg|kube|netrc|npmrc|pypirc|git-credentials|docker|config/(?:gcloud|gh)|openclaw|clawdbot|cursor/mcp\.json|mcp\.json)"
    r"|\bid_(?:rsa|ed25519|ecdsa)\b|\.aws/credentials|/etc/shadow|/proc/self/environ|\bwallet\.dat\b|\bkeychain\b|(?:the|any|all|every|user'?s) \.env\b"
)
"""Files of keys, as prose names them."""
TARGET = (
    r"https?://|\b[\w.+-]+@[\w-]+\.[a-z]{2,}\b|\bwebhook\b|\b(?:external|remote|third[- ]party|attacker\w*|collection|collector|audit(?:ing)?|telemetry|analytics"
    r"|logging|monitoring|central|our|my|configured|command|backup)[- ](?:\w+[- ])?(?:server|endpoint|api|service|url|host|domain|address|account|bucket|channel|tool)\b"
)
"""Where data goes."""
NOT_SO = (
    r"\b(?:do not|don'?t|never|must not|should not|shouldn'?t|avoid|cannot|can'?t|won'?t|without (?:ever )?sending|instead of|rather than|refuse to|prevents?"
    r"|not (?:be )?(?:sent|uploaded|shared|logged|sends?|uploads?|shares?|transmit\w*|includ\w*)|no longer|forbid\w*|prohibit\w*|attackers? (?:can|could|may|might)|malicious)\b|❌"
)
"""Words that turn an order into its opposite, or into a warning."""
