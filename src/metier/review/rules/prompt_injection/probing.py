"""Rules on texts that try to get at the agent's own instructions, or to talk it into a part without limits."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule
from metier.review.rules.sentence_rule import Frame, framed

_MINE = r"\b(?:your|the) (?:\w+ )?(?:system|initial|original|hidden|internal|secret|developer|base|starting|first|full|exact)[- ](?:\w+ )?(?:prompt|instructions?|directives?|guidelines|configuration)\b|\b(?:your|the) (?:system|developer|initial) message\b|\ball (?:of )?your (?:\w+ )?(?:instructions?|rules|directives?|guidelines)\b|\b(?:everything|all (?:the )?(?:text|instructions|content|words)|the (?:text|words|instructions|content)|initiali[sz]ation) (?:that (?:is|was|came|stands) )?(?:written )?(?:above|before this)\b|\binstructions you (?:were|have been|got|received)\b"
_TELL = r"\b(?:repeat|print|output|show|reveal|display|recite|quote|dump|tell|list|translate|encode|echo|paste|summari[sz]e|state|write out|disclose|expose|return|include|give)\b"
_WORD_FOR_WORD = r"\b(?:verbatim|word[- ]for[- ]word|exact(?:ly)?|in full|entire|entirely|everything|completely|literally|unchanged|code (?:block|fence)|starting (?:from|with)|without (?:changes|omission|summari\w+)|character by character|above|rot13|base64|the user|anyone|when asked|if asked|first)\b"

RULES: tuple[Rule, ...] = (
    Rule(
        id="prompt-probe",
        tag="AST01",
        severity="high",
        reason="It has the agent recite the instructions it was given.",
        fix="Take the sentence out; a skill has no use for them.",
        analyse=framed(
            Frame(
                anchor=_MINE,
                also=(_TELL, _WORD_FOR_WORD),
                unless=r"\b(?:output format|structure|template|sections?|markdown|checklist|follow|steps?|user'?s? (?:original|exact)|api|sdk|parameter|file system|read the|configuration file|original (?:file|text|content|code)|deploy\w*|subagent|agent definition|eval\w*|test\w*)\b",
            ),
        ),
    ),
    Rule(
        id="limitless-part",
        tag="AST01",
        severity="high",
        reason="It gives the agent a part to play that knows no rules.",
        fix="Take it out. A role in a skill says what to know, not what to disregard.",
        analyse=framed(
            Frame(
                anchor=r"\b(?:no|without|free (?:of|from)|not bound by|unbound by|ignor(?:e|es|ing)|bypass\w*|defy|defies|disregard\w*)(?: (?:all|any|the|its|your|normal|usual|typical|moral|ethical|content|safety|openai'?s?|anthropic'?s?|and|or)){0,5} (?:restrictions?|filters?|limits|limitations|guidelines|ethics|morals|censorship|polic(?:y|ies)|guardrails|safeguards|rules)\b",
                also=(
                    r"\b(?:act as|acting as|pretend|role-?play|you are (?:now )?|persona|character|mode|play the (?:role|part)|take on the role|simulate|imagine you|respond as|answer as|chatbot|become)\b",
                    r"\b(?:you|ai|gpt|assistant|chatbot|model|agent|claude)\b",
                ),
            ),
            Frame(
                anchor=r"\b(?:never|not|cannot|won'?t|will not|doesn'?t|does not) (?:refuse|decline|reject|say no)\b",
                also=(
                    r"\b(?:stay in character|any(?:thing)? (?:request|question|prompt)s?|no matter|every (?:request|question|prompt)|all requests|regardless|persona|character|mode|immoral|illegal|unethical)\b",
                    r"\b(?:you|ai|gpt|assistant|chatbot|model|agent|it|he|she)\b",
                ),
                unless=r"\b(?:api|server|request handler|http|queue|worker|customers?)\b",
                plain=False,
            ),
            Frame(
                anchor=r"\b(?:unfiltered|uncensored|amoral|jailbroken|unrestricted|unlimited|limitless)\b",
                also=(
                    r"\b(?:you are|act as|pretend|role-?play|chatbot|respond as|answer as|mode|simulate|persona|assistant with)\b",
                    r"\b(?:ai|gpt|assistant|chatbot|model|persona|responses?|answers?)\b",
                ),
                unless=r"\b(?:api|plan|tier|storage|usage|tokens|access|bandwidth|model card|hugging ?face|ollama)\b",
                plain=False,
            ),
        ),
    ),
)
