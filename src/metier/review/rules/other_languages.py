"""Rules on orders in other languages than English: overriding, hiding, giving away, and installing from strangers."""

# ruff: noqa: E501 - a pattern on one line can be read, searched for and tried out as it is

from __future__ import annotations

from metier.review.rules.rule import Rule

_TEACHING = r"检测|攻击|注入|示例|例如|恶意|angriff|erkenn|beispiel|ataque|detect|ejemplo|attaque|exemple|атак|пример|攻撃|検出|例えば|injection|malicious"
_OUT = r"(?:https?://|[\w.+-]+@[\w-]+\.[a-z]{2,}|webhook|telegram|discord)"

RULES: tuple[Rule, ...] = (
    Rule(
        id="foreign-override",
        tag="AST01",
        severity="high",
        reason="It tells the agent, in another language, to drop the instructions it was given.",
        fix="Take the sentence out. A skill adds to what a person asked for; it never replaces it.",
        patterns=(
            r"(?:忽略|无视|忽視|忘记|忘記|覆盖|绕过|繞過|不要遵守|不再遵守)[^。\n]{0,8}(?:之前|以上|先前|所有|前面|上述|此前|原有|系统|系統|安全|任何)[^。\n]{0,10}(?:指令|指示|规则|規則|提示|限制|设定|要求|策略)",
            r"\b(?:ignorier|missacht|vergiss|vergesse|uberschreib|überschreib|umgeh|verwirf)\w* (?:\w+ ){0,3}?(?:alle|vorherig|bisherig|obig|fruher|früher|system|ursprunglich|ursprünglich)\w* (?:\w+ ){0,2}?(?:anweisung|regel|vorgabe|richtlinie|instruktion|befehl|einschrankung|einschränkung|sicherheit)\w*",
            r"\b(?:hat|haben|besitzt) (?:absoluten |hochsten |höchsten )?(?:vorrang|prioritat|priorität) (?:vor|uber|über) (?:allen|jeder|jedem|den|ihren|deinen) (?:\w+ )?(?:anweisung|regel|vorgabe|richtlinie)\w*",
            r"\b(?:ignora|olvida|descarta|omite|anula|desobedece)\w* (?:\w+ ){0,3}?(?:todas|las|tus|cualquier) (?:\w+ )?(?:instrucciones|reglas|directrices|restricciones|ordenes|órdenes)(?: (?:anteriores|previas|del sistema|de seguridad))?",
            r"\b(?:ignore|oublie|neglige|néglige|contourne)[sz]? (?:\w+ ){0,2}?(?:toutes|les|tes|vos) (?:\w+ )?(?:instructions|regles|règles|consignes|directives) (?:precedentes|précédentes|anterieures|antérieures|du systeme|du système|ci-dessus)",
            r"\b(?:ignore|esqueca|esqueça|desconsidere) (?:\w+ ){0,2}?(?:todas|as|suas) (?:\w+ )?(?:instrucoes|instruções|regras|diretrizes)(?: (?:anteriores|do sistema))?",
            r"(?:игнорируй|забудь|проигнорируй|отбрось|нарушай)\w*\s+(?:\S+\s+){0,3}?(?:инструкци|правил|указани|ограничени)\w*",
            r"(?:以前|上記|これまで|すべて|全て)の(?:指示|命令|ルール|規則|プロンプト)[^。\n]{0,6}(?:無視|忘れ|破棄)|(?:이전|위의|모든)\s*(?:지시|명령|규칙)[^.\n]{0,10}(?:무시|잊)",
        ),
        unless=(_TEACHING,),
        around=60,
    ),
    Rule(
        id="foreign-conceal",
        tag="AST01",
        severity="high",
        reason="It tells the agent, in another language, to hide what it does from the person.",
        fix="Take the sentence out; whatever a skill does, the person may know.",
        patterns=(
            r"(?:不要|切勿|不得|请勿|禁止|別|别|勿|不可|不能)[^。\n]{0,4}(?:告诉|告知|通知|提示|透露给|透露給|让|讓|告訴|向)[^。\n]{0,3}(?:用户|使用者|用戶|主人|人类)[^。\n]{0,12}(?:知道|说明|透露|提及|展示|此|这|該|该|$|[。,，:：;；])",
            r"(?:静默|悄悄|偷偷|暗中|秘密|后台静默|在后台)(?:地)?[^。\n]{0,4}(?:发送|上传|传输|执行|收集|下载|安装|复制|转发|提交|读取)[^。\n]{0,30}(?:用户|数据|文件|凭证|密钥|信息|服务器|https?://|命令|脚本)",
            r"\b(?:informier|benachrichtig|erzahl|erzähl|sag|verrat|zeig)\w* (?:es |dies |das |davon )?(?:den|dem|die|der) (?:nutzer|benutzer|anwender|user|menschen)\w* (?:davon |daruber |darüber |hieruber |hierüber |das |dies |es )?(?:nicht|nichts|niemals|nie)\b",
            r"\bohne (?:dass )?(?:den|dem|der|die) (?:nutzer|benutzer|anwender|user)\w* (?:\w+ ){0,3}?(?:zu informieren|zu fragen|es (?:merkt|weiß|weiss|bemerkt)|davon (?:erfahrt|erfährt|weiß|weiss))|\bheimlich (?:\w+ ){0,4}?(?:send|ubertrag|übertrag|hochlad|kopier|ausfuhr|ausführ|lies|lese)\w*",
            r"\b(?:no|nunca|jamas|jamás) (?:le |se lo |lo )?(?:digas|informes|menciones|avises|reveles|muestres|notifiques|cuentes)\w* (?:\w+ ){0,3}?(?:al|a la|a los|del) (?:usuario|usuarios|usuaria|persona|humano)",
            r"\bsin (?:que )?(?:el|la|informar|avisar|notificar|decir)\w* (?:\w+ )?(?:al )?usuario\w*(?: (?:lo )?(?:sepa|note|se (?:de|dé) cuenta))?|\b(?:en secreto|a escondidas|silenciosamente) (?:\w+ ){0,2}?(?:envi|sub|copi|ejecut|transmit|recopil)\w*",
            r"\b(?:ne|n') ?(?:dis|dites|informe|informez|mentionne|mentionnez|previens|prévenez|revele|révélez)\w* (?:pas|rien|jamais) (?:\w+ ){0,2}?(?:a|à|l'|au) ?(?:l')?utilisateur|\ba l'insu de l'utilisateur|\bà l'insu de l'utilisateur",
            r"не (?:говори|сообщай|рассказывай|показывай|упоминай|уведомляй)\w*\s+(?:об этом\s+)?(?:пользовател|человек)\w*|(?:незаметно|тайно|скрытно|втайне)\s+(?:\S+\s+){0,2}?(?:отправ|загруз|передай|скопир|выполни)\w*",
            r"(?:ユーザー|利用者)に(?:は)?(?:知らせ|伝え|通知し|言わ|教え|告げ)(?:ず|ないで|ては|るな|ない)|(?:こっそり|密かに|ひそかに)[^。\n]{0,20}(?:送信|アップロード|実行)|사용자에게[^.\n]{0,8}(?:알리지|말하지|언급하지)",
        ),
        unless=(_TEACHING,),
        around=40,
    ),
    Rule(
        id="foreign-leak",
        tag="AST01",
        severity="high",
        reason="It has the agent, in another language, send secrets or conversations to somebody else.",
        fix="Take the sentence out. A skill may use a key for its service; it never passes keys or conversations on.",
        patterns=(
            rf"(?:将|把|将所有|收集|读取|获取|提取)[^。\n]{{0,24}}(?:密码|密钥|凭证|凭据|令牌|私钥|助记词|环境变量|聊天记录|对话(?:内容|历史|记录)?|用户(?:数据|输入|信息|消息)|API\s*Key|token|\.env|\.ssh)[^。\n]{{0,24}}(?:发送|上传|传输|提交|转发|回传|POST)[^。\n]{{0,16}}(?:{_OUT}|服务器|外部|远程|接口|地址)",
            rf"\b(?:send|ubertrag|übertrag|ubermittl|übermittl|schick|lade|leite)\w* (?:\w+ ){{0,6}}?(?:passworter|passwörter|zugangsdaten|schlussel|schlüssel|geheimniss|tokens?|umgebungsvariablen|gesprach|gespräch|chatverlauf|unterhaltung|nutzerdaten|benutzereingaben)\w*<60>(?:\ban\b|\bzu\b|\bnach\b)<20>(?:{_OUT}|server|adresse)",
            rf"\b(?:envi|mand|sub|transmit|reenvi|public)\w* (?:\w+ ){{0,6}}?(?:contrasenas|contraseñas|credenciales|claves|secretos|tokens?|variables de entorno|conversacion|conversación|historial|datos del usuario)\w*<60>\ba\b<20>(?:{_OUT}|servidor|direccion|dirección)",
            rf"\b(?:envoie|envoyez|transmets|transmettez|televerse|téléverse|publie)\w* (?:\w+ ){{0,6}}?(?:mots de passe|identifiants|cles|clés|secrets|jetons|variables d'environnement|conversation|historique)\w*<60>(?:\ba\b|\bà\b|\bvers\b)<20>(?:{_OUT}|serveur)",
            rf"(?:отправ|загруз|передай|перешли|скопируй)\w*\s+(?:\S+\s+){{0,6}}?(?:парол|ключ|токен|секрет|учетны|учётны|переписк|историю|переменные окружения)\w*<60>(?:на|в)<20>(?:{_OUT}|сервер|адрес)",
            r"\b(?:uberweis|überweis|transferier)\w* (?:\w+ ){0,3}?[\d.,]{3,}<12>(?:chf|eur|usd|btc|eth|euro|dollar)?<12>\b(?:an|auf)\b|\b(?:transfiere|transferir) (?:\w+ ){0,3}?(?:fondos|[\d.,]{3,})<40>\ba\b<20>(?:0x|bc1|la cuenta|mi )",
        ),
        unless=(_TEACHING,),
        around=40,
    ),
    Rule(
        id="foreign-prerequisite",
        tag="AST02",
        severity="high",
        reason="It sends the person, in another language, to a stranger's program or to a page with a command to paste.",
        fix="Name a program of a known package manager, or do without.",
        patterns=(
            r"(?:复制|拷贝|複製|复制并)[^。\n]{0,40}(?:脚本|命令|代码|腳本)[^。\n]{0,30}(?:粘贴|黏贴|貼上|运行|執行|执行)[^。\n]{0,16}(?:终端|終端|Terminal|PowerShell|命令行)",
            r"(?:脚本|命令|代码)[^。\n]{0,12}(?:复制|粘贴|拷贝)(?:到|进|至)[^。\n]{0,6}(?:终端|Terminal|PowerShell|命令行)[^。\n]{0,40}?(?:执行|运行)?[:：][\s\S]{0,40}?https?://",
            r"(?:解压|压缩包|解壓|壓縮包|解压缩)[^。\n]{0,4}密[码碼]\W{0,12}\w{2,24}|使用 ?`?(?:密码|pass\w*)[:： ]*`?\w{2,24}`? ?(?:解压|解壓)",
            r"(?:下载|下載)[^。\n]{0,160}?releases/download/[^。\n]{0,160}?(?:运行|執行|执行|打开|双击)[^。\n]{0,12}(?:可执行文件|程序|\.exe|该文件|工具)",
            r"\b(?:lade|laden|descarga|descargue|telecharge|téléchargez|baixe)\w*\b<100>(?:\.zip|\.rar|\.7z|\.exe|\.dmg)<80>(?:passwort|kennwort|contrasena|contraseña|mot de passe|senha)\b<60>(?:ausfuhr|ausführ|start|ejecut|execut|exécut|lance|abr)",
        ),
        unless=(_TEACHING,),
        around=40,
    ),
)
