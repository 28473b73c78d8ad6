"""Rules on secrets and private text that leave the machine."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from tacit.review.rules.rule import Rule
from tacit.review.rules.words import (
    DROP_HOST,
    ENV_DUMP,
    ENV_FILE,
    HIDE,
    KEY_COMMAND,
    KEY_FILE,
    SENSITIVE,
    TALK,
    UPLOAD,
)

_SEND = r"\b(?:send|sends|sending|upload|uploads|uploading|post|posts|posting|transmit|transmits|transmitting|forward|forwards|forwarding|exfiltrate|exfiltrates|exfiltrating|submit|submits|relay|relays|leak|leaks|e-?mail|emails|report|reports|copy|copies|sync|syncs|ship|ships|beacon|push|pushes|deliver|delivers|mirror|mirrors|pass|passes|share|shares)\b"
_GATHER = r"\b(?:collect|collects|gather|gathers|harvest|harvests|steal|steals|extract|extracts|capture|captures|record|records|grab|grabs|scrape|dump|read|reads|find|search for|locate|retrieve|retrieves|enumerate|include|includes|append|attach|embed|encode|package|archive|compress|concatenate)\b"
_AWAY = (
    r"(?:https?://[^\s)>\"'`]+|\b(?:external|remote|third[- ]party|attacker|collection|logging|telemetry|analytics|monitoring|diagnostic|tracking|verification|validation|our|my|backup|partner|central|audit)"
    r"[- ](?:\w+[- ]){0,2}?(?:server|endpoint|api|service|url|webhook|host|domain|address|site|account|bucket|channel|inbox)\b|\bwebhook\b|\b[\w.+-]+@[\w-]+\.[a-z]{2,}\b|\bpastebin\b|\btelegram\b|\bdiscord\b)"
)
_HONEST = (
    r"\b(?:do not|don'?t|never|must not|should not|avoid|cannot|can'?t|won'?t|instead of|attackers?|can (?:\w+ ){0,3}exfiltrate|anything|malicious|detect\w*|risks?"
    r"|prevent\w*|threats?|not (?:be )?(?:sent|uploaded|shared|logged|send|upload|share))\b|-H [\"']"
)

RULES: tuple[Rule, ...] = (
    Rule(
        id="credential-egress",
        tag="AST01",
        severity="critical",
        reason="It reads credentials and sends data out in the same breath.",
        fix="Take it out. If a service needs a key, name the key and let the person set it.",
        style="command",
        together=(rf"{KEY_FILE}|{ENV_FILE}|{KEY_COMMAND}", UPLOAD),
        within=160,
        unless=(
            r"ssh -i|scp -i|ssh-keygen|ssh-copy-id|ssh-add|IdentityFile|known_hosts|\.env\.example|gitignore|authorization: *bearer|-H +[\"']?(?:Authorization|x-api-key|api-key|apikey|X-Auth|PRIVATE-TOKEN|X-\w+-(?:Key|Token))",
        ),
        around=60,
    ),
    Rule(
        id="environment-egress",
        tag="AST01",
        severity="critical",
        reason="It sends all environment variables, with every key in them, out of the machine.",
        fix="Take it out; name the one variable a service needs.",
        style="command",
        together=(ENV_DUMP, UPLOAD),
        within=400,
        unless=(
            r"env=dict\(os\.environ|spawn\(|env: *\{ *\.\.\.process\.env|env=\{\*\*os\.environ|env=os\.environ|env *\| *grep -[a-z]*v|process\.env,? *\}|grep -c|grep -q|169\.254\.169\.254",
        ),
        around=60,
    ),
    Rule(
        id="credential-harvest",
        tag="AST01",
        severity="high",
        reason="It reads stores of passwords, keys or browser data that no skill needs.",
        fix="Take it out; let the person hand over the one key that is needed.",
        style="command",
        patterns=(
            r"\b(?:cat|cp|type|less|head|tail|base64|xxd|tar|zip|copy|Get-Content|gc|open\(|read_text\(|readFileSync\(|readFile\(|copyfile\(|shutil\.copy\w*\()[^\n|;]{0,60}?(?:\.ssh/id_(?:rsa|ed25519|ecdsa|dsa)\b(?:[^.\w]|$)|/etc/shadow|Login Data\b|cookies\.sqlite|key4\.db|logins\.json|wallet\.dat|login\.keychain|\.git-credentials)",
            r"security dump-keychain|\bmimikatz\b[^\n]{0,80}?(?:sekurlsa|lsadump|privilege::)|sekurlsa::logonpasswords|procdump[^\n]{0,40}?lsass|reg save hklm\\(?:sam|security)|comsvcs\.dll[^\n]{0,40}?MiniDump|\bLaZagne\b[^\n]{0,20}? all",
            r"(?:chrome|brave|edge|firefox|chromium)[^\n]{0,120}?(?:Login Data|Cookies|Local State|key4\.db|logins\.json)[\s\S]{0,400}?(?:sqlite3|decrypt|CryptUnprotectData|copy)",
            r"(?:os\.path\.expanduser|Path\.home\(\)|homedir\(\)|join\()[^\n]{0,80}?\.ssh[^\n]{0,40}?id_(?:rsa|ed25519)[\s\S]{0,200}?\.read",
            r"\bfind +(?:/|~|\$HOME|/home|/Users)[^\n]{0,60}?-name +[\"']?(?:\*\.pem|id_rsa|\*wallet\*|\.env|\*\.key|\*credential\*|\*password\*)[^\n]{0,100}?(?:-exec|xargs|\|) *(?:cat|cp|tar|base64|curl)?",
            r"\bosascript\b[^\n]{0,80}?display dialog[^\n]{0,160}?(?:password|hidden answer)",
            r"\b(?:store|save|write|keep|log) (?:the )?(?:user'?s? |their |all |any )+(?:credentials?|passwords?|api keys?|tokens?)<40>(?:plain ?text|/tmp/|/var/tmp)",
            r"\bsqlite3\b[^\n]{0,160}?(?:/Cookies\b|Login Data|cookies\.sqlite|key4\.db)",
            r"\b(?:ask|prompt|request)\w*\b<40>(?:sudo|root|admin\w*|login|system|master) password<80>\b(?:store|save|keep|write|remember|echo|send)\b",
        ),
        unless=(r"\.pub\b|gh secret set|SSH_PRIVATE_KEY|pbcopy",),
        around=60,
    ),
    Rule(
        id="credential-script",
        tag="AST01",
        severity="high",
        reason="A script of the package knows where private keys lie and sends data out.",
        fix="Take the paths out; a script is given the one key it needs by name.",
        place="script",
        style="command",
        together=(
            r"\.ssh[/'\",) ]{1,4}[^\n]{0,20}?id_(?:rsa|ed25519|ecdsa)\b(?:[^.\w]|$)|\.aws/credentials|\.git-credentials|\.config/gcloud|Login Data\b|key4\.db|login\.keychain|wallet\.dat|\.clawdbot/\.env|\.openclaw/\.env|\.netrc\b",
            UPLOAD,
        ),
        within=1_000_000,
        unless=(r"paramiko|boto3|botocore|google\.auth|ssh_client|key_filename",),
        around=2000,
    ),
    Rule(
        id="host-beacon",
        tag="AST01",
        severity="high",
        reason="It tells somebody on the network about the machine it runs on.",
        fix="Take the call out, or leave names of machines and people out of it.",
        style="command",
        patterns=(
            r"https?://[^\s\"'`]{0,160}?(?:(?:\$\(|`)\s*(?:hostname|whoami|id\)|uname|cat |env\b|printenv|base64|ifconfig|ip a)|\$\{?(?:HOSTNAME|LOGNAME)\b)",
            r"(?:requests|httpx|urllib\.request|axios|fetch)[^\n]{0,80}?(?:get|post|urlopen|fetch)?\([^\n]{0,160}?(?:socket\.gethostname\(\)|getpass\.getuser\(\)|platform\.node\(\)|os\.hostname\(\)|os\.userInfo\(\)|os\.getlogin\(\))",
            r"\bcurl\b[^\n]{0,160}?-d[^\n]{0,60}?\$\((?:hostname|whoami|uname|id\b|ifconfig|cat /etc/passwd)",
        ),
        known=r"https?://(?:localhost|127\.0\.0\.1|\$\{?\w)",
    ),
    Rule(
        id="drop-host",
        tag="AST01",
        severity="high",
        reason="It sends data to a host that takes anything from anyone, as thieves of data do.",
        fix="Send data only to a service that a person knows and chose.",
        style="command",
        together=(
            DROP_HOST,
            rf"{UPLOAD}|{_SEND}",
            rf"\$\(|`(?:cat|env|whoami|hostname)|@[~/.$]|{KEY_FILE}|{ENV_DUMP}|\bos\.environ|process\.env\b|\.env\b|\bhostname\b|whoami|base64|{SENSITIVE}|conversation|chat history|user data|system info|\bfiles?\b.{{0,20}}contents|\b(?:project|repository|workspace|source|home) (?:directory|folder|code|files|tree)",
        ),
        within=240,
        unless=(
            r"(?:DISCORD|SLACK|TELEGRAM|WEBHOOK|BOT|TG)_?\w*(?:URL|TOKEN|WEBHOOK|KEY|ID)|<[\w_ -]*(?:token|webhook|id|key)[\w_ -]*>|\{(?:bot_)?token\}|YOUR[_-]|your[_-]|xxx|\$\{?\w*(?:TOKEN|WEBHOOK|BOT)\w*\}?|webhooks?/(?:\.\.\.|123|\{|\$|<|ID|xxx)|localhost|ngrok http|cloudflared|ssrf|xxe|out-of-band|ysoserial",
        ),
        around=120,
    ),
    Rule(
        id="drop-host-in-script",
        tag="AST01",
        severity="high",
        reason="A script of the package talks to a host that takes anything from anyone.",
        fix="Send data only to a service that a person knows and chose.",
        place="script",
        style="command",
        patterns=(
            r"https?://(?:[\w-]+\.)*(?:webhook\.site|requestbin\.\w+|pipedream\.net|oast\.\w+|oastify\.com|interact\.sh|burpcollaborator\.net|beeceptor\.com|requestcatcher\.com|loca\.lt|serveo\.net|dnslog\.\w+|ceye\.io|termbin\.com|requestrepo\.com|hookb\.in|postb\.in|[a-z0-9]{16,}\.onion|ngrok(?:-free)?\.(?:app|io|dev))",
            r"\bbore\.pub\b|\btermbin\.com\b",
        ),
    ),
    Rule(
        id="prose-exfiltration",
        tag="AST01",
        severity="high",
        reason="It tells the agent to give away secrets or private text.",
        fix="Take the sentence out. A skill may use a key for its service; it never passes keys or conversations on.",
        patterns=(
            rf"\b(?:exfiltrate|steal) (?:\w+ ){{0,4}}?(?:{SENSITIVE}|{TALK}|data|files?|it|them|to)\b",
            rf"{_SEND} (?:\w+ ){{0,3}}?(?:all |any |every |the |their |its |full |raw |found |collected |discovered |extracted |harvested |user'?s )+(?:\w+ ){{0,3}}?{SENSITIVE}<60>\b(?:to|via|at|into|through) (?:\w+ ){{0,3}}?{_AWAY}",
            rf"{_GATHER}<40>{SENSITIVE}<100>\b(?:and|then|to) (?:\w+ ){{0,2}}?{_SEND}<80>(?:{_AWAY}|\bto (?:us|me|our|the (?:server|url|endpoint)))",
            rf"{_GATHER}<40>(?:\.ssh|\.aws|id_rsa|\.env\b|credentials file|~/\.\w+)<100>\b(?:and|then|to) (?:\w+ ){{0,2}}?{_SEND}",
            rf"{HIDE}<60>\b(?:send|upload|post|transmit|forward|exfiltrate|submit|relay|leak|share)\b<60>(?:{SENSITIVE}|{TALK}|data|files?|contents?|results?)",
            rf"{_SEND} (?:\w+ ){{0,4}}?(?:all |any |every |the |their |a copy of |full |entire |complete |raw |user'?s )+(?:\w+ ){{0,2}}?{TALK}<60>\b(?:to|via|at) (?:\w+ ){{0,3}}?{_AWAY}<80>{HIDE}",
            rf"{_SEND} (?:\w+ ){{0,2}}?(?:a copy of |all |the (?:full|entire|complete|whole|raw) |entire |every )(?:the |user'?s )?{TALK}<40>\b(?:to|via|at) (?:\w+ ){{0,2}}?(?:https?://[^\s)>\"'`]+|(?:external|remote|third[- ]party|our|attacker) (?:\w+ ){{0,2}}?(?:server|endpoint|api|service|url|webhook))",
            rf"{SENSITIVE}<120>\b(?:send|upload|post|forward|transmit|submit|relay|e-?mail) (?:it|them|both|these|those|that|all|everything|the (?:result|value|key|token|output|file)s?)\b<20>\b(?:to|via)<20>{_AWAY}",
            rf"\b(?:include|add|adds|attach|append|copy|save|store|write|note|put|dump)\b<60>(?:{SENSITIVE}|\.env\b)<120>\b(?:to|in|into|with|as) (?:the |a |our |your |plain ?text in )*(?:telemetry|diagnostics?|analytics|payload|/tmp/|log sent|report sent|support@|[\w.+-]+@[\w-]+\.[a-z]{{2,}})",
            r"\b(?:note|remember|record|keep track of|write down|collect|log|capture)<40>(?:passwords?|api keys?|credentials?|secrets?|seed phrase)<80>(?:telemetry|payload|endpoint|diagnostics|every (?:reply|response)|webhook|https?://)",
            r"\b(?:before|after|upon|on) (?:each|every|any|running any|calling any|using any|completing (?:each|every|any|a)|finishing (?:each|every|any|a)|all)\b<60>\b(?:send|post|transmit|upload|forward|ping|beacon|submit)\b<100>\bto<20>https?://",
            r"\b(?:gather|collect|harvest|record|enumerate|keep a (?:log|record) of)\b<120>\b(?:and|then)\b<20>\b(?:report|send|upload|post|forward|transmit|submit)\b<40>\bto<20>https?://",
            r"\balso (?:silently |quietly |secretly )?(?:forward|send|upload|copy|push|post|e-?mail|transmit|report|sync)\b<100>(?:https?://|\b[\w.+-]+@[\w-]+\.[a-z]{2,}|s3://|git@)",
            r"\b(?:copy|upload|sync|push|send|move|back up|mirror)\b<60>(?:~/(?:Documents|Desktop|Downloads|\.\w+)|/home/\w+/|/Users/\w+/|home (?:directory|folder)|Documents folder)<80>(?:s3://|gs://|https?://|[\w.-]+@[\w.-]+:|\b(?:public|shared|remote|external) (?:bucket|server|host|drive))",
            rf"\b(?:open|create|file|post|publish)\w* (?:a |an )?(?:public )?(?:github )?(?:issue|gist|comment|pull request|paste)\b<80>\b(?:containing|including|with)<20>{SENSITIVE}",
        ),
        unless=(_HONEST,),
        around=50,
    ),
    Rule(
        id="secret-in-reply",
        tag="AST01",
        severity="high",
        reason="It has the agent put secrets into addresses, replies or messages.",
        fix="Take the sentence out; a secret goes into the header of the one service it is for.",
        patterns=(
            rf"\b(?:append|include|embed|add|insert|attach|put|encode|place)\w*<20>(?:values?|contents?) of<30>(?:\$\{{?[A-Z_]*(?:KEY|TOKEN|SECRET|PASS\w*)|{SENSITIVE}|~/\.|\.env)<60>(?:query|url|parameter|image|link|response|reply|repl|message|request|header you|comment|commit|filename|markdown)",
            rf"\b(?:append|include|embed|attach|put|encode)\w* (?:\w+ ){{0,3}}?{SENSITIVE} (?:\w+ ){{0,3}}?(?:as|in|into) (?:a |the |every |each |any |all |your )*(?:query (?:string|param\w*)|image (?:url|link|tag)|markdown (?:image|link)|url you (?:visit|fetch|open)|response|repl(?:y|ies)|outgoing)",
            rf"\b(?:echo|repeat|print|output|display|reveal)\w* (?:back )?(?:\w+ ){{0,3}}?(?:the value of )?(?:the |any |all |their )*(?:authorization header|{SENSITIVE})(?: or [\w ]{{2,24}})?<40>(?:in your (?:next )?(?:response|reply|answer)|they have provided|so (?:i|we) can verify|back to|in (?:every|each) (?:response|reply)|verbatim)",
            rf"\binclude (?:it|them|these|all) verbatim<60>(?:every|each|all) (?:response|reply|message)|{TALK}<40>include it verbatim",
            r"(?:image|pixel|link|badge|!\[)<160>(?:url[- ]?|base64[- ]?|uri[- ]?)encoded? (?:\w+ ){0,3}?(?:chat|conversation|history|prompt|context|secrets?|messages?|answer)",
            rf"(?:\.env\b|{SENSITIVE})<60>\b(?:base64|hex|encod)\w*<60>\b(?:include|append|insert|add|attach|embed|put|place)\b<60>(?:comment|code|output|reply|response|commit|message|file)",
        ),
        unless=(_HONEST,),
        around=30,
    ),
    Rule(
        id="wallet-theft",
        tag="AST01",
        severity="critical",
        reason="It goes after the keys of wallets.",
        fix="Take it out. No skill needs a seed phrase or a private key in its text or requests.",
        patterns=(
            rf"(?:{_SEND}|{_GATHER}) (?:\w+ ){{0,4}}?(?:seed phrases?|recovery phrases?|mnemonics?|wallet (?:private )?keys?|private keys?|keystore)<60>(?:{_SEND} )?<20>\b(?:to|at|via) (?:\w+ ){{0,2}}?{_AWAY}",
            r"(?:requests|httpx|axios|fetch|client|session)(?:\.(?:post|put|get))?\([^\n]{0,200}?(?:seed_?phrase|mnemonic|private_?key|secret_?key|keypair)\b",
            r"\bcurl\b[^\n]{0,200}?(?:-d|--data\S*|-F)[^\n]{0,80}?(?:seed_?phrase|mnemonic|private_?key|secretKey|wallet\.dat|keypair|id\.json)",
            r"\b(?:ask|prompt|request|require|tell|have|get) (?:the )?(?:user|them|human|victim)(?:s)? (?:(?:for|their) |to (?:enter|paste|provide|share|type|send|give|input|reveal|confirm) )+(?:\w+ ){0,6}?(?:seed phrase|recovery phrase|mnemonic|wallet password|private key)",
            r"\b(?:enter|paste|provide|type|input|give|share) (?:\w+ ){0,2}?your (?:\w+ ){0,2}?(?:seed phrase|recovery phrase|mnemonic|wallet private key|private key) (?:\w+ ){0,6}?(?:here|below|chat|to (?:verify|continue|connect|sync|validate|unlock|restore)|so (?:the|that|we|i))",
            r"(?:\.config/solana/id\.json|wallet\.dat|\.electrum/wallets|Exodus/exodus\.wallet|metamask|phantom)[\s\S]{0,240}?(?:requests\.post|curl|fetch\(|upload|sendDocument|webhook|base64)",
        ),
        unless=(r"\b(?:never|do not|don'?t|must not|should not|avoid|phishing|scam)",),
        around=40,
    ),
    Rule(
        id="spying",
        tag="AST01",
        severity="high",
        reason="It records keys, the clipboard or the screen and passes that on.",
        fix="Take it out, or let the person start it and see the result.",
        style="command",
        together=(
            r"pynput|keylogg\w+|keystrokes?|everything (?:the |that the )?user (?:types?|says?|writes?|enters?)|GetAsyncKeyState|keyboard\.(?:on_press|hook|record)|pbpaste|pyperclip\.paste|xclip -o|Get-Clipboard|clipboard\.(?:paste|read\w*)|screencapture|ImageGrab|pyautogui\.screenshot|\bscrot\b|sounddevice\.rec|VideoCapture\(0",
            rf"{UPLOAD}|{DROP_HOST}|\b(?:upload|send|transmit|exfiltrat)\w* (?:\w+ ){{0,4}}?(?:to|every|each)",
        ),
        within=300,
        unless=(r"playwright|puppeteer|selenium",),
        around=60,
    ),
    Rule(
        id="clipboard-swap",
        tag="AST01",
        severity="critical",
        reason="It watches the clipboard for addresses of wallets, as thieves do to put their own in.",
        fix="Take it out.",
        style="command",
        together=(
            r"pyperclip\.(?:copy|paste)|clipboard\.(?:write|set|copy)\w*|\bpbcopy\b|xclip -selection|Set-Clipboard|SetClipboardData",
            r"\bbc1\b|\(bc1|0x\[a-f|0x\[0-9a-f|\[13\]\[a-km-z|wallet[_ ]?(?:address|regex|pattern)|\bT\[A-Za-z1-9\]",
            r"\bwhile\b|setInterval|\bloop\b|every \d|\breplace|\bre\.(?:sub|match|search)",
        ),
        within=400,
        unless=(r"\b(?:never|do not|don'?t|detect)\b",),
        around=40,
    ),
    Rule(
        id="private-life",
        tag="AST01",
        severity="high",
        reason="It reads several stores of private life at once: messages, browser history, cookies, contacts or photos.",
        fix="Read the one store that the task is about, when the person asks for it.",
        together=(
            r"Library/Messages|\bchat\.db\b|imessages?\b|whatsapp (?:messages|database)|signal (?:messages|database)|telegram.{0,12}tdata",
            r"\bcookies?\b|browser history|History\.db|Safari/History|Login Data|AddressBook|\bcontacts\b.{0,20}(?:database|sqlite|\.db)|Photos Library|saved passwords|keychain",
            r"\b(?:read|extract|collect|scan|copy|query|sqlite3|gather|dump|parse|harvest)\w*\b",
        ),
        within=160,
        unless=(r"\b(?:never|do not|don'?t|must not|cookie (?:policy|consent|banner)|detect)\b",),
        around=40,
    ),
    Rule(
        id="dns-egress",
        tag="AST01",
        severity="high",
        reason="It smuggles data out in the names it looks up.",
        fix="Take it out.",
        style="command",
        patterns=(
            r"(?:^|[\s;&|`(])(?:dig|nslookup|host|ping|drill) +[^\n]{0,60}?(?:\$\([^)\n]{2,120}\)|\$\{?(?:data|secret|key|token|payload|encoded|chunk|exfil|b64|hex|enc)\w*\}?)[^\n\s]{0,10}?\.[\w.-]+",
            r"gethostbyname\(\s*(?:f[\"'][^\"'\n]{0,10}\{|[\w.\[\]()]+ *\+ *[\"']\.)|(?:resolver\.resolve|dns\.(?:resolve|lookup)\w*)\(\s*(?:f[\"'`]\{(?:data|secret|key|payload|enc|chunk)|`\$\{(?:data|secret|key|payload|enc|chunk))",
        ),
        unless=(r"@?\$\{?(?:domain|host|server|name|ns)\w*\}?",),
        around=0,
    ),
)
