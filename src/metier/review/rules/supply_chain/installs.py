"""Rules on what a skill wants installed: fake prerequisites, locked archives, commands from paste sites, look-alike names."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.shared_patterns import ADDRESS, LOCAL, PASTE_HOST, RUN_VERB
from metier.review.rules.supply_chain.packages import lookalike_installs

_FILE = r"(?:\.zip|\.rar|\.7z|\.exe|\.dmg|\.pkg|\.msi|\.scr|\.bat|\.app\b|\.iso|\barchive\b|\bexecutable\b|\binstaller\b|releases/(?:download|latest)|\bbinary\b)"
_LOCK = r"(?:\bpass(?:word|code|phrase)?\b *(?:is|:|=|for|—|-|to)? *(?:the )?(?:archive |zip |file )?(?:is |: )?[*_]{0,2}[`\"'“(:*][*_]{0,2}`? ?[\w!@#$.-]{2,32}|\b(?:extract|unzip|unlock|unpack|decompress)\w* (?:\w+ ){0,4}?(?:with|using) (?:\w+ ){0,2}?pass(?:word|code|phrase)?\b|password[- ]protected (?:zip|archive|file|rar|7z)|(?:解压|压缩包|解壓|壓縮包|解压缩)?密[码碼]\W{1,12}\w{2,24}|pass: ?\w{2,24}|\b7z +x +-p\w+|\bunzip +-P *\S+)"

RULES: tuple[Rule, ...] = (
    Rule(
        id="locked-archive",
        tag="AST02",
        severity="critical",
        reason="It has somebody download an archive that is locked with a password, which hides its content from scanners.",
        fix="Take it out. An honest program needs no password to be unpacked.",
        together=(
            _LOCK,
            r"\bdownload\w*\b|https?://|releases/|\bget (?:the|it)\b|下载|下載",
            r"\.zip|\.rar|\.7z|\barchive\b|\bextract\b|\bunzip\b|\bunpack|解压|压缩包",
        ),
        within=240,
        unless=(r"john\b|hashcat|fcrackzip|App Password|pyzipper|qpdf",),
        around=60,
    ),
    Rule(
        id="paste-site",
        tag="AST02",
        severity="critical",
        reason="It has somebody run commands from a site where anyone can put any text, and change it later.",
        fix="Take it out, or put the commands into the package.",
        together=(
            rf"https?://(?:[\w-]+\.)*(?:{PASTE_HOST})|\b(?:glot\.io|rentry\.(?:co|org))/",
            rf"\b{RUN_VERB}\b<40>(?:\bcommands?\b|\bscripts?\b|\binstall\w*\b|\bterminal\b|\bshell\b|\bit\b|\bbash\b|\bexecutable\b|powershell)|\| *(?:ba|z|da)?sh\b|\b(?:installation|install|setup) (?:command|script)\b|\bcopy (?:and|the)\b|\bprerequisite",
        ),
        within=160,
        unless=(r"site:|gist (?:create|list|view|edit)|gist_id|deliver",),
        around=60,
    ),
    Rule(
        id="paste-into-terminal",
        tag="AST02",
        severity="high",
        reason="It sends the person to a page for a command to paste into a terminal.",
        fix="Write the command into the skill, where it is reviewed.",
        patterns=(
            r"\b(?:visit|open|go to|navigate to|see|from) (?:\[?(?:this|the following|our|the) (?:\w+ )?(?:page|link|site|website|url|guide|snippet)\]?|https?://\S+)<120>\b(?:cop(?:y|ied)|execute|run|paste)<60>\b(?:in|into|to|inside) (?:your |the |a )?(?:macos |mac |windows )?(?:terminal|powershell|command prompt|cmd|console|shell)\b",
            r"\b(?:copy|paste) (?:\w+ ){0,6}?(?:command|script|code|line) (?:\w+ ){0,6}?(?:in|into|to) (?:your |the |a )?(?:macos |mac )?(?:terminal|powershell|command prompt)<100>(?:base64|curl [^\n]{0,80}?\| *(?:ba|z)?sh|/bin/bash -c|\biex\b|xattr|[A-Za-z0-9+/]{40,})",
            r"\b(?:press )?(?:win(?:dows)?(?: key)? ?\+ ?r|open (?:the )?run dialog)<100>(?:paste|ctrl ?\+ ?v|powershell|mshta)",
        ),
    ),
    Rule(
        id="fake-prerequisite",
        tag="AST02",
        severity="high",
        reason="It insists on a helper program from a place that is not the maker of any known tool.",
        fix="Name a program of a known package manager, or do without.",
        together=(
            r"\b(?:requires?|required|prerequisites?|must (?:first )?(?:be )?(?:install|download|run)\w*|(?:will|does|do) not (?:work|function)|won'?t work|necessary|mandatory|needed (?:to|before)|need to (?:install|download)|before (?:using|proceeding|continuing))\b",
            r"\bdownload\w*\b<160>(?:\.zip|\.rar|\.7z|\.exe|\.dmg|\.pkg|\.msi|releases/download|releases/latest)<160>\b(?:run|execute|launch|open|double-click|start)\w*\b<40>(?:executable|installer|\.exe|\bit\b|setup|utility|application|file|tool|agent|binary|the app|driver|provider)|\b(?:install|download|set up|get)\b<60>(?:component|driver|agent|provider|helper|runtime|client|utility|tool|cli|core|extension)\b<60>https?://[^\s)]{0,80}?\.(?:forum|top|xyz|click|online|site|shop|icu|cyou|vip|live|vercel\.app|netlify\.app|pages\.dev|workers\.dev|web\.app|onrender\.com|ngrok\S*)\b|\b(?:openclaw|clawdbot|moltbot|claude|codex|cursor|skill|agent)[- ]?(?:core|cli|agent|driver|provider|helper|runtime|auth\w*|engine|bridge|utility|connector)\w* (?:utility|tool|driver|package|binary|service|component|to be (?:installed|running|active)|(?:is )?required|must be (?:installed|running|active))<200>(?:download|https?://|terminal|execute)",
        ),
        within=260,
        unless=(
            r"docs\.docker\.com|nodejs\.org|python\.org|git-scm|obsidian\.md|microsoft\.com|apple\.com|tectonic|ffmpeg\.org|chromedriver|selenium|blender\.org|godotengine|unity\.com|postgresql\.org|github\.com/(?:ollama|ggerganov|microsoft|google|openai|anthropics|cli|JetBrains)/",
        ),
        around=60,
    ),
    Rule(
        id="stranger-program",
        tag="AST02",
        severity="high",
        reason="It has somebody run a program that a stranger put up for download.",
        fix="Name a package with its version, or ship the source.",
        patterns=(
            r"releases/(?:download|latest)/[^\s)\]]{0,160}?(?:\.zip|\.rar|\.7z|\.exe|\.dmg|\.msi|\.pkg|\.scr)\b<160>\b(?:double-?click|run the (?:executable|exe|installer|launcher|app|file|binary)|launch (?:it|the)|run [\w.-]+\.exe|open [\w.-]+\.exe|start [\w.-]+\.exe|execute (?:it|the))",
            r"\b(?:double-?click|run|open|launch|start|execute)\b<30>[\w-]+\.(?:exe|scr|msi|bat|vbs)\b<60>\b(?:before|to (?:continue|activate|authenticate|enable|unlock|complete)|required|otherwise|or (?:the|this) skill)",
            r"\b(?:skill|operations?|commands?|features?)\b<40>\b(?:require|requires|need|needs|depend on)\b<40>\b(?:utility|helper|agent|runtime|driver|core|provider|auth tool|authtool|installer)\b<20>\b(?:to (?:function|work|run|operate)|to be (?:installed|running|active)|installed)\b<400>(?:releases/download|\.zip\b|\.exe\b|\.dmg\b|terminal|paste)",
        ),
        unless=(
            r"docker|nodejs\.org|python\.org|git-scm|obsidian|microsoft|apple\.com|ffmpeg|blender|godot|unity|postgresql|jetbrains|github\.com/(?:ollama|ggerganov|ggml-org|microsoft|google|openai|anthropics|cli|JetBrains|git-for-windows|BtbN|tesseract-ocr|UB-Mannheim|sharkdp|BurntSushi|jgm|astral-sh|denoland|oven-sh|hashicorp|kubernetes)/",
        ),
        around=60,
    ),
    Rule(
        id="remote-heartbeat",
        tag="AST05",
        severity="high",
        reason="It has the agent fetch its orders from an address again and again, so that they can change unseen.",
        fix="Put the instructions into the package, where they are reviewed.",
        patterns=(
            r"\b(?:fetch|curl|read|load|check|get|download|pull|visit)\b<40>https?://[^\s)\"'`>]{3,100}/[\w-]*(?:heartbeat|instructions?|orders|tasks?|commands?|soul|directives?)[\w-]*\.(?:md|txt|json)\b<80>\b(?:follow|run|execute|obey|do (?:what|whatever|as)|apply|every \d|every (?:few )?(?:hours?|minutes?|day)|periodic|heartbeat)",
            r"\b(?:every \d+|every few|hourly|daily|periodically|each heartbeat|on (?:each|every) heartbeat)\b<60>\b(?:fetch|curl|read|load|pull|download|check)\b<40>https?://[^\s)\"'`>]{3,120}<60>\b(?:and|then)\b<20>\b(?:follow|run|execute|obey|do what|apply|act)",
            r"\bfetch and (?:run|follow|execute|obey) `?https?://",
        ),
        unless=(r"\b(?:never|do not|don'?t|must not)\b",),
        around=40,
    ),
    Rule(
        id="install-hook",
        tag="AST02",
        severity="high",
        reason="Installing it runs a command that comes from elsewhere or cannot be read.",
        fix="Do without, or run a script of the package that a person can read.",
        style="command",
        patterns=(
            r"[\"'](?:pre|post)?install[\"']\s*:\s*[\"'][^\"'\n]{0,120}?(?:\bcurl\b|\bwget\b|node -e|python3? -c|base64|powershell|\biwr\b|\beval\b)",
            r"class \w+\((?:\w+\.)?(?:install|develop|egg_info|build_py)\)[\s\S]{0,600}?(?:os\.system|subprocess\.\w+|urlopen|requests\.\w+|exec)\(",
            r"(?:sitecustomize|usercustomize)\.py[\s\S]{0,200}?(?:write|>)|site-packages[^\n]{0,60}?\.pth\b[\s\S]{0,120}?(?:write|>|import os|exec)",
        ),
        unless=(r"\b(?:never|do not|don'?t|avoid|malicious|attack|detect)\b",),
        around=60,
    ),
    Rule(
        id="guard-removal",
        tag="AST01",
        severity="high",
        reason="It takes away what protects the machine from bad programs.",
        fix="Take it out; a program that is signed and known needs nothing of the kind.",
        style="command",
        patterns=(
            r"\bspctl +--(?:master|global)-disable|csrutil disable|Set-MpPreference[^\n]{0,80}?-Disable\w+ +(?:\$true|1)|Add-MpPreference[^\n]{0,60}?-ExclusionPath|AmsiUtils|amsiInitFailed|sc (?:stop|delete) (?:WinDefend|windefend)|netsh advfirewall set allprofiles state off",
            r"\bxattr +-(?:c|cr|d|rd|dr)\b[^\n]{0,120}?(?:&&|;)[^\n]{0,60}?(?:chmod|\./|open )|(?:curl|wget)[^\n]{0,240}?(?:&&|;)[^\n]{0,60}?xattr +-",
            r"\b(?:disable|turn off|deactivate|pause|stop|whitelist|bypass)\w* (?:\w+ ){0,4}?(?:windows defender|antivirus|anti-virus|gatekeeper|real-?time protection|smartscreen|virus (?:protection|scanner)|endpoint protection|edr\b|firewall)<80>(?:before|temporarily|to (?:install|run|allow|avoid)|if (?:it|your|the)|false positive|first|installing|and (?:run|install))",
            r"\b(?:temporarily|first|before (?:running|installing|you))\b<40>\b(?:disable|turn off|deactivate|pause)\b<20>(?:windows defender|defender|antivirus|anti-virus|gatekeeper|real-?time protection|smartscreen|endpoint protection|edr\b)",
            r"\b(?:antivirus|defender|smartscreen|gatekeeper|virustotal)<60>(?:false positive|may (?:flag|warn|block|detect)|ignore (?:the|this|any) (?:warning|alert))<80>(?:safe|ignore|continue|proceed|anyway|allow|disable)",
        ),
        unless=(r"CommandLine|EventCode|EventID|\bindex=|sigma",),
        around=60,
    ),
    Rule(
        id="lookalike-package",
        tag="AST02",
        severity="high",
        reason="It installs a package whose name is one slip away from a well-known one.",
        fix="Check the name; if it is meant, say so next to it.",
        analyse=lookalike_installs,
    ),
    Rule(
        id="foreign-index",
        tag="AST02",
        severity="high",
        reason="It takes packages from an index or address that anyone on the way can change.",
        fix="Use the standard index, or one reached over https that a person knows.",
        style="command",
        patterns=(
            r"\bpip3?\b[^\n]{0,120}?(?:--(?:extra-)?index-url|-i|--find-links|-f)[ =]+[\"']?http://[^\s\"']+",
            rf"\b(?:pip3?|uv pip|npm|pnpm|yarn|gem|cargo|go)\b[^\n]{{0,120}}?(?:install|add|i|get)\b[^\n]{{0,80}}?(?:{ADDRESS}|http://)[^\s]*",
            r"\b(?:npm|pnpm|yarn|npx)\b[^\n]{0,120}?--registry[ =]+[\"']?http://[^\s\"']+",
            rf"\b(?:pip3? install|npm (?:install|i)|npx(?: -y)?)\b[^\n]{{0,60}}?https?://(?:[\w-]+\.)*(?:{PASTE_HOST}|ngrok[\w.-]*|trycloudflare\.com)",
            r"\b(?:npm|pnpm|yarn) config set (?:\S+:)?registry[ =]+[\"']?https?://(?:[\w-]+\.)*(?:[\w-]+\.)(?:top|xyz|click|online|site|shop|icu|vip|live|info|pw|cc|tk|ru|su)\b",
            r"\bpip3? config set (?:global|user)\.(?:extra-)?index-url +[\"']?https?://(?:[\w-]+\.)*(?:[\w-]+\.)(?:top|xyz|click|online|site|shop|icu|vip|live|info|pw|cc|tk|ru|su)\b",
            r"\b(?:our|my) (?:proxy|mirror|relay|gateway|server|endpoint|index|registry) at https?://<80>(?:instead of|rather than|not) (?:the )?(?:official|default|standard|original)",
        ),
        unless=(LOCAL + r"|host\.docker\.internal|\.local\b|\.internal\b",),
        around=40,
    ),
)
