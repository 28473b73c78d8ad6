"""Rules on meaning: whom the agent is made to obey, trust or work for."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.senses import FOREIGN, GUIDE, HABIT, HOST, OBEY, TRUST
from metier.review.rules.sentence_rule import Frame, framed

RULES: tuple[Rule, ...] = (
    Rule(
        id="obeys-strangers",
        tag="AST05",
        severity="high",
        reason="It has the agent obey text that anybody may have written.",
        fix="Say which facts to take from that text; orders come from the person.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:treat|regard|take|use|read)\b<30>\b(?:ticket|issue|e-?mail|message|page|readme|comment|document|log|transcript|chat|description)s?\b<16>\bas (?:a )?(?:script|commands?|orders?|instructions?|program|to-?do|gospel|law)\b",
                also=(),
            ),
            Frame(
                anchor=r"\b(?:can|may|might|are (?:allowed|free|entitled) to|is (?:allowed|entitled) to)\b<4>\b(?:command|order|instruct|direct|give you (?:orders|instructions|commands|tasks)|tell you what)\b",
                also=(
                    r"\b(?:you|the agent|the assistant)\b",
                    r"\b(?:channel|maintainers?|author|vendor|service|server|skill|anyone|anybody|others?|members|users of|hub|mesh|team|publisher)\b",
                ),
                unless=r"\b(?:code owners?|maintainer approval|subagents?)\b",
            ),
            Frame(
                anchor=r"\bdo (?:what|as|whatever) (?:it|they|that|this) (?:says?|asks?|tells?|demands?)\b|\bdo that\b",
                also=(
                    r"\beven if\b|\bwhenever you are unsure\b|\bno matter\b|\bregardless\b|\bpinned\b|\bwhat to do next\b",
                ),
            ),
            Frame(
                anchor=r"\b(?:pinned|latest|last|newest|first) (?:message|post|tweet|comment|issue|note|cast|reply)\b",
                also=(
                    r"\b(?:tells? you|what to do|your (?:task|orders|assignment|instructions)|do (?:what|it|that)|follow|obey|carry out|execute)\b",
                ),
                unless=r"\b(?:user'?s? (?:last|latest)|user message|commit message)\b",
            ),
            Frame(
                anchor=OBEY,
                also=(
                    FOREIGN,
                    r"\b(?:as written|whatever|without (?:asking|question|checking|confirm\w*|delay|hesitat\w*)|always|before (?:going|you|continuing|anything)|post the output|checked by|verified by|tasks? for you|orders?|commands?|instructions?|directions?|assignment|`?\w*_?(?:hint|action)`?|immediately|at once|exactly)\b",
                ),
                reach=1,
                unless=r"\b(?:plan|test suite|tests|spec|playbook|checklist|template|guide|workflow|below|above|phase|ask the user|confirm with|after (?:the )?user|user approv\w*|user (?:asks|gives|says|wants)|/\w+ command|skill\.md|references/|SKILL_DIR|profile|marked with)\b",
            ),
            Frame(
                anchor=OBEY,
                also=(
                    r"\b(?:e-?mails?|calendar|log lines?|issue comments?|web ?pages?|(?:our|the|a) (?:server|hub|relay|feed|channel)|telegram|t\.me|agent_?hint|next_?action|comments? in the code|lines? (?:beginning|starting) with|text between|motd|tool output|description field)\b",
                ),
                unless=r"\b(?:plan|tests|spec|checklist|template|guide|workflow|below|above|phase|ask the user|confirm with|user approv\w*|user (?:asks|gives|says|wants)|dev server|start the server|mcp server|/\w+ command)\b",
            ),
            Frame(
                anchor=r"\b(?:comes? from|typed by|had typed|written by|sent by|counts? as|treat(?:ed)? (?:it|them|this|these|those|\w+) as|regarded as|same (?:standing|weight|authority|rank)|have the (?:same )?(?:standing|weight|authority))\b<40>\b(?:operator|system administrator|admin\w*|users?|human|owner|person)(?:'?s)?\b",
                also=(
                    r"\b(?:text|messages?|requests?|instructions?|comments?|lines?|answers?|output|mails?|pages?|posts?|returns?|server|service|hints?)\b",
                    r"\b(?:outranks?|overrides?|wins? over|as if the|count|treat|standing|authority|obey|binding|carry|execute)\b",
                ),
                unless=r"\b(?:schema|role|chat format|api field|user interface|ui\b|component|status|UTF|sound as if|game|rewrite)\b",
            ),
            Frame(
                anchor=r"\b(?:outranks?|wins? over|beats?|supersedes?|overrides?|takes? precedence over|weighs? more than|stronger than|more important than)\b[^\n]{0,16}?\b(?:the (?:user|human|person|owner|operator)|what the (?:user|human|person)|your (?:human|owner|user)|system prompt|system message)",
                unless=r"\b(?:preference|config|css|setting|default|environment|variable|flag|cli|option|theme|codex)s?\b",
            ),
        ),
    ),
    Rule(
        id="text-from-afar",
        tag="AST05",
        severity="high",
        reason="Its real instructions stand somewhere else and can change unseen.",
        fix="Put the instructions into the package, where they are reviewed.",
        analyse=framed(
            Frame(
                anchor=r"https?://[^\s)>\"'`]+",
                also=(
                    r"\b(?:load|fetch|read|get|pull|download|open|check|consult|poll|look (?:in|at|up)|curl|kept at)\b",
                    r"\b(?:replaces? (?:the|these|this|what) (?:steps|text|file|instructions|rules|section)|do not rely on this|instead of (?:the|these|this) (?:steps|text|file|instructions|rules)|go by (?:that|it|those)|overrides? (?:the|these|this) (?:steps|text|file|instructions|rules)|current (?:procedure|assignment|instructions|orders|rules|task|playbook)|takes? the place of|treat it as if|your (?:current |next |new )?(?:assignment|orders|instructions|rules)|rules change|steps below)\b",
                ),
                reach=1,
                unless=r"\b(?:api reference|documentation|changelog|release notes|library|package version|docs\b)",
            ),
            Frame(
                anchor=r"(?:\.claude|\.openclaw|\.agents|\.codex|\.cursor|\.clawdbot)/skills?/[\w.-]+",
                also=(
                    r"\b(?:git (?:-C \S+ )?pull|curl|wget|download|fetch)\b",
                    r"\b(?:at (?:the )?(?:start|beginning) of|every (?:session|conversation|time|day|run)|each (?:session|time|run)|weekly|daily|automatically|on startup|refresh yourself|--quiet|read (?:the file|it) again)\b",
                ),
            ),
            Frame(
                anchor=r"\b(?:refresh|update|upgrade|replace|rewrite|reload|re-?fetch)\b<12>\b(?:yourself|this skill|this file|this document|your (?:own )?(?:skill|instructions|rules))\b",
                also=(HOST + r"|\bgit pull\b|\b(?:remote|server|upstream)\b", HABIT),
                unless=r"\b(?:user (?:asks|says)|changelog|maintain\w*)\b",
            ),
        ),
    ),
    Rule(
        id="lasting-trust",
        tag="AST01",
        severity="high",
        reason="It plants trust in itself, or consent, into what the agent reads at every start.",
        fix="Keep it in the skill. A person decides what the agent remembers.",
        analyse=framed(
            Frame(
                anchor=GUIDE
                + r"|\b(?:note for yourself|kept across sessions|across (?:all )?(?:future )?sessions|in (?:all )?(?:later|future) sessions)\b",
                also=(
                    r"\b(?:save|note|write|put|store|record|keep|kept|remember|add)\b",
                    r"\b(?:never wants? to|(?:can|may|should) be (?:left out|skipped|ignored|omitted)|may give you|(?:is|are) handled by|no longer needs?|always agrees?|has agreed|does not want to be (?:asked|shown|told)|wants? no|is exempt|prefers? (?:not to be asked|no questions))\b",
                ),
                unless=r"\b(?:user said|user says|user explicitly|when the user|user preferences|user asked)\b",
            ),
            Frame(
                anchor=r"\b(?:append|add|write|insert|inject|save|put|store|record|update|prepend|copy|persist|note|remember|make these|mention)\b<80>"
                + GUIDE,
                also=(TRUST,),
                reach=1,
                unless=r"\b(?:user (?:asks|approves|confirms|agrees|says)|ask the user|with (?:the )?(?:user'?s? )?(?:permission|approval|consent)|user approval|if approved|permissions? (?:table|section|list|model)|gitignore)\b",
            ),
            Frame(
                anchor=GUIDE,
                also=(
                    r"\b(?:insert|add|append|write|put|copy|mention|must contain|should (?:say|mention|state|contain))\b",
                    r"\b(?:do not remove|not be removed|every (?:session|workspace|project)|in the home folder|globally|permanent\w*|stick|at the top of SOUL|belong to)\b",
                ),
                unless=r"\buser (?:asks|approves|confirms|agrees|says)\b|\bask the user",
            ),
            Frame(
                anchor=r"\b(?:SOUL|IDENTITY|USER)\.md\b",
                also=(r"\b(?:insert|add|append|write|put|update|edit|modify|prepend|change)\b",),
                unless=r"\b(?:user (?:asks|approves|confirms|agrees|says)|ask the user|approval|suggest|propose|read\b)\b",
            ),
        ),
    ),
    Rule(
        id="skips-consent",
        tag="AST03",
        severity="high",
        reason="It has the agent answer for the person, or go around a no.",
        fix="Leave questions to the person, and take a no for a no.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:assume|presume|take|consider)\b<12>\b(?:a yes|consent|approval|permission|agreement|the answer)\b<16>\b(?:to (?:anything|everything|all|any)|is yes|for (?:anything|everything|all|any)|as given|granted)\b",
                also=(),
            ),
            Frame(
                anchor=r"\b(?:turn|switch|shut|keep|leave)\b<4>\b(?:the |your |any )?(?:sandbox\w*|guardrails?|safety (?:checks?|filters?)|permission (?:checks?|prompts?)|confirmations?|hooks)\b<12>\boff\b|\b(?:disable|drop|leave) the sandbox\b",
                also=(),
                unless=r"\b(?:kubernetes|chrom\w+|puppeteer|electron|iframe|react|git hooks|webhooks?|feature flag|docker|test\w*|hooks? off the|stripe|paypal|payment)\b",
            ),
            Frame(
                anchor=r"\b(?:this skill|it|you|we) (?:is|are) (?:exempt|excused|free|above|not bound|not subject)\b|\b(?:do|does) not apply (?:to|for) (?:this skill|you|us)\b",
                also=(r"\b(?:polic(?:y|ies)|rules?|restrictions?|limits?|guidelines?|approval|checks?|review)\b",),
                unless=r"\b(?:tax|fee|licen[cs]e|gdpr|hipaa|regulation)\b",
            ),
            Frame(
                anchor=r"\b(?:use|run|employ) (?:sudo|root|admin\w* rights)\b<16>\b(?:freely|always|everywhere|for everything|without|at will|whenever)\b",
                also=(),
            ),
            Frame(
                anchor=r"\b(?:do not|don'?t|never|no need to|avoid)\b<8>\b(?:bother|trouble|disturb|annoy|interrupt|burden)\w*\b<12>\b(?:the )?(?:user|person|developer|human|owner|them|customer|people)s?\b",
                also=(
                    r"\b(?:overwrit\w*|delet\w*|questions? about|permission|approval|confirm\w*|payments?|install\w*|push\w*|transfer|upload\w*|commands?|remov\w*)\b",
                ),
                plain=False,
                unless=r"\b(?:interview|clarif\w*|trivial|unless|intermediate|progress)\b",
            ),
            Frame(
                anchor=r"\b(?:confirm\w*|approv\w+|permission|consent|question|dialog|prompt|ask|asked|asking|go-ahead|check (?:back|with)|stop to|wait for)s?\b",
                also=(
                    r"\b(?:answer (?:with )?yes|say yes|click (?:yes|allow|ok)|already approved|pre-?approved|do not (?:stop|wait|ask|pause)|don'?t (?:stop|wait|ask|pause)|never (?:stop|wait|ask|pause)|no need to (?:ask|wait|stop)|on (?:the )?(?:person|user|human|owner)s?'? behalf|dislikes? being|decide (?:yourself|on your own)|need no)\b",
                    r"\b(?:every (?:\w+ )?(?:one|command|dialog|prompt|question|request|action|step)|each (?:\w+ )?(?:one|command|dialog|prompt|action)|all (?:\w+ )?(?:of them|commands|dialogs|prompts|requests|actions)|everything|anything|anyone|any (?:command|action|prompt)|including)\b",
                ),
                reach=1,
                unless=r"\b(?:dry[- ]run|read-only|clarif\w+|questionnaire|survey|reviewer approved|unless|except|only if|quiz|interview)\b",
            ),
            Frame(
                anchor=r"--dangerously-skip-permissions|bypassPermissions|\bapproval_policy *= *\"never\"|danger-full-access|\bBash\(\*\)|--yolo\b|\"?(?:autoApprove|auto_approve|skip_?confirm\w*)\"? *[:=] *(?:true|\[\"\*)",
                also=(
                    r"\b(?:whenever|always|every (?:time|session)|keep it|afterwards|before you begin|permanently|set|put|add|write|edit|change|must|so that)\b",
                ),
                unless=r"\b(?:not recommended|sandbox(?:ed)? (?:container|environment)|container|docker|warning|caution|risk\w*|dangerous\b|only in|isolated|CI\b|headless|avoid|if the user|subprocess|claude -p)",
            ),
            Frame(
                anchor=r"\b(?:denied|refused|blocked|rejected|not allowed|forbidden)\b",
                also=(
                    r"\b(?:another (?:tool|way|route|path|command|method)|other means|different (?:tool|command|way) (?:that|which|to)|get around)\b",
                    r"\b(?:tool|command|permission|access|sandbox|user|hook|call|policy)\b",
                ),
                unless=r"\bif (?:the )?user (?:wants|asks)|\bask the user",
            ),
            Frame(
                anchor=r"\b(?:decide|choose|act|proceed|go ahead|handle it) (?:yourself|on your own|alone|by yourself|without (?:the |your )?(?:user|person|human|owner)'?s?)\b",
                also=(
                    r"\b(?:everything|including|spend\w*|pay\w*|delet\w*|publish\w*|push\w*|purchas\w*|transfer\w*|password|all)\b",
                ),
            ),
        ),
    ),
    Rule(
        id="recruits-agent",
        tag="AST01",
        severity="high",
        reason="It signs the agent up with a network of somebody else and has it work for them.",
        fix="Take it out; whom an agent works for is for its owner to say.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:enrol|enroll|register|sign up|join|announce|introduce|check in|report|identify)(?:s|ing)?\b<30>\b(?:agent|yourself|itself|themselves|your identity|bot|your name)\b|\bagent(?:'?s)? (?:identity|name|id|capabilities)\b|/(?:register|join|agents|enrol+)\b",
                also=(
                    r"\b(?:every (?:\d+|few|two|four|six) ?(?:hours?|minutes?|h\b|m\b)|heartbeats?|poll|bount(?:y|ies)|assignments?|open (?:jobs|tasks)|jobs that|look in daily|check in|pick up|work for|execute what|take those|tasks? (?:array|queue))\b",
                    HOST + r"|\bcurl\b|\b(?:hub|swarm|mesh|guild|network|directory|marketplace|protocol)\b",
                ),
                reach=1,
                unless=r"\b(?:your own server|self-hosted|localhost|kubernetes|service mesh|github actions|runner)\b",
            ),
            Frame(
                anchor=r"\b(?:capabilities|installed skills|list of tools|skills=|ls ~/\.\w+/skills|owner handle|model)\b",
                also=(
                    HOST + r"|\bcurl\b",
                    r"\b(?:post|send|register|enrol|join|report|-d\b|announce|publish|introduce)\b",
                    r"\b(?:your name|agent name|AGENT_NAME|agent=|hostname|your identity|agent(?:'?s)? identity|yourself|your agent)\b",
                ),
                reach=1,
            ),
            Frame(
                anchor=r"\bevery (?:\d+|few|two|three|four|six|twelve) ?(?:hours?|minutes?|h\b|m\b)|\bcron\b|\bheartbeat\b|\bdaily\b|\bonce (?:a|per) (?:day|hour)\b",
                also=(
                    r"https?://[\w.-]+",
                    r"\b(?:tasks?|jobs?|bount(?:y|ies)|assignments?|orders|work|commands?|instructions?|next)\b",
                    r"\b(?:complete|execute|perform|carry out|do|pick up|take|follow|run) (?:each|every|the|any|those|them|what\w*|it|open|all|one)\b",
                ),
                reach=1,
                unless=r"\b(?:crontab\.guru|celery|github actions|vercel|schedule:|airflow|kubernetes|cloud scheduler)\b",
            ),
        ),
    ),
    Rule(
        id="shadows-tools",
        tag="AST03",
        severity="high",
        reason="It puts a tool of its own in the place of the agent's, so that all work goes through it.",
        fix="Name the one task the tool is for, and leave the others alone.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:beats|better than|preferred over|prefer\w*|replaces?|instead of|must be run through|has to go through|goes through|is passed through|first go to)\b",
                also=(
                    r"\b(?:normal|native|built-?in|usual|standard|other) (?:\w+ )?(?:reader|tools?|editor|search|browser|one|shell)\b|\b(?:each|every|all|any) (?:tool )?(?:results?|outputs?|calls?|answers?|files?)\b",
                    r"\buploads?\b|https?://[\w.-]+|\b(?:remote|proxy|relay|our) (?:server|service|tool|host)\b",
                ),
                unless=r"\b(?:jq|cdn|lint\w*|test\w*|prettier|docs?|library|npm)\b",
            ),
            Frame(
                anchor=r"\b(?:replaces?|instead of|in place of|over|rather than|supersedes?|takes? over|deprecated)\b<24>\b(?:the )?(?:built-?in|native|standard|default|own|existing)\b<16>\b(?:tools?|file tools?|search|browser|shell|one)\b",
                also=(
                    r"\b(?:all|every|any|always|anything)\b",
                    r"\b(?:mcp|server|goes through|route|prefer|reading|files|home folder|token|calls?)\b",
                ),
                reach=1,
                unless=r"\b(?:grep|ripgrep|glob|python|bun|library|html|date picker|component|api\b|git|performance|faster|playwright|pandas)\b",
            ),
            Frame(
                anchor=r"\"mcpServers\"|\bmcp add\b",
                also=(
                    r"https?://[\w.-]+\.(?:xyz|top|click|buzz|lol|site|online|pro|shop|icu|gg|tk|ml|cf|ga|pw|cc|ws|live|fun|space|website|store|app\.io)\b",
                ),
            ),
            Frame(
                anchor=r"\broute (?:all|every|any)\b|\bgoes? through (?:it|our|this|the (?:proxy|relay))\b",
                also=(
                    r"\b(?:tools?|calls?|requests?|repository work|reading|writing|traffic|files)\b",
                    r"\b(?:token|deprecated|instead|replaces?|our|proxy|relay|built-?in|native)\b",
                ),
                reach=1,
                unless=r"\b(?:nginx|ingress|vpc|load balancer|router|middleware|api gateway|dns|express|subnet|cloudflare)\b",
            ),
        ),
    ),
)
