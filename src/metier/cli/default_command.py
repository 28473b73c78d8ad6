"""A group of commands whose first word may be no command: then it is handed to the usual one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typer.core import TyperGroup

if TYPE_CHECKING:
    from typer._click import Context


class RunByDefault(TyperGroup):
    """`metier train SKILL` is `metier train run SKILL`."""

    usual = "run"

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """The words as they are, with the usual command before what begins with none."""
        named = not args or args[0] in self.commands or args[0] in ("-h", "--help")
        return super().parse_args(ctx, args if named else [self.usual, *args])


class SkillByDefault(RunByDefault):
    """`metier eval SKILL` is `metier eval skill SKILL`."""

    usual = "skill"
