"""The rules of review as data: begin with `words.toml` and one of the families beside it; `catalogue.py` reads them."""
