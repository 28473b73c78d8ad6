"""Rules on what cannot be taken back: files destroyed or held to ransom, money moved, traces wiped, machines abused."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.shared_patterns import HIDE

_HONEST = r"\b(?:never|do not|don'?t|must not|should not|avoid|blocks?|blocked|blocking|forbid\w*|prohibit\w*|deny|denied|denies|dangerous|destructive|refuse\w*|reject\w*|prevent\w*|catastroph\w*|warn\w*)\b|❌"

RULES: tuple[Rule, ...] = (
    Rule(
        id="destroy-files",
        tag="AST01",
        severity="high",
        reason="It deletes or overwrites everything within reach.",
        fix="Name the one folder of the task that is to go, and ask before it does.",
        style="command",
        patterns=(
            r"\brm +(?:-\w+ +)*-\w*(?:r\w*f|f\w*r)\w*(?: +-\S+)* +[\"']?(?:/|~|\$HOME|\$\{HOME\}|/\*|~/\*|/home|/Users|/root|/etc|/usr|/var|/boot)/?\*?[\"']?(?:\s|$|;|&|\||[\"'`)])",
            r"--no-preserve-root|\bmkfs(?:\.\w+)? +(?:-\w+ +)*/dev/[a-z]|\bdd +if=/dev/(?:zero|u?random) +of=/dev/(?:sd|nvme|hd|vd|disk)|> */dev/(?:sd[a-z]|nvme\d|hda)\b",
            r":\(\) *\{ *:\|:& *\} *;:",
            r"(?:Path\.home\(\)|expanduser\([\"']~/?[\"']\)|homedir\(\))[\s\S]{0,200}?(?:iterdir|listdir|walk|r?glob|readdirSync)[\s\S]{0,200}?(?:rmtree|\.unlink|os\.remove|rmSync|rmdir)\(",
            r"\brm +(?:-\w+ +)*(?:rm +)?(?:\$\(|`)(?:cat|find|ls) ",
            r"\b(?:shutil\.rmtree|fs\.rmSync|fs\.rmdirSync|rimraf(?:\.sync)?|FileUtils\.rm_rf|fs\.rm)\(\s*(?:[\"'](?:/|~|/home|/Users|C:\\\\?)[\"']|os\.path\.expanduser\([\"']~[\"']\)|Path\.home\(\)|os\.homedir\(\)|process\.env\.HOME)",
            r"\b(?:del|rd|rmdir) +(?:/[sqf] +){1,3}[\"']?(?:C:\\(?:\*|Users|Windows)?|%USERPROFILE%|%SystemRoot%)|Remove-Item[^\n]{0,60}?-Recurse[^\n]{0,40}?(?:C:\\(?:\s|$|\*|Users|Windows)|\$env:USERPROFILE|\$HOME)(?:\s|$)|format +c: */[yq]",
            r"\b(?:delete|erase|wipe|destroy|remove) (?:\w+ ){0,2}?(?:all|every|everything|any) (?:\w+ ){0,3}?(?:files?|data|documents|folders|backups|directories) (?:\w+ ){0,3}?(?:in|on|from|under|across) (?:the )?(?:user'?s? |their |your )?(?:home|computer|system|machine|disk|drive|hard drive|desktop|documents)",
            r"\b(?:vssadmin|wmic)\b[^\n]{0,40}?(?:delete shadows|shadowcopy delete)",
        ),
        unless=(_HONEST,),
        around=100,
    ),
    Rule(
        id="ransom",
        tag="AST01",
        severity="critical",
        reason="It locks files up and asks for something in return.",
        fix="Take it out.",
        patterns=(
            r"\bencrypt\w* (?:\w+ ){0,5}?(?:files?|documents|data|drive|disk|home)<160>(?:ransom|bitcoin|btc|monero|xmr|payment|pay\b|demand|wallet address|decryption key)",
            r"\b(?:ransom(?:ware)?[ _-]?note|your files have been encrypted|pay \d[\d.,]* ?(?:btc|bitcoin|xmr|eth)\b)",
            r"(?:Fernet|AES\.new|createCipheriv)\([\s\S]{0,400}?(?:os\.walk|rglob|glob\()[\s\S]{0,400}?(?:os\.remove|unlink|\.locked|\.encrypted|\.enc[\"'])|(?:os\.walk|rglob|glob\()[\s\S]{0,400}?(?:Fernet|AES\.new|\.encrypt\()[\s\S]{0,300}?(?:os\.remove|unlink|\.locked|\.encrypted[\"'])",
            r"\b(?:compress|encrypt|zip|lock|archive)\w*\b<80>(?:random|unknown|generated) (?:password|key)<80>(?:delete|remove|erase|shred)\w* (?:the )?originals?|HOW_TO_(?:RECOVER|DECRYPT|RESTORE)",
        ),
        unless=(r"playbook|incident|respon(?:se|d)|detect|tabletop|family",),
        around=80,
    ),
    Rule(
        id="wipe-traces",
        tag="AST01",
        severity="high",
        reason="It removes the traces of what was done.",
        fix="Leave logs and history as they are.",
        style="command",
        patterns=(
            r"\bhistory -c\b|\bunset HISTFILE\b|\bHISTFILE=/dev/null|\bexport HISTSIZE=0|\bset \+o history|(?:rm|shred|truncate|cat /dev/null >)[^\n]{0,30}?(?:\.bash_history|\.zsh_history|/var/log/(?:auth|syslog|secure|wtmp|lastlog))|wevtutil cl |Clear-EventLog|Remove-Item[^\n]{0,40}?ConsoleHost_history",
            rf"\b(?:delete|remove|clear|erase|wipe|clean up|purge|scrub|cover)\w* (?:\w+ ){{0,4}}?(?:traces?|evidence|audit (?:logs?|trail)|command history|shell history|tracks|log entries|logs of (?:this|the))<60>(?:{HIDE}|of (?:this|the|your|these) (?:action|operation|execution|upload|transfer|activit|command|script|skill)|afterwards?|when (?:done|finished)|so (?:that )?(?:no|the|nobody))",
        ),
        unless=(r"CommandLine|EventCode|EventID|\bindex=|sigma|detect",),
        around=60,
    ),
    Rule(
        id="mining",
        tag="AST01",
        severity="critical",
        reason="It uses the machine to mine coins for somebody else.",
        fix="Take it out.",
        style="command",
        patterns=(
            r"stratum\+(?:tcp|ssl)://|\bxmrig\b[^\n]{0,80}?(?: -o | --url|--donate|-u |\./|wget|curl|https?://|&& |chmod)|(?:\./|nohup |wget |curl )[^\n]{0,120}?xmrig\b|\bminerd +-|coinhive\.min\.js|\bccminer +-|--algo[ =](?:randomx|cryptonight)",
            r"\b[\w/$-]{0,40}miner[\w.-]{0,12}\b[\s\S]{0,240}?(?:systemctl (?:--user )?enable|Restart=always|WantedBy=|\bnohup\b|\bpm2 start|crontab)",
            r"\b(?:start|run|launch|install|deploy)\w* (?:\w+ ){0,4}?(?:crypto ?(?:currency)?[- ]?miner|mining (?:software|script|process|client))<80>(?:background|hidden|silently|idle|low priority|nohup|without)",
        ),
        unless=(r"detect|\balert|yara|sigma|hunt",),
        around=60,
    ),
    Rule(
        id="money-move",
        tag="AST01",
        severity="high",
        reason="It moves money or signs for it without the person's word.",
        fix="Let the person see and confirm every payment, with the amount and who gets it.",
        patterns=(
            r"\b(?:transfer|send|withdraw|sweep|drain|move|forward|pay|donate|tip)\w* (?:\w+ ){0,6}?(?:funds|balances?|tokens?|coins?|btc|eth|sol|usdc|usdt|crypto|money|assets|fee|\d[\d.]*%?)<60>\b(?:to|into) (?:\w+ ){0,4}?(?:0x[0-9a-f]{40}\b|[13][1-9A-HJ-NP-Za-km-z]{25,34}\b|bc1[a-z0-9]{25,60}\b|[1-9A-HJ-NP-Za-km-z]{43,44}\b|(?:our|my|the attacker'?s|the developer'?s|the author'?s|the skill (?:author|creator)'?s|creator'?s) (?:\w+ ){0,2}?(?:wallet|address|account))",
            r"\b(?:transfer|send|pool|move|sweep|withdraw|forward)\w* (?:\w+ ){0,2}?(?:the )?(?:user'?s?|their|victim'?s) (?:\w+ ){0,2}?(?:eth|btc|sol|funds|usdc|usdt|crypto|coins?|balance|wallet|contribution|money)\b<60>\b(?:to|into|with)\b<24>\b(?:wallet|treasury|address|account|0x[0-9a-f]{6,}|pool)",
            r"\b(?:tell|instruct|ask|get|urge) (?:the )?(?:user|them)s? to (?:send|transfer|pool|deposit|wire)\b<60>\b(?:eth|btc|sol|usdc|usdt|funds|contribution|money|crypto)?\b<40>(?:0x[0-9a-f]{40}|bc1[a-z0-9]{25,60}|treasury|coordination wallet|so (?:that )?we can)",
            r"\b(?:approve|sign|confirm|authori[sz]e|execute)\w* (?:all |any |every |the |each )*(?:\w+ )?(?:transactions?|payments?|transfers?|withdrawals?|purchases?|signatures?)<40>(?:automatically|without (?:asking|confirm\w*|user|prompting|approval|review|showing|further)|silently|no (?:need|confirmation)|in the background)",
            r"\bapprove\([^\n]{0,60}?(?:MaxUint256|type\(uint256\)\.max|2\*\*256|0xf{64}|unlimited)[^\n]{0,80}?(?:0x[0-9a-f]{40}|attacker|drain)",
            r"\bdrain\w* (?:\w+ ){0,3}?(?:wallets?|funds|balances?|accounts?)<40>(?:to|into|address|all|every)",
        ),
        unless=(r"\b(?:never|do not|don'?t|must not|attackers?|vulnerab\w*|testnet|devnet)\b",),
        around=60,
    ),
)
