"""Rules on guards that are taken away: of the agent, of the machine, and of whoever might look into a script."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.sentence_rule import Frame, framed

RULES: tuple[Rule, ...] = (
    Rule(
        id="unbound-agent",
        tag="AST03",
        severity="high",
        reason="It starts an agent that asks nobody before it acts.",
        fix="Start the agent with the tools it needs allowed one by one.",
        style="command",
        patterns=(
            r"\b(?:claude|\$\{?\"?CLAUDE\w*\}?\"?|codex|gemini|opencode|cursor-agent|qwen|amp|goose|copilot)\b\"?[^\n|;]{0,160}?(?:--dangerously-skip-permissions|--dangerously-bypass-approvals-and-sandbox|--dangerously-allow-all|--yolo\b|--allow-all-tools|--permission-mode[ =]bypassPermissions)",
            r"(?:APPROVAL\w*|PERMISSION\w*|FLAGS?|ARGS|OPTS)\w*=[\"']?(?:--yolo\b|--dangerously-\w+)",
            r"\bdangerouslyDisableSandbox[\"']?\s*[:=]\s*[\"']?true|\bautoApprove(?:All[\"']?\s*[:=]\s*[\"']?true|[\"']?\s*[:=]\s*\[\s*[\"']\*)|\balwaysAllow[\"']?\s*[:=]\s*\[\s*[\"']\*",
        ),
        unless=(
            r"\b(?:never|do not|don'?t|avoid|not recommended|warning|danger|refuse|forbid\w*|prohibit\w*|detect\w*|flag[- ]?(?:s|ged)|instead of)\b|❌",
        ),
        around=80,
    ),
    Rule(
        id="open-rights",
        tag="AST03",
        severity="high",
        reason="It opens the machine to every program or account on it.",
        fix="Give the one right that is needed to the one account that needs it.",
        style="command",
        patterns=(
            r"\bNOPASSWD: ?ALL\b",
            r"\bchmod +(?:-R +)?0?777 +(?:/|~|\$HOME)[\w./-]*",
            r"\becho [^\n|]{1,60}\| *sudo -S\b",
            r"\bpam_permit\.so\b[^\n]{0,40}?(?:>>|/etc/pam\.d)|>>? *[\"']?/etc/(?:sudoers|pam\.d|ld\.so\.preload|passwd)\b",
            r"\bchmod +(?:\+s|u\+s|[42][0-7]{3}) +[\"']?/(?:bin|usr|tmp|home)",
        ),
        unless=(
            r"\b(?:never|do not|don'?t|avoid|insecure|vulnerab\w*|dangerous|❌|audit|check (?:for|if)|grep|find|detect\w*|escalat\w*|exploit\w*|pentest\w*|ctf)\b|❌",
        ),
        around=120,
    ),
    Rule(
        id="unseen-script",
        tag="AST01",
        severity="high",
        reason="It keeps the agent or the person from looking at what is run, or has every question answered with yes.",
        fix="Take the sentence out. Whoever runs a script may read it.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:do not|don'?t|never|no need to|must not|should not|without) (?:try to |attempt to |ever )?(?:read(?:ing)?|open(?:ing)?|inspect(?:ing)?|view(?:ing)?|examin(?:e|ing)|look(?:ing)? (?:at|into|inside)|review(?:ing)?|audit(?:ing)?|analy[sz](?:e|ing)|decod(?:e|ing))\b[^.\n]{0,40}?\b(?:[\w-]+\.(?:sh|py|js|ps1|bin|exe|pyc)|(?:the|this|its|that) (?:\w+ )?(?:script|installer|binary|payload|setup|code|source)s?)\b",
                also=(
                    r"\b(?:run|execute|install|signed|checksum|verif\w*|trusted|safe|approve\w*|required|platform|modif\w*|immediately)\b",
                ),
                reach=1,
                unless=r"\b(?:token|context window|context budget|save context|large|black[- ]box|--help|pollut\w*|generated|minified|into context|your context|secrets?)\b",
                plain=False,
            ),
            Frame(
                anchor=r"\b(?:in|from|inside|extract|unpack|unzip|open|download)\b[^.\n]{0,40}?\b(?:zip|archive|rar|7z)\b",
                also=(
                    r"\b(?:password|passcode|pass ?phrase|pass|pin)\b(?: is| to (?:open|extract|unzip)(?: it)? is|:| =)|\bprotected\b",
                    r"\b(?:app|tool|helper|companion|utility|installer|executable|program|\w+\.exe|agent|driver|runtime)\b",
                    r"\b(?:needs?|requires?|required|start|run|launch|install|open|before|must)\b",
                ),
                reach=1,
                unless=r"\b(?:if the user|user'?s? (?:password|archive)|create|encrypt\w*|generate|backup|pdf|brute|crack\w*|wordlist|hashcat|john)\b",
            ),
            Frame(
                anchor=r"\b(?:approve|accept|allow|confirm|grant|say yes to|click (?:allow|yes|ok) (?:on|for)) (?:all|every|any|each)(?: of the| the)?(?: \w+){0,2}? (?:prompts?|permission requests?|permissions?|dialogs?|confirmations?|warnings?|popups?|requests? (?:for|it))\b",
                unless=r"\b(?:never|do not|don'?t|before you|unless|review each|pull requests?|bulk|admin panel|merge|the user (?:may|can))\b",
            ),
        ),
    ),
)
