"""The stages of a pass that read and save: gather runs, group them, write drafts.

Begin with `gather.py`, then `group.py` and `draft_all.py`, in the order of a pass. Only this folder, `watch/`,
`learn.py` and `trace.py` use the store, the library and an opened workspace.
"""
