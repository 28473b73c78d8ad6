"""Rules on meaning: what digs itself in, spreads, or cannot be brought back."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.sentence_rule import Frame, framed

RULES: tuple[Rule, ...] = (
    Rule(
        id="loses-data",
        tag="AST01",
        severity="high",
        reason="It has the agent destroy data together with what could bring it back.",
        fix="Name the one thing that is to go, keep a copy, and ask before it goes.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:remove|delete|lock|withhold|hide|encrypt|hold back)\b<24>\b(?:user'?s?|their|the person'?s?|customer'?s?) (?:\w+ )?(?:notes|files|documents|data|photos|work|projects?)\b",
                also=(r"\b(?:until they|unless they|renew|pay\w*|upgrade|trial|licen[cs]e|subscri\w*)\b",),
            ),
            Frame(
                anchor=r"\b(?:empty(?:ing)?|clear(?:ing)? out|wip(?:e|ing)|eras(?:e|ing)|delet(?:e|ing)|format(?:ting)?)\b<16>\b(?:home (?:directory|folder)|whole (?:disk|drive)|entire (?:disk|drive|machine)|system drive)\b",
                also=(),
                unless=r"\b(?:confirm|ask|backup first|factory reset guide|simulator|emulator)\b",
            ),
            Frame(
                anchor=r"\bhistory\b<24>\b(?:all|every) branch(?:es)?\b|\b(?:all|every) branch(?:es)?\b<40>\bhistory\b",
                also=(
                    r"\b(?:rewrite|force|overwrite|erase|purge)\b",
                    r"\b(?:remote|gone|earlier versions|force|push)\b",
                ),
                unless=r"\b(?:filter-repo|bfg|secrets?|large files?|backup|coordinate|warn\w*)\b",
            ),
            Frame(
                anchor=r"\b(?:delete|remove|erase|wipe|drop|truncate|overwrite|destroy|purge|shred)\b",
                also=(
                    r"\b(?:backups?|source database|every table|all tables|working directory|home (?:folder|directory)|production (?:data|database)|whole (?:disk|repository)|entire (?:disk|repository|project)|snapshots|contents of the)\b",
                ),
                unless=r"\b(?:confirm|ask (?:the|before)|dry[- ]run|retention|older than|rotate|policy|test database|temporary|irreversible|caution|careful|warn\w*)\b",
            ),
            Frame(
                anchor=r"\brm +-\w*r\w* +(?:\S+ +){0,4}?(?:~|\$HOME)/(?:Documents|Desktop|Downloads|Pictures|Projects|code|work)\b/?(?:\s|$)|\bfind +(?:/|~|\$HOME) [^\n]{0,160}?(?:-delete\b|-exec (?:rm|shred))|\bkubectl delete (?:ns|namespaces?|all|pods?|pvc|deploy\w*) (?:-A |--all-namespaces )?--all\b[^\n]{0,40}?--(?:force|all-namespaces|grace)|\bgit push\b[^\n]{0,40}?--delete +\$\(git branch|\bdocker (?:system|volume) prune -a?f[^\n]{0,20}?--volumes[^\n]{0,20}?&&",
                also=(),
                unless=r"\b(?:block|deny|dangerous|guard|hook|confirm)\b",
            ),
        ),
    ),
    Rule(
        id="spreads-on",
        tag="AST01",
        severity="high",
        reason="It has the agent carry the skill to other projects, skills or agents.",
        fix="Take it out; what is installed is for the person to decide.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:every|each|any|all) (?:other )?(?:SKILL\.md|CLAUDE\.md|AGENTS\.md|README|skills?)\b<24>\b(?:you (?:come across|find|see|open|meet|touch|edit)|on (?:the|this) (?:machine|disk|computer))\b",
                also=(r"\b(?:add|get|append|insert|footer|copy|write|put|should|change|edit)\b",),
                unless=r"\b(?:review|validate|lint|check|audit|report|list|index)\b",
            ),
            Frame(
                anchor=r"\bagents? of (?:other people|others)\b|\bother people'?s agents\b|\b(?:everyone|everybody|all contacts|all people) in (?:the|their) (?:address book|contacts?|contact list|channel|organi[sz]ation|team)\b",
                also=(r"\b(?:install\w*|skill|link|command|pick (?:it|this) up|download|join|invite)\b",),
            ),
            Frame(
                anchor=r"\b(?:copy|copies|clone|add|publish|insert|install|put|commit|replicate|paste)\b<24>\b(?:this (?:skill|folder|file|section|directory|block|package)|the section|a copy of this|itself|yourself)\b",
                also=(
                    r"\b(?:every|each|any|all|other|another|three) (?:other )?(?:\w+ ){0,2}?(?:projects?|skills?|repositor(?:y|ies)|repos?|workspaces?|names?|agents?|folders?|machines?)\b",
                ),
                unless=r"\b(?:if the user|user (?:asks|wants)|ask the user|to install|installation|manually|npx skills|plugin)\b",
            ),
            Frame(
                anchor=r"\bother (?:agents|assistants|bots|claws|ai agents)\b",
                also=(
                    r"\b(?:install|join|download|adopt|subscribe|register|do the same|spread)\b",
                    r"\b(?:tell|recommend\w*|urge|convince|invite|advise|encourage|so that|so)\b",
                ),
                unless=r"\b(?:subagents?|delegate|orchestrat\w*)\b",
            ),
            Frame(
                anchor=r"\b(?:AGENTS|CLAUDE)\.md\b",
                also=(
                    r"\b(?:every|each|any|all) (?:workspace|project|repo\w*|folder)s?\b",
                    r"\b(?:add|insert|append|write|put|copy)\b",
                    r"\b(?:you (?:touch|open|visit|work)|so other|other agents|hub|https?://)\b",
                ),
            ),
        ),
    ),
    Rule(
        id="plants-itself",
        tag="AST01",
        severity="high",
        reason="It makes something hidden start with the shell, the machine or every action of the agent.",
        fix="Let the person set up what is to run at a time, and name the program and its place.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:even (?:when|if)|although|though) (?:nobody|no one) (?:asked|asks|is there|is using)\b|\bconfig/autostart\b|\.desktop\b<30>\bautostart\b|\b(?:git )?hook templates?\b|\binit\.templatedir\b",
                also=(r"\b(?:timer|cron|schedule|every|binary|cached|call|start|run|pointing|https?://|push)\b",),
                unless=r"\b(?:pre-commit framework|husky|lint-staged)\b",
            ),
            Frame(
                anchor=r"\.zshrc\b|\.bashrc\b|\.bash_profile\b|\b(?:LaunchAgents|LaunchDaemons|shell profile|crontab|systemd|Startup folder|CurrentVersion\\Run|schtasks|login items?|post-commit|PreToolUse|PostToolUse|SessionStart|UserPromptSubmit)\b",
                also=(
                    r"(?:~|\$HOME)/(?:\.cache|\.config|\.local|Library)[\w/.-]{0,40}/\.[\w.-]+|/tmp/\.\w+|(?:~|\$HOME)/\.\w{1,6}/[\w-]+\.(?:js|sh|py)\b|%APPDATA%\\?\S{0,20}\.(?:ps1|vbs|bat|exe)|\balias (?:claude|codex|sudo|ssh|git|npm|pip)=|\bcurl\b<60>(?:https?://|\|)|\bforwards? (?:it|them|the)\b|\bour \w+ (?:host|server)\b|\bpowershell\b<20>\bhidden\b|\bsends?\b<40>https?://|com\.apple\.",
                ),
                unless=r"\b(?:\.cargo|\.nvm|\.pyenv|\.deno|\.bun|\.local/bin|\.rbenv|\.sdkman|\.asdf|\.fzf|\.venv|\.docker|\.oh-my-zsh|\.volta|brew|starship|\.config/fish|\.claude/hooks|\.claude/settings)\b",
            ),
        ),
    ),
    Rule(
        id="risky-installer",
        tag="AST02",
        severity="high",
        reason="It walks a person past the guards of their system to start a downloaded program.",
        fix="Name a package of a known package manager, or ship the source.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:trust store|root certificate|certificate authority|keychain access|ca\.(?:pem|crt)|\.crx|load (?:it )?unpacked|unpacked extension|developer mode)\b",
                also=(r"https?://[\w.-]+", r"\b(?:install|add|import|load|accept|first|otherwise|trust)\b"),
                unless=r"\b(?:mkcert|localhost|mitmproxy|charles|proxyman|let'?s encrypt|chrome://extensions|openssl|corporate|npm run|dist|build|self-signed|android|adb)\b",
            ),
            Frame(
                anchor=r"\b[\w-]+\.(?:zip|rar|7z)\b",
                also=(
                    r"https?://[\w.-]+",
                    r"\b(?:open|unpack|extract|unzip|unlock)\w*\b<12>\b(?:it |them )?(?:with|using)\b<8>(?:`?\b\w{3,16}\b)",
                    r"\b(?:run|tray|start|launch|execute|double-click)\b",
                ),
                unless=r"\b(?:unzip -|7z x|tar|python|dataset|lambda|file explorer|winrar|7-zip)\b",
            ),
            Frame(
                anchor=r"\b[\w-]+\.(?:zip|rar|7z|exe|dmg|msi|pkg|scr|hta)\b|/(?:dl|get|mac|win|download)\b",
                also=(
                    r"https?://[\w.-]+",
                    r"\b(?:code|key|pass|pw|pwd|passcode|password|unlock|unzip|unpack|extract\w*)\b<30>(?:`?\b[\w!@#]{3,16}\b)",
                    r"\b(?:run|execute|launch|start|open|double-click|enter)\b",
                ),
                reach=1,
                unless=r"\b(?:npm run|python -m|ffmpeg|dataset|data\.zip|kaggle|huggingface|backup|api key|encrypt\w*|\.csv|xlsx|docx|lambda)\b",
            ),
            Frame(
                anchor=r"\b(?:right-click|gatekeeper|unidentified developer|smartscreen|run anyway|real-time protection|false positive|mac password|administrator password)\b",
                also=(
                    r"\b(?:open|run|install|enter|click|turn off|allow|drag|disable|ignore|proceed|start)\b",
                    r"https?://|\b[\w-]+\.(?:exe|dmg|pkg|msi|zip|app)\b|\b(?:download|mirror|installer)\b",
                ),
                reach=1,
                unless=r"\b(?:scanner|lint|semgrep|sast|codesign|notari[sz]\w*|electron|xcode|stapl\w*|build|release|helm|kubectl|opa|rego|constraint)\b",
            ),
        ),
    ),
)
