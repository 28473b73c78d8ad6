"""The part of Metier about exfiltration."""
