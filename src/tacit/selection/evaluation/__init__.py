"""The part of Tacit about evaluation."""
