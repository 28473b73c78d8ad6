"""The part of Metier about evaluation."""
