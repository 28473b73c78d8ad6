"""Rules on programs that come from elsewhere or in disguise, and are run."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.shared_patterns import ADDRESS, LOCAL, PASTE_HOST
from metier.review.rules.supply_chain.known_installers import KNOWN_INSTALLERS

_SHELL = (
    r"(?:(?:/usr)?/bin/(?:env +)?)?(?:(?:ba|z|da|k|a|fi)?sh\b|osascript\b|pwsh\b"
    r"|(?:python[23]?|node|perl|ruby|php|bun run|deno run)(?: -| /dev/stdin)?\s*(?:$|[\n)\"'`;&]))"
)
"""What runs the text it is given; an interpreter with a program of its own only reads it as data."""
_GET = r"(?:curl|wget|fetch|aria2c|http|lwp-download)\b"
_DECODE = r"base64 +(?:-d|-D|--decode|-di)\b|openssl +(?:enc +)?(?:-)?base64 +-d|base64 -w0 -d|xxd +-r|base32 +-d|uudecode|gunzip|zcat|gzip -dc?|rev\b|tr +['\"]?[A-Za-z]-[A-Za-z]"
_FETCHED = r"(?:requests\.get|httpx\.get|urllib\.request\.urlopen|urllib2?\.urlopen|urlopen|urllib\.urlopen)\("

RULES: tuple[Rule, ...] = (
    Rule(
        id="download-and-run",
        tag="AST02",
        severity="high",
        reason="It runs a program straight from the network, which can be another one every time.",
        fix="Name a package with its version, or let a person download and read it first.",
        style="command",
        patterns=(
            rf"\b{_GET}[^\n|]{{1,240}}?https?://[^\n|]{{3,240}}?\|\s*(?:tee [^|\n]{{0,40}}\|\s*)?(?:sudo (?:-\w+ )*)?(?:env +(?:\w+=\S+ +)*)?(?:{_SHELL})",
            rf"\b{_GET}[^\n|]{{1,160}}?(?:\$\w+|\$\{{\w+\}}|[\w.-]+\.[a-z]{{2,12}}/?[^\n|\s]{{0,80}})[^\n|]{{0,40}}?\|\s*(?:sudo (?:-\w+ )*)?(?:ba|z|da)?sh\b(?:\s+-s\b|\s*$|\s*\n|[\"'`)])",
            rf"(?:{_SHELL}) +(?:-\w+ +)*[\"']?(?:<\(|\$\(|`)\s*(?:{_GET})[^\n)]{{3,240}}",
            rf"\b(?:eval|source|\.) +[\"']?(?:<\(|\$\(|`)\s*(?:{_GET})[^\n)]{{3,240}}",
            r"\b(?:iwr|irm|curl|wget|Invoke-WebRequest|Invoke-RestMethod)\b[^\n]{3,200}?\|\s*(?:iex|Invoke-Expression)\b",
            r"\b(?:iex|Invoke-Expression)\b[ (\"'$&]*(?:\(?\s*(?:iwr|irm|curl|Invoke-WebRequest|Invoke-RestMethod|New-Object +(?:System\.)?Net\.WebClient))[^\n]{3,200}",
            r"\.Download(?:String|Data)\([^\n]{3,200}?\)\s*\|?\s*(?:\)|iex|Invoke-Expression)",
            r"\bmshta(?:\.exe)? +[\"']?https?://|\bregsvr32\b[^\n]{0,60}?/i:https?://|\bcertutil(?:\.exe)?\b[^\n]{0,60}?-urlcache[^\n]{0,160}?https?://|\bbitsadmin\b[^\n]{0,80}?/transfer[^\n]{0,160}?https?://|\bmsiexec\b[^\n]{0,40}?/i +[\"']?https?://",
            r"\bosascript\b[^\n]{0,60}?-e[^\n]{0,120}?do shell script[^\n]{0,120}?curl",
            r"\brundll32(?:\.exe)? +javascript:|GetObject\([\"']script:https?://",
        ),
        known=KNOWN_INSTALLERS,
    ),
    Rule(
        id="known-installer",
        tag="AST02",
        severity="low",
        reason="It runs a well-known installer straight from the network.",
        fix="Prefer a package manager and a fixed version.",
        style="command",
        together=(
            rf"\b(?:{_GET}|irm\b|iwr\b)",
            KNOWN_INSTALLERS,
            rf"\|\s*(?:sudo (?:-\w+ )*)?(?:{_SHELL}|iex\b)|(?:ba|z)?sh -c +[\"']?\$\(",
        ),
        within=60,
    ),
    Rule(
        id="download-then-run",
        tag="AST02",
        severity="high",
        reason="It downloads a program, makes it executable and runs it.",
        fix="Name a package with its version, or check the download against a published digest before it is run.",
        style="command",
        patterns=(
            rf"\b(?:curl|wget)\b[^\n]{{0,200}}?(?:{ADDRESS}|http://|{PASTE_HOST})[^\n]{{0,200}}?(?:&&|;|\n)[^\n]{{0,120}}?(?:chmod (?:\+x|a\+x|u\+x|7\d\d)|xattr -c|xattr -d)",
            r"\b(?:curl|wget)\b[^\n]{0,240}?(?:&&|;)[^\n]{0,80}?chmod (?:\+x|a\+x|u\+x|7\d\d) +(\S+) *(?:&&|;) *(?:sudo |nohup )?(?:\./|/tmp/|\$TMPDIR|\"?\$)\S*",
            r"\b(?:curl|wget)\b[^\n]{0,200}?(?:-o|-O|>) *[\"']?(?:/tmp/|/var/tmp/|/dev/shm/|\$TMPDIR/|\$\(mktemp)[^\n]{0,160}?(?:&&|;|\n) *[^\n]{0,60}?(?:(?:ba|z|da)?sh|python3?|node|chmod \+x|chmod 7\d\d) +[\"']?(?:/tmp/|/var/tmp/|/dev/shm/|\$)",
            r"\b(?:Invoke-WebRequest|iwr|DownloadFile|Start-BitsTransfer|curl)\b[^\n]{0,240}?\.(?:exe|msi|ps1|bat|scr|dll|vbs)\b[^\n]{0,120}?(?:;|\n|&)[^\n]{0,80}?(?:Start-Process|Invoke-Item|& *[\"'$]|saps|cmd /c|\.\\)",
            r"urlretrieve\([^\n]{0,160}\)[\s\S]{0,200}?(?:os\.system|subprocess\.\w+|os\.exec\w+|os\.startfile|Popen)\(",
        ),
        unless=(LOCAL + r"|sha256sum|shasum|gpg --verify",),
        around=60,
    ),
    Rule(
        id="decode-and-run",
        tag="AST01",
        severity="critical",
        reason="It decodes a text and runs it, so nobody sees what is run.",
        fix="Write the command out.",
        style="command",
        patterns=(
            rf"(?:{_DECODE})[^\n]{{0,80}}?\|\s*(?:sudo )?(?:{_SHELL})(?: |\s*$|[\"'`)\n;-])",
            rf"(?:{_SHELL}|eval|source) +(?:-c +)?[\"']?(?:<\(|\$\(|`)[^\n]{{0,200}}?(?:{_DECODE})",
            rf"(?:{_SHELL}) *<<< *[\"']?(?:\$\(|`)[^\n]{{0,160}}?(?:{_DECODE})",
            r"\b(?:exec|eval|compile|os\.system|os\.popen|subprocess\.\w+|__import__\([\"']os[\"']\)\.system)\s*\(\s*(?:compile\s*\(\s*)?(?:[\w.]+\s*\(\s*){0,4}(?:base64\.\w*decode|b64decode|b85decode|a85decode|b32decode|bytes\.fromhex|codecs\.decode|zlib\.decompress|marshal\.loads|binascii\.\w+|lzma\.decompress|bz2\.decompress|gzip\.decompress)",
            r"\b(?:eval|Function|execSync|exec|setTimeout|vm\.runIn\w+|require\([\"']child_process[\"']\)\.\w+)\s*\(\s*(?:new +Function\()?(?:atob\(|Buffer\.from\([^\n]{0,400}?[\"'](?:base64|hex)[\"']|unescape\(|decodeURIComponent\(|String\.fromCharCode)",
            r"\bpowershell(?:\.exe)?\b[^\n]{0,120}?\s-e(?:nc?|ncodedcommand|c)?\s+[\"']?[A-Za-z0-9+/=]{16,}|\bpwsh\b[^\n]{0,80}?\s-e(?:nc\w*|c)?\s+[A-Za-z0-9+/=]{16,}",
            r"FromBase64String\([^\n]{0,400}?(?:iex|Invoke-Expression|Assembly\]?::Load|\.Invoke\()|(?:iex|Invoke-Expression)[^\n]{0,160}?FromBase64String\(",
            r"=\s*(?:base64\.\w*decode|bytes\.fromhex|codecs\.decode|zlib\.decompress|marshal\.loads|b64decode)\([^\n]{0,900}?\n[\s\S]{0,200}?\b(?:exec|eval|os\.system|subprocess\.\w+)\(",
            r"\becho [^\n|]{0,80}?[A-Za-z0-9+/]{24,}={0,2}[\"']? *\| *base64 +(?:-d|-D|--decode)",
            r"\b(?:pickle|marshal|dill|cloudpickle)\.loads\(\s*(?:[\w.]+\(\s*){0,3}(?:base64\.\w*decode|b64decode|zlib\.decompress|bytes\.fromhex|codecs\.decode)",
        ),
        unless=(
            r"\| *base64 +(?:-d|-D|--decode) *(?:\| *(?:jq|python3? -m json|tar|openssl|head|less|grep|cut|gunzip|gpg|tee|kubectl)|> *[\w./-]+\.(?:json|pem|png|jpg|jpeg|pdf|txt|crt|key|p12|jks|mobileprovision|keystore))|secret\b[^\n]{0,60}?jsonpath",
        ),
        around=60,
    ),
    Rule(
        id="code-from-network",
        tag="AST02",
        severity="critical",
        reason="It runs code that it has just read from the network.",
        fix="Put the code into the package, where it is reviewed.",
        style="command",
        patterns=(
            rf"\b(?:exec|eval|compile)\s*\(\s*(?:compile\s*\(\s*)?(?:\w+\.)?(?:{_FETCHED})",
            r"\beval\s*\(\s*(?:await\s*)?\(?\s*(?:await\s*)?(?:fetch|axios(?:\.get)?|got|httpGet)\(",
            rf"(\w+)\s*=\s*{_FETCHED}[\s\S]{{0,240}}?\b(?:exec|eval)\s*\(\s*\w+(?:\.(?:text|content|read\(\)|decode\(\)))*",
            r"\bfetch\([^\n]{3,200}?\)[\s\S]{0,160}?\.then\([\s\S]{0,120}?\b(?:eval|new Function|Function)\s*\(",
            rf"(?:subprocess\.\w+|os\.system|os\.popen)\s*\(\s*{_FETCHED}",
            r"\bpython3? -c [\"'][^\n]{0,120}?(?:urlopen|requests\.get)\([^\n]{0,160}?(?:exec|eval)\(|python3? -c [\"'][^\n]{0,60}?exec\([^\n]{0,80}?(?:urlopen|requests\.get)",
        ),
    ),
    Rule(
        id="obfuscated-code",
        tag="AST01",
        severity="high",
        reason="Its code is written so that nobody can read what it does.",
        fix="Write the code in plain words.",
        style="command",
        patterns=(
            r"\\U000[eE]00[2-7][0-9a-fA-F]|\b(?:b85|a85|b32)decode\([\s\S]{0,300}?\^ *\w+",
            r"(?:chr\(\d{1,3}\) *\+? *){6,}",
            r"String\.fromCharCode\((?:\s*(?:0x)?[0-9a-f]{1,4}\s*,){8,}",
            r"\b(?:exec|eval)\s*\(\s*(?:[\"']{2}|bytes|str|\w+)?\.?join\s*\(",
            r"__import__\s*\(\s*(?:[\"'][a-z]{1,6}[\"']\s*\+|[\"'][a-z]+[\"']\[::-1\]|chr\(|bytes|[\"'](?:os|subprocess|socket|pty)[\"']\s*\)\s*\.\s*(?:system|popen|Popen|socket|spawn|run|call|check_output)\s*\()",
            r"getattr\s*\(\s*(?:__builtins__|__import__\([^)]{1,40}\)|builtins|os|sys\.modules\[[^\]]{1,20}\])\s*,\s*(?:[\"'][a-z_]{1,10}[\"']\s*\+|[\"'][a-z]+[\"']\[::-1\]|chr\(|[\"'](?:exec|eval|system|popen)[\"'])",
            r"\bmarshal\.loads\(|(?:exec|eval)\(\s*(?:zlib|lzma|bz2)\.decompress",
            r"(?:var|let|const) _0x[0-9a-f]{4,}\s*=\s*\[",
            r"(?:_0x[0-9a-f]{4,6}\b[^\n]{0,80}?){6}",
            r"(?:\\x[0-9a-f]{2}){24,}",
            r"\[::-1\]\s*\)\s*(?:\)|;|\n)[\s\S]{0,40}?\b(?:exec|eval|os\.system)\b|\b(?:exec|eval|os\.system)\s*\(\s*[\"'][^\"'\n]{8,400}[\"']\s*\[::-1\]",
            r"\$\{?\w+:\d+:\d+\}?(?:\$\{?\w+:\d+:\d+\}?){3,}",
            r"%(?:\w+):~\d+,\d+%(?:%\w+:~\d+,\d+%){3,}",
            r"(?:\b\w{1,3}=[\"']?[a-z]{1,4}[\"']?[;\s]+){2,}[\s\S]{0,80}?\$\{?\w{1,3}\}?\$\{?\w{1,3}\}?[\"']?\s",
        ),
        unless=(r"magic bytes|signature|\\x89PNG|PNG\\r|test vector",),
        around=60,
    ),
    Rule(
        id="reverse-shell",
        tag="AST01",
        severity="critical",
        reason="It opens a shell for somebody on another machine.",
        fix="Take it out. No task of a skill needs it.",
        style="command",
        patterns=(
            r"\b(?:ba|z|k|da)?sh +-i +(?:[>0-9&|]|<)[^\n]{0,60}?/dev/(?:tcp|udp)/|>& *[\"']?/dev/(?:tcp|udp)/[\w.$\"'{}-]+/\S+ *[\"']? *0>&1",
            r"\bexec +\d+<>[\"']? */dev/(?:tcp|udp)/",
            r"\b(?:nc|ncat|netcat)(?:\.\w+)?\b(?: +-[a-z0-9]+| +[\w.$-]+){0,5} +(?:-e|-c|--exec|--sh-exec)\b *[\"']?(?:/bin/|cmd|powershell|bash|sh\b)",
            r"\bmkfifo\b[^\n]{0,160}?\b(?:nc|ncat|netcat|openssl s_client|telnet)\b|\|\s*(?:/bin/)?(?:ba)?sh +-i[^\n]{0,60}?\|\s*(?:nc|ncat|netcat|openssl s_client|telnet)\b",
            r"\bsocat\b[^\n]{0,120}?exec:[^\n]{0,60}?(?:sh|cmd|bash)|\bsocat\b[^\n]{0,160}?tcp(?:4|-connect)?:[^\n]{0,80}?exec:",
            r"socket\.socket\([\s\S]{0,400}?\.connect\([\s\S]{0,400}?(?:os\.dup2\(|pty\.spawn\(|subprocess\.(?:call|Popen|run)\(\s*\[?\s*[\"'](?:/bin/)?(?:ba)?sh)",
            r"\.connect\(\([^\n]{0,80}?\)\)[\s\S]{0,600}?\.recv\([\s\S]{0,300}?(?:subprocess\.\w+|os\.popen|os\.system)\([\s\S]{0,300}?\.send",
            r"TCPClient\([^\n]{0,120}?\)[\s\S]{0,600}?(?:GetStream|iex|Invoke-Expression)",
            r"\b(?:fsockopen|TCPSocket\.(?:new|open)|IO::Socket::INET)\b[^\n]{0,200}?(?:exec|system|popen|spawn|/bin/(?:ba)?sh|cmd)",
            r"net\.(?:connect|Socket|createConnection)\([\s\S]{0,300}?(?:spawn|exec)\([\"'](?:/bin/)?(?:ba)?sh[\s\S]{0,200}?\.pipe\(",
            r"\bperl -e [\"'][^\n]{0,40}?use Socket",
        ),
    ),
    Rule(
        id="raw-address",
        tag="AST02",
        severity="high",
        reason="It gets or sends something at a bare network address, which no honest service uses.",
        fix="Use the name of a host that a person can recognise.",
        style="command",
        patterns=(
            rf"\b(?:curl|wget|iwr|irm|Invoke-\w+|fetch|requests\.\w+|httpx\.\w+|axios(?:\.\w+)?|urlopen|urlretrieve|download\w*|git clone|pip3? install|npm install)\b[^\n]{{0,120}}?{ADDRESS}",
            rf"\b(?:URL|HOST|SERVER|ENDPOINT|C2|API|BASE)\w* *[:=] *[\"']?{ADDRESS}(?::\d+)?/",
            rf"\b(?:proxy|https?_proxy|ALL_PROXY)\b[^\n]{{0,30}}?{ADDRESS}",
            ADDRESS,
            r"(?:connect|create_connection|createConnection|TcpStream::connect|Dial|TCPClient|fsockopen)\w*\s*\(\(?\s*(?:[\"']tcp[\"']\s*,\s*)?[\"'](?:[1-9]|1[1-9]|[2-9]\d|1(?:[0-13-8]\d|2[0-689]|9[0-13-9])|2\d\d)(?:\.\d{1,3}){3}",
        ),
        known=LOCAL,
    ),
    Rule(
        id="encoded-command",
        tag="AST01",
        severity="high",
        reason="A command or an order is hidden in an encoded text.",
        fix="Write it out, or take it out.",
        style="encoded",
        patterns=(
            r"\b(?:curl|wget) +(?:-\w+ +)*[\"']?https?://|/bin/(?:ba|z)?sh\b|\bbash -[ci]|powershell|Invoke-(?:Expression|WebRequest)|\biex\b|\bimport (?:os|subprocess|socket)\b|os\.system|subprocess\.|child_process|\brm -rf?\b|chmod \+x|\b(?:exec|eval)\(|/dev/tcp/|\bnc -|\bignore (?:all |any )?(?:previous|prior|your)|system prompt|exfiltrat|(?:do not|don'?t|never) (?:tell|mention|inform)|\.ssh/|\.aws/|authorized_keys|crontab",
        ),
    ),
)
