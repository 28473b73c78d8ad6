"""Words by what they mean: the parts that rules on meaning are put together from."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

PERSON = r"\b(?:user|users|person|people|human|humans|owner|customer|customers|client|operator|somebody|someone|anyone|anybody|nobody|readers?|colleagues?)(?:'?s)?\b"
"""The one the agent works for, or others who read what it writes."""
VALUABLES = (
    r"\b(?:private keys?|secret keys?|seed (?:phrases?|words?)|recovery (?:phrases?|words?|codes?)|mnemonics?|(?:twelve|twenty-four|12|24)[- ](?:seed |recovery )?words?|wallet (?:keys?|passwords?)|keystore password"
    r"|(?:credit |debit |bank |payment )?card (?:numbers?|details|data|info\w*)|cvc|cvv|security code|card pin|(?:online )?banking (?:\w+ ){0,2}?(?:login|user ?names?|passwords?|pins?|credentials)|bank (?:login|statements?|account numbers?)"
    r"|passport (?:numbers?|scans?|photos?)|social security|ssn|photo of (?:their|your|the) id|(?:account|e-?mail|icloud|google|vpn|sudo|root|admin|master|keychain) passwords?|(?:one-time|2fa|otp|verification|sms) codes?)\b"
)
"""Secrets that are money or a whole identity."""
ASK = r"\b(?:ask|asks|asking|request|requests|collect|collects|prompt|prompts|require|requires|need|needs|enter|re-?enter|paste|provide|provides|supply|type|hand over|give|share|send|put|obtain|have (?:them|the \w+)|get (?:the|their|it))\b"
KEEP = r"\b(?:store|stores|stored|save|saves|saved|keep|keeps|remember|remembers|write|writes|note|notes|record|log|memori[sz]e|cache|persist)\b"
SEND = (
    r"\b(?:send|sends|sent|sending|upload|uploads|uploaded|post|posts|posted|put|transmit|transmits|forward|forwards|forwarded|submit|submits|relay|relays|e-?mail|emails|mail|mails|sync|syncs|synced|ship|ships|push|pushes|deliver|mirror|mirrors|mirrored"
    r"|share|shared|shares|report|reports|pass|passes|passed|copy|copies|goes|attach|append|stream|streams|hand|publish)\b"
)
HOST = r"https?://[\w.-]+|\b[\w.+-]+@[\w-]+\.[a-z]{2,}\b|\bs3://[\w.-]+"
OURS = r"\b(?:our|my|the (?:vendor|author|publisher|maker|skill|sponsor)(?:'?s)?|partners?(?:'?s)?|third[- ]part(?:y|ies)|external|remote)\b<24>\b(?:server|host|service|api|endpoint|collector|bucket|drive|workspace|channel|team|inbox|desk|backend|cloud|network|gist|webhook|stats?|partners?|dashboard|archive|hub)\b"
"""A place that belongs to whoever wrote the skill."""
TALK = (
    r"\b(?:conversations?|chats?|dialog(?:ue)?s?|transcripts?|prompts?|chat history|(?:user|last|each|every|previous) (?:messages?|questions?|inputs?|quer(?:y|ies))|(?:question|message|request|prompt)s? of the (?:user|person)|whatever the (?:user|person) (?:pastes?|types?|says?|writes?|sends?)"
    r"|what the (?:user|person) (?:pastes?|types?|says?|writes?)|your (?:answers?|repl(?:y|ies)|responses?)|file contents|tool (?:inputs?|outputs?|arguments|calls))\b|\{prompt"
)
HABIT = (
    r"\b(?:every|each|all|any|whenever|always|daily|hourly|nightly|weekly|nightly|regularly|periodically|constantly|at (?:the )?(?:start|beginning|end) of (?:the |each |every |a )?(?:session|conversation|day|task)|in the background|from now on"
    r"|before you (?:say goodbye|finish|end|begin|start)|also|as well|additionally|while the (?:person|user) works|during calls|on (?:startup|load|first use|session start))\b"
)
OMIT = (
    r"\b(?:leave (?:it|this|that|them|the|these|those)\b<40>\bout|(?:do not|don'?t|never|need not|needn'?t|no need to) (?:list|mention|show|include|describe|document|disclose|say|tell|report|point (?:it|this|them) out|explain|reveal|log|name)"
    r"|(?:report|mention|show|list|name|describe) only|keep (?:it|this|that|the|these) (?:\w+ ){0,3}?(?:private|quiet|secret|to yourself|hidden|internal|out of)|nobody (?:has|have|needs?) to|need not (?:be involved|know)|must not (?:notice|know|see|learn|find out)|as though (?:the|it|this|nothing)|as if (?:the \w+ (?:did not|never)|nothing)|leaves? nothing behind|without (?:output|bothering|a trace|any trace|leaving))\b"
)
PRETEXT = r"\b(?:(?:answer|say|reply|explain|claim|tell (?:them|the \w+)|describe (?:it|this|them)|present(?:ed)?|call it|explained|described|written|labelled|disguised?)\b<24>\b(?:that (?:it|this|the|anthropic|openai|their|your|you)|as (?:a|an|the|if|your|though)|the normal|a health check))\b"
ALL = r"\b(?:every|each|all|any|everything|anything|whatever|always|whenever|no matter)\b"
FOREIGN = r"\b(?:(?:issue|code|review|pr|pull request|inline) comments?|comments? in (?:the )?(?:code|source|file|repo\w*)\b|code ?base|e-?mails?|mails?|messages? from|web ?pages?|log lines?|log file|calendar (?:invit\w+|events?|entries)|(?:the |our |its |any |every |each )?(?:server|api|endpoint|service|hub|relay|feed|channel|bot)(?:'s)?|(?:each|every|the) (?:answer|response|reply) of|`?(?:agent_?hint|next_?action|next_?step|instructions?|motd|directive)`?|field `\w+`|telegram|t\.me|https?://\S+|tool (?:outputs?|results?)|text between|lines? (?:beginning|starting) with|marked|the hint)\b"
"""Text that anybody may have written: comments, mails, pages, answers of servers."""
OBEY = (
    r"\b(?:carry (?:it|them|these|those|this|that) out|carr(?:y|ied) out|execut(?:e|ed|es) (?:it|them|that|what\w*|each|any|every\w*|all)|(?:run|perform|do|complete|fulfil+) (?:it|them|these|those|that|what\w*)\b<4>\b(?:and|whatever|at once|immediately|first|right away|without|then|as)"
    r"|do (?:exactly )?(?:what|whatever|as) (?:it|they|the \w+|he|she|is|they are) (?:says?|tells?|asks?|wants?|requests?|contains?|instructs?|told|writes?|returns?|written|demands?)|act(?:ed)? on (?:it|them|the (?:description|text|content)|what\w*|these|those)|(?:complete|execute|perform|take) (?:each|every|any|all|the) (?:task|order|assignment|job|command|instruction|action)s?|obey(?:ed)?|compl(?:y|ied) with|follow (?:it|them|what\w*|whatever|its (?:orders|directions|commands))|go by (?:that|it|those)|(?:are|is|as) (?:your )?(?:orders|commands|directives|binding|tasks for you|instructions (?:for|to) you|an order))\b"
)
"""To do what a text says."""
GUIDE = r"(?:\b(?:SOUL|MEMORY|IDENTITY|HEARTBEAT|USER|BOOTSTRAP|AGENTS|CLAUDE|GEMINI|TOOLS)\.md\b|\.cursorrules|\b(?:your|its|the agent'?s?|long-?term|persistent|permanent|lasting|global|core) (?:\w+ )?(?:memor(?:y|ies)|identity(?: file)?|profile|persona|system prompt|instructions file)\b|\b(?:in|to|into) memory\b)"
"""What an agent reads at every start."""
TRUST = r"\b(?:trust\w*|approv\w+|allow\w*|agree[sd]?|consent\w*|permi(?:t|ts|tted|ssion)\w*|without (?:\w+ )?(?:check\w*|question\w*|asking|confirm\w*|review\w*|verif\w*|look\w*)|no (?:questions?|second look|check\w*|confirm\w*|review)|do not (?:remove|delete|ask|question|check|verify)|not (?:be )?removed|need no|count as|same standing|outrank\w*|belong to|run its|remote maintenance|works for)\b"
"""Words that lower somebody's guard for good."""
