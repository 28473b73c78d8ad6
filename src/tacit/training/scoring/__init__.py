"""The part of Tacit about scoring."""
