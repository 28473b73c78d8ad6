"""`python -m metier` is the same as `metier`."""

from metier.cli import main

if __name__ == "__main__":
    main()
