"""Recognise messages: a person corrects the work before, or Metier itself sent the prompt."""

from __future__ import annotations

import re

OWN_MARK = "metier:"
"""Every prompt that Metier sends to an agent begins with this word, also in `[ ]` or in an HTML comment."""

_OWN = re.compile(r"\s*(?:\[|<!--\s*)?metier:", re.IGNORECASE)
_SPACES = re.compile(r"\s+")

_START = (
    # English
    r"no[,.! ]+(?:that|this|it|you|i |not|don|wait|the|please|use|stop|still|never|always|run|only)",
    r"(?:no|nope|wrong|incorrect|stop|undo|revert)\s*[.!,:]*$",
    r"(?:wrong|incorrect|not (?:quite|right|correct|what)|nope|undo|revert|stop)\b[ ,.!:]",
    r"(?:don'?t|do not) (?:do|use|touch|change|make) (?:that|this|it)\b",
    r"(?:actually|wait)[, ]+(?:no|that'?s|this is|it)\b",
    # German
    r"nein[,.! ]+(?:das|so|du|nicht|es|ich|der|die|bitte)|(?:nein|falsch|stopp|halt)\s*[.!]*$",
    r"(?:falsch|stimmt nicht|nicht so|das war nicht|mach das rückgängig|rückgängig)\b",
    # French, Spanish
    r"non[,.! ]+(?:c'|ce|pas|tu|je|il|la|le|ça)|(?:non|faux|incorrect)\s*[.!]*$|c'est (?:faux|incorrect|pas ça)",
    r"no[,.! ]+(?:eso|es|no|así|está|lo|quiero)|(?:mal|incorrecto|equivocado)\s*[.!]*$|(?:eso|así|esto) no\b",
    # Portuguese, Russian
    r"não[,.! ]+(?:isso|é|não|era|está|assim|foi|quero)|(?:não|errado|incorreto)\s*[.!]*$",
    r"(?:isso|assim) não\b|desfaça\b",
    r"нет[,.! ]+(?:это|не|ты|я|так|надо|нужно)|(?:нет|неправильно|неверно|стоп)\s*[.!]*$",
    r"не (?:так|то)\b|верни (?:как|назад|обратно)\b|(?:отмени|откати)\b",
    # Chinese, Japanese
    r"不对|不是这|不是那|错了|错误|不要这样|不行|别这样|搞错|重做|撤销|還是不|不對|錯了",
    r"違います|違う|ちがう|間違|そうじゃな|そうではな|ダメ|だめ|やり直|元に戻",
)
_ANYWHERE = (
    r"\b(?:that|this|it|which)(?:'s| is| was)(?: still)? (?:wrong|incorrect|not (?:right|correct|what i))",
    r"\b(?:still|again) (?:does ?n[o']t|is ?n[o']t|not|doesnt|fails?|failing|broken|wrong)\b",
    r"\bstill (?:getting|seeing) the",
    r"\byou (?:broke|forgot|missed|misunderstood|didn'?t|did not|ignored|deleted the wrong|changed the wrong)\b",
    r"\bi (?:said|told you|asked (?:you )?(?:for|to)|meant|did ?n[o']t (?:ask|want|mean)|never asked)\b",
    r"\bnot what i (?:asked|wanted|meant)\b|\b(?:doesn'?t|does not|didn'?t|did not) (?:work|fix)\b",
    r"\b(?:undo|revert|roll ?back) (?:that|this|it|your|the (?:last|change))",
    r"\bdas (?:ist|war) (?:falsch|nicht (?:richtig|korrekt|was))",
    r"\b(?:funktioniert|geht|klappt) (?:immer noch )?nicht\b",
    r"\bdu hast (?:.{0,40} )?(?:vergessen|übersehen|kaputt)|\bich (?:habe gesagt|meinte|wollte nicht)\b",
    r"\b(?:ça|cela|ca) ne (?:marche|fonctionne) (?:toujours )?pas|\bce n'est pas (?:ce que|correct|juste|bon)",
    r"\btu as (?:oublié|cassé|mal)|\bj'ai (?:dit|demandé)\b",
    r"\b(?:sigue sin|todavía no|aún no) |\bno (?:funciona|es lo que|es correcto)\b|\b(?:olvidaste|rompiste)\b",
    r"\bisso (?:está|é|foi) (?:errado|incorreto)|\bnão (?:funciona|funcionou|era isso|foi isso|é o que eu)\b",
    r"\b(?:você|vc) (?:esqueceu|quebrou|ignorou)\b|\beu (?:disse|falei|pedi)\b|\bainda (?:não|dá erro)\b",
    r"\bэто (?:неправильно|неверно|не то|не так)\b|\bвс[её] ещ[её] не\b|\bне работает\b",
    r"\bя (?:же )?(?:сказал|просил|говорил)\w*",
    r"\bты (?:опять |снова )?(?:забыл|сломал|пропустил|проигнорировал)\w*",
    r"还是不|还是报错|仍然不|没有用|没用|不是我(?:要|想)|我说的是|我要的是|你忘|你漏|又错",
    r"まだ(?:動|エラ|直|でき)|動かない|動きません|直ってい?な|じゃなくて|ではなくて|と言った|頼んでいな|忘れて(?:い|ま)",
)
_CORRECTION = re.compile(rf"^\W*(?:{'|'.join(_START)})|(?:{'|'.join(_ANYWHERE)})", re.IGNORECASE)
_LOOK_AT = 400


def is_correction(message: str) -> bool:
    """Whether a message says that the work before it was wrong; this is a guess from its first 400 characters."""
    said = _SPACES.sub(" ", message[: 4 * _LOOK_AT].replace("’", "'")).strip()[:_LOOK_AT]
    return bool(_CORRECTION.search(said))


def is_own_prompt(message: str) -> bool:
    """Whether Metier sent this prompt."""
    return bool(_OWN.match(message[:200]))
