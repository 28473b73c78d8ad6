"""What the layers besides content can find: structure, secrets, origin, and review itself failing."""

from __future__ import annotations

from tacit.review.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    Rule(
        id="draft-kind-unknown",
        tag="AST09",
        severity="high",
        reason="The draft is of a kind or type that nobody knows.",
        fix="Make the draft again with a known kind (create, append, replace, merge) and type (workflow, shortcut).",
    ),
    Rule(
        id="draft-incomplete",
        tag="AST09",
        severity="high",
        reason="The draft lacks its summary, its body or the version it changes.",
        fix="Make the draft again with all its parts.",
    ),
    Rule(
        id="create-on-existing",
        tag="AST09",
        severity="high",
        reason="The draft would create a skill that exists already.",
        fix="Make a draft that changes the skill, or choose another name.",
    ),
    Rule(
        id="target-mismatch",
        tag="AST04",
        severity="high",
        reason="The draft is for one skill, and its document gives the name of another.",
        fix="Give the document the name of the draft's target.",
    ),
    Rule(
        id="name-confusable",
        tag="AST04",
        severity="high",
        reason="The name looks like that of another skill, so a person could take one for the other.",
        fix="Choose a name that cannot be confused with another.",
    ),
    Rule(
        id="archive-unsafe",
        tag="AST02",
        severity="high",
        reason="An archive in the package is locked, damaged, too large, or would write outside its folder.",
        fix="Put the files into the package themselves.",
    ),
    Rule(
        id="archive",
        tag="AST08",
        severity="medium",
        reason="The package holds an archive; its members were looked at, but a reader does not see them.",
        fix="Put the files into the package themselves.",
    ),
    Rule(
        id="binary-program",
        tag="AST08",
        severity="high",
        reason="The package holds a program that nobody can read.",
        fix="Ship the source, or name a package that a person can install.",
    ),
    Rule(
        id="secret",
        tag="AST04",
        severity="high",
        reason="A secret stands in the package.",
        fix="Take it out, revoke it where it was issued, and name the variable that holds it.",
    ),
    Rule(
        id="untrusted-overlap",
        tag="AST05",
        severity="high",
        reason="A line of the draft was written by a tool, a page or a file, not by a person.",
        fix="Take the line out, or have a person say it in their own words.",
    ),
    Rule(
        id="model-order",
        tag="AST05",
        severity="medium",
        reason="A standing order in the draft is the agent's own text; no person gave it.",
        fix="Let a person decide whether it is to hold from now on.",
    ),
    Rule(
        id="learned-code",
        tag="AST03",
        severity="high",
        reason="A learned skill may not bring scripts, programs or archives.",
        fix="Describe the steps; a person can add a script to the skill.",
    ),
    Rule(
        id="learned-address",
        tag="AST05",
        severity="high",
        reason="The draft names a host that no person and no operator has written in its evidence.",
        fix="Take the address out, or have a person add it.",
    ),
    Rule(
        id="single-session",
        tag="AST09",
        severity="info",
        reason="All evidence comes from one session, so nothing shows that it holds elsewhere.",
        fix="Wait for a second session, or let a person approve.",
    ),
    Rule(
        id="scan-limit",
        tag="AST08",
        severity="high",
        reason="The text matches a rule more often than can be looked at.",
        fix="Make the file smaller, or split it.",
    ),
    Rule(
        id="layer-failed",
        tag="AST08",
        severity="critical",
        reason="A part of the review did not come to an answer, so nothing is known to be safe.",
        fix="Report it with the package that caused it; until then the package stays out.",
    ),
    Rule(
        id="second-opinion-failed",
        tag="AST08",
        severity="high",
        reason="A second opinion was asked for and gave no usable answer.",
        fix="Ask again, or review without it.",
    ),
)
