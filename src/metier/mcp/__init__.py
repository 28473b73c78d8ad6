"""The MCP server: what an agent may ask of Metier over standard input and output. Nothing here approves or ships."""
