"""The bytes of a SKILL.md: frontmatter, sections, lines, protected regions.

Begin with `frontmatter.py`; it imports nothing else of `skills`.
"""
