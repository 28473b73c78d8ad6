"""The dashboard: pages that a browser on this machine shows. Begin with `app.py`; `pages/` has a file for each page.

Pages call the same services as the command line, through a workspace; nothing here decides or writes by itself.
"""
