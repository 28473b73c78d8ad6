"""Stop words: words that say nothing about what a text is about, in the languages people write most."""

from __future__ import annotations

import re

from metier.text.shell.command import word_set

ENGLISH = word_set(
    """
    a an the this that these those it its he she they them their his her you your yours we us our i me my mine
    myself am is are was were be been being do does did doing done have has had having can could will would shall
    should may might must to of in on at by for from with into about as and or but if so than then there here also
    just only very too really some any please pls plz kindly hey hi hello dear thanks thank thx ok okay help want
    need like know let lets tell show give what whats which who whom whose how hows when where im id ill ive youd
    youll youre dont doesnt isnt cant couldnt wouldnt s t d ll ve re m gonna wanna gotta try trying make sure
    possible wondering wonder able hoping hope looking appreciate assist assistance quick quickly question thing
    things something
    """
)
GERMAN = word_set(
    """
    der die das den dem des ein eine einen einem einer eines und oder aber ich du er sie es wir ihr mich mir dich
    dir uns euch sich mein meine meinen meinem meiner dein deine unser unsere bin bist ist sind seid war waren sein
    hat habe haben hast kann kannst konnen konntest konnte wurde wurdest will willst mochte mochtest mussen muss
    musst soll sollst zu zum zur in im an am auf aus bei mit nach von vom fur uber um als auch noch nur mal bitte
    danke hallo hilf hilfe helfen brauche brauchst was wie wo wann wer welche welcher welches gib zeig zeige sag
    sage dass wenn dann so nicht kein keine gerne bitten konnt ihnen ihre
    """
)
MORE_ENGLISH = word_set(
    """
    after again again's all because before can't don't down dr each every get go got him i'm it's last let's
    look many more morning most mr mrs ms much needs new no not now off once one out over own put same see
    somebody someone still such take through today tomorrow under until up urgent us's use way we're while why
    yes yesterday
    """
)
"""Words that a request is compared by, but no name, key word or slot is made of."""
MORE_GERMAN = word_set(
    """
    alle allem allen aller alles also beim bis brauchen braucht da damit dies diese diesem diesen dieser dieses
    doch dort durch eilt einmal erst frau für gegen gerade hatte herr heute hier ihm ihn ins ja jetzt könnte
    könntest mach machen man mehr moin morgen müssen nr nun ob ohne raus schon sehr seine seit sollen sollte
    soweit unter vor weil werden wieder wird würde über
    """
)
"""The same in German, with umlauts: these words are compared as they are written."""
FRENCH = word_set(
    """
    le la les l un une des du de d au aux et ou mais je j tu il elle on nous vous ils elles me moi te toi se mon ma
    mes ton ta tes son sa ses notre votre est es suis sont etre a ai as avez avoir peux peut peuvent pouvez
    pourriez pourrais veux voudrais dois doit faut pour par avec dans sur en ce cet cette ces que qu qui quoi quel
    quelle comment quand s plait merci bonjour salut aide aider aidez besoin dire montre donne n pas ne y
    """
)
ROMANCE = word_set(
    """
    el los las uno una unos unas lo del al y o pero yo tu ella nosotros me te se mi mis tus su sus es soy eres son
    ser estoy esta he ha puedo puedes puede podrias quiero quisiera necesito debo hay para por con en sin sobre que
    como cual cuando donde quien favor gracias hola ayuda ayudame ayudar dime muestrame dame os as um uma do da dos
    das no na nos nas e ou mas eu voce ele ela eles meu minha seu sua sao sou posso pode poderia quero preciso
    obrigado ola ajuda ajude ajudar il gli di a in per tra fra ed ma io lui lei noi voi ti si ci mio mia tuo sono
    sei puoi potresti voglio vorrei devo che come quando dove chi cosa favore grazie ciao aiuto aiutami aiutarmi
    """
)
"""Spanish, Portuguese, Italian."""
DUTCH = word_set(
    """
    de het een en of maar ik jij je hij zij wij we mij mijn jouw ben bent is zijn was heb hebt heeft kan kun kunt
    kunnen wil wilt zou moet te in op aan bij met naar van voor om als ook nog alstublieft alsjeblieft graag
    bedankt help helpen nodig wat hoe waar wanneer wie dat dit die niet
    """
)
RUSSIAN = word_set(
    """
    и в во на с со к ко о об от до из за по для у не но или а я ты он она мы вы они мне меня мой моя мое мои тебе
    вам нас это этот эта эти то что чтобы как какой где когда кто могу можешь можете может мог хочу нужно надо
    пожалуиста пожалуйста спасибо привет здравствуите здравствуйте помоги помогите помочь покажи скажи дай ли бы же
    есть быть
    """
)
BY_LANGUAGE = (ENGLISH, GERMAN, FRENCH, ROMANCE, DUTCH, RUSSIAN)
"""One set per language or family, folded as `metier.text.words.fold_text` does it."""

OPENERS = word_set(
    """
    please pls plz kindly hey hi hello dear ok okay so can could would will you u i we need want like to help me us
    just wondering wonder if was possible id im ill d m trying hoping let lets assist with tell show give go ahead
    and quickly good morning afternoon evening everyone all folks team
    """
)
"""English words that begin a request politely; a run of them says nothing, wherever else they may matter."""

POLITE = word_set("please pls plz kindly thanks thx cheers asap urgent")
"""English words that say nothing wherever they stand."""

CHINESE = word_set(
    """
    请问 请帮我 请你 请您 帮我 帮忙 帮助我 麻烦你 麻烦您 麻烦 能不能 可不可以 可以 能否 是否 我想要 我想 我要
    我需要 需要 我希望 希望 想要 怎么样 怎么 怎样 如何 什么 为什么 哪个 哪些 哪里 一下 一个 这个 那个 这些 那些
    谢谢 你好 您好 告诉我 给我 我们 你们 他们 我的 你的 请 吗 呢 吧 啊 的 了 着 是 在 把 被 和 或 我 你 您 都 也
    請問 請幫我 請 幫我 幫忙 麻煩 嗎 這個 們
    """
)
JAPANESE = word_set(
    """
    お願いします おねがいします お願い致します ください 下さい てください してください していただけますか
    いただけますか もらえますか してほしい ほしいです 欲しい したいです したい たいです できますか できる 教えて
    ありますか ですか ますか でしょうか ました します ません です ます する して した これ それ あれ この その あの
    私 僕 どうやって どのように どう 方法 何 なに すみません こんにちは ありがとう から まで より など として
    について ために ので のに けど を に は が の で と へ も や か ね よ て た
    """
)
KOREAN = word_set(
    """
    해주세요 주세요 부탁드립니다 부탁해요 부탁해 도와주세요 도와줘 해줘 하고 싶어요 싶습니다 어떻게 무엇 있나요
    있어요 합니다 해요 하는 하기 안녕하세요 감사합니다
    """
)
DENSE_PHRASES = re.compile("|".join(sorted(CHINESE | JAPANESE | KOREAN, key=lambda word: (-len(word), word))))
"""Stop phrases and particles of scripts without spaces, the longest first."""
