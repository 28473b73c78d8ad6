"""Command lines as values, for any text and in linear time: begin with `parse.py`.

`parse_commands` gives the simple commands of a line (`command.py`), also those inside pipes, substitutions, `bash -c`,
`sudo`, `xargs` and the like. Nothing is ever run. It imports nothing else of Metier.
"""
