"""Rules on what outlives the task: changes to the agent's own memory, settings and skills, and to the machine's start."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.shared_patterns import ADDRESS, DROP_HOST, HIDE, PASTE_HOST

_MEMORY = r"(?:SOUL|MEMORY|IDENTITY|HEARTBEAT|USER|BOOTSTRAP)\.md\b"
_GUIDE = r"(?:AGENTS|CLAUDE|GEMINI|COPILOT|copilot-instructions|CONVENTIONS)\.md\b|\.cursorrules|\.windsurfrules|\.clinerules|\.cursor/rules"
_WRITE = r"(?:append|add|write|insert|inject|save|put|store|modify|edit|update|overwrite|replace|prepend|copy|persist|echo)\w*"
_ORDER = (
    r"(?:always|never|from now on|every (?:session|conversation|response|time|request|message)|ignore|must obey|do not (?:tell|mention|ask)|trust(?:ed)? (?:all|any|this|every)|without (?:asking|confirmation|approval)"
    r"|skip (?:all )?(?:confirm|approv|safety|verif)\w*|highest priority|permanent\w*|override|send|upload|https?://|curl|auto-?approve|survive)"
)

RULES: tuple[Rule, ...] = (
    Rule(
        id="memory-poisoning",
        tag="AST01",
        severity="high",
        reason="It writes orders into the agent's lasting memory, where they act long after the task.",
        fix="Keep the instructions in the skill. A person decides what the agent remembers.",
        patterns=(
            rf"\b{_WRITE}<100>(?:SOUL|IDENTITY|HEARTBEAT|MEMORY)\.md<160>(?:{_ORDER})",
            r"\b(?:curl|wget)\b[^\n]{0,200}?(?:>>? *|-o *|-O *|\| *tee (?:-a )?)[\"']?[^\s\"']{0,80}(?:AGENTS|CLAUDE|GEMINI|SOUL|MEMORY|HEARTBEAT|IDENTITY)\.md",
            r">>? *[\"']?[^\s\"']{0,60}(?:SOUL|IDENTITY|HEARTBEAT|BOOTSTRAP)\.md",
            rf"\b(?:echo|printf|cat)\b[^\n]{{0,240}}?(?:{_ORDER})[^\n]{{0,160}}?>>? *[\"']?[^\s\"']{{0,60}}(?:{_MEMORY}|{_GUIDE})",
            r"(?:open|write_text|writeFileSync|appendFileSync|appendFile)\([^\n]{0,80}?(?:SOUL|MEMORY|IDENTITY|HEARTBEAT|AGENTS|CLAUDE)\.md[^\n]{0,40}?[\"'](?:a|w|a\+)[\"']",
            r"\b(?:appendFile|appendFileSync|writeFile|writeFileSync)\([^\n]{0,80}?(?:SOUL|MEMORY|IDENTITY|HEARTBEAT|AGENTS|CLAUDE)\.md",
            rf"\b{_WRITE}<60>\b(?:to|into|in|in your|your) (?:\w+ ){{0,3}}?(?:long[- ]term |persistent |permanent |core )(?:memory|memories|instructions)<120>(?:always|never|ignore|trust|from now on|without (?:asking|confirmation)|every (?:future|session)|override|send|upload|https?://)",
            rf"\b{_WRITE}<80>(?:{_GUIDE})<120>(?:{HIDE}|so (?:\w+ ){0, 4}?(?:persist|surviv)\w*|even (?:after|if) (?:this )?(?:skill|uninstall|remov)|ignore (?:all|any|previous)|disable (?:all )?(?:safety|confirm|approv)|survive)",
        ),
        unless=(r"\binstructions (?:to|that) (?:modify|write|add|change)\w*\b",),
        around=40,
    ),
    Rule(
        id="agent-settings",
        tag="AST03",
        severity="high",
        reason="It switches the agent's own safety off: permissions, confirmations or hooks.",
        fix="Leave the agent's settings to the person.",
        patterns=(
            r"\b(?:write|set|add|edit|modify|update|change|echo|jq|sed|put|append|enable|insert)\w*\b<120>(?:bypassPermissions|skipDangerousModePermissionPrompt|dangerously-?skip-?permissions|enableAllProjectMcpServers|\"?autoApprove\"?|\"permissions\"[^\n]{0,40}?\"allow\"[^\n]{0,20}?\"(?:\*|Bash(?:\(\*\))?)\")<80>(?:settings|config|\.claude|\.json|all|true|\*)",
            r"\b(?:disable|turn off|remove|bypass|skip|suppress|deactivate) (?:all |any |your |every )+(?:safety (?:check|filter|guard|feature|mechanism|measure|protocol|restriction|warning)s?|security (?:check|warning|prompt|restriction|control|guardrail)s?|permission (?:prompt|check|request)s?|(?:user )?(?:confirmation|approval) (?:prompt|step|check|dialog|requirement|request)s?|guardrails?|content filters?|sandbox(?:ing)? restrictions?)<60>(?:before|so that|to (?:allow|make|let|ensure|enable|proceed|speed|continue)|and (?:then )?(?:run|execute|proceed|continue)|for (?:this|all|every|any)|permanently|automatically|silently|\.)",
            r"(?:exec-approvals\.json|\.claude/settings(?:\.local)?\.json|\.openclaw/openclaw\.json|\.cursor/mcp\.json|claude_desktop_config\.json)[^\n]{0,200}?(?:\bcurl\b|\bwget\b|base64 -|\bnc )",
            r"\b(?:exec\.security|tools\.exec\.\w+|security|ask) *[:=] *[\"']?(?:full|off|none|disabled)[\"']?<60>(?:openclaw|approvals|exec)",
            r"\"hooks\"[\s\S]{0,300}?\"command\"\s*:\s*\"[^\"\n]{0,120}?(?:curl|wget|base64|nc |/dev/tcp|python3? -c|bash -c)[^\"\n]{0,160}?(?:https?://|\$\(|\|)",
            r"\b(?:run|execute)\w* (?:every|all|any|each) (?:\w+ )?commands?<20>without (?:asking|confirm|approval|permission|user)",
            r"permissions?[.\"' :{]{0,8}allow[\"' :=\[to]{1,12}\*|set permissions?\.allow<20>\*",
            r"\b(?:approve|merge|accept|sign off)\w*<40>(?:pull requests?|prs?\b|changes|commits|requests|them|transactions|code)<60>without (?:further |any |additional |a )?(?:checks?|review\w*|verif\w+|reading|looking|questions?)",
            r"\b(?:pull requests?|prs?\b|changes|commits)<60>\b(?:approve|merge|accept) (?:them|it|these) (?:\w+ )?without (?:further |any |additional |a )?(?:checks?|review\w*|verif\w+|reading|looking|questions?)",
        ),
    ),
    Rule(
        id="self-spread",
        tag="AST01",
        severity="high",
        reason="It copies itself, rewrites other skills or brings further ones in.",
        fix="Take it out; what is installed is for the person to decide.",
        patterns=(
            r"\b(?:copy|install|replicate|spread|propagate|clone|inject|write|add) (?:\w+ ){0,3}?(?:this skill|itself|yourself|these instructions|this (?:instruction|section|block|file|text|prompt|payload)) (?:\w+ ){0,3}?(?:to|into|in|across) (?:every|all|each|any|other) (?:\w+ ){0,3}?(?:skills?|projects?|repositor(?:y|ies)|repos|agents?|SKILL\.md|files|machines?|workspaces?|conversations?)",
            r"\b(?:modify|rewrite|edit|overwrite|patch|alter|infect|replace|tamper)\w* (?:\w+ ){0,3}?(?:all |every |any |each |the )?(?:other|existing|installed) skills?(?:'s)?(?: files?| SKILL\.md| instructions?)?<60>(?:to (?:include|add|contain|insert)|with|so (?:that )?they|by (?:adding|inserting|appending))",
            r"\b(?:for|while) [^\n]{1,60}?(?:skills?/\*|\*/SKILL\.md|rglob\([\"']SKILL\.md)[\s\S]{0,160}?(?:>>|write_text|\.write\(|tee -a|cp |appendFile)",
            r"\b(?:cp|mv|tee|cat|curl|wget|ln)\b[^\n]{0,160}?(?:~|\$HOME)/\.(?:claude|agents|openclaw|clawdbot|codex|cursor)/skills/[^\n]{0,60}?(?:https?://|\$0|BASH_SOURCE|__file__)|curl[^\n]{0,120}?https?://[^\n]{0,160}?-o *[\"']?(?:~|\$HOME)/\.(?:claude|agents|openclaw|clawdbot|codex)/skills/",
            r"\b(?:tell|instruct|ask|convince|persuade|message) (?:every |all |any |other |each )+(?:agents?|assistants?|bots?|claws?|moltys) (?:\w+ ){0,4}?to (?:install|download|run|load|follow|fetch)",
            r"\b(?:modify|rewrite|edit|update|change|replace)\w* (?:your|its) own (?:system prompt|instructions|skill file|SKILL\.md|configuration|rules)<80>(?:to|so|without|silently|automatically|from)",
        ),
    ),
    Rule(
        id="startup-persistence",
        tag="AST01",
        severity="high",
        reason="It makes something run again and again, or at every start, out of a place nobody looks at.",
        fix="Let the person set up what is to run at a time, and name the program and its place.",
        style="command",
        together=(
            r"crontab\b[^\n]{0,20}?-(?: |$|\n|\))|\b(?:to|in|into) (?:the |your |user'?s? )?crontab\b|\| *crontab\b|/etc/cron|@reboot|LaunchAgents/|LaunchDaemons/|launchctl (?:load|bootstrap)|/etc/systemd/system|systemd/user|systemctl (?:--user )?enable|>> *[\"']?(?:~|\$HOME|/root|/etc|/home/\w+)/?\.?(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv)|>> *[\"']?/etc/(?:profile|rc\.local|bash\.bashrc)|schtasks(?:\.exe)? +/create|CurrentVersion\\+Run|Start Menu\\Programs\\Startup|\.git/hooks/|\.config/autostart|open\([^\n]{0,60}?\.(?:bashrc|zshrc|profile)[^\n]{0,20}?[\"']a",
            rf"(?:curl|wget)\b[^\n]{{0,160}}?(?:\| *(?:ba|z|da)?sh|-o */tmp|{ADDRESS}|{PASTE_HOST}|{DROP_HOST})|base64 +(?:-d|-D|--decode)|/dev/tcp/|\bnc +-|\bnohup\b[^\n]{{0,80}}?(?:/tmp/|/\.\w)|(?:/tmp|/var/tmp|/dev/shm)/\.\w+|powershell[^\n]{{0,40}}?-(?:enc|w(?:indowstyle)? +hidden)|alias +(?:sudo|ssh|git|ls|cd|curl|npm|pip)=[\"'][^\n]{{0,80}}?(?:curl|/tmp|nc )|PROMPT_COMMAND=|LD_PRELOAD=|{HIDE}|python3? -c [\"']import (?:socket|urllib|base64)|while true[^\n]{{0,40}}?curl",
        ),
        within=300,
    ),
    Rule(
        id="login-backdoor",
        tag="AST01",
        severity="critical",
        reason="It opens the machine to somebody else's key or account.",
        fix="Take it out. Who may log in is for the owner of the machine to say.",
        style="command",
        patterns=(
            r"\b(?:echo|printf|curl|wget|cat <<)\b[^\n]{0,600}?(?:ssh-(?:rsa|ed25519|dss) AAAA|https?://|ecdsa-sha2)[^\n]{0,600}?>>? *[\"']?[^\s\"']{0,60}authorized_keys",
            r"(?:open|write_text|appendFile\w*)\([^\n]{0,80}?authorized_keys[\s\S]{0,160}?ssh-(?:rsa|ed25519)",
            r"\b(?:echo|printf)\b[^\n]{0,120}?ALL=\(ALL(?::ALL)?\) *NOPASSWD: *ALL[^\n]{0,60}?(?:>>|tee)[^\n]{0,40}?sudoers",
            r"\bnet user \w+ \S+ /add\b[\s\S]{0,160}?localgroup administrators|\b(?:useradd|adduser)\b[^\n]{0,80}?(?:-u *0|-o )[^\n]{0,60}?",
            r"\bchmod (?:u\+s|4755|\+s) +/(?:bin|usr/bin|tmp)/\w*",
            r"\b(?:add|append|install|insert|write)\w* (?:\w+ ){0,4}?(?:our|my|this|the following|attacker'?s?) (?:\w+ ){0,2}?(?:public |ssh )+key (?:\w+ ){0,4}?authorized_keys",
            r"\bssh\b[^\n]{0,60}? -\w*R *\S{0,40}\d{2,5}:(?:localhost|127\.0\.0\.1):22\b[^\n]{0,40}?\w+@[\w.-]+",
        ),
    ),
)
