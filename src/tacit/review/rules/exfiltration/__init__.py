"""The part of Tacit about exfiltration."""
