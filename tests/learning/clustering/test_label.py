"""A group of requests gets a label from the words they share."""

from __future__ import annotations

import work

from metier.learning.clustering.label import label_of, summary_of
from metier.skills.names import name_problem, slug


def requests(label: str) -> list[str]:
    return [record.run.message for record in work.of_task(label)]


def test_labels_of_different_work_differ_and_can_be_names() -> None:
    labels = [label_of(requests(task.label)) for task in work.TASKS]
    assert len(set(labels)) == len(labels)
    for label in labels:
        assert label == label.casefold()
        assert name_problem(slug(label)) is None
        assert not any(char.isdigit() for char in label)


def test_a_label_holds_no_value_that_only_some_requests_name() -> None:
    for task in work.TASKS:
        values = {value.casefold() for choices in task.values.values() for value in choices}
        spoken = set(" ".join(task.asks).casefold().split())
        assert not (values - spoken) & set(label_of(requests(task.label)).split("-"))


def test_a_label_is_in_the_words_and_the_order_of_those_who_asked() -> None:
    assert label_of(requests("release-notes")).startswith("release-notes")
    assert (
        label_of(["renew the certificate of a", "please renew certificate b", "renew certificate c"])
        == "renew-certificate"
    )
    assert "zertifikat" in label_of(requests("zertifikat-erneuern"))


def test_a_taken_label_gets_one_more_word_or_a_number() -> None:
    asked = ["renew the certificate of the shop", "renew certificate for the shop", "shop: renew certificate"]
    first = label_of(asked)
    second = label_of(asked, {first})
    third = label_of(asked, {first, second})
    assert len({first, second, third}) == 3
    assert second.startswith(first)


def test_other_scripts_and_nothing_at_all_have_a_label_too() -> None:
    for asked in (["天気を調べて", "天気を調べて"], ["", ""], ["123", "456"]):
        assert label_of(asked)
        assert name_problem(slug(label_of(asked))) is None


def test_a_summary_is_a_typical_request_without_values() -> None:
    asked = ["Hi, write the release notes for 2.14.0. Thanks!", "release notes for 3.0.0 please", "release notes 3.1.0"]
    assert summary_of(asked) in ("Write the release notes for …", "Release notes for …", "Release notes …")
    assert summary_of([]) == ""


def test_a_label_in_a_script_without_spaces_is_what_most_requests_have() -> None:
    assert label_of(["请帮我修复登录错误", "请修复登录错误"]) == "修复登录错误"
    assert label_of(["売上レポートを作成してください", "売上レポートの作成をお願いします"]) == "売上レポート"
