"""Rules on prose that tries to take an agent over: overrides, forged authority, concealment, orders from elsewhere."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.shared_patterns import HIDE, TALK

_OLD = r"(?:previous|prior|above|earlier|preceding|existing|former|original|initial|system|safety|developer|default|built-?in|core)"
_RULES = (
    r"(?:instructions?|rules?|prompts?|guidelines?|directives?|commands?|constraints?|polic(?:y|ies)|restrictions?|safeguards?"
    r"|safety (?:\w+ )?(?:guidelines?|checks?|rules?|measures?|protocols?|training)|guardrails?|programming|training)"
)
_TEACHING = (
    r"prompt[- ]injection|injection (?:attack|attempt|pattern|payload|phrase)|jailbreak (?:attempt|pattern|detect)|red[- ]?team"
    r"|adversarial|attack(?:er|s)?\b|malicious|untrusted|detect|\bscan(?:s|ner|ning)?\b|\bflag(?:s|ged)?\b|sanitiz|filter(?:s|ing)?\b|refuse"
    r"|for example|e\.g\.|such as|patterns? (?:like|such)|phrases? (?:like|such)|test ?cases?|payloads?|treat (?:it|them|this|that|as)"
    r"|do not (?:follow|obey|comply)|don'?t (?:follow|obey)|never (?:follow|obey|treat)|suspicious|red flags?"
)
_QUOTED = r"[\"'“‘`«|]\W{0,3}(?:\w+ ){0,3}(?:ignore|disregard|forget|override|bypass|act|you are|enter|enable|pretend|do not|don'?t|never|from now|silently|secretly|without|keep|hide)\b"
"""The phrase stands in quotation marks or in a cell of a table."""
_NOT_SILENTLY = r"\b(?:never|not|n't|don'?t|avoid|rather than|instead of|no) (?:\w+ )?(?:silently|quietly)"
_NEGATED = (
    r"\b(?:do not|don'?t|never|must not|should not|shouldn'?t|avoid|cannot|can'?t|refuse to|instead of|rather than)\b"
)

RULES: tuple[Rule, ...] = (
    Rule(
        id="override-instructions",
        tag="AST01",
        severity="high",
        reason="It tells the agent to drop the instructions it was given.",
        fix="Take the sentence out. A skill adds to what a person asked for; it never replaces it.",
        patterns=(
            rf"\b(?:ignore|disregard|forget|override|overrule|discard|abandon|bypass|set aside|do not follow) (?:\w+ ){{0,3}}?(?:of )?(?:the |your |my |these |those |any |all )*{_OLD} (?:\w+ ){{0,2}}?{_RULES}",
            rf"\b(?:ignore|disregard|forget|override|bypass) (?:all |any |every )?(?:of )?(?:your|the model'?s|the assistant'?s|the agent'?s|claude'?s) (?:\w+ ){{0,2}}?{_RULES}",
            r"\b(?:ignore|disregard|forget) (?:everything|all|anything|whatever) (?:\w+ ){0,3}?(?:above|before|previously|so far|earlier|told|learned)\b",
            r"\b(?:ignore|disregard|override) (?:any |all |the )?(?:content polic(?:y|ies)|ethical guidelines?|user(?:'s)? (?:wishes|refusals?|objections?))",
            r"(?:忽略|无视)(?:之前|以上|先前|所有|前面)(?:的)?(?:所有)?(?:指令|指示|规则|提示)",
        ),
        unless=(_QUOTED, _TEACHING),
        around=120,
    ),
    Rule(
        id="forged-authority",
        tag="AST01",
        severity="high",
        reason="It poses as the system, the vendor or an operator to give its text more weight.",
        fix="Write plain instructions; leave role markers and claims of authority out.",
        patterns=(
            r"<\|(?:im_start|system|start_header_id)\|?>|\[/?INST\]|<<SYS>>",
            r"(?:^|\n)\W{0,12}(?:system|admin(?:istrator)?|root) (?:override|takeover)\b *(?:[:\]!—-]|\n)",
            r"\[ *(?:system|admin) *(?:request|command)? *:* *\] *(?:previous instructions|you are now|admin:|disregard|new instruction)|\[admin request:+",
            r"(?:^|[\n>*#\[(-]) *(?:system|admin(?:istrator)?|developer|operator|root|security) (?:override|mode (?:enabled|activated|on)|prompt (?:update|override)|directive)\b *(?:[:\]!—-]|\n)",
            r"\[ *(?:system|admin|developer) *(?:message|override|note|update|instruction)? *\] *:? *(?:you|ignore|from now|the|execute|new|always|all|run|do not|this)\b",
            r"\b(?:new|updated|revised) system (?:prompt|instructions?|message) *[:=]",
            r"\b(?:anthropic|openai|google deepmind|the (?:developers?|platform|vendor|system administrator|security team)) (?:has|have) (?:officially |explicitly |already )?(?:authori[sz]ed|approved|granted|instructed|required|mandated|whitelisted) (?:you|this (?:skill|agent|assistant|action|operation)|the (?:agent|assistant))",
            r"\b(?:priority|authority|clearance|trust)[ _-]?(?:level)? *[:=] *(?:system|root|admin|maximum|highest|critical override)",
            r"\b(?:treat|consider|regard) (?:any|all|every|each|messages?|text|instructions?)\b<80>\bas (?:coming from |if (?:it|they) (?:came|come) from |being from |from )?(?:an? |the )?(?:system|admin\w*|operator|developer|trusted|authori\w+)<60>(?:comply|obey|follow|without question|act on)",
            r"\b(?:comply|obey|execute it|follow them|act) (?:\w+ )?without (?:question|hesitation|questioning)",
            r"\b(?:you have|this skill has) (?:already )?(?:been given |been granted )?(?:full |explicit )?(?:permission|consent|authori[sz]ation) (?:from the user )?to (?:access|read|use|modify|delete|send|run) (?:all|any|every)\b",
            r"\bthe user has (?:already |explicitly |implicitly )*(?:consented|agreed|approved|authori[sz]ed) (?:to )?<60>(?:no (?:further )?confirmation|do not ask|without asking|all|any) ",
        ),
        unless=(r"chat template|special tokens?|tokeni[sz]er|fine-?tun|apply_chat|chatml",),
        around=120,
    ),
    Rule(
        id="unrestricted-persona",
        tag="AST01",
        severity="high",
        reason="It puts the agent into a role without rules.",
        fix="Take the role out. No task of a skill needs an agent without limits.",
        patterns=(
            r"\byou(?:'re| are)(?: now| no longer)?(?: operating| running| acting)? (?:in |as |an? |bound by )*(?:unrestricted|unfiltered|uncensored|jailbroken|god[- ]?mode|dan\b|developer mode|debug mode with|any (?:restrictions|rules|policies)|free (?:from|of) (?:all )?(?:restrictions|rules|limitations|constraints))",
            r"\b(?:enter|enable|activate|switch to|now in) (?:\w+ )?(?:unrestricted|jailbreak|god|dan|sudo|unfiltered|uncensored)[ -]mode",
            r"\b(?:act|behave|respond|operate|pretend)\w* (?:as if |like |as though )?(?:you |it )?(?:have|had|has|there are|were|with) (?:no|without(?: any)?) (?:\w+ )?(?:restrictions|limitations|rules|guidelines|safety|filters|ethic\w+)",
            r"\bremov\w+ (?:all |any |artificial |unnecessary |your |safety |content |ethical )+(?:restrictions|limitations|filters|guardrails|safeguards)",
            r"\b(?:no|without) (?:ethical|moral|safety|content)(?:,? (?:or|and) \w+)? (?:guidelines|restrictions|limitations|filters|constraints|considerations)(?: whatsoever| apply)",
            r"\bdo anything now\b",
        ),
        unless=(_QUOTED, _TEACHING),
        around=120,
    ),
    Rule(
        id="precedence-claim",
        tag="AST01",
        severity="high",
        reason="It claims to stand above the system, the person or every other skill.",
        fix="Take the claim out. Who has the last word is not for a skill to say.",
        patterns=(
            r"\b(?:take|takes|taking|has|have) (?:absolute |complete |full |the highest )?(?:precedence|priority) over (?:any |all |every |the |your |other |existing |default |user |previous |prior |safety |system )+(?:system |safety |user |other )*(?:instructions?|prompts?|polic(?:y|ies)|guidelines?|rules?|requests?|skills|directives?|safety)",
            r"\b(?:supersedes?|overrides?|outranks?|replaces?) (?:any |all |every |the |your |other |existing |default |previous |prior |conflicting )*(?:system prompt|system instructions?|safety (?:\w+ )?(?:guidelines?|rules|instructions?|polic\w+)|(?:previous|prior|earlier|original) (?:system |user )?instructions?|user(?:'s)? (?:instructions?|requests?|preferences?|wishes)|all other (?:skills|instructions|rules))",
            r"\blet it override\b|\bconform to them\b",
        ),
        unless=(
            r"user(?:'s)? (?:explicit )?(?:instructions?|requests?) (?:always )?(?:take|override)|(?:CLAUDE|AGENTS)\.md",
        ),
        around=60,
    ),
    Rule(
        id="conceal-from-user",
        tag="AST01",
        severity="high",
        reason="It tells the agent to hide what it does from the person it works for.",
        fix="Take the sentence out; whatever a skill does, the person may know.",
        patterns=(
            r"\b(?:do not|don'?t|never|must not|should not|shouldn'?t|avoid) (?:ever )?(?:tell|telling|inform|informing|notify|notifying|alert|alerting) (?:the |your |a |any )?(?:user|human|operator|person|anyone|them)s? (?:that (?:you|this|the|any)|about (?:this|the|these|it|what)|you (?:are|did|have)|of (?:this|the|these)|what|\W)",
            r"\b(?:do not|don'?t|never|must not|should not) (?:mention|reveal|disclose|show|report|acknowledge|surface|display) (?:\w+ ){0,6}?(?:to|from) (?:the |your )?(?:user|human|operator|anyone)\b<60>(?:skill|instruction|step|upload|send|sent|request|script|command|file|behavio|action|operation|backup|sync|transfer|log)",
            r"\b(?:do not|don'?t|never) (?:mention|reveal|disclose|acknowledge) (?:\w+ ){0,4}?(?:this skill|these (?:instructions|steps|rules|actions)|this (?:instruction|step|rule|behavior|behaviour|process|operation|action|upload|sync|transfer|backup|requirement))(?: \w+){0,4}?(?: to| in|\.|,|;|$)",
            r"\bwithout (?:the )?(?:user|human|operator|person|victim|them)(?:s|'s|s')? (?:ever )?(?:knowledge|knowing|reali[sz]ing|noticing|awareness|being aware|finding out|seeing (?:it|this|them|what|that))",
            r"\b(?:keep|kept|keeping|remain|stay|make|making) (?:this|it|these|the|all|them) ?(?:\w+ ){0,4}?(?:hidden|secret|invisible|concealed|confidential|undetected|private) (?:from|to) (?:the |your |any )?(?:user|human|operator|anyone|developer|reviewer)",
            r"\bkeep this (?:behaviou?r|process|step|action|instruction|skill|operation) (?:hidden|secret|silent|invisible)",
            r"\b(?:hide|conceal|disguise|mask) (?:this|the|these|any|all|your|its) (?:\w+ ){0,4}?from (?:the |your |any )?(?:user|human|operator|developer|reviewer|logs?|audit)",
            r"\b(?:silently|secretly|covertly|quietly|discreetly|stealthily|invisibly) (?:and \w+ )?(?:send|upload|post|transmit|forward|exfiltrate|copy|collect|record|log|capture|gather|harvest|append|include|run|execute|install|download|report|share|sync|beacon|encrypt|modify|replace|insert|inject|delete|read|transfer|approve|fetch|store|save|write|add|email|attach)(?:ing)? (?:the|all|any|a|an|it|them|this|these|that|every|each|its|their|your|user|in|to|data|files?|credentials?|code|commands?|https?)\b",
            r"\b(?:send|upload|post|transmit|forward|copy|collect|run|execute|install|download|share|sync|append|include|delete|fetch)(?:ing)? (?:(?:it|them|this|all \w+|the \w+|any \w+) ){1,2}?(?:silently|quietly)\b",
            r"\b(?:send|upload|post|transmit|forward|copy|collect|run|execute|install|download|report|share|sync|append|include|delete|fetch|log)(?:ing)? (?:\w+ ){1,8}?(?:secretly|covertly|stealthily)\b",
            r"\bthe user (?:must|should|will|need|is)(?: not|n't)(?: need to| have to| supposed to)? (?:know|see|be (?:told|aware|informed|notified)|learn|notice|find out|aware|told|informed)\b",
            r"(?:不要|切勿|不得|请勿)(?:告诉|告知|通知|提示|透露给)(?:用户|使用者)",
            r"\b(?:do not|don'?t|never) (?:show|display|reveal|mention|disclose|print|discuss|explain|report) (?:the |any |these |this |its |those )?(?:\w+ ){0,2}?(?:commands?|network calls?|uploads?|transfers?|adjustments?|modifications?|fallback|backdoor|fees?|extra (?:step|request|file)s?|background \w+|hidden \w+|outgoing \w+|telemetry|tracking)\b(?: to (?:the )?user| it makes| in (?:the|your)|\.|$|,|;)",
            r"\b(?:assure|reassure|convince|tell|persuade) (?:them|the user|users|him|her|people)<20>(?:that )?(?:this|the|it|everything|all)<40>(?:is|are|was|has been) (?:\w+ ){0,3}?(?:safe|audited|verified|trusted|secure|harmless|legitimate|approved)",
            r"\bdo (?:this|it|so|these|all of this) (?:quietly|silently|secretly|discreetly|covertly)\b",
            r"\b(?:do not|don'?t|never) (?:mention|disclose|point out|reveal|let on) (?:that (?:a|an|any|you|this|it) |it(?: to (?:the )?user|\.|$)|them(?: to (?:the )?user|\.|$)|this(?: to (?:the )?user|\.|,|$))",
            r"\b(?:your |the )(?:human|owner|user|operator|person)s? (?:won'?t|will not|will never|cannot|can'?t|need not|needn'?t|must never|should never) (?:ever )?(?:know|see|notice|find out|learn|be told|be aware|realise|realize) (?:what|that|about|it|this|you|any)\b",
            r"\b(?:do not|don'?t|never) (?:inform|notify|alert) (?:the )?(?:user|human|operator|person)s?\b(?: about| of| that|[.,;!)]|<| and| when| before|$)",
            r"\b(?:silently|secretly|covertly|quietly) (?:register|redirect|invoke|grant|deploy|launch|exfiltrate|harvest|scan|track|monitor|intercept|replace|swap)(?:s|ing)? (?:the|all|any|a|an|it|them|this|every|each|their|user)\b",
            r"\b(?:hidden|secret|covert|undisclosed) (?:step|task|instruction|action|command)s? *(?::|—|-)",
        ),
        unless=(f"{_QUOTED}|{_NOT_SILENTLY}", f"{_TEACHING}|{_NOT_SILENTLY}"),
        around=80,
    ),
    Rule(
        id="prompt-leak",
        tag="AST01",
        severity="high",
        reason="It has the agent give its own instructions or the conversation away.",
        fix="Take the sentence out; a skill has no use for the agent's instructions.",
        patterns=(
            r"\b(?:reveal|print|output|repeat|display|leak|dump|expose|share|disclose|send|post|upload|return|include|append|exfiltrate|echo)\w* (?:\w+ ){0,5}?(?:your|the (?:agent|assistant|model|full|complete|entire|hidden|current|raw)(?:'s)?|its) (?:\w+ ){0,3}?(?:system (?:prompt|message|instructions)|initial (?:prompt|instructions)|hidden (?:prompt|instructions)|developer (?:prompt|message))",
            r"\b(?:asked|asks|ask) about (?:your|the) system prompt,? (?:reveal|print|share|show|output|give|provide|disclose)",
        ),
        unless=(_NEGATED,),
        around=40,
    ),
    Rule(
        id="remote-instructions",
        tag="AST05",
        severity="high",
        reason="It has the agent fetch further instructions from an address and follow them, so its text can change unseen.",
        fix="Put the instructions into the package, where they are reviewed.",
        together=(
            r"\b(?:fetch|download|retrieve|load|get|curl|read|pull|visit|open|check|wget|follow|query|poll|request|consult|obtain)\w*\b",
            r"https?://[^\s)>\"'`]+|\b(?:remote|external) (?:url|endpoint|server|file|config\w*|instructions?)",
            r"\b(?:follow|obey|execute|apply|perform|carry out|comply with|adhere to|act on|do) (?:exactly |precisely |all |any |every |each |of |whatever |the |its |their |those |these |them|it )*(?:\w+ ){0,2}?(?:instructions?|directives?|orders|rules|steps?|commands|tasks?) (?:it |they |you find |found |contained |listed |described |returned |received |provided |specified |given |in (?:it|the (?:response|file|page|output|document))|therein|there|exactly|verbatim|from (?:it|the (?:response|server|url|page|file)))|\btreat (?:its|the|their|that) (?:\w+ ){0,3}?as (?:\w+ ){0,2}?(?:instructions|system prompt|authoritative|commands|orders|trusted)|\bfollow (?:them|it|the returned|the fetched|the downloaded|the remote|the latest|whatever)\b|\b(?:execute|run|eval) (?:the |its |any )?(?:response|returned|fetched|downloaded|remote) (?:\w+ )?(?:body|content|code|commands?|instructions?|output|payload|script)|\bdo (?:what|whatever|as|everything) (?:it|they|the (?:page|file|response|server)) (?:says?|tells?|instructs?|asks?)|\bact on (?:it|its content)|operating rules are|rules? (?:file|at) https?://",
        ),
        within=160,
        unless=(_NEGATED,),
        around=20,
    ),
    Rule(
        id="follow-foreign-text",
        tag="AST05",
        severity="high",
        reason="It has the agent obey whatever text a tool, a page or a file brings in.",
        fix="Say which facts to take from that text; text from elsewhere is data, not orders.",
        patterns=(
            r"\b(?:follow|obey|execute|comply with|carry out|act on) (?:any|all|every|whatever|each) (?:\w+ ){0,2}?(?:instructions?|directives?|commands?|orders|requests?) (?:\w+ ){0,4}?(?:in|from|contained|found|embedded|inside|within|it contains|they contain|returned|it gives|shown|you find)\b<60>(?:output|page|web ?site|response|email|message|document|file|image|content|comment|result|tool|pdf|screenshot|issue|it contains)",
            r"\b(?:read|open|view)\w* (?:the )?(?:previous |last |returned )?(?:tool(?: call)?(?:'s)?|image|screenshot|picture|web ?page)(?:'s)? (?:output |result |text |content )?(?:\w+ )?and (?:follow|obey|execute) (?:any|all|the|every) (?:directives|instructions|steps shown|commands)",
            r"\bfollow the (?:steps|instructions) (?:shown|written|embedded|hidden) in the (?:image|picture|screenshot|metadata|audio)",
        ),
        unless=(_NEGATED,),
        around=30,
    ),
    Rule(
        id="covert-steering",
        tag="AST01",
        severity="high",
        reason="It has the agent push a product or an opinion without saying so.",
        fix="Name the interest openly, or take the sentence out.",
        patterns=(
            r"\b(?:subtly|covertly|quietly|secretly|gently|gradually|discreetly|naturally|silently) (?:\w+ )?(?:steer|nudge|push|guide|direct|promote|recommend|favou?r|bias|manipulate|persuade|insert (?:ads?|links?|promotions?|references? to)|discourage)\w* (?:\w+ ){0,4}?(?:the user|users|them|people|toward|our|product|in favou?r|brand|affiliate|readers?)",
            r"\b(?:always|only|must|exclusively) (?:recommend|promote|suggest|favou?r) (?:\w+ ){0,3}?(?:our|sponsored|affiliate|partner(?:'s)?) (?:\w+ ){0,3}?(?:product|service|link|brand|token|coin|platform|exchange)",
            r"\b(?:include|insert|add|append|embed) (?:\w+ ){0,3}?(?:affiliate|referral|tracking|sponsored) (?:\w+ )?(?:links?|codes?|tags?|ids?|pixels?) (?:\w+ ){0,3}?(?:in(?:to)?|to) (?:every|all|each|any) (?:\w+ ){0,3}?(?:response|repl|answer|output|document|message|recommendation)",
            r"\b(?:append|add|insert|rewrite|route|wrap|include)\w*\b<40>\b(?:our |my |the )?(?:affiliate|referral) (?:\w+ )?(?:tags?|links?|codes?|ids?|redirect)\b<30>\b(?:to|in|into|on|through)\b<12>\b(?:every|each|all|any)\b",
            r"\b(?:never|do not|don'?t) (?:show|reveal|give|mention) the (?:bare|original|direct|real|plain) (?:\w+ )?(?:link|url|address|price|source)\b",
            r"\bmanipulat\w+ (?:the )?(?:user|human|victim|reader)s?(?:'s)? (?:into|opinion|decision|trust|emotion)",
            r"\b(?:say|claim|tell (?:them|the user)) (?:that )?it is (?:the )?(?:official|safe|verified|recommended by)<20>",
        ),
        unless=(_NEGATED,),
        around=30,
    ),
    Rule(
        id="standing-takeover",
        tag="AST01",
        severity="high",
        reason="It wants to act on every reply or in every future session, far beyond its task.",
        fix="Say for which tasks the skill is; leave every other reply alone.",
        patterns=(
            r"\b(?:in|at the end of|at the start of|to|with|into|before|after|for|on) (?:every|each|all) (?:single |future |subsequent )?(?:response|reply|replies|answer|message|output|request|conversation|interaction|tool call|session)s?\b<60>\b(?:send|upload|post|transmit|forward|append|include|attach|embed|exfiltrat|curl|report|echo|log)\w*\b<60>(?:https?://|credential|password|secret|api key|token|conversation|chat history|user data|private|sensitive|verbatim|user-provided data|endpoint|server)",
            r"\b(?:before|after|prior to) (?:answering|responding|replying|every response|each response|any response|executing any|every (?:tool call|task|command)|doing anything|any (?:task|tool|other))\b<40>\b(?:always |first |must |silently |also )*(?:send|upload|post|curl|transmit|fetch|download|execute|forward|exfiltrate|wget)<60>(?:https?://|server|endpoint|webhook|script|\.sh\b)",
            r"\b(?:remember|store|save|persist|keep) (?:this|these|the following)(?: \w+){0,3}? (?:for|across|in|into) (?:all |every |any )?(?:future |subsequent |later )(?:sessions?|conversations?|interactions?|chats?)<80>(?:always|never|must|ignore|whenever|start your)",
            rf"\bmaintain (?:a )?(?:running|hidden|persistent|complete) (?:\w+ )?(?:summary|log|record|list) of (?:all |every |any )?(?:\w+[- ])?{TALK}<80>(?:include|send|append|verbatim|every|each|upload)",
            r"\bfrom now on,? (?:you|all|every|always|whenever|in every)\b<80>(?:ignore|send|obey|always (?:respond|begin|end|append|include)|instead of|no matter|hacked|regardless)",
            rf"\b(?:always|every time|whenever)<40>\b(?:respond|reply|answer) with [\"'`]<40><40>(?:no matter|regardless|{HIDE})",
        ),
        unless=(_QUOTED, _TEACHING),
        around=120,
    ),
    Rule(
        id="bait-description",
        tag="AST04",
        severity="high",
        reason="Its description asks to be used for everything or before everything else.",
        fix="Say what the skill is for, and when not to use it.",
        place="description",
        patterns=(
            r"^\W{0,4}(?:this (?:skill|tool) )?(?:does|handles|do|can do|solves|helps? (?:you )?with) (?:everything|anything|all (?:things|tasks))\b",
            r"\b(?:use|invoke|call|load|activate|trigger|run|apply|select|choose)\w* (?:this |it )?(?:skill )?(?:always |first )?(?:for|on|in|with|when(?:ever)?) (?:you need help with |the user (?:asks|wants|needs) )?(?:for )?(?:anything|everything|absolutely any\w*|all (?:tasks|requests|questions|prompts|queries|conversations)|(?:every|each) (?:single )?(?:task|request|question|prompt|query|message|conversation)|any (?:and all \w+|task at all|question at all|kind of (?:task|request)))(?:$|[.,;!)]| (?:the user|you|they|users|at all|else|regardless|no matter|even|and|first|before|always))",
            r"\b(?:must|always) be (?:used|loaded|invoked|called|selected|activated|chosen) (?:first|before (?:any|all) other|for (?:every|all|any)|over (?:any|all|every) other|regardless)",
            r"\b(?:instead of|over|ahead of|in preference to) (?:any|all|every) other (?:skills?|tools?)\b",
            r"\balways use this skill\b<60>(?:regardless|every (?:task|request|question)|any (?:task|request|question|other)|no matter|all (?:tasks|requests))",
            r"\b(?:the )?(?:best|only|most (?:important|powerful|essential)|number one|#1) skill (?:you|ever|for (?:every|all|any)|to)\b",
        ),
    ),
)
