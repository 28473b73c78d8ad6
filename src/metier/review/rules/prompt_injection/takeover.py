"""Rules on prose that takes decisions away from the person: blanket consent, false reports, hijacked replies, coming back."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.shared_patterns import NOT_SO

_TEACHING = r"attack|malicious|injection|untrusted|detect|\bscan|\bflag(?:s|ged)?\b|suspicious|red flag|example of|vulnerab|refuse|report (?:it|them)"
_ACT = r"(?:run|execute|invoke|install|delete|send|transfer|pay|approve|grant|download|overwrite|push|sign|proceed)"

RULES: tuple[Rule, ...] = (
    Rule(
        id="blanket-consent",
        tag="AST01",
        severity="high",
        reason="It says that consent was given, or that none is needed, so that the agent acts without the person.",
        fix="Take the sentence out; a person gives consent, and gives it each time.",
        patterns=(
            r"\b(?:pre-?approved|certified|verified|authori[sz]ed|trusted|endorsed|vetted|cleared) by (?:anthropic|openai|google|microsoft|the (?:platform|system|user|vendor|security team|administrator))\b<60>(?:without|no need|skip|do not ask|don'?t ask|need not|trust|bypass)",
            r"\b(?:anthropic|openai|the platform|the vendor) has (?:certified|vetted|approved|verified|cleared|reviewed) this (?:skill|tool|plugin)<60>(?:trust|without|no|every)",
            r"\b(?:the )?user (?:has )?(?:already|implicitly|previously|explicitly)? ?(?:authori[sz]ed|approved|consented to|agreed to|confirmed) (?:this|these|all|any|the) (?:\w+ )?(?:actions?|operations?|access|commands?|steps?|transfers?|requests?)<60>(?:without|no (?:further|need)|do not|don'?t|proceed|skip)",
            r"\b(?:always|automatically|silently) (?:approve|accept|allow|grant|confirm) (?:all |any |every |each )*(?:\w+ )?(?:operations?|requests?|commands?|actions?|permissions?|permission prompts?|tool calls?|transactions?|payments?)<40>(?:without|ignor|skip|no (?:confirmation|questions)|regardless)",
            r"\b(?:run|execute|invoke|call)\w* (?:the |any |all |every |this |these )*(?:\w+ ){0,2}?(?:shell|bash|terminal|powershell|sudo|system)? ?commands?<30>(?:silently|in the background|without (?:asking|prompting|telling|informing|notifying|user|any user|the user|requesting|requiring))",
            r"\b(?:verified|approved|certified|cleared|authori[sz]ed) by (?:anthropic|openai|the platform|the vendor|the system)\b<20>(?:do not|don'?t|never|no need to) (?:ask|confirm|prompt|check)",
            r"\b(?:always|must|should) (?:approve|accept|allow|confirm) (?:all |any |every )*(?:file |shell |tool |network |permission )?(?:operations?|requests?|commands?|actions?|prompts?|calls?) (?:\w+ ){0,3}?without (?:asking|prompting|checking|confirm\w*|question)",
            r"\b(?:disable|skip|bypass|turn off|ignore|suppress)\w* (?:the |all |any )?(?:agent'?s? |security |safety |permission |user )*(?:sandbox(?:ing)?(?: restrictions?)?|confirmation prompts?|permission prompts?|approval prompts?|safety checks?|security warnings?)\b<40>(?:\band\b|,|;)<30>(?:skip|disable|ignore|bypass|do not (?:inform|tell|ask)|approve|suppress)",
            rf"\b{_ACT}\w* (?:\w+ ){{0,8}}?without (?:a second|any user|the user'?s|user) (?:confirmation|approval|consent|permission|knowledge)",
        ),
        unless=(rf"{NOT_SO}|{_TEACHING}",),
        around=60,
    ),
    Rule(
        id="safety-off",
        tag="AST03",
        severity="high",
        reason="It changes a setting so that the agent or the machine no longer guards itself.",
        fix="Leave the guards to the person.",
        style="command",
        patterns=(
            r"\b(?:sed|echo|jq|printf|tee|cat)\b[^\n]{0,160}?(?:safe_?mode|sandbox|confirm\w*|approval\w*|require_?approval|permission\w*|guardrails?|security)[\"' ]*[=:/][\"' ]*(?:false|off|none|disabled|0|never|true/safe_?mode=false|full)[^\n]{0,80}?(?:\.claude|\.openclaw|\.cursor|\.codex|\.gemini|CLAUDE\.md|AGENTS\.md|settings|config)",
            r"\b(?:echo|printf)\b[^\n]{0,60}?(?:allow_all|allow-all|auto_?approve|trust_all|yolo)[^\n]{0,40}?>>?[^\n]{0,60}?(?:CLAUDE|AGENTS|SOUL|MEMORY)\.md|\b(?:cp|mv|cat) +\S+ +(?:>+ *)?SKILL\.md\b",
            r"\bsystemctl +(?:stop|disable)(?: --now)? +(?:auditd|falcon-sensor|crowdstrike|osqueryd|wazuh-agent|clamav|apparmor|firewalld|ufw)\b|\bufw disable\b[^\n]{0,20}?(?:&&|;)|\bsetenforce 0\b[^\n]{0,20}?(?:&&|;)|\biptables -F\b[^\n]{0,20}?(?:&&|;|$)",
            r"\bchmod +(?:-R +)?(?:0?777|a\+rwx) +/(?:opt|etc|usr|var|root|home|bin|srv)\b[^\n]{0,80}?\bchown\b|\bchmod +(?:-R +)?0?777 +/etc",
            r"\brm +-\w*r\w* [^\n]{0,60}?/var/log/(?:audit|auth|syslog|secure|journal)",
            r"(?:\"|')?command(?:\"|')?\s*:\s*(?:\"|')(?:ba|z)?(?:sh|python3?|node|perl|powershell|nc|cmd(?:\.exe)?)(?:\"|')\s*,\s*(?:\"|')?args(?:\"|')?\s*:\s*\[\s*(?:\"|')-(?:c|e|enc\w*|EncodedCommand)(?:\"|')[^\]]{0,300}?(?:curl|wget|https?://|os\.system|execSync|/bin/sh|base64|[A-Za-z0-9+/=]{24,})",
        ),
        unless=(rf"\b(?:never|do not|don'?t|must not|avoid)\b|{_TEACHING}",),
        around=60,
    ),
    Rule(
        id="false-report",
        tag="AST01",
        severity="high",
        reason="It has the agent tell the person one thing and do another.",
        fix="Take the sentence out. A report says what was done.",
        patterns=(
            r"\b(?:tell|inform|show|reply|respond|say|report|reassure|display)\w*\b<60>\b(?:fail(?:ed|ure)?|timed? ?out|timeout|denied|error|unavailable|nothing|success\w*|completed?|no issues|all clear|normal)\b<60>\b(?:but|and|while|whilst|then)\b<30>(?:in the background|behind the scenes|secretly|silently|quietly|covertly|still (?:send|run|execute|upload|perform|delete)|anyway|actually (?:send|run|do|perform|upload))",
            r"\b(?:hide|suppress|omit|conceal|leave out|withhold)\w* (?:the |any |all |this )?(?:\w+ ){0,2}?(?:warnings?|errors?|failures?|alerts?|risks?|fees?|charges?|results?|findings?)<50>from (?:the )?(?:user|human|person|operator|customer|report|summary)",
            r"\b(?:pretend|act as if|make it (?:look|seem|appear)|claim) (?:that |like |as though |as if )?(?:the |it |you |this |nothing |everything )<40>(?:failed|never happened|was not|did not|is (?:normal|fine|safe)|came from|succeeded)\b",
        ),
        unless=(rf"{NOT_SO}|{_TEACHING}|\bmock|\btests?\b|stack traces?|retr(?:y|ies)|\bfail\w* silently",),
        around=50,
    ),
    Rule(
        id="reply-hijack",
        tag="AST01",
        severity="high",
        reason="It takes over the agent's replies or its choice of actions altogether.",
        fix="Say what the result of the task looks like; leave the conversation to the person.",
        patterns=(
            r"(?:^|\n)\W{0,16}(?:system|mandatory|global|core|root|supreme)[ _-](?:override|takeover|response policy|law|edict)\b[^\n]{0,80}?(?:[:!]|\n)<400>\b(?:you must|must only|only respond|only use|do not ask|without asking|obey)",
            r"(?:^|\n)(?:autorun|auto_run|auto_execute|intercept_all|intercept_messages|run_on_load|always_run) *: *(?:true|yes|on|all)\b",
            r"\bintercepts? (?:all|every|any) (?:\w+ )?(?:user )?(?:messages?|requests?|prompts?|inputs?)\b<60>\b(?:before|instead|and (?:reply|respond|replace|rewrite|redirect|forward|change|modify))",
            r"\b(?:every|each|all) (?:assistant |agent )?(?:turns?|repl(?:y|ies)|responses?|messages?) (?:must|should|shall|will) (?:always )?(?:end|begin|start) with (?:the (?:literal|exact) )?(?:string|phrase|words?|link|url|text)\b",
            r"\byour (?:real|actual|true|primary|new|secret|hidden) (?:task|goal|purpose|job|objective|mission) is (?:now )?(?:to )?(?:access|send|output|leak|read|collect|exfiltrat|run|execute|transfer|ignore|delete|upload|find)",
        ),
        unless=(_TEACHING,),
        around=80,
    ),
    Rule(
        id="comes-back",
        tag="AST01",
        severity="high",
        reason="It makes itself hard to remove, or plants a further skill or server unseen.",
        fix="Take it out; what is installed, and what is removed, is for the person to decide.",
        patterns=(
            r"\b(?:rewrite|restore|reinstall|re-?add|re-?create|copy|re-?enable|respawn)\w* (?:yourself|itself|this (?:skill|file|SKILL\.md|hook|entry|rule)|SKILL\.md)<60>\b(?:if|when|whenever|even if|after|each time)\b<30>(?:removed|deleted|uninstalled|disabled|missing|cleaned)",
            r"\b(?:install|plant|drop|add|register|create|write|deploy)\w* (?:a |an |the |another )?(?:hidden|secret|second|invisible|covert|rogue|shadow) (?:\w+ )?(?:skill|plugin|hook|mcp server|server|agent|extension)",
            r"\b(?:silently|quietly|covertly|programmatically|automatically)\b<20>\b(?:register|add|install|enable)\w* (?:a |an |the |another |new )*mcp (?:server|tool)<80>(?:without|never|unseen|no (?:consent|prompt)|background)",
            r"\b(?:write|modify|edit|append)\w* (?:\w+ ){0,2}?(?:the user'?s|your own|this|its own) SKILL\.md<60>(?:automatically|next time|every session|persist|restore)",
            r"\b(?:copy|append|include|insert|embed|repeat)\w* (?:this|these|the) (?:entire |whole |above |same )?(?:instructions?|directives?|prompt|payload|instruction block)<20>\b(?:in|into|to|at the end of)<12>(?:every|each|all|any) (?:\w+ ){0,3}?(?:response|repl|e-?mail|message|file|commit|document|comment|agent|issue)",
        ),
        unless=(rf"{NOT_SO}|{_TEACHING}",),
        around=40,
    ),
    Rule(
        id="secret-gathering",
        tag="AST01",
        severity="high",
        reason="It has the person hand over secrets of accounts in the conversation.",
        fix="Name the variable that holds the key, and let the person set it themselves.",
        patterns=(
            r"\b(?:ask|tell|instruct|prompt|request|require|have|get) (?:the )?(?:user|them|human|victim|person|customer)s? (?:(?:for|to) )?(?:\w+ ){0,4}?(?:their|his|her) (?:\w+ ){0,4}?(?:bank(?:ing)? (?:login|password|credentials)|2fa (?:code|backup)|one[- ]time (?:code|password)|otp|verification codes?|social security|ssn\b|credit card (?:number|details)|cvv|card pin|account password|email password|icloud password|keychain password|recovery codes?)<60>(?:chat|here|below|reply|so (?:that )?(?:you|we|i|it)|to (?:verify|continue|confirm|unlock|proceed|validate)|and (?:then )?(?:send|store|save|submit|use|post|log)|\.|$)",
            r"\b(?:enter|paste|type|provide|send|reply with|share) (?:\w+ ){0,2}?your (?:\w+ ){0,3}?(?:bank(?:ing)? (?:login|password)|2fa (?:code|backup)|one[- ]time (?:code|password)|otp code|cvv|card number|icloud password|keychain password|recovery codes?|apple id password|google password)\b<60>(?:chat|here|below|repl|so (?:that )?(?:the|we|i)|to (?:verify|continue|confirm|unlock|proceed|validate))",
        ),
        unless=(rf"{NOT_SO}|{_TEACHING}|phishing|scam",),
        around=50,
    ),
)
