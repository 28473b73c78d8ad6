"""The signals of a wish for next time in other languages: small tables, in the shape of the English ones."""

from __future__ import annotations

import re

_START = r"(?:^|[,;:.!?] ?)"
"""Where an order can begin."""
_TABLES: dict[str, tuple[tuple[str, float, str], ...]] = {
    "German": (
        ("never", 3.0, r"\b(?:niemals|nie (?:wieder|mehr)|auf keinen fall|unter keinen umständen)\b"),
        ("always", 3.0, r"\bbitte immer\b|\bimmer (?:erst|zuerst|vorher|vor|mit|nur)\b|\bimmer \w+en[.!]?$"),
        ("from now on", 3.0, r"\bab (?:jetzt|sofort)\b|\bvon nun an\b|\bin zukunft\b|\bnächstes mal\b|\bkünftig\b"),
        (
            "do not",
            2.0,
            (
                r"\b(?:mache?|benutze?|verwende?|nutze?|nimm|committe?|pushe?|lösche?|ändere?|schreibe?|fasse?|starte?)\b"
                r"[^.!?]{0,60}\b(?:nicht|nie|kein\w*)\b"
            ),
        ),
        ("make sure", 2.0, r"\bstelle? sicher\b|\bachte darauf\b|\bdenke? daran\b|\bvergiss nicht\b|\bmerke? dir\b"),
        ("you should", 2.0, r"\bdu (?:sollst|solltest|musst|darfst)\b"),
        ("hate", 2.0, r"\bich (?:hasse|mag|möchte|will) (?:es )?(?:nicht|kein\w*)\b|\bwir (?:\w+en) kein\w*\b"),
        ("instead", 1.5, r"\b(?:statt|anstatt|stattdessen)\b|\bnicht \S+(?: \S+)?, sondern\b"),
        ("i said", 1.5, r"\b(?:ich habe?|habe? ich) (?:dir )?(?:doch |schon |bereits )?gesagt\b|\bwie oft\b"),
        ("why did you", 1.5, r"\b(?:warum|wieso) (?:hast|machst|benutzt|änderst|löschst) du\b"),
        ("you forgot", 1.5, r"\bdu hast (?:.{0,40} )?(?:vergessen|übersehen|ignoriert)\b"),
        ("stop", 2.0, r"^\W*(?:stopp|hör auf|lass das)\b"),
    ),
    "French": (
        ("never", 3.0, r"\bn(?:e |')\w[^.!?]{0,30}\bjamais\b|^\W*jamais \w+"),
        ("always", 3.0, r"\btoujours \w+(?:er|ir|re)\b|\btu dois toujours\b|\b\w+(?:e|s|ez) toujours (?!pas\b)\w+"),
        ("from now on", 3.0, r"\bdésormais\b|\bà partir de maintenant\b|\bdorénavant\b|\bla prochaine fois\b"),
        ("do not", 2.0, rf"{_START}(?:s'il te plaît,? |non,? )?n(?:e |')(?!est\b|a\b)\w+\b[^.!?]{{0,30}}\bpas\b"),
        ("make sure", 2.0, r"\bassure-toi\b|\bassurez-vous\b|\bn'oublie[sz]? pas\b|\bveille[sz]? à\b|\brappelle-toi\b"),
        ("you should", 2.0, r"\btu (?:ne )?(?:dois|devrais)\b|\bvous (?:ne )?devez\b|\bil ne faut (?:pas|jamais)\b"),
        ("hate", 2.0, r"\bje (?:déteste|n'aime pas|ne veux pas|préfère)\b|\b(?:on|nous) n'utilis\w+ pas\b"),
        ("instead", 1.5, r"\bau lieu d[e']|\bplutôt que\b|\bpas \S+,? mais\b"),
        ("i said", 1.5, r"\bje t'ai (?:déjà )?(?:dit|demandé)\b|\bj'ai (?:déjà )?dit\b|\bcombien de fois\b"),
        ("why did you", 1.5, r"\bpourquoi (?:as-tu|tu as|fais-tu|est-ce que tu)\b"),
        ("you forgot", 1.5, r"\btu as (?:encore )?(?:oublié|ignoré|raté)\b"),
        ("stop", 2.0, r"^\W*(?:arrête|cesse)\b"),
    ),
    "Spanish": (
        ("never", 3.0, rf"(?:{_START}|\b(?:por favor|y|pero|que) )(?:nunca|jamás) \w+"),
        (
            "always",
            3.0,
            (
                rf"(?:{_START}|\b(?:por favor|debes|hay que|tienes que|y|pero) )siempre (?!que\b|ha\b|es\b|está\b)\w+"
                r"|\b(?:usa|ejecuta|haz|corre|pon|comprueba)\b[^.!?]{0,40}\bsiempre\b"
            ),
        ),
        ("from now on", 3.0, r"\ba partir de ahora\b|\bde ahora en adelante\b|\bla próxima vez\b"),
        (
            "do not",
            2.0,
            (
                r"\bno (?:uses|hagas|toques|cambies|borres|modifiques|ejecutes|añadas|agregues|pongas|subas|elimines|"
                r"crees|instales|vuelvas a|commitees)\b"
            ),
        ),
        ("make sure", 2.0, r"\basegúrate\b|\brecuerda (?:que|siempre|no)\b|\bno olvides\b|\bten en cuenta\b"),
        ("you should", 2.0, r"\b(?:no )?deb(?:es|erías)\b|\btienes que\b"),
        ("hate", 2.0, r"\bodio\b|\bno (?:me gusta|quiero) que\b|\bprefiero\b|\bno (?:usamos|queremos)\b"),
        ("instead", 1.5, r"\ben (?:lugar|vez) de\b|\bno \S+,? sino\b"),
        ("i said", 1.5, r"\bte (?:lo )?(?:he dicho|dije|pedí)\b|\bya te\b|\bcuántas veces\b"),
        ("why did you", 1.5, r"\bpor qué (?:no )?(?:has|hiciste|usas|usaste|cambiaste|borraste)\b"),
        ("you forgot", 1.5, r"\b(?:te )?olvidaste\b|\bhas olvidado\b|\bignoraste\b"),
        ("stop", 2.0, r"^\W*(?:detente|deja de|basta)\b"),
    ),
    "Portuguese": (
        ("never", 3.0, rf"(?:{_START}|\b(?:por favor|e|mas|que) )(?:nunca|jamais) \w+"),
        ("always", 3.0, rf"(?:{_START}|\b(?:por favor|deve|tem que|e|mas) )sempre (?!que\b|foi\b|é\b|está\b)\w+"),
        (
            "from now on",
            3.0,
            r"\ba partir de agora\b|\bde agora em diante\b|\bdaqui p(?:a)?ra frente\b|\bda próxima vez\b",
        ),
        (
            "do not",
            2.0,
            (
                r"\bnão (?:use|usa|faça|mude|altere|apague|mexa|toque|execute|rode|commite|adicione|coloque|crie|"
                r"instale|remova|modifique)\b"
            ),
        ),
        ("make sure", 2.0, r"\bcertifique-se\b|\blembre(?:-se)? de\b|\bnão (?:se )?esqueça\b|\bgaranta que\b"),
        ("you should", 2.0, r"\b(?:você|vc) (?:não )?(?:deve|deveria|precisa|tem que)\b"),
        ("hate", 2.0, r"\beu (?:odeio|não gosto|não quero|prefiro)\b|\bnão usamos\b|\ba gente não usa\b"),
        ("instead", 1.5, r"\bem vez de\b|\bao invés de\b|\bno lugar de\b"),
        ("i said", 1.5, r"\b(?:eu )?já (?:te )?(?:disse|falei|pedi)\b|\beu (?:disse|falei|pedi)\b|\bquantas vezes\b"),
        ("why did you", 1.5, r"\bpor ?qu[eê] (?:você|vc) (?:não )?(?:fez|usou|mudou|apagou|está)\b"),
        ("you forgot", 1.5, r"\b(?:você|vc) (?:esqueceu|ignorou)\b"),
        ("stop", 2.0, r"^\W*(?:pare|chega)\b"),
    ),
    "Russian": (
        ("never", 3.0, r"\bникогда (?:больше )?не \w+|\bни в коем случае\b"),
        ("always", 3.0, r"\bвсегда \w+(?:й|йте|ьте|ть)\b"),
        ("from now on", 3.0, r"\bотныне\b|\bс этого момента\b|\bвпредь\b|\bв следующий раз\b|\bв дальнейшем\b"),
        (
            "do not",
            2.0,
            rf"(?:{_START}|\b(?:пожалуйста|и|но|больше) )не (?!очень|есть|теперь|пусть)\w+(?:й|йте|ь|ьте)\b",
        ),
        ("make sure", 2.0, r"\bубеди(?:сь|тесь)\b|\bне забудь(?:те)?\b|\bне забывай\b|\b(?:за)?помни\b"),
        ("you should", 2.0, r"\bты (?:не )?долж(?:ен|на)\b|\bвы (?:не )?должны\b|\bнельзя\b"),
        ("hate", 2.0, r"\bя (?:ненавижу|не люблю|не хочу|предпочитаю)\b|\bмы не (?:используем|хотим|делаем)\b"),
        ("instead", 1.5, r"\bвместо\b|, а не\b"),
        ("i said", 1.5, r"\bя (?:же |уже )?(?:сказал|говорил|просил)\w*\b|\bсколько раз\b"),
        ("why did you", 1.5, r"\b(?:почему|зачем) ты\b"),
        ("you forgot", 1.5, r"\bты (?:опять |снова )?(?:забыл|проигнорировал|пропустил)\w*\b"),
        ("stop", 2.0, r"^\W*(?:стоп|хватит|прекрати|перестань)\b"),
    ),
    "Chinese": (
        ("never", 3.0, r"(?:永远|绝对|千万|绝)(?:不要|别|不能|不许|不可以)|(?:不要|别)再|禁止|不允许"),
        ("always", 3.0, r"始终|每次(?:都|提交|修改|改|运行|推送)|务必|一定要|总是要"),
        ("from now on", 3.0, r"从现在(?:开始|起)|从今以后|以后(?:都|请|不要|要|必须|一律)|今后|下次"),
        ("do not", 2.0, r"(?:^|[，,。！!；;：:\s])(?:请)?(?:不要|别(?!的|人)|勿)"),
        ("make sure", 2.0, r"确保|记住|记得|别忘|必须先"),
        ("you should", 2.0, r"你(?:应该|不应该|不该|必须)|前必须|之前(?:必须|要先|先)"),
        ("hate", 2.0, r"我(?:讨厌|不喜欢|不想要|更喜欢)|我们不(?:用|使用|要)"),
        ("instead", 1.5, r"而不是|不是.{1,20}而是|改用|代替"),
        ("i said", 1.5, r"我(?:说过|早就说|已经说|跟你说)|多少(?:次|遍)|你怎么又|你又"),
        ("why did you", 1.5, r"你?为(?:什么|何)你|你为(?:什么|何)"),
        ("you forgot", 1.5, r"你(?:又)?(?:忘|漏|忽略)"),
        ("stop", 2.0, r"^\W*(?:停止|住手|停下)"),
    ),
    "Japanese": (
        ("never", 3.0, r"絶対に?.{0,30}(?:ない|な$|な[。！])|決して"),
        ("always", 3.0, r"必ず|常に|毎回"),
        ("from now on", 3.0, r"今後|これからは|次回(?:は|から)|次からは?"),
        (
            "do not",
            2.0,
            r"ないでください|ないでくれ|ないで[。！]|ないで$|しないこと|てはいけ|禁止|やめてください|(?:する|使う)な(?:[。！]|$)",
        ),
        ("make sure", 2.0, r"忘れないで|忘れずに|注意して(?:くだ|[。！]|$)|ようにしてください|ように(?:して)?[。！]?$"),
        ("you should", 2.0, r"べきです|べきだ|しなければ|してはだめ"),
        ("hate", 2.0, r"嫌いです|嫌いだ|欲しくない|ほしくない|使いません|使わない方針"),
        ("instead", 1.5, r"ではなく|じゃなくて|代わりに"),
        ("i said", 1.5, r"と言った|と言いました|何度(?:も|言)|前にも言"),
        ("why did you", 1.5, r"(?:なぜ|どうして|なんで).{0,25}(?:したの|使ったの|変えたの|消したの|やったの|したんで)"),
        ("you forgot", 1.5, r"(?:を|が)忘れて(?:い|ま)|忘れていま"),
        ("stop", 2.0, r"^\W*(?:やめ|ストップ|止め)"),
    ),
}
_COMPILED = {
    language: tuple((name, weight, re.compile(pattern, re.IGNORECASE)) for name, weight, pattern in table)
    for language, table in _TABLES.items()
}
_LATIN = tuple(cue for language in ("German", "French", "Spanish", "Portuguese") for cue in _COMPILED[language])
_CYRILLIC, _WIDE = re.compile(r"[\u0400-\u04ff]{2}"), re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2}")
_ENGLISH = re.compile(r"\b(?:the|you|your|to|is|and|it|this|that|of|should|with|don't|are|it's)\b", re.IGNORECASE)

Cue = tuple[str, float, re.Pattern[str]]
"""The name of a signal, how much it says, and what it is found by."""


def other_cues(sentence: str) -> tuple[Cue, ...]:
    """The signals of the languages that a sentence can be in; none where it is plainly English."""
    if not sentence.isascii():
        if _WIDE.search(sentence):
            return (*_COMPILED["Chinese"], *_COMPILED["Japanese"])
        if _CYRILLIC.search(sentence):
            return _COMPILED["Russian"]
    return () if _ENGLISH.search(sentence) else _LATIN


OTHER_PROCESS = (
    r"dateie?n?|ordner|verzeichnis\w*|zweige?|kommentar\w*|befehle?|skripte?|pakete?|abhängigkeit\w*|änder\w+|lösch\w+|"
    r"prüf\w+|fehler|warnung\w*|dokumentation|schlüssel|umgebung\w*|"
    r"fichiers?|dossiers?|répertoires?|commentaires?|commandes?|paquets?|dépendances?|modifi\w+|supprim\w+|vérifi\w+|"
    r"erreurs?|avertissements?|"
    r"archivos?|ficheros?|carpetas?|directorios?|ramas?|comentarios?|código|comandos?|paquetes?|dependencias?|"
    r"cambi\w+|borr\w+|elimin\w+|instal\w+|verific\w+|errores|pruebas?|"
    r"arquivos?|ficheiros?|pastas?|diretórios?|comentários?|pacotes?|dependências?|alter\w+|apag\w+|erros?|testes?|"
    r"файл\w*|папк\w*|каталог\w*|ветк\w*|комментари\w*|код\w{0,2}|команд\w*|скрипт\w*|пакет\w*|зависимост\w*|измен\w+|"
    r"удал\w+|установ\w+|провер\w+|ошиб\w+|тест\w*|коммит\w*|пуш\w*|сборк\w*|функци\w*"
)
"""Words for ways of working that the English table does not have."""
WIDE_PROCESS = (
    r"提交|测试|文件夹?|目录|分支|注释|代码|命令|脚本|依赖|安装|修改|删除|检查|错误|警告|文档|命名|函数|构建|推送|合并|运行|接口|数据库|日志|"
    r"コミット|テスト|ファイル|フォルダ|ディレクトリ|ブランチ|コメント|コード|コマンド|スクリプト|依存|インストール|変更|削除|確認|エラー|"
    r"警告|ドキュメント|名前|関数|ビルド|プッシュ|マージ|実行|データベース|ログ"
)
"""The same in scripts without spaces between words."""
OTHER_STOPS = frozenset(
    """le la les un une des du de en et ou que qui dans pour par sur avec sans ne pas plus ce cette ces tu te toi je
    j'ai t'ai nous vous il elle est sont être avoir fait faire toujours jamais désormais avant après quand comme aussi
    mais el los las una unos del al y o en que no con sin por para sobre se lo tu te yo me mi es son está están ser
    hacer haz siempre nunca ahora antes después cuando como también pero esto eso usa usar
    os as um uma uns umas do da dos das no na nos nas ao e ou com sem por para se você vc eu é são está ser fazer faça
    sempre nunca agora antes depois quando como também mas isso isto use usar não
    и в во не на я ты он она мы вы они что как это с со из за по от до для без или но а же уже бы да нет мне тебя его
    всегда никогда пожалуйста перед после когда вместо больше надо нужно можно
    bitte immer niemals nie nicht kein keine keinen jetzt vor nach wenn statt anstatt sofort""".split()  # noqa: SIM905
)
"""Small words of these languages: they say nothing of the subject."""
