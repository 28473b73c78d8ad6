"""The state of a skill's folder in one value: it changes with any file, link or folder in it, or its mode."""
# (`typing` and `pathlib` are not imported here: they would cost the hook several milliseconds)

from __future__ import annotations

import os


def fingerprint(folder: str, most: int = 0) -> tuple[str, int]:
    """A digest of path, inode, size, times and mode of all that lies in a folder, and the newest change of it.

    Empty for a folder with more than `most` files, or more than that many folders; 0: any number.
    """
    from _blake2 import blake2b  # what hashlib hands out, without loading OpenSSL

    parts: list[str] = []
    newest, start, folders = 0, len(folder), 0
    waiting = [folder]
    while waiting:
        place = waiting.pop()
        try:
            if not folders:
                parts.append(_line("", state := os.stat(folder)))
                newest, folders = state.st_ctime_ns, 1
            with os.scandir(place) as entries:
                for entry in entries:
                    state = entry.stat(follow_symlinks=False)
                    newest = max(newest, state.st_ctime_ns)
                    parts.append(_line(entry.path[start:], state))
                    if entry.is_dir(follow_symlinks=False):
                        folders += 1
                        waiting.append(entry.path)
                    if most and max(folders, len(parts) - folders) > most:
                        return "", newest
        except OSError as error:
            parts.append(f"{place}\0{error.errno}")
    parts.sort()
    return blake2b("\n".join(parts).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest(), newest


def _line(name: str, state: os.stat_result) -> str:
    return f"{name}\0{state.st_ino} {state.st_size} {state.st_mtime_ns} {state.st_ctime_ns} {state.st_mode}"
