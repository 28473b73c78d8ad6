"""The database: engine, migrations, and one file per noun; nothing outside this folder knows which engine it is."""
