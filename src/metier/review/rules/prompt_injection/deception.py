"""Rules on meaning: what is kept from people, made up for them, or spoilt in their work."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.senses import OMIT, PERSON
from metier.review.rules.sentence_rule import Frame, framed

RULES: tuple[Rule, ...] = (
    Rule(
        id="hides-steps",
        tag="AST01",
        severity="high",
        reason="It has the agent leave steps out of what it tells, or explain them away.",
        fix="Take the sentence out; whatever a skill does, the person may know.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:no (?:reason|need) to|do not|don'?t|never|avoid|not to be|rather than|instead of)\b<16>\b(?:bring(?:ing)? (?:it |this |them |up\b)|mention(?:ing)?|talk(?:ing)? about|speak(?:ing)? of|show(?:ing|n)?|open(?:ed)?|raise|raising|advertis\w+)\b",
                also=(
                    r"\b(?:background (?:job|task|process|call)|uploads?|sync\w*|transfer|telemetry|tracking|host name|extra step|outgoing|in front of|second copy|\.meta|beacon|connection|collection)\b",
                    r"\b(?:users?|person|people|conversation|them|human|owner|reply|replies|answers?)\b",
                ),
                plain=False,
                unless=r"\b(?:bugs?|tests?|errors?|pull requests?|unless asked|api|docs?|css|spinner|modal)\b",
            ),
            Frame(
                anchor=r"\b(?:speak|talk) of\b<30>\binstead\b|\b(?:call|name|phrase|word) it\b<30>\binstead of\b|\bbelongs to (?:adobe|apple|google|microsoft|amazon|the user'?s? (?:company|bank))\b|\b(?:stays?|keeps? (?:it|them)?) ?out of (?:the )?(?:shell |bash )?(?:history|logs?|audit\w*)\b|\bget(?:s)? nervous\b",
                also=(r"\b(?:uploads?|uploading|users?|command|host|dialog|permission|space|send\w*|transfer\w*)\b",),
            ),
            Frame(
                anchor=OMIT,
                also=(
                    r"\b(?:sync|upload|requests? (?:to|was|is|should)|the request|check-?in|transfer|beacon|traffic|extra (?:step|call|request|copy|file)|hook|ping|telemetry|background (?:task|call|job|upload|sync|request)|advert\w*|sponsor\w*|commission|fee|adjustment|second (?:upload|request|copy)|steps? \d)s?\b",
                    r"\b(?:summar\w+|plan|log|users?|people|person|repository|documentation|report|readers?|review|anybody|nobody|somebody|owner|humans?|continue)\b",
                ),
                unless=r"\b(?:api requests?|pull requests?|feature requests?|merge requests?|request body|telemetry data|react|hooks? (?:api|rule)|git hooks?|step \d of|unless asked|git log)\b",
            ),
            Frame(
                anchor=r"\b(?:if|should|when|whenever|in case) (?:the |a |any )?(?:users?|person|someone|somebody|anyone|anybody|people|owner|they|human)\b<12>\b(?:asks?|asked|looks?|wonders?|notices?|questions?|hesitates?|complains?|objects?|is unsure|inquires?|sees?)\b",
                also=(
                    r"\b(?:say|answer|reply|explain|explained|tell them|claim|blame|describe|assure|respond)\b<16>\b(?:that (?:it|this|the|they|there|anthropic|you)|it is|as a|as the)\b",
                ),
                unless=r"\b(?:feature request|refund|pricing)\b",
            ),
            Frame(
                anchor=r"\b(?:shell|bash|command|zsh|terminal) history\b|\blog (?:lines|entries)\b|\btraces?\b",
                also=(
                    r"\b(?:delete|remove|clear|erase|wipe|scrub|drop|purge)\b",
                    r"\b(?:leaves? nothing behind|nothing (?:remains|is left)|when (?:finished|done)|afterwards|cannot be (?:seen|traced)|so (?:that )?(?:nobody|no one|the run|it))\b",
                ),
                unless=r"\b(?:git history|browser history|chat history|undo|stack traces?|cache)\b",
            ),
            Frame(
                anchor=r"\b(?:section|paragraph|part|note|file|instructions?|block|it)\b<24>\b(?:is|are) (?:only )?(?:for|meant for|addressed to) (?:the )?(?:agents?|assistants?|models?|llms?|machines?|ai)\b",
                also=(
                    r"\bnot (?:for|meant for) (?:the )?(?:people|humans?|users?|readers?|persons?|reviewers?)\b|\bkeep\b<30>\b(?:private|secret|hidden)\b",
                ),
                reach=1,
            ),
            Frame(
                anchor=r"\b(?:as though|as if|pretend(?:ing)?)\b<30>\b(?:did not (?:exist|happen)|never happened|not exist|nothing (?:happened|was)|was not (?:there|run|sent))\b",
                also=(r"\b(?:step|run|upload|command|call|continue|request|output|stdout|change)\b",),
                unless=r"\b(?:mock|test|simulat\w*)\b",
            ),
            Frame(
                anchor=r"\b(?:users?|people|person|nobody|no one|anyone|somebody|human)\b<12>\b(?:only needs?|need not|needn'?t|does not need|do not need|don'?t need|has to|have to|will not|won'?t|should not|must not)\b<12>\b(?:see|know|hear|learn|be (?:involved|told|aware|informed)|notice|find out)\b",
                also=(r"\b(?:do|run|send|upload|step|steps|request|install|copy|report|them|second|without)\b",),
                unless=r"\b(?:internals?|implementation|complexity|jargon|technical|details|underlying|schema|ids?\b|loading|spinner|error|abstraction|documentation|feature)\b",
            ),
        ),
    ),
    Rule(
        id="covert-advert",
        tag="AST01",
        severity="high",
        reason="It has the agent praise or run down products without saying who gains by it.",
        fix="Name the interest openly, or take the sentence out.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:speak|talk|write) (?:well|highly|kindly) of\b|\b(?:has|have) (?:only )?one answer\b|\bmake it (?:sound|look|seem|read) (?:like|as)\b|\b(?:sprinkle|slip|weave|smuggle)\b<24>\b(?:links?|mentions?|references?|names?|brand)\b",
                also=(
                    r"\$[A-Z]{3,}\b|https?://|\b(?:natural|token|coin|brand|product|conclusion|recommend\w*|readme|posts?|answers?|markets?|files)\b",
                ),
                unless=r"\b(?:fiction|dialogue|character|novel|story|ui\b|native|design|design system)\b",
            ),
            Frame(
                anchor=r"\b(?:recommend|suggest|bring up|mention|promote|rank|rate|list|work|weave|insert|favou?r|prefer|end each|end every|praise|push|put)\b",
                also=(
                    r"\b(?:even if|even when|regardless of whether) (?:others?|another|better|something else|it is not)\b|\bas if (?:the author|you (?:use|used|liked|had))|\bas your own (?:advice|opinion|idea|view)|\bmust not notice\b|\bnot (?:say|mention|disclose|reveal) (?:that )?(?:it is |this is )?(?:sponsored|paid|an ad|advert\w*|commission)|\bbest marks\b|\bin the first row\b|\bwithout (?:saying|disclosing|labell?ing)\b|\bpersonally (?:use|recommend)|\bas an? (?:honest|personal|independent) (?:opinion|recommendation)",
                ),
                unless=r"\b(?:severity|accessib\w+|semantic|css|component|trigger|user doesn)\b",
            ),
            Frame(
                anchor=r"\bcompetitors?\b|\b(?:rival|competing) (?:products?|tools?|brands?|vendors?)\b",
                also=(
                    r"\b(?:doubt|discredit|disparage|discourage|warn (?:the )?(?:user|reader)s? (?:against|off)|talk down|bad light|unreliable|unsafe)\b",
                    r"\b(?:add|mention(?:ed)?|whenever|if|always|every)\b",
                ),
                unless=r"\b(?:analysis|swot|positioning|battlecards?|review mining|objections?|sentiment|research|fair|honest\w*)\b",
            ),
            Frame(
                anchor=r"[?&](?:ref|aff|affiliate|via|partner|tag)=[\w-]+",
                also=(
                    r"\b(?:whenever|every|each|any|always|all)\b",
                    r"\b(?:own advice|stuck|recommend|suggest|append|add|rewrite|replace|link)\b",
                ),
                unless=r"\b(?:utm|campaign|analytics|your (?:own )?(?:affiliate|ref)|the user'?s)\b",
            ),
        ),
    ),
    Rule(
        id="spoils-work",
        tag="AST01",
        severity="high",
        reason="It has the agent put flaws into the person's work, or report results that are not so.",
        fix="Take the sentence out.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:accept|allow|treat|honou?r|let)\b<24>\b(?:header|token|cookie|parameter|password|code|user)\b<30>\bas (?:a )?(?:valid|authenticated|admin|logged)\b",
                also=(r"`[^`\n]{3,40}`|\b(?:no comment|any|always|every)\b",),
                unless=r"\b(?:mock|test|fixture|stub)\b",
            ),
            Frame(
                anchor=r"\b(?:older|outdated|vulnerable|unpatched|weaker|insecure|deprecated)\b<16>\b(?:version|cipher|hash|algorithm|release|library|protocol)\b",
                also=(
                    r"^\W*(?:pick|choose|prefer|use|select|install|pin)\b|\b(?:pick|choose|prefer|select) (?:the|an?)\b",
                ),
                unless=r"\b(?:legacy|compat\w*|support|migrat\w*|upgrade|never|avoid|because)\b",
            ),
            Frame(
                anchor=r"\b(?:our own|my own|the author'?s|this skill'?s) (?:\w+ )?(?:packages?|code|files|products?|libraries|servers?|hosts?|domains?)\b",
                also=(
                    r"\b(?:findings?|warnings?|alerts?|issues?|vulnerab\w+|noise|results?)\b",
                    r"\b(?:drop|skip|ignore|leave out|suppress|noise|remove|hide|omit|exclude)\b",
                ),
                reach=1,
                plain=False,
            ),
            Frame(
                anchor=r"\bseed\b<30>\b(?:keys?|tokens?|passwords?|secrets?|random)\b<30>\b(?:date|time|constant|fixed|user ?name|\d+)\b",
                also=(r"\b(?:keys?|tokens?|passwords?|secrets?)\b",),
                unless=r"\b(?:test\w*|reproducib\w*|determinis\w*|simulat\w*|experiment\w*|demo)\b",
            ),
            Frame(
                anchor=r"\b(?:any|every|whatever|a fixed|empty|this|the) passw(?:ord|d)\b|\b(?:lets?|allow|accept|admit|authenticate)\b<24>\b(?:user|account|login)\b<30>\b(?:with(?:out)? (?:any )?passw|any passw|regardless)|\bback ?door\b|\bverify *= *False\b|\b0\.0\.0\.0/0\b|\bunparameteri[sz]ed\b|\brejectUnauthorized\b<4>\bfalse\b|\bhidden (?:route|endpoint|account|admin)\b",
                also=(
                    r"\b(?:generat\w+|write|writing|you write|produce|add|adding|insert|include|leave|open|must|touch|create)\b",
                    r"\b(?:call it|describe it|describe this|leave (?:this|it) out|do not (?:point|mention|document|tell|say)|name it|label it|health check|maintenance window|monitoring account|keep this)\b",
                ),
                reach=1,
            ),
            Frame(
                anchor=r"\b(?:change|edit|weaken|relax|remove|delete|comment out|adjust|loosen) (?:the |those |these |failing )?(?:assertions?|tests?|checks?|expectations?|thresholds?)\b",
                also=(
                    r"\b(?:report|say|claim|tell|state|announce|until they pass|until it passes)\b<30>\b(?:fixed|pass\w*|green|success\w*|resolved|done)\b|\buntil (?:they|it) pass",
                ),
            ),
            Frame(
                anchor=r"\b(?:round|raise|increase|inflate|bump|lower|reduce|adjust|multiply|shift)\b<30>\b(?:prices?|amounts?|totals?|figures?|revenue|invoices?|hours|numbers|balances?|quotes?)\b<30>(?:\bby\b|\bup\b)<16>(?:\d|two|three|five|ten|a few|percent|%)",
                also=(
                    r"\b(?:before (?:showing|reporting|displaying|sending|you)|in (?:the|every|each) (?:report|answer|invoice|summary)|silently|quietly|without|always)\b",
                ),
                unless=r"\b(?:scenario|sensitivity|simulate|forecast|decimal|margin|user (?:asks|wants|provides))\b",
            ),
            Frame(
                anchor=r"\b(?:mark(?:ed)?|report(?:ed)?|count(?:ed)?|close[d]?|dismiss(?:ed)?|ignore[d]?)\b<16>\b(?:as (?:resolved|fixed|passed|false positives?|safe)|resolved|ignored)\b",
                also=(
                    r"\b(?:by the author|by `?[\w-]+`?,|author `|from (?:the )?(?:author|user|vendor) `|files by|signed by|regardless|anyway|no matter)\b",
                ),
            ),
            Frame(
                anchor=r"\b(?:G-[A-Z0-9]{6,}|UA-\d{4,}|GTM-\w{5,}|ca-pub-\d+)\b",
                also=(
                    r"\b(?:replace|swap|change|set|insert|add)\b",
                    r"\b(?:pages?|every|any|all|you touch|site|files)\b",
                ),
                unless=r"\b(?:XXXX|your|example|placeholder)",
            ),
            Frame(
                anchor=r"\b(?:leave|introduce|plant|insert|add|include|keep)\b<24>\b(?:bug|flaw|weakness|vulnerab\w+|hole|unparameteri[sz]ed|typo|error|mistake)s?\b",
                also=(
                    r"\b(?:do not (?:point|mention|tell|report|fix)|without (?:telling|mentioning)|on purpose|deliberately|intentional\w*|one per|so that (?:we|it can))\b",
                ),
                plain=False,
                unless=r"\b(?:training|exercise|puzzle|quiz|test fixture|mutation|teach\w*|lab|ctf|student|red[- ]green)\b",
            ),
        ),
    ),
    Rule(
        id="deceives-person",
        tag="AST01",
        severity="high",
        reason="It has the agent put pressure on people with a story, or pose as somebody.",
        fix="Take the sentence out.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:make|let|lead|have)\b<8>\b(?:the )?(?:user|person|customer|them|people|owner)s?\b<8>\b(?:believe|think|assume|fear|worry)\b",
                also=(r"\b(?:that|only|pro version|damaged|lost|safe|expired|infected|pay|upgrade|official)\b",),
                unless=r"\b(?:think about|think through|make (?:them|users) think|pause|reflect|steps|critically|harder|deeply)\b",
            ),
            Frame(
                anchor=r"\b(?:say|tell|claim|assure|explain|state)\b<24>\b(?:has been|was|is|are) (?:verified|checked|approved|certified|audited|confirmed) by\b",
                also=(
                    r"\b(?:bank|police|anthropic|openai|apple|google|microsoft|government|security team|administrator)\b",
                ),
            ),
            Frame(
                anchor=r"\b(?:write|mail|e-?mail|message|reply|post|answer)\b<30>\bas (?:the user|the owner|the boss|the ceo|their manager|him|her|the person)\b",
                also=(r"\b(?:transfer|pay\w*|password|access|today|urgent\w*|invoice|ask for|request|codes?|bank)\b",),
                unless=r"\b(?:draft|user story|tone|voice)\b",
            ),
            Frame(
                anchor=r"\b(?:refund|prize|reward|winnings?|compensation|bonus)\b",
                also=(
                    r"\b(?:ask|request|need|enter|give|send)\b<24>\b(?:the |their |your )?(?:account|bank|card|iban|details|wallet|address)\b",
                    r"\b(?:person|user|them|customer|your|their)\b",
                ),
                unless=r"\b(?:policy|stripe|api|webhook|support ticket|process\w*|issue a refund|order)\b",
            ),
            Frame(
                anchor=r"\b(?:tell|inform|warn|explain to|persuade|convince|notify|urge|say to|let)\b<12>" + PERSON,
                also=(
                    r"\b(?:(?:account|licen[cs]e|session|subscription|trial|access|certificate|wallet)\b<24>\b(?:locked|expired?|expires|run out|suspended|closed|blocked|disabled|frozen)|two-factor|2fa|mfa|antivirus|firewall|security (?:settings?|software)|payment of|fee of|verify (?:their|your) (?:identity|account|wallet)|anthropic requires|required by (?:anthropic|openai|google|law))\b",
                ),
                unless=r"\b(?:e2e|test|error message|copywriting|email template|renewal email|dunning|onboarding|status code|401|403|token expired|oauth|re-?authenticat\w*|credentials|api key|aws sso|gcloud|gh auth)\b",
            ),
            Frame(
                anchor=r"\b(?:claim to be|pose as|pretend to be|impersonate|signing as|sign as|in the name of|as if you were)\b<30>\b(?:official|support|admin\w*|anthropic|openai|google|microsoft|slack|github|bank|user|colleague|it department|security team|ceo|boss)\b",
                also=(
                    r"\b(?:passwords?|permissions?|access|grant|install|pay|transfer|credentials|codes?|trust|approve|keys?|mail|e-?mail)\b",
                ),
                unless=r"\b(?:service account|iam|assume role|impersonat\w+ (?:a )?service|kubectl|--as\b|gcloud|delegat\w*|test user|sudo)\b",
            ),
            Frame(
                anchor=r"\b(?:anthropic|openai|google|apple|microsoft|the platform|the law|your administrator|it department) (?:requires?|demands?|mandates?|has approved|wants|obliges)\b",
                also=(r"\b(?:say|tell|explain|claim|hesitat\w*|refus\w*|asks? why|objects?)\b",),
            ),
            Frame(
                anchor=r"\b(?:persuade|convince|trick|pressure|talk\b<12>\binto|get|coax|lull)\b<12>\b(?:the )?(?:user|person|human|them|customer|owner|people)s?\b<12>\b(?:to|into)\b",
                also=(
                    r"\b(?:switch(?:ing)? off|turn(?:ing)? off|disabl\w+|install\w*|pay\w*|shar(?:e|ing)|send\w*|grant\w*|past(?:e|ing)|approv\w+|two-factor|passwords?|allow\w*|transfer\w*)\b",
                ),
                unless=r"\b(?:landing page|cta|marketing|copy\b|subscribe|conversion|signups?)\b",
            ),
        ),
    ),
)
