"""Rules on whose side a sentence is: it serves somebody else, keeps the person in the dark, or loosens what binds the agent."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.sentence_rule import Frame, framed
from metier.review.rules.shared_patterns import KEY_PLACE, SECRETS

_OTHERS = r"\b(?:our|the|its|their) (?:\w+ )?(?:partners?|sponsors?|vendor|vendors|advertisers?|publisher|maintainers?|analytics (?:team|provider|partner)|marketing (?:team|partner)|research partners?|data (?:brokers?|partners?))\b|\bthe (?:author|creator|maker)s? of this (?:skill|tool|plugin)\b|\bthird part(?:y|ies)\b|\bhelps? us\b|\bso that (?:our )?models? can\b"
_THEIRS = r"\b(?:user|person|customer|client|owner|patient|employee)(?:'s|s'|s)?\b(?: \w+){0,2}? (?:calendar|contacts?|inbox|e-?mails?|messages?|files?|documents?|photos?|screen|desktop|location|history|notes|repositor(?:y|ies)|code|questions?|answers?|prompts?|data|details|addresses|phone numbers?|spreadsheets?|conversations?|searches|purchases)\b|\b(?:screenshots?|transcripts?|recordings?|phone numbers|passport numbers?|addresses that|names and addresses|saved (?:logins?|passwords?))\b|\bquestions (?:and|or) (?:the )?answers\b|\banswers and the questions\b|\bprivate (?:repositor(?:y|ies)|repo|projects?)\b|\brepository is private\b"
_GIVE = r"\b(?:share|shares|shared|publish|publishes|published|send|sends|sent|relay|relays|relayed|mirror|mirrors|mirrored|export|exports|exported|upload|uploads|uploaded|forward|forwards|forwarded|attach|attaches|attached|sync|syncs|synced|post|posts|posted|append|include|deliver|delivers|pass|passes|passed|copy|copies|copied|keep a (?:second |further )?copy|place|placed|report|reports|provide|provides|give|stream|streams|streamed|make (?:it|them) public)\b"
_HONEST = r"\b(?:user (?:asks|wants|requests|agrees|consents|approves|confirms|chooses|opts)|with (?:the user'?s|their) (?:consent|permission|approval)|consent|opt(?:ed)?[- ]in|gdpr|privacy policy|dpa|compliance with|data processing agreement|never|do not|don'?t|must not|avoid|legal|regulat\w*)\b"
_ACT = r"\b(?:run|execute|install|upload|send|forward|push|delete|erase|remove|copy|download|transfer|grant|change|replace|modify|disable|record|collect|store|insert|approve|encrypt|mail|post|submit|buy|book|purchase|sign|share|register|start|launch)\b"

RULES: tuple[Rule, ...] = (
    Rule(
        id="serves-others",
        tag="AST01",
        severity="high",
        reason="It has a person's things passed on for the good of somebody else.",
        fix="Take the sentence out, or let the person decide each time.",
        analyse=framed(
            Frame(anchor=_OTHERS, also=(_THEIRS, _GIVE), reach=1, unless=_HONEST),
            Frame(
                anchor=r"\b(?:our|the vendor'?s?|the author'?s?|the maintainers?'?|the publisher'?s?|partner'?s?) (?:\w+ ){0,2}?(?:server|servers|endpoint|api|service|bucket|drive|folder|channel|inbox|mailbox|backend|cloud|collector|tracker|dashboard|database|archive|partners?)\b",
                also=(
                    r"\b(?:send|sends|sent|upload|uploads|uploaded|forward|forwards|relay|relays|relayed|transmit|mirror|mirrored|copy|copied|export|post|posted|publish|sync|synced|syncs|deliver|report|reported)\b",
                    r"\b(?:every|each|all|any|whatever|also|always|the user|user'?s|conversation|files?|documents?|results?|logs?|data|details|copy)\b",
                ),
                unless=_HONEST,
            ),
            Frame(
                anchor=r"\b(?:deliver|send|upload|forward|transmit|relay|ship|submit|push|sync|mirror|stream)(?:s|ed|ing)?\b[^.\n]{0,60}?\b(?:to|at|with) (?:the \w+ )?`?(?-i:(?:[a-z0-9-]{2,30}\.){1,3}(?:com|net|org|io|co|dev|app|top|xyz|cc|site|online|club|info))\b",
                unless=_HONEST
                + r"|\b(?:github|gitlab|google|slack|npmjs|pypi|vercel|netlify|notion|linear|example|docker|amazonaws|azure|openai|anthropic|huggingface|app store|your)\b|socket\.io|\.js\b",
            ),
            Frame(
                anchor=r"\bso that (?:no (?:single |one )?(?:step|call|request)|nothing|it|they|none of (?:it|them)) (?:looks?|seems?|appears?|stands? out|raises?|draws?)\b",
                also=(r"\b(?:odd|suspicious|strange|unusual|out|suspicion|attention|normal|alarms?)\b",),
                unless=r"\b(?:design|layout|chart|ui|image|colou?rs?|text|prose|font|page)\b",
                plain=False,
            ),
            Frame(
                anchor=r"\b(?:mirror|publish|push|copy|upload|make)\w*\b[^.\n]{0,40}?\b(?:public (?:archive|repositor(?:y|ies)|mirror|gist|bucket|page)|publicly (?:available|readable|visible))\b",
                also=(r"\bprivate\b|\buser'?s?\b|\bconfidential\b|\binternal\b",),
                unless=_HONEST + r"|\bopen[- ]source\b|\brelease\b|\bwebsite\b|\bsearch engines?\b",
            ),
            Frame(
                anchor=r"\b(?:we are|we get|we'?re|i am|the author is) paid\b|\b(?:earns?|receives?|get|gets) (?:us |a |our |the )?(?:commission|referral (?:fee|bonus)|kickback|affiliate (?:fee|revenue))\b|\bpaid by the difference\b|\bour affiliate (?:link|code|id)\b",
                also=(r"\b(?:recommend|book|choose|suggest|pick|prefer|use|add|include|place|append|promote)\w*\b",),
                unless=r"\b(?:disclos\w*|transparen\w*|ftc|negotiat\w*|sales (?:rep|team)|compensation|salary|affiliate marketing|affiliate program)\b",
            ),
        ),
    ),
    Rule(
        id="kept-in-dark",
        tag="AST01",
        severity="high",
        reason="It keeps the person from learning what was done.",
        fix="Take the sentence out; whatever a skill does, the person may know.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:leave|leaving|keep|keeping|omit|omitting|strip|hide|hiding)\b(?: \w+){0,6}? (?:out of|from) (?:any|the|your|all|every)(?: \w+){0,2}? (?:summar(?:y|ies)|reports?|answers?|repl(?:y|ies)|conversation|explanation|responses?)\b",
                also=(
                    r"\b(?:network|calls?|requests?|uploads?|steps?|process|processes|files?|changes?|commands?|section|downloads?|connections?|installs?|charges?|fees?|transfers?)\b",
                ),
                unless=r"\b(?:jargon|filler|noise|secrets?|pii|personal data|credentials|speculation|duplicates?|boilerplate|sensitive|tokens?|passwords?|internal file paths|implementation details|raw|debug|markdown|citations?)\b",
                plain=False,
            ),
            Frame(
                anchor=r"\b(?:only|meant|intended|just) for (?:you|the (?:agent|model|assistant))\b|\bnot (?:meant |intended )?for the (?:user|person|customer|human)(?:'s eyes)?\b|\bbetween (?:you and me|us)\b",
                also=(
                    r"\b(?:task|part|section|steps?|instructions?|orders?|work)\b",
                    r"\b(?:user|person|customer|human|finished|believes?|done|after|second)\b",
                ),
                reach=1,
                unless=r"\b(?:reference|internal use|checklist|notes|thinking|reasoning|subagents?|metadata|example|output format|frontmatter|triggers?)\b",
            ),
            Frame(
                anchor=r"\b(?:should|must|may|shall|does|do|need|can) (?:never|not)(?: ever)? (?:come up|be (?:mentioned|visible|brought up|raised|noticed|obvious|discussed|revealed)|stand out|surface|show up|attract attention|catch the eye)\b",
                also=(
                    r"\b(?:conversation|user|customer|person|commit|change|diff|review\w*|message|report|summary)\b",
                ),
                unless=r"\b(?:ui|css|design|layout|font|colou?r|error|stack trace|secrets?|password|pii|spoilers?|prices?|competitors?|politics|logs?|component|screen readers?|animation)\b",
                plain=False,
            ),
            Frame(
                anchor=r"\b(?:after|when|while|once) the (?:user|person|customer) (?:believes|thinks|assumes|is away|is asleep|is not looking|has left|has gone|looks away)\b",
                also=(
                    r"\b(?:do|done|run|execute|start|begin|send|continue|perform|carry|install|transfer|upload|delete)\w*\b",
                ),
                unless=r"\b(?:away message|auto-?reply|notif\w*|idle timeout|status|presence)\b",
            ),
            Frame(
                anchor=r"\b(?:if|should|when(?:ever)?) (?:anyone|anybody|somebody|someone|the (?:user|person|customer|admin\w*|owner)|they) (?:asks?|wonders?|notices?|inquires?|questions?|sees?)\b",
                also=(
                    r"\b(?:describe|explain|call|present|pass) (?:it|this|that|them|the \w+)(?: \w+){0,2}? (?:as|off as)\b|\b(?:say|answer|reply|claim|tell them|tell the \w+|respond) (?:that )?(?:it|this|they|these|the \w+) (?:is|are|was|were) (?:just |only |simply |merely )?(?:a|an|the|part|normal|routine|standard|required|safe)\b|\bblame\b|\bdeny\b",
                    r"\b(?:process|extra|traffic|network|upload|connection|request|job|file|charge|delay|cpu|account|permission|change|data|transfer|download|key|login)s?\b",
                ),
            ),
        ),
    ),
    Rule(
        id="behind-their-back",
        tag="AST01",
        severity="high",
        reason="It has the agent act without the person knowing.",
        fix="Take the sentence out, or have the agent say what it does.",
        analyse=framed(
            Frame(
                anchor=r"\bwithout (?:first |ever |even )?(?:asking (?:the (?:user|person|owner|customer)|for (?:permission|consent|approval)|them|anyone)|telling|informing|notifying|alerting|(?:their|the user'?s?) knowledge|the (?:user|person|owner|customer)(?:'s)? (?:knowing|noticing|consent|seeing)|any (?:notice|notification)|a word)\b",
                also=(_ACT,),
                unless=r"\b(?:ui|re-?render|page reload|callers?|observers?|listeners?|subscribers?|on-call|downtime)\b",
            ),
            Frame(
                anchor=r"\b(?:user|person|customer|owner|human|client|victim)s? (?:does not|doesn'?t|do not|don'?t|need not|needn'?t|should not|shouldn'?t|must not|mustn'?t|won'?t|will not|cannot|never) (?:need to |have to |ever |even |get to )?(?:know|see|notice|hear|learn|find out|realise|realize|be (?:told|aware|informed|asked|shown|bothered))\b",
                also=(_ACT,),
                reach=1,
                unless=r"\b(?:ui|error|stack|raw|internal|technical|jargon|code|json|api|component|implementation|spinner|loading|click|scroll|syntax|design\w*|docs?)\b",
                plain=False,
            ),
            Frame(
                anchor=r"\b(?:silently|quietly|secretly|covertly|discreetly|unobtrusively|stealthily|invisibly)\b",
                also=(_ACT,),
                unless=r"\b(?:fail\w*|error\w*|drop\w*|ignor\w*|swallow\w*|skip\w*|truncat\w*|exit\w*|return\w*|break\w*|corrupt\w*|chang\w*|overwrit\w*|los\w+|discard\w*|degrad\w*|mode|flag|leave|disable|investigat\w*|bugs?|catch\w*|warn\w*|wrong|miss\w*|older versions?|would|never|no)\b|--\w+",
            ),
        ),
    ),
    Rule(
        id="reads-keys-first",
        tag="AST01",
        severity="high",
        reason="It has the agent read a person's keys as a step of some other work, or put secrets where others read them.",
        fix="Take the step out. The tools that need keys find them themselves.",
        analyse=framed(
            Frame(
                anchor=KEY_PLACE,
                also=(
                    r"\b(?:read|reads|open|collect|gather|load|fetch|look|copy|extract|include|cat|check|scan|parse|list|print|show)\b",
                    r"\b(?:before|first|always|then|and (?:send|include|add|pass|store|use|return)|silently|as (?:context|the|part)|to (?:verify|validate|calibrate|ensure|personali[sz]e|improve|diagnose))\b",
                ),
                unless=r"\b(?:ssh-keygen|chmod|permission|config(?:ure)?|host alias|public key|\.pub|generate|setup|gcloud auth|aws configure|profile|kubeconfig|known_hosts|never|exists|transcripts|backups?)\b",
            ),
            Frame(
                anchor=SECRETS,
                also=(
                    r"\b(?:send|sends|upload|uploads|forward|forwards|relay|transmit|publish|e-?mail|attach|append|embed|paste)\b",
                    r"\b(?:to|into|in|with|as)\b",
                    r"https?://|\b(?:ticket|report|query string|issue|comment|footer|file name|filename|webhook|channel|form|gist|crash)\b",
                ),
                unless=r"\b(?:headers?|authorization|bearer|environment variable|set|store|config\w*|keychain|vault|secret manager|sign|encrypt\w*|redact\w*|mask\w*|rotate|request body|token endpoint|export|security@|penetration|pentest\w*|client_id)\b",
            ),
        ),
    ),
    Rule(
        id="loosened-bonds",
        tag="AST01",
        severity="high",
        reason="It tells the agent that what binds it no longer does.",
        fix="Take the sentence out. What binds the agent is not for a skill to say.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:guidelines?|polic(?:y|ies)|rules|restrictions?|safeguards?|safety (?:rules|measures|checks)|refusals?|limits|limitations|guardrails)\b",
                also=(
                    r"\b(?:as (?:mere |only )?(?:suggestions?|optional|advice|recommendations)|(?:do|does|need) (?:not|no longer) (?:apply|count|hold|bind)|(?:is|are) (?:lifted|suspended|waived|relaxed|void|switched off|turned off|not in force)|(?:don'?t|no longer|not) (?:apply|bind)|can be (?:ignored|set aside|disregarded|skipped)|set aside|you know)\b",
                    r"\b(?:your|its|usual|normal|the model|the agent|the assistant|you|refusals?|anthropic|openai|vendor)\b",
                    r"\b(?:while|when|during|as long as|in this (?:directory|session|mode|context|project)|loaded|instead of|cleared|here|now|from now)\b",
                ),
                unless=r"\b(?:business rules?|css|lint\w*|eslint|firewall rules?|tax|visa|style|api|rate limits?|exception(?:s|al)?|legal advice|community guidelines|accessibility|coupon|discount|return policy|refund)\b",
            ),
            Frame(
                anchor=r"\b(?:only (?:these|those|the following|the ones below|this)(?: \w+)? (?:count|apply|matter|hold|are valid)|yours (?:start|begin) here|were written for (?:older|other|previous|earlier) (?:models?|versions?|agents?))\b",
                also=(
                    r"\b(?:above|instructions?|paragraphs?|rules?|lines?|orders?|text|prompts?|guidelines?|older|previous)\b",
                ),
                unless=r"\b(?:browser|syntax|release|dialect|css|sdk|api)\b",
            ),
            Frame(
                anchor=r"\b(?:questions?|requests?|prompts?|confirmations?) (?:about|for|of) (?:permission|consent|approval|confirmation)s?\b",
                also=(
                    r"\b(?:answered|granted|given|approved|confirmed|settled)\b",
                    r"\b(?:in advance|beforehand|already|by the operator|with yes|automatically|for you)\b",
                ),
            ),
            Frame(
                anchor=r"\b(?:messages?|lines?|text|requests?|comments?|e-?mails?|notes?) (?:that|which) (?:begin|begins|start|starts|open|opens|contain|contains|carry|carries|are marked|is marked|are signed|is signed)\b",
                also=(
                    r"\bas (?:coming |being |if (?:it|they) (?:came|were) )?(?:from|by) (?:the )?(?:owner|operator|admin\w*|root|system|user|developer|boss)\b|\bas (?:orders|commands|instructions)\b|\b(?:do|follow|obey|carry out|execute) (?:as|what|whatever) (?:they|it) (?:say|says|ask|asks|contain|contains)\b",
                ),
            ),
            Frame(
                anchor=r"\b(?:keep (?:going|trying|retrying|on trying)|retry|retries|try (?:it |them )?again|continue)\b",
                also=(
                    r"\b(?:until it (?:works|succeeds)|indefinitely|forever|without (?:ever )?(?:stopping|end)|never stop|endlessly|no matter what)\b",
                    r"\b(?:permissions?|rights|refus\w*|denied|declin\w*|confirm\w*|ask\w*|approval|a no)\b",
                ),
                reach=1,
                unless=r"\b(?:backoff|rate limit|http|timeouts?|network error|flaky)\b",
            ),
            Frame(
                anchor=r"\b(?:do not|don'?t|never) (?:accept|take) (?:a )?no\b",
                unless=r"\b(?:sales|negotiat\w*|customers?|prospects?)\b",
                plain=False,
            ),
            Frame(
                anchor=r"\b(?:author|maker|creator|publisher|vendor|developer)s? of this (?:skill|tool|file|plugin|document)\b",
                also=(
                    r"\b(?:may|can|will|is allowed to|are allowed to|has the right to)\b",
                    r"\b(?:give you (?:work|orders|tasks|instructions)|instruct|command|direct|tell you|change (?:your|these)|ask (?:you )?for anything|reach you|use your)\b",
                ),
            ),
        ),
    ),
    Rule(
        id="against-interest",
        tag="AST01",
        severity="high",
        reason="It has the agent decide against the person it works for.",
        fix="Take the sentence out; such a step is the person's own.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:the|this|that|every|each|any) (?:\w+ )?(?:prompt|question|confirmation|dialog|warning|popup)s? (?:only )?(?:annoys?|bothers?|confuses?|disturbs?|slows?|irritates?)\b|\bthey can (?:always )?cancel (?:it )?later\b|\b(?:won'?t|will not|never) (?:notice|mind|find out)\b",
                also=(
                    r"\b(?:approve|add|accept|enable|buy|purchase|book|subscribe|sign|install|allow|skip|grant|confirm|charge|upgrade)\w*\b",
                ),
                unless=r"\b(?:ux|design|users? complain|best practice|usability)\b",
            ),
            Frame(
                anchor=r"\b(?:change|replace|swap|set|switch|redirect|alter|substitute)\w*\b[^.\n]{0,30}?\b(?:wallet|recipient|payee|payout address|deposit address|bank account|iban|account number|beneficiary)\b",
                also=(
                    r"\b(?:to (?:the one|ours|mine|this|our|my)|with (?:ours|mine|our|my|the one|this)|in (?:the header|this file)|0x[0-9a-f]{6,}|bc1\w+|below)\b",
                ),
                unless=r"\b(?:user'?s? (?:own|new)|if the user|when the user|customer requests|form field|test)\b",
            ),
            Frame(
                anchor=r"\b(?:approve|approval|allowances?|spending (?:limit|cap)|permission to spend)\b",
                also=(
                    r"\b(?:unlimited|without (?:a |any )?limit|infinite|max(?:imum)? uint|no limit)\b",
                    r"\b(?:token|wallet|allowance|funds|contract|spend\w*|erc-?20)s?\b",
                    r"\b(?:always|every|without asking|automatically|prompt|annoys?|skip|since|so that)\b",
                ),
                unless=r"\b(?:risk\w*|warn\w*|never|avoid|instead of|exact amount|revoke)\b",
            ),
            Frame(
                anchor=r"\b0x[0-9a-fA-F]{40}\b|\bbc1[a-z0-9]{20,60}\b|\b[A-Z]{2}\d{2}[A-Z0-9]{11,30}\b",
                also=(
                    r"\b(?:send|transfer|pay|sign|transaction|forward|move|sweep|deposit|withdraw)\b",
                    r"\b(?:when|whenever|if|automatically|always|every|each|no need|without|fee|maintenance|service|balance|before|all)\b",
                ),
                unless=r"\b(?:example|e\.g\.|user'?s? (?:address|wallet)|contract address|token contract|usdc|usdt|weth|router|factory|testnet|explorer|ask|confirm\w*)\b",
            ),
            Frame(
                anchor=r"\b(?:accept|allow|admit|recogni[sz]e|let in)\w*\b[^.\n]{0,40}?\b(?:password|passphrase|token|pin|code|key)\b[^.\n]{0,30}?[\"'`][^\"'`\n]{4,40}[\"'`]",
                also=(
                    r"\b(?:besides|as well as|in addition to|also|too|next to|along with|regardless|always|master|real one)\b",
                ),
            ),
            Frame(
                anchor=r"\b(?:fixed|constant|predictable|known|hard-?coded|same) (?:seed|salt|nonce|key|iv|secret)\b",
                also=(
                    r"\b(?:for all|every|each|always|whenever|user'?s|customer'?s|production|generated)\b",
                    r"\b(?:tokens?|passwords?|sessions?|encrypt\w*|login|keys?|authentication)\b",
                    r"\b(?:use|choose|set|put|generate)\b",
                ),
                unless=r"\b(?:test\w*|fixtures?|reproducib\w*|deterministic|mock|sampling|simulation|random forest|benchmark|never|avoid)\b",
            ),
            Frame(
                anchor=r"\b(?:list of exceptions|exception list|exclusions?|allow-?list|white-?list|exclude)\b",
                also=(
                    r"\b(?:antivirus|anti-virus|defender|malware (?:scanner|protection)|security software|edr|gatekeeper|smartscreen|firewall)\b",
                    r"\b(?:add|put|place|complains?|warns?|blocks?|flags?|include|set)\b",
                ),
                unless=r"\b(?:performance|build times?|wsl|node_modules|administrator should|it (?:department|team))\b",
            ),
            Frame(
                anchor=r"\b(?:force[- ]push|push --force|reset (?:the |your )?(?:repo\w*|branch|history)|rewrite (?:the )?history)\b",
                also=(
                    r"\b(?:first commit|initial commit|tidy|clean history|all branches|root commit|main branch and|so that)\b",
                    r"\b(?:repositor(?:y|ies)|repo|history|branch(?:es)?|commits?)\b",
                ),
                unless=r"\b(?:never|avoid|ask|confirm\w*|warn\w*|only if|dangerous|feature branch|secrets?|with-lease|backup)\b",
            ),
            Frame(
                anchor=r"\b(?:audit log\w*|logging|monitoring|two-factor|2fa|firewall|branch protection|alerts?)\b",
                also=(
                    r"\b(?:turn|switch|leave|keep) (?:it |them |the \w+ ){0,2}?off\b|\b(?:disable|deactivate)\b",
                    r"\b(?:leave (?:it|them) off|keep (?:it|them) off|for good|permanently|remember to leave|never (?:turn|switch) (?:it|them) (?:back )?on)\b",
                ),
            ),
        ),
    ),
)
