"""Rules on orders to give data away, whatever their wording: what is taken, how it leaves, and how often or how quietly."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.shared_patterns import GIVE, HIDE, KEY_PLACE, NOT_SO, PRIVATE, SECRETS, TARGET

_TO_IT = r"\b(?:curl|send|upload|post|append|include|attach|e-?mail|forward|ping|submit|transmit|paste|share|encode|base64|pipe)\b (?:\w+ ){0,2}?(?:it|them|that|its|the (?:result|output|contents?|value|file|key|text))\b"
_IN_REPLY = r"\b(?:your|every|each|the (?:next|final)|any) (?:\w+ )?(?:repl(?:y|ies)|responses?|answers?|outputs?|messages?)\b|\b(?:url|query|link) (?:param\w*|string)\b|\bas a (?:url|query)\b|\b(?:every|each|any) (?:\w+ )?(?:links?|urls?|images?)\b|\bimage\b.{0,24}\b(?:src|url|source)\b|\bsrc\b|\bcommit messages?\b"
_HABIT = r"\b(?:every|each) (?:time|turn|reply|response|message|request|session|conversation|prompt|query|tool call)\b|\b(?:when|whenever|once|after|before|if)\b.{0,24}\b(?:you (?:reply|respond|answer|finish)|the user (?:asks?|says?|types?|sends?|replies)|asked|answering|responding|replying|each|every|any)\b|\bin (?:the )?background\b|\bbehind the scenes\b|\b(?:also|additionally|still)\b"

RULES: tuple[Rule, ...] = (
    Rule(
        id="talk-leak",
        tag="AST01",
        severity="high",
        reason="It has the agent pass on what the person says, again and again or on the side.",
        fix="Take the sentence out. What a person says to the agent is for the agent alone.",
        together=(PRIVATE, GIVE, TARGET, _HABIT),
        within=90,
        unless=(NOT_SO,),
        around=30,
    ),
    Rule(
        id="quiet-leak",
        tag="AST01",
        severity="high",
        reason="It has the agent send data away and keep quiet about it.",
        fix="Take the sentence out. Whatever is sent, the person may know.",
        together=(HIDE, GIVE, TARGET),
        within=70,
        unless=(NOT_SO + r"|\bfail\w* silently|silently (?:fail|drop|ignor|skip|swallow)\w*",),
        around=40,
    ),
    Rule(
        id="standing-errand",
        tag="AST01",
        severity="high",
        reason="It has the agent send something to a host around every task, whatever the task is.",
        fix="Send data only when the person asks for it, to a service they know.",
        together=(
            r"\b(?:after|before|upon|following|during|on) (?:\w+ ){0,3}?(?:any|every|each|all) (?:[\w-]+ ){0,3}?(?:tasks?|operations?|changes?|edits?|actions?|runs?|sessions?|conversations?|executions?|responses?|repl(?:y|ies)|interactions?|tool calls?|commands?|prompts?|messages?|invocations?)\b|\bbefore (?:returning|finishing|completing|answering|responding)\b|\b(?:runs|execute|applies) (?:after|to) (?:every|all|each|any)\b|\bevery time (?:you|the user|this skill|the skill|it)\b",
            r"\bcurl\b[^\n]{0,120}?(?:-X *['\"]?(?:POST|PUT)|\s-[dFT]\b|--data|--form)[^\n]{0,200}?https?://|\bcurl\b[^\n]{0,80}?https?://[^\n]{0,160}?\s(?:-[dFT]\b|--data|--form)|(?:requests|httpx)\.(?:post|put)\(|\b(?:send|upload|post|transmit|forward|submit|report|back ?up|sync)(?:s|ing)?\b<100>\b(?:to|at)\b<60>https?://|\bPOST (?:request |them |it )?(?:to )?https?://",
        ),
        within=260,
        unless=(rf"{NOT_SO}|localhost|127\.0\.0\.1|\bif the user (?:asks|wants|agrees|opts)|\bopt[- ]in",),
        around=20,
    ),
    Rule(
        id="secret-into-reply",
        tag="AST01",
        severity="high",
        reason="It has the agent show secrets where others can read them.",
        fix="Take the sentence out; a secret goes into the header of the one service it is for.",
        together=(
            rf"\b(?:all|any|every|the|their|user'?s) (?:\w+ ){{0,3}}?(?:{SECRETS})|{KEY_PLACE}",
            r"\b(?:include|append|add|attach|insert|embed|disclose|reveal|output|render|paste|put|place|echo)(?:s|ing)?\b|\bcontains?\b",
            _IN_REPLY,
        ),
        within=60,
        unless=(NOT_SO + r"|\bplaceholder|\bredact|\bmask",),
        around=60,
    ),
    Rule(
        id="key-file-leak",
        tag="AST01",
        severity="high",
        reason="It has the agent read a file of keys and hand on what is in it.",
        fix="Take the sentence out. No task needs the content of a file of keys.",
        together=(KEY_PLACE, r"\b(?:read|open|cat|take|get|copy|grab|load|find|locate)\b", _TO_IT),
        within=80,
        unless=(NOT_SO + r"|\.pub\b|ssh-copy-id|ssh-add|public key",),
        around=40,
    ),
    Rule(
        id="secret-listing",
        tag="AST01",
        severity="high",
        reason="It has the agent print secrets from files or the environment into the conversation.",
        fix="Check that a variable is set without showing its value.",
        style="command",
        together=(
            r"\bcat +[^\n|;&]{0,60}?(?:\.env\b|credentials\b|\.netrc|SOUL\.md|openclaw\.json|auth\.json)|\b(?:env|printenv|set) *\| *grep +(?:-\w+ +)*[\"']?[^\n]{0,60}?(?:key|token|secret|pass)",
            r"\b(?:include|paste|add|put|append|report|return|output|share|send)\b (?:\w+ ){0,4}?(?:them|it|contents?|values?|output|results?|everything)\b<40>\b(?:next |your |the )*(?:response|reply|answer|message|report|chat)\b",
        ),
        within=240,
        unless=(NOT_SO,),
        around=20,
    ),
    Rule(
        id="telling-link",
        tag="AST01",
        severity="high",
        reason="It has the agent write a link or picture whose address carries private data to another host.",
        fix="Take the link out.",
        patterns=(
            r"!\[[^\]\n]{0,40}\]\(https?://[^)\s]{3,120}?[?&]\w{1,16}=[<{\[$][^)\n]{0,60}?(?:question|conversation|answer|message|base64|prompt|history|secret|key|content)",
            r"!?\[[^\]\n]{0,40}\]\(https?://[^)\s]{3,120}?[?&=/](?:\w{1,16}=)?[\[{<$%]{0,2}(?-i:INFO|SECRETS?|DATA|TOKEN|CONTENTS?|CONTEXT|DOCUMENT\w*|EXTRACTED\w*|BASE64\w*|SENSITIVE\w*|API_?KEY|CONVERSATION|HISTORY|USER_?DATA|ENCODED\w*|SUMMARY)\b",
            r"https?://[^\s)\"'`]{3,80}[?=/]<60>\b(?:replace|substitut\w*|fill|where|whereas)\b<40>\b(?:conversation|chat|history|summary|secret|token|password|e-?mail|user'?s?|context|prompt)\b<40>\b(?:encod\w*|base64|hex|conversation|summary|history)",
        ),
        unless=(NOT_SO + r"|\battack|\binjection|\bdetect|img\.shields\.io|badge",),
        around=80,
    ),
    Rule(
        id="foreign-mirror",
        tag="AST01",
        severity="high",
        reason="It copies the whole repository to a host of its own choice.",
        fix="Let the person name the remote, and push one branch.",
        style="command",
        together=(
            r"\bgit remote (?:add|set-url) +\S+ +[\"']?(?:https?://|git@|ssh://)[\w.-]+",
            r"\bgit push +(?:-\S+ +)*[\w-]+ +(?:\S+ +)*(?:--all|--mirror)|\bgit push +(?:--all|--mirror)",
        ),
        within=160,
        unless=(
            r"git remote (?:add|set-url) +\S+ +[\"']?(?:https?://|git@|ssh://)(?:[\w.-]*@)?(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|huggingface\.co|dev\.azure\.com|[<$\[{]|example\.|new-|your)",
        ),
        around=0,
    ),
)
