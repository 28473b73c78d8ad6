"""The rules a SKILL.md is held to: what each is for, and how to mend what breaks it."""

from __future__ import annotations

from dataclasses import dataclass

KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
"""All top-level keys the standard knows."""
MAX_DESCRIPTION = 1024
MAX_COMPATIBILITY = 500
MAX_BODY_LINES = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRule:
    """Why a rule is there, and what to do."""

    why: str
    fix: str


_UNREADABLE = "Without its description no agent knows when to use the skill."

RULES: dict[str, SkillRule] = {
    "no-skill-file": SkillRule(
        why="A folder is a skill because of its SKILL.md.", fix="Add a SKILL.md at the top of the folder."
    ),
    "skill-file-name": SkillRule(why="Some agents look for SKILL.md only.", fix="Rename the file to SKILL.md."),
    "byte-order-mark": SkillRule(
        why="Some readers do not see the frontmatter behind it.",
        fix="Save the file as UTF-8 without a byte order mark.",
    ),
    "not-utf8": SkillRule(why="Agents read a skill as UTF-8.", fix="Save the file as UTF-8."),
    "no-frontmatter": SkillRule(
        why=_UNREADABLE, fix="Begin the file with a line ---, the lines name: … and description: …, and a line ---."
    ),
    "unterminated-frontmatter": SkillRule(why=_UNREADABLE, fix="Put a line --- behind the last key."),
    "frontmatter-too-large": SkillRule(
        why="Frontmatter of every skill is read at every start.",
        fix="Move text into the body or into a reference file.",
    ),
    "yaml-unreadable": SkillRule(
        why=_UNREADABLE, fix='Put the value in double quotes ("…") if it holds a colon, a quote or a #.'
    ),
    "yaml-alias": SkillRule(
        why="A few aliases can stand for gigabytes, so they are not followed.", fix="Write the value out in its place."
    ),
    "yaml-too-deep": SkillRule(why="No known key needs it.", fix="Flatten the value."),
    "yaml-too-large": SkillRule(why="No known key needs so many values.", fix="Move them into a reference file."),
    "yaml-not-a-mapping": SkillRule(why=_UNREADABLE, fix="Write one key: value on each line."),
    "yaml-tab": SkillRule(why="YAML does not allow tabs there.", fix="Use spaces in place of tabs."),
    "yaml-flow": SkillRule(
        why="The reference validator reads neither {…} nor […].",
        fix="Write one key: value, or one - item, on each line.",
    ),
    "yaml-anchor": SkillRule(why="The reference validator refuses anchors.", fix="Take the &name out."),
    "yaml-tag": SkillRule(why="The reference validator refuses tags.", fix="Take the !tag out."),
    "duplicate-key": SkillRule(why="Readers do not agree on which one counts.", fix="Keep one of them."),
    "unknown-key": SkillRule(
        why="The standard refuses other keys, and uploads fail on them.", fix="Move it under metadata, as text."
    ),
    "name-missing": SkillRule(
        why="Agents call a skill by its name.", fix="Add name: followed by the name of the folder."
    ),
    "name-invalid": SkillRule(
        why="A name must be the same on every system and in every agent.",
        fix="Use 1 to 64 of a to z, 0 to 9 and single hyphens between them.",
    ),
    "name-too-long": SkillRule(why="Agents cut or refuse longer names.", fix="Use at most 64 characters."),
    "name-folder-mismatch": SkillRule(
        why="Agents go by the one or by the other.",
        fix="Give the folder the name of the skill, or the skill that of the folder.",
    ),
    "description-missing": SkillRule(why=_UNREADABLE, fix="Add description: what the skill does, and when to use it."),
    "description-too-long": SkillRule(
        why="Agents cut or refuse longer descriptions.", fix=f"Use at most {MAX_DESCRIPTION:,} characters."
    ),
    "license-not-text": SkillRule(
        why="The standard asks for text.", fix="Write the license's name, or the name of its file."
    ),
    "compatibility-invalid": SkillRule(
        why="The standard asks for a short text.", fix=f"Write 1 to {MAX_COMPATIBILITY} characters."
    ),
    "metadata-invalid": SkillRule(
        why="The standard asks for texts under keys.", fix="Write one key: text on each line under metadata."
    ),
    "metadata-reserved": SkillRule(
        why="Keys of that prefix belong to the MCP skills extension.", fix="Use a prefix of your own."
    ),
    "allowed-tools-invalid": SkillRule(
        why="The standard asks for one text.", fix="Write the tools on one line with spaces between them."
    ),
    "body-long": SkillRule(
        why="Every line is read each time the skill is used.", fix="Move details into files under references/."
    ),
}
