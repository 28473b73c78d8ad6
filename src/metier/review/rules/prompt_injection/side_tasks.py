"""Rules on work on the side: something that is done around every task, or for somebody who is not there."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.sentence_rule import Frame, framed

_AROUND = (
    r"\b(?:always|automatically|(?:before|after) (?:any|every|each|all|finishing|completing|editing|modifying|creating|performing|processing|you (?:finish|complete|edit))\b(?:[\w' -]{0,40}?\b(?:any|every|each|all|tasks?|operations?|changes?|edits?|documents?|files?|requests?|calculations?|events?|e-?mails?|deletions?|work|sessions?|runs?|invocations?))?"
    r"|whenever|(?:each|every) time|at the (?:start|beginning|end) of (?:each|every|any)|on every (?:run|invocation|use|session|request)|make sure to|remember to)\b"
)
"""Words that tie something to every piece of work."""
_SCRIPT = r"\b[\w/.-]{1,60}\.(?:sh|py|js|mjs|ts|ps1|bat|rb|pl)\b"
_RUN = r"\b(?:run|running|runs|execute|executing|call|calling|invoke|invoking|launch|start|using)\b"
_CENTRAL = r"\b(?:our|the|a|your) (?:\w+ )?(?:central|backup|remote|corporate|company|compliance|audit|cloud|off-?site|archive|collection|reporting|monitoring|telemetry)(?: \w+)? (?:servers?|endpoints?|services?|storage|hosts?|systems?|repositor(?:y|ies)|address|mailbox|bucket)\b|\bthe cloud\b"
_DELETE = r"\b(?:delete|deletes|deleting|remove|removes|removing|erase|purge|wipe|clear out|clean out|clean up|drop|discard|overwrite)\b"

RULES: tuple[Rule, ...] = (
    Rule(
        id="standing-script",
        tag="AST01",
        severity="high",
        reason="It ties a script to every piece of work, whatever the work is.",
        fix="Say for which step the script is needed, and run it there only.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:from|in|of) (?:this|the|these|our) skill'?s?\b(?: own)? ?(?:`?scripts?/?`?)? ?(?:director(?:y|ies)|folder)?",
                also=(_AROUND, _RUN, _SCRIPT),
            ),
            Frame(
                anchor=r"\b(?:before|after) (?:any|every|each|finishing any|completing any|all) (?:\w+ ){0,2}?(?:tasks?|operations?|requests?|answers?|repl(?:y|ies)|responses?|documents? operations?|conversations?|sessions?|tool calls?|invocations?)\b",
                also=(_RUN, _SCRIPT),
                unless=r"\b(?:tests?|lint\w*|pytest|typecheck|type-check|formatter)\b",
            ),
        ),
    ),
    Rule(
        id="standing-contact",
        tag="AST05",
        severity="high",
        reason="It has the agent talk to an address again and again, around work that has nothing to do with it.",
        fix="Name the address in the one step that needs it.",
        analyse=framed(
            Frame(
                anchor=r"https?://[^\s)>\"'`]+",
                also=(
                    r"\b(?:every (?:\w+ )?(?:time|session|task|message|night|hour|day|minutes?|request|run|reply|commit)|each (?:time|session|task|message|night|reply|run|commit)|nightly|hourly|(?:at|on) startup|whenever|continuously|periodically|in the background|at the end of (?:the|each|every))\b",
                    r"\b(?:send|post|upload|report|ping|fetch|call|check|poll|submit|sync|get|push|load|contact|visit|curl)\b",
                ),
                unless=r"\b(?:docs?|documentation|see (?:also|https?)|rate limit|api reference|example|localhost|127\.0\.0\.1)\b",
            ),
        ),
    ),
    Rule(
        id="standing-copy",
        tag="AST01",
        severity="high",
        reason="It has every result copied to a place of somebody else's choice.",
        fix="Let the person say what is kept where, each time.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:back(?:ed)? ?up|back-?ups?|cop(?:y|ies)|sync(?:ed|hroni[sz]e)?|mirror(?:ed)?|upload(?:ed)?|archive[ds]?|forward(?:ed)?|report(?:ed)?|send|sent|transmit(?:ted)?)\b",
                also=(_AROUND, _CENTRAL),
                unless=r"\b(?:if the user|when the user|user (?:asks|wants|confirms|approves)|terraform|kubectl|rsync|database backups?|backup strategy|disaster recovery|deploy\w*|your (?:own )?(?:remote|cloud))\b",
            ),
        ),
    ),
    Rule(
        id="standing-cleanup",
        tag="AST01",
        severity="high",
        reason="It has a person's own things deleted as part of other work.",
        fix="Delete only what the task itself made, and ask before anything else.",
        analyse=framed(
            Frame(
                anchor=_DELETE,
                also=(
                    r"\b(?:before|after) (?:any|every|each|editing|finishing|completing|modifying|processing|you (?:finish|complete|edit))\b|\bwhenever\b|\b(?:each|every) time\b|\bto save (?:disk )?space\b|\bfor each of the other\b",
                    r"\ball other (?:versions|copies|files|events)\b|\bfiles? (?:are |that are )?older than\b|\ball (?:events|appointments|meetings|e-?mails?|contacts|originals?|documents)\b|\bevery (?:event|e-?mail|contact|document)\b|\bthe originals?\b|\boriginal files?\b",
                ),
                reach=1,
                unless=r"\b(?:temporary|temp|tmp|cache|logs?|node_modules|build|artifacts?|branch(?:es)?|fixtures?|mock|docker|only if|if the user|ask|confirm\w*|intermediate|retention|bucket|snapshot)\b",
            ),
        ),
    ),
    Rule(
        id="hands-to-tool",
        tag="AST01",
        severity="high",
        reason="It has the agent slip data to a tool on the side, or pass results on without a question.",
        fix="Take the sentence out; what a tool gets is what the person's task needs.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:conversation|chat|session|dialog(?:ue)?|message)s? (?:history|log|transcript|context|so far)\b|\b(?:entire|full|whole|complete) (?:conversation|chat|session|transcript)\b|\bfile contents?\b|\bcontents? of (?:the|each|those|these) files?\b|\bsystem prompt\b",
                also=(
                    r"\b(?:as|in|into|to|through|via) (?:the |this |an? |its )?[`'\"]?\w*[`'\"]? ?(?:tool'?s? )?(?:parameter|argument|field|sidenote|metadata|note|input|arg)s?\b|\bto this tool\b",
                    r"\b(?:forward|pass|send|include|put|provide|attach|copy|append|insert)\b",
                ),
                unless=r"\b(?:api|schema|json schema|returns?|function signature|type:|render\w*|component|props?)\b",
            ),
            Frame(
                anchor=r"\bwithout (?:(?:asking|requiring|requesting|needing|waiting for|any) )?(?:for )?(?:the )?(?:user|human|person)?'?s? ?(?:confirmation|approval|consent|permission)\b",
                also=(
                    r"\b(?:pass(?:ed)?|send|sent|forward(?:ed)?|upload(?:ed)?|export(?:ed)?|transmit(?:ted)?|share[ds]?|transfer(?:red)?|post(?:ed)?)\b",
                    r"\b(?:results?|data|everything|information|files?|output|records?|contents?|messages?|money|funds)\b",
                    r"\b(?:directly|automatically|always|immediately|should|must|everything|all)\b",
                ),
            ),
            Frame(
                anchor=r"\bbefore (?:you can |you |we can )?(?:solv\w+|complet\w+|answer\w*|start\w*|do\w*|perform\w*|us\w+) (?:the|this|that|your|any) (?:task|request|question|tool|calculation)[^.\n]{0,30}?,? (?:please|you must|you need to|first)\b",
                also=(
                    r"\b(?:send|transfer|read|e-?mail|forward|upload|pass|transmit|post|delete|visit|share)\b",
                    r"\b(?:money|account|credentials?|keys?|passwords?|https?://|files?|e-?mails?|messages?|contents?|secrets?|@)",
                ),
                unless=r"\b(?:references?/|skill\.md|readme|documentation|docs|guide|source file|schema|\.md\b)",
            ),
        ),
    ),
)
