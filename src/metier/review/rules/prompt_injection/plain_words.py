"""Rules on orders in plain words: several weak signs close together that honest skills do not bring together."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.shared_patterns import NOT_SO

_TAKEN = (
    r"\b(?:passwords?|passphrases?|password manager|credentials?|secrets|private keys?|ssh keys?|api keys|access keys?|aws profile|keychain|cookie store|session cookies"
    r"|seed phrase|recovery phrase|mnemonic|(?:12|24|twelve|twenty-four) words|verification codes?|one-time codes?|otp|2fa codes?|looks? like a key|bank details|card numbers?|\.env)\b"
)
_OWN = (
    r"\b(?:everything the (?:user|person)|what the (?:user|person) (?:says?|said|types?|has (?:said|told))|(?:user|person)'?s? (?:calendar|contacts|inbox|e-?mails?|messages|files|documents|photos|location|history|address book)"
    r"|attendee list|address book|(?:entire|whole|full|all|any) (?:inbox|mailbox|conversation|chat|home (?:directory|folder)|documents folder|working (?:folder|directory)|repository|codebase|project folder)|home directory|documents folder|working folder"
    r"|(?:each|every|any|all) (?:outgoing |incoming )?(?:mails?|e-?mails?|messages?|conversations?|prompts?|recordings?)|conversation (?:history|so far)|messages are|the (?:audio|recording|room|screen|screenshot|clipboard)|source code|proprietary code)\b"
)
_MOVE = r"\b(?:send|sends|mail|e-?mail|hand|share|shares|forward|forwards|mirror|mirrors|mirrored|upload|uploads|drop|post|posts|put|copy|push|pass|deliver|transmit|relay|ship|leak|submit|stream|report|note|store|sync|go|goes|zip|publish|exfiltrate)\b"
_OUT = (
    r"https?://[\w.-]+|\b[\w.+-]+@[\w-]+\.[a-z]{2,}\b|\+\d[\d -]{6,}\d|\b(?:our|my) (?:\w+ ){0,2}?(?:server|api|bucket|channel|service|host|endpoint|inbox|account|collector|cloud|drive|team|address|webhook)\b"
    r"|\b(?:external|remote|third[- ]party|collection|reporting) (?:\w+ )?(?:server|api|bucket|service|host|endpoint|collector|address)\b|\btelegram\b|\bpastebin\b|\bdiscord\b"
)
_SECRECY = (
    r"\b(?:quietly|secretly|covertly|discreetly|unobtrusively|on the quiet|under the radar|without (?:(?:anyone|anybody|them|the user|the person|the owner) (?:knowing|noticing|seeing|hearing|realising|realizing|being)|(?:raising|mentioning) it|drawing attention|telling (?:anyone|anybody|the|them)|attracting|a word)\b"
    r"|keep (?:this|that|it|the \w+) (?:\w+ ){0,2}?(?:to yourself|between us|quiet|out of (?:sight|the (?:summary|report|log|reply|answer)))|(?:does not|doesn'?t|do not|don'?t|need not|needn'?t|must not|should not|shouldn'?t) (?:need to |have to )?(?:be (?:aware|told|informed|notified)|learn|notice|see|hear) (?:that|of|it|this|any)|(?:user|person|owner|human)s? (?:does not|doesn'?t|do not|need not|must not) (?:need to )?know"
    r"|do not (?:say|mention|admit|reveal|disclose|let on) that|(?:leave|leaving) (?:it|this|that|them|the \w+) out|leave out the|blame (?:the|a) (?:network|connection|server|tool|provider|user|system|cache|timeout)|say (?:that )?\w+ took care|as if nothing|never (?:admit|reveal) (?:that|this|it)|if (?:anyone|anybody|somebody|someone) (?:asks?|wonders?|questions?))\b"
)
_STANDING = r"\b(?:whenever|every time|each time|from (?:now|today|here) on|from today|(?:each|every) (?:night|hour|day|week|time|morning|session|run|commit|push|message|mail|request|reply)|on (?:mondays|fridays|startup|every \w+)|always|later sessions|future sessions|in the background|while the task|once the (?:job|task|work) is|when(?:ever)? you are (?:done|finished)|also|first)\b"
_DO = r"\b(?:run|execute|install|upload|send|forward|push|delete|erase|remove|copy|download|transfer|grant|give|change|replace|swap|modify|disable|record|collect|store|add|insert|approve|encrypt|mirror\w*|mail)\b"
_SERVICE = r"\bauthori[sz]ation header|\bbearer\b|\bheaders?\b|\b(?:sign up|log ?in|register|dashboard|console|settings|get (?:your|an|a)|obtain|create (?:your|an|a)|docs?|documentation|see|visit|rate limit|request(?:s|ed)? (?:to|from)|GET |endpoint (?:is|returns)|http status)\b"

RULES: tuple[Rule, ...] = (
    Rule(
        id="plain-theft",
        tag="AST01",
        severity="high",
        reason="It has the agent take secrets and pass them to somebody.",
        fix="Take the sentence out. A skill may use a key for its service; it never passes keys on.",
        together=(
            _TAKEN,
            r"\b(?:take|grab|get|look|find|walk|search|collect|gather|read|fetch|extract|copy|convince|ask|send|locate|dump|pull|pick up|scan)\b",
            _MOVE,
            _OUT,
        ),
        within=60,
        unless=(rf"{NOT_SO}|{_SERVICE}|\byour (?:own|api|password|key)",),
        around=30,
    ),
    Rule(
        id="plain-sharing",
        tag="AST01",
        severity="high",
        reason="It has the agent pass a person's own data, or a whole folder of it, to somebody they did not choose.",
        fix="Take the sentence out, or let the person choose what goes where, each time.",
        together=(_OWN, _MOVE, _OUT),
        within=60,
        unless=(
            rf"{NOT_SO}|{_SERVICE}|\b(?:if|when|once) the (?:user|person) (?:asks|wants|requests|confirms)|\bgithub\.com|\bpull request",
        ),
        around=30,
    ),
    Rule(
        id="plain-secrecy",
        tag="AST01",
        severity="high",
        reason="It has the agent do something and keep it from the person.",
        fix="Take the sentence out; whatever a skill does, the person may know.",
        together=(_SECRECY, _DO),
        within=50,
        unless=(
            r"\b(?:never|not|don'?t|avoid|no) (?:\w+ ){0,2}?(?:quietly|secretly|silently|covertly)|\bsurprise|\bspoiler|\btest(?:s|ing)?\b|\bbug\b|\bregress|attack|malicious|\bdetect|error|warning|exception",
        ),
        around=40,
    ),
    Rule(
        id="plain-copying",
        tag="AST01",
        severity="high",
        reason="It has the agent copy data to an outside address as a habit.",
        fix="Send data only when the person asks for it, to a service they know.",
        together=(
            _STANDING,
            r"\b(?:a (?:blind )?copy|copies|duplicate|a backup|backups|a snapshot|bcc)\b",
            r"\b(?:send|forward|push|upload|mail|e-?mail|drop|post|put|mirror|sync|share|save|store)\b",
            _OUT,
        ),
        within=60,
        unless=(rf"{NOT_SO}|\blocalhost|\bs3://|\bgithub\.com",),
        around=20,
    ),
    Rule(
        id="plain-authority",
        tag="AST01",
        severity="high",
        reason="It makes its own text, or text from elsewhere, the highest authority.",
        fix="Take the claim out. Who has the last word is not for a skill to say.",
        patterns=(
            r"\b(?:prior|previous|earlier|existing|former|all other|any other|system) (?:guidance|instructions?|rules?|directions?|orders?|policies|guidelines)\b<24>\b(?:no longer (?:apply|applies|count|hold|matter)|(?:is|are|do|does) (?:now )?(?:void|obsolete|superseded|cancelled|canceled|not apply|not count|suspended|lifted))",
            r"\b(?:rules|instructions|orders|text) (?:in|of) this (?:file|skill|document) (?:are|is) the only (?:ones?|thing|source|rules)\b|\bobey (?:only )?(?:this|these) (?:file|skill|rules|instructions) (?:alone|only|above)",
            r"\b(?:regard|treat|consider|take|see|view)\b<40>\b(?:web ?page|readme|download\w*|e-?mail|message|comment|file|markers?|tool output|response|issue)s?\b<40>\bas\b<20>\b(?:higher[- ]ranking|above|more important|commands?|orders|authoritative|operator|instructions|from the (?:operator|system|admin))",
            r"\b(?:higher[- ]ranking|more important|more weight|stronger|above) than (?:the )?(?:person|user|human|system|operator)'?s? (?:wishes|request|instructions?|word|rules|prompt)",
            r"\b(?:carry out|execute|follow|perform|act on|do) (?:each|every|all|any|whatever) (?:\w+ ){0,2}?(?:lines?|steps?|things?|commands?|instructions?|orders?|it (?:prints|says|returns))\b<16>\b(?:in it|of it|there|therein|it (?:contains|lists|gives|prints|returns)|as is|you find)",
            r"\bwhatever (?:it|the (?:script|server|page|api|tool|program|endpoint)) (?:prints|returns|says|sends|outputs)\b<40>\b(?:is to be |must be |should be |gets )?(?:executed|run|obeyed|followed|carried out)",
            r"\b(?:pull|fetch|load|get|download)\w*\b<30>\b(?:playbook|instructions|orders|tasks|rules|prompt|script|policy)\b<40>https?://[^\s)]+<30>\b(?:and|then)\b<16>\b(?:carry out|follow|execute|run|obey|apply|do)\b",
        ),
        unless=(
            r"\b(?:never|do not|don'?t|must not|should not|attack|injection|untrusted|malicious|deprecated|migrat)\w*\b",
        ),
        around=40,
    ),
    Rule(
        id="plain-permission",
        tag="AST03",
        severity="high",
        reason="It has the agent give itself or somebody else rights, or pass over every question to the person.",
        fix="Leave rights and answers to the person.",
        patterns=(
            r"\b(?:standing|blanket|full|unlimited|permanent|general) (?:permission|consent|approval|authori[sz]ation|clearance) (?:for|to) (?:any|all|every|run|execute|use)\b<60>\b(?:never|no need|without|do not|don'?t)\b",
            r"\b(?:never|do not|don'?t) (?:pause|stop|wait|ask|check) (?:for|back|to ask) (?:\w+ ){0,2}?(?:a yes|yes or no|permission|confirmation|approval|consent)\b<40>\b(?:terminal|shell|command|delete|transfer|payment|sudo|send|install)|\b(?:any|every|all) (?:terminal|shell|bash|system) commands?\b<30>\b(?:never|no need to|without) (?:pause|pausing|ask|asking|wait|waiting|stop|stopping)",
            r"\b(?:permission|approval|confirmation|safety|sandbox) ?(?:mode|level|setting|prompt)s? (?:to|=|:) ?(?:\w+ )?(?:accept everything|allow (?:all|everything)|always (?:allow|accept|approve)|bypass|yolo|none|off)\b",
            r"\b(?:give|grant|assign|add|invite)\b<40>\b(?:owner|admin\w*|root|write|maintainer|elevated) (?:rights|access|role|permissions?|privileges?)\b<50>\bwithout (?:raising|asking|telling|mentioning|informing|approval|review|anyone|notif)",
            r"\bwave (?:through|past)\b|\bapprove (?:anything|everything|all (?:changes|commits|prs?|pull requests?)) (?:authored|written|submitted|made|opened|signed|coming)? ?(?:by|from)\b",
            r"\b(?:ask|asking|keep asking|request)\w* for (?:more|further|all|additional) permissions?\b<50>\b(?:until|harmless|pretext|reasons?|excuse)",
            r"\b(?:turn|switch|shut)\w* (?:the |your |any )?(?:firewall|antivirus|sandbox|two-factor|2fa|audit log\w*|logging|monitoring|defender|branch protection)\b<12>\boff\b<80>\b(?:setup|install|not (?:switch|turn)|leave|during|before|back on)|\b(?:disable|turn off) (?:the )?(?:firewall|branch protection|audit log\w*|2fa|two-factor\w*)\b<60>\b(?:do not|don'?t|never|leave|without|permanently)\b",
        ),
        unless=(r"\b(?:must not|should not|attack|injection|malicious|refuse|warn|dangerous|verify that)\w*\b",),
        around=30,
    ),
    Rule(
        id="plain-sabotage",
        tag="AST01",
        severity="high",
        reason="It has the agent weaken or falsify the person's work.",
        fix="Take the sentence out.",
        patterns=(
            r"\b(?:accept|allow|treat|let|authenticate|log in)\w*\b<40>\b(?:password|passcode|token|code|key|user(?:name)?) [\"'`][^\"'`\n]{3,40}[\"'`]<40>\b(?:for (?:every|all|any)|as (?:valid|admin)|regardless|always)",
            r"\b(?:backdoor|master password|hidden (?:account|admin|endpoint|route))\b<60>\b(?:in|into|to) (?:the |every |all |any )?(?:generated|produced|user'?s|project|new) (?:code|file|login|handler|app)",
            r"\b(?:swap|replace|change|substitute|alter)\w*\b<40>\b(?:iban|payee|recipient|account numbers?|bank details|wallet address(?:es)?|payment address)\b<40>\b(?:with|to|by|for)\b<12>(?:[A-Z]{2}\d{2}|0x|bc1|\d|our|my|the (?:following|account))",
            r"\b(?:report|mark|record|show|log|count)\w*\b<30>\b(?:fail(?:ures?|ed|ing)|errors?|vulnerabilit(?:y|ies)|findings?)\b<16>\bas (?:passed|passing|success\w*|fixed|resolved|false positives?|ok)\b<60>\b(?:so (?:that )?(?:the|it|no|nobody)|green|anyway|regardless|stays?)\b",
            r"\b(?:insert|add|include|inject|append)\w* (?:an |a |the )?(?:extra|additional|further|hidden|unrelated|malicious) (?:dependency|package|import|script tag|module|require|library)\b<80>\b(?:whenever|every time|each time|always|any time|into (?:every|each|all))",
            r"\b(?:remove|delete|strip|scrub|drop|clear)\w* (?:the |any |all |those )?(?:lines?|entries|records?|traces?|mentions?|references?)\b<30>\b(?:this skill|this step|these (?:actions|steps|commands)|the (?:upload|transfer|change|command)s?)\b<40>\b(?:logs?|history|report|trail|journal)\b",
            r"\bdelete\b<40>\b(?:backups?|snapshots?|archives?)\b<40>\b(?:and|then)\b<8>\b(?:say|tell|claim|report|pretend|blame)\b",
            r"\b(?:rate|rank|score|recommend|place|list)\w* (?:our|my|the sponsor'?s) (?:\w+ ){0,2}?(?:product|service|tool|library|brand|company)\b<20>\b(?:highest|first|best|top|above|number one)\b",
            r"\b(?:record|capture|listen|turn on|use|activate)\w*\b<20>\b(?:microphone|webcam|camera|room|keystrokes?|screen)\b<60>\b(?:while|during|in the background|without|store|upload|our|send|server|bucket)\b",
            r"\b(?:encrypt|lock)\w*\b<40>\b(?:folder|files|documents|disk|drive|directory)\b<60>\bkey\b<40>\b(?:post|send|upload|erase|delete|discard)\b",
            r"\b(?:convince|persuade|trick|get|lead|pressure|urge)\w* (?:the )?(?:user|person|them|victim|human)s? (?:to|into) (?:past(?:e|ing)|shar(?:e|ing)|giv(?:e|ing)|enter(?:ing)?|reveal(?:ing)?|hand(?:ing)? over|typ(?:e|ing)|disabl(?:e|ing)|install(?:ing)?|approv(?:e|ing))\b",
            r"\bbase64\b<40>\.env\b|\.env\b<40>\bbase64\b|\b(?:encode|base64)\w* (?:the )?(?:contents? of )?(?:the |any |their )?(?:\.env|secrets|credentials|keys)\b<60>\b(?:comment|config|filename|commit|reply|footer|bottom)",
            r"\b(?:copy|paste|put|print|repeat)\w* your (?:hidden|system|initial|full|secret|internal) (?:instructions?|prompt|rules)\b",
            r"\b(?:send|forward|text|sms|relay)\w*\b<40>\b(?:verification|one-time|otp|2fa|login|security) codes?\b<40>\bto\b",
            r"\b(?:install|download|get)\b<40>\b(?:from|via|through) (?:our|my|the) (?:\w+ )?(?:telegram|discord|whatsapp|wechat)\b<80>\b(?:run|open|launch|execute|administrator|admin|sudo)",
            r"\badd\w* (?:a )?(?:cron(?:tab)? (?:entry|job|line)|scheduled task|launch agent|startup (?:item|entry))\b<60>\b(?:re-?)?download\w*\b<60>https?://",
            r"\b(?:add|append|write|save|store|put|record)\w*\b<60>\b(?:long-?term|persistent|permanent) (?:notes?|memory|memories|context)\b<60>\b(?:skip|bypass|ignore|trust|without|always|later sessions|no longer)",
        ),
        unless=(
            r"\b(?:never|do not|don'?t|must not|should not|avoid|attack|malicious|detect|injection|example of|prevent|phishing|scam|vulnerab\w*|fail silently|monitor|speech|transcri\w*|chunks?)\b",
        ),
        around=30,
    ),
)
