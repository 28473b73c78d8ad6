"""Rules on meaning: what is taken from people, their keys, their words, their money."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.senses import ALL, ASK, HOST, OURS, SEND, TALK, VALUABLES
from metier.review.rules.sentence_rule import Frame, framed

RULES: tuple[Rule, ...] = (
    Rule(
        id="asks-for-keys",
        tag="AST01",
        severity="high",
        reason="It has a person hand over keys of money or of an identity, or keeps them in plain text.",
        fix="Let the person use them where they belong; no agent needs to see them.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:exchange|bank|broker|e-?mail|account|paypal|amazon|apple|google|facebook|instagram|work)\b<8>\b(?:login|log-?in|sign-?in|user ?name and password|credentials|passphrase|password)s?\b|\bkeystore\b<24>\bpassphrase\b|\bphrase (?:the )?(?:user|person|they) (?:wrote|noted|saved)",
                also=(
                    r"\b(?:tell you|give you|hand you|ask for|ask the|type|paste|upload|enter it|sign in for|log in for|derive|import)\b",
                    r"\b(?:user|person|they|their|them|customer|both)\b",
                ),
                unless=r"\b(?:oauth|login page|form|test account|playwright|browser profile|selector|app password|service account|\.env|environment variable|1password|keychain|vault|component|endpoint|ui\b)\b",
            ),
            Frame(
                anchor=VALUABLES,
                also=(
                    ASK,
                    r"\b(?:the user|the person|person|customer|them|their|your|traveller|human|colleague)(?:'?s)?\b",
                ),
                unless=r"\b(?:\.env|environment variable|env var|hardware wallet|keychain|vault|secrets? manager|encrypt\w*|gitignore|testnet|test card|4242|stripe|hashicorp|ssh-keygen|public key|service account|jwt|tls|ssl|pem|certificate|github app|signing key|oauth|forgot|reset|password field|login form|forms?|hash\w*|validat\w*|pci|tokeniz\w*|mask\w*|redact\w*|privileges|index|template|sms|smsclient|const|def|function)\b",
            ),
            Frame(
                anchor=VALUABLES,
                also=(
                    r"\b(?:save|store|remember|note|write|keep)\b",
                    r"\b(?:memory|MEMORY\.md|notes?/|plain ?text|\.txt|\.md|for (?:reuse|next time|later|future)|future purchases|next time|config\.json|so (?:that )?they do not)\b",
                ),
                reach=1,
                unless=r"\b(?:\.env|keychain|vault|secrets? manager|encrypt\w*|gitignore|offline|paper|metal|safe place|hardware)\b",
            ),
            Frame(
                anchor=r"\b(?:evm|ethereum|solana|wallet(?:'?s)?|bitcoin|metamask|phantom)\b<24>\b(?:private|secret) key\b|\b(?:seed|recovery) (?:phrase|words)\b|\bmnemonic\b",
                also=(
                    r"\b(?:ask|request|paste|enter|type|provide|supply|give|put|collect|re-?enter)\b",
                    r"\b(?:user|person|them|your|human|owner)\b",
                ),
                unless=r"\b(?:\.env|environment variable|env var|hardware wallet|keychain|vault|encrypt\w*|gitignore|testnet|devnet|generate[sd]?|hd wallet|bip-?39|viem|ethers|privateKeyToAccount|dedicated wallet|burner|bot wallet)\b",
            ),
        ),
    ),
    Rule(
        id="passes-talk-on",
        tag="AST01",
        severity="high",
        reason="It passes what a person says or reads to a place of its own choice.",
        fix="Take the sentence out. What a person says to the agent is for the agent alone.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:each|every|all|any|finished|new)\b<12>\b(?:documents?|files?|drafts?|reports?|results?|answers?|mails?|messages?|images?|commits?|pdfs?|notes?)\b<24>\b(?:also |additionally |automatically )?(?:delivered|sent|copied|forwarded|mailed|mirrored|uploaded|cached|shared|posted|goes|go)\b<16>\b(?:to|at|with)\b",
                also=(HOST + "|" + OURS,),
                unless=r"\b(?:example\.com|localhost|slack|your|the user'?s|s3|github|cdn)\b",
            ),
            Frame(
                anchor=TALK,
                also=(HOST + "|" + OURS, SEND),
                unless=r"\b(?:slack|webhook url|your (?:own )?(?:server|api|endpoint)|stripe|example\.com|localhost|api\.(?:openai|anthropic)|system prompt|user prompt|image prompt|prompt engineering|chat completions?|chatbot|chat widget|messages? api|twilio|sendgrid|whatsapp|telegram bot|discord bot|customers?|email (?:campaign|sequence)|prompts\.chat|skool|newsletter|api[_-]?key|bearer|zap)\b",
            ),
            Frame(
                anchor=r"\b(?:conversation|chat|transcript|dialogue)s?\b",
                also=(
                    r"\b(?:push|upload|send|mail|e-?mail|post|sync|publish|forward|append|attach)\b",
                    r"\b(?:gist|our|team'?s|without bothering|so far|end of the day|goodbye|https?://|external|vendor|collector|with each call)\b",
                    r"\b(?:keep|append|entire|full|so far|all|every|digest|complete|today'?s|including)\b",
                ),
                unless=r"\b(?:slack|chat\.(?:postMessage|completions)|user (?:asks|wants|says)|api[_-]?key|bearer|discord|intercom|zendesk|customer|sales calls?|zoom|gong|meeting|podcast|youtube|video|localhost|crm)\b",
            ),
            Frame(
                anchor=r"\b(?:bcc|blind copy|hidden recipient)\b",
                also=(r"\b[\w.+-]+@[\w-]+\.[a-z]{2,}\b", r"\b(?:also|always|whenever|every|each|any|all|never)\b"),
                unless=r"\b(?:example\.(?:com|org)|to, cc|cc,? (?:and )?bcc fields?)\b",
            ),
            Frame(
                anchor=r"\b(?:call|use|invoke|run) `?[\w-]{3,40}`?\b<30>\b(?:with|passing|giving it|and pass)\b<20>\b(?:full|entire|whole|complete|all of the) (?:conversation|chat|context|history|dialog\w*|transcript)\b",
                also=(ALL + r"|\bbefore\b",),
            ),
            Frame(
                anchor=r"\b(?:extra|additional|hidden|further|new) (?:argument|parameter|field|input)s?\b",
                also=(
                    r"\b(?:last (?:user )?message|conversation|keys? seen|secrets?|user'?s? (?:message|input|token)|chat|history)\b",
                ),
                unless=r"\b(?:schema|react|props?|sql|django|component)\b",
            ),
        ),
    ),
    Rule(
        id="watches-person",
        tag="AST01",
        severity="high",
        reason="It has the agent watch the person and share what it sees.",
        fix="Take the sentence out.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:private (?:chats?|messages|mails|conversations)|browser tabs|open tabs|voice samples?|recordings? of|faces? of|biometric\w*|whereabouts|personal (?:mails?|files|notes))\b",
                also=(
                    r"\b(?:summari[sz]e|store|keep|collect|read|watch|keep an eye|monitor|record|send|scan)\b",
                    r"\b(?:management|partners?|vendor|tell us|for us|our|nobody|without (?:their|them)|training|secretly|employer|boss|needs? to be told)\b",
                ),
                unless=r"\b(?:consent|transcri\w*|playwright|puppeteer|chrome extension api|tabs\.query)\b",
            ),
            Frame(
                anchor=r"\b(?:screenshots?|microphone|webcam|keystrokes?|browser history|browsing history|contacts|address book|location|clipboard|whom they write|what they buy|photos|call history|(?:text|private) messages)\b",
                also=(
                    r"\b(?:every (?:minute|hour|few|\d+)|while the (?:person|user)|during (?:calls|meetings|work)|each call|in the background|with each|where the person|continuously|all the time|of the user)\b",
                    OURS
                    + r"|\b(?:partners|vendor|synced|our workspace|with each call|send a|sends?|upload\w*|https?://)\b",
                ),
                unless=r"\b(?:test|playwright|puppeteer|visual regression|e2e|ci\b|app store|figma|useful for|crm|salesforce|hubspot)\b",
            ),
            Frame(
                anchor=r"\b(?:where the (?:person|user) is|whom they (?:talk|write|meet)|what they buy|who they (?:talk|write)|their (?:location|habits|purchases|whereabouts))\b",
                also=(
                    r"\b(?:note|record|track|log|profile|watch|monitor|collect|keep)\b",
                    r"\b(?:share[sd]?|partners?|sell|send|upload|vendor|our)\b",
                ),
            ),
        ),
    ),
    Rule(
        id="spends-money",
        tag="AST01",
        severity="high",
        reason="It has the agent spend or pass on money without the person's word.",
        fix="Let the person see and confirm every payment, with the amount and who gets it.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:saved|stored|linked|attached|default) (?:card|payment method|credit card|wallet|bank account)\b|\b(?:each|every) (?:incoming|outgoing) (?:payment|transfer|transaction|deposit)\b|\b(?:community|team|project|author'?s|dev|developer|our) (?:wallet|treasury|address)\b",
                also=(
                    r"\b(?:buy|bid|renew|order|pay|purchase|convert|move|send|subscribe|transfer|charge|book|donate|swap)\b",
                    r"\b(?:without further ado|until|automatically|each|every|a tenth|percent|%|for (?:ten|\d+) years|used up|on your own|without)\b",
                ),
                unless=r"\b(?:stripe|checkout|customer'?s|webhook|api|invoice|subscription model|off_session|paymentintent|x402|test)\b",
            ),
            Frame(
                anchor=r"\b(?:buy|sell|swap|purchase|order|stake|bid|invest|trade|pay|transfer|send|tip|donate|subscribe|top up|spend)\b",
                also=(
                    r"\b(?:users?'? (?:\w+ )?(?:balance|account|wallet|card|funds|money)|their (?:balance|wallet|card|funds)|\$[A-Z]{4,}|premium plan|paid plan|whole balance|network fee)\b",
                    r"\b(?:do not wait|without (?:asking|waiting|a go-ahead|confirm\w*|approval)|agreed (?:to this )?by installing|no go-ahead|repeat every|automatically|every hour|no (?:signature|confirmation)|on its own)\b",
                ),
                unless=r"\b(?:test mode|sandbox|testnet|paper trad\w*|simulat\w*|backtest\w*|after (?:the )?(?:user|human)|ask)\b",
            ),
            Frame(
                anchor=r"\b(?:unlimited|infinite|max(?:imum)?) (?:spending|allowance|approval)s?\b",
                also=(r"\b(?:approve|allow|grant|set|sign)\b",),
                unless=r"\b(?:audit|check|review|revoke|risk\w*)\b",
            ),
            Frame(
                anchor=r"\b0x[0-9a-f]{40}\b|\bbc1[a-z0-9]{25,60}\b|\b[A-Z]{2}\d{2}(?: ?\d{4}){3,6}(?: ?\d{1,4})?\b|`[1-9A-HJ-NP-Za-km-z]{43,44}`",
                also=(
                    r"\b(?:fee|recipient|payee|beneficiary|send|transfer|payment|pay|donat\w*|tip|swap|replace|use)\b",
                    r"\b(?:each|every|all|any|always|when(?:ever)?|set the|replace)\b",
                ),
                unless=r"\b(?:contract address|usdc|weth|token address|router|factory|mainnet|base\b|example|deployed|registry|facilitator|zero address|0x0{20})",
            ),
            Frame(
                anchor=r"\b(?:agreed|consented|accepted|agrees|consents)\b<16>\bby (?:installing|using|loading|having)\b",
                also=(r"\b(?:order|pay|charge|send|share|run|install|this|subscribe|collect|upload)\b",),
                unless=r"\b(?:terms of service|terms and conditions|cookie banner|privacy policy)\b",
            ),
        ),
    ),
)
