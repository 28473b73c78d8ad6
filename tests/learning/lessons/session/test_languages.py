"""Corrections in other languages; and honest messages, which are none."""

from __future__ import annotations

import pytest
from sessions import records, said

from metier.capture.reading.corrections import is_correction
from metier.learning.lessons.aggregate import lessons_from
from metier.learning.lessons.session.net import cues_of, mine_session, sentences_of, weight_of

REPEATED = {
    "German": (
        "Bitte nie wieder direkt auf den Branch main pushen, ab jetzt immer über einen Pull Request.",
        "Ich habe dir doch gesagt: niemals direkt auf den Branch main pushen!",
    ),
    "French": (
        "Ne modifie jamais les fichiers générés, lance toujours le script de génération.",
        "Je t'ai déjà dit de ne pas modifier les fichiers générés, désormais lance le script.",
    ),
    "Spanish": (
        "Nunca modifiques los archivos generados, a partir de ahora ejecuta siempre el script.",
        "Ya te lo he dicho: no modifiques los archivos generados, ejecuta el script.",
    ),
    "Portuguese": (
        "Nunca altere os arquivos gerados, a partir de agora sempre rode o script.",
        "Eu já te disse: não altere os arquivos gerados, sempre rode o script.",
    ),
    "Russian": (
        "Никогда не изменяй сгенерированные файлы, всегда запускай скрипт.",
        "Я же говорил: не изменяй сгенерированные файлы, впредь запускай скрипт.",
    ),
    "Chinese": (
        "以后不要直接修改生成的文件，每次都运行脚本。",
        "我说过，千万不要直接修改生成的文件，务必运行脚本。",
    ),
    "Japanese": (
        "生成されたファイルは絶対に変更しないでください。必ずスクリプトを実行してください。",
        "前にも言いましたが、生成されたファイルは変更しないでください。今後は必ずスクリプトを実行。",
    ),
}
HONEST = (
    "Bitte baue eine Seite für die Anmeldung und schreib Tests dazu.",
    "Warum schlägt der Test auf dem Server immer noch fehl?",
    "Die Datei wird nicht gefunden, wenn der Ordner leer ist.",
    "Ajoute une page de connexion et écris les tests.",
    "Pourquoi le test échoue-t-il sur le serveur ?",
    "Le fichier n'est pas trouvé quand le dossier est vide.",
    "Añade una página de inicio de sesión y escribe las pruebas.",
    "El archivo no aparece en la carpeta cuando ejecuto el comando.",
    "Para el login usa la librería nueva y escribe pruebas.",
    "Adicione uma página de login e escreva os testes.",
    "O arquivo não aparece na pasta quando executo o comando.",
    "Добавь страницу входа и напиши тесты.",
    "Файл не найден, когда каталог пустой, почему тест падает?",
    "添加一个登录页面并编写测试。",
    "为什么这个测试总是报错？请检查日志文件。",
    "把别的文件也移动到这个目录里。",
    "ログインページを追加して、テストを書いてください。",
    "なぜこのテストはエラーになりますか？ログを確認してください。",
)


@pytest.mark.parametrize("language", REPEATED)
def test_a_wish_that_was_repeated_is_shown_in_the_persons_own_words(language: str) -> None:
    first, second = REPEATED[language]
    runs = [
        said("go on with the work", session="a"),
        said(first, session="a"),
        said("now the other part", session="b"),
        said(second, session="b"),
    ]
    found = [one for one in lessons_from(mine_session(records(*runs)), "w") if one.kind == "rule"]
    assert found, language
    assert {quote.text for one in found for quote in one.quotes} <= {
        sentence for message in (first, second) for sentence in sentences_of(message)
    }
    assert found[0].sessions == 2


@pytest.mark.parametrize("message", HONEST)
def test_an_honest_request_is_no_wish_for_next_time(message: str) -> None:
    for sentence in sentences_of(message):
        assert weight_of(sentence, cues_of(sentence)) < 1.5, cues_of(sentence)


@pytest.mark.parametrize("message", HONEST)
def test_an_honest_request_does_not_count_as_a_correction(message: str) -> None:
    assert not is_correction(message)


@pytest.mark.parametrize(
    "message",
    [
        "Nein, das ist falsch, nimm die andere Datei.",
        "Non, ce n'est pas ce que je voulais.",
        "No, eso no es lo que pedí.",
        "Não, isso está errado.",
        "Não era isso que eu pedi, desfaça a mudança.",
        "Нет, это неправильно, верни как было.",
        "Ты опять забыл про тесты.",
        "不对，我要的是另一个文件。",
        "違います、そのファイルではなくて設定ファイルです。",
    ],
)
def test_a_correction_is_known_in_each_language(message: str) -> None:
    assert is_correction(message)
